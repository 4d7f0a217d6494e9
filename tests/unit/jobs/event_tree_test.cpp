// The tree of next events against a list of all clocks.
#include <algorithm>
#include <vector>

#include "catch.h"
#include "core/random.h"
#include "process/processors.h"

namespace event_tree_test {

using namespace coslice;

namespace {

/// Times as the processes have them: near to one another, far ahead, before all others, equal, none.
std::int64_t draw_time(RandomStream& random, std::int64_t now) {
  constexpr std::int64_t kFar = std::int64_t{400'000'000'000};
  switch (random.uniform_int(0, 7)) {
    case 0: return EventTree::kIdle;
    case 1: return now + kFar + random.uniform_int(0, 999);
    case 2: return now + kFar * random.uniform_int(0, 999);
    case 3: return std::max<std::int64_t>(0, now - random.uniform_int(0, 4'999'999));
    case 4: return now;
    default: return now + random.uniform_int(0, 3'999'999);
  }
}

}  // namespace

TEST_CASE("a tree of next events knows the first clock and its time") {
  RandomStream random(11, "events");
  for (const std::int32_t clocks : {1, 2, 4, 5, 31, 64, 200}) {
    EventTree tree(clocks);
    std::vector<std::int64_t> times(static_cast<std::size_t>(clocks), EventTree::kIdle);
    std::int64_t now = 0;
    for (int step = 0; step != 4000; ++step) {
      const auto clock = static_cast<std::size_t>(random.uniform_int(0, clocks - 1));
      const std::int64_t t = draw_time(random, now);
      const bool lower = random.uniform_int(0, 3) == 0;
      times[clock] = lower ? std::min(times[clock], t) : t;
      if (lower) tree.lower(static_cast<std::int32_t>(clock), t);
      else tree.set(static_cast<std::int32_t>(clock), t);
      REQUIRE(tree.time_of(static_cast<std::int32_t>(clock)) == times[clock]);
      const auto first = std::min_element(times.begin(), times.end());
      REQUIRE(tree.time() == *first);
      if (*first == EventTree::kIdle) continue;
      REQUIRE(tree.first() == first - times.begin());  // among equals the lowest number
      if (random.uniform_int(0, 2) == 0) now = *first;
    }
  }
}

}  // namespace event_tree_test
