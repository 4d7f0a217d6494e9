// The switches of topology.conf.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "machine/node_names.h"
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

/// Throws for a switch that stands below itself, at the line that closes the loop.
class LoopFinder {
 public:
  explicit LoopFinder(const std::vector<ConfLine>& topology) {
    for (const ConfLine& line : topology)
      if (const Setting* name = line.find("SwitchName"), *below = line.find("Switches");
          name != nullptr && below != nullptr)
        below_[name->value] = below;
  }
  void check() {
    for (const auto& [name, below] : below_) visit(name);
  }

 private:
  void visit(const std::string& name) {
    const auto at = below_.find(name);
    if (at == below_.end() || done_.count(name) != 0) return;
    above_.insert(name);
    for (const std::string& s : expand_node_names(at->second->value, at->second->place)) {
      if (above_.count(s) != 0)
        fail_at(at->second->place, fmt::format("switch '{}' is its own ancestor, through '{}'", s, name),
                "switches as a tree");
      visit(s);
    }
    above_.erase(name);
    done_.insert(name);
  }

  std::map<std::string, const Setting*> below_;
  std::set<std::string> above_, done_;
};

}  // namespace

std::vector<SwitchSpec> read_topology(const std::vector<ConfLine>& topology, const SiteMachine& machine,
                                      ImportPage& page) {
  std::vector<SwitchSpec> out;
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
    if (const Setting* nodes = line.find("Nodes"))
      if (const std::string known = known_nodes(*nodes, machine, page); !known.empty())
        out.push_back({name->value, {known}, 0, name->place});
    for (const Setting& s : line.settings)
      if (!same_word(s.key, "SwitchName") && !same_word(s.key, "Nodes") && !same_word(s.key, "Switches"))
        page.ignored(s, "not modelled");
    page.understood(*name, "a switch of the machine, where it has nodes");
  }
  for (const ConfLine& line : topology) {
    const Setting* below = line.find("Switches");
    if (below == nullptr) continue;
    for (const std::string& s : expand_node_names(below->value, below->place))
      if (std::find(names.begin(), names.end(), s) == names.end())
        fail_at(below->place, fmt::format("there is no switch '{}'", s), "a SwitchName of the file",
                did_you_mean(s, names));
  }
  LoopFinder(topology).check();
  return out;
}

}  // namespace coslice::slurm
