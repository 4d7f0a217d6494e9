// Jobs of Slurm in JSON, of all versions of its data_parser: numbers are plain, or {"set": true, "infinite": false,
// "number": 5}; states are a text or a list; lists of TRES are lists, or texts.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "formats/json_text.h"
#include "formats/sacct.h"
#include "formats/sacct_columns.h"
#include "formats/slurm_fields.h"

namespace coslice {
namespace {

using Json = nlohmann::json;

constexpr const char* kPrinted = "what `sacct --json` or `squeue --json` printed";
constexpr std::int64_t kInfinite = 4'294'967'295, kNoValue = 4'294'967'294;  ///< as old versions write them
constexpr std::int64_t kMostMinutes = 60'000'000;

/// A number, and whether it is that of no end.
struct JsonNumber {
  std::optional<std::int64_t> value;
  bool infinite = false;
};

class SlurmJsonJobs {
 public:
  SlurmJsonJobs(const std::string& file, SkippedLines* skipped) : file_(file), skipped_(skipped) {}

  void add(const Json& job, int line) {
    job_ = &job;
    line_ = line;
    if (skipped_ == nullptr) return take();
    try {
      take();
    } catch (const InputError& e) {
      skipped_->add(e.what());
    }
  }

  std::string text() && {
    return "JobID|JobIDRaw|User|Account|Partition|QOS|JobName|Submit|Eligible|Start|End|ElapsedRaw|State|NNodes|NCPUS|"
           "ReqMem|Timelimit|AllocTRES|ReqTRES|Constraints|NodeList|Reservation|Reason|Dependency|SubmitLine" +
           std::string(exclusive_ ? "|OverSubscribe\n" : "\n") + std::move(rows_);
  }

  /// Whether jobs say how they share nodes, which squeue does; asked before the first one is added.
  void says_exclusive() { exclusive_ = true; }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
    throw InputError({file_, line_, problem, expected});
  }

  const Json* at(std::initializer_list<const char*> path) const {
    const Json* here = job_;
    for (const char* key : path) {
      if (!here->is_object()) return nullptr;
      const auto found = here->find(key);
      if (found == here->end() || found->is_null()) return nullptr;
      here = &*found;
    }
    return here;
  }

  static JsonNumber number(const Json* v) {
    if (v == nullptr) return {};
    if (v->is_object()) {
      const auto flag = [&](const char* key) {
        const auto found = v->find(key);
        return found != v->end() && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
      };
      if (flag("infinite").value_or(false)) return {std::nullopt, true};
      const auto found = v->find("number");
      if (!flag("set").value_or(true) || found == v->end()) return {};
      return number(&*found);
    }
    std::optional<std::int64_t> n;
    if (v->is_number_unsigned() && v->get<std::uint64_t>() > INT64_MAX) return {};  // no value, in 64 bits
    if (v->is_number_integer()) n = v->get<std::int64_t>();
    else if (v->is_number_float() && v->get<double>() >= 0 && v->get<double>() < 9e18)
      n = static_cast<std::int64_t>(v->get<double>());
    else if (v->is_string()) n = parse_number<std::int64_t>(v->get<std::string>());
    if (!n || *n < 0 || *n == kNoValue) return {};
    if (*n == kInfinite) return {std::nullopt, true};
    return {n};
  }

  std::optional<std::int64_t> number(std::initializer_list<const char*> path) const { return number(at(path)).value; }
  /// The number, if it is more than 0: with 0 Slurm says that there is none.
  std::int64_t count(std::initializer_list<const char*> path) const { return number(path).value_or(0); }

  /// A text, or the first of a list of them.
  static std::string word(const Json* v) {
    if (v == nullptr) return "";
    if (v->is_string()) return v->get<std::string>();
    if (v->is_array() && !v->empty()) return word(&v->front());
    if (v->is_number_integer()) return std::to_string(v->get<std::int64_t>());
    return "";
  }
  std::string word(std::initializer_list<const char*> path) const { return word(at(path)); }

  /// The first of these that says something.
  std::string first_word(std::initializer_list<std::initializer_list<const char*>> paths) const {
    for (const auto& path : paths)
      if (std::string text = word(path); !text.empty()) return text;
    return "";
  }

