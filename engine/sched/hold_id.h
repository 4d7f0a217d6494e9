#pragma once

#include <cstdint>

namespace coslice {

/// The number of the record in which a ledger (availability.h) keeps what a job holds, or what is reserved for it.
using HoldId = std::int32_t;
constexpr HoldId kNoHold = -1;

}  // namespace coslice
