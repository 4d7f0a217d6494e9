#include "workload/recorded.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>

#include "workload/packed_file.h"
#include "workload/swf.h"
#include "workload/swf_line.h"
#include "workload/swf_writer.h"
#include "workload/trace_format.h"

namespace coslice {

RecordedWorkload read_recorded_swf(const std::string& path, SkippedLines* skipped) {
  const std::string text = read_packed(path);
  RecordedWorkload recorded;
  SwfOptions options;
  options.skipped = skipped;
  recorded.workload = parse_swf(text, path, options);
  std::unordered_map<std::int64_t, Duration> waits;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r\f\v", begin);
    if (first < end && text[first] != ';' && text[first] != '#') {
      SwfLine line;
      parse_swf_line(text.data() + begin, text.data() + end, line);
      const SwfNumber& wait = line.field[kSwfWait];
      const bool known = wait.whole >= 0 && wait.nano >= 0 && wait.whole < static_cast<std::int64_t>(kMaxSeconds);
      if (known) waits.emplace(line.field[kSwfId].whole, whole_seconds(wait.whole) + Duration{wait.nano});
    }
    begin = end + 1;
  }
  if (waits.empty()) return recorded;
  for (const Job& job : recorded.workload.jobs) {
    const auto found = waits.find(job.id);
    recorded.waits.push_back(found == waits.end() ? Duration{-1} : found->second);
  }
  return recorded;
}

RecordedWorkload read_trace(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {  // a pipe can be read once
    std::string text = read_packed(path);
    const TraceFormat format = trace_format(text);
    return parse_trace(std::move(text), path, format);
  }
  const TraceFormat format = trace_format_of(path);
  if (format != TraceFormat::kSwf) return parse_trace(read_packed(path), path, format);
  RecordedWorkload recorded;
  recorded.workload = read_swf(path);
  return recorded;
}

RecordedWorkload read_trace_with_waits(const std::string& path) {
  return trace_format_of(path) == TraceFormat::kSwf ? read_recorded_swf(path) : read_trace(path);
}

std::string RecordedWorkload::site_id(std::size_t job) const {
  return job < site_ids.size() && !site_ids[job].empty() ? site_ids[job] : std::to_string(workload.jobs[job].id);
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
  std::sort(changes.begin(), changes.end());
  std::int64_t now = 0, most = 0;
  for (const auto& change : changes) most = std::max(most, now += change.second);
  return most;
}

void write_recorded_swf(const std::string& path, const RecordedWorkload& recorded) {
  SwfWriter writer(path);
  writer.header(recorded.workload);
  const auto& jobs = recorded.workload.jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    SwfOutcome outcome;
    outcome.wait = recorded.wait(i);
    Job job = jobs[i];
    if (!job.limit_given) job.limit = Duration{-1};  // the format's "not known"
    writer.record(job, outcome);
  }
  writer.close();
}

}  // namespace coslice
