// The partitions of slurm.conf.
#include <algorithm>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include "core/text.h"
#include "machine/node_names.h"
#include "slurm/resource_lists.h"
#include "slurm/setting_table.h"
#include "slurm/site_machine.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// By keys in lower case.
using PartitionSettings = std::map<std::string, Setting>;

/// What the policy keeps, under Slurm's names, because the machine of a scenario has no word for it.
constexpr std::string_view kForPolicy[] = {"QOS", "PreemptMode", "GraceTime", "TRESBillingWeights", "LLN"};

/// YES and FORCE without a number.
constexpr std::int64_t kShareByDefault = 4;
constexpr std::int64_t kMostSharing = 1000;

constexpr std::string_view kPartitionKnown[] = {
    "PartitionName",     "Nodes",    "Default",      "MaxTime",       "DefaultTime",   "MaxNodes",     "PriorityTier",
    "PriorityJobFactor", "Priority", "DefMemPerCPU", "DefMemPerNode", "OverTimeLimit", "OverSubscribe"};

/// What nobody keeps.
constexpr std::pair<std::string_view, std::string_view> kPartitionCosts[] = {
    {"ExclusiveUser", "jobs of several users run on a node"},
    {"MaxCPUsPerNode", "jobs of the partition may have all CPUs of a node"},
    {"MaxMemPerCPU", "no job is refused or enlarged for its memory"},
    {"MaxMemPerNode", "no job is refused for its memory"},
    {"MinNodes", "smaller jobs are taken"},
    {"State", "its jobs start all the same"}};
/// Of these, the values with which there is nothing to keep.
constexpr std::string_view kNothingToKeep[] = {"NO", "UP"};

/// Who may submit jobs: the recorded ones were taken.
constexpr std::string_view kPartitionAccess[] = {"AllowQos",    "DenyQos",    "AllowAccounts", "DenyAccounts",
                                                 "AllowGroups", "AllocNodes", "RootOnly",      "ReqResv"};

/// Those that become nothing here.
constexpr std::string_view kPartitionMissing[] = {
    "Alternate",     "CpuBind", "DefCpuPerGPU",         "DefMemPerGPU",     "DisableRootJobs",
    "ExclusiveTopo", "Hidden",  "JobDefaults",          "MaxCPUsPerSocket", "PowerDownOnIdle",
    "ResumeTimeout", "Shared",  "SelectTypeParameters", "SuspendTime",      "SuspendTimeout",
    "Topology"};

const std::vector<std::string>& partition_keys_of_slurm() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all(std::begin(kPartitionKnown), std::end(kPartitionKnown));
    all.insert(all.end(), std::begin(kForPolicy), std::end(kForPolicy));
    all.insert(all.end(), std::begin(kPartitionAccess), std::end(kPartitionAccess));
    all.insert(all.end(), std::begin(kPartitionMissing), std::end(kPartitionMissing));
    for (const auto& [key, effect] : kPartitionCosts) all.emplace_back(key);
    return all;
  }();
  return names;
}

class PartitionReader {
 public:
  PartitionReader(const std::vector<std::string>& absent, ImportPage& page) : absent_(absent), page_(page) {}

  std::vector<SitePartition> read(const std::vector<ConfLine>& conf, const std::vector<NodeGroup>& groups) {
    for (const NodeGroup& g : groups) known_.insert(known_.end(), g.nodes.begin(), g.nodes.end());
    for (const ConfLine& line : conf) {
      if (const Setting* types = line.find("GresTypes")) gres_ = gres_names(types->value);
      if (same_word(line.first().key, "PartitionName")) continue;
      if (const Setting* mode = line.find("PreemptMode"))
        for (const std::string& word : list_items(mode->value)) takes_turns_ = takes_turns_ || same_word(word, "GANG");
      if (const Setting* type = line.find("PreemptType")) by_tier_ = same_word(type->value, "preempt/partition_prio");
    }
    for (const ConfLine& line : conf)
      if (same_word(line.first().key, "NodeSet")) add_node_set(line, groups);
    for (const ConfLine& line : conf) {
      if (!same_word(line.first().key, "PartitionName")) continue;
      note_partition_keys(line);
      PartitionSettings own;
      for (const Setting& s : line.settings) own[same_word(s.key, "Shared") ? "oversubscribe" : lower_case(s.key)] = s;
      const Setting& name = own.at("partitionname");
      if (same_word(name.value, "DEFAULT")) {
        for (auto& [key, setting] : own) defaults_[key] = setting;
        page_.understood(name, "holds for the partitions below it");
        continue;
      }
      for (const auto& [key, setting] : defaults_) own.try_emplace(key, setting);
      for (const std::string& one : list_items(name.value)) partitions_.push_back(partition(one, own));
      page_.understood(name, "a partition");
    }
    for (SitePartition& p : partitions_) share_cores(p);
    return std::move(partitions_);
  }

