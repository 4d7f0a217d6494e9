// What happened to one job and why, from its submission to its end. Plain values; words are made of it in report/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/node_set.h"
#include "core/time.h"
#include "sched/decisions.h"
#include "sched/observer.h"
#include "workload/job.h"

namespace coslice {

/// Why a waiting job was not started.
enum class Hold : std::uint8_t {
  kNodes,        ///< fewer nodes are free than it needs
  kSlice,        ///< its class has no slice
  kReservation,  ///< it would delay another job's start
  kOrder,        ///< nobody may pass the first job that waits
  kRule,         ///< the policy's rule about who may start says no
  kDepth,        ///< it stands too far behind in the queue to be looked at
  kPolicy,       ///< the policy did not start it, and says why or not
};

/// A stretch of waiting for one reason.
struct WaitPhase {
  Time from{}, to{};
  Hold why = Hold::kNodes;
  JobIndex by = kNoJob;              ///< kReservation, kOrder: whose start, or who is first
  Time by_start = kNever;            ///< when that one was to start, as it was believed last
  std::int32_t needed = 0;           ///< nodes; processors where these are shared
  std::int32_t least = 0, most = 0;  ///< so many were free
  std::int32_t extra = 0;            ///< kReservation: nodes that the other one would leave over
  Duration planned{0};               ///< how long the job is believed to run
  std::vector<JobIndex> holders;     ///< kNodes: who held most nodes when it began, most first
  std::size_t holder_count = 0;      ///< all who held some
  std::string words;                 ///< the policy's
};

/// Another job that started first although it stood behind, or came later and stood before by the order of the queue.
struct Passing {
  JobIndex job = kNoJob;
  Time at{};
  StartReason reason = StartReason::kInOrder;
  Duration planned{0};  ///< so long it was believed to run
  std::int32_t nodes = 0;
  JobIndex head = kNoJob;    ///< whose start it had not to delay, if only one job's
  Time head_start = kNever;  ///< when that one was to start
  std::int32_t extra = 0;    ///< nodes that would be over then
  Time promised = kNever;    ///< the reservation that the job of the story held
  Time moved_to = kNever;    ///< where that went, if it went later
  bool by_order = false;     ///< it stood before
  std::string words;         ///< the policy's
};

/// A start that was promised to the job.
struct PromisedStart {
  Time at{};                ///< of the promise
  Time start{};             ///< on the machine's clock, as far as it could be told
  bool held = false;        ///< nodes were held for it; else it was only believed
  JobIndex after = kNoJob;  ///< who ended early at that instant
};

/// Jobs, the one of the story among them, that were tried on the same nodes and refused.
struct RefusedGroup {
  Time first{}, last{};
  std::int64_t times = 0;
  JobIndex primary = kNoJob;
  std::vector<JobIndex> matched;
  double gain = 0;  ///< as it was last
  GroupRefusal why = GroupRefusal::kLowGain;
  JobIndex hurt = kNoJob;
  std::int32_t fresh = 0;  ///< nodes that would have had to be idle
  std::string words;
};

/// What happened to the job after its start.
struct JobEvent {
  enum Kind : std::uint8_t {
    kSliceEnded,  ///< it was stopped: the slice is over
    kEvicted,     ///< it was stopped for a job of the slice's class
    kResumed,     ///< in a slice of its class
    kGuest,       ///< it runs (start or resumption) in a slice of another class
    kLoading,     ///< of its memory began
    kLoaded,
    kSwapped,  ///< its memory was displaced, which adds to its work
    kRate,     ///< it gets on at another speed
    kGroup,    ///< it shares nodes from now on
    kAlone,    ///< it does not any more
  } kind;
  Time at{};
  JobIndex other = kNoJob;          ///< kEvicted: for whom; kGroup: the primary job
  Duration time{0};                 ///< kLoading, kSwapped
  double value = 0;                 ///< kRate: its speed, 1 for itself; kGroup: the gain promised
  std::size_t slice = 0;            ///< kResumed, kGuest: the class whose slice it is
  std::vector<JobIndex> members{};  ///< kGroup: the jobs over the primary's nodes
};

/// What there is to know of the start itself.
struct StartFacts {
  StartReason reason = StartReason::kInOrder;
  std::int32_t nodes = 0;
  std::vector<JobIndex> passed;  ///< who stood ahead; the first few
  std::size_t passed_count = 0;
  JobIndex head = kNoJob;  ///< the job that it had not to delay, if only one is protected
  Time head_start = kNever;
  std::int32_t extra = 0;
  Duration planned{0};
  std::vector<JobIndex> ended;  ///< who ended at that instant
  bool slice_began = false;
  std::string words;
};

struct JobStory {
  JobIndex job = kNoJob;
  Time submitted = kNever, started = kNever, ended = kNever;
  bool rejected = false, killed = false;
  NodeRanges where;
  std::vector<JobIndex> ahead;  ///< waiting before it when it came; the first few
  std::size_t ahead_count = 0;
  std::int32_t free = 0;                        ///< nodes (processors) that it could have had then
  std::size_t best_place = 0, worst_place = 0;  ///< in the queue after each pass; 1 is the first, 0: not known
  std::size_t later_ahead = 0;                  ///< at most so many that came later stood before it then
  std::vector<WaitPhase> phases;
  std::vector<PromisedStart> promises;
  std::vector<Passing> passings;
  std::vector<RefusedGroup> refused;
  std::size_t refused_more = 0;                ///< groups beyond those kept
  std::int64_t guest_refusals[3] = {0, 0, 0};  ///< by ForeignRefusal
  StartFacts start;
  int start_reasons = 0;  ///< how often a start was decided: 1
  std::vector<JobEvent> events;
};

}  // namespace coslice
