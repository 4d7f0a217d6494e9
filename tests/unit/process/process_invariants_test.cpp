// What must hold whatever a coscheduling policy does: nothing is lost, nothing is in two places, no job waits for ever.
#include "catch.h"

#include <array>

#include "machine/machine_spec.h"
#include "observe/picture_recorder.h"
#include "observe/use_invariants.h"
#include "process_scenes.h"

namespace process_invariants_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

/// Checks what it is told of each processor, and adds it up.
class Witness : public ProcessorWatch {
 public:
  explicit Witness(std::int32_t processors) : until_(static_cast<std::size_t>(processors), 0) {}
  void did(std::int32_t processor, Activity what, JobIndex, Ns from, Ns to) override {
    Ns& until = until_[static_cast<std::size_t>(processor)];
    if (from < until || to <= from) ++overlaps_;
    until = to;
    sums_[static_cast<std::size_t>(what)] += to - from;
  }
  int overlaps() const { return overlaps_; }
  Duration sum(Activity what) const { return Duration{sums_[static_cast<std::size_t>(what)]}; }

 private:
  std::vector<Ns> until_;
  std::array<Ns, 4> sums_{};
  int overlaps_ = 0;
};

ProcessSimulationOptions exactly() {
  ProcessSimulationOptions options;
  options.path = ProcessPath::kExact;
  return options;
}

/// Processor time that the jobs of a scene without jitter need.
Duration work_of(const Scene& scene) {
  Duration all{0};
  for (const ProcessJob& j : scene.jobs) {
    const Program& p = scene.programs[static_cast<std::size_t>(j.program)];
    for (std::int32_t rank = 0; rank < j.size; ++rank) all += p.busy_of(rank) * j.iterations;
  }
  return all;
}

std::vector<Time> ends_of(const Scene& scene, Coscheduler& coscheduler,
                          const ProcessSimulationOptions& options = exactly()) {
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, coscheduler, options);
  simulation.run();
  return simulation.ends();
}

/// Complaints about two jobs that ask alike, of so many processes each, that are on these nodes at once. Nodes 0 and 1
/// have 4 cores, 1 GPU and 1,000 MiB, node 2 has 4 cores; a partition has nodes 1 and 2.
std::vector<std::string> complaints(const Request& request, std::int32_t size, const std::vector<NodeId>& nodes,
                                    const std::vector<NodeId>& others, std::int32_t partition = -1) {
  NodeKindSpec large, small;
  large.name = "large";
  large.count = 2;
  large.cores = small.cores = 4;
  large.memory_mib = 1000;
  large.gpus = 1;
  small.name = "small";
  small.count = 1;
  LayoutSpec layout;
  layout.kinds = {large, small};
  PartitionSpec part;
  part.name = "part";
  part.nodes = {"large2", "small"};
  layout.partitions = {part};
  MachineSpec machine{3};
  set_layout(machine, make_layout(layout));
  RequestTable requests;
  std::vector<Job> jobs(2);
  for (Job& job : jobs) {
    job.id = &job - jobs.data() + 1;
    job.size = size;
    job.request = requests.intern(request);
  }
  ProcessUseInvariants use(machine, jobs, requests);
  const std::vector<NodeId>* of[] = {&nodes, &others};
  for (JobIndex j = 0; j != 2; ++j) {
    use.placed(Time{}, j, {}, partition);
    use.started(Time{}, j, as_ranges(*of[j]));
  }
  use.settled({Time{}, 0, 0, 0, 0});
  use.ended(Time{}, 0, as_ranges(nodes), false);
  use.settled({Time{Duration{1}}, 0, 0, 0, 0});
  return use.violations();
}

}  // namespace

