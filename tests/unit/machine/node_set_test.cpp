// NodeSet, NodeRanges and NodeArchive against std::set.
#include "machine/node_set.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "catch.h"
#include "observe/result.h"

namespace node_set_test {

using namespace coslice;

namespace {

using Plain = std::set<NodeId>;

NodeRanges ranges_of(const Plain& s) {
  NodeRanges out;
  for (const NodeId n : s) out.append(n, n);
  return out;
}

Plain random_plain(std::int32_t size, std::mt19937& rng) {
  Plain out;
  const auto n = static_cast<std::uint32_t>(size);
  for (std::uint32_t pieces = rng() % 8; pieces > 0; --pieces) {
    const auto first = static_cast<NodeId>(rng() % n);
    const auto length = static_cast<std::int32_t>(rng() % (rng() % 2 == 0 ? 4 : n));
    for (NodeId id = first; id < std::min(size, first + length + 1); ++id) out.insert(id);
  }
  return out;
}

NodeSet set_of(const Plain& s, std::int32_t size) {
  NodeSet out(size);
  out.insert(ranges_of(s));
  return out;
}

void check_same(const NodeSet& set, const Plain& plain) {
  REQUIRE(set.count() == static_cast<std::int32_t>(plain.size()));
  REQUIRE(set.empty() == plain.empty());
  REQUIRE(set.ranges() == ranges_of(plain));
  REQUIRE(set == set_of(plain, set.size()));
  for (NodeId n = 0; n < set.size(); ++n) REQUIRE(set.contains(n) == (plain.count(n) == 1));
}

void check_algebra(std::int32_t size, std::mt19937& rng) {
  const Plain a = random_plain(size, rng), b = random_plain(size, rng);
  const NodeSet sa = set_of(a, size), sb = set_of(b, size);
  check_same(sa, a);
  Plain both, either, only_a;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::inserter(either, either.end()));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(only_a, only_a.end()));
  NodeSet s = sa;
  check_same(s |= sb, either);
  s = sa;
  check_same(s &= sb, both);
  s = sa;
  check_same(s -= sb, only_a);
  s = sa;
  s.erase(ranges_of(b));
  check_same(s, only_a);
  s.insert(ranges_of(b));
  check_same(s, either);
  CHECK(sa.intersects(ranges_of(b)) == !both.empty());
  CHECK(sa.contains_all(ranges_of(b)) == (both.size() == b.size()));
  const auto wanted = static_cast<std::int32_t>(rng() % (a.size() + 1));
  CHECK(sa.lowest(wanted) == ranges_of(Plain(a.begin(), std::next(a.begin(), wanted))));
  const NodeId from = both.empty() ? 0 : *both.begin();
  const auto of_both = static_cast<std::int32_t>(rng() % (both.size() + 1));
  CHECK(sa.lowest(of_both, sb, from) == ranges_of(Plain(both.begin(), std::next(both.begin(), of_both))));
}

}  // namespace

TEST_CASE("node ranges: text, count and merging", "[nodes]") {
  NodeRanges r;
  CHECK(r.empty());
  CHECK(r.str() == "");
  r.append(1, 2);
  r.append(3, 3);
  r.append(5, 5);
  r.append(7, 7);
  CHECK(r.str() == "1-3 5 7");
  CHECK(r.count() == 5);
  CHECK(r.ranges().size() == 3);
  for (NodeId n = 9; n < 100'000; n += 1000) r.append(n, n + 1);
  CHECK(r.str().substr(0, 30) == "1-3 5 7 9-10 1009-1010 2009-20");
  std::string out = "x";
  NodeRanges{}.append_to(out);
  CHECK(out == "x");
}

TEST_CASE("node ranges: the hash tells sets apart and never changes", "[nodes]") {
  std::set<std::uint64_t> seen;
  for (NodeId first = 0; first < 40; ++first) {
    for (NodeId last = first; last < 40; ++last) {
      NodeRanges one;
      one.append(first, last);
      seen.insert(one.hash());
      one.append(last + 2, last + 2);
      seen.insert(one.hash());
    }
  }
  CHECK(seen.size() == 2 * 820);
  NodeRanges r;
  CHECK(r.hash() == 0);
  r.append(1, 3);
  r.append(7, 9);
  CHECK(r.hash() == 7520748628014524823u);  // fingerprints in golden files depend on it
}

TEST_CASE("node ranges: algebra agrees with std::set", "[nodes]") {
  std::mt19937 rng(4);
  for (int round = 0; round < 2000; ++round) {
    const std::int32_t size = std::array{1, 3, 20, 100}[rng() % 4];
    const Plain a = random_plain(size, rng), b = random_plain(size, rng);
    Plain either, both, rest;
    std::ranges::set_union(a, b, std::inserter(either, either.end()));
    std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
    std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
    CHECK(together(ranges_of(a), ranges_of(b)) == ranges_of(either));
    CHECK(in_both(ranges_of(a), ranges_of(b)) == ranges_of(both));
    CHECK(without(ranges_of(a), ranges_of(b)) == ranges_of(rest));
  }
}

TEST_CASE("node set: algebra agrees with std::set", "[nodes]") {
  std::mt19937 rng(1);
  for (const std::int32_t size : {1, 2, 63, 64, 65, 127, 128, 200, 500}) {
    for (int round = 0; round < 40; ++round) check_algebra(size, rng);
  }
}

TEST_CASE("node set: single nodes agree with std::set", "[nodes]") {
  std::mt19937 rng(2);
  for (const std::int32_t size : {1, 64, 130}) {
    NodeSet set(size);
    Plain plain;
    for (int i = 0; i < 600; ++i) {
      const auto n = static_cast<NodeId>(rng() % static_cast<std::uint32_t>(size));
      if (rng() % 2 == 0) {
        set.insert(n);
        plain.insert(n);
      } else {
        set.erase(n);
        plain.erase(n);
      }
      if (i % 20 == 0) check_same(set, plain);
    }
  }
}

TEST_CASE("node set: full and empty machines", "[nodes]") {
  for (const std::int32_t size : {0, 1, 64, 100'000}) {
    NodeSet set(size, true);
    CHECK(set.count() == size);
    CHECK(set.ranges().count() == size);
    const NodeRanges all = set.ranges();
    CHECK(all.ranges().size() == (size > 0 ? 1u : 0u));
    set.erase(all);
    CHECK(set.empty());
    CHECK(set == NodeSet(size));
    CHECK(set.lowest(0).empty());
    set.insert(all);
    CHECK(set == NodeSet(size, true));
  }
}

TEST_CASE("node archive: what goes in comes out", "[nodes]") {
  std::mt19937 rng(3);
  NodeArchive archive;
  std::vector<std::pair<ArchivedNodes, NodeRanges>> kept;
  kept.emplace_back(archive.add({}), NodeRanges{});
  for (int i = 0; i < 300; ++i) {
    const NodeRanges r = ranges_of(random_plain(i % 30 == 0 ? 100'000 : 300, rng));
    kept.emplace_back(archive.add(r), r);
  }
  NodeRanges far;
  far.append(0, 0);
  far.append(2'147'483'000, 2'147'483'646);
  kept.emplace_back(archive.add(far), far);
  CHECK(archive.get(kept.front().first).empty());
  for (const auto& [where, ranges] : kept) REQUIRE(archive.get(where) == ranges);
}

}  // namespace node_set_test
