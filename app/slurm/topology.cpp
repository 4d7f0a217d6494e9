// The switches or blocks of a topology.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "machine/node_names.h"
#include "slurm/host_names.h"
#include "slurm/setting_types.h"
#include "slurm/site.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

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
    for (const std::string& s : host_names(at->second->value, at->second->place)) {
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

/// Lines SwitchName=... or BlockName=... as switches. A node is at the first of several, as only one can be closest.
class SwitchReader {
 public:
  SwitchReader(const SiteMachine& machine, ImportPage& page)
      : machine_(machine), page_(page), absent_(machine.aside.absent.begin(), machine.aside.absent.end()) {
    for (const NodeGroup& g : machine.groups) known_.insert(g.nodes.begin(), g.nodes.end());
  }

  std::vector<SwitchSpec> read(const std::vector<ConfLine>& topology) {
    for (const ConfLine& line : topology) add(line);
    for (const ConfLine& line : topology) check_below(line);
    LoopFinder(topology).check();
    return std::move(switches_);
  }

 private:
  void add(const ConfLine& line) {
    static const std::vector<std::string> known = {"SwitchName", "Nodes",      "Switches", "LinkSpeed",
                                                   "BlockName",  "BlockSizes", "RingName"};
    for (const Setting& s : line.settings) refuse_misspelt(s, known);
    const Setting* name = line.find("SwitchName");
    if (name == nullptr) name = line.find("BlockName");
    if (name == nullptr) {
      for (const Setting& s : line.settings) take_alone(s);
      return;
    }
    if (std::ranges::find(names_, name->value) != names_.end())
      fail_at(name->place, fmt::format("two {} are called '{}'", is_block(*name) ? "blocks" : "switches", name->value),
              "a name of its own");
    names_.push_back(name->value);
    const Setting *nodes = line.find("Nodes"), *below = line.find("Switches");
    const std::string own = nodes == nullptr ? "" : own_nodes(*nodes, name->value);
    if (!own.empty()) switches_.push_back({name->value, {own}, 0, name->place});
    else if (is_block(*name))
      page_.warning(*name, "the block has no nodes of its own here: those behind it count as one earlier");
    if (nodes != nullptr && below != nullptr)
      page_.warning(*below, "stands beside nodes, which count; Slurm from 23.11 on does not start with both");
    for (const Setting& s : line.settings)
      if (std::ranges::none_of(known, [&](const std::string& key) { return same_word(key, s.key); }))
        page_.ignored(s, "not known");
    if (const Setting* speed = line.find("LinkSpeed")) {
      number_of(*speed, kMostLong);
      page_.ignored(*speed, "does not affect scheduling");
    }
    page_.understood(*name, is_block(*name)    ? "a block of nodes: a switch of the machine"
                            : nodes != nullptr ? "a switch of the machine, where it has nodes"
                                               : "which switches are below one another does not count");
  }

  static bool is_block(const Setting& name) { return same_word(name.key, "BlockName"); }

  void take_alone(const Setting& s) {
    if (!same_word(s.key, "BlockSizes")) return page_.ignored(s, "not modelled");
    page_.understood(s, "how many blocks beside one another a job may have nodes of");
  }

  /// Nodes of the machine that no switch above has.
  std::string own_nodes(const Setting& nodes, const std::string& name) {
    std::vector<std::string> own, unknown, left_out;
    std::map<std::string, std::vector<std::string>> elsewhere;
    const bool by_function = nodes.value.find('{') != std::string::npos;
    for (const std::string& node :
         by_function ? machine_.node_sets.nodes_of(nodes, page_) : host_names(nodes.value, nodes.place)) {
      if (known_.count(node) == 0) {
        (absent_.count(node) == 0 ? unknown : left_out).push_back(node);
        continue;
      }
      const auto [at, is_new] = switch_of_.try_emplace(node, name);
      if (is_new) own.push_back(node);
      else elsewhere[at->second].push_back(node);
    }
    if (!unknown.empty())
      page_.warning(nodes, fmt::format("the machine has no nodes {}", compress_node_names(unknown)));
    if (!left_out.empty())
      page_.ignored(nodes, fmt::format("nodes that are left out: {}", compress_node_names(left_out)));
    for (const auto& [first, both] : elsewhere)
      page_.warning(nodes, fmt::format("{} {} at '{}' above, too: here a node is at one switch, the first",
                                       compress_node_names(both), both.size() == 1 ? "is" : "are", first));
    return compress_node_names(own);
  }

  void check_below(const ConfLine& line) const {
    const Setting* below = line.find("Switches");
    if (below == nullptr) return;
    for (const std::string& s : host_names(below->value, below->place))
      if (std::ranges::find(names_, s) == names_.end())
        fail_at(below->place, fmt::format("there is no switch '{}'", s), "a SwitchName of the file",
                did_you_mean(s, names_));
  }

  const SiteMachine& machine_;
  ImportPage& page_;
  std::unordered_set<std::string> known_, absent_;
  std::map<std::string, std::string> switch_of_;
  std::vector<std::string> names_;
  std::vector<SwitchSpec> switches_;
};

bool has_lines(const TopologyFile& file, const char* key) {
  return std::ranges::any_of(file.lines, [&](const ConfLine& line) { return line.find(key) != nullptr; });
}

/// The sizes of blocks, of which Slurm takes those that are the first one times a power of two; without BlockSizes the
/// first five. The first size is that of the first block where none is said.
std::vector<std::int64_t> sizes_of_blocks(const std::vector<ConfLine>& topology) {
  std::int64_t base = 0;
  std::set<std::int64_t> levels;
  for (const ConfLine& line : topology)
    if (const Setting* sizes = line.find("BlockSizes"))
      for (const std::string& item : list_items(sizes->value)) {
        const std::int64_t size = whole_number(item).value_or(0);
        if (base == 0) base = size;
        const std::int64_t times = base > 0 && size % base == 0 ? size / base : 0;
        if (times < 1 || times > 1 << 15 || (times & (times - 1)) != 0)
          fail_at(sizes->place, fmt::format("BlockSizes has '{}'", printable(shortened(item, 40))),
                  "numbers of nodes, each the first one times a power of two");
        levels.insert(times);
      }
  if (base > 0) levels.insert(1);
  else levels = {1, 2, 4, 8, 16};
  for (const ConfLine& line : topology) {
    const Setting *name = line.find("BlockName"), *nodes = line.find("Nodes");
    if (base == 0 && name != nullptr && nodes != nullptr) base = std::ssize(host_names(nodes->value, nodes->place));
  }
  std::vector<std::int64_t> sizes;
  for (const std::int64_t times : levels)
    if (base > 0) sizes.push_back(base * times);
  return sizes;
}

/// Switches and blocks with the nodes that they have, or those below them. No switch stands below itself.
class UnitFinder {
 public:
  explicit UnitFinder(const std::vector<ConfLine>& topology) {
    for (const ConfLine& line : topology)
      for (const char* key : {"SwitchName", "BlockName", "RingName"})
        if (const Setting* name = line.find(key); name != nullptr && lines_.try_emplace(name->value, &line).second)
          order_.push_back(name->value);
  }
  std::vector<TopologyUnit> all() {
    std::vector<TopologyUnit> out;
    for (const std::string& name : order_)
      out.push_back({name, nodes_of(name), lines_.at(name)->find("Nodes") != nullptr});
    return out;
  }

 private:
  const std::vector<std::string>& nodes_of(const std::string& name) {
    const auto [at, is_new] = nodes_.try_emplace(name);
    const auto line = lines_.find(name);
    if (!is_new || line == lines_.end()) return at->second;
    if (const Setting* nodes = line->second->find("Nodes"))
      return nodes_[name] = host_names(nodes->value, nodes->place);
    std::vector<std::string> all;
    if (const Setting* below = line->second->find("Switches"))
      for (const std::string& one : host_names(below->value, below->place)) {
        const std::vector<std::string>& some = nodes_of(one);
        all.insert(all.end(), some.begin(), some.end());
      }
    return nodes_[name] = std::move(all);
  }

  std::map<std::string, const ConfLine*> lines_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> nodes_;
};

/// Nodes that stand at no switch.
void note_nodes_off(const std::vector<SwitchSpec>& switches, const SiteMachine& machine, const Setting& plugin,
                    const std::string& file, ImportPage& page) {
  std::set<std::string> on;
  for (const SwitchSpec& s : switches)
    for (const std::string& nodes : s.nodes)
      for (const std::string& node : expand_node_names(nodes, {})) on.insert(node);
  std::vector<std::string> off;
  for (const NodeGroup& g : machine.groups)
    for (const std::string& node : g.nodes)
      if (on.count(node) == 0) off.push_back(node);
  if (!off.empty())
    page.contradiction(plugin, fmt::format("{} has no switch for the nodes {}", file, compress_node_names(off)));
}

}  // namespace