TEST_CASE("more memory or GPUs than a node has are found, whosever turn it is", "[process]") {
  Request r;
  r.memory_mib = 500;
  CHECK(complaints(r, 4, {0}, {0}).empty());
  r.memory_mib = 501;
  CHECK(complaints(r, 4, {0}, {1}).empty());
  REQUIRE(complaints(r, 4, {0}, {0}).size() == 1);
  CHECK(complaints(r, 4, {0}, {0}).front().find("node 0 has not so much memory") != std::string::npos);
  r.nodes = 2;
  CHECK(complaints(r, 8, {0, 1}, {0, 1}).size() == 2);
  CHECK(complaints(r, 4, {0, 1}, {0, 1}).empty());  // one of its four may be there alone
  Request g;
  g.gpus = 1;
  g.gpu_share = 500;
  CHECK(complaints(g, 4, {0}, {0}).empty());
  g.gpu_share = 750;
  REQUIRE(complaints(g, 4, {1}, {1}).size() == 1);
  CHECK(complaints(g, 4, {1}, {1}).front().find("node 1 has not so much of GPUs") != std::string::npos);
  CHECK(complaints(g, 4, {2}, {0}).front().find("node 2, which has not what it asks for") != std::string::npos);
  REQUIRE(complaints(Request{}, 4, {0}, {1}, 0).size() == 1);
  CHECK(complaints(Request{}, 4, {0}, {1}, 0).front().find("node 0, which is not of its partition") !=
        std::string::npos);
  CHECK(complaints(Request{}, 4, {1}, {2}, 0).empty());
}

TEST_CASE("on random scenes all end, work is conserved, and a processor does one thing at a time", "[process]") {
  RandomStream random(23, "invariants");
  for (int round = 0; round < 60; ++round) {
    Scene scene = random_scene(random);
    for (Program& p : scene.programs) p.jitter = p.moving = 0;
    Costs costs;
    costs.slice =
        ms(static_cast<double>(random.uniform_int(5, 120)));  // above all costs of a switch, else nothing gets on
    costs.quantum = ms(random.uniform(0.05, 10));
    costs.spin = us(static_cast<double>(random.uniform_int(0, 300)));
    const auto rows = static_cast<std::int32_t>(random.uniform_int(1, 5));
    for (int which = 0; which < kPolicies; ++which) {
      CAPTURE(round, which, rows);
      const auto coscheduler = policy(which, rows, costs);
      Witness witness(scene.processors);
      ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, *coscheduler, exactly());
      simulation.watch(witness);
      simulation.run();
      for (const Time end : simulation.ends()) CHECK(end != kNever);
      const ProcessAccount account = simulation.record().account;
      CHECK(witness.overlaps() == 0);
      CHECK(account.computing == work_of(scene));
      CHECK(witness.sum(Activity::kComputing) == account.computing);
      CHECK(witness.sum(Activity::kPolling) == account.polling);
      CHECK(witness.sum(Activity::kSwitching) == account.switching);
      CHECK(witness.sum(Activity::kBlocked) == account.blocked);
    }
  }
}

TEST_CASE("a job that ends while others wait for messages lets them go on", "[process]") {
  // Job 0 takes half of the processors of job 1, whose others wait for them; from its end on, job 1 is alone.
  const Scene scene{
      4, {program({ms(5)}, Pattern::kNone), program({ms(1)}, Pattern::kRing)}, {job(2, 0, 20), job(4, 1, 1000)}};
  for (int which = 1; which < kPolicies; ++which) {
    CAPTURE(which);
    const std::vector<Time> ends = ends_of(scene, *policy(which, 2, Costs{}));
    const Duration alone = us(1060) * 1000;
    CHECK(ends[1] - ends[0] <= alone);
    CHECK(ends[1] - Time{} >= alone);
    CHECK(ends[1] - Time{} <= alone + ms(100) + ms(150));
  }
}

TEST_CASE("odd parameters: one process, no work, endless quanta, one row, no spinning", "[process]") {
  Costs odd;
  odd.quantum = whole_seconds(1000);
  odd.spin = Duration{0};
  odd.dispatch = odd.gang_switch = odd.fcs_switch = Duration{0};
  Program nothing = program({Duration{0}}, Pattern::kRing);
  Program free_of_cost = nothing;
  free_of_cost.communication = {Duration{0}, Duration{0}, Duration{1}};
  Program some_idle = program({ms(1), Duration{0}}, Pattern::kNone);
  for (const Program& p :
       {nothing, free_of_cost, some_idle, program({ms(1)}, Pattern::kRing), program({ms(1)}, Pattern::kBarrier)}) {
    for (const std::int32_t size : {1, 2, 3}) {
      const Scene scene{3, {p}, {job(size, 0, 50), job(1, 0, 1), job(size, 0, 50)}};
      for (const std::int32_t rows : {1, 3}) {
        for (int which = 0; which < kPolicies; ++which) {
          for (const ProcessPath path : {ProcessPath::kExact, ProcessPath::kClosed, ProcessPath::kFast}) {
            CAPTURE(static_cast<int>(p.pattern), size, rows, which, static_cast<int>(path));
            ProcessSimulationOptions options;
            options.path = path;
            for (const Time end : ends_of(scene, *policy(which, rows, odd), options)) CHECK(end != kNever);
          }
        }
      }
    }
  }
}

