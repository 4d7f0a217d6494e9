// A job as Lua scripts write it: the table coslice.JobSpec (lua/meta/workload.lua).
#pragma once

#include <optional>
#include <string>

#include "api/script_text.h"
#include "workload/job.h"
#include "workload/resource_profile.h"

namespace coslice {

/// A span of time in seconds, at least `least`, at most `most`. Throws InputError.
Duration read_job_span(const FieldReader& f, const char* name, double least, double most = kMaxSeconds);

/// Reads what the table says of the job's owner, its kind and its memory, and which job it comes after; the rest of the
/// job stays. Throws InputError.
void read_job_owner(const FieldReader& f, Job& job);

/// What the job uses, if it says so; `who` names it in complaints. Throws InputError.
std::optional<ResourceProfile> read_job_profile(const FieldReader& f, const std::string& who);

}  // namespace coslice
