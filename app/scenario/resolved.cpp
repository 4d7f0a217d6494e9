#include "scenario/resolved.h"

#include <filesystem>

#include "output/output.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scenario/script_rows.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

/// The folder is made plain but not the file itself: a link keeps its name.
std::string relative_to(const std::string& path, const std::string& folder) {
  const auto plain = [](const fs::path& p) {
    std::error_code error;
    const fs::path whole = fs::current_path() / p;
    const fs::path real = fs::weakly_canonical(whole, error);
    return error ? whole.lexically_normal() : real;  // e.g. a name that is too long
  };
  const fs::path file(path);
  const bool named = file.has_filename() && file.filename() != "." && file.filename() != "..";
  const fs::path full = named ? plain(file.parent_path()) / file.filename() : plain(file);
  const fs::path relative = full.lexically_relative(plain(folder));
  std::string out = relative.empty() ? full.string() : relative.string();
  return is_input_label(out) ? "./" + out : out;
}

bool is_file(const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(name, ignored);
}

/// All that is a path in the scenario, seen from the folder; and what was read, with digests.
Scenario moved(Scenario s, const std::string& folder, const std::vector<RecordedInput>& inputs,
               const FileDigest& digest) {
  s.inputs = recorded_inputs(s, folder, inputs, digest);
  for (std::string* path :
       {&s.workload.trace, &s.workload.script, &s.workload.job_script, &s.slowdown.table, &s.slowdown.script,
        &s.slowdown.resources, &s.outages.trace, &s.outages.script, &s.processes.script, &s.output.dir, &s.lists.nodes,
        &s.lists.order, &s.workload.pods.order}) {
    if (!path->empty()) *path = relative_to(*path, folder);
  }
  move_script_rows(s, [&](const std::string& path) { return relative_to(path, folder); });
  for (std::string& name : s.policy.names) {
    if (is_file(name)) name = relative_to(name, folder);
  }
  return s;
}

/// A list of tables takes a line each.
std::string written(const Value& v) {
  const Value::List* list = v.list();
  if (!list || list->empty() || !list->front().is_table()) return toml_text(v);
  std::string out = "[\n";
  for (const Value& item : *list) out += "  " + toml_text(item) + ",\n";
  return out + "]";
}

/// The lines of one table without its head.
std::string table_lines(const Scenario& s, const std::string& table) {
  std::string out;
  for (const Key<Scenario>& k : scenario_keys()) {
    const bool whole = k.codec.is_table && k.name == table;
    if (!whole && (k.codec.is_table || table_of(k.name) != table)) continue;
    if (out_of_effect(s, k.name)) continue;
    const auto v = k.codec.write(s);
    if (!v) continue;
    if (!whole) {
      out += toml_key(leaf_of(k.name)) + " = " + written(*v) + "\n";
      continue;
    }
    for (const Member& m : *v->members()) out += toml_key(m.key) + " = " + written(m.value) + "\n";
  }
  return out;
}

bool applies(const KeyTable& t, const Scenario& s) { return !t.applies || t.applies(s); }

}  // namespace

std::vector<RecordedInput> recorded_inputs(const Scenario& scenario, const std::string& folder,
                                           const std::vector<RecordedInput>& inputs, const FileDigest& digest) {
  std::vector<RecordedInput> all = inputs;
  for (const std::string& file : input_files(scenario))
    all.push_back({file, digest ? digest(file) : sha256_of_file(file)});
  for (RecordedInput& r : all) {
    if (!is_input_label(r.name)) r.name = relative_to(r.name, folder);
  }
  return all;
}

std::string resolved_toml(const Scenario& scenario, const std::string& folder, const std::vector<RecordedInput>& inputs,
                          const FileDigest& digest) {
  const Scenario s = moved(scenario, folder, inputs, digest);
  std::string out = "# All that this run was made from. `coslice run` takes it back and gives the same results.\n";
  // An empty name is a name too: left out, the file's would take its place.
  if (s.name.empty()) out += "name = \"\"\n";
  for (const KeyTable& t : scenario_tables()) {
    const std::string lines = applies(t, s) ? table_lines(s, t.path) : "";
    if (lines.empty()) continue;
    if (!t.path.empty()) out += "\n[" + t.path + "]\n";
    out += lines;
  }
  return out;
}

Value scenario_values(const Scenario& scenario) {
  Value values = Value::table();
  for (const Key<Scenario>& k : scenario_keys()) {
    if (k.name == "inputs") continue;
    if (auto v = k.codec.write(scenario)) values.set(k.name, std::move(*v));
  }
  return values;
}

}  // namespace coslice
