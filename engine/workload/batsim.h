// Workloads of Batsim (JSON), read and written.
#pragma once

#include <string>
#include <string_view>

#include "workload/workload.h"

namespace coslice {

/// How profiles of a fixed run time are called: "delay" before Batsim 5, "DelayProfile" since.
enum class BatsimVersion { k4, k5 };

/// Reads a workload: `nb_res` is the machine, a job's `res` its size, `walltime` its limit, and its profile's `delay` its
/// run time; sequences ("composed", "SequentialComposition") of such profiles are their sums. Jobs of other profiles
/// have no run time without a model of the platform: they are left out and counted, as are jobs without a size or larger than
/// the machine. Numbers are in `id` ("w0!12" is 12); if they are not whole or come twice, all jobs are numbered anew.
/// Throws InputError with the file: not JSON, jobs or profiles missing, a value of the wrong kind (with the job's number).
Workload parse_batsim(std::string_view text, const std::string& file);

/// Writes a workload: one profile per run time, the jobs in order. The machine is the trace's header's, else the largest job.
std::string batsim_json(const Workload& workload, BatsimVersion version);

/// Whether the text begins like JSON.
bool looks_like_batsim(std::string_view text);

}  // namespace coslice
