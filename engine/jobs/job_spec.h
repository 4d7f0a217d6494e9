// A job as a scenario, a suite or a script writes it down, and what it asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/codec.h"
#include "jobs/attributes.h"
#include "jobs/job.h"
#include "jobs/slowdown.h"
#include "jobs/workload.h"
#include "machine/layout.h"
#include "machine/request_spec.h"

namespace coslice {

struct JobSpec {
  JobSpec() { job.id = -1, job.size = 0, job.limit_given = false; }

  Job job;                 ///< id -1: not said; size 0: given in nodes; without a limit, the run time is it
  std::int32_t nodes = 0;  ///< 0: given in processes
  JobExtras extras{};      ///< without texts
  std::vector<std::pair<const Attribute*, std::string>> texts{};
  std::optional<double> cpu{}, network{}, disk{};  ///< fractions of its run time; all or none
  std::optional<double> memory_fraction{};         ///< of a node's memory
  std::optional<RequestSpec> request{};            ///< what it asks for on a heterogeneous machine
  std::vector<RequestSpec> components{};           ///< instead of `request`: several, which start together
  std::string program{};                           ///< what its processes do: a name; "": not said
  std::set<std::string> former_names{};            ///< older names of attributes by which it was written
};

/// Returns the keys of attributes alone, as a job of a trace has them, and all keys.
const std::vector<Key<JobSpec>>& attribute_keys();
const std::vector<Key<JobSpec>>& job_spec_keys();

/// Returns what a job that is read by job_spec_keys() lacks: the problem, "has both nodes and processes", and what was
/// expected. "" where it is whole.
std::pair<std::string, std::string> problem_of(const JobSpec& spec);

/// Gives the job the extras that are said.
void set_extras(Job& job, const JobSpec& spec, JobExtrasStore& store);

/// Returns the job, with that number unless it says its own. Nodes have `per_node` processes of it each. Throws
/// InputError for a job of more processes than can be.
Job job_of(const JobSpec& spec, std::int64_t number, std::int32_t per_node, JobExtrasStore& store);

/// Returns what the job uses, if it says so.
std::optional<ResourceProfile> profile_of(const JobSpec& spec);

/// Returns "'size' of a job is now called 'processes'; ..." for each older name.
std::vector<std::string> former_name_warnings(const std::set<std::string>& names);

/// Sets the job's request, where it says one, or components, or says nodes; what asks by its processes alone is left to
/// request_by_trace() (formats/trace_requests.h). Where the job says nodes and has a table `request`, it has a process
/// for each core that it asks for, at least one on each node; so has each of several components. Without a table its
/// nodes are its own; on a machine that names no kinds it then has no request. Throws InputError as make_request()
/// does.
void request_for(Job& job, const JobSpec& said, const MachineSpec& machine, RequestTable& requests);

}  // namespace coslice
