#include "observe/node_use.h"

#include <algorithm>
#include <map>

#include "machine/components.h"
#include "machine/layout.h"

namespace coslice {
namespace {

/// Millionths of a node, so that sums of shares are exact.
using NodeShare = std::int64_t;
constexpr NodeShare kWholeNode = 1'000'000;

/// The part of a node that the request has: of its cores or of its GPUs, whichever is more. One that asks for neither
/// has the least that there is, so that a node's energy always belongs to some job.
NodeShare node_share(const Request* r, const NodeKind& kind) {
  if (r == nullptr || r->exclusive) return kWholeNode;
  const NodeShare cores = r->cores * kWholeNode / kind.core_share();
  const NodeShare gpus =
      kind.gpus == 0 ? 0 : NodeShare{r->gpus} * r->gpu_share * kWholeNode / (NodeShare{kind.gpus} * kWholeGpu);
  return std::max<NodeShare>({cores, gpus, 1});
}

/// How many GPUs of a node the request has; those in parts count as parts.
double gpus_of(const Request* r, const NodeKind& kind) {
  return r == nullptr ? kind.gpus : static_cast<double>(NodeShare{r->gpus} * r->gpu_share) / kWholeGpu;
}

/// Goes through what happened once more and divides what each node draws among the jobs that have it.
class Division {
 public:
  Division(RunResult& result, const NodeArchive& archive, const std::vector<Parts>& parts)
      : result_(result), archive_(archive), parts_(parts), kinds_(kinds_of(result.machine)),
        nodes_(static_cast<std::size_t>(result.machine.nodes)),
        has_watts_(result.costs->kinds.front().watts.has_value()),
        gpu_watts_(has_watts_ ? result.costs->kinds.front().watts->gpu : 0) {
    result_.busy.assign(kinds_->kinds.size(), 0);
    if (gpu_watts_ > 0) result_.busy_gpus.assign(kinds_->kinds.size(), 0);
    if (has_watts_) result_.joules.assign(result_.outcomes.size(), 0);
    for (NodeId n = 0; n != result_.machine.nodes; ++n) at(n).kind = static_cast<std::size_t>(kinds_->kind_index(n));
    if (!result_.power) return;
    for (const NodeOff& o : result_.power->off)
      if (o.to < o.up) at(o.node).boots.push_back({o.to, o.up});
  }

  void go_on(const NodeUse::Event& e) {
    using Event = NodeUse::Event;
    switch (e.what) {
      case Event::kRuns: return come(e);
      case Event::kPauses: return pause(e);
      case Event::kLeaves: return leave(e);
      case Event::kDown:
      case Event::kUp:
        draw(static_cast<NodeId>(e.which), e.time);
        at(static_cast<NodeId>(e.which)).down = e.what == Event::kDown;
    }
  }

 private:
  /// Of the jobs that run on a node, or of those that are suspended there.
  struct Side {
    std::int32_t jobs = 0;
    NodeShare shares = 0;  ///< theirs, together
    double drawn = 0;      ///< J for each share of a job that was there all the time
  };
  struct Node {
    std::size_t kind = 0;
    Side runs, paused;
    Time since{};       ///< up to which it is known what it drew
    Time busy_since{};  ///< when the first of the jobs that run came
    bool down = false;
    TimeWindows boots;          ///< when it comes up
    std::size_t next_boot = 0;  ///< the first that is not over
  };
  struct Stay {
    NodeRanges nodes;
    const Request* request = nullptr;
    const Parts* parts = nullptr;  ///< of several components
    bool paused = false;
    Time since{};
    std::vector<double> before;  ///< Side::drawn when it came, node by node
  };

  Node& at(NodeId n) { return nodes_[static_cast<std::size_t>(n)]; }
  /// What the job asks of that node.
  static const Request* asked(const Stay& stay, NodeId n) {
    if (stay.parts == nullptr) return stay.request;
    return &component_of(*stay.request, *std::ranges::find(*stay.parts, n, &NodePart::node));
  }
  static Side& side(Node& node, const Stay& stay) { return stay.paused ? node.paused : node.runs; }

  /// Of the time since the node was looked at last, for how long it came up.
  static double boot_seconds(Node& node, Time to) {
    double seconds = 0;
    for (; node.next_boot != node.boots.size(); ++node.next_boot) {
      const TimeWindow& boot = node.boots[node.next_boot];
      seconds += seconds_within(node.since, to, boot.from, boot.to);
      if (boot.to > to) break;
    }
    return seconds;
  }

