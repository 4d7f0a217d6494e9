#include "schedule/shielded_starts.h"

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
    if (view.available().by_count()) {
      if (profile_.min_free(s.start, planned.end) < planned.nodes) continue;  // another job started in its place
      profile_.reserve(s.start, planned.end, planned.nodes);
    }
    starts_.push_back(planned);
  }
  std::ranges::stable_sort(
      starts_, [](const PlannedStart& a, const PlannedStart& b) { return a.shield.start < b.shield.start; });
}

/// Which nodes a start takes counts: the first one beside which, and those before it, there is no room for the job.
std::optional<Shield> ShieldedStarts::first_by_node(View::Position p) const {
  const Ask ask = view_.ask(p);
  const std::unique_ptr<Availability> alone = view_.without_reservations();
  if (!alone->has_room_now(ask)) return {};
  for (const PlannedStart& s : starts_) {
    if (s.shield.start >= later(view_.now(), ask.duration)) break;
    const Ask other{s.shield.job, s.nodes, s.end - s.shield.start};
    if (s.shield.job == ask.job || !alone->fits_at(other, s.shield.start)) continue;
    alone->reserve(other, s.shield.start, ReservationKeeps::kAskedFor);
    if (!alone->has_room_now(ask)) return s.shield;
  }
  return {};
}

std::optional<Shield> ShieldedStarts::first_within(View::Position p) const {
  const WaitingQueue& queue = view_.queue();
  const Time now = view_.now(), end = later(now, queue.duration(p));
  for (const PlannedStart& s : starts_)
    if (s.shield.start >= now && s.shield.start < end && s.shield.job != queue.job(p)) return s.shield;
  return {};
}

// Between now and the end of time, nodes become fewer only where a job starts.
std::optional<Shield> ShieldedStarts::first_delayed(View::Position p) {
  if (!view_.available().by_count()) return first_by_node(p);
  const WaitingQueue& queue = view_.queue();
  const JobIndex job = queue.job(p);
  const std::int32_t n = queue.nodes(p);
  const Time now = view_.now(), end = later(now, queue.duration(p));
  const auto own = std::ranges::find_if(starts_, [job](const PlannedStart& s) { return s.shield.job == job; });
  if (own != starts_.end()) profile_.release(std::max(own->shield.start, now), own->end, own->nodes);
  const auto found = std::ranges::find_if(starts_, [&](const PlannedStart& s) {
    if (s.shield.start >= end) return true;
    return s.shield.job != job && s.shield.start >= now && profile_.free_at(s.shield.start) < n;
  });
  if (own != starts_.end()) profile_.reserve(std::max(own->shield.start, now), own->end, own->nodes);
  return found == starts_.end() || found->shield.start >= end ? std::nullopt : std::optional(found->shield);
}

}  // namespace coslice
