// A small workload on a small machine, as `coslice check` draws, shrinks and prints it. Whole numbers only: ties are where
// schedulers go wrong, and people can follow them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenario/scenario.h"

namespace coslice::check {

struct SmallJob {
  std::int64_t submit = 0, runtime = 1;  ///< s
  std::int64_t nodes = 1;
  std::optional<std::int64_t> limit;                ///< s; absent: the run time
  std::vector<std::pair<std::string, Value>> said;  ///< other attributes, by name
  std::optional<std::array<std::int64_t, 3>> uses;  ///< of CPU, network and disk, in tenths; they add up to 10
  std::optional<std::int64_t> memory_tenths;        ///< of a node's memory, with `uses`
  std::string program;                              ///< what its processes do, under coscheduling
};

struct Case {
  std::int64_t nodes = 1;
  std::int64_t processors = 1, cores = 1;  ///< of a node, and of a processor
  bool extends = false;                    ///< limits do not kill
  bool submissions_first = false;          ///< order of events
  bool one_process = false;                ///< a process on each node
  bool shared = false;                     ///< jobs may share nodes: slowdowns by what they use
  std::int64_t seed = 1;
  std::vector<SmallJob> jobs;  ///< in order of submission
};

/// What a policy can cope with.
struct Kind {
  bool sliced = false, shared = false, coscheduled = false;
  bool placed = false;  ///< it chooses nodes
  bool clock = false;  ///< it looks at the time: every second case has days, nights and weeks
};

/// How large cases are.
struct Sizes {
  std::int64_t jobs = 12, nodes = 8;  ///< at most
};

/// The i-th case of the seed.
Case draw_case(std::uint64_t seed, std::uint64_t i, const Kind& kind, const Sizes& sizes);

/// The case as a scenario: what it says overrides `base`.
Scenario scenario_of(const Case& c, Scenario base);

/// What stands in the parentheses of `simulate { ... }`, a key a line, without policy and parameters.
std::string lua_of(const Case& c, const std::string& indent);

}  // namespace coslice::check
