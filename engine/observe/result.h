// What a run leaves behind: one outcome per job, the timeline, the fingerprint. Everything in reports is computed
// from this and from the workload.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "events/node_power.h"
#include "jobs/job_times.h"
#include "jobs/node_reservation.h"
#include "jobs/workload.h"
#include "machine/machine.h"
#include "machine/node_room.h"
#include "machine/node_set.h"
#include "machine/outage.h"
#include "process/process_record.h"
#include "schedule/observer.h"
#include "sharing/sharing.h"
#include "slices/slices.h"

namespace coslice {

// Numbers that a policy notes down in a run, under names of its own: how long a search was, which candidate won.

class PolicyNotes {
 public:
  /// How many names there may be.
  static constexpr int kMost = 100;
  struct Note {
    std::int64_t count = 0;
    double sum = 0;
    double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  };

  /// Returns false if there would be too many names.
  bool add(std::string_view name, double x) {
    auto at = notes_.find(name);
    if (at == notes_.end()) {
      if (notes_.size() == kMost) return false;
      at = notes_.emplace(std::string(name), Note{}).first;
    }
    ++at->second.count;
    at->second.sum += x;
    return true;
  }
  /// Adds the notes of another scheduler of the same run.
  void add(const PolicyNotes& others) {
    for (const auto& [name, note] : others.notes_) {
      Note& own = notes_[name];
      own.count += note.count;
      own.sum += note.sum;
    }
  }
  /// Returns the notes by name, in order of the bytes.
  const std::map<std::string, Note, std::less<>>& all() const { return notes_; }

 private:
  std::map<std::string, Note, std::less<>> notes_;
};

/// How full the GPUs of a machine were, by the demand that has arrived, in whole per cent of the machine's GPUs, from 0
/// on. Each is the mean over the instants at which it had come to that, rounded to 0.01; where there are none, over
/// those of the neighbours. In per cent.
struct DemandCurves {
  std::vector<double> allocation;           ///< GPUs in use, of all
  std::vector<double> fragmentation;        ///< GPUs that the mix cannot use, of all
  std::vector<double> fragmentation_ratio;  ///< fragmentation in parts of the GPUs that are left
  double final_allocation = 0;              ///< after the last arrival
  std::int64_t arrived = 0, placed = 0;     ///< jobs
};

/// How a job ended; the words in files are Batsim's.
enum class FinalState : std::uint8_t {
  kNotRun,           ///< still waiting or running when the run was stopped
  kCompleted,        ///< COMPLETED_SUCCESSFULLY
  kWalltimeReached,  ///< COMPLETED_WALLTIME_REACHED: killed at its limit
  kRejected,         ///< REJECTED: it can never run, or its policy refused it (Rejection)
  kLost,             ///< COMPLETED_FAILED: a node of it failed, and it was not requeued
  kCancelled,        ///< COMPLETED_KILLED: its policy stopped it
  kUnfulfilled,      ///< DEPENDENCY_NEVER_SATISFIED: what it waited for can no longer happen
  kWithdrawn,        ///< WITHDRAWN: its user cancelled it before it had started, here or in its record (never_ran())
};

/// Where the nodes of a job are kept (NodeArchive).
struct ArchivedNodes {
  std::uint32_t chunk_offset = 0;  ///< in bytes
  std::uint32_t count = 0;         ///< intervals; 0: no nodes
};

/// Compact store of the node sets of all ended jobs: delta-coded, two to four bytes an interval.
class NodeArchive {
 public:
  /// Throws SimulationError when 4 GiB are full.
  ArchivedNodes add(const NodeRanges& nodes);
  /// Returns what was added. Precondition: `where` came from add() of this archive.
  NodeRanges get(ArchivedNodes where) const;
  /// Returns how many nodes these are. Precondition: as for get().
  std::int32_t count(ArchivedNodes where) const;

 private:
  std::vector<std::uint8_t> bytes_;
};

/// What became of one job.
struct Outcome {
  Time start = kNever;  ///< first start, of a requeued job the last one; kNever if it did not start
  Time end = kNever;    ///< end; kNever if it did not end
  ArchivedNodes nodes{};
  FinalState state = FinalState::kNotRun;
  Rejection rejection = Rejection::kNeverFits;  ///< why, where it was rejected

