#include "slurm/settings.h"

#include <algorithm>
#include <cassert>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "slurm/resource_lists.h"
#include "slurm/setting_table.h"
#include "slurm/setting_types.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

constexpr const char* kSpans =
    "minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes:seconds or UNLIMITED";

bool is_about(const ConfLine& line, const char* what) { return same_word(line.first().key, what); }

/// Of a key that is not known: those that begin lines of their own count as well.
void refuse_misspelt_setting(const Setting& s) {
  std::vector<std::string> known = setting_names();
  known.insert(known.end(), {"NodeName", "PartitionName", "NodeSet", "DownNodes", "FrontendName"});
  refuse_misspelt(s, known);
}

class SettingsReader {
 public:
  explicit SettingsReader(ImportPage& page) : page_(page) {}

  SiteSettings read(const std::vector<ConfLine>& conf) {
    for (const ConfLine& line : conf)
      if (const Setting* types = line.find("GresTypes")) gres_ = gres_names(types->value);
    for (const ConfLine& line : conf) {
      if (is_about(line, "NodeName") || is_about(line, "PartitionName")) continue;
      if (is_about(line, "NodeSet") || is_about(line, "DownNodes")) continue;  // host_names.cpp, nodes.cpp
      for (const Setting& s : line.settings) take(s);
    }
    if (out_.memory_per_node > 0) out_.memory_per_cpu = 0;  // one of them holds
    note_completing();
    return std::move(out_);
  }

 private:
  const Value* param(std::string_view name) const {
    const auto found =
        std::find_if(out_.params.begin(), out_.params.end(), [&](const auto& p) { return p.first == name; });
    return found == out_.params.end() ? nullptr : &found->second;
  }

  void note_completing() {
    const Value* wait = param("CompleteWait");
    if (wait != nullptr && *wait != Value(std::int64_t{0}))
      page_.costs("how long jobs are COMPLETING is in no setting",
                  "1 s after each end (policy.params.completing); with an Epilog, or jobs that wait for KillWait, it "
                  "is longer");
  }

  /// "socket=/run/munge,cred_expire=60": how long a requeued job waits, unless requeue_delay says it.
  void take_auth_info(const Setting& all) {
    for (const std::string& item : list_items(all.value)) {
      const std::size_t equals = item.find('=');
      if (equals == item.npos || !same_word(item.substr(0, equals), "cred_expire")) continue;
      const SettingRow& row = *find_scheduler_parameter("requeue_delay");
      const auto s = counted(row, {item.substr(0, equals), item.substr(equals + 1), all.place}, false);
      if (s && param("requeue_delay") == nullptr) set_param(row, *s, false);
      return;
    }
    page_.ignored(all, "does not affect scheduling");
  }

  [[noreturn]] static void fail_value(const Setting& s, const char* expected) {
    fail_at(s.place, fmt::format("{}={} cannot be read", s.key, printable(shortened(s.value, 40))), expected);
  }

  static std::int64_t whole(const Setting& s, std::int64_t most) {
    if (const auto value = conf_number(s.value, most)) return *value;
    fail_value(s, "a whole number");
  }

  void take(const Setting& s) {
    out_.said.insert(out_.said.begin(), s);
    const SettingRow* row = find_setting(s.key);
    if (row == nullptr) {
      refuse_misspelt_setting(s);
      return page_.ignored(s, "not known");
    }
    if (!is_policy_parameter(row->kind)) check_type(s);
    if (row->closed) refuse_unknown_words(s, row->words);
    if (row->name != "PreemptMode")
      return take_as(*row, row->closed ? s : with_known_words(s, row->words), s.value.empty());
    check_preempt_mode(s);
    take_as(*row, {s.key, preempt_modes(s.value), s.place}, false);
  }

