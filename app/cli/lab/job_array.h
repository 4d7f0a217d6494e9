// Handing a campaign to Slurm: a job array whose tasks are parts, and a job behind it that joins what they wrote.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/campaign/sweep.h"

namespace coslice::cli {

/// Reads a part such as "3/40", as of --shard. Throws InputError.
Shard shard_of(const std::string& text);

/// Returns the name of the file of results: "depth.sqlite" of "campaigns/depth.toml"; "depth-3-of-40.sqlite" for a
/// shard.
std::string results_name(const std::string& campaign, const Shard& shard);

/// Throws InputError: `argument` stands behind the one that is taken, and without --slurm. `what` is that one.
[[noreturn]] void refuse_argument(const std::string& argument, const std::string& what);

struct SlurmCampaign {
  std::string name;                  ///< of the jobs
  std::vector<std::string> command;  ///< what a task runs, but for its part and its file: coslice sweep C.toml
  std::string results;               ///< what the last job writes
  std::string folder;                ///< where parts and their logs go
  std::int64_t parts = 1;
  std::vector<std::int64_t> unfinished;  ///< the parts to submit
  std::vector<std::string> options;      ///< for sbatch
  std::string workers = "--workers";     ///< how the command calls the number of its threads
};

/// Returns the file of a part: "FOLDER/part-3-of-40.sqlite".
std::string part_name(const std::string& folder, std::int64_t part, std::int64_t parts);

struct SlurmJobs {
  std::string array, merge;  ///< numbers of the two jobs
};

/// Submits both. Throws InputError if there is no sbatch or if it refuses: its words are in the message.
SlurmJobs submit(const SlurmCampaign& campaign);

/// Submits one job: this program with these arguments, and `workers` with as many threads as it has processors for its
/// task. It is requeued where its node dies. What it prints goes to `log`. Returns its number. Throws InputError as
/// submit().
std::string submit_one(const std::string& name, const std::vector<std::string>& command, const std::string& workers,
                       const std::string& log, const std::vector<std::string>& options);

/// Returns what people are told: the jobs, where things will be, what to do if a part does not finish.
std::string submitted_text(const SlurmCampaign& campaign, const SlurmJobs& jobs, const std::string& again);

}  // namespace coslice::cli
