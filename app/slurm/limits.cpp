// Limits of associations and qualities of service, under the names and spellings of sacctmgr.
#include <algorithm>

#include <fmt/format.h>

#include "core/printable.h"
#include "slurm/associations.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

enum class LimitKind { kNumber, kReal, kText, kNames, kWall };

struct LimitRow {
  std::string_view name;
  LimitKind kind;
  bool of_association, of_qos;
  std::string_view spellings = {};  ///< others, between blanks
  std::string_view missing = {};    ///< what it costs that no policy keeps it; "": one does
};

using L = LimitKind;

constexpr LimitRow kLimits[] = {
    {"Fairshare", L::kText, true, false, " shares "},
    {"Priority", L::kNumber, true, true, ""},
    {"QOS", L::kNames, true, false, " qoslevel qosraw "},
    {"DefaultQOS", L::kNames, true, false, " defqos "},
    {"Partition", L::kText, true, false, " partitions "},
    {"GrpJobs", L::kNumber, true, true, ""},
    {"GrpJobsAccrue", L::kNumber, true, true, "", "all waiting jobs gain age"},
    {"GrpSubmitJobs", L::kNumber, true, true, " grpsubmit "},
    {"GrpTRES", L::kText, true, true, ""},
    {"GrpTRESMins", L::kText, true, true, ""},
    {"GrpTRESRunMins", L::kText, true, true, ""},
    {"GrpWall", L::kWall, true, true, ""},
    {"MaxJobs", L::kNumber, true, false, ""},
    {"MaxJobsAccrue", L::kNumber, true, false, "", "all waiting jobs gain age"},
    {"MaxSubmitJobs", L::kNumber, true, false, " maxsubmitjob maxsubmit "},
    {"MaxTRESPerJob", L::kText, true, true, " maxtres maxtrespj "},
    {"MaxTRESPerNode", L::kText, true, true, " maxtrespn "},
    {"MaxTRESMinsPerJob", L::kText, true, true, " maxtresmins maxtresminspj "},
    {"MaxWallDurationPerJob", L::kWall, true, true, " maxwall maxwallduration maxwallpj "},
    {"MaxJobsPerUser", L::kNumber, false, true, " maxjobspu "},
    {"MaxJobsPerAccount", L::kNumber, false, true, " maxjobspa "},
    {"MaxJobsAccruePerUser", L::kNumber, false, true, " maxjobsaccruepu ", "all waiting jobs gain age"},
    {"MaxSubmitJobsPerUser", L::kNumber, false, true, " maxsubmitjobspu maxsubmitpu "},
    {"MaxSubmitJobsPerAccount", L::kNumber, false, true, " maxsubmitjobspa maxsubmitpa "},
    {"MaxTRESPerUser", L::kText, false, true, " maxtrespu "},
    {"MaxTRESPerAccount", L::kText, false, true, " maxtrespa "},
    {"MinTRESPerJob", L::kText, false, true, " mintrespj mintres "},
    {"MinPrioThreshold", L::kNumber, true, true, " minpriothresh ", "jobs of low priority start"},
    {"UsageFactor", L::kReal, false, true, ""},
    {"UsageThreshold", L::kReal, false, true, "", "jobs start however much was used"},
    {"LimitFactor", L::kReal, false, true, "", "limits of associations are kept as they are"},
    {"GraceTime", L::kWall, false, true, ""},
    {"Preempt", L::kNames, false, true, ""},
    {"PreemptMode", L::kText, false, true, ""},
    {"PreemptExemptTime", L::kWall, false, true, "", "jobs of the quality of service may be preempted as the cluster says"},
    {"Flags", L::kText, false, true, ""},
};

/// What sacctmgr takes and no scheduler asks for.
constexpr std::string_view kNoLimits[] = {"description", "organization", "adminlevel", "rawusage",      "comment",
                                          "email",       "cluster",      "clusters",   "classification"};

const LimitRow* find_limit(const std::string& key, bool of_qos) {
  const std::string small = lower(key), padded = " " + small + " ";
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
    case LimitKind::kNames: return Value(lower(text));
    case LimitKind::kReal: {
      const auto number = real_number(text);
      return number ? std::optional(Value(*number)) : std::nullopt;
    }
    case LimitKind::kWall: {
      const auto span = read_span(text);
      return span && !span->endless ? std::optional(Value(span->seconds)) : std::nullopt;
    }
    case LimitKind::kNumber: break;
  }
  const auto number = whole_number(text);
  return number ? std::optional(Value(*number)) : std::nullopt;
}

/// "a,b" and the change "+c" or "-b".
std::string changed_names(const Value* before, const std::string& change, bool add) {
  std::vector<std::string> names =
      before != nullptr && before->text() ? list_items(*before->text()) : std::vector<std::string>{};
  for (const std::string& name : list_items(lower(change))) {
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
    if (add) names.push_back(name);
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

}  // namespace

std::string limit_name(const std::string& key, bool of_qos) {
  const LimitRow* row = find_limit(key, of_qos);
  return row == nullptr ? "" : std::string(row->name);
}

void set_limit(Limits& limits, const Setting& setting, bool of_qos, ImportPage& page) {
  std::string key = setting.key;
  const char sign = !key.empty() && (key.back() == '+' || key.back() == '-') ? key.back() : '=';
  if (sign != '=') key.pop_back();
  const LimitRow* row = find_limit(key, of_qos);
  if (row == nullptr) {
    const std::string small = lower(key);
    const bool known =
        std::find(std::begin(kNoLimits), std::end(kNoLimits), std::string_view(small)) != std::end(kNoLimits);
    return page.ignored(setting, known ? "does not bear on scheduling" : "not known");
  }
  const std::string name(row->name);
  if (setting.value == "-1" || setting.value.empty()) {  // sacctmgr takes a limit away so
    limits.erase(name);
    return;
  }
  if (!row->missing.empty()) page.costs(fmt::format("`{}`", name), std::string(row->missing));
  if (sign != '=' && row->kind == LimitKind::kNames) {
    const auto before = limits.find(name);
    limits[name] = changed_names(before == limits.end() ? nullptr : &before->second, setting.value, sign == '+');
    return;
  }
  const auto value = limit_value(row->kind, setting.value);
  if (!value || sign != '=')
    fail_at(setting.place, fmt::format("{}={} cannot be read", setting.key, printable(shortened(setting.value, 40))),
            row->kind == LimitKind::kWall ? "a time such as 60, 1:30:00 or 2-12:00" : "a number");
  limits[name] = *value;
}

}  // namespace coslice::slurm
