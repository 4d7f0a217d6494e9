// Scenarios at the C interface: what is to be simulated, put together and checked.
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/policy/find_policy.h"
#include "core/codec.h"
#include "core/error.h"
#include "core/text.h"
#include "door/callback_policy.h"
#include "door/failures.h"
#include "door/handles.h"
#include "jobs/literal_jobs.h"
#include "scenario/build_info.h"
#include "scenario/load.h"

namespace coslice::door {
namespace {

std::shared_ptr<const Source> source_of(std::string name) {
  return std::make_shared<Source>(Source{std::move(name), ""});
}

coslice_scenario& scenario_in(coslice_scenario* scenario) {
  if (scenario == nullptr) throw InputError({"scenario", 0, "is NULL", "what coslice_scenario_new() returned"});
  return *scenario;
}

void set_at(Value& tree, const std::string& key, Value v, const std::string& label) {
  v.place = {source_of(label), 0};
  lay_over(tree, split(key, '.'), std::move(v));
}

/// The tree of a scenario file, or of the scenario that a bare log stands for.
Value tree_of(const std::string& given) {
  std::error_code error;
  std::filesystem::path path = given;
  if (std::filesystem::is_directory(path, error) && std::filesystem::exists(path / "scenario.toml", error))
    path /= "scenario.toml";
  if (path.extension() == ".toml") return read_scenario_tree(path.string());
  if (!std::filesystem::exists(path, error)) throw InputError({given, 0, "there is no such file"});
  if (path.extension() == ".lua")
    throw InputError({given, 0, "is a Lua script", "a scenario (.toml) or a trace (.swf, .swf.gz)"});
  Value tree = Value::table();
  set_at(tree, "workload.trace", Value(path.string()), given);
  return tree;
}

void check_policy_name(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
  if (!plain)
    throw InputError({"", 0, fmt::format("\"{}\" is not a name for a policy", name), "letters, digits, '_', '-', '.'"});
}

void keep_policy(coslice_scenario& scenario, HostPolicy policy) {
  std::erase_if(scenario.policies, [&](const HostPolicy& p) { return p.name == policy.name; });
  scenario.policies.push_back(std::move(policy));
}

/// A column of jobs that are handed in, read row by row.
class JobColumn {
 public:
  JobColumn(const coslice_column& column, const Key<JobSpec>& key)
      : column_(column), key_(key), may_be_negative_(key.name == "submit" || key.name == "runtime") {
    switch (column.type) {
      case COSLICE_INT64:
      case COSLICE_FLOAT64:
      case COSLICE_INT32:
      case COSLICE_STRINGS: break;
      case COSLICE_TEXT:
        if (column.offsets == nullptr) wrong("has no offsets");
        break;
      case COSLICE_CODES:
        if (column.names == nullptr && column.name_count != 0) wrong("has no names");
        break;
      default: wrong("is of no known type");
    }
    if (column.data == nullptr && column.length != 0) wrong("has no data");
  }

  /// Reads the row into the job, if it says anything.
  void read(std::size_t row, const std::shared_ptr<const Source>& source, JobSpec& job) const {
    Value v = value(row);
    if (v.is_nil()) return;
    v.place = {source, static_cast<int>(row) + 1};
    key_.codec.read(job, v, key_.name);
  }

 private:
  [[noreturn]] void wrong(const char* problem) const {
    throw InputError({"jobs", 0, fmt::format("the column '{}' {}", column_.name, problem)});
  }

  Value number(std::int64_t n) const { return n == -1 && !may_be_negative_ ? Value() : Value(n); }
  Value number(double x) const {
    constexpr double kExact = 9007199254740992.0;
    if (std::isnan(x)) return Value();
    return x == std::floor(x) && std::abs(x) < kExact ? number(static_cast<std::int64_t>(x)) : Value(x);
  }
  static Value text(std::string_view t) { return t.empty() ? Value() : Value(std::string(t)); }

  Value value(std::size_t row) const {
    switch (column_.type) {
      case COSLICE_INT64: return number(static_cast<const std::int64_t*>(column_.data)[row]);
      case COSLICE_INT32: return number(std::int64_t{static_cast<const std::int32_t*>(column_.data)[row]});
      case COSLICE_FLOAT64: return number(static_cast<const double*>(column_.data)[row]);
      case COSLICE_STRINGS: {
        const char* const t = static_cast<const char* const*>(column_.data)[row];
        return t == nullptr ? Value() : text(t);
      }
      case COSLICE_CODES: {
        const std::int32_t code = static_cast<const std::int32_t*>(column_.data)[row];
        if (code >= 0 && static_cast<std::size_t>(code) >= column_.name_count) wrong("has a code without a name");
        return code < 0 ? Value() : text(column_.names[code]);
      }
      default: break;
    }
    const std::int64_t from = column_.offsets[row], to = column_.offsets[row + 1];
    if (from < 0 || to < from) wrong("has offsets that fall");
    return text({static_cast<const char*>(column_.data) + from, static_cast<std::size_t>(to - from)});
  }

