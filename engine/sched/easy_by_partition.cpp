// A queue for each partition, on a machine whose nodes differ: a job that has to wait is in the way of those of its own
// partition only.
#include <vector>

#include "sched/decisions.h"
#include "sched/easy_backfill.h"
#include "sched/resource_book.h"

namespace coslice {

namespace {

/// What has been seen in a pass of a partition's queue.
struct PartitionQueue {
  std::size_t blocked = 0;    ///< jobs that cannot start; those that may hold a reservation do
  std::size_t looked_at = 0;  ///< jobs behind these
};

/// The job waits in the queue of the first partition that it may use.
std::size_t partition_of(const JobDemands& demands, JobIndex j) {
  return static_cast<std::size_t>(demands.unit(demands.demand(j).front()).partition + 1);
}

}  // namespace

// Reservations stand in the book during the pass, so that where partitions overlap no job delays the first ones of other
// partitions either.
void EasyBackfill::schedule_by_partition(View& view, const MayStart& may_start) {
  ResourceBook& book = *view.resources();
  const WaitingQueue& queue = view.queue();
  const std::size_t first_ones = std::max<std::size_t>(options_.reservations, 1);
  std::vector<PartitionQueue> partitions(book.demands().layout().partitions.size() + 1);
  std::vector<JobIndex> held;
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    PartitionQueue& own = partitions[partition_of(book.demands(), j)];
    const bool behind = own.blocked == first_ones;
    if (queue.reserved(p) != kNever || (behind && options_.reservations == 0)) continue;
    if (behind && own.looked_at++ >= options_.depth) continue;
    if (may_start && !may_start(j)) {
      view.explain([&](DecisionObserver& d) { d.ruled_out(view, j); });
    } else if (book.fits_now(j, queue.duration(p))) {
      view.start(p, own.blocked == 0 ? StartReason::kInOrder : StartReason::kBackfilled);
    } else if (!behind) {
      ++own.blocked;
      const Time start = options_.reservations == 0 ? kNever : book.earliest(j, queue.duration(p), view.now());
      if (start == kNever) continue;
      book.reserve(j, queue.duration(p), start);
      held.push_back(j);
      view.explain([&](DecisionObserver& d) { d.shields(view, j, start); });
    }
  }
  for (const JobIndex j : held) book.unreserve(j);
}

}  // namespace coslice
