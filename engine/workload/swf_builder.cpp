#include "workload/swf_builder.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/core.h>
#include <limits>

#include "core/error.h"
#include "core/outside_time.h"
#include "workload/attributes.h"
#include "workload/byte_order_mark.h"

namespace coslice {

namespace {

constexpr std::size_t kLongestLine = 200'000;
constexpr std::size_t kLongestHeader = std::size_t{4} << 20;  ///< bytes of comments before the first record: they are kept
constexpr std::int64_t kNano = 1'000'000'000;
constexpr std::int64_t kMaxWhole = static_cast<std::int64_t>(kMaxSeconds);
constexpr std::int64_t kMaxSubmit = 8'000'000'000;  // room for clocks that count from 1970
constexpr std::int64_t kFrom1979 = 300'000'000;     // logs of parallel machines that count from 1970 begin later
constexpr std::int64_t kYear = 31'557'600;
constexpr int kFewestFields = 5;  // without the sizes in field 5 a record says nothing

std::int32_t to_int32(const SwfNumber& n) {
  if (n.whole < 0) return -1;
  return static_cast<std::int32_t>(std::min<std::int64_t>(n.whole, std::numeric_limits<std::int32_t>::max()));
}

Duration to_duration(const SwfNumber& n) { return Duration{n.whole * kNano + n.nano}; }

std::string_view trimmed(std::string_view s) {
  const auto begin = s.find_first_not_of(" \t\r\f\v");
  if (begin == s.npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\r\f\v") - begin + 1);
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

/// A partial execution: the standard gives a job that was swapped out one record a part, beside its own.
bool is_partial(const Job& job) { return job.status >= 2 && job.status <= 4; }

}  // namespace

SwfBuilder::SwfBuilder(std::string file, const SwfOptions& options, std::size_t most_records)
    : file_(std::move(file)), most_records_(most_records), machine_size_(options.machine_size),
      skipped_(options.skipped) {
  workload_.name = workload_name_of(file_);
}

void SwfBuilder::fail(std::int64_t line, std::string problem, std::string expected, std::string suggestion) const {
  throw InputError({file_, static_cast<int>(line), std::move(problem), std::move(expected), std::move(suggestion), ""});
}

std::size_t SwfBuilder::feed(std::string_view text, bool last) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    if (stop == nullptr) {
      if (static_cast<std::size_t>(end - p) > kLongestLine) fail(line_number_ + 1, "the line does not end");
      if (!last) break;
      stop = end;
      unended_ = true;
    }
    ++line_number_;
    line({p, static_cast<std::size_t>(stop - p)});
    p = stop == end ? end : stop + 1;
  }
  return static_cast<std::size_t>(p - text.data());
}

void SwfBuilder::line(std::string_view text) {
  if (line_number_ == 1) text = without_byte_order_mark(text);
  const auto begin = text.find_first_not_of(" \t\r\f\v");
  if (begin == text.npos) return;
  if (text[begin] == ';' || text[begin] == '#') return comment(text.substr(begin));
  if (skipped_ == nullptr) return record(text);
  try {
    record(text);
  } catch (const InputError& e) {
    skipped_->add(e.what());
  }
}

void SwfBuilder::comment(std::string_view text) {
  if (!in_head_) return;
  auto& header = workload_.header;
  header.lines.emplace_back(text.substr(0, text.find_last_not_of(" \t\r\f\v") + 1));
  header_size_ += header.lines.back().size() + sizeof(std::string);
  if (header_size_ > kLongestHeader)
    fail(line_number_, fmt::format("there are {} lines of comments before the first record", header.lines.size()),
         "a header of some lines, then the records");
  const auto colon = text.find(':');
  if (colon == text.npos) return;
  const std::string_view key = trimmed(text.substr(1, colon - 1));
  const std::string_view rest = trimmed(text.substr(colon + 1));
  std::int64_t value = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (value <= 0) return;
  struct {
    std::string_view key;
    std::int64_t& value;
  } const known[] = {{"MaxProcs", header.max_procs},
                     {"MaxNodes", header.max_nodes},
                     {"MaxJobs", header.max_jobs},
                     {"MaxRecords", max_records_},
                     {"UnixStartTime", header.unix_start_time}};
  if (same_word(key, "UnixStartTime") && !outside_instant(value))
    fail(line_number_, fmt::format("UnixStartTime is {}", value),
         fmt::format("seconds since 1970, up to {}", kMaxUnixSeconds));
  for (const auto& k : known)
    if (same_word(key, k.key) && k.value == 0) k.value = value;
}

void SwfBuilder::first_record() {
  in_head_ = false;
  const auto& header = workload_.header;
  if (machine_size_ == kMachineFromHeader) machine_size_ = header.max_procs > 0 ? header.max_procs : header.max_nodes;
  // The header's word spares the copies of a growing vector, and the memory of both halves.
  const auto stated = static_cast<std::size_t>(max_records_ > 0 ? max_records_ : header.max_jobs);
  const std::size_t room = std::min(stated, most_records_);
  workload_.jobs.reserve(room);
  lines_.reserve(room);
}

void SwfBuilder::check_readable(std::string_view text) const {
  constexpr std::uint32_t kNeeded = 1u << kSwfId | 1u << kSwfSubmit | 1u << kSwfRunTime | 1u << kSwfAllocated |
                                    1u << kSwfRequested | 1u << kSwfRequestedTime;
  if (fields_.count >= kFewestFields && (fields_.unreadable & kNeeded) == 0) return;
  std::string problem = explain_bad_swf_line(text, fields_);
  const bool convertible = problem.find("sacct") != problem.npos || problem.find("JSON") != problem.npos;
  fail(line_number_, std::move(problem), kFormat, convertible ? "`coslice convert` makes a trace of it" : "");
}

/// Half a download ends inside of a record. What is left of it would be a job that never was.
bool SwfBuilder::is_cut_off() const {
  return unended_ && fields_.count < kSwfFields && workload_.records > 0 && count_[kShort] == 0;
}

void SwfBuilder::record(std::string_view text) {
  parse_swf_line(text.data(), text.data() + text.size(), fields_);
  if (is_cut_off()) {
    ++workload_.records;
    note(kCutOff);
    return;
  }
  if (fields_.count < kSwfFields || fields_.unreadable != 0) check_readable(text);
  if (in_head_) first_record();
  ++workload_.records;
  if (fields_.count < kSwfFields) note(kShort);
  if (fields_.extra != 0) note(kExtra);
  most_extra_ = std::max(most_extra_, fields_.extra);
  if (fields_.unreadable != 0) note(kUnreadable);
  check_number(text);
  Job job;
  if (!read_size(job) || !read_times(job)) return;
  read_rest(job);
  auto& jobs = workload_.jobs;
  if (!jobs.empty()) {
    ids_increase_ = ids_increase_ && job.id > jobs.back().id;
    if (job.submit < jobs.back().submit) {
      sorted_ = false;
      note(kOutOfOrder);
    }
  }
  jobs.push_back(job);
  lines_.push_back(static_cast<std::uint32_t>(line_number_));
}

/// A number that is cut is another job's.
void SwfBuilder::check_number(std::string_view text) const {
  const SwfNumber& id = fields_.field[kSwfId];
  if (id.nano == 0 && id.whole > -kSwfHuge && id.whole < kSwfHuge) return;
  fail(line_number_, fmt::format("field 1 ({}) is '{}'", swf_field_name(kSwfId), swf_token(text, kSwfId)),
       "a whole number of at most 18 digits");
}

bool SwfBuilder::read_size(Job& job) {
  const std::int64_t size = std::max(fields_.field[kSwfRequested].whole, fields_.field[kSwfAllocated].whole);
  if (size <= 0) return reject(kNoSize);
  const bool larger = machine_size_ > 0 ? size > machine_size_ : size > std::numeric_limits<std::int32_t>::max();
  if (larger) return reject(kTooLarge);
  job.size = to_int32({size, 0});
  return true;
}

bool SwfBuilder::read_times(Job& job) {
  const SwfNumber& submit = fields_.field[kSwfSubmit];
  const SwfNumber& run = fields_.field[kSwfRunTime];
  const SwfNumber& limit = fields_.field[kSwfRequestedTime];
  if (submit.whole < 0 || submit.nano < 0) return reject(kNoSubmit);
  if (run.whole < 0 || run.nano < 0) return reject(kNoRunTime);
  if (submit.whole > kMaxSubmit || run.whole >= kMaxWhole) return reject(kHugeTime);
  job.submit = Time{to_duration(submit)};
  job.runtime = run.positive() ? to_duration(run) : whole_seconds(1);
  if (!run.positive()) note(kZeroRunTime);
  if (!limit.positive()) {
    job.limit = job.runtime;
    note(kNoLimit);
    job.limit_given = false;
  } else if (limit.whole >= kMaxWhole) {
    job.limit = whole_seconds(kMaxWhole);
    note(kHugeLimit);
  } else {
    job.limit = to_duration(limit);
  }
  return true;
}

void SwfBuilder::read_rest(Job& job) {
  const auto& f = fields_.field;
  each_attribute([&]<std::size_t i>() {
    constexpr Attribute a = kAttributes[i];
    if constexpr (a.kind == Attribute::Kind::kNumber || a.kind == Attribute::Kind::kKilobytes)
      job.*std::get<std::int32_t Job::*>(a.member) = to_int32(f[a.swf]);
  });
  job.id = f[kSwfId].whole;
  const auto extra = [&](auto member, auto value) { workload_.extras.set(job, member, value); };
  if (f[kSwfPreceding].whole > 0 && f[kSwfPreceding].nano == 0) extra(&JobExtras::preceding, f[kSwfPreceding].whole);
  const SwfNumber& think = f[kSwfThinkTime];
  if (think.whole >= 0 && think.nano >= 0 && think.whole <= kMaxWhole) extra(&JobExtras::think_time, to_duration(think));
  if (!fields_.remark.empty()) read_texts(fields_.remark, job, workload_.extras);
}

void SwfBuilder::note(Note kind, std::int64_t count, std::int64_t at) {
  if (count_[kind] == 0) first_line_[kind] = at != 0 ? at : line_number_;
  count_[kind] += count;
}

/// An error, or a line to skip.
void SwfBuilder::repeated(std::uint32_t second, std::uint32_t first) const {
  try {
    fail(lines_[second],
         fmt::format("job number {} is used twice, first in line {}", workload_.jobs[second].id, lines_[first]),
         "a number of its own for each job");
  } catch (const InputError& e) {
    if (skipped_ == nullptr) throw;
    skipped_->add(e.what());
  }
}

void SwfBuilder::handle_repeated_ids() {
  auto& jobs = workload_.jobs;
  std::vector<std::uint32_t> order(jobs.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  // A job's own record comes before its parts, so that only parts are left out.
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (jobs[a].id != jobs[b].id) return jobs[a].id < jobs[b].id;
    if (is_partial(jobs[a]) != is_partial(jobs[b])) return is_partial(jobs[b]);
    return a < b;
  });
  std::vector<bool> part(jobs.size(), false);
  bool any = false;
  for (std::size_t k = 1, own = 0; k < order.size(); ++k) {
    const Job& job = jobs[order[k]];
    if (job.id != jobs[order[own]].id) {
      own = k;
    } else if (is_partial(job) && !is_partial(jobs[order[own]])) {
      part[order[k]] = any = true;
      note(kPartial, 1, lines_[order[k]]);
    } else {
      repeated(order[k], order[own]);
      part[order[k]] = any = true;
    }
  }
  if (!any) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (!part[i]) jobs[kept++] = jobs[i];
  jobs.resize(kept);
}

