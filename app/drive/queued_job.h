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
  std::vector<std::string> partitions;  ///< several while it waits, perhaps
  std::string wckey, comment;           ///< only if they were asked for
  std::int64_t submitted = 0;           ///< seconds since 1970
  std::int64_t started = 0;             ///< the same; means something for jobs that have nodes
  std::int64_t restarts = 0;            ///< how often it was requeued; each time it gets a new submission
  std::int64_t limit_s = 0;             ///< 0: none
  std::int64_t priority = 0;            ///< 0: it is held
  SlurmTres tres;                       ///< in all, what it asked for or has
  std::vector<slurm::Gres> gpus;        ///< on each node, as it asked for them
  std::string features;
  bool exclusive = false;          ///< other jobs may not be on its nodes
  bool all_memory = false;         ///< it has all their memory, where Slurm gives memory to jobs
  std::vector<std::string> nodes;  ///< that it has

  bool waits() const { return state == "PENDING"; }
  /// Returns whether the job will never run again although it is listed.
  bool has_ended() const;
  bool held() const { return priority == 0; }
};

struct Queue {
  std::vector<QueuedJob> jobs;
  std::vector<std::string> problems;  ///< lines that were left out, in words
  std::set<std::string> unread;       ///< jobs that are there and were left out, by id
  bool complete = true;               ///< of no line that was left out the id is unknown

  /// Returns whether a job that `jobs` does not have is certainly not there.
  bool lacks(const std::string& id) const { return complete && unread.count(id) == 0; }
};

/// Returns the command that lists all jobs that wait or have nodes.
std::vector<std::string> squeue_command();

/// Returns what that command printed. Lines that cannot be read are left out, and so is every line of a job that is
/// there twice: one of them may be made up by a job's own texts.
Queue read_queue(std::string_view text);

}  // namespace coslice::drive
