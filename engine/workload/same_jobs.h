// Whether two workloads are the same to a simulation.
#pragma once

#include <string>

#include "workload/workload.h"

namespace coslice {

/// "" if the jobs of both are the same in all that a run can depend on; else the first difference in words, with "a" and
/// "b" for the two: "job 7 differs in submit: 10 s in a, 12 s in b".
std::string first_difference(const Workload& a, const Workload& b);

}  // namespace coslice
