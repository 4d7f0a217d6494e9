#include "api/policy/find_policy.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/scripts/install_folders.h"
#include "core/error.h"
#include "core/text.h"
#include "host/embedded.h"

namespace coslice {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEmbeddedPrefix = "policies/";
constexpr std::string_view kEnding = ".lua";

bool is_file(const fs::path& p) {
  std::error_code ignored;
  return fs::is_regular_file(p, ignored);
}

/// Folders in the order in which they are searched; each may also hold a folder `policies`.
std::vector<fs::path> search_folders(const std::string& scenario_folder) {
  std::vector<fs::path> folders;
  for (const std::string& folder : search_path(scenario_folder)) {
    folders.emplace_back(folder);
    folders.push_back(folders.back() / "policies");
  }
  return folders;
}

/// Where a policy's modules are: beside it, in the library, and what is built in, so that it may vary such a policy.
std::vector<ModuleRoot> roots_of(std::string folder) {
  std::vector<ModuleRoot> roots;
  if (!folder.empty()) roots.push_back({folder, "", folder});
  roots.push_back({"", std::string(kEmbeddedPrefix), "the built-in policies"});
  roots.push_back({"", "lib/", "the built-in library"});
  return roots;
}

FoundPolicy from_file(const fs::path& path) {
  const std::string shown = path.lexically_normal().string();
  fs::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  return {read_script(shown), shown, roots_of(folder.string())};
}

FoundPolicy from_built_in(const EmbeddedFile& file) {
  return {{"built-in " + std::string(file.name), std::string(file.text)}, "", roots_of("")};
}

bool is_path(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(kEnding); }

[[noreturn]] void not_found(const std::string& name, const std::string& folder) {
  std::vector<std::string> names;
  for (const PolicyEntry& e : list_policies(folder)) names.push_back(e.name);
  Diagnostic d;
  d.problem = fmt::format("there is no policy '{}'", name);
  d.expected = fmt::format("a path or one of {}", fmt::join(names, ", "));
  d.suggestion = did_you_mean(name, names);
  throw InputError(d);
}

}  // namespace

std::vector<std::string> search_path(const std::string& folder) {
  std::vector<std::string> folders;
  if (!folder.empty()) folders.push_back(folder);
  folders.emplace_back(".");
  if (const char* path = std::getenv("COSLICE_PATH"); path != nullptr) {
    for (const std::string& part : split(path, ':'))
      if (!part.empty()) folders.push_back(part);
  }
  if (const fs::path share = share_folder(); !share.empty()) folders.push_back(share.string());
  return folders;
}

FoundPolicy find_policy(const std::string& name, const std::string& folder) {
  if (is_path(name)) {
    if (is_file(name)) return from_file(name);
    if (!folder.empty() && fs::path(name).is_relative() && is_file(fs::path(folder) / name))
      return from_file(fs::path(folder) / name);
    if (const EmbeddedFile* f = find_embedded(name)) return from_built_in(*f);
    throw InputError(
        {name, 0, "there is no such policy file", "", "`coslice policies` lists those that are found by name"});
  }
  for (const fs::path& f : search_folders(folder))
    if (is_file(f / (name + std::string(kEnding)))) return from_file(f / (name + std::string(kEnding)));
  for (const char* below : {"", "examples/"}) {
    const std::string embedded = std::string(kEmbeddedPrefix) + below + name + std::string(kEnding);
    if (const EmbeddedFile* f = find_embedded(embedded)) return from_built_in(*f);
  }
  not_found(name, folder);
}

std::vector<PolicyEntry> list_policies(const std::string& folder) {
  std::map<std::string, std::string> found;  // sorted by name
  std::error_code ignored;
  for (const fs::path& f : search_folders(folder)) {
    // Lua files elsewhere than in a folder `policies` are many things: tests, workloads.
    if (f.filename() != "policies") continue;
    for (const auto& entry : fs::directory_iterator(f, ignored)) {
      const fs::path& p = entry.path();
      if (p.stem().string().ends_with("_test")) continue;  // a suite
      if (p.extension() == kEnding && is_file(p)) found.emplace(p.stem().string(), p.lexically_normal().string());
    }
  }
  for (const EmbeddedFile& f : embedded_files()) {
    if (!f.name.starts_with(kEmbeddedPrefix) || !f.name.ends_with(kEnding)) continue;
    std::string_view stem = f.name.substr(kEmbeddedPrefix.size());
    stem.remove_suffix(kEnding.size());
    if (stem.find('/') == std::string_view::npos) found.emplace(stem, "");
  }
  std::vector<PolicyEntry> entries;
  for (const auto& [name, path] : found) entries.push_back({name, path});
  return entries;
}

}  // namespace coslice
