// Forecasts: run times that are drawn, days that come again, and how often intervals hold what happens.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "catch.h"
#include "lab/forecast/forecast.h"
#include "lab/forecast/future.h"
#include "lab/forecast/run_times.h"
#include "lab/forecast/snapshot_runs.h"
#include "runner/runner.h"
#include "scenario/input_cache.h"
#include "scratch_folder.h"

namespace forecast_test {

using namespace coslice;

namespace {

constexpr Duration kHour = whole_seconds(3600);

Time after(double hours) { return Time{from_seconds(3600 * hours)}; }

/// Users differ in how much of their limits they use; a tenth of the jobs runs into them. No user means a user like
/// all.
RecordedWorkload made_history(std::uint64_t seed, int count, int nodes, double load) {
  RandomStream random(seed, "forecast test");
  RecordedWorkload out;
  double t = 0;
  for (int i = 0; i < count; ++i) {
    Job job;
    job.id = i + 1;
    job.user = static_cast<std::int32_t>(random.uniform_int(1, 6));
    job.size = 1 << random.uniform_int(0, 4);
    job.limit = kHour * random.uniform_int(1, 8);
    const double usual = 0.15 * job.user, part = std::clamp(usual + random.normal(0, 0.15), 0.01, 0.99);
    job.runtime = random.uniform() < 0.1
                      ? job.limit + kHour
                      : Duration{static_cast<std::int64_t>(part * static_cast<double>(job.limit.count()))};
    job.submit = Time{from_seconds(t)};
    out.workload.jobs.push_back(job);
    const double mean_work = 6.2 * 4.5 * 3600 * 0.57;  // of a job, in seconds of a node
    t += random.exponential(mean_work / (load * nodes));
  }
  out.workload.name = "made";
  return out;
}

Scenario made_scenario(int nodes) {
  Scenario s;
  s.machine = MachineSpec{nodes};
  s.workload.trace = "made.sacct";
  s.policy.names = {"easy"};
  return s;
}

/// A world in which all is known: what a policy made of jobs whose run times were drawn.
struct Truth {
  Truth(std::uint64_t seed, int count, double load) {
    constexpr int kNodes = 32;
    inputs.keep("made.sacct", std::make_shared<const RecordedWorkload>(made_history(seed, count, kNodes, load)));
    runner.emplace(made_scenario(kNodes), std::vector<GivenPolicy>{}, &inputs);
    const PolicyRun run = runner->run(0);
    for (std::size_t j = 0; j != run.result.outcomes.size(); ++j) {
      const Job& job = runner->workload().jobs[j];
      const Time start = run.result.outcomes[j].start;
      record.push_back({start, start + std::min(job.runtime, job.limit), ""});
    }
  }
  ForecastBase base() const { return {runner->scenario(), runner->workload()}; }

