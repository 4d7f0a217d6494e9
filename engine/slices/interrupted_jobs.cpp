// Jobs under slices whose nodes are not always there: what they lose, and where they may start.
#include <algorithm>

#include "slices/sliced_jobs.h"

namespace coslice {

Duration SlicedJobs::done(const StartedJob& job) const {
  Work left = job.work_left;
  if (job.phase == Phase::kRunning) left -= Work::done(now() - job.since, job.rate);
  return times_.actual(job.index) + memory_.added(job.index) - left.time_at(Rate{});
}

Time SlicedJobs::leaves_in_slice(const StartedJob& job) const {
  if (job.leaves == kNever || !in_own_slice(job) || job.leaves > clock_.slice().productive_end) return kNever;
  return later(job.view->now(), job.leaves - now());
}

/// What writing out its memory added to its work is lost, too: it is not there any more.
Duration SlicedJobs::lost_by(const StartedJob& job, bool requeued, const FinalCheckpoint* last) {
  const Duration added = memory_.added(job.index);
  const Duration done = this->done(job);
  if (!requeued) return done;
  const Duration of_added = std::min(added, done);
  const Duration own = done - of_added;
  return of_added + (last != nullptr ? times_.interrupt(job.index, own, *last) : times_.interrupt(job.index, own));
}

void SlicedJobs::interrupt(StartedJob& job, Interruption what, const FinalCheckpoint* last) {
  const JobIndex j = job.index;
  const Time started = job.start;
  const NodeRanges nodes = job.nodes;
  if (job.phase == Phase::kRunning) account(job);
  if (job.phase == Phase::kLoading) break_off_load(job);
  if (job.phase != Phase::kPreempted) leave_nodes(job);
  std::erase(speeds_.stale, &job);
  std::erase(speeds_.changed, &job);  // it started in this pass
  if (job.foreign) foreign_.remove(job);
  ++job.version;  // its end is void
  job.leaves = kNever;
  what.started = now() - started;
  what.lost = lost_by(job, what.requeued, last);
  ClassView& its_class = classes_[class_of(job)];
  ledger_.remove(job, class_of(job), memory_.need(j));
  memory_.remove(job);
  View& view = *job.view;
  view.hold(job, 0, view.now());
  view.finish(job);
  for (Observer* o : observers_) o->interrupted(now(), j, nodes, what);
  its_class.ended = true;
  its_class.scheduler.ended(view, j, started);
}

// --- nodes

const NodeSet& SlicedJobs::startable() {
  if (nodes_.closing.empty()) return occupied_.idle();
  nodes_.startable = occupied_.idle();
  return nodes_.startable -= nodes_.closing;
}

std::int32_t SlicedJobs::startable_count() const {
  if (nodes_.closing.empty()) return occupied_.idle().count();
  NodeSet idle = occupied_.idle();
  return (idle -= nodes_.closing).count();
}

std::int32_t SlicedJobs::freed_by(StartedJob& job) const {
  const std::int32_t nodes = unit_nodes(job);
  if (nodes_.closing.empty()) return nodes;
  NodeSet theirs(nodes_.closing.size());
  for (const StartedJob* member : unit_of(job)) theirs.insert(member->nodes);
  return nodes - (theirs &= nodes_.closing).count();
}

void SlicedJobs::start_none_on(NodeId n) {
  if (!demands_) nodes_.closing.insert(n);  // else the books of all classes say so
}

void SlicedJobs::take_away(NodeId n) {
  nodes_.closing.erase(n);
  occupied_.take_away(n);
}

bool SlicedJobs::bring_back(NodeId n) {
  nodes_.closing.erase(n);
  return occupied_.bring_back(n);
}

}  // namespace coslice
