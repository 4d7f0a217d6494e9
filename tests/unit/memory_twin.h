// What lies in the nodes' memory under time slices, followed from the events of a run alone, in the plainest way. It
// knows when loading must be over and which job is charged what, and complains where the simulation says otherwise.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "schedule/observer.h"
#include "slices/slices.h"

namespace coslice::test {

class MemoryTwin : public Observer {
 public:
  MemoryTwin(int nodes, Duration capacity, SwapCharge charge, std::function<Duration(JobIndex)> need)
      : capacity_(capacity), charge_(charge), need_(std::move(need)), residents_(static_cast<std::size_t>(nodes)) {}

  std::vector<std::string> complaints;

  void started(Time t, JobIndex j, const NodeRanges& nodes) override {
    for (const NodeRange& r : nodes.ranges())
      for (NodeId n = r.first; n <= r.last; ++n) jobs_[j].nodes.push_back(static_cast<std::size_t>(n));
    begin(t, j);
  }
  void resumed(Time t, JobIndex j, const NodeRanges&) override { begin(t, j); }

  void loading(Time t, JobIndex j, Duration time) override {
    Job& job = jobs_[j];
    job.loading = true;
    expect(t, j, "load", time, missing(j));
  }
  void swapped_out(Time, JobIndex j, Duration time) override { said_[j] += time; }
  void loaded(Time t, JobIndex j) override {
    transfer(t, j);
    jobs_[j].loading = false;
    expect(t, j, "rest of its load", Duration{0}, missing(j));
  }
  void preempted(Time t, JobIndex j) override {
    if (jobs_[j].loading) transfer(t, j);
    jobs_[j].loading = jobs_[j].going = false;
    jobs_[j].charged = Duration{0};
    for (auto& node : residents_)
      for (Resident& r : node)
        if (r.job == j) r.written = Duration{0};
  }
  void ended(Time t, JobIndex j, const NodeRanges&, bool) override {
    expect(t, j, "memory at its end", Duration{0}, missing(j));
    for (auto& node : residents_)
      node.erase(std::remove_if(node.begin(), node.end(), [j](const Resident& r) { return r.job == j; }), node.end());
    jobs_.erase(j);
  }
  void settled(const InstantState& state) override {
    for (const auto& [j, time] : said_) complain(state.now, j, "was written out although no job loads");
    said_.clear();
    for (const auto& [j, job] : jobs_)
      if (job.going && !job.loading) expect(state.now, j, "memory while it runs", Duration{0}, missing(j));
  }

 private:
  struct Resident {
    JobIndex job;
    Duration amount, written;
  };
  struct Job {
    std::vector<std::size_t> nodes;
    Time since{};
    bool going = false, loading = false;
    Duration charged{0};  ///< since it was stopped
  };

  void complain(Time t, JobIndex j, const std::string& what) {
    complaints.push_back(fmt::format("at {} s, job {}: {}", format_seconds(t.time_since_epoch()), j + 1, what));
  }
  void expect(Time t, JobIndex j, const char* what, Duration got, Duration wanted) {
    if (got != wanted) complain(t, j, fmt::format("{} is {} ns, not {}", what, got.count(), wanted.count()));
  }
  void begin(Time t, JobIndex j) {
    jobs_[j].going = true;
    jobs_[j].since = t;
  }

  static Duration resident(const std::vector<Resident>& node, JobIndex j) {
    for (const Resident& r : node)
      if (r.job == j) return r.amount;
    return Duration{0};
  }
  Duration missing(JobIndex j) {
    Duration most{0};
    for (const std::size_t n : jobs_[j].nodes) most = std::max(most, need_(j) - resident(residents_[n], j));
    return most;
  }

  /// As much as time since the beginning of the load allows, on each node; jobs that stand in the way go, oldest first.
  void transfer(Time t, JobIndex j) {
    const Duration elapsed = t - jobs_[j].since;
    std::map<JobIndex, Duration> now, absence;  // the most on any node
    for (const std::size_t n : jobs_[j].nodes) {
      auto& node = residents_[n];
      const Duration old = resident(node, j), x = std::min(elapsed, need_(j) - old);
      if (x == Duration{0}) continue;
      Duration used{0};
      for (const Resident& r : node) used += r.amount;
      for (Resident& r : node) {
        const Duration gone =
            r.job == j ? Duration{0} : std::min(r.amount, std::max(Duration{0}, used + x - capacity_));
        if (gone == Duration{0}) continue;
        r.amount -= gone;
        r.written += gone;
        used -= gone;
        now[r.job] = std::max(now[r.job], gone);
        absence[r.job] = std::max(absence[r.job], r.written);
      }
      if (used + x > capacity_) complain(t, j, fmt::format("more than the memory of node {} is taken", n));
      node.erase(std::remove_if(node.begin(), node.end(), [j](const Resident& r) { return r.job == j; }), node.end());
      node.push_back({j, old + x, Duration{0}});
    }
    for (const auto& [victim, gone] : now) {
      Job& v = jobs_[victim];
      if (v.going) complain(t, victim, "was written out while it runs");
      const Duration pays =
          charge_ == SwapCharge::kEachLoad ? gone : std::max(Duration{0}, absence[victim] - v.charged);
      v.charged += pays;
      expect(t, victim, "writing out", said_[victim], pays);
      said_.erase(victim);
    }
  }

  Duration capacity_;
  SwapCharge charge_;
  std::function<Duration(JobIndex)> need_;
  std::vector<std::vector<Resident>> residents_;  ///< by node, oldest load first
  std::map<JobIndex, Job> jobs_;
  std::map<JobIndex, Duration> said_;  ///< what the simulation charged in this step
};

}  // namespace coslice::test
