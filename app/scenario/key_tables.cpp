#include "scenario/key_tables.h"

#include <algorithm>
#include <iterator>

namespace coslice {

const std::vector<Alternatives>& scenario_alternatives() {
  static const std::vector<Alternatives> all = {
      {"workload", {{"trace"}, {"generator", {"lublin"}}, {"script", {"params"}}, {"jobs"}}, true},
      {"workload.lublin", {{"load"}, {"alpha"}}},
  };
  return all;
}

const std::vector<Dependent>& scenario_dependents() {
  static const std::vector<Dependent> all = {
      {"workload.estimate_factor", "workload.estimates", "scaled"},
      {"workload.longest_estimate", "workload.estimates", "model"},
      {"workload.adjust_max_slowdown", "workload.sizes", "adjusted"},
      {"workload.adjust_max_over_processors", "workload.sizes", "adjusted"},
      {"workload.adjust_rounding", "workload.sizes", "adjusted"},
      {"slowdown.table", "slowdown.model", "table"},
      {"slowdown.applications", "slowdown.model", "table"},
      {"slowdown.scheduler_knows", "slowdown.model", "table"},
      {"slowdown.script", "slowdown.model", "script"},
      {"slowdown.params", "slowdown.model", "script"},
      {"slowdown.resources", "slowdown.model", "resources"},
      {"slowdown.mix", "slowdown.model", "resources"},
      {"slowdown.overlap", "slowdown.model", "resources"},
      {"slowdown.competing", "slowdown.model", "resources"},
      {"slowdown.compatible", "slowdown.model", "resources"},
      {"slowdown.compatible_share", "slowdown.model", "resources"},
      {"slowdown.memory_conflict", "slowdown.model", "resources"},
      {"slowdown.paging", "slowdown.model", "resources"},
      {"slowdown.misjudged_share", "slowdown.model", "resources"},
      {"slowdown.misjudged", "slowdown.model", "resources"},
  };
  return all;
}

const Dependent* out_of_effect(const Scenario& scenario, const std::string& key) {
  for (const Dependent& d : scenario_dependents()) {
    if (d.key == key && find_key(d.owner)->codec.write(scenario) != Value(d.value)) return &d;
  }
  return nullptr;
}

const Key<Scenario>* find_key(const std::string& name) {
  for (const Key<Scenario>& k : scenario_keys()) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

void insert_before(std::vector<Key<Scenario>>& keys, const std::string& name, std::vector<Key<Scenario>> added) {
  const auto at = std::ranges::find_if(keys, [&](const Key<Scenario>& k) { return k.name == name; });
  keys.insert(at, std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

const std::vector<KeyTable>& scenario_tables() {
  static const std::vector<KeyTable> tables = {
      {"", "What the scenario is called and where it starts from."},
      {"machine", "Equal nodes, or kinds of nodes. What is not said here comes from the head of the trace."},
      {"workload", "Where the jobs come from: exactly one of `trace`, `generator`, `script` and `jobs`. The other keys "
                   "choose and transform them: first `[workload.keep]` and `[workload.drop]`, then the others in the "
                   "order in which they are listed here."},
      {"workload.keep",
       "Which jobs are simulated: those that fulfil all conditions that are given here. A single number may be without "
       "brackets. `--set workload.keep.users=[3,4]` says the same for one run."},
      {"workload.drop", "Which jobs are left out: those that fulfil any of the conditions."},
      {"workload.elastic",
       "Which jobs become elastic that do not say it themselves, and how fast they get on ([elastic.md](elastic.md)).",
       [](const Scenario& s) { return s.workload.elastic.share.has_value(); }, "workload.elastic.share"},
      {"workload.job_params", "Free keys for the job script.",
       [](const Scenario& s) { return !s.workload.job_script.empty(); }, "workload.job_script"},
      {"workload.lublin", "The model of Lublin and Feitelson (2003).",
       [](const Scenario& s) { return s.workload.generator == "lublin"; }, "workload.generator = \"lublin\""},
      {"workload.params", "Free keys for the workload script.",
       [](const Scenario& s) { return !s.workload.script.empty(); }, "workload.script"},
      {"workload.pods",
       "How pods come, where the trace is a list of pods ([formats.md](formats.md#lists-of-nodes-and-pods)).",
       [](const Scenario& s) { return !s.workload.trace.empty(); }, "workload.trace"},
      {"processes",
       "What the jobs' processes do, for policies that coschedule them (`batch`, `gang`, `spin_block`, "
       "`fcs`): each processor or core runs one process at a time. A job runs as many iterations of its "
       "program as take its run time alone.",
       [](const Scenario& s) { return !s.processes.programs.empty() || !s.processes.script.empty(); },
       "processes.programs or processes.script"},
      {"processes.params", "Free keys for the program script.",
       [](const Scenario& s) { return !s.processes.script.empty(); }, "processes.script"},
      {"slowdown", "How much slower jobs run that share processors, nodes or memory, for policies that let them. "
                   "The files are described in [formats.md](formats.md#slowdowns)."},
      {"slowdown.params", "Free keys for the slowdown script.",
       [](const Scenario& s) { return s.slowdown.model == SlowdownSpec::Model::kScript; },
       "slowdown.model = \"script\""},
      {"outages", "When nodes are not there, and what becomes of the jobs on them ([outages.md](outages.md))."},
      {"outages.params", "Free keys for the script of outages.",
       [](const Scenario& s) { return !s.outages.script.empty(); }, "outages.script"},
      {"power", "Nodes that are powered down while no job has them, and what nodes draw ([power.md](power.md))."},
      {"power.watts", "What a node draws. With `busy` and `idle`, the energy of a run is among its figures."},
      {"policy", "The scheduling policy."},
      {"policy.params", "Parameters of the policy: `coslice policies NAME` lists them. With several policies, each "
                        "takes those that it has; one that none has is an error."},
      {"engine", "How the simulation runs, and what scripts may use up."},
      {"metrics", "What is computed from a run."},
      {"output", "The run folder."},
      {"inputs", "SHA-256 of each input file, written into the `scenario.toml` of a run. Where it is there, an input "
                 "that has changed is an error."},
  };
  return tables;
}

bool is_scenario_table(const std::string& path) {
  const std::vector<KeyTable>& all = scenario_tables();
  return std::ranges::any_of(all, [&](const KeyTable& t) { return t.path == path; });
}

std::string table_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

bool is_input_label(const std::string& name) {
  const std::size_t colon = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  return colon != 0 && colon != std::string::npos && name[colon] == ':';
}

namespace {

/// A member of a table; of a list of tables that have names, the one of that name.
const Value* member_of(const Value& v, const std::string& key) {
  if (v.list() == nullptr) return v.find(key);
  for (const Value& item : *v.list())
    if (const Value* name = item.find("name"); name != nullptr && *name == Value(key)) return &item;
  return nullptr;
}

}  // namespace

const Value* find_path(const Value& tree, const std::string& path) {
  const Value* v = &tree;
  for (std::size_t at = 0; v && at < path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    v = member_of(*v, path.substr(at, end - at));
    at = end + 1;
  }
  return v;
}

std::string leaf_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? key : key.substr(dot + 1);
}

}  // namespace coslice
