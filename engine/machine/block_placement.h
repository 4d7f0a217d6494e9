// Blocks of nodes (Slurm's topology/block): a job has nodes of one of them, or of several that follow one another.
#pragma once

#include <memory>
#include <vector>

#include "machine/placement.h"

namespace coslice {

struct BlockRules {
  std::vector<std::int32_t> block_of;  ///< by node; numbers from `blocks` on: of nodes in no block, which no job gets
  std::int32_t blocks = 0;
  /// In nodes, ascending. The first one is that of a block, the others are that times two, four, ...: a job has nodes
  /// of as many blocks as the first of them has that is enough for it, of which the first one is the first, the third,
  /// the fifth, ... Where none is enough, or no blocks together have so many nodes, of all.
  std::vector<std::int32_t> sizes;
};

/// Shows another placement the nodes of one block, or of several: of those that have enough where the node is that it
/// prefers, or one of its kind; then where the fewest fit, of equal ones the last. Each segment of a job
/// (Request::segment) may be in a block of its own.
class BlockPlacement : public Placement {
 public:
  BlockPlacement(const MachineLayout& layout, std::unique_ptr<Placement> inner, BlockRules rules);

  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;
  bool declines_by_room() const override { return true; }
  std::uint64_t changes() const override { return inner_->changes(); }

 private:
  bool choose_part(std::uint32_t job, const Request& part, const NodePool& pool, const NodeSet& fitting, Parts& out);
  std::int32_t blocks_together(std::int32_t nodes) const;

  const MachineLayout& layout_;
  std::unique_ptr<Placement> inner_;
  BlockRules rules_;
  std::vector<std::int32_t> nodes_of_block_;
};

}  // namespace coslice
