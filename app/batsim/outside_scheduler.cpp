#include "batsim/outside_scheduler.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>

#include "batsim/conversation.h"
#include "batsim/known_jobs.h"
#include "batsim/node_states.h"
#include "batsim/registered_jobs.h"
#include "core/error.h"
#include "core/text.h"
#include "jobs/job_demands.h"
#include "jobs/workflow.h"
#include "machine/layout.h"
#include "machine/start_directive.h"
#include "run/outside.h"
#include "schedule/scheduler.h"

namespace coslice::batsim {
namespace {

using Decision = Heard<SchedulerSays>;

/// Messages at one instant, and calls while nothing happens: a scheduler may ask and be answered, not for ever.
constexpr int kMostMessages = 10'000;

/// Asks the scheduler and does what it decides. It is an observer as well: that is told of nodes, and of what became of
/// jobs.
class OutsideScheduler : public WrappedScheduler {
 public:
  OutsideScheduler(Scheduler& asked, Conversation& conversation, const Runner& runner, const SchedulerOptions& options,
                   JobInlet& inlet)
      : WrappedScheduler(&asked), conversation_(conversation), runner_(runner), options_(options), inlet_(inlet),
        meter_(runner.scenario()), states_(runner.scenario(), meter_),
        jobs_(runner.workload().jobs.size(), runner.machine().nodes), known_(runner.workload().jobs.size()),
        registered_(runner.workload(), runner.machine().nodes, runner.scenario().engine.ppn(runner.machine())) {}

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
  std::vector<Decision> profiles_first(std::vector<Decision> decisions, Time now) const;
  void do_all(View& view, std::vector<Decision> decisions);
  void put_off(View& view, Decision d);
  void carry_out(View& view, const ExecuteJob& what);
  void carry_out(View& view, const RejectJob& what) { view.refuse(view.queue().find(jobs_.waiting(what.job))); }
  void carry_out(View& view, const KillJob& what);
  void carry_out(View& view, const CallMeLater& what);
  void carry_out(View& view, const SetResourceState& what);
  void carry_out(View& view, const Query& what);
  void carry_out(View& view, const Answer& what);
  void carry_out(View& view, const Notify& what);
  void carry_out(View&, const SetJobMetadata&) {}  // they are kept nowhere
  void carry_out(View& view, const RegisterJob& what);
  void carry_out(View&, const RegisterProfile& what) { registered_.add_profile(what); }
  Json profile_of(const Job& job, JobIndex j) const;
  void tell_of_orders(Time now);
  void check_nodes(const NodeRanges& nodes) const;
  void check_vain_calls(const View& view);

