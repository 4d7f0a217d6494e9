// How many nodes each job holds from now on, kept as long as no job starts, ends or gets another reservation: a search
// asks about hundreds of groups at the same state.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/view.h"
#include "sharing/group_search.h"

namespace coslice {

class ReservedSteps {
 public:
  /// Whether the plan, whose members end this many seconds from now, could start now and leave every reservation of
  /// others where it is.
  bool fits(const View& view, const GroupPlan& plan, const std::vector<double>& ends);

 private:
  /// A job's nodes in an interval; `waiting` if it is a reservation.
  struct Rectangle {
    JobIndex job;
    std::int32_t nodes;
    Time from, to;
    bool waiting;
    bool operator==(const Rectangle& o) const {
      return job == o.job && nodes == o.nodes && from == o.from && to == o.to && waiting == o.waiting;
    }
  };
  /// From that instant on; as changes, by this many.
  struct Step {
    Time from;
    std::int32_t free;
    std::int32_t reserved;  ///< nodes reserved for waiting jobs
  };
  using Steps = std::vector<Step>;

  void refresh(const View& view);
  void gather(const View& view);
  static void add(Steps& changes, const Rectangle& r, std::int32_t sign);
  Steps changes_by(const View& view, const GroupPlan& plan, const std::vector<double>& ends) const;

  std::vector<Rectangle> held_;     ///< what the steps were made of
  std::vector<Rectangle> current_;  ///< what is held now, to be compared
  Steps steps_;                     ///< in order of time, as counts
  Time made_{Duration::min()};
  bool broken_ = false;  ///< somewhere a reservation has fewer nodes than it needs
};

}  // namespace coslice
