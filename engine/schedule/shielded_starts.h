// Which start of another job keeps a waiting job from starting now, although enough nodes are free now.
#pragma once

#include "schedule/view.h"

namespace coslice {

/// A future start that no job may delay: a reservation, or one that a pass shields.
struct Shield {
  JobIndex job = kNoJob;
  Time start = kNever;
};

/// A copy of the view's profile that holds all future starts; on nodes that differ, a ledger of it is made for each
/// question. The view stays as it is.
class ShieldedStarts {
 public:
  /// Collects the starts that must not be delayed. `extra`: starts of waiting jobs that are shielded without a
  /// reservation. The view outlives it and does not change.
  ShieldedStarts(const View& view, const std::vector<Shield>& extra);

  /// Returns the first start that the job at p would delay if it started now for as long as it is believed to run;
  /// nothing if there is none.
  std::optional<Shield> first_delayed(View::Position p);
  /// Returns the first of them while the job would run; nothing if there is none.
  std::optional<Shield> first_within(View::Position p) const;

 private:
  struct PlannedStart {
    Shield shield;
    Time end;
    std::int32_t nodes;
  };

  std::optional<Shield> first_by_node(View::Position p) const;

  const View& view_;
  Profile profile_;
  std::vector<PlannedStart> starts_;  ///< by start
};

}  // namespace coslice
