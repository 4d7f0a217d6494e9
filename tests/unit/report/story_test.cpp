// Stories of jobs: what must hold for every job of every run.
#include <algorithm>
#include <functional>

#include "case_range.h"
#include "observe/job_action_log.h"
#include "observe/story_recorder.h"
#include "report/explain/story_text.h"
#include "unit/sim_helpers.h"
#include "unit/slice_helpers.h"

namespace story_test {

using namespace coslice;
using namespace coslice::test;

namespace {

std::vector<JobIndex> all_jobs(const Workload& w) {
  std::vector<JobIndex> jobs;
  for (JobIndex j = 0; j != w.jobs.size(); ++j) jobs.push_back(j);
  return jobs;
}

/// Phases of waiting go from the submission to the start without a gap, none is empty, neighbours differ.
void check_phases(const JobStory& s) {
  Time at = s.submitted;
  for (const WaitPhase& p : s.phases) {
    CHECK(p.from == at);
    CHECK(p.to > p.from);
    CHECK(p.needed > 0);
    if (p.why == WaitReason::kNodes) CHECK(p.least < p.needed);
    if (p.why == WaitReason::kReservation || p.why == WaitReason::kOrder) CHECK(p.by != s.job);
    at = p.to;
  }
  CHECK(at == s.started);
}

void check_story(const JobStory& s, const RunResult& result) {
  const StoryContext context{&result, "tiny, random", {}, "", {}};
  const StoryText text = story_text(s, context);
  CHECK(text.head.size() == 2);
  CHECK(story_json(s, context).front() == '{');
  CHECK(s.submitted != kNever);
  if (s.rejected) return;
  CHECK(s.start_reasons == 1);
  CHECK(s.started == result.outcomes[s.job].start);
  CHECK(s.ended == result.outcomes[s.job].end);
  check_phases(s);
  for (const Passing& p : s.passings) {
    CHECK(p.at >= s.submitted);
    CHECK(p.at < s.started);
    CHECK(p.job != s.job);
    // A job that is backfilled past the first waiting one does not delay it.
    if (p.by_order) continue;
    if (p.reason == StartReason::kBackfilled && p.head != kNoJob) {
      const bool in_time = later(p.at, p.planned) <= p.head_start;
      CHECK((in_time || p.nodes <= p.extra));
    }
  }
}

struct Told {
  RunResult result;
  Workload workload;
  std::vector<JobStory> stories;
};

Told tell(const Workload& w, int nodes, const QueueSchedulerOptions& options, const EngineOptions& engine = {}) {
  Told told;
  told.workload = w;
  QueueScheduler scheduler(options);
  const MachineSpec machine{nodes};
  Recorder recorder(told.workload, machine);
  StoryRecorder stories(w.jobs.size(), all_jobs(w));
  Simulation simulation(machine, told.workload.jobs, scheduler, engine);
  simulation.add(recorder);
  simulation.add(stories);
  simulation.run();
  told.result = recorder.take();
  told.result.workload = &told.workload;
  told.stories = stories.take();
  return told;
}

}  // namespace

TEST_CASE("every job of random runs has one reason to start and a story without gaps", "[story][times]") {
  const std::vector<QueueSchedulerOptions> all = {
      fcfs(), easy(), easy(2), easy(1, 1), conservative(), conservative(CompressOrder::kReservedStart)};
  for (unsigned seed = 1; seed <= test::rounds(8U); ++seed) {
    const Workload w = random_workload(seed, 30, 8);
    for (const QueueSchedulerOptions& options : all) {
      for (const EventOrder order : {EventOrder::kEndsFirst, EventOrder::kSubmissionsFirst}) {
        EngineOptions engine;
        engine.event_order = order;
        const Told told = tell(w, 8, options, engine);
        QueueScheduler scheduler(options);
        CHECK(told.result.fingerprint == run(w, 8, scheduler, engine).result.fingerprint);
        for (const JobStory& s : told.stories) check_story(s, told.result);
      }
    }
  }
}

TEST_CASE("under first come, first served no job is passed; conservative reservations hold", "[story][times]") {
  for (unsigned seed = 1; seed <= test::rounds(20U); ++seed) {
    const Workload w = random_workload(seed, 30, 8);
    for (const JobStory& s : tell(w, 8, fcfs()).stories) CHECK(s.passings.empty());
    for (const JobStory& s : tell(w, 8, conservative()).stories) {
      for (const Passing& p : s.passings) CHECK(p.moved_to == kNever);
      if (s.started == s.submitted) continue;
      REQUIRE(!s.promises.empty());
      CHECK(s.promises.back().start == s.started);
      for (std::size_t i = 1; i < s.promises.size(); ++i) CHECK(s.promises[i].start < s.promises[i - 1].start);
    }
  }
}

/// Where nothing else held the job, the reservation that it had then did: it is for when the reason says. Whether it is
/// that.
bool check_conservative(const JobStory& s, const WaitPhase& p, const RunResult& result) {
  if (p.why != WaitReason::kOwnStart) {
    CHECK((p.why == WaitReason::kNodes || p.why == WaitReason::kReservation));
    return false;
  }
  CHECK_THAT(wait_reason_text(p, {&result, "", {}, "", {}}), Catch::Contains("but its own reservation was for "));
  CHECK(p.most >= p.needed);
  CHECK(p.by_start > p.from);
  const PromisedStart* held = nullptr;
  for (const PromisedStart& promise : s.promises)
    if (promise.at < p.to) held = &promise;
  REQUIRE(held != nullptr);
  CHECK(held->start == p.by_start);
  return true;
}

TEST_CASE("what held a job is the reason that says so", "[story][times]") {
  // A job that had enough nodes and did not start would have delayed another, under backfilling of any kind; but where
  // conservative backfilling lets each job move up in its turn, one of a later turn may leave it room (seed 73).
  int kept = 0;
  for (unsigned seed = 1; seed <= test::rounds(80U); ++seed) {
    const Workload w = random_workload(seed, 30, 8);
    for (const QueueSchedulerOptions& options : {easy(), easy(3)}) {
      for (const JobStory& s : tell(w, 8, options).stories)
        for (const WaitPhase& p : s.phases) CHECK((p.why == WaitReason::kNodes || p.why == WaitReason::kReservation));
    }
    for (const CompressOrder order : {CompressOrder::kQueue, CompressOrder::kReservedStart}) {
      const Told told = tell(w, 8, conservative(order));
      for (const JobStory& s : told.stories)
        for (const WaitPhase& p : s.phases) kept += check_conservative(s, p, told.result);
    }
    for (const JobStory& s : tell(w, 8, fcfs()).stories)
      for (const WaitPhase& p : s.phases) CHECK((p.why == WaitReason::kNodes || p.why == WaitReason::kOrder));
    for (const JobStory& s : tell(w, 8, easy(1, 1)).stories)
      for (const WaitPhase& p : s.phases) CHECK(p.why != WaitReason::kPolicy);
  }
  CHECK(kept > 0);
}

TEST_CASE("stories under time slices have no gaps either", "[story]") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Workload w = random_workload(seed, 40, 8);
    for (Job& j : w.jobs) {  // from seconds to minutes
      j.submit = Time{j.submit.time_since_epoch() * 60};
      j.runtime *= 700;
      j.limit *= 700;
    }
    for (const QueueSchedulerOptions& options : {conservative(), easy()}) {
      StoryRecorder recorder(w.jobs.size(), all_jobs(w));
      Sliced s = slice(w, 8, usual(), options, {}, {}, {&recorder});
      s.result.workload = &s.workload;
      const std::vector<JobStory> stories = recorder.take();
      std::int64_t stops = 0;
      for (const JobStory& story : stories) {
        check_story(story, s.result);
        for (const JobEvent& e : story.events) stops += e.kind == JobEvent::kSliceEnded || e.kind == JobEvent::kEvicted;
        for (const JobEvent& e : story.events) CHECK((e.kind != JobEvent::kEvicted || e.other != kNoJob));
      }
      CHECK(stops == s.counts.preemptions);
      std::int64_t evicted = 0;
      for (const JobStory& story : stories)
        evicted += std::count_if(story.events.begin(), story.events.end(),
                                 [](const JobEvent& e) { return e.kind == JobEvent::kEvicted; });
      CHECK(evicted == s.counts.evictions);
    }
  }
}

