// A machine whose nodes differ, where jobs ask for parts of nodes: what is left on each node, of each GPU. As long as
// there are no reservations, what is left now says whether a job fits, because it never becomes less later; beside a
// shielded job, also what it leaves. With reservations, a timeline for each node says it.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "resources/fit_index.h"
#include "resources/node_pool.h"
#include "resources/node_timelines.h"
#include "resources/placement.h"
#include "sched/resource_book.h"

namespace coslice {

class SharedNodeBook : public ResourceBook {
 public:
  SharedNodeBook(const JobDemands& demands, Placement* placement, Time start);
  SharedNodeBook(const SharedNodeBook&) = delete;
  SharedNodeBook& operator=(const SharedNodeBook&) = delete;

  void advance(Time now) override;
  bool fits_now(JobIndex j, Duration d) override;
  std::int32_t most_free() const override { return demands_->layout().node_count(); }
  Time earliest(JobIndex j, Duration d, Time after) override;
  bool fits_at(JobIndex j, Duration d, Time t) override;
  Time earlier(JobIndex j, Duration d, Time old) override;
  void reserve(JobIndex j, Duration d, Time t) override;
  void unreserve(JobIndex j) override;
  bool reserved(JobIndex j) const override { return reserved_.count(j) != 0; }
  Time shield(JobIndex j, Duration d) override;
  void unshield() override;
  void start(StartedJob& job) override;
  void finish(StartedJob& job) override;
  bool room_to_hold(const StartedJob& job, Time end) const override;
  void hold(const StartedJob& job, Time end) override;
  std::unique_ptr<ResourceBook> without_reservations() const override;

 private:
  struct Holding {
    Parts parts;
    std::int32_t unit = -1;
    Time from;
    Time to;
  };
  /// Where a job that fits now would go, as long as nothing changes.
  struct Chosen {
    JobIndex job = kNoJob;
    Time end;
    std::uint64_t stamp = 0;
    std::int32_t unit = -1;
    Parts parts;
  };

  const Request& request(std::int32_t unit) const { return demands_->request_of(demands_->unit(unit)); }
  const NodeSet& nodes(std::int32_t unit) const { return demands_->nodes(demands_->unit(unit)); }
  NodeTimelines& lines();
  bool choose_now(JobIndex j, std::int32_t unit, Time end);
  bool choose_beside_reservations(JobIndex j, std::int32_t unit, Time end);
  const NodePool& window_pool(const NodeSet& fitting, Time from, Time to);
  void apply(std::int32_t unit, const Parts& parts, std::int32_t sign);
  void sync(NodeId n);
  /// What a job must find on its nodes to start there.
  enum class Wants : std::uint8_t {
    kRoom,
    kIdle,  ///< no other job: its placement declined nodes with room
  };
  bool would_fit(std::int32_t unit, NodeId n, Wants wants) const;
  std::vector<NodeId> fits_already(std::int32_t unit, Wants wants);
  std::int32_t free_ends_until_it_fits(const Demand& demand, Wants wants,
                                       std::vector<std::vector<NodeId>>& fits_later);
  Parts shielded_parts(std::int32_t unit, Wants wants, std::vector<NodeId> fits_later);

  FirstFit first_fit_;
  Placement* placement_;
  NodePool pool_;   ///< now
  NodePool both_;   ///< now, and beside the shielded job
  NodePool after_;  ///< when the shielded job starts, without what it takes; without one, as now
  NodePool window_;
  FitIndex fits_now_, fits_both_;
  std::optional<NodeTimelines> lines_;  ///< once it was needed
  std::unordered_map<JobIndex, Holding> started_, reserved_;
  std::set<std::pair<Time, JobIndex>> ends_;  ///< expected ends of started jobs
  Chosen chosen_;
  bool shielding_ = false;
  Time shadow_ = kNever;
  NodeSet shielded_;             ///< nodes of the shielded job
  std::vector<NodeId> touched_;  ///< where after_ and both_ are to become as now
};

}  // namespace coslice
