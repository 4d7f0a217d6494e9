// What a comparison says of itself, in words.
#pragma once

#include "lab/compare/compare.h"

namespace coslice {

/// Fills notes and warnings of a comparison whose figures are there.
void add_notes(VariantComparison& comparison, const CompareOptions& options);

}  // namespace coslice