  Conversation& conversation_;
  const Runner& runner_;
  const SchedulerOptions& options_;
  JobInlet& inlet_;
  Meter meter_;
  NodeStates states_;
  std::vector<NodeStates::Order> orders_;  ///< that are under way
  KnownJobs jobs_;
  Message<BatsimSays> message_;
  std::vector<Decision> later_;  ///< in order of time
  std::multiset<Time> calls_;    ///< that it has asked for
  Time ready_{Duration::min()};  ///< before that it decides nothing
  std::vector<bool> known_;      ///< by JobIndex: settle()
  std::size_t settled_ = 0;
  bool all_settled_ = false;  ///< and it was told so
  RegisteredJobs registered_;
  std::int32_t vain_calls_ = 0;
  Time last_{};
};

std::vector<Resource> resources_of(const Runner& runner) {
  const auto kinds = kinds_of(runner.machine());
  std::vector<Resource> all;
  for (NodeId n = 0; n != runner.machine().nodes; ++n) {
    const NodeKind& kind = kinds->kind_of(n);
    Json properties = {{"role", ""}, {"cores", std::to_string(kind.core_share() / kWholeCore)}};
    if (!kind.name.empty()) properties["kind"] = kind.name;
    all.push_back({n, kinds->node_name(n), "idle", {std::move(properties)}});
  }
  return all;
}

SimulationBegins beginning(const Runner& runner, const SchedulerOptions& options) {
  Configuration config;
  config.jobs_enabled = config.jobs_acknowledged = config.profiles_reused = true;
  config.profiles_forwarded = options.profiles;
  config.scheduler = options.config;
  return {runner.machine().nodes,
          std::move(config),
          resources_of(runner),
          {{{kWorkload, runner.workload().name}}},
          {{{kWorkload, Json::object()}}}};
}

void OutsideScheduler::begin(View& view) {
  if (view.demands() != nullptr && !view.demands()->whole_nodes())
    throw InputError({"--scheduler " + printable(options_.given), 0,
                      "jobs ask for parts of nodes, and Batsim's protocol names whole ones",
                      "jobs that have their nodes for themselves, or workload.exclusive = true"});
  last_ = view.now();
  meter_.begin(last_);
  message_.add(last_, beginning(runner_, options_));
  HeardMessage<SchedulerSays> answer = conversation_.ask(message_, last_);
  ready_ = answer.now;
  do_all(view, std::move(answer.events));
}

void OutsideScheduler::submitted(View& view, JobIndex j) {
  const Job& job = view.job(j);
  jobs_.comes(j, job.id);
  settle(j);
  JobSubmitted said{jobs_[j].id, {}};
  JobDescription& d = said.described;
  d.id = said.job;
  d.submitted = seconds_of(view.now());
  d.nodes = view.nodes_of(j);
  if (jobs_.is_of_log(j) || job.limit_given) d.walltime = to_seconds(job.limit);
  d.profile = jobs_.is_of_log(j) ? fmt::format("{}", job.id) : jobs_.profile(j);
  if (job.user >= 0) d.user = job.user;
  if (options_.profiles) said.profile = Object{profile_of(job, j)};
  message_.add(view.now(), std::move(said));
}

/// What the scheduler has registered; of jobs of the log what is known of them, which is their limits.
Json OutsideScheduler::profile_of(const Job& job, JobIndex j) const {
  const Json* own = jobs_.is_of_log(j) ? nullptr : registered_.described(workload_of(jobs_[j].id), jobs_.profile(j));
  return own != nullptr ? *own : Json{{"type", "delay"}, {"delay", to_seconds(job.limit)}};
}

/// Batsim's jobs do not leave the queue by themselves.
void OutsideScheduler::withdrawn(View& view, JobIndex j) {
  conversation_.refuse(view.now(), fmt::format("job {} leaves the queue by itself (withdrawn by its user, or its "
                                               "reservation is over), which Batsim's protocol cannot say",
                                               jobs_[j].id));
}

void OutsideScheduler::settle(JobIndex j) {
  if (j >= known_.size() || known_[j]) return;  // of the log
  known_[j] = true;
  ++settled_;
}

void OutsideScheduler::started_on(Time now, JobIndex j, const NodeRanges& nodes) {
  jobs_.starts(j, now, nodes);
  for_each_node(nodes, [&](NodeId n) { meter_.set(now, n, Meter::Draws::kBusy); });
}

void OutsideScheduler::ended_on(Time now, JobIndex j, const NodeRanges& nodes, const char* state, bool failed) {
  jobs_.stops(j);
  for_each_node(nodes, [&](NodeId n) { meter_.set(now, n, Meter::Draws::kIdle); });
  message_.add(now, JobCompleted{jobs_[j].id, state, failed ? 1 : 0, nodes});
}

void OutsideScheduler::node_changed(Time now, NodeId n, bool down) {
  jobs_.set_down(n, down);
  if (down) states_.fails(now, n);
  meter_.set(now, n, down ? Meter::Draws::kNothing : Meter::Draws::kIdle);
  add_node(message_, now, down ? Notify::kNodesGone : Notify::kNodesBack, n);
}

/// All that has happened is told, and again what its answer makes happen at once, until there is no more.
void OutsideScheduler::schedule(View& view, const Pass&) {
  const Time now = last_ = view.now();
  if (settled_ == known_.size() && !std::exchange(all_settled_, true)) message_.add(now, Notify{Notify::kNoMoreJobs});
  tell_of_orders(now);
  if (!calls_.empty() && *calls_.begin() <= now) check_vain_calls(view);
  for (; !calls_.empty() && *calls_.begin() <= now; calls_.erase(calls_.begin())) message_.add(now, RequestedCall{});
  const auto due = std::ranges::find_if(later_, [&](const Decision& d) { return d.at > now; });
  std::vector<Decision> decisions(std::make_move_iterator(later_.begin()), std::make_move_iterator(due));
  later_.erase(later_.begin(), due);
  do_all(view, std::move(decisions));
  for (int messages = 0; !message_.empty(); ++messages) {
    if (ready_ > now) return view.wake_at(ready_);
    if (messages == kMostMessages)
      conversation_.refuse(now, fmt::format("it has answered {} messages at this instant, and goes on", messages));
    HeardMessage<SchedulerSays> answer = conversation_.ask(message_, now);
    ready_ = answer.now;
    do_all(view, std::move(answer.events));
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

/// Puts profiles that are new before the jobs that stand before them in a row of registrations: a job may have one that
/// is registered behind it.
std::vector<Decision> OutsideScheduler::profiles_first(std::vector<Decision> decisions, Time now) const {
  std::vector<Decision> out, row;
  std::set<std::pair<std::string, std::string>> seen;
  const auto end_row = [&] { std::ranges::move(std::exchange(row, {}), std::back_inserter(out)); };
  for (Decision& d : decisions) {
    const auto* profile = d.at <= now ? std::get_if<RegisterProfile>(&d.what) : nullptr;
    const bool is_new = profile != nullptr && registered_.described(profile->workload, profile->name) == nullptr &&
                        seen.emplace(profile->workload, profile->name).second;
    const bool registers = profile != nullptr || (d.at <= now && std::holds_alternative<RegisterJob>(d.what));
    if (!registers) end_row();
    (registers && !is_new ? row : out).push_back(std::move(d));
  }
  end_row();
  return out;
}

/// What follows the registration of a job may be about it: it comes when the pass is over, but for further
/// registrations.
void OutsideScheduler::do_all(View& view, std::vector<Decision> decisions) {
  bool registers = false, behind = false;
  for (Decision& d : profiles_first(std::move(decisions), view.now())) {
    const bool job = std::holds_alternative<RegisterJob>(d.what);
    behind |= registers && !job && !std::holds_alternative<RegisterProfile>(d.what) && d.at <= view.now();
    if (d.at > view.now() || behind) {
      put_off(view, std::move(d));
      continue;
    }
    try {
      std::visit([&](const auto& what) { carry_out(view, what); }, d.what);
    } catch (const BadMessage& e) {
      conversation_.refuse(view.now(), fmt::format("event {}, {}: {}", d.number, d.name, e.what()));
    }
    registers |= job;
  }
}

void OutsideScheduler::put_off(View& view, Decision d) {
  view.wake_at(d.at);
  const auto behind = std::ranges::upper_bound(later_, d.at, {}, &Decision::at);
  later_.insert(behind, std::move(d));
}

void OutsideScheduler::carry_out(View& view, const CallMeLater& what) {
  const Time at = instant_of(what.at, view.now(), "the call at");
  if (at <= view.now()) return message_.add(view.now(), RequestedCall{});
  calls_.insert(at);
  view.wake_at(at);
}

void OutsideScheduler::carry_out(View& view, const Query& what) {
  const Json& asked = what.requests.value;
  if (asked.size() != 1 || !asked.contains("consumed_energy"))
    throw BadMessage(
        fmt::format("it asks for {}; only \"consumed_energy\" is answered", printable(shortened(asked.dump(), 60))));
  if (!meter_.knows() || !(states_.problem().empty() || !runner_.scenario().power.any()))
    throw BadMessage("what nodes draw is not known; expected power.watts in the scenario, and no power.idle below 1e9");
  message_.add(view.now(), Answer{meter_.joules(view.now())});
}

void OutsideScheduler::carry_out(View&, const Answer&) { throw BadMessage("nothing was asked"); }

void OutsideScheduler::carry_out(View&, const Notify& what) {
  if (what.type == Notify::kAllRegistered) registered_.finish();
  else if (what.type == Notify::kGoesOnRegistering) registered_.go_on();
  else throw BadMessage("expected registration_finished or continue_registration");
  inlet_.stay_open(registered_.expected());
}

/// It is submitted when the pass is over, of which the scheduler is told as of other jobs.
void OutsideScheduler::carry_out(View& view, const RegisterJob& what) {
  const bool tiers = view.demands() != nullptr && !view.demands()->tiers().empty();
  if (tiers || any_moldable(runner_.workload()) || view.host().contention() != nullptr)
    throw BadMessage("jobs cannot be registered where partitions have tiers, jobs have sizes, or nodes slow them down");
  if (jobs_.knows(what.job)) throw BadMessage("there is a job of that name already");
  const Job job = registered_.job_of(what, view.now());
  jobs_.will_add(what.job, what.described.profile);
  inlet_.add(job);
  inlet_.stay_open(registered_.expected());
}

void OutsideScheduler::carry_out(View& view, const ExecuteJob& what) {
  const JobIndex j = jobs_.waiting(what.job);
  check_nodes(what.nodes);
  const std::int32_t needs = view.nodes_of(j), given = what.nodes.count();
  if (given != needs)
    throw BadMessage(fmt::format("the job needs {} {}, and gets {}", needs, needs == 1 ? "node" : "nodes", given));
  jobs_.check_free(what.nodes);
  for_each_node(what.nodes, [&](NodeId n) {
    if (!states_.is_on(n)) throw BadMessage(fmt::format("node {} is powered down; expected nodes that are on", n));
  });
  const View::Position p = view.queue().find(j);
  StartDirective place;
  place.outside = NodeSet(jobs_.nodes(), true);
  place.outside.erase(what.nodes);
  view.available().direct(&place);
  const bool fits = view.fits_now(p);
  if (fits) view.start(p, StartReason::kPolicy);
  view.available().direct(nullptr);
  if (!fits)
    throw BadMessage("the job cannot run there now: it may not have these nodes, or not for as long as its limit says");
}

void OutsideScheduler::check_nodes(const NodeRanges& nodes) const {
  if (nodes.ranges().back().last >= jobs_.nodes())
    throw BadMessage(fmt::format("there is no node {}; expected numbers from 0 to {}", nodes.ranges().back().last,
                                 jobs_.nodes() - 1));
}

void OutsideScheduler::carry_out(View& view, const SetResourceState& what) {
  if (!states_.problem().empty()) throw BadMessage(states_.problem());
  check_nodes(what.nodes);
  jobs_.check_free(what.nodes);
  NodeStates::Order order = states_.order(view.now(), what.nodes, what.state);
  if (order.done > view.now()) view.wake_at(order.done);
  orders_.push_back(std::move(order));
  tell_of_orders(view.now());
}

void OutsideScheduler::tell_of_orders(Time now) {
  std::erase_if(orders_, [&](const NodeStates::Order& order) {
    if (order.done > now) return false;
    states_.arrive(now, order);
    message_.add(now, ResourceStateChanged{order.nodes, order.state});
    return true;
  });
}

/// The jobs stop at once; those that are over already have ended by themselves.
void OutsideScheduler::carry_out(View& view, const KillJob& what) {
  if (what.jobs.empty()) throw BadMessage("'job_ids' is empty");
  Json progress = Json::object();
  for (const std::string& id : what.jobs) {
    const JobIndex j = jobs_.find(id);
    const KnownJobs::Known& known = jobs_[j];
    if (id != known.id || known.state == KnownJobs::State::kOver) continue;
    if (known.state != KnownJobs::State::kRuns)
      throw BadMessage(fmt::format("job {} waits; expected jobs that run, or REJECT_JOB", printable(id)));
    const Job& job = view.job(j);
    const double part = to_seconds(view.now() - known.start) / std::max(1e-9, to_seconds(job.runtime));
    const std::string profile = jobs_.is_of_log(j) ? fmt::format("{}", job.id) : jobs_.profile(j);
    progress[id] = {{"profile", profile}, {"progress", std::clamp(part, 0.0, 1.0)}};
    StopOrder order;
    order.how = StopOrder::How::kCancel;
    view.stop(*view.find_started(j), order);
  }
  message_.add(view.now(), JobKilled{what.jobs, Object{std::move(progress)}});
}

/// Tells the scheduler what only observers of a run are told. There may be none yet.
class Happenings : public Observer {
 public:
  explicit Happenings(std::optional<OutsideScheduler>& told) : told_(told) {}
  void started(Time now, JobIndex j, const NodeRanges& nodes) override { told_->started_on(now, j, nodes); }
  void ended(Time now, JobIndex j, const NodeRanges& nodes, bool killed) override {
    told_->ended_on(now, j, nodes, killed ? JobCompleted::kAtLimit : JobCompleted::kWell, killed);
  }
  void interrupted(Time now, JobIndex j, const NodeRanges& nodes, const Interruption& what) override {
    const bool by_policy = what.by == InterruptedBy::kPolicy;
    told_->ended_on(now, j, nodes, by_policy ? JobCompleted::kKilled : JobCompleted::kFailed, true);
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

bool SchedulerOptions::is_endpoint() const { return batsim::is_endpoint(given); }

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
  JobInlet inlet;
  callbacks.inlet = &inlet;
  callbacks.between = [&](Scheduler& asked) -> Scheduler& {
    return scheduler.emplace(asked, conversation, runner, options, inlet);
  };
  const SummaryUse summary = std::exchange(callbacks.summary, SummaryUse::kNone);  // when it is known what was off
  PolicyRun run = runner.run(i, callbacks);
  conversation.end(scheduler->last());
  if (auto off = scheduler->take_off(); off && run.result.power) run.result.power->off = std::move(*off);
  if (summary != SummaryUse::kNone) run.summary = summarize(run.result, runner.scenario().metrics, summary);
  return run;
}

}  // namespace coslice::batsim
