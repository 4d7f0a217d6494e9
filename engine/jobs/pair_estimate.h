// How fast two programs run that share a GPU: pairs that were measured, looked up, and an estimate from these for pairs
// that were not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace coslice {

/// One measured pair: the speeds that the two keep beside one another, as parts of those alone. 1: none is lost.
struct PairSpeed {
  std::uint32_t a = 0, b = 0;  ///< numbers of configurations
  double speed_a = 1, speed_b = 1;
};

/// speed of a beside b = mean + own effect of a + effect of b as a partner + what products of the two explain, each
/// fitted by least squares with ridge, the products to what effects leave over. An effect is what the profile of the
/// configuration alone explains, linearly, and what is its own; so that a configuration that no pair has is estimated
/// from its profile, and one without a profile by the mean. Products are those of the effects of both (a program that
/// suffers much suffers more beside one that does much), and of the numbers in their profiles.
class PairEstimate {
 public:
  /// What an estimate rests on; of two configurations, the less of both.
  enum class Basis : std::uint8_t { kPairs, kProfile, kMean };
  /// No speed is estimated to be lower.
  static constexpr double kLeast = 0.01;

  /// Fits the estimate. `profiles` by configuration: numbers of it alone, all of one length, or none where it has no
  /// profile. Pairs with a speed of 0, which could not run together, are left out. Throws InputError where the pairs
  /// leave nothing to fit.
  PairEstimate(const std::vector<PairSpeed>& pairs, const std::vector<std::vector<double>>& profiles, double ridge = 1);

  /// Returns the speed of `a` beside `b`. A number from configurations() on is one of which nothing is known.
  double speed(std::uint32_t a, std::uint32_t b) const;
  Basis basis(std::uint32_t a, std::uint32_t b) const;
  /// Returns the mean of all measured speeds.
  double mean() const { return mean_; }
  std::size_t configurations() const { return own_.size(); }

 private:
  void fit_effects(const std::vector<PairSpeed>& pairs, double ridge);
  void fit_products(const std::vector<PairSpeed>& pairs, double ridge);
  double additive(std::uint32_t a, std::uint32_t b) const;
  std::vector<double> products(std::uint32_t a, std::uint32_t b) const;
  Basis basis_of(std::uint32_t c) const { return c < basis_.size() ? basis_[c] : Basis::kMean; }

  double mean_ = 1;
  std::vector<double> own_, partner_;          ///< effects, by configuration
  std::vector<Basis> basis_;                   ///< by configuration
  std::vector<std::vector<double>> profiles_;  ///< by configuration, standardized
  std::size_t features_ = 0;                   ///< numbers in a profile
  double scale_own_ = 1, scale_partner_ = 1;   ///< of effects in products
  std::vector<double> of_products_;            ///< coefficients
};

/// Solves a x = b in place; `a` is symmetric and positive definite, by rows. Of it, only the lower triangle is read,
/// and it is overwritten.
void solve_symmetric(std::vector<double>& a, std::vector<double>& b);

/// Pairs that are known, looked up.
class KnownPairs {
 public:
  explicit KnownPairs(const std::vector<PairSpeed>& pairs);
  /// Returns the pair in that order, whichever one it was measured in; null: it was not.
  std::optional<PairSpeed> find(std::uint32_t a, std::uint32_t b) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, PairSpeed> pairs_;
};

}  // namespace coslice
