// Policies as callbacks of a host program: the scheduler that asks them, and what they see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "door/coslice.h"
#include "observe/result.h"
#include "schedule/conservative_backfill.h"
#include "schedule/scheduler.h"

/// A view as callbacks have it. Outside of a callback it is of nothing.
struct coslice_view {
  coslice::View* view = nullptr;
  coslice::Pass pass;
  bool decides = false;                         ///< inside `schedule`
  std::vector<std::uint32_t> listed;            ///< the waiting jobs that were asked for last, all or those that fit
  std::vector<coslice::View::Position> places;  ///< of these in the queue; empty: they are not known
  std::size_t next = 0;                         ///< where in `listed` the next job that is named probably is
  std::vector<std::uint32_t> running;
  std::vector<std::int32_t> nodes;  ///< of the job that was asked for last
  coslice::ConservativeBackfill conservative;
  bool gave_up = false;  ///< a reservation since the last conservative pass
  coslice::PolicyNotes notes;
  std::vector<coslice::Time> entered;  ///< by JobIndex: when it entered the queue last; kNever: it has not come
  std::vector<double> started;         ///< beside it: when it started, s; NaN: it waits
};

namespace coslice::door {

struct HostPolicy;

/// Returns the script that stands for callbacks: it says what they are, and decides nothing. Throws InputError where
/// they are not those of a policy.
std::string script_of(const std::string& name, const coslice_policy& policy);

/// Asks the callbacks; what they leave out is asked of another scheduler.
class CallbackScheduler : public WrappedScheduler {
 public:
  /// Both outlive it.
  CallbackScheduler(const HostPolicy& policy, Scheduler& asked);

  const PolicyNotes& notes() const { return shown_.notes; }

  void begin(View& view) override;
  std::optional<OwnCheckpoints> checkpoints(View& view, JobIndex j) override;
  std::optional<Duration> estimate(View& view, JobIndex j) override;
  void corrected(View& view, JobIndex j) override;
  double key(View& view, JobIndex j) override;
  void submitted(View& view, JobIndex j) override;
  void started(View& view, JobIndex j) override;
  void ended(View& view, JobIndex j, Time started) override;
  void dropped(View& view, JobIndex j) override;
  void withdrawn(View& view, JobIndex j) override;
  void schedule(View& view, const Pass& pass) override;

 private:
  using Told = int (*)(void* user, coslice_view* view, const coslice_job* job);
  void tell(Told told, const char* what, View& view, JobIndex j);
  bool asks_another() const { return callbacks_.schedule == nullptr; }

  const HostPolicy& policy_;
  const coslice_policy& callbacks_;
  coslice_view shown_;
};

}  // namespace coslice::door
