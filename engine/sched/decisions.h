// What a scheduler weighs when it decides: told to registered observers where decisions are made, so that explanations
// are made of what was done, not of what a second reading of the rules would have done. Without an observer it costs a
// branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/time.h"
#include "workload/job.h"

namespace coslice {

class View;
struct GroupPlan;

/// Why jobs were not placed on the same nodes.
enum class GroupRefusal : std::uint8_t {
  kLowGain,      ///< it gains less than is wanted
  kNodes,        ///< more nodes would have to be idle
  kReservation,  ///< a job that holds a reservation would start later
  kUnfair,       ///< some job would end later than it may expect
  kLessGain,     ///< another one gains more
  kPolicy,       ///< the policy says why
};

/// Why a waiting job was not let into a slice of another class.
enum class ForeignRefusal : std::uint8_t {
  kNodes,        ///< not enough nodes for as long as it would be there
  kOwnNodes,     ///< it does not finish in the slice, and too many nodes are allocated to jobs of its own class
  kReservation,  ///< it would delay a job of its own class
};

/// What a matrix of processors that several jobs share had left for a job.
struct RoomInRows {
  std::int32_t needed = 0;     ///< processors
  std::int32_t most_free = 0;  ///< in the emptiest row
  JobIndex head = kNoJob;      ///< the first job that waits, if it is another one
  bool may_pass = false;       ///< others may start before it if they do not delay it
  Time shadow = kNever;        ///< when the first one is to start
};

class DecisionObserver {
 public:
  virtual ~DecisionObserver() = default;

  /// The job has just entered the view's queue.
  virtual void queued(const View&, JobIndex) {}
  /// A pass of the view's scheduler begins.
  virtual void asked(const View&) {}
  /// The waiting job at this position of the queue starts: it still stands there.
  virtual void starting(const View&, std::size_t /*position*/) {}
  /// The job at `head` cannot start, and no job may pass it.
  virtual void blocked(const View&, std::size_t /*head*/) {}
  /// The job at `head` cannot start. It is to do so at `shadow`; those behind it and before `end` may pass it if they are
  /// over by then or need no more than `extra` nodes.
  virtual void blocked(const View&, std::size_t /*head*/, Time /*shadow*/, std::int32_t /*extra*/,
                       std::size_t /*end*/) {}
  /// In this pass no job may delay the start of that waiting job, which holds no reservation beyond the pass.
  virtual void shields(const View&, JobIndex, Time /*start*/) {}
  /// The policy's rule (may_start) refuses the job now.
  virtual void ruled_out(const View&, JobIndex) {}
  /// The policy's own words for what it does about the job next.
  virtual void reasoned(const View&, JobIndex, std::string_view) {}
  /// The policy asked for a pass at that time, and says what it does then.
  virtual void wakes(const View&, Time, std::string_view /*what*/) {}
  /// Jobs that were not placed on the same nodes. `hurt`: the job that would be harmed, if it is one.
  virtual void group_refused(const View&, const GroupPlan&, GroupRefusal, JobIndex /*hurt*/, std::string_view) {}
  /// The slice of the view's class begins.
  virtual void opened(const View&) {}
  /// The productive part of it is over.
  virtual void closed(const View&) {}
  /// The job was looked at for the rest of another class's slice.
  virtual void foreign_refused(const View&, JobIndex, ForeignRefusal) {}
  /// The job was not admitted to processors that several jobs share.
  virtual void not_admitted(Time, JobIndex, const RoomInRows&) {}
};

}  // namespace coslice
