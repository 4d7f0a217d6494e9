#include "sharing/reserved_steps.h"

#include <algorithm>

namespace coslice {

void ReservedSteps::gather(const View& view) {
  current_.clear();
  const Time now = view.now();
  for (const StartedJob& job : view.started())
    if (job.expected_end > now && job.held > 0) current_.push_back({job.index, job.held, now, job.expected_end, false});
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    if (queue.reserved(p) == kNever) continue;
    const Time start = std::max(queue.reserved(p), now);
    current_.push_back({queue.job(p), queue.nodes(p), start, later(start, queue.duration(p)), true});
  }
}

void ReservedSteps::add(Steps& changes, const Rectangle& r, std::int32_t sign) {
  const std::int32_t n = sign * r.nodes, waiting = r.waiting ? n : 0;
  changes.push_back({r.from, -n, waiting});
  changes.push_back({r.to, n, -waiting});
}

void ReservedSteps::refresh(const View& view) {
  gather(view);
  if (made_ == view.now() && current_ == held_) return;
  made_ = view.now();
  held_.swap(current_);
  Steps changes{{made_, view.capacity(), 0}};
  for (const Rectangle& r : held_) add(changes, r, 1);
  std::sort(changes.begin(), changes.end(), [](const Step& a, const Step& b) { return a.from < b.from; });
  steps_.clear();
  broken_ = false;
  Step sum{};
  for (std::size_t i = 0; i != changes.size(); ++i) {
    sum = {changes[i].from, sum.free + changes[i].free, sum.reserved + changes[i].reserved};
    if (i + 1 != changes.size() && changes[i + 1].from == sum.from) continue;
    steps_.push_back(sum);
    broken_ = broken_ || (sum.free < 0 && sum.reserved > 0);
  }
}

ReservedSteps::Steps ReservedSteps::changes_by(const View& view, const GroupPlan& plan,
                                               const std::vector<double>& ends) const {
  Steps changes;
  const auto give_back = [&](JobIndex j) {
    for (const Rectangle& r : held_)
      if (r.job == j) add(changes, r, -1);
  };
  give_back(plan.primary.job);
  for (const Candidate& c : plan.matched) give_back(c.job);
  for (const GroupSearch::Holding& h : GroupSearch::holdings(plan, ends)) {
    const Time end = later(view.now(), at_most_a_century(h.until));
    if (end > view.now()) add(changes, {kNoJob, h.nodes, view.now(), end, false}, 1);
  }
  std::sort(changes.begin(), changes.end(), [](const Step& a, const Step& b) { return a.from < b.from; });
  return changes;
}

// Reservations put into the profile one after the other all find their nodes if and only if there is no lack of nodes in
// the end where one of them is.
bool ReservedSteps::fits(const View& view, const GroupPlan& plan, const std::vector<double>& ends) {
  refresh(view);
  const Steps changes = changes_by(view, plan, ends);
  Step change{};
  std::size_t i = 0, k = 0;
  // The step that holds and the changes so far make the count from `max(their instants)` on.
  while (k != steps_.size() && (i != changes.size() || broken_)) {
    const Time next_step = k + 1 < steps_.size() ? steps_[k + 1].from : kNever;
    while (i != changes.size() && changes[i].from <= steps_[k].from) {
      change.free += changes[i].free;
      change.reserved += changes[i].reserved;
      ++i;
    }
    for (;;) {
      if (steps_[k].free + change.free < 0 && steps_[k].reserved + change.reserved > 0) return false;
      if (i == changes.size() || changes[i].from >= next_step) break;
      for (const Time t = changes[i].from; i != changes.size() && changes[i].from == t; ++i) {
        change.free += changes[i].free;
        change.reserved += changes[i].reserved;
      }
    }
    ++k;
  }
  return true;
}

}  // namespace coslice
