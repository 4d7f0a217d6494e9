// How many nodes each job holds from now on, kept as long as no job starts, ends or gets another reservation: a search
// asks about hundreds of groups at the same state. Only what lies near enough to matter to a group is looked at: groups
// end soon, and queues are long. Where nodes are distinguished there may be fewer for a job than the numbers say, never
// more: what has no room by them has none.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/view.h"
#include "sharing/group_search.h"

namespace coslice {

class ReservedSteps {
 public:
  /// Returns whether the plan, whose members end this many seconds from now, could start now and leave every
  /// reservation of others where it is, as far as numbers of nodes say.
  bool fits(const View& view, const GroupPlan& plan, const std::vector<double>& ends);

  /// A job's nodes in an interval; `waiting` if it is a reservation.
  struct Rectangle {
    JobIndex job;
    std::int32_t nodes;
    Time from, to;
    bool waiting;
    bool covers(Time t) const { return from <= t && t < to; }
  };
  /// Where nodes are lacking: from that instant on, how many are free and how many are reserved for waiting jobs.
  struct Lack {
    Time from = kNever;
    std::int32_t free = 0, reserved = 0;
  };
  /// Returns the first instant before `until` at which something is reserved and fewer than n nodes are free; kNever if
  /// there is none. Whoever holds n nodes until then, and gives none back there, moves a reservation.
  Lack first_lack(const View& view, std::int32_t n, Time until);
  /// Returns what jobs hold that begins before the `until` of the last question, at least.
  const std::vector<Rectangle>& rectangles() const { return held_; }
  /// Returns a number that changes whenever they, or answers, are made again.
  std::uint64_t made() const { return made_; }

 private:
  /// From that instant on; as changes, by this many.
  struct Step {
    Time from;
    std::int32_t free;
    std::int32_t reserved;  ///< nodes reserved for waiting jobs
    void change_by(const Step& by) {
      free += by.free;
      reserved += by.reserved;
    }
  };
  using Steps = std::vector<Step>;

  void refresh(const View& view, Time until);
  bool gather(const View& view);
  void gather(const StartedJob& job, bool by_count);
  void make_steps();
  void find_lacks();
  static void add(Steps& changes, const Rectangle& r, std::int32_t sign);
  void changes_by(const View& view, const GroupPlan& plan, const std::vector<double>& ends);

  const View* view_ = nullptr;  ///< and its version, of which the steps were made
  std::uint64_t version_ = 0, made_ = 0;
  Time now_{Duration::min()};
  Time horizon_{Duration::min()};  ///< what begins from then on is left out
  std::vector<Rectangle> held_;
  Steps steps_;                      ///< in order of time, as counts; right up to the horizon
  Steps changes_;                    ///< of the plan that is asked about
  std::vector<std::uint32_t> lack_;  ///< by number of nodes: the first step with fewer free ones; empty: not looked for
  bool broken_ = false;              ///< somewhere a reservation has fewer nodes than it needs
};

}  // namespace coslice
