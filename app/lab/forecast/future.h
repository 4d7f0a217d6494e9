// One possible future of a machine: a trace with what happened, what runs and waits, and what may come.
#pragma once

#include <cstddef>
#include <memory>

#include "formats/recorded.h"
#include "lab/forecast/forecast.h"

namespace coslice {

struct Future {
  std::shared_ptr<const RecordedWorkload> trace;
  Time now{};                         ///< of the snapshot, on the trace's clock
  Duration shift{0};                  ///< from the trace's clock to that of the workload
  std::vector<std::int64_t> waiting;  ///< numbers of the waiting jobs in the trace, in the order of their JobIndex
  std::size_t arrivals = 0;
};

/// Draws one. Jobs that are known to be held are left out.
Future draw_future(const ForecastBase& base, const MachineState& state, const ForecastOptions& options,
                   std::int64_t run);

}  // namespace coslice
