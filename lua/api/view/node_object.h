// The node and the job that a placement function is asked about, as Lua objects (lua/meta/placement.lua).
//
// There is one of each for a run: it shows the node that is asked about just now. Each field that is read is noted, so
// that what an answer depends on is known.
#pragma once

#include <cstdint>
#include <vector>

#include "api/jobs/job_tables.h"
#include "host/ref.h"
#include "machine/fragmentation.h"
#include "machine/placement.h"

struct lua_State;

namespace coslice {

class Contention;
class LuaState;

/// What the objects show just now; without a pool, using them is an error.
struct ShownNode {
  const NodePool* pool = nullptr;
  const NodeRoom* room = nullptr;
  const Request* request = nullptr;
  NodeId node = 0;
  std::int32_t kind = 0;
  JobIndex job = kNoJob;
  const Contention* contention = nullptr;  ///< null: jobs do not interfere
};

class NodeObject {
 public:
  /// Keeps references to its arguments, which outlive it; without a mix of typical requests nothing is fragmented.
  NodeObject(LuaState& state, const JobTables& jobs, const MachineLayout& layout,
             const std::vector<TypicalRequest>& mix);
  ~NodeObject();
  NodeObject(const NodeObject&) = delete;
  NodeObject& operator=(const NodeObject&) = delete;

  /// Pushes the node and the job.
  void push(lua_State* L) const;
  ShownNode& question() { return question_; }
  /// Bits of ScoreReads: all that was read so far.
  std::uint32_t reads() const { return reads_; }
  void note(std::uint32_t reads) { reads_ |= reads; }

 private:
  friend struct NodeFields;

  /// How much is fragmented on a node as it is.
  struct Known {
    std::uint64_t stamp = 0;
    double thousandths = 0;
  };
  double fragmentation();

  const JobTables& jobs_;
  const MachineLayout& layout_;
  Fragmentation fragmentation_;
  std::vector<Known> known_;  ///< by node
  ShownNode question_;
  std::uint32_t reads_ = 0;
  NodeObject** cell_ = nullptr;  ///< in the state: what Lua holds leads here
  LuaRef node_, job_;
  std::vector<const void*> node_names_, request_names_;  ///< by field: where Lua keeps its name
  LuaRef names_;                                         ///< keeps them there
};

}  // namespace coslice
