// What each job of a workload asks of a heterogeneous machine, found out once: jobs that ask alike and may use the
// same partitions have one demand.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "jobs/engine_options.h"
#include "jobs/job_sizes.h"
#include "jobs/node_reservation.h"
#include "machine/eligibility.h"
#include "machine/layout.h"
#include "machine/node_set.h"
#include "machine/request_spec.h"

namespace coslice {

/// A request, and nodes of which a job may have those that it asks for.
struct DemandUnit {
  RequestId request = kNoRequest;  ///< into JobDemands
  std::int32_t partition = -1;     ///< into MachineLayout::partitions; -1: the whole machine
  std::int32_t nodes = 0;          ///< which set of nodes, into JobDemands::node_sets()
  /// Of a request of several components: the unit of each of them, into JobDemands::units(). `nodes` are those of all,
  /// `partition` is that of the first one.
  std::vector<std::int32_t> components{};
};

/// The units of a job, the preferred one first; empty: it can never run.
using Demand = std::vector<std::int32_t>;

/// Returns whether what a job with that request has of a node depends on neither its other nodes nor other jobs there.
bool is_alike_on_nodes(const Request& r);

class JobDemands {
 public:
  /// Finds out what each job asks for. All references outlive it. `requests` may be null, and `reservations` where
  /// there are none. `in_groups`: each job has its nodes for itself but for the other jobs of its group. Throws
  /// SimulationError if a job names a request that does not exist.
  JobDemands(const MachineSpec& machine, const std::vector<Job>& jobs, const RequestTable* requests,
             const EngineOptions& options, const NodeReservations* reservations = nullptr, bool in_groups = false);

  /// Finds out what the job asks for, which has been added to those of the run since, and asks for whole nodes.
  void add(const Job& job);

