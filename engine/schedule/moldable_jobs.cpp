#include "schedule/moldable_jobs.h"

#include <algorithm>

#include "jobs/workflow.h"

namespace coslice {
namespace {

/// Whether the sizes behind the first one, which is the job's own, have ever more nodes and take ever less time.
bool more_is_faster(const std::vector<JobSize>& sizes) {
  const auto either = [](const JobSize& a, const JobSize& b) { return b.nodes <= a.nodes || b.limit > a.limit; };
  return std::adjacent_find(sizes.begin() + 1, sizes.end(), either) == sizes.end();
}

/// Where more is faster and nodes only come free: of the sizes that fit from an instant on, the largest ends first. So
/// it is enough to look at the instants at which another one fits. `start_of` says when so many nodes are free; where
/// none ever fits, the job keeps the size that it had.
template <class F>
std::size_t ending_first(const std::vector<JobSize>& sizes, std::size_t had, F&& start_of) {
  const Time own = start_of(sizes[0].nodes);
  std::size_t best = own == kNever ? had : 0;
  Time first = own == kNever ? kNever : later(own, sizes[0].limit);
  for (std::size_t least = 1; least < sizes.size();) {
    const Time start = start_of(sizes[least].nodes);
    if (start == kNever || later(start, sizes.back().limit) > first) break;
    const auto fits = [&](const JobSize& s) { return start_of(s.nodes) <= start; };
    const auto from = sizes.begin() + static_cast<std::ptrdiff_t>(least);
    const auto behind = std::partition_point(from, sizes.end(), fits);
    const auto is_slower = [&](const JobSize& s) { return s.limit > std::prev(behind)->limit; };
    const auto size = std::partition_point(from, behind, is_slower);  // of those that are as fast the smallest
    const Time end = later(start, size->limit);
    if (end < first || (end == first && size->nodes < sizes[best].nodes)) {
      best = static_cast<std::size_t>(size - sizes.begin());
      first = end;
    }
    least = static_cast<std::size_t>(behind - sizes.begin());
  }
  return best;
}

}  // namespace

std::unique_ptr<MoldableJobs> MoldableJobs::make(std::vector<Job>& jobs, Molding rule, std::int32_t nodes,
                                                 std::int32_t ppn, JobDemands* demands) {
  if (std::ranges::none_of(jobs, is_moldable)) return nullptr;
  std::unique_ptr<MoldableJobs> all(new MoldableJobs(jobs, rule, demands));
  all->sizes_.resize(jobs.size());
  all->fixed_.resize(jobs.size());
  for (JobIndex j = 0; j != jobs.size(); ++j) {
    if (!is_moldable(jobs[j])) continue;
    std::vector<JobSize>& sizes = all->sizes_[j];
    if (demands == nullptr) {
      sizes = job_sizes(jobs[j], ppn);
      std::erase_if(sizes, [=](const JobSize& s) { return s.nodes > nodes; });
    } else {
      for (const JobDemands::OfSize& s : demands->sizes(j)) sizes.push_back(s.size);
    }
    if (!sizes.empty()) all->choose(j, 0);
  }
  return all;
}

void MoldableJobs::choose(JobIndex j, std::size_t i) {
  jobs_[j] = with_size(jobs_[j], sizes_[j][i]);
  ask_for(j, i);
}

std::size_t MoldableJobs::resize(JobIndex j, std::int32_t nodes) {
  const std::vector<JobSize>& sizes = sizes_[j];
  const auto size = std::ranges::find(sizes, nodes, &JobSize::nodes);
  const auto i = static_cast<std::size_t>(size - sizes.begin());
  take_size(j, i);
  return i;
}

void MoldableJobs::take_size(JobIndex j, std::size_t i) {
  jobs_[j].size = sizes_[j][i].processes;
  ask_for(j, i);
}

/// On a heterogeneous machine.
void MoldableJobs::ask_for(JobIndex j, std::size_t i) {
  if (demands_ == nullptr) return;
  const JobDemands::OfSize& asked = demands_->sizes(j)[i];
  demands_->choose_size(j, asked);
  if (jobs_[j].request != kNoRequest) jobs_[j].request = asked.request;
}

/// Jobs whose tasks are spread have as many processes with each.
std::size_t MoldableJobs::size_of(JobIndex j) const {
  const std::vector<JobSize>& sizes = sizes_[j];
  if (demands_ != nullptr && jobs_[j].request != kNoRequest)
    for (std::size_t i = 0; i != sizes.size(); ++i)
      if (demands_->sizes(j)[i].request == jobs_[j].request) return i;
  // Mostly they ascend behind the first one.
  const auto guess = std::ranges::lower_bound(sizes.begin() + 1, sizes.end(), jobs_[j].size, {}, &JobSize::processes);
  if (sizes[0].processes != jobs_[j].size && guess != sizes.end() && guess->processes == jobs_[j].size)
    return static_cast<std::size_t>(guess - sizes.begin());
  const auto own = std::ranges::find(sizes, jobs_[j].size, &JobSize::processes);
  return own == sizes.end() ? 0 : static_cast<std::size_t>(own - sizes.begin());
}

std::size_t MoldableJobs::best_of(JobIndex j, const std::vector<JobSize>& sizes,
                                  const std::function<Time(std::size_t)>& end_with) const {
  const std::size_t had = size_of(j);
  std::optional<std::size_t> best;
  Time first = kNever;
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    const Time end = end_with(i);
    if (end == kNever || (best && end > first)) continue;
    const auto preferred = [&] {
      return rule_ == Molding::kFitsNow ? sizes[i].nodes > sizes[*best].nodes : sizes[i].nodes < sizes[*best].nodes;
    };
    if (best && end == first && !preferred()) continue;
    best = i;
    first = end;
  }
  return best.value_or(had);
}

/// Which of the sizes it is to have from now on.
std::size_t MoldableJobs::choice(const View& view, JobIndex j, const std::vector<JobSize>& sizes) const {
  const std::size_t had = size_of(j);
  Availability& ledger = view.available();
  const bool only_come_free = demands_ == nullptr && ledger.by_count() && view.reserved_count() == 0;
  if (rule_ == Molding::kEndsFirst && only_come_free && more_is_faster(sizes))
    return ending_first(sizes, had, [&](std::int32_t n) {
      return ledger.earliest({j, n, sizes[0].limit}, view.now());
    });
  const std::size_t best = best_of(j, sizes, [&](std::size_t i) {
    const Duration time = try_(j, i);
    const Ask ask{j, view.nodes_of(j), time};
    if (rule_ == Molding::kFitsNow) return view.available().fits_now(ask) ? view.now() : kNever;
    return later(view.available().earliest(ask, view.now()), sizes[i].limit);
  });
  try_(j, had);
  return best;
}

void MoldableJobs::choose_for_coming(const View& view, JobIndex j) {
  const std::vector<JobSize>* const all = sizes(j);
  if (rule_ != Molding::kAsked && all != nullptr && !all->empty()) try_(j, choice(view, j, *all));
}

bool MoldableJobs::choose_for_waiting(View& view) {
  if (rule_ == Molding::kAsked) return false;
  bool any = false;
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    const std::vector<JobSize>* const all = sizes(j);
    if (all == nullptr || queue.reserved(p) != kNever || (demands_ != nullptr && demands_->on_gpu_instance(j)))
      continue;
    const std::size_t i = choice(view, j, *all);
    if (i == size_of(j)) continue;
    view.set_size(p, i);
    any = true;
  }
  return any;
}

}  // namespace coslice
