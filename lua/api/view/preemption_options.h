// How jobs are stopped for a waiting one, as a script says it: the options of view:preempt, and those of view:plan.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/view_host.h"

struct lua_State;

namespace coslice {

class View;
class ViewObject;

struct Preemption {
  enum class Rank : std::uint8_t { kLeastLost, kNewest, kFewestNodes, kFunction };
  StopOrder order;
  Rank rank = Rank::kLeastLost;
  bool suspend = false;           ///< in place, instead of `order`
  bool leaving = false;           ///< also jobs that are to stop already, which stop when they would have
  bool among = false;             ///< there is a function that says which jobs may be stopped
  int among_at = 0, rank_at = 0;  ///< where functions stand on the stack
};

/// Reads the table at a stack index, and leaves its functions on the two places behind, which become the top of the
/// stack. Raises a Lua error, which names the method `of`, where the table is wrong.
Preemption read_preemption(lua_State* L, const char* of, int at);

/// Returns the running jobs that may be stopped for the waiting one, best first, with equal ranks the one that started
/// last; before all others those that are suspended already. Empty where some are stopping for it, but with `leaving`.
/// The functions may start and stop jobs themselves: what runs is looked up anew at each step.
std::vector<StartedJob*> stoppable_jobs(lua_State* L, ViewObject& object, View& view, const Preemption& what,
                                        JobIndex waiting);

}  // namespace coslice
