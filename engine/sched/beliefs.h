// What a scheduler believes of single jobs on a machine with kinds of nodes, in seconds.
#pragma once

#include <cstdint>

#include "sched/view.h"

namespace coslice {

/// Work per second of a job, waiting or not, on nodes of that kind for itself, or beside one other job there; 0: it cannot run there.
double believed_speed(const View& view, JobIndex j, std::int32_t kind, JobIndex other = kNoJob);
/// What is left of a started job, at a speed of 1.
double believed_left(const View& view, const StartedJob& job);
/// An instant of the view's time on the machine's clock.
double on_machine_clock(const View& view, double seconds);

}  // namespace coslice
