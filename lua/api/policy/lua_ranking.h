// A placement function of a policy as the ranking that the engine asks.
#pragma once

#include <functional>
#include <vector>

#include "api/policy/policy.h"
#include "api/view/node_object.h"
#include "machine/placement.h"

namespace coslice {

class ViewObject;

class LuaRanking : public NodeRanking {
 public:
  /// Keeps references to its arguments, which outlive it. `object` is shown the view of `view()` while the function
  /// runs.
  LuaRanking(Policy& policy, const JobTables& jobs, ViewObject& object, std::function<View*()> view,
             const MachineLayout& layout, const std::vector<TypicalRequest>& mix);

  /// Throws ScriptError, e.g. if the function returns anything but a score, or GPUs that are not free.
  void score(std::uint32_t job, const Request& request, const NodePool& pool, const std::vector<NodeId>& nodes,
             std::vector<NodeScore>& out) override;
  std::uint32_t reads() const override { return node_.reads(); }
  const std::vector<std::uint64_t>* node_changes() const override;
  std::uint64_t changes() const override;

 private:
  const Contention* contention() const;
  Policy& policy_;
  ViewObject& object_;
  std::function<View*()> view_;
  std::vector<std::int32_t> kind_of_;  ///< by node
  NodeObject node_;
};

}  // namespace coslice
