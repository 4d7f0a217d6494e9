// What happened to one job and why, from its submission to its end. Plain values; words are made of it in report/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"
#include "machine/node_set.h"
#include "schedule/observer.h"

namespace coslice {

/// Why a waiting job was not started.
enum class WaitReason : std::uint8_t {
  kNodes,        ///< fewer nodes are free than it needs
  kSlice,        ///< the job's class has no slice
  kReservation,  ///< the job would delay another job's start
  kOrder,        ///< no job may pass the first waiting one
  kRule,         ///< the policy's rule (may_start) refuses the job
  kDepth,        ///< the job stands too far behind in the queue to be looked at
  kReserved,     ///< the nodes are reserved for others, or its own reservation of nodes is closed
  kPolicy,       ///< the policy did not start it; `words` may say why
  kAside,        ///< the policy has set it aside
  kMaintenance,  ///< the job would not end before maintenance of nodes that it needs, which begins at by_start
  kLimit,        ///< the policy's plan has as many jobs that are like it as its limits let have places
  kTime,         ///< what it needs is free now, but not for as long as it may run
  kOwnStart,     ///< its own reservation is for later (by_start) and has not been moved up
};

/// The resource of which nodes that could run a job have too little, on a heterogeneous machine.
enum class Lack : std::uint8_t {
  kNothing,
  kNodes,  ///< without other jobs on them
  kCores,
  kMemory,
  kGpus,
  kLicence,
};

/// A stretch of waiting for one reason.
struct WaitPhase {
  Time from{}, to{};
  WaitReason why = WaitReason::kNodes;
  JobIndex by = kNoJob;                ///< kReservation, kOrder: the job whose start counts, or the first one
  Time by_start = kNever;              ///< start of job `by` by the last estimate; kOwnStart: of the job itself
  std::int32_t needed = 0;             ///< nodes; processors where these are shared
  std::int32_t least = 0, most = 0;    ///< fewest and most that were free, in the unit of `needed`
  std::array<std::int32_t, 3> down{};  ///< nodes that were down at most, by OutageKind
  std::int32_t extra = 0;              ///< kReservation: nodes that job `by` would leave free
  bool kept = false;                   ///< kReservation: it fitted, but only on nodes that were kept for job `by`
  Duration planned{0};                 ///< how long the job is believed to run
  std::vector<JobIndex> holders;       ///< kNodes: the jobs that held most nodes when it began, most first
  std::size_t holder_count = 0;        ///< number of all jobs that held nodes
  Lack lack = Lack::kNothing;          ///< kNodes, on a heterogeneous machine
  std::int32_t component = -1;         ///< of a job of several: the one that lacks it
  std::int32_t lack_of = -1;           ///< of which kind of nodes, or which licence; -1: of several kinds
  /// kReserved: how a reservation of nodes, which begins or ends at by_start, keeps the job waiting.
  enum class Reserved : std::uint8_t {
    kNo,
    kNow,       ///< the nodes are reserved for others until then
    kSoon,      ///< the job would not end before the nodes are reserved for others from then on
    kOwnLater,  ///< the job's own reservation of nodes begins then
    kOwnShort,  ///< too little time is left in its own one, which ends then
  } reserved = Reserved::kNo;
  std::int32_t reservation = -1;  ///< the reservation of nodes, into RunResult::reservations
  /// kNodes: a reservation of nodes beside what other jobs hold.
  struct Beside {
    std::int32_t reservation = -1;  ///< into RunResult::reservations; -1: none
    bool own = false;               ///< the job runs on its nodes only; else nodes that are free are kept for others
    TimeWindow times{};
    std::int32_t nodes = 0;  ///< kept for others: how many at most
  } beside;
  std::vector<Time> holder_ends;  ///< expected ends of the holders; empty on equal nodes
  std::string words;              ///< the policy's
  /// kPolicy: for when the policy has asked for its next pass (kNever: it has not), and what it does then, if it said.
  Time next = kNever;
  std::string next_what{};
};

/// Another job that started first although it stood behind, or came later and stood before by the order of the queue.
struct Passing {
  JobIndex job = kNoJob;
  Time at{};
  StartReason reason = StartReason::kInOrder;
  Duration planned{0};  ///< how long it was believed to run
  std::int32_t nodes = 0;
  JobIndex head = kNoJob;    ///< the job whose start it must not delay, if it is only one
  Time head_start = kNever;  ///< when that one was to start
  std::int32_t extra = 0;    ///< nodes that `head` leaves free at head_start
  Time promised = kNever;    ///< the reservation that the job of the story held
  Time moved_to = kNever;    ///< new start of that reservation, if it moved later
  bool by_order = false;     ///< the other job stood before this one
  std::string words;         ///< the policy's
};

/// A reservation that the job got.
struct PromisedStart {
  Time at{};                ///< when the reservation was made
  Time start{};             ///< on the machine's clock, as far as it could be told
  bool held = false;        ///< nodes were held for it; else it was only believed
  JobIndex after = kNoJob;  ///< the job that ended early at that instant
};

/// Jobs, the one of the story among them, that were tried on the same nodes and refused.
struct RefusedGroup {
  Time first{}, last{};
  std::int64_t times = 0;
  JobIndex primary = kNoJob;
  std::vector<JobIndex> matched;
  double gain = 0;  ///< of the last refusal
  GroupRefusal why = GroupRefusal::kLowGain;
  JobIndex hurt = kNoJob;
  std::int32_t fresh = 0;  ///< idle nodes that the group needed
  std::string words;
};

/// What happened to the job after its start.
struct JobEvent {
  enum Kind : std::uint8_t {
    kSliceEnded,  ///< the job was stopped: the slice is over
    kEvicted,     ///< the job was stopped for a job of the slice's class
    kResumed,     ///< in a slice of its class
    kForeign,     ///< the job runs (start or resumption) in a slice of another class
    kLoading,     ///< of its memory began
    kLoaded,
    kSwapped,    ///< the job's memory was displaced, which adds to its work
    kRate,       ///< the job runs at another speed
    kGroup,      ///< the job shares nodes from now on
    kAlone,      ///< the job no longer shares nodes
    kFailed,     ///< one of its nodes failed
    kStopped,    ///< the job's policy stopped it
    kSuspended,  ///< in place, for a job that runs on its nodes
    kContinued,  ///< those jobs have ended, and it continues
    kBooting,    ///< some of its nodes were powered down or still coming up
    kResized,    ///< the job has another number of nodes
    kShared,     ///< the job's end, or that of another job with which it shared a GPU; or the job had a slice of one
  } kind;
  Time at{};
  JobIndex other = kNoJob;  ///< kEvicted, kStopped: the job that it makes way for; kGroup: the primary job
  Duration time{
      0};  ///< kLoading, kSwapped, kBooting, kResized; kFailed, kStopped: the work that is lost; kShared: for how long
  /// kBooting: nodes that were powered down; kResized: nodes that it has; kRate: its speed, 1 for itself; kGroup: the
  /// expected gain; kFailed, kStopped: 1 if it is requeued
  double value = 0;
  std::size_t slice = 0;            ///< kResumed, kForeign: the class whose slice it is
  std::vector<JobIndex> members{};  ///< kGroup: the jobs over the primary's nodes; kShared: those with other slices
  double lost = 0, other_lost = 0;  ///< kShared: extra time, s, that its work and that of the other job took
};

/// How and why the job started.
struct StartFacts {
  StartReason reason = StartReason::kInOrder;
  std::int32_t nodes = 0;
  std::vector<JobIndex> passed;  ///< the jobs that stood ahead; the first few
  std::size_t passed_count = 0;
  JobIndex head = kNoJob;  ///< the job that it must not delay, if exactly one is protected
  Time head_start = kNever;
  std::int32_t extra = 0;
  Duration planned{0};
  std::vector<JobIndex> ended;  ///< the jobs that ended at that instant
  bool slice_began = false;
  std::string words;
};

/// A run of the job that was interrupted, and after which it waited again.
struct StoryRun {
  Time from{}, to{};
  Duration still{0};      ///< the part of that time in which it was preempted or suspended
  Duration lost{0};       ///< of its work
  std::size_t event = 0;  ///< what ended it, into JobStory::events
};

struct JobStory {
  JobIndex job = kNoJob;
  Time submitted = kNever;
  Time started = kNever;  ///< start of its last run; kNever while it waits again
  Time ended = kNever;
  bool rejected = false, killed = false;
  Rejection rejection = Rejection::kNeverFits;  ///< where it was rejected, at `given_up`
  std::string refusal;                          ///< kPolicy: the policy's words
  std::optional<Release> release;               ///< what let it come later than it was submitted
  bool unfulfilled = false;  ///< what it needs of `unfulfilled_by` could not happen any more at `given_up`
  JobIndex unfulfilled_by = kNoJob;
  bool withdrawn =
      false;  ///< the job's user cancelled it at `given_up`; `submitted` is kNever where it had not come by then
  Time given_up = kNever;  ///< rejected, unfulfilled or withdrawn
  NodeRanges where;
  std::vector<JobIndex> ahead;  ///< waiting before it when it came; the first few
  std::size_t ahead_count = 0;
  std::int32_t free = 0;                        ///< free nodes (processors where shared) at its submission
  std::size_t best_place = 0, worst_place = 0;  ///< in the queue after each pass; 1 is the first, 0: not known
  std::size_t later_ahead = 0;                  ///< the most jobs that came later and stood before it then
  std::vector<WaitPhase> phases;  ///< with its earlier runs, they fill the time from its submission to its start
  std::vector<StoryRun> earlier;
  Duration still{0};  ///< of its last run, when it was preempted or suspended
  std::vector<PromisedStart> promises;
  std::vector<Passing> passings;
  std::vector<RefusedGroup> refused;
  std::size_t refused_more = 0;                  ///< sharing groups beyond those kept
  std::int64_t foreign_refusals[3] = {0, 0, 0};  ///< by ForeignRefusal
  StartFacts start;
  int start_reasons = 0;  ///< how often a start was decided: 1, and once for each earlier run
  std::vector<JobEvent> events;

  /// Returns the first event after its last start.
  std::size_t first_event() const { return earlier.empty() ? 0 : earlier.back().event + 1; }
  /// Returns the time from the job's submission to its last start, without its earlier runs. Precondition: it has
  /// started.
  Duration waited() const {
    Duration time = started - submitted;
    for (const StoryRun& run : earlier) time -= run.to - run.from;
    return time;
  }
};

}  // namespace coslice
