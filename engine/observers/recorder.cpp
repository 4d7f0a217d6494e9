#include "observers/recorder.h"

#include <algorithm>
#include <bit>

#include "core/hash.h"
#include "resources/layout.h"

namespace coslice {

Recorder::Recorder(const Workload& workload, const MachineSpec& machine) {
  result_.workload = &workload;
  result_.machine = machine;
  result_.outcomes.resize(workload.jobs.size());
  result_.timeline.reserve(workload.jobs.size() * 2 + 1);
  if (kinds_of(machine)->gpu_count() > 0) gpus_.resize(workload.jobs.size());
}

void Recorder::note(Time t, Kind kind, std::uint32_t j, std::uint64_t nodes) {
  ++result_.events;
  std::uint64_t h = result_.fingerprint;
  h = hash_mix(h, static_cast<std::uint64_t>(t.time_since_epoch().count()));
  h = hash_mix(h, (static_cast<std::uint64_t>(kind) << 32) | j);
  result_.fingerprint = hash_mix(h, nodes);
}

void Recorder::submitted(Time t, JobIndex j) { note(t, Kind::kSubmit, j, 0); }

void Recorder::rejected(Time t, JobIndex j, Rejection why) {
  note(t, Kind::kReject, j, 0);
  result_.outcomes[j].state = FinalState::kRejected;
  result_.outcomes[j].rejection = why;
}

void Recorder::unfulfilled(Time t, JobIndex j, JobIndex) {
  note(t, Kind::kUnfulfilled, j, 0);
  result_.outcomes[j].state = FinalState::kUnfulfilled;
}

void Recorder::withdrawn(Time t, JobIndex j) {
  note(t, Kind::kWithdraw, j, 0);
  result_.outcomes[j].state = FinalState::kWithdrawn;
}

void Recorder::placed(Time, JobIndex j, const Parts& parts, std::int32_t partition) {
  const std::size_t jobs = result_.outcomes.size();
  if (partition >= 0 && result_.partition.empty()) result_.partition.resize(jobs, -1);
  if (partition >= 0) result_.partition[j] = partition;
  if (parts.empty()) return;
  if (result_.parts.empty()) result_.parts.resize(jobs);
  result_.parts[j] = parts;
}

void Recorder::started(Time t, JobIndex j, const NodeRanges& nodes) {
  note(t, Kind::kStart, j, nodes.hash());
  result_.outcomes[j].start = t;
  hold_gpus(j, nodes.count());
}

void Recorder::hold_gpus(JobIndex j, std::int32_t nodes) {
  const RequestId asked = gpus_.empty() ? kNoRequest : result_.workload->jobs[j].request;
  if (asked == kNoRequest) return;
  const Request& request = result_.workload->requests[asked];
  gpus_[j] = std::int64_t{nodes} * request.gpus * request.gpu_share;
  used_gpus_ += gpus_[j];
  if (gpus_[j] != 0) count_gpus(j, 1);
}

void Recorder::leave_gpus(JobIndex j) {
  if (gpus_.empty() || gpus_[j] == 0) return;
  count_gpus(j, -1);
  used_gpus_ -= gpus_[j];
  gpus_[j] = 0;
}

/// Where jobs have whole nodes, no two of them are on a GPU.
void Recorder::count_gpus(JobIndex j, int sign) {
  if (result_.parts.empty()) {
    gpus_with_jobs_ += sign * gpus_[j] / result_.workload->requests[result_.workload->jobs[j].request].gpu_share;
    return;
  }
  if (on_gpu_.empty()) {
    for (const NodeKind& k : result_.machine.layout->kinds) most_gpus_ = std::max(most_gpus_, static_cast<std::size_t>(k.gpus));
    on_gpu_.resize(static_cast<std::size_t>(result_.machine.nodes) * most_gpus_);
  }
  for (const NodePart& part : result_.parts[j]) {
    std::uint16_t* const jobs = &on_gpu_[static_cast<std::size_t>(part.node) * most_gpus_];
    for (std::uint64_t left = part.gpus; left != 0; left &= left - 1) {
      std::uint16_t& n = jobs[std::countr_zero(left)];
      const bool had = n != 0;
      n = static_cast<std::uint16_t>(n + sign);
      gpus_with_jobs_ += (n != 0) - had;
    }
  }
}

/// There are time slices in this run.
void Recorder::note_slices() {
  result_.sliced.resize(result_.outcomes.size());
  loading_since_.resize(result_.outcomes.size(), kNever);
  preempted_.resize(result_.outcomes.size());
}

void Recorder::slice_begun(Time t, std::size_t job_class, Duration) {
  if (result_.sliced.empty()) note_slices();
  slice_ended_ = kNever;
  note(t, Kind::kSlice, static_cast<std::uint32_t>(job_class), 0);
}

void Recorder::slice_ended(Time t, std::size_t) { slice_ended_ = t; }

void Recorder::preempted(Time t, JobIndex j) {
  note(t, Kind::kPreempt, j, 0);
  leave_gpus(j);
  if (result_.sliced.empty()) return note_suspended(t, j);
  SlicedJob& job = result_.sliced[j];
  ++job.preemptions;
  job.switches += t == slice_ended_;
  job.away -= t.time_since_epoch();
  preempted_[j] = true;
  stop_loading(t, j);
}

void Recorder::resumed(Time t, JobIndex j, const NodeRanges& nodes) {
  note(t, Kind::kResume, j, nodes.hash());
  hold_gpus(j, nodes.count());
  if (result_.sliced.empty()) return note_continued(t, j, nodes.count());
  result_.sliced[j].away += t.time_since_epoch();
  preempted_[j] = false;
}

/// Of the run that is interrupted now, how long it was preempted.
Duration Recorder::away_until(Time t, JobIndex j) {
  if (result_.sliced.empty()) return Duration{0};
  stop_loading(t, j);
  if (preempted_[j]) result_.sliced[j].away += t.time_since_epoch();
  preempted_[j] = false;
  return result_.sliced[j].away;
}

void Recorder::note_suspended(Time t, JobIndex j) { result_.suspended.push_back({j, t, kNever, 0}); }

/// The job goes on with so many nodes, or has ended or was interrupted while it was suspended.
void Recorder::note_continued(Time t, JobIndex j, std::int32_t nodes) {
  auto& spans = result_.suspended;
  const auto span = std::find_if(spans.rbegin(), spans.rend(), [&](const SuspendedSpan& s) { return s.job == j; });
  if (span == spans.rend() || span->to != kNever) return;
  span->to = t;
  span->nodes = nodes;
  if (span->from == t) spans.erase(std::next(span).base());
}

void Recorder::loading(Time t, JobIndex j, Duration) { loading_since_[j] = t; }

void Recorder::loaded(Time t, JobIndex j) {
  note(t, Kind::kLoaded, j, 0);
  stop_loading(t, j);
}

void Recorder::stop_loading(Time t, JobIndex j) {
  if (loading_since_[j] == kNever) return;
  result_.sliced[j].loading += t - loading_since_[j];
  loading_since_[j] = kNever;
}

void Recorder::ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) {
  note(t, killed ? Kind::kKill : Kind::kEnd, j, nodes.hash());
  leave_gpus(j);
  Outcome& outcome = result_.outcomes[j];
  outcome.end = t;
  outcome.nodes = result_.archive.add(nodes);
  if (!result_.sliced.empty()) result_.sliced[j].nodes = nodes.count();
  outcome.state = never_ran(result_.workload->jobs[j]) ? FinalState::kWithdrawn
                  : killed                             ? FinalState::kWalltimeReached
                                                       : FinalState::kCompleted;
}

