#include "output/jobs_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "jobs/attributes.h"
#include "jobs/elasticity.h"
#include "machine/components.h"
#include "machine/eligibility.h"
#include "machine/layout.h"
#include "machine/node_names.h"
#include "machine/node_set.h"
#include "metrics/machine_summary.h"

namespace coslice {
namespace {

constexpr std::string_view kNone = "none";

void append_or_none(std::string& out, const std::string& text) {
  out += ',';
  if (text.empty()) out += kNone;
  else out += csv_field(text);
}

std::string thousandths(std::int64_t n) {
  return n % 1000 == 0 ? std::to_string(n / 1000) : fmt::format("{}", static_cast<double>(n) / 1000);
}

std::string node_names(const MachineLayout& layout, const NodeRanges& nodes) {
  std::vector<std::string> names;
  for_each_node(nodes, [&](NodeId n) { names.push_back(layout.node_name(n)); });
  return compress_node_names(names);
}

/// "gpu1:0-3 gpu2:0".
std::string gpus_text(const MachineLayout& layout, const Parts& parts) {
  std::string out;
  for (const NodePart& part : parts) {
    NodeRanges gpus;
    for (std::int32_t g = 0; g < 64; ++g)
      if ((part.gpus >> g & 1) != 0) gpus.append(g, g);
    if (gpus.empty()) continue;
    std::string list = gpus.str();
    std::replace(list.begin(), list.end(), ' ', '+');
    out += fmt::format("{}{}:{}", out.empty() ? "" : " ", layout.node_name(part.node), list);
  }
  return out;
}

/// Cores on each node: of a job that has its nodes for itself, those of its node with the fewest.
std::int64_t cores_on_node(const MachineLayout& layout, const Request& r, const NodeRanges& nodes) {
  if (!r.exclusive) return r.cores;
  std::int64_t fewest = INT64_MAX;
  for (const NodeRange& range : nodes.ranges())
    for (const NodeKind& k : layout.kinds)
      if (k.first <= range.last && range.first < k.first + k.count)
        fewest = std::min<std::int64_t>(fewest, k.core_share());
  return fewest;
}

/// Of a job whose cores are spread, how many it has on each node, in their order: "8 8 4"; "8" where all are alike.
std::string spread_cores(const Parts& parts) {
  std::string out;
  bool alike = true;
  for (const NodePart& part : parts) {
    alike = alike && part.cores == parts.front().cores;
    out += (out.empty() ? "" : " ") + thousandths(part.cores);
  }
  return alike && !parts.empty() ? thousandths(parts.front().cores) : out;
}

std::string cores_text(const RunResult& result, JobIndex j, const Request& request, const NodeRanges& nodes) {
  const bool spread = request.spread.cores != 0 && !request.exclusive && !result.parts.empty();
  return spread ? spread_cores(result.parts[j]) : thousandths(cores_on_node(*result.machine.layout, request, nodes));
}

const std::string& partition_name(const RunResult& result, JobIndex j) {
  static const std::string none;
  const std::int32_t partition = result.partition.empty() ? -1 : result.partition[j];
  return partition < 0 ? none : result.machine.layout->partitions[static_cast<std::size_t>(partition)].name;
}

void append_known(std::string& out, std::int64_t number) {
  if (number >= 0) append_next_integer(out, number);
  else out += ',';
}

void append_time(std::string& out, Duration d) { append_seconds(out, d, ','); }

void append_next_time(std::string& out, Duration d) {
  out += ',';
  append_seconds(out, d);
}

bool any_has(const std::vector<Job>& jobs, const Attribute& a) {
  return std::ranges::any_of(jobs, [&](const Job& job) { return job.has_extras() && !a.text(job).empty(); });
}

std::string memory_text(const Request& r) { return r.memory_mib == 0 ? "" : std::to_string(r.memory_mib); }
std::string gpu_count_text(const Request& r) {
  return r.gpus == 0 ? "" : thousandths(std::int64_t{r.gpus} * r.gpu_share);
}

/// The first partition of the component that has all of these nodes; "" if it names none.
std::string partition_of_component(const MachineLayout& layout, const Request& r, const NodeRanges& nodes) {
  for (const std::int32_t p : partitions_of(layout, r)) {
    if (p < 0) continue;
    const Partition& partition = layout.partitions[static_cast<std::size_t>(p)];
    if (partition.nodes.contains_all(nodes)) return partition.name;
  }
  return "";
}

NodeRanges nodes_of_component(const Parts& parts, std::size_t component) {
  std::vector<NodeId> its;
  for (const NodePart& part : parts)
    if (part.component == static_cast<std::int32_t>(component)) its.push_back(part.node);
  return as_ranges(std::move(its));
}

/// Of several components, what each of them has, in their order: "cpu+gpu", "c1-4+g1", "8+4".
void append_places(std::string& out, const RunResult& result, JobIndex j, const Request& request,
                   const NodeNameList& names) {
  const MachineLayout& layout = *result.machine.layout;
  std::array<std::string, 5> fields;
  for (std::size_t i = 0; i != request.components.size(); ++i) {
    const NodeRanges there = nodes_of_component(result.parts[j], i);
    const Request& r = request.components[i];
    const std::string of[] = {partition_of_component(layout, r, there), names.text(there),
                              thousandths(cores_on_node(layout, r, there)), memory_text(r), gpu_count_text(r)};
    for (std::size_t f = 0; f != fields.size(); ++f)
      fields[f] += (i == 0 ? "" : "+") + (of[f].empty() ? std::string(kNone) : of[f]);
  }
  for (const std::string& field : fields) append_or_none(out, field);
  append_or_none(out, gpus_text(layout, result.parts[j]));
}

/// What the job had of a heterogeneous machine, each field behind a comma. `nodes` empty: it did not run. `names`:
/// of all nodes, by NodeId.
void append_place(std::string& out, const RunResult& result, JobIndex j, const NodeRanges& nodes,
                  const NodeNameList& names) {
  if (nodes.empty()) {
    for (int i = 0; i < 6; ++i) out.append(",").append(kNone);
    return;
  }
  const MachineLayout& layout = *result.machine.layout;
  const RequestId id = result.workload->jobs[j].request;
  static const Request whole = whole_nodes(1, 0);
  const Request& request = id == kNoRequest ? whole : result.workload->requests[id];
  if (has_components(request)) return append_places(out, result, j, request, names);
  append_or_none(out, partition_name(result, j));
  append_or_none(out, names.text(nodes));
  append_or_none(out, cores_text(result, j, request, nodes));
  append_or_none(out, memory_text(request));
  append_or_none(out, gpu_count_text(request));
  append_or_none(out, result.parts.empty() ? "" : gpus_text(layout, result.parts[j]));
}

/// Of a job whose nodes changed in its last run, when it had how many: "12.5:8 100:16".
std::string node_history(const RunResult& result, JobIndex j) {
  std::string out;
  const auto spans = result.resized.find(j);
  if (spans == result.resized.end()) return out;
  std::int32_t last = 0;
  for (const SizeSpan& s : spans->second.spans) {
    if (s.from < result.outcomes[j].start || s.count == last) continue;
    out += fmt::format("{}{}:{}", out.empty() ? "" : " ", format_seconds(s.from.time_since_epoch()), s.count);
    last = s.count;
  }
  return out;
}

/// Where the processes are on a node.
std::string_view layout_of(const SharedJob& job, const RunResult& result) {
  if (job.ppn == 0) return "";
  if (job.ppn == 1) return "one";
  if (job.ppn == result.machine.cores_per_node()) return "all";
  return result.sharing->layout == Layout::kAcross ? "across" : "within";
}

/// Rows of one run.
class JobRows {
 public:
  JobRows(const RunResult& result, const MetricsOptions& options)
      : result_(result), options_(options), workload_name_("," + csv_field(result.workload->name) + ",") {
    for (const auto& c : options.classes) class_names_.push_back(csv_field(c.name));
    class_names_.push_back("other");
    add_groups();
    for (const Attribute& a : kAttributes)
      if (a.has(Attribute::kColumn) && a.is_text() && any_has(result.workload->jobs, a)) texts_.push_back(&a);
  }

