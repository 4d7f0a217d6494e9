#include "formats/recorded.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/swf.h"
#include "formats/trace_format.h"

namespace coslice {

std::int32_t NameNumbers::number(std::string_view kind, std::string_view name) {
  if (name.empty()) return -1;
  const auto [at, added] = at_.try_emplace(std::string(name), names_.size());
  if (added) names_.push_back({std::string(kind), choose(kind, name), at->first, 0});
  ++names_[at->second].jobs;
  return names_[at->second].number;
}

std::vector<RecordedWorkload::Name> NameNumbers::all() const {
  std::vector<RecordedWorkload::Name> all = names_;
  std::ranges::sort(all, {}, &RecordedWorkload::Name::number);
  return all;
}

std::int32_t NameNumbers::choose(std::string_view kind, std::string_view name) {
  const Attribute* attribute = find_attribute(kind);
  const std::string_view word = attribute != nullptr ? attribute->word : "";
  if (!word.empty() && name.starts_with(word)) {
    const std::optional<std::int32_t> said = parse_number<std::int32_t>(name.substr(word.size()));
    // "user03" and "user3" are two names.
    if (said && *said >= 0 && name == fmt::format("{}{}", word, *said) && taken_.insert(*said).second) return *said;
  }
  do ++last_;
  while (!taken_.insert(last_).second);
  return last_;
}

RecordedWorkload read_trace(const std::string& path) { return read_trace(path, nullptr); }

RecordedWorkload read_trace(const std::string& path, SkippedLines* skipped) {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(path, error);  // a pipe can be read once
  std::string text = is_file ? beginning_of(path, kTellingBytes) : read_packed(path);
  const TraceFormat format = trace_format(text);
  refuse_unread_format(std::string_view(text).substr(0, kTellingBytes), path);
  if (skipped != nullptr && !may_skip_lines(format))
    throw InputError({path, 0, "has a format of which no lines can be left out", "SWF or what Slurm wrote",
                      "without workload.skip_bad (--skip-bad)"});
  if (!is_file || format != TraceFormat::kSwf)
    return parse_trace(is_file ? read_packed(path) : std::move(text), path, format, skipped);
  RecordedWorkload recorded;
  SwfOptions options;
  options.skipped = skipped;
  recorded.workload = read_swf(path, options);
  return recorded;
}

RecordedWorkload read_trace_with_waits(const std::string& path) { return read_trace_with_waits(path, nullptr); }

RecordedWorkload read_trace_with_waits(const std::string& path, SkippedLines* skipped) {
  const std::string head = beginning_of(path, kTellingBytes);
  if (trace_format(head) != TraceFormat::kSwf) return read_trace(path, skipped);
  refuse_unread_format(head, path);
  return read_recorded_swf(path, skipped);
}

std::vector<std::string> RecordedWorkload::distinct_site_ids() const {
  std::unordered_map<std::string, int> times;
  std::vector<std::string> out;
  for (std::size_t j = 0; j != workload.jobs.size(); ++j) {
    out.push_back(site_id(j));
    if (const int n = ++times[out.back()]; n > 1) out.back() += fmt::format(" ({})", n);
  }
  return out;
}

void change_recorded(RecordedWorkload& recorded, const std::function<void(Workload&)>& change) {
  struct Known {
    Duration wait{-1};
    std::string site_id, nodes;
  };
  std::unordered_map<std::int64_t, Known> known;
  const auto& jobs = recorded.workload.jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    known[jobs[i].id] = {recorded.wait(i), i < recorded.site_ids.size() ? recorded.site_ids[i] : std::string(),
                         i < recorded.nodes.size() ? recorded.nodes[i] : std::string()};
  const bool waits = !recorded.waits.empty(), ids = !recorded.site_ids.empty(), nodes = !recorded.nodes.empty();
  recorded.waits.clear();
  recorded.nodes.clear();
  recorded.site_ids.clear();
  change(recorded.workload);
  for (const Job& job : jobs) {
    const auto found = known.find(job.id);
    const Known k = found == known.end() ? Known{} : found->second;
    if (waits) recorded.waits.push_back(k.wait);
    if (ids) recorded.site_ids.push_back(k.site_id);
    if (nodes) recorded.nodes.push_back(k.nodes);
  }
}

std::int64_t drop_larger_than(RecordedWorkload& recorded, std::int64_t size) {
  std::int64_t dropped = 0;
  change_recorded(recorded, [&](Workload& w) { dropped = drop_larger_than(w, size); });
  return dropped;
}

std::int64_t most_at_once(const RecordedWorkload& recorded) {
  const auto& jobs = recorded.workload.jobs;
  std::vector<std::pair<Time, std::int64_t>> changes;  // at one time ends come first: their change is negative
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (recorded.wait(i) < Duration::zero()) continue;
    const Time start = jobs[i].submit + recorded.wait(i);
    changes.emplace_back(start, jobs[i].size);
    changes.emplace_back(start + jobs[i].runtime, -jobs[i].size);
  }
  std::ranges::sort(changes);
  std::int64_t now = 0, most = 0;
  for (const auto& change : changes) most = std::max(most, now += change.second);
  return most;
}

void RecordedJobs::note(const std::string& reason, int line, bool dropped) {
  if (dropped) ++records_;
  const auto at = std::ranges::find_if(notes_, [&](const TraceNote& n) { return n.reason == reason; });
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

void RecordedJobs::add(RecordedJob job) {
  ++records_;
  job.job.runtime = std::max(job.job.runtime, whole_seconds(1));
  if (!job.job.limit_given) job.job.limit = job.job.runtime;
  if (job.wait < Duration{0}) job.wait = Duration{-1};
  job.job.request = interned(job.request);
  jobs_.push_back(std::move(job));
}

void RecordedJobs::add_allocated(RecordedJob job, std::int64_t submitted, std::int64_t started, std::int64_t ran,
                                 std::string_view user, std::string_view partition) {
  job.submitted = whole_seconds(submitted);
  job.wait = whole_seconds(started - submitted);
  job.job.runtime = whole_seconds(ran);
  job.job.limit_given = false;
  job.job.size = static_cast<std::int32_t>(job.request.cpus);
  job.job.user = number("user", user);
  job.job.partition = number("partition", partition);
  job.request.partition = partition;
  job.request.allocated = true;
  add(std::move(job));
}

RecordedWorkload RecordedJobs::finish() {
  if (jobs_.empty()) throw InputError({file_, 0, "no job of the log has run", "at least one job that ended"});
  std::ranges::stable_sort(jobs_, {}, &RecordedJob::submitted);
  const std::int64_t second = jobs_.front().submitted / whole_seconds(1);
  const Duration origin = dated_ ? whole_seconds(second) : Duration{0};
  if (to_seconds(jobs_.back().submitted - origin) > kMaxSubmitSeconds)
    throw InputError({file_, 0, "the submit times span more than 190 years", "a log of one machine's history"});
  std::unordered_set<std::int64_t> seen;
  std::int64_t largest = 0, renumbered = 0;
  for (RecordedJob& j : jobs_) {
    const std::int64_t id = parse_number<std::int64_t>(j.site_id).value_or(-1);
    j.job.id = id >= 0 && id < kLargestJobNumber ? id : -1;
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
  for (const auto& [attribute, names] : names_) std::ranges::copy(names.all(), std::back_inserter(recorded.names));
  return recorded;
}

}  // namespace coslice
