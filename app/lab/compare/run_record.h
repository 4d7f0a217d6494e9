// A run as the laboratory compares it: its figures, and its jobs one by one where they are wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace coslice {

/// A job that ran to an end. Times in seconds.
struct JobRecord {
  std::int64_t id = 0;
  double submitted = 0, wait = 0, response = 0, slowdown = 0;  ///< slowdown: bounded
  std::string job_class;
};

struct RunRecord {
  std::string where;  ///< as messages call it: the run folder, "easy, seed 3"
  std::int64_t seed = 0;
  std::string condition{};  ///< under which it was made, where those of a variant differ: "load 0.7"
  Value summary;            ///< what summary.json says
  Value settings;  ///< its scenario without seed, policy, inputs and where results go; an empty table if unknown
  std::vector<JobRecord> jobs;  ///< in order of submission; empty if they are not known, or not read yet
  /// Reads the jobs of a campaign's run, which are many; empty where `jobs` says all. Gives none if they were not kept.
  std::function<std::vector<JobRecord>()> fetch_jobs;
  std::string jobs_advice;  ///< what would have kept the jobs, as a hint says it; "" if nothing is known
};

/// Returns the jobs of a run: `jobs`, or what fetch_jobs reads. Throws InputError as read_jobs does.
std::vector<JobRecord> all_jobs_of(const RunRecord& run);

/// Returns rows of a jobs.csv. Throws InputError, naming `file`, if columns are missing or a number is none.
std::vector<JobRecord> read_jobs(std::string_view csv, const std::string& file);

/// Returns run folders: `path` itself or, if it holds the runs of several policies, those inside, in the order of the
/// scenario's policies. Throws InputError if it holds no run.
std::vector<std::string> run_folders(const std::string& path);

/// Returns the run in a folder, with its jobs if there is a jobs.csv. Throws InputError.
RunRecord read_run(const std::string& folder);

/// Figures of the jobs without the first and last `share` of them, in order of submission, as `trimmed` in summary.json
/// has them: share, all, by_class.
Value trimmed_figures(const std::vector<JobRecord>& jobs, double share);

/// Cuts the first and last `share` off, as summarize() does.
std::vector<JobRecord> without_ends(const std::vector<JobRecord>& jobs, double share);

}  // namespace coslice
