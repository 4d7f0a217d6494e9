#include "slurm/setting_types.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "core/text.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// Numbers of 16 bits, of 32 or 64 bits, and words for yes and no. Keys of which releases differ are in none; what is a
/// parameter of the policy has its kind in the table of settings.
constexpr std::string_view kShortNumbers[] = {"AcctGatherNodeFreq",
                                              "BatchStartTimeout",
                                              "Boards",
                                              "CPUs",
                                              "CoreSpecCount",
                                              "CoresPerSocket",
                                              "EioTimeout",
                                              "EpilogTimeout",
                                              "FastSchedule",
                                              "GroupUpdateForce",
                                              "GroupUpdateTime",
                                              "HealthCheckInterval",
                                              "HealthCheckTimeout",
                                              "InactiveLimit",
                                              "JobFileAppend",
                                              "KillOnBadExit",
                                              "KillWait",
                                              "MaxTasksPerNode",
                                              "MessageTimeout",
                                              "Priority",
                                              "PriorityJobFactor",
                                              "PriorityTier",
                                              "Procs",
                                              "PrologEpilogTimeout",
                                              "PrologTimeout",
                                              "PropagatePrioProcess",
                                              "RestrictedCoresPerGPU",
                                              "ResumeRate",
                                              "ResumeTimeout",
                                              "ResvOverRun",
                                              "ReturnToService",
                                              "SlurmSchedLogLevel",
                                              "SlurmctldTimeout",
                                              "SlurmdTimeout",
                                              "Sockets",
                                              "SocketsPerBoard",
                                              "SuspendRate",
                                              "SuspendTimeout",
                                              "TCPTimeout",
                                              "ThreadsPerCore",
                                              "TreeWidth",
                                              "UnkillableStepTimeout",
                                              "VSizeFactor",
                                              "WaitTime"};
constexpr std::string_view kLongNumbers[] = {
    "DefCpuPerGPU", "DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode",   "EpilogMsgTime",  "FirstJobId",
    "GraceTime",    "JobCompPort",  "MaxArraySize", "MaxBatchRequeue", "MaxCPUsPerNode", "MaxCPUsPerSocket",
    "MaxDBDMsgs",   "MaxJobCount",  "MaxJobId",     "MaxMemPerCPU",    "MaxMemPerNode",  "MaxNodeCount",
    "MaxNodes",     "MaxStepCount", "MemSpecLimit", "MinJobAge",       "MinNodes",       "RealMemory",
    "SlurmdPort",   "TmpDisk",      "Weight"};
constexpr std::string_view kYesOrNo[] = {"AccountingStoreJobComment",
                                         "AllowSpecResourcesUsage",
                                         "Default",
                                         "DisableRootJobs",
                                         "ExclusiveTopo",
                                         "ExclusiveUser",
                                         "Hidden",
                                         "LLN",
                                         "PowerDownOnIdle",
                                         "ReqResv",
                                         "RootOnly",
                                         "TrackWCKey",
                                         "UsePAM"};

template <class Names>
bool is_among(const Names& names, const std::string& key) {
  return std::any_of(std::begin(names), std::end(names), [&](std::string_view n) { return same_word(n, key); });
}

/// Digits in the base that stands before them, nothing else.
std::optional<std::int64_t> with_base(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value <= std::uint64_t{INT64_MAX} / 1024 ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

}  // namespace

bool is_unlimited(std::string_view value) { return same_word(value, "INFINITE") || same_word(value, "UNLIMITED"); }

std::optional<std::int64_t> conf_number(std::string_view text, std::int64_t most) {
  if (is_unlimited(text)) return most;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  take_char(text, '+');
  const bool thousands = most > kMostShort && (text.ends_with('k') || text.ends_with('K'));
  if (thousands) text.remove_suffix(1);
  auto value = with_base(text);
  if (value && thousands) *value *= 1024;
  return value && *value <= most ? value : std::nullopt;
}

std::int64_t number_of(const Setting& setting, std::int64_t most) {
  if (const auto value = conf_number(setting.value, most)) return *value;
  fail_at(setting.place, fmt::format("{}={} is not a number", setting.key, printable(shortened(setting.value, 40))),
          fmt::format("a whole number up to {}", most));
}

void check_preempt_mode(const Setting& setting) {
  std::string mode, gang, other;
  for (const std::string& word : list_items(setting.value)) {
    if (same_word(word, "GANG")) gang = word;
    else if (same_word(word, "WITHIN") || same_word(word, "PRIORITY")) other = word;
    else if (mode.empty()) mode = word;
    else
      fail_at(setting.place, fmt::format("{} has both {} and {}: Slurm does not start", setting.key, mode, word),
              "one of OFF, CANCEL, REQUEUE and SUSPEND, and perhaps GANG");
  }
  if (!gang.empty() && !other.empty())
    fail_at(setting.place, fmt::format("{} has both {} and {}: Slurm does not start", setting.key, gang, other),
            "one of them");
}

std::string preempt_modes(const std::string& value) {
  std::string out;
  for (const std::string& word : list_items(value))
    out += (out.empty() ? "" : ",") + (same_word(word, "ON") ? "SUSPEND" : word);
  return out;
}

void check_type(const Setting& setting) {
  if (is_among(kShortNumbers, setting.key)) number_of(setting, kMostShort);
  if (is_among(kLongNumbers, setting.key)) number_of(setting, INT64_MAX);
  if (!is_among(kYesOrNo, setting.key) || yes_or_no(setting.value)) return;
  const std::string value = printable(shortened(setting.value, 40));
  const std::string meant = misspelt_name(setting.value, {"YES", "NO", "TRUE", "FALSE"});
  fail_at(setting.place, fmt::format("{}={} cannot be read", setting.key, value), "YES or NO",
          meant.empty() ? "" : fmt::format("'{}' may be meant as {}", value, meant));
}

}  // namespace coslice::slurm
