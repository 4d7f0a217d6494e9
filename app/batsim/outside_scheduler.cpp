#include "batsim/outside_scheduler.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "batsim/conversation.h"
#include "batsim/node_states.h"
#include "core/error.h"
#include "core/text.h"
#include "jobs/job_demands.h"
#include "machine/layout.h"
#include "machine/start_directive.h"
#include "schedule/scheduler.h"

namespace coslice::batsim {
namespace {

using nlohmann::json;
using What = Decision::What;

constexpr const char* kWorkload = "w0";
/// Messages at one instant, and calls while nothing happens: a scheduler may ask and be answered, not for ever.
constexpr int kMostMessages = 10'000;

/// Jobs as the scheduler knows them, and which of them has which node.
class KnownJobs {
 public:
  enum class State { kComes, kWaits, kRuns, kOver };
  struct Known {
    std::string id;  ///< "w0!7"; of one that came again "w0!7#1"
    State state = State::kComes;
    std::int32_t times = 0;  ///< that it came
    Time start{};
    NodeRanges nodes{};
  };

  KnownJobs(std::size_t jobs, std::int32_t nodes) : jobs_(jobs), has_(static_cast<std::size_t>(nodes), kNoJob) {}

  const Known& operator[](JobIndex j) const { return jobs_[j]; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(has_.size()); }
  /// The job waits, for the first time or again.
  void comes(JobIndex j, std::int64_t number) {
    Known& job = jobs_[j];
    job.id = job.times == 0 ? fmt::format("{}!{}", kWorkload, number)
                            : fmt::format("{}!{}#{}", kWorkload, number, job.times);
    ++job.times;
    job.state = State::kWaits;
    by_id_.insert_or_assign(job.id, j);
  }
  void starts(JobIndex j, Time now, const NodeRanges& nodes) {
    jobs_[j].state = State::kRuns;
    jobs_[j].start = now;
    jobs_[j].nodes = nodes;
    for_each_node(nodes, [&](NodeId n) { at(n) = j; });
  }
  void stops(JobIndex j) {
    for_each_node(jobs_[j].nodes, [&](NodeId n) { at(n) = kNoJob; });
    jobs_[j].state = State::kOver;
  }
  void leaves(JobIndex j) { jobs_[j].state = State::kOver; }
  void set_down(NodeId n, bool down) {
    if (down) down_.insert(n);
    else down_.erase(n);
  }
  /// The job of that id; throws BadAnswer where there is none.
  JobIndex find(const std::string& id) const {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) throw BadAnswer("there is no such job; expected one that was submitted");
    return found->second;
  }
  /// The job of that id, which waits.
  JobIndex waiting(const std::string& id) const {
    const JobIndex j = find(id);
    const State state = id == jobs_[j].id ? jobs_[j].state : State::kOver;
    if (state == State::kRuns) throw BadAnswer("the job runs already; expected one that waits");
    if (state != State::kWaits) throw BadAnswer("the job is over; expected one that waits");
    return j;
  }
  /// Throws BadAnswer where one of the nodes cannot be had now.
  void check_free(const NodeRanges& nodes) const {
    for_each_node(nodes, [&](NodeId n) {
      if (down_.contains(n)) throw BadAnswer(fmt::format("node {} is down; expected nodes that are there", n));
      const JobIndex j = has_[static_cast<std::size_t>(n)];
      if (j != kNoJob) throw BadAnswer(fmt::format("node {} has job {}; expected nodes without jobs", n, jobs_[j].id));
    });
  }

 private:
  JobIndex& at(NodeId n) { return has_[static_cast<std::size_t>(n)]; }

  std::vector<Known> jobs_;
  std::vector<JobIndex> has_;  ///< by node
  std::set<NodeId> down_;
  std::unordered_map<std::string, JobIndex> by_id_;
};

/// Asks the scheduler and does what it decides. It is an observer as well: that is told of nodes, and of what became of
/// jobs.
class OutsideScheduler : public WrappedScheduler {
 public:
  OutsideScheduler(Scheduler& asked, Conversation& conversation, const Runner& runner, const SchedulerOptions& options)
      : WrappedScheduler(&asked), conversation_(conversation), runner_(runner), options_(options),
        meter_(runner.scenario()), states_(runner.scenario(), meter_),
        jobs_(runner.workload().jobs.size(), runner.machine().nodes), known_(runner.workload().jobs.size()) {}

