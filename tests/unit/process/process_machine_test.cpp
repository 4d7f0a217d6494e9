// Heterogeneous machines, are reserved or powered down, where processes share processors.
#include "catch.h"

#include <set>

#include "process_scenes.h"

namespace process_machine_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

/// A job that computes for so many times 10 ms on each of its processors, as the process level and as the workload have
/// it.
struct Asked {
  std::int32_t size;
  std::int64_t times;
  RequestId request = kNoRequest;
  std::int32_t user = -1;
  double submit = 0;
  std::int64_t gpus = 0;
};

struct Setting {
  Scene scene;
  std::vector<Job> jobs;
  MachineSpec machine;
  RequestTable requests;
  EngineOptions rules;

  Setting(const MachineLayout& layout, const std::vector<Asked>& work) {
    set_layout(machine, std::make_shared<const MachineLayout>(layout));
    scene = {static_cast<std::int32_t>(machine.total_cores()), {program({ms(10)}, Pattern::kNone)}, {}};
    for (const Asked& w : work) {
      ProcessJob& p = scene.jobs.emplace_back(job(w.size, 0, w.times, ms(1000 * w.submit)));
      p.estimate = ms(10) * w.times;
      p.gpus = w.gpus;
      Job& j = jobs.emplace_back();
      j.id = static_cast<std::int64_t>(jobs.size());
      j.submit = p.submit;
      j.size = w.size;
      j.runtime = j.limit = p.estimate;
      j.request = w.request;
      j.user = w.user;
    }
  }
};

/// Nodes, starts, rejections and boots, by job.
class Watch : public Observer {
 public:
  void started(Time, JobIndex j, const NodeRanges& where) override { nodes[j] = where.str(); }
  void rejected(Time t, JobIndex j, Rejection why) override { rejected_at[j] = {t, why}; }
  void booting(Time, JobIndex j, Duration wait, std::int32_t) override { waits[j] = wait; }
  std::map<JobIndex, std::string> nodes;
  std::map<JobIndex, std::pair<Time, Rejection>> rejected_at;
  std::map<JobIndex, Duration> waits;
};

/// Sees that a job gets processors only where it may, and that GPUs are not given twice.
class Rules : public Observer {
 public:
  Rules(const Setting& setting, const NodeReservations& reserved, Duration longest_boot)
      : setting_(setting), reserved_(reserved), boot_(longest_boot) {}

  void started(Time t, JobIndex j, const NodeRanges& where) override {
    const Job& job = setting_.jobs[j];
    const NodeAccess access = access_of(reserved_, job);
    for (std::size_t r = 0; r != reserved_.size(); ++r)
      for (const TimeWindow& w : reserved_[r].windows)
        if (access.to[r] == NodeAccess::To::kClosed && common_nodes(where, reserved_[r].nodes) != 0 &&
            t >= reserved_[r].announced && t < w.to && t + job.limit > w.from)
          ++broken;
    for_each_node(where, [&](NodeId n) {
      if (job.request == 0 && setting_.machine.layout->kind_of(n).features.empty()) ++broken;
      on_[n].insert(j);
      if (down_.count(n) != 0) ++broken;
    });
    ++running_[j];
  }
  void ended(Time, JobIndex j, const NodeRanges& where, bool) override { leave(j, where), ++over[j]; }
  void interrupted(Time, JobIndex j, const NodeRanges& where, const Interruption&) override { leave(j, where); }
  void rejected(Time, JobIndex j, Rejection) override { ++over[j]; }
  void booting(Time, JobIndex, Duration wait, std::int32_t) override { broken += wait > boot_; }
  void node_down(Time, NodeId n, OutageKind) override { broken += !on_[n].empty(), down_.insert(n); }
  void node_up(Time, NodeId n) override { down_.erase(n); }

  int broken = 0;
  std::map<JobIndex, int> over;

