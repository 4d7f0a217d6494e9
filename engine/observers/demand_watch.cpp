#include "observers/demand_watch.h"

#include <algorithm>
#include <cmath>

namespace coslice {

namespace {

/// Demand beyond is not noted: where jobs leave, it has no end.
constexpr std::size_t kMostPercent = 1000;

double hundredths(double x) { return std::nearbyint(100 * x) / 100; }

}  // namespace

DemandWatch::DemandWatch(const MachineLayout& layout, const Workload& workload, const std::vector<TypicalRequest>& mix)
    : workload_(workload), fragmentation_(layout, mix), pool_(layout), arrived_jobs_(workload.jobs.size()),
      total_(static_cast<double>(layout.gpu_count()) * kWholeGpu) {
  for (std::size_t k = 0; k != layout.kinds.size(); ++k)
    kind_of_.insert(kind_of_.end(), static_cast<std::size_t>(layout.kinds[k].count), static_cast<std::int32_t>(k));
  for (std::size_t n = 0; n != kind_of_.size(); ++n) {
    fragmented_.push_back(fragmentation_.of(kind_of_[n], pool_.room(static_cast<NodeId>(n))));
    fragmented_sum_ += fragmented_.back();
  }
}

double DemandWatch::gpus_of(JobIndex j) const {
  const RequestId id = workload_.jobs[j].request;
  if (id == kNoRequest) return 0;
  const Request& r = workload_.requests[id];
  return static_cast<double>(r.nodes) * r.gpus * r.gpu_share;
}

void DemandWatch::submitted(Time, JobIndex j) { arrive(j); }
void DemandWatch::rejected(Time, JobIndex j, Rejection) { arrive(j); }

void DemandWatch::arrive(JobIndex j) {
  if (arrived_jobs_[j]) return;
  arrived_jobs_[j] = true;
  arrived_ += gpus_of(j);
  came_ = true;
  ++jobs_;
}

void DemandWatch::measure(const Parts& parts) {
  for (const NodePart& part : parts) {
    const auto n = static_cast<std::size_t>(part.node);
    const double now = fragmentation_.of(kind_of_[n], pool_.room(part.node));
    fragmented_sum_ += now - fragmented_[n];
    fragmented_[n] = now;
  }
}

void DemandWatch::placed(Time, JobIndex j, const Parts& parts, std::int32_t) {
  if (workload_.jobs[j].request == kNoRequest) return;
  pool_.take(workload_.requests[workload_.jobs[j].request], parts);
  used_ += gpus_of(j);
  ++placed_;
  measure(parts);
  parts_[j] = parts;
}

void DemandWatch::ended(Time, JobIndex j, const NodeRanges&, bool) {
  const auto held = parts_.find(j);
  if (held == parts_.end()) return;
  pool_.give(workload_.requests[workload_.jobs[j].request], held->second);
  used_ -= gpus_of(j);
  measure(held->second);
  parts_.erase(held);
}

void DemandWatch::settled(const InstantState&) {
  if (!came_ || total_ == 0) return;
  came_ = false;
  allocation_ = 100 * used_ / total_;
  const double percent = std::nearbyint(100 * arrived_ / total_);
  if (percent > kMostPercent) return;
  const auto at = static_cast<std::size_t>(percent);
  if (by_percent_.size() <= at) by_percent_.resize(at + 1);
  Sums& s = by_percent_[at];
  ++s.instants;
  s.allocation += hundredths(allocation_);
  s.fragmentation += 100 * fragmented_sum_ / total_;
  s.ratio += total_ > used_ ? 100 * fragmented_sum_ / (total_ - used_) : 100;
}

std::vector<double> DemandWatch::curve(double Sums::*sum) const {
  std::vector<double> values;
  for (std::size_t x = 0; x != by_percent_.size(); ++x) {
    const bool none = by_percent_[x].instants == 0;
    const std::size_t first = none && x > 0 ? x - 1 : x, last = std::min(none ? x + 1 : x, by_percent_.size() - 1);
    double of = 0;
    std::int64_t instants = 0;
    for (std::size_t i = first; i <= last; ++i) {
      of += by_percent_[i].*sum;
      instants += by_percent_[i].instants;
    }
    values.push_back(instants == 0 ? (values.empty() ? 0 : values.back())
                                   : hundredths(of / static_cast<double>(instants)));
  }
  return values;
}

DemandCurves DemandWatch::take() const {
  return {curve(&Sums::allocation), curve(&Sums::fragmentation), curve(&Sums::ratio), allocation_, jobs_, placed_};
}

}  // namespace coslice
