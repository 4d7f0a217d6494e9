#include "slurm/site_machine.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/text.h"
#include "machine/node_names.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// Returns a name without trailing digits, dashes and underscores: "cpn-d" of "cpn-d09-17"; "nodes" if nothing is left.
std::string letters_of(const std::string& node) {
  std::string name = node;
  while (!name.empty() && (name.back() == '-' || name.back() == '_' || (name.back() >= '0' && name.back() <= '9')))
    name.pop_back();
  return name.empty() ? "nodes" : name;
}

/// Kinds are called by the letters of their first node, and by a number behind them where that name is taken.
void name_kinds(SiteMachine& machine) {
  std::set<std::string> taken;
  for (const NodeGroup& g : machine.groups) taken.insert(g.nodes.begin(), g.nodes.end());
  std::map<std::string, std::vector<std::string>>
      partitions;  // nodes: only a kind of just these may have the same name
  for (const SitePartition& p : machine.partitions) partitions[p.spec.name] = p.spec.nodes;
  for (NodeGroup& g : machine.groups) {
    const std::string letters = letters_of(g.nodes.front());
    std::string name = letters;
    const auto is_taken = [&] {
      const auto same = partitions.find(name);
      const bool other = same != partitions.end() && same->second != std::vector{compress_node_names(g.nodes)};
      return other || taken.count(name) != 0;
    };
    for (int i = 2; is_taken(); ++i) name = fmt::format("{}_{}", letters, i);
    taken.insert(name);
    g.spec.name = name;
    g.spec.names = compress_node_names(g.nodes);
  }
}

/// "Licenses=matlab:50,fluent:10"; without a count there is one. Counts of a name are added, and of none there are
/// none.
void read_licences(const std::vector<ConfLine>& conf, SiteMachine& machine, ImportPage& page) {
  for (const ConfLine& line : conf) {
    const Setting* s = line.find("Licenses");
    if (s == nullptr) continue;
    std::string list = s->value;
    std::ranges::replace(list, ';', ',');
    for (const std::string& item : list_items(list)) {
      const std::size_t colon = item.find_first_of(":=");
      const auto count = colon == item.npos ? 1 : whole_number(std::string_view(item).substr(colon + 1));
      if (!count)
        fail_at(s->place, fmt::format("licence '{}' has no count", printable(shortened(item, 40))), "NAME:COUNT");
      const std::string name = item.substr(0, colon);
      const auto same = std::ranges::find(machine.licences, name, &LicenceSpec::name);
      if (*count == 0) page.warning({s->key, item, s->place}, "there is none: jobs that ask for it cannot start");
      else if (same != machine.licences.end()) same->count += *count;
      else machine.licences.push_back({name, *count, s->place});
    }
    page.understood(*s, "licences of the machine");
  }
}

LayoutSpec layout_spec(const SiteMachine& machine) {
  LayoutSpec spec;
  for (const NodeGroup& g : machine.groups) spec.kinds.push_back(g.spec);
  for (const SitePartition& p : machine.partitions) spec.partitions.push_back(p.spec);
  spec.licences = machine.licences;
  return spec;
}

}  // namespace

const Setting* SitePartition::find(const std::string& key_in_lower_case) const {
  const auto found = said.find(key_in_lower_case);
  return found == said.end() ? nullptr : &found->second;
}

const SitePartition* SiteMachine::find_partition(const std::string& name) const {
  const auto found = std::find_if(partitions.begin(), partitions.end(), [&](const SitePartition& p) {
    return name.empty() ? p.spec.by_default : p.spec.name == name;
  });
  return found == partitions.end() ? nullptr : &*found;
}

bool SiteMachine::has_node(const std::string& name) const {
  return std::any_of(groups.begin(), groups.end(), [&](const NodeGroup& g) {
    return std::find(g.nodes.begin(), g.nodes.end(), name) != g.nodes.end();
  });
}

SiteMachine read_machine(const std::vector<ConfLine>& conf, const std::vector<ConfLine>& gres, ImportPage& page,
                         const std::vector<TopologyUnit>* units) {
  SiteMachine machine;
  machine.groups = read_nodes(conf, gres, machine.aside, page);
  const Place whole_file{conf.empty() ? nullptr : conf.front().first().place.source, 0};
  if (machine.groups.empty()) fail_at(whole_file, "there is no line NodeName=...", "the nodes of the machine");
  machine.node_sets = NodeSets(conf, machine.groups, machine.aside.absent, units, page);
  read_partitions(conf, machine, page);
  if (machine.partitions.empty() && !machine.empty_partitions.empty())
    fail_at(whole_file, fmt::format("no partition has nodes, '{}' neither", machine.empty_partitions.front()),
            "a partition whose nodes are not all left out");
  if (machine.partitions.empty()) fail_at(whole_file, "there is no line PartitionName=...", "at least one partition");
  read_licences(conf, machine, page);
  // Slurm keeps its nodes by their names, and takes equally good ones in that order.
  std::sort(machine.groups.begin(), machine.groups.end(),
            [](const NodeGroup& a, const NodeGroup& b) { return a.nodes.front() < b.nodes.front(); });
  name_kinds(machine);
  machine.layout = make_layout(layout_spec(machine));
  for (std::size_t p = 0; p < machine.partitions.size(); ++p)
    machine.partitions[p].spec.by_default = machine.layout->partitions[p].by_default;
  return machine;
}

}  // namespace coslice::slurm