  /// The setting without words that are not known; each is said.
  Setting with_known_words(const Setting& s, std::string_view known) {
    refuse_misspelt_words(s, known);
    const std::vector<std::string> names = list_items(known);
    if (names.empty()) return s;
    std::vector<std::string> kept;
    for (const std::string& word : list_items(s.value)) {
      if (std::ranges::any_of(names, [&](const std::string& n) { return same_word(n, word); })) kept.push_back(word);
      else page_.warning({s.key, word, s.place}, "not known: passed over, as in Slurm");
    }
    return {s.key, fmt::format("{}", fmt::join(kept, ",")), s.place};
  }

  void take_as(const SettingRow& row, const Setting& s, bool bare) {
    if (is_policy_parameter(row.kind)) return set_param(row, s, bare);
    if (row.kind == SettingKind::kImporter) return use(row.name, s);
    if (row.kind == SettingKind::kHarmless) return page_.ignored(s, "does not affect scheduling");
    page_.ignored(s, std::string("not modelled: ") + std::string(row.effect));
    page_.costs(fmt::format("`{}`", s.key), std::string(row.effect));
  }

  void set_param(const SettingRow& row, const Setting& s, bool bare) {
    if (row.name == "PriorityWeightTRES") check_tres_list(s, gres_);
    Value value = value_of(row.kind, s, bare);
    if (row.kind == SettingKind::kShort && is_out_of_bounds(row, s, *value.integer())) return;
    value.place = s.place;
    page_.understood(s, fmt::format("policy.params.{}", row.name));
    for (auto& [name, old] : out_.params) {
      if (name != row.name) continue;
      old = std::move(value);
      return;
    }
    out_.params.emplace_back(row.name, std::move(value));
  }

  static Value value_of(SettingKind kind, const Setting& s, bool bare) {
    switch (kind) {
      case SettingKind::kText: return s.value;
      case SettingKind::kFlag: {
        if (same_word(s.key, "JobRequeue")) return whole(s, kMostShort) != 0;
        const auto flag = bare ? std::optional(true) : yes_or_no(s.value);
        if (!flag) fail_value(s, "YES or NO");
        return *flag;
      }
      case SettingKind::kSpan: {
        const auto span = read_span(s.value);
        if (!span) fail_value(s, kSpans);
        // An age counts fully from 0 s on, or never; what else has no end is 0 for the policy.
        if (same_word(s.key, "PriorityMaxAge"))
          return span->endless ? static_cast<std::int64_t>(kMaxSeconds) : std::max<std::int64_t>(span->seconds, 1);
        return span->endless ? std::int64_t{0} : span->seconds;
      }
      case SettingKind::kShort: return whole(s, kMostShort);
      case SettingKind::kNumber: return whole(s, kMostLong);
      default: return number_at_front(s.value);
    }
  }

  void use(std::string_view name, const Setting& s) {
    if (name == "SchedulerParameters") {
      take_scheduler_parameters(s);
    } else if (name == "ClusterName") {
      out_.cluster = s.value;
      page_.understood(s, "the scenario's name");
    } else if (name == "DefMemPerCPU") {
      out_.memory_per_cpu = is_unlimited(s.value) ? 0 : number_of(s, kMostMemory);
      page_.understood(s, "memory of jobs that do not say theirs");
    } else if (name == "DefMemPerNode") {
      out_.memory_per_node = is_unlimited(s.value) ? 0 : number_of(s, kMostMemory);
      page_.understood(s, "memory of jobs that do not say theirs");
    } else if (name == "SelectTypeParameters") {
      take_select_parameters(s);
    } else if (name == "KillWait") {
      out_.kill_wait = number_of(s, kMostShort);
      page_.understood(s,
                       "nothing by itself: jobs end when they are told to. engine.kill_wait is for those that do not");
    } else if (name == "SelectType") {
      out_.whole_nodes = same_word(s.value, "select/linear");
      page_.understood(s, out_.whole_nodes ? "jobs have whole nodes" : "jobs have parts of nodes");
    } else if (name == "pack_serial_at_end") {
      out_.serial_at_end = true;
      page_.understood(s, "in policy.lua");
    } else if (name == "defer" || name == "defer_batch") {
      page_.understood(
          s, "jobs are tried at the daemon's next look, never while they are submitted; so it is here without it, too");
    } else if (name == "AuthInfo") {
      take_auth_info(s);
    } else if (name == "OverTimeLimit") {
      set_over_limit(s);
    } else if (name == "TopologyPlugin") {
      take_topology_plugin(s);
    } else if (name == "PreemptParameters") {
      take_preempt_parameters(s);
    } else if (name == "JobDefaults") {
      page_.ignored(s, "not modelled");
      page_.costs("`JobDefaults`", "jobs that say no CPUs have one for each task, and no memory that of their CPUs");
    } else if (name == "GresTypes") {
      page_.understood(s, "GPUs are modelled, others are not");
    } else if (name != "Licenses") {  // which is for site_machine.cpp
      use_power(name, s);
    }
  }

