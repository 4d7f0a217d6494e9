// Pairs that are asked about: what was measured of them, or what is estimated; and how far estimates are off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/measured_pairs.h"

namespace coslice {

/// A row of a file of pairs; its speeds, where it says them.
struct AskedPair {
  std::string a, b, gpu;           ///< names of configurations; gpu "": the only kind
  std::vector<std::string> cells;  ///< of a, then of b
  std::optional<double> speed_a, speed_b;
};

struct PairAnswer {
  double speed_a = 1, speed_b = 1;
  bool measured = false;
  PairEstimate::Basis basis = PairEstimate::Basis::kPairs;  ///< of what is not measured
};

/// Returns what an answer rests on: "measured", "pairs", "profile", "mean".
const char* origin_of(const PairAnswer& answer);

/// Reads pairs with the configuration columns of `measured`; speeds may be left out. Throws InputError.
std::vector<AskedPair> read_asked_pairs(const std::string& path, const MeasuredPairs& measured,
                                        const PairColumns& columns);

/// How far a rule is from measured speeds.
struct RuleError {
  std::string rule;                    ///< "estimate", "no slowdown", "mean", "utilization"
  std::size_t speeds = 0;              ///< two of each pair; those of pairs that could not run together are left out
  double mean = 0, p95 = 0, most = 0;  ///< of the absolute error
};

/// Answers from measurements; these outlive it.
class PairAnswers {
 public:
  /// `utilization` is the column of single configurations with the part of the GPU in use, in per cent. Throws
  /// InputError.
  PairAnswers(const MeasuredPairs& measured, const std::string& utilization);

  /// Throws InputError for a kind of GPU that was not measured.
  PairAnswer answer(const AskedPair& pair) const;
  /// Returns the errors of each rule, over the pairs whose speeds are given and that are not among the measured ones.
  std::vector<RuleError> errors(const std::vector<AskedPair>& pairs) const;

  /// Cross-validation: pairs are dealt to `folds` folds by the seed, and each fold is estimated from the others. By
  /// kind of GPU.
  std::vector<std::vector<RuleError>> left_out_pairs(std::int64_t folds, std::uint64_t seed) const;
  /// Returns the errors of each rule where all pairs of one configuration are left out, for each configuration in turn.
  std::vector<std::vector<RuleError>> left_out_configurations() const;

 private:
  struct OfGpu {
    const GpuMeasurements* measurements;
    PairEstimate estimate;
    KnownPairs known;
  };
  class Errors;
  const OfGpu& of_gpu(const std::string& gpu) const;
  double by_utilization(const GpuMeasurements& gpu, std::uint32_t a, std::uint32_t b) const;

  const MeasuredPairs& measured_;
  std::optional<std::size_t> utilization_;  ///< into profiles
  std::vector<OfGpu> gpus_;
};

}  // namespace coslice
