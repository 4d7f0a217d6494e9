#include "core/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
    throw InputError({path, 0, std::string("cannot be read: ") + std::strerror(failed), "", "", ""});
  return text;
}

}  // namespace coslice
