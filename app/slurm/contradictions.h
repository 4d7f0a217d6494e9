// Settings of a site that cannot be combined, though each can be read.
#pragma once

#include <vector>

#include "slurm/conf_lines.h"
#include "slurm/import_page.h"
#include "slurm/site.h"

namespace coslice::slurm {

/// Adds the contradictions of the settings, with their lines, to the page. `gave_associations`: whether a file of them
/// was given.
void note_contradictions(const std::vector<ConfLine>& conf, const Site& site, bool gave_associations, ImportPage& page);

}  // namespace coslice::slurm
