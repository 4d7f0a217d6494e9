#include "drive/decider.h"

#include <filesystem>

#include "core/error.h"
#include "formats/recorded.h"
#include "scenario/load.h"

namespace coslice::drive {
namespace {

/// What is not said by a site: a scenario as short as one can be. Its machine and its job are never looked at.
constexpr const char* kNoSite = "[machine]\nnodes = 1\n[workload]\njobs = [{ runtime = 1, nodes = 1 }]\n";

Scenario scenario_of(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides) {
  Value tree = site ? read_scenario_tree((std::filesystem::path(*site) / "scenario.toml").string())
                    : parse_scenario_tree(kNoSite, "coslice drive");
  if (policy) {  // the site's parameters are for its own
    if (Value* own = tree.find("policy")) own->erase("params");
    tree.set("policy", Value::table()).set("name", Value(*policy));
  }
  for (const std::string& setting : overrides) apply_override(tree, setting);
  return check_scenario(tree);
}

}  // namespace

Decider make_decider(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides) {
  const Scenario scenario = scenario_of(policy, site, overrides);
  if (scenario.policy.names.size() != 1) throw InputError({"--policy", 0, "names several policies", "one"});
  Decider decider;
  decider.name = policy ? *policy : std::filesystem::path(scenario.policy.names.front()).stem().string();
  decider.policy = find_policy(scenario.policy.names.front(), scenario.folder);
  decider.params = scenario.policy.params;
  decider.context.limits = scenario.limits.for_host();
  decider.context.seed = static_cast<std::uint64_t>(scenario.seed);
  decider.context.classes = scenario.metrics.classes;
  if (!site) return decider;
  decider.layout = scenario.layout;
  for (PartitionSpec& p : decider.layout.partitions) {  // Slurm has looked at these when the job was submitted
    p.max_time = std::nullopt;
    p.max_nodes = std::nullopt;
    p.users.clear();
  }
  if (scenario.workload.trace.empty()) return decider;
  const RecordedWorkload recorded = read_trace(scenario.workload.trace);
  decider.users = slurm::NumbersOfNames(recorded, "user", true);
  decider.accounts = slurm::NumbersOfNames(recorded, "group", true);
  decider.partitions = slurm::NumbersOfNames(recorded, "partition", false);
  return decider;
}

}  // namespace coslice::drive
