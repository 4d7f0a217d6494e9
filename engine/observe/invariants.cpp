#include "observe/invariants.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/portable_math.h"
#include "jobs/elasticity.h"
#include "jobs/job_sizes.h"
#include "jobs/workflow.h"
#include "machine/components.h"
#include "machine/eligibility.h"
#include "machine/node_set.h"
#include "machine/request_in_partition.h"
#include "sharing/sharing.h"

namespace coslice {

void RunWatch::note(Time t, const Job& job, const std::string& what) {
  if (violations_.size() == kMostViolations) return;
  violations_.push_back(fmt::format("at {} s, job {}: {}", format_seconds(t.time_since_epoch()), job.id, what));
}

InvariantChecker::InvariantChecker(const MachineSpec& machine, const std::vector<Job>& jobs,
                                   const EngineOptions& engine, const InvariantOptions& options)
    : machine_(machine), jobs_(jobs), engine_(engine), options_(options), seen_(jobs.size()), held_(machine.nodes),
      down_(machine.nodes), allocated_(static_cast<std::size_t>(machine.nodes)) {
  if (options.jobs_per_node > 1 || names_kinds(machine)) on_.resize(static_cast<std::size_t>(machine.nodes));
}

void InvariantChecker::submitted(Time t, JobIndex j) {
  Seen& s = seen_[j];
  if (s.submitted != kNever || s.rejected) complain(t, j, "submitted twice");
  if (t < std::max({jobs_[j].submit, Time{jobs_[j].extras->begin}, Time{jobs_[j].extras->held_until}}))
    complain(t, j, "submitted before its submit time");
  s.submitted = t;
  if (j < latest_) first_late_ = std::min(first_late_, j);
  latest_ = std::max(latest_, j);
  ++waiting_;
}

void InvariantChecker::set_aside(Time t, JobIndex j, bool aside) {
  if (seen_[j].submitted == kNever || seen_[j].started != kNever) complain(t, j, "set aside although it does not wait");
  waiting_ += aside ? -1 : 1;
  seen_[j].aside = aside;
}

void InvariantChecker::rejected(Time t, JobIndex j, Rejection) {
  // A waiting job may be: one that does not start at once, or one that its policy refuses.
  if (seen_[j].rejected || seen_[j].started != kNever) complain(t, j, "rejected after it started or was rejected");
  if (seen_[j].submitted != kNever) --waiting_;
  seen_[j].rejected = true;
}

void InvariantChecker::unfulfilled(Time t, JobIndex j, JobIndex by) {
  if (seen_[j].submitted != kNever) complain(t, j, "came although it never was to");
  if (seen_[by].ended == kNever && !seen_[by].rejected)
    complain(t, j, "given up before the job it waited for was over");
  seen_[j].rejected = true;
}

void InvariantChecker::withdrawn(Time t, JobIndex j) {
  Seen& s = seen_[j];
  if (s.rejected || s.ran_before || s.started != kNever) complain(t, j, "withdrawn after it started or was rejected");
  if (t != withdrawal_of(jobs_[j])) complain(t, j, "withdrawn at another instant than its own");
  if (s.submitted != kNever && !s.aside) --waiting_;
  s.rejected = true;
}

void InvariantChecker::reserved(Time now, JobIndex j, Time start) {
  Seen& s = seen_[j];
  if (start < now) complain(now, j, "promised a start in the past");
  if (options_.promises_kept && !had_outages_ && !options_.nodes_reserved && j <= first_late_ && start > s.promised)
    complain(now, j, "its reservation moved later");
  if (foreign_started_ && start > s.promised) complain(now, j, "a job of another slice moved its reservation later");
  s.promised = start;
}

void InvariantChecker::decided(Time now, JobIndex j, StartReason reason) {
  if (reason == StartReason::kForeignSlice) foreign_started_ = true;  // `now` is the machine's time: no reservation is
  else if (options_.promises_kept && !had_outages_ && !options_.nodes_reserved && j <= first_late_ &&
           now > seen_[j].promised)
    complain(now, j, "started later than promised");
}

std::vector<JobSize> InvariantChecker::sizes_asked(JobIndex j) const {
  const bool asks = options_.requests != nullptr && asked_[j].request != kNoRequest;
  return sizes_of(asked_[j], engine_.ppn(machine_), asks ? &(*options_.requests)[asked_[j].request] : nullptr);
}

/// Of a moldable job, the size that it was started with.
void InvariantChecker::take_size(Time t, JobIndex j, const NodeRanges& nodes) {
  if (asked_.empty()) asked_ = jobs_;
  for (const JobSize& s : sizes_asked(j)) {
    const bool by_nodes = options_.space_shared && options_.jobs_per_node == 1;
    if (by_nodes ? s.nodes != nodes.count() : as_they_run_ == nullptr || s.processes != (*as_they_run_)[j].size)
      continue;
    jobs_[j] = with_size(asked_[j], s);
    return;
  }
  complain(t, j, "was started with a size that it does not have");
}

void InvariantChecker::started(Time t, JobIndex j, const NodeRanges& nodes) {
  if (is_moldable(jobs_[j])) take_size(t, j, nodes);
  Seen& s = seen_[j];
  if (s.submitted == kNever || t < s.submitted) complain(t, j, "started before it was submitted");
  if (s.started != kNever) complain(t, j, "started twice");
  if (!s.ran_before && t > withdrawal_of(jobs_[j])) complain(t, j, "started although it was to be withdrawn before");
  if (nodes.empty()) return complain(t, j, "got no nodes");
  if (nodes.ranges().back().last >= machine_.nodes) return complain(t, j, "got a node that does not exist");
  s.ppn = static_cast<std::int32_t>((jobs_[j].size + nodes.count() - 1) / nodes.count());
  // Where nodes are shared, the policy says how many processes are on a node.
  const bool set = engine_.processes_per_node > 0 && on_.empty();
  const std::int64_t per_node = set ? engine_.processes_per_node : machine_.cores_per_node();
  if (!names_kinds(machine_) && nodes.count() * per_node < jobs_[j].size)
    complain(t, j, "got fewer nodes than it needs");
  s.started = t;
  s.nodes = nodes;
  allocate(nodes, 1);
  hold(t, j, nodes);
  --waiting_;
}

void InvariantChecker::hold(Time t, JobIndex j, const NodeRanges& nodes) {
  Seen& s = seen_[j];
  if (s.on_nodes) complain(t, j, "runs twice");
  if (down_.intersects(nodes)) complain(t, j, "got a node that is down: " + nodes.str());
  if (!(nodes == s.nodes)) complain(t, j, "moved to other nodes");
  if (on_.empty() && options_.space_shared && held_.intersects(nodes))
    complain(t, j, "got a node that another job holds: " + nodes.str());
  held_.insert(nodes);
  s.on_nodes = true;
  s.since = t;
  if (on_.empty()) return;
  for_each_node(nodes, [&](NodeId n) {
    on_[static_cast<std::size_t>(n)].push_back(j);
    check_node(t, n);
  });
}

void InvariantChecker::allocate(const NodeRanges& nodes, std::int32_t sign) {
  for_each_node(nodes, [&](NodeId n) { allocated_[static_cast<std::size_t>(n)] += sign; });
}

void InvariantChecker::check_node(Time t, NodeId node) {
  if (names_kinds(machine_) && !in_groups()) return;  // what jobs ask for says who may be there: ResourceInvariants
  const std::vector<JobIndex>& on = on_[static_cast<std::size_t>(node)];
  std::int32_t processes = 0;
  for (const JobIndex j : on) {
    processes += seen_[j].ppn;
    if (on.size() > 1 && (seen_[j].group == 0 || seen_[j].group != seen_[on.front()].group))
      complain(t, j, fmt::format("shares node {} with a job that is not of its group", node));
  }
  if (static_cast<std::int32_t>(on.size()) > options_.jobs_per_node)
    complain(t, on.back(), fmt::format("too many jobs on node {}", node));
  if (!names_kinds(machine_) && processes > machine_.cores_per_node())
    complain(t, on.back(), fmt::format("more processes than cores on node {}", node));
}

void InvariantChecker::leave(JobIndex j) {
  Seen& s = seen_[j];
  s.on_nodes = false;
  if (on_.empty()) {
    held_.erase(s.nodes);
    return;
  }
  for_each_node(s.nodes, [&](NodeId n) {
    std::vector<JobIndex>& on = on_[static_cast<std::size_t>(n)];
    std::erase(on, j);
    if (on.empty()) held_.erase(n);
  });
}

void InvariantChecker::rate_changed(Time t, JobIndex j, Rate rate) {
  Seen& s = seen_[j];
  if (s.since != kNever) {
    const Time from = std::max(s.since, t);  // its nodes may still be coming up
    pause(t, s);
    s.since = from;
  }
  s.rate = rate;
  s.always_at_one = false;
}

void InvariantChecker::group_formed(Time t, const Group& group, double) {
  const auto join = [&](const StartedJob& job) {
    if (std::exchange(seen_[job.index].group, group.id) != 0) complain(t, job.index, "is in two groups");
  };
  join(*group.primary);
  for (const Group::Matched& m : group.matched) join(*m.job);
}

void InvariantChecker::group_ended(Time, const Group& group) {
  for (Seen& s : seen_)
    if (s.group == group.id) s.group = 0;
}

void InvariantChecker::preempted(Time t, JobIndex j) {
  Seen& s = seen_[j];
  if (!s.on_nodes) complain(t, j, "preempted although it does not run");
  if (s.since != kNever && s.since > t) {
    if (s.since == s.stands_until) s.stand_left = s.since - t;
    else s.boot -= s.since - t;  // its nodes go on coming up without it
  }
  pause(t, s);
  s.left = t;
  leave(j);
}

void InvariantChecker::resumed(Time t, JobIndex j, const NodeRanges& nodes) {
  if (seen_[j].left == kNever || seen_[j].ended != kNever) complain(t, j, "resumed although it is not preempted");
  else seen_[j].preempted += t - seen_[j].left;
  hold(t, j, nodes);
  Seen& s = seen_[j];
  if (s.stand_left != Duration{0}) s.since = s.stands_until = later(t, std::exchange(s.stand_left, {}));
}

void InvariantChecker::resized(Time t, JobIndex j, const NodeRanges& before, const NodeRanges& nodes,
                               Duration standstill) {
  Seen& s = seen_[j];
  if (!(before == s.nodes)) complain(t, j, "had other nodes than it is said to have had");
  if (!is_elastic(jobs_[j])) complain(t, j, "changed its nodes although it is not elastic");
  if (!s.on_nodes) complain(t, j, "changed its nodes although it does not run");
  const std::vector<JobSize> sizes = sizes_asked(j);
  if (std::ranges::find(sizes, nodes.count(), &JobSize::nodes) == sizes.end())
    complain(t, j, "changed to a size that it does not have");
  const Time since = std::max(s.since, t);  // it may stand still yet
  pause(t, s);
  leave(j);
  allocate(s.nodes, -1);
  s.nodes = nodes;
  allocate(nodes, 1);
  hold(t, j, nodes);
  s.since = s.stands_until = later(since, standstill);
  s.always_at_one = false;  // its time is not its work
  if (!std::exchange(s.resized, true)) s.first_rate = s.rate;
}

void InvariantChecker::booting(Time t, JobIndex j, Duration wait, std::int32_t nodes) {
  Seen& s = seen_[j];
  if (!s.on_nodes || s.since != t || nodes > s.nodes.count()) complain(t, j, "waits for nodes that it does not have");
  if (wait <= Duration{0}) complain(t, j, "waits for nodes that are up");
  s.boot += wait;
  s.since = later(t, wait);
}

void InvariantChecker::ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) {
  Seen& s = seen_[j];
  if (s.started == kNever || s.ended != kNever) complain(t, j, "ended without running");
  if (!(nodes == s.nodes)) complain(t, j, "ended on other nodes than it started on");
  const bool shortest = s.since != kNever && t - s.since == Duration{1};
  pause(t, s);
  if (options_.space_shared) {
    check_final_state(t, j, killed);
    check_work(t, j, killed, shortest);
  }
  s.group = 0;
  if (s.on_nodes) leave(j);  // else its reservation is over
  allocate(nodes, -1);
  s.ended = t;
}

