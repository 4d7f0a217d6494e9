// How long jobs will run, drawn from how long others ran: by user and limit, else by user, else by limit, else of all.
// Jobs that still run count for what they have run (Kaplan & Meier 1958): else a snapshot, whose ended jobs are the
// short ones, would promise too much.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/time.h"

namespace coslice {

/// Jobs that are alike: mostly one batch of a user.
struct JobKind {
  std::int32_t user = 0;
  std::int32_t size = 0;
  Duration limit{0};
  auto operator<=>(const JobKind&) const = default;
};

/// What is known of run times at an instant.
class RunTimeHistory {
 public:
  /// Adds a job that ended after `ran`, or that has run so long and still does. In order of submission.
  void add(const JobKind& kind, Duration ran, bool ended);
  std::size_t ended() const { return ended_; }
  /// Returns how often a job ran as long as the one before it that was alike.
  double repeats() const { return pairs_ == 0 ? 0 : static_cast<double>(same_) / static_cast<double>(pairs_ + 1); }

 private:
  friend class RunTimeDraws;
  struct Observed {
    std::int32_t user;
    int limit_class;
    double log_limit, log_ran;
    bool ended, at_limit;
  };
  std::vector<Observed> observed_;
  std::map<JobKind, double> last_;  ///< part of the limit that the last one ran that ended
  std::size_t ended_ = 0, pairs_ = 0, same_ = 0;
};

/// One possible world: the history is weighed anew (the Bayesian bootstrap, Rubin 1981), as it might as well have been
/// another one; with a short history worlds differ much. Jobs that are alike run alike as often as they did before, so
/// that what is not known of a batch is so of all its jobs together.
///
/// Jobs of different limits are made comparable by a power of the limit: what a job runs is taken as a part of that.
/// The power is 1 where parts of limits are the same for all limits, and less where short limits are used up more.
class RunTimeDraws {
 public:
  /// Draws from `history`, which outlives it.
  RunTimeDraws(const RunTimeHistory& history, RandomStream random);

  /// Returns a run time of a job of that kind which has run for `ran` already; jobs are asked for in order of
  /// submission. Beyond the limit where the limit is what ends it.
  Duration draw(const JobKind& kind, Duration ran = Duration{0});

  /// The power of the limit, from 0 to 1.
  double power() const { return power_; }

 private:
  struct Weighed {
    double scaled;  ///< logarithm of the run time over the power of the limit; kAtLimit: the limit ended it
    double weight;
    bool ended;
  };
  struct Curve {
    std::vector<double> scaled;  ///< ascending
    std::vector<double> above;   ///< part that is longer than scaled[i]
    double longest = 0;          ///< scaled, of those that still run as well
    double ended = 0;
  };
  /// Jobs of a user and a class of limits, or of all of them.
  using Group = std::pair<std::int32_t, int>;
  static double power_of(const RunTimeHistory& history, const std::vector<double>& weights);
  static Curve curve_of(std::vector<Weighed> observed);
  bool draw_from(const Curve& curve, double& beyond, double& scaled);
  double draw_scaled(const JobKind& kind, double beyond, double shortest, double limit);

  RandomStream random_;
  std::map<Group, Curve> groups_;
  double power_ = 1;
  double unlike_all_ = 1;  ///< how probably a job is like none that is known
  double repeats_ = 0;
  std::map<JobKind, double> last_;
};

}  // namespace coslice
