// The keys of [machine] that describe nodes which differ, and the machine that they make.
#pragma once

#include "scenario/scenario.h"

namespace coslice {

/// Reads and writes `machine.nodes`: a number of equal nodes, or a list of kinds of nodes.
Codec<Scenario> nodes_or_kinds();
/// Reads and writes `machine.memory`, a key of equal nodes only: it is not written where there are kinds, and written
/// with its unit where numbers without one are refused.
Codec<Scenario> memory_of_equal_nodes();
Codec<Scenario> of_equal_nodes(Codec<Scenario> codec);
/// Reads and writes `machine.partitions`, `machine.licences` and `machine.switches`.
Codec<Scenario> machine_partitions();
Codec<Scenario> machine_licences();
Codec<Scenario> machine_switches();

/// Makes the layout of a machine with kinds of nodes, partitions, licences or switches. `tree` is the scenario as it
/// was read, for places. Throws InputError for what cannot be: see make_layout().
void set_machine(Scenario& scenario, const Value& tree);

}  // namespace coslice
