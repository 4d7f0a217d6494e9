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
  std::optional<std::int64_t> submit, start, limit, elapsed;
  std::int64_t node_count = 0, cpus = 0;
  std::string file;  ///< where it was read,
  int line = 0;      ///< and in which line

  bool runs() const;
  bool waits() const;
};

struct QueueSnapshot {
  std::vector<QueuedJob> jobs;      ///< that run or wait
  std::vector<std::string> down;    ///< names of nodes that take no jobs
  std::optional<std::int64_t> now;  ///< where the files say it
};

/// Reads these files, each of which may be any of the kinds. Throws InputError with file and line.
QueueSnapshot read_queue(const std::vector<std::string>& paths);

// What read_queue reads; one file each.
/// Whether the text is JSON.
void read_queue_json(const std::string& text, const std::string& file, QueueSnapshot& out);
/// Records of scontrol: "JobId=17 ..." and "NodeName=n1 ...".
void read_scontrol(const std::string& text, const std::string& file, QueueSnapshot& out);
/// Columns with a head, separated by '|' or by blanks.
void read_squeue_columns(const std::string& text, const std::string& file, QueueSnapshot& out);
/// Throws InputError for a job whose state is no word of Slurm's.
void refuse_unknown_state(const QueuedJob& job);
/// "DOWN*+DRAIN": whether the node takes no jobs.
bool is_down(const std::string& state);

}  // namespace coslice::slurm