void SwfBuilder::shift_absolute_times() {
  auto& jobs = workload_.jobs;
  if (jobs.empty() || jobs.back().submit <= at_seconds(kMaxSeconds)) return;
  const std::int64_t origin = jobs.front().submit.time_since_epoch().count() / kNano;
  if (jobs.back().submit - jobs.front().submit > from_seconds(kMaxSubmitSeconds)) {
    fail(0, "the submit times span more than 190 years",
         "a span that leaves room for the schedule: 292 years are what can be counted in nanoseconds",
         "are they in seconds? else cut the trace, or press its arrivals together");
  }
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    if (jobs[i].submit - jobs[i - 1].submit <= whole_seconds(kFrom1979)) continue;
    fail(0,
         fmt::format("job {} is submitted more than {} years after job {}, the one before", jobs[i].id,
                     kFrom1979 / kYear, jobs[i - 1].id),
         "submit times that all count from the trace's start, or all from 1970");
  }
  if (origin < kFrom1979 && jobs.back().submit <= at_seconds(kMaxSubmitSeconds)) return;  // a long trace
  for (Job& job : jobs) job.submit -= whole_seconds(origin);
  if (workload_.header.unix_start_time == 0) workload_.header.unix_start_time = origin;
  note(kFrom1970, static_cast<std::int64_t>(jobs.size()), static_cast<std::int64_t>(lines_.front()));
}

