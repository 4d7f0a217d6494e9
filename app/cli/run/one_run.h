// One policy's run, named on the command line by a run folder, a scenario, a trace or
// a run of a campaign ("loads.sqlite:7"), and simulated (again).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/recorded_run.h"
#include "runner/runner.h"

namespace coslice::cli {

class OneRun {
 public:
  /// Loads all that the run needs. `policy`: which run of a folder; of a scenario or a trace, the policy. `purpose`
  /// ends the message about a scenario with several policies: "and a picture shows one run". Warns of what should be
  /// known, but for what was said already when `beside` was loaded. Throws InputError.
  OneRun(const std::string& path, const std::optional<std::string>& policy, const std::string& purpose,
         const OneRun* beside = nullptr);

  /// Returns the runs that `path` names, one or several: of a run folder all, in the order in which they were made, of
  /// a scenario one for each policy. `policies`, as on the command line, choose among those of a folder, or are the
  /// policies to run.
  static std::vector<OneRun> all(const std::string& path, const std::vector<std::string>& policies);

  const Runner& runner() const { return *runner_; }
  /// Returns which of the runner's policies decides.
  std::size_t policy() const { return policy_; }
  /// Returns whether the run was written into a folder or kept by a campaign.
  bool is_recorded() const { return recorded_.has_value(); }
  /// Returns the name of its scenario, else of its workload.
  const std::string& name() const;
  /// Simulates the run, with progress on the terminal. If the run comes from a run folder, its result must have the
  /// fingerprint recorded there.
  /// Throws what Runner::run throws, and InputError if the folder's run is not the same any more.
  PolicyRun simulate(const std::vector<Observer*>& observers) const;
  /// Simulates it at least until `enough` holds, for what the observer sees up to there. Throws what Runner::run
  /// throws.
  void watch(Observer& observer, const std::function<bool()>& enough) const;

 private:
  OneRun(std::shared_ptr<const Runner> runner, std::size_t policy) : runner_(std::move(runner)), policy_(policy) {}

  std::optional<RecordedRun> recorded_;
  std::shared_ptr<const Runner> runner_;
  std::size_t policy_ = 0;
};

/// Returns the only policy that was named, if one was.
std::optional<std::string> one_name(const std::vector<std::string>& policies);

/// Returns a file in the current folder, called after the run: "7-easy.html" for results/7, policy easy and ".html".
/// `otherwise` is its name where the run has none.
std::string file_after(const std::string& run, const std::optional<std::string>& policy, const std::string& ending,
                       const std::string& otherwise);

}  // namespace coslice::cli