/// Its work up to then counts, but for what is lost. Under time slices it may be preempted then.
void InvariantChecker::interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) {
  Seen& s = seen_[j];
  if (s.started == kNever || s.ended != kNever || !(nodes == s.nodes))
    complain(t, j, "was interrupted where it did not run");
  pause(t, s);
  if (s.on_nodes) leave(j);  // else it is preempted or suspended
  allocate(nodes, -1);
  Seen next;
  next.ran_before = true;
  next.ran = s.ran - Work(what.lost);
  next.always_at_one = s.always_at_one;
  next.checkpointed = s.checkpointed || what.saved;
  next.rounded = s.rounded + (s.always_at_one ? 0 : 1e-9);
  if (what.requeued) s = next;
  else s.ended = t;
}

void InvariantChecker::node_down(Time t, NodeId n, OutageKind) {
  had_outages_ = true;
  if (down_.contains(n))
    violations_.push_back(fmt::format("at {} s: node {} went twice", format_seconds(t.time_since_epoch()), n));
  if (allocated_[static_cast<std::size_t>(n)] != 0)
    violations_.push_back(
        fmt::format("at {} s: node {} went with jobs on it", format_seconds(t.time_since_epoch()), n));
  down_.insert(n);
}

void InvariantChecker::check_final_state(Time t, JobIndex j, bool killed) {
  const Job& job = jobs_[j];
  const Duration time = t - seen_[j].started - seen_[j].preempted - seen_[j].boot;
  const auto exceeds = [&](Duration limit) { return work_in(seen_[j], limit) < Work(job.runtime); };
  bool right = killed == (engine_.at_limit == AtLimit::kKill && exceeds(job.limit));
  if (limits_are_times(seen_[j])) {
    // One that goes on when its limit is over ends in the next nanosecond.
    const bool late = seen_[j].preempted > Duration{0} && time == job.limit + Duration{1};
    right = killed ? time == job.limit || late : engine_.at_limit != AtLimit::kKill || time <= job.limit;
  }
  const Duration over = overtime(seen_[j]);
  if (engine_.limit_check || engine_.over_time() || over != Duration{0}) {
    const Time last = engine_.killed_at(later(seen_[j].started, job.limit + over + seen_[j].boot + seen_[j].preempted));
    right = killed ? t >= last && t <= later(last, engine_.kill_wait) : t <= last;
    const bool stood_still = seen_[j].preempted > Duration{0};
    const Duration all = job.limit + over;
    if (limits_are_times(seen_[j]) && stood_still) {
      right = killed ? time >= all : time <= all || engine_.limit_check || engine_.kill_wait > Duration{0};
    } else if (!limits_are_times(seen_[j]) && (!seen_[j].always_at_one || stood_still)) {
      // When its work came to its limit is not known; it may have been told to end, or looked at, long after.
      const Work rounded = seen_[j].always_at_one ? Work{} : Work::done(Duration{2}, seen_[j].rate) + Work(Duration{2});
      const bool may_go_on =
          engine_.limit_check || !seen_[j].always_at_one;  // a look may find it at rest, again and again
      const bool in_time = may_go_on ? engine_.limit_check || engine_.kill_wait > Duration{0}
                                     : !(work_in(seen_[j], all + engine_.kill_wait) < seen_[j].ran);
      right = killed ? exceeds(all) && !(seen_[j].ran < work_in(seen_[j], all) - rounded) && (may_go_on || in_time)
                     : !exceeds(all) || in_time;
    }
    // Looks at it while it stands still end nothing.
    const Time look = engine_.killed_at(later(t, Duration{-1}));  // or in a pass then: a nanosecond later
    if (killed && engine_.kill_wait == Duration{0}) right = right && look <= t;
  }
  if (!right && !options_.checkpoints && !seen_[j].checkpointed && !by_reservation(j, killed))
    complain(t, j, "its final state does not fit its limit");
}