  InputCache inputs;
  std::optional<Runner> runner;
  std::vector<JobOnRecord> record;
};

}  // namespace

TEST_CASE("run times are drawn from those of the same user, beyond what a job has run", "[forecast]") {
  RunTimeHistory history;
  for (int i = 0; i < 50; ++i) {
    history.add({1, i, 10 * kHour}, kHour, true);
    history.add({2, i, 10 * kHour}, 8 * kHour, true);
    history.add({3, i, 10 * kHour}, 10 * kHour, true);
  }
  RunTimeDraws draws(history, RandomStream(7, "test"));
  const auto is = [](Duration drawn, Duration usual) { return std::abs(to_seconds(drawn - usual)) < 1; };
  int as_all = 0, own = 0;
  for (int i = 100; i < 150; ++i) {
    own += is(draws.draw({1, i, 20 * kHour}), 2 * kHour) ? 1 : 0;
    own += is(draws.draw({2, i, 20 * kHour}), 16 * kHour) ? 1 : 0;
    own += draws.draw({3, i, 20 * kHour}) > 20 * kHour ? 1 : 0;  // the limit ends it
    CHECK(draws.draw({1, i + 50, 20 * kHour}, 3 * kHour) > 3 * kHour);
    const Duration one = draws.draw({9, i, 20 * kHour});  // not known: as all
    as_all += is(one, 2 * kHour) || is(one, 16 * kHour) || one > 20 * kHour ? 1 : 0;
  }
  CHECK(own > 120);  // of 150: the more of a user have ended, the more are of its own
  CHECK(own < 150);
  CHECK(as_all >= 47);  // but it may be like none of them
}

TEST_CASE("jobs of a batch run alike where such jobs did before", "[forecast]") {
  // Pairs of two alike; what pairs have in common is any part of the limit.
  RunTimeHistory alike, unlike;
  for (int i = 0; i < 200; ++i) {
    const Duration first = kHour * (1 + i % 9), second = kHour * (9 - i % 9);
    for (RunTimeHistory* h : {&alike, &unlike}) {
      h->add({1, i, 10 * kHour}, first, true);
      h->add({1, i, 10 * kHour}, h == &alike ? first : second, true);
    }
  }
  const auto same_in = [](const RunTimeHistory& history) {
    RunTimeDraws draws(history, RandomStream(7, "test"));
    int same = 0;
    for (int i = 1000; i < 1500; ++i) same += draws.draw({1, i, kHour}) == draws.draw({1, i, kHour}) ? 1 : 0;
    return same;
  };
  CHECK(same_in(alike) > 475);
  CHECK(same_in(unlike) < 150);
}

TEST_CASE("where nothing is known, a job goes on in proportion to how long it has run", "[forecast]") {
  const RunTimeHistory none;
  RunTimeDraws draws(none, RandomStream(7, "test"));
  int below = 0;
  for (int i = 0; i < 1000; ++i) {
    const Duration ran = draws.draw({1, i, 100 * kHour}, kHour);
    CHECK(ran > kHour);
    below += ran < 10 * kHour ? 1 : 0;  // the middle of 1 and 100, as logarithms
  }
  CHECK(below > 430);
  CHECK(below < 570);
}

TEST_CASE("jobs that still run count for what they have run", "[forecast]") {
  // Of ten that were begun, five ended at a tenth; five have run for half. Half of new ones are longer than half then.
  RunTimeHistory history;
  for (int i = 0; i < 500; ++i) {
    history.add({1, i, 10 * kHour}, kHour, true);
    history.add({1, i, 10 * kHour}, 5 * kHour, false);
  }
  RunTimeDraws draws(history, RandomStream(7, "test"));
  int longer = 0;
  for (int i = 0; i < 2000; ++i) longer += draws.draw({1, 1000 + i, 10 * kHour}) >= 5 * kHour ? 1 : 0;
  CHECK(longer > 850);
  CHECK(longer < 1150);
}

TEST_CASE("run times follow limits as they do, although the long ones still run", "[forecast]") {
  // A job of 16 hours runs four times as long as one of an hour. The snapshot is early: of long ones few have ended.
  const auto usual = [](int limit) { return 0.8 * std::sqrt(limit); };
  RandomStream random(5, "limits");
  RunTimeHistory history;
  std::vector<int> left(5);
  for (int i = 0; i < 600; ++i) {
    const int power = static_cast<int>(random.uniform_int(0, 4)), limit = 1 << power;
    const double run = usual(limit) * (0.8 + 0.4 * random.uniform()), since = 3.3 * random.uniform();
    history.add({1, i, limit * kHour}, from_seconds(3600 * std::min(run, since)), run <= since);
    left[static_cast<std::size_t>(power)] += run <= since ? 0 : 1;
  }
  REQUIRE(left[4] > 90);
  double power = 0, day = 0, hour = 0;
  for (std::uint64_t world = 0; world < 20; ++world) {
    RunTimeDraws draws(history, RandomStream(world, "test"));
    power += draws.power() / 20;
    for (int i = 0; i < 50; ++i) {
      day += to_seconds(std::min(draws.draw({2, 1000 + i, 16 * kHour}), 16 * kHour)) / 1000 / 3600;
      hour += to_seconds(std::min(draws.draw({2, 2000 + i, kHour}), kHour)) / 1000 / 3600;
    }
  }
  INFO(power << ", " << day << " h, " << hour << " h");
  CHECK(power == Approx(0.5).margin(0.07));
  CHECK(day == Approx(usual(16)).epsilon(0.1));
  CHECK(hour == Approx(usual(1)).epsilon(0.1));
}

TEST_CASE("parts of limits are taken as they are where they are the same for all limits, or limits are equal",
          "[forecast]") {
  RandomStream random(6, "limits");
  RunTimeHistory parts, equal, nothing;
  for (int i = 0; i < 400; ++i) {
    const int limit = 1 << random.uniform_int(0, 4);
    parts.add({1, i, limit * kHour}, from_seconds(3600 * limit * (0.1 + 0.2 * random.uniform())), true);
    equal.add({1, i, 2 * kHour}, from_seconds(3600 * random.uniform()), i % 3 != 0);
  }
  CHECK(RunTimeDraws(parts, RandomStream(1, "test")).power() > 0.9);
  CHECK(RunTimeDraws(equal, RandomStream(1, "test")).power() == 1);
  CHECK(RunTimeDraws(nothing, RandomStream(1, "test")).power() == 1);
}

TEST_CASE("days come again at their times of day", "[forecast]") {
  Workload w;
  for (int day = 0; day < 4; ++day) {
    Job job;
    job.id = day + 1;
    job.submit = after(24 * day + 9);
    w.jobs.push_back(job);
  }
  MachineState state{after(3 * 24 + 12), std::vector<KnownJob>(4)};
  for (KnownJob& known : state.jobs) known.as = KnownAs::kEnded;
  const auto arrivals = draw_arrivals(w, state, after(8 * 24), RandomStream(1, "test"));
  REQUIRE(arrivals.size() == 4);  // of days 4 to 7
  for (std::size_t i = 0; i != arrivals.size(); ++i)
    CHECK(arrivals[i].submit == after(24 * (4.0 + static_cast<double>(i)) + 9));
}

TEST_CASE("jobs come as often as they did, however little is known", "[forecast]") {
  // A job each half minute: for ten minutes, for an hour and a half, for ten hours. As many come in as long a time.
  for (const double minutes : {10.0, 90.0, 600.0}) {
    CAPTURE(minutes);
    Workload w;
    for (int i = 0; i < static_cast<int>(2 * minutes); ++i) {
      Job job;
      job.id = i + 1;
      job.submit = after(i / 120.0);
      w.jobs.push_back(job);
    }
    MachineState state{after(minutes / 60), std::vector<KnownJob>(w.jobs.size())};
    for (KnownJob& known : state.jobs) known.as = KnownAs::kEnded;
    const auto arrivals = draw_arrivals(w, state, after(2 * minutes / 60), RandomStream(1, "test"));
    CHECK(static_cast<double>(arrivals.size()) > 1.7 * minutes);
    CHECK(static_cast<double>(arrivals.size()) < 2.3 * minutes);
    CHECK(std::is_sorted(arrivals.begin(), arrivals.end(),
                         [](const Arrival& a, const Arrival& b) { return a.submit < b.submit; }));
  }
  // Of a single instant nothing is known.
  Workload w;
  w.jobs.resize(3);
  const std::vector<KnownJob> ended(3, {KnownAs::kEnded});
  CHECK(draw_arrivals(w, {Time{}, ended}, after(1), RandomStream(1, "test")).empty());
}

TEST_CASE("a future has what happened, what runs where it is, and nothing that was not known", "[forecast]") {
  const Truth truth(3, 300, 1.0);
  const ForecastBase base = truth.base();
  const Time now = instants_over(base.workload, 3)[1];
  const MachineState state = state_at(now, base.workload, truth.record);
  REQUIRE(state.count(KnownAs::kWaiting) > 0);
  ForecastOptions options;
  options.arrivals = Arrivals::kNone;
  const Future future = draw_future(base, state, options, 0);
  CHECK(future.trace->workload.jobs.size() ==
        state.count(KnownAs::kWaiting) + state.count(KnownAs::kRunning) + state.count(KnownAs::kEnded));
  for (std::size_t i = 0; i != future.trace->workload.jobs.size(); ++i) {
    const Job& job = future.trace->workload.jobs[i];
    const JobOnRecord& said = truth.record[static_cast<std::size_t>(job.id - 1)];
    CHECK(job.submit + future.shift <= now);
    if (future.trace->wait(i) < Duration{0}) continue;
    CHECK(job.submit + future.shift + future.trace->wait(i) == said.start);
    if (said.end > now) CHECK(said.start + job.runtime > now);
  }
  // The same again from the same seed; other runs are other futures.
  const Future again = draw_future(base, state, options, 0), other = draw_future(base, state, options, 1);
  const auto times = [](const Future& f) {
    std::vector<Duration> all;
    for (const Job& job : f.trace->workload.jobs) all.push_back(job.runtime);
    return all;
  };
  CHECK(times(future) == times(again));
  CHECK(times(future) != times(other));
}

TEST_CASE("a job that is sure to start next has a sure forecast", "[forecast]") {
  Truth truth(5, 60, 0.2);
  const ForecastBase base = truth.base();
  // A job that was submitted at this instant, on a machine that is nearly empty.
  const Job& job = base.workload.jobs[40];
  REQUIRE(truth.record[40].start == job.submit);
  MachineState state = state_at(job.submit, base.workload, truth.record);
  state.jobs[40] = {KnownAs::kWaiting, kNever, kNever, "", ""};
  ForecastOptions options;
  options.runs = 20;
  const Forecast f = make_forecast(base, state, options, {2, {}});
  REQUIRE(f.jobs.size() == 1);
  CHECK(f.jobs[0].median == job.submit);
  CHECK(f.jobs[0].high == job.submit);
  CHECK(f.jobs[0].within_hour == 1);
  CHECK(f.jobs[0].position == 1);
}

TEST_CASE("fewer simulations where all of them are more work than the budget", "[forecast]") {
  ForecastOptions wanted;  // 100, and 20 times 20
  const auto chosen = [&](double work) {
    const ForecastOptions o = within_budget(wanted, work);
    return std::array<std::int64_t, 3>{o.runs, o.past, o.past_runs};
  };
  CHECK(chosen(1e6) == std::array<std::int64_t, 3>{100, 20, 20});  // no budget
  wanted.budget = 500e6;
  CHECK(chosen(1e6) == std::array<std::int64_t, 3>{100, 20, 20});
  CHECK(chosen(2.5e6) == std::array<std::int64_t, 3>{100, 12, 8});  // 200 runs
  CHECK(chosen(5e6) == std::array<std::int64_t, 3>{50, 6, 8});
  CHECK(chosen(8e6) == std::array<std::int64_t, 3>{31, 5, 8});      // the least of earlier ones
  CHECK(chosen(12.5e6) == std::array<std::int64_t, 3>{40, 0, 20});  // which is too much
  CHECK(chosen(50e6) == std::array<std::int64_t, 3>{10, 0, 20});
  CHECK(chosen(1e9) == std::array<std::int64_t, 3>{8, 0, 20});
  wanted.runs = wanted.least_runs = 70;
  wanted.past = wanted.least_past = 2;
  CHECK(chosen(1e9) == std::array<std::int64_t, 3>{70, 2, 8});
  wanted.past = 0;
  CHECK(chosen(1e9) == std::array<std::int64_t, 3>{70, 0, 20});
  wanted.runs = 100;
  CHECK(chosen(6.25e6) == std::array<std::int64_t, 3>{80, 0, 20});  // all of the budget is for now
}

TEST_CASE("a machine whose queue grows is simulated up to the horizon, with as many runs as the budget allows",
          "[forecast]") {
  const Truth truth(7, 300, 3.0);
  const ForecastBase base = truth.base();
  const MachineState state = state_at(instants_over(base.workload, 1)[0], base.workload, truth.record);
  REQUIRE(state.count(KnownAs::kWaiting) > 10);
  ForecastOptions options;
  options.past = 0;
  options.runs = 6;
  options.horizon = whole_seconds(14400);
  const auto last_start = [&](const Forecast& f) {
    Time last{};
    for (const JobForecast& said : f.jobs)
      if (said.median != kNever) last = std::max(last, said.median);
    return last;
  };
  const Forecast near = make_forecast(base, state, options, {2, {}});
  CHECK(near.jobs.back().median == kNever);
  CHECK(last_start(near) <= state.now + options.horizon);
  const double work = forecast_run(base, state, options, 0, [] {}).work;
  options.horizon = whole_seconds(86400 * 30);
  const Forecast far = make_forecast(base, state, options, {2, {}});
  CHECK(far.jobs.back().median > state.now + whole_seconds(14400));
  CHECK(forecast_run(base, state, options, 0, [] {}).work > 2 * work);
  // What starts before the horizon is the same, whatever comes after it.
  CHECK(near.jobs.front().median == far.jobs.front().median);

  options.budget = 12 * forecast_run(base, state, options, 0, [] {}).work;
  options.runs = 100;
  options.past = 4;
  options.least_runs = options.least_past = options.least_past_runs = 1;
  const Forecast one = make_forecast(base, state, options, {1, {}}), two = make_forecast(base, state, options, {3, {}});
  CHECK(one.options.runs < 20);
  CHECK(one.options.runs >= 4);
  CHECK(one.options.runs == two.options.runs);
  CHECK(one.options.past == two.options.past);
  for (std::size_t i = 0; i != one.jobs.size(); ++i) CHECK(one.jobs[i].high == two.jobs[i].high);
}

TEST_CASE("a simulation that takes too much looks less far, in all of them alike", "[forecast]") {
  const Truth truth(7, 300, 3.0);
  const ForecastBase base = truth.base();
  const MachineState state = state_at(instants_over(base.workload, 1)[0], base.workload, truth.record);
  ForecastOptions options;
  options.arrivals = Arrivals::kNone;
  options.past = options.least_past = 0;
  options.runs = options.least_runs = 6;
  options.horizon = whole_seconds(86400 * 30);
  const ForecastRun whole = forecast_run(base, state, options, 0, [] {});
  CHECK(whole.reached == kNever);
  options.most_work = whole.work / 2;
  options.budget = options.most_work * 6;
  const ForecastRun part = forecast_run(base, state, options, 0, [] {});
  CHECK(part.reached > state.now);
  CHECK(part.work >= options.most_work);
  CHECK(part.work < whole.work);
  for (std::size_t i = 0; i != part.starts.size(); ++i)
    CHECK(part.starts[i] == (whole.starts[i] < part.reached ? whole.starts[i] : kNever));

  const Forecast one = make_forecast(base, state, options, {1, {}}), two = make_forecast(base, state, options, {3, {}});
  CHECK(one.cut);
  CHECK(one.options.horizon < options.horizon);
  CHECK(one.options.horizon == two.options.horizon);
  for (std::size_t i = 0; i != one.jobs.size(); ++i) {
    CHECK(one.jobs[i].high == two.jobs[i].high);
    CHECK(one.jobs[i].earliest == state.now);
    if (one.corrected_by == 0 && one.jobs[i].low != kNever)
      CHECK(one.jobs[i].low <= later(state.now, one.options.horizon));
  }
  options.most_work = options.budget = 0;
  CHECK_FALSE(make_forecast(base, state, options, {2, {}}).cut);
}

TEST_CASE("where the history alone takes too much, few simulations look further", "[forecast]") {
  const Truth truth(7, 300, 3.0);
  const ForecastBase base = truth.base();
  const MachineState state = state_at(instants_over(base.workload, 1)[0], base.workload, truth.record);
  ForecastOptions options;
  options.arrivals = Arrivals::kNone;
  options.horizon = whole_seconds(86400 * 30);
  options.most_work = 1e9;
  options.budget = 1e12;
  const ForecastRun whole = forecast_run(base, state, options, 0, [] {});
  REQUIRE(whole.reached == kNever);
  REQUIRE(whole.history > 0);
  // 20 simulations of now and 40 of earlier instants do not fit. Each of 8 may take half of what one takes beyond its
  // history.
  options.most_work = whole.history / 2;
  const double half = whole.history + (whole.work - whole.history) / 2;
  options.budget = half * 8;
  const ForecastRun few = forecast_run(base, state, options, 0, [] {});
  CHECK(few.reached > state.now);
  CHECK(few.work >= half);
  CHECK(few.work < whole.work);
  const Forecast made = make_forecast(base, state, options, {1, {}});
  CHECK(made.options.runs == 8);
  CHECK(made.options.past == 0);
  // Where so many earlier instants are asked for, there is no more for a simulation.
  options.past = options.least_past = 5;
  const Time near = forecast_run(base, state, options, 0, [] {}).reached;
  CHECK(near < few.reached);
  CHECK(made.options.horizon > near - state.now);
}

TEST_CASE("what scripts do in a pass counts as work, by its instructions", "[forecast]") {
  const Truth truth(7, 100, 1.0);
  const MachineState state = state_at(instants_over(truth.base().workload, 1)[0], truth.base().workload, truth.record);
  REQUIRE(state.count(KnownAs::kWaiting) > 0);
  const ScratchFolder folder;
  const auto work = [&](int turns, bool trusted) {
    folder.write("loops.lua", "return { api = 1, name = 'loops', version = '1', schedule = function(view)\n"
                              "  for i = 1, " +
                                  std::to_string(turns) +
                                  " do end\n"
                                  "  for job in view:waiting() do\n"
                                  "    if not view:fits(job) then break end\n"
                                  "    view:start(job)\n"
                                  "  end\n"
                                  "end }\n");
    Scenario scenario = truth.runner->scenario();
    scenario.policy.names = {folder / "loops.lua"};
    scenario.limits.trusted = trusted;
    return forecast_run({scenario, truth.runner->workload()}, state, {}, 0, [] {}).work;
  };
  CHECK(work(100'000, false) > 5 * work(100, false));
  CHECK(work(100'000, false) == work(100'000, false));
  CHECK(work(100'000, true) == work(100, true));  // nobody counts them: each pass takes what it usually does
}

TEST_CASE("what is left is known by work, not by numbers of runs", "[forecast]") {
  const Truth truth(7, 300, 3.0);
  const ForecastBase base = truth.base();
  const std::vector<Time> instants = instants_over(base.workload, 3);
  ForecastOptions options;
  const ForecastPool pool{2, {}};
  SnapshotRuns runs(base, pool);
  for (const Time t : {instants.front(), instants.back()})
    runs.add(state_at(t, base.workload, truth.record), options, 2);
  CHECK(runs.progress().share == 0);
  runs.make();
  CHECK(runs.progress().share == 1);
  const auto mean_work = [&](std::size_t i) { return (runs.runs(i)[0].work + runs.runs(i)[1].work) / 2; };
  const double one = mean_work(0), other = mean_work(1);
  CHECK(std::abs(one / other - 1) > 0.2);
  runs.want(1, options, 10);
  const ForecastProgress p = runs.progress();
  CHECK(p.done == 4);
  CHECK(p.total == 12);
  CHECK(p.share == Approx((2 * one + 2 * other) / (2 * one + 10 * other)));
}

namespace {

/// Of how many starts 80 % intervals hold, at so many instants of the histories of these seeds.
void check_calibration(const std::vector<std::uint64_t>& seeds, int instants, int runs) {
  Calibration sum;
  double simulated = 0, corrected = 0;
  for (const std::uint64_t seed : seeds) {
    const Truth truth(seed, 1500, 0.9);
    ForecastOptions options;
    options.runs = runs;
    options.seed = 1000 * static_cast<std::int64_t>(seed);
    const Calibration c =
        calibrate(truth.base(), truth.record, instants_over(truth.base().workload, instants), options, {2, {}});
    REQUIRE(c.held_at.size() == 3);
    REQUIRE(c.curve.size() == 19);
    CHECK(c.curve[15].share == Approx(0.8));
    CHECK(c.curve[15].simulated == c.held_at[1].simulated);
    CHECK(c.curve[15].corrected == c.held_at[1].corrected);
    simulated += c.held_at[1].simulated / static_cast<double>(seeds.size());
    corrected += c.held_at[1].corrected / static_cast<double>(seeds.size());
    sum.all.jobs += c.all.jobs;
    sum.all.held += c.all.held;
    sum.all.early += c.all.early;
    sum.all.late += c.all.late;
  }
  const double held = static_cast<double>(sum.all.held) / static_cast<double>(sum.all.jobs);
  INFO(simulated << " simulated, " << corrected << " corrected");
  INFO(sum.all.jobs << " jobs, " << sum.all.held << " held, " << sum.all.early << " early, " << sum.all.late
                    << " late");
  CHECK(sum.all.jobs > 100);
  CHECK(held > 0.75);
  CHECK(held < 0.85);
}

}  // namespace

TEST_CASE("80 % intervals hold 75 to 85 % of the starts", "[forecast]") { check_calibration({1, 3}, 24, 20); }

TEST_CASE("80 % intervals hold 75 to 85 % of the starts, at length", "[.][at_length][forecast]") {
  check_calibration({1, 2, 3}, 60, 30);
}

}  // namespace forecast_test
