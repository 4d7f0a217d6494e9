// Settled phases by measured rates, against the events: how long it takes and how far off it is.
#include "catch.h"

#include <cmath>
#include <memory>

#include "core/portable_math.h"
#include "core/random.h"
#include "fcs_policies.h"

namespace extrapolation_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

struct Scene {
  std::int32_t processors = 16;
  std::vector<Program> programs;
  std::vector<ProcessJob> jobs;
};

struct Run {
  std::vector<double> ends;  ///< s
  double makespan = 0, mean_response = 0;
  ProcessRecord record;
};

Run simulate(const Scene& scene, Coscheduler& coscheduler, ProcessPath path) {
  ProcessSimulationOptions options;
  options.path = path;
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, coscheduler, options);
  simulation.run();
  Run run;
  for (std::size_t j = 0; j < scene.jobs.size(); ++j) {
    REQUIRE(simulation.ends()[j] != kNever);
    run.ends.push_back(to_seconds(simulation.ends()[j] - Time{}));
    run.makespan = std::max(run.makespan, run.ends.back());
    run.mean_response +=
        to_seconds(simulation.ends()[j] - scene.jobs[j].submit) / static_cast<double>(scene.jobs.size());
  }
  for (ProcessId p = 0; p < simulation.processors().processes(); ++p) {
    const Process& process = simulation.processors().process(p);
    CHECK(process.phase == ProcessPhase::kDone);
    CHECK(process.iteration == (process.pattern == Pattern::kNone ? 0 : process.iterations));
  }
  run.record = simulation.record();
  return run;
}

/// Loads alternate by four ranks.
Program alternating(double even, double odd, Pattern pattern = Pattern::kRing) {
  Program p;
  p.pattern = pattern;
  p.compute.assign(4, us(even));
  p.compute.insert(p.compute.end(), 4, us(odd));
  return p;
}

/// Tables 3 to 6 of Frachtenberg et al. 2005, on fewer processors.
Scene table(int number, std::int32_t processors) {
  Scene s;
  s.processors = processors;
  s.programs = {alternating(1000, 1000), alternating(1000, 2060), alternating(2060, 1000),
                alternating(1060, 0, Pattern::kNone), alternating(1000, 3120)};
  const auto add = [&](std::int32_t program, double seconds) {
    const Duration alone = ms(1000 * seconds);
    s.jobs.push_back({Time{}, processors, program,
                      iterations_for(s.programs[static_cast<std::size_t>(program)], processors, alone), alone});
  };
  if (number == 3) add(0, 60), add(0, 60);
  if (number == 4 || number == 6) add(1, 120), add(2, 120);
  if (number == 5) add(3, 60), add(3, 60), add(4, 180);
  if (number == 6) add(0, 60);
  return s;
}

/// Jobs of a millisecond's granularity, balanced or not, that arrive one after the other. Under an overload (gaps of up
/// to 25 s) a tenth of a second decides which goes first, and other jitter does as much as any error here.
Scene arriving(int jobs, double longest_gap) {
  RandomStream random(5, "arriving");
  Scene s;
  s.processors = 8;
  Duration submit{0};
  for (int i = 0; i < jobs; ++i) {
    const auto size = static_cast<std::int32_t>(std::int64_t{1} << random.uniform_int(0, 3));
    const double seconds = random.uniform(5, 60);
    Program p = alternating(1000, random.uniform() < 0.5 ? 1000 : 2000);
    if (random.uniform() < 0.25) p.pattern = Pattern::kNone;
    s.programs.push_back(p);
    s.jobs.push_back({Time{submit}, size, i, iterations_for(p, size, ms(1000 * seconds)), ms(1000 * seconds)});
    submit += ms(1000 * random.uniform(0, longest_gap));
  }
  return s;
}

std::unique_ptr<Coscheduler> policy(int which, std::int32_t rows) {
  if (which == 0) return std::make_unique<Gang>(rows, Costs{});
  if (which == 1) return std::make_unique<SpinBlock>(rows, Costs{});
  return std::make_unique<Fcs>(rows, Costs{});
}