 private:
  void note_partition_keys(const ConfLine& line) {
    const auto among = [](const auto& names, const std::string& key) {
      return std::any_of(std::begin(names), std::end(names), [&](std::string_view n) { return same_word(n, key); });
    };
    for (const Setting& written : line.settings) {
      const Setting s{same_word(written.key, "Shared") ? "OverSubscribe" : written.key, written.value, written.place};
      if (same_word(s.key, "PartitionName")) continue;
      const auto row = std::find_if(std::begin(kPartitionCosts), std::end(kPartitionCosts),
                                    [&](const auto& r) { return same_word(r.first, s.key); });
      if (same_word(s.key, "OverSubscribe")) {
        page_.understood(s, sharing_text(s));
      } else if (among(kPartitionKnown, s.key)) {
        page_.understood(s, "of the partition, or of its jobs");
      } else if (among(kForPolicy, s.key)) {
        page_.understood(s, "in policy.lua, as it stands");
      } else if (among(kPartitionAccess, s.key)) {
        page_.ignored(s, "says who may submit: jobs on record were taken");
      } else if (row == std::end(kPartitionCosts)) {
        refuse_misspelt(s, partition_keys_of_slurm());
        page_.ignored(s, "not modelled");
      } else if (among(kNothingToKeep, s.value)) {
        page_.understood(s, "so it is without it");
      } else {
        page_.ignored(s, fmt::format("not modelled: {}", row->second));
        page_.costs(fmt::format("`{}={}` of a partition", s.key, s.value), std::string(row->second));
      }
    }
  }

  struct Sharing {
    std::int32_t jobs = 1;  ///< of the partition that may have a core
    bool forced = false;
  };

  std::string sharing_text(const Setting& s) const {
    if (same_word(s.value, "EXCLUSIVE")) return "jobs have whole nodes; a dump says which";
    const Sharing shared = sharing(s);
    std::string text = shared.jobs > 1 ? fmt::format("up to {} jobs have a core", shared.jobs) : "";
    if (takes_turns_) text += text.empty() ? "jobs take turns with those of other partitions" : ", in turns";
    else if (text.empty())
      text = shared.forced ? "jobs may have cores of those of other partitions" : "so it is without it";
    return text;
  }

  /// Whose cores its jobs may have beside those of its own, and whether these share theirs: with preemption by tiers
  /// not those of higher tiers, or of partitions whose jobs make way for none.
  void share_cores(SitePartition& p) const {
    const Setting* said = p.find("oversubscribe");
    const bool shares = takes_turns_ || p.spec.oversubscribe > 1 || (said != nullptr && sharing(*said).forced);
    if (!shares || (p.spec.oversubscribe > 1 && !by_tier_)) return;  // with more than one row, it is over all others
    const auto stays = [](const SitePartition& of) {
      const Setting* mode = of.find("preemptmode");
      return mode != nullptr && same_word(mode->value, "OFF");
    };
    if (by_tier_ && stays(p)) {
      p.spec.oversubscribe = 1;
      p.spec.oversubscribe_all = false;
    }
    for (const SitePartition& other : partitions_)
      if (other.spec.name != p.spec.name && !(by_tier_ && (other.spec.tier > p.spec.tier || stays(other))))
        p.spec.over.push_back(other.spec.name);
    if (p.spec.over.empty() && p.spec.oversubscribe > 1) p.spec.over = {p.spec.name};
  }

  /// Of YES:N and FORCE:N.
  Sharing sharing(const Setting& s) const {
    const std::size_t colon = s.value.find(':');
    const std::string word = s.value.substr(0, colon);
    const bool forced = same_word(word, "FORCE");
    if (!forced && !same_word(word, "YES")) return {};
    const auto jobs = colon == s.value.npos ? std::optional(kShareByDefault) : whole_number(s.value.substr(colon + 1));
    if (!jobs || *jobs < 1 || *jobs > kMostSharing)
      fail_at(s.place, fmt::format("{}={} cannot be read", s.key, printable(shortened(s.value, 40))),
              fmt::format("{}:1 to {}:{}", word, word, kMostSharing));
    return {static_cast<std::int32_t>(*jobs), forced};
  }

