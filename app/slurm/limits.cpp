// Limits of associations and qualities of service, under the names and spellings of sacctmgr.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"
#include "slurm/associations.h"
#include "slurm/setting_table.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

enum class LimitKind {
  kNumber,
  kReal,
  kShare,  ///< a number, or "parent"
  kText,
  kTres,
  kFlags,
  kModes,  ///< of preemption
  kNames,  ///< of qualities of service
  kWall,
  kSeconds,  ///< a number without colons is of seconds, not of minutes
};

struct LimitRow {
  std::string_view name;
  LimitKind kind;
  bool of_association, of_qos;
  std::string_view spellings = {};  ///< others, between blanks
  std::string_view missing = {};    ///< what it costs that no policy keeps it; "": one does
};

using L = LimitKind;

constexpr LimitRow kLimits[] = {
    {"Fairshare", L::kShare, true, false, " shares "},
    {"Priority", L::kNumber, true, true, ""},
    {"QOS", L::kNames, true, false, " qoslevel qosraw "},
    {"DefaultQOS", L::kNames, true, false, " defqos "},
    {"Partition", L::kText, true, false, " partitions "},
    {"GrpJobs", L::kNumber, true, true, ""},
    {"GrpJobsAccrue", L::kNumber, true, true, "", "all waiting jobs gain age"},
    {"GrpSubmitJobs", L::kNumber, true, true, " grpsubmit "},
    {"GrpTRES", L::kTres, true, true, ""},
    {"GrpTRESMins", L::kTres, true, true, ""},
    {"GrpTRESRunMins", L::kTres, true, true, ""},
    {"GrpWall", L::kWall, true, true, ""},
    {"MaxJobs", L::kNumber, true, false, ""},
    {"MaxJobsAccrue", L::kNumber, true, false, "", "all waiting jobs gain age"},
    {"MaxSubmitJobs", L::kNumber, true, false, " maxsubmitjob maxsubmit "},
    {"MaxTRESPerJob", L::kTres, true, true, " maxtres maxtrespj "},
    {"MaxTRESPerNode", L::kTres, true, true, " maxtrespn "},
    {"MaxTRESMinsPerJob", L::kTres, true, true, " maxtresmins maxtresminspj "},
    {"MaxWallDurationPerJob", L::kWall, true, true, " maxwall maxwallduration maxwallpj "},
    {"MaxJobsPerUser", L::kNumber, false, true, " maxjobspu "},
    {"MaxJobsPerAccount", L::kNumber, false, true, " maxjobspa "},
    {"MaxJobsAccruePerUser", L::kNumber, false, true, " maxjobsaccruepu ", "all waiting jobs gain age"},
    {"MaxJobsAccruePerAccount", L::kNumber, false, true, " maxjobsaccruepa ", "all waiting jobs gain age"},
    {"MaxSubmitJobsPerUser", L::kNumber, false, true, " maxsubmitjobspu maxsubmitpu "},
    {"MaxSubmitJobsPerAccount", L::kNumber, false, true, " maxsubmitjobspa maxsubmitpa "},
    {"MaxTRESPerUser", L::kTres, false, true, " maxtrespu "},
    {"MaxTRESPerAccount", L::kTres, false, true, " maxtrespa "},
    {"MaxTRESRunMinsPerUser", L::kTres, false, true, " maxtresrunminspu "},
    {"MaxTRESRunMinsPerAccount", L::kTres, false, true, " maxtresrunminspa maxtresrunminsperacct "},
    {"MinTRESPerJob", L::kTres, false, true, " mintrespj mintres "},
    {"MinPrioThreshold", L::kNumber, true, true, " minpriothresh "},
    {"UsageFactor", L::kReal, false, true, ""},
    {"UsageThreshold", L::kReal, false, true, ""},
    {"LimitFactor", L::kReal, false, true, ""},
    {"GraceTime", L::kSeconds, false, true, ""},
    {"Preempt", L::kNames, false, true, ""},
    {"PreemptMode", L::kModes, false, true, ""},
    {"PreemptExemptTime", L::kWall, false, true, ""},
    {"Flags", L::kFlags, false, true, ""},
};

