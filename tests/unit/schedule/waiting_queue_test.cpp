// The waiting queue beside a plain list of the same jobs: every search must find what a walk over the list finds.
#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "catch.h"
#include "jobs/waiting_queue.h"

namespace waiting_queue_test {

using namespace coslice;

namespace {

struct Waiting {
  JobIndex job;
  std::int32_t nodes;
  double key;
  bool operator<(const Waiting& o) const { return key != o.key ? key < o.key : job < o.job; }
};

/// A queue and its twin.
struct Twins {
  WaitingQueue queue;
  std::vector<Waiting> plain;  // sorted
  JobIndex next_job = 0;

  void insert(std::int32_t nodes, double key) {
    const Waiting w{next_job++, nodes, key};
    queue.insert(w.job, nodes, whole_seconds(nodes), key);
    plain.insert(std::lower_bound(plain.begin(), plain.end(), w), w);
  }
  void take(std::size_t i) {
    queue.take(queue.find(plain[i].job));
    plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(i));
  }
  template <class F>
  void resort(F key_of) {
    queue.resort(key_of);
    for (Waiting& w : plain) w.key = key_of(w.job);
    std::sort(plain.begin(), plain.end());
  }
};

void check_equal(const Twins& t) {
  const WaitingQueue& queue = t.queue;
  REQUIRE(queue.size() == t.plain.size());
  WaitingQueue::Position p = queue.first();
  for (const Waiting& w : t.plain) {
    REQUIRE(p < queue.end());
    REQUIRE(queue.job(p) == w.job);
    REQUIRE(queue.nodes(p) == w.nodes);
    REQUIRE(queue.duration(p) == whole_seconds(w.nodes));
    p = queue.next(p);
  }
  REQUIRE(p == queue.end());
}

void check_searches(const Twins& t, std::int32_t n) {
  const WaitingQueue& queue = t.queue;
  std::vector<JobIndex> wanted, found;
  for (const Waiting& w : t.plain)
    if (w.nodes <= n) wanted.push_back(w.job);
  for (WaitingQueue::Position p = queue.next_fitting(0, n); p < queue.end(); p = queue.next_fitting(p + 1, n))
    found.push_back(queue.job(p));
  REQUIRE(found == wanted);
}

}  // namespace

TEST_CASE("A queue finds the jobs that fit, whatever was inserted, taken and sorted before", "[sched][queue]") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 rng(seed);
    const auto draw = [&](std::uint32_t below) { return rng() % below; };
    const bool by_key = seed % 2 == 0;
    const std::uint32_t leaving = seed % 5;  // the queue grows slowly or fast
    Twins t;
    for (int step = 0; step != 600; ++step) {
      const auto nodes = static_cast<std::int32_t>(1 + draw(200));
      t.insert(nodes, by_key ? static_cast<double>(draw(50)) : 0.0);
      for (std::uint32_t i = 0; i != leaving && !t.plain.empty() && draw(5) != 0; ++i)
        t.take(draw(static_cast<std::uint32_t>(t.plain.size())));
      if (draw(20) == 0) t.queue.compact();
      if (draw(100) == 0) t.resort([](JobIndex j) { return static_cast<double>(j * 7919 % 101); });
      if (step % 20 != 0) continue;
      check_equal(t);
      check_searches(t, static_cast<std::int32_t>(draw(210)));
      check_searches(t, static_cast<std::int32_t>(draw(5)));
    }
  }
}

TEST_CASE("A search from the end of a queue ends there", "[sched][queue]") {
  Twins t;
  REQUIRE(t.queue.next_fitting(0, 100) == t.queue.end());
  for (int i = 0; i != 128; ++i) t.insert(10, 0.0);
  REQUIRE(t.queue.next_fitting(127, 10) == 127);
  REQUIRE(t.queue.next_fitting(128, 10) == t.queue.end());
  REQUIRE(t.queue.next_fitting(0, 9) == t.queue.end());
  REQUIRE(t.queue.next_fitting(1, 10) == 1);
}

TEST_CASE("new keys carry whole entries to their places", "[sched]") {
  using Entry = std::tuple<double, JobIndex, std::int32_t, Duration, Time, std::uint64_t>;
  const auto entries = [](const WaitingQueue& q) {
    std::vector<Entry> out;
    for (auto p = q.first(); p < q.end(); p = q.next(p))
      out.push_back({q.key(p), q.job(p), q.nodes(p), q.duration(p), q.reserved(p), q.reservation_order(p)});
    return out;
  };
  std::mt19937 rng(7);
  for (int round = 0; round != 300; ++round) {
    WaitingQueue q;
    const auto n = static_cast<JobIndex>(rng() % 40);
    for (JobIndex j = 0; j != n; ++j) q.insert(j, static_cast<std::int32_t>(j + 1), Duration{100 + j}, 0);
    for (auto p = q.first(); p < q.end(); p = q.next(p))
      if (rng() % 3 == 0) q.set_reserved(p, Time{Duration{1000 + q.job(p)}}, q.job(p));
    for (auto p = q.first(); p < q.end(); p = q.next(p))
      if (rng() % 4 == 0) q.take(p);
    for (int again = 0; again != 3; ++again) {
      std::vector<double> keys(n);
      for (double& k : keys) k = static_cast<double>(rng() % 8);
      std::vector<Entry> expected = entries(q);
      for (Entry& e : expected) std::get<0>(e) = keys[std::get<1>(e)];
      std::sort(expected.begin(), expected.end());
      q.resort([&](JobIndex j) { return keys[j]; });
      REQUIRE(entries(q) == expected);
      REQUIRE(q.size() == expected.size());
    }
  }
}

}  // namespace waiting_queue_test
