#include "sched/view.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "core/error.h"
#include "sched/observer.h"
#include "sched/resource_book.h"
#include "sched/suspended_jobs.h"

namespace coslice {

View::View(const std::vector<Job>& jobs, std::int32_t nodes, Time start, ViewHost& host,
           const std::vector<Observer*>& observers, SharingHost* sharing, const WallClock* clock)
    : jobs_(jobs), host_(host), observers_(observers), sharing_(sharing), clock_(clock), counts_(nodes, start),
      now_(start) {}

View::~View() = default;

void View::advance(Time now) {
  version_ += now != now_;
  now_ = now;
  available_->advance(now);
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
  job.hold = queue_.hold(p);
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
  const bool reserved = queue_.reserved(p) != kNever;
  if (!reserved) {
    order = ++decisions_;
  } else {
    assert(queue_.reserved(p) == now_);
    --reservations_.count;
  }
  explain([&](DecisionObserver& d) { d.starting(*this, p); });
  StartedJob& job = new_started(p);
  job.expected_end = end;
  job.held = job.node_count;
  available_->start(job, reserved);
  queue_.take(p);
  for (Observer* o : observers_) o->decided(now_, job.index, reason);
  host_.launch(job, order);
}

StartedJob& View::admit(Position p) {
  unreserve(p);
  StartedJob& job = new_started(p);
  job.expected_end = now_;
  queue_.take(p);
  return job;
}

void View::drop(Position p) {
  unreserve(p);
  left_queue(queue_.job(p));
  queue_.take(p);
}

void View::refuse(Position p, Rejection why) {
  const JobIndex j = queue_.job(p);
  drop(p);
  host_.refuse(j, why);
}

bool View::start_first(Position p, StartReason reason) {
  if (ceiling() <= 0) return false;
  const Time own = queue_.reserved(p);
  if ((own == kNever || own == now_) && fits_now(p)) {
    start(p, reason);
    return true;
  }
  if (own == kNever && reservations_.count == 0 && shielded_.job == kNoJob) return false;  // it is alone
  withdraw_reservations();
  reservations_.withdrawn = true;
  const bool room = queue_.nodes(p) <= ceiling() && fits_alone(p);
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
  unshield();
  return available_->fits_now(ask(p));
}

StartedJob* View::find_started(JobIndex j) {
  StartedList& all = started_.running;
  const auto found = std::find_if(all.rbegin(), all.rend(), [j](const StartedJob& job) { return job.index == j; });  // most often the last
  return found == all.rend() ? nullptr : &*found;
}

Time View::forecast(Position p) const {
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

bool View::fits_beside(Position p, Duration d) { return counts_.fits_beside(ask(p), queue_.reserved(p), d); }

void View::hold(StartedJob& job, std::int32_t nodes, Time end) {
  ++version_;
  const Time old = std::max(job.expected_end, now_);
  end = std::max(end, now_);
  if (nodes != job.held && available_->by_count()) {
    if (job.held > 0 && old > now_) reservations_.freed_early = true;
    available_->finish(job);
    job.held = nodes;
    job.expected_end = now_;
    if (nodes > 0) hold(job, nodes, end);
    return;
  }
  if (nodes == 0) {  // all that it has is lent
    job.expected_end = end;
    return;
  }
  if (end < old) reservations_.freed_early = true;
  const bool room = reservations_.withdrawn || end <= old || available_->room_to_hold(job, end);
  if (!room) withdraw_reservations();
  if (end != old) available_->hold(job, end);
  job.expected_end = end;
  if (!room) put_reservations_back();
}

void View::release_foreign(const StartedJob& job, std::int32_t nodes, Time end) {
  available_->let_go(job, nodes, end);
  reservations_.freed_early = reservations_.freed_early || end > now_;
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
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](Position a, Position b) { return queue_.reserved(a) < queue_.reserved(b); });
  for (const Position p : sequence) {
    const Time t = earliest(p, now_);
    queue_.set_hold(p, available_->reserve(ask(p), t, ReservationKeeps::kAskedFor));
    reservations_.next_due = std::min(reservations_.next_due, t);
    if (t == queue_.reserved(p)) continue;
    queue_.set_reserved(p, t, ++decisions_);
    ++version_;
    promise(p, t);
  }
}

void View::reserve(Position p, Time start, ReservationKeeps keeps) {
  const Time old = queue_.reserved(p);
  unshield();
  if (old == kNever) ++reservations_.count;
  queue_.set_hold(p, old == kNever ? available_->reserve(ask(p), start, keeps) : available_->move(ask(p), old, start, keeps));
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
  available_->unreserve(ask(p), old);
  queue_.set_reserved(p, kNever, 0);
  --reservations_.count;
  ++version_;
  explain([&](DecisionObserver& d) { d.shields(*this, queue_.job(p), old); });
  reservations_.freed_early = true;
}

