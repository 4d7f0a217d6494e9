// The order in which what happens at one instant is handled, as a list of sources of events; a scheduling pass follows.
// What else belongs to an instant is in the head of run/simulation.h.
#pragma once

#include <algorithm>

#include "core/time.h"

namespace coslice {

/// Lists the sources of events of a run. Each source is a class with two functions: `next(run)`, when something of it
/// happens next (kNever: nothing is known), and `handle(run)`, which lets all happen that is due.
template <class... Sources>
struct EventSources {
  /// Returns when something happens next.
  template <class Run>
  static Time next(const Run& run) {
    Time t = kNever;
    ((t = std::min(t, Sources::next(run))), ...);
    return t;
  }
  /// Lets happen what is due by `now`, source by source.
  template <class Run>
  static void handle(Run& run, Time now) {
    ((Sources::next(run) <= now ? Sources::handle(run) : void()), ...);
  }
};

/// The order ends-first. A new kind of event is a class of the run and a word here.
///  Ends: of jobs, of loads, of boots
///  Changes: of the nodes of elastic jobs come into force; programs ask for others
///  Outages: nodes come back, then others fail or are drained: interrupted jobs wait again
///  Stops: of jobs whose policies have asked them to
///  Reservations: of nodes: some end, become known, begin
///  Outrun: jobs outrun their estimates; after the ends, which may free what they then need
///  SliceBounds: a slice ends, the next one begins
///  Arrivals: jobs come, then jobs are withdrawn
///  Wakes: passes that were asked for
template <class Run>
using OrderAtInstant = EventSources<typename Run::Ends, typename Run::Changes, typename Run::Outages,
                                    typename Run::Stops, typename Run::Reservations, typename Run::Outrun,
                                    typename Run::SliceBounds, typename Run::Arrivals, typename Run::Wakes>;

}  // namespace coslice