  std::string job_id(std::int64_t number_of_job) const {
    const std::int64_t array = std::max(count({"array", "job_id"}), count({"array_job_id"}));
    const auto task = at({"array"}) != nullptr ? number({"array", "task_id"}) : number({"array_task_id"});
    const std::string waiting = first_word({{"array", "task"}, {"array_task_string"}});
    const std::int64_t first = std::max(count({"het", "job_id"}), count({"het_job_id"}));
    if (array > 0 && task) return fmt::format("{}_{}", array, *task);
    if (array > 0 && !waiting.empty()) return fmt::format("{}_[{}]", array, waiting);
    if (first > 0) {
      const auto part = at({"het"}) != nullptr ? number({"het", "job_offset"}) : number({"het_job_offset"});
      if (part) return fmt::format("{}+{}", first, *part);
    }
    return std::to_string(number_of_job);
  }

  /// "cpu=4,mem=16000M,gres/gpu=2", of a list of resources or of a text.
  static std::string tres(const Json* v) {
    if (v == nullptr) return "";
    if (v->is_string()) return slurm_tres(v->get<std::string>()) ? v->get<std::string>() : "";
    if (!v->is_array()) return "";
    std::string out;
    for (const Json& one : *v) {
      if (!one.is_object() || !one.contains("type")) continue;
      const std::string type = lower_case(word(&one["type"]));
      const std::string name = one.contains("name") ? word(&one["name"]) : "";
      const auto amount = number(one.contains("count") ? &one["count"] : nullptr).value;
      if (!amount || type.empty()) continue;
      out += fmt::format("{}{}{}{}={}{}", out.empty() ? "" : ",", type, name.empty() ? "" : "/", name, *amount,
                         type == "mem" ? "M" : "");
    }
    return out;
  }

  /// 0 is how Slurm says that there is none.
  std::string time(std::optional<std::int64_t> seconds) const {
    if (!seconds || *seconds == 0) return "Unknown";
    if (!outside_instant(*seconds))
      fail(fmt::format("a time of the job is {}", *seconds),
           fmt::format("seconds since 1970, up to {}", kMaxUnixSeconds));
    return iso_text(*seconds) + "Z";  // no clock of the site's is in it
  }

  std::string limit() const {
    const JsonNumber minutes = number(at({"time", "limit"}) != nullptr ? at({"time", "limit"}) : at({"time_limit"}));
    if (!minutes.value || *minutes.value == 0) return minutes.infinite ? "UNLIMITED" : "Partition_Limit";
    return slurm_duration_text(outside_span(std::min(*minutes.value, kMostMinutes), 60).count());
  }

  std::string memory() const {
    const std::int64_t per_cpu = std::max(count({"required", "memory_per_cpu"}), count({"memory_per_cpu"}));
    if (per_cpu > 0) return fmt::format("{}Mc", per_cpu);
    const std::int64_t per_node = std::max(count({"required", "memory_per_node"}), count({"memory_per_node"}));
    return per_node > 0 ? fmt::format("{}Mn", per_node) : "";
  }

  /// The command, with the limit of an array that stands beside it.
  std::string command() const {
    std::string line = word({"submit_line"});
    const std::int64_t most =
        std::max(count({"array", "limits", "max", "running", "tasks"}), count({"array_max_tasks"}));
    if (most == 0) return line;
    const std::size_t behind = std::min(line.find(' '), line.size());
    return fmt::format("{} --array=0%{}{}", line.empty() ? "sbatch" : line.substr(0, behind), most,
                       line.substr(behind));
  }

  std::string state() const {
    std::string state = first_word({{"state", "current"}, {"job_state"}});
    if (state.empty()) state = word({"state"});
    if (!slurm_end(state))
      fail(fmt::format("the state of the job is '{}'", printable(shortened(state, 40))), "a state, e.g. COMPLETED");
    return state;
  }

