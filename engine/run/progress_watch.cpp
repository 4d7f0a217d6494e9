#include "run/progress_watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {

/// After this number of slices without a job's end there must be less work left than before.
constexpr std::int64_t kSlicesWithoutProgress = 4096;
/// For so long nothing may run although jobs wait: a year, or a few intervals if these are longer.
constexpr Duration kPatience = whole_seconds(365 * 86400);
constexpr int kIntervalsOfPatience = 3;

void ProgressWatch::check_starts(std::size_t active, bool busy, bool more) {
  const Time now = clock_.now();
  if (active == 0 || busy) idle_since_ = now;
  const Duration patience = std::max(kPatience, kIntervalsOfPatience * options_.interval);
  if (now - idle_since_ <= patience || more) return;
  const bool one = active == 1;
  throw SimulationError(fmt::format("{} {} to run: for {} no slice has let {} start{}{}", active,
                                    one ? "job never gets" : "jobs never get", human_duration(patience),
                                    one ? "it" : "any of them", why_none_starts(), first_waiting()));
}

/// "; the first is job 4, of class 'long', which needs 3 nodes"; "" if none waits.
std::string ProgressWatch::first_waiting() const {
  std::string text;
  JobIndex first = kNoJob;
  for (std::size_t c = 0; c != classes_.size(); ++c) {
    const WaitingQueue& queue = classes_[c].view.queue();
    if (queue.size() == 0 || queue.job(queue.first()) >= first) continue;
    first = queue.job(queue.first());
    const std::int32_t nodes = queue.nodes(queue.first());
    text = fmt::format("; the first is job {}, of class '{}', which needs {} node{}", jobs_[first].id,
                       options_.classes[c].name, nodes, nodes == 1 ? "" : "s");
  }
  return text;
}

std::string ProgressWatch::why_none_starts() const {
  for (std::size_t c = 0; c != classes_.size(); ++c) {
    const SliceClass& s = options_.classes[c];
    if (!classes_[c].wants_slice() || clock_.typical(c).productive > Duration{0}) continue;
    if (!s.on_demand && s.share <= 0) return fmt::format("; class '{}' has no slices of its own", s.name);
    return fmt::format("; slices of class '{}' last no more than the {} s of overhead at their end", s.name,
                       format_seconds(options_.overhead));
  }
  return "";
}

void ProgressWatch::check_progress(std::size_t done, std::size_t active, const SliceCounts& counts) {
  const std::size_t known = done + active;
  // Between two jobs a long time may pass in which there is nothing to do.
  if (done != last_.done || known != last_.known || active == 0)
    last_ = {done, known, counts.slices, counts.loads, Duration::max()};
  if (counts.slices - last_.slices < kSlicesWithoutProgress) return;
  const Duration work = work_left();
  if (work >= last_.work && counts.loads == last_.loads)
    throw SimulationError(fmt::format("{} jobs never run: none was admitted in {} slices{}", active,
                                      kSlicesWithoutProgress, first_waiting()));
  if (work >= last_.work)
    throw SimulationError(fmt::format(
        "{} jobs make no progress: for {} slices they have only loaded and swapped each other out; slices must be "
        "longer than loading takes (here up to {} s)",
        active, kSlicesWithoutProgress, to_seconds(options_.memory)));
  last_ = {done, known, counts.slices, counts.loads, work};
}

Duration ProgressWatch::work_left() const {
  Duration work{0};
  for (const Lane& c : classes_) {
    for (const StartedJob& job : c.view.started()) work += job.work_left.time_at(Rate{});
    const WaitingQueue& queue = c.view.queue();
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) work += times_.runtime(queue.job(p));
  }
  return work - repeated_;
}

}  // namespace coslice
