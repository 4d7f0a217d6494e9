// Jobs that share nodes: speeds, which job is on which nodes, when nodes become free.
#include <random>

#include "jobs/slowdown.h"
#include "machine/node_set.h"
#include "run/simulation.h"
#include "schedule/preemption.h"
#include "unit/asked_slowdowns.h"
#include "unit/sim_helpers.h"

namespace shared_nodes_test {

using namespace coslice;
using namespace coslice::test;

namespace {

/// Starts in order; at each pass it lays random groups among those that wait and those that run for themselves.
class RandomGroups : public Scheduler {
 public:
  explicit RandomGroups(unsigned seed) : random_(seed) {}
  int formed = 0;
  int stopped = 0, preempted = 0, separated = 0;

  void schedule(View& view, const Pass& pass) override {
    check_holdings(view);
    if (!pass.due) return;
    if (stops > 0) interfere(view);
    for (int tries = 0; tries < 3; ++tries) try_group(view);
    const WaitingQueue& queue = view.queue();
    while (!queue.empty() && view.fits_now(queue.first())) view.start(queue.first(), StartReason::kInOrder);
  }

  std::function<std::int32_t(JobIndex)> shared_nodes;   ///< nodes that the job has in a group
  std::function<double(JobIndex, std::int32_t)> alone;  ///< its slowdown for itself
  int stops = 0;                                        ///< so many jobs are stopped, some to make way for others
  bool separates = false;                               ///< pairs are taken apart
  std::vector<std::string> wrong;

 private:
  /// The profile holds each node of a started job once, so that none is reserved twice; and a job that is in no group
  /// (any more) has all of its nodes and the speed of one by itself.
  void check_holdings(const View& view) {
    NodeSet nodes(view.capacity());
    std::int32_t held = 0;
    for (const StartedJob& s : view.started()) {
      if (s.nodes.empty() || s.foreign) return;  // it starts at this instant, or runs in a slice of others
      for_each_node(s.nodes, [&](NodeId n) {
        if (!nodes.contains(n)) nodes.insert(n);
      });
      held += s.held;
      if (s.group != nullptr) continue;
      const bool as_alone = s.held == s.node_count && s.rate == Rate::of_slowdown(alone(s.index, s.ppn));
      if (!as_alone) wrong.push_back("job " + std::to_string(s.index) + " is in no group, and not as if alone");
    }
    if (held != nodes.count()) {
      wrong.push_back(std::to_string(nodes.count()) + " nodes are taken, " + std::to_string(held) + " held");
    }
  }

  StopOrder drawn_order() {
    StopOrder order;
    order.how = static_cast<StopOrder::How>(random_() % 3);
    if (order.how == StopOrder::How::kCheckpoint) order.checkpoint = {whole_seconds(random_() % 3), whole_seconds(1)};
    if (random_() % 2 == 0) order.grace = whole_seconds(random_() % 6);
    return order;
  }

  /// Takes a pair apart, stops some job, or lets some make way for the first one that waits.
  void interfere(View& view) {
    std::vector<StartedJob*> running;
    for (StartedJob& s : static_cast<HostedView&>(view).started_jobs())
      if (s.phase != Phase::kPreempted && !s.nodes.empty() && s.leaves == kNever) running.push_back(&s);
    if (running.empty()) return;
    std::shuffle(running.begin(), running.end(), random_);
    Group* const group = running.front()->group;
    if (separates && group != nullptr && !group->apart && group->matched.size() == 1 && random_() % 3 == 0 &&
        group->matched.front().overlap == group->matched.front().job->node_count) {
      view.separate(*group);
      ++separated;
    } else if (random_() % 4 == 0) {
      --stops;
      ++stopped;
      view.stop(*running.front(), drawn_order());
    } else if (random_() % 4 == 0 && !view.queue().empty()) {
      make_way(view, running);
    }
  }

  void make_way(View& view, const std::vector<StartedJob*>& running) {
    if (view.ceiling() <= 0 || view.start_first(view.queue().first(), StartReason::kPolicy)) return;
    const std::vector<StartedJob*> victims = choose_victims(view, view.queue().first(), running);
    for (StartedJob* job : victims) view.stop(*job, {});
    if (victims.empty()) return;
    --stops;
    ++preempted;
    if (!view.start_first(view.queue().first(), StartReason::kPolicy)) wrong.push_back("victims left too few nodes");
  }

