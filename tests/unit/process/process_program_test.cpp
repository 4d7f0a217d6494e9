// The steady period of a program, against the simulation of its messages.
#include "catch.h"

#include "core/random.h"
#include "fcs_policies.h"

namespace process_program_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

Program program(std::vector<Duration> compute, Pattern pattern = Pattern::kRing) {
  Program p;
  p.compute = std::move(compute);
  p.pattern = pattern;
  p.jitter = 0;
  return p;
}

Ns alone(const Program& program, std::int32_t size, std::int64_t iterations) {
  Batch batch;
  const std::vector<Program> programs = {program};
  const std::vector<ProcessJob> jobs = {{Time{}, size, 0, iterations, ms(1)}};
  ProcessSimulationOptions options;
  options.path = ProcessPath::kExact;
  ProcessSimulation simulation(size, programs, jobs, batch, options);
  simulation.run();
  return simulation.ends()[0].time_since_epoch().count();
}

}  // namespace

TEST_CASE("the paper's building block takes 60.00 s alone", "[process]") {
  const Program block = program({ms(1)});
  CHECK(isolated_period(block, 128) == 1'060'000);
  const std::int64_t n = iterations_for(block, 128, whole_seconds(60));
  CHECK(n == 56'604);
  CHECK(alone(block, 8, n) == 60'000'240'000);
}

TEST_CASE("lambda is the period that messages find by themselves", "[process]") {
  RandomStream random(7, "lambda");
  for (int round = 0; round < 60; ++round) {
    const auto size = static_cast<std::int32_t>(random.uniform_int(1, 9));
    std::vector<Duration> loads;
    for (std::int32_t i = 0; i < size; ++i) loads.push_back(us(static_cast<double>(random.uniform_int(0, 3000))));
    Program p = program(loads, round % 3 == 0 ? Pattern::kBarrier : Pattern::kRing);
    p.communication.latency = us(static_cast<double>(random.uniform_int(1, 900)));
    const std::int64_t first = 500, then = 4500;
    const double measured =
        static_cast<double>(alone(p, size, then) - alone(p, size, first)) / static_cast<double>(then - first);
    CAPTURE(round, size);
    CHECK(measured == Approx(isolated_period(p, size)).epsilon(1e-9));
  }
}

TEST_CASE("where imbalance moves, the period is that of the slowest of the moment", "[process]") {
  // One process alone: the mean of its loads. Two of equal loads: the longer of two draws, 1 + 0.2 / 3 in the mean.
  Program p = program({ms(1)}, Pattern::kBarrier);
  p.moving = 0.2;
  const double costs = 60'000;
  CHECK(isolated_period(p, 1) == Approx(1e6 + costs).epsilon(1e-6));
  CHECK(isolated_period(p, 2) == Approx(1e6 * (1 + 0.2 / 3) + costs).epsilon(1e-6));
  for (const std::int32_t size : {1, 2, 7, 40}) {
    p.compute = {ms(1), us(700), us(1200)};
    p.polling = {us(300)};
    for (const std::int64_t stays : {std::int64_t{1}, std::int64_t{5}}) {
      p.moving_iterations = stays;
      CAPTURE(size, stays);
      const double measured = static_cast<double>(alone(p, size, 21'000) - alone(p, size, 1'000)) / 20'000;
      CHECK(measured == Approx(isolated_period(p, size)).epsilon(0.005));
    }
  }
}

TEST_CASE("work without communication ends with its slowest process", "[process]") {
  const Program p = program({us(300), us(700)}, Pattern::kNone);
  CHECK(isolated_period(p, 4) == 700'000);
  CHECK(alone(p, 4, 100) == 70'000'000);
}

TEST_CASE("programs that cannot be are refused", "[process]") {
  CHECK_THROWS(check_program(program({})));
  CHECK_THROWS(check_program(program({us(-1)})));
  CHECK_THROWS(check_program(program({us(0)}, Pattern::kNone)));
  Program p = program({us(1)});
  p.communication.latency = Duration{0};
  CHECK_THROWS(check_program(p));
  CHECK_NOTHROW(check_program(program({us(0)})));
  p = program({us(1)});
  p.moving = 0.1;
  CHECK_THROWS_WITH(check_program(p), "an imbalance that moves needs a barrier");
  p.pattern = Pattern::kBarrier;
  CHECK_NOTHROW(check_program(p));
  p.moving_iterations = 0;
  CHECK_THROWS(check_program(p));
  p.moving_iterations = 1;
  p.moving = 0.6;
  CHECK_THROWS(check_program(p));
}

}  // namespace process_program_test
