// Which of several policies is to decide, by forecasts of the same draws under each of them. Another one than the
// present one only where it is better beyond chance: the interval of the difference in pairs, wider the more policies
// are compared with it (Bonferroni), lies below 0. Nothing else keeps a choice from swinging.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lab/compare/compare.h"
#include "lab/compare/statistics.h"

namespace coslice::drive {

/// What the forecasts under a policy said.
struct PolicyForecasts {
  std::string policy;
  std::vector<double> figures{};  ///< small is good; one for each draw, the same draws for all policies
  std::string error{};            ///< why there are none; "": there are, or they take too long
  bool too_long = false;          ///< a pass takes more than the budget has for it: not compared this time
};

struct PolicyVerdict {
  double value = 0;                    ///< mean over the draws; 0 where it failed
  std::optional<double> difference{};  ///< to the reference; nothing of the reference itself, and where it failed
  std::optional<Interval> interval{};  ///< of the difference
  CompareVerdict verdict = CompareVerdict::kNone;
};

struct PolicyChoice {
  std::size_t before = 0;     ///< the policy that has decided until now
  std::size_t reference = 0;  ///< with which others are compared: the same, or the first one where it failed
  std::size_t chosen = 0;
  double level = 0.95;                  ///< of each interval, so that all of them together hold as asked for
  std::vector<PolicyVerdict> verdicts;  ///< beside the policies
};

/// Chooses. Of several that are better beyond chance, the best one. Nothing where all have failed. Where forecasts of
/// the present policy take too long, it stays. `level`: how often all intervals together are to hold. Precondition: all
/// that are compared have as many figures.
std::optional<PolicyChoice> choose_policy(const std::vector<PolicyForecasts>& forecasts, std::size_t before,
                                          double level);

}  // namespace coslice::drive
