// Nodes that fail, are drained and are in maintenance, under time slices.
#include <fmt/format.h>

#include "case_range.h"
#include "core/error.h"
#include "machine/machine_spec.h"
#include "machine/node_set.h"
#include "message_of.h"
#include "outage_cases.h"
#include "resource_cases.h"
#include "unit/slice_helpers.h"
#include "unit/sliced_cases.h"

namespace sliced_outage_test {

using namespace coslice;
using namespace coslice::test;

namespace {

Outage away(int from, int to, const std::vector<NodeId>& nodes, OutageKind kind = OutageKind::kFailure) {
  return {Time{whole_seconds(from)}, Time{whole_seconds(to)}, as_ranges(nodes), kind};
}

OutageOptions plan(std::vector<Outage> listed) {
  OutageOptions o;
  o.plan.listed = std::move(listed);
  return o;
}

/// Of 200 s, jobs of up to 100 s have the first half and others the second; no job is in the slice of others.
SliceOptions halves() {
  SliceOptions o = sliced::two_classes(200, 100);
  o.nodes = NodeChoice::kFirstFree;
  return o;
}

Sliced run_with(const Workload& w, int nodes, const OutageOptions& outages, const SliceOptions& slices = halves(),
                const QueueSchedulerOptions& scheduler = easy()) {
  InvariantOptions kept;
  kept.checkpoints = outages.checkpoints.interval > Duration{0};
  Sliced s = slice(w, nodes, slices, scheduler, {}, kept, {}, &outages);
  CHECK(s.violations == std::vector<std::string>{});
  return s;
}

std::vector<double> starts(const Sliced& s) {
  std::vector<double> all;
  for (std::size_t i = 0; i != s.result.outcomes.size(); ++i) all.push_back(s.start(static_cast<int>(i)));
  return all;
}

double seconds(Duration d) { return to_seconds(d); }

}  // namespace

TEST_CASE("failures that no job gets through end a run under slices", "[slices][outages]") {
  OutageOptions often;
  often.plan.drawn.push_back(
      {as_ranges({0}), {Lifetime::Shape::kExponential, 60, 1}, {Lifetime::Shape::kExponential, 30, 1}});
  const std::string problem = message_of([&] { run_with(workload({{0, 1, 36'000}}), 1, often); });
  INFO(problem);
  CHECK(problem.find("nodes have failed under jobs 100000 times since a job last ended, 100000 of them under job 1") !=
        std::string::npos);
}

namespace {

cases::Case equal_by_node(std::int32_t nodes, const Workload& w) {
  cases::Case c;
  c.machine = MachineSpec{nodes};
  LayoutSpec layout;
  layout.kinds.push_back(equal_nodes(c.machine));
  set_layout(c.machine, make_layout(layout));
  c.workload = w;
  return c;
}

std::vector<double> starts_beside(const Workload& w, const Outage& window, const SliceOptions& slices = halves(),
                                  Backfill backfill = Backfill::kEasy) {
  const cases::Case c = equal_by_node(2, w);
  const OutageOptions outages = plan({window});
  InvariantChecker invariants(c.machine, c.workload.jobs, {}, {});
  Recorder recorder(c.workload, c.machine);
  QueueSchedulerOptions options;
  options.backfill = backfill;
  std::vector<std::unique_ptr<QueueScheduler>> schedulers;
  std::vector<Scheduler*> pointers;
  for (std::size_t i = 0; i != slices.classes.size(); ++i)
    pointers.push_back(schedulers.emplace_back(std::make_unique<QueueScheduler>(options)).get());
  Simulation simulation(c.machine, c.workload.jobs, pointers, slices, {}, {}, {}, &outages);
  simulation.add(invariants);
  simulation.add(recorder);
  simulation.run();
  invariants.finish();
  CHECK(invariants.violations() == std::vector<std::string>{});
  const RunResult result = recorder.take();
  if (result.outages)
    for (const NodeDown& down : result.outages->down) CHECK(down.from == window.from);
  std::vector<double> all;
  for (const Outcome& o : result.outcomes) all.push_back(to_seconds(o.start));
  return all;
}

}  // namespace

TEST_CASE("under slices a job on a node that fails begins anew elsewhere", "[slices][outages]") {
  const Sliced s = run_with(workload({{0, 1, 60}}), 2, plan({away(40, 1000, {0})}));
  CHECK(s.start(0) == 40);
  CHECK(s.end(0) == 100);
  CHECK(s.nodes(0) == "1");
  REQUIRE(s.result.interrupted.size() == 1);
  CHECK(seconds(s.result.interrupted[0].lost) == 40);
}

TEST_CASE("a preempted job is interrupted when its node fails", "[slices][outages]") {
  // It runs from 100 to 200; its node fails in the slice of others, and its image there is gone.
  const Workload w = workload({{0, 1, 150}});
  OutageOptions o = plan({away(250, 260, {0})});
  Sliced s = run_with(w, 2, o);
  CHECK(s.start(0) == 300);
  CHECK(s.end(0) == 550);
  CHECK(s.nodes(0) == "0");
  REQUIRE(s.result.interrupted.size() == 1);
  CHECK(seconds(s.result.interrupted[0].lost) == 100);
  CHECK(seconds(s.result.interrupted[0].preempted) == 50);
  CHECK(s.result.sliced[0].preempted == whole_seconds(100));  // of its last run
  // Away for longer, it is the other node.
  CHECK(run_with(w, 2, plan({away(250, 310, {0})})).nodes(0) == "1");
  CHECK(run_with(w, 1, plan({away(250, 310, {0})})).start(0) == 310);
  o.checkpoints = {whole_seconds(30), Duration{0}, Duration{0}};
  s = run_with(w, 2, o);  // 90 s are saved
  CHECK(s.end(0) == 360);
  CHECK(seconds(s.result.interrupted[0].lost) == 10);
  o.checkpoints = {};
  o.interrupted = AfterFailure::kLost;
  s = run_with(w, 2, o);
  CHECK(s.result.outcomes[0].state == FinalState::kLost);
  CHECK(s.end(0) == 250);
}

TEST_CASE("a drained node goes when the jobs of all classes on it have ended", "[slices][outages]") {
  const auto drain = [](int from) { return plan({away(from, 700, {0}, OutageKind::kDrain)}); };
  // A short job ends at 80; the long one would start at 100.
  Sliced s = run_with(workload({{0, 1, 80}, {0, 1, 150}, {210, 1, 10}}), 1, drain(50));
  CHECK(starts(s) == std::vector<double>{0, 700, 800});
  CHECK(s.result.outages->down[0].from == Time{whole_seconds(80)});
  // Drained when the long one runs, which goes on in its next slice; between, the node is idle, and no job starts
  // there.
  s = run_with(workload({{0, 1, 80}, {0, 1, 150}, {210, 1, 10}}), 1, drain(150));
  CHECK(starts(s) == std::vector<double>{0, 100, 800});
  CHECK(s.end(1) == 350);
  CHECK(s.result.outages->down[0].from == Time{whole_seconds(350)});
  CHECK(s.result.interrupted.empty());
  // Over before its job has ended, it never goes.
  s = run_with(workload({{0, 1, 150}, {110, 1, 120}}), 1, plan({away(150, 320, {0}, OutageKind::kDrain)}));
  CHECK(starts(s) == std::vector<double>{100, 350});
  CHECK(s.result.outages->down.empty());
}

TEST_CASE("outages and slices at one instant", "[slices][outages]") {
  const Workload w = workload({{0, 1, 150}});  // from 100 to 200 and from 300 to 350
  // It fails when its slice ends: it is interrupted, not preempted before.
  Sliced s = run_with(w, 1, plan({away(200, 210, {0})}));
  CHECK(s.counts.preemptions == 1);  // later
  CHECK(seconds(s.result.interrupted[0].lost) == 100);
  CHECK(seconds(s.result.interrupted[0].preempted) == 0);
  CHECK(s.start(0) == 300);
  // It fails when its slice begins: it does not go on.
  s = run_with(w, 1, plan({away(300, 310, {0})}));
  CHECK(s.start(0) == 310);
  CHECK(s.end(0) == 560);
  // It ends when its node fails: it has ended.
  CHECK(run_with(w, 1, plan({away(350, 400, {0})})).end(0) == 350);
  // The node is back when the slice begins.
  CHECK(run_with(w, 1, plan({away(50, 100, {0})})).start(0) == 100);
  // A job that comes when the node fails does not start on it.
  CHECK(run_with(workload({{110, 1, 150}}), 1, plan({away(110, 120, {0})})).start(0) == 120);
  // Over before the first job comes, in the interval of which slices begin earlier: it never was.
  CHECK(starts_beside(workload({{150, 1, 150}}), away(50, 150, {0, 1}, OutageKind::kMaintenance)) ==
        std::vector<double>{150});
  // Back and away again.
  CHECK(run_with(w, 1, plan({away(90, 130, {0}), away(130, 140, {0})})).start(0) == 140);
}

TEST_CASE("the return of a node is known in the time of each class", "[slices][outages]") {
  // Node 0 is back at 450: for the second class, from 110 on, that is after 90 s and 100 s of its time, and its next
  // slice begins at 500. Its first job wants both nodes; one of 190 s may pass it, one of 195 s may not.
  const OutageOptions o = plan({away(100, 450, {0})});
  CHECK(starts(run_with(workload({{110, 2, 150}, {110, 1, 190}}), 2, o)) == std::vector<double>{500, 110});
  CHECK(starts(run_with(workload({{110, 2, 150}, {110, 1, 195}}), 2, o)) == std::vector<double>{500, 750});
  // Under conservative backfilling both have reservations.
  CHECK(starts(run_with(workload({{110, 2, 150}, {110, 1, 190}}), 2, o, halves(), conservative())) ==
        std::vector<double>{500, 110});
  // Nothing is known of the repair, but that most take 20 s.
  OutageOptions guess = o;
  guess.believed_repair = whole_seconds(20);
  CHECK(starts(run_with(workload({{110, 2, 150}, {110, 1, 190}}), 2, guess)) == std::vector<double>{500, 750});
}

TEST_CASE("a foreign job on a node that fails waits again in its class", "[slices][outages]") {
  SliceOptions slices = halves();
  slices.foreign = ForeignJobs::kSafe;
  // The long job uses the short slice from 0 on; its node fails at 30; on the other one it begins anew at once.
  Sliced s = run_with(workload({{0, 1, 150}}), 2, plan({away(30, 500, {0})}), slices);
  CHECK(s.start(0) == 30);
  CHECK(s.nodes(0) == "1");
  CHECK(s.end(0) == 180);
  // Without another one it waits for the repair in a slice of others.
  s = run_with(workload({{0, 1, 150}}), 1, plan({away(30, 240, {0})}), slices);
  CHECK(s.start(0) == 240);
  CHECK(s.end(0) == 390);
}

TEST_CASE("no job reaches into maintenance, in the time of its class", "[slices][outages]") {
  const Outage both = away(350, 450, {0, 1}, OutageKind::kMaintenance);
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    // From 110 on, a long job has 90 s and 50 s until 350.
    CHECK(starts_beside(workload({{110, 1, 140}}), both, halves(), backfill) == std::vector<double>{110});
    CHECK(starts_beside(workload({{110, 1, 141}}), both, halves(), backfill) == std::vector<double>{500});
    // From 220 on, a short one has 80 s; after 450 it has 50 s of that slice at once.
    CHECK(starts_beside(workload({{220, 1, 80}, {220, 1, 81}}), both, halves(), backfill) ==
          std::vector<double>{220, 450});
    // One node of two: the other one has room.
    CHECK(starts_beside(workload({{110, 1, 141}, {110, 2, 141}}), away(350, 450, {1}, OutageKind::kMaintenance),
                        halves(), backfill) == std::vector<double>{110, 500});
  }
}

TEST_CASE("slices on demand may take time before maintenance", "[slices][outages]") {
  SliceOptions slices = halves();
  slices.classes[0].on_demand = true;
  slices.classes[0].longest = whole_seconds(50);
  const Outage both = away(300, 350, {0, 1}, OutageKind::kMaintenance);
  // 200 s in this interval; in the next one short jobs, which may still come, take up to 50 s.
  CHECK(starts_beside(workload({{0, 1, 250}}), both, slices) == std::vector<double>{0});
  CHECK(starts_beside(workload({{0, 1, 251}}), both, slices) == std::vector<double>{350});
}

TEST_CASE("maintenance of equal nodes keeps jobs off under slices", "[slices][outages]") {
  const OutageOptions o = plan({away(0, 10, {0}, OutageKind::kMaintenance)});
  const Sliced s = slice(workload({{0, 1, 1}}), 1, halves(), easy(), {}, {}, {}, &o);
  CHECK(s.result.outcomes[0].start == Time{whole_seconds(10)});
}

namespace {

/// Nodes in maintenance are away from its beginning on.
bool was_kept(const RunResult& result, const Outage& o) {
  const Time first = result.workload->jobs.front().submit;
  bool kept = true;
  for_each_node(o.nodes, [&](NodeId n) {
    const auto& down = result.outages->down;
    kept = kept && std::any_of(down.begin(), down.end(), [&](const NodeDown& d) {
             return d.node == n && d.from <= std::max(o.from, first) && d.to > o.from;
           });
  });
  return kept;
}

struct SeenOutages {
  std::size_t interrupted = 0, preempted = 0, maintenance = 0;
};

/// Jobs with parts of nodes; what is wrong, "" if nothing is.
std::string wrong_with_parts(std::uint64_t seed, SeenOutages& seen) {
  const cases::Case c = seed % 5 == 4 ? cases::random_case(seed, true) : twin::crowded_case(seed);
  cases::Dice dice(seed + 3'000'000);
  OutageOptions outages = plan(cases::random_outages(dice, c.machine.nodes, 60, 24, cases::any_outage));
  if (dice.one_in(3)) outages.believed_repair = whole_seconds(dice.from(1, 9));
  if (dice.one_in(3))
    outages.checkpoints = {whole_seconds(dice.from(1, 4)), whole_seconds(dice.from(0, 2)), whole_seconds(1)};
  if (dice.one_in(3)) outages.interrupted = AfterFailure::kLost;
  outages.place = static_cast<RequeuePosition>(dice.from(0, 2));
  EngineOptions engine;
  engine.at_limit = seed % 2 == 0 ? AtLimit::kExtend : AtLimit::kKill;
  const bool memory = dice.one_in(3), slows = dice.one_in(3);
  const twin::HashedSlowdowns slowdowns(seed);
  const ContentionOptions contention{&slowdowns, ContentionOptions::Among::kNode, ContentionOptions::Combine::kProduct};
  const Backfill backfill = static_cast<Backfill>(dice.from(0, 2));
  const SliceOptions slices = sliced::draw_slices(seed, memory);
  sliced::Ran ran;
  try {
    ran = sliced::run(c, slices, slows ? &contention : nullptr, backfill, engine, nullptr, &outages);
  } catch (const std::exception& e) {
    return e.what();
  }
  if (!ran.violations.empty()) return ran.violations.front();
  for (const InterruptedRun& run : ran.result.interrupted) {
    ++seen.interrupted;
    seen.preempted += run.preempted > Duration{0};
  }
  // What makes jobs run on into maintenance; and of a class without slices nothing is known.
  const auto has_none = [](const SliceClass& s) { return !s.on_demand && s.share == 0; };
  if (memory || slows || std::any_of(slices.classes.begin(), slices.classes.end(), has_none)) return "";
  const Time last = ran.result.timeline.back().time;
  for (const Outage& o : outages.plan.listed) {
    if (o.kind != OutageKind::kMaintenance || o.to <= c.workload.jobs[0].submit || o.from >= last) continue;
    ++seen.maintenance;
    if (!was_kept(ran.result, o)) return "a job reaches into maintenance";
  }
  return "";
}

}  // namespace

TEST_CASE("under slices nodes fail on which several jobs run", "[slices][outages][property]") {
  SeenOutages seen;
  for (std::uint64_t seed = 0; seed != 2000; ++seed) {
    INFO("seed " << seed);
    REQUIRE(wrong_with_parts(seed, seen) == "");
  }
  CHECK(seen.interrupted > 500);
  CHECK(seen.preempted > 100);
  CHECK(seen.maintenance > 250);
}

TEST_CASE("under slices nodes fail on which several jobs run, at length", "[.][at_length][slices][outages]") {
  SeenOutages seen;
  std::uint64_t cases = 0, refused = 0;
  for (const std::uint64_t seed : cases_at_length(2000, 40'000)) {
    INFO("seed " << seed);
    const std::string wrong = wrong_with_parts(seed, seen);
    ++cases;
    if (sliced::swaps_for_ever(wrong)) ++refused;
    else REQUIRE(wrong == "");
  }
  CHECK(refused <= 1 + cases / 2000);
}

}  // namespace sliced_outage_test
