// The YAML of Slurm's topology.yaml: mappings, sequences and scalars, in blocks or in brackets on one line; neither
// anchors nor texts over several lines.
#pragma once

#include <string>

#include "core/value.h"

namespace coslice::slurm {

/// Returns what the file says: tables, lists, texts, whole numbers, flags, each with its place. Throws InputError with
/// file and line for what is none of these.
Value read_yaml(const std::string& path);

}  // namespace coslice::slurm
