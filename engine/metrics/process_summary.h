// The figures of a run at the level of processes: where the processors' time went, what became of each program's
// processes, whether the machine was saturated.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "observers/result.h"

namespace coslice {

/// Processor time in parts of processors x makespan; they add up to 1.
struct ProcessorShares {
  double computing = 0;  ///< bursts: computing, and the processor's part of communication
  double polling = 0;    ///< lost by waiting
  double switching = 0;  ///< lost in switches
  double blocked = 0;    ///< lost by waiting, too: idle while those that might have run waited for messages
  double idle = 0;       ///< lost by fragmentation: no process was there that might run
};

/// Processes by the class that they had at the end of their jobs, by the class's name.
using ClassCounts = std::map<std::string, std::int64_t>;

struct ProgramSummary {
  std::int64_t jobs = 0;
  double mean_response = 0;  ///< s, of jobs that ended
  ClassCounts classes;
};

/// The nine deciles from 0.1 on, then the maximum: points of a cumulative distribution.
using Deciles = std::array<double, 10>;

struct ProcessSummary {
  std::int64_t processors = 0;
  ProcessorShares shares;
  std::int64_t strobes = 0;  ///< switches of slots that the machine manager ordered
  std::string path;          ///< "exact", "closed" or "fast"
  Duration extrapolated{0};  ///< time gone through by measured rates
  Duration error_bound{0};   ///< by how much the end of the run may be off for that
  std::map<std::string, ProgramSummary> programs;
  /// Response times of the shorter and the longer half of the jobs by their run times alone, s.
  Deciles shorter{}, longer{};
  /// Assigned slots of processors whose row held no process there, in parts of all; 0 without slots.
  double empty_slots = 0;
  /// Run times x sizes / (processors x time from the first arrival to the last): what the jobs ask for, alone.
  double offered_load = 0;
  /// The same of what was done up to the last arrival, each job's work spread evenly over the time in which it ran. It
  /// stops rising with the offered load where the machine is saturated.
  double accepted_load = 0;
  /// How fast the work of waiting jobs (run time x size) grew in the second half of the arrivals, in parts of what the
  /// processors can do: the slope of the least squares line. Above about 0.01 the machine is saturated.
  double backlog_growth = 0;
};

/// Of one job that ended: how many of its processes were in which class then.
ClassCounts classes_of(const ProcessRecord& record, JobIndex job);

/// REQUIRES: the result has `processes`.
ProcessSummary summarize_processes(const RunResult& result);

}  // namespace coslice