  void take_topology_plugin(const Setting& s) {
    if (same_word(s.value, "topology/tree")) return page_.understood(s, "switches of the machine, as --topology says");
    if (same_word(s.value, "topology/block"))
      return page_.understood(s, "blocks of nodes as switches of the machine, as --topology says");
    page_.understood(s, "nodes are taken without regard to switches, unless --topology is a topology.yaml");
    for (const char* none : {"topology/none", "topology/default", "topology/flat", "none", "default"})
      if (same_word(s.value, none)) return;
    page_.costs(fmt::format("`{}={}`", s.key, s.value), "nodes are taken by their weight and order alone");
  }

  /// Memory counts or not; how cores are chosen is mostly not modelled.
  void take_select_parameters(const Setting& s) {
    out_.memory_counts = lower_case(s.value).find("memory") != std::string::npos;
    for (const std::string& word : list_items(s.value)) {
      out_.least_loaded |= same_word(word, "CR_LLN");
      out_.one_task_per_core |= same_word(word, "CR_ONE_TASK_PER_CORE");
      out_.whole_cores |= same_word(word, "CR_Core") || same_word(word, "CR_Core_Memory");
      out_.whole_sockets |= same_word(word, "CR_Socket") || same_word(word, "CR_Socket_Memory");
    }
    page_.understood(s, out_.memory_counts ? "memory counts" : "nodes have no memory: it does not count");
    static constexpr std::pair<std::string_view, std::string_view> effects[] = {
        {"CR_Memory", "cores are a resource here, too"},
        {"LL_SHARED_GRES", "shares of GPUs are not modelled"},
        {"MULTIPLE_SHARING_GRES_PJ", "shares of GPUs are not modelled"},
        {"ONE_TASK_PER_SHARING_GRES", "shares of GPUs are not modelled"},
        {"ENFORCE_BINDING_GRES", "cores and GPUs of a job may be of different sockets"}};
    // CR_Pack_Nodes is about where in a job's nodes its tasks are.
    static constexpr std::string_view harmless[] = {"CR_CPU",
                                                    "CR_CPU_Memory",
                                                    "CR_Core",
                                                    "CR_Core_Memory",
                                                    "CR_Socket",
                                                    "CR_Socket_Memory",
                                                    "CR_LLN",
                                                    "CR_Pack_Nodes",
                                                    "CR_ONE_TASK_PER_CORE",
                                                    "CR_CORE_DEFAULT_DIST_BLOCK",
                                                    "CR_ALLOCATE_FULL_SOCKET",
                                                    "OTHER_CONS_RES",
                                                    "OTHER_CONS_TRES",
                                                    "NONE"};
    for (const std::string& word : list_items(s.value)) {
      const auto row =
          std::find_if(std::begin(effects), std::end(effects), [&](const auto& e) { return same_word(e.first, word); });
      const Setting one{s.key, word, s.place};
      if (row == std::end(effects)) {
        if (std::any_of(std::begin(harmless), std::end(harmless),
                        [&](std::string_view h) { return same_word(h, word); }))
          continue;
        std::string known;
        for (const std::string_view h : harmless) known.append(h).append(",");
        for (const auto& [name, effect] : effects) known.append(name).append(",");
        refuse_misspelt_words(one, known);
        page_.ignored(one, "not known");
      } else {
        page_.ignored(one, "not modelled");
        page_.costs(fmt::format("`{}`", word), std::string(row->second));
      }
    }
  }

