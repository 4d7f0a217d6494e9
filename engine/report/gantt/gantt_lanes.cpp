#include "report/gantt/gantt_lanes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/gantt/gantt_gpus.h"

namespace coslice {
namespace {

/// More jobs on a node than this share the last lane: no drawing could show them apart.
constexpr std::size_t kMostLanes = 255;

/// A piece of a bar, in one lane; on several nodes, if it is the same there.
using Piece = std::tuple<Time, std::size_t, Time, std::uint8_t, std::uint8_t, std::uint8_t>;  // from, bar, to, lane, lanes, tall

struct Active {
  std::size_t bar;
  Time since{};
  std::uint8_t lane = 0, lanes = 0;  ///< lanes 0: not decided yet
};

/// Walks along the bars of one node after the other.
class LaneSweep {
 public:
  explicit LaneSweep(const std::vector<GanttBar>& bars) : bars_(bars) {}

  /// `on_node`: bars of the node by their beginning.
  void walk(NodeId node, const std::vector<std::size_t>& on_node) {
    node_ = node;
    for (std::size_t next = 0; next != on_node.size() || !active_.empty();) {
      Time t = next != on_node.size() ? bars_[on_node[next]].from : kNever;
      for (const Active& a : active_) t = std::min(t, bars_[a.bar].to);
      end_at(t);
      for (; next != on_node.size() && bars_[on_node[next]].from == t; ++next) active_.push_back({on_node[next], t});
      assign(t);
    }
  }

  /// Bars of the node whose lanes are known.
  void put(NodeId node, const std::vector<LanedBar>& laned) {
    for (const LanedBar& l : laned)
      pieces_[{bars_[l.bar].from, l.bar, bars_[l.bar].to, l.lane, l.lanes, l.tall}].append(node, node);
  }

  const std::map<Piece, NodeRanges>& pieces() const { return pieces_; }

 private:
  void end_at(Time t) {
    for (const Active& a : active_)
      if (bars_[a.bar].to == t) emit(a, t);
    active_.erase(std::remove_if(active_.begin(), active_.end(), [&](const Active& a) { return bars_[a.bar].to == t; }),
                  active_.end());
  }

  /// As many lanes as there are bars now; a bar whose lane is another from now on begins a new piece.
  void assign(Time t) {
    const auto lanes = static_cast<std::uint8_t>(std::min(active_.size(), kMostLanes));
    std::vector<bool> taken(lanes);
    std::vector<Active*> homeless;
    for (Active& a : active_) {
      const bool stays = a.lanes != 0 && a.lane < lanes && !taken[a.lane];
      if (stays) taken[a.lane] = true;
      if (!stays) homeless.push_back(&a);
      else if (a.lanes != lanes) move(a, t, a.lane, lanes);
    }
    for (Active* a : homeless) {
      const auto free = std::find(taken.begin(), taken.end(), false);
      if (free != taken.end()) *free = true;
      move(*a, t, static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(free - taken.begin(), lanes - 1)), lanes);
    }
  }

  void move(Active& a, Time t, std::uint8_t lane, std::uint8_t lanes) {
    if (a.lanes != 0) emit(a, t);
    a = {a.bar, t, lane, lanes};
  }

  void emit(const Active& a, Time t) {
    if (a.since < t) pieces_[{a.since, a.bar, t, a.lane, a.lanes, std::uint8_t{1}}].append(node_, node_);
  }

  const std::vector<GanttBar>& bars_;
  NodeId node_ = 0;
  std::vector<Active> active_;
  std::map<Piece, NodeRanges> pieces_;
};

}  // namespace

void split_into_lanes(GanttChart& chart) {
  std::vector<std::vector<std::size_t>> on_node(static_cast<std::size_t>(chart.result->machine.nodes));
  for (std::size_t b = 0; b != chart.bars.size(); ++b)
    for (const NodeRange& r : chart.nodes_of(chart.bars[b]).ranges())
      for (NodeId n = r.first; n <= r.last; ++n) on_node[static_cast<std::size_t>(n)].push_back(b);
  LaneSweep sweep(chart.bars);
  for (std::size_t n = 0; n != on_node.size(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const GpuLanes laned = gpu_lanes(chart, node, on_node[n]);
    if (laned.bars.empty()) sweep.walk(node, on_node[n]);
    else sweep.put(node, laned.bars);
    if (!laned.bars.empty()) chart.gpu_rows[node] = laned.rows;
  }
  std::vector<GanttBar> bars;
  for (const auto& [piece, nodes] : sweep.pieces()) {
    GanttBar bar = chart.bars[std::get<1>(piece)];
    std::tie(bar.from, std::ignore, bar.to, bar.lane, bar.lanes, bar.tall) = piece;
    if (!(nodes == chart.nodes_of(bar))) {
      bar.nodes = static_cast<std::uint32_t>(chart.nodes.size());
      chart.nodes.push_back(nodes);
    }
    bars.push_back(bar);
  }
  chart.bars = std::move(bars);
}

}  // namespace coslice
