#include "lab/forecast/forecast.h"

#include <algorithm>
#include <unordered_map>

#include "jobs/workload.h"
#include "lab/forecast/disagreement.h"
#include "lab/forecast/earliest_start.h"
#include "lab/forecast/future.h"
#include "lab/forecast/never_start.h"
#include "lab/forecast/snapshot_runs.h"
#include "lab/forecast/work_meter.h"
#include "runner/runner.h"
#include "scenario/input_cache.h"

namespace coslice {
namespace {

/// All jobs that were asked about have started, or none of later counts: the rest of the run tells nothing.
struct AllStarted {};

/// A part of what a run may take is for what comes after the snapshot, however long its history was.
constexpr double kLeastAhead = 0.25;

constexpr double kTolerated = 1.25;  ///< runs that ended at most_work took a little more

bool runs_are_asked_for(const ForecastOptions& o) { return o.least_runs >= o.runs; }
bool past_is_asked_for(const ForecastOptions& o) { return o.past != 0 && o.least_past >= o.past; }

/// Whether a history that took so much leaves no time for the fewest simulations: then there are fewer, of now alone.
bool takes_too_long(double history, const ForecastOptions& o) {
  return o.budget > 0 && !past_is_asked_for(o) && history > kTolerated * o.most_work;
}
/// What each of these may take.
double most_work_of_few(const ForecastOptions& o) {
  const std::int64_t fewest = runs_are_asked_for(o) ? o.runs : std::min(o.least_runs, o.fewest_runs);
  return std::max(o.most_work, o.budget / static_cast<double>(fewest));
}
/// What a simulation may take, of which the history took so much.
double most_work_after(double history, const ForecastOptions& o) {
  return std::max(takes_too_long(history, o) ? most_work_of_few(o) : o.most_work, history + kLeastAhead * o.most_work);
}

/// Notes when some jobs start, and ends the run when all have that can by the horizon, at the horizon, or where the
/// run has taken too much.
class StartWatch : public WrappedScheduler {
 public:
  StartWatch(Scheduler& asked, const Future& future, Time last, const ForecastOptions& options, WorkMeter& work,
             ForecastRun& into)
      : WrappedScheduler(&asked), now_(future.now), soon_(later(future.now, kAtOnce)), last_(last), options_(options),
        work_(work), into_(into) {
    for (std::size_t i = 0; i != future.waiting.size(); ++i) {
      places_.emplace(future.waiting[i], i);
      left_ += can_start(i) ? 1 : 0;
    }
  }

  void submitted(View& view, JobIndex j) override {
    work_.event();
    asked_->submitted(view, j);
  }
  void started(View& view, JobIndex j) override {
    work_.event();
    asked_->started(view, j);
    note(view, j, view.now());
  }
  void ended(View& view, JobIndex j, Time started) override {
    work_.event();
    asked_->ended(view, j, started);
  }
  void withdrawn(View& view, JobIndex j) override {
    asked_->withdrawn(view, j);
    note(view, j, kNever);
  }
  void dropped(View& view, JobIndex j) override {
    asked_->dropped(view, j);
    note(view, j, kNever);
  }
  void schedule(View& view, const Pass& pass) override {
    work_.pass(view.queue().size());
    if (view.now() > last_) throw AllStarted{};
    if (view.now() > now_ && takes_too_much()) {
      into_.reached = view.now();
      throw AllStarted{};
    }
    asked_->schedule(view, pass);
    if (left_ == 0) throw AllStarted{};
  }

 private:
  /// The first start counts.
  void note(const View& view, JobIndex j, Time at) {
    const auto found = places_.find(view.job(j).id);
    if (found == places_.end()) return;
    into_.starts[found->second] = at;
    into_.work_at[found->second] = work_.sum();
    if (at <= soon_)
      for (const StartedJob& job : view.started())
        if (job.index == j) into_.at_once[found->second] = job.nodes;
    left_ -= can_start(found->second) ? 1 : 0;
    places_.erase(found);
  }
  bool can_start(std::size_t place) const { return into_.earliest[place] <= last_; }
  bool takes_too_much() {
    if (options_.most_work <= 0) return false;
    if (into_.history == 0) into_.history = work_.sum();
    return work_.sum() > most_work_after(into_.history, options_);
  }

