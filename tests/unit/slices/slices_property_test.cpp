// What must hold under time slices whatever the workload, the classes and the settings.

#include "case_range.h"
#include "core/random.h"
#include "machine/node_set.h"
#include "unit/memory_twin.h"
#include "unit/slice_helpers.h"

namespace slices_property_test {

using namespace coslice;
using namespace coslice::test;

namespace {

constexpr Duration kFullLoad = whole_seconds(20);

/// Everything that a site may choose, drawn from a seed.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int upto(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return upto(n) == 0; }
  int between(int low, int high) { return low + upto(high - low + 1); }
  Duration time(int low, int high) {
    return Duration{std::int64_t{between(low, high)} * 1'000'000'000 + (one_in(3) ? upto(1'000'000'000) : 0)};
  }

 private:
  std::mt19937 random_;
};

/// One to five classes, some on demand; each slice is longer than loading the whole memory of a node takes.
std::vector<SliceClass> draw_classes(Draw& draw, bool all_have_slices) {
  std::vector<SliceClass> classes(static_cast<std::size_t>(draw.between(1, 5)));
  int up_to = draw.between(40, 80);
  for (std::size_t c = 0; c != classes.size(); ++c) {
    classes[c].name = "class " + std::to_string(c);
    if (c + 1 != classes.size()) classes[c].up_to = whole_seconds(up_to);
    up_to += draw.between(20, 400);
    classes[c].share = draw.between(1, 3);
    if (c + 1 != classes.size() && draw.one_in(4)) {
      classes[c].on_demand = true;
      classes[c].longest = draw.time(50, 200);
    } else if (!all_have_slices && draw.one_in(8)) {
      classes[c].share = 0;
    }
  }
  const auto has_slices = [](const SliceClass& c) { return !c.on_demand && c.share > 0; };
  if (std::none_of(classes.begin(), classes.end(), has_slices)) {
    classes.back().on_demand = false;
    classes.back().share = 1;
  }
  return classes;
}

SliceOptions draw_options(Draw& draw) {
  SliceOptions o;
  o.foreign = draw.one_in(5) ? ForeignJobs::kNone : ForeignJobs::kSafe;
  o.classes = draw_classes(draw, o.foreign == ForeignJobs::kNone);
  o.interval = draw.time(600, 1800);
  o.overhead = draw.one_in(2) ? Duration{0} : draw.time(1, 10);
  o.charge_continuing = !draw.one_in(3);
  o.evict = !draw.one_in(4);
  o.nodes = draw.one_in(2) ? NodeChoice::kFirstFree : NodeChoice::kFewestForeign;
  if (draw.one_in(8))
    o.node_rank = [](const View&, JobIndex j, const NodeFacts& f) {
      return hash_mix(j, static_cast<std::uint64_t>(f.number)) % 7;
    };
  return o;
}

Duration need_of(unsigned seed, JobIndex j) {
  const std::uint64_t h = hash_mix(seed, j);
  return h % 5 == 0 ? kFullLoad : Duration{1 + static_cast<std::int64_t>(h >> 8) % kFullLoad.count()};
}

void draw_memory(Draw& draw, unsigned seed, SliceOptions& o) {
  // Known to be open: jobs of a class without slices of its own may wait for ever, if they must be loaded.
  for (SliceClass& c : o.classes) c.share = std::max(c.share, 1.0);
  o.memory = kFullLoad;
  o.memory_of = [seed](const View&, JobIndex j) { return need_of(seed, j); };
  o.swap_charge = draw.one_in(2) ? SwapCharge::kEachLoad : SwapCharge::kLongest;
  if (draw.one_in(6)) o.swapping = Swapping::kWholeJobs;
  if (!draw.one_in(3)) o.nodes = NodeChoice::kMemoryFit;
  o.fit.enough = static_cast<Fit>(draw.upto(3));
  o.fit.rest = static_cast<Fit>(draw.upto(3));
}

