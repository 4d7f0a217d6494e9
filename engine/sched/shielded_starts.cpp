#include "sched/shielded_starts.h"

#include <algorithm>
#include <memory>

#include "sched/resource_book.h"

namespace coslice {

ShieldedStarts::ShieldedStarts(const View& view, const std::vector<Shield>& extra)
    : view_(view), profile_(view.profile()) {
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const Time t = queue.reserved(p);
    if (t != kNever) starts_.push_back({{queue.job(p), t}, later(t, queue.duration(p)), queue.nodes(p)});
  }
  for (const Shield& s : extra) {
    const View::Position p = queue.find(s.job);
    if (p == queue.end() || queue.reserved(p) != kNever || s.start < view.now()) continue;
    const PlannedStart planned{s, later(s.start, queue.duration(p)), queue.nodes(p)};
    if (view.resources() == nullptr) {
      if (profile_.min_free(s.start, planned.end) < planned.nodes) continue;  // another job started in its place
      profile_.reserve(s.start, planned.end, planned.nodes);
    }
    starts_.push_back(planned);
  }
  std::stable_sort(starts_.begin(), starts_.end(),
                   [](const PlannedStart& a, const PlannedStart& b) { return a.shield.start < b.shield.start; });
}

/// Which nodes a start takes counts: the first one beside which, and those before it, there is no room for the job.
std::optional<Shield> ShieldedStarts::first_by_book(View::Position p) const {
  const WaitingQueue& queue = view_.queue();
  const JobIndex job = queue.job(p);
  const Duration d = queue.duration(p);
  const std::unique_ptr<ResourceBook> book = view_.resources()->without_reservations();
  if (!book->has_room_now(job, d)) return {};
  for (const PlannedStart& s : starts_) {
    if (s.shield.start >= later(view_.now(), d)) break;
    const Duration planned = s.end - s.shield.start;
    if (s.shield.job == job || !book->fits_at(s.shield.job, planned, s.shield.start)) continue;
    book->reserve(s.shield.job, planned, s.shield.start);
    if (!book->has_room_now(job, d)) return s.shield;
  }
  return {};
}

// Between now and the end of time, nodes become fewer only where a job starts.
std::optional<Shield> ShieldedStarts::first_delayed(View::Position p) {
  if (view_.resources() != nullptr) return first_by_book(p);
  const WaitingQueue& queue = view_.queue();
  const JobIndex job = queue.job(p);
  const std::int32_t n = queue.nodes(p);
  const Time now = view_.now(), end = later(now, queue.duration(p));
  const auto own =
      std::find_if(starts_.begin(), starts_.end(), [job](const PlannedStart& s) { return s.shield.job == job; });
  if (own != starts_.end()) profile_.release(std::max(own->shield.start, now), own->end, own->nodes);
  std::optional<Shield> found;
  for (const PlannedStart& s : starts_) {
    if (s.shield.start >= end) break;
    if (s.shield.job == job || s.shield.start < now || profile_.free_at(s.shield.start) >= n) continue;
    found = s.shield;
    break;
  }
  if (own != starts_.end()) profile_.reserve(std::max(own->shield.start, now), own->end, own->nodes);
  return found;
}

}  // namespace coslice
