// EASY backfilling (Lifka 1995): the first jobs of the queue that cannot start hold reservations; others start now if
// they delay none of these.
#pragma once

#include <cstdint>
#include <limits>

#include "sched/in_order.h"
#include "sched/loose_order.h"
#include "sched/scheduler.h"

namespace coslice {

struct EasyOptions {
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  /// How many blocked jobs hold a reservation, from the head of the queue. 1 is EASY.
  std::size_t reservations = 1;
  /// How many jobs behind the last of them are looked at in a pass.
  std::size_t depth = kUnlimited;
};

class EasyBackfill {
 public:
  explicit EasyBackfill(const EasyOptions& options = {}) : options_(options) {}

  /// One pass: starts jobs in order, then backfills. Decisions are those of a scan of the whole queue; what an earlier
  /// scan has already refused is not looked at again while nothing has become free.
  void schedule(View& view, const Pass& pass, const MayStart& may_start = {});
  /// The same on an unsettled queue whose keys are those of this pass: it is not sorted. For one reservation or none,
  /// and where no observer listens to decisions or reservations.
  void schedule_unsettled(View& view, const Pass& pass);

 private:
  /// What may start now without delaying the head: anything that ends by `shadow`, or takes at most `extra` nodes.
  struct Hole {
    Time shadow;
    std::int32_t extra;
  };
  /// Up to where the queue has been refused, and under which conditions.
  struct Scanned {
    std::uint64_t order_version = ~std::uint64_t{0};
    JobIndex head = kNoJob;
    std::int32_t free = -1;
    View::Position end = 0;
  };

  void backfill_behind_head(View& view, View::Position head, const Pass& pass, const MayStart& may_start);
  void backfill_behind_many(View& view, View::Position head, const MayStart& may_start);
  static Hole hole_before(const View& view, View::Position head);
  static void tell_hole(const View& view, View::Position head, const Hole& hole, View::Position stop);
  void backfill_unsettled(View& view, View::Position head, const Pass& pass);
  bool nothing_new(const View& view, View::Position head, const Pass& pass) const;
  View::Position scan_end(const View& view, View::Position from) const;

  EasyOptions options_;
  Scanned scanned_;
  LooseOrder loose_;                        ///< during a pass
  std::vector<View::Position> candidates_;  ///< during a pass
};

}  // namespace coslice
