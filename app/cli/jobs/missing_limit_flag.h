// --missing-limit of `coslice convert`, in the words of a scenario.
#pragma once

#include <string>

#include "core/value.h"
#include "formats/recorded.h"

namespace coslice::cli {

/// Sets workload.missing_limit in the tree: "run-time"; "2x"; a time ("3d", "86400", "1-00:00:00"); or times by
/// partition ("gpu=1d,others=3d"), by the names that the site has for them, or by number. Throws InputError.
void set_missing_limit(Value& tree, const std::string& text, const RecordedWorkload& recorded);

}  // namespace coslice::cli
