// Which part of what nodes draw each job bears.
#include "case_range.h"
#include "catch.h"

#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "metrics/machine_summary.h"
#include "observe/node_use.h"
#include "outage_cases.h"
#include "resource_cases.h"
#include "sliced_cases.h"
#include "suspending.h"
#include "watched_run.h"

namespace job_energy_test {

using namespace coslice;
using namespace coslice::test;

namespace {

/// Divides what each node draws anew at each instant at which anything changes there.
class SlowDivision : public Observer {
 public:
  SlowDivision(const MachineSpec& machine, const Workload& workload)
      : use(workload), machine_(machine), workload_(workload) {}

  void started(Time t, JobIndex j, const NodeRanges& nodes) override {
    use.started(t, j, nodes);
    change(t, j, nodes, true);
  }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override {
    use.resumed(t, j, nodes);
    if (stays_[open_.at(j)].runs) return;
    change(t, j, nodes, true);
  }
  void preempted(Time t, JobIndex j) override {
    use.preempted(t, j);
    change(t, j, stays_[open_.at(j)].nodes, false);
  }
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) override {
    use.interrupted(t, j, nodes, what);
    close(t, j);
  }
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override {
    use.ended(t, j, nodes, killed);
    close(t, j);
  }
  void node_down(Time t, NodeId n, OutageKind kind) override { use.node_down(t, n, kind); }
  void node_up(Time t, NodeId n) override { use.node_up(t, n); }

  /// Empty, or what is wrong.
  std::string trouble(RunResult& result, const PowerOptions* power) {
    result.costs = MachineCosts{};
    for (std::size_t k = 0; k != kinds_of(machine_)->kinds.size(); ++k)
      result.costs->kinds.push_back(
          {NodeWatts{400.0 + static_cast<double>(k), 100, power != nullptr ? 200.0 : 400.0, 10}, 0});
    use.settle(result);
    const Time first = result.timeline.front().time;
    Time last = first;
    for (const Outcome& o : result.outcomes)
      if (o.end != kNever) last = std::max(last, o.end);
    divide(result, first, last);
    const std::optional<EnergySummary> s = summarize_energy(result, first, last);
    if (!near(s->used * 3.6e6, all_)) return fmt::format("all nodes: {} J, not {}", s->used * 3.6e6, all_);
    if (!near(s->jobs * 3.6e6, all_ - nobodys_))
      return fmt::format("all jobs: {} J, not {}", s->jobs * 3.6e6, all_ - nobodys_);
    for (JobIndex j = 0; j != result.outcomes.size(); ++j)
      if (!near(result.joules[j], joules_[j]))
        return fmt::format("job {}: {} J, not {}", j, result.joules[j], joules_[j]);
    return {};
  }

  NodeUse use;
  bool shared = false,
       suspended = false;  ///< some node was, while some job on it ran; some node had none but such jobs

 private:
  struct Stay {
    JobIndex job;
    NodeRanges nodes;
    NodeSet set;
    bool runs;
    RequestId request;
    Time from, to = kNever;
  };
  static bool near(double a, double b) { return std::fabs(a - b) <= 1e-3 * std::max(1.0, std::fabs(b)); }

  void change(Time t, JobIndex j, const NodeRanges& nodes, bool runs) {
    if (open_.contains(j)) close(t, j);
    NodeSet set(machine_.nodes);
    set.insert(nodes);
    open_[j] = stays_.size();
    stays_.push_back({j, nodes, set, runs, workload_.jobs[j].request, t});
  }
  void close(Time t, JobIndex j) {
    stays_[open_.at(j)].to = t;
    open_.erase(j);
  }

  double share(const Stay& stay, const NodeKind& kind) const {
    if (stay.request == kNoRequest) return 1;
    const Request& r = workload_.requests[stay.request];
    if (r.exclusive) return 1;
    const double cores = static_cast<double>(r.cores) / kind.core_share();
    const double gpus = kind.gpus > 0 ? r.gpus * r.gpu_share / 1000.0 / kind.gpus : 0;
    return std::max({cores, gpus, 1e-6});
  }

