#include "lab/campaign/scenario_key.h"

#include <filesystem>

#include "api/policy.h"
#include "report/digest.h"
#include "scenario/resolved.h"
#include "scenario/toml.h"

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

}  // namespace

const FoundPolicy& ScenarioKeys::found(const std::string& name, const std::string& folder) {
  const std::string id = folder + '\n' + name;
  const auto at = policies_.find(id);
  return at != policies_.end() ? at->second : policies_.emplace(id, find_policy(name, folder)).first->second;
}

const std::vector<std::string>& ScenarioKeys::params_of(const Scenario& s) {
  const std::string id = s.folder + '\n' + s.policy.names.front() + '\n' + toml_text(s.policy.params);
  const auto at = params_.find(id);
  if (at != params_.end()) return at->second;
  std::vector<std::string> names;
  const auto add = [&](const Policy& policy) {
    for (const ParamSpec& p : policy.description().params) names.push_back(p.name);
  };
  const Policy policy = load_for_params(found(s.policy.names.front(), s.folder), s);
  add(policy);
  if (policy.slices() && !policy.slices()->scheduler.empty())
    add(load_for_params(found(policy.slices()->scheduler, s.folder), s));
  return params_.emplace(id, std::move(names)).first->second;
}

std::string ScenarioKeys::ingredients_of(Scenario s) {
  // A policy counts by its name and its text, wherever it was found: as a file here, built in there.
  std::vector<RecordedInput> labelled;
  for (std::string& name : s.policy.names) {
    const std::string digest = sha256_of_text(found(name, s.folder).script.text);
    name = "policy:" + std::filesystem::path(name).stem().string();
    labelled.push_back({name, digest});
  }
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
