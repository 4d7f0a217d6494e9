#include "machine/outage.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/portable_math.h"
#include "machine/node_set.h"

namespace coslice {
namespace {

double draw_seconds(const Lifetime& l, RandomStream& random) {
  switch (l.shape) {
    case Lifetime::Shape::kExponential: break;
    case Lifetime::Shape::kWeibull: {
      // The mean of a Weibull variate is scale x Gamma(1 + 1 / k).
      const double scale = l.mean / portable_exp(portable_log_gamma(1 + 1 / l.spread));
      return scale * portable_pow(random.exponential(1), 1 / l.spread);
    }
    case Lifetime::Shape::kLognormal: return random.lognormal(portable_log(l.mean) - l.spread * l.spread / 2, l.spread);
  }
  return random.exponential(l.mean);
}

}  // namespace

Duration Lifetime::draw(RandomStream& random) const {
  return std::max(Duration{1}, from_seconds(std::min(draw_seconds(*this, random), kMaxSeconds)));
}

OutageFeed::OutageFeed(const OutagePlan& plan, Time start) : plan_(plan), order_(plan.listed.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, {}, [&](std::size_t a) { return plan.listed[a].from; });
  NodeId last = -1;
  for (const FailureModel& model : plan.drawn) last = std::max(last, model.nodes.ranges().back().last);
  const RandomKey key(plan.seed, "failures");
  for (NodeId n = 0; n <= last; ++n) random_.push_back(key.stream(static_cast<std::uint64_t>(n)));
  nodes_.resize(plan.drawn.size());
  for (std::uint32_t m = 0; m != plan.drawn.size(); ++m) {
    for_each_node(plan.drawn[m].nodes, [&](NodeId n) {
      nodes_[m].push_back(n);
      draw_next(start, n, m);
    });
  }
}

void OutageFeed::draw_next(Time from, NodeId node, std::uint32_t model) {
  const Time t = later(from, plan_.drawn[model].between.draw(random_[static_cast<std::size_t>(node)]));
  if (t == kNever) return;
  next_.push_back({t, node, model});
  std::push_heap(next_.begin(), next_.end(), std::greater<>{});
}

Time OutageFeed::next_time() const {
  const Time listed = listed_ == order_.size() ? kNever : plan_.listed[order_[listed_]].from;
  return next_.empty() ? listed : std::min(listed, next_.front().time);
}

/// The node, or all nodes of its rack.
NodeRanges OutageFeed::struck(NodeId node, std::uint32_t model) {
  const FailureModel& m = plan_.drawn[model];
  if (m.rack == 1 || random_[static_cast<std::size_t>(node)].uniform() >= m.rack_share) return as_ranges({node});
  const std::vector<NodeId>& all = nodes_[model];
  const std::ptrdiff_t place = std::ranges::lower_bound(all, node) - all.begin();
  const auto begin = all.begin() + (place - place % m.rack);
  return as_ranges(std::vector<NodeId>(begin, begin + std::min<std::ptrdiff_t>(m.rack, all.end() - begin)));
}

Outage OutageFeed::pop() {
  const Time t = next_time();
  if (listed_ != order_.size() && plan_.listed[order_[listed_]].from == t) return plan_.listed[order_[listed_++]];
  const Next next = next_.front();
  std::pop_heap(next_.begin(), next_.end(), std::greater<>{});
  next_.pop_back();
  const FailureModel& model = plan_.drawn[next.model];
  Outage outage{t, later(t, model.repair.draw(random_[static_cast<std::size_t>(next.node)])), {}, OutageKind::kFailure};
  outage.nodes = struck(next.node, next.model);
  draw_next(outage.to, next.node, next.model);
  return outage;
}

}  // namespace coslice
