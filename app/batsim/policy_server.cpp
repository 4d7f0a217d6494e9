#include "batsim/policy_server.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "api/policy/find_policy.h"
#include "api/policy/lua_scheduler.h"
#include "api/policy/policy.h"
#include "batsim/messages.h"
#include "batsim/reply_socket.h"
#include "core/error.h"
#include "core/text.h"
#include "machine/layout.h"
#include "run/outside.h"
#include "run/simulation.h"
#include "schedule/observer.h"

namespace coslice::batsim {
namespace {

/// A job without a limit is believed to run for so long.
constexpr Duration kNoLimit = whole_seconds(std::int64_t{365} * 86400);
/// Calls come at doubles, and not always at that which was asked for.
constexpr Duration kSlack{1000};
constexpr std::int64_t kMostResources = 100'000;

/// The other side of the conversation.
class Asker {
 public:
  Asker(const std::string& endpoint, const WhileWaiting& check)
      : endpoint_(endpoint), check_(check), socket_(endpoint) {}

  HeardMessage<BatsimSays> hear() {
    try {
      return read_message<BatsimSays>(socket_.hear(check_), now_);
    } catch (const PeerFailed& e) {
      fail(fmt::format("the simulation {}, at {} s", e.what(), format_seconds(now_.time_since_epoch())));
    } catch (const BadMessage& e) {
      refuse(e.what());
    }
  }
  void answer(Message<SchedulerSays>& message) {
    try {
      socket_.answer(message.take(now_, seconds_), check_);
    } catch (const PeerFailed& e) {
      fail(fmt::format("the simulation {}, at {} s", e.what(), format_seconds(now_.time_since_epoch())));
    }
  }
  Time now() const { return now_; }
  /// Returns whether the other side cannot tell the instant from the present one.
  bool is_now(Time t) const { return t <= now_ || (t != kNever && seconds_of(t) <= seconds_); }
  void advance(Time now) { now_ = now; }
  /// It is `now`, which the other side calls `seconds`.
  void advance(Time now, double seconds) {
    now_ = now;
    seconds_ = seconds;
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    fail(fmt::format("the simulation's message behind {} s: {}", format_seconds(now_.time_since_epoch()), problem));
  }
  [[noreturn]] void refuse(const Heard<BatsimSays>& event, const std::string& problem) const {
    refuse(fmt::format("event {}, {}: {}", event.number, event.name, problem));
  }

 private:
  [[noreturn]] void fail(std::string problem) const {
    throw InputError({"--endpoint " + printable(endpoint_), 0, std::move(problem)});
  }

  const std::string endpoint_;
  const WhileWaiting& check_;
  ReplySocket socket_;
  Time now_{};
  double seconds_ = 0;
};

/// The machine of Batsim, as a run beside it sees it; and what that decides, as Batsim is told it.
class BatsimMachine : public OutsideMachine, public Observer {
 public:
  /// `first` is the message with which a simulation begins.
  BatsimMachine(Asker& asker, HeardMessage<BatsimSays> first);

  std::int32_t nodes() const { return static_cast<std::int32_t>(resources_.size()); }

  std::optional<Happened> wait(Time next) override;
  void kill(JobIndex j) override { says_.add(asker_.now(), KillJob{{jobs_[j].id}}); }

  void started(Time now, JobIndex j, const NodeRanges& nodes) override {
    jobs_[j].state = Known::kRuns;
    says_.add(now, ExecuteJob{jobs_[j].id, in_batsim(nodes)});
  }
  void rejected(Time now, JobIndex j, Rejection) override {
    jobs_[j].state = Known::kOver;
    says_.add(now, RejectJob{jobs_[j].id});
  }

 private:
  struct Known {
    std::string id;
    enum State { kWaits, kRuns, kOver } state = kWaits;
  };
  void begins(const SimulationBegins& with);
  void ask_for(Time next);
  void snap(Time& now);
  void take(const SimulationBegins&, Happened&) { throw BadMessage("the simulation has begun before"); }
  void take(const SimulationEnds&, Happened&) { over_ = true; }
  void take(const JobSubmitted& what, Happened& out);
  void take(const JobCompleted& what, Happened& out);
  void take(const Notify& what, Happened& out);
  void take(const Query&, Happened&) { throw BadMessage("questions are not answered"); }
  // Ends of jobs say enough; calls are passes by themselves.
  void take(const JobKilled&, Happened&) {}
  void take(const ResourceStateChanged&, Happened&) {}
  void take(const RequestedCall&, Happened&) {}
  void take(const Answer&, Happened&) {}
  NodeRanges in_batsim(const NodeRanges& nodes) const;
  std::vector<NodeId> here(const NodeRanges& nodes) const;

