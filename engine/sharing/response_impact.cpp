#include "sharing/response_impact.h"

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

}  // namespace coslice
