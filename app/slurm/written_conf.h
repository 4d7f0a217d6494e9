// Parameters of a site's policy as lines of slurm.conf.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"

namespace coslice::slurm {

/// Returns whether the parameter of the policy is a setting of Slurm's, or a word of SchedulerParameters.
bool is_conf_parameter(std::string_view name);

/// Returns the lines that set these parameters, spans of time as Slurm reads them; "" where none is Slurm's. A flag of
/// SchedulerParameters that is off has no word: the line says which is to go.
std::string conf_lines(const std::vector<std::pair<std::string, Value>>& params);

}  // namespace coslice::slurm
