// Submissions as the Slurm simulator's files of events have them, and as a dump of sacct that the engine reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/value.h"
#include "slurm/associations.h"
#include "slurm/import_page.h"
#include "slurm/settings.h"
#include "slurm/site_machine.h"

namespace coslice::slurm {

/// One line `-dt S -e submit_batch_job | OPTIONS SCRIPT`. Memory in MiB, times in nanoseconds.
struct SubmittedJob {
  std::int64_t id = 0;
  std::int64_t submit = 0;                                                   ///< from the beginning of the file's clock
  std::int64_t runtime = 0;                                                  ///< -1: it never ends by itself
  std::int64_t limit = -1;                                                   ///< -1: not said
  std::int64_t tasks = 0, nodes = 0, tasks_per_node = 0, cpus_per_task = 1;  ///< 0: not said
  std::int64_t most_nodes = 0, segment = 0;                                  ///< of -N 2-4, of --segment; 0: not said
  std::int64_t memory_per_node = -1, memory_per_cpu = -1;                    ///< -1: not said
  std::int64_t gpus_per_node = 0;
  std::string gpu_type, features, user, account, partition, qos;
  std::vector<std::pair<std::string, std::int64_t>> licences;
  bool exclusive = false, oversubscribe = false;
  Place place;
};

/// Returns whether the text begins like a file of events.
bool looks_like_events(std::string_view text);

/// Reads all lines. Throws InputError with file and line: an option without its value, a value that is none, a line
/// that does not end with a script. Options that mean nothing here, and other events than submissions, go into the
/// page.
std::vector<SubmittedJob> read_events(std::string_view text, const std::string& file, ImportPage& page);

/// Returns submitted jobs as a dump of sacct, with what Slurm gives them: the account of their user, the memory and the
/// limit of their partition. Second 0 is the whole second of the first submission.
std::string events_as_sacct(std::vector<SubmittedJob> jobs, const SiteMachine& machine, const SiteSettings& settings,
                            Associations& associations, ImportPage& page);

}  // namespace coslice::slurm