  Asker& asker_;
  std::optional<HeardMessage<BatsimSays>> heard_;  ///< and not looked at yet
  std::vector<std::int64_t> resources_;            ///< by node: its number there
  bool renumbered_ = false;                        ///< which is another one than here
  std::vector<Known> jobs_;
  std::unordered_map<std::string, JobIndex> by_id_;
  std::set<Time> calls_;  ///< that were asked for
  Message<SchedulerSays> says_;
  bool over_ = false;
};

BatsimMachine::BatsimMachine(Asker& asker, HeardMessage<BatsimSays> first) : asker_(asker) {
  asker_.advance(first.now, first.seconds);
  const bool begins_so = !first.events.empty() && std::holds_alternative<SimulationBegins>(first.events.front().what);
  if (!begins_so) asker_.refuse("it does not begin with SIMULATION_BEGINS");
  try {
    begins(std::get<SimulationBegins>(first.events.front().what));
  } catch (const BadMessage& e) {
    asker_.refuse(first.events.front(), e.what());
  }
  first.events.erase(first.events.begin());
  if (!first.events.empty()) heard_ = std::move(first);
}

void BatsimMachine::begins(const SimulationBegins& with) {
  if (with.compute_nodes < 1 || with.compute_nodes > kMostResources)
    throw BadMessage(
        fmt::format("'nb_compute_resources' is {}; expected from 1 to {}", with.compute_nodes, kMostResources));
  if (with.nodes.empty())
    for (std::int64_t n = 0; n != with.compute_nodes; ++n) resources_.push_back(n);
  else if (std::ssize(with.nodes) != with.compute_nodes)
    throw BadMessage(fmt::format("'compute_resources' has {}; expected {}, as 'nb_compute_resources' says",
                                 with.nodes.size(), with.compute_nodes));
  for (const Resource& r : with.nodes) resources_.push_back(r.id);
  std::ranges::sort(resources_);
  const bool twice = std::ranges::adjacent_find(resources_) != resources_.end();
  if (twice || resources_.front() < 0 || resources_.back() > 10 * kMostResources)
    throw BadMessage("'compute_resources' have numbers that are no numbers of resources, each its own");
  renumbered_ = resources_.back() != with.compute_nodes - 1;
}

NodeRanges BatsimMachine::in_batsim(const NodeRanges& nodes) const {
  if (!renumbered_) return nodes;
  std::vector<NodeId> out;
  for_each_node(nodes, [&](NodeId n) { out.push_back(static_cast<NodeId>(resources_[static_cast<std::size_t>(n)])); });
  return as_ranges(std::move(out));
}

std::vector<NodeId> BatsimMachine::here(const NodeRanges& nodes) const {
  std::vector<NodeId> out;
  for (const NodeRange& range : nodes.ranges())
    if (range.last > resources_.back()) throw BadMessage(fmt::format("there is no resource {}", range.last));
  for_each_node(nodes, [&](NodeId n) {
    const auto at = std::ranges::lower_bound(resources_, std::int64_t{n});
    if (at == resources_.end() || *at != n) throw BadMessage(fmt::format("there is no compute resource {}", n));
    out.push_back(static_cast<NodeId>(at - resources_.begin()));
  });
  return out;
}

/// A call that comes a little early is the one that was asked for: else it would be asked for again.
void BatsimMachine::snap(Time& now) {
  const auto behind = calls_.upper_bound(later(now, kSlack));
  if (behind != calls_.begin()) now = std::max(now, *std::prev(behind));
  calls_.erase(calls_.begin(), calls_.upper_bound(now));
}

/// Far beyond all that a simulation is of there are instants that stand for never.
void BatsimMachine::ask_for(Time next) {
  if (next == kNever || next - asker_.now() >= kNoLimit / 2 || !calls_.insert(next).second) return;
  says_.add(asker_.now(), CallMeLater{seconds_of(next)});
}

std::optional<OutsideMachine::Happened> BatsimMachine::wait(Time next) {
  if (!heard_) {
    if (asker_.is_now(next)) {
      asker_.advance(std::max(next, asker_.now()));
      return Happened{asker_.now(), {}, {}, {}};
    }
    ask_for(next);
    asker_.answer(says_);
    heard_ = asker_.hear();
  }
  Happened out;
  snap(heard_->now);
  out.now = heard_->now;
  asker_.advance(out.now, heard_->seconds);
  for (const Heard<BatsimSays>& event : heard_->events) {
    try {
      if (over_) throw BadMessage("comes behind SIMULATION_ENDS");
      std::visit([&](const auto& what) { take(what, out); }, event.what);
    } catch (const BadMessage& e) {
      asker_.refuse(event, e.what());
    }
  }
  heard_.reset();
  if (!over_) return out;
  Message<SchedulerSays> nothing;
  asker_.answer(nothing);
  return std::nullopt;
}

void BatsimMachine::take(const JobSubmitted& what, Happened& out) {
  const JobDescription& d = what.described;
  if (d.nodes < 1) throw BadMessage(fmt::format("'res' of 'job' is {}; expected 1 or more", d.nodes));
  if (!by_id_.emplace(what.job, static_cast<JobIndex>(jobs_.size())).second)
    throw BadMessage("it was submitted before");
  if (d.walltime && *d.walltime == 0) throw BadMessage("'walltime' of 'job' is 0; expected more, or -1 for none");
  Job job;
  std::string_view name = what.job;
  if (const std::size_t mark = name.find('!'); mark != name.npos) name.remove_prefix(mark + 1);
  name = name.substr(0, name.find('#'));
  job.id = parse_number<std::int64_t>(name).value_or(static_cast<std::int64_t>(jobs_.size()));
  job.submit = out.now;
  job.limit_given = d.walltime && *d.walltime > 0;
  job.limit = job.runtime = job.limit_given ? std::max(from_seconds(*d.walltime), Duration{1}) : kNoLimit;
  job.size = d.nodes;
  job.user = d.user.value_or(-1);
  job.group = d.group.value_or(-1);
  job.executable = d.executable.value_or(-1);
  job.queue = d.queue.value_or(-1);
  job.partition = d.partition.value_or(-1);
  jobs_.push_back({what.job});
  out.jobs.push_back(job);
}

void BatsimMachine::take(const JobCompleted& what, Happened& out) {
  const auto at = by_id_.find(what.job);
  if (at == by_id_.end()) throw BadMessage("there is no such job; expected one that was submitted");
  Known& job = jobs_[at->second];
  if (job.state != Known::kRuns)
    throw BadMessage(job.state == Known::kWaits ? "the job waits; expected one that runs"
                                                : "the job is over; expected one that runs");
  job.state = Known::kOver;
  out.ended.push_back({at->second, what.state != JobCompleted::kWell});
}

void BatsimMachine::take(const Notify& what, Happened& out) {
  const bool gone = what.type == Notify::kNodesGone;
  if (!gone && what.type != Notify::kNodesBack) return;  // what else there is to know changes nothing
  if (!what.nodes) throw BadMessage("data has no 'resources'");
  for (const NodeId n : here(*what.nodes)) out.nodes.push_back({n, gone});
}

std::unique_ptr<Policy> policy_of(const Scenario& scenario) {
  if (scenario.policy.names.size() != 1) throw InputError({"--policy", 0, "names several policies", "one"});
  const FoundPolicy found = find_policy(scenario.policy.names.front(), scenario.folder);
  PolicyContext context;
  context.limits = scenario.limits.for_host();
  context.seed = static_cast<std::uint64_t>(scenario.seed);
  context.classes = scenario.metrics.classes;
  context.roots = found.roots;
  auto policy = std::make_unique<Policy>(found.script, scenario.policy.params, context, true);
  const char* what = policy->slices()         ? "has time slices"
                     : policy->sharing()      ? "lets jobs share nodes in groups"
                     : policy->coscheduling() ? "coschedules processes"
                                              : nullptr;
  if (what != nullptr)
    throw InputError(
        {found.script.name, 0,
         fmt::format("policy '{}' {}, which Batsim's protocol cannot say", policy->description().name, what),
         "a policy that only says which jobs start"});
  return policy;
}

}  // namespace

void serve(const Scenario& scenario, const std::string& endpoint, const WhileWaiting& check) {
  const std::unique_ptr<Policy> policy = policy_of(scenario);
  Asker asker(endpoint, check);
  BatsimMachine outside(asker, asker.hear());
  MachineSpec machine{outside.nodes(), 1, 1, 0};
  LuaScheduler asked(*policy, nullptr, machine);
  SimulationResources resources;
  resources.start = asker.now();
  if (Placement* const placement = asked.placement(*kinds_of(machine), {}, static_cast<std::uint64_t>(scenario.seed)))
    resources.placements.push_back(placement);
  const OutageOptions outages;
  std::vector<Job> jobs;
  Simulation simulation(machine, jobs, asked, EngineOptions{}, resources, &outages);
  simulation.add(outside);
  simulation.go_beside(outside, jobs);
  simulation.run();
}

}  // namespace coslice::batsim
