// What jobs wait for before they come: dependencies, times, holds, limits of arrays; and jobs that choose their sizes.
#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "jobs/attributes.h"
#include "jobs/job_sizes.h"
#include "jobs/literal_jobs.h"
#include "jobs/workflow.h"
#include "sim_helpers.h"

namespace workflow_test {

using namespace coslice;
using namespace coslice::test;

namespace {

using Starts = std::vector<long>;

void say(Workload& w, std::size_t j, const char* name, const std::string& text) {
  w.extras.set(w.jobs[j], *find_attribute(name), text);
}

Workload depending(const std::vector<TinyJob>& jobs, const std::map<std::size_t, std::string>& depends) {
  Workload w = workload(jobs);
  for (const auto& [j, text] : depends) say(w, j, "depends", text);
  return w;
}

EngineOptions cancelling() {
  EngineOptions o;
  o.unfulfilled = Unfulfilled::kCancel;
  return o;
}

std::string text_problem(const std::string& text) {
  try {
    read_dependency(text);
    return "";
  } catch (const InputError& e) {
    return e.diagnostic().problem;
  }
}

}  // namespace

TEST_CASE("dependencies are read in Slurm's notation", "[workflow]") {
  const Dependency d = read_dependency("afterok:3:4_7,after:5+2,singleton");
  REQUIRE(d.terms.size() == 4);
  CHECK_FALSE(d.any);
  CHECK(d.terms[0].kind == DependencyKind::kAfterOk);
  CHECK(d.terms[1].on.id == 4);
  CHECK(d.terms[1].on.element == 7);
  CHECK(d.terms[2].delay == whole_seconds(120));
  CHECK(d.terms[3].kind == DependencyKind::kSingleton);
  CHECK(read_dependency("afterany:1?afternotok:2").any);
  for (const char* wrong : {"", "afterok", "afterok:", "afterok:x", "before:3", "afterok:3,afterany:4?after:5",
                            "singleton:3", "afterok:3+5", "after:3+", "afterok:3_", "afterok:3;4", ",afterok:3"})
    CHECK(text_problem(wrong) != "");
}

// Job 1 is killed at 5 s, job 2 completes at 10 s.
TEST_CASE("kinds of dependencies", "[workflow]") {
  const std::vector<TinyJob> jobs = {{0, 1, 20, 5}, {0, 1, 10}, {1, 1, 3}};
  const auto third = [&](const std::string& depends, const EngineOptions& engine = {}) {
    const Ran ran = run(depending(jobs, {{2, depends}}), 4, easy(), engine);
    CHECK(ran.violations == std::vector<std::string>{});
    if (ran.starts()[2] < 0) CHECK(ran.result.outcomes[2].state == FinalState::kUnfulfilled);
    return ran.starts()[2];
  };
  CHECK(third("after:1") == 1);
  CHECK(third("after:1+1") == 60);
  CHECK(third("afterok:2") == 10);
  CHECK(third("afterok:1") == -1);
  CHECK(third("afterok:1", cancelling()) == -1);
  CHECK(third("afternotok:1") == 5);
  CHECK(third("afternotok:2") == -1);
  CHECK(third("afterany:1") == 5);
  CHECK(third("afterany:1:2") == 10);
  CHECK(third("afterany:1?afterany:2") == 5);
  CHECK(third("afterok:1?afterok:2") == 10);
  CHECK(third("afterok:1?afternotok:2") == -1);
  CHECK(third("afternotok:1,afterok:2") == 10);
  CHECK(third("afterok:99") == 1);  // it was left out
}

TEST_CASE("a job on record as failed has failed", "[workflow]") {
  Workload w = depending({{0, 1, 10}, {0, 1, 1}, {0, 1, 1}}, {{1, "afterok:1"}, {2, "afternotok:1"}});
  w.jobs[0].status = 0;
  CHECK(run(w, 4, easy()).starts() == Starts{0, -1, 10});
}

TEST_CASE("what follows from a job that never comes", "[workflow]") {
  const Workload w = depending({{0, 1, 20, 5}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {0, 9, 1}, {0, 1, 1}},
                               {{1, "afterok:1"}, {2, "afterany:2"}, {3, "afternotok:2"}, {5, "afternotok:5"}});
  CHECK(run(w, 4, easy()).starts() == Starts{0, -1, -1, -1, -1, 0});  // job 5 is larger than the machine
  CHECK(run(w, 4, easy(), cancelling()).starts() == Starts{0, -1, 5, 5, -1, 0});
}

TEST_CASE("a start that is waited for lets jobs come at the same instant", "[workflow]") {
  const Workload w = depending({{0, 2, 10}, {0, 4, 10}, {0, 2, 3}}, {{2, "after:2"}});
  for (const EventOrder order : {EventOrder::kEndsFirst, EventOrder::kSubmissionsFirst}) {
    EngineOptions engine;
    engine.event_order = order;
    const Ran ran = run(w, 6, fcfs(), engine);
    CHECK(ran.violations == std::vector<std::string>{});
    CHECK(ran.starts() == Starts{0, 0, 10});
    CHECK(ran.result.timeline.size() == 3);
  }
}

TEST_CASE("singletons run one after the other", "[workflow]") {
  Workload w = depending({{0, 1, 10}, {1, 1, 5}, {2, 1, 5}, {3, 1, 5}, {4, 1, 5}},
                         {{1, "singleton"}, {3, "singleton"}, {4, "singleton"}});
  for (Job& job : w.jobs) job.executable = 7, job.user = 1;
  w.jobs[4].user = 2;
  CHECK(run(w, 8, easy()).starts() == Starts{0, 10, 2, 15, 4});
}

TEST_CASE("jobs that wait for one another, and texts that say nothing, are problems", "[workflow]") {
  const auto problem = [](Workload w) {
    const auto p = workflow_of(w.jobs, false).problem;
    return p ? std::to_string(p->job + 1) + " " + p->what : "";
  };
  CHECK(problem(depending({{0, 1, 1}, {0, 1, 1}, {0, 1, 1}}, {{0, "afterok:3"}, {1, "after:1"}, {2, "afterany:2"}})) ==
        "1 depends on itself: job 1 on 3 on 2 on 1");
  CHECK(problem(depending({{0, 1, 1}}, {{0, "afterok:1"}})) == "1 depends on itself: job 1 on 1");
  CHECK(problem(depending({{0, 1, 1}}, {{0, "singleton"}})) == "1 is a singleton and has no executable");
  CHECK(problem(depending({{0, 1, 1}}, {{0, "afterok"}})) == "1 depends = \"afterok\": 'afterok' names no job");
}

TEST_CASE("what a scenario's jobs cannot wait for is told with the place in the list", "[workflow]") {
  const Attribute& depends = *find_attribute("depends");
  std::vector<JobSpec> jobs(3);
  for (JobSpec& s : jobs) s.nodes = 1, s.job.runtime = whole_seconds(5);
  const auto problem = [&](std::size_t i, const Attribute& a, const std::string& text) {
    jobs[i].texts = {{&a, text}};
    const auto found = literal_workflow_problem(jobs);
    jobs[i].texts.clear();
    return found ? std::to_string(found->index) + " " + found->what : "";
  };
  CHECK(problem(2, depends, "afterok:1:2") == "");
  CHECK(problem(2, depends, "afterok:1:9") == "2 depends on job 9, which is not there");
  CHECK(problem(1, depends, "afterok:2") == "1 depends on itself: job 2 on 2");
  CHECK(problem(1, *find_attribute("array"), "4-2") == "1 has wrong array = \"4-2\"");
  CHECK(problem(0, *find_attribute("sizes"), "4") == "0 has wrong sizes = \"4\"");
  jobs[0].texts = {{find_attribute("array"), "1-3"}};
  CHECK(problem(2, depends, "afterok:1_3,afterany:1") == "");
  CHECK(problem(2, depends, "afterok:1_4") == "2 depends on job 1_4, which is not there");
}

TEST_CASE("jobs come no earlier than they ask for, and held ones when they are released", "[workflow]") {
  Workload w = workload({{0, 4, 10}, {1, 4, 10}, {2, 4, 10}});
  w.extras.set(w.jobs[0], &JobExtras::begin, whole_seconds(50));
  w.extras.set(w.jobs[1], &JobExtras::held_until, whole_seconds(20));
  const Ran ran = run(w, 4, fcfs());
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.starts() == Starts{50, 20, 2});
}

