// From [outages] to what the simulation is told: names become nodes, repetitions single outages.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/scripts/outage_script.h"
#include "core/text.h"
#include "formats/trace_file.h"
#include "machine/node_names.h"
#include "machine/node_set.h"
#include "scenario/machine/outage_spec.h"
#include "scenario/machine/repetitions.h"
#include "scenario/scenario.h"

namespace coslice {
namespace {

/// Nodes by the words of scenarios and files.
class NodeNames {
 public:
  explicit NodeNames(const MachineSpec& machine) : machine_(machine) {
    if (!kinds_of(machine)->numbered) names_.emplace(*machine.layout);
  }

  NodeRanges all() const {
    NodeRanges nodes;
    nodes.append(0, machine_.nodes - 1);
    return nodes;
  }

  NodeRanges find(const std::vector<std::string>& texts, const Place& place,
                  const std::vector<std::int64_t>& numbers = {}) const {
    if (texts.empty() && numbers.empty()) return all();
    NodeSet found(machine_.nodes);
    for (const std::string& text : texts)
      names_ ? insert_named(found, text, place) : insert_numbers(found, text, place);
    for (const std::int64_t n : numbers) {
      if (n < 0 || n >= machine_.nodes)
        fail_at(place, fmt::format("there is no node {}", n), fmt::format("numbers from 0 to {}", machine_.nodes - 1));
      found.insert(static_cast<NodeId>(n));
    }
    return found.ranges();
  }

 private:
  void insert_named(NodeSet& found, const std::string& text, const Place& place) const {
    if (const auto unknown = names_->insert(found, text, place))
      fail_at(place, fmt::format("'{}' is neither a kind nor a node of the machine", *unknown),
              "names of kinds or nodes");
  }

  void insert_numbers(NodeSet& found, const std::string& text, const Place& place) const {
    const auto number = [&](std::string_view part) {
      const auto n = parse_number<NodeId>(part);
      if (!n || *n < 0 || *n >= machine_.nodes)
        fail_at(place, fmt::format("'{}' names no nodes of the machine", text),
                fmt::format("numbers from 0 to {}, e.g. \"0-3\"", machine_.nodes - 1));
      return *n;
    };
    const std::size_t dash = text.find('-');
    const NodeId first = number(std::string_view(text).substr(0, dash));
    const NodeId last = dash == std::string::npos ? first : number(std::string_view(text).substr(dash + 1));
    if (last < first) fail_at(place, fmt::format("'{}' ends before it begins", text), "the lower number first");
    for (NodeId n = first; n <= last; ++n) found.insert(n);
  }

