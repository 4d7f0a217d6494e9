// Requests of several components: one submission asks for nodes of several kinds, which it gets together or not at all.
//
// A component is a request of its own. Whether there are nodes for all of them is a question about sets of nodes, one
// for each component, which may overlap: each component has to have its nodes for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine/node_room.h"
#include "machine/node_set.h"
#include "machine/request.h"

namespace coslice {

/// The most components that a job may have.
inline constexpr std::size_t kMostComponents = 32;
/// The most ways to choose a partition for each component that a job may have.
inline constexpr std::size_t kMostWaysOfComponents = 64;

inline bool has_components(const Request& r) { return !r.components.empty(); }

/// Returns the request that asks for all of these together. Each has cores that no other job has: of what is not its
/// own it takes nothing (Request::rows, Request::over). Precondition: at least two.
Request of_components(std::vector<Request> components);
/// Lets the component have no core of another job, whatever its partition says.
void have_idle_cores(Request& component);

/// Calls f with each component, or with the request itself where it is one.
template <class F>
void each_component(const Request& r, F&& f) {
  if (!has_components(r)) return f(r);
  for (const Request& c : r.components) f(c);
}

/// Returns whether some component is like that, or the request itself.
template <class F>
bool any_component(const Request& r, F&& is) {
  bool any = false;
  each_component(r, [&](const Request& c) { any = any || is(c); });
  return any;
}

/// Returns the sum of an amount of each node, over all nodes.
template <class F>
std::int64_t sum_over_nodes(const Request& r, F&& of_node) {
  std::int64_t sum = 0;
  each_component(r, [&](const Request& c) { sum += std::int64_t{c.nodes} * of_node(c); });
  return sum;
}

/// Returns the GPUs that the request has in all, in parts (kWholeGpu).
inline std::int64_t gpus_in_all(const Request& r) {
  return sum_over_nodes(r, [](const Request& c) { return std::int64_t{c.gpus} * c.gpu_share; });
}

/// Returns whether there are nodes for all components, each on other ones: of sets[i] for the i-th.
bool enough_apart(const Request& r, const std::vector<NodeSet>& sets);

/// Chooses nodes for all components, one after the other, of sets[i] for the i-th: `choose(i, nodes, parts)` chooses
/// component i's of some of these, and says whether it did. It is asked again, for fewer nodes, where its choice would
/// leave another component without; where a set has nodes that no other one has, it is free in these. Returns false
/// where `choose` did, or where there are not enough nodes (enough_apart).
template <class F>
bool choose_apart(const Request& r, std::vector<NodeSet> sets, Parts& out, F&& choose);

namespace components_detail {
/// Takes out of sets[i] what component i cannot have beside the others, of which the nodes of `chosen` show the first.
/// Returns whether that is nothing: all of `chosen` can stay.
bool narrow(const Request& r, std::size_t i, std::vector<NodeSet>& sets, const Parts& chosen);
}  // namespace components_detail

template <class F>
bool choose_apart(const Request& r, std::vector<NodeSet> sets, Parts& out, F&& choose) {
  out.clear();
  if (!enough_apart(r, sets)) return false;
  Parts chosen;
  for (std::size_t i = 0; i != r.components.size(); ++i) {
    do {
      chosen.clear();
      if (!choose(i, std::as_const(sets[i]), chosen)) return false;
    } while (!components_detail::narrow(r, i, sets, chosen));
    for (NodePart& part : chosen) {
      part.component = static_cast<std::int32_t>(i);
      for (std::size_t k = i + 1; k < sets.size(); ++k) sets[k].erase(part.node);
      out.push_back(std::move(part));
    }
  }
  return true;
}

}  // namespace coslice
