// Values as Slurm prints them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coslice {

/// A time as a clock shows it.
struct SlurmTime {
  std::int64_t shown = 0;             ///< nanoseconds since 1970, were it the clock of UTC
  std::optional<std::int64_t> ahead;  ///< by how many seconds it is ahead of UTC, where that is said
};
/// Reads iso_seconds() with decimals of a second or without ("2026-03-01T08:30:00.25"), and how far the clock is ahead
/// of UTC behind it, if that is there: "Z", "+01:00", "-0530", "+01".
std::optional<SlurmTime> slurm_time(std::string_view text);
/// Reads the same as an instant, in nanoseconds since 1970; a clock that is not said is taken for that of UTC.
std::optional<std::int64_t> slurm_instant(std::string_view text);
/// Reads "1-02:03:04", "02:03:04", "03:04", each with decimals or without, in nanoseconds, kMaxSeconds at most. Nothing
/// for "UNLIMITED", "Partition_Limit", "INVALID" and whatever is not a duration.
std::optional<std::int64_t> slurm_duration(std::string_view text);
/// Writes nanoseconds as "1-02:03:04"; begun seconds count.
std::string slurm_duration_text(std::int64_t nanoseconds);

/// What a request for memory is for.
enum class SlurmMemoryPer { kJob, kNode, kCpu };
/// A request for memory.
struct SlurmMemory {
  std::int64_t kilobytes = 0;
  SlurmMemoryPer per = SlurmMemoryPer::kJob;
};
/// Reads "4000M", "16G", "2.5Gn" (a node), "100000Mc" (a processor). Nothing where none is stated ("", "0", "?").
std::optional<SlurmMemory> slurm_memory(std::string_view text);

/// "cpu=4,mem=16G,node=1,billing=4,gres/gpu=2,gres/gpu:a100=2,license/matlab=1"; 0: not said. Other names are left out.
struct SlurmTres {
  std::int64_t cpus = 0, nodes = 0, memory_kb = 0, gpus = 0;
  std::vector<std::string> gpu_types;
  std::vector<std::pair<std::string, std::int64_t>> licences;
};
/// Reads a list of trackable resources; nothing for another text.
std::optional<SlurmTres> slurm_tres(std::string_view text);

/// Elements of an array that wait as one line.
struct SlurmTasks {
  std::vector<std::int64_t> indices;  ///< in growing order, as far as they are listed
  bool cut = false;                   ///< the list goes on: it was longer than Slurm prints (SLURM_BITSTR_LEN)
};
/// Reads what stands behind "1234_" in a queue: "[1-3,7%2]", "[0-20:5]", and "[1-3,7,...]", whose end is cut off; so is
/// that of a list without its "]". Of a number that may be cut off within nothing is read, of a range up to one what it
/// has at least. Nothing for another text.
std::optional<SlurmTasks> slurm_tasks(std::string_view text);

/// How a job ended.
enum class SlurmEnd {
  kCompleted,
  kFailed,  ///< by itself, by its node, its memory or its limit
  kCancelled,
  kNotEnded,  ///< the job waits or runs
};
/// Reads "COMPLETED", "CANCELLED by 1000", "TIMEOUT", "NODE_FAIL", ...; nothing for a word that Slurm does not have.
std::optional<SlurmEnd> slurm_end(std::string_view state);

}  // namespace coslice
