#include "catch.h"

#include "machine/ranked_placement.h"

#include <algorithm>
#include <map>

#include "core/random.h"
#include "machine/block_placement.h"

namespace ranked_placement_test {

using namespace coslice;

namespace {

MachineLayout machine(std::int32_t nodes) {
  MachineLayout layout;
  layout.gpu_types = {"A", "B"};
  for (std::int32_t k = 0; k != 2; ++k) {
    NodeKind kind;
    kind.count = nodes / 2;
    kind.cores = 4 + 4 * k;
    kind.gpus = 2 + 2 * k;
    kind.gpu_type = k;
    kind.memory_mib = 100;
    kind.first = k * (nodes / 2);
    layout.kinds.push_back(kind);
  }
  return layout;
}

Request draw_request(RandomStream& draws) {
  Request r;
  r.cores = static_cast<CoreShare>(draws.uniform_int(0, 4)) * 500;
  r.memory_mib = draws.uniform_int(0, 3) * 10;
  r.gpus = static_cast<std::int32_t>(draws.uniform_int(0, 2));
  r.gpu_share = r.gpus == 1 ? static_cast<GpuShare>(draws.uniform_int(1, 4)) * 250 : kWholeGpu;
  r.nodes = draws.uniform() < 0.2 ? 2 : 1;
  return r;
}

/// Scores by a hash of all that it says it reads, and counts how often it is asked.
class Opinion : public NodeRanking {
 public:
  explicit Opinion(std::uint32_t reads) : reads_(reads) {}

  NodeScore of(std::uint32_t job, const Request& r, const NodePool& pool, NodeId n) const {
    const NodeRoom& room = pool.room(n);
    std::uint64_t h = static_cast<std::uint64_t>(room.cores * 7 + r.cores * 3 + r.gpus + pool.layout().kind_index(n));
    for (const GpuShare g : room.gpus) h = h * 31 + static_cast<std::uint64_t>(g);
    if ((reads_ & kReadsMemory) != 0) h = h * 31 + static_cast<std::uint64_t>(room.memory_mib);
    if ((reads_ & kReadsNode) != 0)
      h = h * 31 + static_cast<std::uint64_t>(n * 5 + room.jobs) +
          (beside.empty() ? 0 : beside[static_cast<std::size_t>(n)]);
    if ((reads_ & kReadsRequest) != 0) h = h * 31 + static_cast<std::uint64_t>(r.memory_mib + r.nodes);
    if ((reads_ & kReadsJob) != 0) h = h * 31 + job;
    return {static_cast<double>(h % 5), 0, h % 7 != 0};
  }

  void score(std::uint32_t job, const Request& r, const NodePool& pool, const std::vector<NodeId>& nodes,
             std::vector<NodeScore>& out) override {
    asked += nodes.size();
    for (std::size_t i = 0; i != nodes.size(); ++i) out[i] = of(job, r, pool, nodes[i]);
    known_ = reads_;
  }
  std::uint32_t reads() const override { return known_; }
  const std::vector<std::uint64_t>* node_changes() const override { return beside.empty() ? nullptr : &beside; }

  std::size_t asked = 0;
  std::vector<std::uint64_t> beside;  ///< by node: what runs there besides what the pool knows