TEST_CASE("the place of an element that is withdrawn when it may come is for the next one", "[workflow]") {
  Workload w = depending({{0, 1, 10}, {0, 1, 10}, {0, 1, 10}, {0, 1, 10}}, {});
  for (const JobIndex j : {0, 1, 2, 3}) say(w, j, "array", "1_" + std::to_string(j + 1) + "%1");
  for (const JobIndex j : {1, 2}) w.extras.set(w.jobs[j], &JobExtras::withdrawn_at, whole_seconds(10));
  CHECK(run(w, 16, easy()).starts()[3] == 10);
}

TEST_CASE("an array has no more elements at the same time than it says", "[workflow]") {
  Workload w = depending({{0, 1, 10}, {5, 1, 1}, {5, 1, 1}, {5, 1, 1}},
                         {{1, "afterok:1"}, {2, "afterok:1_4"}, {3, "afterany:1_1"}});
  say(w, 0, "array", "1-5%2");
  expand_arrays(w);
  REQUIRE(w.jobs.size() == 8);
  CHECK(w.jobs[0].id == 1);
  CHECK(w.jobs[1].id == 5);
  CHECK(array_element(w.jobs[4])->index == 5);
  const Ran ran = run(w, 16, easy());
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.starts() == Starts{0, 0, 10, 10, 20, 30, 20, 10});
  Workload all = workload({{0, 1, 10}});
  say(all, 0, "array", "0,4-8:2");
  CHECK(array_size(all.jobs[0]) == 4);
  for (const char* wrong : {"", "3-1", "1-5%0", "x", "1_2_3", "1-5:0", "1,"}) {
    say(all, 0, "array", wrong);
    if (*wrong != 0) CHECK_THROWS_AS(array_size(all.jobs[0]), InputError);
  }
}

