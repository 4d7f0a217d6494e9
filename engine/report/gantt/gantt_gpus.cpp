#include "report/gantt/gantt_gpus.h"
#include "resources/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace coslice {
namespace {

constexpr std::size_t kMostGpuLanes = 255;

/// Gives whoever comes the first places that are free by then.
class Places {
 public:
  std::size_t take(Time from, Time to) {
    const auto free = std::find_if(free_at_.begin(), free_at_.end(), [&](Time t) { return t <= from; });
    const auto place = static_cast<std::size_t>(free - free_at_.begin());
    if (free == free_at_.end()) free_at_.push_back(to);
    else *free = to;
    return place;
  }

  /// `n` of `most` places: beside one another, if there are such.
  std::vector<std::size_t> take_some(Time from, Time to, std::size_t n, std::size_t most) {
    free_at_.resize(most, Time::min());
    const auto is_free = [&](Time t) { return t <= from; };
    std::vector<std::size_t> out;
    for (std::size_t first = 0; first + n <= most && out.empty(); ++first)
      if (std::all_of(free_at_.begin() + static_cast<std::ptrdiff_t>(first),
                      free_at_.begin() + static_cast<std::ptrdiff_t>(first + n), is_free))
        for (std::size_t i = 0; i < n; ++i) out.push_back(first + i);
    for (std::size_t i = 0; i < most && out.size() < n; ++i)
      if (is_free(free_at_[i])) out.push_back(i);
    if (out.empty()) out.push_back(most - 1);
    for (const std::size_t place : out) free_at_[place] = to;
    return out;
  }

  std::size_t count() const { return std::max<std::size_t>(1, free_at_.size()); }

 private:
  std::vector<Time> free_at_;
};

class GpuLaneMaker {
 public:
  GpuLaneMaker(const GanttChart& chart, NodeId node, const std::vector<std::size_t>& bars)
      : chart_(chart), node_(node), gpus_(static_cast<std::size_t>(chart.result->machine.layout->kind_of(node).gpus)),
        on_gpu_(gpus_) {
    std::int64_t unit = kWholeGpu;
    for (const std::size_t b : bars) {
      const Request& r = request_of(b);
      if (r.exclusive) continue;
      unit = std::gcd(unit, std::int64_t{r.gpu_share});
      any_without_ = any_without_ || gpus_of(chart.bars[b]) == 0;
    }
    units_ = std::min(static_cast<std::size_t>(kWholeGpu / unit), std::max<std::size_t>(1, kMostGpuLanes / rows()));
  }

  GpuLanes make(const std::vector<std::size_t>& bars) {
    for (const std::size_t b : bars) place(b);
    const std::size_t without = rows() * without_.count();
    if (rows() * units_ > kMostGpuLanes || without > kMostGpuLanes) return {};
    for (auto& [b, part] : without_gpus_) add(b, gpus_ * without_.count() + part, without, 1);
    return {std::move(out_), static_cast<std::uint8_t>(rows())};
  }

 private:
  std::size_t rows() const { return gpus_ + (any_without_ ? 1 : 0); }

  const Request& request_of(std::size_t b) const {
    const Workload& w = *chart_.result->workload;
    const std::int32_t run = chart_.bars[b].run;
    if (run >= 0 && chart_.earlier[static_cast<std::size_t>(run)].request != kNoRequest)
      return w.requests[chart_.earlier[static_cast<std::size_t>(run)].request];
    return w.requests[w.jobs[chart_.jobs[chart_.bars[b].job]].request];
  }

  void add(std::size_t b, std::size_t lane, std::size_t lanes, std::size_t tall) {
    out_.push_back({b, static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(lanes), static_cast<std::uint8_t>(tall)});
  }

  void place(std::size_t b) {
    const GanttBar& bar = chart_.bars[b];
    const Request& request = request_of(b);
    if (request.exclusive) return add(b, 0, 1, 1);
    const std::uint64_t gpus = gpus_of(bar);
    if (gpus == 0) without_gpus_.emplace_back(b, without_.take(bar.from, bar.to));
    for (std::size_t g = 0; g < gpus_; ++g)
      if ((gpus >> g & 1) != 0) place_on(g, b, request.gpu_share);
  }

  /// One piece for places beside one another.
  void place_on(std::size_t g, std::size_t b, GpuShare share) {
    if (share == kWholeGpu) return add(b, g, rows(), 1);
    const GanttBar& bar = chart_.bars[b];
    const std::size_t n = std::max<std::size_t>(1, static_cast<std::size_t>(share) * units_ / kWholeGpu);
    const std::vector<std::size_t> places = on_gpu_[g].take_some(bar.from, bar.to, n, units_);
    for (std::size_t i = 0, end = 0; i < places.size(); i = end) {
      for (end = i + 1; end < places.size() && places[end] == places[end - 1] + 1;) ++end;
      add(b, g * units_ + places[i], rows() * units_, end - i);
    }
  }

  std::uint64_t gpus_of(const GanttBar& bar) const {
    const Parts& parts = bar.run >= 0 ? chart_.earlier[static_cast<std::size_t>(bar.run)].parts
                                      : chart_.result->parts[chart_.jobs[bar.job]];
    for (const NodePart& part : parts)
      if (part.node == node_) return part.gpus;
    return 0;
  }

  const GanttChart& chart_;
  NodeId node_;
  std::size_t gpus_;
  std::vector<Places> on_gpu_;
  Places without_;
  std::size_t units_ = 1;  ///< equal parts of each GPU: every share is some of them
  bool any_without_ = false;
  std::vector<std::pair<std::size_t, std::size_t>> without_gpus_;  ///< bars, and their places
  std::vector<LanedBar> out_;
};

}  // namespace

GpuLanes gpu_lanes(const GanttChart& chart, NodeId node, const std::vector<std::size_t>& bars) {
  if (chart.result->parts.empty() || kinds_of(chart.result->machine)->kind_of(node).gpus == 0) return {};
  return GpuLaneMaker(chart, node, bars).make(bars);
}

}  // namespace coslice