  /// Some were SchedulerParameters before.
  void take_preempt_parameters(const Setting& all) {
    static constexpr std::string_view missing[] = {"strict_order", "reorder_count", "min_exempt_priority",
                                                   "reclaim_licenses", "suspend_grace_time"};
    for (const std::string& item : list_items(all.value)) {
      const Setting s{item.substr(0, item.find('=')),
                      item.find('=') == item.npos ? "" : item.substr(item.find('=') + 1), all.place};
      if (same_word(s.key, "youngest_first")) set_param(*find_scheduler_parameter("preempt_youngest_first"), s, true);
      else if (same_word(s.key, "send_user_signal")) page_.ignored(s, "does not affect scheduling");
      else
        page_.ignored(s, std::any_of(std::begin(missing), std::end(missing),
                                     [&](std::string_view name) { return same_word(name, s.key); })
                             ? "not modelled: other jobs may be preempted, or at other times"
                             : "not known");
    }
  }

  /// Seconds; INFINITE is -1.
  static std::int64_t seconds_or_never(const Setting& s) {
    if (same_word(s.value, "INFINITE") || same_word(s.value, "NONE") || s.value == "-1") return -1;
    if (const auto seconds = whole_number(s.value)) return *seconds;
    fail_value(s, "seconds, or INFINITE");
  }

  void use_power(std::string_view name, const Setting& s) {
    if (name == "SuspendTime") {
      out_.suspend_time = seconds_or_never(s);
      page_.understood(s, out_.suspend_time < 0 ? "nodes stay on" : "power.idle");
    } else if (name == "ResumeTimeout") {
      out_.resume_timeout = number_of(s, kMostShort);
      page_.understood(s, "power.boot, where nodes are powered down");
    } else if (name == "SuspendTimeout") {
      out_.suspend_timeout = number_of(s, kMostShort);
      page_.understood(s, "power.shutdown, where nodes are powered down");
    } else {
      assert(name == "SuspendExcNodes" || name == "SuspendExcParts");
      for (const std::string& item : list_items(s.value)) {
        const std::size_t colon = item.rfind(':');
        const bool counted = name == "SuspendExcNodes" && colon != item.npos;
        if (counted) page_.costs(fmt::format("`{}`", item), "all of these nodes stay on, not only so many");
        (name == "SuspendExcNodes" ? out_.stays_on : out_.partitions_stay_on)
            .push_back(counted ? item.substr(0, colon) : item);
      }
      page_.understood(s, "power.except, where nodes are powered down");
    }
  }

  void set_over_limit(const Setting& s) {
    out_.over_limit = is_unlimited(s.value) ? 365 * 86'400 : number_of(s, kMostShort) * 60;
    if (out_.over_limit == 0) return page_.understood(s, "jobs end at their limits");
    page_.understood(s, "engine.over_limit");
  }

  /// An interval of -1: that scheduler never runs by the clock. The daemon looks for the main one's each second.
  bool switched_off(const Setting& s) {
    if (same_word(s.key, "sched_interval") && !s.value.empty() && number_at_front(s.value) == 0) {
      set_param(*find_scheduler_parameter("sched_interval"), {s.key, "1", s.place}, false);
      return true;
    }
    if (number_at_front(s.value) != -1) return false;
    if (same_word(s.key, "bf_interval")) {
      set_param(*find_setting("SchedulerType"), {s.key, "sched/builtin", s.place}, false);
    } else if (same_word(s.key, "sched_interval")) {
      set_param(*find_scheduler_parameter("sched_interval"), {s.key, "86400", s.place}, false);
    } else {
      return false;
    }
    return true;
  }

