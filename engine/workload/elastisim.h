// Jobs of the simulator ElastiSim (jobs.json, and the application models that it names).
#pragma once

#include <string>
#include <string_view>

#include "workload/recorded.h"

namespace coslice {

/// Reads a list of jobs: submit_time, num_nodes and num_gpus_per_node of rigid jobs, num_nodes_min and num_nodes_max
/// (and the same of GPUs) of moldable and malleable ones, walltime, application_model and arguments. Jobs are
/// numbered from 0 in the order of the file, and have their nodes for themselves. A run time is what the model's
/// tasks busy_wait and idle take, their delays and iterations computed from the arguments and the number of nodes; a
/// moldable job has up to kMostElastisimSizes sizes, evenly spread. A malleable one is moldable. Models are looked
/// for where the file says, else beside it. Jobs with other tasks, whose time depends on the platform, are left out
/// and counted. Throws InputError with file and line.
RecordedWorkload parse_elastisim(std::string_view text, const std::string& file);

inline constexpr int kMostElastisimSizes = 16;

}  // namespace coslice