 private:
  void leave(JobIndex j, const NodeRanges& where) {
    for_each_node(where, [&](NodeId n) { on_[n].erase(j); });
    broken += --running_[j] != 0;
  }
  const Setting& setting_;
  const NodeReservations& reserved_;
  Duration boot_;
  std::map<NodeId, std::set<JobIndex>> on_;
  std::map<JobIndex, int> running_;
  std::set<NodeId> down_;
};

struct Ran {
  std::vector<Time> starts, ends;
  Watch watch;
};

Ran run(const Setting& setting, Coscheduler& coscheduler, ProcessMachine machine,
        const NodeReservations* reserved = nullptr, ProcessSimulationOptions options = {}) {
  static const NodeReservations none;
  const JobDemands demands(setting.machine, setting.jobs, &setting.requests, setting.rules,
                           reserved != nullptr ? reserved : &none);
  machine.demands = &demands;
  ProcessSimulation simulation(setting.scene.processors, setting.scene.programs, setting.scene.jobs, coscheduler,
                               options, &setting.jobs, setting.rules, machine);
  Ran ran;
  simulation.add(ran.watch);
  simulation.run();
  ran.starts = simulation.starts();
  ran.ends = simulation.ends();
  return ran;
}

/// Nodes 0 and 1 have two processors, nodes 2 and 3 four that are twice as fast.
MachineLayout two_kinds() {
  MachineLayout layout;
  layout.kinds.push_back({.name = "a", .count = 2, .cores = 2});
  layout.kinds.push_back({.name = "b", .count = 2, .cores = 4, .gpus = 2, .speed = 2, .first = 2});
  layout.features = {"fast"};
  layout.kinds[1].features = {0};
  return layout;
}

MachineLayout equal_nodes() {
  MachineLayout layout;
  layout.kinds.push_back({.name = "n", .count = 4, .cores = 2});
  return layout;
}

}  // namespace

TEST_CASE("processes run on nodes of the kinds that their job asks for, and as fast as these are", "[process]") {
  Setting setting(two_kinds(), {{4, 100, 0}, {4, 100}, {9, 100, 0}, {4, 100}});
  Request fast;
  fast.nodes = 1;
  fast.features = {{{0}, {}}};
  setting.requests.intern(fast);
  Batch batch;
  Ran ran = run(setting, batch, {});
  CHECK(ran.watch.nodes[0] == "2");
  CHECK(ran.ends[0] == s(0.5));
  CHECK(ran.watch.nodes[1] == "0-1");
  CHECK(ran.ends[1] == s(1));
  CHECK(ran.watch.rejected_at[2] ==
        std::pair{s(0), Rejection::kNeverFits});  // there are eight processors that are fast
  CHECK(ran.watch.nodes[3] == "3");
  CHECK(ran.ends[3] == s(0.5));
}

TEST_CASE("a job on nodes of two speeds waits for its slowest process", "[process]") {
  Setting setting(two_kinds(), {{12, 100, 0}});
  Request all;
  all.nodes = 4;
  setting.requests.intern(all);
  Batch batch;
  CHECK(run(setting, batch, {}).ends[0] == s(1));
  setting.scene.programs[0].pattern = Pattern::kBarrier;
  setting.scene.programs[0].jitter = 0;
  setting.scene.programs[0].communication = {Duration{0}, Duration{0}, us(1)};
  CHECK(run(setting, batch, {}).ends[0] == s(1) + us(100));
}

TEST_CASE("jobs of all rows share the GPUs of a node", "[process]") {
  Setting setting(two_kinds(), {{4, 100, 0, -1, 0, 500}, {4, 100, 0, -1, 0, 500}, {4, 100, 0, -1, 0, 500}, {4, 100}});
  Request gpu;
  gpu.nodes = 1;
  gpu.gpus = 2;
  setting.requests.intern(gpu);
  Gang gang(3, Costs{});
  Ran ran = run(setting, gang, {});
  CHECK(ran.starts[0] == s(0));
  CHECK(ran.starts[1] == s(0));
  CHECK(ran.starts[2] == std::min(ran.ends[0], ran.ends[1]));  // there are other rows, but no more GPUs
  CHECK(ran.starts[3] == s(0));
}

