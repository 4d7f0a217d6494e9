// Jobs under time slices that their policies stop.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "case_range.h"
#include "catch.h"
#include "events/event_queues.h"
#include "resource_cases.h"
#include "schedule/preemption.h"
#include "schedule/view.h"
#include "unit/sliced_cases.h"
#include "unit/watched_run.h"

namespace sliced_stop_test {

using namespace coslice;
using test::job_of;

namespace {

using How = StopOrder::How;
using Seconds = std::vector<double>;
using Meddle = std::function<void(View&, const Pass&)>;

/// The ready-made scheduler, with something done before and after each of its passes.
class SlicedMeddler : public QueueScheduler {
 public:
  SlicedMeddler(Backfill backfill, const Meddle& before, const Meddle& after)
      : QueueScheduler(options(backfill)), before_(before), after_(after) {}

  void schedule(View& view, const Pass& pass) override {
    before_(view, pass);
    QueueScheduler::schedule(view, {pass.submitted, true, pass.due, pass.corrected});
    if (after_) after_(view, pass);
  }

 private:
  static QueueSchedulerOptions options(Backfill backfill) {
    QueueSchedulerOptions o;
    o.backfill = backfill;
    return o;
  }
  const Meddle& before_;
  const Meddle& after_;
};

struct Stopped {
  std::vector<std::string> violations;
  RunResult result;
  SliceCounts counts;

  Seconds starts() const { return times(&Outcome::start); }
  Seconds ends() const { return times(&Outcome::end); }