  void add_node_set(const ConfLine& line, const std::vector<NodeGroup>& groups) {
    std::vector<std::string>& nodes = node_sets_[line.first().value];
    const Setting *names = line.find("Nodes"), *feature = line.find("Feature");
    if (names == nullptr && feature == nullptr)
      fail_at(line.first().place, fmt::format("the node set '{}' names no nodes", line.first().value),
              "Nodes=NAMES or Feature=NAME");
    if (names != nullptr && same_word(names->value, "ALL"))
      for (const NodeGroup& g : groups) nodes.insert(nodes.end(), g.nodes.begin(), g.nodes.end());
    else if (names != nullptr) nodes = expand_node_names(names->value, names->place);
    if (feature != nullptr)
      for (const NodeGroup& g : groups)
        if (std::find(g.spec.features.begin(), g.spec.features.end(), feature->value) != g.spec.features.end())
          nodes.insert(nodes.end(), g.nodes.begin(), g.nodes.end());
    if (nodes.empty())
      fail_at(feature->place, fmt::format("no node has the feature '{}'", feature->value), "one of a NodeName");
    page_.understood(line.first(), "nodes of partitions");
  }

  /// Names of nodes, and of sets of them; each node once.
  std::vector<std::string> nodes_named(const Setting& s) const {
    std::vector<std::string> nodes;
    for (const std::string& item : list_items(s.value)) {
      const auto set = node_sets_.find(item);
      const std::vector<std::string> some = set != node_sets_.end() ? set->second : expand_node_names(item, s.place);
      for (const std::string& node : some)
        if (set == node_sets_.end() || std::find(nodes.begin(), nodes.end(), node) == nodes.end())
          nodes.push_back(node);
    }
    return nodes;
  }

  static const Setting* find(const PartitionSettings& own, const char* key) {
    const auto found = own.find(key);
    return found == own.end() ? nullptr : &found->second;
  }

  static std::int64_t whole(const PartitionSettings& own, const char* key, std::int64_t absent, std::int64_t most) {
    const Setting* s = find(own, key);
    if (s == nullptr) return absent;
    const auto value = whole_number(s->value);
    if (!value || *value > most)
      fail_at(s->place, fmt::format("{}={} is not a number", s->key, printable(shortened(s->value, 40))),
              fmt::format("a whole number up to {}", most));
    return *value;
  }

  static std::optional<Duration> span(const PartitionSettings& own, const char* key) {
    const Setting* s = find(own, key);
    if (s == nullptr || same_word(s->value, "NONE")) return {};
    const auto time = read_span(s->value);
    if (!time)
      fail_at(s->place, fmt::format("{}={} is not a time", s->key, printable(shortened(s->value, 40))), kTimeForms);
    if (time->endless || time->seconds == 0) return {};
    return whole_seconds(time->seconds);
  }

