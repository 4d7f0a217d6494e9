// Joining the results of the parts of a campaign.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coslice {

struct MergeOutcome {
  std::int64_t planned = 0, runs = 0, failed = 0;
};

/// Writes the runs of all files into a new one at `out`. Throws InputError: the files are not of the same plan, a run
/// stands in two of them, or (unless `partial`) some run is missing; the message says which part lacks it.
MergeOutcome merge_results(const std::vector<std::string>& parts, const std::string& out, bool partial);

}  // namespace coslice
