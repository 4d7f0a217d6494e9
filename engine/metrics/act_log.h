// What was done with jobs in a run, in the order in which it was done, to be laid beside another run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/observer.h"

namespace coslice {

struct Act {
  enum Kind : std::uint8_t { kStart, kGroup, kPreempt, kResume, kLoad, kSwap, kRate, kEnd, kKill, kReject };
  Time at{};
  Kind kind = kStart;
  JobIndex job = kNoJob;
  std::uint64_t detail =
      0;  ///< kStart, kResume: the nodes; kLoad, kSwap: how long; kRate, kGroup: the speed, the primary job
  bool operator==(const Act&) const = default;
};

class ActLog : public Observer {
 public:
  const std::vector<Act>& acts() const { return acts_; }

  void rejected(Time t, JobIndex j) override { add(t, Act::kReject, j); }
  void started(Time t, JobIndex j, const NodeRanges& nodes) override { add(t, Act::kStart, j, nodes.hash()); }
  void preempted(Time t, JobIndex j) override { add(t, Act::kPreempt, j); }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override { add(t, Act::kResume, j, nodes.hash()); }
  void loading(Time t, JobIndex j, Duration d) override {
    add(t, Act::kLoad, j, static_cast<std::uint64_t>(d.count()));
  }
  void swapped_out(Time t, JobIndex j, Duration d) override {
    add(t, Act::kSwap, j, static_cast<std::uint64_t>(d.count()));
  }
  void rate_changed(Time t, JobIndex j, Rate rate) override {
    add(t, Act::kRate, j, static_cast<std::uint64_t>(rate.fixed()));
  }
  void group_formed(Time t, const Group& group, double gain) override;
  void ended(Time t, JobIndex j, const NodeRanges&, bool killed) override {
    add(t, killed ? Act::kKill : Act::kEnd, j);
  }

 private:
  void add(Time t, Act::Kind kind, JobIndex j, std::uint64_t detail = 0) { acts_.push_back({t, kind, j, detail}); }
  std::vector<Act> acts_;
};

/// Where two runs of the same jobs part: the first instant at which not the same was done with all jobs. The order in
/// which it was done within an instant does not count.
struct Parting {
  Time at{};
  std::vector<Act> only_a, only_b;  ///< what the other did not do then; starts first, then in order of the jobs
};

/// Nothing if they are the same to the end.
std::optional<Parting> find_parting(const std::vector<Act>& a, const std::vector<Act>& b);

}  // namespace coslice
