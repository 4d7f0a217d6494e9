// The whole loop beside its twin, in small random runs in which several features meet.
#include "case_range.h"
#include "catch.h"

#include <fmt/format.h>

#include "core/error.h"
#include "loop_twin.h"
#include "scenario/load.h"
#include "testing/test_run.h"

using namespace coslice;

namespace {

loop::Tick tick(Time t) { return t == kNever ? loop::kNever : t.time_since_epoch().count(); }

loop::State state_of(FinalState s) {
  switch (s) {
    case FinalState::kCompleted: return loop::State::kCompleted;
    case FinalState::kWalltimeReached: return loop::State::kKilled;
    case FinalState::kRejected: return loop::State::kRejected;
    case FinalState::kLost: return loop::State::kLost;
    case FinalState::kUnfulfilled: return loop::State::kUnfulfilled;
    case FinalState::kWithdrawn: return loop::State::kWithdrawn;
    default: return loop::State::kLeft;
  }
}

std::vector<loop::Fate> fates_of(const RunResult& result, bool whole) {
  std::vector<loop::Fate> fates(result.outcomes.size());
  for (std::size_t j = 0; j != fates.size(); ++j) {
    const Outcome& o = result.outcomes[j];
    loop::Fate& f = fates[j];
    f.state = state_of(o.state);
    f.start = tick(o.start);
    f.end = tick(o.end);
    for_each_node(result.archive.get(o.nodes), [&](NodeId n) { f.nodes.push_back(n); });
    if (!result.parts.empty())
      for (const NodePart& part : result.parts[j]) f.gpus.push_back(part.gpus);
  }
  for (loop::Fate& f : fates)
    if (whole || f.nodes.empty()) f.gpus.clear();
  for (const InterruptedRun& run : result.interrupted)
    fates[run.job].interrupted.push_back({tick(run.from), tick(run.to)});
  return fates;
}

/// What happens to the jobs of the case in the simulation, or the error that ends it. `whole`: they have whole nodes.
std::string simulated(const loop::Case& c, bool whole) {
  try {
    const auto runner =
        std::make_shared<const Runner>(check_scenario(parse_scenario_tree(loop::scenario_of(c), "case")));
    const TestRun run = run_watched(runner, 0, [](std::string_view) {});
    if (!run.violations.empty()) return run.violations.front();
    return loop::text_of(fates_of(run.run.result, whole));
  } catch (const std::exception& e) {
    return e.what();
  }
}

struct Both {
  std::string twin, simulation;
  explicit Both(const loop::Case& c) {
    const std::vector<loop::Fate> fates = loop::simulate(c);
    const bool whole =
        std::all_of(fates.begin(), fates.end(), [](const loop::Fate& f) { return f.gpus.empty(); });  // never named
    twin = loop::text_of(fates);
    simulation = simulated(c, whole);
  }
  bool differ() const { return twin != simulation; }
};

/// The smallest case found that differs, too.
loop::Case shrunk(loop::Case c) {
  for (bool again = true; again;) {
    again = false;
    for (const loop::Case& less : loop::smaller(c))
      if (loop::can_run(less) && !less.jobs.empty() && Both(less).differ()) {
        c = less;
        again = true;
        break;
      }
  }
  return c;
}

/// Empty, or what is different, of the smallest case that is.
std::string difference(std::uint64_t seed) {
  const loop::Case c = loop::draw(seed);
  if (!Both(c).differ()) return {};
  const loop::Case least = shrunk(c);
  const Both both(least);
  return fmt::format("seed {}\n{}\ntwin\n{}simulation\n{}", seed, loop::scenario_of(least), both.twin, both.simulation);
}

}  // namespace

TEST_CASE("small runs in which several features meet go as they do by brute force", "[loop_twin]") {
  for (std::uint64_t seed = 0; seed != 300; ++seed) REQUIRE(difference(seed) == "");
}

TEST_CASE("the same at length", "[.][at_length][loop_twin]") {
  std::size_t found = 0;
  for (const std::uint64_t seed : test::cases_at_length(1000, 10'000)) {
    const std::string d = difference(seed);
    CHECK(d == "");
    if (!d.empty() && ++found == 5) break;
  }
}