  SitePartition partition(const std::string& name, const PartitionSettings& own) const {
    SitePartition p;
    p.said = own;
    p.spec.name = name;
    p.spec.place = own.at("partitionname").place;
    p.spec.max_time = span(own, "maxtime");
    p.spec.default_time = span(own, "defaulttime");
    if (p.spec.max_time && p.spec.default_time) p.spec.default_time = std::min(*p.spec.default_time, *p.spec.max_time);
    if (const Setting* s = find(own, "overtimelimit")) p.spec.over_limit = over_limit(*s);
    if (const Setting* s = find(own, "maxnodes"); s != nullptr && !same_word(s->value, "UNLIMITED"))
      p.spec.max_nodes = static_cast<std::int32_t>(std::max<std::int64_t>(1, whole(own, "maxnodes", 0, 100'000)));
    if (const Setting* s = find(own, "oversubscribe")) {
      const Sharing shared = sharing(*s);
      p.spec.oversubscribe = shared.jobs;
      p.spec.oversubscribe_all = shared.forced && shared.jobs > 1;
    }
    const std::int64_t both = whole(own, "priority", 1, 65'533);
    p.spec.tier = static_cast<std::int32_t>(whole(own, "prioritytier", both, 65'533));
    p.job_factor = whole(own, "priorityjobfactor", both, 65'533);
    p.memory_per_cpu = memory(own, "defmempercpu");
    p.memory_per_node = memory(own, "defmempernode");
    if (const Setting* s = find(own, "default")) {
      const auto by_default = yes_or_no(s->value);
      if (!by_default)
        fail_at(s->place, fmt::format("Default={} cannot be read", printable(shortened(s->value, 40))), "YES or NO");
      p.spec.by_default = *by_default;
    }
    check_words(own);
    set_nodes(own, p.spec);
    p.grace = whole(own, "gracetime", 0, static_cast<std::int64_t>(kMaxSeconds));
    for (const std::string_view key : kForPolicy)
      if (const Setting* s = find(own, lower_case(key).c_str()); s != nullptr && key != "GraceTime")
        p.others.emplace_back(key, policy_value(key, s->value));
    return p;
  }

  void check_words(const PartitionSettings& own) const {
    if (const Setting* s = find(own, "preemptmode")) refuse_misspelt_words(*s, kPreemptModes);
    if (const Setting* s = find(own, "oversubscribe")) refuse_misspelt_words(*s, "NO,YES,FORCE,EXCLUSIVE");
    if (const Setting* s = find(own, "state")) refuse_misspelt_words(*s, "UP,DOWN,DRAIN,INACTIVE");
    if (const Setting* s = find(own, "tresbillingweights")) check_tres_list(*s, gres_);
  }

  /// Minutes; jobs that may run on for ever do so for a year.
  static Duration over_limit(const Setting& s) {
    if (same_word(s.value, "UNLIMITED") || same_word(s.value, "INFINITE")) return whole_seconds(365 * 86'400);
    const auto minutes = whole_number(s.value);
    if (!minutes || *minutes > 65'533)
      fail_at(s.place, fmt::format("{}={} is not a time", s.key, printable(shortened(s.value, 40))),
              "minutes up to 65533, or UNLIMITED");
    return whole_seconds(*minutes * 60);
  }

  static std::int64_t memory(const PartitionSettings& own, const char* key) {
    const Setting* s = find(own, key);
    if (s == nullptr || same_word(s->value, "UNLIMITED")) return 0;
    return whole(own, key, 0, 1'000'000'000);
  }

  /// Names of qualities of service are in lower case everywhere in Slurm.
  static std::string policy_value(std::string_view key, const std::string& value) {
    return key == "QOS" ? lower_case(value) : value;
  }

  void set_nodes(const PartitionSettings& own, PartitionSpec& spec) const {
    const Setting* s = find(own, "nodes");
    if (s == nullptr)
      fail_at(spec.place, fmt::format("partition '{}' has no nodes", spec.name), "Nodes=NAMES or Nodes=ALL");
    if (same_word(s->value, "ALL")) return;
    spec.place = s->place;
    std::vector<std::string> nodes = nodes_named(*s);
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                               [&](const std::string& n) {
                                 return std::find(absent_.begin(), absent_.end(), n) != absent_.end();
                               }),
                nodes.end());
    if (nodes.empty())
      fail_at(s->place, fmt::format("all nodes of partition '{}' are left out", spec.name),
              "nodes whose state is not DOWN");
    const std::unordered_set<std::string_view> known(known_.begin(), known_.end());
    for (const std::string& n : nodes)
      if (!known.contains(n))
        fail_at(s->place, fmt::format("partition '{}' names '{}', which is not a node", spec.name, n),
                "nodes of NodeName lines: " + shortened(compress_node_names(known_), 60));
    spec.nodes = {compress_node_names(nodes)};
  }

  static constexpr const char* kTimeForms =
      "minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes:seconds or INFINITE";

  const std::vector<std::string>& absent_;
  std::vector<std::string> known_;  ///< nodes that are not absent
  ImportPage& page_;
  std::vector<std::string> gres_ = gres_names("");  ///< what there is of generic resources
  bool takes_turns_ = false;                        ///< PreemptMode=GANG
  bool by_tier_ = false;                            ///< PreemptType=preempt/partition_prio
  PartitionSettings defaults_;
  std::map<std::string, std::vector<std::string>> node_sets_;
  std::vector<SitePartition> partitions_;
};

}  // namespace

std::vector<SitePartition> read_partitions(const std::vector<ConfLine>& conf, const std::vector<NodeGroup>& groups,
                                           const std::vector<std::string>& absent, ImportPage& page) {
  return PartitionReader(absent, page).read(conf, groups);
}

}  // namespace coslice::slurm
