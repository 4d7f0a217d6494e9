// What a view does on a machine whose nodes differ: a book says when and where jobs fit.
#include <algorithm>

#include "sched/resource_book.h"
#include "sched/view.h"

namespace coslice {

void View::use(const JobDemands& demands, ResourceBook* book) {
  demands_ = &demands;
  book_ = book;
  if (book != nullptr) available_ = book;
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

Time View::shield(Position p) {
  if (shielded_.job == queue_.job(p) && !available_->by_count()) return shielded_.shadow;  // a count is quick to ask anew
  unshield();
  shielded_.job = queue_.job(p);
  return shielded_.shadow = available_->shield(ask(p));
}

void View::unshield() {
  if (shielded_.job != kNoJob) available_->unshield();
  shielded_.job = kNoJob;
}

}  // namespace coslice
