// One possible future of a machine: a trace with what happened, what runs and waits, and what may come.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/random.h"
#include "formats/recorded.h"
#include "lab/forecast/forecast.h"
#include "lab/forecast/known_jobs.h"

namespace coslice {

/// A job that came before, and when it comes again.
struct Arrival {
  JobIndex like = kNoJob;
  Time submit{};
};

/// Returns the jobs that may come, in order of submission, up to `until`: for future days each one of the days before
/// `state.now`, drawn, with its jobs at the same times of day; where less than two days are known, hours; where less
/// than eight hours are, eighths of what is known. Each future weighs them anew (the Bayesian bootstrap): the days of
/// one have the rate of arrivals in common that is not known. None where less than eight seconds are known.
std::vector<Arrival> draw_arrivals(const Workload& workload, const MachineState& state, Time until,
                                   RandomStream random);

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

/// Returns the scenario of a run of that future; its trace is the future's, under a name of its own.
Scenario scenario_of(const ForecastBase& base, const Future& future);

}  // namespace coslice
