// What `coslice diff` says of two runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/workload.h"
#include "observe/job_action_log.h"
#include "observe/job_story.h"
#include "scenario/run/runner.h"

namespace coslice::cli {

struct DiffSide {
  std::string letter;  ///< "a", "b"
  std::string name;    ///< of the run
  PolicyRun run;
  std::vector<JobAction> actions;  ///< that only this side did at the instant in which they part
  std::vector<JobStory> stories;   ///< of the jobs concerned, the same on both sides
};

/// Returns the difference of two runs in words. `at`: where they part; nothing if they are the same. With a clock,
/// instants are dates.
std::string diff_text(const DiffSide& a, const DiffSide& b, std::optional<Time> at,
                      const std::optional<TraceClock>& clock, std::size_t width, bool colour);
/// Instants are seconds.
std::string diff_json(const DiffSide& a, const DiffSide& b, std::optional<Time> at);

}  // namespace coslice::cli
