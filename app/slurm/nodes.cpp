// The nodes of slurm.conf and gres.conf.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/text.h"
#include "machine/eligibility.h"
#include "machine/node_names.h"
#include "slurm/gres_conf.h"
#include "slurm/resource_lists.h"
#include "slurm/setting_types.h"
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
constexpr std::string_view kNodeMissing[] = {
    "CpuSpecList", "Parameters", "RestrictedCoresPerGPU", "Topology", "TRESWeights", "SuspendTime", "GresConf"};

/// Whether nodes of that State take jobs when Slurm starts. Throws InputError for what it does not start with.
bool takes_jobs(const Setting& state) {
  refuse_misspelt_words(state, "UNKNOWN,IDLE,DOWN,DRAIN,DRAINED,DRAINING,FAIL,FAILING,FUTURE,CLOUD,EXTERNAL");
  const std::string word = lower_case(state.value);
  for (const char* there : {"unknown", "idle", "allocated", "mixed"})
    if (word == there) return true;
  for (const char* away : {"down", "error", "future"})
    if (word == away) return false;
  for (const char* there : {"cloud", "external"})
    if (word.starts_with(there)) return true;
  for (const char* away : {"drain", "fail"})
    if (word.starts_with(away)) return false;
  fail_at(state.place,
          fmt::format("State={} is no state of nodes: Slurm does not start", printable(shortened(state.value, 40))),
          "UNKNOWN, IDLE, DOWN, DRAIN, FAIL, FUTURE, CLOUD or EXTERNAL");
}

std::int64_t number_in(const NodeSettings& settings, std::string_view key, std::int64_t absent,
                       std::int64_t most = kMostShort) {
  const auto found = settings.find(std::string(key));
  return found == settings.end() ? absent : number_of(found->second, most);
}

class NodeReader {
 public:
  NodeReader(const GresConf& gres, NodesAside& aside, ImportPage& page) : gres_(gres), aside_(aside), page_(page) {}

  std::vector<NodeGroup> read(const std::vector<ConfLine>& conf) {
    for (const ConfLine& line : conf)
      if (same_word(line.first().key, "DownNodes")) add_down_line(line);
    for (const ConfLine& line : conf)
      if (same_word(line.first().key, "NodeName")) add_line(line);
    gres_.note_unknown_nodes(seen_);
    if (std::ranges::none_of(groups_, [](const NodeGroup& g) { return g.spec.gpus > 0; })) gres_.note_unused();
    for (const auto& [node, by] : down_)
      if (seen_.count(node) == 0) page_.warning(by.nodes, fmt::format("there is no node '{}'", node));
    if (groups_.empty() && last_left_out_)
      fail_at(last_left_out_->place,
              fmt::format("no node is left: State={} and the like leave all of them out", last_left_out_->value),
              "nodes without State, or with State=UNKNOWN or IDLE",
              "remove State: a simulation does not depend on which nodes are down now");
    return std::move(groups_);
  }

 private:
  /// "DownNodes=n[1-2] State=DRAIN": as if their own lines said so.
  void add_down_line(const ConfLine& line) {
    for (const Setting& s : line.settings) refuse_misspelt(s, {"DownNodes", "Reason", "State"});
    const Setting* state = line.find("State");
    const Setting said = state != nullptr ? *state : Setting{"State", "DOWN", line.first().place};
    if (takes_jobs(said)) return page_.ignored(line.first(), fmt::format("State={}: the nodes take jobs", said.value));
    for (const std::string& node : host_names(line.first().value, line.first().place))
      down_.try_emplace(node, DownBy{line.first(), said});
    page_.understood(line.first(), fmt::format("left out: State={}", said.value));
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
    if (same_word(name.value, "ALL")) fail_at(name.place, "a node cannot be called 'ALL'", "names of nodes");
    for (const auto& [key, setting] : defaults_) own.try_emplace(key, setting);
    const std::vector<std::string> nodes = expand_node_names(name.value, name.place);
    for (const std::string& node : nodes)
      if (const auto [at, is_new] = seen_.emplace(node, name.place); !is_new)
        fail_at(name.place, fmt::format("node '{}' appears twice", node),
                fmt::format("each node on one line; it is in {}, too", place_text(at->second)));
    const auto state = own.find("state");
    if (state != own.end() && !takes_jobs(state->second)) return leave_out(own.at("nodename"), nodes, state->second);
    add_there(own, name, without_down(nodes));
  }

