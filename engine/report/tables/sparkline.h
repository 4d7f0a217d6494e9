// Two lines of block characters that show a run at a glance: how full the machine was and how long the queue.
#pragma once

#include <string>
#include <vector>

#include "metrics/summary.h"
#include "observers/result.h"

namespace coslice {

/// One block character a value: a space for 0, then eight heights up to `top`. Values above `top` count as `top`.
std::string sparkline(const std::vector<double>& values, double top);

/// Utilization and queue length from the first submission to the last end, `width` columns in all, for instance
///   used nodes  ▃▅▇██▇▆▃  84.7 %
///   queue       ▁▂▄█▆▃▁   240 at most
///               0 s          12 d 03:04:05
/// Each block is the mean over its share of the time. "" if nothing ran.
std::string run_sparklines(const RunResult& result, const Summary& summary, int width, bool colour);

}  // namespace coslice
