// What stories say of the resources of jobs: which of them have parts of the same GPUs and what that costs each, and
// what a waiting job lacks on a heterogeneous machine.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"
#include "machine/node_room.h"
#include "observe/job_story.h"
#include "schedule/view.h"

namespace coslice {

/// Two jobs that had parts of the same GPU.
struct GpuTogether {
  JobIndex job = kNoJob, other = kNoJob;
  Duration time{0};  ///< for how long both ran there
  /// seconds: what the job's work took longer in that time than it would have alone on the same nodes
  double lost = 0;
  double other_lost = 0;  ///< `lost` of the other job
};

/// A job that had a slice of a GPU to itself, and who had others of it.
struct GpuSlice {
  std::vector<JobIndex> beside;  ///< in the order in which they came
  Duration time{0};              ///< for how long the job ran there
  double lost = 0;               ///< seconds: what its work took longer than it would have on the whole GPU
};

/// Follows jobs on parts of nodes, from what an observer hears of them.
class GpuPartners {
 public:
  /// Notes that the job is about to start there; `alone` is its speed if it has the nodes for itself. `sliced`: it has
  /// a slice of a GPU, in which nothing slows it down but that it is no whole GPU.
  void placed(Time t, JobIndex j, const Parts& parts, double alone, bool sliced);
  /// Returns whether the job runs and has GPUs.
  bool knows(JobIndex j) const { return running_.count(j) != 0; }
  /// Notes that the running job has these parts from now on. Its speed is that of its size from then on, and says
  /// nothing of what it loses. Precondition: knows(j).
  void resized(Time t, JobIndex j, const Parts& parts);
  /// Notes the job's speed. For a job that starts it is told before placed().
  void rate_changed(Time t, JobIndex j, double rate);
  /// Notes that the job makes no progress until goes_on(): it was preempted, or its memory is being loaded.
  void pauses(Time t, JobIndex j);
  void goes_on(Time t, JobIndex j);
  /// Removes the job, whose run is over. Returns what it had in common with others, in the order in which that began.
  std::vector<GpuTogether> left(Time t, JobIndex j);
  /// Returns what a job has had that is about to leave; nothing where others had no slices beside its own.
  std::optional<GpuSlice> slice_of(Time t, JobIndex j);

 private:
  struct Running {
    Parts parts;
    double alone = 1, rate = 1;
    Time since{};
    double lost = 0;  ///< seconds up to `since`
    bool on = true;   ///< the job makes progress
    bool sliced = false;
    Duration ran{0};                 ///< up to `since`
    std::vector<JobIndex> beside{};  ///< sliced: those that have or had other slices
  };
  struct Pair {
    JobIndex first = kNoJob, second = kNoJob;
    GpuTogether so_far;  ///< up to the last time that one of them paused
    bool both_on = true;
    bool apart = false;                      ///< one of them was resized: they have no GPU in common any more
    Time since{};                            ///< when both went on
    double first_lost = 0, second_lost = 0;  ///< what they had lost by then
  };
  static void settle(Running& r, Time t) {
    if (r.on && r.alone > 0) r.lost += to_seconds(t - r.since) * (1 - r.rate / r.alone);
    if (r.on) r.ran += t - r.since;
    r.since = t;
  }
  void add_pair(JobIndex first, JobIndex second, Time t);
  void begin(Pair& pair, Time t);
  void end(Pair& pair, Time t);

  std::map<JobIndex, Running> running_;
  std::map<JobIndex, double> told_;  ///< speeds of jobs that are not placed yet
  std::vector<Pair> pairs_;
};

/// Fills in WaitPhase::reserved, reservation and by_start where it fits beside what runs, but reservations of nodes
/// keep it off. Else WaitPhase::lack, lack_of, holders (at most `most`, first to end first), holder_ends, holder_count:
/// what of its request most nodes that could serve it have too little of, beside the jobs that run. Of several
/// partitions, that where it fits on most nodes counts. Where it fits beside what runs and reservations of nodes,
/// nothing is filled in. Precondition: nodes differ; WaitPhase::planned is known. Maintenance that begins too soon for
/// it makes WaitPhase::why kMaintenance, and by_start its beginning.
void note_lack(WaitPhase& phase, const View& view, JobIndex j, std::size_t most,
               const std::vector<Outage>& maintenance);

}  // namespace coslice