/// Whether it may have been the end of the reservation that it names.
bool InvariantChecker::by_reservation(JobIndex j, bool killed) const {
  return killed && options_.nodes_reserved && !attributes::kReservation.text(jobs_[j]).empty();
}

/// For how long the job may run on beyond its limit.
Duration InvariantChecker::overtime(const Seen& s) const {
  if (s.partition < 0) return engine_.over_limit;
  return machine_.layout->partitions[static_cast<std::size_t>(s.partition)].over_limit.value_or(engine_.over_limit);
}

/// An end is rounded to the nanosecond, so up to half of one is over, times the rate, and up to a whole one where there
/// is less to do than that (`shortest`); never at rate 1.
void InvariantChecker::check_work(Time t, JobIndex j, bool killed, bool shortest) {
  const Seen& s = seen_[j];
  const Job& job = jobs_[j];
  const bool cut =
      killed && !limits_are_times(s) && !engine_.limit_check && !engine_.over_time() && overtime(s) == Duration{0};
  const double over = (s.ran - ((cut ? work_in(s, job.limit) : Work(job.runtime)) + Work(s.charged))).seconds();
  const double tolerance = s.always_at_one ? 0 : (shortest ? 1e-9 : 0.5e-9) * s.rate.value() + 1e-12 + s.rounded;
  const bool last_moments =
      engine_.kill_wait != Duration{0} && over <= tolerance;  // it ended when it was about to be killed
  const bool right = killed && !cut ? over < s.rounded || last_moments : over <= tolerance && over >= -tolerance;
  // Checkpoints are in what it did.
  const bool checkpoints = options_.checkpoints || s.checkpointed;
  if (!right && !by_reservation(j, killed) && !(checkpoints && (killed || over > 0)))
    complain(t, j, "ran for another time than its work takes");
}

