// [power] of a scenario: nodes that are powered down while no job has them; what nodes draw and cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/codec.h"
#include "machine/power.h"

namespace coslice {

struct Scenario;

struct PowerSpec {
  std::optional<Duration> idle;  ///< absent: no node is powered down
  Duration boot{0}, shutdown{0};
  std::vector<std::string> except, off_at_first;  ///< nodes that stay on, and those that are off when the run begins
  Place place, off_place;                         ///< of `except` and `off_at_first`
  std::optional<double> busy, idle_watts, booting, off, gpu;
  std::optional<double> price, kwh_price;  ///< of a node for an hour where all are equal (`machine.price`); of a kWh

  bool any() const { return idle.has_value(); }
};

/// Returns the keys `power.*`.
std::vector<Key<Scenario>> keys_of_power();

/// Checks the keys of [power] against one another. Throws InputError.
void check_power(const Value& tree, const Scenario& scenario);

/// Returns what the simulation is told. The machine is known. Throws InputError for nodes that are not there.
PowerOptions power_options(const Scenario& scenario);

/// Returns what the nodes draw and cost; nothing where the scenario does not say. The machine is known.
std::optional<MachineCosts> machine_costs(const Scenario& scenario);

}  // namespace coslice
