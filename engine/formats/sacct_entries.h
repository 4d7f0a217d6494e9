// Jobs of a dump of sacct as its lines say them, and records of one job that become one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"

namespace coslice {

/// A job as its line says it.
struct SacctEntry {
  Job job;
  std::string site_id;    ///< as the site writes it: "1234_7"
  std::string nodes;      ///< that it had, as the site writes them
  bool numbered = false;  ///< whether that is a number, and its own
  Duration wait{-1};
  std::int64_t submit = 0;      ///< nanoseconds since 1970
  std::string depends;          ///< as the site says it, in words of ours
  std::int64_t eligible = -1;   ///< nanoseconds since 1970, where it counts and is after the submission
  bool held = false;            ///< until then
  std::int64_t withdrawn = -1;  ///< nanoseconds since 1970, when it was cancelled while it waited
  std::int64_t elements = 1;    ///< of an array that stand on one line: they were cancelled while they waited
  bool preempted = false;       ///< it ran until others needed its nodes, and may have run again
  bool resized = false;         ///< it went on with other nodes, in a record of its own
  Duration longest{0};          ///< of the records that are one job: the longest run time, whose size it has
};

/// Slurm writes a record for each size that a job had; those that follow are submitted when they start. Makes one job
/// of them, with the size that it had for longest.
void join_resized(std::vector<SacctEntry>& entries);

/// Runs that ended because others needed their nodes, of jobs that ran again: makes one job of them, which came when it
/// was submitted first and has to run for as long as its last run. A policy that preempts has it wait again by itself.
void join_preempted_runs(std::vector<SacctEntry>& entries);

/// Removes those that are `gone`; the others keep their order.
void remove_entries(std::vector<SacctEntry>& entries, const std::vector<bool>& gone);

}  // namespace coslice