void InvariantChecker::settled(const InstantState& state) {
  if (state.now <= last_)
    violations_.push_back("time went backwards at " + format_seconds(state.now.time_since_epoch()));
  last_ = state.now;
  if (violations_.size() >= kMostViolations) return;
  const std::string at = "at " + format_seconds(state.now.time_since_epoch()) + " s: ";
  if (options_.space_shared && state.used_nodes != held_.count())
    violations_.push_back(at + "the count of used nodes is wrong");
  if (state.waiting != waiting_) violations_.push_back(at + "the count of waiting jobs is wrong");
}

void InvariantChecker::finish(const std::map<JobIndex, std::string>& blocked) {
  const auto may_be_left = [&](JobIndex j) {
    return blocked.count(j) != 0 || (!blocked.empty() && seen_[j].submitted == kNever);
  };
  for (JobIndex j = 0; j != seen_.size(); ++j)
    if (!seen_[j].rejected && seen_[j].ended == kNever && !may_be_left(j)) complain(last_, j, "never ended");
}

ResourceInvariants::ResourceInvariants(const MachineSpec& machine, const std::vector<Job>& jobs,
                                       const RequestTable& requests, Speeds speeds)
    : layout_(*machine.layout), jobs_(jobs), requests_(requests), speeds_(speeds), pool_(layout_), seen_(jobs.size()) {}

