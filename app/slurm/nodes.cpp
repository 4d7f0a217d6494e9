// The nodes of slurm.conf and gres.conf.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/text.h"
#include "machine/eligibility.h"
#include "machine/node_names.h"
#include "slurm/resource_lists.h"
#include "slurm/site_machine.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// What is said of nodes, by keys in lower case.
using NodeSettings = std::map<std::string, Setting>;

/// Keys of a line NodeName=... that do not bear on scheduling.
constexpr std::string_view kNodeHarmless[] = {"NodeAddr", "NodeHostname", "Port",   "Reason",
                                              "TmpDisk",  "BcastAddr",    "CpuBind"};

/// Those that make the machine; and those that bear on scheduling, and are not modelled.
constexpr std::string_view kNodeUsed[] = {"NodeName",     "CPUs",     "Procs",  "Sockets",         "CoresPerSocket",
                                          "Boards",       "Gres",     "State",  "ThreadsPerCore",  "RealMemory",
                                          "Feature",      "Features", "Weight", "SocketsPerBoard", "MemSpecLimit",
                                          "CoreSpecCount"};
constexpr std::string_view kNodeMissing[] = {"CpuSpecList", "Parameters", "RestrictedCoresPerGPU", "Topology",
                                             "TRESWeights"};

std::int64_t number_of(const NodeSettings& settings, std::string_view key, std::int64_t absent,
                       std::int64_t most = 1'000'000) {
  const auto found = settings.find(std::string(key));
  if (found == settings.end()) return absent;
  const auto value = whole_number(found->second.value);
  if (!value || *value > most)
    fail_at(found->second.place,
            fmt::format("{}={} is not a number", found->second.key, printable(shortened(found->second.value, 40))),
            fmt::format("a whole number up to {}", most));
  return *value;
}

/// What gres.conf says of the GPUs of a node.
struct CardsOfNode {
  std::int64_t count = 0;
  std::string type;
  Place place;
};

class NodeReader {
 public:
  NodeReader(const std::vector<ConfLine>& gres, std::vector<std::string>& absent, ImportPage& page)
      : absent_(absent), page_(page) {
    for (const ConfLine& line : gres) add_gres_line(line);
  }

  std::vector<NodeGroup> read(const std::vector<ConfLine>& conf) {
    for (const ConfLine& line : conf)
      if (same_word(line.first().key, "NodeName")) add_line(line);
    if (groups_.empty() && last_left_out_)
      fail_at(last_left_out_->place,
              fmt::format("no node is left: State={} and the like leave all of them out", last_left_out_->value),
              "nodes without State, or with State=UNKNOWN or IDLE",
              "remove State: a simulation does not depend on which nodes are down now");
    return std::move(groups_);
  }

 private:
  void add_gres_line(const ConfLine& line) {
    static const std::vector<std::string> known = {"AutoDetect", "Cores",    "Count", "CPUs",  "File",
                                                   "Flags",      "Ignore",   "Link",  "Links", "MultipleFiles",
                                                   "Name",       "NodeName", "Type"};
    for (const Setting& s : line.settings) refuse_misspelt(s, known);
    const Setting* name = line.find("Name");
    if (name == nullptr) {
      for (const Setting& s : line.settings) page_.ignored(s, "counts are those of slurm.conf");
      return;
    }
    if (!same_word(name->value, "gpu")) return page_.ignored(*name, "only GPUs are modelled");
    const Setting* nodes = line.find("NodeName");
    CardsOfNode cards;
    cards.place = name->place;
    if (const Setting* type = line.find("Type")) cards.type = type->value;
    const Setting *count = line.find("Count"), *file = line.find("File");
    cards.count = 1;
    if (count != nullptr) cards.count = whole_number(count->value).value_or(1);
    else if (file != nullptr && file->value.find('[') != std::string::npos)
      cards.count = static_cast<std::int64_t>(expand_node_names(file->value, file->place).size());
    if (nodes == nullptr) return add_cards("", cards);
    for (const std::string& node : expand_node_names(nodes->value, nodes->place)) add_cards(node, cards);
  }

  void add_cards(const std::string& node, const CardsOfNode& cards) {
    const auto [at, is_new] = cards_.try_emplace(node, cards);
    if (is_new) return;
    at->second.count += cards.count;
    if (at->second.type != cards.type) at->second.type.clear();
  }

