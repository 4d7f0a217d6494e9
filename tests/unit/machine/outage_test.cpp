// Nodes that fail, are drained and come back.
#include "case_range.h"
#include "catch.h"

#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "machine/node_set.h"
#include "message_of.h"
#include "metrics/summary.h"
#include "outage_cases.h"
#include "resource_cases.h"
#include "watched_run.h"

namespace outage_test {

using namespace coslice;
using namespace coslice::test;

namespace {

using Ran = WatchedRun;

Time at(double s) { return at_seconds(s); }

Outage outage(double from, double to, const std::vector<NodeId>& nodes, OutageKind kind = OutageKind::kFailure) {
  return {at(from), at(to), as_ranges(nodes), kind};
}

Ran run(const MachineSpec& machine, const Workload& workload, Backfill backfill, const OutageOptions& outages) {
  return run_watched(machine, workload, backfill, {{}, &outages});
}

Ran run(std::int32_t nodes, const std::vector<Job>& jobs, const OutageOptions& outages,
        Backfill backfill = Backfill::kEasy) {
  const Ran ran = run(MachineSpec{nodes}, workload_of(jobs), backfill, outages);
  CHECK(ran.violations == std::vector<std::string>{});
  return ran;
}

OutageOptions with(std::vector<Outage> listed) {
  OutageOptions o;
  o.plan.listed = std::move(listed);
  return o;
}

using Seconds = std::vector<double>;

}  // namespace

TEST_CASE("a job on a node that fails begins anew elsewhere", "[outages]") {
  const Ran ran = run(2, {job_of(1, 0, 1, 100)}, with({outage(40, 60, {0})}));
  CHECK(ran.starts() == Seconds{40});
  CHECK(ran.ends() == Seconds{140});
  CHECK(ran.nodes(0) == "1");
  REQUIRE(ran.result.interrupted.size() == 1);
  CHECK(ran.result.interrupted[0].lost == whole_seconds(40));
  CHECK(ran.result.outages->failures == 1);
}

TEST_CASE("without another node it waits for the repair", "[outages]") {
  CHECK(run(1, {job_of(1, 0, 1, 100)}, with({outage(40, 60, {0})})).ends() == Seconds{160});
}

TEST_CASE("a run that was interrupted is no waiting, and what is kept of it is no slowdown", "[outages]") {
  const Ran anew = run(2, {job_of(1, 0, 1, 100)}, with({outage(40, 60, {0})}));
  CHECK(anew.result.waited(0) == Duration{0});
  const Ran repaired = run(1, {job_of(1, 0, 1, 100)}, with({outage(40, 60, {0})}));
  CHECK(repaired.result.waited(0) == whole_seconds(20));
  CHECK(bounded_slowdown(repaired.result, 0, whole_seconds(10)) == Approx(1.6));
  OutageOptions o = with({outage(40, 60, {0})});
  o.checkpoints = {whole_seconds(15), whole_seconds(1), whole_seconds(2)};
  const Ran kept = run(1, {job_of(1, 0, 1, 100)}, o);  // runs from 60 to 136, with 30 s of work kept
  CHECK(kept.result.waited(0) == whole_seconds(20));
  CHECK(bounded_slowdown(kept.result, 0, whole_seconds(10)) == Approx(1.36));
  CHECK(summarize(kept.result, {}).all.wait.mean == Approx(20));
}

TEST_CASE("a job may be lost instead", "[outages]") {
  OutageOptions lose = with({outage(40, 60, {0})});
  lose.interrupted = AfterFailure::kLost;
  const Ran ran = run(1, {job_of(1, 0, 1, 100), job_of(2, 0, 1, 10)}, lose);
  CHECK(ran.ends() == Seconds{40, 70});
  CHECK(ran.result.outcomes[0].state == FinalState::kLost);
}

TEST_CASE("failures that no job gets through end the run, with what to change", "[outages]") {
  for (const double mtbf : {1e-300, 60.0}) {
    OutageOptions often;
    often.plan.drawn.push_back(
        {as_ranges({0, 1}), {Lifetime::Shape::kExponential, mtbf, 1}, {Lifetime::Shape::kExponential, 30, 1}});
    const std::string problem = message_of([&] { run(2, {job_of(1, 0, 1, 10), job_of(2, 0, 2, 36'000)}, often); });
    INFO(problem);
    CHECK(problem.find("nodes have failed under jobs 100000 times since a job last ended") != std::string::npos);
    CHECK(problem.find("try a longer mtbf") != std::string::npos);
    if (mtbf > 1) CHECK(problem.find("under job 2 (2 processors, 10 h 00 min)") != std::string::npos);
  }
}

TEST_CASE("a job goes on from its last checkpoint", "[outages]") {
  OutageOptions o = with({outage(40, 60, {0})});
  o.checkpoints = {whole_seconds(15), whole_seconds(1), whole_seconds(2)};
  // Until 40: two checkpoints, at 16 and 32, so 30 s of work are kept and 8 lost. 70 s are left: four checkpoints and 2
  // s to go on from the last one.
  const Ran ran = run(1, {job_of(1, 0, 1, 100)}, o);
  CHECK(ran.ends() == Seconds{60 + 2 + 70 + 4});
  CHECK(ran.result.interrupted[0].lost == whole_seconds(8));
  // Without a failure six checkpoints are written: none at the end.
  OutageOptions never = with({outage(1000, 1001, {0})});
  never.checkpoints = o.checkpoints;
  CHECK(run(1, {job_of(1, 0, 1, 100)}, never).ends() == Seconds{106});
  CHECK(run(1, {job_of(1, 0, 1, 90)}, never).ends() == Seconds{95});
}

TEST_CASE("a drained node goes when its job has ended", "[outages]") {
  // The second job needs both nodes: node 0 is away from 100 to 150.
  const Ran ran =
      run(2, {job_of(1, 0, 1, 100), job_of(2, 50, 2, 10)}, with({outage(40, 150, {0}, OutageKind::kDrain)}));
  CHECK(ran.starts() == Seconds{0, 150});
  REQUIRE(ran.result.outages->down.size() == 1);
  CHECK(ran.result.outages->down[0].from == at(100));
  // One that is to be back just then never goes, and no reservation moves.
  const Ran back =
      run(2, {job_of(1, 0, 1, 100), job_of(2, 50, 2, 10)}, with({outage(40, 100, {0}, OutageKind::kDrain)}));
  CHECK(back.starts() == Seconds{0, 100});
  CHECK(back.result.outages->down.empty());
  // A node whose drain is over before its job never goes.
  CHECK(run(1, {job_of(1, 0, 1, 100), job_of(2, 1, 1, 10)}, with({outage(40, 90, {0}, OutageKind::kDrain)})).starts() ==
        Seconds{0, 100});
}

TEST_CASE("what happens at one instant: ends, repairs, failures, submissions", "[outages]") {
  // It ends when its node fails: it has ended.
  CHECK(run(1, {job_of(1, 0, 1, 40)}, with({outage(40, 60, {0})})).ends() == Seconds{40});
  // The node comes back and fails again: no job starts between.
  CHECK(run(1, {job_of(1, 0, 1, 50)}, with({outage(40, 60, {0}), outage(60, 80, {0})})).starts() == Seconds{80});
  // A job that comes when the node fails does not start on it.
  CHECK(run(1, {job_of(1, 40, 1, 50)}, with({outage(40, 60, {0})})).starts() == Seconds{60});
  // Two outages of a node that overlap are one.
  CHECK(run(1, {job_of(1, 20, 1, 50)}, with({outage(10, 30, {0}), outage(20, 25, {0})})).starts() == Seconds{30});
  CHECK(run(1, {job_of(1, 20, 1, 50)}, with({outage(10, 30, {0}), outage(20, 45, {0})})).starts() == Seconds{45});
  // A failure of a drained node takes its job.
  CHECK(run(1, {job_of(1, 0, 1, 50)}, with({outage(10, 60, {0}, OutageKind::kDrain), outage(20, 30, {0})})).starts() ==
        Seconds{60});
}

TEST_CASE("where an interrupted job waits again", "[outages]") {
  // One node. Job 1 (5 s) ends at 5, job 2 runs from then, fails at 10. Jobs 3 and 4 wait, 4 came last.
  const std::vector<Job> jobs = {job_of(1, 0, 1, 5), job_of(2, 1, 1, 20), job_of(3, 2, 1, 3), job_of(4, 11, 1, 3)};
  OutageOptions o = with({outage(10, 12, {0})});
  CHECK(run(1, jobs, o, Backfill::kNone).starts() == Seconds{0, 12, 32, 35});
  o.place = RequeuePosition::kFront;
  CHECK(run(1, jobs, o, Backfill::kNone).starts() == Seconds{0, 12, 32, 35});
  o.place = RequeuePosition::kBack;
  CHECK(run(1, jobs, o, Backfill::kNone).starts() == Seconds{0, 15, 12, 35});
}

TEST_CASE("a job that came late stands where its submission puts it, wherever those wait that were interrupted",
          "[outages]") {
  // One node, and none fails under a job. Job 1 is held until 5, when job 3 waits already.
  OutageOptions o = with({outage(100, 101, {0})});
  for (const RequeuePosition place : {RequeuePosition::kOrder, RequeuePosition::kFront, RequeuePosition::kBack}) {
    Workload w = workload_of({job_of(1, 0, 1, 3), job_of(2, 0, 1, 10), job_of(3, 1, 1, 3)});
    w.extras.set(w.jobs[0], &JobExtras::held_until, whole_seconds(5));
    o.place = place;
    CHECK(run(MachineSpec{1}, w, Backfill::kNone, o).starts() == Seconds{10, 0, 13});
  }
}

TEST_CASE("jobs that come after one waits in front again have their places", "[outages]") {
  // Three nodes. Job 4 passes job 3 at 0, and its node is down from 5 to 30. Job 2, held until 6, stands before job 3:
  // it may run for 25 s from 10 on.
  OutageOptions o = with({outage(5, 30, {2})});
  o.place = RequeuePosition::kFront;
  Workload w = workload_of({job_of(1, 0, 2, 10), job_of(2, 0, 1, 25), job_of(3, 0, 3, 10), job_of(4, 0, 1, 10)});
  w.extras.set(w.jobs[1], &JobExtras::held_until, whole_seconds(6));
  CHECK(run(MachineSpec{3}, w, Backfill::kEasy, o).starts() == Seconds{0, 10, 35, 10});
}

TEST_CASE("schedulers may not know when a node is repaired", "[outages]") {
  // Two nodes, one away from 10 to 200. The head wants both; a job of 50 s may pass it if that does not delay it.
  const std::vector<Job> jobs = {job_of(1, 20, 2, 10), job_of(2, 21, 1, 30)};
  OutageOptions o = with({outage(10, 200, {0})});
  CHECK(run(2, jobs, o).starts() == Seconds{200, 21});
  o.believed_repair = whole_seconds(30);  // from 20 on: until 50, which leaves too little time; then until 80
  CHECK(run(2, jobs, o).starts() == Seconds{200, 50});
}

TEST_CASE("a failed node is not expected back before a drain of it is over that begins later", "[outages]") {
  const std::vector<Job> jobs = {job_of(1, 20, 2, 10), job_of(2, 30, 1, 30)};
  OutageOptions o = with({outage(10, 200, {0})});
  o.believed_repair = whole_seconds(30);
  CHECK(run(2, jobs, o).starts() == Seconds{200, 50});
  o.plan.listed.push_back(outage(25, 100, {0}, OutageKind::kDrain));
  CHECK(run(2, jobs, o).starts() == Seconds{200, 30});
}

namespace {

/// Equal nodes as a kind of nodes.
MachineSpec by_node(std::int32_t nodes) {
  MachineSpec machine{nodes};
  LayoutSpec layout;
  layout.kinds.push_back(equal_nodes(machine));
  set_layout(machine, make_layout(layout));
  return machine;
}

Seconds starts_beside(const std::vector<Job>& jobs, std::vector<Outage> listed, Backfill backfill) {
  Workload w;
  w.jobs = jobs;
  const Ran ran = run(by_node(2), w, backfill, with(std::move(listed)));
  CHECK(ran.violations == std::vector<std::string>{});
  return ran.starts();
}

}  // namespace

TEST_CASE("no job reaches into planned maintenance", "[outages]") {
  const auto both = outage(100, 150, {0, 1}, OutageKind::kMaintenance);
  const auto first = outage(100, 150, {0}, OutageKind::kMaintenance);
  // The first job would not have ended by 100; the second one passes it, and ends at 95.
  const std::vector<Job> jobs = {job_of(1, 50, 2, 60), job_of(2, 55, 1, 40), job_of(3, 56, 1, 45)};
  CHECK(starts_beside(jobs, {both}, Backfill::kNone) == Seconds{150, 210, 210});
  CHECK(starts_beside(jobs, {both}, Backfill::kEasy) == Seconds{150, 55, 210});
  CHECK(starts_beside(jobs, {both}, Backfill::kConservative) == Seconds{150, 55, 210});
  // Only node 0 is away: a long job goes to the other one.
  CHECK(starts_beside({job_of(1, 50, 1, 100), job_of(2, 50, 1, 100)}, {first}, Backfill::kEasy) == Seconds{50, 150});
  // It may end when the maintenance begins.
  CHECK(starts_beside({job_of(1, 50, 2, 50)}, {both}, Backfill::kEasy) == Seconds{50});
}

namespace {

/// First come, first served and EASY on equal nodes, second by second.
class Seconder {
 public:
  Seconder(std::int32_t nodes, const std::vector<Job>& jobs, const std::vector<Outage>& outages, bool easy)
      : jobs_(jobs), outages_(outages), easy_(easy), until_(static_cast<std::size_t>(nodes), -1),
        on_(static_cast<std::size_t>(nodes), -1), down_(static_cast<std::size_t>(nodes), false),
        start_(jobs.size(), -1), end_(jobs.size(), -1) {}

  Seconds run() {
    for (now_ = 0; now_ < 5000; ++now_) {
      for (std::size_t j = 0; j < jobs_.size(); ++j)
        if (start_[j] >= 0 && end_[j] == now_) leave(static_cast<int>(j));
      for (std::size_t n = 0; n < on_.size(); ++n)
        if (down_[n] && until_[n] <= now_) down_[n] = false;
      for (const Outage& o : outages_)
        if (to_seconds(o.from) == now_)
          for_each_node(o.nodes, [&](NodeId n) { strike(static_cast<std::size_t>(n), o); });
      for (std::size_t j = 0; j < jobs_.size(); ++j)
        if (to_seconds(jobs_[j].submit) == now_) queue_.insert(static_cast<int>(j));
      for (std::size_t n = 0; n < on_.size(); ++n)
        if (on_[n] < 0 && until_[n] > now_) down_[n] = true;
      pass();
    }
    return start_;
  }

 private:
  double limit(int j) const { return to_seconds(jobs_[static_cast<std::size_t>(j)].limit); }
  int size(int j) const { return jobs_[static_cast<std::size_t>(j)].size; }
  void leave(int j) {
    for (int& on : on_)
      if (on == j) on = -1;
  }
  void strike(std::size_t n, const Outage& o) {
    until_[n] = std::max(until_[n], to_seconds(o.to));
    if (o.kind != OutageKind::kFailure || on_[n] < 0) return;
    const int j = on_[n];
    leave(j);
    start_[static_cast<std::size_t>(j)] = end_[static_cast<std::size_t>(j)] = -1;
    queue_.insert(j);
  }
  int free() const {
    int count = 0;
    for (std::size_t n = 0; n < on_.size(); ++n) count += on_[n] < 0 && !down_[n];
    return count;
  }
  void begin(int j) {
    int wanted = size(j);
    for (std::size_t n = 0; n < on_.size() && wanted > 0; ++n) {
      if (on_[n] >= 0 || down_[n]) continue;
      on_[n] = j;
      --wanted;
    }
    const auto i = static_cast<std::size_t>(j);
    start_[i] = now_;
    end_[i] = now_ + std::min(limit(j), to_seconds(jobs_[i].runtime));
    queue_.erase(j);
  }
  void pass() {
    while (!queue_.empty() && size(*queue_.begin()) <= free()) begin(*queue_.begin());
    if (!easy_ || queue_.empty()) return;
    const int head = *queue_.begin();
    std::multimap<double, int> back;
    for (std::size_t n = 0; n < on_.size(); ++n) {
      if (on_[n] >= 0) back.emplace(start_[static_cast<std::size_t>(on_[n])] + limit(on_[n]), 1);
      else if (down_[n]) back.emplace(until_[n], 1);
    }
    int nodes = free();
    double shadow = now_;
    for (const auto& [t, one] : back) {
      if (nodes >= size(head) && t > shadow) break;
      shadow = t;
      nodes += one;
    }
    int extra = nodes - size(head);
    const std::set<int> others(std::next(queue_.begin()), queue_.end());
    for (const int j : others) {
      if (size(j) > free()) continue;
      if (now_ + limit(j) > shadow) {
        if (size(j) > extra) continue;
        extra -= size(j);
      }
      begin(j);
    }
  }

  const std::vector<Job>& jobs_;
  const std::vector<Outage>& outages_;
  bool easy_;
  double now_ = 0;
  Seconds until_;
  std::vector<int> on_;  // the job on each node, -1: none
  std::vector<bool> down_;
  Seconds start_, end_;
  std::set<int> queue_;  // in order of submission
};

Workload random_jobs(cases::Dice& dice, std::int32_t nodes) {
  Workload w;
  int now = 0;
  const int count = dice.from(3, 14);
  for (int i = 0; i < count; ++i) {
    now += dice.one_in(2) ? 0 : dice.from(0, 4);
    const int limit = dice.from(1, 12);
    w.jobs.push_back(job_of(i + 1, now, dice.from(1, nodes), dice.one_in(3) ? limit : dice.from(1, 12), limit));
  }
  return w;
}

/// Empty, or what is wrong.
std::string trouble(std::uint64_t seed) {
  cases::Dice dice(seed);
  const std::int32_t nodes = dice.from(1, 6);
  const Workload w = random_jobs(dice, nodes);
  const OutageOptions outages = with(cases::random_outages(dice, nodes, 30, 12, cases::failure_or_drain));
  const MachineSpec placed = by_node(nodes);
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const Ran equal = run(MachineSpec{nodes}, w, backfill, outages);
    const Ran other = run(placed, w, backfill, outages);
    for (const Ran* ran : {&equal, &other})
      if (!ran->violations.empty()) return fmt::format("seed {}: {}", seed, ran->violations.front());
    if (equal.starts() != other.starts() || equal.ends() != other.ends())
      return fmt::format("seed {}: another schedule by the ledger", seed);
    if (backfill == Backfill::kConservative) continue;
    const Seconds expected = Seconder(nodes, w.jobs, outages.plan.listed, backfill == Backfill::kEasy).run();
    if (expected != equal.starts())
      return fmt::format("seed {}, {}: expected\n{}\nfound\n{}", seed, backfill == Backfill::kEasy ? "EASY" : "FCFS",
                         fmt::join(expected, " "), fmt::join(equal.starts(), " "));
  }
  return {};
}

}  // namespace

TEST_CASE("failing nodes second by second", "[outages]") {
  for (std::uint64_t seed = 0; seed != 300; ++seed) REQUIRE(trouble(seed) == "");
}

TEST_CASE("failing nodes second by second, at length", "[.][at_length][outages]") {
  for (const std::uint64_t seed : test::cases_at_length(300, 200'700)) REQUIRE(trouble(seed) == "");
}

namespace {

/// Nodes in maintenance are away from its beginning on.
bool was_kept(const RunResult& result, const Outage& o) {
  const Time first = result.timeline.front().time;  // the run begins there
  bool kept = true;
  for_each_node(o.nodes, [&](NodeId n) {
    const auto& down = result.outages->down;
    kept = kept && std::any_of(down.begin(), down.end(), [&](const NodeDown& d) {
             return d.node == n && d.from <= std::max(o.from, first) && d.to > o.from;
           });
  });
  return kept;
}

/// Jobs with parts of nodes, of which some fail.
std::string trouble_with_parts(std::uint64_t seed) {
  cases::Case c = cases::random_case(seed, false);
  cases::Dice dice(seed + 1'000'000);
  OutageOptions outages = with(cases::random_outages(dice, c.machine.nodes, 30, 12, cases::failure_or_drain));
  if (dice.one_in(3)) outages.believed_repair = whole_seconds(dice.from(1, 9));
  if (dice.one_in(3))
    outages.checkpoints = {whole_seconds(dice.from(1, 4)), whole_seconds(dice.from(0, 2)), whole_seconds(1)};
  if (dice.one_in(3)) outages.interrupted = AfterFailure::kLost;
  outages.place = static_cast<RequeuePosition>(dice.from(0, 2));
  for (Outage& o : outages.plan.listed)
    if (dice.one_in(3)) o.kind = OutageKind::kMaintenance;
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const Ran ran = run(c.machine, c.workload, backfill, outages);
    if (!ran.violations.empty()) return fmt::format("seed {}: {}", seed, ran.violations.front());
    const Time last = ran.result.timeline.back().time;
    for (const Outage& o : outages.plan.listed)
      if (o.kind == OutageKind::kMaintenance && o.to > c.workload.jobs[0].submit && o.from < last &&
          !was_kept(ran.result, o))
        return fmt::format("seed {}: a job reaches into maintenance", seed);
  }
  return {};
}

}  // namespace

TEST_CASE("nodes fail on which several jobs run", "[outages]") {
  for (std::uint64_t seed = 0; seed != 300; ++seed) REQUIRE(trouble_with_parts(seed) == "");
}

TEST_CASE("nodes fail on which several jobs run, at length", "[.][at_length][outages]") {
  for (const std::uint64_t seed : test::cases_at_length(300, 200'700)) REQUIRE(trouble_with_parts(seed) == "");
}

}  // namespace outage_test
