// The number of a request, apart from what a request is: jobs need no more.
#pragma once

#include <cstdint>

namespace coslice {

/// Dense number of a request in its table; jobs without one ask for whole nodes by their size.
using RequestId = std::int32_t;
inline constexpr RequestId kNoRequest = -1;

}  // namespace coslice
