// What the event loops are told of the rules of a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "jobs/job.h"
#include "machine/machine.h"

namespace coslice {

enum class EventOrder : std::uint8_t { kEndsFirst, kSubmissionsFirst };

/// What happens to a job that reaches its limit.
enum class AtLimit : std::uint8_t {
  kKill,    ///< the job ends there
  kExtend,  ///< the job runs on; the profile holds its nodes until its end
};

/// What happens to a job that does not start in the pass after its submission.
enum class Unstarted : std::uint8_t {
  kWait,
  kDrop,  ///< the job is rejected: nothing queues
};

/// Returns the nodes for a job of `size` processes with `ppn` of them on each.
inline std::int32_t nodes_for(std::int32_t size, std::int32_t ppn) { return size / ppn + (size % ppn != 0 ? 1 : 0); }

/// What becomes of a job whose dependency can never be fulfilled.
enum class Unfulfilled : std::uint8_t {
  kWait,    ///< the job never comes, and so does every job that waits for its end
  kCancel,  ///< the job is cancelled at that instant: for others it has ended, and failed
};

/// Which of its sizes a moldable job gets where its policy does not say.
enum class Molding : std::uint8_t {
  kAsked,      ///< the first one that it names
  kFitsNow,    ///< at each pass the largest that fits now, else the one that it had
  kEndsFirst,  ///< at each pass the one with which it would end first, beside all reservations
};

struct EngineOptions {
  EventOrder event_order = EventOrder::kEndsFirst;
  AtLimit at_limit = AtLimit::kKill;
  Unstarted unstarted = Unstarted::kWait;
  /// Whether SWF fields 17 and 18 count: a job is submitted no earlier than the end of the job before it plus the think
  /// time.
  bool dependencies = false;
  /// What becomes of a job whose dependency can no longer be fulfilled.
  Unfulfilled unfulfilled = Unfulfilled::kWait;
  Molding molding = Molding::kEndsFirst;
  /// Processes that a job places on each of its nodes; 0: one per core.
  std::int32_t processes_per_node = 0;
  /// Limits are looked at every so often, counted from `first_limit_check`; not set: jobs are killed just at their
  /// limits.
  std::optional<Duration> limit_check, first_limit_check;
  /// How long jobs may run on beyond their limits, which schedulers still believe; partitions may say otherwise.
  Duration over_limit{0};
  /// How long a job that is killed keeps its nodes at most until it is gone; it may end by itself before.
  Duration kill_wait{0};

  std::int32_t ppn(const MachineSpec& m) const {
    return processes_per_node > 0 ? processes_per_node : m.cores_per_node();
  }
  /// Returns for how long the job may hold its nodes, as far as a scheduler can know.
  Duration planned(const Job& job) const {
    return at_limit == AtLimit::kKill ? job.limit : std::max(job.limit, job.runtime);
  }
  /// Returns for how long the job runs.
  Duration actual(const Job& job) const {
    return at_limit == AtLimit::kKill ? std::min(job.limit, job.runtime) : job.runtime;
  }
  /// Returns when a job that runs on is killed whose limit is over at `end`.
  Time killed_at(Time end) const {
    if (!limit_check) return end;
    const Duration first = first_limit_check.value_or(Duration{0});
    const Duration since = end.time_since_epoch() - first;
    const auto checks = since / *limit_check + (since % *limit_check > Duration{0} ? 1 : 0);
    return Time{first + checks * *limit_check};
  }
  bool over_time() const { return over_limit != Duration{0} || kill_wait != Duration{0}; }
  bool kills(const Job& job) const { return at_limit == AtLimit::kKill && job.runtime > job.limit; }
};

}  // namespace coslice
