// What owners of jobs have used of the machine of late: node-seconds that lose half their weight in every half-life.
#pragma once

#include <cstddef>
#include <vector>

#include "core/portable_math.h"
#include "schedule/view.h"

namespace coslice {

// Priorities that grow with waiting, so that no job waits for ever behind a stream of more urgent jobs.

/// A waiting job's key becomes the one that it came with, less 1 for each full step that it has waited, but never less
/// than `least`, nor more than it came with.
class Ageing {
 public:
  /// Sorts the queue of the view by keys of now. Positions change. `step` is above 0.
  void apply(View& view, Duration step, double least = -std::numeric_limits<double>::infinity()) {
    const WaitingQueue& queue = view.queue();
    const auto key = [&](JobIndex j) {
      const double aged = came_with_[j] - static_cast<double>((view.wall_now() - came_[j]) / step);
      return std::max(aged, std::min(came_with_[j], least));
    };
    bool changed = false;
    for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
      const JobIndex j = queue.job(p);
      if (j >= came_.size()) {
        came_.resize(j + 1, kNever);
        came_with_.resize(j + 1);
      }
      if (came_[j] == kNever) {
        came_[j] = view.wall_now();
        came_with_[j] = queue.key(p);
      }
      changed = changed || key(j) != queue.key(p);
    }
    if (changed) view.resort(key);
  }

 private:
  /// By JobIndex.
  std::vector<double> came_with_;
  std::vector<Time> came_;  ///< by JobIndex; kNever: not seen yet
};

/// Accounts by owner, which are dense numbers from 0. Nodes that are held count from their start on, second by second.
/// Instants are seconds and never go back. Gives the same bits as `usage` of the Lua library that is asked at the same
/// instants.
class DecayedUsage {
 public:
  /// `half_life` in s; with 0 nothing is forgotten.
  explicit DecayedUsage(double half_life) : rate_(half_life > 0 ? portable_log(2.0) / half_life : 0) {}

  /// Lets the owner hold this many more nodes from now on, or fewer.
  void hold(std::size_t owner, double nodes, double now) {
    if (owner >= accounts_.size()) accounts_.resize(owner + 1);
    settled(accounts_[owner], now).nodes += nodes;
    settled(all_, now).nodes += nodes;
  }
  /// Returns what the owner has used, in node-seconds of now.
  double of(std::size_t owner, double now) {
    if (owner >= accounts_.size()) accounts_.resize(owner + 1);
    return settled(accounts_[owner], now).used;
  }
  /// Returns what all owners have used.
  double total(double now) { return settled(all_, now).used; }

 private:
  struct Account {
    double used = 0;
    double nodes = 0;  ///< that are held
    double at = 0;     ///< the instant that `used` is for
  };
  // What is used fades, what is held adds to it: used' = nodes - rate * used, solved for the time since the last look.
  Account& settled(Account& account, double now) {
    const double passed = now - account.at;
    if (passed > 0) {
      if (rate_ > 0) {
        const double kept = kept_after(passed);
        account.used = account.used * kept + account.nodes * (1 - kept) / rate_;
      } else {
        account.used += account.nodes * passed;
      }
      account.at = now;
    }
    return account;
  }
  double kept_after(double passed) {
    if (passed != passed_) {
      passed_ = passed;
      kept_ = portable_exp(-rate_ * passed);
    }
    return kept_;
  }

  double rate_;  ///< of decay, 1/s; 0: none
  Account all_;
  std::vector<Account> accounts_;
  double passed_ = 0, kept_ = 1;  ///< of the last decay: many accounts are looked at together
};

}  // namespace coslice
