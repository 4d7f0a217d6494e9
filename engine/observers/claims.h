// What a scheduler may claim of all its runs. `ClaimWatch` (observers/claim_watch.h) holds runs against it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/time.h"

namespace coslice {

struct Claims {
  bool never_idle = false;       ///< nodes are in use whenever a job waits
  bool work_conserving = false;  ///< no job waits for which enough nodes are idle
  bool no_idle_gpus = false;     ///< the first of the queue does not wait for GPUs while others would do that no job has
  bool in_order = false;         ///< no job starts before one that stands in front of it in the queue
  /// As long as a job is the first of the queue, the earliest start that started jobs leave it never moves later.
  bool head_never_delayed = false;
  bool promises_kept = false;  ///< no reservation moves later, and each is kept
  /// A job that found k jobs waiting starts within (k + 1) times the longest time that any job may take, whatever comes
  /// after it. What comes within this time may go first: then those jobs count among the k, and the bound is twice that.
  std::optional<Duration> no_starvation;
  /// A response time is at most this many times what a job could expect when it came: the queue in front of it played
  /// forward by the estimates, every job as early as possible. Where jobs end early, conservative backfilling knows no
  /// bound.
  std::optional<double> fairness_bound;

  /// Returns the names of the claims that are made, in this order: "never-idle", ...
  std::vector<std::string> names() const;
};

/// The names of all claims there are.
const std::vector<std::string>& claim_names();

/// A claim that did not hold.
struct BrokenClaim {
  std::string claim;
  std::string what;  ///< "at 5 s, job 2: ..."
};

}  // namespace coslice