void ResourceInvariants::check_partition(Time t, JobIndex j, std::int32_t partition) {
  const Job& job = jobs_[j];
  const std::vector<std::int32_t> asked = partitions_of(layout_, request(j));
  if (std::ranges::find(asked, partition) == asked.end()) complain(t, j, "is in a partition that it did not ask for");
  if (partition < 0) return;
  const Partition& p = layout_.partitions[static_cast<std::size_t>(partition)];
  if (p.max_time && job.limit > *p.max_time) complain(t, j, "its limit is above that of its partition");
  if (p.max_nodes && request(j).nodes > *p.max_nodes) complain(t, j, "has more nodes than its partition allows");
  if (!p.users.empty() && std::ranges::find(p.users, job.user) == p.users.end())
    complain(t, j, "is in a partition that is not for its user");
}

/// Each component has as many nodes as it asks for, which could serve it, in a partition that admits it.
void ResourceInvariants::check_components(Time t, JobIndex j) {
  const Request& whole = request(j);
  for (std::size_t i = 0; i != whole.components.size(); ++i) {
    const Request& r = whole.components[i];
    NodeSet nodes(layout_.node_count());
    std::int32_t count = 0;
    for (const NodePart& part : seen_[j].parts) {
      if (part.component != static_cast<std::int32_t>(i)) continue;
      nodes.insert(part.node);
      ++count;
    }
    if (count != r.nodes || nodes.count() != r.nodes)
      complain(t, j, fmt::format("its component {} has another number of nodes than it asked for", i));
    const std::vector<Option> options = options_of(layout_, r, {jobs_[j].limit, jobs_[j].user});
    const auto holds = [&](const Option& o) { return o.nodes.contains_all(nodes.ranges()); };
    if (std::ranges::none_of(options, holds))
      complain(t, j, fmt::format("its component {} is on nodes that it may not have", i));
  }
  if (nodes_in(seen_[j].parts).count() != std::ssize(seen_[j].parts))
    complain(t, j, "has a node for two of its components");
}

