#include "lab/campaign/scenario_key.h"

#include <filesystem>
#include <numeric>

#include "api/policy/policy.h"
#include "host/modules.h"
#include "output/output.h"
#include "scenario/resolved.h"

namespace coslice {
namespace {

Policy load_for_params(const FoundPolicy& found, const Scenario& s) {
  PolicyContext context;
  context.limits = s.limits.for_host();
  context.seed = static_cast<std::uint64_t>(s.seed);
  context.classes = s.metrics.classes;
  context.roots = found.roots;
  context.print = [](std::string_view) {};
  return Policy(found.script, s.policy.params, context, false);
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

void add_source(std::set<std::string>& sources, const std::string& name, const std::string& text) {
  sources.insert(stem_of(name) + ' ' + sha256_of_text(text) + '\n');
}

void add_modules(std::set<std::string>& sources, const std::vector<Script>& modules) {
  for (const Script& m : modules) add_source(sources, m.name, m.text);
}

}  // namespace

const FoundPolicy& ScenarioKeys::found(const std::string& name, const std::string& folder) {
  const std::string id = folder + '\n' + name;
  const auto at = policies_.find(id);
  return at != policies_.end() ? at->second : policies_.emplace(id, find_policy(name, folder)).first->second;
}

const std::vector<std::string>& ScenarioKeys::params_of(const Scenario& s) { return loaded(s).params; }

const std::string& ScenarioKeys::policy_name(const Scenario& s) { return loaded(s).name; }

const ScenarioKeys::LoadedPolicy& ScenarioKeys::loaded(const Scenario& s) {
  const std::string id = s.folder + '\n' + s.policy.names.front() + '\n' + toml_text(s.policy.params);
  const auto at = loaded_.find(id);
  if (at != loaded_.end()) return at->second;
  LoadedPolicy out;
  const auto add = [&](const FoundPolicy& script) {
    Policy policy = load_for_params(script, s);
    if (out.name.empty()) out.name = policy.description().name;
    for (const ParamSpec& p : policy.description().params) out.params.push_back(p.name);
    add_modules(out.sources, named_modules(script.script, script.roots));
    add_modules(out.sources, loaded_modules(policy.state()));
    return policy.slices() ? policy.slices()->scheduler : std::string();
  };
  const std::string scheduler = add(found(s.policy.names.front(), s.folder));
  if (!scheduler.empty()) {
    const FoundPolicy& inner = found(scheduler, s.folder);
    add_source(out.sources, scheduler, inner.script.text);
    add(inner);
  }
  return loaded_.emplace(id, std::move(out)).first->second;
}

const std::set<std::string>& ScenarioKeys::modules_of_file(const std::string& path) {
  const auto at = modules_.find(path);
  if (at != modules_.end()) return at->second;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::set<std::string> out;
  add_modules(out, named_modules(read_script(path), {{folder.empty() ? "." : folder, "", ""}, {"", "lib/", ""}}));
  return modules_.emplace(path, std::move(out)).first->second;
}

std::string ScenarioKeys::ingredients_of(Scenario s) {
  // Scripts count by their names and their texts, wherever they were found: as a file here, built in there.
  std::set<std::string> sources = loaded(s).sources;
  for (const std::string& path :
       {s.workload.script, s.workload.job_script, s.slowdown.script, s.outages.script, s.processes.script}) {
    if (path.empty()) continue;
    const std::set<std::string>& modules = modules_of_file(path);
    sources.insert(modules.begin(), modules.end());
  }
  std::vector<RecordedInput> labelled;
  for (std::string& name : s.policy.names) {
    const std::string digest = sha256_of_text(found(name, s.folder).script.text);
    name = "policy:" + stem_of(name);
    labelled.push_back({name, digest});
  }
  if (!sources.empty())
    labelled.push_back({"modules:all", sha256_of_text(std::accumulate(sources.begin(), sources.end(), std::string()))});
  return resolved_toml(s, folder_, labelled, [this](const std::string& path) {
    const auto at = digests_.find(path);
    return at != digests_.end() ? at->second : digests_.emplace(path, sha256_of_file(path)).first->second;
  });
}

std::string ScenarioKeys::key_of(Scenario s) {
  s.description.clear();
  s.output = {};
  s.inputs.clear();
  return sha256_of_text(ingredients_of(std::move(s)));
}

}  // namespace coslice