 private:
  /// What it reads comes out at the first question.
  std::uint32_t reads_, known_ = 0;
};

/// The best nodes by asking about each.
Parts slow_choice(const Opinion& opinion, std::uint32_t job, const Request& r, const NodePool& pool,
                  const NodeSet& fitting, const std::vector<NodeId>& order) {
  std::vector<std::pair<double, NodeId>> best;
  for (const NodeId n : order)
    if (const NodeScore s = opinion.of(job, r, pool, n); fitting.contains(n) && s.admitted)
      best.emplace_back(-s.value, n);
  std::stable_sort(best.begin(), best.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Parts parts;
  if (best.size() < static_cast<std::size_t>(r.nodes)) return parts;
  for (std::int32_t i = 0; i != r.nodes; ++i) {
    const NodeId n = best[static_cast<std::size_t>(i)].second;
    parts.push_back({n, fitting_gpus(r, pool.room(n))});
  }
  return parts;
}

}  // namespace

TEST_CASE("kept scores choose as asking about every node does") {
  MachineLayout layout = machine(20);
  for (NodeId n = 20; n-- > 0;) layout.order.push_back((n * 7) % 20);
  const std::uint32_t all = kReadsMemory | kReadsNode | kReadsRequest | kReadsJob | kReadsAnything;
  for (std::uint32_t reads = 0; reads <= all; ++reads) {
    RandomStream draws(reads, "placement test");
    auto ranking = std::make_unique<Opinion>(reads);
    Opinion& opinion = *ranking;
    if (draws.uniform() < 0.5) opinion.beside.resize(20);
    std::vector<Request> requests;
    for (int i = 0; i != 12; ++i) requests.push_back(draw_request(draws));
    RankedPlacement placement(layout, std::move(ranking));
    NodePool pool(layout);
    std::vector<std::pair<Request, Parts>> running;
    for (int i = 0; i != 150; ++i) {
      const auto job = static_cast<std::uint32_t>(draws.uniform_int(0, 11));
      const Request& r = requests[job];
      if (!opinion.beside.empty()) ++opinion.beside[static_cast<std::size_t>(draws.uniform_int(0, 19))];
      NodeSet fitting(20);
      for (NodeId n = 0; n != 20; ++n)
        if (pool.fits(r, n)) fitting.insert(n);
      if (fitting.count() < r.nodes) continue;
      const Parts expected = slow_choice(opinion, job, r, pool, fitting, layout.order);
      Parts parts;
      const bool chosen = placement.choose(job, r, pool, fitting, parts);
      REQUIRE(chosen == !expected.empty());
      if (!chosen) continue;
      REQUIRE(parts == expected);
      pool.take(r, parts);
      running.emplace_back(r, parts);
      if (draws.uniform() < 0.5) {
        const auto ended =
            static_cast<std::size_t>(draws.uniform_int(0, static_cast<std::int64_t>(running.size()) - 1));
        pool.give(running[ended].first, running[ended].second);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(ended));
      }
    }
  }
}

TEST_CASE("equal nodes are asked about once, and again only when they changed") {
  const MachineLayout layout = machine(1000);
  auto ranking = std::make_unique<Opinion>(0);
  Opinion& opinion = *ranking;
  RankedPlacement placement(layout, std::move(ranking));
  NodePool pool(layout);
  Request r;
  r.cores = 1000;
  Parts parts;
  REQUIRE(placement.choose(0, r, pool, NodeSet(1000, true), parts));
  CHECK(opinion.asked == 2);  // of each kind one
  REQUIRE(placement.choose(1, r, pool, NodeSet(1000, true), parts));
  CHECK(opinion.asked == 2);
  pool.take(r, {{3, 0}, {4, 0}, {700, 0}});
  REQUIRE(placement.choose(2, r, pool, NodeSet(1000, true), parts));
  CHECK(opinion.asked == 4);
}

TEST_CASE("jobs that wait are asked about again only for nodes that changed") {
  const MachineLayout layout = machine(100);
  auto ranking = std::make_unique<Opinion>(kReadsNode | kReadsJob);
  Opinion& opinion = *ranking;
  RankedPlacement placement(layout, std::move(ranking));
  NodePool pool(layout);
  Request r;
  r.cores = 1000;
  Parts parts;
  for (int pass = 0; pass != 3; ++pass) {
    for (std::uint32_t job = 0; job != 5; ++job) placement.choose(job, r, pool, NodeSet(100, true), parts);
    if (pass == 0) opinion.asked = 0;
    if (pass == 1) pool.take(r, {{3, 0}, {70, 0}});
  }
  CHECK(opinion.asked == 5 * 2);
}

TEST_CASE("random ties and GPUs are spread evenly") {
  const MachineLayout layout = machine(10);
  NodePool pool(layout);
  RankedPlacement placement(layout, make_ranking(BuiltInRank::kFirst, layout),
                            {NodeTies::kRandom, GpuChoice::kRandom, 5});
  Request r;
  r.gpus = 1;
  r.gpu_share = 250;
  std::map<NodeId, int> nodes;
  std::map<std::uint64_t, int> gpus;
  Parts parts;
  for (std::uint32_t job = 0; job != 10'000; ++job) {
    REQUIRE(placement.choose(job, r, pool, NodeSet(10, true), parts));
    ++nodes[parts[0].node];
    if (parts[0].node >= 5) ++gpus[parts[0].gpus];
  }
  REQUIRE(nodes.size() == 10);
  for (const auto& [n, count] : nodes) CHECK((count > 850 && count < 1150));
  REQUIRE(gpus.size() == 4);
  for (const auto& [g, count] : gpus) CHECK((count > 1100 && count < 1400));
}

TEST_CASE("the built-in ranks") {
  const MachineLayout layout = machine(10);
  NodePool pool(layout);
  Request r;
  r.cores = 1000;
  r.gpus = 1;
  pool.take(r, {{2, 1}});
  pool.take(r, {{7, 1}});
  const auto chosen = [&](BuiltInRank rank) {
    RankedPlacement placement(layout, make_ranking(rank, layout));
    Parts parts;
    REQUIRE(placement.choose(0, r, pool, NodeSet(10, true), parts));
    return parts[0].node;
  };
  CHECK(chosen(BuiltInRank::kFirst) == 0);
  CHECK(chosen(BuiltInRank::kBestFit) == 2);  // least left: of the smaller kind, one job there
  CHECK(chosen(BuiltInRank::kSpread) == 5);   // most left: of the larger kind, nothing there
  CHECK(chosen(BuiltInRank::kPack) == 2);     // the first in use
}

namespace {

/// Four blocks of four nodes and two nodes of none, and who has which of them.
class Blocks {
 public:
  explicit Blocks(std::vector<std::int32_t> sizes)
      : layout_(equal_nodes()), pool_(layout_), placement_(made(layout_, std::move(sizes))) {}