  void take_scheduler_parameters(const Setting& all) {
    std::set<std::string> before;
    std::string words = all.value;
    std::ranges::replace_if(
        words, [](char c) { return c == ' ' || c == '\t' || c == ';'; }, ',');  // Slurm finds any
    for (const std::string& item : list_items(words)) {
      const std::size_t equals = item.find('=');
      const bool bare = equals == item.npos;
      const Setting s{item.substr(0, equals), bare ? "" : item.substr(equals + 1), all.place};
      if (!before.insert(lower_case(s.key)).second) {
        page_.warning(s, "stands before, too: of SchedulerParameters the first value counts, as in Slurm");
        continue;
      }
      if (switched_off(s)) {
        out_.said.insert(out_.said.begin(), s);
      } else if (const SettingRow* row = find_scheduler_parameter(s.key)) {
        if (row->kind == SettingKind::kFlag && !bare) page_.warning(s, "the word counts, whatever stands behind it");
        const auto read = row->kind == SettingKind::kCount ? counted(*row, s, bare) : s;
        if (!read) continue;
        out_.said.insert(out_.said.begin(), *read);
        take_as(*row, *read, bare || row->kind == SettingKind::kFlag);
      } else {
        refuse_misspelt_parameter(s, bare);
        out_.said.insert(out_.said.begin(), s);
        page_.ignored(s, "not known");
      }
    }
  }

  /// A number as Slurm reads it there, with atoi; nothing where its default counts.
  std::optional<Setting> counted(const SettingRow& row, const Setting& s, bool bare) {
    const std::int64_t number = number_at_front(s.value);
    if (bare) {
      page_.warning(s, "has no number: its default counts, as in Slurm");
    } else if (!is_out_of_bounds(row, s, number)) {
      if (whole_number(s.value) != number) page_.warning(s, fmt::format("Slurm makes {} of it", number));
      return Setting{s.key, std::to_string(number), s.place};
    }
    return {};
  }

  /// Says so, too.
  bool is_out_of_bounds(const SettingRow& row, const Setting& s, std::int64_t number) {
    if (row.least <= number && number <= row.most) return false;
    const std::string range =
        row.most < INT32_MAX ? fmt::format("{} to {}", row.least, row.most) : fmt::format("{} and more", row.least);
    page_.warning(s, fmt::format("Slurm takes {}: its default counts", range));
    return true;
  }

  /// Slurm takes such a word without saying anything, and does without it.
  static void refuse_misspelt_parameter(const Setting& s, bool bare) {
    const std::size_t colon = bare ? s.key.find(':') : s.key.npos;
    const std::string name = s.key.substr(0, colon);
    const SettingRow* row = find_scheduler_parameter(name);
    const std::string meant =
        row != nullptr ? std::string(row->name) : misspelt_name(name, scheduler_parameter_names());
    if (meant.empty()) return;
    fail_at(s.place,
            fmt::format("SchedulerParameters has no '{}': Slurm ignores it silently", printable(shortened(s.key, 40))),
            colon == s.key.npos ? meant : fmt::format("{}={}", meant, s.key.substr(colon + 1)));
  }

  ImportPage& page_;
  std::vector<std::string> gres_ = gres_names("");  ///< what there is of generic resources
  SiteSettings out_;
};

}  // namespace

const Setting* SiteSettings::find(std::string_view name) const {
  const auto found = std::find_if(said.begin(), said.end(), [&](const Setting& s) { return same_word(s.key, name); });
  return found == said.end() ? nullptr : &*found;
}

SiteSettings read_settings(const std::vector<ConfLine>& conf, ImportPage& page) {
  return SettingsReader(page).read(conf);
}

}  // namespace coslice::slurm
