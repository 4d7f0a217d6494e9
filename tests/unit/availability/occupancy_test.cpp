// Who is on which node, while each node has one job at most, and where it may have several.
#include "catch.h"

#include <initializer_list>
#include <vector>

#include "availability/occupancy.h"

namespace occupancy_test {

using namespace coslice;

namespace {

StartedJob& lay(StartedJob& job, std::initializer_list<NodeRange> nodes) {
  job.nodes = NodeRanges{};
  for (const NodeRange& r : nodes) job.nodes.append(r.first, r.last);
  return job;
}

std::vector<std::int32_t> jobs_by_node(const Occupancy& on) {
  std::vector<std::int32_t> counts;
  for (NodeId n = 0; n != on.idle().size(); ++n) counts.push_back(on.jobs_on(n));
  return counts;
}

}  // namespace

TEST_CASE("a job has its nodes for itself, and a node that is away is neither idle nor used", "[occupancy]") {
  Occupancy on(4);
  StartedJob a;
  on.come(lay(a, {{0, 1}}));
  CHECK(on.idle().ranges().str() == "2-3");
  on.take_down(3);
  CHECK(on.used_nodes() == 2);
  CHECK(on.down().ranges().str() == "3");
  CHECK(jobs_by_node(on) == std::vector<std::int32_t>{1, 1, 0, 0});
  on.go(a);
  CHECK(on.used_nodes() == 0);
  CHECK(on.idle().ranges().str() == "0-2");
  CHECK(on.bring_back(3));
  CHECK_FALSE(on.bring_back(3));
  CHECK(on.idle().count() == 4);
}

TEST_CASE("of several jobs on a node, the last one that goes leaves it idle", "[occupancy]") {
  Occupancy on(3);
  StartedJob a, b, never_there;
  on.come(lay(a, {{0, 1}}));
  on.list_jobs();
  on.come(a);
  on.come(lay(b, {{1, 2}}));
  CHECK(on.idle().empty());
  CHECK(jobs_by_node(on) == std::vector<std::int32_t>{1, 2, 1});
  CHECK(on.jobs(1) == Occupancy::Jobs{&a, &b});
  on.go(lay(never_there, {{0, 2}}));
  CHECK(on.used_nodes() == 3);
  on.go(a);
  CHECK(on.idle().ranges().str() == "0");
  CHECK(on.jobs(1) == Occupancy::Jobs{&b});
  on.go(b);
  CHECK(on.idle().count() == 3);
}

}  // namespace occupancy_test