void ResourceInvariants::placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) {
  if (seen_[j].on_nodes) {  // it is resized: nothing migrates
    for (const NodePart& part : parts) {
      const auto before = std::ranges::find(seen_[j].parts, part.node, &NodePart::node);
      if (before != seen_[j].parts.end() && !(*before == part))
        complain(t, j, fmt::format("has another part of node {}, which it keeps", part.node));
    }
    give(j);
  }
  seen_[j].parts = parts;
  seen_[j].placed = true;
  seen_[j].partition = partition;
  if (has_components(request(j))) return check_components(t, j);
  if (partition < 0) return;
  if (request(j).row_of >= 0 && request(j).row_of != partition)
    seen_[j].laid = in_partition(layout_, request(j), partition);
  for (const NodePart& part : parts)
    if (!layout_.partitions[static_cast<std::size_t>(partition)].nodes.contains(part.node))
      complain(t, j, fmt::format("node {} is not of its partition", part.node));
}

void ResourceInvariants::check_part(Time t, JobIndex j, const NodePart& part) {
  const Request& r = component_of(request(j), part);
  if (std::popcount(part.gpus) != r.gpus)
    complain(t, j, fmt::format("has another number of GPUs on node {}", part.node));
  if (!has_room(j, part)) complain(t, j, fmt::format("takes more of node {} than is left there", part.node));
}

/// Its policy says how many processes it has on each node, unless it says itself what it has there.
void ResourceInvariants::lay_out(JobIndex j, const NodeRanges& nodes) {
  Request laid = on_own_nodes(request(j));
  if (!lays_out(request(j))) {
    laid.memory_mib = divided_up<std::int64_t>(laid.memory_mib * laid.nodes, nodes.count());
    laid.nodes = nodes.count();
    laid.cores = divided_up(jobs_[j].size, laid.nodes) * kWholeCore;
  }
  seen_[j].laid = laid;
}

/// InvariantChecker records which jobs are of its group.
bool ResourceInvariants::has_room(JobIndex j, const NodePart& part) const {
  if (speeds_ != Speeds::kGroups) return has_room_on(request(j), pool_.room(part.node), part);
  Request r = request(j);
  r.exclusive = false;
  NodeRoom room = pool_.room(part.node);
  room.exclusive = 0;
  return has_room_on(r, room, part);
}

void ResourceInvariants::check_speed(Time t, JobIndex j, const NodeRanges& nodes) {
  double slowest = layout_.kind_of(nodes.ranges().front().first).speed;
  for_each_node(nodes, [&](NodeId n) { slowest = std::min(slowest, layout_.kind_of(n).speed); });
  if (!(seen_[j].rate == Rate::of_slowdown(1 / slowest))) complain(t, j, "runs at another speed than its slowest node");
}

void ResourceInvariants::started(Time t, JobIndex j, const NodeRanges& nodes) {
  Seen& s = seen_[j];
  if (speeds_ == Speeds::kGroups) lay_out(j, nodes);
  const Request& r = request(j);
  if (s.placed && !has_components(r)) check_partition(t, j, s.partition);
  if (!s.placed) complain(t, j, "started without a place");
  const std::int32_t most = r.spread.cores != 0 ? r.spread.nodes : r.nodes;
  if (nodes.count() < r.nodes || nodes.count() > most) complain(t, j, "has another number of nodes than it asked for");
  std::int64_t cores = 0;
  for (const NodePart& part : s.parts) cores += part.cores;
  const auto in_bounds = [&](const NodePart& part) { return part.cores >= r.cores && part.cores <= r.spread.most; };
  const bool as_asked =
      r.spread.cores != 0 || r.spread.most == 0 ? cores == r.spread.cores : std::ranges::all_of(s.parts, in_bounds);
  if (s.placed && !as_asked) complain(t, j, "has another number of cores than it asked for");
  if (s.parts.empty()) s.parts = whole_parts(j, nodes);
  const NodeSet capable = capable_nodes(layout_, r);
  for (const NodePart& part : s.parts)
    if (!capable.contains(part.node)) complain(t, j, fmt::format("node {} has not what it asks for", part.node));
  if (!(nodes_in(s.parts) == nodes)) complain(t, j, "has parts of other nodes than it runs on");
  if (speeds_ == Speeds::kOfNodes) check_speed(t, j, nodes);
  take(t, j);
}

