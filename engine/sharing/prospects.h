// Which waiting jobs a walk along the queue can do nothing for: they can neither start by themselves nor be in a group
// that moves no reservation. The walk is made at each pass, and long queues are full of such jobs; what their searches
// would have come to is counted without making them.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "schedule/view.h"
#include "sharing/group_search.h"
#include "sharing/reserved_steps.h"

namespace coslice {

class Prospects {
 public:
  /// What a policy does with a waiting job, whatever the state of the queue.
  struct Choices {
    bool shares = true;              ///< it may be in a group ...
    bool searches = true;            ///< ... and one is looked for when its turn comes
    std::int32_t ppn = 0, most = 0;  ///< processes per node by itself: as it waits, and as it may start
  };
  /// How a policy looks for groups.
  struct Search {
    enum class Groups : std::uint8_t {
      kNone,   ///< not at all
      kPairs,  ///< two jobs
      kSets,
    };
    Groups groups = Groups::kSets;
    Tolerance tolerance;
    std::size_t primaries = 0;  ///< parallel jobs around which a group of serial ones is looked for
  };

  /// Makes the prospects by a search and reserved steps, which outlive it.
  Prospects(const GroupSearch& search, ReservedSteps& reserved) : search_(search), reserved_(reserved) {}

  void note(JobIndex j, const Choices& choices);
  /// Notes that the job waiting at p has been given this number of processes per node by itself.
  void spread(const View& view, View::Position p, std::int32_t ppn);
  /// Returns the next position from p on whose job may start, alone or in a group; the queue's end if there is none.
  /// The jobs before it are dealt with: their searches are counted, and the number of processes per node with which
  /// they may start has been tried. `head` is in no group. Precondition: no observer listens to groups that are
  /// refused.
  View::Position next(View& view, View::Position p, JobIndex head, const Search& search);

 private:
  /// One more than what counts as few: one of them may be the head.
  static constexpr std::size_t kEnough = SharingCounts::kFewCandidates + 1;
  static constexpr std::size_t kSlots = 64;

  /// Some jobs that the primary tolerates: all of those that have come before `seen`, or enough of them.
  struct Some {
    std::array<JobIndex, kEnough> jobs;
    std::uint32_t count = 0, seen = 0;
  };
  struct Known {
    bool noted = false, has_candidate = false, as_noted = false;
    Choices choices;
    Candidate candidate;
    View::TriedPpn tried;
    Some all, serial;                       ///< as a primary
    std::uint64_t slots = 0, borne_by = 0;  ///< as a serial job: primaries that are known, and that tolerate it
  };

  /// A waiting job, not the head, that gives nodes back at some instant if it is in a group instead.
  struct Giver {
    JobIndex job;
    std::int32_t nodes;
    bool serial;
  };
  struct Givers {
    Time at;
    std::vector<Giver> jobs;
  };

  Known& known(JobIndex j) { return known_[j]; }
  bool is_noted(JobIndex j) const { return j < known_.size() && known_[j].noted; }
  bool may_share(JobIndex j) const { return is_noted(j) && known_[j].choices.shares; }
  const Candidate& candidate(const View& view, JobIndex j);
  bool alone_possible(const View& view, View::Position p);
  bool sharing_possible(View& view, View::Position p);
  bool around(const View& view, JobIndex primary, bool serial, JobIndex must);
  const std::vector<Giver>& givers(const View& view, Time t);
  std::size_t tolerated(const View& view, JobIndex primary, bool serial);
  void forget(JobIndex j);
  void find_primaries(const View& view);
  std::size_t slot_of(const View& view, JobIndex primary);
  void dismiss(View& view, View::Position p);
  void count(View& view, View::Position p);
  std::uint64_t bearing(const View& view, JobIndex serial);

  const GroupSearch& search_;
  ReservedSteps& reserved_;
  Search how_;
  JobIndex head_ = kNoJob;
  std::int32_t idle_ = 0;
  std::vector<Known> known_;  ///< by JobIndex
  // Those around which groups of serial jobs are looked for, as long as arrivals, queue, head and idle nodes are these:
  std::tuple<std::size_t, std::size_t, JobIndex, std::int32_t> primaries_of_{0, 0, kNoJob, -1};
  std::uint64_t primaries_ = 0;  ///< slots
  std::array<JobIndex, kSlots> slot_{};
  std::size_t slots_used_ = 0, next_slot_ = 0;
  // What is known of some instants, as long as the steps, head and idle nodes are these:
  std::vector<Givers> givers_;
  std::tuple<std::uint64_t, JobIndex, std::int32_t> givers_of_{0, kNoJob, -1};
};

}  // namespace coslice
