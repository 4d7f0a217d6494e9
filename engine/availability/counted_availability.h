// What is free where one count of nodes over time says it: an availability profile. Which nodes a job gets is decided
// when it starts.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>

#include "availability/availability.h"
#include "availability/profile.h"
#include "jobs/started_jobs.h"

namespace coslice {

// What a walk along the queue has seen just before the starts of reservations: where many jobs alike wait, many of them
// have reservations for the same instants.

/// Upper bounds on the nodes that are free just before a few instants: nodes that are taken leave them true.
class FreeBefore {
 public:
  void clear() { seen_.fill(Seen{}); }

  /// Notes that no more nodes are free just before t than before. `look` is asked for their number where t is not
  /// known.
  template <class F>
  std::int32_t at(Time t, F&& look) {
    Seen& seen = seen_[static_cast<std::uint64_t>(t.time_since_epoch().count()) * 0x9E3779B97F4A7C15U >> 60];
    if (seen.instant != t) seen = {t, look()};
    return seen.free;
  }

  /// Notes that nodes became free in [from, to).
  void gained(Time from, Time to) {
    for (Seen& seen : seen_)
      if (seen.instant > from && seen.instant <= to) seen.instant = kNever;
  }

 private:
  struct Seen {
    Time instant = kNever;
    std::int32_t free = 0;
  };

  std::array<Seen, 16> seen_;
};

// What a walk along the queue has learnt about holes in the profile: a job that needs no fewer nodes for no less time
// than one that was asked before it cannot begin earlier. Without it, each question begins its search at the present.

/// The last few answers to "where is the first hole of n nodes for d?". Each says that no such hole begins before
/// `bound`, and is kept true while nodes are given back later on. Nodes that are taken only make it truer.
class HoleMemo {
 public:
  void clear() { answers_.fill(Answer{}); }

  /// Returns an instant before which no hole of n nodes for d begins.
  Time no_hole_before(std::int32_t n, Duration d, Time now) const {
    Time bound = now;
    for (const Answer& a : answers_)
      if (a.nodes <= n && a.duration <= d) bound = std::max(bound, a.bound);
    return bound;
  }

  /// Notes that no hole of n nodes for d begins before `bound`. Goes over an answer that says less, else the earliest.
  void note(std::int32_t n, Duration d, Time bound) {
    Answer* worst = &answers_[0];
    for (Answer& a : answers_) {
      if (a.nodes >= n && a.duration >= d && a.bound <= bound) {
        worst = &a;
        break;
      }
      if (a.bound < worst->bound) worst = &a;
    }
    *worst = {n, d, bound};
  }

  /// Notes that nodes became free from `from` on. `before` nodes are free just before it: a hole that needs more begins
  /// at `from` or later.
  void gained(Time now, Time from, std::int32_t before) {
    for (Answer& a : answers_) {
      if (a.bound <= now || from - a.bound >= a.duration) continue;
      a.bound = std::min(a.bound, a.nodes > before ? from : std::max(now, from - a.duration));
    }
  }

 private:
  struct Answer {
    std::int32_t nodes = std::numeric_limits<std::int32_t>::max();
    Duration duration{};
    Time bound = Time{Duration::min()};
  };

  std::array<Answer, 4> answers_;
};

class CountedAvailability final : public Availability {
 public:
  CountedAvailability(std::int32_t nodes, Time start) : Availability(start), profile_(nodes, start) {}

  const Profile& profile() const { return profile_; }
  /// Returns whether the waiting job could run from now for so long, beside all reservations but its own, for `own`
  /// (kNever: none).
  bool fits_beside(const Ask& a, Time own, Duration d);

