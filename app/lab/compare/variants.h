// What is compared: several ways of doing the same, each with its runs over seeds.
#pragma once

#include <string>
#include <vector>

#include "lab/compare/run_record.h"

namespace coslice {

/// A run that ended with an error.
struct FailedRun {
  std::string where, error;  ///< as RunRecord::where
  std::int64_t seed = 0;
};

struct Variant {
  std::string name;                 ///< unlike those of the others: "easy", "easy depth=50"
  std::vector<RunRecord> runs;      ///< by seed; under each condition one of a seed
  std::vector<FailedRun> failed{};  ///< what it lacks of them
};

/// Runs by what they were made from, the seed aside: those of the same policy with the same parameters and the same
/// scenario are one variant. Variants are in the order of their first runs and named by what they differ in. Where two
/// runs of one seed would fall together (a policy that was changed, say), each run is a variant of its own, named after
/// its folder.
std::vector<Variant> variants_of(std::vector<RunRecord> runs);

}  // namespace coslice