/// What sacctmgr takes and no scheduler asks for; slurmctld keeps MaxTRESRunMins of associations nowhere.
constexpr std::string_view kNoLimits[] = {"description",    "organization",   "adminlevel", "rawusage", "comment",
                                          "email",          "cluster",        "clusters",   "wckeys",   "defaultwckey",
                                          "classification", "maxtresrunmins", "coordinator"};

/// Limits of releases before 15.08, which sacctmgr still takes: each is one of a resource today.
struct FormerLimit {
  std::string_view name, limit, resource;
};
constexpr FormerLimit kFormerLimits[] = {
    {"grpcpus", "GrpTRES", "cpu"},
    {"grpmemory", "GrpTRES", "mem"},
    {"grpnodes", "GrpTRES", "node"},
    {"grpcpumins", "GrpTRESMins", "cpu"},
    {"grpcpurunmins", "GrpTRESRunMins", "cpu"},
    {"maxcpus", "MaxTRESPerJob", "cpu"},
    {"maxcpusperjob", "MaxTRESPerJob", "cpu"},
    {"maxnodes", "MaxTRESPerJob", "node"},
    {"maxnodesperjob", "MaxTRESPerJob", "node"},
    {"maxcpumins", "MaxTRESMinsPerJob", "cpu"},
    {"maxcpuminsperjob", "MaxTRESMinsPerJob", "cpu"},
    {"maxcpusperuser", "MaxTRESPerUser", "cpu"},
    {"maxcpuspu", "MaxTRESPerUser", "cpu"},
    {"maxnodesperuser", "MaxTRESPerUser", "node"},
    {"maxnodespu", "MaxTRESPerUser", "node"},
    {"mincpus", "MinTRESPerJob", "cpu"},
    {"mincpusperjob", "MinTRESPerJob", "cpu"},
};

/// The amounts of the resources of both lists, where the second one says others anew; "NONE" is as good as none.
std::string merged_tres(const Value* before, const std::string& change) {
  std::vector<std::string> items;
  if (before != nullptr && before->text() != nullptr) items = list_items(*before->text());
  for (std::string item : list_items(change)) {
    item.erase(0, std::min(item.find_first_not_of(' '), item.size()));
    const std::string name = lower_case(item.substr(0, item.find('=') + 1));
    std::erase_if(items, [&](const std::string& old) { return lower_case(old).starts_with(name); });
    if (!same_word(item.substr(name.size()), "none") && !same_word(item.substr(name.size()), "-1"))
      items.push_back(item);
  }
  return fmt::format("{}", fmt::join(items, ","));
}

const LimitRow* find_limit(const std::string& key, bool of_qos) {
  const std::string small = lower_case(key), padded = " " + small + " ";
  for (const LimitRow& row : kLimits) {
    if (!(of_qos ? row.of_qos : row.of_association)) continue;
    if (same_word(row.name, small) || (!row.spellings.empty() && row.spellings.find(padded) != row.spellings.npos))
      return &row;
  }
  return nullptr;
}

std::optional<double> real_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && value >= 0 && value <= 1e12 ? std::optional(value) : std::nullopt;
}

std::optional<Value> limit_value(LimitKind kind, const std::string& text) {
  switch (kind) {
    case LimitKind::kText: {
      const auto number = whole_number(text);
      return number ? Value(*number) : Value(text);
    }
    case LimitKind::kShare: {
      const auto number = whole_number(text);
      if (!number && !same_word(text, "parent")) return std::nullopt;
      return number ? Value(*number) : Value(text);
    }
    case LimitKind::kTres:
    case LimitKind::kModes: return Value(text);
    case LimitKind::kFlags:
    case LimitKind::kNames: break;  // changed_names
    case LimitKind::kReal: {
      const auto number = real_number(text);
      return number ? std::optional(Value(*number)) : std::nullopt;
    }
    case LimitKind::kWall: {
      const auto span = read_span(text);
      return span && !span->endless ? std::optional(Value(span->seconds)) : std::nullopt;
    }
    case LimitKind::kSeconds:
      if (text.find(':') != text.npos) return limit_value(LimitKind::kWall, text);
      break;
    case LimitKind::kNumber: break;
  }
  const auto number = whole_number(text);
  return number ? std::optional(Value(*number)) : std::nullopt;
}

