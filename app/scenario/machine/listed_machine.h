// A machine from a list of its nodes (formats/openb.h), and jobs from a list of pods.
#pragma once

#include "core/codec.h"
#include "jobs/workload.h"
#include "scenario/scenario.h"

namespace coslice {

class InputCache;

/// Sets the machine to the one that the scenario names a list of, if it does. Throws InputError with file and line.
void set_listed_machine(Scenario& scenario, InputCache* inputs);

/// Sets the order of equally good nodes on a heterogeneous machine, where the scenario wants another than by number.
/// `node_of_row` says which node a row of its list is; empty: rows are numbers of nodes.
void set_node_order(const Scenario& scenario, const std::vector<NodeId>& node_of_row, MachineLayout& layout);

/// Throws InputError if curves by demand are wanted of a machine without GPUs.
void check_curves(const Scenario& scenario);

/// Throws InputError if the scenario says how pods come; for a trace that is no list of pods.
void refuse_pod_keys(const Scenario& scenario);

/// Returns the jobs of the scenario's trace, which is a list of pods, as [workload.pods] says. Throws InputError.
Workload load_pods(const Scenario& scenario, InputCache* inputs);

/// Returns the keys of [workload.pods], and those of [machine] that are about lists.
std::vector<Key<Scenario>> with_list_keys(std::vector<Key<Scenario>> keys);

}  // namespace coslice