TEST_CASE("where two runs part", "[story]") {
  const auto actions = [](const QueueSchedulerOptions& options) {
    const Workload w = workload({{0, 3, 100}, {5, 3, 50}, {10, 4, 20}, {15, 1, 200}, {20, 1, 30}});
    QueueScheduler scheduler(options);
    JobActionLog log;
    Simulation simulation(MachineSpec{4}, w.jobs, scheduler, {});
    simulation.add(log);
    simulation.run();
    return log.actions();
  };
  CHECK(!find_divergence(actions(easy()), actions(easy())));
  const std::optional<Divergence> divergence = find_divergence(actions(easy()), actions(conservative()));
  REQUIRE(divergence);
  CHECK(divergence->at == Time{whole_seconds(15)});
  REQUIRE(divergence->only_a.size() == 1);
  CHECK(divergence->only_a.front().job == 3);
  CHECK(divergence->only_b.empty());
  CHECK(find_divergence({}, actions(easy()))->at == Time{});
  // The order within an instant does not count.
  std::vector<JobAction> turned = actions(fcfs());
  const auto same = std::adjacent_find(turned.begin(), turned.end(),
                                       [](const JobAction& a, const JobAction& b) { return a.at == b.at; });
  REQUIRE(same != turned.end());
  std::swap(*same, *(same + 1));
  CHECK(!find_divergence(turned, actions(fcfs())));
}

}  // namespace story_test
