// Which of the admissible nodes a job gets. (Esbaugh 2010, Section 3.4 and Chapter 4.)
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "availability/occupancy.h"
#include "jobs/job_demands.h"
#include "machine/node_pool.h"
#include "machine/node_set.h"
#include "machine/start_directive.h"
#include "schedule/hosted_view.h"
#include "slices/slices.h"

namespace coslice {

// Which jobs are allocated to which node, running or preempted. Allocation is not occupation: a preempted job keeps its
// nodes, and jobs of several classes share them over time.

class NodeAllocations {
 public:
  NodeAllocations(std::int32_t nodes, std::size_t classes);

  /// Allocates the job's nodes to it. `need` is the memory that the job needs on each node, as transfer time.
  void add(StartedJob& job, std::size_t job_class, Duration need);
  void remove(StartedJob& job, std::size_t job_class, Duration need);

  /// Keeps nodes, to which no job of the class is allocated, for one of it that is to get them.
  void keep(std::size_t job_class, const NodeRanges& nodes);
  /// Keeps them no longer for this job.
  void give_back(const StartedJob& job, std::size_t job_class, const NodeRanges& nodes);

  /// Returns the nodes to which no job of the class is allocated, and which are kept for none.
  const NodeSet& without(std::size_t job_class) const { return without_[job_class]; }
  /// Returns the number of jobs of other classes than that of the view that are allocated to the node.
  std::int32_t foreign(NodeId node, const View& view) const;
  /// Returns the memory that all jobs allocated to the node need together.
  Duration needed(NodeId node) const { return needed_[static_cast<std::size_t>(node)]; }
  /// Returns all jobs allocated to the node, in order of allocation.
  const Occupancy::Jobs& jobs(NodeId node) const { return allocated_.jobs(node); }
  const Occupancy& allocated() const { return allocated_; }

 private:
  void note_left(NodeId node, const View& view, std::size_t job_class);

  /// By class: see without(); those that are kept.
  std::vector<NodeSet> without_, kept_;
  std::vector<Duration> needed_;
  Occupancy allocated_;
};

/// What a choice is made from.
struct NodeQuestion {
  const View* view = nullptr;  ///< the job's
  JobIndex job = kNoJob;
  std::int32_t count = 0;               ///< nodes that the job needs
  const NodeSet* admissible = nullptr;  ///< at least `count` of them
  Duration need{0};                     ///< memory that the job needs on each, as transfer time
};

/// Estimated completion of a started job.
using CompletionEstimate = std::function<Time(StartedJob&)>;

/// Chooses nodes as the options say.
NodeRanges choose_nodes(const NodeQuestion& question, const SliceOptions& options, const NodeAllocations& allocations,
                        const CompletionEstimate& completion);

// On a heterogeneous machine: what the jobs that run or load, of all classes, leave of each node.

class RunningRoom {
 public:
  /// Makes the room of an empty machine. `demands` outlive it.
  explicit RunningRoom(const JobDemands& demands) : demands_(demands), pool_(demands.layout()), fitting_(pool_) {}
  RunningRoom(const RunningRoom&) = delete;
  RunningRoom& operator=(const RunningRoom&) = delete;

  void enter(const StartedJob& job) { pool_.take(request(job.unit), job.parts); }
  void leave(const StartedJob& job) { pool_.give(request(job.unit), job.parts); }

  const NodePool& pool() const { return pool_; }
  const Request& request(std::int32_t unit) const { return demands_.request_of(demands_.unit(unit)); }
  /// Returns those of the unit's nodes on which its request fits now.
  const NodeSet& fitting(std::int32_t unit) {
    return fitting_.fitting(unit, request(unit), demands_.nodes(demands_.unit(unit)));
  }
  /// Returns whether there is room for this part of the job's.
  bool has(const StartedJob& job, const NodePart& part) const {
    return fits_on(request(job.unit), pool_.room(part.node), part);
  }
  /// Returns whether the job, which does not run, could run on these parts.
  bool has(const StartedJob& job, const Parts& parts) const {
    return pool_.has_licences(request(job.unit)) &&
           std::ranges::all_of(parts, [&](const NodePart& part) { return has(job, part); });
  }
  /// Returns whether the job, for which its class has these parts, could run there: jobs of its class that share cores
  /// may have come since by the rules of their own partitions.
  bool has_reserved(const StartedJob& job, const Parts& parts) const {
    return pool_.has_licences(request(job.unit)) && std::ranges::all_of(parts, [&](const NodePart& part) {
             return has_room_on(request(job.unit), pool_.room(part.node), part);
           });
  }
  /// Returns whether the job could go on where it was.
  bool has(const StartedJob& job) const { return has(job, job.parts); }

 private:
  const JobDemands& demands_;
  NodePool pool_;
  FitIndex fitting_;
};

// Foreign jobs that are not stopped for jobs of the slice's class: the view of that class holds their nodes.

class ForeignHolds {
 public:
  /// Lets the view hold nodes for the job until `until`, in its own time.
  void add(HostedView& view, const StartedJob& job, std::int32_t nodes, Time until) {
    view.hold_foreign(job, nodes, until);
    holds_.push_back({&job, &view, nodes, until});
  }
  /// Releases what is held for the job, which stopped or ended. Nothing happens if no view holds nodes for it.
  void remove(const StartedJob& job) {
    const auto hold = std::ranges::find_if(holds_, [&](const Hold& h) { return h.job == &job; });
    if (hold == holds_.end()) return;
    hold->view->release_foreign(job, hold->nodes, hold->until);
    holds_.erase(hold);
  }
  /// Releases all that is held: the slice is over.
  void clear() {
    while (!holds_.empty()) remove(*holds_.back().job);
  }
  std::size_t size() const { return holds_.size(); }

 private:
  struct Hold {
    const StartedJob* job;
    HostedView* view;
    std::int32_t nodes;
    Time until;
  };
  std::vector<Hold> holds_;
};

/// On a heterogeneous machine: chooses the nodes of a job that starts in its class's slice, while jobs of other classes
/// run there that make way for it. Its ledger does not hold theirs; they should have to stop only where it finds no
/// place beside them.
class MakingWay : public StartChoice {
 public:
  /// The jobs that make way just now for one of the class, the first to do so first.
  using Guests = std::function<std::vector<StartedJob*>()>;
  /// Makes the choice. All references outlive it.
  MakingWay(const RunningRoom& room, Guests guests)
      : room_(room), guests_(std::move(guests)), beside_(room.pool()), offered_(room.pool()) {}

  /// Offers the placement what is free beside all of them, then beside all but the first, and so on. What it is shown
  /// is marked by who runs there, too: scores may depend on that, and the job's ledger has only jobs of its class.
  bool choose_by(Placement& placement, std::uint32_t job, const Request& request, const NodePool& pool,
                 const NodeSet& fitting, Parts& out) override;

 private:
  void look(NodeId n, const Request& request, const NodePool& pool, NodeSet& free);

  const RunningRoom& room_;
  Guests guests_;
  NodePool beside_;   ///< what is left beside those that are not gone yet
  NodePool offered_;  ///< of that, what is left for as long as the job is to run
};

}  // namespace coslice