/// "a,b" and the change "c", where the sign says whether it is added (+), taken away (-), or what stands there (=). A
/// sign may also stand before a name. Upper and lower case are the same.
std::string changed_names(const Value* before, const std::string& change, char sign) {
  std::vector<std::string> names;
  const bool signed_names = !change.empty() && (change[0] == '+' || change[0] == '-');
  if (before != nullptr && before->text() && (sign != '=' || signed_names)) names = list_items(*before->text());
  for (std::string name : list_items(change)) {
    char own = sign;
    if (name[0] == '+' || name[0] == '-') {
      own = name[0];
      name.erase(0, 1);
    }
    names.erase(std::remove_if(names.begin(), names.end(), [&](const std::string& n) { return same_word(n, name); }),
                names.end());
    if (own != '-') names.push_back(name);
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

std::string without_sign(const std::string& name) { return name[0] == '+' || name[0] == '-' ? name.substr(1) : name; }

/// Whether all these qualities of service are there.
void check_qos_names(const Setting& setting, const std::vector<std::string>& all) {
  for (const std::string& item : list_items(lower_case(setting.value))) {
    const std::string name = without_sign(item);
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    fail_at(setting.place, fmt::format("there is no quality of service '{}'", printable(shortened(name, 40))),
            "one that a line above adds", did_you_mean(name, all));
  }
}

constexpr std::string_view kQosFlags =
    "Deleted,PartQOS,DenyOnLimit,EnforceUsageThreshold,NoDecay,NoReserve,OverPartQOS,"
    "PartitionMaxNodes,PartitionMinNodes,PartitionTimeLimit,Relative,"
    "RequiresReservation,UsageFactorSafe";

/// Flags that nobody keeps, and what that may do.
constexpr std::pair<std::string_view, std::string_view> kFlagsMissing[] = {
    {"Relative", "the amounts of its limits are parts of the cluster in per cent, and count as they stand"},
    {"NoDecay", "what it has used fades as all does"},
    {"PartitionMaxNodes", "its jobs keep to MaxNodes of their partition: larger ones are left out"},
    {"PartitionTimeLimit", "its jobs keep to MaxTime of their partition: longer ones are left out"},
    {"UsageFactorSafe", "whether an allocation lasts for a job is reckoned without UsageFactor"}};

/// Warns of flags that the setting adds and nobody keeps.
void note_flags(const Setting& setting, char sign, ImportPage& page) {
  for (const std::string& item : list_items(setting.value))
    for (const auto& [flag, effect] : kFlagsMissing) {
      const bool taken_away = item[0] == '-' || (item[0] != '+' && sign == '-');
      if (taken_away || !same_word(without_sign(item), flag)) continue;
      page.costs(fmt::format("`Flags={}` of a quality of service", flag), std::string(effect));
      page.not_kept({setting.key, item, setting.place}, fmt::format("not modelled: {}", effect));
    }
}

/// Warns of amounts of resources that no policy counts.
void note_resources(const Setting& setting, ImportPage& page) {
  constexpr std::string_view kCounted[] = {"cpu", "node", "mem", "billing", "gres/gpu"};
  for (const std::string& item : list_items(setting.value)) {
    const std::size_t equals = item.find('=');
    const std::string name = lower_case(item.substr(0, equals)), amount = item.substr(equals + 1);
    const bool counts = std::ranges::find(kCounted, name) != std::end(kCounted) || name.starts_with("gres/gpu:");
    if (counts || amount == "-1" || same_word(amount, "none")) continue;
    page.costs(fmt::format("limits by {}", printable(shortened(name, 40))), "no job is held to them");
    page.not_kept({setting.key, item, setting.place}, "not modelled: no job is held to it");
  }
}

/// What sacctmgr has for words, besides limits: what a key that is not known may be meant to be.
const std::vector<std::string>& all_keys() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = {"Name", "Account", "Accounts", "DefaultAccount", "Parent",
                                      "User", "Users",   "WCKeys",   "DefaultWCKey"};
    for (const LimitRow& row : kLimits) {
      names.emplace_back(row.name);
      for (std::size_t at = 1, end = 0; at < row.spellings.size(); at = end + 1) {
        end = row.spellings.find(' ', at);
        names.emplace_back(row.spellings.substr(at, end - at));
      }
    }
    for (const std::string_view key : kNoLimits) names.emplace_back(key);
    return names;
  }();
  return all;
}

