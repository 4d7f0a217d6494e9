// When running jobs will have done what they do now: their work, or the loading of their memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/error.h"
#include "sched/view.h"

namespace coslice {

/// A heap of events. A job has one valid event at most: its version voids all older ones, which stay in the heap.
class EndQueue {
 public:
  struct End {
    Time time;
    std::uint64_t rank;  ///< of addition, of ends of loading behind all others
    StartedJob* job;
    std::uint32_t version;

    bool is_void() const { return version != job->version; }
    /// Whether loading ends, not the job.
    bool load() const { return (rank & kLoads) != 0; }
    bool operator>(const End& o) const { return time != o.time ? time > o.time : rank > o.rank; }
  };

  /// The instant of the first event, valid or void; kNever if there is none.
  Time next_time() const { return heap_.empty() ? kNever : heap_.front().time; }

  /// Replaces the job's event. At one instant ends of jobs come before ends of loading, each in the order of their
  /// addition. Throws SimulationError if t is kNever.
  void add(StartedJob& job, Time t, bool load = false) {
    if (t == kNever)
      throw SimulationError("the schedule reaches beyond the 292 years that can be counted in nanoseconds");
    heap_.push_back({t, added_++ | (load ? kLoads : 0), &job, ++job.version});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
  }

  /// Forgets events that became void before they came up, as far as they are the first.
  void drop_void() {
    while (!heap_.empty() && heap_.front().is_void()) pop();
  }

  /// Takes the first event out. Precondition: there is one.
  End pop() {
    const End first = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    heap_.pop_back();
    return first;
  }

 private:
  static constexpr std::uint64_t kLoads = std::uint64_t{1} << 63;

  std::vector<End> heap_;  ///< earliest first
  std::uint64_t added_ = 0;
};

}  // namespace coslice
