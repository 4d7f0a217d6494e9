#include "sharing/fairness.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace coslice {
namespace {

/// Sum of 1 / (base + k * step), k from 1 to n: the first terms as they are, the rest by the integral with its first
/// correction (Euler & Maclaurin), right to nine digits.
double sum_of_inverses(double base, double step, double n) {
  constexpr double kExact = 64;
  double sum = 0;
  for (double k = 1; k <= std::min(n, kExact); ++k) sum += 1 / (base + k * step);
  if (n <= kExact) return sum;
  const double from = base + (kExact + 0.5) * step, to = base + (n + 0.5) * step;
  return sum + portable_log(to / from) / step + step * (1 / (to * to) - 1 / (from * from)) / 24;
}

Duration scaled(Duration d, double factor) { return at_most_a_century(to_seconds(d) * factor); }

Time end_without(const View& view, View::Position p) {
  const WaitingQueue& queue = view.queue();
  return queue.reserved(p) == kNever ? view.now() : later(queue.reserved(p), queue.duration(p));
}

/// Whether every waiting job has a reservation, none for a past instant. If all of these can stay where they are beside
/// a group, no job is later with it: of jobs that take their earliest places in order of their reservations each finds
/// its own one free, because those before it are there or earlier.
bool all_reserved(const View& view) {
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p))
    if (queue.reserved(p) == kNever || queue.reserved(p) < view.now()) return false;
  return true;
}

}  // namespace

ResponseImpact::ResponseImpact(NodesTime first, const std::vector<NodesTime>& queue, double machine_nodes,
                               const ExpectedArrivals& arrivals, Own own)
    : first_(first), queue_(queue), machine_nodes_(machine_nodes), arrivals_(arrivals), own_(own) {
  double done = work(first);
  double per_done = 0;
  done_.reserve(queue.size());
  per_done_.reserve(queue.size());
  for (const NodesTime& x : queue) {
    done += work(x);
    per_done += 1 / done;
    done_.push_back(done);
    per_done_.push_back(per_done);
  }
  if (arrivals.work <= 0) return;
  short_arrivals_ = std::floor(done * arrivals.first + 0.5);
  other_arrivals_ = std::floor(done * arrivals.others + 0.5);
  per_arrival_ =
      !arrivals.queued ? other_arrivals_ / arrivals.work : sum_of_inverses(done, arrivals.work, other_arrivals_);
}

double ResponseImpact::of(std::size_t j, double slowdown) const {
  const NodesTime& second = queue_[j];
  const double shorter = std::min(first_.time, second.time);
  const double together = shorter * (slowdown - 1) + std::max(first_.time, second.time);
  const double pair_work = together * std::max(first_.nodes, second.nodes) / machine_nodes_;
  const double delay = pair_work - work(first_);                 // of all jobs in front of the second one
  const double saved = work(first_) + work(second) - pair_work;  // gain of all jobs behind it
  double increase = own_ == Own::kSlowdown ? shorter * (slowdown - 1) / first_.time : delay / work(first_);
  if (j > 0) increase += delay * per_done_[j - 1];
  double decrease = (done_[j] - work(second) * slowdown) / done_[j];
  decrease += saved * (per_done_.back() - per_done_[j]);
  if (arrivals_.work > 0) increase += short_arrivals_ * delay / arrivals_.work;
  decrease += saved * per_arrival_;
  const double jobs = 1 + static_cast<double>(queue_.size()) + short_arrivals_ + other_arrivals_;
  return (decrease - increase) / jobs;
}

Duration Expectation::bound(const FairnessOptions& o) const { return scaled(response, o.expected * o.slack); }

Duration Expectation::predicted(const View& view, Time end, const FairnessOptions& o) const {
  const Time now = view.wall_now();
  const Duration left = view.wall_time_after(end - view.now()) - now;
  return later(Time{now - came}, scaled(left, o.predicted)).time_since_epoch();
}

bool Expectation::keeps(const View& view, Time before, Time after, const FairnessOptions& o) const {
  if (after <= before || response == Duration::max()) return true;
  const Duration then = predicted(view, after, o);
  return then <= bound(o) || then <= predicted(view, before, o) + o.worse;
}

const Expectation& Fairness::expect(const View& view, JobIndex j) {
  if (noted_.size() <= j) noted_.resize(std::max<std::size_t>(j + 1, noted_.size() * 2));
  noted_[j].came = view.wall_now();
  noted_[j].expect(view, view.forecast(view.queue().find(j)));
  return noted_[j];
}

double Fairness::delay(const View& view, const StartedJob& job, const FairnessOptions& o) const {
  const Expectation known = of(job.index);
  if (known.response == Duration::max()) return 0;
  return to_seconds(known.predicted(view, job.expected_end, o)) / (to_seconds(known.response) * o.expected);
}

bool Fairness::fair_to_members(const View& view, const GroupPlan& plan, const std::vector<double>& ends,
                               const FairnessOptions& o, JobIndex* hurt) const {
  const auto kept = [&](const Candidate& c, double end) {
    const Time after = from_now(view, end);
    *hurt = c.job;
    if (!c.running) return of(c.job).keeps(view, end_without(view, view.queue().find(c.job)), after, o);
    for (const StartedJob& job : view.started())
      if (job.index == c.job) return of(c.job).keeps(view, job.expected_end, after, o);
    return true;
  };
  if (!kept(plan.primary, ends[0])) return false;
  for (std::size_t i = 0; i != plan.matched.size(); ++i)
    if (!kept(plan.matched[i], ends[i + 1])) return false;
  return true;
}

JobIndex first_displaced(const View& view, const GroupSearch& search, const GroupPlan& plan) {
  const std::unique_ptr<Availability> beside = ledger_with(view, search, plan);
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const Time start = std::max(queue.reserved(p), view.now());
    if (queue.reserved(p) == kNever || plan.has(queue.job(p))) continue;
    if (!beside->fits_at(view.ask(p), start)) return queue.job(p);
    beside->reserve(view.ask(p), start, ReservationKeeps::kAskedFor);
  }
  return kNoJob;
}

bool Fairness::fair(const View& view, const GroupSearch& search, const GroupPlan& plan, const FairnessOptions& o,
                    JobIndex* hurt, ReservedSteps& steps) const {
  const std::vector<double> ends = search.ends(plan);
  if (o.members && !fair_to_members(view, plan, ends, o, hurt)) return false;
  if (view.available().by_count() && all_reserved(view) && steps.fits(view, plan, ends)) return true;
  const WaitingQueue& queue = view.queue();
  std::vector<View::Position> others;
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p))
    if (!plan.has(queue.job(p))) others.push_back(p);
  std::ranges::stable_sort(others, {}, [&](View::Position a) { return queue.reserved(a); });
  const std::unique_ptr<Availability> beside = ledger_with(view, search, plan);
  for (const View::Position p : others) {
    const Time start = beside->earliest(view.ask(p), view.now());
    const Time end = later(start, queue.duration(p));
    if (!of(queue.job(p)).keeps(view, end_without(view, p), end, o)) {
      *hurt = queue.job(p);
      return false;
    }
    beside->reserve(view.ask(p), start, ReservationKeeps::kAskedFor);
  }
  return true;
}

}  // namespace coslice
