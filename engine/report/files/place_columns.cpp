#include "report/files/place_columns.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/files/csv_text.h"
#include "resources/eligibility.h"
#include "resources/layout.h"

namespace coslice {

namespace {

constexpr std::string_view kNone = "none";

void append_or_none(std::string& out, const std::string& text) {
  out += ',';
  out += text.empty() ? std::string(kNone) : csv_field(text);
}

std::string thousandths(std::int64_t n) {
  return n % 1000 == 0 ? std::to_string(n / 1000) : fmt::format("{}", static_cast<double>(n) / 1000);
}

std::string node_names(const MachineLayout& layout, const NodeRanges& nodes) {
  std::vector<std::string> names;
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) names.push_back(layout.node_name(n));
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

const std::string& partition_name(const RunResult& result, JobIndex j) {
  static const std::string none;
  const std::int32_t partition = result.partition.empty() ? -1 : result.partition[j];
  return partition < 0 ? none : result.machine.layout->partitions[static_cast<std::size_t>(partition)].name;
}

}  // namespace

std::string place_text(const RunResult& result, JobIndex j, const NodeRanges& nodes) {
  std::string out = node_names(*result.machine.layout, nodes);
  if (const std::string& partition = partition_name(result, j); !partition.empty()) out += ", partition " + partition;
  const std::string gpus = result.parts.empty() ? "" : gpus_text(*result.machine.layout, result.parts[j]);
  return gpus.empty() ? out : out + ", GPUs " + gpus;
}

std::string place_text(const MachineLayout& layout, const NodeRanges& nodes, const Parts& parts) {
  const std::string gpus = gpus_text(layout, parts);
  return node_names(layout, nodes) + (gpus.empty() ? "" : ", GPUs " + gpus);
}

void append_place(std::string& out, const RunResult& result, JobIndex j, const NodeRanges& nodes, const NodeNameList& names) {
  if (nodes.empty()) {
    for (int i = 0; i < 6; ++i) out.append(",").append(kNone);
    return;
  }
  const MachineLayout& layout = *result.machine.layout;
  const RequestId id = result.workload->jobs[j].request;
  static const Request whole = whole_nodes(1, 0);
  const Request& request = id == kNoRequest ? whole : result.workload->requests[id];
  append_or_none(out, partition_name(result, j));
  append_or_none(out, names.text(nodes));
  append_or_none(out, thousandths(cores_on_node(layout, request, nodes)));
  append_or_none(out, request.memory_mib == 0 ? "" : std::to_string(request.memory_mib));
  append_or_none(out, request.gpus == 0 ? "" : thousandths(std::int64_t{request.gpus} * request.gpu_share));
  append_or_none(out, result.parts.empty() ? "" : gpus_text(layout, result.parts[j]));
}

}  // namespace coslice