  const coslice_column& column_;
  const Key<JobSpec>& key_;
  bool may_be_negative_;
};

const Key<JobSpec>& key_of(const coslice_column& column) {
  const std::string name(required(column.name, "name of a column"));
  std::vector<std::string> names;
  for (const Key<JobSpec>& key : job_spec_keys()) {
    if (key.name == name) return key;
    if (!key.codec.is_table && key.name != "request" && key.name != "components") names.push_back(key.name);
  }
  throw InputError({"jobs", 0, fmt::format("a job has no column '{}'", name),
                    fmt::format("one of {}", fmt::join(names, ", ")), did_you_mean(name, names)});
}

std::vector<JobSpec> jobs_of(const coslice_column* columns, std::size_t count) {
  std::vector<JobColumn> read;
  bool runtimes = false;
  for (std::size_t i = 0; i != count; ++i) {
    const Key<JobSpec>& key = key_of(columns[i]);
    for (std::size_t before = 0; before != i; ++before)
      if (std::strcmp(columns[before].name, columns[i].name) == 0)
        throw InputError({"jobs", 0, fmt::format("there are two columns '{}'", key.name), "one"});
    if (columns[i].length != columns[0].length)
      throw InputError({"jobs", 0,
                        fmt::format("the columns '{}' and '{}' have {} and {} rows", columns[0].name, columns[i].name,
                                    columns[0].length, columns[i].length),
                        "columns of equal length"});
    runtimes = runtimes || key.name == "runtime";
    read.emplace_back(columns[i], key);
  }
  if (!runtimes) throw InputError({"jobs", 0, "there is no column 'runtime'", "the run time of each job, s"});
  const auto source = source_of("jobs");
  std::vector<JobSpec> jobs(columns[0].length);
  for (std::size_t row = 0; row != jobs.size(); ++row) {
    for (const JobColumn& column : read) column.read(row, source, jobs[row]);
    if (jobs[row].job.runtime == Duration{0})
      fail_at({source, static_cast<int>(row) + 1}, "the job has no runtime", "its run time, s");
  }
  if (const auto problem = literal_problem(jobs))
    fail_at({source, static_cast<int>(problem->index) + 1}, "the job " + problem->what, problem->expected);
  return jobs;
}

/// A job that stands for those that are handed in while the tree is checked.
Value one_job() {
  Value job = Value::table();
  job.set("nodes", Value(1));
  job.set("runtime", Value(1));
  job.place = {source_of("jobs"), 0};
  Value::List list;
  list.push_back(std::move(job));
  return Value(std::move(list));
}

Scenario scenario_of(const coslice_scenario& scenario) {
  if (!scenario.jobs) return check_scenario(scenario.tree);
  Value tree = scenario.tree;
  set_at(tree, "workload.jobs", one_job(), "jobs");
  Scenario checked = check_scenario(tree);
  checked.workload.jobs = scenario.jobs;
  return checked;
}

}  // namespace

const HostPolicy* Prepared::callbacks_of(std::size_t i) const {
  const std::string& name = runner.scenario().policy.names.at(i);
  for (const HostPolicy& p : policies)
    if (p.name == name) return p.callbacks ? &p : nullptr;
  return nullptr;
}

}  // namespace coslice::door

using namespace coslice;
using namespace coslice::door;

int coslice_api_version(void) { return COSLICE_API_VERSION; }

const char* coslice_version(void) {
  static const std::string version = program_version();
  return version.c_str();
}

coslice_scenario* coslice_scenario_new(void) {
  coslice_scenario* made = nullptr;
  guarded([&] { made = new coslice_scenario; });
  return made;
}

void coslice_scenario_free(coslice_scenario* scenario) { delete scenario; }

coslice_status coslice_load_file(coslice_scenario* scenario, const char* path) {
  return guarded([&] { scenario_in(scenario).tree = tree_of(std::string(required(path, "path"))); });
}

coslice_status coslice_load_text(coslice_scenario* scenario, const char* text, const char* name, const char* folder) {
  return guarded([&] {
    scenario_in(scenario).tree = parse_scenario_tree(required(text, "text"), name != nullptr ? name : "scenario",
                                                     folder != nullptr ? folder : "");
  });
}