  /// For how long of a time that ends now the node was up, if that began with its boot or behind it.
  static double up_seconds(const Node& node, Time from, Time to) {
    double seconds = to_seconds(to - from);
    for (auto boot = std::ranges::upper_bound(node.boots, from, {}, &TimeWindow::to);
         boot != node.boots.end() && boot->from < to; ++boot)
      seconds -= seconds_within(from, to, boot->from, boot->to);
    return seconds;
  }

  /// Jobs that run on a node get the energy that it draws; where none runs, those that are suspended there.
  void draw(NodeId n, Time t) {
    Node& node = at(n);
    if (has_watts_ && !node.down && t > node.since) {
      const NodeWatts& watts = *result_.costs->kinds[node.kind].watts;
      const double boot = boot_seconds(node, t), up = to_seconds(t - node.since) - boot;
      Side& bears = node.runs.jobs > 0 ? node.runs : node.paused;
      const double draws = node.runs.jobs > 0 ? watts.busy : watts.idle;
      if (bears.jobs > 0) bears.drawn += (boot * watts.booting + up * draws) / static_cast<double>(bears.shares);
    }
    node.since = t;
  }

  void enter(const Stay& stay, std::vector<double>& before, Time t) {
    for_each_node(stay.nodes, [&](NodeId n) {
      draw(n, t);
      Node& node = at(n);
      Side& s = side(node, stay);
      if (s.jobs++ == 0 && !stay.paused) node.busy_since = t;
      s.shares += node_share(asked(stay, n), kinds_->kinds[node.kind]);
      before.push_back(s.drawn);
    });
  }

  void exit(JobIndex j, const Stay& stay, Time t) {
    std::size_t i = 0;
    for_each_node(stay.nodes, [&](NodeId n) {
      draw(n, t);
      Node& node = at(n);
      Side& s = side(node, stay);
      const NodeShare share = node_share(asked(stay, n), kinds_->kinds[node.kind]);
      if (has_watts_) result_.joules[j] += (s.drawn - stay.before[i++]) * static_cast<double>(share);
      if (gpu_watts_ > 0 && !stay.paused) {
        const double gpus = gpus_of(asked(stay, n), kinds_->kinds[node.kind]) * up_seconds(node, stay.since, t);
        result_.busy_gpus[node.kind] += gpus;
        result_.joules[j] += gpus * gpu_watts_;
      }
      s.shares -= share;
      if (--s.jobs == 0 && !stay.paused) result_.busy[node.kind] += to_seconds(t - node.busy_since);
    });
  }

  void come(const NodeUse::Event& e) {
    if (const auto its = stays_.find(e.which); its != stays_.end()) {
      if (!its->second.paused) return;
      leave(e);
    }
    Stay& stay = stays_[e.which];
    stay.nodes = archive_.get(e.nodes);
    stay.since = e.time;
    if (e.request != kNoRequest) stay.request = &result_.workload->requests[e.request];
    if (e.parts >= 0) stay.parts = &parts_[static_cast<std::size_t>(e.parts)];
    enter(stay, stay.before, e.time);
  }

  void pause(const NodeUse::Event& e) {
    const auto its = stays_.find(e.which);
    if (its == stays_.end() || its->second.paused) return;
    Stay& stay = its->second;
    exit(e.which, stay, e.time);
    stay.paused = true;
    stay.before.clear();
    enter(stay, stay.before, e.time);
  }

  void leave(const NodeUse::Event& e) {
    const auto its = stays_.find(e.which);
    if (its == stays_.end()) return;
    exit(e.which, its->second, e.time);
    stays_.erase(its);
  }

  RunResult& result_;
  const NodeArchive& archive_;
  const std::vector<Parts>& parts_;
  std::shared_ptr<const MachineLayout> kinds_;
  std::vector<Node> nodes_;
  bool has_watts_;
  double gpu_watts_;  ///< of each GPU that a job has; alike on all kinds
  std::map<JobIndex, Stay> stays_;
};

}  // namespace

void NodeUse::placed(Time, JobIndex j, const Parts& parts, std::int32_t) {
  const RequestId asked = workload_.jobs[j].request;
  if (asked == kNoRequest || !has_components(workload_.requests[asked])) return;
  parts_of_[j] = static_cast<std::int32_t>(parts_.size());
  parts_.push_back(parts);
}

void NodeUse::settle(RunResult& result) const {
  Division division(result, nodes_, parts_);
  for (const Event& e : events_) division.go_on(e);
}

}  // namespace coslice