  void add_line(const ConfLine& line) {
    NodeSettings own;
    for (const Setting& s : line.settings) own[canonical(s.key)] = s;
    const Setting& name = own.at("nodename");
    note_keys(line);
    if (same_word(name.value, "DEFAULT")) {
      for (auto& [key, setting] : own) defaults_[key] = setting;
      return page_.understood(name, "holds for the nodes below it");
    }
    for (const auto& [key, setting] : defaults_) own.try_emplace(key, setting);
    const std::vector<std::string> nodes = expand_node_names(name.value, name.place);
    for (const std::string& node : nodes)
      if (const auto [at, is_new] = seen_.emplace(node, name.place); !is_new)
        fail_at(name.place, fmt::format("node '{}' appears twice", node),
                fmt::format("each node on one line; it is in {}, too", place_text(at->second)));
    if (left_out(own, nodes)) return;
    add_nodes(group_of(own, name, nodes), nodes);
  }

  static std::string canonical(const std::string& key) {
    const std::string small = lower_case(key);
    if (small == "procs") return "cpus";
    return small == "feature" ? "features" : small;
  }

  void note_keys(const ConfLine& line) {
    static const std::vector<std::string> all = [] {
      std::vector<std::string> names(std::begin(kNodeUsed), std::end(kNodeUsed));
      names.insert(names.end(), std::begin(kNodeHarmless), std::end(kNodeHarmless));
      names.insert(names.end(), std::begin(kNodeMissing), std::end(kNodeMissing));
      return names;
    }();
    for (const Setting& s : line.settings) {
      const auto among = [key = canonical(s.key)](const auto& names) {
        return std::any_of(std::begin(names), std::end(names), [&](std::string_view n) { return same_word(n, key); });
      };
      if (among(kNodeUsed)) continue;
      refuse_misspelt(s, all);
      page_.ignored(s, among(kNodeHarmless) ? "does not affect scheduling" : "not modelled");
      const std::string key = canonical(s.key);
      if (key == "cpuspeclist") page_.costs("cores that the system keeps (" + s.key + ")", "jobs get them, too");
    }
  }

  bool left_out(const NodeSettings& own, const std::vector<std::string>& nodes) {
    const auto state = own.find("state");
    if (state == own.end()) return false;
    refuse_misspelt_words(state->second, "UNKNOWN,IDLE,DOWN,DRAIN,DRAINED,DRAINING,FAIL,FAILING,FUTURE,CLOUD,EXTERNAL");
    const std::string word = lower_case(state->second.value);
    if (word != "future" && word != "down" && word != "drain" && word != "fail" && word != "failing") {
      if (word == "cloud") page_.costs("nodes that are powered up when needed (State=CLOUD)", "they are always there");
      return false;
    }
    absent_.insert(absent_.end(), nodes.begin(), nodes.end());
    last_left_out_ = state->second;
    page_.ignored(own.at("nodename"), "left out: State=" + state->second.value);
    return true;
  }

  /// A node's CPUs are what jobs get: its cores, or its threads where Slurm counts these.
  void set_cores(const NodeSettings& own, const Setting& name, NodeGroup& group) {
    NodeKindSpec& spec = group.spec;
    const std::int64_t boards = std::max<std::int64_t>(1, number_of(own, "boards", 1));
    const std::int64_t sockets = own.count("socketsperboard") != 0 ? boards * number_of(own, "socketsperboard", 1)
                                                                   : number_of(own, "sockets", 1);
    const std::int64_t cores = number_of(own, "corespersocket", 1), threads = number_of(own, "threadspercore", 1);
    const std::int64_t all = std::max<std::int64_t>(1, sockets * cores * threads);
    const bool said = own.count("corespersocket") != 0;
    const std::int64_t cpus = number_of(own, "cpus", all);
    if (own.count("cpus") != 0 && said && cpus != all && cpus != sockets * cores)
      page_.ignored(own.at("cpus"), fmt::format("contradicts {} sockets of {} cores and {} threads; the CPUs count",
                                                sockets, cores, threads));
    if (cpus == 0) fail_at(name.place, fmt::format("the nodes '{}' have no CPU", name.value), "CPUs=1 or more");
    if (threads > 1 && cpus == all) group.threads = threads;
    if (threads > 1 && cpus == all)
      page_.costs("threads of a core count as processors of their own (ThreadsPerCore)",
                  "jobs of a dump of sacct may share a core, which Slurm avoids under CR_Core");
    const std::int64_t kept =
        number_of(own, "corespeccount", 0) * (cpus == all ? std::max<std::int64_t>(threads, 1) : 1);
    if (kept >= cpus)
      fail_at(own.at("corespeccount").place,
              fmt::format("the system keeps all {} CPUs of the nodes '{}'", cpus, name.value), "a lower CoreSpecCount");
    const std::int64_t left = cpus - kept;
    const bool even = sockets > 0 && left % sockets == 0;
    spec.processors = static_cast<std::int32_t>(even ? sockets : 1);
    spec.cores = static_cast<std::int32_t>(even ? left / sockets : left);
  }