TEST_CASE("a job with more processes than there are processors is rejected, and the others run", "[process]") {
  const Scene scene{2, {program({ms(1)}, Pattern::kRing)}, {job(3, 0, 10), job(2, 0, 10)}};
  Gang gang(2, Costs{});
  const std::vector<Time> ends = ends_of(scene, gang);
  CHECK(ends[0] == kNever);
  CHECK(ends[1] == Time{ms(2.2) + us(1060) * 10});
}

TEST_CASE("jobs enter where their processes fit into the memory of the nodes", "[process]") {
  // Two nodes of two processors, 100 KB each.
  Scene scene{4,
              {program({ms(10)}, Pattern::kNone)},
              {job(4, 0, 100), job(4, 0, 10), job(2, 0, 10), job(2, 0, 1000), job(1, 0, 10)}};
  for (ProcessJob& j : scene.jobs) j.estimate = ms(10) * j.iterations;
  scene.jobs[0].memory_kb = 40;   // 80 of 100 on each node
  scene.jobs[1].memory_kb = 20;   // waits for it
  scene.jobs[2].memory_kb = 20;   // one process a node, and gone before job 0 is believed to be
  scene.jobs[3].memory_kb = 5;    // would fit, but not be gone by then
  scene.jobs[4].memory_kb = 101;  // never fits
  ProcessSimulationOptions options;
  options.path = ProcessPath::kExact;
  options.processors_per_node = 2;
  options.memory_kb = 100;
  Gang gang(3, Costs{});
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, gang, options);
  simulation.run();
  const std::vector<Time>&starts = simulation.starts(), &ends = simulation.ends();
  CHECK(starts[0] == Time{});
  CHECK(starts[2] == Time{});
  CHECK(starts[1] == ends[0]);
  CHECK(starts[3] >= starts[1]);
  CHECK(starts[4] == kNever);
}

TEST_CASE("a policy that lets no process run is an error", "[process]") {
  class RunsNothing : public Batch {
   public:
    explicit RunsNothing(Duration slice) {
      rules_.slice = slice;
      rules_.modes[0].exclusive = false;
      rules_.modes[0].priority = {-1};
    }
  };
  const Scene scene{1, {program({ms(1)}, Pattern::kRing)}, {job(1, 0, 10)}};
  for (const ProcessPath path : {ProcessPath::kExact, ProcessPath::kClosed, ProcessPath::kFast}) {
    ProcessSimulationOptions options;
    options.path = path;
    for (const Duration slice : {Duration{0}, ms(1)}) {
      RunsNothing policy(slice);
      CHECK_THROWS_WITH(ends_of(scene, policy, options), Catch::Contains("never run"));
    }
  }
}

TEST_CASE("a picture shows what took most of each column", "[process]") {
  ProcessorPicture picture(2, Time{ms(10)}, Time{ms(20)}, 10);
  const auto did = [&](std::int32_t processor, Activity what, JobIndex job, double from, double to) {
    picture.did(processor, what, job, ms(from).count(), ms(to).count());
  };
  did(0, Activity::kComputing, 0, 5, 12.4);
  did(0, Activity::kSwitching, 1, 12.4, 13);
  did(0, Activity::kPolling, 1, 13, 25);
  did(1, Activity::kBlocked, kNoJob, 14.6, 15.3);  // less than half of two columns
  const auto stretches = picture.stretches();
  REQUIRE(stretches.size() == 3);
  CHECK((stretches[0].from == 0 && stretches[0].to == 2 && stretches[0].what == Activity::kComputing));
  CHECK((stretches[1].from == 2 && stretches[1].to == 3 && stretches[1].what == Activity::kSwitching));
  CHECK((stretches[2].from == 3 && stretches[2].to == 10 && stretches[2].what == Activity::kPolling &&
         stretches[2].job == 1));
  CHECK(Duration{picture.sums()[static_cast<std::size_t>(Activity::kBlocked)]} == us(700));
}

}  // namespace process_invariants_test