  void begin(View& view) override;
  double key(View&, JobIndex) override { return 0; }
  void submitted(View& view, JobIndex j) override;
  void withdrawn(View& view, JobIndex j) override;
  void dropped(View&, JobIndex j) override { jobs_.leaves(j); }
  void started(View&, JobIndex) override {}
  void ended(View&, JobIndex, Time) override {}
  void corrected(View&, JobIndex) override {}
  void schedule(View& view, const Pass& pass) override;

  // What observers are told.
  void started_on(Time now, JobIndex j, const NodeRanges& nodes);
  void ended_on(Time now, JobIndex j, const NodeRanges& nodes, const char* state, bool failed);
  void node_changed(Time now, NodeId n, bool down);
  /// The job has come, or never will.
  void settle(JobIndex j);
  Time last() const { return last_; }
  /// Returns when nodes were off; nothing where the scheduler powers none. Once.
  std::optional<std::vector<NodeOff>> take_off() {
    return states_.problem().empty() ? std::optional(states_.take()) : std::nullopt;
  }

 private:
  void do_all(View& view, std::vector<Decision> decisions);
  void carry_out(View& view, const Decision& d);
  void execute(View& view, const Decision& d);
  void kill(View& view, const Decision& d);
  void set_state(View& view, const Decision& d);
  void tell_of_orders(Time now);
  void check_nodes(const NodeRanges& nodes) const;
  void check_vain_calls(const View& view);

