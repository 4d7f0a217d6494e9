#include "cli/frame/inputs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/codec.h"
#include "core/error.h"
#include "core/text.h"
#include "output/new_file.h"
#include "scenario/key_tables.h"

namespace coslice::cli {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void no_such_file(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) names.push_back(entry.path().filename().string());
  const std::string near = nearest_name(path.filename().string(), names);
  throw InputError({path.string(), 0, "there is no such file", "",
                    near.empty()
                        ? ""
                        : fmt::format("did you mean '{}'?",
                                      path.parent_path().empty() ? near : (path.parent_path() / near).string())});
}

/// The scenario of a folder that `coslice import` wrote; other paths as they are. A folder of results is no input: what
/// it holds was run already.
std::string scenario_in(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  const fs::path inside = fs::path(path) / "scenario.toml";
  const bool there = fs::exists(inside, error);
  if (is_site_folder(path)) return inside.string();
  throw InputError({path, 0, there ? "is a folder of results" : "is a folder",
                    "a scenario (.toml), a trace (.swf, .swf.gz) or a site",
                    there ? fmt::format("did you mean '{}'?", inside.string()) : ""});
}

}  // namespace

bool is_site_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) && fs::exists(fs::path(path) / "scenario.toml", error) && !is_run_folder(path);
}

std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high) {
  const auto number = parse_number<std::int64_t>(text);
  if (!number || *number < low || *number > high)
    throw InputError(
        {flag, 0, fmt::format("'{}' does not fit", text), fmt::format("a whole number from {} to {}", low, high)});
  return *number;
}

double number_within(const std::string& flag, const std::string& text, double low, double high) {
  const auto number = parse_number<double>(text);
  if (number && *number >= low && *number <= high) return *number;
  throw InputError({flag + " " + text, 0, "out of range", fmt::format("a number from {} to {}", low, high)});
}

const std::string& word_of(const std::string& flag, const std::string& text, const std::vector<std::string>& known,
                           const char* what) {
  if (std::find(known.begin(), known.end(), text) != known.end()) return text;
  throw InputError({flag + " " + text, 0, fmt::format("there is no such {}", what),
                    fmt::format("{} or {}", fmt::join(known.begin(), known.end() - 1, ", "), known.back()),
                    did_you_mean(text, known)});
}

Duration span_of(const std::string& flag, const std::string& text) {
  struct Unit {
    const char* name;
    double seconds;
  };
  static constexpr Unit kUnits[] = {{"", 1}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  for (const Unit& u : kUnits) {
    const double seconds = number * u.seconds;
    if (unit != u.name || end == text.c_str() || !(seconds >= 0 && seconds <= kMaxSeconds)) continue;
    return from_seconds(seconds);
  }
  throw InputError({flag, 0, fmt::format("'{}' is not a time", text), "seconds, or a number with min, h or d"});
}

bool is_scenario_name(const std::string& path) { return fs::path(path).extension() == ".toml"; }

void require_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) no_such_file(path);
  if (codec::would_block(path)) throw InputError({path, 0, "is a pipe or a device", "a file"});
  if (fs::is_directory(status)) throw InputError({path, 0, "is a folder", "a file"});
}

Value scenario_tree_of(const std::string& given) {
  const std::string path = scenario_in(given);
  require_file(path);
  if (fs::path(path).extension() == ".lua") {
    throw InputError({path, 0, "is a Lua script", "a scenario (.toml) or a trace (.swf, .swf.gz)",
                      fmt::format("a policy runs with `coslice run TRACE.swf --policy {}`", path)});
  }
  if (is_scenario_name(path)) return read_scenario_tree(path);
  Value tree = Value::table();
  set_value(tree, "workload.trace", path, path);
  return tree;
}

void set_from_flag(Value& tree, const std::string& key, const std::string& flag, const std::string& text) {
  apply_override(tree, key + "=" + text, flag + " " + text);
}

void set_count_from_flag(Value& tree, const std::string& key, const std::string& flag, const std::string& text) {
  set_from_flag(tree, key, flag, text);
  const Value* set = find_path(tree, key);
  const bool zero = set != nullptr && ((set->integer() && *set->integer() == 0) || (set->real() && *set->real() == 0));
  if (zero) throw InputError({flag + " " + text, 0, "is out of range", "a whole number from 1 on"});
}

void set_value(Value& tree, const std::string& key, Value v, const std::string& label) {
  v.place = {std::make_shared<Source>(Source{label, ""}), 0};
  lay_over(tree, split(key, '.'), std::move(v));
}

std::vector<std::string> listed_by(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (const std::string& name : split(list, ','))
      if (!name.empty()) names.push_back(name);
  return names;
}

std::vector<std::string> figure_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names = listed_by(lists);
  if (names.empty() && !lists.empty())
    throw InputError({"--figure", 0, "names no figure", "a name, or several with commas: wait,slowdown.p95"});
  return names;
}

std::vector<std::string> policy_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names = listed_by(lists);
  if (names.empty()) throw InputError({"--policy", 0, "names no policy", "a name, a file, or several with commas"});
  return names;
}

void set_policies(Value& tree, const std::vector<std::string>& lists) {
  const std::string label = fmt::format("--policy {}", fmt::join(lists, ","));
  const auto source = std::make_shared<Source>(Source{label, ""});
  Value::List names;
  for (const std::string& name : policy_names(lists)) {
    names.emplace_back(name);
    names.back().place = {source, 0};
  }
  set_value(tree, "policy.name", Value(std::move(names)), label);
}

}  // namespace coslice::cli
