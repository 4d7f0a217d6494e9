#include "schedule/moldable_jobs.h"

#include <algorithm>
#include <limits>

#include "jobs/workflow.h"

namespace coslice {
namespace {

constexpr std::uint32_t kNotChosen = std::numeric_limits<std::uint32_t>::max();

/// Whether the sizes behind the first one, which is the job's own, have ever more nodes and take ever less time.
bool more_is_faster(const std::vector<JobSize>& sizes) {
  const auto either = [](const JobSize& a, const JobSize& b) { return b.nodes <= a.nodes || b.limit > a.limit; };
  return std::adjacent_find(sizes.begin() + 1, sizes.end(), either) == sizes.end();
}

/// The largest size with at most so many nodes, from `least` on, which has no more. The sizes ascend from there, mostly
/// by one node each.
std::size_t last_within(const std::vector<JobSize>& sizes, std::size_t least, std::int32_t nodes) {
  const std::size_t most = std::min(sizes.size() - 1, least + static_cast<std::size_t>(nodes - sizes[least].nodes));
  for (const std::size_t i : {most, most - 1})
    if (sizes[i].nodes <= nodes) return i;
  const auto begin = sizes.begin() + static_cast<std::ptrdiff_t>(least);
  const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(most);
  const auto fits = [=](const JobSize& s) { return s.nodes <= nodes; };
  return static_cast<std::size_t>(std::partition_point(begin, end, fits) - sizes.begin()) - 1;
}

/// The smallest size that is as fast as the i-th, behind the first.
std::size_t first_as_fast(const std::vector<JobSize>& sizes, std::size_t i) {
  if (i == 1 || sizes[i - 1].limit > sizes[i].limit) return i;
  const auto is_slower = [&](const JobSize& s) { return s.limit > sizes[i].limit; };
  const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(i);
  return static_cast<std::size_t>(std::partition_point(sizes.begin() + 1, end, is_slower) - sizes.begin());
}

/// Where more is faster and nodes only come free: of the sizes that fit from an instant on, the largest ends first. So
/// it is enough to look at the instants at which another one fits. Where none ever fits, the job keeps the size that it
/// had.
std::size_t ending_first(const std::vector<JobSize>& sizes, std::size_t had, const std::vector<FreeFrom>& free) {
  const auto first_with = [&](std::int32_t nodes) {
    return std::ranges::partition_point(free, [=](const FreeFrom& f) { return f.nodes < nodes; });
  };
  const auto own = first_with(sizes[0].nodes);
  std::size_t best = own == free.end() ? had : 0;
  Time first = own == free.end() ? kNever : later(own->at, sizes[0].limit);
  if (sizes.size() == 1) return best;
  std::size_t seen = 0;
  for (auto f = first_with(sizes[1].nodes); f != free.end() && later(f->at, sizes.back().limit) <= first; ++f) {
    const std::size_t largest = last_within(sizes, std::max<std::size_t>(seen, 1), f->nodes);
    if (largest == seen) continue;
    seen = largest;
    const std::size_t i = first_as_fast(sizes, largest);
    const Time end = later(f->at, sizes[i].limit);
    if (end > first || (end == first && sizes[i].nodes >= sizes[best].nodes)) continue;
    best = i;
    first = end;
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
  all->asked_.resize(jobs.size());
  all->best_.resize(jobs.size(), kNotChosen);
  all->more_is_faster_.resize(jobs.size());
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
    all->more_is_faster_[j] = !sizes.empty() && more_is_faster(sizes);
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
  best_[j] = kNotChosen;  // if it waits once more
  ask_for(j, i);
}

/// What it asks for is on a heterogeneous machine.
void MoldableJobs::ask_for(JobIndex j, std::size_t i) {
  asked_[j] = static_cast<std::uint32_t>(i);
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
  if (const std::size_t asked = asked_[j]; asked < sizes.size() && sizes[asked].processes == jobs_[j].size)
    return asked;
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

/// Jobs that have no reservation change nothing of what is free while sizes are chosen.
void MoldableJobs::look_at(const View& view) {
  std::swap(before_, free_);
  const bool did = only_comes_free_;
  only_comes_free_ = rule_ == Molding::kEndsFirst && demands_ == nullptr && view.available().only_comes_free(free_);
  const auto alike = [](const FreeFrom& a, const FreeFrom& b) { return a.at == b.at && a.nodes == b.nodes; };
  as_before_ = as_before_ && did && only_comes_free_ && view_ == &view && free_.size() == before_.size() &&
               free_.front().nodes == before_.front().nodes &&
               std::equal(free_.begin() + 1, free_.end(), before_.begin() + 1, alike);
  view_ = &view;
}

/// Whether the waiting job would choose again what it has: of all that it could have only what fits now ends later than
/// when it chose, and it waits for more than that.
bool MoldableJobs::is_settled(JobIndex j, const std::vector<JobSize>& sizes) const {
  const std::size_t asked = asked_[j];
  return as_before_ && more_is_faster_[j] && best_[j] == asked && sizes[asked].processes == jobs_[j].size &&
         sizes[asked].nodes > free_.front().nodes;
}

/// Which of the sizes it is to have from now on.
std::size_t MoldableJobs::choice(const View& view, JobIndex j, const std::vector<JobSize>& sizes) const {
  const std::size_t had = size_of(j);
  if (only_comes_free_ && more_is_faster_[j]) return ending_first(sizes, had, free_);
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
  if (rule_ == Molding::kAsked || all == nullptr || all->empty()) return;
  look_at(view);
  try_(j, best_[j] = static_cast<std::uint32_t>(choice(view, j, *all)));
}

bool MoldableJobs::choose_for_waiting(View& view) {
  if (rule_ == Molding::kAsked) return false;
  look_at(view);
  bool any = false;
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    const std::vector<JobSize>* const all = sizes(j);
    if (all == nullptr || queue.reserved(p) != kNever || (demands_ != nullptr && demands_->on_gpu_instance(j)))
      continue;
    if (is_settled(j, *all)) continue;
    const std::size_t i = choice(view, j, *all);
    best_[j] = static_cast<std::uint32_t>(i);
    if (i == size_of(j)) continue;
    view.set_size(p, i);
    any = true;
  }
  as_before_ = true;  // for all of them
  return any;
}

}  // namespace coslice
