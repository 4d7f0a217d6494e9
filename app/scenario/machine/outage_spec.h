// [outages] of a scenario: which nodes are not there when, and what becomes of the jobs on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/codec.h"
#include "events/outage_events.h"

namespace coslice {

struct Job;
struct Scenario;

/// One table of `[[outages.planned]]`.
struct PlannedOutage {
  std::vector<std::string> nodes;  ///< empty: all
  Time from{};
  Duration length{0};
  Duration every{0};  ///< 0: once
  OutageKind kind = OutageKind::kDrain;
  Place place;
  std::vector<std::int64_t> numbers{};  ///< more nodes, by number: of a script
};

/// One table of `[[outages.failures]]`.
struct DrawnFailures {
  std::vector<std::string> nodes;  ///< empty: all
  Lifetime between, repair;
  std::int64_t rack = 1;
  double rack_share = 0;
  Place place;
};

struct OutageSpec {
  std::vector<PlannedOutage> planned;
  std::vector<DrawnFailures> failures;
  std::string trace;              ///< path of a CSV file: node,from,until,kind
  std::string script;             ///< path of a Lua file (api/scripts/outage_script.h)
  Value params = Value::table();  ///< for it
  AfterFailure interrupted = AfterFailure::kRequeued;
  RequeuePosition place = RequeuePosition::kOrder;
  std::optional<Duration> believed_repair;
  CheckpointOptions checkpoints;
  bool daly = false;  ///< the interval between checkpoints is that of Daly (2006)

  bool checkpointed() const { return daly || checkpoints.interval > Duration{0}; }
  bool any() const { return !planned.empty() || !failures.empty() || !trace.empty() || !script.empty(); }
};

/// Returns the keys `outages.*`.
std::vector<Key<Scenario>> keys_of_outages();

/// Returns what a script yields, as a table of `[[outages.planned]]`, but a failure unless it says its kind. `path`
/// names it in messages. Throws InputError.
PlannedOutage read_scripted_outage(const Value& yielded, const std::string& path);

/// Returns what the simulation of these jobs is told. The machine is known; until when something repeats is
/// RepetitionEnds. Throws InputError for nodes that are not there, nodes that two models of failures have, a file that
/// is none, and a script that is wrong.
OutageOptions outage_options(const Scenario& scenario, const std::vector<Job>& jobs);

/// Returns the nodes that texts in scenarios and files name (no texts: all). Throws InputError at `place`.
NodeRanges nodes_by_name(const MachineSpec& machine, const std::vector<std::string>& texts, const Place& place);

/// Returns the interval between checkpoints that wastes least (Daly 2006, Eq. 37), for checkpoints that take `cost` on
/// nodes that together fail every `mtbf` seconds; both above 0.
Duration daly_interval(Duration cost, double mtbf);

}  // namespace coslice
