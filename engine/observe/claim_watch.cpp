#include "observe/claim_watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobs/job_demands.h"
#include "machine/start_directive.h"

namespace coslice {
namespace {

constexpr std::size_t kMostBroken = 20;
/// Ends on shared nodes are rounded to the nanosecond, once for each change of speed.
constexpr Duration kClaimRounding{1000};

/// When the waiting job at p could start beside what started jobs hold.
Time earliest_start(const View& view, View::Position p) {
  return view.without_reservations()->earliest(view.ask(p), view.now());
}

/// Whether the waiting job at p asks for GPUs and could start now on such as no job has, beside what started jobs hold.
bool finds_idle_gpus(const View& view, View::Position p) {
  const JobIndex j = view.queue().job(p);
  if (!view.available().directs() || view.demands()->request(j).gpus == 0) return false;
  StartDirective place;
  place.alone = true;
  const auto alone = view.without_reservations();
  alone->direct(&place);
  return alone->fits_now(view.ask(p));
}

/// When the waiting job at p ends, if every job in front of it starts as early as it can, reservations aside.
Time end_in_order(const View& view, View::Position p) {
  const std::unique_ptr<Availability> alone = view.without_reservations();
  const WaitingQueue& queue = view.queue();
  for (View::Position q = queue.first();; q = queue.next(q)) {
    const Time start = alone->earliest(view.ask(q), view.now());
    if (q == p) return later(start, queue.duration(q));
    alone->reserve(view.ask(q), start, ReservationKeeps::kAskedFor);
  }
}

std::string instant(Time t) { return format_seconds(t.time_since_epoch()) + " s"; }

}  // namespace

const std::vector<std::string>& claim_names() {
  static const std::vector<std::string> names = {"never-idle",    "work-conserving",    "no-idle-gpus",
                                                 "in-order",      "head-never-delayed", "promises-kept",
                                                 "no-starvation", "fairness-bound"};
  return names;
}

std::vector<std::string> Claims::names() const {
  const bool made[] = {never_idle,
                       work_conserving,
                       no_idle_gpus,
                       in_order,
                       head_never_delayed,
                       promises_kept,
                       no_starvation.has_value(),
                       fairness_bound.has_value()};
  std::vector<std::string> names;
  for (std::size_t i = 0; i != claim_names().size(); ++i)
    if (made[i]) names.push_back(claim_names()[i]);
  return names;
}

Scheduler& ClaimWatch::watch(Scheduler& scheduler) {
  asked_ = &scheduler;
  at_arrival_.resize(jobs_.size());
  return *this;
}

void ClaimWatch::complain(const char* claim, Time t, JobIndex j, const std::string& what) {
  if (broken_.size() == kMostBroken) return;
  broken_.push_back({claim, fmt::format("at {}, job {}: {}", instant(t), jobs_[j].id, what)});
}

void ClaimWatch::submitted(View& view, JobIndex j) {
  const View::Position p = view.queue().find(j);
  Arrival& arrival = at_arrival_[j];
  arrival.at = view.now();
  arrival.behind = view.queue().size() - 1;
  arrival.number = arrivals_.size();
  arrivals_.push_back(view.now());
  longest_ = std::max(longest_, view.queue().duration(p));
  const bool late = j < latest_;  // those that it overtakes may hold reservations that stay before it
  if (late) overtake(view, p);
  latest_ = std::max(latest_, j);
  if (late) arrival.expected = kEndlessRun;
  else if (claims_.fairness_bound && view.available().by_count()) arrival.expected = end_in_order(view, p) - view.now();
  asked_->submitted(view, j);
}

/// The job at p waited for something else, and may stand before jobs that came before it: what these could expect when
/// they came does not count any more.
void ClaimWatch::overtake(const View& view, View::Position p) {
  for (View::Position q = view.queue().next(p); q < view.queue().end(); q = view.queue().next(q)) {
    Arrival& arrival = at_arrival_[view.queue().job(q)];
    ++arrival.behind;
    arrival.expected = kEndlessRun;
  }
}

/// The longest time that any job so far may take, on shared nodes, too.
Duration ClaimWatch::longest(const View& view) {
  Duration d = longest_;
  for (const StartedJob& job : view.started()) d = std::max(d, job.expected_end - job.start);
  return std::max(d, from_seconds(to_seconds(longest_) * slowest_));
}

void ClaimWatch::started(View& view, JobIndex j) {
  if (head_ != kNoJob && j != head_) note_passing(view, j);
  if (const StartedJob* const job = view.find_started(j))
    longest_ = std::max(longest_, job->expected_end - job->start);  // as long as it takes at the size that it has now
  if (claims_.no_starvation) {
    const Arrival& arrival = at_arrival_[j];
    std::size_t ahead = arrival.behind;
    for (std::size_t i = arrival.number + 1;
         i < arrivals_.size() && arrivals_[i] <= later(arrival.at, *claims_.no_starvation); ++i)
      if (*claims_.no_starvation > Duration{0}) ++ahead;
    const Duration one = longest(view);
    const double times = static_cast<double>(ahead + 1) * (*claims_.no_starvation > Duration{0} ? 2 : 1);
    const double waited = to_seconds(view.now() - arrival.at), bound = times * to_seconds(one);
    if (waited > bound + to_seconds(kClaimRounding)) {
      complain("no-starvation", view.now(), j,
               fmt::format("starts {} s after it came; {} waited then, and no job takes longer than {} s", waited,
                           ahead, to_seconds(one)));
    }
  }
  asked_->started(view, j);
}

void ClaimWatch::ended(View& view, JobIndex j, Time started) {
  if (claims_.fairness_bound && view.available().by_count()) {  // no order can be played forward there
    const double response = to_seconds(view.now() - at_arrival_[j].at), expected = to_seconds(at_arrival_[j].expected);
    if (response > expected * *claims_.fairness_bound + to_seconds(kClaimRounding)) {
      complain("fairness-bound", view.now(), j,
               fmt::format("ends {} s after it came, {:.3g} times the {} s that it could expect then", response,
                           response / expected, expected));
    }
  }
  asked_->ended(view, j, started);
}

void ClaimWatch::schedule(View& view, const Pass& pass) {
  std::vector<JobIndex> before;
  if (claims_.in_order)
    for (auto p = view.queue().first(); p < view.queue().end(); p = view.queue().next(p))
      before.push_back(view.queue().job(p));
  asked_->schedule(view, pass);
  if (claims_.in_order) check_order(view, before);
  view_ = &view;
}

/// There may be several passes at an instant; only their result counts.
void ClaimWatch::settled(const InstantState&) {
  if (view_ == nullptr) return;
  check_idle(*view_);
  if (claims_.head_never_delayed) check_head(*view_);
}

/// A job that stood in front of the one that was the first when the last instant was settled has started: it was the
/// first itself, and does not count as a delay.
void ClaimWatch::note_passing(const View& view, JobIndex j) {
  const WaitingQueue& queue = view.queue();
  for (View::Position p = 0; p < queue.end(); ++p) {  // started jobs keep their places during the pass
    if (queue.job(p) == head_) return;
    if (queue.job(p) != j) continue;
    head_ = kNoJob;
    return;
  }
}

/// No waiting job stood in front of one that started, unless the pass has sorted the queue again.
void ClaimWatch::check_order(const View& view, const std::vector<JobIndex>& before) {
  const WaitingQueue& queue = view.queue();
  auto p = queue.first();
  JobIndex blocked = kNoJob, passing = kNoJob;
  for (const JobIndex j : before) {
    if (p < queue.end() && queue.job(p) == j) {
      p = queue.next(p);
      if (blocked == kNoJob) blocked = j;
    } else if (blocked != kNoJob && passing == kNoJob) {
      passing = j;
    }
  }
  if (p < queue.end() || passing == kNoJob) return;
  complain("in-order", view.now(), passing,
           fmt::format("starts, and job {}, which is in front of it, waits", jobs_[blocked].id));
}

void ClaimWatch::check_idle(const View& view) {
  const WaitingQueue& queue = view.queue();
  if (queue.empty()) return;
  if (claims_.never_idle && view.started().empty())
    complain("never-idle", view.now(), queue.job(queue.first()), "waits although nothing runs");
  if (claims_.no_idle_gpus && finds_idle_gpus(view, queue.first()))
    complain("no-idle-gpus", view.now(), queue.job(queue.first()),
             "waits although it is the first of the queue and GPUs that it could have are idle");
  if (!claims_.work_conserving) return;
  const auto alone = view.without_reservations();
  const auto p = alone->next_passing(queue, queue.first(), queue.end());
  if (p >= queue.end()) return;
  complain("work-conserving", view.now(), queue.job(p),
           alone->by_count() ? fmt::format("waits for {} nodes although {} are idle", queue.nodes(p), alone->free_now())
                             : std::string("waits although what it asks for is idle"));
}

void ClaimWatch::check_head(const View& view) {
  const WaitingQueue& queue = view.queue();
  const JobIndex head = queue.empty() ? kNoJob : queue.job(queue.first());
  const std::int32_t size = head == kNoJob ? 0 : view.job(head).size;
  // A moldable job that has chosen another size asks for something else: what it was left before says nothing of that.
  const bool same = head == head_ && size == head_size_ && head != kNoJob;
  head_ = head;
  head_size_ = size;
  if (head == kNoJob) return;
  const auto p = queue.first();
  const Time start = earliest_start(view, p);
  if (same && start > later(head_start_, kClaimRounding)) {
    complain("head-never-delayed", view.now(), head,
             fmt::format("the first of the queue could have started at {}, now not before {}", instant(head_start_),
                         instant(start)));
  }
  head_start_ = same ? std::min(head_start_, start) : start;
}

}  // namespace coslice
