// The memory of jobs under slices: what each needs and has on its nodes, and what it is charged for loading and for
// being written out. (Esbaugh 2010, Section 5.3.)
#pragma once

#include <memory>
#include <vector>

#include "schedule/view.h"
#include "slices/slices.h"
#include "slices/swapped_memory.h"

namespace coslice {

/// Amounts are transfer times. Where the options do not model memory, no job needs any and nothing is charged.
class JobMemory {
 public:
  /// Makes the memory of jobs. `options` outlive it.
  JobMemory(const SliceOptions& options, std::int32_t nodes, std::size_t jobs);

  bool modelled() const { return memory_ != nullptr; }
  /// Asks the options what the job needs, at its submission.
  void ask(const View& view, JobIndex j) {
    if (memory_) need_[j] = options_.memory_of(view, j);
  }
  /// Returns the memory that the job needs on each of its nodes, as transfer time.
  Duration need(JobIndex j) const { return memory_ ? need_[j] : Duration{0}; }
  /// Returns how long loading takes until the job can run.
  Duration missing(const StartedJob& job) const {
    return memory_ ? memory_->missing(job.nodes, job.index, need_[job.index]) : Duration{0};
  }
  /// Adds the job, which got its nodes.
  void add(StartedJob& job);
  /// Brings up to `amount` of the job's memory onto its nodes. Returns the jobs that were written out and pay for it:
  /// their work has grown by `time`.
  struct Charge {
    StartedJob* job;
    Duration time;
  };
  std::vector<Charge> transfer(const StartedJob& job, Duration amount);
  /// Returns what being written out has added to the work of a job since it got its nodes.
  Duration added(JobIndex j) const { return memory_ ? added_[j] : Duration{0}; }
  /// Counts the time that the job has been loading.
  void count_load(JobIndex j, Duration time) { overhead_[j] += time; }
  /// Notes that the job stopped: from now on others may displace it.
  void stopped(const StartedJob& job) {
    if (!memory_) return;
    memory_->stopped(job.nodes, job.index);
    charged_[job.index] = Duration{0};
  }
  /// Removes the job, which ended.
  void remove(const StartedJob& job) {
    if (!memory_) return;
    memory_->remove(job.nodes, job.index);
    jobs_[job.index] = nullptr;
  }

  /// Returns the time for loading and swapping of each job, by JobIndex; empty if memory is not modelled.
  const std::vector<Duration>& overhead() const { return overhead_; }
  /// Returns the part of overhead() that is the first load of each job.
  const std::vector<Duration>& first_load() const { return first_load_; }

 private:
  const SliceOptions& options_;
  std::unique_ptr<NodeMemory> memory_;  ///< null where memory is not modelled; then the vectors are empty
  std::vector<StartedJob*> jobs_;       ///< by JobIndex: those that have nodes
  std::vector<Duration> need_, overhead_, first_load_;
  std::vector<Duration> charged_;  ///< for being written out since the job stopped
  std::vector<Duration> added_;    ///< for the same since it got its nodes
};

}  // namespace coslice
