#include "scenario/machine/listed_machine.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/random.h"
#include "formats/openb.h"
#include "scenario/input_cache.h"
#include "scenario/key_tables.h"

namespace coslice {
namespace {

/// The column of an order that belongs to the run.
std::string column_of(const std::string& named, const Scenario& s) {
  return named.empty() ? fmt::format("s{}", s.seed) : named;
}

}  // namespace

void set_node_order(const Scenario& s, const std::vector<NodeId>& node_of_row, MachineLayout& layout) {
  const ListSpec& list = s.lists;
  const auto nodes = static_cast<std::size_t>(layout.node_count());
  const auto node_of = [&](std::size_t row) {
    return node_of_row.empty() ? static_cast<NodeId>(row) : node_of_row[row];
  };
  if (list.random_order) {
    for (std::size_t i = 0; i != nodes; ++i) layout.order.push_back(static_cast<NodeId>(i));
    RandomStream draws(static_cast<std::uint64_t>(s.seed), "nodes");
    for (std::size_t i = nodes; i > 1; --i)
      std::swap(layout.order[i - 1],
                layout.order[static_cast<std::size_t>(draws.uniform_int(0, static_cast<std::int64_t>(i) - 1))]);
    return;
  }
  if (list.order.empty()) return;
  const std::string column = column_of(list.order_column, s);
  std::vector<bool> there(nodes);
  for (const std::size_t row : read_row_order(list.order, column, nodes)) {
    if (there[row])
      throw InputError({list.order, 0, fmt::format("column '{}' has row {} twice", column, row), "each row once"});
    there[row] = true;
    layout.order.push_back(node_of(row));
  }
  if (layout.order.size() != nodes) {
    throw InputError({list.order, 0, fmt::format("column '{}' has {} rows", column, layout.order.size()),
                      fmt::format("{}, one for each node", nodes)});
  }
}

void check_curves(const Scenario& s) {
  if (!s.metrics.demand_curves || kinds_of(s.machine)->gpu_count() > 0) return;
  throw InputError({s.file, 0, "metrics.demand_curves is set, and the machine has no GPUs",
                    "machine.list or [[machine.nodes]] with GPUs"});
}

void refuse_pod_keys(const Scenario& s) {
  const PodSpec& pods = s.workload.pods;
  if (pods.times == PodTimes::kRecorded && pods.order.empty() && pods.order_column.empty() && pods.demand == 0) return;
  throw InputError({s.file, 0, fmt::format("[workload.pods] has no effect: {} is not a list of pods", s.workload.trace),
                    "a trace with the columns name, cpu_milli, memory_mib, num_gpu and gpu_milli"});
}

void set_listed_machine(Scenario& s, InputCache* inputs) {
  const ListSpec& list = s.lists;
  if (list.nodes.empty()) {
    if (list.order.empty() && !list.random_order) return;
    if (!names_kinds(s.machine))
      throw InputError(
          {s.file, 0, "machine.order has no effect where all nodes are equal", "machine.list or [[machine.nodes]]"});
    auto ordered = std::make_shared<MachineLayout>(*s.machine.layout);
    set_node_order(s, {}, *ordered);
    s.machine.layout = std::move(ordered);
    return;
  }
  ListedNodes nodes = inputs != nullptr ? *inputs->nodes(list.nodes) : read_node_list(list.nodes);
  const std::int32_t count = nodes.layout.node_count();
  if (s.machine.nodes != 0 && s.machine.nodes != count) {
    throw InputError({s.file, 0,
                      fmt::format("machine.nodes is {}, and {} lists {} nodes", s.machine.nodes, list.nodes, count),
                      "one of the two"});
  }
  set_node_order(s, nodes.node_of_row, nodes.layout);
  set_layout(s.machine, std::make_shared<const MachineLayout>(std::move(nodes.layout)));
}

Workload load_pods(const Scenario& s, InputCache* inputs) {
  const std::string& path = s.workload.trace;
  if (!names_kinds(s.machine))
    throw InputError({path, 0, "is a list of pods, which ask for parts of nodes",
                      "a machine that says what its nodes have", "set machine.list or [[machine.nodes]]"});
  const auto pods =
      inputs != nullptr ? inputs->pods(path) : std::make_shared<const std::vector<Pod>>(read_pod_list(path));
  const PodSpec& spec = s.workload.pods;
  const MachineLayout& layout = *s.machine.layout;
  std::vector<std::size_t> rows;
  if (!spec.order.empty()) rows = read_row_order(spec.order, column_of(spec.order_column, s), pods->size());
  else if (spec.demand > 0) rows = draw_arrivals(*pods, layout, spec.demand, static_cast<std::uint64_t>(s.seed));
  else
    for (std::size_t i = 0; i != pods->size(); ++i) rows.push_back(i);
  Workload workload = pod_workload(*pods, rows, spec.times, layout, path);
  workload.typical = typical_pods(*pods, layout, path);
  return workload;
}

std::vector<Key<Scenario>> with_list_keys(std::vector<Key<Scenario>> keys) {
  using T = Scenario;
  insert_before(
      keys, "workload.trace",
      {{"machine.list", codec::path<T>(COSLICE_FIELD(T, lists.nodes)),
        "A list of the nodes, instead of their number: CSV, plain or gzip, with the columns sn, cpu_milli, memory_mib, "
        "gpu and model ([formats.md](formats.md#lists-of-nodes-and-pods))."},
       {"machine.order", codec::path<T>(COSLICE_FIELD(T, lists.order)),
        "Nodes that placement finds equally good are taken in the order of this CSV file: numbers of rows of the list, "
        "or of nodes, from 0. Default: by number."},
       {"machine.order_column", codec::text<T>(COSLICE_FIELD(T, lists.order_column)),
        "Which column of it; default: `s` and the seed."},
       {"machine.random_order", codec::flag<T>(COSLICE_FIELD(T, lists.random_order)),
        "Such nodes are taken in an order that is drawn once for the run."}});
  insert_before(
      keys, "processes.programs",
      {{"workload.pods.times", codec::choice<T>(COSLICE_FIELD(T, workload.pods.times), {"recorded", "one-by-one"}),
        "Pods come and go as recorded; or one comes each second, and none leaves."},
       {"workload.pods.order", codec::path<T>(COSLICE_FIELD(T, workload.pods.order)),
        "A CSV file with the numbers of the rows, from 0, in the order in which pods come; some may come several times "
        "or not at all."},
       {"workload.pods.order_column", codec::text<T>(COSLICE_FIELD(T, workload.pods.order_column)),
        "Which column of it; default: `s` and the seed."},
       {"workload.pods.demand", codec::real<T>(COSLICE_FIELD(T, workload.pods.demand), {0, 1000}),
        "Without such a file: pods come in random order, and are drawn until they ask for that many times the GPUs of "
        "the machine; where there are too many, some that are drawn do not come. 0: the list as it is."}});
  return keys;
}

}  // namespace coslice
