#include "cli/new_file.h"

#include <unistd.h>

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice::cli {

namespace fs = std::filesystem;

void require_absent(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  throw InputError({path, 0, "is there already", "", "choose another name, or take the file away first", ""});
}

namespace {

/// Complaints speak of the file that the user named.
template <class Error>
[[noreturn]] void rethrow(const Error& e, const std::string& temporary, const std::string& path) {
  std::string text = e.what();
  const std::size_t at = text.find(temporary);
  if (at != std::string::npos) text.replace(at, temporary.size(), path);
  if constexpr (std::is_same_v<Error, InputError>) throw InputError({"", 0, text, "", "", ""});
  else throw Error(text);
}

/// A file under another name beside its place, which goes unless it is moved there.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : given_(path), target_(path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) throw InputError({path, 0, "is a folder", "a file to write", "", ""});
    temporary_ = target_.parent_path() / fmt::format(".new-{}-{}", getpid(), target_.filename().string());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    std::error_code ignored;
    if (!moved_) fs::remove(temporary_, ignored);
  }

  void write(const std::function<void(const std::string&)>& write) const {
    try {
      write(temporary_.string());
    } catch (const InputError& e) {
      rethrow(e, temporary_.string(), given_);
    } catch (const SimulationError& e) {
      rethrow(e, temporary_.string(), given_);
    }
  }

  void move() {
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) throw InputError({given_, 0, "cannot be written: " + error.message(), "", "", ""});
    moved_ = true;
  }

  /// Takes a file that was moved away again.
  void undo() const {
    std::error_code ignored;
    if (moved_) fs::remove(target_, ignored);
  }

 private:
  std::string given_;
  fs::path target_, temporary_;
  bool moved_ = false;
};

}  // namespace

void write_new_file(const std::string& path, const std::function<void(const std::string&)>& write) {
  NewFile file(path);
  file.write(write);
  file.move();
}

void write_new_files(const std::vector<std::pair<std::string, std::string>>& paths_and_texts) {
  std::vector<std::unique_ptr<NewFile>> files;
  for (const auto& [path, text] : paths_and_texts) {
    files.push_back(std::make_unique<NewFile>(path));
    const std::string& content = text;
    files.back()->write([&](const std::string& temporary) { write_text_file(temporary, content); });
  }
  try {
    for (const auto& file : files) file->move();
  } catch (const InputError&) {
    for (const auto& file : files) file->undo();
    throw;
  }
}

}  // namespace coslice::cli