  const MachineSpec& machine_;
  std::optional<NodeLookup> names_;  ///< where nodes have names
};

/// Adds the outages in a list of them.
void read_trace(const std::string& path, const NodeNames& nodes, std::vector<Outage>& out) {
  const CsvTable table(path, "a list of outages");
  const std::size_t node = table.column("node"), from = table.column("from"), until = table.column("until");
  const std::optional<std::size_t> kind = table.find("kind");
  for (std::size_t row = 0; row != table.rows(); ++row) {
    const auto instant = [&](std::size_t column) { return at_seconds(table.real(row, column, 0, kMaxSubmitSeconds)); };
    Outage outage{instant(from), instant(until), {}, OutageKind::kFailure};
    if (outage.to <= outage.from) table.fail(row, "the outage does not end after it begins", "until after from");
    outage.nodes =
        nodes.find({std::string(table.cell(row, node))}, {std::make_shared<Source>(Source{path, ""}), table.line(row)});
    if (kind) {
      const auto word = std::ranges::find(kOutageNames, table.cell(row, *kind));
      if (word == std::end(kOutageNames))
        table.fail(row, fmt::format("kind is '{}'", printable(table.cell(row, *kind))),
                   fmt::format("{}", fmt::join(kOutageNames, ", ")));
      outage.kind = static_cast<OutageKind>(word - std::begin(kOutageNames));
    }
    out.push_back(std::move(outage));
  }
}

void add_planned(const PlannedOutage& spec, const NodeNames& names, const RepetitionEnds& ends,
                 std::vector<Outage>& out) {
  const NodeRanges nodes = names.find(spec.nodes, spec.place, spec.numbers);
  if (spec.every > Duration{0} && spec.every <= spec.length)
    fail_at(spec.place, "the outage begins again before it is over", "every above length");
  std::size_t times = 0;
  const Time end = spec.every == Duration{0} ? spec.from : ends.of(spec);
  for (Time t = spec.from; t <= end || times == 0; t = later(t, spec.every)) {
    out.push_back({t, later(t, spec.length), nodes, spec.kind});
    if (spec.every == Duration{0}) return;
    if (++times == kMostRepetitions)
      fail_at(spec.place, fmt::format("the outage begins more than {} times", kMostRepetitions), "a longer `every`");
  }
}

/// What the script yields.
void add_scripted(const Scenario& scenario, const NodeNames& names, const RepetitionEnds& ends,
                  std::vector<Outage>& out) {
  const std::string& path = scenario.outages.script;
  const OutageScriptContext context{
      script_context(path, scenario.limits.for_host(), static_cast<std::uint64_t>(scenario.seed)), scenario.machine,
      ends.first(), ends.last()};
  std::size_t number = 0;
  for (const Value& yielded : run_outage_script(read_script(path), scenario.outages.params, context))
    add_planned(read_scripted_outage(yielded, fmt::format("outage {}", ++number)), names, ends, out);
}

}  // namespace

OutageOptions outage_options(const Scenario& scenario, const std::vector<Job>& jobs) {
  const OutageSpec& spec = scenario.outages;
  const RepetitionEnds ends(jobs);
  const NodeNames names(scenario.machine);
  OutageOptions out;
  out.interrupted = spec.interrupted;
  out.place = spec.place;
  out.checkpoints = spec.checkpoints;
  out.believed_repair = spec.believed_repair;
  out.plan.seed = static_cast<std::uint64_t>(scenario.seed);
  for (const PlannedOutage& planned : spec.planned) add_planned(planned, names, ends, out.plan.listed);
  if (!spec.trace.empty()) read_trace(spec.trace, names, out.plan.listed);
  if (!spec.script.empty()) add_scripted(scenario, names, ends, out.plan.listed);
  NodeSet drawn(scenario.machine.nodes);
  for (const DrawnFailures& failures : spec.failures) {
    FailureModel model{names.find(failures.nodes, failures.place), failures.between, failures.repair,
                       static_cast<std::int32_t>(failures.rack), failures.rack_share};
    if (drawn.intersects(model.nodes)) fail_at(failures.place, "a node has two models of failures", "each node in one");
    drawn.insert(model.nodes);
    out.plan.drawn.push_back(std::move(model));
  }
  if (!spec.daly) return out;
  double rate = 0;
  for (const FailureModel& m : out.plan.drawn) rate += m.nodes.count() / m.between.mean;
  const double mtbf = scenario.machine.nodes / rate;
  out.interval_of = [mtbf, cost = spec.checkpoints.cost](std::int32_t nodes) {
    return daly_interval(cost, mtbf / nodes);
  };
  return out;
}

NodeRanges nodes_by_name(const MachineSpec& machine, const std::vector<std::string>& texts, const Place& place) {
  return NodeNames(machine).find(texts, place);
}

// Daly (2006), Eq. 37: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d for d < 2M, else M.
Duration daly_interval(Duration cost, double mtbf) {
  const double d = to_seconds(cost);
  if (d >= 2 * mtbf) return std::max(Duration{1}, from_seconds(mtbf));
  const double half = d / (2 * mtbf);
  return std::max(Duration{1}, from_seconds(std::sqrt(2 * d * mtbf) * (1 + std::sqrt(half) / 3 + half / 9) - d));
}

}  // namespace coslice