  void try_group(View& view) {
    std::vector<JobIndex> waiting, running;
    const WaitingQueue& queue = view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) waiting.push_back(queue.job(p));
    for (const StartedJob& s : view.started())
      if (view.may_be_joined(s) && s.ppn <= 2) running.push_back(s.index);
    std::shuffle(waiting.begin(), waiting.end(), random_);
    if (waiting.empty()) return;
    const unsigned kind = random_() % 3;
    if (kind == 0) lay(view, waiting.front(), 0, waiting, 1, false);
    else if (kind == 1) lay(view, waiting.front(), 0, running, 0, true);
    else if (!running.empty()) lay(view, running[random_() % running.size()], 1, waiting, 0, false);
  }

  // primary_runs: the nodes of a running primary are there already.
  void lay(View& view, JobIndex primary, int primary_runs, const std::vector<JobIndex>& from, std::size_t first,
           bool matched_run) {
    const auto nodes = [&](JobIndex j) {
      for (const StartedJob& s : view.started())
        if (s.index == j) return s.node_count;
      return shared_nodes(j);
    };
    std::vector<JobIndex> matched;
    std::int32_t sum = 0;
    for (std::size_t i = first; i < from.size() && matched.size() < 1 + random_() % 3; ++i) {
      matched.push_back(from[i]);
      sum += nodes(from[i]);
    }
    const std::int32_t own = nodes(primary);
    const std::int32_t need = matched_run ? own - sum : primary_runs != 0 ? sum - own : std::max(own, sum);
    if (matched.empty() || need > std::min(view.free_now(), view.ceiling()) || (matched_run && need < 0)) return;
    view.start_group(primary, matched, 0, Duration{1}, StartReason::kPolicy);
    ++formed;
  }

  std::mt19937 random_;
};

AskedSlowdowns constant(double nodes, double cores, double beside) {
  AskedSlowdowns s;
  s.ask_over_processors = [=](JobIndex) { return nodes; };
  s.ask_over_cores = [=](JobIndex) { return cores; };
  s.ask_beside = [=](JobIndex, JobIndex) { return beside; };
  return s;
}

SliceOptions one_class() {
  SliceOptions o;
  o.interval = whole_seconds(100);
  o.classes = {{"all", Duration::max(), 1, false, {}}};
  o.overhead = Duration{0};
  o.charge_continuing = false;
  return o;
}

/// Two classes, one of them on demand.
SliceOptions two_classes(std::uint64_t seed) {
  SliceOptions slices = one_class();
  slices.interval = whole_seconds(20);
  slices.overhead = whole_seconds(static_cast<std::int64_t>(seed / 3 % 3));
  slices.classes = {{"short", whole_seconds(5), 0, true, whole_seconds(6)}, {"long", Duration::max(), 1, false, {}}};
  slices.charge_continuing = seed % 2 == 0;
  slices.foreign = seed % 4 < 2 ? ForeignJobs::kSafe : ForeignJobs::kNone;
  return slices;
}

SharingOptions sharing(const SlowdownModel& model, std::int32_t alone, std::int32_t shared) {
  SharingOptions o;
  o.slowdowns = &model;
  o.alone = [=](const View&, JobIndex) { return alone; };
  o.shared = [=](const View&, JobIndex) { return shared; };
  return o;
}

/// Starts one group of all jobs at once: the first is primary.
class OneGroup : public Scheduler {
 public:
  void schedule(View& view, const Pass& pass) override {
    const WaitingQueue& queue = view.queue();
    if (!pass.due || queue.size() < 2) return;
    std::vector<JobIndex> jobs;
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) jobs.push_back(queue.job(p));
    view.start_group(jobs.front(), {jobs.begin() + 1, jobs.end()}, 0, Duration{1}, StartReason::kPolicy);
  }
};

struct Shared {
  RunResult result;
  SharingCounts counts;
  std::vector<SharedJob> jobs;
  std::vector<std::string> violations;
  double end(int i) const { return to_seconds(result.outcomes[static_cast<std::size_t>(i)].end); }
  std::string nodes(int i) const {
    return result.archive.get(result.outcomes[static_cast<std::size_t>(i)].nodes).str();
  }
};

