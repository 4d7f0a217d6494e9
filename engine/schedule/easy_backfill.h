// EASY backfilling (Lifka 1995): the first jobs of the queue that cannot start hold reservations; others start now if
// they delay none of these.
#pragma once

#include "schedule/refused_kinds.h"
#include "schedule/scheduler.h"
#include "schedule/unsorted_queue.h"
#include "schedule/view.h"

namespace coslice {

// First come, first served: the head of the queue starts while it fits.

/// Returns whether the policy lets this waiting job start now; empty: always. A job that may not start is passed over:
/// it neither starts nor holds a reservation in this pass.
using MayStart = std::function<bool(JobIndex)>;

/// Starts jobs from the head of the queue while they fit on free nodes. Returns the position of the first job that does
/// not start, or the queue's end; `may_start` passes jobs over. No job starts behind one that has a later reservation.
View::Position start_in_order(View& view, const MayStart& may_start = {});

/// Options of EASY backfilling.
struct EasyOptions {
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  /// Number of blocked jobs that hold a reservation, from the head of the queue. 1 is EASY.
  std::size_t reservations = 1;
  /// Number of jobs behind the last reserved one that a pass tests.
  std::size_t depth = kUnlimited;
  /// Whether `reservations` and `depth` apply to each partition separately, on a machine that has partitions; then a
  /// waiting job stops no jobs of other partitions.
  bool by_partition = false;
};

/// EASY backfilling, one pass at a time.
class EasyBackfill {
 public:
  explicit EasyBackfill(const EasyOptions& options = {}) : options_(options) {}

  /// Makes a pass: starts jobs in order, then backfills. Decisions are those of a scan of the whole queue; what an
  /// earlier scan has refused is not looked at again while nothing has become free. `answers`, `kinds`: see
  /// QueueSchedulerOptions.
  void schedule(View& view, const Pass& pass, const MayStart& may_start = {},
                const std::function<std::uint64_t()>& answers = {}, const VetoKinds& kinds = {});
  /// Makes a pass over a queue that is not sorted, by the keys of this pass: for one reservation or none, and where no
  /// observer listens to decisions or reservations. Returns false without doing anything if the keys cannot be computed
  /// without sorting. `keys` outlives the queue's next settling.
  bool schedule_unsorted(View& view, const Pass& pass, const BlockKeys& keys);

 private:
  /// Up to where the queue has been refused, and under which conditions.
  struct Scanned {
    std::uint64_t order_version = ~std::uint64_t{0};
    JobIndex head = kNoJob;
    std::int32_t free = -1;
    std::uint64_t changes = 0;  ///< of the ledger
    View::Position end = 0;
    std::uint64_t answers = 0;  ///< of the policy's veto; 0: it may say something else now
  };

  struct Scan;
  struct InOrder;
  struct Allowed;
  struct ByKey;

  EasyOptions options_;
  Scanned scanned_;
  ShortestBlocks shortest_;  ///< for passes with a veto
  RefusedKinds refused_;     ///< ... that is one by kind of job
  bool by_kind_ = false;     ///< in this pass: it holds
  UnsortedQueue unsorted_;   ///< of the last pass over an unsorted queue
};

}  // namespace coslice