  const MachineLayout& layout() const { return *layout_; }
  const Request& request(JobIndex j) const { return all_[requests_[j]]; }
  /// Stands for a node, and no other job on it, in place of a unit of a job's demand.
  static constexpr std::int32_t kWholeNode = -1;
  const Request& request_of(const DemandUnit& unit) const { return all_[unit.request]; }
  const Request& request_of(std::int32_t unit) const {
    return unit == kWholeNode ? node_ : request_of(this->unit(unit));
  }
  const Demand& demand(JobIndex j) const { return demands_[static_cast<std::size_t>(demand_of_[j])]; }
  const std::vector<Demand>& demands() const { return demands_; }
  /// Returns the number of the job's demand, into demands().
  std::int32_t demand_number(JobIndex j) const { return demand_of_[j]; }
  const std::vector<DemandUnit>& units() const { return units_; }
  const DemandUnit& unit(std::int32_t u) const { return units_[static_cast<std::size_t>(u)]; }
  /// Returns whether the unit may have nodes of that kind.
  bool may_have(const DemandUnit& unit, const NodeKind& kind) const { return nodes(unit).intersects(kind.nodes()); }
  const NodeSet& nodes(const DemandUnit& unit) const { return node_sets_[static_cast<std::size_t>(unit.nodes)]; }
  const std::vector<NodeSet>& node_sets() const { return node_sets_; }
  /// Returns, by set of nodes, how its jobs stand to reservations: into accesses().
  const std::vector<std::int32_t>& access_of_sets() const { return access_of_sets_; }
  std::int32_t access(std::int32_t unit) const {
    return unit == kWholeNode ? 0 : access_of_sets_[static_cast<std::size_t>(this->unit(unit).nodes)];
  }
  /// Returns the accesses that jobs have to reservations of nodes; the first one is that of jobs to which all are
  /// closed.
  const std::vector<NodeAccess>& accesses() const { return accesses_; }
  /// Returns whether some job has that access, by its number.
  bool is_used(std::size_t access) const {
    return std::ranges::find(access_of_sets_, static_cast<std::int32_t>(access)) != access_of_sets_.end();
  }
  const NodeReservations& reservations() const { return *reservations_; }
  /// Returns the reservation of nodes in which the job runs only; -1: anywhere, or nowhere.
  std::int32_t only(JobIndex j) const {
    return demand(j).empty() ? -1 : accesses_[static_cast<std::size_t>(access(demand(j).front()))].only;
  }
  /// Distinguishes these nodes from all others, because something will happen to them alone. Called before a ledger is
  /// made of the demands.
  void distinguish(const NodeSet& nodes) { distinguished_.push_back(nodes); }
  const std::vector<NodeSet>& distinguished() const { return distinguished_; }
  /// Returns whether every job has its nodes for itself: then counts say when a job fits.
  bool whole_nodes() const { return whole_nodes_; }
  /// Returns the licences that can run out, into MachineLayout::licences: all jobs together ask for more than there
  /// are.
  const std::vector<std::int32_t>& scarce_licences() const { return scarce_; }
  /// Returns whether moreover no job distinguishes one node from another, and all are as fast: then one count says it,
  /// as on a machine of equal nodes.
  bool one_count() const { return one_count_ && reservations_->empty() && distinguished_.empty(); }
  /// Returns whether one count says it although nodes are reserved: each reservation has windows on all nodes, all jobs
  /// stand to it alike, and none runs in it only.
  bool one_count_with_windows() const;
  /// Returns the access that all jobs have to reservations of nodes, into accesses(); -1: several.
  std::int32_t only_access() const;
  /// Returns whether some job has several components.
  bool any_components() const {
    return std::ranges::any_of(units_, [](const DemandUnit& u) { return !u.components.empty(); });
  }
  /// Returns whether a job asks for GPUs.
  bool gpus_asked() const {
    return std::ranges::any_of(units_, [&](const DemandUnit& u) { return request_of(u).gpus != 0; });
  }
  /// One of the sizes of a moldable job.
  struct OfSize {
    JobSize size;
    RequestId request;    ///< by the number that equal requests of the workload have
    RequestId held;       ///< what it holds by that: in groups, nodes of its own
    std::int32_t demand;  ///< number of the demand with that size
  };
  /// Returns the sizes with which the job can ever run, in the order of job_sizes(). Precondition: the job is moldable.
  const std::vector<OfSize>& sizes(JobIndex j) const { return sizes_.at(j); }
  /// Returns whether all sizes of the moldable job but its own, the first, ask for the same on each of their nodes,
  /// which are of the same sets: where there is room for more nodes, there is room for fewer.
  bool sizes_nest(JobIndex j) const;
  /// Lets the job ask for what it needs with that size from now on.
  void choose_size(JobIndex j, const OfSize& size) {
    choose(j, {size.held, size.demand});
    if (!asked_in_groups_.empty()) asked_in_groups_[j] = size.request;
    if (!asked_.empty()) asked_[j] = asked(j);
  }
  /// A slice of a GPU that a job may have instead of what it asks for.
  struct OfGpuInstance {
    std::int32_t slice = 0, slices = 0;  ///< the instance has `slice` of the `slices` parts of a GPU
    RequestId request = kNoRequest;
    std::int32_t demand = 0;
  };
  /// Returns the GPU instances on which the job can ever run; of a moldable job, with the size that it has.
  const std::vector<OfGpuInstance>& gpu_instances(JobIndex j) const;
  /// Returns whether the job asks for one.
  bool on_gpu_instance(JobIndex j) const { return !asked_.empty() && requests_[j] != asked_[j].request; }
  const Request& request_of(const OfGpuInstance& instance) const { return all_[instance.request]; }
  /// Lets the job ask for the GPU instance from now on; null: for what it asked at first, with the size that it has.
  /// Returns its request.
  RequestId choose_gpu_instance(JobIndex j, const OfGpuInstance* instance) {
    if (!asked_.empty()) choose(j, instance == nullptr ? asked_[j] : Asked{instance->request, instance->demand});
    return requests_[j];
  }
  /// What a job asks for, and its demand.
  struct Asked {
    RequestId request = kNoRequest;
    std::int32_t demand = 0;
  };
  /// Returns what the job asks for with `ppn` processes on each node. Precondition: !lays_out(j).
  Asked with_ppn(JobIndex j, const Job& job, std::int32_t ppn);
  /// Returns whether the job says itself what it has of each node. Precondition: jobs form groups, as for with_ppn().
  bool lays_out(JobIndex j) const { return coslice::lays_out(all_[asked_in_groups_[j]]); }
  /// Lets the job ask for that from now on.
  void choose(JobIndex j, Asked asked) {
    requests_[j] = asked.request;
    demand_of_[j] = asked.demand;
  }
  Asked asked(JobIndex j) const { return {requests_[j], demand_of_[j]}; }
  const Demand& demand_of(const Asked& asked) const { return demands_[static_cast<std::size_t>(asked.demand)]; }
  /// Returns, by JobIndex, the highest tier of the partitions that a job may use; empty where all are 1.
  const std::vector<std::int32_t>& tiers() const { return tiers_; }
  /// Returns the slowest speed that the job can have.
  double slowest(JobIndex j) const;
  /// Whether jobs with these demands, by number, can be on some node at once, if they are let; and the type of the GPUs
  /// that both have there by their first preference, -1 where one has none.
  struct Together {
    bool possible = false;
    std::int32_t gpu_type = -1;
  };
  const Together& together(std::int32_t demand, std::int32_t other) const;