Shared share(const Workload& w, MachineSpec machine, std::vector<Scheduler*> schedulers, const SliceOptions& slices,
             const SharingOptions& sharing, const OutageOptions* outages = nullptr) {
  Recorder recorder(w, machine);
  EngineOptions engine;
  InvariantOptions watched;
  watched.jobs_per_node = 2;
  watched.checkpoints = outages != nullptr && outages->checkpoints.interval > Duration{0};
  InvariantChecker checker(machine, w.jobs, engine, watched);
  Simulation simulation(machine, w.jobs, std::move(schedulers), slices, engine, sharing, {}, outages);
  simulation.add(recorder);
  simulation.add(checker);
  simulation.run();
  checker.finish();
  return {recorder.take(), simulation.shared_nodes()->counts(), simulation.shared_nodes()->jobs(),
          checker.violations()};
}

}  // namespace

TEST_CASE("two jobs on the same nodes slow each other down, and the one that is left goes on alone", "[sharing]") {
  // The primary takes 3600 * 1.1 = 3960 s; by then the other has done 3960 / 1.2 = 3300 s of its work.
  AskedSlowdowns model = constant(1, 1, 1);
  model.ask_beside = [](JobIndex j, JobIndex) { return j == 0 ? 1.1 : 1.2; };
  OneGroup scheduler;
  const Workload w = workload({{0, 32, 3600}, {0, 32, 3600}});
  const Shared s = share(w, {32, 2, 2}, {&scheduler}, one_class(), sharing(model, 1, 1));
  CHECK(s.violations.empty());
  CHECK(s.end(0) == Approx(3960).margin(1e-6));
  CHECK(s.end(1) == Approx(4260).margin(1e-6));
  CHECK(s.counts.groups == 1);
  CHECK(s.counts.jobs_in_groups == 2);
}

TEST_CASE("matched jobs lie beside one another over the primary's nodes, then beyond", "[sharing]") {
  // 8 processes, two on a node: 4 nodes; three matched jobs of 2, 1 and 2 nodes: the last one reaches beyond.
  const AskedSlowdowns model = constant(1, 1, 1);
  OneGroup scheduler;
  const Workload w = workload({{0, 8, 100}, {0, 4, 50}, {0, 2, 50}, {0, 4, 200}});
  const Shared s = share(w, {6, 2, 2}, {&scheduler}, one_class(), sharing(model, 4, 2));
  CHECK(s.violations.empty());
  CHECK(s.nodes(0) == "0-3");
  CHECK(s.nodes(1) == "0-1");
  CHECK(s.nodes(2) == "2");
  CHECK(s.nodes(3) == "3-4");
}

TEST_CASE("random groups: nodes and cores are not overbooked, work is conserved, every job ends",
          "[sharing][property]") {
  int formed = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const int nodes = 1 + static_cast<int>(seed % 9);
    const Workload w = random_workload(seed, 40, nodes);
    const DrawnSlowdowns model(seed, w.jobs.size());
    const auto shared_ppn = static_cast<std::int32_t>(1 + seed % 2);
    const MachineSpec machine{nodes, 2, 2};
    SliceOptions slices = one_class();
    std::deque<RandomGroups> schedulers;
    if (seed % 3 == 0) slices = two_classes(seed);
    std::vector<Scheduler*> pointers;
    for (std::size_t i = 0; i != slices.classes.size(); ++i) {
      RandomGroups& r = schedulers.emplace_back(seed);
      r.shared_nodes = [&](JobIndex j) { return (w.jobs[j].size + shared_ppn - 1) / shared_ppn; };
      r.alone = [&](JobIndex j, std::int32_t ppn) { return model.alone(j, ppn, 2); };
      pointers.push_back(&r);
    }
    const Shared s =
        share(w, machine, pointers, slices, sharing(model, static_cast<std::int32_t>(1 << seed % 3), shared_ppn));
    INFO("seed " << seed << (s.violations.empty() ? "" : ": " + s.violations.front()));
    CHECK(s.violations.empty());
    for (const RandomGroups& r : schedulers) {
      formed += r.formed;
      INFO((r.wrong.empty() ? "" : r.wrong.front()));
      CHECK(r.wrong.empty());
    }
  }
  CHECK(formed > 1000);
}

