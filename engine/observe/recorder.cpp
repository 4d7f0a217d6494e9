#include "observe/recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/random.h"
#include "jobs/elasticity.h"
#include "machine/components.h"
#include "machine/layout.h"
#include "machine/node_set.h"
#include "machine/request_in_partition.h"

namespace coslice {
namespace {

/// Demand beyond is not noted: where jobs leave, it has no end.
constexpr std::size_t kMostPercent = 1000;

double hundredths(double x) { return std::nearbyint(100 * x) / 100; }

}  // namespace

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

/// Jobs have been added to the workload.
void Recorder::grow() {
  const std::size_t jobs = result_.workload->jobs.size();
  result_.outcomes.resize(jobs);
  if (!result_.partition.empty()) result_.partition.resize(jobs, -1);
  if (!result_.parts.empty()) result_.parts.resize(jobs);
  if (!result_.earlier.empty()) result_.earlier.resize(jobs);
  if (!gpus_.empty()) gpus_.resize(jobs);
}

void Recorder::rejected(Time t, JobIndex j, Rejection why) {
  if (j >= result_.outcomes.size()) grow();
  note(t, Kind::kReject, j, 0);
  result_.outcomes[j].state = FinalState::kRejected;
  result_.outcomes[j].rejection = why;
}

void Recorder::placed(Time, JobIndex j, const Parts& parts, std::int32_t partition) {
  const std::size_t jobs = result_.outcomes.size();
  if (partition >= 0 && result_.partition.empty()) result_.partition.resize(jobs, -1);
  if (partition >= 0) result_.partition[j] = partition;
  if (parts.empty()) return;
  leave_gpus(j);  // where it runs on other nodes
  if (result_.parts.empty()) result_.parts.resize(jobs);
  result_.parts[j] = parts;
}

void Recorder::started(Time t, JobIndex j, const NodeRanges& nodes) {
  note(t, Kind::kStart, j, nodes.hash());
  result_.outcomes[j].start = t;
  hold_gpus(j, nodes);
  if (!is_elastic(result_.workload->jobs[j])) return;
  SizeOfRun& size = elastic_[j] = {t, nodes};
  size.nodes_at_start = nodes.count();
  if (const auto rate = rate_.find(j); rate != rate_.end()) size.rate_at_start = rate->second;
}

/// Of elastic jobs, before they start.
void Recorder::rate_changed(Time, JobIndex j, Rate rate) {
  if (is_elastic(result_.workload->jobs[j]) && elastic_.count(j) == 0) rate_[j] = rate;
}

/// What it had for no time is left out. Returns for how long it is to stand still yet for its changes.
Duration Recorder::end_size(Time t, JobIndex j, const SizeOfRun& size) {
  if (size.from >= t) return size.standstill;
  const Duration preempted = preempted_so_far(t, j) - size.preempted;
  const Duration stood = std::min(size.standstill, t - size.from - preempted - suspended_since(size.from, t, j));
  result_.resized[j].spans.push_back(
      {size.from, t, result_.archive.add(size.nodes), size.nodes.count(), stood, preempted});
  return size.standstill - stood;
}

/// For how long of [from, t) the job was suspended in place.
Duration Recorder::suspended_since(Time from, Time t, JobIndex j) const {
  Duration time{0};
  for (auto span = result_.suspended.rbegin(); span != result_.suspended.rend() && span->from >= from; ++span)
    if (span->job == j) time += std::min(span->to, t) - std::min(span->from, t);
  return time;
}

/// In its run, how long it was preempted.
Duration Recorder::preempted_so_far(Time t, JobIndex j) const {
  if (result_.sliced.empty()) return Duration{0};
  return result_.sliced[j].preempted + (preempted_[j] ? t.time_since_epoch() : Duration{0});
}

void Recorder::resized(Time t, JobIndex j, const NodeRanges&, const NodeRanges& nodes, Duration standstill) {
  note(t, Kind::kResize, j, nodes.hash());
  leave_gpus(j);
  hold_gpus(j, nodes);
  SizeOfRun& size = elastic_.find(j)->second;
  const Duration left = end_size(t, j, size);
  ResizedJob& resized = result_.resized[j];
  ++(nodes.count() > size.nodes.count() ? resized.grown : resized.shrunk);
  size = {t, nodes, left + standstill, true, preempted_so_far(t, j), size.nodes_at_start, size.rate_at_start};
}

/// The run of a job is over in which it may have been resized.
void Recorder::end_sizes(Time t, JobIndex j) {
  const auto size = elastic_.find(j);
  if (size == elastic_.end()) return;
  if (size->second.changed) end_size(t, j, size->second);
  if (const auto resized = result_.resized.find(j); resized != result_.resized.end()) {
    resized->second.nodes_at_start = size->second.nodes_at_start;
    resized->second.rate_at_start = size->second.rate_at_start;
  }
  elastic_.erase(size);
  rate_.erase(j);
}

void Recorder::hold_gpus(JobIndex j, const NodeRanges& nodes) {
  const RequestId asked = gpus_.empty() ? kNoRequest : result_.workload->jobs[j].request;
  if (asked == kNoRequest) return;
  const Request& request = result_.workload->requests[asked];
  gpus_[j] =
      has_components(request) ? gpus_in_all(request) : std::int64_t{nodes.count()} * request.gpus * request.gpu_share;
  used_gpus_ += gpus_[j];
  if (result_.parts.empty() && gpus_[j] != 0 && request.gpu_share != kWholeGpu) shares_on_[j] = nodes;
  if (gpus_[j] != 0) count_gpus(j, 1);
}

void Recorder::leave_gpus(JobIndex j) {
  if (gpus_.empty() || gpus_[j] == 0) return;
  count_gpus(j, -1);
  used_gpus_ -= gpus_[j];
  gpus_[j] = 0;
}

/// Processes have parts of GPUs of which it is not known which: those of a node are as many as they can be.
void Recorder::count_shares(JobIndex j, int sign) {
  const auto& layout = *result_.machine.layout;
  if (asked_on_node_.empty()) asked_on_node_.resize(static_cast<std::size_t>(result_.machine.nodes));
  const std::int32_t gpus = result_.workload->requests[result_.workload->jobs[j].request].gpus;
  const auto held = shares_on_.find(j);
  for_each_node(held->second, [&](NodeId n) {
    std::int32_t& asked = asked_on_node_[static_cast<std::size_t>(n)];
    const std::int32_t most = layout.kind_of(n).gpus, before = std::min(asked, most);
    asked += sign * gpus;
    gpus_with_jobs_ += std::min(asked, most) - before;
  });
  if (sign < 0) shares_on_.erase(held);
}

/// Where jobs have whole nodes, no two of them are on a GPU.
void Recorder::count_gpus(JobIndex j, int sign) {
  if (shares_on_.count(j) != 0) return count_shares(j, sign);
  if (result_.parts.empty()) {
    gpus_with_jobs_ += sign * gpus_[j] / kWholeGpu;
    return;
  }
  if (on_gpu_.empty()) {
    for (const NodeKind& k : result_.machine.layout->kinds)
      most_gpus_ = std::max(most_gpus_, static_cast<std::size_t>(k.gpus));
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

void Recorder::preempted(Time t, JobIndex j) {
  note(t, Kind::kPreempt, j, 0);
  leave_gpus(j);
  if (result_.sliced.empty()) return note_suspended(t, j);
  SlicedJob& job = result_.sliced[j];
  ++job.preemptions;
  job.switches += t == slice_ended_;
  job.preempted -= t.time_since_epoch();
  preempted_[j] = true;
  stop_loading(t, j);
}

void Recorder::suspended(Time t, JobIndex j) {
  note(t, Kind::kPreempt, j, 0);
  leave_gpus(j);
  note_suspended(t, j);
}

void Recorder::resumed(Time t, JobIndex j, const NodeRanges& nodes) {
  note(t, Kind::kResume, j, nodes.hash());
  hold_gpus(j, nodes);
  if (result_.sliced.empty() || !preempted_[j]) return note_continued(t, j, nodes.count());
  result_.sliced[j].preempted += t.time_since_epoch();
  preempted_[j] = false;
}

/// Of the run that is interrupted now, how long it was preempted.
Duration Recorder::preempted_until(Time t, JobIndex j) {
  if (result_.sliced.empty()) return Duration{0};
  stop_loading(t, j);
  if (preempted_[j]) result_.sliced[j].preempted += t.time_since_epoch();
  preempted_[j] = false;
  return result_.sliced[j].preempted;
}

/// A job whose nodes come up waits for them in any case, and is suspended from then on.
void Recorder::note_suspended(Time t, JobIndex j) {
  const auto up = up_.find(j);
  result_.suspended.push_back({j, up != up_.end() ? std::max(t, up->second) : t, kNever, 0});
}

/// The job continues with that number of nodes, or has ended or was interrupted while it was suspended.
void Recorder::note_continued(Time t, JobIndex j, std::int32_t nodes) {
  auto& spans = result_.suspended;
  const auto span = std::find_if(spans.rbegin(), spans.rend(), [&](const SuspendedSpan& s) { return s.job == j; });
  if (span == spans.rend() || span->to != kNever) return;
  span->to = std::max(t, span->from);
  span->nodes = nodes;
  if (span->from >= t) spans.erase(std::next(span).base());
}

void Recorder::stop_loading(Time t, JobIndex j) {
  if (loading_since_[j] == kNever) return;
  result_.sliced[j].loading += t - loading_since_[j];
  loading_since_[j] = kNever;
}

void Recorder::ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) {
  note(t, killed ? Kind::kKill : Kind::kEnd, j, nodes.hash());
  leave_gpus(j);
  if (!elastic_.empty()) end_sizes(t, j);
  if (killed) {  // its reservation may be over while it stands still
    if (!result_.suspended.empty()) note_continued(t, j, nodes.count());
    preempted_until(t, j);
  }
  Outcome& outcome = result_.outcomes[j];
  outcome.end = t;
  outcome.nodes = result_.archive.add(nodes);
  if (!result_.sliced.empty()) result_.sliced[j].nodes = nodes.count();
  outcome.state = never_ran(result_.workload->jobs[j]) ? FinalState::kWithdrawn
                  : killed                             ? FinalState::kWalltimeReached
                                                       : FinalState::kCompleted;
}

/// Which component has which of its nodes; none where it is one.
Parts Recorder::parts_of_components(JobIndex j) const {
  const RequestId id = result_.workload->jobs[j].request;
  const bool has = id != kNoRequest && has_components(result_.workload->requests[id]);
  return has && !result_.parts.empty() ? result_.parts[j] : Parts{};
}

void Recorder::interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) {
  note(t, Kind::kInterrupt, j, nodes.hash());
  leave_gpus(j);
  if (!elastic_.empty()) end_sizes(t, j);
  if (!result_.suspended.empty()) note_continued(t, j, nodes.count());
  Outcome& outcome = result_.outcomes[j];
  result_.interrupted.push_back({j, later(t, -what.started), t, result_.archive.add(nodes), nodes.count(), what.lost,
                                 preempted_until(t, j), what.by, what.requeued, result_.workload->jobs[j].request,
                                 parts_of_components(j)});
  if (what.requeued) {
    if (result_.earlier.empty()) result_.earlier.resize(result_.outcomes.size());
    EarlierRuns& earlier = result_.earlier[j];
    earlier.time += what.started;
    earlier.kept += std::max(what.started - what.lost, Duration{0});
    outcome.start = kNever;
    if (!result_.sliced.empty()) result_.sliced[j].preempted = Duration{0};
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

/// What it did so far was on these nodes.
void ReservedTime::leave(Time t, JobIndex j, const NodeRanges& nodes) {
  const auto add = [&](Time from, Time to) {
    if (from < to && is_reserved(nodes, from, to)) pieces_.push_back({j, nodes, from, to});
  };
  for (const Paused& p : paused_)
    if (p.job == j) add(p.from, p.to);
  std::erase_if(paused_, [j](const Paused& p) { return p.job == j; });
  if (since_[j] != kNever) add(since_[j], t);
  since_[j] = kNever;
}

bool ReservedTime::is_reserved(const NodeRanges& nodes, Time from, Time to) const {
  return std::ranges::any_of(reservations_, [&](const NodeReservation& r) {
    const auto w = std::ranges::upper_bound(r.windows, from, {}, &TimeWindow::to);
    return w != r.windows.end() && w->from < to && common_nodes(nodes, r.nodes) != 0;
  });
}

DemandWatch::DemandWatch(const MachineLayout& layout, const Workload& workload, const std::vector<TypicalRequest>& mix)
    : workload_(workload), fragmentation_(layout, mix), pool_(layout), arrived_jobs_(workload.jobs.size()),
      total_(static_cast<double>(layout.gpu_count()) * kWholeGpu) {
  for (std::size_t k = 0; k != layout.kinds.size(); ++k)
    kind_of_.insert(kind_of_.end(), static_cast<std::size_t>(layout.kinds[k].count), static_cast<std::int32_t>(k));
  for (std::size_t n = 0; n != kind_of_.size(); ++n) {
    fragmented_.push_back(fragmentation_.of(kind_of_[n], pool_.room(static_cast<NodeId>(n))));
    fragmented_sum_ += fragmented_.back();
  }
}

double DemandWatch::gpus_of(JobIndex j) const {
  const RequestId id = workload_.jobs[j].request;
  if (id == kNoRequest) return 0;
  return static_cast<double>(gpus_in_all(workload_.requests[id]));
}

void DemandWatch::arrive(JobIndex j) {
  if (j >= arrived_jobs_.size()) arrived_jobs_.resize(workload_.jobs.size());
  if (arrived_jobs_[j]) return;
  arrived_jobs_[j] = true;
  arrived_ += gpus_of(j);
  came_ = true;
  ++jobs_;
}

void DemandWatch::measure(const Parts& parts) {
  for (const NodePart& part : parts) {
    const auto n = static_cast<std::size_t>(part.node);
    const double now = fragmentation_.of(kind_of_[n], pool_.room(part.node));
    fragmented_sum_ += now - fragmented_[n];
    fragmented_[n] = now;
  }
}

Request DemandWatch::as_placed(JobIndex j, std::int32_t partition) const {
  return in_partition(pool_.layout(), workload_.requests[workload_.jobs[j].request], partition);
}

void DemandWatch::placed(Time, JobIndex j, const Parts& parts, std::int32_t partition) {
  if (workload_.jobs[j].request == kNoRequest) return;
  pool_.take(as_placed(j, partition), parts);
  used_ += gpus_of(j);
  ++placed_;
  measure(parts);
  held_[j] = {parts, partition};
}

void DemandWatch::ended(Time, JobIndex j, const NodeRanges&, bool) {
  const auto held = held_.find(j);
  if (held == held_.end()) return;
  pool_.give(as_placed(j, held->second.partition), held->second.parts);
  used_ -= gpus_of(j);
  measure(held->second.parts);
  held_.erase(held);
}

void DemandWatch::settled(const InstantState&) {
  if (!came_ || total_ == 0) return;
  came_ = false;
  allocation_ = 100 * used_ / total_;
  const double percent = std::nearbyint(100 * arrived_ / total_);
  if (percent > kMostPercent) return;
  const auto at = static_cast<std::size_t>(percent);
  if (by_percent_.size() <= at) by_percent_.resize(at + 1);
  Sums& s = by_percent_[at];
  ++s.instants;
  s.allocation += hundredths(allocation_);
  s.fragmentation += 100 * fragmented_sum_ / total_;
  s.ratio += total_ > used_ ? 100 * fragmented_sum_ / (total_ - used_) : 100;
}

std::vector<double> DemandWatch::curve(double Sums::*sum) const {
  std::vector<double> values;
  for (std::size_t x = 0; x != by_percent_.size(); ++x) {
    const bool none = by_percent_[x].instants == 0;
    const std::size_t first = none && x > 0 ? x - 1 : x, last = std::min(none ? x + 1 : x, by_percent_.size() - 1);
    double of = 0;
    std::int64_t instants = 0;
    for (std::size_t i = first; i <= last; ++i) {
      of += by_percent_[i].*sum;
      instants += by_percent_[i].instants;
    }
    values.push_back(instants == 0 ? (values.empty() ? 0 : values.back())
                                   : hundredths(of / static_cast<double>(instants)));
  }
  return values;
}

}  // namespace coslice
