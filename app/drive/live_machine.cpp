#include "drive/live_machine.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "machine/eligibility.h"
#include "machine/node_names.h"
#include "slurm/resource_lists.h"
#include "slurm/values.h"

namespace coslice::drive {
namespace {

/// The KEY=VALUE of a line. Of several with one key the first: what people write freely comes last.
using Fields = std::map<std::string, std::string, std::less<>>;

Fields fields_of(std::string_view line) {
  Fields out;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    const std::size_t equals = word.find('=');
    if (equals == word.npos) continue;
    const std::string_view value = word.substr(equals + 1);
    out.emplace(word.substr(0, equals), value == "(null)" ? "" : value);
  }
  return out;
}

template <class F>
void each_line(std::string_view text, F&& f) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty()) f(line);
  }
}

const std::string& field(const Fields& fields, std::string_view key) {
  static const std::string none;
  const auto found = fields.find(key);
  return found == fields.end() ? none : found->second;
}

/// "KEY   = VALUE" of `scontrol show config`.
std::string setting(std::string_view config, std::string_view key) {
  std::string out;
  each_line(config, [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos || line.substr(0, key.size()) != key) return;
    if (line.substr(0, equals).find_last_not_of(' ') + 1 != key.size()) return;
    const std::size_t from = line.find_first_not_of(' ', equals + 1);
    out = from == line.npos ? "" : std::string(line.substr(from));
  });
  return out;
}

Controller controller_of(std::string_view config) {
  constexpr std::string_view kHead = "Configuration data as of ";
  const std::size_t head = config.find(kHead);
  const auto now = head == config.npos ? std::nullopt : iso_seconds(config.substr(head + kHead.size(), 19));
  if (!now)
    throw InputError({"scontrol show config", 0, "does not say the time", "'Configuration data as of', and a date"});
  const std::string parameters = setting(config, "SelectTypeParameters");
  const std::string type = setting(config, "SelectType");
  Controller c;
  c.now = *now;
  c.ages = setting(config, "PriorityType") == "priority/multifactor";
  c.memory_counts = parameters.find("MEMORY") != parameters.npos;
  c.whole_nodes = type == "select/linear";
  return c;
}

/// Words of a node's state, as in "MIXED+DRAIN" or "DOWN*", with which no job is started on it.
bool is_available(const std::string& state) {
  static const std::set<std::string, std::less<>> away = {
      "DOWN",        "DRAIN",  "FAIL",          "FAILING",          "MAINT",    "RESERVED", "INVAL",
      "INVALID_REG", "REBOOT", "REBOOT_ISSUED", "REBOOT_REQUESTED", "FUTURE",   "UNKNOWN",  "NOT_RESPONDING",
      "NO_RESPOND",  "ERROR",  "BLOCKED",       "DRAINED",          "DRAINING", "PERFCTRS"};
  if (state.find('*') != state.npos) return false;  // it does not answer
  std::string_view rest = state;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('+'));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    const std::size_t end = word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (away.count(word.substr(0, end)) != 0) return false;
  }
  return !state.empty();
}

std::int64_t count_in(const Fields& fields, std::string_view key, std::int64_t most) {
  const auto n = slurm::whole_number(field(fields, key));
  if (!n || *n > most)
    throw InputError({"", 0, fmt::format("{} is '{}'", key, printable(shortened(field(fields, key), 40)))});
  return *n;
}

