// The partitions of slurm.conf.
#include <algorithm>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include "core/text.h"
#include "machine/node_names.h"
#include "slurm/resource_lists.h"
#include "slurm/setting_table.h"
#include "slurm/setting_types.h"
#include "slurm/site_machine.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// By keys in lower case.
using PartitionSettings = std::map<std::string, Setting>;

/// What the policy keeps, under Slurm's names, because the machine of a scenario has no word for it.
constexpr std::string_view kForPolicy[] = {"QOS", "PreemptMode",   "GraceTime",     "TRESBillingWeights",
                                           "LLN", "ExclusiveUser", "MaxCPUsPerNode"};

/// YES and FORCE without a number.
constexpr std::int64_t kShareByDefault = 4;
constexpr std::int64_t kMostSharing = 1000;

constexpr std::string_view kPartitionKnown[] = {
    "PartitionName",     "Nodes",    "Default",      "MaxTime",       "DefaultTime",   "MaxNodes",     "PriorityTier",
    "PriorityJobFactor", "Priority", "DefMemPerCPU", "DefMemPerNode", "OverTimeLimit", "OverSubscribe"};

/// What nobody keeps.
constexpr std::pair<std::string_view, std::string_view> kPartitionCosts[] = {
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
  PartitionReader(SiteMachine& machine, ImportPage& page) : machine_(machine), page_(page) {
    for (const NodeGroup& g : machine.groups) known_.insert(known_.end(), g.nodes.begin(), g.nodes.end());
  }

  void read(const std::vector<ConfLine>& conf) {
    for (const ConfLine& line : conf) {
      if (const Setting* types = line.find("GresTypes")) gres_ = gres_names(types->value);
      if (same_word(line.first().key, "PartitionName")) continue;
      if (const Setting* mode = line.find("PreemptMode"))
        for (const std::string& word : list_items(mode->value)) takes_turns_ = takes_turns_ || same_word(word, "GANG");
      if (const Setting* type = line.find("PreemptType")) by_tier_ = same_word(type->value, "preempt/partition_prio");
    }
    for (const ConfLine& line : conf) {
      if (!same_word(line.first().key, "PartitionName")) continue;
      note_partition_keys(line);
      PartitionSettings own;
      for (const Setting& written : line.settings) {
        const Setting s = under_first_name(written);
        own[lower_case(s.key)] = s;
      }
      const Setting& name = own.at("partitionname");
      if (same_word(name.value, "DEFAULT")) {
        for (auto& [key, setting] : own) defaults_[key] = setting;
        for (const Setting& written : line.settings)  // Slurm hands all keys down but this one
          if (same_word(written.key, "ExclusiveUser") && defaults_.erase("exclusiveuser") != 0)
            page_.warning(written, "holds for no partition below DEFAULT, as in Slurm: each has to say it");
        page_.understood(name, "holds for the partitions below it");
        continue;
      }
      for (const auto& [key, setting] : defaults_) own.try_emplace(key, setting);
      for (const std::string& one : list_items(name.value)) add(one, own);
    }
    for (SitePartition& p : partitions_) share_cores(p);
    machine_.partitions = std::move(partitions_);
  }

 private:
  /// What Shared and Exclusive say, as other releases write it.
  static Setting under_first_name(const Setting& s) {
    if (same_word(s.key, "Shared")) return {"OverSubscribe", s.value, s.place};
    if (!same_word(s.key, "Exclusive")) return s;
    if (same_word(s.value, "NODE") || same_word(s.value, "TOPO")) return {"OverSubscribe", "EXCLUSIVE", s.place};
    return {"ExclusiveUser", same_word(s.value, "USER") ? "YES" : "NO", s.place};
  }

  /// Slurm starts with partitions that have no nodes; no job of theirs does.
  void add(const std::string& name, const PartitionSettings& own) {
    SitePartition p = partition(name, own);
    if (p.spec.nodes.empty() && !has_all_) {
      machine_.empty_partitions.push_back(name);
      return page_.warning(own.at("partitionname"), "has no nodes that take jobs: it is left out");
    }
    partitions_.push_back(std::move(p));
    page_.understood(own.at("partitionname"), "a partition");
  }

  void note_partition_keys(const ConfLine& line) {
    const auto among = [](const auto& names, const std::string& key) {
      return std::any_of(std::begin(names), std::end(names), [&](std::string_view n) { return same_word(n, key); });
    };
    for (const Setting& written : line.settings) {
      const Setting s = under_first_name(written);
      if (same_word(s.key, "PartitionName")) continue;
      check_type(s);
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

  /// Of smaller numbers Slurm makes NO.
  static std::int64_t fewest_sharing(std::string_view word) { return same_word(word, "FORCE") ? 1 : 2; }

  /// Of YES:N and FORCE:N, with what Slurm makes of N. Numbers that are too small share nothing.
  Sharing sharing(const Setting& s) const {
    const std::size_t colon = s.value.find(':');
    const std::string word = s.value.substr(0, colon);
    const bool forced = same_word(word, "FORCE");
    if (!forced && !same_word(word, "YES")) return {};
    const std::int64_t jobs = colon == s.value.npos ? kShareByDefault : number_at_front(s.value.substr(colon + 1));
    if (jobs < fewest_sharing(word)) return {};
    return {static_cast<std::int32_t>(std::min(jobs, kMostSharing)), forced};
  }

  static const Setting* find(const PartitionSettings& own, const char* key) {
    const auto found = own.find(key);
    return found == own.end() ? nullptr : &found->second;
  }

  static std::int64_t whole(const PartitionSettings& own, const char* key, std::int64_t absent, std::int64_t most) {
    const Setting* s = find(own, key);
    if (s == nullptr) return absent;
    return number_of(*s, most);
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

  SitePartition partition(const std::string& name, const PartitionSettings& own) {
    SitePartition p;
    p.said = own;
    p.spec.name = name;
    p.spec.place = own.at("partitionname").place;
    p.spec.max_time = span(own, "maxtime");
    p.spec.default_time = span(own, "defaulttime");
    if (p.spec.max_time && p.spec.default_time) p.spec.default_time = std::min(*p.spec.default_time, *p.spec.max_time);
    if (const Setting* s = find(own, "overtimelimit")) p.spec.over_limit = over_limit(*s);
    if (const Setting* s = find(own, "maxnodes"); s != nullptr && !is_unlimited(s->value))
      p.spec.max_nodes = static_cast<std::int32_t>(std::clamp<std::int64_t>(number_of(*s, kMostLong), 1, 100'000));
    if (const Setting* s = find(own, "oversubscribe")) {
      check_sharing(*s);
      const Sharing shared = sharing(*s);
      p.spec.oversubscribe = shared.jobs;
      p.spec.oversubscribe_all = shared.forced && shared.jobs > 1;
    }
    set_priorities(own, p);
    p.memory_per_cpu = memory(own, "defmempercpu");
    p.memory_per_node = memory(own, "defmempernode");
    if (p.memory_per_node > 0) p.memory_per_cpu = 0;
    if (const Setting* s = find(own, "default")) p.spec.by_default = *yes_or_no(s->value);
    check_words(own);
    set_nodes(own, p.spec);
    p.grace = whole(own, "gracetime", 0, static_cast<std::int64_t>(kMaxSeconds));
    for (const std::string_view key : kForPolicy)
      if (const Setting* s = find(own, lower_case(key).c_str()); s != nullptr && key != "GraceTime")
        p.others.emplace_back(key, policy_value(key, s->value));
    return p;
  }

  /// Priority stands for both of the others, whatever they say.
  void set_priorities(const PartitionSettings& own, SitePartition& p) {
    p.spec.tier = static_cast<std::int32_t>(whole(own, "prioritytier", 1, kMostShort));
    p.job_factor = whole(own, "priorityjobfactor", 1, kMostShort);
    const Setting* both = find(own, "priority");
    if (both == nullptr) return;
    for (const char* key : {"prioritytier", "priorityjobfactor"})
      if (const Setting* s = find(own, key); s != nullptr && s->value != both->value)
        page_.warning(*s, fmt::format("Priority={} counts, as in Slurm", both->value));
    p.job_factor = whole(own, "priority", 1, kMostShort);
    p.spec.tier = static_cast<std::int32_t>(p.job_factor);
  }

  void check_sharing(const Setting& s) {
    constexpr std::string_view kWords = "NO,YES,FORCE,EXCLUSIVE";
    refuse_misspelt_words(s, kWords);
    const std::size_t colon = s.value.find(':');
    const std::string word = s.value.substr(0, colon);
    const bool numbered = same_word(word, "YES") || same_word(word, "FORCE");
    if (std::ranges::none_of(list_items(kWords), [&](const std::string& w) { return same_word(w, word); }) ||
        (colon != s.value.npos && !numbered))
      fail_at(s.place, fmt::format("{}={} cannot be read", s.key, printable(shortened(s.value, 40))),
              "NO, YES, YES:2, FORCE, FORCE:2 or EXCLUSIVE");
    if (colon == s.value.npos) return;
    const std::int64_t jobs = number_at_front(s.value.substr(colon + 1));
    if (jobs < fewest_sharing(word)) page_.warning(s, "Slurm takes NO for it");
    else if (jobs > kMostSharing) page_.warning(s, fmt::format("{} jobs share a core at most here", kMostSharing));
    else if (whole_number(s.value.substr(colon + 1)) != jobs)
      page_.warning(s, fmt::format("Slurm makes {} of its number", jobs));
  }

  void check_words(const PartitionSettings& own) {
    if (const Setting* s = find(own, "preemptmode")) {
      refuse_unknown_words(*s, kPreemptModes);
      check_preempt_mode(*s);
      for (const std::string& mode : list_items(s->value))
        if (same_word(mode, "GANG")) page_.warning(*s, "GANG is for the whole cluster: Slurm passes over it here");
    }
    const Setting *cpu = find(own, "defmempercpu"), *node = find(own, "defmempernode");
    if (cpu != nullptr && node != nullptr && memory(own, "defmempernode") > 0)
      page_.warning(*cpu, "is set beside DefMemPerNode, which counts, as in Slurm");
    if (const Setting* s = find(own, "state")) refuse_misspelt_words(*s, "UP,DOWN,DRAIN,INACTIVE");
    if (const Setting* s = find(own, "tresbillingweights")) check_tres_list(*s, gres_);
  }

  /// Minutes; jobs that may run on for ever do so for a year. Of what is no number Slurm makes 0.
  Duration over_limit(const Setting& s) const {
    const std::int64_t minutes = std::max<std::int64_t>(number_at_front(s.value), 0);
    if (is_unlimited(s.value) || minutes >= kMostShort) return whole_seconds(365 * 86'400);
    if (!whole_number(s.value)) page_.warning(s, fmt::format("Slurm makes {} minutes of it", minutes));
    return whole_seconds(minutes * 60);
  }

  static std::int64_t memory(const PartitionSettings& own, const char* key) {
    const Setting* s = find(own, key);
    if (s == nullptr || is_unlimited(s->value)) return 0;
    return whole(own, key, 0, kMostMemory);
  }

  /// Names of qualities of service are in lower case everywhere in Slurm.
  static std::string policy_value(std::string_view key, const std::string& value) {
    if (key == "QOS") return lower_case(value);
    if (key == "LLN" || key == "ExclusiveUser") return yes_or_no(value).value_or(false) ? "YES" : "NO";
    if (key == "MaxCPUsPerNode")
      return is_unlimited(value) ? "UNLIMITED" : std::to_string(conf_number(value, kMostLong).value_or(0));
    if (key != "PreemptMode") return value;
    std::string modes;
    for (const std::string& mode : list_items(preempt_modes(value)))
      if (!same_word(mode, "GANG")) modes += (modes.empty() ? "" : ",") + mode;
    return modes.empty() ? "OFF" : modes;
  }

  void set_nodes(const PartitionSettings& own, PartitionSpec& spec) {
    const Setting* s = find(own, "nodes");
    has_all_ = s != nullptr && same_word(s->value, "ALL");
    if (s == nullptr || has_all_) return;
    spec.place = s->place;
    const std::unordered_set<std::string_view> known(known_.begin(), known_.end()),
        absent(machine_.aside.absent.begin(), machine_.aside.absent.end());
    std::vector<std::string> nodes;
    for (const std::string& n : machine_.node_sets.nodes_of(*s, page_)) {
      if (known.contains(n)) nodes.push_back(n);
      else if (!absent.contains(n))
        fail_at(s->place, fmt::format("partition '{}' names '{}', which is not a node", spec.name, n),
                "nodes of NodeName lines: " + shortened(compress_node_names(known_), 60));
    }
    if (!nodes.empty()) spec.nodes = {compress_node_names(nodes)};
  }

  static constexpr const char* kTimeForms =
      "minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes:seconds or INFINITE";

  SiteMachine& machine_;
  std::vector<std::string> known_;  ///< nodes that are not absent
  bool has_all_ = false;            ///< the partition that is read has all nodes
  ImportPage& page_;
  std::vector<std::string> gres_ = gres_names("");  ///< what there is of generic resources
  bool takes_turns_ = false;                        ///< PreemptMode=GANG
  bool by_tier_ = false;                            ///< PreemptType=preempt/partition_prio
  PartitionSettings defaults_;
  std::vector<SitePartition> partitions_;
};

}  // namespace

void read_partitions(const std::vector<ConfLine>& conf, SiteMachine& machine, ImportPage& page) {
  PartitionReader(machine, page).read(conf);
}

}  // namespace coslice::slurm
