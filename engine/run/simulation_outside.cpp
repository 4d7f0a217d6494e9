// Jobs that come in the run, and machines outside. Jobs are added where none is in use: their places may move.
#include "run/simulation.h"

namespace coslice {

void Simulation::let_in(JobInlet& inlet, std::vector<Job>& jobs) {
  inlet_ = &inlet;
  growing_ = &jobs;
}

void Simulation::go_beside(OutsideMachine& outside, std::vector<Job>& jobs) {
  outside_ = &outside;
  growing_ = &jobs;
  started_.end_jobs_outside();
}

void Simulation::take_in(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    const auto j = static_cast<JobIndex>(growing_->size());
    growing_->push_back(job);
    growing_->back().submit = std::max(job.submit, now());
    started_.take_in(j);
    submissions_.add(j);
  }
}

void Simulation::take_in(const OutsideMachine::Happened& happened) {
  for (const OutsideMachine::Happened::End& end : happened.ended)
    if (StartedJob* const job = lanes_.front().view.find_started(end.job)) started_.end_outside(*job, end.killed);
  for (const auto& [node, gone] : happened.nodes) {
    if (gone) outages_->goes_outside(node);
    else outages_->comes_back_outside(node);
  }
  take_in(happened.jobs);
}

/// When there is to be a pass although nothing happens outside.
Time Simulation::next_decision() const {
  return std::min({wake_, stops_.next_time(), started_.corrections().next_before_limit()});
}

/// The machine says when what happens. Jobs of which it says nothing go on, whatever their limits are.
void Simulation::run_beside() {
  begin();
  while (const std::optional<OutsideMachine::Happened> happened = outside_->wait(next_decision())) {
    advance(std::max(now(), happened->now));
    const std::uint64_t before = happened_ + submissions_.changes();
    take_in(*happened);
    ends_first();
    settle();
    check_progress(before, false);
  }
}

/// What grows by job here; the view's lists do when it believes something of it, which it may be asked about before.
void RunningJobs::take_in(JobIndex j) {
  if (sliced() || shared_ || contention_ || molding_ || elastic_ || memory_.modelled() ||
      (demands_ && !demands_->tiers().empty()))
    throw SimulationError("a job cannot come into a run whose jobs have classes, groups, tiers, sizes or slowdowns");
  times_.grow();
  lane_of(j).view.believe(j, std::nullopt);
  if (power_) power_->grow(jobs_.size());
  if (!demands_) return;
  demands_->add(jobs_[j]);
  if (lane_of(j).ledger) lane_of(j).ledger->demands_added();
}

/// It has no end until one is told.
void RunningJobs::wait_for_end(StartedJob& job) {
  job.killed = false;
  job.next_event = kNever;
  ++job.version;
  correct_later(job);
}

}  // namespace coslice