LiveNode node_of(const Fields& fields, const Controller& controller) {
  LiveNode node;
  node.name = field(fields, "NodeName");
  if (!is_plain_name(node.name)) throw InputError({"", 0, "has no NodeName"});
  const bool effective = fields.count("CPUEfctv") != 0;  // without cores that the system keeps
  node.kind.cores = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, count_in(fields, effective ? "CPUEfctv" : "CPUTot", 100'000)));
  if (controller.memory_counts) node.kind.memory_mib = count_in(fields, "RealMemory", 1'000'000'000);
  for (const slurm::Gres& g : slurm::read_gres(field(fields, "Gres"), {})) {
    if (g.name != "gpu") continue;
    node.kind.gpus += static_cast<std::int32_t>(std::min<std::int64_t>(g.count, 64));
    if (node.kind.gpu_type.empty()) node.kind.gpu_type = g.type;
  }
  for (const std::string& f : slurm::list_items(field(fields, "ActiveFeatures")))
    if (is_feature_name(f)) node.kind.features.push_back(f);
  node.available = is_available(field(fields, "State"));
  node.used = count_in(fields, "CPUAlloc", 100'000) > 0;
  return node;
}

LivePartition partition_of(const Fields& fields) {
  LivePartition p;
  p.name = field(fields, "PartitionName");
  if (!is_plain_name(p.name)) throw InputError({"", 0, "has no PartitionName"});
  if (!field(fields, "Nodes").empty()) p.nodes = expand_node_names(field(fields, "Nodes"), {});
  p.tier = static_cast<std::int32_t>(slurm::whole_number(field(fields, "PriorityTier")).value_or(1));
  p.by_default = field(fields, "Default") == "YES";
  p.up = field(fields, "State") == "UP";
  return p;
}

/// "n" of "n[1-4]": what a kind is called.
std::string kind_name_of(const std::string& node, std::set<std::string>& taken) {
  std::string stem = node.substr(0, node.find_last_not_of("0123456789") + 1);
  while (!stem.empty() && (stem.back() == '-' || stem.back() == '_' || stem.back() == '.')) stem.pop_back();
  if (stem.empty()) stem = "n";
  std::string name = stem;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}-{}", stem, i);
  return name;
}

auto what_it_has(const NodeKindSpec& k) { return std::tie(k.cores, k.memory_mib, k.gpus, k.gpu_type, k.features); }

}  // namespace

LiveMachine read_machine(std::string_view config, std::string_view nodes, std::string_view partitions) {
  LiveMachine machine;
  machine.controller = controller_of(config);
  const auto read = [&](std::string_view text, const char* what, auto&& add) {
    std::size_t number = 0;
    each_line(text, [&](std::string_view line) {
      ++number;
      try {
        add(fields_of(line));
      } catch (const InputError& e) {
        machine.problems.push_back(
            fmt::format("line {} of scontrol show {} is left out: {}", number, what, e.diagnostic().problem));
      }
    });
  };
  read(nodes, "node", [&](const Fields& f) { machine.nodes.push_back(node_of(f, machine.controller)); });
  read(partitions, "partition", [&](const Fields& f) { machine.partitions.push_back(partition_of(f)); });
  if (machine.nodes.empty())
    throw InputError({"scontrol show node", 0, "names no node that can be read", "lines NodeName=...",
                      machine.problems.empty() ? "" : machine.problems.front()});
  std::set<std::string> names;
  std::erase_if(machine.nodes, [&](const LiveNode& n) { return !names.insert(n.name).second; });
  for (LivePartition& p : machine.partitions)
    std::erase_if(p.nodes, [&](const std::string& n) { return names.count(n) == 0; });
  return machine;
}

LayoutSpec layout_of(const LiveMachine& machine) {
  LayoutSpec spec;
  std::vector<std::vector<std::string>> nodes;  // by kind
  std::set<std::string> taken;
  for (const LiveNode& n : machine.nodes) {
    std::size_t k = 0;
    while (k != spec.kinds.size() && what_it_has(spec.kinds[k]) != what_it_has(n.kind)) ++k;
    if (k == spec.kinds.size()) {
      spec.kinds.push_back(n.kind);
      spec.kinds.back().name = kind_name_of(n.name, taken);
      nodes.emplace_back();
    }
    nodes[k].push_back(n.name);
  }
  for (std::size_t k = 0; k != spec.kinds.size(); ++k) spec.kinds[k].names = compress_node_names(nodes[k]);
  std::int64_t number = 0;
  for (const LivePartition& p : machine.partitions) {
    ++number;
    if (p.nodes.empty()) continue;
    PartitionSpec partition;
    partition.name = p.name;
    partition.nodes = {compress_node_names(p.nodes)};
    partition.tier = p.tier;
    partition.by_default = p.by_default;
    partition.numbers = {number};
    spec.partitions.push_back(std::move(partition));
  }
  return spec;
}

}  // namespace coslice::drive
