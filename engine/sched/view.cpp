#include "sched/view.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "core/error.h"
#include "sched/decisions.h"
#include "sched/resource_book.h"

namespace coslice {

View::View(const std::vector<Job>& jobs, std::int32_t nodes, Time start, ViewHost& host,
           const std::vector<Observer*>& observers, SharingHost* sharing, const WallClock* clock)
    : jobs_(jobs), host_(host), observers_(observers), sharing_(sharing), clock_(clock), now_(start),
      profile_(nodes, start) {}

View::~View() = default;

void View::advance(Time now) {
  version_ += now != now_;
  now_ = now;
  if (book_ != nullptr) return book_->advance(now);
  profile_.advance(now);
}

void View::believe(JobIndex j, Duration estimate) {
  if (estimates_.empty()) {
    estimates_.reserve(jobs_.size());
    for (const Job& job : jobs_) estimates_.push_back(job.limit);
  }
  estimates_[j] = estimate;
}

void View::enqueue(JobIndex job, std::int32_t nodes, Duration duration, double key) {
  ++version_;
  if (sharing_ != nullptr) {
    if (arrivals_.waits.size() <= job) arrivals_.waits.resize(jobs_.size());
    arrivals_.waits[job] = 1;
    arrivals_.in_order.push_back(job);
  }
  if (!explained()) return queue_.insert(job, nodes, duration, key);
  queue_.insert(job, nodes, duration, key);
  explain([&](DecisionObserver& d) { d.queued(*this, job); });
}

void View::put_first(JobIndex j) {
  constexpr std::int32_t kFirst = 1'000'000;  // above each tier of a partition
  tiers_.resize(jobs_.size());
  tiers_[j] = std::max(tiers_[j], kFirst);
  queue_.use_tiers(tiers_);
}

void View::resize(Position p, std::int32_t nodes, Duration duration) {
  ++version_;
  const bool had_place = queue_.reserved(p) != kNever;
  unreserve(p);
  queue_.resize(p, nodes, duration);
  if (had_place) reserve(p, earliest(p, now_));
}

void View::left_queue(JobIndex j) {
  ++version_;
  if (j < arrivals_.waits.size()) arrivals_.waits[j] = 0;
}

StartedJob& View::new_started(Position p) {
  left_queue(queue_.job(p));
  StartedJob& job = started_.add_to(started_.running);
  job.index = queue_.job(p);
  job.node_count = queue_.nodes(p);
  job.start = now_;
  job.view = this;
  job.held = 0;
  job.leaves = kNever;
  job.leaves_for = kNoJob;
  job.foreign = job.evictable = false;
  job.rate = Rate{};
  job.ppn = 0;
  job.group = nullptr;
  return job;
}

void View::start(Position p, StartReason reason) {
  const Time end = later(now_, queue_.duration(p));
  std::uint64_t order = queue_.reservation_order(p);
  if (queue_.reserved(p) == kNever) {
    if (book_ == nullptr) profile_.reserve(now_, end, queue_.nodes(p));
    order = ++decisions_;
  } else {
    assert(queue_.reserved(p) == now_);
    --reservations_.count;
  }
  explain([&](DecisionObserver& d) { d.starting(*this, p); });
  StartedJob& job = new_started(p);
  job.expected_end = end;
  job.held = job.node_count;
  if (book_ != nullptr) book_->start(job);
  queue_.take(p);
  for (Observer* o : observers_) o->decided(now_, job.index, reason);
  host_.launch(job, order);
}

StartedJob& View::admit(Position p, Duration planned) {
  unreserve(p);
  StartedJob& job = new_started(p);
  job.expected_end = now_;
  queue_.take(p);
  if (book_ == nullptr) {
    hold(job, job.node_count, later(now_, planned));
  } else {  // which nodes these are, the host tells the book
    job.expected_end = later(now_, planned);
    job.held = job.node_count;
  }
  return job;
}

void View::drop(Position p) {
  unreserve(p);
  left_queue(queue_.job(p));
  queue_.take(p);
}

void View::refuse(Position p) {
  const JobIndex j = queue_.job(p);
  drop(p);
  host_.refuse(j);
}

bool View::start_first(Position p, StartReason reason) {
  if (ceiling_ <= 0) return false;
  const Time own = queue_.reserved(p);
  if ((own == kNever || own == now_) && fits_now(p)) {
    start(p, reason);
    return true;
  }
  if (book_ != nullptr && own == kNever && reservations_.count == 0 && shielded_.job == kNoJob)
    return false;  // it is alone
  withdraw_reservations();
  reservations_.withdrawn = true;
  const bool room = queue_.nodes(p) <= ceiling_ && fits_alone(p);
  if (room) {
    if (own != kNever) --reservations_.count;
    queue_.set_reserved(p, kNever, 0);
    start(p, reason);
  }
  reservations_.withdrawn = false;
  put_reservations_back();
  return room;
}

/// Beside what started jobs hold. Precondition: reservations are withdrawn.
bool View::fits_alone(Position p) {
  if (book_ != nullptr) {
    unshield();
    return book_->fits_now(queue_.job(p), queue_.duration(p));
  }
  return profile_.min_free(now_, later(now_, queue_.duration(p))) >= queue_.nodes(p);
}

StartedJob* View::find_started(JobIndex j) {
  for (StartedJob& job : started_.running)
    if (job.index == j) return &job;
  return nullptr;
}

Profile View::started_profile() const {
  Profile profile(profile_.capacity(), now_);
  for (const StartedList* list : {&started_.running, &started_.down})
    for (const StartedJob& job : *list)
      if (job.held > 0) profile.reserve(now_, job.expected_end, job.held);
  return profile;
}

Time View::forecast(Position p) const {
  if (book_ != nullptr) return forecast_by_book(p);
  if (reservations_.count + 1 == queue_.size() &&
      queue_.reserved(p) == kNever) {  // all others have their slots already
    return later(profile_.earliest(queue_.nodes(p), queue_.duration(p), now_), queue_.duration(p));
  }
  Profile profile = started_profile();
  for (Position q = queue_.first(); q < queue_.end(); q = queue_.next(q)) {
    const Time start = profile.earliest(queue_.nodes(q), queue_.duration(q), now_);
    const Time end = later(start, queue_.duration(q));
    if (q == p) return end;
    profile.reserve(start, end, queue_.nodes(q));
  }
  return kNever;
}

bool View::fits_beside(Position p, Duration d) {
  const Time own = queue_.reserved(p);
  const std::int32_t n = queue_.nodes(p);
  const Time own_end = later(own, queue_.duration(p));
  if (own != kNever) profile_.release(std::max(own, now_), own_end, n);
  const bool fits = profile_.min_free(now_, later(now_, d)) >= n;
  if (own != kNever) profile_.reserve(std::max(own, now_), own_end, n);
  return fits;
}

void View::hold(StartedJob& job, std::int32_t nodes, Time end) {
  ++version_;
  if (book_ != nullptr) return hold_by_book(job, end);
  const Time old = std::max(job.expected_end, now_);
  end = std::max(end, now_);
  if (nodes != job.held) {
    if (job.held > 0 && old > now_) {
      profile_.release(now_, old, job.held);
      reservations_.freed_early = true;
    }
    job.held = nodes;
    job.expected_end = now_;
    if (nodes > 0) hold(job, nodes, end);
    return;
  }
  job.expected_end = end;
  if (nodes == 0) return;  // all that it has is lent
  if (end < old) {
    profile_.release(end, old, nodes);
    reservations_.freed_early = true;
  } else if (end > old) {
    const bool room = reservations_.withdrawn || profile_.min_free(old, end) >= nodes;
    if (!room) withdraw_reservations();
    // A job that must load its memory holds its nodes for longer than its scheduler reckoned, also while that scheduler
    // has places in the profile that it only tries out.
    profile_.overdraw(old, end, nodes);
    if (!room) put_reservations_back();
  }
}

void View::hold_foreign(std::int32_t nodes, Time end) {
  if (end > now_) profile_.reserve(now_, end, nodes);
}

void View::release_foreign(std::int32_t nodes, Time end) {
  if (end <= now_) return;
  if (book_ == nullptr) profile_.release(now_, end, nodes);  // else its book has let go of them
  reservations_.freed_early = true;
}

void View::withdraw_reservations() {
  for (Position p = queue_.first(); p < queue_.end(); p = queue_.next(p)) {
    const Time t = queue_.reserved(p);
    if (t == kNever) continue;
    if (book_ != nullptr) book_->unreserve(queue_.job(p));
    else profile_.release(std::max(t, now_), later(t, queue_.duration(p)), queue_.nodes(p));
  }
}

void View::put_reservations_back() {
  std::vector<Position> sequence;
  for (Position p = queue_.first(); p < queue_.end(); p = queue_.next(p))
    if (queue_.reserved(p) != kNever) sequence.push_back(p);
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](Position a, Position b) { return queue_.reserved(a) < queue_.reserved(b); });
  for (const Position p : sequence) {
    const Duration d = queue_.duration(p);
    const Time t = earliest(p, now_);
    if (book_ != nullptr) book_->reserve(queue_.job(p), d, t);
    else profile_.reserve(t, later(t, d), queue_.nodes(p));
    reservations_.next_due = std::min(reservations_.next_due, t);
    if (t == queue_.reserved(p)) continue;
    queue_.set_reserved(p, t, ++decisions_);
    ++version_;
    promise(p, t);
  }
}

