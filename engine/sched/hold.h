#pragma once

#include <cstdint>

namespace coslice {

/// The number of the record in which a ledger (availability.h) keeps what a job holds, or what is reserved for it.
using HoldId = std::int32_t;
constexpr HoldId kNoHold = -1;

// What the reservation of a waiting job keeps from other jobs.

enum class ReservationKeeps : std::uint8_t {
  kAskedFor,    ///< what the job asks for
  kWholeNodes,  ///< its nodes, though it asks for parts of them (Slurm's backfill scheduler)
};

}  // namespace coslice
