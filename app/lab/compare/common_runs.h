// Which runs of several variants stand beside one another where some failed, or were not made.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace coslice {

/// A run's place among those of its variant: its seed and its condition.
using RunCell = std::pair<std::int64_t, std::string>;

/// What a variant has, and what it lacks.
struct VariantCells {
  std::set<RunCell> done;
  std::size_t failed = 0;
};

/// The runs that all variants have: over others, a mean of the one that fails under high load would be the mean of low
/// loads, beside means of all loads.
struct CommonRuns {
  std::set<RunCell> cells;
  std::vector<bool> left_out;  ///< beside the variants: those whose failures would leave less than two seeds, or none
  bool any() const { return !cells.empty(); }
};
CommonRuns common_runs(const std::vector<VariantCells>& variants);

/// Returns the seeds of these.
std::set<std::int64_t> seeds_of(const std::set<RunCell>& cells);

/// Whether the variants are to be compared as samples that have nothing in common: of other seeds, under one condition,
/// and not because runs failed. Else only the common runs count.
bool stand_apart(const std::vector<VariantCells>& variants, const CommonRuns& common);

/// What a run gave.
struct RunFingerprint {
  std::int64_t seed = 0;
  std::string place;  ///< its variant and its condition
  std::string fingerprint;
};
/// Returns for each seed the smallest one that gives the same runs at all places: itself where anything is drawn, or
/// where it is not known what a run gave.
std::map<std::int64_t, std::int64_t> first_alike(const std::vector<RunFingerprint>& runs);
/// Returns the seeds that give the same runs at all places as a smaller one: nothing is drawn, and they are no further
/// evidence.
std::set<std::int64_t> repeated_seeds(const std::vector<RunFingerprint>& runs);

}  // namespace coslice
