// How long jobs will run, drawn from how long others ran: as parts of their limits, by user. Jobs that still run count
// for what they have run (Kaplan & Meier 1958): else a snapshot, whose ended jobs are the short ones, would promise too
// much.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
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
  /// A job that ended after `ran`, or that has run so long and still does. In order of submission.
  void add(const JobKind& kind, Duration ran, bool ended);
  std::size_t ended() const { return ended_; }
  /// How often a job ran as long as the one before it that was alike.
  double repeats() const { return pairs_ == 0 ? 0 : static_cast<double>(same_) / static_cast<double>(pairs_ + 1); }

 private:
  friend class RunTimeDraws;
  struct Observed {
    double part;  ///< of the limit; kAtLimit: the limit ended it
    bool ended;
  };
  std::map<std::int32_t, std::vector<Observed>> by_user_;
  std::map<JobKind, double> last_;  ///< part of the last one that ended
  std::size_t ended_ = 0, pairs_ = 0, same_ = 0;
};

/// One possible world: the history is weighed anew (the Bayesian bootstrap, Rubin 1981), as it might as well have been
/// another one; with a short history worlds differ much. Jobs that are alike run alike as often as they did before, so
/// that what is not known of a batch is so of all its jobs together.
class RunTimeDraws {
 public:
  /// The history outlives it.
  RunTimeDraws(const RunTimeHistory& history, RandomStream random);

  /// A run time of a job of that kind which has run for `ran` already; jobs are asked for in order of submission.
  /// Beyond the limit where the limit is what ends it.
  Duration draw(const JobKind& kind, Duration ran = Duration{0});

 private:
  struct Curve {
    std::vector<double> part;   ///< ascending
    std::vector<double> above;  ///< weight of what is longer than part[i]
    double all = 0;             ///< weight of everything
    double longest = 0;         ///< part, of those that still run as well
    std::size_t ended = 0;
  };
  Curve curve_of(std::vector<RunTimeHistory::Observed> observed);
  bool draw_from(const Curve& curve, double beyond, double shortest, double& part);
  double part_of(std::int32_t user, double beyond, double shortest);
  double unknown_part(double beyond, double shortest);

  RandomStream random_;
  std::map<std::int32_t, Curve> by_user_;
  Curve all_;
  double unlike_all_ = 1;  ///< how probably a job is like none that is known
  double repeats_ = 0;
  std::map<JobKind, double> last_;
};

}  // namespace coslice
