#include "sharing/reserved_steps.h"

#include <algorithm>

#include "sharing/sharing.h"

namespace coslice {

constexpr std::uint32_t kNoStep = UINT32_MAX;

/// How many nodes the members have at the least, whoever of them lies over which others: one beside the primary shares
/// none with the others.
static std::vector<GroupSearch::Holding> least_holdings(const GroupPlan& plan, const std::vector<double>& ends) {
  const auto nodes_from = [&](double t) {
    std::int32_t matched = 0;
    for (std::size_t i = 0; i != plan.matched.size(); ++i) matched += ends[i + 1] > t ? plan.matched[i].nodes : 0;
    return std::max(matched, ends[0] > t ? plan.primary.nodes : 0);
  };
  std::vector<double> instants = ends;
  std::ranges::sort(instants);
  std::vector<GroupSearch::Holding> holdings;
  std::int32_t nodes = nodes_from(0);
  for (const double t : instants) {
    const std::int32_t then = nodes_from(t);
    if (then < nodes) holdings.push_back({nodes - then, t});
    nodes = then;
  }
  return holdings;
}

/// What a job holds of nodes, each once: where they are distinguished, jobs that share one each hold it for themselves.
void ReservedSteps::gather(const StartedJob& job, bool by_count) {
  const auto holds = [&](std::int32_t nodes, Time from) {
    if (job.expected_end > from && nodes > 0) held_.push_back({job.index, nodes, from, job.expected_end, false});
  };
  if (by_count || job.group == nullptr || job.group->primary == &job) return holds(job.held, now_);
  const auto own = std::ranges::find(job.group->matched, &job, &Group::Matched::job);
  holds(own->overlap, std::max(now_, job.group->primary->expected_end));
  holds(job.held - own->overlap, now_);
}

/// False if some reservation is for a past instant, so that what is gathered is not what the profile says.
bool ReservedSteps::gather(const View& view) {
  held_.clear();
  const bool by_count = view.available().by_count();
  for (const StartedJob& job : view.started()) gather(job, by_count);
  if (by_count)  // else jobs may be on nodes that are to go
    for (const StartedJob& job : view.down()) gather(job, true);
  const WaitingQueue& queue = view.queue();
  bool in_time = true;
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const Time reserved = queue.reserved(p);
    if (reserved >= horizon_) continue;
    in_time = in_time && reserved >= now_;
    const Time start = std::max(reserved, now_);
    held_.push_back({queue.job(p), queue.nodes(p), start, later(start, queue.duration(p)), true});
  }
  return in_time;
}

void ReservedSteps::add(Steps& changes, const Rectangle& r, std::int32_t sign) {
  const std::int32_t n = sign * r.nodes, waiting = r.waiting ? n : 0;
  changes.push_back({r.from, -n, waiting});
  changes.push_back({r.to, n, -waiting});
}

void ReservedSteps::make_steps() {
  ++made_;
  changes_.assign({{now_, view_->capacity(), 0}});
  for (const Rectangle& r : held_) add(changes_, r, 1);
  std::ranges::sort(changes_, {}, &Step::from);
  steps_.clear();
  broken_ = false;
  Step sum{};
  for (std::size_t i = 0; i != changes_.size(); ++i) {
    sum.change_by(changes_[i]);
    sum.from = changes_[i].from;
    if (i + 1 != changes_.size() && changes_[i + 1].from == sum.from) continue;
    steps_.push_back(sum);
    broken_ = broken_ || (sum.free < 0 && sum.reserved > 0);
  }
}

/// Whether a reservation lacks nodes has to be known for all times; as a rule the view's profile tells.
void ReservedSteps::refresh(const View& view, Time until) {
  if (view_ == &view && version_ == view.version() && until <= horizon_) return;
  view_ = &view;
  version_ = view.version();
  now_ = view.now();
  horizon_ = later(until, until - now_);
  lack_.clear();
  if (!gather(view) || (view.available().by_count() && view.profile().min_free(now_, kNever) < 0)) {
    horizon_ = kNever;
    gather(view);
  }
  make_steps();
}

void ReservedSteps::find_lacks() {
  lack_.assign(static_cast<std::size_t>(view_->capacity()) + 1, kNoStep);
  std::int32_t least = view_->capacity() + 1;
  for (std::uint32_t k = 0; k != steps_.size() && steps_[k].from < horizon_; ++k) {
    if (steps_[k].reserved <= 0) continue;
    while (least > 0 && least - 1 > steps_[k].free) lack_[static_cast<std::size_t>(--least)] = k;
  }
}

ReservedSteps::Lack ReservedSteps::first_lack(const View& view, std::int32_t n, Time until) {
  refresh(view, until);
  if (lack_.empty()) find_lacks();
  const std::uint32_t k = n >= 0 && n <= view.capacity() ? lack_[static_cast<std::size_t>(n)] : kNoStep;
  if (k == kNoStep || steps_[k].from >= until) return {};
  return {steps_[k].from, steps_[k].free, steps_[k].reserved};
}

void ReservedSteps::changes_by(const View& view, const GroupPlan& plan, const std::vector<double>& ends) {
  Time last = view.now();
  const std::vector<GroupSearch::Holding> holdings =
      view.available().by_count() ? GroupSearch::holdings(plan, ends) : least_holdings(plan, ends);
  for (const GroupSearch::Holding& h : holdings) last = std::max(last, from_now(view, h.until));
  refresh(view, last);
  changes_.clear();
  for (const Rectangle& r : held_)
    if (plan.has(r.job)) add(changes_, r, -1);
  for (const GroupSearch::Holding& h : holdings)
    if (const Time end = from_now(view, h.until); end > view.now())
      add(changes_, {kNoJob, h.nodes, view.now(), end, false}, 1);
  std::ranges::sort(changes_, {}, &Step::from);
}

// Reservations put into the profile one after the other all find their nodes if and only if there is no lack of nodes
// in the end where one of them is. When the members have ended there are only more nodes than without the plan, so that
// all is well from then on, if it was before.
bool ReservedSteps::fits(const View& view, const GroupPlan& plan, const std::vector<double>& ends) {
  changes_by(view, plan, ends);
  const Time last = broken_ ? kNever : horizon_;
  Step change{};
  std::size_t i = 0, k = 0;
  // The step that holds and the changes so far make the count from `max(their instants)` on.
  while (k != steps_.size() && steps_[k].from < last && (i != changes_.size() || broken_)) {
    const Time next_step = k + 1 < steps_.size() ? steps_[k + 1].from : kNever;
    while (i != changes_.size() && changes_[i].from <= steps_[k].from) change.change_by(changes_[i++]);
    for (;;) {
      if (steps_[k].free + change.free < 0 && steps_[k].reserved + change.reserved > 0) return false;
      if (i == changes_.size() || changes_[i].from >= next_step) break;
      for (const Time t = changes_[i].from; i != changes_.size() && changes_[i].from == t;)
        change.change_by(changes_[i++]);
    }
    ++k;
  }
  return true;
}

}  // namespace coslice
