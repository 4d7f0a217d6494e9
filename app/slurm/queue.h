// What a site's Slurm says of its queue now: squeue (columns or --json), scontrol show job, scontrol show node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace coslice::slurm {

/// A job as it stands in the queue; what was not said is empty, 0 or absent. Instants are nanoseconds since 1970.
struct QueuedJob {
  std::string id, user, account, partition, qos, state, reason, nodes, features, dependency, tres, gres, memory,
      oversubscribe, reservation;
  std::optional<std::int64_t> submit, start, elapsed;
  std::optional<std::int64_t> limit;     ///< of one that has none (UNLIMITED): kNoEnd
  std::optional<std::int64_t> eligible;  ///< of one that waits: before which it is not to start
  std::int64_t node_count = 0, cpus = 0;
  std::int64_t most_nodes = 0, segment = 0;  ///< of a range of nodes, whose fewest are node_count; of --segment
  bool held = false;  ///< it says so by other words than its state and reason: a priority of 0, `hold` of JSON
  // What an id is made of where it is not written as one.
  std::string array, elements, offset;  ///< "702", "1-4%2"; of a component of a heterogeneous job
  std::int64_t throttle = 0;            ///< how many elements may run
  std::string file;                     ///< where it was read,
  int line = 0;                         ///< and in which line

  bool runs() const;
  bool waits() const;
  /// Whether it is over but for its nodes, which are being cleared.
  bool completes() const { return state == "CG" || state.find("COMPLETING") != std::string::npos; }
  /// Whether it waits for somebody's hand, or can never start as it is.
  bool is_held() const;
  /// When it may come if it waits for a time; nothing: it does not, or when is not said.
  std::optional<std::int64_t> begins() const;
};

/// A limit in nanoseconds that no job reaches.
inline constexpr std::int64_t kNoEnd = 365LL * 86400 * 1'000'000'000;

struct QueueSnapshot {
  std::vector<QueuedJob> jobs;        ///< that run or wait
  std::vector<std::string> down;      ///< names of nodes that take no jobs
  std::vector<std::string> reserved;  ///< of nodes that a reservation keeps: its jobs alone may have them
  std::vector<std::string> warnings;  ///< words that are not known, with their places
  std::optional<std::int64_t> now;    ///< where the files say it
};

/// Reads these files, each of which may be any of the kinds. Throws InputError with file and line.
QueueSnapshot read_queue(const std::vector<std::string>& paths);

// What read_queue reads; one file each.
/// Whether the text is JSON.
void read_queue_json(const std::string& text, const std::string& file, QueueSnapshot& out);
/// Records of scontrol: "JobId=17 ..." and "NodeName=n1 ...".
void read_scontrol(const std::string& text, const std::string& file, QueueSnapshot& out);
/// Columns of squeue or sinfo with a head, separated by '|' or by blanks.
void read_squeue_columns(const std::string& text, const std::string& file, QueueSnapshot& out);
/// Keeps a job that runs or waits, under the id that squeue would print: "702_[1-4%2]", "702_3", "17+1". Throws
/// InputError for a job whose state is no word of Slurm's.
void keep_job(QueuedJob job, QueueSnapshot& out);
/// Keeps a node whose state keeps jobs away.
void keep_node(const std::string& name, const std::string& state, const std::string& place, QueueSnapshot& out);

}  // namespace coslice::slurm