bool View::fits_now(Position p) const {
  return queue_.reserved(p) == now_ ? available_->fits_reserved(ask(p)) : available_->fits_now(ask(p));
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
  unshield();
  if (starts_took_effect && reservations_.next_due <= now_) {
    for (const Position p : due()) {
      reservations_.late = true;
      if (queue_.nodes(p) > ceiling()) continue;
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
  available_->take_down(down);
  hold(down, 1, until);
  return down;
}

void View::bring_back(StartedJob& down) { give_back(down, started_.down); }

void View::finish(StartedJob& job) { give_back(job, started_.running); }

void View::give_back(StartedJob& job, StartedList& list) {
  ++version_;
  if (job.expected_end > now_) reservations_.freed_early = true;
  available_->finish(job);
  job.nodes = NodeRanges{};
  job.leaves = kNever;  // whatever was to come
  started_.remove_from(list, job);
}

void ViewHost::stop(StartedJob&, const StopOrder&) {
  throw SimulationError("running jobs cannot be stopped in groups on shared nodes, on shared processors and by coscheduling");
}

NodeRanges ViewHost::lendable(const StartedJob&) const {
  throw SimulationError("jobs cannot be suspended in place under time slices, on shared processors and by coscheduling");
}

void ViewHost::launch_over(StartedJob& job, const std::vector<StartedJob*>&) { lendable(job); }

void ViewHost::set_aside(JobIndex, Duration) {
  throw SimulationError("jobs cannot be set aside under time slices, on shared processors and by coscheduling");
}

void ViewHost::release(JobIndex) {}

std::optional<Duration> ViewHost::take_slice(JobIndex, std::int32_t, std::int32_t) {
  throw SimulationError("GPUs cannot be divided under time slices, on shared processors and by coscheduling");
}

void ViewHost::refuse(JobIndex, Rejection) {
  throw SimulationError("waiting jobs cannot be refused on shared processors and by coscheduling");
}

// Starts on nodes that suspended jobs lend, and jobs that are set aside.

void View::start_over(Position p, const std::vector<StartedJob*>& lenders, StartReason reason) {
  unshield();
  withdraw_reservations();
  reservations_.withdrawn = true;
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
  reservations_.withdrawn = false;
  put_reservations_back();
}

void View::set_aside(Position p) {
  const JobIndex j = queue_.job(p);
  const Duration planned = queue_.duration(p);
  drop(p);
  host_.set_aside(j, planned);
}

void View::keep_lent(StartedJob& job, const NodeRanges& nodes) {
  if (available_->by_count()) return hold(job, job.held + nodes.count(), job.expected_end);
  ++version_;
  withdraw_reservations();
  book_->keep_lent(job, nodes);
  job.held += nodes.count();
  put_reservations_back();
}

// What a view does on a machine whose nodes differ: a book says when and where jobs fit.

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

// What a view does where jobs share nodes in groups.

SharingHost& View::sharing_host() const {
  if (sharing_ == nullptr) throw SimulationError("jobs can share nodes only where the policy says how (sharing)");
  return *sharing_;
}

void View::set_ppn_alone(Position p, std::int32_t ppn) {
  if (sharing_ == nullptr)
    throw SimulationError("processes per node are the policy's only where it says how nodes are shared (sharing)");
  sharing_->set_ppn_alone(*this, p, ppn);
}

// With the first number it gets some place, then with the other one its own again, unless a better one has come up. What
// happens in between is not observed; what stays is that its reservation is the last one made, and that a pass is asked for at
// the earliest of these places.
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

void View::start_group(JobIndex primary, const std::vector<JobIndex>& matched, double gain, StartReason reason) {
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
  withdraw_reservations();
  reservations_.withdrawn = true;
  StartedJob* first = take(primary);
  std::vector<StartedJob*> others;
  for (const JobIndex j : matched) others.push_back(take(j));
  if (first->nodes.empty())
    for (Observer* o : observers_) o->decided(now_, primary, reason);
  for (const StartedJob* job : others)
    if (job->nodes.empty())
      for (Observer* o : observers_) o->decided(now_, job->index, reason);
  host.launch_group(*first, others, gain);
  reservations_.withdrawn = false;
  put_reservations_back();
}

void View::separate(Group& group) {
  SharingHost& host = sharing_host();
  withdraw_reservations();
  reservations_.withdrawn = true;
  try {
    host.separate(group);
  } catch (...) {  // a policy may go on after that
    reservations_.withdrawn = false;
    put_reservations_back();
    throw;
  }
  reservations_.withdrawn = false;
  put_reservations_back();
}

}  // namespace coslice
