// Checking a tree against the list of keys.
#include "scenario/load.h"

#include <algorithm>
#include <filesystem>

#include "output/output.h"
#include "scenario/jobs/slowdowns.h"
#include "scenario/key_tables.h"
#include "scenario/machine/machine_keys.h"
#include "scenario/script_rows.h"
#include "scenario/toml.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

/// TOML is UTF-8; texts from flags and scripts may be anything.
void check_encoding(const Value& v, const std::string& path) {
  if (v.text() && !is_utf8(*v.text())) fail_at(v.place, path + " is not valid UTF-8");
  if (const auto* list = v.list()) {
    for (const Value& item : *list) check_encoding(item, path);
  }
  if (const auto* members = v.members()) {
    for (const Member& m : *members) {
      if (!is_utf8(m.key))
        fail_at(m.value.place, "a key" + (path.empty() ? "" : " in " + path) + " is not valid UTF-8");
      check_encoding(m.value, path.empty() ? m.key : path + "." + m.key);
    }
  }
}

/// Names that may stand in a table: its keys and the tables below it.
std::vector<std::string> names_in(const std::string& table) {
  std::vector<std::string> names;
  if (table.empty()) names.push_back("extends");
  for (const Key<Scenario>& k : scenario_keys()) {
    if (table_of(k.name) == table) names.push_back(leaf_of(k.name));
  }
  for (const KeyTable& t : scenario_tables()) {
    if (!t.path.empty() && table_of(t.path) == table) names.push_back(leaf_of(t.path));
  }
  return names;
}

/// A key in the wrong table is told its place; otherwise the usual answer.
[[noreturn]] void unknown_scenario_key(const Value& v, const std::string& table, const std::string& key) {
  const std::vector<std::string> siblings = names_in(table);
  if (nearest_name(key, siblings).empty()) {
    for (const Key<Scenario>& k : scenario_keys()) {
      if (leaf_of(k.name) != key) continue;
      const std::string full = table.empty() ? key : table + "." + key;
      fail_at(v.place, "unknown key '" + full + "'", "", "did you mean '" + k.name + "'?");
    }
  }
  unknown_key(v, table, key, siblings);
}

/// Members in the order of the file, so that the first mistake is the one reported.
std::vector<const Member*> by_line(const Value::Table& table) {
  std::vector<const Member*> members;
  for (const Member& m : table) members.push_back(&m);
  std::ranges::stable_sort(members,
                           [](const Member* a, const Member* b) { return a->value.place.line < b->value.place.line; });
  return members;
}

void read_table(Scenario& out, const Value& table, const std::string& path) {
  for (const Member* m : by_line(*table.members())) {
    const std::string full = path.empty() ? m->key : path + "." + m->key;
    if (full == "extends") fail_at(m->value.place, "extends is allowed only in files", "a key of the scenario");
    if (const Key<Scenario>* key = find_key(full)) {
      key->codec.read(out, m->value, full);
    } else if (!is_scenario_table(full)) {
      unknown_scenario_key(m->value, path, m->key);
    } else if (!m->value.is_table()) {
      codec::wrong(m->value, full, "a table");
    } else {
      read_table(out, m->value, full);
    }
  }
}

void check_alternatives(const Value& tree, const Alternatives& group) {
  const Value* table = find_path(tree, group.table);
  std::vector<const Value*> found;
  std::string names, all;
  for (const Alternatives::Choice& c : group.choices) {
    const std::string full = group.table + "." + c.key;
    all += (all.empty() ? "" : ", ") + full;
    const Value* v = table ? table->find(c.key) : nullptr;
    if (!v) continue;
    found.push_back(v);
    names += (names.empty() ? "" : " and ") + full;
  }
  std::ranges::stable_sort(found, [](const Value* a, const Value* b) { return a->place.line < b->place.line; });
  if (found.empty() && group.needed) {
    fail_at(table ? table->place : tree.place, "the scenario names no " + leaf_of(group.table), "one of " + all);
  }
  if (found.size() > 1) fail_at(found.back()->place, names + " are both set", "one of them");
}

/// A table that would be ignored is a mistake.
void check_tables(const Value& tree, const Scenario& s) {
  for (const KeyTable& t : scenario_tables()) {
    const Value* v = t.path.empty() || !t.applies ? nullptr : find_path(tree, t.path);
    if (v && !t.applies(s)) fail_at(v->place, "[" + t.path + "] has no effect here", t.condition);
  }
}

