// Jobs that suspend others in place.
#pragma once

#include <vector>

#include "schedule/preemption.h"
#include "schedule/queue_scheduler.h"

namespace coslice::test {

/// Urgent jobs (of queue 1) suspend others, as many as it takes; the rest is conservative backfilling or EASY.
class Suspending : public QueueScheduler {
 public:
  explicit Suspending(Backfill backfill) : QueueScheduler(with(backfill)) {}

  double key(View& view, JobIndex j) override { return view.job(j).queue == 1 ? 0 : 1; }
  void schedule(View& view, const Pass& pass) override {
    while (start_one(view)) {}
    QueueScheduler::schedule(view, {pass.submitted, true, pass.due, pass.corrected});
  }

 private:
  static QueueSchedulerOptions with(Backfill backfill) {
    QueueSchedulerOptions o;
    o.backfill = backfill;
    return o;
  }
  static bool start_one(View& view) {
    const WaitingQueue& queue = view.queue();
    for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
      if (view.job(queue.job(p)).queue != 1) continue;
      if (view.start_first(p, StartReason::kPolicy)) return true;
      std::vector<StartedJob*> candidates;
      for (const StartedJob& job : view.started()) {
        if (view.job(job.index).queue == 1 || view.host().lendable(job).empty()) continue;
        candidates.push_back(view.find_started(job.index));
      }
      const std::vector<StartedJob*> lenders = choose_lenders(view, p, candidates);
      if (lenders.empty()) continue;
      view.start_over(p, lenders, StartReason::kPolicy);
      return true;
    }
    return false;
  }
};

inline Job suspension_job(int submit, int nodes, int runtime, int limit, int queue) {
  Job job;
  job.submit = at_seconds(submit);
  job.size = nodes;
  job.runtime = whole_seconds(runtime);
  job.limit = whole_seconds(limit);
  job.queue = queue;
  return job;
}

}  // namespace coslice::test