void View::reserve(Position p, Time start, ReservationKeeps keeps) {
  const std::int32_t n = queue_.nodes(p);
  const Duration d = queue_.duration(p);
  const Time old = queue_.reserved(p);
  if (old == kNever) ++reservations_.count;
  if (book_ != nullptr) {
    unshield();
    if (old != kNever) book_->unreserve(queue_.job(p));
    book_->reserve(queue_.job(p), d, start, keeps);
  } else if (old != kNever && start < old) {
    profile_.move_up(old, start, d, n);
  } else {
    if (old != kNever) profile_.release(std::max(old, now_), later(old, d), n);
    profile_.reserve(start, later(start, d), n);
  }
  reservations_.next_due = std::min(reservations_.next_due, start);
  queue_.set_reserved(p, start, ++decisions_);
  ++version_;
  promise(p, start);
}

void View::promise(Position p, Time start) {
  for (Observer* o : observers_) o->reserved(now_, queue_.job(p), start);
}

void View::unreserve(Position p) {
  const Time old = queue_.reserved(p);
  if (old == kNever) return;
  if (book_ != nullptr) book_->unreserve(queue_.job(p));
  else profile_.release(std::max(old, now_), later(old, queue_.duration(p)), queue_.nodes(p));
  queue_.set_reserved(p, kNever, 0);
  --reservations_.count;
  ++version_;
  explain([&](DecisionObserver& d) { d.shields(*this, queue_.job(p), old); });
  reservations_.freed_early = true;
}