  /// Returns whether the job ran to its own end or to its limit: its last run is beside those that were interrupted.
  bool ran_to_end() const { return state == FinalState::kCompleted || state == FinalState::kWalltimeReached; }
};

/// The state of the machine from `time` on, until the next point.
struct TimelinePoint {
  Time time;
  std::int32_t queue;  ///< waiting jobs
  std::int32_t used_nodes;
  std::int64_t used_cores;  ///< cores that run a process
};

/// Calls f(i, span) for each point of a timeline that holds for some time between `from` and `to`: the i-th, for
/// `span`.
template <class F>
void each_span(const std::vector<TimelinePoint>& timeline, Time from, Time to, F&& f) {
  for (std::size_t i = 0; i != timeline.size(); ++i) {
    const Time next = i + 1 != timeline.size() ? timeline[i + 1].time : to;
    const Duration span = std::min(next, to) - std::max(timeline[i].time, from);
    if (span > Duration{0}) f(i, span);
  }
}

/// What few machines have, beside a point of the timeline.
struct TimelineExtras {
  std::int64_t used_gpus = 0;       ///< thousandths of GPUs that jobs hold, as in KindUse
  std::int32_t down_nodes = 0;      ///< at this instant
  std::int32_t gpus_with_jobs = 0;  ///< GPUs of which jobs hold something
};

/// A run of a job that a failure of a node or its policy ended.
struct InterruptedRun {
  JobIndex job = kNoJob;
  Time from{}, to{};
  ArchivedNodes nodes{};
  std::int32_t node_count = 0;
  Duration lost{0};       ///< of its work
  Duration preempted{0};  ///< of the time it was preempted, and its nodes were left to others
  InterruptedBy by = InterruptedBy::kFailure;
  bool requeued = false;
  RequestId request = kNoRequest;  ///< what it had, where jobs chose that; else that of the job
  Parts parts{};                   ///< of a job of several components; else empty
};

/// A time in which an elastic job had the same nodes.
struct SizeSpan {
  Time from{}, to{};
  ArchivedNodes nodes{};
  std::int32_t count = 0;
  Duration standstill{0};  ///< of it, in which the job made no progress for its changes
  Duration preempted{0};   ///< in which it was preempted, and its nodes were left to others
  /// Returns for how long it had the nodes.
  Duration time() const { return to - from - preempted; }
};

/// What an elastic job had in runs in which its nodes changed, and in the last one with how many it started.
struct ResizedJob {
  std::vector<SizeSpan> spans;  ///< in order of time; those of no length are left out
  std::int64_t grown = 0, shrunk = 0;
  std::int32_t nodes_at_start = 0;
  Rate rate_at_start{};
};

/// A time in which a started job was suspended in place.
struct SuspendedSpan {
  JobIndex job = kNoJob;
  Time from{}, to = kNever;  ///< kNever: still, when the run ended
  std::int32_t nodes = 0;
};

/// A time in which a node was down.
struct NodeDown {
  NodeId node = 0;
  Time from{}, to = kNever;  ///< kNever: still down when the run ended
  OutageKind kind = OutageKind::kFailure;
};

/// Returns for how many seconds of [from, to) something was that lasted from `first` to `last`.
inline double seconds_within(Time from, Time to, Time first, Time last) {
  return std::max(0.0, to_seconds(std::min(to, last) - std::max(from, first)));
}

/// Of a run in which nodes are not always there.
struct OutageRecord {
  std::int64_t failures = 0;   ///< outages of that kind, of one node or several
  std::vector<Outage> begun;   ///< all that began, in that order
  std::vector<NodeDown> down;  ///< in the order of their beginnings
};

/// Time that a job was on nodes of which some were reserved then.
struct ReservedPiece {
  JobIndex job = kNoJob;
  NodeRanges nodes;
  Time from, to;
};

/// What time slices did to one job.
struct SlicedJob {
  std::int32_t preemptions = 0;  ///< stops at the ends of slices, and for jobs of the slice's class
  std::int32_t switches = 0;     ///< preemptions at the ends of slices
  std::int32_t nodes = 0;        ///< how many it had
  Duration loading{0};           ///< the job's memory was being loaded: it held its nodes and made no progress
  Duration preempted{0};  ///< the job was preempted and its nodes were left to others, between its start and its end
};

/// Of a run in which jobs may share nodes.
struct SharingRecord {
  SharingCounts counts;
  std::vector<SharedJob> jobs;  ///< by JobIndex
  Layout layout = Layout::kAcross;
};

/// The runs of a job that were interrupted and after which it waited again, together.
struct EarlierRuns {
  Duration time{0};  ///< for how long it ran
  Duration kept{0};  ///< the part that its work gained: the last run did not repeat it
};

struct RunResult {
  const Workload* workload = nullptr;      ///< not owned unless it is `molded`; outlives the result
  std::shared_ptr<const Workload> molded;  ///< where jobs chose their sizes: the jobs as they ran
  MachineSpec machine;
  std::vector<Outcome> outcomes;  ///< by JobIndex
  std::vector<Time> submitted;    ///< by JobIndex: entry into the queue; empty: every job's submit time
  NodeArchive archive;
  std::vector<TimelinePoint> timeline;          ///< one point per instant at which something changed
  std::vector<TimelineExtras> timeline_extras;  ///< one per point, where nodes have GPUs or come and go; else empty