  const Time now_, soon_, last_;
  const ForecastOptions& options_;
  WorkMeter& work_;
  ForecastRun& into_;
  std::unordered_map<std::int64_t, std::size_t> places_;
  std::size_t left_ = 0;  ///< jobs that have not started, but can
};

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Midnight by the log's calendar, else after whole days of its clock.
Time end_of_day(const Workload& workload, Time now) {
  constexpr std::int64_t kDay = 86400;
  const auto clock = trace_clock(workload.header);
  const std::int64_t into =
      clock ? calendar_date(*clock, now).second_of_day : now.time_since_epoch() / whole_seconds(1) % kDay;
  return now + whole_seconds(kDay - into);
}

/// Places in the order of starts, from 1; those that start together share the first.
std::vector<double> places_of(const std::vector<Time>& starts) {
  std::vector<Time> sorted = starts;
  std::ranges::sort(sorted);
  std::vector<double> places;
  for (const Time t : starts)
    places.push_back(static_cast<double>(std::ranges::lower_bound(sorted, t) - sorted.begin()) + 1);
  return places;
}

std::vector<JobIndex> waiting_jobs(const MachineState& state) {
  std::vector<JobIndex> out;
  for (JobIndex j = 0; j != state.jobs.size(); ++j)
    if (state.jobs[j].as == KnownAs::kWaiting) out.push_back(j);
  return out;
}

/// Runs from which it is known what one takes.
constexpr std::int64_t kPilot = 4;

}  // namespace

ForecastRun forecast_run(const ForecastBase& base, const MachineState& state, const ForecastOptions& options,
                         std::int64_t run, const std::function<void()>& stop) {
  const Future future = draw_future(base, state, options, run);
  ForecastRun out;
  out.arrivals = future.arrivals;
  out.starts.assign(future.waiting.size(), kNever);
  if (future.waiting.empty()) return out;
  Scenario scenario = scenario_of(base, future);
  scenario.seed = options.seed + run;
  RandomStream random =
      RandomKey(static_cast<std::uint64_t>(options.seed), "forecast").stream(static_cast<std::uint64_t>(run), 3);
  if (options.vary) options.vary(scenario, random);
  InputCache inputs;
  inputs.keep(scenario.workload.trace, future.trace);
  WorkMeter work(scenario.limits.trusted ? kCostsOfTrustedRun : kCostsOfRun, future.trace->workload.jobs.size());
  const Runner runner(std::move(scenario), {}, &inputs);
  std::optional<StartWatch> watch;
  RunCallbacks callbacks;
  callbacks.print = [](std::string_view) {};
  callbacks.progress = [&](std::size_t, std::size_t) { stop(); };
  const Time last = later(future.now, options.horizon);
  callbacks.between = [&](Scheduler& asked) -> Scheduler& {
    return watch.emplace(asked, future, last, options, work, out);
  };
  stop();
  out.earliest = earliest_starts(runner, future.waiting, future.now);
  out.work_at.assign(out.starts.size(), 0);
  try {
    if (out.any_can_start_by(last)) runner.run(0, callbacks);
  } catch (const AllStarted&) {}
  out.work = work.sum();
  if (out.reached != kNever) out.reached += future.shift;
  for (Time& t : out.earliest)
    if (t != kNever) t += future.shift;
  for (Time& t : out.starts) {
    if (t == kNever) continue;
    t += future.shift;
    if (t - state.now > options.horizon) t = kNever;
  }
  return out;
}

PastForecast forecast_of_runs(const MachineState& state, const std::vector<ForecastRun>& runs, double share) {
  PastForecast out{state.now, {}};
  const std::vector<JobIndex> waiting = waiting_jobs(state);
  for (std::size_t i = 0; i != waiting.size(); ++i) {
    std::vector<Time> starts;
    for (const ForecastRun& run : runs) starts.push_back(run.starts[i]);
    out.jobs.push_back({waiting[i], start_quantiles(std::move(starts), quantile_levels(share))});
  }
  return out;
}

Forecast summarize_forecast(const ForecastBase& base, MachineState state, const ForecastOptions& options,
                            const std::vector<ForecastRun>& runs, const std::vector<PastForecast>& past) {
  Forecast out;
  out.options = options;
  Correction correction(past, state, quantile_levels(options.level));
  out.corrected_by = correction.instants();
  const Time hour = state.now + whole_seconds(3600), midnight = end_of_day(base.workload, state.now);
  std::vector<std::vector<double>> places;
  std::size_t arrivals = 0;
  for (const ForecastRun& run : runs) {
    places.push_back(places_of(run.starts));
    arrivals += run.arrivals;
  }
  const PastForecast said = forecast_of_runs(state, runs, options.level);
  for (std::size_t i = 0; i != said.jobs.size(); ++i) {
    std::vector<Time> at = said.jobs[i].at, starts;
    std::vector<double> place;
    for (std::size_t r = 0; r != runs.size(); ++r) {
      starts.push_back(runs[r].starts[i]);
      place.push_back(places[r][i]);
    }
    correction.apply(state.now, at);
    if (out.corrected_by != 0) starts.assign(at.begin() + 3, at.end());  // the quantiles stand for them
    const auto until = [&](Time t) {
      return static_cast<double>(std::ranges::count_if(starts, [&](Time s) { return s <= t; })) /
             static_cast<double>(starts.size());
    };
    out.jobs.push_back({said.jobs[i].job, at[1], at[0], at[2], until(hour), until(midnight),
                        median_of(std::move(place)), runs.empty() ? state.now : runs.front().earliest[i],
                        std::ranges::all_of(runs, [&](const ForecastRun& r) { return r.starts[i] == kNever; })});
  }
  std::ranges::stable_sort(out.jobs, {}, &JobForecast::median);
  out.kept = kept_beside_free_nodes(base, state, runs);
  out.expected = runs.empty() ? 0 : arrivals / runs.size();
  out.history = state.count(KnownAs::kEnded);
  out.state = std::move(state);
  return out;
}

ForecastOptions within_budget(ForecastOptions options, double work) {
  const double most = options.budget / std::max(work, 1.0),
               all = static_cast<double>(options.runs + options.past * options.past_runs);
  if (options.budget <= 0 || all <= most) return options;
  const auto up_to = [](double n, std::int64_t least, std::int64_t wanted) {
    return std::clamp(static_cast<std::int64_t>(n), std::min(least, wanted), wanted);
  };
  const auto least = static_cast<double>(std::min(options.least_runs, options.runs) +
                                         options.least_past * std::min(options.least_past_runs, options.past_runs));
  if (least > kTolerated * most && !past_is_asked_for(options)) options.past = options.least_past = 0;
  if (options.past == 0 && !runs_are_asked_for(options))
    options.least_runs = std::min(options.least_runs, options.fewest_runs);
  options.runs = up_to(options.past == 0 ? most : most / 2, options.least_runs, options.runs);
  if (options.past == 0) return options;
  const double left = most - static_cast<double>(options.runs);
  options.past_runs = up_to(left / static_cast<double>(options.past), options.least_past_runs, options.past_runs);
  options.past = up_to(left / static_cast<double>(options.past_runs), options.least_past, options.past);
  return options;
}

namespace {

/// How far all of these runs were simulated, `most` at most.
Duration reached_by_all(const std::vector<ForecastRun>& runs, Time now, Duration most) {
  for (const ForecastRun& run : runs)
    if (run.reached != kNever) most = std::min(most, run.reached - now);
  return most;
}

/// What such a run takes, up to that horizon: until the last job has started that can before.
double work_within(const ForecastRun& run, Time last) {
  double work = 0;
  for (std::size_t i = 0; i != run.starts.size(); ++i) {
    if (run.earliest[i] > last) continue;
    if (run.starts[i] == kNever || run.starts[i] > last) return run.work;
    work = std::max(work, run.work_at[i]);
  }
  return work > 0 ? work : run.work;
}

/// Starts beyond a horizon are none.
void forget_beyond(std::vector<ForecastRun>& runs, Time last) {
  for (ForecastRun& run : runs)
    for (Time& t : run.starts)
      if (t > last) t = kNever;
}

/// Makes the first runs of the snapshot, and returns the options for the others: how far they go and how many there
/// are. A single one may take more than the first ones did; where it does, its reach counts.
ForecastOptions plan_of_first_runs(SnapshotRuns& all, Time now, const ForecastOptions& wanted) {
  constexpr double kSlack = 2;
  all.make(false);
  ForecastOptions plan = wanted;
  plan.horizon = reached_by_all(all.runs(0), now, wanted.horizon);
  double work = 0;
  for (const ForecastRun& run : all.runs(0)) work += work_within(run, later(now, plan.horizon));
  plan = within_budget(plan, work / static_cast<double>(all.runs(0).size()));
  const bool is_asked_for = wanted.least_runs == wanted.runs;
  if (!is_asked_for && !all.runs(0).front().any_can_start_by(later(now, plan.horizon)))
    plan.runs = std::ssize(all.runs(0));
  const auto is_long = [&](const ForecastRun& run) { return takes_too_long(run.history, wanted); };
  if (std::ranges::any_of(all.runs(0), is_long)) plan.most_work = most_work_of_few(wanted);
  plan.most_work *= kSlack;
  return plan;
}

/// The earlier instants at which jobs waited, `count` of them at most; none where they could correct nothing.
std::vector<MachineState> states_before(const MachineState& state, const ForecastBase& base, std::int64_t count,
                                        Duration memory) {
  std::vector<MachineState> states;
  for (const Time t : instants_before(state, base.workload, static_cast<std::size_t>(count), memory)) {
    MachineState then = state_before(state, t, base.workload);
    if (then.count(KnownAs::kWaiting) != 0) states.push_back(std::move(then));
  }
  if (!may_correct(states, state)) states.clear();
  return states;
}

/// Jobs that start in none of the runs, although nothing is reserved beyond these, and that their policy never lets
/// start: there is no forecast of them, but its reason.
void set_apart_never_starting(Forecast& made, const ForecastBase& base, const ForecastPool& pool) {
  const Time last = later(made.state.now, made.options.horizon);
  std::vector<JobIndex> beyond;
  for (const JobForecast& said : made.jobs)
    if (said.never_seen && said.earliest <= last) beyond.push_back(said.job);
  const auto stop = [&] {
    if (pool.tick) pool.tick({});
  };
  const std::map<JobIndex, std::string> never = why_never_start(base, made.state, made.options, beyond, stop);
  for (const auto& [j, why] : never) {
    made.state.jobs[j].as = KnownAs::kHeld;
    made.state.jobs[j].reason = why;
  }
  std::erase_if(made.jobs, [&](const JobForecast& said) { return never.count(said.job) != 0; });
}

/// Where no earlier instant is to be simulated, the simulations of now may take all of the budget.
ForecastOptions without_past(ForecastOptions options) {
  if (options.budget > 0 && options.most_work > 0)
    options.most_work = std::max(options.most_work, options.budget / static_cast<double>(options.least_runs));
  options.past = options.least_past = 0;
  return options;
}

}  // namespace

Forecast make_forecast(const ForecastBase& base, MachineState state, const ForecastOptions& asked,
                       const ForecastPool& pool) {
  std::vector<MachineState> before = states_before(state, base, asked.past, asked.memory);
  const bool corrects = !before.empty();
  const ForecastOptions wanted = corrects ? asked : without_past(asked);
  SnapshotRuns all(base, pool);
  all.add(state, wanted, std::min(kPilot, wanted.runs));
  ForecastOptions options = plan_of_first_runs(all, state.now, wanted);
  all.want(0, options, options.runs);
  std::vector<Duration> horizons;
  if (options.past != asked.past) before = states_before(state, base, options.past, options.memory);
  for (MachineState& then : before) {
    ForecastOptions own = options;
    own.seed += std::ssize(all) * 1'000'003;  // other futures at each instant
    own.horizon = horizons.emplace_back(horizon_before(then, state, options.horizon));
    all.add(std::move(then), own, options.past_runs);
  }
  if (pool.planned) pool.planned(options, all.progress().share);
  all.make();
  std::vector<PastForecast> past;
  for (std::size_t i = 1; i != all.size(); ++i)
    past.push_back(within_horizon(forecast_of_runs(all.state(i), all.runs(i), options.level),
                                  reached_by_all(all.runs(i), all.state(i).now, horizons[i - 1])));
  std::vector<ForecastRun> runs = all.runs(0);
  options.horizon = reached_by_all(runs, state.now, options.horizon);
  forget_beyond(runs, later(state.now, options.horizon));
  Forecast made = summarize_forecast(base, std::move(state), options, runs, past);
  made.cut = options.horizon < wanted.horizon;
  made.cannot_correct = asked.past != 0 && !corrects;
  made.no_time = corrects && options.past == 0;
  set_apart_never_starting(made, base, pool);
  return made;
}

}  // namespace coslice
