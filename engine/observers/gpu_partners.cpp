#include "observers/gpu_partners.h"

#include <algorithm>

namespace coslice {

namespace {

bool share_a_gpu(const Parts& a, const Parts& b) {
  return std::any_of(a.begin(), a.end(), [&](const NodePart& x) {
    return std::any_of(b.begin(), b.end(), [&](const NodePart& y) { return x.node == y.node && (x.gpus & y.gpus) != 0; });
  });
}

bool has_gpus(const Parts& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const NodePart& p) { return p.gpus != 0; });
}

}  // namespace

void GpuPartners::settle(Running& r, Time t) {
  if (r.alone > 0) r.lost += to_seconds(t - r.since) * (1 - r.rate / r.alone);
  r.since = t;
}

void GpuPartners::placed(Time t, JobIndex j, const Parts& parts, double alone) {
  const auto told = told_.find(j);  // its speed, if it is not 1
  const double rate = told == told_.end() ? 1 : told->second;
  if (told != told_.end()) told_.erase(told);
  if (!has_gpus(parts)) return;
  for (auto& [other, r] : running_) {
    if (!share_a_gpu(parts, r.parts)) continue;
    settle(r, t);
    together_.push_back({other, j, t, r.lost, 0});
  }
  running_[j] = {parts, alone, rate, t, 0};
}

void GpuPartners::rate_changed(Time t, JobIndex j, double rate) {
  const auto at = running_.find(j);
  if (at == running_.end()) {
    told_[j] = rate;
    return;
  }
  settle(at->second, t);
  at->second.rate = rate;
}

std::vector<GpuTogether> GpuPartners::left(Time t, JobIndex j) {
  std::vector<GpuTogether> out;
  const auto at = running_.find(j);
  if (at == running_.end()) return out;
  settle(at->second, t);
  std::erase_if(together_, [&](const Since& s) {
    if (s.first != j && s.second != j) return false;
    Running& first = running_.at(s.first);
    Running& second = running_.at(s.second);
    settle(s.first == j ? second : first, t);
    GpuTogether both{s.first, s.second, s.from, t, first.lost - s.first_lost, second.lost - s.second_lost};
    if (s.second == j) std::swap(both.job, both.other), std::swap(both.lost, both.other_lost);
    out.push_back(both);
    return true;
  });
  running_.erase(at);
  return out;
}

}  // namespace coslice