/// Beside the closed form, with 50 jobs that arrive.
void compare_arriving(int which, double longest_gap) {
  CAPTURE(which, longest_gap);
  const Scene scene = arriving(50, longest_gap);
  const Run exact = simulate(scene, *policy(which, 6), ProcessPath::kClosed);
  const Run fast = simulate(scene, *policy(which, 6), ProcessPath::kFast);
  const double bound = to_seconds(fast.record.error_bound);
  CHECK(bound < 0.01 * fast.makespan);
  CHECK(std::abs(fast.makespan - exact.makespan) <= bound);
  CHECK(std::abs(fast.mean_response - exact.mean_response) <= bound);
  CHECK(fast.mean_response == Approx(exact.mean_response).epsilon(0.01));
  if (which > 0) CHECK(fast.record.extrapolations > 0);
}

}  // namespace

TEST_CASE("measured rates stay within the bound that they state: Tables 3 to 6", "[process]") {
  for (int number = 3; number <= 6; ++number) {
    const Scene scene = table(number, 16);
    for (int which = 0; which < 3; ++which) {
      CAPTURE(number, which);
      const auto rows = static_cast<std::int32_t>(scene.jobs.size());
      const Run exact = simulate(scene, *policy(which, rows), ProcessPath::kClosed);
      const Run fast = simulate(scene, *policy(which, rows), ProcessPath::kFast);
      const double bound = to_seconds(fast.record.error_bound);
      CHECK(bound < 0.01 * fast.makespan);
      for (std::size_t j = 0; j < scene.jobs.size(); ++j) CHECK(std::abs(fast.ends[j] - exact.ends[j]) <= bound);
      CHECK(fast.record.last_class == exact.record.last_class);
      const ProcessAccount &a = fast.record.account, &b = exact.record.account;
      CHECK(to_seconds(a.computing) == Approx(to_seconds(b.computing)).epsilon(0.001));
      CHECK(to_seconds(a.polling) == Approx(to_seconds(b.polling)).epsilon(0.02).margin(1));
      CHECK(to_seconds(a.switching) == Approx(to_seconds(b.switching)).epsilon(0.02).margin(1));
      CHECK(to_seconds(a.blocked) == Approx(to_seconds(b.blocked)).epsilon(0.02).margin(16 * bound));
      if (b.events > 5'000'000) CHECK(a.events < b.events / 2);  // where there is something to gain
    }
  }
}

TEST_CASE("measured rates stay within their bound when 50 jobs arrive", "[process]") {
  for (const auto& [which, longest_gap] : {std::pair{0, 40.0}, {1, 40.0}, {2, 30.0}, {2, 60.0}})
    compare_arriving(which, longest_gap);
}

TEST_CASE("measured rates stay within their bound when 50 jobs arrive, at length", "[.][at_length][process]") {
  for (const auto& [which, longest_gap] : {std::pair{1, 30.0}, {1, 60.0}, {2, 40.0}})
    compare_arriving(which, longest_gap);
}

TEST_CASE("no class is skipped over, not even one that a policy counts slots for", "[process]") {
  // Every 50th slot of its own a process goes to the other class.
  class Flips : public Fcs {
   public:
    using Fcs::Fcs;
    Classification classify(const ProcessFacts& p) override {
      return {static_cast<ClassId>(p.slots / 50 % 2 == 0 ? kCs : kDc), false};
    }
  };
  const Scene scene = table(3, 8);
  Flips exact_policy(2, Costs{}), fast_policy(2, Costs{});
  const Run exact = simulate(scene, exact_policy, ProcessPath::kClosed),
            fast = simulate(scene, fast_policy, ProcessPath::kFast);
  CHECK(fast.record.extrapolations > 0);
  const std::vector<ClassChange>&a = fast.record.changes, &b = exact.record.changes;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].time == b[i].time);
}

}  // namespace extrapolation_test