  void divide(const RunResult& result, Time first, Time last) {
    joules_.resize(result.outcomes.size());
    const auto kinds = kinds_of(machine_);
    for (NodeId n = 0; n != machine_.nodes; ++n) {
      std::set<Time> instants{first, last};
      const auto add = [&](Time from, Time to) {
        for (const Time t : {from, to})
          if (t > first && t < last) instants.insert(t);
      };
      for (const Stay& s : stays_) add(s.from, s.to);
      if (result.outages)
        for (const NodeDown& d : result.outages->down) add(d.from, d.to);
      if (result.power)
        for (const NodeOff& o : result.power->off) {
          add(o.from, o.to);
          add(o.to, o.up);
        }
      for (auto at = instants.begin(); std::next(at) != instants.end(); ++at)
        divide(result, n, kinds->kind_of(n), *result.costs->kinds[static_cast<std::size_t>(kinds->kind_index(n))].watts,
               *at, to_seconds(*std::next(at) - *at));
    }
  }

  void divide(const RunResult& result, NodeId n, const NodeKind& kind, const NodeWatts& watts, Time t, double seconds) {
    const auto within = [&](Time from, Time to) { return from <= t && t < to; };
    if (result.outages)
      for (const NodeDown& d : result.outages->down)
        if (d.node == n && within(d.from, d.to)) return;
    std::vector<const Stay*> running, waiting;
    for (const Stay& s : stays_)
      if (s.set.contains(n) && within(s.from, s.to)) (s.runs ? running : waiting).push_back(&s);
    shared |= running.size() > 1;
    suspended |= running.empty() && !waiting.empty();
    double draws = running.empty() ? watts.idle : watts.busy;
    if (result.power)
      for (const NodeOff& o : result.power->off) {
        if (o.node == n && within(o.from, o.to)) draws = watts.off;
        if (o.node == n && within(o.to, o.up)) draws = watts.booting;
      }
    const std::vector<const Stay*>& bear = running.empty() ? waiting : running;
    double shares = 0;
    for (const Stay* s : bear) shares += share(*s, kind);
    for (const Stay* s : bear) joules_[s->job] += draws * seconds * share(*s, kind) / shares;
    all_ += draws * seconds;
    if (bear.empty()) nobodys_ += draws * seconds;
  }

