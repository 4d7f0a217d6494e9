// The keys of a program in a scenario.
#pragma once

#include <vector>

#include "scenario/codec.h"
#include "scenario/process_spec.h"

namespace coslice {

const std::vector<Key<ProgramSpec>>& program_keys();
/// Names once each, and each program one that can run. Throws InputError.
void check_programs(const std::vector<ProgramSpec>& programs, const Value& list, const std::string& path);

}  // namespace coslice
