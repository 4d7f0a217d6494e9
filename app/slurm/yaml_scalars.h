// What stands behind a key or a dash of YAML: a text, a number, a list or a table in brackets, as JSON has them.
#pragma once

#include <string>

#include "core/value.h"

namespace coslice::slurm {

/// Returns the value, with its place; `text` begins at `place` and may have line ends in brackets. Throws InputError:
/// brackets that do not match, a key that appears twice, anchors, tags and texts of several lines.
Value yaml_scalar(const std::string& text, const Place& place);
/// Returns a key without its quotes.
std::string yaml_key(const std::string& text);

}  // namespace coslice::slurm