TEST_CASE("reserved nodes are entered by those for whom they are, and by others that are gone before", "[process]") {
  NodeReservations reserved(1);
  reserved[0].name = "course";
  reserved[0].nodes = nodes(0, 1);
  reserved[0].windows = {{s(1), s(3)}};
  reserved[0].users = {7};
  Setting setting(equal_nodes(), {{4, 90}, {4, 150}, {4, 100}, {8, 20}, {4, 50, kNoRequest, 7, 1.2}});
  Batch batch;
  Ran ran = run(setting, batch, {}, &reserved);
  CHECK(ran.watch.nodes[0] == "0-1");  // gone in time
  CHECK(ran.watch.nodes[1] == "2-3");
  CHECK(ran.starts[1] == s(0));
  CHECK(ran.starts[2] == s(1.5));
  CHECK(ran.watch.nodes[2] == "2-3");
  CHECK(ran.starts[3] == s(3));  // the whole machine
  CHECK(ran.starts[4] == s(1.2));
  CHECK(ran.watch.nodes[4] == "0-1");
}

TEST_CASE("a reservation that is announced later is known from then on", "[process]") {
  NodeReservations reserved(1);
  reserved[0].name = "course";
  reserved[0].nodes = nodes(0, 3);
  reserved[0].windows = {{s(1), s(3)}};
  reserved[0].announced = s(0.5);
  Setting setting(equal_nodes(), {{4, 150}, {8, 100, kNoRequest, -1, 0.2}});
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    Batch batch;
    ProcessSimulationOptions options;
    options.backfill = backfill;
    Ran ran = run(setting, batch, {}, &reserved, options);
    CHECK(ran.starts == std::vector{s(0), s(3)});  // the first one had started before it was known
  }
}

TEST_CASE("processes begin when the nodes of their job are up", "[process]") {
  Setting setting(equal_nodes(), {{4, 100}, {4, 100, kNoRequest, -1, 3}, {8, 100, kNoRequest, -1, 3.5}});
  PowerOptions power;
  power.idle = ms(500);
  power.boot = ms(250);
  Costs costs;
  costs.gang_switch = Duration{0};
  for (int which = 0; which < 2; ++which) {
    CAPTURE(which);
    const auto coscheduler = policy(which, 1, costs);
    ProcessSimulationOptions options;
    options.longest_boot = power.longest_boot();
    Ran ran = run(setting, *coscheduler, {.power = &power}, nullptr, options);
    CHECK(ran.starts == std::vector{s(0), s(3), s(4.25)});
    CHECK(ran.ends == std::vector{s(1), s(4.25), s(5.5)});
    CHECK(ran.watch.waits == std::map<JobIndex, Duration>{{1, ms(250)}, {2, ms(250)}});
  }
}

TEST_CASE("a job whose node fails while it comes up waits again", "[process]") {
  Setting setting(equal_nodes(), {{8, 100, kNoRequest, -1, 0}, {8, 100, kNoRequest, -1, 3}});
  PowerOptions power;
  power.idle = ms(500);
  power.boot = ms(250);
  OutageOptions outages;
  outages.plan.listed = {{s(3.1), s(4), nodes(2, 2), OutageKind::kFailure}};
  Batch batch;
  Ran ran = run(setting, batch, {.outages = &outages, .power = &power});
  CHECK(ran.starts[1] == s(4));
  CHECK(ran.ends[1] == s(5.25));  // the other nodes were powered down again at 3.85 s
}