std::vector<SwitchSpec> read_topology(const std::vector<ConfLine>& topology, const SiteMachine& machine,
                                      ImportPage& page) {
  return SwitchReader(machine, page).read(topology);
}

TopologyFile topology_of_site(const std::string& path, const Setting* said, ImportPage& page) {
  const auto is = [](const std::string& plugin, const char* name) { return same_word(plugin, name); };
  if (path.empty()) {
    if (said != nullptr && (is(said->value, "topology/tree") || is(said->value, "topology/block")))
      page.contradiction(*said, "no file of switches was given (--topology): nodes are taken by weight and order");
    return {};
  }
  TopologyFile file = read_topology_file(path, page);
  if (file.yaml && said != nullptr && !is(said->value, file.plugin.c_str()))
    page.contradiction(
        *said, fmt::format("topology.yaml counts, as in Slurm: its topology '{}' is {}", file.name, file.plugin));
  const std::string plugin = file.yaml ? file.plugin : said != nullptr ? said->value : "";
  const bool tree = is(plugin, "topology/tree"), block = is(plugin, "topology/block");
  const bool ring = is(plugin, "topology/ring") || is(plugin, "topology/torus3d");
  if (!plugin.empty() && !tree && !block) {
    if (!file.yaml && !ring) page.contradiction(*said, "does not read topology.conf: its switches are left out");
    else
      page.costs(fmt::format("the topology{} is {}", file.yaml ? fmt::format(" '{}' of topology.yaml", file.name) : "",
                             plugin),
                 "nodes are taken by their weight and order alone");
    if (ring && !file.yaml) file.units = UnitFinder(file.lines).all();
    file.lines.clear();
    return file;
  }
  const char* const other = tree ? "BlockName" : "SwitchName";
  if (said != nullptr && !file.yaml && has_lines(file, other)) {
    page.contradiction(*said, fmt::format("Slurm does not start with lines {} then: they are left out", other));
    file.lines.clear();
    return file;
  }
  file.counts = true;
  LoopFinder(file.lines).check();
  file.units = UnitFinder(file.lines).all();
  return file;
}

SiteNetwork network_of_site(const TopologyFile& file, const Setting* said, const SiteMachine& machine,
                            ImportPage& page) {
  if (file.yaml)
    for (const SitePartition& p : machine.partitions)
      if (const Setting* own = p.find("topology"); own != nullptr && own->value != file.name)
        page.costs(fmt::format("`Topology={}` of partition {}", own->value, p.spec.name),
                   fmt::format("its jobs have nodes by the topology '{}'", file.name));
  if (!file.counts) return {};
  SiteNetwork network{read_topology(file.lines, machine, page), {}};
  if (has_lines(file, "BlockName")) network.block_sizes = sizes_of_blocks(file.lines);
  if (said == nullptr && !file.yaml && !file.lines.empty())
    page.costs("TopologyPlugin is not set: Slurm does not read topology.conf then", "here its switches count");
  if (said != nullptr)
    note_nodes_off(network.switches, machine, *said, file.yaml ? "topology.yaml" : "topology.conf", page);
  return network;
}

}  // namespace coslice::slurm
