// Hand-worked schedules under time slices, one per rule.
#include "core/error.h"
#include "unit/slice_helpers.h"

namespace slices_test {

using namespace coslice;
using namespace coslice::test;

TEST_CASE("a long job alone also runs in medium slices", "[slices]") {
  // 0-1020 foreign, lost to 1080, 1080-3540 its own, lost to 3600, 3600-4620 foreign, lost to 4680, 500 s left.
  const Sliced s = slice(workload({{0, 1, 5000, 11000}}), 4, usual());
  CHECK(s.violations.empty());
  CHECK(s.start(0) == 0);
  CHECK(s.end(0) == 5180);
  SliceOptions alone = usual();
  alone.foreign = ForeignJobs::kNone;
  const Sliced t = slice(workload({{0, 1, 5000, 11000}}), 4, alone);
  CHECK(t.violations.empty());
  CHECK(t.start(0) == 1080);
  CHECK(t.end(0) == 8360);
}

TEST_CASE("jobs that swap each other out for ever end the run with an error", "[slices][memory]") {
  // Two jobs of the whole node in slices of 30 s: loading takes 100 s, so each goes on loading where the other stopped.
  SliceOptions o;
  o.interval = whole_seconds(60);
  o.classes = {{"medium", whole_seconds(600), 0.5, false, {}}, {"long", Duration::max(), 0.5, false, {}}};
  o.overhead = Duration{0};
  o.memory = whole_seconds(100);
  o.memory_of = [](const View&, JobIndex) { return whole_seconds(100); };
  const Workload both = workload({{0, 1, 300, 300}, {0, 1, 2000, 2000}});
  std::string said;
  try {
    slice(both, 1, o);
  } catch (const SimulationError& e) {
    said = e.what();
  }
  CHECK(said.find("2 jobs make no progress") == 0);
  CHECK(slice(workload({{0, 1, 300, 300}}), 1, o).violations.empty());
}

TEST_CASE("a class without slices of its own runs in those of others, with memory too", "[slices][memory]") {
  SliceOptions o;
  o.classes = {{"medium", whole_seconds(1000), 1, false, {}}, {"long", Duration::max(), 0, false, {}}};
  o.overhead = Duration{0};
  o.memory = whole_seconds(100);
  o.memory_of = [](const View&, JobIndex) { return whole_seconds(100); };
  const Sliced s = slice(workload({{0, 1, 1500, 1500}, {0, 1, 1500, 1500}}), 1, o);
  CHECK(s.violations.empty());
  CHECK(s.end(1) == 3200);
}

TEST_CASE("a long time with nothing to do is not a lack of progress", "[slices][memory]") {
  SliceOptions o = usual();
  o.overhead = Duration{0};
  o.memory = whole_seconds(100);
  o.memory_of = [](const View&, JobIndex) { return whole_seconds(100); };
  const Sliced s = slice(workload({{0, 1, 1000, 1000}, {40'000'000, 1, 1000, 1000}}), 1, o);
  CHECK(s.violations.empty());
  CHECK(s.start(1) >= 40'000'000);
}

}  // namespace slices_test
