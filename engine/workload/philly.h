// The job log of Microsoft's Philly clusters (cluster_job_log, JSON).
#pragma once

#include <string>
#include <string_view>

#include "workload/recorded.h"

namespace coslice {

/// Reads a log: a list of jobs with jobid, user, vc, status, submitted_time and attempts, each of these with
/// start_time, end_time and detail, the servers with their `gpus`. A job has the GPUs of its last attempt that has
/// some, and as many processors; it runs as long as all of its attempts together, and waits until the first one. Its
/// partition is its vc. Jobs without an attempt that began and ended, whose last attempt has not ended, or without
/// GPUs are left out and counted. Throws InputError with file and line.
RecordedWorkload parse_philly(std::string_view text, const std::string& file);

}  // namespace coslice
