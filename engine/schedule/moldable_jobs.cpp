#include "schedule/moldable_jobs.h"

#include <algorithm>
#include <bit>

#include "jobs/workflow.h"

namespace coslice {
namespace {

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

}  // namespace

void MoldableJobs::bound_limits(Moldable& m) {
  for (std::size_t k = 0; k != m.least_seconds.size(); ++k) {
    const bool all = k + 1 == m.least_seconds.size();
    const std::size_t i = all ? m.sizes.size() - 1 : std::min((std::size_t{1} << k) - 1, m.sizes.size() - 1);
    const std::int64_t seconds = m.sizes[i].limit / whole_seconds(1);
    m.least_seconds[k] = i == 0 ? 0 : static_cast<std::int32_t>(std::min<std::int64_t>(seconds, 2'000'000'000));
  }
}

/// What no size behind the first takes less than, up to the i-th. Precondition: more is faster.
Duration MoldableJobs::least_limit_up_to(const Moldable& m, std::size_t i) {
  const auto k = std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(i)), m.least_seconds.size() - 1);
  return whole_seconds(m.least_seconds[k]);
}

/// Where more is faster and nodes only come free: of the sizes that fit from an instant on, the largest ends first. So
/// it is enough to look at the instants at which another one fits. Where none ever fits, the job keeps the size that it
/// had.
std::size_t MoldableJobs::ending_first(const Moldable& m, std::size_t had, const std::vector<FreeFrom>& free) {
  constexpr std::ptrdiff_t kShort = 16;  // a walk along so few is faster than halving
  const auto first_with = [&](std::int32_t nodes) {
    const auto too_few = [=](const FreeFrom& f) { return f.nodes < nodes; };
    return std::ssize(free) <= kShort ? std::ranges::find_if_not(free, too_few)
                                      : std::ranges::partition_point(free, too_few);
  };
  const std::vector<JobSize>& sizes = m.sizes;
  const auto own = first_with(m.own_nodes);
  std::size_t best = own == free.end() ? had : 0;
  std::int32_t nodes = own == free.end() ? sizes[had].nodes : m.own_nodes;
  Time first = own == free.end() ? kNever : later(own->at, m.own_limit);
  if (sizes.size() == 1) return best;
  std::size_t seen = 0;
  for (auto f = first_with(m.least_nodes); f != free.end() && later(f->at, m.least_limit) <= first; ++f) {
    const auto at_most = std::min(sizes.size() - 1, static_cast<std::size_t>(f->nodes - m.least_nodes) + 1);
    if (later(f->at, least_limit_up_to(m, at_most)) > first) continue;  // without a look at the list
    const std::size_t largest = last_within(sizes, std::max<std::size_t>(seen, 1), f->nodes);
    if (largest == seen) continue;
    seen = largest;
    const std::size_t i = first_as_fast(sizes, largest);
    const Time end = later(f->at, sizes[i].limit);
    if (end > first || (end == first && sizes[i].nodes >= nodes)) continue;
    best = i;
    nodes = sizes[i].nodes;
    first = end;
  }
  return best;
}

/// The same where an instant at which a size fits is found by a question about that size: between two sizes that fit
/// from the same instant on all do. Where none fits, the job keeps the size that it had.
std::size_t MoldableJobs::ending_first_by_tries(JobIndex j, const std::function<Time(std::size_t)>& earliest) const {
  const std::vector<JobSize>& sizes = moldable_[j].sizes;
  std::size_t best = size_of(j);
  Time first = kNever;
  const auto look = [&](std::size_t i, Time at) {
    const Time end = at == kNever ? kNever : later(at, sizes[i].limit);
    if (end == kNever || end > first || (end == first && sizes[i].nodes >= sizes[best].nodes)) return;
    best = i;
    first = end;
  };
  look(0, earliest(0));
  if (sizes.size() == 1) return best;
  struct Stretch {
    std::size_t low, high;
    Time from_low, from_high;  ///< when these two fit
  };
  std::vector<Stretch> ranges;
  const auto add = [&](std::size_t low, Time from_low, std::size_t high, Time from_high) {
    if (from_low != kNever) ranges.push_back({low, high, from_low, from_high});
  };
  const std::size_t last = sizes.size() - 1;
  const Time from_least = earliest(1);
  add(1, from_least, last, last == 1 ? from_least : earliest(last));
  while (!ranges.empty()) {
    const Stretch r = ranges.back();
    ranges.pop_back();
    if (r.from_low == r.from_high) {
      look(std::max(first_as_fast(sizes, r.high), r.low), r.from_low);
      continue;
    }
    look(r.low, r.from_low);
    look(r.high, r.from_high);
    if (r.high - r.low == 1 || later(r.from_low, sizes[r.high - 1].limit) > first) continue;
    const std::size_t middle = r.low + (r.high - r.low) / 2;
    const Time from = earliest(middle);
    add(middle, from, r.high, r.from_high);
    add(r.low, r.from_low, middle, from);  // the next one: what fits earlier bounds the rest
  }
  return best;
}

std::unique_ptr<MoldableJobs> MoldableJobs::make(std::vector<Job>& jobs, Molding rule, std::int32_t nodes,
                                                 std::int32_t ppn, JobDemands* demands) {
  if (std::ranges::none_of(jobs, is_moldable)) return nullptr;
  std::unique_ptr<MoldableJobs> all(new MoldableJobs(jobs, rule, demands));
  all->moldable_.resize(jobs.size());
  for (JobIndex j = 0; j != jobs.size(); ++j) {
    if (!is_moldable(jobs[j])) continue;
    Moldable& m = all->moldable_[j];
    std::vector<JobSize>& sizes = m.sizes;
    if (demands == nullptr) {
      sizes = job_sizes(jobs[j], ppn);
      std::erase_if(sizes, [=](const JobSize& s) { return s.nodes > nodes; });
    } else {
      for (const JobDemands::OfSize& s : demands->sizes(j)) sizes.push_back(s.size);
    }
    if (sizes.empty()) continue;
    all->choose(j, 0);
    m.more_is_faster = more_is_faster(sizes);
    m.nest = demands == nullptr || demands->sizes_nest(j);
    m.own_nodes = sizes.front().nodes;
    m.own_limit = sizes.front().limit;
    m.least_nodes = sizes[std::min<std::size_t>(1, sizes.size() - 1)].nodes;
    m.least_limit = sizes.back().limit;
    bound_limits(m);
  }
  return all;
}

void MoldableJobs::choose(JobIndex j, std::size_t i) {
  jobs_[j] = with_size(jobs_[j], moldable_[j].sizes[i]);
  ask_for(j, i);
}

std::size_t MoldableJobs::resize(JobIndex j, std::int32_t nodes) {
  const std::size_t i = find_size(moldable_[j].sizes, nodes);
  take_size(j, i);
  return i;
}

void MoldableJobs::take_size(JobIndex j, std::size_t i) {
  jobs_[j].size = moldable_[j].sizes[i].processes;
  moldable_[j].best = kNotChosen;  // if it waits once more
  ask_for(j, i);
}

/// What it asks for is on a heterogeneous machine.
void MoldableJobs::ask_for(JobIndex j, std::size_t i) {
  Moldable& m = moldable_[j];
  m.asked = static_cast<std::uint32_t>(i);
  m.asked_nodes = m.sizes[i].nodes;
  m.asked_processes = m.sizes[i].processes;
  if (demands_ == nullptr) return;
  const JobDemands::OfSize& asked = demands_->sizes(j)[i];
  demands_->choose_size(j, asked);
  if (jobs_[j].request != kNoRequest) jobs_[j].request = asked.request;
}

/// Jobs whose tasks are spread have as many processes with each.
std::size_t MoldableJobs::size_of(JobIndex j) const {
  const std::vector<JobSize>& sizes = moldable_[j].sizes;
  if (demands_ != nullptr && jobs_[j].request != kNoRequest) {
    const std::vector<JobDemands::OfSize>& of_sizes = demands_->sizes(j);
    const auto is_it = [&](const JobDemands::OfSize& s) { return s.request == jobs_[j].request; };
    if (is_it(of_sizes[moldable_[j].asked])) return moldable_[j].asked;
    for (std::size_t i = 0; i != sizes.size(); ++i)
      if (is_it(of_sizes[i])) return i;
  }
  if (moldable_[j].asked_processes == jobs_[j].size) return moldable_[j].asked;
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
bool MoldableJobs::is_settled(JobIndex j) const {
  const Moldable& m = moldable_[j];
  return as_before_ && m.more_is_faster && m.best == m.asked && m.asked_processes == jobs_[j].size &&
         m.asked_nodes > free_.front().nodes;
}

/// Which of the sizes it is to have from now on.
std::size_t MoldableJobs::choice(const View& view, JobIndex j) const {
  const Moldable& m = moldable_[j];
  const std::size_t had = size_of(j);
  if (only_comes_free_ && m.more_is_faster) return ending_first(m, had, free_);
  const auto asked = [&](std::size_t i) {
    const Duration time = try_(j, i);
    return Ask{j, view.nodes_of(j), time};
  };
  const auto earliest = [&](std::size_t i) { return view.available().earliest(asked(i), view.now()); };
  std::size_t best = had;
  if (rule_ == Molding::kFitsNow) {
    best =
        best_of(j, m.sizes, [&](std::size_t i) { return view.available().fits_now(asked(i)) ? view.now() : kNever; });
  } else if (m.more_is_faster && m.nest && view.available().never_falls()) {
    best = ending_first_by_tries(j, earliest);
  } else {
    best = best_of(j, m.sizes, [&](std::size_t i) { return later(earliest(i), m.sizes[i].limit); });
  }
  try_(j, had);
  return best;
}

void MoldableJobs::choose_for_coming(const View& view, JobIndex j) {
  const std::vector<JobSize>* const all = sizes(j);
  if (rule_ == Molding::kAsked || all == nullptr || all->empty()) return;
  look_at(view);
  try_(j, moldable_[j].best = static_cast<std::uint32_t>(choice(view, j)));
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
    if (is_settled(j)) continue;
    const std::size_t i = choice(view, j);
    moldable_[j].best = static_cast<std::uint32_t>(i);
    if (i == size_of(j)) continue;
    view.set_size(p, i);
    any = true;
  }
  as_before_ = true;  // for all of them
  return any;
}

}  // namespace coslice