namespace {

std::vector<NodeId> drawn_nodes(std::mt19937& random, int nodes) {
  std::vector<NodeId> list;
  for (NodeId n = 0; n < nodes; ++n)
    if (random() % 3 == 0) list.push_back(n);
  if (list.empty()) list.push_back(static_cast<NodeId>(random() % static_cast<unsigned>(nodes)));
  return list;
}

/// Failures and drains.
OutageOptions drawn_outages(std::mt19937& random, int nodes) {
  OutageOptions o;
  const unsigned count = 1 + random() % 8;
  for (unsigned i = 0; i != count; ++i) {
    const auto from = static_cast<std::int64_t>(random() % 120), length = static_cast<std::int64_t>(1 + random() % 24);
    o.plan.listed.push_back({Time{whole_seconds(from)}, Time{whole_seconds(from + length)},
                             as_ranges(drawn_nodes(random, nodes)), static_cast<OutageKind>(random() % 2)});
  }
  if (random() % 3 == 0) o.believed_repair = whole_seconds(static_cast<std::int64_t>(1 + random() % 9));
  if (random() % 3 == 0) o.checkpoints = {whole_seconds(3), whole_seconds(1), whole_seconds(1)};
  if (random() % 3 == 0) o.interrupted = AfterFailure::kLost;
  o.place = static_cast<RequeuePosition>(random() % 3);
  return o;
}

}  // namespace

TEST_CASE("random groups: nodes of them fail and are drained, jobs of them stop", "[sharing][outages][property]") {
  int formed = 0, stopped = 0, preempted = 0, separated = 0;
  std::size_t interrupted = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    const int nodes = 1 + static_cast<int>(seed % 9);
    const Workload w = random_workload(seed, 40, nodes);
    const DrawnSlowdowns model(seed, w.jobs.size());
    const auto shared_ppn = static_cast<std::int32_t>(1 + seed % 2);
    std::mt19937 random(seed);
    const OutageOptions outages = drawn_outages(random, nodes);
    SliceOptions slices = one_class();
    if (seed % 3 == 0) {
      slices = two_classes(seed);
      slices.evict = seed % 5 != 0;
    } else if (seed % 6 == 1) {  // its only class stands still at times
      slices.overhead = whole_seconds(4);
      slices.charge_continuing = true;
    }
    std::deque<RandomGroups> schedulers;
    std::vector<Scheduler*> pointers;
    for (std::size_t i = 0; i != slices.classes.size(); ++i) {
      RandomGroups& r = schedulers.emplace_back(seed);
      r.shared_nodes = [&](JobIndex j) { return (w.jobs[j].size + shared_ppn - 1) / shared_ppn; };
      r.alone = [&](JobIndex j, std::int32_t ppn) { return model.alone(j, ppn, 2); };
      r.stops = seed % 2 == 0 ? 12 : 0;
      r.separates = slices.classes.size() == 1;
      pointers.push_back(&r);
    }
    INFO("seed " << seed);
    const Shared s =
        share(w, {nodes, 2, 2}, pointers, slices, sharing(model, static_cast<std::int32_t>(1 << seed % 3), shared_ppn),
              seed % 4 == 2 ? nullptr : &outages);
    INFO((s.violations.empty() ? "" : s.violations.front()));
    CHECK(s.violations.empty());
    interrupted += s.result.interrupted.size();
    for (const RandomGroups& r : schedulers) {
      formed += r.formed;
      stopped += r.stopped;
      preempted += r.preempted;
      separated += r.separated;
      INFO((r.wrong.empty() ? "" : r.wrong.front()));
      CHECK(r.wrong.empty());
    }
  }
  CHECK(formed > 2000);
  CHECK(stopped > 500);
  CHECK(preempted > 200);
  CHECK(separated > 100);
  CHECK(interrupted > 2000);
}

TEST_CASE("a job whose node fails leaves its group", "[sharing][outages]") {
  // Both have 2 nodes, are 1.5 times as slow beside the other one, and no node is left over.
  const AskedSlowdowns model = constant(1, 1, 1.5);
  const Workload w = workload({{0, 2, 90}, {0, 1, 120}});
  OutageOptions outages;
  outages.plan.listed.push_back(
      {Time{whole_seconds(60)}, Time{whole_seconds(100)}, as_ranges({1}), OutageKind::kFailure});
  outages.interrupted = AfterFailure::kLost;
  OneGroup scheduler;
  const Shared s = share(w, {2, 2, 2}, {&scheduler}, one_class(), sharing(model, 1, 1), &outages);
  CHECK(s.violations.empty());
  REQUIRE(s.result.interrupted.size() == 1);
  CHECK(to_seconds(s.result.interrupted[0].lost) == Approx(40));
  CHECK(s.end(1) == Approx(140));  // on node 0, 80 s alone from 60 on
  CHECK(s.counts.groups == 1);
}