std::vector<TraceNote> SwfBuilder::account() const {
  const std::string larger = machine_size_ > 0 ? fmt::format("larger than the machine ({})", machine_size_)
                                               : std::string("larger than any machine");
  const std::string_view words[kNotes] = {"no submit time",
                                          "no size",
                                          larger,
                                          "no run time",
                                          "a time beyond 31 years",
                                          "part of a job that has a record of its own",
                                          "cut off: the file ends inside of the record",
                                          "run time 0, taken as 1 s",
                                          "no requested time, the run time is the limit",
                                          "requested time beyond 31 years, taken as 31 years",
                                          "fewer than 18 fields, the others taken as missing",
                                          "more than 18 fields, the others ignored",
                                          "a field that is not a number, taken as missing",
                                          "out of order, sorted by submit time",
                                          "submit time counts from 1970, moved to begin at 0"};
  std::vector<TraceNote> notes;
  for (int i = 0; i < kNotes; ++i)
    if (count_[i] > 0) notes.push_back({std::string(words[i]), count_[i], first_line_[i], i < kDroppedNotes});
  return notes;
}

Workload SwfBuilder::finish() {
  if (workload_.records == 0) fail(0, "the trace has no records");
  if (!ids_increase_) handle_repeated_ids();
  auto& jobs = workload_.jobs;
  const auto by_submit = [](const Job& a, const Job& b) { return a.submit < b.submit; };
  if (!sorted_) std::stable_sort(jobs.begin(), jobs.end(), by_submit);
  shift_absolute_times();
  workload_.notes = account();
  if (most_extra_ != 0)
    workload_.warnings.push_back(
        fmt::format("{}: {} of {} records have up to {} fields; those behind the 18th are ignored, also where one says GPUs: a dump of sacct "
                    "(coslice convert --help) has a column for these",
                    file_, count_[kExtra], workload_.records, kSwfFields + most_extra_));
  return std::move(workload_);
}

}  // namespace coslice