void check_dependents(const Value& tree, const Scenario& s) {
  for (const Dependent& d : scenario_dependents()) {
    const Value* v = find_path(tree, d.key);
    if (v && out_of_effect(s, d.key)) {
      fail_at(v->place, d.key + " has no effect here", d.owner + " = \"" + d.value + "\"");
    }
  }
}

/// Whether jobs of the workload may say what they ask for on a machine that names no kinds.
bool may_ask_for_parts(const WorkloadSpec& w) {
  return !w.script.empty() || !w.job_script.empty() ||
         (w.jobs && std::ranges::any_of(*w.jobs, [](const JobSpec& j) { return j.request || !j.components.empty(); }));
}

void check_slowdowns(const Value& tree, const Scenario& s) {
  for (const char* key : {"slowdown.among", "slowdown.combine", "slowdown.own"}) {
    const Value* v = find_path(tree, key);
    if (v && s.slowdown.model == SlowdownSpec::Model::kNone)
      fail_at(v->place, std::string(key) + " has no effect without slowdowns", "slowdown.model");
    if (v && !names_kinds(s.machine) && s.lists.nodes.empty() && !may_ask_for_parts(s.workload))
      fail_at(v->place, std::string(key) + " has no effect where jobs have whole nodes",
              "[[machine.nodes]], or jobs with a request for parts of nodes");
  }
  const auto file_of = [&](SlowdownSpec::Model model, const std::string& file, const char* key) {
    if (s.slowdown.model != model || !file.empty()) return;
    fail_at(find_path(tree, "slowdown.model")->place,
            std::string("slowdown.model is \"") + key + "\" and names no file", std::string("slowdown.") + key);
  };
  file_of(SlowdownSpec::Model::kTable, s.slowdown.table, "table");
  file_of(SlowdownSpec::Model::kScript, s.slowdown.script, "script");
  if (s.workload.sizes == WorkloadSpec::Sizes::kAdjusted && s.slowdown.model == SlowdownSpec::Model::kNone) {
    fail_at(find_path(tree, "workload.sizes")->place, "sizes cannot be adjusted without slowdowns",
            "slowdown.model = \"drawn\", \"table\" or \"script\"");
  }
}

void check_outages(const Value& tree, const Scenario& s) {
  const auto refuse = [&](const char* key, const std::string& why, const char* expected) {
    const std::string name = std::string("outages.") + key;
    if (const Value* v = find_path(tree, name)) fail_at(v->place, name + " has no effect " + why, expected);
  };
  for (const char* key :
       {"interrupted", "requeue", "believed_repair", "checkpoint_interval", "checkpoint_cost", "restart_cost"})
    if (!s.outages.any())
      refuse(key, "where no node fails", "outages.planned, outages.failures, outages.trace or outages.script");
  for (const char* key : {"checkpoint_cost", "restart_cost"})
    if (find_path(tree, "outages.checkpoint_interval") == nullptr)
      refuse(key, "without checkpoints", "outages.checkpoint_interval");
  if (s.outages.interrupted == AfterFailure::kLost)
    for (const char* key : {"requeue", "checkpoint_interval"})
      refuse(key, "where jobs are lost", "outages.interrupted = \"requeue\"");
  if (s.outages.daly && s.outages.failures.empty())
    fail_at(find_path(tree, "outages.checkpoint_interval")->place, "Daly's interval needs the time between failures",
            "[[outages.failures]], or seconds");
  if (s.outages.daly && s.outages.checkpoints.cost == Duration{0})
    fail_at(find_path(tree, "outages.checkpoint_interval")->place, "Daly's interval needs what a checkpoint costs",
            "outages.checkpoint_cost, or seconds");
}

void check_together(const Value& tree, const Scenario& s) {
  for (const auto& [key, path] : named_files(s)) {
    const Value* v = find_path(tree, key);
    if (v && codec::would_block(path)) fail_at(v->place, path + " is a pipe or a device", "a file");
  }
  for (const Alternatives& group : scenario_alternatives()) check_alternatives(tree, group);
  refuse_empty_tables(tree);
  check_tables(tree, s);
  check_dependents(tree, s);
  check_slowdowns(tree, s);
  check_outages(tree, s);
  check_power(tree, s);
  check_reservations(s.reservations);
  const auto place = [&](const char* path) { return find_path(tree, path)->place; };
  if (s.workload.target_load && s.workload.transform.load_factor != 1)
    fail_at(place("workload.target_load"), "workload.target_load and workload.load_factor are both set", "one of them");
  if (s.workload.lublin.alpha && s.workload.lublin.types) {
    fail_at(place("workload.lublin.alpha"), "workload.lublin.alpha is set for batch and interactive jobs",
            "workload.lublin.load, because each type has an alpha of its own");
  }
  if (s.engine.processes_per_node > s.machine.cores_per_node()) {
    fail_at(place("engine.processes_per_node"), "engine.processes_per_node is above the number of cores of a node",
            codec::integer_words(0, s.machine.cores_per_node()));
  }
}

