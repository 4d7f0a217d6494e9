// The ready-made scheduler: a queue in some order, and a way to backfill. Policies that are all data, or that only give
// keys and predicates, run on it.
#pragma once

#include <limits>

#include "schedule/conservative_backfill.h"
#include "schedule/easy_backfill.h"

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
  MayStart may_start;    ///< not with conservative backfilling
  /// Returns a number that changes whenever answers of `may_start` may have changed; 0, or empty: they may always have.
  std::function<std::uint64_t()> answers;
  VetoKinds veto_kinds;  ///< of `may_start`
};

class QueueScheduler : public Scheduler {
 public:
  explicit QueueScheduler(QueueSchedulerOptions options)
      : options_(std::move(options)), conservative_(options_.compress) {
    EasyOptions easy = options_.easy;
    if (options_.backfill == Backfill::kNone) easy.reservations = 0;  // a pass is that of EASY without reservations
    easy_ = EasyBackfill(easy);
  }

  double key(View& view, JobIndex j) override {
    if (options_.rekey) return std::numeric_limits<double>::infinity();  // the last one, until keys are set
    const double key = options_.key ? options_.key(j) : built_in_key(view, j);
    return options_.descending ? -key : key;
  }
  void schedule(View& view, const Pass& pass) override;

 private:
  /// Returns whether the order of the queue can decide anything in this pass: every key may be expensive, and many
  /// passes start no job, whatever the order.
  bool order_matters(const View& view, const Pass& pass) const {
    if (view.queue_as_it_is().size() < 2) return false;
    if (options_.backfill == Backfill::kConservative) return pass.submitted || pass.ended;
    return view.has_room();
  }
  /// Returns whether a pass looks at the first few of the queue and at those that fit, and nothing depends on the rest
  /// of its order.
  bool few_matter(const View& view) const {
    return options_.block_keys && options_.backfill != Backfill::kConservative && options_.easy.reservations <= 1 &&
           options_.easy.depth == EasyOptions::kUnlimited && !options_.may_start && view.reserved_count() == 0 &&
           !view.explained() && !view.promises_heard() && !view.queue_as_it_is().tiered();
  }
  bool schedule_unsorted(View& view, const Pass& pass);
  double built_in_key(const View& view, JobIndex j) const;

  QueueSchedulerOptions options_;
  EasyBackfill easy_;
  ConservativeBackfill conservative_;
};

}  // namespace coslice