coslice_status coslice_set(coslice_scenario* scenario, const char* assignment) {
  return guarded([&] {
    const std::string text(required(assignment, "assignment"));
    apply_override(scenario_in(scenario).tree, text, text);
  });
}

coslice_status coslice_set_text(coslice_scenario* scenario, const char* key, const char* text) {
  return guarded([&] {
    const std::string name(required(key, "key"));
    set_at(scenario_in(scenario).tree, name, Value(std::string(required(text, "text"))), name);
  });
}

coslice_status coslice_set_policies(coslice_scenario* scenario, const char* const* names, size_t count) {
  return guarded([&] {
    if (count == 0) throw InputError({"policy", 0, "no policy is named", "a name or a file"});
    check_list(names, count, "names");
    const auto source = source_of("policy");
    Value::List list;
    for (std::size_t i = 0; i != count; ++i) {
      list.emplace_back(std::string(required(names[i], "name of a policy")));
      list.back().place = {source, 0};
    }
    set_at(scenario_in(scenario).tree, "policy.name", Value(std::move(list)), "policy");
  });
}

coslice_status coslice_set_jobs(coslice_scenario* scenario, const coslice_column* columns, size_t count) {
  return guarded([&] {
    coslice_scenario& to = scenario_in(scenario);
    if (count == 0 || columns == nullptr) throw InputError({"jobs", 0, "there are no columns", "runtime, and others"});
    to.jobs = jobs_of(columns, count);
  });
}

coslice_status coslice_add_policy(coslice_scenario* scenario, const char* name, const coslice_policy* policy) {
  return guarded([&] {
    if (policy == nullptr) throw InputError({"policy", 0, "is NULL", "the callbacks of a policy"});
    HostPolicy own{std::string(required(name, "name")), "", coslice_policy{}};
    check_policy_name(own.name);
    std::memcpy(&*own.callbacks, policy, std::min(policy->size, sizeof *policy));
    own.script = script_of(own.name, *own.callbacks);
    own.callbacks->version = own.callbacks->backfill = nullptr;  // they are in the script; the caller's may go
    keep_policy(scenario_in(scenario), std::move(own));
  });
}

coslice_status coslice_add_lua(coslice_scenario* scenario, const char* name, const char* text) {
  return guarded([&] {
    HostPolicy own{std::string(required(name, "name")), std::string(required(text, "text")), std::nullopt};
    check_policy_name(own.name);
    keep_policy(scenario_in(scenario), std::move(own));
  });
}

coslice_status coslice_prepare(const coslice_scenario* scenario, coslice_simulation** simulation) {
  return guarded([&] {
    if (scenario == nullptr || simulation == nullptr)
      throw InputError({"", 0, "coslice_prepare() got NULL", "a scenario, and where its simulation goes"});
    std::vector<GivenPolicy> given;
    for (const HostPolicy& p : scenario->policies) given.emplace_back(Script{p.name, p.script});
    auto made = std::make_unique<coslice_simulation>();
    made->prepared = std::make_shared<const Prepared>(scenario_of(*scenario), std::move(given), scenario->policies);
    *simulation = made.release();
  });
}

void coslice_simulation_free(coslice_simulation* simulation) { delete simulation; }

size_t coslice_simulation_jobs(const coslice_simulation* simulation) {
  return simulation != nullptr ? simulation->prepared->runner.workload().jobs.size() : 0;
}

int32_t coslice_simulation_nodes(const coslice_simulation* simulation) {
  return simulation != nullptr ? simulation->prepared->runner.machine().nodes : 0;
}

size_t coslice_simulation_policies(const coslice_simulation* simulation) {
  return simulation != nullptr ? simulation->prepared->runner.policies() : 0;
}

const char* coslice_simulation_policy(const coslice_simulation* simulation, size_t policy) {
  if (simulation == nullptr) return nullptr;
  const Runner& runner = simulation->prepared->runner;
  return policy < runner.policies() ? runner.policy(policy).name.c_str() : nullptr;
}

const char* coslice_simulation_warning(const coslice_simulation* simulation, size_t warning) {
  if (simulation == nullptr) return nullptr;
  const std::vector<std::string>& all = simulation->prepared->runner.warnings();
  return warning < all.size() ? all[warning].c_str() : nullptr;
}

const char* coslice_policy_name(size_t policy) {
  static const std::vector<PolicyEntry> all = list_policies();
  return policy < all.size() ? all[policy].name.c_str() : nullptr;
}
