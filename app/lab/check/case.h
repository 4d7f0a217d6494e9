// A small workload on a small machine, as `coslice check` draws, shrinks and prints it. Whole numbers only: ties are
// where schedulers go wrong, and people can follow them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/value.h"
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
  std::vector<std::pair<std::string, Value>>
      asks;  ///< its request, by key, on a heterogeneous machine; empty: whole nodes
};

/// Nodes that are alike, on a heterogeneous machine.
struct SmallKind {
  std::int64_t id = 1;  ///< from 1 on: its name is a letter
  std::int64_t count = 1, cores = 1, gpus = 0;
  std::int64_t memory = 0;  ///< GiB; 0: not modelled
  std::int64_t slices = 0;  ///< of each GPU; 0: it cannot be divided
  std::int64_t halves = 2;  ///< its speed is that many halves
  bool fast = false;        ///< it has the feature of that name
};

struct SmallPartition {
  std::int64_t id = 1;
  std::vector<std::int64_t> kinds;           ///< its nodes are theirs; never empty
  std::int64_t max_nodes = 0, max_time = 0;  ///< 0: no limit
  std::int64_t tier = 1;
  bool for_some = false;           ///< for users 1 and 2 only
  std::int64_t oversubscribe = 1;  ///< so many of its jobs may have a core
  bool all = false;                ///< whether they ask for that or not
  std::vector<std::int64_t> over;  ///< partitions whose jobs' cores its own may have
};

/// A node, or all of them, not there for a time.
struct SmallOutage {
  std::int64_t from = 0, length = 1;  ///< s
  std::int64_t node = -1;             ///< by number; -1: all
  OutageKind kind = OutageKind::kFailure;
};

/// A node, or all of them, reserved for a time, for user 1 and for jobs that name it.
struct SmallReservation {
  std::int64_t from = 0, length = 1;  ///< s
  std::int64_t node = -1;             ///< by number; -1: all
  std::int64_t announced = 0;         ///< s; no later than from
  std::int64_t backfill = 0;          ///< s
  std::int64_t every = 0;             ///< s; 0: once
};

/// Nodes are powered down while no job has them.
struct SmallPower {
  std::int64_t idle = 0, boot = 0, shutdown = 0;  ///< s
};

struct Case {
  std::int64_t nodes = 1;                  ///< of all kinds, on a heterogeneous machine
  std::vector<SmallKind> kinds;            ///< empty: nodes are equal
  std::vector<SmallPartition> partitions;  ///< on a heterogeneous machine; none: all nodes are one
  std::int64_t licences = 0;               ///< of one program, on a heterogeneous machine
  std::int64_t processors = 1, cores = 1;  ///< of a node, and of a processor
  bool extends = false;                    ///< limits do not kill
  bool submissions_first = false;          ///< order of events
  bool one_process = false;                ///< a process on each node
  Molding molding = Molding::kEndsFirst;   ///< of jobs with several sizes
  bool shared = false;                     ///< jobs may share nodes: slowdowns by what they use
  std::vector<SmallOutage> outages;
  std::vector<SmallReservation> reservations;
  std::optional<SmallPower> power;
  std::vector<std::pair<std::string, std::string>> params;  ///< of the policy, beside those that it is checked with
  std::string neutral;  ///< a setting that means nothing, to be laid over it: its name; "": none
  std::int64_t seed = 1;
  std::vector<SmallJob> jobs;  ///< in order of submission
};

/// What a policy can cope with.
struct Kind {
  bool sliced = false, shared = false, coscheduled = false;
  bool placed = false;  ///< it chooses nodes
  bool equal = false;   ///< machines are of equal nodes only
  bool steady = false;  ///< machines are always there: how its slices are scheduled, another policy says
  bool clock = false;   ///< it looks at the time: every second case has days, nights and weeks
  /// Parameters that are one of several texts, of a policy without claims: these are for what it does otherwise.
  std::vector<std::pair<std::string, std::vector<std::string>>> choices{};

  /// Returns whether jobs may have cores of others: under coscheduling all have theirs in turn.
  bool cores_shared() const { return !shared && !coscheduled; }
  /// Returns whether machines may be of nodes that differ.
  bool may_differ() const { return !equal && !coscheduled; }
};

/// How large cases are.
struct Sizes {
  std::int64_t jobs = 12, nodes = 8;  ///< at most
};

/// Returns the i-th case of the seed.
Case draw_case(std::uint64_t seed, std::uint64_t i, const Kind& kind, const Sizes& sizes);

/// Returns whether each job could run on an empty machine, and waits for jobs that are there. A scenario with others is
/// an error.
bool can_run(const Case& c);

/// Returns what the case says of a scenario, by its keys.
Value tree_of(const Case& c);

/// Returns the case as a scenario: policy and limits are those of `base`.
Scenario scenario_of(const Case& c, const Scenario& base);
Scenario scenario_of(const Value& tree, const Scenario& base);

/// Returns what stands in the braces of `simulate { ... }`: keys a line each, the jobs last, a line each.
std::string lua_of(const Value& tree, const std::string& indent);

}  // namespace coslice::check
