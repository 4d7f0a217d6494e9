// How full the GPUs of a machine were by the demand that had arrived (observers/demand_watch.h).
#pragma once

#include <cstdint>
#include <vector>

namespace coslice {

/// By the demand that has arrived, in whole per cent of the machine's GPUs, from 0 on. Each is the mean over the instants
/// at which it had come to that, rounded to 0.01; where there are none, over those of the neighbours. In per cent.
struct DemandCurves {
  std::vector<double> allocation;           ///< GPUs in use, of all
  std::vector<double> fragmentation;        ///< GPUs that the mix cannot use, of all
  std::vector<double> fragmentation_ratio;  ///< the same, of those left
  double final_allocation = 0;              ///< after the last arrival
  std::int64_t arrived = 0, placed = 0;     ///< jobs
};

}  // namespace coslice
