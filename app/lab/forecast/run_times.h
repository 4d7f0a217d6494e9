// How long jobs will run, drawn from how long others ran: as parts of their limits, by user. Jobs that still run count for
// what they have run (Kaplan & Meier 1958): else a snapshot, whose ended jobs are the short ones, would promise too much.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/random.h"
#include "core/time.h"

namespace coslice {

/// What is known of run times at an instant.
class RunTimeHistory {
 public:
  /// A job that ended after `ran`, or that has run so long and still does.
  void add(std::int32_t user, Duration ran, Duration limit, bool ended);
  std::size_t ended() const { return ended_; }

 private:
  friend class RunTimeDraws;
  struct Observed {
    double part;  ///< of the limit; kAtLimit: the limit ended it
    bool ended;
  };
  std::map<std::int32_t, std::vector<Observed>> by_user_;
  std::size_t ended_ = 0;
};

/// One possible world: the history is weighed anew (the Bayesian bootstrap, Rubin 1981), as it might as well have been
/// another one; with a short history worlds differ much.
class RunTimeDraws {
 public:
  /// The history outlives it.
  RunTimeDraws(const RunTimeHistory& history, RandomStream random);

  /// A run time of a job of that user with that limit which has run for `ran` already. Beyond the limit where the limit is what ends it.
  Duration draw(std::int32_t user, Duration limit, Duration ran = Duration{0});

 private:
  struct Curve {
    std::vector<double> part;   ///< ascending
    std::vector<double> above;  ///< weight of what is longer than part[i]
    double all = 0;             ///< weight of everything
    double longest = 0;         ///< part, of those that still run as well
    std::size_t ended = 0;
  };
  Curve curve_of(std::vector<RunTimeHistory::Observed> observed);
  bool draw_from(const Curve& curve, double beyond, double& part);

  RandomStream random_;
  std::map<std::int32_t, Curve> by_user_;
  Curve all_;
};

}  // namespace coslice
