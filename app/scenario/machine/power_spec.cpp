#include "scenario/machine/power_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "machine/layout.h"
#include "scenario/key_tables.h"
#include "scenario/scenario.h"

namespace coslice {
namespace {

#define POWER(member) COSLICE_FIELD(Scenario, power.member)

/// Means nothing where no node is powered down.
Codec<Scenario> of_power(Codec<Scenario> codec) {
  codec.write = [write = codec.write](const Scenario& s) { return s.power.any() ? write(s) : std::nullopt; };
  return codec;
}

/// Names of nodes, and the place that says them.
template <class Field, class PlaceField>
Codec<Scenario> names_of_nodes(Field field, PlaceField place) {
  Codec<Scenario> codec = of_power(codec::texts<Scenario>(field));
  codec.read = [read = codec.read, place](Scenario& s, const Value& v, const std::string& path) {
    read(s, v, path);
    place(s) = v.place;
  };
  return codec;
}

struct Watts {
  std::optional<double> busy, idle;
};

/// Of each kind of nodes; one where all are equal.
std::vector<Watts> watts_of(const Scenario& scenario) {
  const PowerSpec& spec = scenario.power;
  std::vector<Watts> watts(kinds_of(scenario.machine)->kinds.size(), {spec.busy, spec.idle_watts});
  for (std::size_t k = 0; k != scenario.layout.kinds.size(); ++k) {
    const NodeKindSpec& kind = scenario.layout.kinds[k];
    if (kind.busy_watts) watts[k] = {kind.busy_watts, kind.idle_watts};
  }
  return watts;
}

/// Both or neither, and of all kinds or of none.
void check_watts(const Value& tree, const Scenario& scenario) {
  const PowerSpec& spec = scenario.power;
  const auto fail_alone = [](const Place& place, const std::string& given, const std::string& other) {
    fail_at(place, given + " alone gives no energy", other + " as well");
  };
  if (spec.busy.has_value() != spec.idle_watts.has_value()) {
    const std::string given = spec.busy ? "power.watts.busy" : "power.watts.idle";
    fail_alone(find_path(tree, given)->place, given, spec.busy ? "power.watts.idle" : "power.watts.busy");
  }
  const NodeKindSpec *with = nullptr, *without = nullptr;
  for (const NodeKindSpec& kind : scenario.layout.kinds) {
    if (kind.busy_watts.has_value() != kind.idle_watts.has_value())
      fail_alone(kind.place, kind.busy_watts ? "busy_watts" : "idle_watts",
                 kind.busy_watts ? "idle_watts" : "busy_watts");
    (kind.busy_watts ? with : without) = &kind;
  }
  if (with != nullptr && without != nullptr && !spec.busy)
    fail_at(without->place,
            fmt::format("the kind '{}' does not say what its nodes draw, and '{}' does", without->name, with->name),
            "busy_watts and idle_watts of each kind, or power.watts.busy and power.watts.idle for those without");
  const bool known = spec.busy.has_value() || with != nullptr;
  for (const char* key : {"power.watts.booting", "power.watts.off", "power.watts.gpu", "power.kwh_price"})
    if (const Value* v = known ? nullptr : find_path(tree, key))
      fail_at(v->place, fmt::format("{} has no effect where it is not known what nodes draw", key),
              "power.watts.busy and power.watts.idle");
  const bool has_gpus = !scenario.lists.nodes.empty() ||
                        std::ranges::any_of(scenario.layout.kinds, [](const NodeKindSpec& k) { return k.gpus > 0; });
  if (const Value* v = has_gpus ? nullptr : find_path(tree, "power.watts.gpu"))
    fail_at(v->place, "power.watts.gpu has no effect on a machine without GPUs", "gpus of some kind of nodes");
}

}  // namespace

std::vector<Key<Scenario>> keys_of_power() {
  using T = Scenario;
  const auto watts = [](auto field) { return codec::real<T>(field, {0, kMostWatts}); };
  return {
      {"power.idle", codec::seconds<T>(POWER(idle), {0, kMaxSeconds}),
       "Idle time, s, after which a node is powered down. Absent: never."},
      {"power.boot", of_power(codec::seconds<T>(POWER(boot), {0, kMaxSeconds})),
       "Time until a node is up again, s. The job that got it has all its nodes meanwhile, and begins when all of them "
       "are up."},
      {"power.shutdown", of_power(codec::seconds<T>(POWER(shutdown), {0, kMaxSeconds})),
       "Time that powering down takes, s: a node cannot begin to come up before."},
      {"power.except", names_of_nodes(POWER(except), POWER(place)),
       "Nodes that are never powered down: names of kinds, of nodes, or ranges of them; on a machine of equal nodes "
       "their numbers: `\"0-15\"`. Default: none."},
      {"power.off_at_first", names_of_nodes(POWER(off_at_first), POWER(off_place)),
       "Nodes that are powered down when the run begins, but for those of `except`: names as there. Default: none."},
      {"power.watts.busy", watts(POWER(busy)), "Of a node that is up and that a job has, W."},
      {"power.watts.idle", watts(POWER(idle_watts)), "Of a node that is up and that no job has, W."},
      {"power.watts.booting", of_power(watts(POWER(booting))), "Of a node that comes up, W. Default: `busy`."},
      {"power.watts.off", of_power(watts(POWER(off))), "Of a node that is powered down, W. Default 0."},
      {"power.watts.gpu", watts(POWER(gpu)),
       "Of each GPU that a job has, beside what its node draws, W; of a share of a GPU that share. Then `busy` is what "
       "a "
       "node draws whose GPUs have nothing to do. Default 0."},
      {"power.kwh_price", codec::real<T>(POWER(kwh_price), {0, kMostPrice}),
       "Of a kWh, in the currency of `price` of the machine. Default: energy costs nothing."},
  };
}

void check_power(const Value& tree, const Scenario& scenario) {
  if (!scenario.power.any())
    for (const char* key : {"boot", "shutdown", "except", "off_at_first", "watts.booting", "watts.off"})
      if (const Value* v = find_path(tree, std::string("power.") + key))
        fail_at(v->place, fmt::format("power.{} has no effect where no node is powered down", key), "power.idle");
  check_watts(tree, scenario);
}

PowerOptions power_options(const Scenario& scenario) {
  const PowerSpec& spec = scenario.power;
  PowerOptions options;
  options.idle = *spec.idle;
  options.boot = spec.boot;
  options.shutdown = spec.shutdown;
  if (!spec.except.empty()) options.stays_on = nodes_by_name(scenario.machine, spec.except, spec.place);
  if (!spec.off_at_first.empty())
    options.off_at_first = nodes_by_name(scenario.machine, spec.off_at_first, spec.off_place);
  return options;
}

std::optional<MachineCosts> machine_costs(const Scenario& scenario) {
  const PowerSpec& spec = scenario.power;
  MachineCosts costs;
  costs.kwh_price = spec.kwh_price.value_or(0);
  bool any = spec.price.has_value();
  for (const Watts& w : watts_of(scenario)) {
    costs.kinds.push_back({std::nullopt, spec.price.value_or(0)});
    if (w.busy)
      costs.kinds.back().watts =
          NodeWatts{*w.busy, *w.idle, spec.booting.value_or(*w.busy), spec.off.value_or(0), spec.gpu.value_or(0)};
    any |= w.busy.has_value();
  }
  for (std::size_t k = 0; k != scenario.layout.kinds.size(); ++k) {
    costs.kinds[k].price = scenario.layout.kinds[k].price.value_or(0);
    any |= scenario.layout.kinds[k].price.has_value();
  }
  if (!any) return std::nullopt;
  return costs;
}

}  // namespace coslice