void ResourceInvariants::resized(Time t, JobIndex j, const NodeRanges&, const NodeRanges& nodes, Duration) {
  Seen& s = seen_[j];
  if (s.on_nodes) give(j);
  if (!(nodes_in(s.parts) == nodes)) s.parts = whole_parts(j, nodes);  // where it has parts, it was placed anew
  const NodeSet capable = capable_nodes(layout_, request(j));
  for (const NodePart& part : s.parts) {
    if (!capable.contains(part.node)) complain(t, j, fmt::format("node {} has not what it asks for", part.node));
    if (s.partition >= 0 && !layout_.partitions[static_cast<std::size_t>(s.partition)].nodes.contains(part.node))
      complain(t, j, fmt::format("node {} is not of its partition", part.node));
  }
  take(t, j);
}

/// What a job has of nodes that are its own.
Parts ResourceInvariants::whole_parts(JobIndex j, const NodeRanges& nodes) const {
  Parts parts;
  for_each_node(nodes, [&](NodeId n) {
    NodePart part{n, 0};
    if (fits(request(j), pool_.room(n))) part.gpus = fitting_gpus(request(j), pool_.room(n));
    parts.push_back(part);
  });
  return parts;
}

void ResourceInvariants::take(Time t, JobIndex j) {
  for (const NodePart& part : seen_[j].parts) check_part(t, j, part);
  if (!pool_.has_licences(request(j))) complain(t, j, "takes more licences than are left");
  seen_[j].on_nodes = true;
  if (violations_.empty()) pool_.take(request(j), seen_[j].parts);
}

void ReservationInvariants::started(Time t, JobIndex j, const NodeRanges& nodes) {
  start_[j] = t;
  const NodeAccess access = access_of(reservations_, jobs_[j]);
  for (std::size_t r = 0; r != reservations_.size(); ++r) {
    if (access.only == static_cast<std::int32_t>(r)) check_own(t, j, nodes, reservations_[r]);
    else check(t, j, nodes, reservations_[r], access.to[r]);
  }
}

void ReservationInvariants::check(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r,
                                  NodeAccess::To to) {
  if (to != NodeAccess::To::kClosed || common_nodes(nodes, r.nodes) == 0) return;
  if (r.floating) complain(t, j, "is too long for nodes of", r);
  if (t < r.announced) return;
  const Time end = before_ == Before::kLimits ? later(t, jobs_[j].limit) : later(t, Duration{1});
  for (const TimeWindow& w : r.windows)
    if (w.from < end && t < w.to) return complain(t, j, "is on nodes of", r);
}

/// A job that names a reservation is gone when that is over, whatever its limit allows.
void ReservationInvariants::check_outlived(Time t, JobIndex j) {
  const std::int32_t own = access_of(reservations_, jobs_[j]).only;
  if (own < 0 || engine_ == nullptr || engine_->at_limit != AtLimit::kKill) return;
  for (const TimeWindow& w : reservations_[static_cast<std::size_t>(own)].windows)
    if (w.from <= start_[j] && start_[j] < w.to && t > engine_->killed_at(w.to))
      complain(t, j, "outlived", reservations_[static_cast<std::size_t>(own)]);
}

/// However long it took, it has left the nodes by the beginning of each window that was known when it started.
void ReservationInvariants::check_end(Time t, JobIndex j, const NodeRanges& nodes) {
  check_outlived(t, j);
  if (before_ != Before::kEnds) return;
  const NodeAccess access = access_of(reservations_, jobs_[j]);
  for (std::size_t r = 0; r != reservations_.size(); ++r) {
    const NodeReservation& of = reservations_[r];
    const bool own = access.only == static_cast<std::int32_t>(r);
    if (!own &&
        (access.to[r] != NodeAccess::To::kClosed || start_[j] < of.announced || common_nodes(nodes, of.nodes) == 0))
      continue;
    for (const TimeWindow& w : of.windows) {
      if (own && w.from <= start_[j] && start_[j] < w.to && t > w.to) complain(t, j, "was longer than", of);
      if (!own && start_[j] < w.to && w.from < t) complain(t, j, "was there in", of);
    }
  }
}

void ReservationInvariants::check_own(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r) {
  if (common_nodes(nodes, r.nodes) != nodes.count()) complain(t, j, "is on other nodes than those of", r);
  const auto w = std::ranges::find_if(r.windows, [t](const TimeWindow& x) { return t < x.to; });
  if (w == r.windows.end() || t < w->from) complain(t, j, "runs outside of", r);
  else if (before_ == Before::kLimits && later(t, jobs_[j].limit) > w->to) complain(t, j, "does not end in", r);
}

}  // namespace coslice