  Conversation& conversation_;
  const Runner& runner_;
  const SchedulerOptions& options_;
  Meter meter_;
  NodeStates states_;
  std::vector<NodeStates::Order> orders_;  ///< that are under way
  KnownJobs jobs_;
  Message message_;
  std::vector<Decision> later_;  ///< in order of time
  std::multiset<Time> calls_;    ///< that it has asked for
  Time ready_{Duration::min()};  ///< before that it decides nothing
  std::vector<bool> known_;      ///< by JobIndex: settle()
  std::size_t settled_ = 0;
  bool all_settled_ = false;  ///< and it was told so
  std::int32_t vain_calls_ = 0;
  Time last_{};
};

json resources_of(const Runner& runner) {
  const auto kinds = kinds_of(runner.machine());
  json all = json::array();
  for (NodeId n = 0; n != runner.machine().nodes; ++n) {
    const NodeKind& kind = kinds->kind_of(n);
    json properties = {{"role", ""}, {"cores", std::to_string(kind.core_share() / kWholeCore)}};
    if (!kind.name.empty()) properties["kind"] = kind.name;
    all.push_back({{"id", n},
                   {"name", kinds->node_name(n)},
                   {"state", "idle"},
                   {"properties", std::move(properties)},
                   {"zone_properties", json::object()}});
  }
  return all;
}

json beginning(const Runner& runner, const SchedulerOptions& options) {
  const std::int32_t nodes = runner.machine().nodes;
  const json config = {{"redis-enabled", false},
                       {"redis-hostname", "127.0.0.1"},
                       {"redis-port", 6379},
                       {"redis-prefix", "default"},
                       {"profiles-forwarded-on-submission", false},
                       {"dynamic-jobs-enabled", false},
                       {"dynamic-jobs-acknowledged", false},
                       {"profile-reuse-enabled", false},
                       {"sched-config", options.config},
                       {"forward-unknown-events", false}};
  return {{"nb_resources", nodes},
          {"nb_compute_resources", nodes},
          {"nb_storage_resources", 0},
          {"allow_compute_sharing", false},
          {"allow_storage_sharing", false},
          {"config", config},
          {"compute_resources", resources_of(runner)},
          {"storage_resources", json::array()},
          {"workloads", {{kWorkload, runner.workload().name}}},
          {"profiles", {{kWorkload, json::object()}}}};
}

void OutsideScheduler::begin(View& view) {
  if (view.demands() != nullptr && !view.demands()->whole_nodes())
    throw InputError({"--scheduler " + printable(options_.given), 0,
                      "jobs ask for parts of nodes, and Batsim's protocol names whole ones",
                      "jobs that have their nodes for themselves, or workload.exclusive = true"});
  last_ = view.now();
  meter_.begin(last_);
  message_.add(last_, "SIMULATION_BEGINS", beginning(runner_, options_));
  Answer answer = conversation_.ask(message_, last_);
  ready_ = answer.now;
  do_all(view, std::move(answer.decisions));
}

void OutsideScheduler::submitted(View& view, JobIndex j) {
  const Job& job = view.job(j);
  jobs_.comes(j, job.id);
  settle(j);
  const std::string& id = jobs_[j].id;
  json described = {{"id", id},
                    {"subtime", seconds_of(view.now())},
                    {"res", view.nodes_of(j)},
                    {"walltime", to_seconds(job.limit)},
                    {"profile", fmt::format("{}", job.id)}};
  if (job.user >= 0) described["user"] = job.user;
  message_.add(view.now(), "JOB_SUBMITTED", {{"job_id", id}, {"job", std::move(described)}});
}

/// Batsim's jobs do not leave the queue by themselves.
void OutsideScheduler::withdrawn(View& view, JobIndex j) {
  conversation_.refuse(view.now(), fmt::format("job {} leaves the queue by itself (withdrawn by its user, or its "
                                               "reservation is over), which Batsim's protocol cannot say",
                                               jobs_[j].id));
}

void OutsideScheduler::settle(JobIndex j) {
  if (known_[j]) return;
  known_[j] = true;
  ++settled_;
}

void OutsideScheduler::started_on(Time now, JobIndex j, const NodeRanges& nodes) {
  jobs_.starts(j, now, nodes);
  for_each_node(nodes, [&](NodeId n) { meter_.set(now, n, Meter::Draws::kBusy); });
}

void OutsideScheduler::ended_on(Time now, JobIndex j, const NodeRanges& nodes, const char* state, bool failed) {
  const std::string id = jobs_[j].id;
  jobs_.stops(j);
  for_each_node(nodes, [&](NodeId n) { meter_.set(now, n, Meter::Draws::kIdle); });
  message_.add(now, "JOB_COMPLETED",
               {{"job_id", id}, {"job_state", state}, {"return_code", failed ? 1 : 0}, {"alloc", nodes.str()}});
}

void OutsideScheduler::node_changed(Time now, NodeId n, bool down) {
  jobs_.set_down(n, down);
  if (down) states_.fails(now, n);
  meter_.set(now, n, down ? Meter::Draws::kNothing : Meter::Draws::kIdle);
  message_.add_nodes(now, down ? "event_machine_unavailable" : "event_machine_available", n);
}

/// All that has happened is told, and again what its answer makes happen at once, until there is no more.
void OutsideScheduler::schedule(View& view, const Pass&) {
  const Time now = last_ = view.now();
  if (settled_ == known_.size() && !std::exchange(all_settled_, true))
    message_.add(now, "NOTIFY", {{"type", "no_more_static_job_to_submit"}});
  tell_of_orders(now);
  if (!calls_.empty() && *calls_.begin() <= now) check_vain_calls(view);
  for (; !calls_.empty() && *calls_.begin() <= now; calls_.erase(calls_.begin()))
    message_.add(now, "REQUESTED_CALL", json::object());
  const auto due = std::ranges::find_if(later_, [&](const Decision& d) { return d.at > now; });
  std::vector<Decision> decisions(std::make_move_iterator(later_.begin()), std::make_move_iterator(due));
  later_.erase(later_.begin(), due);
  do_all(view, std::move(decisions));
  for (int messages = 0; !message_.empty(); ++messages) {
    if (ready_ > now) return view.wake_at(ready_);
    if (messages == kMostMessages)
      conversation_.refuse(now, fmt::format("it has answered {} messages at this instant, and goes on", messages));
    Answer answer = conversation_.ask(message_, now);
    ready_ = answer.now;
    do_all(view, std::move(answer.decisions));
  }
}

/// Each call costs a message, and one that asks for calls without end would never end.
void OutsideScheduler::check_vain_calls(const View& view) {
  const bool vain = view.started().empty() && view.down().empty() && orders_.empty() && settled_ == known_.size();
  vain_calls_ = vain ? vain_calls_ + 1 : 0;
  if (vain_calls_ < kMostMessages) return;
  conversation_.refuse(view.now(), fmt::format("it asked for {} calls in which nothing ran and none of the {} waiting "
                                               "jobs was started",
                                               vain_calls_, view.queue().size()));
}

void OutsideScheduler::do_all(View& view, std::vector<Decision> decisions) {
  for (Decision& d : decisions) {
    if (d.at > view.now()) {
      view.wake_at(d.at);
      later_.push_back(std::move(d));
      continue;
    }
    try {
      carry_out(view, d);
    } catch (const BadAnswer& e) {
      conversation_.refuse(view.now(), fmt::format("event {}, {}: {}", d.number, d.name, e.what()));
    }
  }
}

void OutsideScheduler::carry_out(View& view, const Decision& d) {
  switch (d.what) {
    case What::kExecute: return execute(view, d);
    case What::kReject: return view.refuse(view.queue().find(jobs_.waiting(d.jobs.front())));
    case What::kKill: return kill(view, d);
    case What::kCallMeLater:
      if (d.call <= view.now()) return message_.add(view.now(), "REQUESTED_CALL", json::object());
      calls_.insert(d.call);
      return view.wake_at(d.call);
    case What::kQueryEnergy:
      if (!meter_.knows() || !(states_.problem().empty() || !runner_.scenario().power.any()))
        throw BadAnswer(
            "what nodes draw is not known; expected power.watts in the scenario, and no power.idle below 1e9");
      message_.add(view.now(), "ANSWER", {{"consumed_energy", meter_.joules(view.now())}});
      return;
    case What::kSetState: return set_state(view, d);
    case What::kNotify:
    case What::kSetMetadata:
    case What::kRegister: return;  // no job can be registered, and metadata are kept nowhere
  }
}

void OutsideScheduler::execute(View& view, const Decision& d) {
  const JobIndex j = jobs_.waiting(d.jobs.front());
  check_nodes(d.nodes);
  const std::int32_t needs = view.nodes_of(j), given = d.nodes.count();
  if (given != needs)
    throw BadAnswer(fmt::format("the job needs {} {}, and gets {}", needs, needs == 1 ? "node" : "nodes", given));
  jobs_.check_free(d.nodes);
  for_each_node(d.nodes, [&](NodeId n) {
    if (!states_.is_on(n)) throw BadAnswer(fmt::format("node {} is powered down; expected nodes that are on", n));
  });
  const View::Position p = view.queue().find(j);
  StartDirective place;
  place.outside = NodeSet(jobs_.nodes(), true);
  place.outside.erase(d.nodes);
  view.available().direct(&place);
  const bool fits = view.fits_now(p);
  if (fits) view.start(p, StartReason::kPolicy);
  view.available().direct(nullptr);
  if (!fits)
    throw BadAnswer("the job cannot run there now: it may not have these nodes, or not for as long as its limit says");
}

void OutsideScheduler::check_nodes(const NodeRanges& nodes) const {
  if (nodes.ranges().back().last >= jobs_.nodes())
    throw BadAnswer(fmt::format("there is no node {}; expected numbers from 0 to {}", nodes.ranges().back().last,
                                jobs_.nodes() - 1));
}

void OutsideScheduler::set_state(View& view, const Decision& d) {
  if (!states_.problem().empty()) throw BadAnswer(states_.problem());
  check_nodes(d.nodes);
  jobs_.check_free(d.nodes);
  NodeStates::Order order = states_.order(view.now(), d.nodes, d.state);
  if (order.done > view.now()) view.wake_at(order.done);
  orders_.push_back(std::move(order));
  tell_of_orders(view.now());
}

void OutsideScheduler::tell_of_orders(Time now) {
  std::erase_if(orders_, [&](const NodeStates::Order& order) {
    if (order.done > now) return false;
    states_.arrive(now, order);
    message_.add(now, "RESOURCE_STATE_CHANGED", {{"resources", order.nodes.str()}, {"state", order.state}});
    return true;
  });
}

/// The jobs stop at once; those that are over already have ended by themselves.
void OutsideScheduler::kill(View& view, const Decision& d) {
  json progress = json::object();
  for (const std::string& id : d.jobs) {
    const JobIndex j = jobs_.find(id);
    const KnownJobs::Known& known = jobs_[j];
    if (id != known.id || known.state == KnownJobs::State::kOver) continue;
    if (known.state != KnownJobs::State::kRuns)
      throw BadAnswer(fmt::format("job {} waits; expected jobs that run, or REJECT_JOB", printable(id)));
    const Job& job = view.job(j);
    const double part = to_seconds(view.now() - known.start) / std::max(1e-9, to_seconds(job.runtime));
    progress[id] = {{"profile", fmt::format("{}", job.id)}, {"progress", std::clamp(part, 0.0, 1.0)}};
    StopOrder order;
    order.how = StopOrder::How::kCancel;
    view.stop(*view.find_started(j), order);
  }
  message_.add(view.now(), "JOB_KILLED", {{"job_ids", d.jobs}, {"job_progress", std::move(progress)}});
}

/// Tells the scheduler what only observers of a run are told. There may be none yet.
class Happenings : public Observer {
 public:
  explicit Happenings(std::optional<OutsideScheduler>& told) : told_(told) {}
  void started(Time now, JobIndex j, const NodeRanges& nodes) override { told_->started_on(now, j, nodes); }
  void ended(Time now, JobIndex j, const NodeRanges& nodes, bool killed) override {
    told_->ended_on(now, j, nodes, killed ? "COMPLETED_WALLTIME_REACHED" : "COMPLETED_SUCCESSFULLY", killed);
  }
  void interrupted(Time now, JobIndex j, const NodeRanges& nodes, const Interruption& what) override {
    told_->ended_on(now, j, nodes, what.by == InterruptedBy::kPolicy ? "COMPLETED_KILLED" : "COMPLETED_FAILED", true);
  }
  void rejected(Time, JobIndex j, Rejection) override { told_->settle(j); }
  void withdrawn(Time, JobIndex j) override { told_->settle(j); }
  void unfulfilled(Time, JobIndex j, JobIndex) override { told_->settle(j); }
  void node_down(Time now, NodeId n, OutageKind) override { told_->node_changed(now, n, true); }
  void node_up(Time now, NodeId n) override { told_->node_changed(now, n, false); }

