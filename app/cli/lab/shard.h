// Parts of a campaign on the command line.
#pragma once

#include <string>

#include "lab/campaign/sweep.h"

namespace coslice::cli {

/// Reads a part such as "3/40", as of --shard. Throws InputError.
Shard shard_of(const std::string& text);

/// Returns the name of the file of results: "depth.sqlite" of "campaigns/depth.toml"; "depth-3-of-40.sqlite" for a
/// shard.
std::string results_name(const std::string& campaign, const Shard& shard);

}  // namespace coslice::cli
