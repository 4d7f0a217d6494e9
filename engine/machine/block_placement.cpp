#include "machine/block_placement.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace coslice {

BlockPlacement::BlockPlacement(const MachineLayout& layout, std::unique_ptr<Placement> inner, BlockRules rules)
    : layout_(layout), inner_(std::move(inner)), rules_(std::move(rules)),
      nodes_of_block_(static_cast<std::size_t>(rules_.blocks)) {
  for (const std::int32_t block : rules_.block_of)
    if (block < rules_.blocks) ++nodes_of_block_[static_cast<std::size_t>(block)];
}

/// One segment after the other, each of what is left then. Segments that do not make up the job are not looked at, as
/// Slurm would have refused it.
bool BlockPlacement::choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                            Parts& out) {
  const std::int32_t segment = request.segment;
  if (segment <= 0 || segment >= request.nodes || request.nodes % segment != 0)
    return choose_part(job, request, pool, fitting, out);
  Request part = request;
  part.nodes = segment;
  NodeSet left = fitting;
  Parts all;
  for (std::int32_t nodes = 0; nodes < request.nodes; nodes += segment) {
    if (!choose_part(job, part, pool, left, out)) return false;
    for (const NodePart& chosen : out) left.erase(chosen.node);
    all.insert(all.end(), out.begin(), out.end());
  }
  out = std::move(all);
  return true;
}

std::int32_t BlockPlacement::blocks_together(std::int32_t nodes) const {
  for (const std::int32_t size : rules_.sizes) {
    if (size < nodes) continue;
    const std::int32_t together = size / rules_.sizes.front();
    for (std::int32_t first = 0; first < rules_.blocks; first += together) {
      const auto begin = nodes_of_block_.begin() + first;
      if (std::accumulate(begin, begin + std::min(together, rules_.blocks - first), 0) >= nodes) return together;
    }
    break;
  }
  return std::max(rules_.blocks, 1);
}

bool BlockPlacement::choose_part(std::uint32_t job, const Request& part, const NodePool& pool, const NodeSet& fitting,
                                 Parts& out) {
  struct Block {
    NodeSet nodes;
    std::int32_t count = 0;
  };
  const std::int32_t together = blocks_together(part.nodes);
  std::map<std::int32_t, Block> blocks;
  fitting.for_each([&](NodeId n) {
    const std::int32_t block = rules_.block_of[static_cast<std::size_t>(n)];
    if (block >= rules_.blocks) return;
    const auto [at, is_new] = blocks.try_emplace(block / together);
    if (is_new) at->second.nodes = NodeSet(fitting.size());
    at->second.nodes.insert(n);
    ++at->second.count;
  });
  std::erase_if(blocks, [&](const auto& block) { return block.second.count < part.nodes; });
  while (!blocks.empty()) {
    NodeSet open(fitting.size());
    for (const auto& [number, block] : blocks) open |= block.nodes;
    Request one = part;
    one.nodes = 1;
    one.spread = {};
    if (!inner_->choose(job, one, pool, open, out)) return false;
    const NodeId best = out.front().node;
    const std::int32_t kind = layout_.kind_index(best);
    auto chosen = blocks.find(rules_.block_of[static_cast<std::size_t>(best)] / together);
    for (auto at = blocks.begin(); at != blocks.end(); ++at) {
      bool alike = false;
      at->second.nodes.for_each([&](NodeId n) { alike = alike || layout_.kind_index(n) == kind; });
      if (alike && at->second.count <= chosen->second.count) chosen = at;
    }
    if (inner_->choose(job, part, pool, chosen->second.nodes, out)) return true;
    blocks.erase(chosen);
  }
  return false;
}

}  // namespace coslice