/// Policies that stand as files beside the file that names them become paths; other names are looked for later.
void place_policies(const Value& tree, Scenario& s) {
  const Value* names = find_path(tree, "policy.name");
  if (!names || !names->place.source) return;
  s.policy.chosen_by_flag = names->place.line == 0;
  if (names->place.source->folder.empty()) return;
  const fs::path folder = names->place.source->folder;
  std::error_code ignored;
  for (std::string& name : s.policy.names) {
    for (const std::string& file : {name, name + ".lua"}) {
      if (!fs::is_regular_file(folder / file, ignored)) continue;
      Value v(file);
      v.place = names->place;
      name = codec::read_path(v, "policy.name", "a path");
      break;
    }
  }
}

const RecordedInput* recorded(const Scenario& s, const std::string& name) {
  std::error_code ignored;
  for (const RecordedInput& r : s.inputs) {
    const bool same_file = !is_input_label(name) && !is_input_label(r.name) && fs::equivalent(r.name, name, ignored);
    if (r.name == name || same_file) return &r;
  }
  return nullptr;
}

/// Reads the file only if its digest was recorded.
void verify_file(const Scenario& s, const std::string& file) {
  if (recorded(s, file)) verify_input(s, file, sha256_of_file(file));
}

}  // namespace

std::vector<std::pair<const char*, std::string>> named_files(const Scenario& s) {
  return {{"workload.trace", s.workload.trace},
          {"workload.script", s.workload.script},
          {"workload.job_script", s.workload.job_script},
          {"slowdown.table", s.slowdown.table},
          {"slowdown.script", s.slowdown.script},
          {"slowdown.resources", s.slowdown.resources},
          {"processes.script", s.processes.script},
          {"machine.list", s.lists.nodes},
          {"machine.order", s.lists.order},
          {"workload.pods.order", s.workload.pods.order},
          {"outages.trace", s.outages.trace},
          {"outages.script", s.outages.script}};
}

std::vector<std::string> input_files(const Scenario& scenario) {
  std::vector<std::string> files;
  for (auto& [key, path] : named_files(scenario)) files.push_back(std::move(path));
  if (!scenario.slowdown.table.empty())
    for (std::string& file : measurements_of_table(scenario.slowdown.table)) files.push_back(std::move(file));
  for (std::string& file : script_row_files(scenario)) files.push_back(std::move(file));
  files.insert(files.end(), scenario.policy.names.begin(), scenario.policy.names.end());
  const auto is_none = [](const std::string& f) {
    std::error_code ignored;
    return f.empty() || !fs::is_regular_file(f, ignored);
  };
  std::erase_if(files, is_none);
  return files;
}

std::vector<std::string> unused_inputs(const Scenario& scenario) {
  std::vector<const RecordedInput*> used;
  for (const std::string& file : input_files(scenario)) used.push_back(recorded(scenario, file));
  std::vector<std::string> unused;
  for (const RecordedInput& r : scenario.inputs)
    if (std::ranges::find(used, &r) == used.end()) unused.push_back(r.name);
  return unused;
}

void verify_input(const Scenario& scenario, const std::string& name, const std::string& sha256) {
  const RecordedInput* r = recorded(scenario, name);
  if (!r || r->sha256 == sha256) return;
  fail_at(r->place, "input '" + name + "' has changed since this was written: its SHA-256 is " + sha256, r->sha256,
          "take its line out of [inputs] to use it as it is");
}

Scenario check_scenario(const Value& tree) {
  check_encoding(tree, "");
  Scenario s;
  if (tree.place.source) {
    s.file = tree.place.source->name;
    s.folder = tree.place.source->folder;
  }
  read_table(s, tree, "");
  set_machine(s, tree);
  check_together(tree, s);
  place_policies(tree, s);
  if (!tree.find("name")) s.name = fs::path(s.file).stem().string();
  if (!s.inputs.empty()) {
    for (const std::string& file : input_files(s)) verify_file(s, file);
  }
  return s;
}

Scenario load_scenario(const std::string& path, const std::vector<std::string>& overrides) {
  Value tree = read_scenario_tree(path);
  for (const std::string& o : overrides) apply_override(tree, o);
  return check_scenario(tree);
}

}  // namespace coslice
