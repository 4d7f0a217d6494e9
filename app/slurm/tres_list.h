// Lists of trackable resources (TRES): amounts of sacctmgr's limits, weights of slurm.conf.
#pragma once

#include <string>
#include <vector>

#include "slurm/conf_lines.h"

namespace coslice::slurm {

/// Names of generic resources that a site has: gpu and what GresTypes says, "" or "gpu,mps".
std::vector<std::string> gres_names(const std::string& gres_types);

/// "cpu=100,mem=2G,gres/gpu:a100=4". Throws InputError with file and line: a name that no TRES has, with the one that
/// was probably meant, or an amount that is not a number. Names may be in any case; `gres` are those of generic
/// resources.
void check_tres_list(const Setting& setting, const std::vector<std::string>& gres);

}  // namespace coslice::slurm
