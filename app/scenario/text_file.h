// The text of a TOML file, as scenarios and tables of slowdowns are read.
#pragma once

#include <string>

#include "core/value.h"

namespace coslice {

/// Returns the text of a TOML file of at most 64 MB. `what` is how errors call it ("scenario file"), `asked_at` where
/// it was named. Throws InputError.
std::string read_text_file(const std::string& path, const std::string& what, const Place& asked_at = {});

}  // namespace coslice
