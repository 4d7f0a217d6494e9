#include "sched/job_times.h"

#include <algorithm>

#include <fmt/format.h>

namespace coslice {

JobTimes::JobTimes(const std::vector<Job>& jobs, const EngineOptions& options, const CheckpointOptions& checkpoints)
    : jobs_(jobs), options_(options), checkpoints_(checkpoints) {
  if (checkpoints.interval > Duration{0}) leave_plain();
}

void JobTimes::leave_plain() {
  if (!plain_) return;
  plain_ = false;
  left_.assign(jobs_.size(),
               {Duration{0}, checkpoints_.interval, checkpoints_.cost, Duration{0}, checkpoints_.restart, 0});
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
  const auto most = std::max_element(left_.begin(), left_.end(),
                                     [](const Left& a, const Left& b) { return a.interruptions < b.interruptions; });
  const Job& job = jobs_[static_cast<std::size_t>(most - left_.begin())];
  return fmt::format("{} of them under job {} ({} processors, {})", most->interruptions, job.id, job.size,
                     human_duration(job.runtime));
}

Duration JobTimes::interrupt(JobIndex j, Duration done) {
  leave_plain();
  Left& left = left_[j];
  ++left.interruptions;
  const Duration worked = worked_in(left, done);
  if (left.interval == Duration{0}) {
    left.overhead += done - worked;
    return worked;
  }
  const std::int64_t whole = worked / (left.interval + left.cost);
  const Duration lost = std::min(worked - whole * (left.interval + left.cost), left.interval);
  left.saved += whole * left.interval;
  left.overhead += done - whole * left.interval - lost;
  return lost;
}

Duration JobTimes::interrupt(JobIndex j, Duration done, const FinalCheckpoint& checkpoint) {
  leave_plain();
  Left& left = left_[j];
  ++left.interruptions;
  const Duration written = worked_in(left, done);  // the regular checkpoints in it included
  Duration work = std::max(written - checkpoint.cost, Duration{0});
  if (left.interval > Duration{0}) {
    const std::int64_t whole = work / (left.interval + left.cost);
    const Duration rest = work - whole * (left.interval + left.cost);
    work = whole * left.interval + std::min(rest, left.interval);
  }
  left.saved += work;
  left.overhead += done - work;
  left.restart = checkpoint.restart;
  return Duration{0};
}

/// Of what it did since its last start, without going on from a checkpoint.
Duration JobTimes::worked_in(const Left& left, Duration done) {
  return left.saved > Duration{0} ? std::max(done - left.restart, Duration{0}) : done;
}

void JobTimes::end(JobIndex j) {
  if (plain_) return;
  const Duration work = std::min(jobs_[j].runtime, options_.kills(jobs_[j]) ? jobs_[j].limit : jobs_[j].runtime);
  left_[j].overhead += std::max(with_checkpoints(j, work) - (work - left_[j].saved), Duration{0});
}

std::vector<Duration> JobTimes::checkpointing() const {
  std::vector<Duration> all;
  for (const Left& left : left_) all.push_back(left.overhead);
  return all;
}

}  // namespace coslice
