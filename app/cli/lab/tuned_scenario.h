// What `coslice tune` is about: a scenario, its policies, and the values that are tried of their parameters.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/tune/search_space.h"
#include "lab/tune/trials.h"
#include "runner/site_names.h"
#include "scenario/input_cache.h"
#include "scenario/scenario.h"

namespace coslice::cli {

/// As flags say it.
struct TunedScenarioFlags {
  std::string what;  ///< a scenario, a site's folder or a trace
  std::vector<std::string> policies, params, sets;
  bool skip_bad = false;
};

class TunedScenario {
 public:
  /// Loads the policies, and finds the space of settings. Throws InputError: what cannot be is said here, and not after
  /// hours.
  explicit TunedScenario(const TunedScenarioFlags& flags);

  const std::vector<std::string>& policies() const { return policies_; }
  const std::vector<TunedParam>& params() const { return params_; }
  const std::vector<LeftOutParam>& left_out() const { return left_out_; }
  /// Returns whether jobs are those of a trace; then `jobs` are these, at the times of the trace.
  bool is_log() const { return is_log_; }
  const Workload& jobs() const { return jobs_; }
  std::int64_t seed() const { return seed_; }
  /// Returns whether it is the folder of a Slurm site that was imported.
  bool is_slurm_site() const;

  Setting todays() const;
  /// Returns today's setting with the policy's own defaults.
  Setting defaults() const;
  /// Returns the tree of the scenario with that setting.
  Value tree_of(const Setting& setting) const;
  /// Returns what a file of that path says of the setting: a few lines beside the scenario, or the whole of it where
  /// flags have changed more.
  std::string toml_of(const Setting& setting, const std::string& path) const;

  /// Returns the goals with the numbers of users, accounts and queues, for which the site has names.
  TuneGoals with_numbers(TuneGoals goals) const;

 private:
  using Specs = std::map<std::string, std::vector<ParamSpec>>;  ///< by policy

  void load();
  void find_space();
  std::vector<TunedParam> space_of(const std::string& policy);
  bool is_for(const std::string& item, const std::string& policy) const;
  bool can_have(const std::string& item, const std::string& policy) const;
  void as_in_slurm(std::vector<TunedParam>& params);
  void check_keys() const;
  [[noreturn]] void fail_without_params() const;
  std::string numbered(const std::string& figure) const;
  void drop_undeclared(Value& tree) const;
  std::string base_line(const std::string& path) const;

  const TunedScenarioFlags flags_;
  Value base_;
  std::vector<std::string> policies_;
  Specs specs_;
  Value set_ = Value::table();  ///< parameters that the scenario sets
  std::vector<TunedParam> params_;
  std::vector<LeftOutParam> left_out_;
  InputCache inputs_;
  Workload jobs_;
  SiteNames names_;
  bool is_log_ = false;
  std::int64_t seed_ = 0;
};

}  // namespace coslice::cli
