// The ready-made scheduler: a queue in some order, and a way to backfill. Policies that are all data, or that only give
// keys and predicates, run on it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sched/loose_order.h"
#include "sched/conservative_backfill.h"
#include "sched/easy_backfill.h"
#include "sched/scheduler.h"

namespace coslice {

/// Built-in queue orders; lowest first, ties in order of submission.
enum class QueueOrder : std::uint8_t {
  kSubmit,    ///< first come, first served
  kDuration,  ///< shortest expected duration first
  kNodes,     ///< fewest nodes first
  kArea,      ///< smallest nodes x duration first
};

enum class Backfill : std::uint8_t { kNone, kEasy, kConservative };

/// Everything that is settable. Functions that are empty are not asked.
struct QueueSchedulerOptions {
  Backfill backfill = Backfill::kNone;
  EasyOptions easy;
  CompressOrder compress = CompressOrder::kQueue;
  QueueOrder order = QueueOrder::kSubmit;
  bool descending = false;              ///< the reverse of `order` or of the keys
  std::function<double(JobIndex)> key;  ///< asked at submission; replaces `order`
  /// Gives the waiting jobs new keys by View::resort, lowest first, before each pass in which their order could matter;
  /// replaces both, and `descending`.
  std::function<void(View&)> rekey;
  BlockKeys block_keys;  ///< a faster way to the same, for passes that need few of the keys
  MayStart may_start;  ///< not with conservative backfilling
  /// Another number whenever answers of `may_start` may be others than before; 0, or empty: they may always be.
  std::function<std::uint64_t()> answers;
  VetoKinds veto_kinds;  ///< of `may_start`
};

class QueueScheduler : public Scheduler {
 public:
  explicit QueueScheduler(QueueSchedulerOptions options)
      : options_(std::move(options)), easy_(easy_options(options_)), conservative_(options_.compress) {}

  double key(View& view, JobIndex j) override;
  void schedule(View& view, const Pass& pass) override;

 private:
  static EasyOptions easy_options(const QueueSchedulerOptions& options);
  bool order_matters(const View& view, const Pass& pass) const;
  bool veto_is_idle(const View& view) const;
  bool few_matter(const View& view) const;
  bool schedule_unsettled(View& view, const Pass& pass);
  double built_in_key(const View& view, JobIndex j) const;

  QueueSchedulerOptions options_;
  EasyBackfill easy_;
  ConservativeBackfill conservative_;
};

}  // namespace coslice
