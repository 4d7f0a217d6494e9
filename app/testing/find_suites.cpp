#include "testing/find_suites.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {

namespace fs = std::filesystem;

namespace {

bool is_suite(const fs::path& p) {
  constexpr std::string_view kEnding = "_test.lua";
  const std::string name = p.filename().string();
  return name.size() > kEnding.size() && name.compare(name.size() - kEnding.size(), kEnding.size(), kEnding) == 0;
}

/// Folders of tools, and copies that a build makes.
bool is_passed_over(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.size() > 1 && (name == "build" || name.front() == '.');
}

void add_below(const fs::path& folder, std::vector<std::string>& found) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && is_passed_over(at->path())) at.disable_recursion_pending();
    else if (at->is_regular_file(ignored) && is_suite(at->path()))
      found.push_back(at->path().lexically_normal().string());
  }
}

void add(const std::string& path, std::vector<std::string>& found) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {
    found.push_back(fs::path(path).lexically_normal().string());
    return;
  }
  if (!fs::is_directory(path, ignored)) {
    throw InputError({path, 0, "there is no such file or folder", "a suite, or a folder with suites"});
  }
  const std::size_t before = found.size();
  add_below(path, found);
  if (found.size() != before) return;
  throw InputError({path, 0, "there is no suite in this folder", "files whose names end in _test.lua"});
}

}  // namespace

std::vector<std::string> find_suites(const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  for (const std::string& path : paths) add(path, found);
  if (paths.empty()) add(".", found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace coslice
