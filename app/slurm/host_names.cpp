#include "slurm/host_names.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "core/error.h"
#include "machine/node_names.h"
#include "slurm/site_machine.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// The parts between commas and blanks, but for those within brackets.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    const bool between = depth <= 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n');
    if (between) parts.emplace_back();
    else parts.back() += c;
  }
  std::erase(parts, "");
  return parts;
}

/// "n[1-3,2]" as "n[1-3]" and "n[2]": what is in the first brackets that have commas.
std::vector<std::string> taken_apart(const std::string& part) {
  for (std::size_t open = part.find('['); open != part.npos; open = part.find('[', open + 1)) {
    const std::size_t close = part.find(']', open);
    if (close == part.npos) return {};
    if (part.find(',', open) >= close) continue;
    std::vector<std::string> out;
    for (const std::string& range : list_items(part.substr(open + 1, close - open - 1)))
      out.push_back(part.substr(0, open + 1) + range + part.substr(close));
    return out;
  }
  return {};
}

/// A name twice within one part is no error of Slurm's.
void append_part(const std::string& part, const Place& place, std::vector<std::string>& out) {
  try {
    const std::vector<std::string> names = expand_node_names(part, place);
    out.insert(out.end(), names.begin(), names.end());
  } catch (const InputError&) {
    const std::vector<std::string> smaller = taken_apart(part);
    if (smaller.empty()) throw;
    for (const std::string& one : smaller) append_part(one, place, out);
  }
}

std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> out;
  for (const std::string& name : names)
    if (seen.insert(name).second) out.push_back(name);
  return out;
}

}  // namespace

std::vector<std::string> host_names(std::string_view text, const Place& place) {
  std::vector<std::string> names;
  for (const std::string& part : parts_of(text)) append_part(part, place, names);
  return each_once(names);
}

NodeSets::NodeSets(const std::vector<ConfLine>& conf, const std::vector<NodeGroup>& groups,
                   const std::vector<std::string>& absent, const std::vector<TopologyUnit>* units, ImportPage& page) {
  if (units != nullptr) units_ = *units;
  for (const NodeGroup& g : groups) {
    all_.insert(all_.end(), g.nodes.begin(), g.nodes.end());
    for (const std::string& feature : g.spec.features) {
      std::vector<std::string>& nodes = of_feature_[feature];
      nodes.insert(nodes.end(), g.nodes.begin(), g.nodes.end());
    }
  }
  all_.insert(all_.end(), absent.begin(), absent.end());
  for (const ConfLine& line : conf) {
    if (!same_word(line.first().key, "NodeSet")) continue;
    const Setting& name = line.first();
    if (std::ranges::find(all_, name.value) != all_.end())
      fail_at(name.place, fmt::format("the node set '{}' is called as a node is", name.value), "a name of its own");
    const bool known = std::ranges::any_of(sets_, [&](const Set& s) { return s.name == name.value; });
    if (known) {
      page.warning(name, "there is such a set above, which counts");
      continue;
    }
    Set set{name.value, {}, {}};
    if (const Setting* feature = line.find("Feature")) set.of_feature = nodes_with(feature->value);
    if (const Setting* nodes = line.find("Nodes"))
      set.hosts = same_word(nodes->value, "ALL") ? all_ : host_names(nodes->value, nodes->place);
    if (set.of_feature.empty() && set.hosts.empty()) {
      const Setting* feature = line.find("Feature");
      page.warning(feature != nullptr ? *feature : name,
                   feature != nullptr ? fmt::format("no node has this feature: the node set '{}' is empty", name.value)
                                      : fmt::format("the node set '{}' names no nodes", name.value));
    }
    for (const Setting& s : line.settings) refuse_misspelt(s, {"NodeSet", "Nodes", "Feature"});
    page.understood(name, "nodes of partitions");
    sets_.push_back(std::move(set));
  }
}

std::vector<std::string> NodeSets::nodes_with(const std::string& feature) const {
  const auto at = of_feature_.find(feature);
  return at != of_feature_.end() ? at->second : std::vector<std::string>{};
}

