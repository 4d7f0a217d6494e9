// Running a campaign on all processors, each finished run into the file of results at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/campaign/campaign.h"
#include "lab/campaign/plan.h"
#include "lab/campaign/results.h"

namespace coslice {

/// Part `number` (from 1) of the `of` parts of a campaign. Runs are assigned in turn, starting one part later in each
/// round: otherwise two parts of a campaign with two policies would get one policy each.
struct Shard {
  std::int64_t number = 1, of = 1;
  bool has(std::int64_t run) const { return part_of(run, of) == number; }
  /// Returns the part as "2/8"; "" for the whole.
  std::string text() const;
  /// Returns the part, from 1 to `of`, to which a run belongs.
  static std::int64_t part_of(std::int64_t run, std::int64_t of) { return (run - 1 + (run - 1) / of) % of + 1; }
};

struct SweepOptions {
  std::string results;  ///< path of the results file
  int workers = 1;
  bool resume = false;
  bool prune = false;  ///< with resume: runs that are not in the plan are deleted
  bool retry = false;  ///< with resume: failed runs are repeated
  Shard shard;
  /// Called ten times a second with the numbers of finished and of all runs; an exception that it throws ends the sweep
  /// after finished runs are written.
  std::function<void(std::size_t done, std::size_t runs)> tick;
  /// Returns whether the sweep is to stop; from then on errors of runs are not recorded.
  std::function<bool()> stopping;
  /// Called if the sweep ends before all runs are made, with the number of runs made by this call that the file keeps.
  std::function<void(std::size_t made)> ended_early;
};

struct SweepOutcome {
  std::size_t planned = 0;            ///< runs of the plan, or of the shard
  std::size_t made = 0;               ///< now
  std::size_t kept = 0;               ///< runs that were in the file before
  std::size_t failed = 0;             ///< failed runs in the file
  std::vector<CampaignRun> failures;  ///< the first failed runs: place, point, error
  std::vector<std::string> remarks;   ///< warnings of runs, each once
};

/// Makes the runs that are missing in the file. A run that fails is recorded with its error, and the others go on.
/// Throws InputError (nothing is written then), SimulationError if the results cannot be written: what was finished
/// before is kept.
SweepOutcome sweep(const Campaign& campaign, const Plan& plan, const SweepOptions& options);

}  // namespace coslice