  TimelineExtras extras_at(std::size_t point) const {
    return point < timeline_extras.size() ? timeline_extras[point] : TimelineExtras{};
  }
  std::vector<Duration> overhead;           ///< by JobIndex: loading and swapping; empty where memory is not modelled
  std::vector<Duration> first_load;         ///< part of it: the first load of each job
  Duration switch_time{0};                  ///< lost at the end of each slice
  std::vector<SlicedJob> sliced;            ///< by JobIndex; empty without time slices
  SliceCounts slices;                       ///< all 0 without time slices
  std::optional<SharingRecord> sharing;     ///< where jobs may share nodes
  std::vector<std::int32_t> partition;      ///< by JobIndex: where it ran, -1: nowhere; empty without partitions
  std::vector<Parts> parts;                 ///< by JobIndex: its parts of nodes; empty where jobs have whole nodes
  std::vector<InterruptedRun> interrupted;  ///< in the order of their ends
  std::vector<EarlierRuns> earlier;         ///< by JobIndex; empty where no job waited again after a run
  std::map<JobIndex, ResizedJob> resized;   ///< of jobs whose nodes changed
  std::vector<SuspendedSpan> suspended;     ///< in the order of their beginnings; those of no length are left out
  std::vector<Duration> checkpointing;      ///< by JobIndex: work at rate 1 for checkpoints; empty if there were none
  std::optional<OutageRecord> outages;      ///< where nodes are not always there
  std::optional<PowerRecord> power;         ///< where nodes are powered down
  std::optional<MachineCosts> costs;        ///< where it is known what nodes draw or cost
  std::vector<double> busy;                 ///< node-seconds with jobs, by kind; where `costs` are known
  std::vector<double> busy_gpus;            ///< GPU-seconds with jobs, by kind; where a busy GPU draws something
  std::vector<double> joules;               ///< by JobIndex: its energy (docs/power.md); where watts are known
  NodeReservations reservations;            ///< of nodes, as the simulation was told
  /// Under time slices, where some nodes are reserved: when jobs ran in reservations.
  std::optional<std::vector<ReservedPiece>> in_reservations;
  std::optional<DemandCurves> demand;       ///< where it was asked for
  std::optional<ProcessRecord> processes;   ///< of a run at the level of processes
  std::map<JobIndex, std::string> blocked;  ///< jobs that wait still and that nothing lets start, and why
  std::uint64_t fingerprint = 0;
  std::uint64_t events = 0;  ///< events processed
  std::uint64_t passes = 0;  ///< scheduling passes

  /// Returns when the job entered the queue: its submit time, or later if it depended on another job.
  Time submitted_at(JobIndex j) const { return submitted.empty() ? workload->jobs[j].submit : submitted[j]; }

  /// Returns the runs after which the job waited again.
  EarlierRuns earlier_runs(JobIndex j) const { return earlier.empty() ? EarlierRuns{} : earlier[j]; }
  /// Returns how long the job waited in the queue: until its last start, but for its earlier runs. Precondition: it has
  /// started.
  Duration waited(JobIndex j) const { return outcomes[j].start - submitted_at(j) - earlier_runs(j).time; }
  /// Returns how long the job ran, but for what its last run had to repeat of earlier ones. Precondition: it has ended.
  Duration ran(JobIndex j) const { return outcomes[j].end - outcomes[j].start + earlier_runs(j).kept; }
  /// Returns for how long its last run had its nodes, suspensions in place included. Precondition: it ran to its end.
  Duration last_run_time(JobIndex j) const {
    return outcomes[j].end - outcomes[j].start - (sliced.empty() ? Duration{0} : sliced[j].preempted);
  }

  /// Calls f(span) for the nodes that the job had in its run in [from, to), which it ended with `nodes`: once where
  /// they did not change.
  template <class F>
  void each_size(JobIndex j, Time from, Time to, ArchivedNodes nodes, F&& f) const {
    const auto spans = resized.find(j);
    bool any = false;
    if (spans != resized.end())
      for (const SizeSpan& s : spans->second.spans)
        if (s.from >= from && s.to <= to) any = true, f(s);
    if (!any) f(SizeSpan{from, to, nodes, archive.count(nodes)});
  }
  /// Returns how many nodes the job had in its run in [from, to), which it ended with `nodes`: a mean over the time in
  /// which it had them, where they changed.
  double mean_nodes(JobIndex j, Time from, Time to, ArchivedNodes nodes) const {
    if (resized.count(j) == 0 || to <= from) return archive.count(nodes);
    double node_seconds = 0, seconds = to_seconds(to - from);
    each_size(j, from, to, nodes, [&](const SizeSpan& s) {
      node_seconds += to_seconds(s.time()) * s.count;
      if (s.preempted != Duration{0}) seconds -= to_seconds(s.preempted);
    });
    return seconds > 0 ? node_seconds / seconds : archive.count(nodes);
  }
  /// The same of its last run. Precondition: it has ended.
  double mean_nodes(JobIndex j) const { return mean_nodes(j, outcomes[j].start, outcomes[j].end, outcomes[j].nodes); }

  /// Returns what time slices cost the job: loading and swapping, and the time lost at the end of each slice that
  /// interrupted it.
  Duration overhead_of(JobIndex j) const {
    return (overhead.empty() ? Duration{0} : overhead[j]) +
           (sliced.empty() ? Duration{0} : sliced[j].switches * switch_time);
  }
};

}  // namespace coslice