  void advance(Time now) override {
    now_ = now;
    profile_.advance(now);
  }
  bool by_count() const override { return true; }
  /// Takes all nodes in [from, to), whatever jobs hold, until reopen() with the same values gives them back.
  void close(Time from, Time to) {
    ++changes_;
    closures_.insert(std::ranges::upper_bound(closures_, from, {}, &TimeWindow::from), {from, to});
    profile_.overdraw(from, to, profile_.capacity());
  }
  void reopen(Time from, Time to) {
    ++changes_;
    const auto first = std::ranges::lower_bound(closures_, from, {}, &TimeWindow::from);
    closures_.erase(std::find(first, closures_.end(), TimeWindow{from, to}));
    profile_.release(from, to, profile_.capacity());
  }
  /// Notes that the reservation of nodes, by its number, is known.
  void announce(std::int32_t reservation) { announced_.push_back(reservation); }
  bool in_effect(std::int32_t reservation) const override {
    return std::ranges::find(announced_, reservation) != announced_.end();
  }
  bool closes() const override { return !closures_.empty(); }
  bool may_fall(const Ask& a) override {
    if (closures_.empty()) return false;
    const Time t = earliest(a, now_);
    return t == kNever || runs_into_closure(t, a.duration);
  }
  std::uint64_t gains() const override { return profile_.gains(); }
  std::int32_t free_now() const override { return std::min(profile_.free_at(now_), ceiling_); }
  std::int32_t most_free() const override { return free_now(); }
  bool fits_now(const Ask& a) override {
    return a.nodes <= free_now() && (never_falls() || profile_.min_free(now_, later(now_, a.duration)) >= a.nodes);
  }
  bool fits_reserved(const Ask& a) override { return fits_now(a); }
  Position next_passing(const WaitingQueue& queue, Position from, Position stop) override;
  bool only_comes_free(std::vector<FreeFrom>& out) const override;
  Time earliest(const Ask& a, Time after) override { return profile_.earliest(a.nodes, a.duration, after); }
  bool fits_at(const Ask& a, Time t) override { return profile_.min_free(t, later(t, a.duration)) >= a.nodes; }
  Time earlier(const Ask& a, Time old) override {
    return walking_ && search_ != Search::kPlain ? earliest_hole(a, old)
                                                 : profile_.earliest_before(a.nodes, a.duration, now_, old);
  }
  Earlier next_earlier(const WaitingQueue& queue, Position from) override { return first_earlier(*this, queue, from); }
  void begin_walk() override;
  void end_walk() override { walking_ = false; }
  HoldId reserve(const Ask& a, Time t, ReservationKeeps keeps) override;
  void unreserve(const Ask& a, Time t) override {
    ++changes_;
    --reservations_;
    profile_.release(std::max(t, now_), later(t, a.duration), a.nodes);
  }
  HoldId move(const Ask& a, Time old, Time t, ReservationKeeps keeps) override;
  std::unique_ptr<Availability> without_reservations(const StartedJobs& jobs) const override;
  EasyHole hole(const Ask& a) override;
  Time shield(const Ask& a) override {
    hole_ = hole(a);
    shielding_ = true;
    return hole_.shadow;
  }
  void unshield() override { shielding_ = false; }
  std::int32_t spare_beside_shield() const override { return hole_.extra; }
  bool place_group(const GroupAsk& ask, std::vector<JobAllocation>& out) override {
    return Availability::place_group(ask, out) && !runs_into_closure(now_, ask.time);
  }
  void start(StartedJob& job, bool reserved) override;
  bool room_to_hold(const StartedJob& job, Time end) const override {
    return profile_.min_free(std::max(job.expected_end, now_), end) >= job.held;
  }
  bool has_more(const StartedJob& job, std::int32_t nodes, Time /*end*/) override {
    const std::int32_t more = nodes - std::max(job.node_count, job.held);
    return more <= 0 || more <= free_now();
  }
  bool room_to_resize(const StartedJob& job, std::int32_t nodes, Time end) override;
  void hold(const StartedJob& job, Time end) override;
  void finish(StartedJob& job) override {
    ++changes_;
    if (job.expected_end > now_ && job.held > 0) profile_.release(now_, job.expected_end, job.held);
  }
  bool fits_without(const Ask& a, const std::vector<StartedJob*>&, std::int64_t held,
                    std::int64_t allowed) const override {
    return std::min(free_now() + held, allowed) >= a.nodes && !runs_into_closure(now_, a.duration);
  }
  void take_in(const StartedJob&, std::int32_t nodes, Time end) override {
    ++changes_;
    of_others_ += nodes;
    profile_.overdraw(now_, end, nodes);  // nodes may be planned to be away by then
  }
  void let_go(const StartedJob&, std::int32_t nodes, Time end) override {
    ++changes_;
    of_others_ -= nodes;
    profile_.release(now_, end, nodes);
  }
  bool fits_over(const Ask& a, const NodeRanges& lent) const override {
    return std::max(std::min(profile_.free_at(now_) - left_out_, ceiling_), 0) + lent.count() >= a.nodes &&
           !runs_into_closure(now_, a.duration);
  }
  void start_over(StartedJob& job, const NodeRanges&) override {
    ++changes_;
    // A node that is to go with its foreign job counts twice until then: there may seem to be fewer than none.
    job.held = std::clamp(free_now(), 0, job.node_count);
    if (job.held > 0) profile_.reserve(now_, job.expected_end, job.held);
  }

 private:
  /// How a walk looks for holes, in a profile that is ...
  enum class Search : std::uint8_t {
    kPlain,    ///< short: from the present on
    kAnswers,  ///< long, and many jobs need the same: from what was answered to those before
    kRuns,     ///< long, and each job is of its own kind: by bounds on the runs of free nodes
  };

  Time earliest_hole(const Ask& a, Time old);
  bool never_falls() const override { return reservations_ == 0 && closures_.empty(); }
  /// Returns whether all nodes will be closed before so much time has passed since t.
  bool runs_into_closure(Time t, Duration d) const {
    const auto behind = std::ranges::lower_bound(closures_, later(t, d), {}, &TimeWindow::from);
    return std::any_of(std::reverse_iterator(behind), closures_.rend(), [&](const TimeWindow& w) { return w.to > t; });
  }

  Profile profile_;
  std::int32_t of_others_ = 0;  ///< nodes on which jobs of other views are
  std::int32_t left_out_ = 0;   ///< such nodes, of the count of which this is one without reservations
  std::size_t reservations_ = 0;
  std::deque<TimeWindow> closures_;      ///< in order of their beginnings
  std::vector<std::int32_t> announced_;  ///< reservations of nodes, by number
  EasyHole hole_;                        ///< hole that the shielded job leaves
  bool shielding_ = false;
  bool walking_ = false;
  Search search_ = Search::kPlain;
  HoleMemo known_;          ///< in a walk by answers
  FreeBefore free_before_;  ///< likewise
  std::size_t walks_ = 0, asked_ = 0, answered_ = 0;
};

}  // namespace coslice
