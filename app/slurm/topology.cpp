// The switches of topology.conf.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "resources/node_names.h"
#include "slurm/site.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// Those of the machine, in their order.
std::string known_nodes(const Setting& nodes, const SiteMachine& machine, ImportPage& page) {
  std::vector<std::string> known, unknown;
  for (const std::string& node : expand_node_names(nodes.value, nodes.place))
    (machine.has_node(node) ? known : unknown).push_back(node);
  if (!unknown.empty()) page.ignored(nodes, fmt::format("the machine has no nodes {}", compress_node_names(unknown)));
  return compress_node_names(known);
}

}  // namespace

std::vector<SiteSwitch> read_topology(const std::vector<ConfLine>& topology, const SiteMachine& machine,
                                      ImportPage& page) {
  std::vector<SiteSwitch> out;
  std::vector<std::string> names;
  for (const ConfLine& line : topology) {
    for (const Setting& s : line.settings) refuse_misspelt(s, {"SwitchName", "Nodes", "Switches", "LinkSpeed"});
    const Setting* name = line.find("SwitchName");
    if (name == nullptr) {
      for (const Setting& s : line.settings) page.ignored(s, "not modelled");
      continue;
    }
    if (std::find(names.begin(), names.end(), name->value) != names.end())
      fail_at(name->place, fmt::format("two switches are called '{}'", name->value), "a name of its own");
    names.push_back(name->value);
    SiteSwitch one{name->value, "", ""};
    if (const Setting* nodes = line.find("Nodes")) one.nodes = known_nodes(*nodes, machine, page);
    if (const Setting* below = line.find("Switches")) one.switches = below->value;
    for (const Setting& s : line.settings)
      if (!same_word(s.key, "SwitchName") && !same_word(s.key, "Nodes") && !same_word(s.key, "Switches"))
        page.ignored(s, "not modelled");
    page.understood(*name, "a switch in policy.lua");
    out.push_back(std::move(one));
  }
  for (const ConfLine& line : topology) {
    const Setting* below = line.find("Switches");
    if (below == nullptr) continue;
    for (const std::string& s : expand_node_names(below->value, below->place))
      if (std::find(names.begin(), names.end(), s) == names.end())
        fail_at(below->place, fmt::format("there is no switch '{}'", s), "a SwitchName of the file",
                did_you_mean(s, names));
  }
  return out;
}

}  // namespace coslice::slurm
