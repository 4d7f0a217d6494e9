// A site's own Slurm configuration and records as a scenario.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "slurm/import_page.h"

namespace coslice::slurm {

/// Paths; those that are not given are "".
struct ImportFiles {
  std::string conf, gres, topology, associations, jobs;
};

struct Import {
  std::vector<std::pair<std::string, std::string>> files;  ///< names in the scenario's folder, and their texts
  ImportPage page;
  std::int64_t jobs = 0, nodes = 0, cores = 0, partitions = 0;
};

/// Reads everything and makes the files of the scenario: scenario.toml, policy.lua, jobs.sacct, import.md. Throws
/// InputError with file and line for what cannot be read or does not fit together.
Import import_slurm(const ImportFiles& files);

}  // namespace coslice::slurm
