#include "api/scripts/install_folders.h"

namespace coslice {

namespace fs = std::filesystem;

namespace {

fs::path program_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

}  // namespace

fs::path share_folder() {
  std::error_code ignored;
  const fs::path program = program_path();
  const fs::path share = program.parent_path().parent_path() / "share" / "coslice";
  return !program.empty() && fs::is_directory(share, ignored) ? share : fs::path();
}

std::vector<fs::path> above_program() {
  constexpr int kLevels = 3;
  fs::path at = program_path().parent_path();
  std::vector<fs::path> folders;
  for (int i = 0; i < kLevels && at.has_relative_path(); ++i, at = at.parent_path()) folders.push_back(at);
  return folders;
}

fs::path definitions_folder() {
  std::vector<fs::path> places = above_program();
  if (const fs::path share = share_folder(); !share.empty()) places.insert(places.begin(), share);
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place / "lua" / "meta" / "policy.lua", ignored)) return place / "lua" / "meta";
  return {};
}

}  // namespace coslice
