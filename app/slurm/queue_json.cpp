// squeue --json and scontrol show nodes --json.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
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

QueuedJob job_in(const Value& v, const std::string& file) {
  QueuedJob job;
  job.file = file;
  const auto text = [&](const char* key) { return text_in(v.find(key)); };
  job.id = fmt::format("{}", number_in(v.find("job_id")).value_or(0));
  job.user = text("user_name");
  job.account = text("account");
  job.partition = text("partition");
  job.qos = text("qos");
  job.state = text("job_state");
  job.reason = text("state_reason");
  job.nodes = text("nodes");
  job.features = text("features");
  job.dependency = text("dependency");
  job.tres = job.runs() && !text("tres_alloc_str").empty() ? text("tres_alloc_str") : text("tres_req_str");
  job.gres = text("tres_per_node");
  job.submit = instant_in(v, "submit_time", file);
  if (job.runs()) job.start = instant_in(v, "start_time", file);
  if (const auto minutes = number_in(v.find("time_limit")); minutes && *minutes > 0)
    job.limit = outside_span(*minutes, 60).count();
  job.node_count = number_in(v.find("node_count")).value_or(0);
  job.cpus = number_in(v.find("cpus")).value_or(0);
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
  const Value *jobs = all.find("jobs"), *nodes = all.find("nodes");
  if ((jobs == nullptr || jobs->list() == nullptr) && (nodes == nullptr || nodes->list() == nullptr))
    throw InputError({file, 0, "has neither 'jobs' nor 'nodes'",
                      "what `squeue --json` or `scontrol show nodes --json` printed", "", ""});
  if (const auto now = instant_in(all, "last_update", file)) out.now = now;
  if (jobs != nullptr && jobs->list() != nullptr)
    for (const Value& v : *jobs->list()) {
      QueuedJob job = job_in(v, file);
      refuse_unknown_state(job);
      if (job.runs() || job.waits()) out.jobs.push_back(std::move(job));
    }
  if (nodes != nullptr && nodes->list() != nullptr)
    for (const Value& v : *nodes->list())
      if (is_down(states_in(v.find("state")))) out.down.push_back(text_in(v.find("name")));
}

}  // namespace coslice::slurm