  void take() {
    const auto job_number = number({"job_id"});
    if (!job_number) fail("the job has no job_id", "a number");
    const auto submitted =
        at({"time", "submission"}) != nullptr ? number({"time", "submission"}) : number({"submit_time"});
    if (submitted.value_or(0) == 0)
      fail("it does not say when the job was submitted", "time.submission, or submit_time");
    const bool of_sacct = at({"time"}) != nullptr;
    const auto eligible = of_sacct ? number({"time", "eligible"}) : number({"eligible_time"});
    const auto end = of_sacct ? number({"time", "end"}) : number({"end_time"});
    const auto elapsed = number({"time", "elapsed"});
    auto start = of_sacct ? number({"time", "start"}) : number({"start_time"});
    // data_parser v0.0.37 has the time at which it became eligible there.
    const std::int64_t began = elapsed && end ? *end - *elapsed - count({"time", "suspended"}) : -1;
    if (start && eligible && *start == *eligible && elapsed.value_or(0) > 0 && began > *start) start = began;
    const std::string had =
        tres(at({"tres", "allocated"}) != nullptr ? at({"tres", "allocated"}) : at({"tres_alloc_str"}));
    const std::string asked =
        tres(at({"tres", "requested"}) != nullptr ? at({"tres", "requested"}) : at({"tres_req_str"}));
    const SlurmTres known = slurm_tres(had.empty() ? asked : had).value_or(SlurmTres{});
    const std::int64_t cpus = known.cpus > 0 ? known.cpus : std::max(count({"required", "CPUs"}), count({"cpus"}));
    const std::int64_t nodes =
        known.nodes > 0 ? known.nodes : std::max(count({"allocation_nodes"}), count({"node_count"}));
    const auto field = [&](const std::string& text) { rows_ += "|" + escaped_sacct_field(text, "|"); };
    rows_ += job_id(*job_number);
    field(std::to_string(*job_number));
    field(first_word({{"association", "user"}, {"user"}, {"user_name"}}));
    field(first_word({{"account"}, {"association", "account"}}));
    field(word({"partition"}));
    field(word({"qos"}));
    field(word({"name"}));
    for (const auto& seconds : {submitted, eligible, start, end}) field(time(seconds));
    field(elapsed ? std::to_string(*elapsed) : "");
    field(state());
    field(std::to_string(nodes));
    field(std::to_string(cpus));
    field(memory());
    field(limit());
    field(had);
    field(asked);
    field(first_word({{"constraints"}, {"features"}}));
    field(word({"nodes"}));
    const Json* const reservation = at({"reservation", "name"});  // 21.08 has a number there where there is none
    field(reservation != nullptr && reservation->is_number() ? ""
                                                             : first_word({{"reservation", "name"}, {"resv_name"}}));
    field(first_word({{"state", "reason"}, {"state_reason"}}));
    field(word({"dependency"}));
    field(command());
    if (exclusive_) field(sharing());
    rows_ += '\n';
  }

  /// What `shared` of squeue is in words of its text: a list ["none"], ["user"], or a word.
  std::string sharing() const {
    const std::string shared = lower_case(word({"shared"}));
    if (shared == "none") return "NO";
    if (shared == "oversubscribe" || shared == "yes") return "YES";
    return shared.empty() ? "" : "OK";
  }

  const std::string& file_;
  SkippedLines* skipped_;
  const Json* job_ = nullptr;
  int line_ = 0;
  bool exclusive_ = false;
  std::string rows_;
};

}  // namespace

bool looks_like_slurm_json(std::string_view text) {
  const std::string_view head = trimmed(text.substr(0, 4096), " \t\r\n");
  if (!head.starts_with('{') && !head.starts_with('[')) return false;
  const auto has = [&](std::string_view name) { return head.find(name) != head.npos; };
  // What a filter has left of it, and no other format has.
  if (has("\"job_id\"") && (has("\"job_state\"") || has("\"submission\"") || has("\"association\""))) return true;
  if (!head.starts_with('{')) return false;
  if (has("\"meta\"") && (has("\"slurm\"") || has("\"Slurm\"") || has("\"plugin\""))) return true;
  return has("\"account\"") && (has("\"allocation_nodes\"") || has("\"association\"") || has("\"accrue_time\"") ||
                                has("\"admin_comment\"") || has("\"allocating_node\""));
}

std::string sacct_of_json(std::string_view text, const std::string& file, SkippedLines* skipped) {
  SlurmJsonJobs jobs(file, skipped);
  if (text.find("\"shared\"") != text.npos) jobs.says_exclusive();
  const bool is_list = trimmed(text.substr(0, 4096), " \t\r\n").starts_with('[');
  read_json_list(text, file, is_list ? "" : "jobs", kPrinted, [&](const Json& job, int line) { jobs.add(job, line); });
  return std::move(jobs).text();
}

}  // namespace coslice
