// Blocks of the waiting queue that hold jobs of refused kinds only.
#include "schedule/refused_kinds.h"

#include <set>

#include "catch.h"

namespace refused_kinds_test {

using namespace coslice;

namespace {

constexpr std::size_t kJobs = 5 * WaitingQueue::kBlock + 7;

/// A queue of one-node jobs, and kinds that a test divides them into.
struct Divided {
  WaitingQueue queue;
  VetoKinds kinds;
  std::vector<std::uint32_t> kind_of;
  std::set<std::uint32_t> admitted;
  std::uint64_t version = 1;

  explicit Divided(std::uint32_t (*kind)(std::size_t)) {
    for (std::size_t j = 0; j != kJobs; ++j) {
      kind_of.push_back(kind(j));
      queue.insert(static_cast<JobIndex>(j), 1, Duration{1}, static_cast<double>(j));
    }
    kinds.version = [this] { return version; };
    kinds.of = [this](JobIndex j) { return kind_of[j]; };
    kinds.may = [this](std::uint32_t k) { return admitted.count(k) > 0; };
  }
  bool none_may(std::size_t block) const {
    for (WaitingQueue::Position p = block * WaitingQueue::kBlock; p < (block + 1) * WaitingQueue::kBlock; ++p)
      if (p < queue.end() && queue.live(p) && admitted.count(kind_of[queue.job(p)]) > 0) return false;
    return true;
  }
  std::size_t blocks() const { return (queue.end() + WaitingQueue::kBlock - 1) / WaitingQueue::kBlock; }
};

}  // namespace

TEST_CASE("a block is refused if none of its jobs may start", "[refused]") {
  Divided d([](std::size_t j) { return static_cast<std::uint32_t>(j / 50 % 6); });
  RefusedKinds refused;
  for (const std::set<std::uint32_t>& admitted : {std::set<std::uint32_t>{}, std::set<std::uint32_t>{0},
                                                  std::set<std::uint32_t>{3, 5}, std::set<std::uint32_t>{4}}) {
    d.admitted = admitted;
    REQUIRE(refused.follow(d.queue, d.kinds));
    for (std::size_t b = 0; b != d.blocks(); ++b) CHECK(refused.refused(b) == d.none_may(b));
  }
}

TEST_CASE("jobs that have started count no more, and those that have come count", "[refused]") {
  Divided d([](std::size_t j) { return j == 70 ? 1U : 0U; });
  d.admitted = {1};
  RefusedKinds refused;
  REQUIRE(refused.follow(d.queue, d.kinds));
  CHECK_FALSE(refused.refused(1));
  d.queue.take(70);
  REQUIRE(refused.taken(d.queue, 1));
  CHECK(refused.refused(1));
  d.kind_of.push_back(1);
  d.queue.insert(static_cast<JobIndex>(kJobs), 1, Duration{1}, static_cast<double>(kJobs));
  REQUIRE(refused.follow(d.queue, d.kinds));
  CHECK_FALSE(refused.refused(d.blocks() - 1));
}

TEST_CASE("of many kinds in a block, and of jobs without one, nothing is said", "[refused]") {
  Divided many([](std::size_t j) { return static_cast<std::uint32_t>(j < 64 ? j % 7 : j % 6); });
  RefusedKinds refused;
  REQUIRE(refused.follow(many.queue, many.kinds));
  CHECK_FALSE(refused.refused(0));
  CHECK(refused.refused(1));
  Divided without([](std::size_t j) { return j == 10 ? VetoKinds::kNone : 0U; });
  RefusedKinds other;
  REQUIRE(other.follow(without.queue, without.kinds));
  CHECK_FALSE(other.refused(0));
  CHECK(other.refused(1));
}

TEST_CASE("kinds that are divided anew are looked at anew", "[refused]") {
  Divided d([](std::size_t) { return 0U; });
  RefusedKinds refused;
  REQUIRE(refused.follow(d.queue, d.kinds));
  CHECK(refused.refused(0));
  for (std::uint32_t& kind : d.kind_of) kind = 1;
  d.admitted = {1};
  d.version = 2;
  CHECK_FALSE(refused.taken(d.queue, 0));
  REQUIRE(refused.follow(d.queue, d.kinds));
  CHECK_FALSE(refused.refused(0));
  d.version = 0;
  CHECK_FALSE(refused.follow(d.queue, d.kinds));
}

}  // namespace refused_kinds_test
