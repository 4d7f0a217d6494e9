#include "schedule/hosted_view.h"

#include <fmt/format.h>

#include "availability/node_availability.h"

namespace coslice {

void HostedView::believe(JobIndex j, const std::optional<Duration>& estimate) {
  if (!tiers_.empty()) tiers_.resize(jobs_.size());  // jobs may have come into the run
  if (estimates_.empty() && !estimate) return;
  estimates_.resize(jobs_.size());
  estimates_[j] = estimate.value_or(Duration{0});
}

void HostedView::enqueue(JobIndex job, std::int32_t nodes, Duration duration, double key) {
  ++version_;
  if (sharing_ != nullptr) {
    if (arrivals_.waits.size() <= job) arrivals_.waits.resize(jobs_.size());
    arrivals_.waits[job] = 1;
    arrivals_.in_order.push_back(job);
  }
  queue_.insert(job, nodes, duration, key);
  explain([&](DecisionObserver& d) { d.queued(*this, job); });
}

void HostedView::put_first(JobIndex j) {
  constexpr std::int32_t kFirst = 1'000'000;  // above each tier of a partition
  tiers_.resize(jobs_.size());
  tiers_[j] = std::max(tiers_[j], kFirst);
  queue_.sort_now();  // where the job was taken out, it would stand in front of jobs that it is now before
  queue_.use_tiers(tiers_);
}

StartedJob& HostedView::admit(Position p) {
  unreserve(p);
  StartedJob& job = new_started(p);
  job.expected_end = now_;
  queue_.take(p);
  return job;
}

void HostedView::hold(StartedJob& job, std::int32_t nodes, Time end) {
  ++version_;
  const Time old = std::max(job.expected_end, now_);
  end = std::max(end, now_);
  if (nodes != job.held && available_->by_count()) {
    if (job.held > 0 && old > now_) reservations_.freed_early = true;
    available_->finish(job);
    job.held = nodes;
    job.expected_end = now_;
    if (nodes > 0) hold(job, nodes, end);
    return;
  }
  if (nodes == 0) {  // all that it has is lent
    job.expected_end = end;
    return;
  }
  if (end < old) reservations_.freed_early = true;
  const bool room = reservations_.withdrawn || end <= old || available_->room_to_hold(job, end);
  if (!room) withdraw_reservations();
  if (end != old) available_->hold(job, end);
  job.expected_end = end;
  if (!room) put_reservations_back();
}

void HostedView::hold_nodes(StartedJob& job, const NodeRanges& nodes, Time end) {
  if (available_->by_count()) return hold(job, nodes.count(), end);
  ++version_;
  reservations_.freed_early = true;
  end = std::max(end, now_);
  const bool room = reservations_.withdrawn || ledger_->room_for_nodes(job, nodes, end);
  if (!room) withdraw_reservations();
  ledger_->resize(job, nodes, end);
  job.held = nodes.count();
  job.expected_end = end;
  if (!room) put_reservations_back();
}

void HostedView::before_pass() {
  queue_.compact();
  reservations_.moved_to_now = false;
  while (!wakes_.empty() && *wakes_.begin() <= now_) wakes_.erase(wakes_.begin());
  if (reservations_.late || reservations_.next_due < now_)
    replace_late();  // under slices a node that goes may put one into a time between passes
  explain([&](DecisionObserver& d) { d.asked(*this); });
}

void HostedView::after_pass(bool starts_took_effect) {
  unshield();
  if (starts_took_effect && reservations_.next_due <= now_) {
    const std::vector<Position> due_now = due();
    if (!due_now.empty() && reservations_.moved_to_now) reservations_.next_due = now_;
    for (const Position p : due_now) {
      reservations_.late = reservations_.late || !reservations_.moved_to_now || clock_ != nullptr;
      if (reservations_.moved_to_now || queue_.nodes(p) > ceiling()) continue;
      throw SimulationError(fmt::format("at {} s the reservation of job {} came due and the policy did not start it",
                                        format_seconds(now_.time_since_epoch()), job(queue_.job(p)).id));
    }
  }
  // In slices a pass at an instant for nothing would find what became free meanwhile, sooner than without it.
  if (std::vector<Position> due; clock_ != nullptr && std::exchange(reservations_.next_moved, false))
    if (const Time later = queue_.find_due(now_, due); due.empty()) reservations_.next_due = later;
  const Time next = wakes_.empty() ? reservations_.next_due : std::min(reservations_.next_due, *wakes_.begin());
  if (next != kNever) host_.wake_at(std::max(next, now_));
}

/// What holds nodes and is no job; no job has its index.
StartedJob& HostedView::new_holder(JobIndex index, const NodeRanges& nodes) {
  StartedJob& holder = started_.add_to(started_.down);
  holder.index = index;
  holder.node_count = holder.held = nodes.count();
  holder.expected_end = now_;
  holder.view = this;
  holder.nodes = nodes;
  return holder;
}

StartedJob& HostedView::take_down(NodeId node, Time until) {
  StartedJob& down = new_holder(kNoJob - 1 - static_cast<JobIndex>(node), as_ranges({node}));
  available_->take_down(down);
  hold(down, 1, until);
  return down;
}

std::vector<StartedJob*> HostedView::give_up(const StartedJob& job, const NodeRanges& nodes, Time until) {
  if (ledger_ == nullptr || !ledger_->has_parts()) {
    std::vector<StartedJob*> holders;
    for_each_node(nodes, [&](NodeId n) { holders.push_back(&take_down(n, until)); });
    return holders;
  }
  StartedJob& holder = new_holder(ledger_->index_of_given_up(job.index), nodes);
  ledger_->give_up(holder, job);
  hold(holder, holder.held, until);
  return {&holder};
}

void HostedView::keep_lent(StartedJob& job, const NodeRanges& nodes) {
  if (available_->by_count()) return hold(job, job.held + nodes.count(), job.expected_end);
  ++version_;
  without_reserved([&] {
    ledger_->keep_lent(job, nodes);
    job.held += nodes.count();
  });
}

void HostedView::use(const JobDemands& demands, NodeAvailability* ledger) {
  demands_ = &demands;
  ledger_ = ledger;
  if (ledger != nullptr) available_ = ledger;
  tiers_ = demands.tiers();
  queue_.use_tiers(tiers_);
}

void HostedView::close(const KeptOff& k) {
  if (ledger_ != nullptr) ledger_->close(k.nodes, k.from, k.to, k.access);
  else counts_.close(k.from, k.to);
}

void HostedView::reopen(const KeptOff& k) {
  if (ledger_ != nullptr) ledger_->reopen(k.nodes, k.from, k.to, k.access);
  else counts_.reopen(k.from, k.to);
}

void HostedView::plan_outage(const NodeRanges& nodes, Time from, Time to) {
  without_reserved([&] { close({nodes, from, to, NodeAvailability::kEveryAccess}); });
}

void HostedView::forget_outage(const NodeRanges& nodes, Time from, Time to) {
  reopen({nodes, from, to, NodeAvailability::kEveryAccess});
}

void HostedView::know_reservation(std::int32_t reservation) {
  if (ledger_ != nullptr) ledger_->announce(reservation);
  else counts_.announce(reservation);
}

void HostedView::plan_kept_off(const std::vector<KeptOff>& over, const std::vector<KeptOff>& to_come) {
  ++version_;
  if (!over.empty()) reservations_.freed_early = true;
  if (!to_come.empty()) withdraw_reservations();
  constexpr std::size_t kMany = 32;
  if (ledger_ != nullptr && !to_come.empty() && over.size() + to_come.size() > kMany) ledger_->expect_many_closures();
  for (const KeptOff& k : over) reopen(k);
  for (const KeptOff& k : to_come) close(k);
  if (!to_come.empty()) put_reservations_back();
}

void HostedView::announce_reservation(std::int32_t reservation) {
  ++version_;
  without_reserved([&] { ledger_->announce(reservation); });
}

void HostedView::forget_reservation(std::int32_t reservation) { ledger_->forget(reservation); }

}  // namespace coslice
