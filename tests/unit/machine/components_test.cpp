// Whether there are nodes for all components of a job, and which ones they get, beside the same tried out.
#include "machine/components.h"

#include <functional>
#include <set>

#include "catch.h"
#include "core/random.h"
#include "machine/eligibility.h"

namespace components_test {

using namespace coslice;

namespace {

NodeSet set_of(std::int32_t size, const std::vector<NodeId>& nodes) { return NodeSet(size, as_ranges(nodes)); }

Request asking_for(const std::vector<std::int32_t>& nodes) {
  std::vector<Request> components;
  for (const std::int32_t n : nodes) {
    components.emplace_back();
    components.back().nodes = n;
    components.back().cores = kWholeCore * static_cast<CoreShare>(components.size());
  }
  return of_components(std::move(components));
}

/// Tries out all ways to choose nodes.
bool by_brute_force(const Request& r, const std::vector<NodeSet>& sets) {
  std::set<NodeId> taken;
  const std::function<bool(std::size_t, NodeId, std::int32_t)> rest = [&](std::size_t i, NodeId from,
                                                                          std::int32_t has) {
    if (i == sets.size()) return true;
    if (has == r.components[i].nodes) return rest(i + 1, 0, 0);
    for (NodeId n = from; n != sets[i].size(); ++n) {
      if (!sets[i].contains(n) || !taken.insert(n).second) continue;
      if (rest(i, n + 1, has + 1)) return true;
      taken.erase(n);
    }
    return false;
  };
  return rest(0, 0, 0);
}

bool first_of(const Request& r, std::size_t i, const NodeSet& nodes, Parts& out) {
  for_each_node(nodes.lowest(r.components[i].nodes), [&](NodeId n) { out.push_back({n, 0}); });
  return true;
}

/// "0:0 1 | 1:4".
std::string chosen(const Request& r, const std::vector<NodeSet>& sets) {
  Parts parts;
  if (!choose_apart(r, sets, parts,
                    [&](std::size_t i, const NodeSet& nodes, Parts& out) { return first_of(r, i, nodes, out); }))
    return "none";
  std::string text;
  for (const NodePart& p : parts) text += std::to_string(p.component) + ":" + std::to_string(p.node) + " ";
  return text;
}

}  // namespace

TEST_CASE("components have nodes of their own where there are such", "[components]") {
  RandomStream random = RandomKey(7, "components").stream(0);
  const auto between = [&](int a, int b) { return static_cast<int>(random.uniform_int(a, b)); };
  int enough = 0;
  for (int i = 0; i != 3000; ++i) {
    const std::int32_t size = between(2, 7);
    std::vector<std::int32_t> wanted;
    std::vector<NodeSet> sets;
    for (int c = between(2, 4); c > 0; --c) {
      wanted.push_back(between(1, 3));
      std::vector<NodeId> nodes;
      for (NodeId n = 0; n != size; ++n)
        if (between(0, 2) != 0) nodes.push_back(n);
      sets.push_back(set_of(size, nodes));
    }
    const Request r = asking_for(wanted);
    const bool there_are = by_brute_force(r, sets);
    REQUIRE(enough_apart(r, sets) == there_are);
    enough += there_are ? 1 : 0;
    Parts parts;
    const bool chose = choose_apart(r, sets, parts, [&](std::size_t c, const NodeSet& nodes, Parts& out) {
      REQUIRE(nodes.count() >= r.components[c].nodes);
      return first_of(r, c, nodes, out);
    });
    REQUIRE(chose == there_are);
    if (!chose) continue;
    std::set<NodeId> seen;
    std::vector<std::int32_t> got(wanted.size(), 0);
    for (const NodePart& p : parts) {
      REQUIRE(seen.insert(p.node).second);
      REQUIRE(sets[static_cast<std::size_t>(p.component)].contains(p.node));
      ++got[static_cast<std::size_t>(p.component)];
    }
    REQUIRE(got == wanted);
    // Of the first component, each node in turn that leaves the others enough.
    NodeSet left = sets[0];
    std::vector<NodeSet> others = sets;
    Request rest = r;
    for (const NodePart& p : parts) {
      if (p.component != 0) continue;
      left.for_each([&](NodeId n) {
        if (n >= p.node || !others[0].contains(n)) return;
        std::vector<NodeSet> without = others;
        for (NodeSet& s : without) s.erase(n);
        Request fewer = rest;
        --fewer.components[0].nodes;
        CHECK_FALSE(by_brute_force(fewer, without));
      });
      for (NodeSet& s : others) s.erase(p.node);
      --rest.components[0].nodes;
    }
  }
  CHECK(enough > 500);
  CHECK(enough < 2500);
}

TEST_CASE("a component takes other nodes than those that it prefers where another one needs these", "[components]") {
  const Request r = asking_for({2, 1});
  CHECK(chosen(r, {set_of(5, {0, 1, 2, 3}), set_of(5, {0})}) == "0:1 0:2 1:0 ");
  CHECK(chosen(r, {set_of(5, {0, 1}), set_of(5, {1, 4})}) == "0:0 0:1 1:4 ");
  CHECK(chosen(r, {set_of(5, {0, 1}), set_of(5, {0, 1})}) == "none");
  CHECK(chosen(asking_for({1, 1, 1}), {set_of(5, {0, 1, 2}), set_of(5, {0, 1}), set_of(5, {0})}) == "0:2 1:1 2:0 ");
}

TEST_CASE("what components ask for in all", "[components]") {
  Request cpu, gpu;
  cpu.nodes = 3;
  cpu.cores = 4 * kWholeCore;
  cpu.memory_mib = 100;
  cpu.licences = {{0, 2}};
  cpu.rows = 4;
  gpu.nodes = 2;
  gpu.gpus = 2;
  gpu.gpu_share = kWholeGpu;
  gpu.licences = {{0, 1}, {1, 5}};
  gpu.partitions = {1};
  const Request r = of_components({cpu, gpu});
  CHECK(r.nodes == 5);
  CHECK(gpus_in_all(r) == 4 * kWholeGpu);
  CHECK(sum_over_nodes(r, [](const Request& c) { return c.memory_mib; }) == 300);
  CHECK(r.licences == std::vector<LicenceUse>{{0, 3}, {1, 5}});
  CHECK(r.components[0].licences.empty());
  CHECK(r.components[0].rows == 0);  // cores that others have it does not take
  CHECK(r.partitions.empty());
}

}  // namespace components_test