TEST_CASE("the checker sees nodes and cores that are overbooked, and work that is lost", "[sharing]") {
  const Workload w = workload({{0, 6, 100}, {0, 4, 100}, {0, 2, 100}});
  const auto violations = [&](const std::function<void(InvariantChecker&)>& happens) {
    InvariantOptions watched;
    watched.jobs_per_node = 2;
    InvariantChecker checker({2, 2, 2}, w.jobs, {}, watched);
    for (JobIndex j = 0; j != 3; ++j) checker.submitted(Time{}, j);
    happens(checker);
    return checker.violations().empty() ? std::string() : checker.violations().front();
  };
  NodeRanges both;
  both.append(0, 1);
  StartedJob a, b, c;
  a.index = 0;
  b.index = 1;
  c.index = 2;
  Group group;
  group.id = 1;
  group.primary = &a;
  group.matched = {{&b, 2}, {&c, 2}};
  const auto start = [&](InvariantChecker& checker, JobIndex j) {
    checker.decided(Time{}, j, StartReason::kPolicy);
    checker.started(Time{}, j, both);
  };
  CHECK(violations([&](InvariantChecker& k) { start(k, 1), start(k, 2); }).find("not of its group") !=
        std::string::npos);
  CHECK(violations([&](InvariantChecker& k) {
          k.group_formed(Time{}, group, 0);
          start(k, 0), start(k, 1);
        }).find("more processes than cores") != std::string::npos);
  Group three = group;
  CHECK(violations([&](InvariantChecker& k) {
          k.group_formed(Time{}, three, 0);
          k.group_formed(Time{}, three, 0);
        }).find("is in two groups") != std::string::npos);
  CHECK(violations([&](InvariantChecker& k) {
          start(k, 2);
          k.rate_changed(Time{whole_seconds(40)}, 2, Rate::of_slowdown(2));
          k.ended(Time{whole_seconds(130)}, 2, both, false);
        }).find("another time than its work takes") != std::string::npos);
  CHECK(violations([&](InvariantChecker& k) {
          start(k, 2);
          k.rate_changed(Time{whole_seconds(40)}, 2, Rate::of_slowdown(2));
          k.ended(Time{whole_seconds(160)}, 2, both, false);
        }).empty());
}

TEST_CASE("within a processor: slowed down as over cores, and room for two jobs only on two processors", "[sharing]") {
  AskedSlowdowns model = constant(1.3, 1.05, 1.2);
  const ExchangedSlowdowns within(model);
  SharingOptions options = sharing(within, 2, 2);
  options.layout = Layout::kWithin;
  OneGroup scheduler;
  const Workload w = workload({{0, 8, 1000}, {0, 8, 1000}});
  const Shared s = share(w, {4, 2, 2}, {&scheduler}, one_class(), options);
  CHECK(s.violations.empty());
  CHECK(s.end(0) == Approx(1000 * 1.05 * 1.2).margin(1e-6));
  OneGroup again;
  CHECK_THROWS_WITH(share(w, {4, 1, 4}, {&again}, one_class(), options),
                    Catch::Contains("each on processors of its own"));
  CHECK(NodeShape{2, 4, Layout::kAcross}.room_for(3, 1));
  CHECK_FALSE(NodeShape{2, 4, Layout::kWithin}.room_for(3, 1));
}

/// Spreads the first job that waits over fewer or more nodes, once it waits.
class Spreading : public Scheduler {
 public:
  Spreading(std::int32_t ppn, JobIndex which) : ppn_(ppn), which_(which) {}
  void schedule(View& view, const Pass& pass) override {
    if (!pass.due) return;
    const WaitingQueue& queue = view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
      if (queue.reserved(p) == kNever)
        view.reserve(p, view.profile().earliest(queue.nodes(p), queue.duration(p), view.now()));
      if (queue.job(p) == which_) view.set_ppn_alone(p, ppn_);
    }
    for (const View::Position p : view.due())
      if (queue.nodes(p) <= view.ceiling()) view.start(p, StartReason::kPolicy);
  }

 private:
  std::int32_t ppn_;
  JobIndex which_;
};