bool View::fits_now(Position p) const {
  if (book_ != nullptr) {
    if (queue_.reserved(p) == now_) return ceiling_ > 0;
    return book_->fits_now(queue_.job(p), queue_.duration(p));
  }
  const std::int32_t n = queue_.nodes(p);
  if (n > free_now()) return false;
  // Without reservations only running jobs stand in the profile: the count never falls again.
  return reservations_.count == 0 || profile_.min_free(now_, later(now_, queue_.duration(p))) >= n;
}

std::vector<View::Position> View::due() {
  std::vector<Position> due;
  if (reservations_.next_due > now_) return due;
  reservations_.next_due = kNever;
  for (Position p = queue_.first(); p < queue_.end(); p = queue_.next(p)) {
    if (queue_.reserved(p) <= now_) due.push_back(p);
    else reservations_.next_due = std::min(reservations_.next_due, queue_.reserved(p));
  }
  std::sort(due.begin(), due.end(),
            [&](Position a, Position b) { return queue_.reservation_order(a) < queue_.reservation_order(b); });
  return due;
}

void View::before_pass() {
  queue_.compact();
  while (!wakes_.empty() && *wakes_.begin() <= now_) wakes_.erase(wakes_.begin());
  if (reservations_.late || reservations_.next_due < now_)
    replace_late();  // under slices a node that goes may put one into a time between passes
  explain([&](DecisionObserver& d) { d.asked(*this); });
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

void View::after_pass(bool starts_took_effect) {
  if (book_ != nullptr) unshield();
  if (starts_took_effect && reservations_.next_due <= now_) {
    for (const Position p : due()) {
      reservations_.late = true;
      if (queue_.nodes(p) > ceiling_) continue;
      throw SimulationError(fmt::format("at {} s the reservation of job {} came due and the policy did not start it",
                                        format_seconds(now_.time_since_epoch()), job(queue_.job(p)).id));
    }
  }
  const Time next = wakes_.empty() ? reservations_.next_due : std::min(reservations_.next_due, *wakes_.begin());
  if (next != kNever) host_.wake_at(std::max(next, now_));
}

void View::wake_at(Time t) {
  if (t == kNever) return;
  wakes_.insert(std::max(t, now_));
  host_.wake_at(std::max(t, now_));
}

StartedJob& View::take_down(NodeId node, Time until) {
  StartedJob& down = started_.add_to(started_.down);
  down.index = kNoJob - 1 - static_cast<JobIndex>(node);  // no job has that number
  down.node_count = down.held = 1;
  down.expected_end = now_;
  down.view = this;
  down.nodes = NodeRanges{};
  down.nodes.append(node, node);
  if (book_ != nullptr) book_->take_down(down);
  hold(down, 1, until);
  return down;
}

void View::bring_back(StartedJob& down) { give_back(down, started_.down); }

void View::finish(StartedJob& job) { give_back(job, started_.running); }

void View::give_back(StartedJob& job, StartedList& list) {
  ++version_;
  if (job.expected_end > now_) {
    if (book_ == nullptr && job.held > 0) profile_.release(now_, job.expected_end, job.held);
    reservations_.freed_early = true;
  }
  if (book_ != nullptr) book_->finish(job);
  job.nodes = NodeRanges{};
  job.leaves = kNever;  // whatever was to come
  started_.remove_from(list, job);
}

}  // namespace coslice
