// Conservative backfilling (Mu'alem & Feitelson 2001): each job gets a reservation when it is submitted. When nodes
// become free before they were expected to, the reservations are compressed: each waiting job in turn moves up to its
// earliest hole. A pass moves no reservation later; an outrun estimate, a failed node, a preemption or a reservation of
// nodes that becomes known does.
#pragma once

#include "schedule/scheduler.h"

namespace coslice {

/// The order in which waiting jobs move up.
enum class CompressOrder : std::uint8_t {
  kQueue,          ///< the queue's: the first of the queue gets the best of what became free
  kReservedStart,  ///< by (reserved start, queue): backfilled jobs keep their place before those that they passed
};

/// Starts the jobs whose reservations are for now, in the order in which these were made.
void start_due(View& view);

/// Conservative backfilling, one pass at a time.
class ConservativeBackfill {
 public:
  explicit ConservativeBackfill(CompressOrder order = CompressOrder::kQueue) : order_(order) {}

  /// Sets in which order reservations move up from the next pass on.
  void set_order(CompressOrder order) { order_ = order; }
  /// Makes a pass: compresses if jobs ended, gives new jobs reservations, starts what is due.
  void schedule(View& view, const Pass& pass) {
    keep(view, pass);
    if (pass.due) start_due(view);
  }
  /// Moves reservations up and makes new ones, but starts nothing.
  void keep(View& view, const Pass& pass) {
    if (pass.ended) compress(view, pass.due);
    if (pass.submitted) reserve_new(view);
  }

 private:
  void compress(View& view, bool starts);
  static std::int32_t room_now(const View& view);
  void move_up(View& view, View::Position p, Time start);
  void reserve_new(View& view);
  std::vector<View::Position> compress_sequence(const View& view) const;

  CompressOrder order_;
  bool slack_ = false;                                                        ///< some job may be able to move up
  std::uint64_t walked_in_vain_ = std::numeric_limits<std::uint64_t>::max();  ///< View::gains() when none was
  std::int32_t room_ = 0;                                                     ///< nodes that may be reserved for now
};

}  // namespace coslice
