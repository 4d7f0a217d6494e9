// Whole dumps of sacct: the lines' jobs as a workload.
#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/core.h>

#include "core/error.h"
#include "workload/byte_order_mark.h"
#include "workload/packed_file.h"
#include "workload/sacct_line.h"
#include "workload/sacct_reader.h"
#include "workload/swf.h"

namespace coslice {
namespace {

constexpr auto kLongestHistory = static_cast<std::int64_t>(kMaxSubmitSeconds);

}  // namespace

void SacctReader::require_jobs(bool any) {
  if (!head_.empty() && any) return;
  line_ = 0;
  fail(head_.empty() ? "the dump is empty" : "no job of the dump has run", "at least one job that ended",
       "make it by: " + sacct_command());
}

void SacctReader::require_history(std::int64_t first, std::int64_t last) {
  if (last / 1'000'000'000 - first / 1'000'000'000 <= kLongestHistory) return;
  line_ = 0;
  fail("the submit times span more than 190 years", "a dump of one machine's history");
}

std::vector<RecordedWorkload::Name> SacctReader::names() const {
  std::vector<RecordedWorkload::Name> all;
  for (const NameNumbers& names : names_) all.insert(all.end(), names.all().begin(), names.all().end());
  return all;
}

RecordedWorkload SacctReader::finish() {
  require_jobs(!entries_.empty());
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const SacctEntry& a, const SacctEntry& b) { return a.submit < b.submit; });
  const std::int64_t origin = entries_.front().submit / 1'000'000'000;
  require_history(entries_.front().submit, entries_.back().submit);
  join_preempted_runs();
  Workload& w = recorded_.workload;
  w.name = workload_name_of(file_);
  w.records = records_;
  w.header.unix_start_time = origin;
  for (SacctEntry& e : entries_) {
    e.job.submit = Time{Duration{e.submit - origin * 1'000'000'000}};
    if (!e.numbered) e.job.id = ++largest_;
    if (e.withdrawn >= 0)
      w.extras.set(e.job, &JobExtras::withdrawn_at, Duration{e.withdrawn - origin * 1'000'000'000});
    w.jobs.push_back(e.job);
    recorded_.waits.push_back(e.wait);
    recorded_.site_ids.push_back(std::move(e.site_id));
    if (column({"NodeList"}) >= 0) recorded_.nodes.push_back(std::move(e.nodes));
  }
  add_workflow();
  w.notes = account();
  recorded_.names = names();
  return std::move(recorded_);
}

/// Runs that ended because others needed their nodes, of jobs that ran again: these are one job, which came when it was submitted
/// first and has to run for as long as its last run. A policy that preempts has it wait again by itself.
void SacctReader::join_preempted_runs() {
  std::unordered_map<std::string, std::size_t> stopped;  // by the site's id, the latest run
  std::vector<bool> joined(entries_.size(), false);
  for (std::size_t i = 0; i != entries_.size(); ++i) {
    SacctEntry& e = entries_[i];
    if (const auto before = stopped.find(e.site_id); before != stopped.end()) {
      SacctEntry& earlier = entries_[before->second];
      if (e.wait >= Duration{0}) e.wait += Duration{e.submit - earlier.submit};
      e.submit = earlier.submit;
      e.numbered = earlier.numbered;
      e.job.id = earlier.job.id;
      joined[before->second] = true;
      stopped.erase(before);
    }
    if (e.preempted) stopped.emplace(e.site_id, i);
  }
  if (stopped.empty() && std::find(joined.begin(), joined.end(), true) == joined.end()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i != entries_.size(); ++i)
    if (!joined[i] && kept++ != i) entries_[kept - 1] = std::move(entries_[i]);
  entries_.resize(kept);
  std::stable_sort(entries_.begin(), entries_.end(), [](const SacctEntry& a, const SacctEntry& b) { return a.submit < b.submit; });
}

/// Arrays, what jobs waited for, and when those that waited for nothing on record became eligible.
void SacctReader::add_workflow() {
  Workload& w = recorded_.workload;
  const Attribute& array = *find_attribute("array");
  const Attribute& depends_on = *find_attribute("depends");
  std::vector<std::string> depends;
  std::vector<bool> numbered;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    numbered.push_back(entries_[i].numbered);
    w.extras.set(w.jobs[i], array, limits_.element_text(recorded_.site_ids[i]));
    depends.push_back(std::move(entries_[i].depends));
  }
  count_[kNotOnRecord] = set_recorded_dependencies(w, recorded_.site_ids, numbered, depends);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const SacctEntry& e = entries_[i];
    if (e.eligible < 0 || !depends_on.text(w.jobs[i]).empty()) continue;
    w.extras.set(w.jobs[i], e.held ? &JobExtras::held_until : &JobExtras::begin,
                 Duration{e.eligible - w.header.unix_start_time * 1'000'000'000});
  }
}

std::vector<TraceNote> SacctReader::account() const {
  constexpr std::array<std::string_view, kReasons> kWords = {
      "a step of a job, not a job",
      "has not ended",
      "never started, and when it was cancelled is not on record",
      "no size",
      "ran for more than 31 years",
      "no limit, the run time is the limit",
      "elapsed time is not end minus start (suspended, or a change of the clocks), it is what counts",
      "elapsed time 0, taken as 1 s",
      "cancelled while it waited: it waits until then",
      "a run that was preempted: one job with the run that followed, where one did",
      "numbered anew: the id is not a number of its own, but that of an array or of a job that ran twice",
      "the delimiter stands in a name: put together by the columns beside it",
      "waited for a job that is not on record before it: that counts for nothing"};
  std::vector<TraceNote> notes;
  for (int r = 0; r < kReasons; ++r)
    if (count_[r] > 0) notes.push_back({std::string(kWords[r]), count_[r], first_line_[r], r <= kLongTime});
  return notes;
}

RecordedWorkload parse_sacct(std::string_view text, const std::string& file, SlurmSize size, SkippedLines* skipped,
                             SlurmArrival arrival) {
  text = without_byte_order_mark(text);
  SacctReader reader(file, size, skipped, arrival);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.row(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return reader.finish();
}

bool is_sacct_dump(const std::string& path) { return looks_like_sacct(packed_head(path)); }

bool looks_like_sacct(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  const std::size_t first = head.find_first_not_of(" \xEF\xBB\xBF");
  return first != head.npos && kSacctLetters.find(head[first]) != kSacctLetters.npos && head.find("JobID") != head.npos;
}

}  // namespace coslice
