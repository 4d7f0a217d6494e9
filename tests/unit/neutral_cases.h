// Workloads that fill a machine, for each kind of policy: about a tenth more work than it can do.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "core/random.h"
#include "lab/check/case.h"

namespace coslice::test {

/// A policy that comes with coslice, and on what it runs.
struct Bench {
  std::string policy;
  check::Kind kind;
  bool gpus = false;    ///< its machines have GPUs
  bool slices = false;  ///< and these can be divided
};

inline Bench bench_of(const std::string& name) {
  const FoundPolicy found = find_policy(name);
  PolicyContext context;
  context.roots = found.roots;
  context.print = [](std::string_view) {};
  const Policy policy(found.script, Value::table(), context, true);
  Bench b;
  b.policy = name;
  b.kind.sliced = policy.slices().has_value();
  b.kind.shared = policy.sharing().has_value();
  b.kind.coscheduled = policy.coscheduling().has_value();
  b.kind.placed = policy.placement().has_value();
  b.gpus = name.compare(0, 4, "gpu_") == 0 || name == "fgd";
  b.slices = name == "gpu_mig";
  return b;
}

class NeutralCase {
 public:
  NeutralCase(const Bench& bench, std::uint64_t seed) : bench_(bench), random_(RandomKey(seed, "neutral").stream(0)) {}

  check::Case draw() {
    draw_machine();
    const std::int64_t jobs = bench_.kind.coscheduled ? 8 : between(60, 120);
    double work = 0;
    for (std::int64_t i = 0; i != jobs; ++i) {
      c_.jobs.push_back(draw_job());
      work += static_cast<double>(c_.jobs.back().nodes * c_.jobs.back().runtime);
    }
    constexpr double kLoad = 1.1;
    const double room = static_cast<double>(c_.nodes) * (bench_.gpus ? 2 : 1);
    const auto span = static_cast<std::int64_t>(work / room / kLoad);
    std::vector<std::int64_t> times;
    for (std::int64_t i = 0; i != jobs; ++i) times.push_back(i > 0 && one_in(5) ? times.back() : between(0, span));
    std::sort(times.begin(), times.end());
    for (std::size_t i = 0; i != times.size(); ++i) c_.jobs[i].submit = times[i];
    return c_;
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) { return random_.uniform_int(low, high); }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

  void draw_machine() {
    c_.nodes = bench_.kind.coscheduled ? 4 : std::int64_t{1} << between(4, 6);
    if (bench_.kind.shared) c_.shared = c_.extends = true, c_.cores = 2, c_.one_process = true;
    if (bench_.kind.coscheduled) c_.processors = 4;
    if (!bench_.gpus) return;
    for (const std::int64_t id : {1, 2}) {
      check::SmallKind kind;
      kind.id = id;
      kind.count = 4;
      kind.cores = 8;
      kind.gpus = id == 1 ? 4 : 2;
      if (bench_.slices) kind.slices = 7;
      c_.kinds.push_back(kind);
    }
    c_.nodes = 8;
  }

  check::SmallJob draw_job() {
    check::SmallJob job;
    const std::int64_t nodes = c_.nodes;
    job.nodes = bench_.gpus ? 1 : one_in(3) ? between(1, nodes) : std::int64_t{1} << between(0, 3);
    job.nodes = std::min(job.nodes, nodes);
    job.runtime = bench_.kind.coscheduled ? between(5, 20)
                                          : (std::int64_t{1} << between(3, 14)) + (one_in(2) ? 0 : between(0, 60));
    const std::int64_t factors[] = {1, 2, 3, 7};
    job.limit = job.runtime * factors[between(0, 3)] + (one_in(2) ? 0 : 60);
    if (one_in(15)) job.limit = std::max<std::int64_t>(1, job.runtime / 2);
    const auto say = [&](const char* key, std::int64_t n) { job.said.emplace_back(key, n); };
    say("user", between(1, 8));
    say("group", between(1, 3));
    say("executable", between(1, 4));
    say("queue", one_in(5) ? 1 : 0);
    if (bench_.kind.shared) {
      const std::int64_t cpu = between(0, 10), network = between(0, 10 - cpu);
      job.uses = {cpu, network, 10 - cpu - network};
      job.memory_tenths = between(0, 10);
    }
    if (bench_.kind.coscheduled) job.program = one_in(2) ? "fine" : "coarse";
    if (!bench_.gpus) return job;
    const double shares[] = {0.1, 0.25, 0.4};
    if (bench_.slices) job.asks.emplace_back("gpu_share", shares[between(0, 2)]);
    else job.asks.emplace_back("gpus", between(1, 2));
    job.asks.emplace_back("cores", 1);
    return job;
  }

  Bench bench_;
  RandomStream random_;
  check::Case c_;
};

}  // namespace coslice::test
