// What is free where one count of nodes over time says it: an availability profile. Which nodes a job gets is decided when
// it starts.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cluster/profile.h"
#include "sched/availability.h"
#include "sched/hole_memo.h"

namespace coslice {

class NodeCount final : public Availability {
 public:
  NodeCount(std::int32_t nodes, Time start) : Availability(start), profile_(nodes, start) {}

  const Profile& profile() const { return profile_; }
  /// Whether the waiting job could run from now for so long, beside all reservations but its own, for `own` (kNever: none).
  bool fits_beside(const Ask& a, Time own, Duration d);

  void advance(Time now) override {
    now_ = now;
    profile_.advance(now);
  }
  bool by_count() const override { return true; }
  std::uint64_t gains() const override { return profile_.gains(); }
  std::int32_t free_now() const override { return std::min(profile_.free_at(now_), ceiling_); }
  std::int32_t most_free() const override { return free_now(); }
  bool fits_now(const Ask& a) override {
    // Without reservations only started jobs are in the profile: the count never falls again.
    return a.nodes <= free_now() && (reservations_ == 0 || profile_.min_free(now_, later(now_, a.duration)) >= a.nodes);
  }
  bool fits_reserved(const Ask& a) override { return fits_now(a); }
  Position next_passing(const WaitingQueue& queue, Position from, Position stop) override;
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
  void unreserve(const Ask& a, Time t) override;
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
  void start(StartedJob& job, bool reserved) override;
  bool room_to_hold(const StartedJob& job, Time end) const override;
  void hold(const StartedJob& job, Time end) override;
  void finish(StartedJob& job) override;
  bool fits_without(const Ask& a, const std::vector<StartedJob*>& jobs, std::int64_t allowed) const override;
  void take_in(const StartedJob& job, std::int32_t nodes, Time end) override;
  void let_go(const StartedJob& job, std::int32_t nodes, Time end) override;
  bool fits_over(const Ask& a, const NodeRanges& lent) const override {
    return profile_.free_at(now_) + lent.count() >= a.nodes;
  }
  void start_over(StartedJob& job, const NodeRanges& lent) override;

 private:
  /// How a walk looks for holes, in a profile that is ...
  enum class Search : std::uint8_t {
    kPlain,    ///< short: from the present on
    kAnswers,  ///< long, and many jobs need the same: from what was answered to those before
    kRuns,     ///< long, and each job is of its own kind: by bounds on the runs of free nodes
  };

  Time earliest_hole(const Ask& a, Time old);

  Profile profile_;
  std::size_t reservations_ = 0;
  EasyHole hole_;  ///< that the shielded job leaves
  bool shielding_ = false;
  bool walking_ = false;
  Search search_ = Search::kPlain;
  HoleMemo known_;          ///< in a walk by answers
  FreeBefore free_before_;  ///< likewise
  std::size_t walks_ = 0, asked_ = 0, answered_ = 0;
};

}  // namespace coslice
