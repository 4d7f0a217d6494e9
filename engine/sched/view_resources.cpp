// What a view does on a machine whose nodes differ: a book says when and where jobs fit.
#include <algorithm>

#include "sched/resource_book.h"
#include "sched/view.h"

namespace coslice {

void View::use(const JobDemands& demands, ResourceBook* book) {
  demands_ = &demands;
  book_ = book;
  tiers_ = demands.tiers();
  queue_.use_tiers(tiers_);
}

void View::plan_outage(const NodeRanges& nodes, Time from, Time to) {
  withdraw_reservations();
  book_->plan(nodes, from, to, ResourceBook::kEveryAccess);
  put_reservations_back();
}

void View::forget_outage(const NodeRanges& nodes, Time from, Time to) {
  book_->unplan(nodes, from, to, ResourceBook::kEveryAccess);
}

void View::plan_kept_off(const std::vector<KeptOff>& over, const std::vector<KeptOff>& to_come) {
  ++version_;
  if (!over.empty()) reservations_.freed_early = true;
  if (!to_come.empty()) withdraw_reservations();
  constexpr std::size_t kMany = 32;
  if (!to_come.empty() && over.size() + to_come.size() > kMany) book_->expect_many_plans();
  for (const KeptOff& k : over) book_->unplan(k.nodes, k.from, k.to, k.access);
  for (const KeptOff& k : to_come) book_->plan(k.nodes, k.from, k.to, k.access);
  if (!to_come.empty()) put_reservations_back();
}

void View::announce_reservation(std::int32_t reservation) {
  ++version_;
  withdraw_reservations();
  book_->announce(reservation);
  put_reservations_back();
}

void View::forget_reservation(std::int32_t reservation) { book_->forget(reservation); }

Time View::earliest_by_book(Position p, Time after) const {
  return book_->earliest(queue_.job(p), queue_.duration(p), after);
}

Time View::earlier(Position p) const {
  const Time old = queue_.reserved(p);
  if (book_ == nullptr) return profile_.earliest_before(queue_.nodes(p), queue_.duration(p), now_, old);
  return book_->earlier(queue_.job(p), queue_.duration(p), old);
}

bool View::fits_at(Position p, Time t) const {
  if (book_ != nullptr) return book_->fits_at(queue_.job(p), queue_.duration(p), t);
  return profile_.min_free(t, later(t, queue_.duration(p))) >= queue_.nodes(p);
}

std::int32_t View::idle_by_book() const { return std::min(profile_.capacity() - book_->used_nodes(), ceiling_); }

std::int32_t View::most_by_book() const { return book_->most_free(); }

Time View::shield(Position p) {
  if (shielded_.job == queue_.job(p)) return shielded_.shadow;
  unshield();
  shielded_.job = queue_.job(p);
  return shielded_.shadow = book_->shield(shielded_.job, queue_.duration(p));
}

void View::unshield() {
  if (shielded_.job != kNoJob) book_->unshield();
  shielded_.job = kNoJob;
}

void View::hold_by_book(StartedJob& job, Time end) {
  end = std::max(end, now_);
  const bool room = reservations_.withdrawn || end <= job.expected_end || book_->room_to_hold(job, end);
  if (end < job.expected_end) reservations_.freed_early = true;
  if (!room) withdraw_reservations();
  book_->hold(job, end);
  job.expected_end = end;
  if (!room) put_reservations_back();
}

Time View::forecast_by_book(Position p) const {
  if (reservations_.count + 1 == queue_.size() && queue_.reserved(p) == kNever)
    return later(earliest_by_book(p, now_), queue_.duration(p));
  const std::unique_ptr<ResourceBook> book = book_->without_reservations();
  for (Position q = queue_.first(); q < queue_.end(); q = queue_.next(q)) {
    const Duration d = queue_.duration(q);
    const Time start = book->earliest(queue_.job(q), d, now_);
    if (q == p) return later(start, d);
    book->reserve(queue_.job(q), d, start);
  }
  return kNever;
}

}  // namespace coslice