 private:
  Seconds times(Time Outcome::*of) const {
    Seconds all;
    for (const Outcome& o : result.outcomes) all.push_back(o.*of == kNever ? -1 : to_seconds(o.*of));
    return all;
  }
};

struct StopCase {
  MachineSpec machine{1};
  SliceOptions slices;
  Backfill backfill = Backfill::kEasy;
  EngineOptions engine{};
  const OutageOptions* outages = nullptr;
  const ContentionOptions* contention = nullptr;
  Meddle after{};
};

Stopped run_meddled(const StopCase& c, const Workload& workload, const Meddle& before) {
  std::vector<std::unique_ptr<SlicedMeddler>> schedulers;
  std::vector<Scheduler*> pointers;
  for (std::size_t i = 0; i != c.slices.classes.size(); ++i)
    pointers.push_back(schedulers.emplace_back(std::make_unique<SlicedMeddler>(c.backfill, before, c.after)).get());
  Simulation simulation(c.machine, workload.jobs, pointers, c.slices, c.engine, {},
                        {&workload.requests, {}, c.contention}, c.outages);
  InvariantOptions kept;
  kept.checkpoints = c.outages != nullptr && c.outages->checkpoints.interval > Duration{0};
  InvariantChecker invariants(c.machine, workload.jobs, c.engine, kept);
  Recorder recorder(workload, c.machine);
  std::optional<ResourceInvariants> resources;
  simulation.add(invariants);
  simulation.add(recorder);
  if (c.machine.layout != nullptr)
    simulation.add(resources.emplace(c.machine, workload.jobs, workload.requests, ResourceInvariants::Speeds::kVary));
  simulation.run();
  invariants.finish();
  Stopped ran{invariants.violations(), recorder.take(), simulation.counts()};
  if (resources)
    ran.violations.insert(ran.violations.end(), resources->violations().begin(), resources->violations().end());
  return ran;
}

/// Of 200 s, jobs of up to 5 s have the first half and others the second.
SliceOptions halves_to_stop_in() {
  SliceOptions o = sliced::two_classes(200, 5);
  o.nodes = NodeChoice::kFirstFree;
  return o;
}

StopOrder order_to(How how, int grace = 0, FinalCheckpoint checkpoint = {}) {
  StopOrder order;
  order.how = how;
  order.grace = whole_seconds(grace);
  order.checkpoint = checkpoint;
  return order;
}

/// Does that once in a pass of the second class at that instant of the wall clock, in a slice of its own.
Meddle at_wall(int when, std::function<void(View&)> act) {
  return [when, act = std::move(act), done = false](View& view, const Pass&) mutable {
    if (done || sliced_host(view)->class_of(view) != 1) return;
    const Time t = at_seconds(when);
    if (view.wall_now() < t) return view.wake_at(later(view.now(), t - view.wall_now()));
    done = true;
    act(view);
  };
}

/// The first job is stopped at that instant.
Stopped stop_first(int when, const std::vector<Job>& jobs, const StopOrder& order, int nodes = 1,
                   SliceOptions slices = halves_to_stop_in()) {
  const StopCase c{MachineSpec{nodes}, std::move(slices)};
  const Stopped ran = run_meddled(c, test::workload_of(jobs), at_wall(when, [&](View& view) {
                                    StartedJob* const job = view.find_started(0);
                                    REQUIRE(job != nullptr);
                                    view.stop(*job, order);
                                  }));
  CHECK(ran.violations == std::vector<std::string>{});
  return ran;
}

double lost(const Stopped& ran) { return to_seconds(ran.result.interrupted.at(0).lost); }
double away_for(const Stopped& ran) { return to_seconds(ran.result.interrupted.at(0).preempted); }

}  // namespace

TEST_CASE("under slices a job that is requeued waits again in its class", "[slices][preemption]") {
  const std::vector<Job> jobs = {job_of(1, 0, 1, 150), job_of(2, 0, 1, 120)};
  // The first one runs from 100 on. The second one, which the same pass starts, goes on at 300 and ends at 350.
  const Stopped ran = stop_first(130, jobs, order_to(How::kRequeue));
  CHECK(ran.starts() == Seconds{350, 130});
  CHECK(ran.ends() == Seconds{600, 350});
  CHECK(lost(ran) == 30);
  CHECK(ran.result.interrupted[0].by == InterruptedBy::kPolicy);
  const Stopped killed = stop_first(130, jobs, order_to(How::kCancel));
  CHECK(killed.ends() == Seconds{130, 350});
  CHECK(killed.result.outcomes[0].state == FinalState::kCancelled);
}

TEST_CASE("a grace passes on the wall clock, whatever slice it is", "[slices][preemption]") {
  const std::vector<Job> jobs = {job_of(1, 0, 1, 500), job_of(2, 0, 1, 120)};
  // Over in the slice of others, at its very beginning, when the own one begins again, and after that.
  Stopped ran = stop_first(180, jobs, order_to(How::kCancel, 50));
  CHECK(ran.ends() == Seconds{230, 520});
  CHECK(lost(ran) == 100);
  CHECK(away_for(ran) == 30);
  CHECK(ran.counts.preemptions == 2);
  ran = stop_first(180, jobs, order_to(How::kCancel, 20));
  CHECK(ran.ends() == Seconds{200, 520});
  CHECK(away_for(ran) == 0);
  CHECK(ran.counts.preemptions == 1);  // it stops before its slice ends
  CHECK(stop_first(180, jobs, order_to(How::kCancel, 120)).ends() == Seconds{300, 520});
  ran = stop_first(180, jobs, order_to(How::kCancel, 130));
  CHECK(ran.starts() == Seconds{100, 310});
  CHECK(lost(ran) == 110);
  // One that ends in its grace, at its very end too, has ended.
  ran = stop_first(180, {job_of(1, 0, 1, 110)}, order_to(How::kRequeue, 130));
  CHECK(ran.ends() == Seconds{310});
  CHECK(ran.result.interrupted.empty());
}

TEST_CASE("what a job holds until its grace is over is known in its slice", "[slices][preemption]") {
  // Job 2 needs both nodes. At 110, job 1 is to stop at 140: job 2 is expected then, so that job 3 (until 150) would
  // delay it and job 4 (until 140) does not.
  const std::vector<Job> jobs = {job_of(1, 0, 1, 90), job_of(2, 105, 2, 10), job_of(3, 110, 1, 40),
                                 job_of(4, 110, 1, 30)};
  CHECK(stop_first(110, jobs, order_to(How::kCancel, 30), 2).starts() == Seconds{100, 140, 150, 110});
  // Beyond the slice it is not: job 1 is believed to end at 190 of this slice until it has stopped.
  CHECK(stop_first(110, jobs, order_to(How::kCancel, 100), 2).starts() == Seconds{100, 190, 110, 150});
}

TEST_CASE("a checkpoint is written in the last part of a run, if no slice ends in it", "[slices][preemption]") {
  const std::vector<Job> jobs = {job_of(1, 0, 1, 150)};
  const FinalCheckpoint costs{whole_seconds(5), whole_seconds(2)};
  // 30 s are done; 120 and 2 for reading it remain: 65 of them in this slice.
  Stopped ran = stop_first(130, jobs, order_to(How::kCheckpoint, 0, costs));
  CHECK(ran.starts() == Seconds{135});
  CHECK(ran.ends() == Seconds{357});
  CHECK(lost(ran) == 0);
  // Written when the slice ends, and cut off by that.
  CHECK(stop_first(195, jobs, order_to(How::kCheckpoint, 0, costs)).ends() == Seconds{357});
  ran = stop_first(198, jobs, order_to(How::kCheckpoint, 0, costs));
  CHECK(ran.ends() == Seconds{550});
  CHECK(lost(ran) == 100);
  // In the next slice there is time for it, or not quite.
  CHECK(stop_first(180, jobs, order_to(How::kCheckpoint, 125, costs)).ends() == Seconds{357});
  ran = stop_first(180, jobs, order_to(How::kCheckpoint, 124, costs));
  CHECK(ran.ends() == Seconds{554});
  CHECK(lost(ran) == 104);
}

TEST_CASE("a policy may stop a job that stands still", "[slices][preemption]") {
  // In the pass for job 2, which comes in the slice of others.
  bool done = false;
  const Stopped ran =
      run_meddled({MachineSpec{1}, halves_to_stop_in()},
                  test::workload_of({job_of(1, 0, 1, 500), job_of(2, 250, 1, 50)}), [&](View& view, const Pass&) {
                    StartedJob* const job = view.find_started(0);
                    if (view.wall_now() < at_seconds(250) || std::exchange(done, true)) return;
                    REQUIRE(job != nullptr);
                    CHECK(job->phase == Phase::kPreempted);
                    CHECK(sliced_host(view)->done(*job) == whole_seconds(100));
                    view.stop(*job, order_to(How::kCancel));
                  });
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.ends() == Seconds{250, 350});
}

