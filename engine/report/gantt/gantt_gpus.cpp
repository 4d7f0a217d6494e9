#include "report/gantt/gantt_gpus.h"

#include <algorithm>

namespace coslice {
namespace {

constexpr std::size_t kMostGpuLanes = 255;

/// Gives whoever comes the first place that is free by then.
class Places {
 public:
  std::size_t take(Time from, Time to) {
    std::size_t place = 0;
    while (place < free_at_.size() && free_at_[place] > from) ++place;
    if (place == free_at_.size()) free_at_.push_back(to);
    else free_at_[place] = to;
    return place;
  }
  std::size_t count() const { return std::max<std::size_t>(1, free_at_.size()); }

 private:
  std::vector<Time> free_at_;
};

class GpuLaneMaker {
 public:
  GpuLaneMaker(const GanttChart& chart, NodeId node)
      : chart_(chart), node_(node), gpus_(static_cast<std::size_t>(chart.result->machine.layout->kind_of(node).gpus)),
        on_gpu_(gpus_) {}

  std::vector<LanedBar> make(const std::vector<std::size_t>& bars) {
    for (const std::size_t b : bars) place(b);
    const std::size_t rows = gpus_ + (any_without_ ? 1 : 0);
    std::vector<LanedBar> out;
    for (const Piece& p : pieces_) {
      const std::size_t parts = p.row == kNode   ? 1
                                : p.row == gpus_ ? without_.count()
                                : p.whole        ? 1
                                                 : on_gpu_[p.row].count();
      const std::size_t lanes = p.row == kNode ? 1 : rows * parts;
      if (lanes > kMostGpuLanes) return {};
      const std::size_t lane = p.row == kNode ? 0 : p.row * parts + p.part;
      out.push_back({p.bar, static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(lanes)});
    }
    return out;
  }

 private:
  static constexpr std::size_t kNode = ~std::size_t{0};
  struct Piece {
    std::size_t bar, row;  ///< row: a GPU, or the one below them; kNode: all
    std::size_t part;      ///< of the row
    bool whole;
  };

  void place(std::size_t b) {
    const GanttBar& bar = chart_.bars[b];
    const JobIndex j = chart_.jobs[bar.job];
    const Request& request = chart_.result->workload->requests[chart_.result->workload->jobs[j].request];
    if (request.exclusive) {
      pieces_.push_back({b, kNode, 0, true});
      return;
    }
    const std::uint64_t gpus = gpus_of(j);
    if (gpus == 0) {
      any_without_ = true;
      pieces_.push_back({b, gpus_, without_.take(bar.from, bar.to), false});
    }
    for (std::size_t g = 0; g < gpus_; ++g) {
      if ((gpus >> g & 1) == 0) continue;
      const bool whole = request.gpu_share == kWholeGpu;
      pieces_.push_back({b, g, whole ? 0 : on_gpu_[g].take(bar.from, bar.to), whole});
    }
  }

  std::uint64_t gpus_of(JobIndex j) const {
    for (const NodePart& part : chart_.result->parts[j])
      if (part.node == node_) return part.gpus;
    return 0;
  }

  const GanttChart& chart_;
  NodeId node_;
  std::size_t gpus_;
  std::vector<Places> on_gpu_;
  Places without_;
  bool any_without_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<LanedBar> gpu_lanes(const GanttChart& chart, NodeId node, const std::vector<std::size_t>& bars) {
  const MachineLayout* layout = chart.result->machine.layout.get();
  if (layout == nullptr || chart.result->parts.empty() || layout->kind_of(node).gpus == 0) return {};
  return GpuLaneMaker(chart, node).make(bars);
}

}  // namespace coslice