  NodeGroup group_of(const NodeSettings& own, const Setting& name, const std::vector<std::string>& nodes) {
    NodeGroup group;
    group.spec.place = name.place;
    set_cores(own, name, group);
    const std::int64_t memory = number_of(own, "realmemory", 0, 1'000'000'000);
    group.spec.memory_mib =
        memory == 0 ? 0 : std::max<std::int64_t>(1, memory - number_of(own, "memspeclimit", 0, 1'000'000'000));
    group.weight = number_of(own, "weight", 1, 4'294'967'280);
    if (const auto features = own.find("features"); features != own.end()) {
      for (const std::string& feature : list_items(features->second.value)) {
        if (is_feature_name(feature)) group.spec.features.push_back(feature);
        else page_.ignored(features->second, fmt::format("no job can ask for the feature '{}' here", feature));
      }
    }
    set_gpus(own, nodes, group.spec);
    page_.understood(fmt::format("NodeName={}", name.value), place_text(name.place),
                     fmt::format("{} nodes of {} x {} cores", nodes.size(), group.spec.processors, group.spec.cores));
    return group;
  }

  void set_gpus(const NodeSettings& own, const std::vector<std::string>& nodes, NodeKindSpec& spec) {
    const auto cards = find_cards(nodes.front());
    const auto gres = own.find("gres");
    if (gres == own.end()) {
      if (cards != cards_.end() && !cards->first.empty())
        page_.ignored("Name=gpu", place_text(cards->second.place),
                      fmt::format("slurm.conf has no Gres=gpu for node {}", nodes.front()));
      return;
    }
    for (const Gres& g : read_gres(gres->second.value, gres->second.place)) {
      if (g.name != "gpu") {
        page_.ignored(gres->second, fmt::format("'{}': only GPUs are modelled", g.name));
        continue;
      }
      if (spec.gpus > 0 && spec.gpu_type != g.type)
        page_.costs("nodes with GPUs of several types", "they all count as the first type");
      else spec.gpu_type = g.type;
      spec.gpus += static_cast<std::int32_t>(std::min<std::int64_t>(g.count, 1'000'000));
    }
    if (spec.gpus > 64)
      fail_at(gres->second.place, fmt::format("the nodes have {} GPUs each", spec.gpus), "64 at most");
    if (cards == cards_.end()) return;
    if (spec.gpu_type.empty()) spec.gpu_type = cards->second.type;
    if (cards->second.count != spec.gpus)
      page_.ignored(fmt::format("Name=gpu, {} of node {}", cards->second.count, nodes.front()),
                    place_text(cards->second.place), fmt::format("slurm.conf says {}, which counts", spec.gpus));
    if (spec.gpus == 0) spec.gpu_type.clear();
  }

  std::map<std::string, CardsOfNode>::const_iterator find_cards(const std::string& node) const {
    const auto own = cards_.find(node);
    return own != cards_.end() ? own : cards_.find("");
  }

  /// Nodes of several lines that are alike are one kind.
  void add_nodes(NodeGroup group, const std::vector<std::string>& nodes) {
    const auto alike = [](const NodeGroup& g) {
      return std::tie(g.spec.processors, g.spec.cores, g.spec.memory_mib, g.spec.gpus, g.spec.gpu_type, g.spec.features,
                      g.weight);
    };
    auto same =
        std::find_if(groups_.begin(), groups_.end(), [&](const NodeGroup& g) { return alike(g) == alike(group); });
    if (same == groups_.end()) {
      group.line = static_cast<std::int64_t>(groups_.size()) + 1;
      same = groups_.insert(groups_.end(), std::move(group));
    }
    same->nodes.insert(same->nodes.end(), nodes.begin(), nodes.end());
  }

  std::vector<std::string>& absent_;
  ImportPage& page_;
  std::map<std::string, CardsOfNode> cards_;  ///< by node; "": of all nodes
  NodeSettings defaults_;
  std::map<std::string, Place> seen_;
  std::vector<NodeGroup> groups_;
  std::optional<Setting> last_left_out_;  ///< the State of the last nodes that are left out
};

}  // namespace

std::vector<NodeGroup> read_nodes(const std::vector<ConfLine>& conf, const std::vector<ConfLine>& gres,
                                  std::vector<std::string>& absent, ImportPage& page) {
  return NodeReader(gres, absent, page).read(conf);
}

}  // namespace coslice::slurm
