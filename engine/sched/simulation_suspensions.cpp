// Jobs that are suspended in place and lend their nodes.
#include <algorithm>

#include "core/error.h"
#include "sched/simulation.h"

namespace coslice {

NodeRanges Simulation::lendable(const StartedJob& job) const {
  if (options_.event_order != EventOrder::kEndsFirst)
    throw SimulationError("jobs are suspended in place under the event order \"ends-first\" only");
  if (machine_.book != nullptr && !machine_.book->lends())
    throw SimulationError(
        "jobs are suspended in place only where each has whole nodes, and no 'placement' chooses them");
  if (machine_.power && now_ < later(job.start, boot_of(job.index))) return {};  // nothing runs on them yet
  if (job.leaves != kNever || job.nodes.empty() || (suspended_ && suspended_->borrows(job.index))) return {};
  return suspended_ ? without(job.nodes, suspended_->lent_by(job.index)) : job.nodes;
}

/// Where nodes differ, the book has chosen them; else idle ones come first, then those of the lenders in their order.
void Simulation::launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders) {
  Occupancy& occupancy = machine_.occupancy;
  if (!suspended_) {
    suspended_ = std::make_unique<SuspendedJobs>();
    occupancy.list_jobs();
    for (StartedJob& other : view_.started_jobs())
      if (&other != &job) occupancy.come(other);
  }
  std::int32_t wanted = job.node_count - job.held;
  NodeRanges nodes = machine_.book == nullptr ? occupancy.idle().lowest(job.held) : job.nodes;
  for (StartedJob* lender : lenders) {
    NodeRanges part = lendable(*lender);
    if (machine_.book == nullptr) {
      NodeSet lent(machine_.spec.nodes, part);
      part = lent.lowest(std::min(wanted, lent.count()));
      nodes = together(nodes, part);
    } else {
      part = in_both(nodes, part);
    }
    if (part.empty()) continue;
    wanted -= part.count();
    if (!suspended_->is_suspended(lender->index)) suspend(*lender);
    suspended_->lend(lender->index, job, part);
  }
  job.nodes = nodes;
  take_effect(job);
  hold_lenders_of(job);
  scheduler_.started(view_, job.index);
}

void Simulation::suspend(StartedJob& job) {
  ++happened_;
  const JobIndex j = job.index;
  const Duration all = job.killed       ? times_.limit(j) + overtime(job)
                       : machine_.book == nullptr ? times_.runtime(j)
                                        : std::max(Work(times_.runtime(j)).time_at(job.rate), Duration{1});
  const Time end = later(later(job.start, all), suspended_for(j) + boot_of(j));
  ++job.version;  // its end is void
  forget_correction(job);
  job.phase = Phase::kPreempted;
  used_cores_ -= jobs_[job.index].size;
  suspended_->suspend(job, {end - now_, std::max(job.expected_end - now_, Duration{1})}, now_);
  for (Observer* o : observers_) o->preempted(now_, job.index);
}

void Simulation::resume(StartedJob& job) {
  ++happened_;
  const SuspendedJobs::Rest rest = suspended_->resume(job.index, now_);
  job.phase = Phase::kRunning;
  used_cores_ += jobs_[job.index].size;
  view_.hold(job, job.held, later(now_, rest.planned));
  const Time end = later(now_, rest.left);
  ends_.add(job, end);
  correct_later(job, end);
  for (Observer* o : observers_) o->resumed(now_, job.index, job.nodes);
}

/// They hold their nodes until they are believed to end after it.
void Simulation::hold_lenders_of(const StartedJob& job) {
  for (StartedJob* lender : suspended_->lenders_of(job.index))
    view_.hold(*lender, lender->held, suspended_->expected_end(lender->index));
}

/// The job, which has just gone, gives back what it borrowed: its lenders may go on.
void Simulation::give_back_lent(JobIndex j) {
  if (!suspended_) return;
  const std::vector<StartedJob*> lenders = suspended_->lenders_of(j);
  for (StartedJob* lender : suspended_->take_back(j)) resume(*lender);
  for (StartedJob* lender : lenders)
    if (suspended_->is_suspended(lender->index))
      view_.hold(*lender, lender->held, suspended_->expected_end(lender->index));
}

/// The suspended job has just gone: those that borrowed from it keep the nodes.
void Simulation::leave_lent(JobIndex j) {
  if (!suspended_) return;
  suspended_->forget(j);
  for (const auto& [borrower, nodes] : suspended_->leave(j)) view_.keep_lent(*borrower, nodes);
}

}  // namespace coslice
