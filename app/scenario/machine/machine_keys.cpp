#include "scenario/machine/machine_keys.h"

#include <fmt/format.h>

#include "core/value.h"
#include "machine/machine_spec.h"
#include "scenario/jobs/placed_records.h"
#include "scenario/key_tables.h"

namespace coslice {
namespace {

#define MACHINE_FIELD(member) COSLICE_FIELD(Scenario, member)

/// What belongs to each kind cannot be said for all of them.
void refuse_common_keys(const Value& tree) {
  for (const char* key : {"machine.processors", "machine.cores", "machine.memory", "machine.price"}) {
    if (const Value* v = find_path(tree, key))
      fail_at(v->place, std::string(key) + " is set beside kinds of nodes",
              "the same key in each of [[machine.nodes]]");
  }
}

/// A key that is set, and the one without which it has no effect.
void refuse_alone(const Value& tree, const char* key, const char* owner) {
  const Value* v = find_path(tree, key);
  if (v != nullptr && find_path(tree, owner) == nullptr)
    fail_at(v->place, fmt::format("{} has no effect without {}", key, owner), owner);
}

void check_orders(const Value& tree, const Scenario& s) {
  refuse_alone(tree, "machine.order_column", "machine.order");
  refuse_alone(tree, "workload.pods.order_column", "workload.pods.order");
  if (s.lists.random_order && !s.lists.order.empty())
    fail_at(find_path(tree, "machine.random_order")->place, "machine.order and machine.random_order are both set",
            "one of them");
}

/// On a heterogeneous machine, memory is said in MiB: a number in KB beside it would be taken for one of them.
void refuse_kilobytes(const Value& v, const std::string& path) {
  if (!v.text() && !v.is_nil() && v != Value(0) && v != Value(-1))
    fail_at(v.place,
            fmt::format("{} is {}, without a unit, on a machine with kinds of nodes, partitions, licences or switches",
                        path, toml_text(v)),
            "a text with a unit like \"4 GiB\"");
}

void check_units(const Value& tree) {
  if (const Value* v = find_path(tree, "machine.memory")) refuse_kilobytes(*v, "machine.memory");
  const Value* jobs = find_path(tree, "workload.jobs");
  if (jobs == nullptr || !jobs->list()) return;
  for (std::size_t i = 0; i < jobs->list()->size(); ++i)
    if (const Value* v = (*jobs->list())[i].find("memory"))
      refuse_kilobytes(*v, fmt::format("workload.jobs[{}].memory", i + 1));
}

}  // namespace

Codec<Scenario> nodes_or_kinds() {
  const Codec<Scenario> count = codec::integer<Scenario>(MACHINE_FIELD(machine.nodes), 0, 100'000);
  const Codec<Scenario> kinds = placed_records(MACHINE_FIELD(layout.kinds), node_kind_keys());
  Codec<Scenario> c{count.type + ", or a list of kinds: [[machine.nodes]]",
                    [=](Scenario& s, const Value& v, const std::string& path) {
                      s.layout.kinds.clear();
                      (v.list() ? kinds : count).read(s, v, path);
                      if (v.list() && v.list()->empty()) codec::wrong(v, path, "kinds of nodes, at least one");
                    },
                    [=](const Scenario& s) { return (s.layout.kinds.empty() ? count : kinds).write(s); }};
  c.columns = kinds.columns;
  return c;
}

Codec<Scenario> memory_of_equal_nodes() {
  Codec<Scenario> c = codec::kilobytes<Scenario>(MACHINE_FIELD(machine.memory_kb));
  c.write = [write = c.write](const Scenario& s) -> std::optional<Value> {
    const bool equal = s.layout.partitions.empty() && s.layout.licences.empty() && s.layout.switches.empty();
    return equal || s.machine.memory_kb == 0 ? write(s) : Value(kilobytes_text(s.machine.memory_kb));
  };
  return c;
}

Codec<Scenario> of_equal_nodes(Codec<Scenario> codec) {
  codec.write = [write = codec.write](const Scenario& s) {
    return s.layout.kinds.empty() && s.lists.nodes.empty() ? write(s) : std::nullopt;
  };
  return codec;
}

Codec<Scenario> machine_partitions() { return placed_records(MACHINE_FIELD(layout.partitions), partition_keys()); }
Codec<Scenario> machine_licences() { return placed_records(MACHINE_FIELD(layout.licences), licence_keys()); }
Codec<Scenario> machine_switches() { return placed_records(MACHINE_FIELD(layout.switches), switch_keys()); }

void set_machine(Scenario& s, const Value& tree) {
  check_orders(tree, s);
  LayoutSpec layout = s.layout;
  if (!s.lists.nodes.empty()) {
    for (const char* key : {"machine.partitions", "machine.licences", "machine.switches", "machine.processors",
                            "machine.cores", "machine.memory"})
      if (const Value* v = find_path(tree, key))
        fail_at(v->place, std::string(key) + " has no effect beside machine.list", "one of the two");
    if (!layout.kinds.empty())
      fail_at(find_path(tree, "machine.nodes")->place, "machine.nodes is set beside machine.list", "one of the two");
    check_units(tree);
  }
  if (layout.empty()) return;
  check_units(tree);
  if (!layout.kinds.empty()) {
    refuse_common_keys(tree);
  } else {
    const Value* nodes = find_path(tree, "machine.nodes");
    const Place& place = (nodes != nullptr ? *nodes : *find_path(tree, "machine")).place;
    if (s.machine.nodes < 1)
      fail_at(place, "a machine with partitions, licences or switches needs its nodes", "machine.nodes");
    layout.kinds.push_back(equal_nodes(s.machine));
    layout.kinds.back().place = place;
  }
  const MachineSpec equal = s.machine;
  set_layout(s.machine, make_layout(layout));
  if (!s.layout.kinds.empty()) return;
  s.machine.processors = equal.processors;
  s.machine.cores = equal.cores;
  s.machine.memory_kb = equal.memory_kb;
}

}  // namespace coslice
