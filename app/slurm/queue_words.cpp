#include "slurm/queue_words.h"

#include <algorithm>
#include <iterator>

#include "core/text.h"

namespace coslice::slurm {
namespace {

struct StateWord {
  std::string_view name, compact;
  JobStands as;
};

/// In the order in which squeue looks at what a job is: the first that it is counts.
constexpr StateWord kJobStates[] = {
    {"COMPLETING", "CG", JobStands::kRuns},
    {"STAGE_OUT", "SO", JobStands::kOver},
    {"CONFIGURING", "CF", JobStands::kRuns},
    {"EXPEDITING", "EX", JobStands::kWaits},
    {"RESIZING", "RS", JobStands::kRuns},
    {"REQUEUED", "RQ", JobStands::kWaits},
    {"REQUEUE_FED", "RF", JobStands::kWaits},
    {"REQUEUE_HOLD", "RH", JobStands::kHeld},
    {"SPECIAL_EXIT", "SE", JobStands::kHeld},
    {"STOPPED", "ST", JobStands::kRuns},
    {"REVOKED", "RV", JobStands::kOver},
    {"RESV_DEL_HOLD", "RD", JobStands::kHeld},
    {"SIGNALING", "SI", JobStands::kRuns},
    {"PENDING", "PD", JobStands::kWaits},
    {"RUNNING", "R", JobStands::kRuns},
    {"SUSPENDED", "S", JobStands::kRuns},
    {"COMPLETED", "CD", JobStands::kOver},
    {"CANCELLED", "CA", JobStands::kOver},
    {"FAILED", "F", JobStands::kOver},
    {"TIMEOUT", "TO", JobStands::kOver},
    {"NODE_FAIL", "NF", JobStands::kOver},
    {"PREEMPTED", "PR", JobStands::kOver},
    {"BOOT_FAIL", "BF", JobStands::kOver},
    {"DEADLINE", "DL", JobStands::kOver},
    {"OUT_OF_MEMORY", "OOM", JobStands::kOver},
    // Beside one of those above.
    {"POWER_UP_NODE", "POWER_UP_NODE", JobStands::kRuns},
    {"LAUNCH_FAILED", "LAUNCH_FAILED", JobStands::kOver},
    {"RECONFIG_FAIL", "RECONFIG_FAIL", JobStands::kOver},
    {"UPDATE_DB", "UPDATE_DB", JobStands::kOver},
};

std::vector<std::string> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (between.find(c) == between.npos) parts.back() += c;
    else parts.emplace_back();
  std::erase(parts, "");
  return parts;
}

template <class Words>
bool among(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Reasons, in lower case.

constexpr std::string_view kTurns[] = {
    "none", "priority", "resources", "licenses", "reservation", "cleaning", "reqnodenotavail", "scheddefer", "nodedown",
    "jobarraytasklimit", "fedjoblock", "nvidiaimexchannels", "prolog", "accountingpolicy", "burstbufferresources",
    "burstbufferstagein", "frontenddown", "wait", "noreason", "maxpoweredupnodes", "mpiportsbusy", "powernotavail",
    "powerreserved", "blockmaxerror", "blockfreeaction",
    // Why the run before this one ended, of a job that waits again.
    "nonzeroexitcode", "raisedsignal", "timelimit", "inactivelimit", "outofmemory", "systemfailure",
    "joblaunchfailure"};

constexpr std::string_view kReleases[] = {"jobheldadmin", "jobhelduser", "jobholdmaxrequeue", "partitiondown",
                                          "partitioninactive"};

constexpr std::string_view kChanges[] = {
    "partitionnodelimit",   "partitiontimelimit", "partitionconfig",   "badconstraints",     "constraints",
    "invalidaccount",       "invalidqos",         "accountnotallowed", "qosnotallowed",      "dependencyneversatisfied",
    "burstbufferoperation", "deadline",           "maxmemperlimit",    "reservationdeleted", "reservationinvalid",
    "associationtimelimit", "qostimelimit"};

/// Of limits of associations and qualities of service: of the job itself, or together with other jobs.
bool is_limit_of_the_job(std::string_view reason) {
  return has(reason, "perjob") || has(reason, "pernode") || reason.starts_with("qosmin");
}

constexpr std::string_view kOtherLimits[] = {"associationjoblimit", "associationresourcelimit", "qosjoblimit",
                                             "qosresourcelimit", "qosusagethreshold"};
/// The others are made of whose limit it is, on what, and in which way, with "limit" behind it or not.
constexpr std::string_view kLimitsOf[] = {"assocgrp", "assocmax", "qosgrp", "qosmax", "qosmin", "max"};
constexpr std::string_view kLimited[] = {"submitjobs", "submitjob", "wallduration", "billing", "license", "unknown",
                                         "memory",     "energy",    "nodes",        "cpus",    "jobs",    "wall",
                                         "gres",       "node",      "mem",          "cpu",     "job",     "bb"};
constexpr std::string_view kWays[] = {"",
                                      "minutes",
                                      "mins",
                                      "runminutes",
                                      "runmins",
                                      "minutesperjob",
                                      "minsperjob",
                                      "perjob",
                                      "pernode",
                                      "peruser",
                                      "peraccount",
                                      "runminsperaccount",
                                      "runminsperuser",
                                      "notsatisfied",
                                      "accrue",
                                      "accrueperuser",
                                      "accrueperaccount"};

bool is_limit(std::string_view reason) {
  if (among(kOtherLimits, reason)) return true;
  if (reason.ends_with("limit")) reason.remove_suffix(5);
  return std::ranges::any_of(kLimitsOf, [&](std::string_view of) {
    if (!reason.starts_with(of)) return false;
    const std::string_view rest = reason.substr(of.size());
    return std::ranges::any_of(kLimited, [&](std::string_view what) {
      return rest.starts_with(what) && among(kWays, rest.substr(what.size()));
    });
  });
}

/// Slurm's words for what stands behind no word of the table.
WaitsFor waits_for_text(std::string_view text) {
  if (has(text, "held") || has(text, "special exit")) return WaitsFor::kRelease;
  if (has(text, "burst buffer")) return WaitsFor::kChange;  // what its plugin could not do, whereupon it holds the job
  if (has(text, "required") && has(text, "node")) return WaitsFor::kTurn;
  if (has(text, "job is at or exceeds")) return WaitsFor::kTurn;
  if (has(text, "not permitted") || has(text, "not allowed") || has(text, "invalid")) return WaitsFor::kChange;
  return WaitsFor::kUnknown;
}

// States of nodes, in lower case.

constexpr std::string_view kGone[] = {"down",           "error", "err",         "unknown", "unk",  "future",  "futr",
                                      "dynamic_future", "inval", "invalid_reg", "invalid", "fail", "failing", "failg"};
constexpr std::string_view kDraining[] = {"drain", "drained", "draining", "drng"};
constexpr std::string_view kSilent[] = {"not_responding", "no_respond"};
constexpr std::string_view kKept[] = {"reserved", "resv", "maint", "maintenance"};
constexpr std::string_view kPowering[] = {"power_down",   "power_up", "powering_down", "powering_up",
                                          "powered_down", "pow_dn",   "pow_up",        "power_drain"};
constexpr std::string_view kRebooting[] = {"reboot", "reboot_issued", "reboot_requested", "boot"};
constexpr std::string_view kThere[] = {"idle",    "alloc",         "allocated", "mix",          "mixed",
                                       "comp",    "completing",    "cloud",     "external",     "planned",
                                       "plnd",    "blocked",       "block",     "dynamic_norm", "resume",
                                       "undrain", "cancel_reboot", "perfctrs",  "npc"};

}  // namespace

const std::vector<std::string>& job_state_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const StateWord& w : kJobStates) {
      all.emplace_back(w.name);
      all.emplace_back(w.compact);
    }
    return all;
  }();
  return words;
}