void Recorder::interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) {
  note(t, Kind::kInterrupt, j, nodes.hash());
  leave_gpus(j);
  if (!result_.suspended.empty()) note_continued(t, j, nodes.count());
  Outcome& outcome = result_.outcomes[j];
  result_.interrupted.push_back({j, later(t, -what.started), t, result_.archive.add(nodes), nodes.count(), what.lost,
                                 away_until(t, j), what.by, what.requeued, result_.workload->jobs[j].request});
  if (what.requeued) {
    if (result_.earlier.empty()) result_.earlier.resize(result_.outcomes.size());
    EarlierRuns& earlier = result_.earlier[j];
    earlier.time += what.started;
    earlier.kept += std::max(what.started - what.lost, Duration{0});
    outcome.start = kNever;
    if (!result_.sliced.empty()) result_.sliced[j].away = Duration{0};
  } else {
    outcome.end = t;
    outcome.nodes = result_.interrupted.back().nodes;
    outcome.state = what.by == InterruptedBy::kFailure ? FinalState::kLost : FinalState::kCancelled;
  }
}

void Recorder::outage_begun(Time, const Outage& outage) {
  if (!result_.outages) result_.outages.emplace();
  result_.outages->failures += outage.kind == OutageKind::kFailure;
  result_.outages->begun.push_back(outage);
}

void Recorder::node_down(Time t, NodeId n, OutageKind kind) {
  note(t, Kind::kDown, static_cast<std::uint32_t>(n), static_cast<std::uint64_t>(kind));
  result_.outages->down.push_back({n, t, kNever, kind});
}

void Recorder::node_up(Time t, NodeId n) {
  note(t, Kind::kUp, static_cast<std::uint32_t>(n), 0);
  auto& down = result_.outages->down;
  std::find_if(down.rbegin(), down.rend(), [&](const NodeDown& d) { return d.node == n; })->to = t;
}

void Recorder::settled(const InstantState& s) {
  result_.timeline.push_back({s.now, s.waiting, s.used_nodes, s.used_cores});
  if (gpus_.empty() && !result_.outages) return;
  result_.timeline_extras.resize(result_.timeline.size());
  result_.timeline_extras.back() = {used_gpus_, s.down_nodes, static_cast<std::int32_t>(gpus_with_jobs_)};
}

}  // namespace coslice