TEST_CASE("on random machines jobs have what they may, all end, and closed forms end when the events do", "[process]") {
  RandomStream random(41, "machines");
  for (int round = 0; round < 40; ++round) {
    std::vector<Asked> work;
    double submit = 0;
    for (std::int64_t n = random.uniform_int(3, 9); n > 0; --n) {
      const bool fast = random.uniform() < 0.3;
      work.push_back({static_cast<std::int32_t>(random.uniform_int(1, fast ? 8 : 12)), random.uniform_int(1, 200),
                      fast ? 0 : 1, static_cast<std::int32_t>(random.uniform_int(1, 3)), submit});
      if (random.uniform() < 0.6) submit += random.uniform(0, 2);
    }
    Setting setting(two_kinds(), work);
    Request request;
    request.features = {{{0}, {}}};
    setting.requests.intern(request);
    request.features.clear();
    setting.requests.intern(request);
    for (std::size_t j = 0; j != work.size(); ++j)  // any nodes
      if (work[j].request == 1) setting.jobs[j].request = 1;
    for (Program& p : setting.scene.programs) p.pattern = random.uniform() < 0.5 ? Pattern::kRing : Pattern::kNone;
    NodeReservations reserved(static_cast<std::size_t>(random.uniform_int(0, 2)));
    for (NodeReservation& r : reserved) {
      r.name = "r";
      const auto first = static_cast<NodeId>(random.uniform_int(0, 3));
      r.nodes = nodes(first, static_cast<NodeId>(random.uniform_int(first, 3)));
      const double from = random.uniform(0, 5);
      r.windows = {{s(from), s(from + random.uniform(0.1, 4))}};
      if (random.uniform() < 0.5) r.announced = s(random.uniform(0, from));
      r.users = {static_cast<std::int32_t>(random.uniform_int(1, 3))};
    }
    OutageOptions outages;
    for (std::int64_t n = random.uniform_int(0, 2); n > 0; --n) {
      const double from = random.uniform(0, 6);
      const auto node = static_cast<NodeId>(random.uniform_int(0, 3));
      outages.plan.listed.push_back({s(from), s(from + random.uniform(0.1, 2)), nodes(node, node),
                                     random.uniform() < 0.5 ? OutageKind::kFailure : OutageKind::kMaintenance});
    }
    PowerOptions power;
    power.idle = ms(static_cast<double>(random.uniform_int(0, 500)));
    power.boot = ms(static_cast<double>(random.uniform_int(0, 300)));
    power.shutdown = ms(static_cast<double>(random.uniform_int(0, 100)));
    const auto rows = static_cast<std::int32_t>(random.uniform_int(1, 3));
    for (int which = 0; which < kPolicies; ++which) {
      for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
        for (const Packing packing : {Packing::kLowest, Packing::kBuddy}) {
          CAPTURE(round, which, rows, static_cast<int>(backfill), packing == Packing::kBuddy);
          const JobDemands demands(setting.machine, setting.jobs, &setting.requests, setting.rules, &reserved);
          std::vector<Time> ends[2];
          for (const ProcessPath path : {ProcessPath::kExact, ProcessPath::kClosed}) {
            ProcessSimulationOptions options;
            options.backfill = backfill;
            options.packing = packing;
            options.longest_boot = power.longest_boot();
            options.path = path;
            const auto coscheduler = policy(which, rows, Costs{});
            ProcessSimulation simulation(setting.scene.processors, setting.scene.programs, setting.scene.jobs,
                                         *coscheduler, options, &setting.jobs, setting.rules,
                                         {&outages, &demands, &power});
            Rules rules(setting, reserved, power.longest_boot());
            simulation.add(rules);
            simulation.run();
            CHECK(rules.broken == 0);
            CHECK(rules.over.size() == setting.jobs.size());
            for (const auto& [j, times] : rules.over) CHECK(times == 1);
            ends[path == ProcessPath::kClosed] = simulation.ends();
          }
          CHECK(ends[0] == ends[1]);
        }
      }
    }
  }
}

}  // namespace process_machine_test
