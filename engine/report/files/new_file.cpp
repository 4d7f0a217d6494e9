#include "report/files/new_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <type_traits>

#include "core/error.h"
#include "core/output_file.h"
#include "report/files/leftovers.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

/// Complaints speak of the file that the user named.
template <class Error>
[[noreturn]] void rethrow_for(const Error& e, const std::string& temporary, const std::string& path) {
  std::string text = e.what();
  const std::size_t at = text.find(temporary);
  if (at != std::string::npos) text.replace(at, temporary.size(), path);
  if constexpr (std::is_same_v<Error, InputError>) throw InputError({"", 0, text, "", "", ""});
  else throw Error(text);
}

/// Through links to what they mean, also where that is not there yet.
fs::path real_place(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : real;
}

/// A file under another name beside its place, which goes unless it is moved there.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : given_(path), target_(real_place(path)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(target_, ignored);
    if (fs::is_directory(status)) throw InputError({path, 0, "is a folder", "a file to write", "", ""});
    replaces_ = fs::exists(status);
    if (replaces_ && !fs::is_regular_file(status)) {
      temporary_ = target_;
      direct_ = true;
      return;
    }
    clear_leftovers_once(target_.parent_path());
    create();
    if (replaces_ && fchmod(file_, static_cast<mode_t>(status.permissions()) & 07777) != 0) errno = 0;
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ >= 0) close(file_);
    std::error_code ignored;
    if (!moved_ && !direct_) fs::remove(temporary_, ignored);
  }

  void write(const std::function<void(const std::string&)>& write) const {
    try {
      write(temporary_.string());
    } catch (const InputError& e) {
      rethrow_for(e, temporary_.string(), given_);
    } catch (const SimulationError& e) {
      rethrow_for(e, temporary_.string(), given_);
    }
  }

  void move() {
    if (direct_) return;
    sync_to_disk(file_, given_);
    const int file = file_;
    file_ = -1;
    if (close(file) != 0) throw SimulationError(given_ + ": cannot be written: " + std::strerror(errno));
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
      throw InputError({given_, 0, std::string("cannot be written: ") + std::strerror(errno), "", "", ""});
    moved_ = true;
  }

  /// Takes a file that was moved away again, if there was none before.
  void undo() const {
    std::error_code ignored;
    if (moved_ && !replaces_) fs::remove(target_, ignored);
  }

 private:
  /// Makes the file, empty, and holds its lock as long as it is written, so that no other process takes it for a
  /// leftover.
  void create() {
    constexpr int kMostTries = 100;  // names that are taken: other threads, a process of the same number elsewhere
    for (int i = 0; i < kMostTries; ++i) {
      temporary_ = hidden_file_beside(target_, i);
      file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ >= 0 || errno != EEXIST) break;
    }
    if (file_ >= 0) {
      flock(file_, LOCK_EX | LOCK_NB);
      return;
    }
    throw InputError({given_, 0, std::string("cannot be created: ") + std::strerror(errno), "", "", ""});
  }

  std::string given_;
  fs::path target_, temporary_;
  int file_ = -1;
  bool replaces_ = false, direct_ = false, moved_ = false;
};

}  // namespace

void write_new_file(const std::string& path, const std::function<void(const std::string&)>& write) {
  NewFile file(path);
  file.write(write);
  file.move();
}

void write_new_file(const std::string& path, std::string_view text) {
  write_new_file(path, [&](const std::string& temporary) {
    OutputFile file(temporary);
    file.write(text);
    file.close();
  });
}

void write_new_files(const std::vector<std::pair<std::string, std::string>>& paths_and_texts) {
  std::vector<std::unique_ptr<NewFile>> files;
  for (const auto& [path, text] : paths_and_texts) {
    files.push_back(std::make_unique<NewFile>(path));
    files.back()->write([&content = text](const std::string& temporary) {
      OutputFile file(temporary);
      file.write(content);
      file.close();
    });
  }
  try {
    for (const auto& file : files) file->move();
  } catch (...) {
    for (const auto& file : files) file->undo();
    throw;
  }
}

}  // namespace coslice
