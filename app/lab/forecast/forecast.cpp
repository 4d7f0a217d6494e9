#include "lab/forecast/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lab/forecast/future.h"
#include "scenario/input_cache.h"
#include "scenario/runner.h"
#include "workload/trace_clock.h"

namespace coslice {

namespace {

constexpr const char* kTraceName = "snapshot.sacct";

/// A start that far away is none: nodes that are away now come back long after it.
constexpr Duration kTooFar = whole_seconds(std::int64_t{5} * 365 * 86400);

/// All jobs that were asked about have started: the rest of the run tells nothing.
struct AllStarted {};

/// Notes when some jobs start, and ends the run when all of them have.
class StartWatch : public Scheduler {
 public:
  StartWatch(Scheduler& asked, const std::vector<std::int64_t>& ids, std::vector<Time>& starts)
      : asked_(asked), starts_(starts), left_(ids.size()) {
    for (std::size_t i = 0; i != ids.size(); ++i) places_.emplace(ids[i], i);
  }

  void begin(View& view) override { asked_.begin(view); }
  std::optional<OwnCheckpoints> checkpoints(View& view, JobIndex j) override { return asked_.checkpoints(view, j); }
  std::optional<Duration> estimate(View& view, JobIndex j) override { return asked_.estimate(view, j); }
  void corrected(View& view, JobIndex j) override { asked_.corrected(view, j); }
  double key(View& view, JobIndex j) override { return asked_.key(view, j); }
  void submitted(View& view, JobIndex j) override { asked_.submitted(view, j); }
  void started(View& view, JobIndex j) override {
    asked_.started(view, j);
    note(view, j, view.now());
  }
  void ended(View& view, JobIndex j, Time started) override { asked_.ended(view, j, started); }
  void dropped(View& view, JobIndex j) override {
    asked_.dropped(view, j);
    note(view, j, kNever);
  }
  void schedule(View& view, const Pass& pass) override {
    asked_.schedule(view, pass);
    if (left_ == 0) throw AllStarted{};
  }

 private:
  /// The first start counts.
  void note(const View& view, JobIndex j, Time at) {
    const auto found = places_.find(view.job(j).id);
    if (found == places_.end()) return;
    starts_[found->second] = at;
    places_.erase(found);
    --left_;
  }

  Scheduler& asked_;
  std::vector<Time>& starts_;
  std::unordered_map<std::int64_t, std::size_t> places_;
  std::size_t left_;
};

Scenario scenario_of(const ForecastBase& base, const Future& future) {
  Scenario s = base.scenario;
  WorkloadSpec spec;
  spec.name = base.workload.name;
  spec.trace = kTraceName;
  spec.exclusive = s.workload.exclusive;
  spec.recorded_until = future.now.time_since_epoch();
  s.workload = std::move(spec);
  s.inputs.clear();
  return s;
}

/// Of ascending values; the place of a quantile among n draws such that another draw is below it with that probability.
Time quantile(const std::vector<Time>& sorted, double p) {
  const auto n = static_cast<double>(sorted.size());
  const double place = std::clamp(p * (n + 1) - 1, 0.0, n - 1);
  const auto below = static_cast<std::size_t>(place);
  const Time a = sorted[below], b = sorted[std::min(below + 1, sorted.size() - 1)];
  if (a == kNever || b == kNever) return place > static_cast<double>(below) ? b : a;
  return a + Duration{static_cast<std::int64_t>((place - static_cast<double>(below)) * static_cast<double>((b - a).count()))};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Midnight by the log's calendar, else after whole days of its clock.
Time end_of_day(const Workload& workload, Time now) {
  constexpr std::int64_t kDay = 86400;
  const auto clock = trace_clock(workload.header);
  const std::int64_t into = clock ? calendar_date(*clock, now).second_of_day
                                  : now.time_since_epoch() / whole_seconds(1) % kDay;
  return now + whole_seconds(kDay - into);
}

/// Places in the order of starts, from 1; those that start together share the first.
std::vector<double> places_of(const std::vector<Time>& starts) {
  std::vector<Time> sorted = starts;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> places;
  for (const Time t : starts)
    places.push_back(static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), t) - sorted.begin()) + 1);
  return places;
}

std::vector<JobIndex> waiting_jobs(const MachineState& state) {
  std::vector<JobIndex> out;
  for (JobIndex j = 0; j != state.jobs.size(); ++j)
    if (state.jobs[j].as == KnownAs::kWaiting) out.push_back(j);
  return out;
}

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
  RandomStream random = RandomKey(static_cast<std::uint64_t>(options.seed), "forecast").stream(static_cast<std::uint64_t>(run), 3);
  if (options.vary) options.vary(scenario, random);
  InputCache inputs;
  inputs.keep(kTraceName, future.trace);
  const Runner runner(std::move(scenario), {}, &inputs);
  std::optional<StartWatch> watch;
  RunCallbacks callbacks;
  callbacks.print = [](std::string_view) {};
  callbacks.progress = [&](std::size_t, std::size_t) { stop(); };
  callbacks.between = [&](Scheduler& asked) -> Scheduler& { return watch.emplace(asked, future.waiting, out.starts); };
  stop();
  try {
    runner.run(0, callbacks);
  } catch (const AllStarted&) {
  }
  for (Time& t : out.starts) {
    if (t == kNever) continue;
    t += future.shift;
    if (t - state.now > kTooFar) t = kNever;
  }
  return out;
}

Forecast summarize_forecast(const ForecastBase& base, MachineState state, const ForecastOptions& options,
                            const std::vector<ForecastRun>& runs) {
  Forecast out;
  out.options = options;
  const std::vector<JobIndex> waiting = waiting_jobs(state);
  const Time hour = state.now + whole_seconds(3600), midnight = end_of_day(base.workload, state.now);
  std::vector<std::vector<double>> places;
  std::size_t arrivals = 0;
  for (const ForecastRun& run : runs) {
    places.push_back(places_of(run.starts));
    arrivals += run.arrivals;
  }
  const auto part = [&](const std::vector<Time>& sorted, Time until) {
    return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), until) - sorted.begin()) /
           static_cast<double>(sorted.size());
  };
  for (std::size_t i = 0; i != waiting.size(); ++i) {
    std::vector<Time> starts;
    std::vector<double> place;
    for (std::size_t r = 0; r != runs.size(); ++r) {
      starts.push_back(runs[r].starts[i]);
      place.push_back(places[r][i]);
    }
    std::sort(starts.begin(), starts.end());
    const double tail = (1 - options.level) / 2;
    out.jobs.push_back({waiting[i], quantile(starts, 0.5), quantile(starts, tail), quantile(starts, 1 - tail),
                        part(starts, hour), part(starts, midnight), median_of(std::move(place))});
  }
  std::stable_sort(out.jobs.begin(), out.jobs.end(),
                   [](const JobForecast& a, const JobForecast& b) { return a.median < b.median; });
  out.expected = runs.empty() ? 0 : arrivals / runs.size();
  out.history = state.count(KnownAs::kEnded);
  out.state = std::move(state);
  return out;
}

Forecast make_forecast(const ForecastBase& base, MachineState state, const ForecastOptions& options,
                       const PoolOptions& pool) {
  std::vector<ForecastRun> runs(static_cast<std::size_t>(options.runs));
  const auto task = [&](std::size_t i, const Cancel& cancel) {
    runs[i] = forecast_run(base, state, options, static_cast<std::int64_t>(i), [&] {
      if (cancel.requested(i)) throw Cancelled{};
    });
  };
  run_tasks(runs.size(), task, pool);
  return summarize_forecast(base, std::move(state), options, runs);
}

}  // namespace coslice
