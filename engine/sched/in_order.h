// First come, first served: the head of the queue starts while it fits.
#pragma once

#include <cstdint>
#include <functional>

#include "sched/view.h"

namespace coslice {

/// A policy's veto: may this waiting job start now? Empty: yes. A job that may not is passed over: it neither starts
/// nor holds a reservation in this pass.
using MayStart = std::function<bool(JobIndex)>;

/// What becomes of those behind a waiting job that holds a reservation for later.
enum class LaterReservation : std::uint8_t {
  kBlocks,  ///< it comes first: no job behind it starts
  kPassed,  ///< it has its place: they may start beside it, and that is backfilling
};

/// Starts jobs from the head of the queue while they fit on free nodes. Returns the position of the first job that does
/// not start, or the queue's end; `may_start` and kPassed pass jobs over.
View::Position start_in_order(View& view, const MayStart& may_start = {},
                              LaterReservation later = LaterReservation::kBlocks);

}  // namespace coslice
