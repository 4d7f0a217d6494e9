// What jobs that interfere come to, written anew from the rules in words: every interval between two events
// is added up.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "resource_cases.h"
#include "schedule/observer.h"
#include "sharing/contention.h"

namespace coslice::twin {

/// Draws a factor for each ordered pair.
class HashedSlowdowns : public SlowdownModel {
 public:
  explicit HashedSlowdowns(std::uint64_t seed) : key_(seed, "contention") {}
  double over_processors(JobIndex j) const override { return 1 + key_.uniform(j, 1'000'001); }
  double over_cores(JobIndex j) const override { return 1 + key_.uniform(j, 1'000'002); }
  double beside(JobIndex j, JobIndex other) const override { return 0.9 + 1.5 * key_.uniform(j, other); }

 private:
  RandomKey key_;
};

struct Life {
  struct Run {
    Time from, to;
  };
  std::vector<Run> runs;  ///< while it makes progress
  bool killed = false;
  Parts parts;
  Duration written{0};  ///< work added because its memory was written out

  bool runs_at(Time t) const {
    return std::any_of(runs.begin(), runs.end(), [&](const Run& r) { return r.from <= t && t < r.to; });
  }
};

/// Where and when each job ran.
class Lives : public Observer {
 public:
  explicit Lives(std::size_t jobs) : lives(jobs), since_(jobs, kNever) {}
  void placed(Time, JobIndex j, const Parts& parts, std::int32_t) override { lives[j].parts = parts; }
  void started(Time t, JobIndex j, const NodeRanges&) override { since_[j] = t; }
  void resumed(Time t, JobIndex j, const NodeRanges&) override { since_[j] = t; }
  void loading(Time, JobIndex j, Duration) override { since_[j] = kNever; }
  void loaded(Time t, JobIndex j) override { since_[j] = t; }
  void swapped_out(Time, JobIndex j, Duration time) override { lives[j].written += time; }
  void preempted(Time t, JobIndex j) override { stop(t, j); }
  void ended(Time t, JobIndex j, const NodeRanges&, bool killed) override {
    stop(t, j);
    lives[j].killed = killed;
  }
  std::vector<Life> lives;

 private:
  void stop(Time t, JobIndex j) {
    if (since_[j] != kNever) lives[j].runs.push_back({since_[j], t});
    since_[j] = kNever;
  }
  std::vector<Time> since_;
};

/// What the jobs on a node, or on a GPU of it, do to this one.
inline double together(const ContentionOptions& o, const std::vector<Life>& lives, JobIndex j,
                       const std::vector<JobIndex>& there, const NodePart& where) {
  using Combine = ContentionOptions::Combine;
  std::vector<double> factors;
  for (const JobIndex other : there) {
    for (const NodePart& theirs : lives[other].parts) {
      if (other == j || theirs.node != where.node) continue;
      if (o.among == ContentionOptions::Among::kGpu && (theirs.gpus & where.gpus) == 0) continue;
      factors.push_back(o.slowdowns->beside(j, other));
    }
  }
  double all = 1;
  if (o.combine == Combine::kProduct)
    for (const double f : factors) all *= f;
  if (o.combine == Combine::kSum)
    for (const double f : factors) all += f - 1;
  if (o.combine == Combine::kWorst && !factors.empty()) all = *std::max_element(factors.begin(), factors.end());
  return all;
}

/// By how much the job is slowed down while exactly the jobs of `there` run.
inline double slowdown(const cases::Case& c, const ContentionOptions& o, const std::vector<Life>& lives, JobIndex j,
                       const std::vector<JobIndex>& there) {
  double worst = 0;
  for (const NodePart& mine : lives[j].parts) {
    // Of several GPUs, the one on which it is slowed down most.
    double all = o.among == ContentionOptions::Among::kGpu && mine.gpus != 0 ? 0 : 1;
    if (o.among == ContentionOptions::Among::kNode) all = together(o, lives, j, there, mine);
    for (std::uint64_t gpu = 1; o.among == ContentionOptions::Among::kGpu && gpu != 0 && gpu <= mine.gpus; gpu <<= 1)
      if ((mine.gpus & gpu) != 0) all = std::max(all, together(o, lives, j, there, {mine.node, gpu}));
    const NodeKind& kind = c.machine.layout->kind_of(mine.node);
    if (o.own) {
      const std::int32_t cores = c.workload.requests[c.workload.jobs[j].request].cores;
      const int processes = std::max(1, static_cast<int>(std::ceil(cores / 1000.0)));
      if (processes > 1) all *= o.slowdowns->over_processors(j);
      if (processes > kind.processors && processes > 1) all *= o.slowdowns->over_cores(j);
    }
    worst = std::max(worst, all / kind.speed);
  }
  return worst;
}

/// The work that each job did, by adding up all intervals between events, is its run time (and what it had to write),
/// unless it was killed; "" if so.
inline std::string work_lost(const cases::Case& c, const ContentionOptions& o, const std::vector<Life>& lives) {
  std::vector<Time> instants;
  for (const Life& l : lives)
    for (const Life::Run& r : l.runs) instants.insert(instants.end(), {r.from, r.to});
  std::sort(instants.begin(), instants.end());
  std::vector<double> done(lives.size());
  for (std::size_t i = 0; i + 1 < instants.size(); ++i) {
    if (instants[i] == instants[i + 1]) continue;
    std::vector<JobIndex> there;
    for (JobIndex j = 0; j < lives.size(); ++j)
      if (lives[j].runs_at(instants[i])) there.push_back(j);
    for (const JobIndex j : there)
      if (!lives[j].parts.empty())
        done[j] += to_seconds(instants[i + 1] - instants[i]) / slowdown(c, o, lives, j, there);
  }
  for (JobIndex j = 0; j < lives.size(); ++j) {
    const double wanted = to_seconds(c.workload.jobs[j].runtime + lives[j].written);
    if (lives[j].parts.empty()) continue;
    const bool right = lives[j].killed ? done[j] < wanted : std::abs(done[j] - wanted) < 1e-6;
    if (!right)
      return fmt::format("job {} of {} s of work did {} s{}", j, wanted, done[j], lives[j].killed ? ", killed" : "");
  }
  return {};
}

/// Nodes with cores to spare, so that jobs meet.
inline cases::Case crowded_case(std::uint64_t seed) {
  cases::Case c = cases::random_case(seed, false);
  auto layout = std::make_shared<MachineLayout>(*c.machine.layout);
  for (NodeKind& kind : layout->kinds) {
    kind.cores *= 2;
    kind.processors = 1 + static_cast<std::int32_t>(seed % 2);
  }
  c.machine.layout = layout;
  return c;
}

/// How often two jobs ran on one node at a time.
inline std::size_t meetings(const std::vector<Life>& lives) {
  std::size_t met = 0;
  for (const Life& a : lives)
    for (const Life& b : lives)
      for (const Life::Run& r : a.runs)
        met +=
            &a != &b && !a.parts.empty() && !b.parts.empty() && a.parts[0].node == b.parts[0].node && b.runs_at(r.from);
  return met;
}

}  // namespace coslice::twin