TEST_CASE("a job that is refused leaves its class", "[slices][preemption]") {
  const Stopped ran =
      run_meddled({MachineSpec{1}, halves_to_stop_in()}, test::workload_of({job_of(1, 0, 1, 50), job_of(2, 10, 1, 50)}),
                  [](View& view, const Pass&) {
                    if (!view.queue().empty() && view.queue().job(view.queue().first()) == 0)
                      view.refuse(view.queue().first());
                  });
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.starts() == Seconds{-1, 100});
  CHECK(ran.result.outcomes[0].state == FinalState::kRejected);
}

namespace {

/// On two nodes, the first one with a long job, the other one with a job of the other class that comes at 110: which of
/// the long class would have to stop at 120 so that a job of two nodes can start.
std::size_t victims_beside(int foreign_runtime) {
  SliceOptions slices = sliced::two_classes(200, 100);
  slices.nodes = NodeChoice::kFirstFree;
  slices.foreign = ForeignJobs::kSafe;
  std::size_t found = 0;
  const Stopped ran = run_meddled(
      {MachineSpec{2}, slices},
      test::workload_of({job_of(1, 100, 1, 150), job_of(2, 110, 1, foreign_runtime), job_of(3, 120, 2, 110)}),
      at_wall(120, [&](View& view) {
        const std::vector<StartedJob*> victims = choose_victims(view, view.queue().first(), {view.find_started(0)});
        found = victims.size();
        for (StartedJob* job : victims) view.stop(*job, order_to(How::kCancel));
        CHECK(view.start_first(view.queue().first(), StartReason::kPolicy) == !victims.empty());
      }));
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.starts()[2] == (found == 0 ? 250 : 120));  // the first one goes on in the slice of others
  return found;
}

}  // namespace

TEST_CASE("jobs are stopped beside those of other classes", "[slices][preemption]") {
  CHECK(victims_beside(40) == 0);   // it finishes in the slice and stays: then there is one node only
  CHECK(victims_beside(100) == 1);  // it does not, and makes way
}

// --- at random

namespace {

struct SeenStops {
  std::size_t stopped = 0, preempted = 0, saved = 0, victims = 0, refused = 0;
};

/// Stops, refuses and preempts now and then, at most so often that each run ends.
class RandomStops {
 public:
  RandomStops(std::uint64_t seed, SeenStops& seen) : dice_(seed), seen_(seen) {}

  void act(View& view, const Pass& pass) {
    stop_some(view, pass);
    if (left_ > 0 && pass.due && dice_.one_in(3)) preempt(view);
  }

  void stop_some(View& view, const Pass&) {
    if (left_ == 0) return;
    for (const JobIndex j : started(view)) {
      StartedJob* const job = view.find_started(j);
      if (job != nullptr && left_ > 0 && dice_.one_in(5)) stop(view, *job, drawn());
    }
    if (left_ > 0 && !view.queue().empty() && dice_.one_in(25)) {
      --left_;
      ++seen_.refused;
      view.refuse(view.queue().first());
    }
  }

 private:
  static std::vector<JobIndex> started(const View& view) {
    std::vector<JobIndex> all;
    for (const StartedJob& job : view.started()) all.push_back(job.index);
    return all;
  }

  StopOrder drawn() {
    StopOrder order = order_to(static_cast<How>(dice_.from(0, 2)), dice_.one_in(2) ? 0 : dice_.from(1, 9));
    if (order.how == How::kCheckpoint)
      order.checkpoint = {whole_seconds(dice_.from(0, 2)), whole_seconds(dice_.from(0, 1))};
    return order;
  }

  void stop(View& view, StartedJob& job, const StopOrder& order) {
    --left_;
    ++seen_.stopped;
    view.stop(job, order);
  }

