#include "workload/recorded.h"

#include <algorithm>
#include <unordered_map>

#include "workload/packed_file.h"
#include "workload/swf.h"
#include "workload/swf_line.h"
#include "workload/swf_writer.h"

namespace coslice {

RecordedWorkload read_recorded_swf(const std::string& path) {
  const std::string text = read_packed(path);
  RecordedWorkload recorded;
  recorded.workload = parse_swf(text, path);
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

std::int64_t drop_larger_than(RecordedWorkload& recorded, std::int64_t size) {
  std::vector<Duration> kept;
  for (std::size_t i = 0; i < recorded.waits.size(); ++i)
    if (recorded.workload.jobs[i].size <= size) kept.push_back(recorded.waits[i]);
  recorded.waits = std::move(kept);
  return drop_larger_than(recorded.workload, size);
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
    writer.record(jobs[i], outcome);
  }
  writer.close();
}

}  // namespace coslice
