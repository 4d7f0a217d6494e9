// Small scenes of processes that share processors, by hand and at random.
#pragma once

#include <memory>
#include <vector>

#include "core/random.h"
#include "fcs_policies.h"

namespace coslice::fcs {

inline NodeRanges nodes(NodeId first, NodeId last) {
  NodeRanges all;
  all.append(first, last);
  return all;
}

inline Time s(double seconds) { return Time{ms(1000 * seconds)}; }

struct Scene {
  std::int32_t processors = 4;
  std::vector<Program> programs;
  std::vector<ProcessJob> jobs;
};

inline constexpr int kPolicies = 6;

inline std::unique_ptr<Coscheduler> policy(int which, std::int32_t rows, const Costs& costs) {
  if (which == 0) return std::make_unique<Batch>();
  if (which == 1) return std::make_unique<Gang>(rows, costs);
  if (which == 2) return std::make_unique<SpinBlock>(rows, costs);
  Costs c = costs;
  c.gaps = which != 4;
  c.gaps_yield = which == 5;
  return std::make_unique<Fcs>(rows, c);
}

inline Program program(std::vector<Duration> compute, Pattern pattern, double jitter = 0) {
  Program p;
  p.compute = std::move(compute);
  p.pattern = pattern;
  p.jitter = jitter;
  return p;
}

inline ProcessJob job(std::int32_t size, std::int32_t which, std::int64_t iterations, Duration submit = Duration{0}) {
  return {Time{submit}, size, which, iterations, whole_seconds(1)};
}

inline Scene random_scene(RandomStream& random) {
  Scene s;
  s.processors = static_cast<std::int32_t>(random.uniform_int(1, 6));
  const Pattern patterns[] = {Pattern::kNone, Pattern::kRing, Pattern::kBarrier};
  for (int i = 0; i < 3; ++i) {
    std::vector<Duration> loads;
    for (std::int64_t n = random.uniform_int(1, 4); n > 0; --n)
      loads.push_back(us(static_cast<double>(random.uniform_int(1, 4000))));
    Program p = program(loads, patterns[random.uniform_int(0, 2)], random.uniform() < 0.5 ? 0 : random.uniform(0, 0.2));
    p.communication.latency = us(static_cast<double>(random.uniform_int(1, 400)));
    if (p.pattern == Pattern::kBarrier && random.uniform() < 0.5) {
      p.moving = random.uniform(0, 0.5);
      p.moving_iterations = random.uniform_int(1, 20);
    }
    p.slot_refill = us(static_cast<double>(random.uniform_int(0, 200)));
    s.programs.push_back(p);
  }
  Duration submit{0};
  for (std::int64_t n = random.uniform_int(1, 7); n > 0; --n) {
    s.jobs.push_back(job(static_cast<std::int32_t>(random.uniform_int(1, s.processors)),
                         static_cast<std::int32_t>(random.uniform_int(0, 2)), random.uniform_int(1, 3000), submit));
    if (random.uniform() < 0.6) submit += us(static_cast<double>(random.uniform_int(0, 2'000'000)));
  }
  return s;
}

}  // namespace coslice::fcs
