#include "workload/philly.h"

#include <fmt/format.h>

#include "core/printable.h"
#include "workload/json_fields.h"
#include "workload/recorded_jobs.h"
#include "workload/trace_clock.h"

namespace coslice {
namespace {

using JsonTree = nlohmann::json;

/// "2017-10-07 01:11:39" as seconds; nothing for null, "" and "None".
std::optional<std::int64_t> time_of(const JsonFields& fields, const char* name) {
  const std::string text = fields.text(name);
  if (text.empty() || text == "None") return {};
  const auto seconds = calendar_seconds(text);
  if (!seconds)
    fields.fail(fmt::format("{} of {} is '{}'", name, fields.whose(), printable(shortened(text, 40))),
                "a time like 2017-10-07 01:11:39");
  return seconds;
}

/// What the attempts of a job come to.
struct Attempts {
  std::optional<std::int64_t> first_start;
  std::int64_t ran = 0;  ///< s, all of them
  bool ended = false;    ///< the last one has, and some have a beginning and an end
  std::int32_t servers = 0;
  std::int64_t gpus = 0;
};

void add_servers(const JsonFields& attempt, const std::string& file, Attempts& all) {
  const JsonTree* detail = attempt.list("detail");
  if (detail == nullptr) return;
  std::int32_t servers = 0;
  std::int64_t gpus = 0;
  for (const JsonTree& server : *detail) {
    const JsonFields fields(server, file, attempt.line(), "a server of " + attempt.whose());
    if (!server.is_object()) fields.fail(fields.whose() + " is not an object", "an object with ip and gpus");
    const JsonTree* list = fields.list("gpus");
    if (list == nullptr || list->empty()) continue;
    ++servers;
    gpus += static_cast<std::int64_t>(list->size());
  }
  if (gpus > 0) all.servers = servers, all.gpus = gpus;
}

Attempts attempts_of(const JsonFields& job, const std::string& file) {
  Attempts all;
  const JsonTree* list = job.list("attempts");
  if (list == nullptr) job.fail(fmt::format("{} has no attempts", job.whose()), "a list, which may be empty");
  bool some = false;
  for (const JsonTree& one : *list) {
    const JsonFields attempt(one, file, job.line(), "an attempt of " + job.whose());
    if (!one.is_object())
      attempt.fail(attempt.whose() + " is not an object", "an object with start_time, end_time, detail");
    const auto start = time_of(attempt, "start_time"), end = time_of(attempt, "end_time");
    add_servers(attempt, file, all);
    all.ended = end.has_value();
    if (!start || !end || *end < *start) continue;
    some = true;
    if (!all.first_start) all.first_start = start;
    all.ran += *end - *start;
  }
  all.ended = all.ended && some;
  return all;
}

std::int32_t status_of(const JsonFields& job) {
  const std::string text = job.text("status");
  if (text == "Pass") return 1;
  if (text == "Failed") return 0;
  if (text == "Killed") return 5;
  job.fail(fmt::format("status of {} is '{}'", job.whose(), printable(shortened(text, 40))), "Pass, Failed or Killed");
}

}  // namespace

RecordedWorkload parse_philly(std::string_view text, const std::string& file) {
  RecordedJobs jobs(file, true);
  std::int64_t number = 0;
  read_json_list(text, file, "", "a job log of Philly", [&](const JsonTree& object, int line) {
    RecordedJob job;
    job.site_id = JsonFields(object, file, line, fmt::format("job {}", ++number)).text("jobid");
    const JsonFields fields(object, file, line,
                            fmt::format("job {} ({})", number, printable(shortened(job.site_id, 40))));
    const auto submitted = time_of(fields, "submitted_time");
    if (!submitted)
      fields.fail(fmt::format("{} has no submitted_time", fields.whose()), "a time like 2017-10-07 01:11:39");
    const Attempts attempts = attempts_of(fields, file);
    job.job.status = status_of(fields);
    if (!attempts.ended)
      return jobs.drop("no attempt with a beginning and an end, or the last one has not ended", line);
    if (attempts.gpus == 0) return jobs.drop("no GPUs on record", line);
    if (attempts.ran >= static_cast<std::int64_t>(kMaxSeconds)) return jobs.drop("ran for more than 31 years", line);
    job.submitted = whole_seconds(*submitted);
    job.wait = whole_seconds(*attempts.first_start - *submitted);
    job.job.runtime = whole_seconds(attempts.ran);
    job.job.limit_given = false;
    job.job.size = static_cast<std::int32_t>(attempts.gpus);
    job.job.user = jobs.number("user", fields.text("user"));
    job.request.partition = fields.text("vc");
    job.job.partition = jobs.number("partition", job.request.partition);
    job.request.nodes = attempts.servers;
    job.request.cpus = job.request.gpus = attempts.gpus;
    job.request.allocated = true;
    jobs.add(std::move(job));
  });
  return jobs.finish();
}

}  // namespace coslice