 private:
  RequestId request_of_processes(std::int32_t processes);
  std::int32_t demand_with(RequestId request, const Job& job);
  void add_sizes(JobIndex j, const Job& job, std::int32_t ppn);
  void add_slices(JobIndex j, const Job& job);
  void add_gpu_instances_of(RequestId request, std::int32_t demand, const Job& job);
  std::int32_t demand_for(RequestId request, const Applicant& who);
  std::int32_t demand_of(RequestId request, const std::vector<Option>& options, std::int32_t access);
  std::int32_t unit_for(RequestId asked, const Option& option, std::int32_t access, bool component = false);
  std::int32_t demand_of_components(RequestId request, const Job& job, std::int32_t access);
  std::int32_t set_for(const NodeSet& nodes, std::int32_t access);
  std::int32_t access_for(const Job& job);
  std::vector<Option> within_reservations(std::vector<Option> options, RequestId request, const Job& job,
                                          std::int32_t access) const;
  void find_tiers();
  bool owns_nodes(const Request& r) const;
  void find_scarce_licences(std::size_t jobs);
  bool alike_nodes() const;
  bool any_two_fit() const;

  std::shared_ptr<const MachineLayout> layout_;
  std::int32_t ppn_ = 1;  ///< of jobs that only say how many processes they have
  Request node_ = coslice::whole_nodes(1, 0);
  RequestTable all_;  ///< requests; those of the workload first, by the same numbers
  std::vector<RequestId> requests_;
  std::vector<Demand> demands_;
  std::vector<std::int32_t> demand_of_;
  std::map<JobIndex, std::vector<OfSize>> sizes_;  ///< of moldable jobs
  /// Where GPUs can be divided: by JobIndex, what jobs ask for without a slice, and their demands then; by those, the
  /// slices.
  std::vector<Asked> asked_;
  std::map<std::int32_t, std::vector<OfGpuInstance>> gpu_instances_;
  std::vector<DemandUnit> units_;
  std::vector<NodeSet> node_sets_, distinguished_;
  std::vector<std::int32_t> access_of_sets_;
  std::vector<NodeAccess> accesses_;
  const NodeReservations* reservations_;
  std::vector<std::int32_t> tiers_;
  bool limits_ = false;  ///< some partition does not admit all jobs
  std::vector<std::int32_t> scarce_;
  bool whole_nodes_ = true, one_count_ = false;
  std::vector<RequestId> asked_in_groups_;  ///< by JobIndex, what jobs asked for before a policy laid them out
  mutable std::map<std::pair<std::int32_t, std::int32_t>, Together> together_;
  std::map<std::pair<RequestId, std::vector<std::int32_t>>, std::int32_t> by_partitions_;
  std::vector<std::int32_t> by_request_;  ///< where no partition has limits
};

}  // namespace coslice