  void fill(const std::vector<NodeId>& nodes) {
    Request all;
    all.cores = 4 * kWholeCore;
    for (const NodeId n : nodes) pool_.take(all, {{n, 0}});
  }
  /// The nodes that a job of so many gets, each of four cores; empty: none.
  std::vector<NodeId> of(std::int32_t nodes, std::int32_t segment = 0) {
    Request r;
    r.nodes = nodes;
    r.cores = 4 * kWholeCore;
    r.segment = segment;
    NodeSet fitting(18);
    for (NodeId n = 0; n != 18; ++n)
      if (pool_.fits(r, n)) fitting.insert(n);
    Parts parts;
    std::vector<NodeId> out;
    if (fitting.count() < nodes || !placement_.choose(0, r, pool_, fitting, parts)) return out;
    for (const NodePart& part : parts) out.push_back(part.node);
    std::ranges::sort(out);
    return out;
  }
  const Placement& placement() const { return placement_; }

 private:
  static MachineLayout equal_nodes() {
    MachineLayout layout;
    NodeKind kind;
    kind.count = 18;
    kind.cores = 4;
    layout.kinds.push_back(kind);
    return layout;
  }
  static BlockPlacement made(const MachineLayout& layout, std::vector<std::int32_t> sizes) {
    PlacementRules rules;
    for (std::int32_t n = 0; n != 18; ++n) rules.group_of.push_back(n < 16 ? n / 4 : n - 12);
    auto inner = std::make_unique<RankedPlacement>(layout, make_ranking(BuiltInRank::kFirst, layout), rules);
    return {layout, std::move(inner), {rules.group_of, 4, std::move(sizes)}};
  }

  MachineLayout layout_;
  NodePool pool_;
  BlockPlacement placement_;
};

using Nodes = std::vector<NodeId>;

}  // namespace

TEST_CASE("a job has nodes of one block, or of as many beside one another as its size says") {
  Blocks some({4, 8});
  CHECK(some.placement().may_decline());
  CHECK(some.of(4) == Nodes{12, 13, 14, 15});  // of equal ones the last
  some.fill({3, 6, 7, 12, 15});
  CHECK(some.of(2) == Nodes{13, 14});  // the fewest that are enough
  CHECK(some.of(3) == Nodes{0, 1, 2});
  CHECK(some.of(4) == Nodes{8, 9, 10, 11});
  CHECK(some.of(5) == Nodes{0, 1, 2, 4, 5});  // the first two blocks are one of eight
  CHECK(some.of(6) == Nodes{8, 9, 10, 11, 13, 14});
  CHECK(some.of(7) == Nodes{});
  some.fill({10, 11});
  CHECK(some.of(4) == Nodes{});   // nine are free
  CHECK(some.of(9).size() == 9);  // no size is enough: all blocks are one
  CHECK(some.of(10) == Nodes{});  // nodes of no block are for none
}

TEST_CASE("each segment of a job is in a block") {
  Blocks some({4});
  some.fill({3, 6, 7, 12, 15});
  CHECK(some.of(8).size() == 8);  // anywhere: no size is enough
  CHECK(some.of(8, 4) == Nodes{});
  CHECK(some.of(6, 3) == Nodes{0, 1, 2, 8, 9, 10});
  CHECK(some.of(6, 2).size() == 6);
  CHECK(some.of(4, 4) == Nodes{8, 9, 10, 11});
  CHECK(some.of(2, 4) == some.of(2));  // larger than the job: it means nothing
  CHECK(some.of(4, 3) == some.of(4));  // it does not make up the job: Slurm would have refused it
}

TEST_CASE("a job that no block could ever hold has nodes of all") {
  Blocks some({8, 16});  // a block has four nodes
  CHECK(some.of(6).size() == 6);
  CHECK(some.of(4) == Nodes{12, 13, 14, 15});
}

}  // namespace ranked_placement_test
