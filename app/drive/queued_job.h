// The jobs of a real Slurm, as squeue lists them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "drive/slurm_commands.h"
#include "formats/slurm_fields.h"
#include "slurm/resource_lists.h"

namespace coslice::drive {

/// A job, or an element of an array.
struct QueuedJob {
  std::string id;           ///< as Slurm's commands take it: "17", of an element "12_3"
  std::int64_t number = 0;  ///< what policies see as its id; of an element 12,000,000,003
  std::string state;        ///< "PENDING", "RUNNING", ...
  std::string reason;       ///< why it waits, in Slurm's word: "Priority", "JobHeldUser"
  std::string dependency;   ///< "": none
  std::string user, account, qos, reservation;
  std::vector<std::string> partitions;  ///< more than one only while it waits
  std::string wckey, comment;           ///< empty unless squeue was asked for them
  std::int64_t submitted = 0;           ///< seconds since 1970
  std::int64_t started = 0;             ///< seconds since 1970; only of jobs that have nodes
  std::int64_t restarts = 0;            ///< how often it was requeued; each time it gets a new submission
  std::int64_t limit_s = 0;             ///< time limit, s; 0: no limit
  std::int64_t priority = 0;            ///< 0: it is held
  SlurmTres tres;                       ///< total resources requested, or allocated if it runs
  std::vector<slurm::Gres> gpus;        ///< requested GPUs per node
  std::string features;
  bool exclusive = false;          ///< other jobs may not be on its nodes
  bool all_memory = false;         ///< it has all their memory, where Slurm gives memory to jobs
  std::vector<std::string> nodes;  ///< nodes allocated to it

  /// Returns whether the job is PENDING.
  bool waits() const { return state == "PENDING"; }
  /// Returns whether the job will never run again although it is listed.
  bool has_ended() const;
  /// Returns whether the job is held (priority 0).
  bool held() const { return priority == 0; }
};

struct Queue {
  std::vector<QueuedJob> jobs;
  std::vector<std::string> problems;  ///< messages about lines that were left out
  std::set<std::string> unread;       ///< ids of jobs whose lines were left out
  bool complete = true;               ///< whether the id of every left-out line is known

  /// Returns whether a job that is not in `jobs` is certainly not in the queue.
  bool lacks(const std::string& id) const { return complete && unread.count(id) == 0; }
};

/// Returns the command that lists all jobs that wait or have nodes.
std::vector<std::string> squeue_command();

/// Reads what squeue_command() prints. Lines that cannot be read are left out, and so are all lines with an id that
/// occurs twice: one of them may be forged by a job's own texts.
Queue read_queue(std::string_view text);

}  // namespace coslice::drive
