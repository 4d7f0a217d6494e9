#include "catch.h"

#include "machine/fragmentation.h"
#include "machine/node_pool.h"

namespace fragmentation_test {

using namespace coslice;

namespace {

MachineLayout two_kinds() {
  MachineLayout layout;
  layout.gpu_types = {"A", "B"};
  for (std::int32_t k = 0; k != 2; ++k) {
    NodeKind kind;
    kind.name = layout.gpu_types[static_cast<std::size_t>(k)];
    kind.count = 2;
    kind.cores = 8;
    kind.gpus = 4;
    kind.gpu_type = k;
    kind.first = 2 * k;
    layout.kinds.push_back(kind);
  }
  return layout;
}

Request asks(double cores, std::int32_t gpus, double share = 1, std::vector<std::int32_t> types = {}) {
  Request r;
  r.cores = static_cast<CoreShare>(cores * kWholeCore);
  r.gpus = gpus;
  r.gpu_share = static_cast<GpuShare>(share * kWholeGpu);
  r.gpu_types = std::move(types);
  return r;
}

}  // namespace

TEST_CASE("typical requests are the most frequent ones, without what only memory tells apart") {
  const MachineLayout layout = two_kinds();
  const Request one = asks(1, 1), half = asks(2, 1, 0.5), none = asks(4, 0), rare = asks(8, 4, 1, {1});
  Request one_with_memory = one;
  one_with_memory.memory_mib = 7;
  std::vector<CountedRequest> jobs;
  const auto add = [&](const Request& r, std::int64_t n) { jobs.emplace_back(&r, n); };
  add(rare, 1);
  add(half, 6);
  add(one, 4);
  add(one_with_memory, 3);
  add(none, 6);
  const std::vector<TypicalRequest> mix = typical_requests(jobs, layout, 0.95);
  REQUIRE(mix.size() == 3);  // 7 + 6 + 6 of 20 are 95 %
  CHECK(mix[0].cores == kWholeCore);
  CHECK(mix[1].cores == 4 * kWholeCore);  // as frequent as the next: more cores first
  CHECK(mix[1].gpu_share == 0);
  CHECK(mix[2].gpu_share == 500);
  CHECK(mix[0].weight == Approx(7.0 / 19));
  CHECK(mix[2].weight == Approx(6.0 / 19));
  CHECK(typical_requests({}, layout).empty());
}

TEST_CASE("what is left is fragmented as far as the mix cannot use it") {
  const MachineLayout layout = two_kinds();
  const GpuShare gpus[] = {1000, 400, 0, 1000};
  const auto only = [&](const Request& r) {
    return Fragmentation(layout, {{r.cores, r.gpus, r.gpus == 0 ? 0 : r.gpu_share, r.gpu_types, 1}});
  };
  const auto on_a = [&](const Request& r, double cores) {
    return only(r).of(0, static_cast<CoreShare>(cores * kWholeCore), gpus, 4);
  };
  CHECK(on_a(asks(4, 2), 4) == 400);           // fits: the GPU of which too little is left
  CHECK(on_a(asks(4, 1, 0.3), 4) == 0);        // fits everywhere but on the full GPU
  CHECK(on_a(asks(4, 3), 4) == 2400);          // too few GPUs
  CHECK(on_a(asks(5, 2), 4) == 2400);          // too few cores
  CHECK(on_a(asks(1, 0), 4) == 2400);          // wants no GPU
  CHECK(on_a(asks(4, 2, 1, {1}), 4) == 2400);  // wants others
  CHECK(on_a(asks(4, 2, 1, {1, 0}), 4) == 400);
  const Fragmentation half(layout, {{1000, 2, 1000, {}, 0.5}, {9000, 1, 300, {}, 0.5}});
  CHECK(half.of(0, 4000, gpus, 4) == 0.5 * 400 + 0.5 * 2400);
}

TEST_CASE("fragmentation after a request is that of the room it leaves") {
  const MachineLayout layout = two_kinds();
  const Fragmentation fragmentation(layout, {{2000, 1, 500, {}, 0.75}, {1000, 4, 1000, {}, 0.25}});
  NodePool pool(layout);
  const Request r = asks(3, 1, 0.6);
  const double before = fragmentation.of(0, pool.room(0));
  const double after = fragmentation.after(0, pool.room(0), r, 4);
  CHECK(fragmentation.of(0, pool.room(0)) == before);
  pool.take(r, {{0, 4}});
  CHECK(fragmentation.of(0, pool.room(0)) == after);
  CHECK(after > before);
}

}  // namespace fragmentation_test
