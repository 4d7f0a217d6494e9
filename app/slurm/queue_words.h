// What Slurm's words for the states of jobs and nodes, and for why jobs wait, mean for when jobs may start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coslice::slurm {

enum class JobStands {
  kRuns,  ///< it has its nodes, or they are made ready, or it leaves them
  kWaits,
  kHeld,  ///< it waits, and somebody has to release it
  kOver,
  kUnknown,
};
/// Of a state as squeue prints it, long or short ("PENDING", "CG"), or of several with commas or '+' between them.
JobStands stands_as(std::string_view state);
/// All words of states, long and short.
const std::vector<std::string>& job_state_words();

enum class WaitsFor {
  kTurn,        ///< the scheduler decides: nodes, priority, limits that others use up, licences, reservations
  kTime,        ///< a time before which it is not to start
  kDependency,  ///< other jobs
  kRelease,     ///< somebody has to release it, or its partition
  kChange,      ///< it can never start as it is: above a limit of its own, of a partition that does not take it
  kUnknown,
};
/// Of the reason of a job that waits, as squeue or scontrol print it: a word of Slurm's table of reasons, with what
/// stands behind a comma or not, or a text of its own ("launch failed requeued held").
WaitsFor waits_for(std::string_view reason);

enum class NodeTakes {
  kJobs,      ///< now, or when the job on it has ended, or when it has come up
  kReserved,  ///< jobs of a reservation only
  kNothing,   ///< until somebody does something: DOWN, DRAIN, FAIL, unknown to Slurm itself
  kUnknown,
};
/// Of a state as scontrol or sinfo print it: "IDLE+CLOUD+POWERED_DOWN", "mix~", "DOWN*+DRAIN".
NodeTakes node_takes(std::string_view state);

}  // namespace coslice::slurm
