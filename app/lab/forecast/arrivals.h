// Jobs that may come: those that came before, anew.
#pragma once

#include <vector>

#include "core/random.h"
#include "lab/forecast/machine_state.h"

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

}  // namespace coslice
