#include "core/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "core/error.h"

namespace coslice {

int append_file(std::string& text, const std::string& path, std::size_t most) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  char block[1 << 16];
  int failed = 0;
  for (std::size_t total = 0; failed == 0;) {
    const ssize_t got = read(file, block, sizeof block);
    if (got == 0) break;
    if (got < 0) {
      if (errno != EINTR) failed = errno;
      continue;
    }
    total += static_cast<std::size_t>(got);
    if (total > most) failed = EFBIG;
    else text.append(block, static_cast<std::size_t>(got));
  }
  close(file);
  return failed;
}

std::string read_whole_file(const std::string& path) {
  std::string text;
  if (const int failed = append_file(text, path); failed != 0)
    throw InputError({path, 0, std::string("cannot be read: ") + std::strerror(failed)});
  return text;
}

// Through the system's own calls, not stdio: errors come where they happen, and tests can make any one of them fail.
OutputFile::OutputFile(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw InputError({path, 0, std::string("cannot be created: ") + std::strerror(errno)});
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::sync() { sync_to_disk(file_, path_); }

void OutputFile::close() {
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail_to_write();
}

void OutputFile::fail_to_write() const {
  throw SimulationError(path_ + ": cannot be written: " + std::strerror(errno));
}

void sync_to_disk(int file, const std::string& name) {
  // Not every file system can do it, and a pipe has no disk.
  if (fsync(file) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    throw SimulationError(name + ": cannot be written: " + std::strerror(errno));
}

}  // namespace coslice