 private:
  std::optional<OutsideScheduler>& told_;
};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// As it stands between quotes in Lua.
std::string in_quotes(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

bool SchedulerOptions::is_endpoint() const { return given.starts_with("tcp://") || given.starts_with("ipc://"); }

/// Of "python3 -u my_sched.py -s x" it is my_sched.
std::string SchedulerOptions::name() const {
  std::istringstream words(is_endpoint() ? "" : given);
  for (std::string word; words >> word;) {
    std::string name = std::filesystem::path(word).stem().string();
    const bool runs_others = name.starts_with("python") || name == "env" || name == "exec" || name == "sh" ||
                             name == "bash" || name == "nice" || word.find('=') != word.npos || word[0] == '-';
    std::erase_if(name, [](char c) { return !is_plain(c); });
    if (!runs_others && !name.empty()) return name.substr(0, 40);
  }
  return "scheduler";
}

GivenPolicy policy_of(const SchedulerOptions& options) {
  // Nodes can be named where a placement is a function. Its own pass is never asked for. The version is what tells
  // schedulers apart that have the same name.
  return Script{
      options.name(),
      fmt::format("return {{ api = 1, name = \"{}\", version = \"{}\",\n"
                  "  description = \"Decided outside, over Batsim's protocol.\",\n"
                  "  placement = function() return 0 end,\n"
                  "  schedule = function() error(\"it is decided by a scheduler outside (--scheduler)\") end }}\n",
                  options.name(), in_quotes(options.given))};
}

PolicyRun simulate(const Runner& runner, std::size_t i, const SchedulerOptions& options, RunCallbacks callbacks) {
  Conversation conversation(options);
  std::optional<OutsideScheduler> scheduler;
  Happenings happenings(scheduler);
  callbacks.observers.push_back(&happenings);
  callbacks.between = [&](Scheduler& asked) -> Scheduler& {
    return scheduler.emplace(asked, conversation, runner, options);
  };
  const SummaryUse summary = std::exchange(callbacks.summary, SummaryUse::kNone);  // when it is known what was off
  PolicyRun run = runner.run(i, callbacks);
  conversation.end(scheduler->last());
  if (auto off = scheduler->take_off(); off && run.result.power) run.result.power->off = std::move(*off);
  if (summary != SummaryUse::kNone) run.summary = summarize(run.result, runner.scenario().metrics, summary);
  return run;
}

}  // namespace coslice::batsim
