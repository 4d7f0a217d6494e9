// How earlier forecasts correct one.
#include <functional>

#include "catch.h"

#include "lab/forecast/past_forecasts.h"

namespace past_forecasts_test {

using namespace coslice;

namespace {

constexpr Duration kMinute = whole_seconds(60);

Time minute_at(double m) { return Time{from_seconds(60 * m)}; }

/// A forecast each hour of one job that was said to start in 100 min (90 to 110), and does in `truly`.
struct Hourly {
  std::vector<PastForecast> past;
  MachineState known;
  std::size_t instants = 0;  ///< by which it was corrected

  Hourly(int hours, double truly) : Hourly(hours, [truly](int) { return truly; }) {}

  Hourly(int hours, const std::function<double(int)>& truly) {
    known.now = minute_at(60 * hours);
    for (int i = 0; i != hours; ++i) {
      PastForecast f{minute_at(60 * i), {}};
      std::vector<Time> at(quantile_levels(0.8).size(), f.now + 100 * kMinute);
      at[0] = f.now + 90 * kMinute;
      at[2] = f.now + 110 * kMinute;
      f.jobs.push_back({static_cast<JobIndex>(i), at});
      past.push_back(f);
      const Time start = minute_at(60 * i + truly(i));
      KnownJob job;
      job.as = start <= known.now ? KnownAs::kRunning : KnownAs::kWaiting;
      if (start <= known.now) job.start = start;
      known.jobs.push_back(job);
    }
  }

