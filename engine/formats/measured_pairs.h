// Measurements of programs that share a GPU, as they are published: a CSV file with a row for each pair of
// configurations, and one with a row for each configuration alone. And how fast two programs run where their pair was
// never measured: estimated from the pairs that were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/trace_file.h"

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

/// What the columns mean. A column of a pair appears twice, with _a and _b behind its name.
struct PairColumns {
  std::vector<std::string> configuration;  ///< together its name; empty: all that appear twice, but `speed`
  std::string speed = "speed";             ///< what is kept of the speed alone; or a rate, where `rate` is said
  std::string gpu = "gpu";                 ///< kind of GPU; a file without that column has one kind
  // of the file of configurations alone
  std::vector<std::string> single;           ///< the same columns there, in the same order; empty: of the same names
  std::map<std::string, std::string> where;  ///< only its rows that have these values
  std::string rate;                          ///< rate alone, e.g. steps per second; `speed` is such a rate then; "": no
  bool rates_only_alone = false;             ///< `speed` is what is kept of the speed, though there is a `rate`
};

/// All that was measured on one kind of GPU.
struct GpuMeasurements {
  std::string gpu;                            ///< "": the only one
  std::vector<PairSpeed> pairs;               ///< each once
  std::vector<std::vector<double>> profiles;  ///< by configuration: the numbers of it alone; empty where there are none
  std::vector<double> rates;                  ///< by configuration: alone; 0 where it does not run
};

class MeasuredPairs {
 public:
  /// Reads both files; `single` "": there is none. Throws InputError.
  MeasuredPairs(const std::string& pairs, const std::string& single, const PairColumns& columns);

  /// Returns the names of the configurations, "ResNet18/CIFAR-10/32/0", in the order of the files.
  const std::vector<std::string>& configurations() const { return names_; }
  /// Returns the number of the configuration; that of configurations().size() where it is not known.
  std::uint32_t number(const std::string& configuration) const {
    const auto at = numbers_.find(configuration);
    return at == numbers_.end() ? static_cast<std::uint32_t>(names_.size()) : at->second;
  }
  const std::vector<GpuMeasurements>& gpus() const { return gpus_; }
  /// Returns what the numbers of profiles are.
  const std::vector<std::string>& profile_columns() const { return profile_columns_; }
  /// Returns what the configuration columns are called, without _a and _b.
  const std::vector<std::string>& configuration_columns() const { return configuration_; }

 private:
  void read_single(const std::string& path, const PairColumns& columns);
  void read_pairs(const CsvTable& table, const std::string& path, const PairColumns& columns);
  void complete_gpus(const std::string& pairs);
  std::uint32_t intern(const std::string& configuration);
  GpuMeasurements& of_gpu(const std::string& gpu);

  std::vector<std::string> names_, configuration_, profile_columns_;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<GpuMeasurements> gpus_;
};

/// Returns the configuration columns of a table of pairs: `said`, else all that appear twice, but `speed`. Throws
/// InputError where there are none.
std::vector<std::string> pair_columns(const CsvTable& table, const std::vector<std::string>& said,
                                      const std::string& speed);
/// Returns the name of the configuration in a row: its cells with a slash between, in which a slash within one of
/// several cells is written `\/`, and a backslash `\\`. `side` is "_a", "_b" or "".
std::string configuration_in(const CsvTable& table, std::size_t row, const std::vector<std::string>& columns,
                             const std::string& side);
/// Returns a number in low..high. Throws InputError.
double real_in(const CsvTable& table, std::size_t row, std::size_t column, double low, double high);

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
