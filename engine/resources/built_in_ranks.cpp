#include "resources/built_in_ranks.h"

#include <algorithm>
#include <numeric>

namespace coslice {

namespace {

class Equal : public NodeRanking {
 public:
  bool may_decline() const override { return false; }
  void score(std::uint32_t, const Request&, const NodePool&, const std::vector<NodeId>&,
             std::vector<NodeScore>&) override {}
  std::uint32_t reads() const override { return kReadsNothingElse; }
};

class UsedFirst : public NodeRanking {
 public:
  bool may_decline() const override { return false; }
  void score(std::uint32_t, const Request&, const NodePool& pool, const std::vector<NodeId>& nodes,
             std::vector<NodeScore>& out) override {
    for (std::size_t i = 0; i != nodes.size(); ++i) out[i].value = pool.room(nodes[i]).jobs > 0 ? 1 : 0;
  }
  std::uint32_t reads() const override { return kReadsNode; }
};

/// The more is left the better, or (sign -1) the worse.
class ByWhatIsLeft : public NodeRanking {
 public:
  ByWhatIsLeft(const MachineLayout& layout, double sign) : layout_(layout), sign_(sign) {
    for (const NodeKind& kind : layout.kinds) {
      cores_ = std::max(cores_, kind.core_share());
      memory_ = std::max(memory_, kind.memory_mib);
      gpus_ = std::max(gpus_, kind.gpus * kWholeGpu);
    }
  }

  void score(std::uint32_t, const Request&, const NodePool& pool, const std::vector<NodeId>& nodes,
             std::vector<NodeScore>& out) override {
    for (std::size_t i = 0; i != nodes.size(); ++i) out[i].value = sign_ * left(pool, nodes[i]);
  }
  std::uint32_t reads() const override { return memory_ != 0 ? kReadsMemory : kReadsNothingElse; }
  bool may_decline() const override { return false; }

 private:
  double left(const NodePool& pool, NodeId n) const {
    const NodeRoom& room = pool.room(n);
    double sum = static_cast<double>(room.cores) / cores_;
    if (gpus_ != 0) sum += static_cast<double>(std::accumulate(room.gpus.begin(), room.gpus.end(), 0)) / gpus_;
    if (memory_ != 0 && layout_.kind_of(n).memory_mib != 0)
      sum += static_cast<double>(room.memory_mib) / static_cast<double>(memory_);
    return sum;
  }

  const MachineLayout& layout_;
  double sign_;
  CoreShare cores_ = 1;  ///< the most that a node has
  std::int64_t memory_ = 0;
  GpuShare gpus_ = 0;
};

}  // namespace

std::unique_ptr<NodeRanking> make_ranking(BuiltInRank rank, const MachineLayout& layout) {
  switch (rank) {
    case BuiltInRank::kFirst: return std::make_unique<Equal>();
    case BuiltInRank::kPack: return std::make_unique<UsedFirst>();
    case BuiltInRank::kBestFit: return std::make_unique<ByWhatIsLeft>(layout, -1);
    case BuiltInRank::kSpread: return std::make_unique<ByWhatIsLeft>(layout, 1);
  }
  return nullptr;
}

}  // namespace coslice
