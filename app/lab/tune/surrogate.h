// A guess at what settings cost that were not tried, from those that were: a Gaussian process (Jones, Schonlau and
// Welch, "Efficient global optimization of expensive black-box functions", Journal of Global Optimization 13, 1998;
// with noise as in Huang, Allen, Notz and Zeng, ibid. 34, 2006).
#pragma once

#include <cstddef>
#include <vector>

namespace coslice {

/// A setting that was tried: its place, from 0 to 1 for each parameter, and what it seems to cost.
struct SeenPlace {
  std::vector<double> place;
  double value = 0;
  double variance = 0;  ///< of the value, by chance
};

/// What a setting may cost.
struct CostGuess {
  double mean = 0, deviation = 0;
};

class Surrogate {
 public:
  /// Of a parameter that is not `ordered` all values are equally far from each other. How far places tell of each other
  /// is what makes the values that were seen most likely. Precondition: at least one place was seen.
  Surrogate(std::vector<bool> ordered, std::vector<SeenPlace> seen);

  CostGuess at(const std::vector<double>& place) const;
  /// Returns how much two places have in common, from 0 to 1.
  double likeness(const std::vector<double>& a, const std::vector<double>& b) const;
  /// Returns by how much a place is expected to be below this value, where it is.
  double expected_improvement(const std::vector<double>& place, double value) const;

 private:
  bool fit(const std::vector<double>& reaches, double spread, double& likelihood);
  void choose_reaches();

  std::vector<bool> ordered_;
  std::vector<SeenPlace> seen_;
  std::vector<double> reach_;   ///< of each parameter: from which distance on places tell little of each other
  double spread_ = 0;           ///< deviation of the values of places that have nothing in common
  double mean_ = 0;             ///< of all places
  std::vector<double> factor_;  ///< Cholesky's, row by row
  std::vector<double> weights_;
};

}  // namespace coslice