  std::vector<std::string> without_down(const std::vector<std::string>& nodes) {
    std::vector<std::string> there;
    for (const std::string& node : nodes) {
      const auto by = down_.find(node);
      if (by == down_.end()) {
        there.push_back(node);
        continue;
      }
      aside_.absent.push_back(node);
      last_left_out_ = by->second.state;
    }
    return there;
  }

  /// Those of which gres.conf says the same are alike.
  void add_there(const NodeSettings& own, const Setting& name, const std::vector<std::string>& nodes) {
    const auto state = own.find("state");
    if (state != own.end() && lower_case(state->second.value).starts_with("cloud"))
      aside_.cloud.insert(aside_.cloud.end(), nodes.begin(), nodes.end());
    std::vector<std::pair<std::string, std::vector<std::string>>> alike;
    for (const std::string& node : nodes) {
      const std::string gpus = gres_.gpus_text(node);
      auto at = std::ranges::find(alike, gpus, [](const auto& a) { return a.first; });
      if (at == alike.end()) at = alike.insert(alike.end(), {gpus, {}});
      at->second.push_back(node);
    }
    for (const auto& [gpus, some] : alike) add_nodes(group_of(own, name, some, some.size() == nodes.size()), some);
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
      check_type(s);
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

  void leave_out(const Setting& name, const std::vector<std::string>& nodes, const Setting& state) {
    aside_.absent.insert(aside_.absent.end(), nodes.begin(), nodes.end());
    last_left_out_ = state;
    page_.ignored(name, "left out: State=" + state.value);
  }

  /// A number of which Slurm makes 1 where it is 0.
  std::int64_t at_least_one(const NodeSettings& own, const char* key, std::int64_t absent) {
    const std::int64_t n = number_in(own, key, absent);
    if (n != 0) return n;
    page_.warning(own.at(key), "Slurm makes 1 of it");
    return 1;
  }

  /// Sockets by SocketsPerBoard, else as they are said, else as many as the CPUs make, else one for each board.
  std::int64_t sockets_of(const NodeSettings& own, std::int64_t cpus, std::int64_t on_socket) {
    const std::int64_t boards = at_least_one(own, "boards", 1);
    if (own.count("socketsperboard") != 0) {
      if (own.count("sockets") != 0)
        page_.warning(own.at("sockets"), "is set beside SocketsPerBoard, which counts, as in Slurm");
      return boards * at_least_one(own, "socketsperboard", 1);
    }
    if (own.count("sockets") != 0) return at_least_one(own, "sockets", 1);
    return cpus >= on_socket && cpus % on_socket == 0 ? cpus / on_socket : boards;
  }

  /// A node's CPUs are what jobs get: its cores, or its threads where Slurm counts these.
  void set_cores(const NodeSettings& own, const Setting& name, NodeGroup& group) {
    NodeKindSpec& spec = group.spec;
    const std::int64_t cores = at_least_one(own, "corespersocket", 1), threads = at_least_one(own, "threadspercore", 1);
    const bool said = own.count("cpus") != 0;
    std::int64_t cpus = said ? at_least_one(own, "cpus", 1) : 0;
    const std::int64_t sockets = sockets_of(own, cpus, cores * threads), all = sockets * cores * threads;
    if (!said) cpus = all;
    if (cpus != sockets && cpus != sockets * cores && cpus != all) {
      page_.warning(own.at("cpus"), fmt::format("matches neither {} sockets nor their {} cores nor their {} threads: "
                                                "Slurm makes {} of it",
                                                sockets, sockets * cores, all, all));
      cpus = all;
    }
    if (threads > 1 && cpus == all) group.threads = threads;
    if (threads > 1 && cpus == all)
      page_.costs("threads of a core count as processors of their own (ThreadsPerCore)",
                  "jobs of a dump of sacct may share a core, which Slurm avoids under CR_Core");
    std::int64_t kept = number_in(own, "corespeccount", 0);
    if (kept != 0 && own.count("cpuspeclist") != 0) {
      page_.warning(own.at("corespeccount"), "is set beside CpuSpecList: Slurm makes 0 of it");
      kept = 0;
    } else if (kept >= sockets * cores) {
      page_.warning(own.at("corespeccount"),
                    fmt::format("is not below the {} cores of a node: Slurm makes 1 of it", sockets * cores));
      kept = 1;
    }
    kept *= cpus == all ? threads : 1;
    if (kept >= cpus)
      fail_at(own.at("corespeccount").place,
              fmt::format("the system keeps all {} CPUs of the nodes '{}'", cpus, name.value), "a lower CoreSpecCount");
    const std::int64_t left = cpus - kept;
    // Of nodes that say their CPUs alone Slurm has as many sockets: no rule looks at these.
    const bool shaped = own.count("corespersocket") + own.count("sockets") + own.count("socketsperboard") != 0;
    const bool even = shaped && left % sockets == 0;
    spec.processors = static_cast<std::int32_t>(even ? sockets : 1);
    spec.cores = static_cast<std::int32_t>(even ? left / sockets : left);
  }

  void set_memory(const NodeSettings& own, NodeKindSpec& spec) {
    spec.memory_mib = number_in(own, "realmemory", 0, kMostMemory);
    const std::int64_t kept = number_in(own, "memspeclimit", 0, kMostMemory);
    if (kept != 0 && kept >= spec.memory_mib)
      page_.warning(own.at("memspeclimit"), "is not below RealMemory: Slurm makes 0 of it");
    else spec.memory_mib -= kept;
  }

  NodeGroup group_of(const NodeSettings& own, const Setting& name, const std::vector<std::string>& nodes, bool all) {
    NodeGroup group;
    group.spec.place = name.place;
    set_cores(own, name, group);
    set_memory(own, group.spec);
    group.weight = number_in(own, "weight", 1, kMostLong);
    if (const auto features = own.find("features"); features != own.end()) {
      for (const std::string& feature : list_items(features->second.value)) {
        if (is_feature_name(feature)) group.spec.features.push_back(feature);
        else page_.ignored(features->second, fmt::format("no job can ask for the feature '{}' here", feature));
      }
    }
    set_gpus(own, nodes, group.spec);
    page_.understood(fmt::format("NodeName={}", all ? name.value : compress_node_names(nodes)), place_text(name.place),
                     fmt::format("{} nodes of {} x {} cores", nodes.size(), group.spec.processors, group.spec.cores));
    return group;
  }

  void set_gpus(const NodeSettings& own, const std::vector<std::string>& nodes, NodeKindSpec& spec) {
    const auto said = own.find("gres");
    if (said == own.end()) return gres_.compare(nodes.front(), {}, {});
    const std::vector<Gres> all = read_gres(said->second.value, said->second.place);
    check_types(all, said->second);
    for (const Gres& g : all) {
      if (g.name != "gpu") {
        page_.ignored(said->second, fmt::format("'{}': only GPUs are modelled", g.name));
        continue;
      }
      if (spec.gpus > 0 && spec.gpu_type != g.type)
        page_.costs("nodes with GPUs of several types", "they all count as the first type");
      else spec.gpu_type = g.type;
      spec.gpus += static_cast<std::int32_t>(std::min<std::int64_t>(g.count, 1'000'000));
    }
    if (spec.gpus > 64)
      fail_at(said->second.place, fmt::format("the nodes have {} GPUs each", spec.gpus), "64 at most");
    gres_.compare(nodes.front(), all, said->second.place);
    if (spec.gpu_type.empty()) spec.gpu_type = gres_.type_of(nodes.front());
    if (spec.gpus == 0) spec.gpu_type.clear();
  }

  static void check_types(const std::vector<Gres>& all, const Setting& said) {
    for (const Gres& a : all)
      for (const Gres& b : all)
        if (a.name == b.name && !a.type.empty() && b.type.empty() && b.count > 0)
          fail_at(said.place,
                  fmt::format("Gres has '{}' with the type {} and without one: slurmd does not start", a.name, a.type),
                  "a type on all of a name, or on none");
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

  struct DownBy {
    Setting nodes, state;
  };

  const GresConf& gres_;
  NodesAside& aside_;
  ImportPage& page_;
  std::map<std::string, DownBy> down_;  ///< by DownNodes
  NodeSettings defaults_;
  std::map<std::string, Place> seen_;
  std::vector<NodeGroup> groups_;
  std::optional<Setting> last_left_out_;  ///< the State of the last nodes that are left out
};

}  // namespace

std::vector<NodeGroup> read_nodes(const std::vector<ConfLine>& conf, const std::vector<ConfLine>& gres,
                                  NodesAside& aside, ImportPage& page) {
  std::vector<std::string> types;
  for (const ConfLine& line : conf)
    if (const Setting* s = line.find("GresTypes")) types = list_items(s->value);
  return NodeReader(GresConf(gres, types, page), aside, page).read(conf);
}

}  // namespace coslice::slurm
