// Every action on a job in a run, in order, to be compared with those of another run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/observer.h"

namespace coslice {

struct JobAction {
  enum Kind : std::uint8_t {
    kStart,
    kGroup,
    kPreempt,
    kResume,
    kLoad,
    kSwap,
    kRate,
    kEnd,
    kKill,
    kReject,
    kWithdraw,
    kResize
  };
  Time at{};
  Kind kind = kStart;
  JobIndex job = kNoJob;
  /// kStart, kResume, kResize: a hash of the nodes; kLoad, kSwap: the duration; kRate: the speed; kGroup: the primary
  /// job
  std::uint64_t detail = 0;
  bool operator==(const JobAction&) const = default;
};

class JobActionLog : public Observer {
 public:
  const std::vector<JobAction>& actions() const { return actions_; }

  void rejected(Time t, JobIndex j, Rejection) override { add(t, JobAction::kReject, j); }
  void withdrawn(Time t, JobIndex j) override { add(t, JobAction::kWithdraw, j); }
  void started(Time t, JobIndex j, const NodeRanges& nodes) override { add(t, JobAction::kStart, j, nodes.hash()); }
  void preempted(Time t, JobIndex j) override { add(t, JobAction::kPreempt, j); }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override { add(t, JobAction::kResume, j, nodes.hash()); }
  void resized(Time t, JobIndex j, const NodeRanges&, const NodeRanges& nodes, Duration) override {
    add(t, JobAction::kResize, j, nodes.hash());
  }
  void loading(Time t, JobIndex j, Duration d) override {
    add(t, JobAction::kLoad, j, static_cast<std::uint64_t>(d.count()));
  }
  void swapped_out(Time t, JobIndex j, Duration d) override {
    add(t, JobAction::kSwap, j, static_cast<std::uint64_t>(d.count()));
  }
  void rate_changed(Time t, JobIndex j, Rate rate) override {
    add(t, JobAction::kRate, j, static_cast<std::uint64_t>(rate.fixed()));
  }
  void group_formed(Time t, const Group& group, double gain) override;
  void interrupted(Time t, JobIndex j, const NodeRanges&, const Interruption&) override {
    add(t, JobAction::kPreempt, j);
  }
  void ended(Time t, JobIndex j, const NodeRanges&, bool killed) override {
    add(t, killed ? JobAction::kKill : JobAction::kEnd, j);
  }

 private:
  void add(Time t, JobAction::Kind kind, JobIndex j, std::uint64_t detail = 0) {
    actions_.push_back({t, kind, j, detail});
  }
  std::vector<JobAction> actions_;
};

/// The first instant at which two runs of the same jobs differ in their actions. The order of actions within an instant
/// does not count.
struct Divergence {
  Time at{};
  std::vector<JobAction> only_a, only_b;  ///< actions of one run alone; starts first, then by job
};

/// Returns the first difference of two runs; empty if the runs are the same to the end.
std::optional<Divergence> find_divergence(const std::vector<JobAction>& a, const std::vector<JobAction>& b);

}  // namespace coslice
