// Putting the tree of a scenario together: files, what they extend, what overrides them.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scenario/toml.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

/// Takes `extends` out of the tree; the path as seen from the current folder, "" if there is none.
std::string take_extends(Value& tree, Place& place) {
  const Value* extends = tree.find("extends");
  if (!extends) return "";
  place = extends->place;
  const std::string path = codec::read_path(*extends, "extends", "the path of a scenario file in quotes");
  tree.erase("extends");
  return path;
}

std::string identity(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

/// Merges the tree into the files that it extends, each into its own. `seen` are the files on the way here.
Value extended(Value tree, std::vector<std::string> seen) {
  refuse_empty_tables(tree);
  Place place;
  const std::string path = take_extends(tree, place);
  if (path.empty()) return tree;
  const std::string id = identity(path);
  if (std::ranges::find(seen, id) != seen.end()) {
    fail_at(place, "extends leads back to '" + path + "'", "a file that does not extend this one");
  }
  seen.push_back(id);
  auto source = std::make_shared<Source>(Source{path, fs::path(path).parent_path().string()});
  Value base = extended(parse_toml(read_text_file(path, "scenario file", place), source), std::move(seen));
  // Where the base's results go is its own affair: the extending file's would replace them.
  if (Value* output = base.find("output"); output != nullptr && output->is_table()) output->erase("dir");
  merge_scenario(base, tree);
  base.place = tree.place;
  return base;
}

void merge_tables(Value& lower, const Value& upper, const std::string& path);

/// Sets tables over those of a list, by their names: machine.nodes.gpu.count = 4 is of the kind 'gpu'. False where the
/// list is none of tables with names.
bool merge_named(Value& list, const Value& upper, const std::string& key) {
  std::vector<std::string> names;
  for (const Value& item : *list.list())
    if (const Value* name = item.find("name"); name != nullptr && name->text() != nullptr)
      names.push_back(*name->text());
  if (names.empty() || names.size() != list.list()->size()) return false;
  for (const Member& m : *upper.members()) {
    const auto at = std::ranges::find(names, m.key);
    if (at == names.end()) {
      fail_at(m.value.place, "none of " + key + " is called '" + m.key + "'",
              fmt::format("one of {}", fmt::join(names, ", ")), did_you_mean(m.key, names));
    }
    if (!m.value.is_table())
      codec::wrong(m.value, key + "." + m.key, "a table, e.g. " + key + "." + m.key + ".count = 4");
    merge_tables((*list.list())[static_cast<std::size_t>(at - names.begin())], m.value, key);
  }
  return true;
}

/// Sets tables over keys, members over members. A table of the scenario that is set to false is left out.
void merge_tables(Value& lower, const Value& upper, const std::string& path) {
  for (const Member& m : *upper.members()) {
    const std::string full = path.empty() ? m.key : path + "." + m.key;
    if (m.value == Value(false) && is_scenario_table(full)) {
      lower.erase(m.key);
      continue;
    }
    Value* below = lower.find(m.key);
    if (below && below->is_list() && m.value.is_table() && merge_named(*below, m.value, m.key)) continue;
    if (below && below->is_table() && m.value.is_table()) {
      merge_tables(*below, m.value, full);
      below->place = m.value.place;
    } else {
      lower.set(m.key, m.value);
    }
  }
}

void drop_replaced(Value& lower, const Value& upper, const Alternatives& group) {
  Value* below = const_cast<Value*>(find_path(lower, group.table));
  const Value* above = find_path(upper, group.table);
  if (!below || !above || !below->is_table()) return;
  const auto chosen =
      std::ranges::find_if(group.choices, [&](const Alternatives::Choice& c) { return above->find(c.key) != nullptr; });
  if (chosen == group.choices.end()) return;
  for (const Alternatives::Choice& c : group.choices) {
    if (&c == &*chosen) continue;
    below->erase(c.key);
    for (const std::string& table : c.companions) below->erase(table);
  }
}

void drop_dependents(Value& lower, const Value& upper) {
  for (const Dependent& d : scenario_dependents()) {
    const Value* owner = find_path(upper, d.owner);
    Value* below = const_cast<Value*>(find_path(lower, table_of(d.key)));
    if (owner && below && below->is_table() && *owner != Value(d.value)) below->erase(leaf_of(d.key));
  }
}

/// a.b."c d" as its parts; empty if it is no key.
std::vector<std::string> split_key(std::string_view key, const std::shared_ptr<const Source>& source) {
  std::vector<std::string> parts;
  if (key.find_first_of("\n\r[]{}=#") != std::string_view::npos) return parts;
  try {
    const Value parsed = parse_toml(std::string(key) + " = 0", source);
    for (const Value* v = &parsed; v->is_table(); v = &v->members()->front().value) {
      parts.push_back(v->members()->front().key);
    }
  } catch (const InputError&) {
    parts.clear();
  }
  return parts;
}

}  // namespace

void refuse_empty_tables(const Value& tree) {
  for (const char* const path : {"power", "power.watts", "outages", "processes", "slowdown", "workload.keep",
                                 "workload.drop", "workload.elastic", "workload.pods"}) {
    const Value* const v = find_path(tree, path);
    if (v == nullptr || v->members() == nullptr || !v->members()->empty()) continue;
    fail_at(v->place, fmt::format("{} is an empty table, which means nothing", path), "some of its keys",
            fmt::format("{} = false leaves out what another file says", path));
  }
}

Value read_scenario_tree(const std::string& path) {
  auto source = std::make_shared<Source>(Source{path, fs::path(path).parent_path().string()});
  return extended(parse_toml(read_text_file(path, "scenario file", {}), source), {identity(path)});
}

Value parse_scenario_tree(std::string_view text, const std::string& name, const std::string& folder) {
  auto source = std::make_shared<Source>(Source{name, folder});
  return extended(parse_toml(text, source), {});
}

void merge_scenario(Value& lower, const Value& upper) {
  for (const Alternatives& group : scenario_alternatives()) drop_replaced(lower, upper, group);
  drop_dependents(lower, upper);
  merge_tables(lower, upper, "");
}

void lay_over(Value& tree, const std::vector<std::string>& key, Value v) {
  const Place place = v.place;
  for (auto part = key.rbegin(); part != key.rend(); ++part) {
    Value table = Value::table();
    table.place = place;
    table.set(*part, std::move(v));
    v = std::move(table);
  }
  merge_scenario(tree, v);
}

void apply_override(Value& tree, const std::string& assignment, const std::string& label) {
  auto source = std::make_shared<Source>(Source{label.empty() ? "--set " + assignment : label, ""});
  const std::size_t equals = assignment.find('=');
  const std::vector<std::string> parts = split_key(std::string_view(assignment).substr(0, equals), source);
  if (equals == std::string::npos || parts.empty()) {
    fail_at({source, 0}, "is not an assignment", "table.key=value, e.g. machine.nodes=64");
  }
  const std::string text = assignment.substr(equals + 1);
  Value v = parse_toml_value(text, source).value_or(Value(text));
  // A whole table that is set to nothing is left out: its members would else stay as they are.
  if (v.is_table() && v.members()->empty() && is_scenario_table(fmt::format("{}", fmt::join(parts, "."))))
    v = Value(false);
  v.place = {source, 0};
  lay_over(tree, parts, std::move(v));
}

}  // namespace coslice
