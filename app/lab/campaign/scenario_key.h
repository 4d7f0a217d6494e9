// What a scenario is made from, in one digest: equal keys, equal results.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/policy/find_policy.h"
#include "scenario/scenario.h"

namespace coslice {

/// Makes keys of many scenarios, and knows their policies; each file is read once.
class ScenarioKeys {
 public:
  /// Paths go into the key as they are seen from `folder`.
  explicit ScenarioKeys(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the SHA-256 of the resolved scenario, with the digests of its inputs: of files, of its policy and the one
  /// that schedules its slices, and of the modules that any of these scripts names or loads at once. What the scenario
  /// is called in words and where it is written do not count. `scenario` names one policy. Throws InputError.
  std::string key_of(Scenario scenario);
  /// Returns the names of the parameters that the scenario's policy has with the values that it gives, those of the
  /// policy that schedules its slices among them. Throws InputError, e.g. if a value is out of range.
  const std::vector<std::string>& params_of(const Scenario& scenario);
  /// Returns the name that the scenario's policy gives itself. Throws InputError as params_of does.
  const std::string& policy_name(const Scenario& scenario);

 private:
  /// What a policy's file brings with it.
  struct LoadedPolicy {
    std::string name;
    std::vector<std::string> params;  ///< that it has, with those of the policy that schedules its slices
    std::set<std::string> sources;    ///< that policy and the modules of both, "name digest\n"
  };
  std::string ingredients_of(Scenario scenario);
  const FoundPolicy& found(const std::string& name, const std::string& folder);
  const LoadedPolicy& loaded(const Scenario& scenario);
  const std::set<std::string>& modules_of_file(const std::string& path);

  std::string folder_;
  std::map<std::string, FoundPolicy> policies_;
  std::map<std::string, LoadedPolicy> loaded_;
  std::map<std::string, std::string> digests_;
  std::map<std::string, std::set<std::string>> modules_;  ///< of scripts that are no policies, by path
};

}  // namespace coslice
