// What may change what a placement is shown for jobs that start now without a reservation, e.g. because others make way.
#pragma once

#include <cstdint>

#include "resources/placement.h"

namespace coslice {

class StartChoice {
 public:
  virtual ~StartChoice() = default;
  /// As Placement::choose, which it asks of `placement`.
  virtual bool choose_by(Placement& placement, std::uint32_t job, const Request& request, const NodePool& pool,
                         const NodeSet& fitting, Parts& out) = 0;
};

}  // namespace coslice
