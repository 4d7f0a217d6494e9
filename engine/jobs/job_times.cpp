#include "jobs/job_times.h"

#include <fmt/format.h>

namespace coslice {

JobTimes::JobTimes(const std::vector<Job>& jobs, const EngineOptions& options, const CheckpointOptions& checkpoints)
    : jobs_(jobs), options_(options), checkpoints_(checkpoints) {
  if (checkpoints.interval > Duration{0}) leave_plain();
}

void JobTimes::leave_plain() {
  if (!plain_) return;
  plain_ = false;
  grow();
}

void JobTimes::set_checkpoints(JobIndex j, const OwnCheckpoints& own) {
  leave_plain();
  left_[j].interval = own.interval;
  left_[j].cost = own.cost.value_or(checkpoints_.cost);
}

/// With the checkpoints that are still to be written, of which none is at the end.
Duration JobTimes::with_checkpoints(JobIndex j, Duration work) const {
  const Left& left = left_[j];
  Duration time = std::max(work - left.saved, Duration{1});
  if (left.interval > Duration{0}) {
    const std::int64_t written = (time - Duration{1}) / left.interval;
    time += std::min(written, (kEndlessRun - time) / std::max(left.cost, Duration{1})) * left.cost;
  }
  return left.saved > Duration{0} ? time + left.restart : time;
}

std::string JobTimes::most_interrupted() const {
  const auto most = std::ranges::max_element(left_, {}, &Left::interruptions);
  const Job& job = jobs_[static_cast<std::size_t>(most - left_.begin())];
  return fmt::format("{} of them under job {} ({} processors, {})", most->interruptions, job.id, job.size,
                     human_duration(job.runtime));
}

Duration JobTimes::interrupt(JobIndex j, Duration done, const FinalCheckpoint* last) {
  leave_plain();
  Left& left = left_[j];
  ++left.interruptions;
  // Without going on from a checkpoint, and without writing the last one; the regular checkpoints in it included.
  Duration since = left.saved > Duration{0} ? std::max(done - left.restart, Duration{0}) : done;
  if (last != nullptr) since = std::max(since - last->cost, Duration{0});
  Duration saved{0};  // by regular checkpoints
  if (left.interval > Duration{0}) {
    const std::int64_t whole = since / (left.interval + left.cost);
    saved = whole * left.interval;
    since = std::min(since - whole * (left.interval + left.cost), left.interval);
  }
  left.overhead += done - saved - since;
  left.saved += saved;
  if (last == nullptr) return since;
  left.saved += since;
  left.restart = last->restart;
  return Duration{0};
}

}  // namespace coslice
