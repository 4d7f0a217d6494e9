#include "workload/measured_slowdowns.h"

#include <algorithm>

namespace coslice {

double MeasuredSlowdowns::least_beside() const {
  double least = 1;
  for (const Gpu& gpu : gpus_)
    for (const auto* values : {&gpu.beside, &gpu.second})
      for (const double v : *values) least = std::min(least, v);
  return least;
}

}  // namespace coslice