TEST_CASE("a waiting job gets another number of processes on a node, and its reservation follows", "[sharing]") {
  const AskedSlowdowns model = constant(1.1, 1.2, 1);
  const Workload w = workload({{0, 4, 1000}, {0, 8, 1000}});  // two on a node: 2 and 4 of 4 nodes
  Spreading two(2, 1), four(4, 1);
  CHECK(share(w, {4, 2, 2}, {&two}, one_class(), sharing(model, 2, 2)).end(1) == Approx(2200));
  const Shared s = share(w, {4, 2, 2}, {&four}, one_class(), sharing(model, 2, 2));
  CHECK(s.violations.empty());
  CHECK(s.nodes(1) == "2-3");
  CHECK(s.end(1) == Approx(1320));
  Spreading many(5, 1), one(1, 1);
  CHECK_THROWS_WITH(share(w, {4, 2, 2}, {&many}, one_class(), sharing(model, 2, 2)), Catch::Contains("cannot have 5"));
  CHECK_THROWS_WITH(share(w, {4, 2, 2}, {&one}, one_class(), sharing(model, 2, 2)),
                    Catch::Contains("would need 8 nodes"));
}

TEST_CASE("the gain that a group had is that of its periods", "[sharing]") {
  // Examples of Equation 6 of Zeng 2009: primary and match, 32 processes each, at 1.1 and 1.2, until the primary ends.
  AskedSlowdowns model = constant(1, 1, 1);
  model.ask_beside = [](JobIndex j, JobIndex) { return j == 0 ? 1.1 : 1.2; };
  const Workload two = workload({{0, 32, 3600}, {0, 32, 3600}});
  OneGroup scheduler;
  const Shared s = share(two, {32, 2, 2}, {&scheduler}, one_class(), sharing(model, 1, 1));
  CHECK(s.counts.gain_had == Approx(0.742424).margin(1e-6));
  CHECK(s.jobs[0].groups == 1);
  CHECK(s.jobs[1].ppn == 1);

  // Two processes a node; one match beside another: 2160 s with both, 1980 s with the second, then the primary alone.
  model.ask_beside = [](JobIndex j, JobIndex other) {
    return j == 0 ? (other == 1 ? 1.10 : 1.20) : j == 1 ? 1.20 : 1.15;
  };
  const Workload three = workload({{0, 32, 3600}, {0, 16, 1800}, {0, 16, 3600}});
  const Shared t = share(three, {16, 2, 2}, {&scheduler}, one_class(), sharing(model, 2, 2));
  CHECK(t.counts.gain_had == Approx(1.971014).margin(1e-6));
  CHECK(t.jobs[2].ppn == 2);
  CHECK(t.counts.grouped_jobs == 3);

  // Slices interrupt the group, and what is lost at their ends belongs to no job.
  SliceOptions slices = one_class();
  slices.interval = whole_seconds(100);
  slices.overhead = whole_seconds(3);
  slices.charge_continuing = true;
  const Shared u = share(three, {16, 2, 2}, {&scheduler}, slices, sharing(model, 2, 2));
  CHECK(u.counts.gain_had == Approx(1.971014).margin(1e-6));
  CHECK(u.end(0) > 4200);
}

TEST_CASE("drawn slowdowns have the published shares", "[slowdown]") {
  // Zeng 2009, Table 4, and what follows from it: shares of the processes per node of Equation 11, and of the pairs
  // that tolerate each other.
  const std::size_t n = 40000;
  const DrawnSlowdowns model(7, n);
  double four = 0, two = 0, pairs = 0;
  for (JobIndex j = 0; j != n; ++j) {
    const bool all = model.over_processors(j) * model.over_cores(j) <= 1.25;
    const bool half = model.over_processors(j) <= 1.12;
    four += all;
    two += !all && half;
    const JobIndex k = (j + 1) % n;
    const auto total = [&](JobIndex a, JobIndex b) {
      return (model.over_processors(a) <= 1.12 ? model.over_processors(a) : 1) * model.beside(a, b);
    };
    pairs += total(j, k) <= 1.25 && total(k, j) <= 1.25;
  }
  CHECK(four / n == Approx(.362).margin(.008));
  CHECK(two / n == Approx(.382).margin(.008));
  CHECK(pairs / n == Approx(.745).margin(.008));
  CHECK(model.beside(3, 4) != model.beside(4, 3));
  CHECK(DrawnSlowdowns::quantile(DrawnSlowdowns::kBeside, 0) == Approx(1.0));
  CHECK(DrawnSlowdowns::quantile(DrawnSlowdowns::kBeside, 0.9999999) == Approx(1.8).margin(1e-3));
}

}  // namespace shared_nodes_test
