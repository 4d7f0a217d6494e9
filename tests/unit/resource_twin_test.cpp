#include "case_range.h"
#include "catch.h"

#include <fmt/format.h>

#include "observers/invariants.h"
#include "resource_twin.h"
#include "sched/queue_scheduler.h"
#include "run/simulation.h"

using namespace coslice;

namespace {

/// Where and when each job started.
class Starts : public Observer {
 public:
  explicit Starts(std::size_t jobs) : starts(jobs) {}
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override {
    starts[j] = {t, parts, partition};
  }
  void started(Time, JobIndex j, const NodeRanges& nodes) override {
    if (!starts[j].parts.empty()) return;
    for (const NodeRange& r : nodes.ranges())
      for (NodeId n = r.first; n <= r.last; ++n) starts[j].parts.push_back({n, 0});
  }
  std::vector<twin::Start> starts;
};

std::string text(const std::vector<twin::Start>& starts) {
  std::string out;
  for (const twin::Start& s : starts) {
    out += s.time == kNever ? "never" : format_seconds(s.time.time_since_epoch());
    out += fmt::format(" partition {}:", s.partition);
    for (const NodePart& p : s.parts) out += fmt::format(" {}/{}", p.node, p.gpus);
    out += '\n';
  }
  return out;
}

/// What can be compared: of whole nodes, how many of each class.
std::vector<twin::Start> comparable(std::vector<twin::Start> starts, const twin::Twin& twin, bool whole) {
  for (twin::Start& s : starts) {
    for (NodePart& p : s.parts)
      if (whole) p = {twin.class_of(p.node), 0};
    std::sort(s.parts.begin(), s.parts.end(), [](const NodePart& a, const NodePart& b) { return a.node < b.node; });
  }
  return starts;
}

const char* name(twin::Rule rule) {
  const char* names[] = {"EASY", "conservative", "first come, first served by partition", "EASY by partition"};
  return names[static_cast<std::size_t>(rule)];
}

QueueSchedulerOptions options_of(twin::Rule rule) {
  QueueSchedulerOptions options;
  if (rule == twin::Rule::kConservative) options.backfill = Backfill::kConservative;
  else if (rule != twin::Rule::kFcfsByPartition) options.backfill = Backfill::kEasy;
  options.easy.by_partition = rule == twin::Rule::kFcfsByPartition || rule == twin::Rule::kEasyByPartition;
  return options;
}

/// Empty if the simulation does what its twin does, and breaks no invariant.
std::string difference(std::uint64_t seed, bool only_whole, twin::Rule rule) {
  const cases::Case c = cases::random_case(seed, only_whole);
  const bool whole = JobDemands(c.machine, c.workload.jobs, &c.workload.requests, {}).whole_nodes();
  QueueScheduler scheduler(options_of(rule));
  Simulation simulation(c.machine, c.workload.jobs, scheduler, {}, {&c.workload.requests, nullptr});
  Starts seen(c.workload.jobs.size());
  simulation.add(seen);
  InvariantOptions kept;  // a job of a higher tier that comes later takes the first one's place under EASY
  kept.promises_kept = rule != twin::Rule::kEasy;
  InvariantChecker invariants(c.machine, c.workload.jobs, {}, kept);
  simulation.add(invariants);
  ResourceInvariants resources(c.machine, c.workload.jobs, c.workload.requests);
  simulation.add(resources);
  simulation.run();
  invariants.finish();
  for (const auto* violations : {&invariants.violations(), &resources.violations()})
    if (!violations->empty()) return fmt::format("seed {}: {}", seed, violations->front());
  twin::Twin twin(c, whole, rule);
  const auto expected = comparable(twin.run(), twin, whole);
  const auto found = comparable(seen.starts, twin, whole);
  if (expected == found) return {};
  return fmt::format("seed {}, {}, {}: twin\n{}simulation\n{}", seed, whole ? "whole nodes" : "parts of nodes",
                     name(rule), text(expected), text(found));
}

void compare(std::uint64_t seed) {
  for (const bool whole : {false, true})
    for (const twin::Rule rule : {twin::Rule::kEasy, twin::Rule::kConservative, twin::Rule::kFcfsByPartition,
                                  twin::Rule::kEasyByPartition})
      REQUIRE(difference(seed, whole, rule) == "");
}

void compare(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t seed = from; seed != to; ++seed) compare(seed);
}

}  // namespace

TEST_CASE("backfilling where nodes differ does what brute force does") { compare(0, 1000); }

// a: 1 node, b: 3 nodes, of which job 1 has two until 100. Job 2 needs three of the four: at 0 it is to have these two and a1,
// so that job 3 may not stay on a1. Job 4 takes b3 for a while. When job 5 comes, which cannot start, job 2 is to have
// the three nodes of b, and job 3 starts.
TEST_CASE("which nodes a shielded job leaves is found anew in each pass") {
  cases::Case c;
  auto layout = std::make_shared<MachineLayout>();
  const auto part = [&](const char* name, NodeId first, NodeId last) {
    Partition p;
    p.name = name;
    p.nodes = NodeSet(4);
    NodeRanges nodes;
    nodes.append(first, last);
    p.nodes.insert(nodes);
    layout->partitions.push_back(p);
  };
  for (const std::int32_t count : {1, 3}) {
    NodeKind k;
    k.name = count == 1 ? "a" : "b";
    k.count = count;
    k.first = layout->node_count();
    layout->kinds.push_back(k);
  }
  part("a", 0, 0);
  part("b", 1, 3);
  part("all", 0, 3);
  set_layout(c.machine, layout);
  const auto submit = [&](std::int64_t at, std::int32_t partition, std::int32_t nodes, std::int64_t seconds) {
    Request r = whole_nodes(nodes, 1);
    r.partitions = {partition};
    Job job;
    job.id = static_cast<std::int64_t>(c.workload.jobs.size()) + 1;
    job.submit = Time{whole_seconds(at)};
    job.runtime = job.limit = whole_seconds(seconds);
    job.size = nodes;
    job.request = c.workload.requests.intern(r);
    c.workload.jobs.push_back(job);
  };
  submit(0, 1, 2, 100);
  submit(0, 2, 3, 100);
  submit(0, 0, 1, 1000);
  submit(0, 1, 1, 50);
  submit(10, 2, 4, 1);
  QueueScheduler scheduler(options_of(twin::Rule::kEasy));
  Simulation simulation(c.machine, c.workload.jobs, scheduler, {}, {&c.workload.requests, nullptr});
  Starts seen(c.workload.jobs.size());
  simulation.add(seen);
  simulation.run();
  std::vector<double> starts;
  for (const twin::Start& s : seen.starts) starts.push_back(to_seconds(s.time.time_since_epoch()));
  CHECK(starts == std::vector<double>{0, 100, 10, 0, 1010});
}

TEST_CASE("a machine on which EASY went on where it had stopped, though the head's nodes would be others") {
  compare(39147, 39148);
}

TEST_CASE("backfilling where nodes differ does what brute force does, at length", "[.][resource_twins][at_length][kinds]") {
  for (const std::uint64_t seed : test::cases_at_length(1000, 109'000)) compare(seed);
}
