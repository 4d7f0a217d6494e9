// Which running jobs have to stop so that a waiting one can start.
#pragma once

#include <vector>

#include "sched/view.h"

namespace coslice {

/// Of the candidates, in the order in which they are to be preferred, as few as they need be: the first ones with which the
/// waiting job at p could start on nodes that no other started job holds, without those of them that are not needed, the
/// last ones dropped first. Reservations of waiting jobs do not count. Empty if all together are not enough.
std::vector<StartedJob*> choose_victims(const View& view, View::Position p, const std::vector<StartedJob*>& candidates);

/// The same where jobs are not to stop but to be suspended in place: as few as need be of those that have nodes to lend
/// (ViewHost::lendable).
std::vector<StartedJob*> choose_lenders(const View& view, View::Position p, const std::vector<StartedJob*>& candidates);

}  // namespace coslice