  std::vector<Time> corrected() {
    Correction correction(past, known, quantile_levels(0.8));
    instants = correction.instants();
    std::vector<Time> at = past.front().jobs.front().at;
    for (Time& t : at) t = known.now + (t - past.front().now);
    correction.apply(known.now, at);
    return at;
  }
};

}  // namespace

TEST_CASE("an earlier instant is simulated three times as far as its jobs are known to have waited", "[forecast]") {
  MachineState known{minute_at(600), std::vector<KnownJob>(3)};
  known.jobs[0] = {KnownAs::kRunning, minute_at(130)};
  known.jobs[1] = {KnownAs::kEnded, minute_at(20), minute_at(90)};
  known.jobs[2] = {KnownAs::kWaiting};
  Workload workload;
  workload.jobs.resize(3);
  workload.jobs[2].submit = minute_at(500);
  const auto horizon = [&](double minute) {
    return horizon_before(state_before(known, minute_at(minute), workload), known, whole_seconds(86400));
  };
  CHECK(horizon(100) == whole_seconds(60 * (3 * 30 + 60)));  // job 0 waits, and started half an hour later
  CHECK(horizon(0) == whole_seconds(60 * (3 * 130 + 60)));
  CHECK(horizon(550) == whole_seconds(60 * (3 * 50 + 60)));  // job 2 waits still
  CHECK(horizon(300) == whole_seconds(3600));                // none waits
  known.now = minute_at(6000);
  CHECK(horizon(550) == whole_seconds(86400));
  const PastForecast said = within_horizon({minute_at(10), {{0, {minute_at(20), kNever}}}}, whole_seconds(3600));
  CHECK(said.jobs[0].at == std::vector<Time>{minute_at(20), minute_at(70)});
}

TEST_CASE("a forecast is corrected by as much as earlier ones were wrong", "[forecast]") {
  Hourly late(1000, 200);
  const std::vector<Time> at = late.corrected();
  for (std::size_t l = 0; l != 3; ++l) {  // nearly all of the way: the history is 300 times as long as jobs wait
    CHECK(to_seconds(at[l] - late.known.now) > 60 * 190);
    CHECK(to_seconds(at[l] - late.known.now) < 60 * 205);
  }
  CHECK(late.instants == 1000);
  Hourly right(1000, 100);
  CHECK(to_seconds(right.corrected()[1] - right.known.now) == Approx(60 * 100));
}

TEST_CASE("jobs that still wait count for what they have waited", "[forecast]") {
  // Of those that have not started after 30 min nothing follows but that they are later; left out, all would be early.
  Hourly mixed(1000, 200);
  for (std::size_t i = 0; i != mixed.past.size(); i += 2) {
    mixed.known.jobs[i].as = KnownAs::kRunning;
    mixed.known.jobs[i].start = mixed.past[i].now + 50 * kMinute;
  }
  const std::vector<Time> half = mixed.corrected();
  CHECK(to_seconds(half[0] - mixed.known.now) < 60 * 55);
  CHECK(to_seconds(half[2] - mixed.known.now) > 60 * 190);
}

TEST_CASE("a history that is as short as jobs wait corrects nothing", "[forecast]") {
  Hourly late(3, 1000);
  CHECK(to_seconds(late.corrected()[1] - late.known.now) == 60 * 100);
  CHECK(late.instants == 0);
}

TEST_CASE("whether earlier instants can correct anything is known before they are simulated", "[forecast]") {
  for (const int hours : {3, 16, 18, 40, 200}) {
    Hourly late(hours, 1000);  // minutes: 16.7 h, and most of the first 30 instants have jobs that wait still
    std::vector<MachineState> then;
    for (const PastForecast& f : late.past) {
      then.push_back({f.now, std::vector<KnownJob>(late.known.jobs.size())});
      then.back().jobs[f.jobs.front().job].as = KnownAs::kWaiting;
    }
    Correction correction(late.past, late.known, quantile_levels(0.8));
    CAPTURE(hours);
    CHECK(may_correct(then, late.known) == (hours > 30));
    if (!may_correct(then, late.known)) CHECK(correction.instants() == 0);
  }
  CHECK_FALSE(may_correct({}, MachineState{}));
}

TEST_CASE("what would have made earlier forecasts worse corrects none", "[forecast]") {
  // Too late for three hours, then too early for three: by the time this is known it is wrong.
  Hourly swaying(24, [](int hour) { return hour / 3 % 2 == 0 ? 50 : 200; });
  const std::vector<Time> at = swaying.corrected();
  CHECK(swaying.instants == 0);
  CHECK(to_seconds(at[0] - swaying.known.now) == 60 * 90);
  CHECK(to_seconds(at[1] - swaying.known.now) == 60 * 100);
  CHECK(to_seconds(at[2] - swaying.known.now) == 60 * 110);
}

TEST_CASE("what was known earlier", "[forecast]") {
  Workload w;
  for (int i = 0; i != 4; ++i) {
    Job job;
    job.id = i + 1;
    job.submit = minute_at(10 * i);
    w.jobs.push_back(job);
  }
  MachineState now{minute_at(100), std::vector<KnownJob>(4)};
  now.jobs[0] = {KnownAs::kEnded, minute_at(5), minute_at(12), "n1", ""};
  now.jobs[1] = {KnownAs::kRunning, minute_at(60), kNever, "n2", ""};
  now.jobs[2] = {KnownAs::kHeld, kNever, kNever, "", "JobHeldUser"};
  now.jobs[3].as = KnownAs::kWaiting;
  const MachineState first = state_before(now, minute_at(11), w), then = state_before(now, minute_at(35), w);
  CHECK(first.jobs[0].as == KnownAs::kRunning);
  CHECK(first.jobs[1].as == KnownAs::kWaiting);
  CHECK(first.jobs[3].as == KnownAs::kNotYet);
  CHECK(then.jobs[0].as == KnownAs::kEnded);
  CHECK(then.jobs[1].start == kNever);
  CHECK(then.jobs[2].as == KnownAs::kNotYet);
  CHECK(then.jobs[3].as == KnownAs::kWaiting);
  CHECK(instants_before(now, w, 4, whole_seconds(86400)).size() == 4);
  now.jobs[0].start = w.jobs[0].submit;  // no ended job has waited
  CHECK(instants_before(now, w, 4, whole_seconds(86400)).empty());
}

}  // namespace past_forecasts_test
