// Settings that were tried, on which workloads, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/compare/compared_figures.h"
#include "lab/simulations.h"
#include "lab/tune/search_space.h"

namespace coslice {

/// A figure that is to become small, or large. `figure` is a name as for compare, of all jobs unless it has a class in
/// it: "wait", "wait.large.p95", "utilization".
struct Goal {
  std::string figure;
  double weight = 1;
  bool larger = false;
};

/// A figure that may become worse by so much: 0.05 for 5 %. Without a class in its name it is that of each class;
/// "wait.user" is that of each user.
struct Guard {
  std::string figure;
  double most = 0;
};

/// What is sought.
struct TuneGoals {
  std::vector<Goal> goals;  ///< at least one; of several the sum of their parts of what they are today
  std::vector<Guard> guards;
  /// Returns what a group of jobs is called: "user ann" for "user 2". Absent: as it is.
  std::function<std::string(const std::string& group)> called{};
};

/// A figure of a goal or of a guard.
struct TunedFigure {
  Figure figure;
  double weight = 1;
  bool larger = false;  ///< is better
  double most = 0;      ///< of a guard
};

/// What came of a setting on a workload.
struct Trial {
  std::vector<double> goals;                  ///< in the titles' units
  std::vector<std::optional<double>> guards;  ///< nothing where the workload has no such jobs
  bool failed = false;                        ///< the run ended with an error: worse than anything
};

/// On how many workloads runs of a setting ended with an error, and the first such error.
struct SettingFailures {
  std::size_t workloads = 0;
  std::string error;
};

/// A run: a setting's number and a workload's.
using SettingOn = std::pair<std::size_t, std::size_t>;

/// Returns the workloads [from, to).
std::vector<std::size_t> workloads_between(std::size_t from, std::size_t to);

/// Workloads have numbers from 0; those of the search come first. The setting with the number 0 is today's, and is run
/// on each workload that any other is run on.
class Trials {
 public:
  /// Gives the run of a setting on a workload; `keep_jobs` is never wanted.
  using MakeRun = std::function<RunRequest(const Setting&, std::size_t workload)>;

  Trials(TuneGoals goals, Setting today, MakeRun make, Simulations& runs, PoolOptions pool);

  /// Returns the number of a setting, a new one unless it is known.
  std::size_t add(const Setting& setting);
  const Setting& setting(std::size_t i) const { return settings_[i]; }
  std::size_t size() const { return settings_.size(); }
  /// Returns how many of these are still to be made, today's setting on the same workloads among them.
  std::int64_t missing(const std::vector<SettingOn>& runs) const;
  /// Makes those that are not made yet, and those of today's setting on the same workloads, all at once. Throws
  /// InputError for a figure that no run has, and what today's setting fails with.
  void run(const std::vector<SettingOn>& runs);
  std::int64_t made() const { return made_; }

  /// Returns what came of it; null if it was not run.
  const Trial* trial(std::size_t setting, std::size_t workload) const;
  /// Returns the run; null if it was not made.
  const RunOutcome* outcome(std::size_t setting, std::size_t workload) const;
  /// Returns on which workloads the setting was run, in their order.
  std::vector<std::size_t> workloads_of(std::size_t setting) const;

  SettingFailures failures_of(std::size_t setting) const;

  /// Returns the weighted sum of the goals, each as a part of its mean today over the workloads so far; one that is to
  /// become large counts as much below 1 as it is above, so that the sum of today's is that of the weights. Of one goal
  /// the figure itself, below 0 where it is to become large. Small is good. Infinite where the run failed.
  double cost(std::size_t setting, std::size_t workload) const;
  /// Returns the mean of the costs on these workloads.
  double mean_cost(std::size_t setting, const std::vector<std::size_t>& workloads) const;
  /// Returns the mean of the i-th goal's figure on these workloads; nothing where a run failed.
  std::optional<double> mean_goal(std::size_t setting, std::size_t i, const std::vector<std::size_t>& workloads) const;
  /// Returns by how much the guard's figure is worse than today's, as a part of it, over those of these workloads that
  /// have such jobs.
  double worse(std::size_t setting, std::size_t guard, const std::vector<std::size_t>& workloads) const;
  /// Returns whether any of these workloads has jobs of the guard's.
  bool has_guard(std::size_t guard, const std::vector<std::size_t>& workloads) const;
  /// Returns whether all guards hold over these workloads.
  bool keeps_guards(std::size_t setting, const std::vector<std::size_t>& workloads) const;

  const std::vector<TunedFigure>& goals() const { return goals_; }
  /// Those of single groups of jobs grow with the workloads that were run.
  const std::vector<TunedFigure>& guards() const { return guards_; }
  /// Replaces the weights of the goals, beside them.
  void weigh(const std::vector<double>& weights);
  /// Returns the warnings of runs, each once.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void find_figures_in(const RunOutcome& outcome);
  void take(std::size_t setting, std::size_t workload);
  void complete_guards();
  double scale(std::size_t goal) const;

  TuneGoals asked_;
  MakeRun make_;
  Simulations& runs_;
  PoolOptions pool_;
  std::vector<Setting> settings_;
  std::map<std::string, std::size_t> by_text_;
  std::map<SettingOn, std::pair<std::size_t, Trial>> trials_;  ///< with the run's number
  std::vector<TunedFigure> goals_, guards_;
  std::vector<std::string> warnings_;
  std::int64_t made_ = 0;
};

}  // namespace coslice
