// Starts on record with which a run begins.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/recorded.h"
#include "machine/node_names.h"
#include "scenario/run/runner.h"

namespace coslice {
namespace {

/// Nothing where the machine does not have all of them.
NodeRanges nodes_on_record(const NodeLookup& lookup, const MachineLayout& layout, const std::string& text) {
  NodeSet nodes(layout.node_count());
  return text.empty() || lookup.insert(nodes, text, {}) ? NodeRanges{} : nodes.ranges();
}

}  // namespace

/// Of the jobs that are left, by their numbers: what was cut out of the trace did not run either.
void Runner::load_history() {
  if (!scenario_.workload.recorded_until) return;
  const RecordedWorkload& recorded = *recorded_;
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i != recorded.workload.jobs.size(); ++i) places.emplace(recorded.workload.jobs[i].id, i);
  std::optional<NodeLookup> lookup;
  if (names_kinds(scenario_.machine) && !recorded.nodes.empty()) lookup.emplace(*scenario_.machine.layout);
  RecordedHistory history;
  history.until = Time{*scenario_.workload.recorded_until};
  history.starts.resize(workload_.jobs.size());
  bool any = recorded.all_starts_known;
  for (std::size_t j = 0; j != workload_.jobs.size(); ++j) {
    const auto at = places.find(workload_.jobs[j].id);
    const Duration wait = at == places.end() ? Duration{-1} : recorded.wait(at->second);
    if (wait < Duration{0}) continue;
    any = true;
    history.starts[j].start = later(workload_.jobs[j].submit, wait);
    if (lookup && history.starts[j].start < history.until)
      history.starts[j].nodes = nodes_on_record(*lookup, *scenario_.machine.layout, recorded.nodes[at->second]);
  }
  if (!any)
    throw InputError({scenario_.workload.trace, 0,
                      "says of no job when it started, which workload.recorded_until needs",
                      "a dump of sacct with Start, or an SWF trace with waits"});
  const auto ran = [&](const auto& s) { return s.start < history.until; };
  if (names_kinds(scenario_.machine) && recorded.nodes.empty() &&
      std::any_of(history.starts.begin(), history.starts.end(), ran))
    warnings_.push_back(
        fmt::format("{}: does not say on which nodes jobs ran (sacct's NodeList): until workload.recorded_until they "
                    "get the nodes that are free, and some may have no room when they started on record",
                    scenario_.workload.trace));
  history_ = std::move(history);
  recorded_.reset();
}

}  // namespace coslice
