// Variants against the first of them: means with their intervals, differences, and which of them may be chance.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/compare/compared_figures.h"
#include "lab/compare/statistics.h"
#include "lab/compare/variants.h"

namespace coslice {

/// How a difference to the first variant came to its interval.
enum class CompareMethod : std::uint8_t {
  kNone,    ///< there is none: one run each, and no jobs to pair
  kPaired,  ///< runs of the same seeds in pairs: Student's t of the differences
  kApart,   ///< runs of different seeds: Welch's t
  kJobs,    ///< one run each of the same jobs: batch means of the differences job by job
};

/// Whether a difference means something.
enum class CompareVerdict : std::uint8_t {
  kNone,   ///< of the first variant, or without an interval
  kSame,   ///< no run, and no job, differs; or all that may differ is below the digits that are shown
  kNoise,  ///< the interval holds 0
  kBetter,
  kWorse,
  kDifferent,  ///< of a figure that is neither good nor bad, or that another machine moves by itself
  kFailed,     ///< there is nothing to compare: its runs failed
};

/// Returns the verdict in a word: "better", "noise", ...; "" for kNone.
const char* verdict_word(CompareVerdict v);

inline constexpr std::int64_t kMostRunsNeeded = 1000;

struct ComparedValue {
  std::size_t runs = 0;              ///< that have this figure; 0: everything else is empty
  Unit unit = Unit::kSeed;           ///< what is independent of one another in them
  std::size_t units = 0;             ///< of which there are so many
  double value = 0;                  ///< mean over the units
  std::optional<Interval> interval;  ///< of the mean
  std::optional<double> difference;  ///< to the first variant, over the runs that both have
  std::optional<Interval> difference_interval;
  std::optional<double> relative;  ///< the difference as a part of the first variant's value; nothing if that is 0
  CompareMethod method = CompareMethod::kNone;
  CompareVerdict verdict = CompareVerdict::kNone;
  /// Of kNoise between runs in pairs: how many units would tell a difference of this size from chance; nothing beyond
  /// kMostRunsNeeded.
  std::optional<std::int64_t> runs_needed{};
};

struct ComparedFigure {
  Figure figure;
  std::vector<ComparedValue> values;  ///< beside the variants
};

struct CompareOptions {
  std::vector<std::string> figures;  ///< names for find_figures; none: the usual ones
  double level = 0.95;               ///< of all intervals
  Unit unit = Unit::kSeed;           ///< what RunRecord::seed counts
  bool to_the_best = false;          ///< the first variant was chosen by these same runs as the best of all
  /// Share of jobs cut at each end; 0: none are; nothing: as each run has recorded it.
  std::optional<double> trim;
};

/// How many runs of a variant there are in all, and which failed.
struct MadeRuns {
  std::string variant;
  std::vector<std::string> all, failed;  ///< as RunRecord::where
  std::set<std::int64_t> failed_seeds;
  std::string error;  ///< of the first that failed, a line
};

struct VariantComparison {
  std::string at;                  ///< the place of a campaign where this holds: "load 0.7"; "" if there is one only
  std::string title{};             ///< what stands above it where it is of all places: "3 points ranked by wait, s"
  double level = 0.95;             ///< of the intervals of means
  double difference_level = 0.95;  ///< of those of differences, which is higher where the best was chosen first
  Unit unit = Unit::kSeed;
  /// With the runs that all of them have. Those that failed too often have none, and are the last ones.
  std::vector<Variant> variants;
  std::vector<std::string> conditions{};  ///< those of the runs, in the order of the first variant
  std::vector<ComparedFigure> figures;
  std::vector<MadeRuns> made{};       ///< beside the variants
  std::string refused{};              ///< why nothing is compared; "" if something is
  std::vector<std::string> notes;     ///< what must be known to read it, sentences
  std::vector<std::string> warnings;  ///< what makes it doubtful: saturation, dependent batches, other jobs
};

/// Compares what all variants have: runs that failed take those of the other variants on the same seed and condition
/// with them, so that no mean is one of survivors. Where too little is left, variants that fail are left out, or all is
/// refused. Seeds that give the same runs count as one. Throws InputError: fewer than two variants, a figure that no
/// run has, a share to cut that cannot be had.
VariantComparison compare_variants(std::vector<Variant> variants, const CompareOptions& options);

}  // namespace coslice
