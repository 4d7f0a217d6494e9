#include "sched/shared_speeds.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {

namespace {
/// What a rate can hold (core/time.h), with room.
constexpr double kSlowest = 1e6;
}  // namespace

SharedSpeeds::SharedSpeeds(const JobDemands& demands, const JobTimes& times, const EngineOptions& options,
                           const ContentionOptions& contention, const Occupancy& occupancy, EndQueue& ends,
                           const std::vector<Observer*>& observers)
    : times_(times), options_(options), contention_(demands, contention, occupancy), ends_(ends),
      observers_(observers) {}

void SharedSpeeds::start(StartedJob& job, Time now) {
  job.work_left = Work(times_.runtime(job.index));
  job.planned_left = Work(times_.planned(job.index));
  job.since = now;
  contention_.note_change(job);
  change(job, now, Change::kFirst);
  for (StartedJob* other : contention_.sharers(job)) change(*other, now, Change::kByStart);
}

void SharedSpeeds::end(StartedJob& job, Time now) {
  account(job, now);
  std::erase(changed_, &job);
  contention_.note_change(job);
  for (StartedJob* other : contention_.sharers(job)) change(*other, now, Change::kByEnd);
}

void SharedSpeeds::account(StartedJob& job, Time now) {
  const Work done = Work::done(now - job.since, job.rate);
  job.work_left -= done;
  job.planned_left -= done;
  job.since = now;
}

/// The job's speed may be another one.
void SharedSpeeds::change(StartedJob& job, Time now, Change why) {
  const double slowdown = contention_.slowdown(job);
  if (slowdown > kSlowest)
    throw SimulationError(fmt::format("job {} is slowed down {:.4g} times by the jobs on its nodes; at most {:.0f} times "
                                      "can be simulated", job.view->job(job.index).id, slowdown, kSlowest));
  const Rate rate = Rate::of_slowdown(slowdown);
  if (rate == job.rate && why != Change::kFirst) return;
  account(job, now);
  if (!(rate == job.rate)) {
    job.rate = rate;
    for (Observer* o : observers_) o->rate_changed(now, job.index, rate);
  }
  set_end(job, now, why);
  if (std::find(changed_.begin(), changed_.end(), &job) == changed_.end()) changed_.push_back(&job);
}

void SharedSpeeds::set_end(StartedJob& job, Time now, Change why) {
  // What happens in a pass causes no end at the same instant.
  const Duration least{why == Change::kByEnd ? 0 : 1};
  Time end = later(now, std::max(job.work_left.time_at(job.rate), least));
  job.killed = false;
  if (options_.at_limit == AtLimit::kKill) {
    const Time limit = later(job.start, times_.limit(job.index));
    job.killed = end > limit;
    end = std::min(end, limit);
  }
  ends_.add(job, end);
}

bool SharedSpeeds::update_holds(View& view, Time now) {
  if (changed_.empty()) return false;
  std::sort(changed_.begin(), changed_.end(),
            [](const StartedJob* a, const StartedJob* b) { return a->index < b->index; });
  // Under a limit that is one of time, nodes are held until then, however fast the job gets on.
  if (options_.at_limit == AtLimit::kExtend) {
    for (StartedJob* job : changed_) {
      account(*job, now);
      view.hold(*job, job->held, later(now, job->planned_left.time_at(job->rate)));
    }
  }
  changed_.clear();
  return true;
}

}  // namespace coslice
