// What is noted of lines of a dump of sacct.
#pragma once

#include "jobs/workload.h"

namespace coslice {

struct SacctNotes {
  // What is noted of lines, in the order of the account.
  static constexpr NoteCounts::Kind kStep{0, "a step of a job, not a job", true};
  static constexpr NoteCounts::Kind kNotEnded{1, "has not ended", true};
  static constexpr NoteCounts::Kind kNotStarted{2, "never started, and when it was cancelled is not on record", true};
  static constexpr NoteCounts::Kind kNoSize{3, "no size", true};
  static constexpr NoteCounts::Kind kLongTime{4, "ran for more than 31 years", true};
  static constexpr NoteCounts::Kind kNoLimit{5, "no limit, the run time is the limit"};
  static constexpr NoteCounts::Kind kClock{
      6, "elapsed time is not end minus start (suspended, or a change of the clocks), it is what counts"};
  static constexpr NoteCounts::Kind kInstant{7, "elapsed time 0, taken as 1 s"};
  static constexpr NoteCounts::Kind kWithdrawn{8, "cancelled while it waited: it waits until then"};
  static constexpr NoteCounts::Kind kPreempted{
      9, "a run that was preempted: one job with the run that followed, where one did"};
  static constexpr NoteCounts::Kind kNumbered{
      10, "numbered anew: the id is not a number of its own, but that of an array or of a job that ran twice"};
  static constexpr NoteCounts::Kind kJoined{
      11, "the delimiter is in a name or another text, or a line end is: put together by the columns beside it"};
  static constexpr NoteCounts::Kind kNotOnRecord{
      12, "depends on a job that does not precede it in the dump: the dependency is ignored"};
  static constexpr NoteCounts::Kind kUncertain{
      13, "the delimiter is in one of several texts, which may be another one than is taken"};
  static constexpr NoteCounts::Kind kComponent{15, "a component of a heterogeneous job: one job with the others"};
  static constexpr NoteCounts::Kind kEarlyStart{
      14, "started before it was submitted (a change of the clocks, or clocks that differ): how long it waited is not "
          "known; make the dump with TZ=UTC, or with times that say their zone"};
  // The same where times say their zone, as all of a dump do: no change of the clocks is in them.
  static constexpr NoteCounts::Kind kSuspended{6, "elapsed time is not end minus start (suspended), it is what counts"};
  static constexpr NoteCounts::Kind kOddStart{
      14, "started before it was submitted, by times that say their zone (clocks that differ): how long it waited is "
          "not known"};
};

}  // namespace coslice
