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

/// For future days each one of the days before `state.now`, drawn, with its jobs at the same times of day; where less than two
/// days are known, hours. Each future weighs them anew (the Bayesian bootstrap): the days of one have the rate of arrivals in
/// common that is not known. In order of submission, up to `until`. None where less than two hours are known.
std::vector<Arrival> draw_arrivals(const Workload& workload, const MachineState& state, Time until, RandomStream random);

}  // namespace coslice
