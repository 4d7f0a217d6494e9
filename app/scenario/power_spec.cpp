#include "scenario/power_spec.h"

#include <fmt/format.h>

#include "core/error.h"
#include "scenario/keys.h"
#include "scenario/scenario.h"

namespace coslice {

namespace {

#define POWER(member) COSLICE_FIELD(Scenario, power.member)

/// Means nothing where no node is powered down.
Codec<Scenario> of_power(Codec<Scenario> codec) {
  codec.write = [write = codec.write](const Scenario& s) { return s.power.any() ? write(s) : std::nullopt; };
  return codec;
}

Codec<Scenario> nodes_that_stay_on() {
  Codec<Scenario> codec = of_power(codec::texts<Scenario>(POWER(except)));
  codec.read = [read = codec.read](Scenario& s, const Value& v, const std::string& path) {
    read(s, v, path);
    s.power.place = v.place;
  };
  return codec;
}

constexpr double kMostWatts = 1e6;

}  // namespace

std::vector<Key<Scenario>> keys_of_power() {
  using T = Scenario;
  const auto watts = [](auto field) { return of_power(codec::real<T>(field, {0, kMostWatts})); };
  return {
      {"power.idle", codec::seconds<T>(POWER(idle), {0, kMaxSeconds}),
       "A node that no job had for longer than that is powered down, s. Absent: none ever is."},
      {"power.boot", of_power(codec::seconds<T>(POWER(boot), {0, kMaxSeconds})),
       "Time until a node is up again, s. The job that got it has all its nodes meanwhile, and begins when all of them are up."},
      {"power.shutdown", of_power(codec::seconds<T>(POWER(shutdown), {0, kMaxSeconds})),
       "Time that powering down takes, s: a node cannot begin to come up before."},
      {"power.except", nodes_that_stay_on(),
       "Nodes that are never powered down: names of kinds, of nodes, or ranges of them; on a machine of equal nodes their "
       "numbers: `\"0-15\"`. Default: none."},
      {"power.watts.busy", watts(POWER(busy)), "Of a node that is up and that a job has, W."},
      {"power.watts.idle", watts(POWER(idle_watts)), "Of a node that is up and that no job has, W."},
      {"power.watts.booting", watts(POWER(booting)), "Of a node that comes up, W. Default: `busy`."},
      {"power.watts.off", watts(POWER(off)), "Of a node that is powered down, W. Default 0."},
  };
}

void check_power(const Value& tree, const PowerSpec& spec) {
  const auto place = [&](const char* key) { return find_path(tree, std::string("power.") + key); };
  if (!spec.any())
    for (const char* key : {"boot", "shutdown", "except", "watts.busy", "watts.idle", "watts.booting", "watts.off"})
      if (const Value* v = place(key))
        fail_at(v->place, fmt::format("power.{} has no effect where no node is powered down", key), "power.idle");
  if (spec.busy.has_value() == spec.idle_watts.has_value()) {
    if (spec.busy) return;
    for (const char* key : {"watts.booting", "watts.off"})
      if (const Value* v = place(key))
        fail_at(v->place, fmt::format("power.{} alone gives no energy", key), "power.watts.busy and power.watts.idle");
    return;
  }
  const char* const given = spec.busy ? "watts.busy" : "watts.idle";
  fail_at(place(given)->place, fmt::format("power.{} alone gives no energy", given),
          fmt::format("power.{} as well", spec.busy ? "watts.idle" : "watts.busy"));
}

PowerOptions power_options(const Scenario& scenario) {
  const PowerSpec& spec = scenario.power;
  PowerOptions options;
  options.idle = *spec.idle;
  options.boot = spec.boot;
  options.shutdown = spec.shutdown;
  if (!spec.except.empty()) options.stays_on = nodes_by_name(scenario.machine, spec.except, spec.place);
  if (spec.busy)
    options.watts = NodeWatts{*spec.busy, *spec.idle_watts, spec.booting.value_or(*spec.busy), spec.off.value_or(0)};
  return options;
}

}  // namespace coslice
