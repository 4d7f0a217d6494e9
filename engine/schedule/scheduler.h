// What decides: asked by the simulation, answers through the view.
#pragma once

#include "schedule/view.h"

namespace coslice {

/// What happened since the last pass.
struct Pass {
  bool submitted = false;  ///< jobs entered the queue
  bool ended = false;      ///< jobs ended: nodes may have become free before they were expected to
  bool due = false;        ///< starts take effect in this pass: reservations for now must be started
  bool corrected = false;  ///< jobs outran their estimates: nodes are held for longer

  /// Adds what happened before an earlier pass to what happened before this one.
  void add(const Pass& earlier) {
    submitted = submitted || earlier.submitted;
    ended = ended || earlier.ended;
    corrected = corrected || earlier.corrected;
  }
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Is called when the run begins.
  virtual void begin(View&) {}
  /// Returns how the job writes checkpoints, where that is another way than the scenario's. Asked once, when the job
  /// first enters the queue, before everything else.
  virtual std::optional<OwnCheckpoints> checkpoints(View&, JobIndex) { return std::nullopt; }
  /// Returns how long the scheduler believes that the job runs, where that differs from its limit. Asked at each
  /// submission, before the key.
  virtual std::optional<Duration> estimate(View&, JobIndex) { return std::nullopt; }
  /// Is called when the running job has outrun its estimate; the view has a longer one (View::estimate). Decides
  /// nothing itself.
  virtual void corrected(View&, JobIndex) {}
  /// Returns the key by which the job waits: lowest first, ties in order of submission. Asked once, at submission.
  virtual double key(View&, JobIndex) { return 0; }
  /// Is called when the job has entered the queue.
  virtual void submitted(View&, JobIndex) {}
  /// Is called when the job's start has been decided; it is the last of the view's started jobs. Decides nothing
  /// itself.
  virtual void started(View&, JobIndex) {}
  /// Is called when a change of the running job's nodes has come into force; it had `before` of them. Decides nothing
  /// itself.
  virtual void resized(View&, JobIndex, std::int32_t /*before*/) {}
  /// Is called when the running job asks for that number of nodes, at a point at which it may change. Decides nothing
  /// itself.
  virtual void asks(View&, JobIndex, std::int32_t /*nodes*/) {}
  /// Is called when the job has ended. It is no longer in the view.
  virtual void ended(View&, JobIndex, Time /*started*/) {}
  /// Is called when the policy has refused the waiting job. It is no longer in the view.
  virtual void dropped(View&, JobIndex) {}
  /// Is called when the waiting job has left the queue and the policy has not decided that: its user has withdrawn it,
  /// its reservation of nodes is over, or it did not start at once (EngineOptions::unstarted). It is no longer in the
  /// view.
  virtual void withdrawn(View& view, JobIndex j) { dropped(view, j); }
  /// Decides which waiting jobs start now.
  virtual void schedule(View&, const Pass&) = 0;
};

/// Stands between a simulation and another scheduler, which is asked and told everything that a derived class leaves
/// to it.
class WrappedScheduler : public Scheduler {
 public:
  /// `asked` outlives it; null: it is set before the run begins.
  explicit WrappedScheduler(Scheduler* asked) : asked_(asked) {}
  void begin(View& view) override { asked_->begin(view); }
  std::optional<OwnCheckpoints> checkpoints(View& view, JobIndex j) override { return asked_->checkpoints(view, j); }
  std::optional<Duration> estimate(View& view, JobIndex j) override { return asked_->estimate(view, j); }
  void corrected(View& view, JobIndex j) override { asked_->corrected(view, j); }
  double key(View& view, JobIndex j) override { return asked_->key(view, j); }
  void submitted(View& view, JobIndex j) override { asked_->submitted(view, j); }
  void started(View& view, JobIndex j) override { asked_->started(view, j); }
  void resized(View& view, JobIndex j, std::int32_t before) override { asked_->resized(view, j, before); }
  void asks(View& view, JobIndex j, std::int32_t nodes) override { asked_->asks(view, j, nodes); }
  void ended(View& view, JobIndex j, Time started) override { asked_->ended(view, j, started); }
  void dropped(View& view, JobIndex j) override { asked_->dropped(view, j); }
  void withdrawn(View& view, JobIndex j) override { asked_->withdrawn(view, j); }
  void schedule(View& view, const Pass& pass) override { asked_->schedule(view, pass); }

 protected:
  Scheduler* asked_;
};

}  // namespace coslice