  /// As view:preempt does, for any waiting job.
  void preempt(View& view) {
    const auto waiting = [&] {
      for (View::Position p = view.queue().first(); p < view.queue().end(); p = view.queue().next(p))
        if (dice_.one_in(2)) return p;
      return view.queue().end();
    }();
    if (waiting >= view.queue().end() || !sliced_host(view)->is_open(view)) return;
    const JobIndex j = view.queue().job(waiting);
    if (view.start_first(waiting, StartReason::kPolicy)) return;
    std::vector<StartedJob*> candidates;
    for (StartedJob& job : static_cast<HostedView&>(view).started_jobs())
      if (job.leaves == kNever && job.phase != Phase::kPreempted && dice_.one_in(2)) candidates.push_back(&job);
    view.unshield();
    if (candidates.empty()) return;
    const std::vector<StartedJob*> victims = choose_victims(view, position(view, j), candidates);
    seen_.victims += victims.size();
    const StopOrder order = drawn();
    for (StartedJob* job : victims) stop(view, *job, order);
    const bool at_once = time_of_stop(Time{}, order) == Time{};
    const bool starts = view.start_first(position(view, j), StartReason::kPolicy);
    if (!victims.empty() && at_once && !starts && view.available().by_count())
      throw SimulationError("the victims were not enough");
  }

  static View::Position position(const View& view, JobIndex j) {
    View::Position p = view.queue().first();
    while (view.queue().job(p) != j) p = view.queue().next(p);
    return p;
  }

  cases::Dice dice_;
  SeenStops& seen_;
  std::int32_t left_ = 25;
};

/// Heterogeneous machines and equal ones; what is wrong, "" if nothing is.
std::string wrong_with_stops(std::uint64_t seed, SeenStops& seen) {
  const bool equal = seed % 2 == 0;
  cases::Case drawn = equal || seed % 5 == 4 ? cases::random_case(seed, true) : twin::crowded_case(seed);
  cases::Dice dice(seed + 5'000'000);
  StopCase c{drawn.machine, sliced::draw_slices(seed, dice.one_in(3))};
  if (equal) {
    c.machine = MachineSpec{drawn.machine.nodes};
    for (Job& job : drawn.workload.jobs) {
      job.request = kNoRequest;
      job.size = dice.from(1, c.machine.nodes);
    }
  }
  c.backfill = static_cast<Backfill>(dice.from(0, 2));
  c.engine.at_limit = dice.one_in(2) ? AtLimit::kExtend : AtLimit::kKill;
  const twin::HashedSlowdowns slowdowns(seed);
  const ContentionOptions contention{&slowdowns, ContentionOptions::Among::kNode, ContentionOptions::Combine::kProduct};
  if (!equal && dice.one_in(3)) c.contention = &contention;
  OutageOptions outages;
  if (dice.one_in(3)) {
    const int from = dice.from(0, 30);
    outages.plan.listed.push_back({at_seconds(from), at_seconds(from + dice.from(1, 20)),
                                   as_ranges({dice.from(0, c.machine.nodes - 1)}),
                                   dice.one_in(2) ? OutageKind::kDrain : OutageKind::kFailure});
    if (dice.one_in(2)) outages.checkpoints = {whole_seconds(2), whole_seconds(1), whole_seconds(1)};
    c.outages = &outages;
  }
  RandomStops stops(seed, seen);
  const Meddle act = [&](View& view, const Pass& pass) { stops.act(view, pass); };
  if (dice.one_in(3)) c.after = [&](View& view, const Pass& pass) { stops.stop_some(view, pass); };
  try {
    const Stopped ran = run_meddled(c, drawn.workload, act);
    for (const InterruptedRun& run : ran.result.interrupted) {
      if (run.by != InterruptedBy::kPolicy) continue;
      seen.preempted += run.preempted > Duration{0};
      seen.saved += run.requeued && run.lost == Duration{0};
    }
    return ran.violations.empty() ? "" : ran.violations.front();
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("under slices policies stop, preempt and refuse jobs", "[slices][preemption][property]") {
  SeenStops seen;
  for (std::uint64_t seed = 0; seed != 1000; ++seed) {
    INFO("seed " << seed);
    REQUIRE(wrong_with_stops(seed, seen) == "");
  }
  CHECK(seen.stopped > 3000);
  CHECK(seen.preempted > 100);
  CHECK(seen.saved > 100);
  CHECK(seen.victims > 200);
  CHECK(seen.refused > 200);
}

TEST_CASE("under slices policies stop, preempt and refuse jobs, at length", "[.][at_length][slices][preemption]") {
  SeenStops seen;
  for (const std::uint64_t seed : test::cases_at_length(1000, 30'000)) {
    INFO("seed " << seed);
    REQUIRE(wrong_with_stops(seed, seen) == "");
  }
}

}  // namespace sliced_stop_test
