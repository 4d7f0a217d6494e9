// Runs into which jobs come while they go on, and runs beside a machine that is not simulated: both decide as a run
// does that knows all jobs from the beginning and simulates the machine itself.
#include <map>
#include <set>

#include "observe/result_order.h"
#include "sim_helpers.h"

namespace outside_test {

using namespace coslice;
using namespace coslice::test;

namespace {

/// Lets some jobs come when it is their time, of which nobody knew.
class Registrar : public WrappedScheduler {
 public:
  Registrar(Scheduler& asked, JobInlet& inlet, std::vector<Job> later)
      : WrappedScheduler(&asked), inlet_(inlet), later_(std::move(later)) {
    inlet.stay_open(!later_.empty());
  }
  void begin(View& view) override {
    asked_->begin(view);
    come(view);
  }
  void schedule(View& view, const Pass& pass) override {
    come(view);
    asked_->schedule(view, pass);
  }

 private:
  void come(View& view) {
    for (; next_ != later_.size() && later_[next_].submit <= view.now(); ++next_) inlet_.add(later_[next_]);
    if (next_ != later_.size()) view.wake_at(later_[next_].submit);
    inlet_.stay_open(next_ != later_.size());
  }

  JobInlet& inlet_;
  std::vector<Job> later_;
  std::size_t next_ = 0;
};

/// A machine on which jobs end as their run times and limits say.
class PlayedMachine : public OutsideMachine, public Observer {
 public:
  explicit PlayedMachine(const Workload& workload) : jobs_(workload.jobs), starts_(jobs_.size(), kNever) {}

  std::optional<Happened> wait(Time next) override {
    Time t = std::min(next, come_ == jobs_.size() ? kNever : jobs_[come_].submit);
    if (!ends_.empty()) t = std::min(t, ends_.begin()->first.first);
    if (t == kNever) return std::nullopt;
    Happened happened;
    happened.now = t;
    for (; !ends_.empty() && ends_.begin()->first.first <= t; ends_.erase(ends_.begin()))
      happened.ended.push_back(ends_.begin()->second);
    for (; come_ != jobs_.size() && jobs_[come_].submit <= t; ++come_) {
      Job job = jobs_[come_];
      job.runtime = job.limit;  // it is not known
      happened.jobs.push_back(job);
    }
    return happened;
  }
  void kill(JobIndex) override { FAIL("nobody kills"); }
  void started(Time now, JobIndex j, const NodeRanges& nodes) override {
    starts_[j] = now;
    nodes_[j] = nodes.str();
    const Job& job = jobs_[j];
    ends_[{later(now, std::min(job.runtime, job.limit)), started_++}] = {j, job.runtime > job.limit};
  }
  const std::vector<Time>& starts() const { return starts_; }
  const std::map<JobIndex, std::string>& nodes() const { return nodes_; }

 private:
  std::vector<Job> jobs_;
  std::size_t come_ = 0, started_ = 0;
  std::map<std::pair<Time, std::size_t>, Happened::End> ends_;
  std::vector<Time> starts_;
  std::map<JobIndex, std::string> nodes_;
};

const QueueSchedulerOptions kWays[] = {fcfs(), easy(), easy(2), conservative()};

}  // namespace

TEST_CASE("jobs that come in a run are scheduled as those that were known", "[outside]") {
  for (unsigned seed = 0; seed != 150; ++seed) {
    CAPTURE(seed);
    const QueueSchedulerOptions& way = kWays[seed % std::size(kWays)];
    const Workload all = random_workload(seed, 40, 8);
    // All that come are behind those that were known: a queue has jobs with equal keys in the order of their indices.
    Workload known = all;
    known.jobs.resize(1 + seed % 39);
    const std::vector<Job> later(all.jobs.begin() + static_cast<std::ptrdiff_t>(known.jobs.size()), all.jobs.end());

    const Ran listed = run(all, 8, way);
    QueueScheduler asked(way);
    JobInlet inlet;
    Registrar registrar(asked, inlet, later);
    Recorder recorder(known, MachineSpec{8});
    Simulation simulation(MachineSpec{8}, known.jobs, registrar, {});
    simulation.add(recorder);
    simulation.let_in(inlet, known.jobs);
    simulation.run();
    RunResult result = recorder.take();
    REQUIRE(known.jobs.size() == all.jobs.size());
    order_by_submission(result, known);
    for (std::size_t j = 0; j != all.jobs.size(); ++j) {
      CHECK(known.jobs[j].id == all.jobs[j].id);
      CHECK(result.outcomes[j].start == listed.result.outcomes[j].start);
      CHECK(result.outcomes[j].end == listed.result.outcomes[j].end);
      CHECK(result.outcomes[j].state == listed.result.outcomes[j].state);
    }
  }
}

TEST_CASE("a run beside a machine outside decides as one that simulates it", "[outside]") {
  for (unsigned seed = 0; seed != 150; ++seed) {
    CAPTURE(seed);
    const QueueSchedulerOptions& way = kWays[seed % std::size(kWays)];
    const Workload drawn = random_workload(seed + 1000, 40, 8);
    const Ran inside = run(drawn, 8, way);
    PlayedMachine outside(drawn);
    QueueScheduler asked(way);
    SimulationResources resources;
    resources.start = drawn.jobs.front().submit;
    const OutageOptions outages;
    std::vector<Job> jobs;
    Simulation simulation(MachineSpec{8}, jobs, asked, {}, resources, &outages);
    simulation.add(outside);
    simulation.go_beside(outside, jobs);
    simulation.run();
    REQUIRE(jobs.size() == drawn.jobs.size());
    for (JobIndex j = 0; j != jobs.size(); ++j) {
      const Outcome& outcome = inside.result.outcomes[j];
      CHECK(outside.starts()[j] == outcome.start);
      CHECK(outside.nodes().at(j) == inside.result.archive.get(outcome.nodes).str());
    }
  }
}

TEST_CASE("a job that is there beyond its limit keeps its nodes", "[outside]") {
  /// Ends the first job 100 s after its limit, which is 10 s.
  class Late : public OutsideMachine, public Observer {
   public:
    std::optional<Happened> wait(Time) override {
      Happened happened;
      const int step = step_++;
      if (step == 0) happened.jobs = workload({{0, 3, 10, 10}, {0, 2, 10, 10}}).jobs;
      if (step == 1) happened.now = at_seconds(10);
      if (step == 2) happened.now = at_seconds(11);
      if (step == 3) happened.now = at_seconds(110), happened.ended = {{0, true}};
      if (step == 4) happened.now = at_seconds(120), happened.ended = {{1, false}};
      return step == 5 ? std::nullopt : std::optional(happened);
    }
    void kill(JobIndex) override {}
    void started(Time now, JobIndex, const NodeRanges&) override { starts.push_back(now); }
    std::vector<Time> starts;

   private:
    int step_ = 0;
  } late;
  for (const QueueSchedulerOptions& way : kWays) {
    late = {};
    QueueScheduler asked(way);
    const OutageOptions outages;
    std::vector<Job> jobs;
    SimulationResources resources;
    resources.start = Time{};
    Simulation simulation(MachineSpec{4}, jobs, asked, {}, resources, &outages);
    simulation.add(late);
    simulation.go_beside(late, jobs);
    simulation.run();
    CHECK(late.starts == std::vector<Time>{Time{}, at_seconds(110)});
  }
}

}  // namespace outside_test
