#include "schedule/view.h"

#include <cassert>

#include "jobs/job_sizes.h"
#include "schedule/hosted_view.h"

namespace coslice {

Time ViewQueries::forecast(Position p) const {
  if (reservations_.count + 1 == queue_.size() && queue_.reserved(p) == kNever)  // all others have their slots already
    return later(earliest(p, now_), queue_.duration(p));
  const std::unique_ptr<Availability> alone = without_reservations();
  for (Position q = queue_.first(); q < queue_.end(); q = queue_.next(q)) {
    const Time start = alone->earliest(ask(q), now_);
    if (q == p) return later(start, queue_.duration(q));
    alone->reserve(ask(q), start, ReservationKeeps::kAskedFor);
  }
  return kNever;
}

bool ViewQueries::can_resize(const StartedJob& job, const JobSize& size) const {
  return can_gain(job, size) && available_->room_to_resize(job, size.nodes, host_.expected_end(job, size));
}

bool ViewQueries::can_gain(const StartedJob& job, const JobSize& size) const {
  return size.nodes <= job.node_count || available_->has_more(job, size.nodes, host_.expected_end(job, size));
}

void View::resize(Position p, std::int32_t nodes, Duration duration) {
  ++version_;
  if (resized_waiting_ != nullptr) resized_waiting_->push_back(queue_.job(p));
  const bool had_place = queue_.reserved(p) != kNever;
  unreserve(p);
  queue_.resize(p, nodes, duration);
  if (had_place) reserve(p, earliest(p, now_));
}

StartedJob& View::new_started(Position p) {
  left_queue(queue_.job(p));
  StartedJob& job = started_.add_to(started_.running);
  job.index = queue_.job(p);
  job.node_count = queue_.nodes(p);
  job.start = now_;
  job.believed = queue_.duration(p);
  job.hold = queue_.hold(p);
  job.view = static_cast<HostedView*>(this);
  job.held = 0;
  job.leaves = kNever;
  job.leaves_for = kNoJob;
  job.foreign = job.evictable = false;
  job.corrected = 0;
  job.rate = Rate{};
  job.ppn = 0;
  job.group = nullptr;
  return job;
}

void View::start(Position p, StartReason reason) {
  const Time end = later(now_, queue_.duration(p));
  const bool reserved = queue_.reserved(p) != kNever;
  assert(!reserved || queue_.reserved(p) == now_);
  const std::uint64_t order = reserved ? queue_.reservation_order(p) : ++decisions_;
  if (reserved) --reservations_.count;
  explain([&](DecisionObserver& d) { d.starting(*this, p); });
  StartedJob& job = new_started(p);
  job.expected_end = end;
  job.held = job.node_count;
  available_->start(job, reserved);
  queue_.take(p);
  for (Observer* o : observers_) o->decided(now_, job.index, reason);
  host_.launch(job, order);
}

bool View::start_first(Position p, StartReason reason) {
  if (ceiling() <= 0) return false;
  const Time own = queue_.reserved(p);
  if ((own == kNever || own == now_) && fits_now(p)) {
    start(p, reason);
    return true;
  }
  if (own == kNever && reservations_.count == 0 && shielded_.job == kNoJob) return false;  // it is alone
  bool room = queue_.nodes(p) <= ceiling();
  without_reserved([&] {
    if (room) unshield();
    room = room && available_->fits_now(ask(p));
    if (!room) return;
    if (own != kNever) --reservations_.count;
    queue_.set_reserved(p, kNever, 0);
    start(p, reason);
  });
  return room;
}

void View::withdraw_reservations() {
  for (Position p = queue_.first(); p < queue_.end(); p = queue_.next(p)) {
    const Time t = queue_.reserved(p);
    if (t != kNever) available_->unreserve(ask(p), t);
  }
}

void View::put_reservations_back() {
  std::vector<Position> sequence;
  for (Position p = queue_.first(); p < queue_.end(); p = queue_.next(p))
    if (queue_.reserved(p) != kNever) sequence.push_back(p);
  std::ranges::stable_sort(sequence, {}, [&](Position a) { return queue_.reserved(a); });
  for (const Position p : sequence) {
    const Time t = earliest(p, now_);
    queue_.set_hold(p, available_->reserve(ask(p), t, ReservationKeeps::kAskedFor));
    reservations_.next_due = std::min(reservations_.next_due, t);
    if (t == queue_.reserved(p)) continue;
    reservations_.next_moved = reservations_.next_moved || queue_.reserved(p) == reservations_.next_due;
    reservations_.moved_to_now = reservations_.moved_to_now || t <= now_;
    queue_.set_reserved(p, t, ++decisions_);
    ++version_;
    promise(p, t);
  }
}

void View::reserve(Position p, Time start, ReservationKeeps keeps) {
  const Time old = queue_.reserved(p);
  unshield();
  if (old == kNever) ++reservations_.count;
  reservations_.next_moved = reservations_.next_moved || old == reservations_.next_due;
  queue_.set_hold(p, old == kNever ? available_->reserve(ask(p), start, keeps)
                                   : available_->move(ask(p), old, start, keeps));
  reservations_.next_due = std::min(reservations_.next_due, start);
  queue_.set_reserved(p, start, ++decisions_);
  ++version_;
  promise(p, start);
}

void View::unreserve(Position p) {
  const Time old = queue_.reserved(p);
  if (old == kNever) return;
  available_->unreserve(ask(p), old);
  queue_.set_reserved(p, kNever, 0);
  --reservations_.count;
  reservations_.next_moved = reservations_.next_moved || old == reservations_.next_due;
  ++version_;
  explain([&](DecisionObserver& d) { d.shields(*this, queue_.job(p), old); });
  reservations_.freed_early = true;
}

std::vector<View::Position> View::due() {
  std::vector<Position> due;
  if (reservations_.next_due > now_) return due;
  reservations_.next_due = queue_.find_due(now_, due);
  std::ranges::sort(due, {}, [&](Position a) { return queue_.reservation_order(a); });
  return due;
}

void View::replace_late() {
  reservations_.late = false;
  reservations_.next_due = kNever;
  for (Position p = queue_.first(); p < queue_.end(); p = queue_.next(p)) {
    if (queue_.reserved(p) >= now_) {
      reservations_.next_due = std::min(reservations_.next_due, queue_.reserved(p));
      continue;
    }
    unreserve(p);
    reserve(p, earliest(p, now_));
  }
}

void View::give_back(StartedJob& job, StartedList& list) {
  ++version_;
  if (job.expected_end > now_) reservations_.freed_early = true;
  available_->finish(job);
  job.nodes = NodeRanges{};
  job.leaves = kNever;  // whatever was to come
  started_.remove_from(list, job);
}

void View::start_over(Position p, const std::vector<StartedJob*>& lenders, StartReason reason) {
  unshield();
  without_reserved([&] {
    if (queue_.reserved(p) != kNever) --reservations_.count;
    queue_.set_reserved(p, kNever, 0);
    explain([&](DecisionObserver& d) { d.starting(*this, p); });
    StartedJob& job = new_started(p);
    job.expected_end = later(now_, queue_.duration(p));
    NodeRanges lent;
    for (const StartedJob* lender : lenders) lent = together(lent, host_.lendable(*lender));
    available_->start_over(job, lent);
    queue_.take(p);
    for (Observer* o : observers_) o->decided(now_, job.index, reason);
    host_.launch_over(job, lenders);
  });
}

void View::set_aside(Position p) {
  const JobIndex j = queue_.job(p);
  const Duration planned = queue_.duration(p);
  drop(p);
  host_.set_aside(j, planned);
}

Time View::shield(Position p) {
  if (shielded_.job == queue_.job(p) && !available_->by_count())
    return shielded_.shadow;  // a count is quick to ask again
  unshield();
  shielded_.job = queue_.job(p);
  return shielded_.shadow = available_->shield(ask(p));
}

// With the first number it gets some place, then with the other one its own again, unless a better one has come up.
// What happens in between is not observed; what stays is that its reservation is the last one made, and that a pass is
// asked for at the earliest of these places.
void View::try_ppn_alone(Position p, std::int32_t first, std::int32_t then, TriedPpn& last) {
  if (last.gains == gains() && !promises_heard() && !explained() &&
      counts_.profile().earliest_before(last.nodes, last.duration, now_, reservations_.next_due) == kNever) {
    decisions_ += 2;
    queue_.set_reserved(p, queue_.reserved(p), decisions_);
    reservations_.freed_early = true;
    return;
  }
  const std::uint64_t version = version_, before = counts_.profile().gains();
  const Time place = queue_.reserved(p);
  set_ppn_alone(p, first);
  last.nodes = queue_.nodes(p);
  last.duration = queue_.duration(p);
  set_ppn_alone(p, then);
  if (queue_.reserved(p) == place) {
    version_ = version;
    neutral_gains_ += counts_.profile().gains() - before;
    last.gains = gains();
  }
}

/// Calls f, in which nodes come to be held for a group for other times. Where they are distinguished, the shielded job
/// gets others if the group has those that it was to have.
template <class F>
void View::beside_group(F&& f) {
  const JobIndex shielded = available_->by_count() ? kNoJob : shielded_.job;
  if (shielded != kNoJob) unshield();
  without_reserved(f);
  if (shielded == kNoJob) return;
  if (const Position p = queue_.find(shielded); p != queue_.end()) shield(p);
}

void View::start_group(JobIndex primary, const std::vector<JobIndex>& matched, double gain, Duration time,
                       StartReason reason) {
  SharingHost& host = sharing_host();
  const auto take = [&](JobIndex j) -> StartedJob* {
    const Position p = queue_.find(j);
    if (p == queue_.end()) return find_started(j);
    explain([&](DecisionObserver& d) { d.starting(*this, p); });
    if (queue_.reserved(p) != kNever) --reservations_.count;
    StartedJob& job = new_started(p);
    job.expected_end = now_;
    queue_.take(p);
    return &job;
  };
  beside_group([&] {
    StartedJob* first = take(primary);
    std::vector<StartedJob*> others;
    for (const JobIndex j : matched) others.push_back(take(j));
    if (first->nodes.empty())
      for (Observer* o : observers_) o->decided(now_, primary, reason);
    for (const StartedJob* job : others)
      if (job->nodes.empty())
        for (Observer* o : observers_) o->decided(now_, job->index, reason);
    host.launch_group(*first, others, gain, time);
  });
}

void View::separate(Group& group) {
  SharingHost& host = sharing_host();
  beside_group([&] { host.separate(group); });
}

}  // namespace coslice
