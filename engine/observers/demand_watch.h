// How full the GPUs of a machine are, and how fragmented what is left of them, against the demand that has arrived so far:
// what placements are compared by where jobs come and none leaves (Weng et al., USENIX ATC 2023, Section 6).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "observers/demand_curves.h"
#include "resources/fragmentation.h"
#include "sched/observer.h"
#include "workload/workload.h"

namespace coslice {

class DemandWatch : public Observer {
 public:
  /// All outlive it. `mix` is what fragmentation is measured by.
  DemandWatch(const MachineLayout& layout, const Workload& workload, const std::vector<TypicalRequest>& mix);

  void submitted(Time t, JobIndex j) override;
  void rejected(Time t, JobIndex j, Rejection) override;
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override {
    ended(t, j, nodes, false);
  }
  void settled(const InstantState& state) override;

  DemandCurves take() const;

 private:
  struct Sums {
    std::int64_t instants = 0;
    double allocation = 0, fragmentation = 0, ratio = 0;
  };
  double gpus_of(JobIndex j) const;
  void arrive(JobIndex j);
  void measure(const Parts& parts);
  std::vector<double> curve(double Sums::*sum) const;

  const Workload& workload_;
  Fragmentation fragmentation_;
  NodePool pool_;
  std::vector<bool> arrived_jobs_;
  double total_ = 0, arrived_ = 0, used_ = 0;  ///< thousandths of GPUs
  bool came_ = false;                          ///< a job, at this instant
  std::int64_t jobs_ = 0, placed_ = 0;
  double allocation_ = 0;               ///< after the last arrival, %
  std::vector<std::int32_t> kind_of_;   ///< by node
  std::vector<double> fragmented_;      ///< by node
  double fragmented_sum_ = 0;
  std::map<JobIndex, Parts> parts_;     ///< of the jobs that run
  std::vector<Sums> by_percent_;
};

}  // namespace coslice