  /// The columns behind Batsim's, as the header has them.
  std::string columns() const {
    std::string out = own_columns();
    for (const Group& group : groups_) out.append(",").append(group.columns);
    for (const Attribute* a : texts_) out.append(",").append(a->name);
    return out;
  }

  void append(std::string& out, JobIndex index) const {
    const Job& job = result_.workload->jobs[index];
    const Outcome& outcome = result_.outcomes[index];
    const NodeRanges nodes = started(outcome) ? result_.archive.get(outcome.nodes) : NodeRanges{};
    append_batsim(out, index, nodes, job.size);
    out += ',';
    append_own(out, index);
    append_where(out, job, nodes);
    for (const Group& group : groups_) group.append(out, index, nodes);
    for (const Attribute* a : texts_) out.append(",").append(csv_field(a->text(job)));
    out += '\n';
  }

  /// Batsim's columns of a job that ran to its end, its nodes being the resources.
  void append_run(std::string& out, JobIndex index) const {
    const NodeRanges nodes = result_.archive.get(result_.outcomes[index].nodes);
    append_batsim(out, index, nodes, nodes.count());
    out += '\n';
  }

  static bool ran(const Outcome& o) { return ended(o) && started(o); }

 private:
  static bool ended(const Outcome& o) { return o.end != kNever && o.state != FinalState::kRejected; }
  static bool started(const Outcome& o) { return o.start != kNever && o.state != FinalState::kRejected; }

