#include "slices/job_swapping.h"

#include <algorithm>

namespace coslice {

JobMemory::JobMemory(const SliceOptions& options, std::int32_t nodes, std::size_t jobs) : options_(options) {
  if (options.memory <= Duration{0}) return;
  if (options.swapping == Swapping::kParts) memory_ = std::make_unique<SwappedParts>(nodes, options.memory);
  else memory_ = std::make_unique<SwappedJobs>(nodes, options.memory);
  jobs_.resize(jobs);
  for (std::vector<Duration>* amounts : {&need_, &overhead_, &first_load_, &charged_, &added_}) amounts->resize(jobs);
}

void JobMemory::add(StartedJob& job) {
  if (!memory_) return;
  jobs_[job.index] = &job;
  added_[job.index] = Duration{0};
  first_load_[job.index] = missing(job);
}

std::vector<JobMemory::Charge> JobMemory::transfer(const StartedJob& job, Duration amount) {
  std::vector<Charge> charges;
  if (!memory_) return charges;
  for (const NodeMemory::Displaced& d : memory_->transfer(job.nodes, job.index, need_[job.index], amount)) {
    const bool each = options_.swap_charge == SwapCharge::kEachLoad;
    const Duration time = each ? d.now : std::max(Duration{0}, d.absence - charged_[d.owner]);
    if (time == Duration{0}) continue;
    charged_[d.owner] += time;
    added_[d.owner] += time;
    overhead_[d.owner] += time;
    StartedJob& displaced = *jobs_[d.owner];
    displaced.work_left += Work(time);
    displaced.planned_left += Work(time);
    charges.push_back({&displaced, time});
  }
  return charges;
}

}  // namespace coslice
