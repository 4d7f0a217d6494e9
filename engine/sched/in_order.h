// First come, first served: the head of the queue starts while it fits.
#pragma once

#include <functional>

#include "sched/view.h"

namespace coslice {

/// A policy's veto: may this waiting job start now? Empty: yes. A job that may not is passed over: it neither starts
/// nor holds a reservation in this pass.
using MayStart = std::function<bool(JobIndex)>;

/// Starts jobs from the head of the queue while they fit on free nodes; those with a reservation wait for it. Returns the position of the first job that
/// does not fit, or the queue's end.
View::Position start_in_order(View& view, const MayStart& may_start = {});

}  // namespace coslice
