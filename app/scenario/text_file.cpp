#include "scenario/text_file.h"

#include <filesystem>
#include <fstream>

#include "core/codec.h"

namespace coslice {

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path, const std::string& what, const Place& asked_at) {
  constexpr std::size_t kLargestFile = 64 << 20;
  const std::string shown = what + " '" + path + "'";
  std::error_code error;
  if (fs::is_directory(path, error)) fail_at(asked_at, shown + " is a folder", "a TOML file");
  if (codec::would_block(path)) fail_at(asked_at, shown + " is a pipe or a device", "a TOML file");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail_at(asked_at, shown + (fs::exists(path, error) ? " cannot be read" : " does not exist"));
  std::string text;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFile) fail_at(asked_at, shown + " is larger than 64 MB", "a TOML file");
  }
  return text;
}

}  // namespace coslice
