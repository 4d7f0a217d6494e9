// What is free of a machine whose nodes differ: the forms of the ledger (availability.h) that tell nodes apart.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sched/availability.h"
#include "sched/job_demands.h"

namespace coslice {

class Occupancy;
class Placement;

/// While a job is shielded, fits_now() and start() let no job delay it.
class ResourceBook : public Availability {
 public:
  const JobDemands& demands() const { return *demands_; }
  std::int32_t free_now() const override { return std::min(demands_->layout().node_count() - used_nodes_, ceiling_); }
  Position next_passing(const WaitingQueue& queue, Position from, Position stop) override;
  Time earliest(const Ask& a, Time after) final;
  bool fits_at(const Ask& a, Time t) final;
  bool fits_without(const Ask& a, const std::vector<StartedJob*>& jobs, std::int64_t allowed) const override;
  void take_in(const StartedJob& job, std::int32_t nodes, Time end) override;
  void let_go(const StartedJob& job, std::int32_t nodes, Time end) override;
  bool would_leave_more() const override { return true; }
  static constexpr std::int32_t kEveryAccess = -1;
  /// Nodes that will not be there in [from, to): no job fits that would be on them then; with an access (into
  /// JobDemands::accesses()) none with that access. Forgotten by unplan() with the same values. Nodes of which that is
  /// planned are told apart from others (JobDemands::tell_apart).
  virtual void plan(const NodeRanges& nodes, Time from, Time to, std::int32_t access) = 0;
  virtual void unplan(const NodeRanges& nodes, Time from, Time to, std::int32_t access) = 0;
  /// Many calls of these two follow. Precondition: no job has a reservation.
  virtual void expect_many_plans() {}
  /// When reservations of nodes keep jobs off is told by plan() and unplan() only, because windows lie elsewhere on the
  /// clock of this book. Before anything is planned.
  void plan_windows();
  /// What a waiting job asks for is something else from now on (JobDemands::choose_size).
  void asks_anew() { ++changes_; }
  /// The reservation of nodes, by its number, is known from now on: no job to which it is closed fits in its windows. Jobs
  /// that are on its nodes stay. Precondition: jobs hold no reservations. Those that are known from the beginning need not
  /// be announced.
  void announce(std::int32_t reservation);
  /// Its last window is over.
  void forget(std::int32_t reservation);
  bool in_effect(std::int32_t reservation) const override { return in_effect_[static_cast<std::size_t>(reservation)]; }
  bool may_fall() const override { return planned_ != 0; }
  /// Whether started jobs can lend their nodes: where each has whole ones.
  virtual bool lends() const { return false; }
  void start_over(StartedJob& job, const NodeRanges& lent) override;
  /// The job that has these lent nodes holds them itself from now on. Precondition: they are idle.
  virtual void keep_lent(StartedJob& job, const NodeRanges& nodes);

 protected:
  ResourceBook(const JobDemands& demands, Time start);
  ResourceBook(const ResourceBook&) = default;

  /// When jobs with that access do not fit on the node.
  TimeWindows closed_times(std::int32_t access, NodeId node) const;
  /// As earliest() and fits_at(), for a unit of a demand.
  virtual Time earliest_in(std::int32_t unit, Duration d, Time after) = 0;
  virtual bool fits_in(std::int32_t unit, Time t, Time end) = 0;
  /// Whether a job that ends then must leave the shielded one what it needs.
  bool beside_shield(Time end) const { return end > shadow_; }
  /// Other reservations of nodes are in effect.
  virtual void reservations_changed() = 0;

  const JobDemands* demands_;
  std::vector<bool> in_effect_;  ///< by reservation of nodes
  std::int32_t used_nodes_ = 0;  ///< by what it holds now, nodes that are not there included
  Time shadow_ = kNever;  ///< when the shielded job can start; kNever: there is none, or it never can
  bool windows_planned_ = false;  ///< plan_windows()
  std::int32_t planned_ = 0;

 private:
  bool counts(std::int32_t reservation) const;
};

/// The book that fits the jobs: one of counts where that is enough. `placement` null: the first nodes on which a job
/// fits. `occupancy` says which nodes are idle. All references outlive it.
std::unique_ptr<ResourceBook> make_resource_book(const JobDemands& demands, Placement* placement,
                                                 const Occupancy& occupancy, Time start);

}  // namespace coslice