Workload draw_workload(Draw& draw, int nodes, bool exact) {
  Workload w;
  Duration submit{0};
  const int jobs = draw.between(2, 40), longest = draw.one_in(2) ? 200 : 1500;
  for (int i = 0; i < jobs; ++i) {
    if (draw.one_in(2)) submit += draw.time(0, draw.one_in(10) ? 3000 : 120);
    Job j;
    j.id = i + 1;
    j.submit = Time{submit};
    j.runtime = draw.time(1, draw.one_in(3) ? 40 : longest);
    j.limit = exact || draw.one_in(4) ? j.runtime
              : draw.one_in(4)        ? draw.time(1, longest)
                                      : j.runtime + draw.time(0, 300);
    j.size = draw.one_in(3) ? nodes : draw.between(1, nodes);
    w.jobs.push_back(j);
  }
  return w;
}

const std::vector<QueueSchedulerOptions>& schedulers() {
  static const std::vector<QueueSchedulerOptions> all = {conservative(), conservative(CompressOrder::kReservedStart),
                                                         easy(), easy(3), fcfs()};
  return all;
}

/// A drawn run; the scheduler is the seed's turn.
struct Case {
  explicit Case(unsigned seed) : draw(seed), nodes(draw.between(1, 12)), exact(draw.one_in(3)) {
    which = seed % schedulers().size();
    options = draw_options(draw);
    w = draw_workload(draw, nodes, exact);
    engine.at_limit = draw.one_in(2) ? AtLimit::kKill : AtLimit::kExtend;
  }
  Sliced run(const InvariantOptions& promises = {}, const std::vector<Observer*>& observers = {}) const {
    return slice(w, nodes, options, schedulers()[which], engine, promises, observers);
  }
  Draw draw;
  int nodes;
  bool exact;
  std::size_t which;
  SliceOptions options;
  Workload w;
  EngineOptions engine;
};

/// Reservations are in the time of each class, and must be kept, whatever is backfilled afterwards.
class PromiseWatch : public Observer {
 public:
  explicit PromiseWatch(const Workload& w) : promised_(w.jobs.size(), kNever) {}
  std::vector<std::string> complaints;

  void reserved(Time now, JobIndex j, Time start) override {
    if (start > promised_[j]) complain(now, j, "its reservation moved later");
    promised_[j] = std::min(promised_[j], start);
  }
  void decided(Time now, JobIndex j, StartReason reason) override {
    if (reason != StartReason::kForeignSlice && now > promised_[j]) complain(now, j, "started later than promised");
  }

 private:
  void complain(Time now, JobIndex j, const char* what) {
    complaints.push_back(format_seconds(now.time_since_epoch()) + " s of its class, job " + std::to_string(j + 1) +
                         ": " + what);
  }

  std::vector<Time> promised_;
};

/// The first complaint is enough to find a seed by.
bool holds(unsigned seed, const std::vector<std::string>& complaints) {
  INFO("seed " << seed << ": " << (complaints.empty() ? "" : complaints.front()));
  CHECK(complaints.empty());
  return complaints.empty();
}

}  // namespace

TEST_CASE("under slices no reservation is broken, no work lost, no node held twice, and every job ends",
          "[slices][property][times]") {
  for (unsigned seed = 1; seed <= rounds(1500U); ++seed) {
    const Case c(seed);
    PromiseWatch promises(c.w);
    if (!holds(seed, c.run({}, {&promises}).violations) || !holds(seed, promises.complaints)) return;
  }
}

