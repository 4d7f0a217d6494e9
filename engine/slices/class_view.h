// A class of jobs with its view: a machine of its own, whose clock runs only while the class's slices are productive.
#pragma once

#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "sched/scheduler.h"
#include "sched/shared_node_book.h"
#include "sched/view.h"
#include "slices/slices.h"

namespace coslice {

class ClassClock final : public WallClock {
 public:
  ClassClock(const SliceClock& slices, std::size_t job_class) : slices_(slices), class_(job_class) {}
  Time now() const override { return slices_.now(); }
  Time after(Duration productive) const override { return slices_.after(class_, productive); }

 private:
  const SliceClock& slices_;
  std::size_t class_;
};

struct ClassView {
  ClassView(const std::vector<Job>& jobs, std::int32_t nodes, ViewHost& host, const std::vector<Observer*>& observers,
            SharingHost* sharing, const ClassClock& clock_of_class, Scheduler& scheduler_of_class)
      : clock(clock_of_class), view(jobs, nodes, Time{}, host, observers, sharing, &clock),
        scheduler(scheduler_of_class) {}

  /// Nodes differ: what fits is said by a book of the class's own.
  void use(std::unique_ptr<SharedNodeBook> book_of_class) {
    book = std::move(book_of_class);
    view.use(book->demands(), book.get());
  }
  /// At most so many nodes can be had now; where nodes differ, none or any.
  void set_ceiling(std::int32_t nodes) {
    view.set_ceiling(book && nodes != 0 ? std::numeric_limits<std::int32_t>::max() : nodes);
  }

  /// Whether the class has jobs to run.
  bool wants_slice() const { return !view.queue().empty() || !view.started().empty(); }

  ClassClock clock;
  std::unique_ptr<SharedNodeBook> book;  ///< null where nodes are equal
  View view;
  Scheduler& scheduler;
  bool submitted = false;    ///< jobs, since its last pass
  bool ended = false;        ///< one of its jobs, since its last pass
  bool reopened = false;     ///< a slice of its own began
  bool woken = false;        ///< it asked for a pass now
  std::int32_t ceiling = 0;  ///< at its last pass
};

using ClassViews = std::deque<ClassView>;  ///< addresses are stable

}  // namespace coslice
