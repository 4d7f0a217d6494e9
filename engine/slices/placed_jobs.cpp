// Jobs under slices on a machine whose nodes differ: they start on the nodes that a book found, and foreign ones make way.
#include <algorithm>
#include <cassert>

#include "slices/sliced_jobs.h"

namespace coslice {

namespace {

bool lacks_licence(const RunningRoom& room, const StartedJob& job, const StartedJob& holder) {
  const std::vector<LicenceUse>& held = room.request(holder.unit).licences;
  const std::vector<LicenceUse>& asked = room.request(job.unit).licences;
  return std::any_of(asked.begin(), asked.end(), [&](const LicenceUse& use) {
    return room.pool().licences_left(use.licence) < use.count &&
           std::any_of(held.begin(), held.end(), [&](const LicenceUse& h) { return h.licence == use.licence; });
  });
}

/// Whether the job could not start because of what the other one has.
bool in_the_way(const RunningRoom& room, const StartedJob& job, const StartedJob& other) {
  if (lacks_licence(room, job, other)) return true;
  return std::any_of(job.parts.begin(), job.parts.end(), [&](const NodePart& part) {
    const auto there = [&](const NodePart& p) { return p.node == part.node; };
    return !room.has(job, part) && std::any_of(other.parts.begin(), other.parts.end(), there);
  });
}

}  // namespace

StartChoice* SlicedJobs::choice_of_starts(std::size_t c) {
  if (slices_.foreign == ForeignJobs::kNone || !slices_.evict) return nullptr;
  auto& of_starts = placements_[c].of_starts;
  of_starts = std::make_unique<MakingWay>(*room_, [this, c] {
    return clock_.productive_for(c) ? evictable() : std::vector<StartedJob*>{};
  });
  return of_starts.get();
}

bool SlicedJobs::surely_in_time(JobIndex j) const {
  return demands_->request(j).exclusive || (!contention_ && !memory_.modelled());
}

void SlicedJobs::start_placed(StartedJob& job) {
  make_way(job);
  job.phase = Phase::kPreempted;  // it does nothing yet, but is known to be as fast when observers hear that it has started
  set_rate(job, contention_ ? contention_->slowdown(job) : 1 / demands_->layout().slowest_speed(job.nodes));
  begin_job(job);
  speeds_.changed.push_back(&job);  // its view holds its nodes for as long as it would take alone
  set_going(job);
}

std::vector<StartedJob*> SlicedJobs::evictable() const {
  std::vector<StartedJob*> jobs;
  if (!slices_.evict) return jobs;
  for (auto job = going_.rbegin(); job != going_.rend(); ++job)
    if ((*job)->evictable) jobs.push_back(*job);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](const StartedJob* a, const StartedJob* b) { return class_of(*a) > class_of(*b); });
  return jobs;
}

/// Stops those of the foreign jobs that may be stopped which have what the job is to have.
void SlicedJobs::make_way(const StartedJob& job) {
  if (room_->has(job)) return;
  for (StartedJob* other : evictable()) {
    if (!in_the_way(*room_, job, *other)) continue;
    ++counts_.evictions;
    stop(*other);
  }
  assert(room_->has(job));
}

}  // namespace coslice
