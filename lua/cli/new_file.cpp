#include "cli/new_file.h"

#include <unistd.h>

#include <filesystem>

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

}  // namespace

void write_new_file(const std::string& path, const std::function<void(const std::string&)>& write) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw InputError({path, 0, "is a folder", "a file to write", "", ""});
  const fs::path target(path);
  const fs::path temporary = target.parent_path() / fmt::format(".new-{}-{}", getpid(), target.filename().string());
  try {
    write(temporary.string());
    fs::rename(temporary, target);
  } catch (const InputError& e) {
    fs::remove(temporary, error);
    rethrow(e, temporary.string(), path);
  } catch (const SimulationError& e) {
    fs::remove(temporary, error);
    rethrow(e, temporary.string(), path);
  } catch (const fs::filesystem_error& e) {
    fs::remove(temporary, error);
    throw InputError({path, 0, "cannot be written: " + e.code().message(), "", "", ""});
  }
}

}  // namespace coslice::cli