std::vector<std::string> NodeSets::nodes_of_unit(const std::string& name, const Setting& list, ImportPage& page) const {
  const auto unit = std::ranges::find(*units_, name, &TopologyUnit::name);
  if (unit == units_->end()) {
    std::vector<std::string> names;
    for (const TopologyUnit& u : *units_) names.push_back(u.name);
    const std::string meant = did_you_mean(name, names);
    page.warning(list, fmt::format("the topology has no '{}': no nodes, as in Slurm{}", name,
                                   meant.empty() ? "" : "; " + meant));
    return {};
  }
  const std::unordered_set<std::string_view> known(all_.begin(), all_.end());
  std::vector<std::string> nodes;
  for (const std::string& node : unit->nodes)
    if (known.contains(node)) nodes.push_back(node);
  return nodes;
}

std::vector<std::string> NodeSets::nodes_beside(const std::string& node, const Setting& list, ImportPage& page) const {
  if (std::ranges::find(all_, node) == all_.end()) {
    page.warning(list, fmt::format("there is no node '{}': no nodes, as in Slurm", node));
    return {};
  }
  std::vector<std::string> nodes;
  for (const TopologyUnit& unit : *units_) {
    if (!unit.closest || std::ranges::find(unit.nodes, node) == unit.nodes.end()) continue;
    const std::vector<std::string> all = nodes_of_unit(unit.name, list, page);
    nodes.insert(nodes.end(), all.begin(), all.end());
  }
  nodes.push_back(node);  // also one that is at none
  return nodes;
}

std::vector<std::string> NodeSets::nodes_of_function(const std::string& text, const Setting& list,
                                                     ImportPage& page) const {
  const std::size_t open = text.find('{');
  const std::string function = text.substr(0, open);
  if (text.back() != '}') fail_at(list.place, fmt::format("'{}' has no closing brace", text), "as feature{fast}");
  const std::string name = text.substr(open + 1, text.size() - open - 2);
  if (function == "feature") return nodes_with(name);
  static constexpr std::string_view units[] = {"switch", "block", "ring", "torus"};
  const bool by_unit = std::ranges::find(units, function) != std::end(units);
  const bool beside =
      std::ranges::any_of(units, [&](std::string_view unit) { return function == std::string(unit) + "with"; });
  if ((by_unit || beside) && units_) return by_unit ? nodes_of_unit(name, list, page) : nodes_beside(name, list, page);
  fail_at(list.place, fmt::format("nodes by '{}' are not read: '{}'", function, text),
          "names of nodes, a NodeSet, or feature{...}",
          by_unit || beside ? "where --topology names a file, switch{...}, block{...} and switchwith{...} are read, too"
                            : "");
}

std::vector<std::string> NodeSets::nodes_of(const Setting& list, ImportPage& page) const {
  if (same_word(list.value, "ALL")) return all_;
  std::vector<std::string> names = host_names(list.value, list.place);
  for (const Set& set : sets_) {
    const auto at = std::ranges::find(names, set.name);
    if (at == names.end()) continue;
    names.erase(at);
    names.insert(names.end(), set.of_feature.begin(), set.of_feature.end());
    names.insert(names.end(), set.hosts.begin(), set.hosts.end());
    if (list.value.find('{') == std::string::npos &&
        std::ranges::any_of(set.hosts, [](const std::string& name) { return name.find('{') != name.npos; }))
      page.warning(list, fmt::format("the node set '{}' has braces: Slurm up to 26.05 does not start unless the list "
                                     "that names the set has some, too",
                                     set.name));
  }
  std::vector<std::string> nodes;
  for (const std::string& name : names) {
    if (name.find('{') == name.npos) {
      nodes.push_back(name);
      continue;
    }
    const std::vector<std::string> some = nodes_of_function(name, list, page);
    nodes.insert(nodes.end(), some.begin(), some.end());
  }
  return each_once(nodes);
}

}  // namespace coslice::slurm
