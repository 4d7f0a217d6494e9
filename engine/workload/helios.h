// The job logs of SenseTime's Helios clusters (cluster_log.csv).
#pragma once

#include <string>
#include <string_view>

#include "workload/recorded.h"

namespace coslice {

/// Reads columns job_id, user, vc, gpu_num, cpu_num, node_num, state, submit_time, start_time and duration; others
/// are ignored. A job has gpu_num GPUs and cpu_num processors on node_num nodes; its partition is its vc. Jobs that
/// never started, or have no processors, are left out and counted. Throws InputError with file and line.
RecordedWorkload parse_helios(std::string text, const std::string& file);

/// Whether the text begins like such a log.
bool looks_like_helios(std::string_view text);

}  // namespace coslice
