// What a dump of sacct says of arrays, and of what jobs waited for. sacct has no column for dependencies: they stand in the
// command that submitted a job (SubmitLine), or in a column Dependency that a site adds, e.g. from squeue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workload/workload.h"

namespace coslice {

/// Whether the JobID is that of a step: "12.batch", not "12_[1,3,...]".
bool is_sacct_step(std::string_view job_id);

/// "1234_3" and "1234_4" of "1234_[3-4%1]", which stand on one line while they wait; any other id, and one that sacct cut short, alone.
std::vector<std::string> waiting_elements(const std::string& job_id);

/// How many elements of arrays may run at the same time, by arrays.
class SacctArrayLimits {
 public:
  /// Takes the limit from a JobID such as "1234_[5-10%4]", whose elements still wait, or from --array=1-10%4 of the
  /// command; a line that says none changes nothing.
  void note(std::string_view job_id, std::string_view submit_line);
  /// What the attribute `array` says of the job with that JobID: "1234_7%4", "1234_7"; "" if it is no element.
  std::string element_text(std::string_view job_id) const;

 private:
  std::unordered_map<std::int64_t, std::int64_t> limit_by_array_;
};

/// What a job waited for in the notation of `depends`, from the column Dependency, else from the command that submitted it;
/// "" for nothing. States such as "(unfulfilled)" are left out, aftercorr is afterok for the element of the same index,
/// afterburstbuffer is afterany, and expand says nothing about time. Throws InputError without a place for a column that
/// cannot be read; what cannot be read of a command is nothing.
std::string sacct_dependency(std::string_view column, std::string_view submit_line, std::string_view job_id);

/// Gives the jobs, in order of submission, their texts of `depends`, without the terms that name no job before them: one that
/// ended before the dump begins, or never started. `job_ids` and `depends` are by job. Where one of several jobs was
/// enough (?) and one is not on record, it may have been that one: nothing is left to wait for. Terms may also name an element of an
/// array by its own number (JobIDRaw), which the job has where it is `numbered`. Returns how many jobs lost terms.
std::int64_t set_recorded_dependencies(Workload& workload, const std::vector<std::string>& job_ids,
                                       const std::vector<bool>& numbered, const std::vector<std::string>& depends);

/// The part of a command that says the array's limit and what the job depends on: "sbatch --array=7%4
/// --dependency=afterok:3"; "" for jobs that have neither.
std::string submit_line_of(const Job& job);

}  // namespace coslice
