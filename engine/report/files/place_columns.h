// The columns of jobs.csv that say what a job had of a machine whose nodes differ.
#pragma once

#include <string>
#include <string_view>

#include "observers/result.h"
#include "resources/node_names.h"

namespace coslice {

/// ran_in: the partition; node_names: its nodes as the site names them, "n[01-04]"; then what it had on each node:
/// node_cores (parts of one are possible; a job that has its nodes for itself: all), node_memory in MiB, node_gpus (0.5:
/// half of one), and gpus: which ones, "gpu1:0-3". `none` where there is nothing to say.
inline constexpr std::string_view kPlaceColumns = "ran_in,node_names,node_cores,node_memory,node_gpus,gpus";

/// The job's fields, each behind a comma. `nodes` empty: it did not run. `names`: of all nodes, by NodeId.
void append_place(std::string& out, const RunResult& result, JobIndex j, const NodeRanges& nodes, const NodeNameList& names);

/// "n[01-02], partition cpu", "gpu1, partition gpu, GPUs gpu1:0-2". Preconditions: it ran, the machine has a layout.
std::string place_text(const RunResult& result, JobIndex j, const NodeRanges& nodes);
/// The same of parts that it had earlier, without the partition.
std::string place_text(const MachineLayout& layout, const NodeRanges& nodes, const Parts& parts);

}  // namespace coslice