  /// Columns that some runs have: their names, and what appends a job's fields, each behind a comma.
  struct Group {
    std::string_view columns;
    std::function<void(std::string& out, JobIndex j, const NodeRanges& nodes)> append;
  };
  /// How often a job lost time, and how much.
  struct Losses {
    std::int64_t count = 0;
    Duration lost{0};
  };

  void add_groups() {
    const RunResult& r = result_;
    if (!r.sliced.empty())
      groups_.push_back({kSliceColumns, [&r](std::string& out, JobIndex j, const NodeRanges&) {
                           append_next_integer(out, r.sliced[j].preemptions);
                           append_next_time(out, r.overhead_of(j));
                         }});
    if (r.outages || !r.interrupted.empty())
      add_losses(kOutageColumns, r.interrupted, [](const InterruptedRun& run) { return run.lost; });
    if (!r.suspended.empty())
      add_losses(kSuspendedColumns, r.suspended,
                 [](const SuspendedSpan& span) { return span.to != kNever ? span.to - span.from : Duration{0}; });
    if (std::ranges::any_of(r.workload->jobs, is_elastic))
      groups_.push_back({kElasticColumns, [&r](std::string& out, JobIndex j, const NodeRanges&) {
                           out.append(",").append(node_history(r, j));
                         }});
    if (r.power) {
      std::vector<Duration> boots(r.outcomes.size());
      for (const JobBoot& boot : r.power->boots)
        if (boot.from == r.outcomes[boot.job].start) boots[boot.job] = boot.wait;
      groups_.push_back({kPowerColumns, [boots = std::move(boots)](std::string& out, JobIndex j, const NodeRanges&) {
                           append_next_time(out, boots[j]);
                         }});
    }
    if (r.sharing)
      groups_.push_back({kSharingColumns, [&r](std::string& out, JobIndex j, const NodeRanges&) {
                           const SharedJob& job = r.sharing->jobs[j];
                           append_next_integer(out, job.ppn);
                           append_next_integer(out, job.groups);
                           out.append(",").append(layout_of(job, r));
                         }});
    if (names_kinds(r.machine) && !r.machine.layout->switches.empty())
      groups_.push_back({kSwitchColumns, [at = r.machine.layout->switch_of_nodes()](std::string& out, JobIndex,
                                                                                    const NodeRanges& nodes) {
                           append_next_integer(out, switches_of(at, nodes));
                         }});
    if (names_kinds(r.machine))
      groups_.push_back({kPlaceColumns, [&r, names = NodeNameList(r.machine.layout->node_names())](
                                            std::string& out, JobIndex j, const NodeRanges& nodes) {
                           append_place(out, r, j, nodes, names);
                         }});
  }

  template <class List, class LostIn>
  void add_losses(std::string_view columns, const List& list, const LostIn& lost_in) {
    std::vector<Losses> losses(result_.outcomes.size());
    for (const auto& one : list) {
      ++losses[one.job].count;
      losses[one.job].lost += lost_in(one);
    }
    groups_.push_back({columns, [losses = std::move(losses)](std::string& out, JobIndex j, const NodeRanges&) {
                         append_next_integer(out, losses[j].count);
                         append_next_time(out, losses[j].lost);
                       }});
  }

  void append_batsim(std::string& out, JobIndex j, const NodeRanges& nodes, std::int64_t resources) const {
    const Job& job = result_.workload->jobs[j];
    append_integer(out, job.id);
    out += workload_name_;
    append_time(out, job.runtime);
    append_time(out, result_.submitted_at(j).time_since_epoch());
    append_integer(out, resources);
    out += ',';
    append_time(out, job.limit);
    append_outcome(out, j);
    nodes.append_to(out);
    out += ',';
    append_real(out, result_.joules.empty() ? -1 : std::nearbyint(result_.joules[j] * 1000) / 1000);
    out += ',';
  }

  void append_outcome(std::string& out, JobIndex j) const {
    const Outcome& o = result_.outcomes[j];
    out += o.state == FinalState::kCompleted ? "1," : "0,";
    out += batsim_state(o);
    out += ',';
    if (ended(o)) {
      append_times(out, j);
    } else if (started(o)) {
      append_time(out, o.start.time_since_epoch());
      out += ",,";
      append_time(out, result_.waited(j));
      out += ",,";
    } else {
      out += ",,,,,,";
    }
  }

  void append_times(std::string& out, JobIndex j) const {
    const Outcome& o = result_.outcomes[j];
    append_time(out, o.start.time_since_epoch());
    append_time(out, o.end - o.start);
    append_time(out, o.end.time_since_epoch());
    append_time(out, result_.waited(j));
    append_time(out, o.end - result_.submitted_at(j));
    append_real(out, stretch(result_, j));
    out += ',';
  }

