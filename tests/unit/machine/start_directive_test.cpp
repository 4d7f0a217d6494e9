// Where a policy wants a job to start: by hand, on nodes with GPUs.
#include "catch.h"

#include "machine/start_directive.h"

namespace start_directive_test {

using namespace coslice;

namespace {

/// Nodes 0 and 1 have two GPUs, nodes 2 and 3 four.
MachineLayout machine_of_places() {
  MachineLayout layout;
  layout.gpu_types = {"A", "B"};
  for (std::int32_t k = 0; k != 2; ++k) {
    NodeKind kind;
    kind.count = 2;
    kind.cores = 8;
    kind.gpus = 2 + 2 * k;
    kind.gpu_type = k;
    kind.first = 2 * k;
    layout.kinds.push_back(kind);
  }
  return layout;
}

Request asks(std::int32_t gpus, GpuShare share = kWholeGpu) {
  Request r;
  r.nodes = 1;
  r.cores = 1000;
  r.gpus = gpus;
  r.gpu_share = share;
  return r;
}

struct Placed {
  MachineLayout layout = machine_of_places();
  NodePool pool{layout};

  /// A job has that; returned as one that others may start beside.
  StartDirective::Host run(const Request& r, const Parts& parts) {
    pool.take(r, parts);
    return {parts, r.gpu_share};
  }
  /// What the job gets; empty: there is no such place.
  Parts get(const StartDirective& place, const Request& r) const {
    NodeSet fitting(4);
    for (NodeId n = 0; n < 4; ++n)
      if (pool.fits(r, n)) fitting.insert(n);
    Parts out;
    return choose_at(place, r, pool, fitting, out) ? out : Parts{};
  }
};

}  // namespace

TEST_CASE("a place by kind is on the first node of it that has room", "[place]") {
  Placed m;
  StartDirective second;
  second.kind = 1;
  CHECK(m.get({}, asks(1)) == Parts{{0, 1}});
  CHECK(m.get(second, asks(1)) == Parts{{2, 1}});
  m.run(asks(4), {{2, 15}});
  CHECK(m.get(second, asks(2)) == Parts{{3, 3}});
  StartDirective first;
  first.kind = 0;
  CHECK(m.get(first, asks(3)).empty());
}

TEST_CASE("a place outside of nodes is on others, those that the placement would choose where nothing else is said",
          "[place]") {
  StartDirective place;
  CHECK(place.by_placement());
  CHECK(place.open(NodeSet(4, true)).count() == 4);
  place.outside = NodeSet(4);
  place.outside.insert(1);
  CHECK(place.by_placement());
  CHECK(place.open(NodeSet(4, true)).count() == 3);
  CHECK_FALSE(place.open(NodeSet(4, true)).contains(1));
  place.alone = true;
  CHECK_FALSE(place.by_placement());
}

TEST_CASE("a place alone is on GPUs of which no job has a share, or on nodes without jobs", "[place]") {
  Placed m;
  m.run(asks(1, 250), {{0, 1}});
  StartDirective alone;
  alone.alone = true;
  CHECK(m.get({}, asks(1, 500)) == Parts{{0, 1}});
  CHECK(m.get(alone, asks(1, 500)) == Parts{{0, 2}});
  CHECK(m.get(alone, asks(2)) == Parts{{1, 3}});
  CHECK(m.get(alone, asks(0)) == Parts{{1, 0}});
}

TEST_CASE("a place beside a job is on its GPUs, if enough is left of them", "[place]") {
  Placed m;
  const auto wide = m.run(asks(2, 500), {{2, 6}});
  StartDirective place;
  place.beside = {wide};
  CHECK(m.get(place, asks(1, 500)) == Parts{{2, 2}});
  CHECK(m.get(place, asks(1, 750)).empty());
  CHECK(m.get(place, asks(3, 500)).empty());
  place.idle = true;  // two of its GPUs, and one that no job has
  CHECK(m.get(place, asks(3, 500)) == Parts{{2, 7}});
  place.idle = false;
  m.run(asks(1, 250), {{2, 2}});  // a second job on the first of its GPUs
  place.alone = true;
  CHECK(m.get(place, asks(1, 250)) == Parts{{2, 4}});
  place.alone = false;
  CHECK(m.get(place, asks(1, 250)) == Parts{{2, 2}});
}

TEST_CASE("a place with others is one where they find room, too", "[place]") {
  Placed m;
  const NodeSet all(4, true);
  const Request half = asks(1, 500), large = asks(1, 600);
  StartDirective place;
  place.alone = true;
  place.with = {{{{&half, &all}}}};
  CHECK(m.get(place, asks(1, 500)) == Parts{{0, 1}});
  CHECK(m.get(place, asks(1, 600)).empty());
  place.with = {{{{&large, &all}}}};
  CHECK(m.get(place, asks(1, 500)).empty());
  place.with.assign(3, {{{&half, &all}}});  // three of them need three GPUs of it
  CHECK(m.get(place, asks(2, 500)).empty());
  CHECK(m.get(place, asks(3, 500)) == Parts{{2, 7}});
}

}  // namespace start_directive_test