namespace {

OutageOptions draw_outages(Draw& draw, const Case& c) {
  OutageOptions o;
  const int last = static_cast<int>(to_seconds(c.w.jobs.back().submit)) + 3000, count = draw.between(1, 6);
  for (int i = 0; i < count; ++i) {
    std::vector<NodeId> struck;
    for (NodeId n = 0; n != c.nodes; ++n)
      if (draw.one_in(3)) struck.push_back(n);
    if (struck.empty()) struck.push_back(draw.upto(c.nodes));
    const Time from{draw.time(0, last)};
    const OutageKind kind = draw.one_in(3) ? OutageKind::kDrain : OutageKind::kFailure;
    o.plan.listed.push_back({from, from + draw.time(1, draw.one_in(2) ? 100 : 3000), as_ranges(struck), kind});
  }
  if (draw.one_in(3)) o.believed_repair = draw.time(1, 600);
  if (draw.one_in(3)) o.checkpoints = {draw.time(5, 60), draw.time(0, 4), draw.time(0, 3)};
  if (draw.one_in(3)) o.interrupted = AfterFailure::kLost;
  o.place = static_cast<RequeuePosition>(draw.upto(3));
  return o;
}

/// How much happened in all.
struct Struck {
  std::size_t interrupted = 0, preempted = 0, down = 0;
};

/// Nodes fail and are drained; what is wrong, "" if nothing is.
std::string wrong_with_outages(unsigned seed, bool memory, Struck& seen) {
  Case c(seed);
  if (memory) draw_memory(c.draw, seed, c.options);
  const OutageOptions outages = draw_outages(c.draw, c);
  InvariantOptions kept;
  kept.checkpoints = outages.checkpoints.interval > Duration{0};
  Sliced s;
  try {
    s = slice(c.w, c.nodes, c.options, schedulers()[c.which], c.engine, kept, {}, &outages);
  } catch (const std::exception& e) {
    return e.what();
  }
  for (const InterruptedRun& run : s.result.interrupted) {
    ++seen.interrupted;
    seen.preempted += run.preempted > Duration{0};
    if (run.preempted < Duration{0} || run.preempted > run.to - run.from)
      return "an interrupted run was away for too long";
  }
  if (s.result.outages) seen.down += s.result.outages->down.size();
  return s.violations.empty() ? "" : s.violations.front();
}

}  // namespace

TEST_CASE("under slices nodes fail and are drained", "[slices][outages][property]") {
  Struck seen;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    INFO("seed " << seed);
    REQUIRE(wrong_with_outages(seed, seed % 3 == 0, seen) == "");
  }
  CHECK(seen.interrupted > 1000);
  CHECK(seen.preempted > 300);
  CHECK(seen.down > 1500);
}

TEST_CASE("under slices nodes fail and are drained, at length", "[.][at_length][slices][outages]") {
  Struck seen;
  for (const std::uint64_t seed : cases_at_length(1001, 40'000)) {
    INFO("seed " << seed);
    REQUIRE(wrong_with_outages(static_cast<unsigned>(seed), seed % 3 == 0, seen) == "");
  }
}

TEST_CASE("memory is never overfull, and every job loads and pays what it must", "[slices][memory][property][times]") {
  SliceCounts seen;
  for (unsigned seed = 1; seed <= rounds(800U); ++seed) {
    Case c(seed);
    draw_memory(c.draw, seed, c.options);
    MemoryTwin twin(c.nodes, kFullLoad, c.options.swap_charge, [seed](JobIndex j) { return need_of(seed, j); });
    std::vector<Observer*> observers;
    if (c.options.swapping == Swapping::kParts) observers.push_back(&twin);
    const Sliced s = c.run({}, observers);
    if (!holds(seed, s.violations) || !holds(seed, twin.complaints)) return;
    seen.loads += s.counts.loads;
    seen.swaps += s.counts.swaps;
    seen.evictions += s.counts.evictions;
    seen.foreign_pinned += s.counts.foreign_pinned;
    seen.foreign_resumed += s.counts.foreign_resumed;
  }
  // The workloads are of a kind in which there is something to check.
  CHECK(seen.loads > 3000);
  CHECK(seen.swaps > 3000);
  CHECK(seen.evictions > 150);
  CHECK(seen.foreign_pinned > 300);
  CHECK(seen.foreign_resumed > 300);
}

}  // namespace slices_property_test
