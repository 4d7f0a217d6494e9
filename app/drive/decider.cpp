#include "drive/decider.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/policy/params.h"
#include "core/error.h"
#include "core/text.h"
#include "scenario/input_cache.h"
#include "scenario/load.h"

namespace coslice::drive {
namespace {

/// What is not said by a site: a scenario as short as one can be. Its machine and its job are never looked at.
constexpr const char* kNoSite = "[machine]\nnodes = 1\n[workload]\njobs = [{ runtime = 1, nodes = 1 }]\n";

/// Keys that a drive looks at; of a site also what the machine and the history are. Of the others the real machine says
/// what is.
constexpr const char* kKeys[] = {"policy.params", "engine.instructions", "engine.memory", "engine.trusted",
                                 "seed",          "metrics.classes",     "metrics.bound"};
constexpr const char* kKeysOfSite[] = {"machine", "workload.trace", "workload.skip_bad"};

void check_setting(const std::string& setting, bool has_site) {
  const std::string key(trimmed(setting.substr(0, setting.find('='))));
  const auto is_of = [&](const char* known) { return key == known || key.starts_with(std::string(known) + "."); };
  if (std::ranges::any_of(kKeys, is_of) || (has_site && std::ranges::any_of(kKeysOfSite, is_of))) return;
  if (key == "policy.name" || key == "policy.names")
    throw InputError({"--set " + setting, 0, "names a policy", "--policy NAME, or --choose NAME,NAME"});
  throw InputError(
      {"--set " + setting, 0, "is nothing that a drive looks at: the machine and its jobs are Slurm's",
       has_site ? fmt::format("{}, {}", fmt::join(kKeys, ", "), fmt::join(kKeysOfSite, ", "))
                : fmt::format("{}; with --site also {}", fmt::join(kKeys, ", "), fmt::join(kKeysOfSite, ", "))});
}

Scenario scenario_of(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides) {
  Value tree = site ? read_scenario_tree((std::filesystem::path(*site) / "scenario.toml").string())
                    : parse_scenario_tree(kNoSite, "coslice drive");
  if (policy) {
    Value* const own = tree.find("policy");
    const Value* const name = own != nullptr ? own->find("name") : nullptr;
    const bool is_own = name != nullptr && name->text() != nullptr && *name->text() == *policy;
    if (!is_own) tree.set("policy", Value::table()).set("name", Value(*policy));  // the parameters are for its own
  }
  for (const std::string& setting : overrides) {
    apply_override(tree, setting);
    check_setting(setting, site.has_value());
  }
  return check_scenario(tree);
}

Decider decider_of(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                   const std::vector<std::string>& overrides, InputCache& inputs) {
  const Scenario scenario = scenario_of(policy, site, overrides);
  if (scenario.policy.names.size() != 1) throw InputError({"--policy", 0, "names several policies", "one"});
  Decider decider;
  decider.name = policy ? *policy : std::filesystem::path(scenario.policy.names.front()).stem().string();
  decider.policy = find_policy(scenario.policy.names.front(), scenario.folder);
  decider.params = scenario.policy.params;
  decider.context.limits = scenario.limits.for_host();
  decider.context.seed = static_cast<std::uint64_t>(scenario.seed);
  decider.context.classes = scenario.metrics.classes;
  decider.metrics = scenario.metrics;
  if (!site) return decider;
  decider.layout = scenario.layout;
  for (PartitionSpec& p : decider.layout.partitions) {  // Slurm has looked at these when the job was submitted
    p.max_time = std::nullopt;
    p.max_nodes = std::nullopt;
    p.users.clear();
  }
  if (scenario.workload.trace.empty()) return decider;
  SkippedLines skipped;
  SkippedLines* const skips = scenario.workload.skip_bad ? &skipped : nullptr;
  decider.record = inputs.recorded(scenario.workload.trace, skips);
  decider.users = slurm::NumbersOfNames(*decider.record, "user", true);
  decider.accounts = slurm::NumbersOfNames(*decider.record, "group", true);
  decider.partitions = slurm::NumbersOfNames(*decider.record, "partition", false);
  return decider;
}

}  // namespace

std::unique_ptr<Policy> load_policy(const Decider& decider) {
  PolicyContext context = decider.context;
  context.roots = decider.policy.roots;
  return std::make_unique<Policy>(decider.policy.script, decider.params, context, decider.strict_params);
}

Decider make_decider(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides) {
  InputCache inputs;
  return decider_of(policy, site, overrides, inputs);
}

std::vector<Decider> make_deciders(const std::vector<std::string>& policies, const std::optional<std::string>& site,
                                   const std::vector<std::string>& overrides) {
  if (policies.empty()) throw InputError({"--choose", 0, "names no policy", "two or more, with commas"});
  if (policies.size() < 2)
    throw InputError({"--choose " + policies.front(), 0, "names one policy", "two or more, with commas",
                      fmt::format("`--policy {}` lets it decide alone", policies.front())});
  InputCache inputs;
  std::vector<Decider> all;
  std::vector<std::string> declared;
  std::string owners;
  for (const std::string& name : policies) {
    Decider decider = decider_of(name, site, overrides, inputs);
    decider.strict_params = false;
    for (const Decider& other : all)
      if (other.policy.script.text == decider.policy.script.text)
        throw InputError(
            {"--choose", 0, fmt::format("'{}' and '{}' are the same policy", other.name, name), "each policy once"});
    const std::unique_ptr<Policy> policy = load_policy(decider);
    for (const ParamSpec& p : policy->description().params) declared.push_back(p.name);
    const PolicyHooks& hooks = policy->hooks();
    decider.walks_in_lua = hooks.schedule || hooks.dynamic_key || hooks.may_start;
    owners += fmt::format("{}'{}'", owners.empty() ? "policy " : " or ", name);
    all.push_back(std::move(decider));
  }
  std::ranges::sort(declared);
  declared.erase(std::unique(declared.begin(), declared.end()), declared.end());
  for (const Decider& d : all) check_param_names(d.params, declared, owners);
  return all;
}

void check_policy(const Decider& decider) {
  const std::unique_ptr<Policy> policy = load_policy(decider);
  const char* what = policy->slices()         ? "has time slices"
                     : policy->sharing()      ? "lets jobs share nodes in groups"
                     : policy->coscheduling() ? "coschedules processes"
                                              : nullptr;
  if (what == nullptr) return;
  throw InputError({decider.policy.script.name, 0,
                    fmt::format("policy '{}' {}, for which Slurm has no orders", policy->description().name, what),
                    "a policy that only says which jobs start"});
}

}  // namespace coslice::drive
