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

/// The largest size with at most so many nodes, from `least` on, which has no more. The sizes ascend from there.
std::size_t last_within(const std::vector<JobSize>& sizes, std::size_t least, std::int32_t nodes) {
  const auto begin = sizes.begin() + static_cast<std::ptrdiff_t>(least);
  const auto fits = [=](const JobSize& s) { return s.nodes <= nodes; };
  return static_cast<std::size_t>(std::partition_point(begin, sizes.end(), fits) - sizes.begin()) - 1;
}

/// The smallest size that is as fast as the i-th, behind the first.
std::size_t first_as_fast(const std::vector<JobSize>& sizes, std::size_t i) {
  if (i == 1 || sizes[i - 1].limit > sizes[i].limit) return i;
  const auto is_slower = [&](const JobSize& s) { return s.limit > sizes[i].limit; };
  const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(i);
  return static_cast<std::size_t>(std::partition_point(sizes.begin() + 1, end, is_slower) - sizes.begin());
}

/// The first of these instants from which on so many nodes are free, or the end.
auto first_with(const std::vector<FreeFrom>& free, std::int32_t nodes) {
  constexpr std::ptrdiff_t kShort = 16;  // a walk along so few is faster than halving
  const auto too_few = [=](const FreeFrom& f) { return f.nodes < nodes; };
  return std::ssize(free) <= kShort ? std::ranges::find_if_not(free, too_few)
                                    : std::ranges::partition_point(free, too_few);
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

/// The last of the sizes behind the first that may have at most so many nodes. Precondition: more is faster, and the
/// least of them has at most so many.
std::size_t MoldableJobs::last_with(const Moldable& m, std::int32_t nodes) {
  const auto numbers = static_cast<std::size_t>(nodes - m.least_nodes) + 1;
  return std::min(m.sizes.size() - 1, numbers - static_cast<std::size_t>(m.own_between && nodes >= m.own_nodes));
}

/// Where more is faster and nodes only come free: of the sizes that fit from an instant on, the largest ends first. So
/// it is enough to look at the instants at which another one fits. Where none ever fits, the job keeps the size that it
/// had. What fits now and does not start ends later at each pass: of such a size it is found out how much later it may
/// end than now and still be the first.
std::size_t MoldableJobs::ending_first(JobIndex j, std::size_t had) {
  constexpr std::int64_t kReserve = 8;  // 2 to 16 are as fast
  const Moldable& m = read(j);
  const std::vector<JobSize>& sizes = m.sizes;
  const auto own = first_with(free_, m.own_nodes);
  std::size_t best = own == free_.end() ? had : 0;
  std::int32_t nodes = own == free_.end() ? sizes[had].nodes : m.own_nodes;
  Time at = own == free_.end() ? kNever : own->at, end = own == free_.end() ? kNever : later(at, m.own_limit);
  const auto reach_of_choice = [&] { return at == free_.front().at ? later(end, (end - at) / kReserve) : end; };
  Time reach = reach_of_choice(), others = kNever;
  std::size_t seen = 0;
  auto f = sizes.size() == 1 ? free_.end() : first_with(free_, m.least_nodes);
  for (; f != free_.end() && later(f->at, m.least_limit) <= reach; ++f) {
    const std::size_t at_most = last_with(m, f->nodes);
    if (later(f->at, least_limit_up_to(m, at_most)) > reach) continue;  // without a look at the list
    const std::size_t largest = m.consecutive ? at_most : last_within(sizes, std::max<std::size_t>(seen, 1), f->nodes);
    if (largest == seen) continue;
    seen = largest;
    const std::size_t i = first_as_fast(sizes, largest);
    const Time ends = later(f->at, sizes[i].limit);
    const bool first = ends < end || (ends == end && sizes[i].nodes < nodes);
    others = std::min(others, first ? end : ends);
    if (!first) continue;
    best = i;
    nodes = sizes[i].nodes;
    at = f->at;
    end = ends;
    reach = reach_of_choice();
  }
  fits_from_[j] = at == kNever ? kNotChosen : at;
  chosen_[j] = {at == kNever ? Duration{} : end - at, std::min(others, reach), nodes};
  return best;
}

/// The same where an instant at which a size fits is found by a question about that size: between two sizes that fit
/// from the same instant on all do. Where none fits, the job keeps the size that it had.
std::size_t MoldableJobs::ending_first_by_tries(JobIndex j, const std::function<Time(std::size_t)>& earliest) const {
  const std::vector<JobSize>& sizes = read(j).sizes;
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
  std::unique_ptr<MoldableJobs> all(new MoldableJobs(jobs, rule, nodes, ppn, demands));
  all->moldable_.resize(jobs.size());
  all->chosen_.resize(jobs.size());
  all->fits_from_.resize(jobs.size(), kNever);
  for (JobIndex j = 0; j != jobs.size(); ++j) {
    if (!is_moldable(jobs[j])) continue;
    Moldable& m = all->moldable_[j];
    m.own = {0, jobs[j].size, jobs[j].runtime, jobs[j].limit};
    std::vector<JobSize> sizes;
    if (demands == nullptr) sizes = all->sizes_on_machine(jobs[j], WantedSizes::kExtremes);
    else
      for (const JobDemands::OfSize& s : demands->sizes(j)) sizes.push_back(s.size);
    if (sizes.empty()) continue;
    m.is_one = true;
    all->take(j, 0, sizes.front());
    if (demands == nullptr) continue;
    m.sizes = std::move(sizes);
    m.nest = demands->sizes_nest(j);
    describe(m);
  }
  return all;
}

std::vector<JobSize> MoldableJobs::sizes_on_machine(const Job& job, WantedSizes wanted) const {
  std::vector<JobSize> sizes = job_sizes(job, ppn_, 0, wanted);
  std::erase_if(sizes, [&](const JobSize& s) { return s.nodes > nodes_; });
  return sizes;
}

void MoldableJobs::read_sizes(JobIndex j, Moldable& m) const {
  m.sizes = sizes_on_machine(with_size(jobs_[j], m.own), WantedSizes::kAll);
  describe(m);
}

void MoldableJobs::describe(Moldable& m) {
  const std::vector<JobSize>& sizes = m.sizes;
  m.more_is_faster = more_is_faster(sizes);
  m.own_nodes = sizes.front().nodes;
  m.own_limit = sizes.front().limit;
  m.least_nodes = sizes[std::min<std::size_t>(1, sizes.size() - 1)].nodes;
  m.least_limit = sizes.back().limit;
  m.own_between = m.own_nodes > m.least_nodes && m.own_nodes < sizes.back().nodes;
  m.consecutive = m.more_is_faster && sizes.back().nodes - m.least_nodes + 2 - int{m.own_between} == std::ssize(sizes);
  bound_limits(m);
}

void MoldableJobs::choose(JobIndex j, std::size_t i) { take(j, i, read(j).sizes[i]); }

void MoldableJobs::take(JobIndex j, std::size_t i, const JobSize& size) {
  jobs_[j] = with_size(jobs_[j], size);
  ask_for(j, i);
}

std::size_t MoldableJobs::resize(JobIndex j, std::int32_t nodes) {
  const std::size_t i = find_size(read(j).sizes, nodes);
  take_size(j, i);
  return i;
}

void MoldableJobs::take_size(JobIndex j, std::size_t i) {
  const JobSize& size = read(j).sizes[i];
  jobs_[j].size = size.processes;
  ask_for(j, i);
}

/// What it asks for is on a heterogeneous machine.
void MoldableJobs::ask_for(JobIndex j, std::size_t i) {
  Moldable& m = moldable_[j];
  m.asked = static_cast<std::uint32_t>(i);
  forget_choice(j);
  if (demands_ == nullptr) return;
  const JobDemands::OfSize& asked = demands_->sizes(j)[i];
  demands_->choose_size(j, asked);
  if (jobs_[j].request != kNoRequest) jobs_[j].request = asked.request;
}

/// On slices of GPUs it may ask for something else meanwhile.
std::size_t MoldableJobs::size_of(JobIndex j) const {
  const std::size_t asked = moldable_[j].asked;
  if (demands_ == nullptr || jobs_[j].request == kNoRequest) return asked;
  const std::vector<JobDemands::OfSize>& of_sizes = demands_->sizes(j);
  const auto is_it = [&](const JobDemands::OfSize& s) { return s.request == jobs_[j].request; };
  if (is_it(of_sizes[asked])) return asked;
  const auto own = std::ranges::find_if(of_sizes, is_it);
  return own == of_sizes.end() ? asked : static_cast<std::size_t>(own - of_sizes.begin());
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
  const bool did = all_chose_ && only_comes_free_ && view_ == &view;
  only_comes_free_ = rule_ == Molding::kEndsFirst && demands_ == nullptr && view.available().only_comes_free(free_);
  view_ = &view;
  all_chose_ = false;
  settles_ = did && only_comes_free_;
  if (settles_) compare();
}

/// What is free now beside what was: both only rise, and before the first instant of what is there is only the past.
void MoldableJobs::compare() {
  auto was = before_.rbegin(), is = free_.rbegin();
  alike_from_ = kNever;
  while (was != before_.rend() && is != free_.rend() && was->nodes == is->nodes) {
    alike_from_ = std::max(was->at, is->at);
    if (was->at != is->at) break;
    ++was, ++is;
  }
  rises_.clear();
  auto then = before_.begin();
  for (const FreeFrom& f : free_) {
    if (f.at >= alike_from_) break;
    while (then + 1 != before_.end() && then[1].at <= f.at) ++then;
    if (f.nodes > then->nodes) rises_.push_back(f);
  }
}

/// Whether the waiting job would choose again what it chose last. No size ends earlier than then, unless it fits where
/// more is free. So a choice that fits from the same instant on stays the first. One that fits now, and did not start,
/// ends later than it was to, as do those that fitted before it.
bool MoldableJobs::is_settled(JobIndex j, Time now) {
  if (fits_from_[j] == kNotChosen) return false;
  Choice& c = chosen_[j];
  const Time at = std::max(fits_from_[j], now);
  const Time end = later(at, c.time);
  if (fits_from_[j] < now) {
    if (free_.front().nodes < c.nodes || end >= c.others_end) return false;
  } else if (at < alike_from_) {
    const auto fits = first_with(free_, c.nodes);
    if (fits == free_.end() || fits->at != at) return false;
  }
  const Moldable& m = moldable_[j];
  for (const FreeFrom& f : rises_) {
    if (f.at >= c.others_end && f.at > end) break;
    const Time first = earliest_end(m, f);
    if (first <= end) return false;
    c.others_end = std::min(c.others_end, first);
  }
  fits_from_[j] = at;
  return true;
}

/// No size ends earlier that fits at that instant.
Time MoldableJobs::earliest_end(const Moldable& m, const FreeFrom& free) {
  const Time own = free.nodes >= m.own_nodes ? later(free.at, m.own_limit) : kNever;
  if (m.sizes.size() == 1 || free.nodes < m.least_nodes) return own;
  return std::min(own, later(free.at, least_limit_up_to(m, last_with(m, free.nodes))));
}

/// Which of the sizes it is to have from now on.
std::size_t MoldableJobs::choice(const View& view, JobIndex j) {
  const Moldable& m = read(j);
  const std::size_t had = size_of(j);
  if (only_comes_free_ && m.more_is_faster) return ending_first(j, had);
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
  try_(j, choice(view, j));
}

/// Who may choose another size than it has: at most passes few of many that wait.
void MoldableJobs::find_unsettled(const View& view) {
  const WaitingQueue& queue = view.queue();
  const Time stays_from = settles_ && rises_.empty() ? std::max(alike_from_, view.now()) : kNever;
  unsettled_.resize(queue.end() - queue.first());
  auto found = unsettled_.begin();
  for (View::Position p = queue.first(); p < queue.end(); ++p) {  // without a branch, which would be guessed wrong
    *found = p;
    found += static_cast<std::ptrdiff_t>(fits_from_[queue.job(p)] < stays_from);
  }
  unsettled_.erase(found, unsettled_.end());
}

bool MoldableJobs::choose_for_waiting(View& view) {
  if (rule_ == Molding::kAsked) return false;
  look_at(view);
  find_unsettled(view);
  bool any = false;
  const WaitingQueue& queue = view.queue();
  for (const View::Position p : unsettled_) {
    if (!queue.live(p) || queue.reserved(p) != kNever) continue;
    const JobIndex j = queue.job(p);
    if ((settles_ && is_settled(j, view.now())) || sizes(j) == nullptr) continue;
    if (demands_ != nullptr && demands_->on_gpu_instance(j)) continue;
    const std::size_t i = choice(view, j);
    if (i == size_of(j)) continue;
    const Time from = fits_from_[j];
    view.set_size(p, i);
    fits_from_[j] = from;
    any = true;
  }
  all_chose_ = true;
  return any;
}

}  // namespace coslice