namespace {

/// When the job may come by the outcomes of the others, reckoned anew; nothing: never.
std::optional<long> comes(const Ran& ran, JobIndex j) {
  const auto seconds = [](Time t) { return static_cast<long>(t.time_since_epoch().count() / 1'000'000'000); };
  const std::vector<Job>& jobs = ran.workload.jobs;
  const long own = std::max(
      {seconds(jobs[j].submit), seconds(Time{jobs[j].extras->begin}), seconds(Time{jobs[j].extras->held_until})});
  const std::string& text = find_attribute("depends")->text(jobs[j]);
  if (text.empty()) return own;
  const Dependency d = read_dependency(text);
  std::optional<long> all = own, any;
  for (const DependencyTerm& t : d.terms) {
    const auto i = static_cast<std::size_t>(t.on.id - 1);
    const Outcome& o = ran.result.outcomes[i];
    const bool ended = o.end != kNever, failed = o.state == FinalState::kWalltimeReached;
    std::optional<long> when;
    if (t.kind == DependencyKind::kAfter && o.start != kNever) when = seconds(o.start);
    const bool good = t.kind == DependencyKind::kAfterAny || (t.kind == DependencyKind::kAfterOk) != failed;
    if (t.kind != DependencyKind::kAfter && ended && good) when = seconds(o.end);
    if (!when) all.reset();
    if (all && when) all = std::max(*all, *when);
    if (when) any = std::min(any.value_or(*when), *when);
  }
  if (!d.any) return all;
  return any ? std::optional(std::max(*any, own)) : std::nullopt;
}

}  // namespace

TEST_CASE("random workflows: every job comes when all that it waits for has happened, or never",
          "[workflow][property]") {
  static const char* const kKinds[] = {"after", "afterok", "afternotok", "afterany"};
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Workload w = random_workload(seed, 25, 6);
    std::mt19937 random(seed);
    for (std::size_t j = 1; j < w.jobs.size(); ++j) {
      if (random() % 6 == 0) w.extras.set(w.jobs[j], &JobExtras::begin, whole_seconds(static_cast<int>(random() % 40)));
      if (random() % 2 != 0) continue;
      const char between = random() % 2 == 0 ? ',' : '?';
      std::string text;
      for (std::size_t n = 1 + random() % 3; n != 0; --n)
        text += std::string(kKinds[random() % 4]) + ":" + std::to_string(1 + random() % j) +
                (n > 1 ? std::string(1, between) : "");
      say(w, j, "depends", text);
    }
    EngineOptions engine;
    engine.event_order = seed % 2 == 0 ? EventOrder::kEndsFirst : EventOrder::kSubmissionsFirst;
    for (const QueueSchedulerOptions& options : {fcfs(), easy(), conservative()}) {
      Ran ran;
      ran.workload = w;
      const MachineSpec machine{6};
      QueueScheduler scheduler(options);
      Recorder recorder(ran.workload, machine);
      InvariantChecker checker(machine, ran.workload.jobs, engine, {});
      Simulation simulation(machine, ran.workload.jobs, scheduler, engine);
      simulation.add(recorder);
      simulation.add(checker);
      simulation.run();
      checker.finish();
      ran.result = recorder.take();
      ran.result.submitted = simulation.take_submission_times();
      INFO("seed " << seed);
      REQUIRE(checker.violations() == std::vector<std::string>{});
      for (JobIndex j = 0; j != w.jobs.size(); ++j) {
        INFO("job " << j + 1);
        const auto when = comes(ran, j);
        REQUIRE((ran.result.outcomes[j].state == FinalState::kUnfulfilled) == !when.has_value());
        if (when) REQUIRE(ran.result.submitted_at(j) == Time{whole_seconds(*when)});
      }
    }
  }
}

TEST_CASE("the speedup of Downey's model", "[workflow]") {
  CHECK(downey_speedup(1, 10, 0.5) == Approx(1));
  CHECK(downey_speedup(8, 10, 0) == Approx(8));  // no variance: ideal up to A
  CHECK(downey_speedup(50, 10, 0) == Approx(10));
  CHECK(downey_speedup(10, 10, 1) == Approx(100 / 14.5));
  CHECK(downey_speedup(19, 10, 1) == Approx(10));  // 2A - 1
  CHECK(downey_speedup(1, 10, 2) == Approx(1));
  CHECK(downey_speedup(28, 10, 2) == Approx(10));  // A + A sigma - sigma
}

namespace {

Ran run_molded(Workload w, int nodes, const QueueSchedulerOptions& options, Molding rule) {
  Ran ran;
  ran.workload = std::move(w);
  EngineOptions engine;
  engine.molding = rule;
  const MachineSpec machine{nodes};
  QueueScheduler scheduler(options);
  Recorder recorder(ran.workload, machine);
  InvariantChecker checker(machine, ran.workload.jobs, engine, {});
  Simulation simulation(machine, ran.workload.jobs, scheduler, engine);
  simulation.mold(ran.workload.jobs);
  simulation.add(recorder);
  simulation.add(checker);
  simulation.run();
  checker.finish();
  ran.violations = checker.violations();
  ran.result = recorder.take();
  return ran;
}

}  // namespace

// The first job leaves one of four nodes until 10 s. The second takes 20 s on four nodes, 40 s on two, 80 s on one.
TEST_CASE("a moldable job chooses its size before it starts", "[workflow]") {
  const auto second = [](Molding rule, int first) {
    Workload w = workload({{0, 3, first}, {1, 4, 20}});
    say(w, 1, "sizes", "2:40,1:80");
    const Ran ran = run_molded(w, 4, easy(), rule);
    CHECK(ran.violations == std::vector<std::string>{});
    return std::pair(ran.starts()[1], ran.workload.jobs[1].size);
  };
  CHECK(second(Molding::kAsked, 10) == std::pair(10L, 4));
  CHECK(second(Molding::kFitsNow, 10) == std::pair(1L, 1));
  CHECK(second(Molding::kEndsFirst, 10) == std::pair(10L, 4));  // 30 s, not 81 s
  CHECK(second(Molding::kEndsFirst, 100) == std::pair(1L, 1));  // 81 s, not 120 s
}

TEST_CASE("sizes are read", "[workflow]") {
  Workload w = workload({{0, 4, 100, 200}});
  say(w, 0, "sizes", "1-8 downey 4 0");
  const std::vector<JobSize> sizes = job_sizes(w.jobs[0], 1);
  REQUIRE(sizes.size() == 8);
  CHECK(sizes[0].nodes == 4);
  CHECK(sizes[1].nodes == 1);
  CHECK(sizes[1].runtime == whole_seconds(400));
  CHECK(sizes[1].limit == whole_seconds(800));
  CHECK(sizes[7].runtime == whole_seconds(100));
  for (const char* wrong :
       {"2", "2:", "0:5", "2:5,", "1-8 up", "1-8 linear 4", "8-1 downey 4 0", "1-8 downey 0.5 1", "2:5 x"}) {
    say(w, 0, "sizes", wrong);
    CHECK_THROWS_AS(job_sizes(w.jobs[0], 1), InputError);
  }
}

TEST_CASE("random moldable jobs under all invariants", "[workflow][property]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Workload w = random_workload(seed, 30, 6);
    std::mt19937 random(seed);
    for (std::size_t j = 0; j != w.jobs.size(); ++j) {
      if (random() % 2 != 0) continue;
      const std::string seconds = std::to_string(1 + random() % 20);
      say(w, j, "sizes", random() % 2 == 0 ? "1-8 downey 4 0.5" : std::to_string(1 + random() % 6) + ":" + seconds);
    }
    for (const Molding rule : {Molding::kAsked, Molding::kFitsNow, Molding::kEndsFirst})
      for (const QueueSchedulerOptions& options : {fcfs(), easy(), conservative()}) {
        INFO("seed " << seed);
        const Ran ran = run_molded(w, 6, options, rule);
        REQUIRE(ran.violations == std::vector<std::string>{});
      }
  }
}

}  // namespace workflow_test
