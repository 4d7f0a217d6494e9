// squeue --json and scontrol show nodes --json.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "output/summary_json.h"
#include "slurm/queue.h"

namespace coslice::slurm {
namespace {

/// A number as releases before and after 23.02 write it: plain, or {"set": true, "infinite": false, "number": 5}.
std::optional<std::int64_t> number_in(const Value* v) {
  if (v == nullptr) return {};
  if (const Value* number = v->find("number")) {
    const auto off = [&](const char* key, bool when) {
      const Value* flag = v->find(key);
      return flag != nullptr && flag->flag() != nullptr && *flag->flag() == when;
    };
    return off("set", false) || off("infinite", true) ? std::nullopt : number_in(number);
  }
  if (const std::int64_t* n = v->integer()) return *n;
  if (const double* x = v->real()) return static_cast<std::int64_t>(std::clamp(*x, -9e18, 9e18));  // JSON has no NaN
  return {};
}

/// A text, or the first of a list of them.
std::string text_in(const Value* v) {
  if (v == nullptr) return "";
  if (const std::string* text = v->text()) return *text == "None" ? "" : *text;
  if (v->list() != nullptr && !v->list()->empty()) return text_in(&v->list()->front());
  return "";
}

/// 0 is how Slurm says that there is none.
std::optional<std::int64_t> instant_in(const Value& v, const char* key, const std::string& file) {
  const auto seconds = number_in(v.find(key));
  if (!seconds || *seconds <= 0) return {};
  const auto instant = outside_instant(*seconds);
  if (!instant)
    throw InputError({file, 0, fmt::format("{} is {}", key, *seconds),
                      fmt::format("seconds since 1970, up to {}", kMaxUnixSeconds), "", ""});
  return instant;
}

bool flag_in(const Value* v) { return v != nullptr && v->flag() != nullptr && *v->flag(); }

/// Of minutes; nothing where there is none. Releases before 23.02 write numbers for "infinite" and "not set".
std::optional<std::int64_t> limit_in(const Value* v) {
  constexpr std::int64_t kInfinite = 0xFFFFFFFF, kNotSet = 0xFFFFFFFE;
  const auto minutes = number_in(v);
  if (minutes == kInfinite || (v != nullptr && flag_in(v->find("infinite")))) return kNoEnd;
  if (!minutes || *minutes <= 0 || *minutes == kNotSet) return {};
  return outside_span(*minutes, 60).count();
}

/// A text, or those of a list with commas between them.
std::string all_texts_in(const Value* v) {
  if (v == nullptr || v->list() == nullptr) return text_in(v);
  std::string out;
  for (const Value& one : *v->list()) out += (out.empty() ? "" : ",") + text_in(&one);
  return out;
}

/// As squeue prints it: an empty list is what the partition says.
std::string sharing_in(const Value* v) {
  const std::string word = lower_case(text_in(v));
  return word == "none" || word == "exclusive" ? "NO" : word.empty() ? "" : word == "oversubscribe" ? "YES" : "OK";
}

/// Of an array, or of the components of a heterogeneous job.
void set_id(const Value& v, QueuedJob& job) {
  job.id = fmt::format("{}", number_in(v.find("job_id")).value_or(0));
  const std::int64_t array = number_in(v.find("array_job_id")).value_or(0),
                     whole = number_in(v.find("het_job_id")).value_or(0);
  if (whole > 0) {
    job.array = std::to_string(whole);
    job.offset = std::to_string(number_in(v.find("het_job_offset")).value_or(0));
  }
  if (array <= 0) return;
  job.array = std::to_string(array);
  job.elements = text_in(v.find("array_task_string"));
  if (const auto element = number_in(v.find("array_task_id")); job.elements.empty() && element)
    job.elements = std::to_string(*element);
  job.throttle = number_in(v.find("array_max_tasks")).value_or(0);
}

QueuedJob job_in(const Value& v, const std::string& file) {
  QueuedJob job;
  job.file = file;
  const auto text = [&](const char* key) { return text_in(v.find(key)); };
  set_id(v, job);
  job.user = text("user_name");
  job.account = text("account");
  job.partition = text("partition");
  job.qos = text("qos");
  job.state = all_texts_in(v.find("job_state"));
  job.reason = text("state_reason");
  if (const std::string said = text("state_description"); !said.empty()) job.reason = said;
  job.held = flag_in(v.find("hold"));
  job.nodes = text("nodes");
  job.features = text("features");
  job.dependency = text("dependency");
  job.reservation = text("resv_name");
  job.oversubscribe = sharing_in(v.find("shared"));
  job.tres = job.runs() && !text("tres_alloc_str").empty() ? text("tres_alloc_str") : text("tres_req_str");
  job.gres = text("tres_per_node");
  job.submit = instant_in(v, "submit_time", file);
  job.start = instant_in(v, "start_time", file);
  job.eligible = instant_in(v, "eligible_time", file);
  job.limit = limit_in(v.find("time_limit"));
  job.node_count = number_in(v.find("node_count")).value_or(0);
  job.cpus = number_in(v.find("cpus")).value_or(0);
  job.most_nodes = number_in(v.find("max_nodes")).value_or(0);
  job.segment = number_in(v.find("segment_size")).value_or(0);
  return job;
}

std::string states_in(const Value* v) {
  std::string out = v != nullptr && v->text() != nullptr ? *v->text() : "";
  if (v != nullptr && v->list() != nullptr)
    for (const Value& state : *v->list()) out += "+" + text_in(&state);
  return out;
}

}  // namespace

void read_queue_json(const std::string& text, const std::string& file, QueueSnapshot& out) {
  Value all;
  try {
    all = value_from_json(text);
  } catch (const std::exception& e) {
    throw InputError({file, 0, fmt::format("is not JSON: {}", e.what()), "what `squeue --json` printed", "", ""});
  }
  const bool is_list = all.list() != nullptr;  // a filter has left the jobs alone
  const Value *jobs = is_list ? &all : all.find("jobs"), *nodes = is_list ? nullptr : all.find("nodes");
  if ((jobs == nullptr || jobs->list() == nullptr) && (nodes == nullptr || nodes->list() == nullptr))
    throw InputError({file, 0, "has neither 'jobs' nor 'nodes'",
                      "what `squeue --json` or `scontrol show nodes --json` printed", "", ""});
  if (!is_list)
    if (const auto now = instant_in(all, "last_update", file)) out.now = now;
  if (jobs != nullptr && jobs->list() != nullptr)
    for (const Value& v : *jobs->list()) keep_job(job_in(v, file), out);
  if (nodes != nullptr && nodes->list() != nullptr)
    for (const Value& v : *nodes->list()) keep_node(text_in(v.find("name")), states_in(v.find("state")), file, out);
}

}  // namespace coslice::slurm