JobStands stands_as(std::string_view state) {
  const std::vector<std::string> words = parts_of(state, ",+ ");
  const auto known = [](const std::string& word) {
    return std::ranges::any_of(kJobStates, [&](const StateWord& s) { return s.name == word || s.compact == word; });
  };
  if (words.empty() || !std::ranges::all_of(words, known)) return JobStands::kUnknown;
  for (const StateWord& s : kJobStates)
    if (among(words, s.name) || among(words, s.compact)) return s.as;
  return JobStands::kUnknown;
}

WaitsFor waits_for(std::string_view reason) {
  std::string text = lower_case(reason);
  std::ranges::replace(text, '_', ' ');
  std::string word = text.substr(0, text.find_first_of(",(:"));
  while (!word.empty() && word.back() == ' ') word.pop_back();
  if (word.empty() || among(kTurns, word)) return WaitsFor::kTurn;
  if (word == "begintime") return WaitsFor::kTime;
  if (word == "dependency") return WaitsFor::kDependency;
  if (among(kReleases, word)) return WaitsFor::kRelease;
  if (among(kChanges, word)) return WaitsFor::kChange;
  if (!has(text, " ") && !is_limit(word)) return WaitsFor::kUnknown;  // a word that is in no table
  if (is_limit(word)) return is_limit_of_the_job(word) ? WaitsFor::kChange : WaitsFor::kTurn;
  return waits_for_text(text);
}

NodeTakes node_takes(std::string_view state) {
  constexpr std::string_view kMarks = "*~#!%$@^-+";
  bool gone = false, drained = false, silent = false, kept = false, powering = false, rebooting = false;
  const std::vector<std::string> words = parts_of(lower_case(state), "+,");
  for (std::string word : words) {
    for (; !word.empty() && kMarks.find(word.back()) != kMarks.npos; word.pop_back()) {
      silent |= word.back() == '*';
      kept |= word.back() == '$';
      powering |= has("~#!%", std::string_view(&word.back(), 1));
      rebooting |= has("@^", std::string_view(&word.back(), 1));
    }
    gone |= among(kGone, word);
    drained |= among(kDraining, word);
    silent |= among(kSilent, word);
    kept |= among(kKept, word);
    powering |= among(kPowering, word);
    rebooting |= among(kRebooting, word);
    const bool known = among(kGone, word) || among(kDraining, word) || among(kSilent, word) || among(kKept, word) ||
                       among(kPowering, word) || among(kRebooting, word) || among(kThere, word);
    if (!known) return NodeTakes::kUnknown;
  }
  if (words.empty()) return NodeTakes::kUnknown;
  // A node is drained, and down, for a reboot; one that is powered down or comes up does not respond.
  if (gone || (drained && !rebooting) || (silent && !powering && !rebooting)) return NodeTakes::kNothing;
  return kept ? NodeTakes::kReserved : NodeTakes::kJobs;
}

}  // namespace coslice::slurm