/// sacctmgr takes the beginnings of names.
bool begins_a_key(const std::string& key) {
  return std::any_of(all_keys().begin(), all_keys().end(), [&](const std::string& known) {
    return same_word(std::string_view(known).substr(0, key.size()), key);
  });
}

const char* expected_of(LimitKind kind) {
  if (kind == LimitKind::kWall) return "a time such as 60, 1:30:00 or 2-12:00";
  return kind == LimitKind::kShare ? "a number, or parent" : "a number";
}

/// Names in the value that are misspelt, or that nothing has.
void check_words(LimitKind kind, const Setting& setting, const LimitContext& context) {
  if (kind == LimitKind::kTres) check_tres_list(setting, context.gres);
  if (kind == LimitKind::kFlags) refuse_misspelt_words(setting, kQosFlags);
  if (kind == LimitKind::kModes) refuse_misspelt_words(setting, std::string(kPreemptModes) + ",CLUSTER");
  if (kind == LimitKind::kNames && context.all_qos != nullptr) check_qos_names(setting, *context.all_qos);
}

}  // namespace

std::string limit_name(const std::string& key, bool of_qos) {
  const LimitRow* row = find_limit(key, of_qos);
  return row == nullptr ? "" : std::string(row->name);
}

void set_limit(Limits& limits, const Setting& setting, const LimitContext& context, ImportPage& page) {
  std::string key = setting.key;
  const char sign = !key.empty() && (key.back() == '+' || key.back() == '-') ? key.back() : '=';
  if (sign != '=') key.pop_back();
  for (const FormerLimit& former : kFormerLimits)
    if (same_word(key, former.name)) {
      const std::string tres = fmt::format("{}={}", former.resource, setting.value);
      return set_limit(limits, {std::string(former.limit), setting.value.empty() ? "" : tres, setting.place}, context,
                       page);
    }
  const LimitRow* row = find_limit(key, context.of_qos);
  if (row == nullptr) {
    const std::string small = lower_case(key);
    const bool known =
        std::find(std::begin(kNoLimits), std::end(kNoLimits), std::string_view(small)) != std::end(kNoLimits);
    if (!begins_a_key(key)) refuse_misspelt({key, setting.value, setting.place}, all_keys());
    if (known) return page.ignored(setting, "does not affect scheduling");
    return page.not_kept(setting, "this limit is not known, and not kept");
  }
  const std::string name(row->name);
  if (setting.value == "-1" || setting.value.empty()) {  // sacctmgr takes a limit away so
    limits.erase(name);
    return;
  }
  check_words(row->kind, setting, context);
  if (!row->missing.empty()) {
    page.costs(fmt::format("`{}`", name), std::string(row->missing));
    page.not_kept(setting, fmt::format("not modelled: {}", row->missing));
  }
  if (row->kind == LimitKind::kNames || row->kind == LimitKind::kFlags) {
    if (row->kind == LimitKind::kFlags) note_flags(setting, sign, page);
    const auto before = limits.find(name);
    limits[name] = changed_names(before == limits.end() ? nullptr : &before->second,
                                 row->kind == LimitKind::kNames ? lower_case(setting.value) : setting.value, sign);
    return;
  }
  if (row->kind == LimitKind::kTres) {
    const auto before = limits.find(name);
    const std::string tres = merged_tres(before == limits.end() ? nullptr : &before->second, setting.value);
    note_resources(setting, page);
    if (tres.empty()) limits.erase(name);
    else limits[name] = Value(tres);
    return;
  }
  const auto value = limit_value(row->kind, setting.value);
  if (!value || sign != '=')
    fail_at(setting.place, fmt::format("{}={} cannot be read", setting.key, printable(shortened(setting.value, 40))),
            expected_of(row->kind));
  limits[name] = *value;
}

}  // namespace coslice::slurm
