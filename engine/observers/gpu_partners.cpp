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
  if (r.on && r.alone > 0) r.lost += to_seconds(t - r.since) * (1 - r.rate / r.alone);
  r.since = t;
}

void GpuPartners::begin(Pair& pair, Time t) {
  Running& first = running_.at(pair.first);
  Running& second = running_.at(pair.second);
  settle(first, t);
  settle(second, t);
  pair.both_on = true;
  pair.since = t;
  pair.first_lost = first.lost;
  pair.second_lost = second.lost;
}

void GpuPartners::end(Pair& pair, Time t) {
  if (!pair.both_on) return;
  Running& first = running_.at(pair.first);
  Running& second = running_.at(pair.second);
  settle(first, t);
  settle(second, t);
  pair.both_on = false;
  pair.so_far.time += t - pair.since;
  pair.so_far.lost += first.lost - pair.first_lost;
  pair.so_far.other_lost += second.lost - pair.second_lost;
}

void GpuPartners::placed(Time t, JobIndex j, const Parts& parts, double alone) {
  const auto told = told_.find(j);  // its speed, if it is not 1
  const double rate = told == told_.end() ? 1 : told->second;
  if (told != told_.end()) told_.erase(told);
  if (!has_gpus(parts)) return;
  const auto at = running_.insert_or_assign(j, Running{parts, alone, rate, t, 0, true}).first;
  for (auto& [other, r] : running_) {
    if (other == j || !share_a_gpu(at->second.parts, r.parts)) continue;
    pairs_.push_back({other, j, {other, j, Duration{0}, 0, 0}, false, t, 0, 0});
    if (r.on) begin(pairs_.back(), t);
  }
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

void GpuPartners::pauses(Time t, JobIndex j) {
  const auto at = running_.find(j);
  if (at == running_.end() || !at->second.on) return;
  for (Pair& p : pairs_)
    if (p.first == j || p.second == j) end(p, t);
  settle(at->second, t);
  at->second.on = false;
}

void GpuPartners::goes_on(Time t, JobIndex j) {
  const auto at = running_.find(j);
  if (at == running_.end() || at->second.on) return;
  settle(at->second, t);
  at->second.on = true;
  for (Pair& p : pairs_)
    if ((p.first == j && running_.at(p.second).on) || (p.second == j && running_.at(p.first).on)) begin(p, t);
}

std::vector<GpuTogether> GpuPartners::left(Time t, JobIndex j) {
  std::vector<GpuTogether> out;
  const auto at = running_.find(j);
  if (at == running_.end()) return out;
  std::erase_if(pairs_, [&](Pair& p) {
    if (p.first != j && p.second != j) return false;
    end(p, t);
    GpuTogether both = p.so_far;
    if (p.second == j) std::swap(both.job, both.other), std::swap(both.lost, both.other_lost);
    if (both.time > Duration{0}) out.push_back(both);
    return true;
  });
  running_.erase(at);
  return out;
}

}  // namespace coslice