  const MachineSpec& machine_;
  const Workload& workload_;
  std::map<JobIndex, std::size_t> open_;  ///< into stays_
  std::vector<Stay> stays_;
  std::vector<double> joules_;
  double all_ = 0, nobodys_ = 0;
};

OutageOptions random_outages(cases::Dice& dice, std::int32_t nodes) {
  OutageOptions o;
  o.plan.listed = cases::outages_of_nodes(dice, nodes, dice.from(0, 4), 30, 9, cases::failure_or_drain);
  return o;
}

struct Seen {
  int shared = 0, suspended = 0;
  std::string add(const SlowDivision& slow, const std::string& trouble) {
    shared += slow.shared;
    suspended += slow.suspended;
    return trouble;
  }
};

/// Parts of nodes, some of which fail or are powered down.
std::string trouble_with_parts(std::uint64_t seed, Seen& seen) {
  const cases::Case c = cases::random_case(seed, false);
  cases::Dice dice(seed + 5'000'000);
  const OutageOptions outages = random_outages(dice, c.machine.nodes);
  PowerOptions power;
  power.idle = whole_seconds(dice.from(0, 3));
  power.boot = whole_seconds(dice.from(0, 4));
  power.shutdown = whole_seconds(dice.from(0, 2));
  Happenings h;
  if (dice.one_in(2)) h.power = &power;
  if (dice.one_in(2)) h.outages = &outages;
  SlowDivision slow(c.machine, c.workload);
  h.watchers = {&slow};
  WatchedRun ran = run_watched(c.machine, c.workload, Backfill::kEasy, h);
  return seen.add(slow, slow.trouble(ran.result, h.power));
}

std::string trouble_in_slices(std::uint64_t seed, Seen& seen) {
  const cases::Case c = cases::random_case(seed, false);
  cases::Dice dice(seed + 6'000'000);
  const OutageOptions outages = random_outages(dice, c.machine.nodes);
  SlowDivision slow(c.machine, c.workload);
  auto ran = sliced::run(c, sliced::draw_slices(seed, false), nullptr, Backfill::kEasy, {}, &slow,
                         dice.one_in(2) ? &outages : nullptr);
  return seen.add(slow, slow.trouble(ran.result, nullptr));
}

std::string trouble_with_suspensions(std::uint64_t seed, Seen& seen) {
  cases::Dice dice(seed);
  const MachineSpec machine{dice.from(1, 6)};
  Workload w;
  int now = 0;
  for (int i = 0, count = dice.from(3, 12); i < count; ++i) {
    now += dice.one_in(2) ? 0 : dice.from(0, 9);
    w.jobs.push_back(suspension_job(now, dice.from(1, machine.nodes), dice.from(1, 12), 12, dice.from(0, 1)));
    w.jobs.back().id = i + 1;
  }
  const OutageOptions outages = random_outages(dice, machine.nodes);
  Happenings h;
  if (dice.one_in(3)) h.outages = &outages;
  SlowDivision slow(machine, w);
  h.watchers = {&slow};
  Suspending scheduler(Backfill::kEasy);
  WatchedRun ran = run_watched(machine, w, scheduler, h);
  return seen.add(slow, slow.trouble(ran.result, nullptr));
}

}  // namespace

TEST_CASE("what jobs bear and what nodes draw for nobody is what the machine draws", "[energy]") {
  for (const auto& trouble : {trouble_with_parts, trouble_in_slices, trouble_with_suspensions}) {
    Seen seen;
    for (std::uint64_t seed = 0; seed != 300; ++seed) REQUIRE(trouble(seed, seen) == "");
    CHECK(seen.shared + seen.suspended > 20);
  }
}

TEST_CASE("a job bears its part of its node", "[energy]") {
  MachineSpec machine{1, 1, 4};
  auto layout = std::make_shared<MachineLayout>();
  NodeKind kind;
  kind.cores = 4;
  kind.gpus = 2;
  layout->kinds.push_back(kind);
  machine.layout = layout;
  Workload w;
  Request one_core, gpu, nothing;
  one_core.cores = kWholeCore;
  gpu.cores = kWholeCore;
  gpu.gpus = 1;
  w.jobs.resize(3);
  w.jobs[0].request = w.requests.intern(one_core);
  w.jobs[1].request = w.requests.intern(gpu);
  w.jobs[2].request = w.requests.intern(nothing);
  NodeUse use(w);
  const NodeRanges node = as_ranges({0});
  use.started(at_seconds(0), 2, node);  // alone with no part of it
  use.ended(at_seconds(10), 2, node, false);
  use.started(at_seconds(10), 0, node);
  use.started(at_seconds(20), 1, node);  // beside it, a quarter to a half
  use.ended(at_seconds(50), 1, node, false);
  use.ended(at_seconds(50), 0, node, false);
  RunResult result;
  result.workload = &w;
  result.machine = machine;
  result.outcomes.resize(3);
  result.costs = MachineCosts{{{NodeWatts{300, 100}, 0}}, 0};
  use.settle(result);
  CHECK(result.joules[2] == Approx(3000));
  CHECK(result.joules[0] == Approx(10 * 300 + 30 * 100));
  CHECK(result.joules[1] == Approx(30 * 200));
}

}  // namespace job_energy_test
