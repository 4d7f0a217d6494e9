#include "scenario/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/codec.h"
#include "core/file.h"

namespace coslice {

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path, const std::string& what, const Place& asked_at) {
  constexpr std::size_t kLargestFile = 64 << 20;
  const std::string shown = what + " '" + path + "'";
  std::error_code error;
  if (fs::is_directory(path, error)) fail_at(asked_at, shown + " is a folder", "a TOML file");
  if (codec::would_block(path)) fail_at(asked_at, shown + " is a pipe or a device", "a TOML file");
  std::string text;
  const int failed = append_file(text, path, kLargestFile);
  if (failed == EFBIG) fail_at(asked_at, shown + " is larger than 64 MB", "a TOML file");
  if (failed == ENOENT || failed == ENOTDIR) fail_at(asked_at, shown + " does not exist");
  if (failed != 0) fail_at(asked_at, shown + " cannot be read: " + std::strerror(failed));
  return text;
}

}  // namespace coslice
