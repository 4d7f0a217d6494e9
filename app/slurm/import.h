// A site's own Slurm configuration and records as a scenario.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.h"
#include "core/value.h"
#include "formats/trace_file.h"
#include "slurm/import_page.h"

namespace coslice::slurm {

/// Paths, of which those that are not given are "", and what was asked for beside them.
struct ImportFiles {
  std::string conf, gres, topology, associations, jobs, reservations;
  /// Time after the first submission until which jobs start as recorded.
  std::optional<Duration> recorded_until;
};

struct Import {
  std::vector<std::pair<std::string, std::string>> files;  ///< names in the scenario's folder, and their texts
  ImportPage page;
  Value params = Value::table();  ///< of the policy, each with its place in slurm.conf
  std::int64_t jobs = 0, nodes = 0, cores = 0, partitions = 0;
};

/// The name of the file of jobs beside scenario.toml.
inline constexpr const char* kTraceFile = "jobs.sacct";

/// Reads everything and makes the files of the scenario: scenario.toml, policy.lua, import.md. The jobs, which may be
/// more than memory holds, go to `trace` block by block, for the file kTraceFile; a dump of sacct as it is, but without
/// lines that cannot be read where `skipped` is given, which counts them. Throws InputError with file and line for what
/// cannot be read or does not fit together.
Import import_slurm(const ImportFiles& files, const std::function<void(std::string_view)>& trace,
                    SkippedLines* skipped = nullptr);

}  // namespace coslice::slurm