  void append_own(std::string& out, JobIndex j) const {
    const Job& job = result_.workload->jobs[j];
    out += class_names_[class_of(job.runtime, options_.classes)];
    out += ',';
    append_time(out, job.runtime);
    if (ended(result_.outcomes[j])) append_real(out, bounded_slowdown(result_, j, options_.bound));
    out += ',';
  }

  static void append_where(std::string& out, const Job& job, const NodeRanges& nodes) {
    if (!nodes.empty()) append_integer(out, nodes.count());
    [&]<std::size_t... i>(std::index_sequence<i...>) { (append_column<i>(out, job), ...); }
    (std::make_index_sequence<kAttributes.size()>());
  }

  template <std::size_t i>
  static void append_column(std::string& out, const Job& job) {
    constexpr const Attribute& a = kAttributes[i];
    if constexpr (a.has(Attribute::kColumn) && !a.is_text()) append_known(out, a.whole(job));
  }

  const RunResult& result_;
  const MetricsOptions& options_;
  std::string workload_name_;
  std::vector<std::string> class_names_;
  std::vector<Group> groups_;
  std::vector<const Attribute*> texts_;  ///< with columns: some job has one
};

/// "c1-4, partition cpu + g1, partition gpu, GPUs g1:0-1".
std::string places_text(const RunResult& result, JobIndex j, const Request& request) {
  const MachineLayout& layout = *result.machine.layout;
  std::string out;
  for (std::size_t i = 0; i != request.components.size(); ++i) {
    const NodeRanges there = nodes_of_component(result.parts[j], i);
    out += (i == 0 ? "" : " + ") + node_names(layout, there);
    const std::string partition = partition_of_component(layout, request.components[i], there);
    if (!partition.empty()) out += ", partition " + partition;
  }
  const std::string gpus = gpus_text(layout, result.parts[j]);
  return gpus.empty() ? out : out + ", GPUs " + gpus;
}

}  // namespace

std::string place_text(const RunResult& result, JobIndex j, const NodeRanges& nodes) {
  const RequestId id = result.workload->jobs[j].request;
  if (id != kNoRequest && has_components(result.workload->requests[id]) && !result.parts.empty())
    return places_text(result, j, result.workload->requests[id]);
  std::string out = node_names(*result.machine.layout, nodes);
  if (const std::string& partition = partition_name(result, j); !partition.empty()) out += ", partition " + partition;
  const std::string gpus = result.parts.empty() ? "" : gpus_text(*result.machine.layout, result.parts[j]);
  return gpus.empty() ? out : out + ", GPUs " + gpus;
}

std::string place_text(const MachineLayout& layout, const NodeRanges& nodes, const Parts& parts) {
  const std::string gpus = gpus_text(layout, parts);
  return node_names(layout, nodes) + (gpus.empty() ? "" : ", GPUs " + gpus);
}

std::string own_columns() {
  std::string out = "job_class,run_time,bounded_slowdown,allocated_nodes";
  for (const Attribute& a : kAttributes)
    if (a.has(Attribute::kColumn) && !a.is_text()) out.append(",").append(a.name);
  return out;
}

std::string_view batsim_state(FinalState state) {
  static constexpr auto kStates = std::to_array<std::string_view>(
      {"", "COMPLETED_SUCCESSFULLY", "COMPLETED_WALLTIME_REACHED", "REJECTED", "COMPLETED_FAILED", "COMPLETED_KILLED",
       "DEPENDENCY_NEVER_SATISFIED", "WITHDRAWN"});
  return kStates[static_cast<std::size_t>(state)];
}

std::string_view batsim_state(const Outcome& outcome) {
  if (outcome.state != FinalState::kNotRun) return batsim_state(outcome.state);
  return outcome.start == kNever ? "SUBMITTED" : "RUNNING";
}

void write_jobs_csv(const RunResult& result, const MetricsOptions& options, const Sink& sink) {
  BlockWriter out(sink);
  const JobRows rows(result, options);
  out.text().append(kBatsimColumns).append(",").append(rows.columns()).append("\n");
  for (JobIndex i = 0; i < result.outcomes.size(); ++i) {
    rows.append(out.text(), i);
    out.row_done();
  }
  out.flush();
}

void write_evalys_csv(const RunResult& result, const Sink& sink) {
  BlockWriter out(sink);
  out.text().append(kBatsimColumns).append("\n");
  const MetricsOptions options;
  const JobRows rows(result, options);
  for (JobIndex i = 0; i < result.outcomes.size(); ++i) {
    if (!JobRows::ran(result.outcomes[i])) continue;
    rows.append_run(out.text(), i);
    out.row_done();
  }
  out.flush();
}

}  // namespace coslice
