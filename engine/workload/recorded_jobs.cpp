#include "workload/recorded_jobs.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/error.h"
#include "workload/attributes.h"
#include "workload/swf.h"

namespace coslice {
namespace {

/// The number that an id is; -1 if it is none.
std::int64_t whole_id(const std::string& id) {
  std::int64_t n = -1;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), n);
  return error == std::errc{} && end == id.data() + id.size() && n >= 0 && n < kLargestJobNumber ? n : -1;
}

}  // namespace

void RecordedJobs::note(const std::string& reason, int line, bool dropped) {
  if (dropped) ++records_;
  const auto at = std::find_if(notes_.begin(), notes_.end(), [&](const TraceNote& n) { return n.reason == reason; });
  if (at == notes_.end()) notes_.push_back({reason, 1, line, dropped});
  else ++at->count;
}

RequestId RecordedJobs::interned(const RecordedRequest& r) {
  const std::string key = fmt::format("{} {} {} {} {} {} {}", r.nodes, r.cpus, r.memory_kb, r.gpus, r.allocated,
                                      r.exclusive.value_or(false), r.partition);
  const auto [at, is_new] = request_by_key_.try_emplace(key, static_cast<RequestId>(requests_.size()));
  if (is_new) requests_.push_back(r);
  return at->second;
}

void RecordedJobs::set_text(Job& job, const std::string& attribute, std::string text) {
  extras_.set(job, *find_attribute(attribute), std::move(text));
}

void RecordedJobs::add(RecordedJob job) {
  ++records_;
  job.job.runtime = std::max(job.job.runtime, whole_seconds(1));
  if (!job.job.limit_given) job.job.limit = job.job.runtime;
  if (job.wait < Duration{0}) job.wait = Duration{-1};
  job.job.request = interned(job.request);
  jobs_.push_back(std::move(job));
}

RecordedWorkload RecordedJobs::finish() {
  if (jobs_.empty()) throw InputError({file_, 0, "no job of the log has run", "at least one job that ended", "", ""});
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const RecordedJob& a, const RecordedJob& b) { return a.submitted < b.submitted; });
  const std::int64_t second = jobs_.front().submitted / whole_seconds(1);
  const Duration origin = dated_ ? whole_seconds(second) : Duration{0};
  if (to_seconds(jobs_.back().submitted - origin) > kMaxSubmitSeconds)
    throw InputError({file_, 0, "the submit times span more than 190 years", "a log of one machine's history", "", ""});
  std::unordered_set<std::int64_t> seen;
  std::int64_t largest = 0, renumbered = 0;
  for (RecordedJob& j : jobs_) {
    j.job.id = whole_id(j.site_id);
    if (j.job.id >= 0 && !seen.insert(j.job.id).second) j.job.id = -1;
    largest = std::max(largest, j.job.id);
  }
  RecordedWorkload recorded;
  Workload& w = recorded.workload;
  w.name = workload_name_of(file_);
  w.records = records_;
  if (dated_) w.header.unix_start_time = second;
  for (RecordedJob& j : jobs_) {
    if (j.job.id < 0) j.job.id = ++largest, ++renumbered;
    j.job.submit = Time{} + (j.submitted - origin);
    w.jobs.push_back(j.job);
    recorded.waits.push_back(j.wait);
    recorded.site_ids.push_back(std::move(j.site_id));
  }
  if (renumbered > 0) notes_.push_back({"numbered anew: the id is not a number of its own", renumbered, 0, false});
  w.notes = std::move(notes_);
  w.extras = std::move(extras_);
  recorded.requests = std::move(requests_);
  for (const auto& [attribute, names] : names_)
    recorded.names.insert(recorded.names.end(), names.all().begin(), names.all().end());
  return recorded;
}

}  // namespace coslice
