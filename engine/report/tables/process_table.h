// Tables of runs at the level of processes: completions and classes of jobs, and where the processors' time went.
#pragma once

#include <string>
#include <vector>

#include "metrics/process_summary.h"
#include "report/tables/table.h"

namespace coslice {

/// What the table takes from a run; the run itself need not be kept.
struct ProcessReport {
  struct Job {
    std::int64_t id;
    std::string program;
    std::int32_t size;
    Time start, end;      ///< kNever if it did not
    std::string classes;  ///< "64 F, 64 DC"; "" where the policy has one class
  };
  std::string policy;
  std::vector<Job> jobs;  ///< empty if there are more than a table should have
  ProcessorShares shares;
};

/// REQUIRES: the result has `processes`.
ProcessReport process_report(const std::string& policy, const RunResult& result);

/// One column a policy. All runs are of the same jobs.
std::string process_table(const std::vector<ProcessReport>& runs, TableStyle style, bool colour);

}  // namespace coslice
