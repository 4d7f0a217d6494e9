// The file of a topology: topology.conf, topology.yaml, or the latter as JSON, which is YAML.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "slurm/host_names.h"
#include "slurm/site.h"
#include "slurm/yaml.h"

namespace coslice::slurm {
namespace {

/// One of the topologies of a topology.yaml as lines of topology.conf.
class YamlTopology {
 public:
  YamlTopology(const std::string& path, ImportPage& page) : all_(read_yaml(path)), page_(page) {}

  TopologyFile read() {
    const Value& chosen = choose();
    check_keys(chosen);
    TopologyFile out;
    out.given = out.yaml = true;
    out.name = text_of(chosen.find("topology"));
    if (const Value* tree = chosen.find("tree")) {
      out.plugin = "topology/tree";
      for (const Value& one : list_of(*tree, "switches"))
        out.lines.push_back(line_of(one, {{"switch", "SwitchName"}, {"nodes", "Nodes"}, {"children", "Switches"}}));
    } else if (const Value* block = chosen.find("block")) {
      out.plugin = "topology/block";
      for (const Value& one : list_of(*block, "blocks"))
        out.lines.push_back(line_of(one, {{"block", "BlockName"}, {"nodes", "Nodes"}}));
      if (const Value* sizes = block->find("block_sizes"))
        out.lines.push_back({{Setting{"BlockSizes", text_of(sizes), sizes->place}}});
    } else if (const Value* ring = chosen.find("ring")) {
      out.plugin = "topology/ring";
      for (const Value& one : list_of(*ring, "rings"))
        out.units.push_back(unit_of(line_of(one, {{"ring", "RingName"}, {"nodes", "Nodes"}})));
    } else if (const Value* torus = chosen.find("torus3d")) {
      out.plugin = "topology/torus3d";
      for (const Value& one : list_of(*torus, "toruses")) out.units.push_back(torus_of(one));
    } else {
      out.plugin = "topology/flat";
    }
    return out;
  }

 private:
  /// The first that is the cluster's default, else the first.
  const Value& choose() {
    if (all_.is_table()) return all_;
    if (all_.list() == nullptr || all_.list()->empty())
      fail_at(all_.place, "has no topology", "- topology: NAME, with tree or block");
    const Value* chosen = nullptr;
    for (const Value& one : *all_.list()) {
      if (!one.is_table() || one.find("topology") == nullptr)
        fail_at(one.place, "is no topology", "- topology: NAME, with tree or block");
      const Value* by_default = one.find("cluster_default");
      if (chosen == nullptr && by_default != nullptr && by_default->flag() != nullptr && *by_default->flag())
        chosen = &one;
    }
    if (chosen == nullptr) chosen = &all_.list()->front();
    for (const Value& one : *all_.list())
      if (&one != chosen)
        page_.ignored("topology: " + text_of(one.find("topology")), place_text(one.place),
                      "only the cluster's default one is modelled");
    return *chosen;
  }

  /// What there is to say of the nodes, once.
  void check_keys(const Value& topology) const {
    const std::vector<std::string> kinds = {"tree", "block", "flat", "ring", "torus3d"};
    std::string kind;
    for (const Member& m : *topology.members()) {
      if (std::ranges::find(kinds, m.key) != kinds.end()) {
        if (!kind.empty())
          fail_at(m.value.place, fmt::format("a topology says both {} and {}", kind, m.key), "one of them");
        kind = m.key;
      } else if (m.key != "topology" && m.key != "cluster_default") {
        std::vector<std::string> known = kinds;
        known.insert(known.end(), {"topology", "cluster_default"});
        fail_at(m.value.place, fmt::format("a topology has no key '{}'", printable(shortened(m.key, 40))),
                "topology, cluster_default, and one of tree, block, flat, ring and torus3d",
                did_you_mean(m.key, known));
      }
    }
    if (kind.empty())
      fail_at(topology.place, "a topology says nothing of nodes", "one of tree, block, flat, ring and torus3d");
  }

  static TopologyUnit unit_of(const ConfLine& line) {
    const Setting* nodes = line.find("Nodes");
    return {line.first().value, nodes == nullptr ? std::vector<std::string>{} : host_names(nodes->value, nodes->place)};
  }

  /// The nodes of a torus, which may stand in its regions.
  static TopologyUnit torus_of(const Value& one) {
    if (!one.is_table() || text_of(one.find("name")).empty())
      fail_at(one.place, "an item has no 'name'", "- name: NAME");
    TopologyUnit unit{text_of(one.find("name")), {}};
    const auto add = [&](const Value* nodes) {
      if (nodes == nullptr) return;
      for (std::string& node : host_names(text_of(nodes), nodes->place)) unit.nodes.push_back(std::move(node));
    };
    add(one.find("nodes"));
    if (const Value* regions = one.find("regions"); regions != nullptr && regions->list() != nullptr)
      for (const Value& region : *regions->list())
        if (region.is_table()) add(region.find("nodes"));
    return unit;
  }

  static std::string text_of(const Value* v) {
    if (v == nullptr) return "";
    if (const std::string* text = v->text()) return *text;
    if (const std::int64_t* number = v->integer()) return std::to_string(*number);
    std::string out;
    if (v->list() != nullptr)
      for (const Value& one : *v->list()) out += (out.empty() ? "" : ",") + text_of(&one);
    return out;
  }

  static const Value::List& list_of(const Value& of, const char* key) {
    const Value* found = of.find(key);
    if (found == nullptr || found->list() == nullptr)
      fail_at(of.place, fmt::format("has no list '{}'", key), fmt::format("{}: and its items below", key));
    return *found->list();
  }

  static ConfLine line_of(const Value& item, const std::vector<std::pair<std::string, std::string>>& keys) {
    const auto& [first, its_key] = keys.front();
    if (!item.is_table() || text_of(item.find(first)).empty())
      fail_at(item.place, fmt::format("an item has no '{}'", first), fmt::format("- {}: NAME", first));
    ConfLine line;
    for (const auto& [name, key] : keys)
      if (const Value* v = item.find(name); v != nullptr && !text_of(v).empty())
        line.settings.push_back({key, text_of(v), v->place});
    for (const Member& m : *item.members())
      if (std::ranges::find(keys, m.key, [](const auto& k) { return k.first; }) == keys.end())
        fail_at(m.value.place, fmt::format("an item has no key '{}'", printable(shortened(m.key, 40))),
                fmt::format("{}, nodes or children", first));
    return line;
  }

  Value all_;
  ImportPage& page_;
};

/// Whether the file is YAML or JSON: by its name, or because it begins as such.
bool is_yaml(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  if (extension == ".yaml" || extension == ".yml" || extension == ".json") return true;
  for (const PlainLine& line : plain_lines(path)) {
    const std::string_view text = trimmed(line.text);
    return text.starts_with("---") || text.starts_with("%YAML") || text.starts_with("- ") ||
           text.starts_with("topology:") || text.starts_with("[") || text.starts_with("{");
  }
  return false;
}

}  // namespace

TopologyFile read_topology_file(const std::string& path, ImportPage& page) {
  if (is_yaml(path)) return YamlTopology(path, page).read();
  TopologyFile out;
  out.given = true;
  out.lines = read_conf(path);
  return out;
}

}  // namespace coslice::slurm
