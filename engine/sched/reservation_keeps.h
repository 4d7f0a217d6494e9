// What the reservation of a waiting job keeps from other jobs.
#pragma once

#include <cstdint>

namespace coslice {

enum class ReservationKeeps : std::uint8_t {
  kAskedFor,    ///< what the job asks for
  kWholeNodes,  ///< its nodes, though it asks for parts of them (Slurm's backfill scheduler)
};

}  // namespace coslice
