#include "lab/papers/find_paper.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/policy/find_policy.h"
#include "api/scripts/program_folders.h"
#include "core/error.h"
#include "core/text.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "paper.lua";

bool is_paper(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kFile, ignored);
}

std::vector<fs::path> paper_roots() {
  std::vector<fs::path> roots;
  for (const std::string& f : search_path()) roots.push_back(fs::path(f) / "scenarios" / "papers");
  for (const fs::path& f : above_program()) roots.push_back(f / "scenarios" / "papers");
  return roots;
}

void add_list(std::vector<std::string>& folders, const char* variable, const std::string& below) {
  const char* list = std::getenv(variable);
  if (list == nullptr) return;
  for (const std::string& folder : split(list, ':'))
    if (!folder.empty()) folders.push_back(folder + below);
}

std::string plain(const fs::path& p) { return p.lexically_normal().string(); }

}  // namespace

PaperFolder find_paper(const std::string& name) {
  if (is_paper(name)) {
    const fs::path folder = fs::path(name) / "";
    return {folder.parent_path().filename().string(), plain(name), name};
  }
  const std::vector<PaperFolder> known = list_papers();
  for (const PaperFolder& p : known) {
    if (p.name == name) return p;
  }
  std::vector<std::string> names;
  for (const PaperFolder& p : known) names.push_back(p.name);
  Diagnostic d;
  d.problem = fmt::format("there is no paper '{}'", name);
  d.expected = names.empty() ? "a folder with paper.lua"
                             : fmt::format("a folder with paper.lua, or one of {}", fmt::join(names, ", "));
  d.suggestion = did_you_mean(name, names);
  throw InputError(d);
}

std::vector<PaperFolder> list_papers() {
  std::map<std::string, std::string> found;
  std::error_code ignored;
  for (const fs::path& root : paper_roots()) {
    for (const auto& entry : fs::directory_iterator(root, ignored)) {
      if (is_paper(entry.path())) found.emplace(entry.path().filename().string(), plain(entry.path()));
    }
  }
  std::vector<PaperFolder> papers;
  for (const auto& [name, folder] : found) papers.push_back({name, folder});
  return papers;
}

std::vector<std::string> trace_folders(const std::vector<std::string>& given) {
  std::vector<std::string> folders = given;
  add_list(folders, "COSLICE_TRACES", "");
  folders.emplace_back("traces");
  return folders;
}

std::vector<std::string> data_folders(const std::string& name, const std::string& given) {
  std::vector<std::string> folders;
  if (!given.empty()) folders.push_back(given);
  else if (!name.empty()) add_list(folders, "COSLICE_DATA", "/" + name);
  std::error_code ignored;
  folders.erase(std::remove_if(folders.begin(), folders.end(),
                               [&](const std::string& f) { return !fs::is_directory(f, ignored); }),
                folders.end());
  return folders;
}

std::string find_trace(const std::vector<std::string>& names, const std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const std::string& name : names) {
    for (const std::string& folder : folders) {
      const fs::path path = fs::path(folder) / name;
      if (fs::is_regular_file(path, ignored)) return plain(path);
    }
  }
  return "";
}

}  // namespace coslice
