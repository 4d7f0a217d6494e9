// Tasks of a job that go where there is room: of each node as many cores as are left there.
#include "catch.h"

#include "formats/sacct.h"
#include "machine/core_spread.h"
#include "machine/ranked_placement.h"

namespace core_spread_test {

using namespace coslice;

namespace {

MachineLayout machine(std::int32_t nodes) {
  MachineLayout layout;
  NodeKind kind;
  kind.count = nodes;
  kind.cores = 8;
  layout.kinds.push_back(kind);
  return layout;
}

Request tasks(std::int32_t cores, std::int32_t fewest, std::int32_t most) {
  Request r;
  r.nodes = fewest;
  r.cores = kWholeCore;
  r.spread = {cores * kWholeCore, kWholeCore, cores * kWholeCore, most};
  return r;
}

/// What a job gets on nodes with so many cores left, as pairs of a node and its cores there.
std::vector<std::pair<NodeId, std::int32_t>> placed(Placement& placement, const Request& r,
                                                    const std::vector<std::int32_t>& left) {
  const MachineLayout layout = machine(static_cast<std::int32_t>(left.size()));
  NodePool pool(layout);
  NodeSet fitting(layout.node_count());
  for (NodeId n = 0; n != layout.node_count(); ++n) {
    NodeRoom room = pool.room(n);
    room.cores = left[static_cast<std::size_t>(n)] * kWholeCore;
    pool.set_room(n, room);
    if (pool.fits(r, n)) fitting.insert(n);
  }
  Parts parts;
  std::vector<std::pair<NodeId, std::int32_t>> out;
  if (!placement.choose(0, r, pool, fitting, parts)) return out;
  for (const NodePart& part : parts) out.emplace_back(part.node, part.cores / kWholeCore);
  return out;
}

using Got = std::vector<std::pair<NodeId, std::int32_t>>;

Got by_runs(const Request& r, const std::vector<std::int32_t>& left) {
  const MachineLayout layout = machine(static_cast<std::int32_t>(left.size()));
  PlacementRules rules;
  rules.runs = true;
  RankedPlacement placement(layout, make_ranking(BuiltInRank::kFirst, layout), rules);
  return placed(placement, r, left);
}

}  // namespace

TEST_CASE("the first node of a job has what is left there, but for a task of each other node that it needs",
          "[resources]") {
  FirstFit first;
  CHECK(placed(first, tasks(8, 2, 2), {8, 8, 8}) == Got{{0, 7}, {1, 1}});
  CHECK(placed(first, tasks(8, 2, 2), {3, 8, 8}) == Got{{0, 3}, {1, 5}});
  CHECK(placed(first, tasks(18, 1, 18), {8, 0, 6, 8}) == Got{{0, 8}, {2, 6}, {3, 4}});
  CHECK(placed(first, tasks(8, 2, 2), {2, 3, 6}) == Got{{0, 2}, {2, 6}});  // the last one needs all that is missing
  CHECK(placed(first, tasks(9, 2, 2), {2, 3, 6}) ==
        Got{{2, 6}, {1, 3}});  // the largest ones, if the first ones do not do
  CHECK(placed(first, tasks(10, 2, 2), {2, 3, 6}).empty());
  CHECK(placed(first, tasks(8, 2, 2), {8}).empty());
}

TEST_CASE("tasks go to the tightest run of nodes that has enough cores, and on one node of it if that does",
          "[resources]") {
  CHECK(by_runs(tasks(4, 1, 4), {8, 0, 5, 4, 0, 8}) == Got{{0, 4}});  // a run of 8 cores, not that of 9
  CHECK(by_runs(tasks(4, 1, 4), {8, 8, 0, 5, 4}) == Got{{4, 4}});
  CHECK(by_runs(tasks(9, 1, 9), {8, 8, 0, 5, 4}) == Got{{3, 5}, {4, 4}});
  CHECK(by_runs(tasks(10, 1, 10), {2, 0, 5, 4}) == Got{{2, 5}, {3, 4}, {0, 1}});
  CHECK(by_runs(tasks(8, 2, 2), {8, 8, 0, 6, 5}) == Got{{3, 6}, {4, 2}});
  CHECK(by_runs(tasks(13, 2, 2), {1, 1, 1, 6, 0, 8}) == Got{{5, 8}, {3, 5}});  // without those of one core
}

TEST_CASE("of a job of a range of nodes a run is enough that has the fewest of them", "[resources]") {
  // 2 to 4 nodes: the tightest run with 8 cores comes first, what is missing to the most is taken of others.
  Request r = tasks(8, 4, 4);
  CHECK(by_runs(r, {4, 5, 0, 8, 8, 8, 8}) == Got{{3, 5}, {4, 1}, {5, 1}, {6, 1}});
  r.range_least = 2;
  CHECK(by_runs(r, {4, 5, 0, 8, 8, 8, 8}) == Got{{0, 4}, {1, 2}, {3, 1}, {4, 1}});
  CHECK(by_runs(r, {4, 3, 0, 8, 8, 8, 8}) == Got{{3, 5}, {4, 1}, {5, 1}, {6, 1}});  // seven cores are not enough

  Request alike;
  alike.nodes = 3;
  alike.cores = 4 * kWholeCore;
  CHECK(by_runs(alike, {8, 8, 0, 4, 4, 4, 8, 8}) == Got{{3, 0}, {4, 0}, {5, 0}});
  alike.range_least = 2;
  CHECK(by_runs(alike, {8, 8, 0, 4, 4, 4, 8, 8}) == Got{{0, 0}, {1, 0}, {3, 0}});
}

TEST_CASE("with so many tasks on a node, each node has as many", "[resources]") {
  Request r = tasks(9, 1, 9);
  r.cores = r.spread.unit = r.spread.most = 3 * kWholeCore;
  CHECK(fewest_nodes(r) == 3);
  CHECK(by_runs(r, {8, 2, 8, 8, 4}) == Got{{2, 3}, {3, 3}, {4, 3}});
}

TEST_CASE("where it is not said how many cores a job has in all, it takes whole processors that are left",
          "[resources]") {
  const MachineLayout layout = machine(3);
  NodePool pool(layout);
  NodeRoom room = pool.room(1);
  room.cores = 7 * kWholeCore;
  pool.set_room(1, room);
  Request r;
  r.nodes = 2;
  r.cores = 4 * kWholeCore;
  r.spread = {8 * kWholeCore, 4 * kWholeCore, 0, 0};
  Parts parts{{1, 0}, {2, 0}};
  take_what_is_left(r, pool, parts);
  CHECK((parts[0].cores == 4 * kWholeCore && parts[1].cores == 8 * kWholeCore));
  pool.take(r, parts);
  CHECK((pool.room(1).cores == 3 * kWholeCore && pool.room(2).cores == 0));
  CHECK_FALSE(lacks_cores(r, pool, NodeSet(3)));
}

TEST_CASE("the command of a job says how its tasks may be spread", "[convert]") {
  const auto spread = [](const char* command, std::int64_t cpus) { return sacct_spread(command, cpus); };
  const auto any = spread("sbatch -Jjob1 -n18 --mem=1000", 18);
  REQUIRE(any);
  CHECK((any->task_cpus == 1 && any->most_cpus == 0 && any->fewest_nodes == 1 && any->most_nodes == 18));
  const auto two = spread("sbatch --nodes=2 --ntasks 8 -c 2", 16);
  REQUIRE(two);
  CHECK((two->task_cpus == 2 && two->fewest_nodes == 2 && two->most_nodes == 2));
  const auto per_node = spread("sbatch -n 12 --ntasks-per-node=4", 12);
  REQUIRE(per_node);
  CHECK((per_node->task_cpus == 4 && per_node->most_cpus == 4 && per_node->fewest_nodes == 1));
  for (const char* even : {"", "sbatch job.sh", "sbatch -n1", "sbatch -n8 -N1", "sbatch -n8 -N8", "sbatch -n8 -N2-4",
                           "sbatch -n8 -N2 --ntasks-per-node=4", "sbatch -n8 --exclusive", "sbatch -n4"}) {
    INFO(even);
    CHECK_FALSE(spread(even, 8));
  }
}

TEST_CASE("a command that says no nodes counts only where the job has asked for one", "[convert]") {
  const auto spreads = [](const std::string& asked) {
    const std::string dump =
        "JobID|Submit|Elapsed|NCPUS|ReqTRES|SubmitLine\n1|2026-03-01T08:00:00|00:10:00|8|cpu=8,node=" + asked +
        "|sbatch -n8 job.sh\n";
    return parse_sacct(dump, "d.sacct", SlurmSize::kCpus).requests.at(0).spread.has_value();
  };
  CHECK(spreads("1"));
  CHECK_FALSE(spreads("2"));  // #SBATCH -N 2
}

}  // namespace core_spread_test
