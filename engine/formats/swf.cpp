#include "formats/swf.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>
#include <zlib.h>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "core/time.h"
#include "jobs/attributes.h"
#include "jobs/size_rules.h"

namespace coslice {
namespace {

// --- one line as numbers

/// Numbers beyond it are held at it.
constexpr std::int64_t kSwfHuge = 9'200'000'000'000'000'000;

/// A decimal number: whole + nano * 1e-9, both with the number's sign. What is missing is -1.
struct SwfNumber {
  std::int64_t whole = -1, nano = 0;
  bool positive() const { return whole > 0 || nano > 0; }
};

/// What stands in one record.
struct SwfLine {
  std::array<SwfNumber, kSwfFields> field;
  int count = 0;                 ///< fields present, at most 18
  int extra = 0;                 ///< fields behind the 18th
  std::uint32_t unreadable = 0;  ///< bit i: field i is not a number (and reads as -1)
  std::string_view remark{};     ///< what stands behind a ';' at the end; points into the line

  bool is_unreadable(SwfField f) const { return (unreadable >> f & 1) != 0; }
};

constexpr int kSafeDigits = 18;  // any number of this many digits fits 64 bits

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Reads the decimals behind the point; returns where they end. The tenth digit rounds.
const char* parse_decimals(const char* p, const char* end, std::int64_t& nano) {
  std::int64_t value = 0;
  int digits = 0;
  for (; p != end && is_digit(*p); ++p, ++digits)
    if (digits < 9) value = value * 10 + (*p - '0');
    else if (digits == 9 && *p >= '5') ++value;
  for (int i = digits; i < 9; ++i) value *= 10;
  nano = value;
  return p;
}

/// Exponents, a leading plus, more digits than 64 bits hold: rare, so any correct parser will do.
bool parse_unusual(std::string_view text, SwfNumber& out) {
  take_char(text, '+');
  if (const auto whole = parse_number<std::int64_t>(text)) {
    out = {std::clamp(*whole, -kSwfHuge, kSwfHuge), 0};
    return true;
  }
  const auto value = parse_number<double>(text);
  if (!value || std::isnan(*value)) return false;
  if (std::abs(*value) >= 9.2e18) {
    out = {*value < 0 ? -kSwfHuge : kSwfHuge, 0};
    return true;
  }
  out.whole = static_cast<std::int64_t>(*value);
  out.nano = static_cast<std::int64_t>(std::round((*value - static_cast<double>(out.whole)) * 1e9));
  return true;
}

/// Parses the token at p, which is not blank. Returns where it ends.
const char* parse_field(const char* p, const char* end, SwfNumber& out, bool& ok) {
  const char* const begin = p;
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  std::int64_t whole = 0;
  const char* const safe_end = end - p > kSafeDigits ? p + kSafeDigits : end;
  while (p != safe_end && is_digit(*p)) whole = whole * 10 + (*p++ - '0');
  bool usual = p != digits;
  std::int64_t nano = 0;
  if (usual && p != end && *p == '.') p = parse_decimals(p + 1, end, nano);
  if (usual && (p == end || is_blank(*p))) {
    if (nano == kNsPerSecond) ++whole, nano = 0;
    out = negative ? SwfNumber{-whole, -nano} : SwfNumber{whole, nano};
    ok = true;
    return p;
  }
  while (p != end && !is_blank(*p)) ++p;
  ok = parse_unusual({begin, static_cast<std::size_t>(p - begin)}, out);
  if (!ok) out = SwfNumber{};
  return p;
}

/// Parses the token at p, which is not blank, if it is a whole number of up to nine digits that a blank follows, as
/// nearly all are. Returns where it ends; null if it is anything else.
inline const char* parse_short(const char* p, const char* end, SwfNumber& out) {
  if (end - p > 2 && p[0] == '-' && p[1] == '1' && p[2] == ' ') {  // most fields of most logs
    out = {-1, 0};
    return p + 3;
  }
  const bool negative = *p == '-';
  p += negative;
  const char* const digits = p;
  std::uint32_t value = 0;
  for (; p != end && is_digit(*p); ++p) value = value * 10 + static_cast<std::uint32_t>(*p - '0');
  if (p == digits || p - digits > 9 || p == end || !is_blank(*p)) return nullptr;
  out = {negative ? -std::int64_t{value} : std::int64_t{value}, 0};
  return p;
}

std::string_view nth_token(std::string_view text, int n) {
  std::size_t p = 0;
  for (;; --n) {
    while (p < text.size() && is_blank(text[p])) ++p;
    std::size_t stop = p;
    while (stop < text.size() && !is_blank(text[stop])) ++stop;
    if (n == 0) return text.substr(p, stop - p);
    p = stop;
  }
}

/// Other kinds of file that people hand over by mistake; "" if it is none of them.
std::string_view other_format(std::string_view text) {
  if (text.substr(0, 2) == "PK") return "this looks like a zip archive";
  if (text.substr(0, 3) == "BZh") return "this looks like a bzip2 archive";
  if (text.substr(0, 5) == "\xFD"
                           "7zXZ")
    return "this looks like an xz archive";
  const bool binary = std::ranges::any_of(
      text, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && !is_blank(c)) || c == 0x7f; });
  if (binary) return "this looks like binary data";
  const std::string_view first = nth_token(text, 0);
  if (first.substr(0, 1) == "<") return "this looks like an HTML or XML page";
  if (first.substr(0, 1) == "{" || first.substr(0, 1) == "[") return "this looks like JSON or TOML";
  if (first.find(',') != first.npos) return "this looks like a comma-separated file";
  if (first.find('|') != first.npos) return "this looks like the output of sacct";
  return "";
}

/// Up to a remark; p is at the first.
int count_tokens(const char* p, const char* end) {
  int n = 0;
  while (p != end && *p != ';') {
    ++n;
    while (p != end && !is_blank(*p)) ++p;
    while (p != end && is_blank(*p)) ++p;
  }
  return n;
}

/// The name of a field in words.
std::string_view swf_field_name(int field) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
       "requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue",
       "partition", "preceding job", "think time"});
  return kNames[static_cast<std::size_t>(field)];
}

/// Parses [begin, end), a line without its line feed, into `line`: the hot part of reading a trace, no copy, no
/// allocation. Blanks, tabs and a carriage return separate. Numbers beyond 64 bits are held at kSwfHuge so that range
/// checks catch them.
void parse_swf_line(const char* p, const char* end, SwfLine& line) {
  line.unreadable = 0;
  line.extra = 0;
  line.remark = {};
  int n = 0;
  for (;; ++n) {
    while (p != end && is_blank(*p)) ++p;
    if (p == end) break;
    if (n == kSwfFields) {
      if (*p == ';') line.remark = {p + 1, static_cast<std::size_t>(end - p - 1)};
      else line.extra = count_tokens(p, end);
      break;
    }
    if (const char* const stop = parse_short(p, end, line.field[n])) {
      p = stop;
      continue;
    }
    bool ok = true;
    const char* const begin = p;
    p = parse_field(p, end, line.field[n], ok);
    if (ok) continue;
    if (*begin == ';') {
      line.remark = {begin + 1, static_cast<std::size_t>(end - begin - 1)};
      break;
    }
    line.unreadable |= 1u << n;
  }
  line.count = n;
  for (; n < kSwfFields; ++n) line.field[n] = SwfNumber{};
}

/// The n-th token of a line for a message: short, without control characters.
std::string swf_token(std::string_view text, int field) { return printable(shortened(nth_token(text, field), 30)); }

/// Says what is wrong with a line that is not a record, for an error message: "this looks like an HTML page",
/// "field 4 (run time) is 'abc', not a number".
std::string explain_bad_swf_line(std::string_view text, const SwfLine& line) {
  const std::string_view other = other_format(text);
  if (!other.empty()) return std::string(other);
  for (int f = 0; f < line.count; ++f)
    if (line.is_unreadable(static_cast<SwfField>(f)))
      return fmt::format("field {} ({}) is '{}', not a number", f + 1, swf_field_name(f), swf_token(text, f));
  return fmt::format("the record has {} field{}{}", line.count, line.count == 1 ? "" : "s",
                     line.count < 5 ? "" : ", and none says what was requested");
}

// --- what no field has, behind a record

/// A time that no field of SWF has.
constexpr bool is_time_beside(const Attribute& a) { return a.kind == Attribute::Kind::kSeconds && a.swf < 0; }

/// Whether the job has one of them. Asked of each job that is written, and few have one.
bool has_time_beside(const Job& job) {
  const auto has = [&]<std::size_t i>() {
    if constexpr (is_time_beside(kAttributes[i])) return kAttributes[i].span(job) >= Duration::zero();
    else return false;
  };
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return (has.template operator()<i>() || ...); }
  (std::make_index_sequence<kAttributes.size()>());
}

bool is_plain(char c) { return c != '%' && c != ';' && static_cast<unsigned char>(c) > 0x20 && c != 0x7f; }

void read_time(std::string_view text, Job& job, const Attribute& a, JobExtrasStore& store) {
  const double seconds = take_number<double>(text).value_or(-1);
  if (seconds >= a.low && seconds <= a.high)
    store.set(job, std::get<Duration JobExtras::*>(a.member), from_seconds(seconds));
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] != '%' || i + 2 >= text.size() || std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(code);
    i += 2;
  }
  return out;
}

/// What no field has stands behind a record: "; name=text name=text", with blanks, '%', ';' and control characters as
/// %20.
void append_texts(std::string& out, const Job& job) {
  if (job.extras->texts.empty() && !has_time_beside(job)) return;
  out += " ;";
  for (const Attribute& a : kAttributes) {
    if (is_time_beside(a) && a.span(job) >= Duration::zero())
      out.append(" ").append(a.name).append("=").append(format_seconds(a.span(job)));
    if (!a.is_text() || a.text(job).empty()) continue;
    out.append(" ").append(a.name).append("=");
    for (const char c : a.text(job)) {
      if (is_plain(c)) out += c;
      else out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
}

/// Reads what append_texts wrote, without its ';'. Names that are not attributes are left out.
void read_texts(std::string_view remark, Job& job, JobExtrasStore& store) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  for (;;) {
    remark = trimmed(remark, kBlanks);
    if (remark.empty()) return;
    const std::string_view token = remark.substr(0, remark.find_first_of(kBlanks));
    remark.remove_prefix(token.size());
    const std::size_t equals = token.find('=');
    const Attribute* a = equals == token.npos ? nullptr : find_attribute(token.substr(0, equals));
    if (a != nullptr && is_time_beside(*a)) read_time(token.substr(equals + 1), job, *a, store);
    if (a != nullptr && a->is_text()) store.set(job, *a, decoded(token.substr(equals + 1)));
  }
}

// --- lines as a workload

constexpr std::size_t kLongestSwfLine = 200'000;
constexpr std::size_t kLongestHeader = 4'194'304;  // bytes of comments before the first record: they are kept
constexpr std::int64_t kMaxWhole = static_cast<std::int64_t>(kMaxSeconds);
constexpr std::int64_t kMaxSubmit = 8'000'000'000;  // room for clocks that count from 1970
constexpr std::int64_t kFrom1979 = 300'000'000;     // logs of parallel machines that count from 1970 begin later
constexpr std::int64_t kYear = 31'557'600;
constexpr int kFewestFields = 9;  // up to the requested time: all that a simulation takes

std::int32_t to_int32(const SwfNumber& n) {
  if (n.whole < 0) return -1;
  return static_cast<std::int32_t>(std::min<std::int64_t>(n.whole, std::numeric_limits<std::int32_t>::max()));
}

Duration to_duration(const SwfNumber& n) { return Duration{n.whole * kNsPerSecond + n.nano}; }

/// A partial execution: the standard gives a job that was swapped out one record a part, beside its own.
bool is_partial(const Job& job) { return job.status >= 2 && job.status <= 4; }

/// Turns the lines of a trace into a Workload and keeps the account of what was dropped or altered. Feed it text in
/// pieces, then take the workload with finish(). Every function throws InputError.
class SwfBuilder {
 public:
  /// `most_records`: an upper bound for the records to come; limits what the header's word on it reserves.
  SwfBuilder(std::string file, const SwfOptions& options, std::size_t most_records)
      : file_(std::move(file)), most_records_(most_records), machine_size_(options.machine_size),
        skipped_(options.skipped) {
    workload_.name = workload_name_of(file_);
  }

  /// Handles the complete lines of the text, and with `last` what stands behind them too. Returns the bytes used.
  std::size_t feed(std::string_view text, bool last) {
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) {
      const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      if (stop == nullptr) {
        if (static_cast<std::size_t>(end - p) > kLongestSwfLine) fail(line_number_ + 1, "the line does not end");
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

  Workload finish() {
    if (workload_.records == 0) fail(0, "the trace has no records");
    if (!ids_increase_) handle_repeated_ids();
    auto& jobs = workload_.jobs;
    const auto by_submit = [](const Job& a, const Job& b) { return a.submit < b.submit; };
    if (!sorted_) std::ranges::stable_sort(jobs, by_submit);
    shift_absolute_times();
    workload_.notes = notes_.notes();
    for (TraceNote& n : workload_.notes)
      if (n.reason == kTooLarge.words && machine_size_ > 0)
        n.reason = fmt::format("larger than the machine ({})", machine_size_);
    if (most_extra_ != 0)
      workload_.warnings.push_back(fmt::format("{}: {} of {} records have up to {} fields; those behind the 18th are "
                                               "ignored, also where one says GPUs: a dump of sacct "
                                               "(coslice convert --help) has a column for these",
                                               file_, notes_.count(kExtra), workload_.records,
                                               kSwfFields + most_extra_));
    return std::move(workload_);
  }

 private:
  // What is noted of records, in the order of the account.
  static constexpr NoteCounts::Kind kNoSubmit{0, "no submit time", true};
  static constexpr NoteCounts::Kind kNoSize{1, "no size", true};
  static constexpr NoteCounts::Kind kTooLarge{2, "larger than any machine", true};
  static constexpr NoteCounts::Kind kNoRunTime{3, "no run time", true};
  static constexpr NoteCounts::Kind kHugeTime{4, "a time beyond 31 years", true};
  static constexpr NoteCounts::Kind kPartial{5, "part of a job that has a record of its own", true};
  static constexpr NoteCounts::Kind kCutOff{6, "cut off: the file ends inside of the record", true};
  static constexpr NoteCounts::Kind kZeroRunTime{7, "run time 0, taken as 1 s"};
  static constexpr NoteCounts::Kind kNoLimit{8, "no requested time, the run time is the limit"};
  static constexpr NoteCounts::Kind kHugeLimit{9, "requested time beyond 31 years, taken as 31 years"};
  static constexpr NoteCounts::Kind kShort{10, "fewer than 18 fields, the others taken as missing"};
  static constexpr NoteCounts::Kind kExtra{11, "more than 18 fields, the others ignored"};
  static constexpr NoteCounts::Kind kUnreadable{12, "a field that is not a number, taken as missing"};
  static constexpr NoteCounts::Kind kOutOfOrder{13, "out of order, sorted by submit time"};
  static constexpr NoteCounts::Kind kFrom1970{14, "submit time counts from 1970, moved to begin at 0"};

  static constexpr const char* kFormat = "the Standard Workload Format: 18 numbers a line, ';' before comments";

  [[noreturn]] void fail(std::int64_t line, std::string problem, std::string expected = kFormat,
                         std::string suggestion = "") const {
    throw InputError({file_, static_cast<int>(line), std::move(problem), std::move(expected), std::move(suggestion)});
  }

  void line(std::string_view text) {
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

  void comment(std::string_view text) {
    if (!in_head_) return;
    auto& header = workload_.header;
    header.lines.emplace_back(text.substr(0, text.find_last_not_of(" \t\r\f\v") + 1));
    header_size_ += header.lines.back().size() + sizeof(std::string);
    if (header_size_ > kLongestHeader)
      fail(line_number_, fmt::format("there are {} lines of comments before the first record", header.lines.size()),
           "a header of some lines, then the records");
    const auto colon = text.find(':');
    if (colon == text.npos) return;
    const std::string key = lower_case(trimmed(text.substr(1, colon - 1)));
    std::string_view rest = trimmed(text.substr(colon + 1));
    const std::int64_t value = take_number<std::int64_t>(rest).value_or(0);
    if (value <= 0) return;
    struct {
      std::string_view key;
      std::int64_t& value;
    } const known[] = {{"maxprocs", header.max_procs},
                       {"maxnodes", header.max_nodes},
                       {"maxjobs", header.max_jobs},
                       {"maxrecords", max_records_},
                       {"unixstarttime", header.unix_start_time}};
    if (key == "unixstarttime" && !outside_instant(value))
      fail(line_number_, fmt::format("UnixStartTime is {}", value),
           fmt::format("seconds since 1970, up to {}", kMaxUnixSeconds));
    for (const auto& k : known)
      if (key == k.key && k.value == 0) k.value = value;
  }

  void first_record() {
    in_head_ = false;
    const auto& header = workload_.header;
    if (machine_size_ == kMachineFromHeader) machine_size_ = header.max_procs > 0 ? header.max_procs : header.max_nodes;
    // The header's word spares the copies of a growing vector, and the memory of both halves.
    const auto stated = static_cast<std::size_t>(max_records_ > 0 ? max_records_ : header.max_jobs);
    const std::size_t room = std::min(stated, most_records_);
    workload_.jobs.reserve(room);
    lines_.reserve(room);
  }

  void check_readable(std::string_view text) const {
    constexpr std::uint32_t kNeeded = 1u << kSwfId | 1u << kSwfSubmit | 1u << kSwfRunTime | 1u << kSwfAllocated |
                                      1u << kSwfRequested | 1u << kSwfRequestedTime;
    if (fields_.count >= kFewestFields && (fields_.unreadable & kNeeded) == 0) return;
    std::string problem = explain_bad_swf_line(text, fields_);
    const bool convertible = problem.find("sacct") != problem.npos || problem.find("JSON") != problem.npos;
    fail(line_number_, std::move(problem), kFormat, convertible ? "`coslice convert` makes a trace of it" : "");
  }

  /// Half a download ends inside of a record. What is left of it would be a job that never was.
  bool is_cut_off() const {
    return unended_ && fields_.count < kSwfFields && workload_.records > 0 && notes_.count(kShort) == 0;
  }

  void record(std::string_view text) {
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
  void check_number(std::string_view text) const {
    const SwfNumber& id = fields_.field[kSwfId];
    if (id.nano == 0 && id.whole > -kSwfHuge && id.whole < kSwfHuge) return;
    fail(line_number_, fmt::format("field 1 ({}) is '{}'", swf_field_name(kSwfId), swf_token(text, kSwfId)),
         "a whole number of at most 18 digits");
  }

  bool read_size(Job& job) {
    const std::int64_t size = std::max(fields_.field[kSwfRequested].whole, fields_.field[kSwfAllocated].whole);
    if (size <= 0) return reject(kNoSize);
    const bool larger = machine_size_ > 0 ? size > machine_size_ : size > std::numeric_limits<std::int32_t>::max();
    if (larger) return reject(kTooLarge);
    job.size = to_int32({size, 0});
    return true;
  }

  bool read_times(Job& job) {
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

  void read_rest(Job& job) {
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
    if (think.whole >= 0 && think.nano >= 0 && think.whole <= kMaxWhole)
      extra(&JobExtras::think_time, to_duration(think));
    if (fields_.remark.empty()) return;
    read_texts(fields_.remark, job, workload_.extras);
    try {
      check_said_sizes(job, 0);
    } catch (const InputError& e) {
      fail(line_number_, fmt::format("job {} {}", job.id, e.diagnostic().problem), e.diagnostic().expected);
    }
  }

  bool reject(const NoteCounts::Kind& reason) { return note(reason), false; }
  void note(const NoteCounts::Kind& kind) { notes_.note(kind, line_number_); }

  /// An error, or a line to skip.
  void repeated(std::uint32_t second, std::uint32_t first) const {
    try {
      fail(lines_[second],
           fmt::format("job number {} is used twice, first in line {}", workload_.jobs[second].id, lines_[first]),
           "a number of its own for each job");
    } catch (const InputError& e) {
      if (skipped_ == nullptr) throw;
      skipped_->add(e.what());
    }
  }

  void handle_repeated_ids() {
    auto& jobs = workload_.jobs;
    std::vector<std::uint32_t> order(jobs.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    // A job's own record comes before its parts, so that only parts are left out.
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
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
        continue;
      }
      if (is_partial(job) && !is_partial(jobs[order[own]])) notes_.note(kPartial, lines_[order[k]]);
      else repeated(order[k], order[own]);
      part[order[k]] = any = true;
    }
    if (!any) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (!part[i]) jobs[kept++] = jobs[i];
    jobs.resize(kept);
  }

  void shift_absolute_times() {
    auto& jobs = workload_.jobs;
    if (jobs.empty() || jobs.back().submit <= at_seconds(kMaxSeconds)) return;
    const std::int64_t origin = jobs.front().submit.time_since_epoch().count() / kNsPerSecond;
    if (jobs.back().submit - jobs.front().submit > from_seconds(kMaxSubmitSeconds))
      fail(0, "the submit times span more than 190 years",
           "a span that leaves room for the schedule: 292 years are what can be counted in nanoseconds",
           "check that they are in seconds; otherwise shorten the trace or compress its arrivals");
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
    notes_.note(kFrom1970, lines_.front(), static_cast<std::int64_t>(jobs.size()));
  }

  std::string file_;
  int most_extra_ = 0;  ///< fields behind the 18th
  std::size_t most_records_;
  std::int64_t machine_size_;
  SkippedLines* skipped_;
  bool unended_ = false;          ///< the line is the last one and has no end
  std::int64_t max_records_ = 0;  // header
  std::int64_t line_number_ = 0;
  std::size_t header_size_ = 0;  ///< bytes that its lines take
  bool in_head_ = true, ids_increase_ = true, sorted_ = true;
  SwfLine fields_;
  Workload workload_;
  std::vector<std::uint32_t> lines_;  // of each job kept, for messages on repeated ids
  NoteCounts notes_;
};

// The shortest records seen: a plain one has 18 digits and blanks, gzip brings one down to a few bytes.
constexpr std::size_t kBytesPerPlainRecord = 36;
constexpr std::size_t kBytesPerPackedRecord = 4;

constexpr std::size_t kFlushAt = 1 << 16;
constexpr std::size_t kLongestRecord = 18 * 22;

char* put(char* p, std::int64_t value) {
  p = std::to_chars(p, p + 20, value).ptr;
  *p++ = ' ';
  return p;
}

/// Seconds, exact: decimals only where there are some; -1 for what is not known.
char* put_seconds(char* p, Duration d) {
  if (d < Duration::zero()) return put(p, -1);
  p = write_seconds(p, d);
  *p++ = ' ';
  return p;
}

/// A header line that counts jobs would be wrong after a selection.
bool counts_jobs(std::string_view line) {
  return line.find("MaxJobs:") != line.npos || line.find("MaxRecords:") != line.npos;
}

/// What stands in a field, or null.
constexpr const Attribute* attribute_of(int field) {
  for (const Attribute& a : kAttributes)
    if (a.swf == field) return &a;
  return nullptr;
}

/// Calls f<field>() for each field in turn.
template <class F>
void each_field(F&& f) {
  [&]<int... field>(std::integer_sequence<int, field...>) { (f.template operator()<field>(), ...); }
  (std::make_integer_sequence<int, kSwfFields>());
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw SimulationError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace

Workload read_swf(const std::string& path, const SwfOptions& options) {
  PackedFile file(path);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  const std::size_t record = file.plain() ? kBytesPerPlainRecord : kBytesPerPackedRecord;
  SwfBuilder builder(path, options, error ? 0 : static_cast<std::size_t>(bytes) / record + 1);
  std::vector<char> buffer(kPackedBuffer);
  std::size_t held = 0;  // bytes of an unfinished line at the front
  for (;;) {
    const std::size_t got = file.read(buffer.data() + held, buffer.size() - held);
    const std::string_view text(buffer.data(), held + got);
    const std::size_t used = builder.feed(text, got == 0);
    if (got == 0) return builder.finish();
    held = text.size() - used;
    std::memmove(buffer.data(), buffer.data() + used, held);
  }
}

Workload parse_swf(std::string_view text, const std::string& file, const SwfOptions& options) {
  SwfBuilder builder(file, options, text.size() / kBytesPerPlainRecord + 1);
  builder.feed(text, true);
  return builder.finish();
}

RecordedWorkload read_recorded_swf(const std::string& path, SkippedLines* skipped) {
  const std::string text = read_packed(path);
  RecordedWorkload recorded;
  SwfOptions options;
  options.skipped = skipped;
  recorded.workload = parse_swf(text, path, options);
  std::unordered_map<std::int64_t, Duration> waits;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view record = take_before(rest, '\n');
    const std::size_t first = record.find_first_not_of(" \t\r\f\v");
    if (first == record.npos || record[first] == ';' || record[first] == '#') continue;
    SwfLine line;
    parse_swf_line(record.data(), record.data() + record.size(), line);
    const SwfNumber& wait = line.field[kSwfWait];
    if (wait.whole >= 0 && wait.nano >= 0 && wait.whole < kMaxWhole)
      waits.emplace(line.field[kSwfId].whole, to_duration(wait));
  }
  if (waits.empty()) return recorded;
  for (const Job& job : recorded.workload.jobs) {
    const auto found = waits.find(job.id);
    recorded.waits.push_back(found == waits.end() ? Duration{-1} : found->second);
  }
  return recorded;
}

// --- writing

void append_swf_record(std::string& out, const Job& job, const SwfOutcome& outcome) {
  char record[kLongestRecord];
  char* p = record;
  each_field([&]<int field>() {
    constexpr const Attribute* a = attribute_of(field);
    if constexpr (field == kSwfWait) p = put_seconds(p, outcome.wait);
    else if constexpr (field == kSwfRunTime)
      p = put_seconds(p, outcome.runtime < Duration::zero() ? job.runtime : outcome.runtime);
    else if constexpr (field == kSwfAllocated) p = put(p, job.size);
    else if constexpr (field == kSwfStatus) p = put(p, outcome.status < -1 ? job.status : outcome.status);
    else if constexpr (a == nullptr) p = put(p, -1);
    else if constexpr (a->is_time()) p = put_seconds(p, a->span(job));
    else p = put(p, a->whole(job));
  });
  out.append(record, static_cast<std::size_t>(p - record - 1));
  append_texts(out, job);
  out += '\n';
}

/// A plain or a gzip file behind one interface.
class SwfWriter::File {
 public:
  explicit File(const std::string& path) {
    if (path == "-") return;
    if (!path.ends_with(".gz")) {
      plain_.emplace(path);
      return;
    }
    packed_ = gzopen(path.c_str(), "wb");
    if (packed_ == nullptr) throw InputError({path, 0, fmt::format("cannot be created: {}", std::strerror(errno))});
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (packed_ != nullptr) gzclose(packed_);
  }

  /// False if a gzip file or standard output cannot be written; a plain file says so itself.
  bool write(const std::string& text) {
    if (text.empty()) return true;
    if (packed_ != nullptr) return gzwrite(packed_, text.data(), static_cast<unsigned>(text.size())) > 0;
    if (!plain_) return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    plain_->write(text);
    return true;
  }

  bool close() {
    if (packed_ != nullptr) return gzclose(std::exchange(packed_, nullptr)) == Z_OK;
    if (!plain_) return std::fflush(stdout) == 0;
    plain_->close();
    return true;
  }

 private:
  gzFile packed_ = nullptr;
  std::optional<OutputFile> plain_;  ///< neither: standard output
};

SwfWriter::SwfWriter(const std::string& path)
    : path_(path == "-" ? "standard output" : path), file_(std::make_unique<File>(path)) {
  buffer_.reserve(kFlushAt + kLongestRecord);
}

SwfWriter::~SwfWriter() = default;

void SwfWriter::flush() {
  if (!file_->write(buffer_)) fail_to_write(path_);
  buffer_.clear();
}

void SwfWriter::comment(std::string_view text) {
  if (text.empty() || text.front() != ';') buffer_ += text.empty() ? ";" : "; ";
  buffer_ += text;
  buffer_ += '\n';
  if (buffer_.size() >= kFlushAt) flush();
}

void SwfWriter::header(const Workload& workload) {
  const auto& head = workload.header;
  const auto count = workload.jobs.size();
  if (head.lines.empty()) {
    comment("Version: 2.2");
    if (!workload.name.empty()) comment("Computer: " + workload.name);
    if (head.unix_start_time > 0) comment(fmt::format("UnixStartTime: {}", head.unix_start_time));
    if (head.max_nodes > 0) comment(fmt::format("MaxNodes: {}", head.max_nodes));
    if (head.max_procs > 0) comment(fmt::format("MaxProcs: {}", head.max_procs));
  }
  for (const auto& line : head.lines)
    if (!counts_jobs(line)) comment(line);
  comment(fmt::format("MaxJobs: {}", count));
  comment(fmt::format("MaxRecords: {}", count));
}

void SwfWriter::record(const Job& job, const SwfOutcome& outcome) {
  append_swf_record(buffer_, job, outcome);
  if (buffer_.size() >= kFlushAt) flush();
}

void SwfWriter::close() {
  flush();
  if (!file_->close()) fail_to_write(path_);
}

void write_swf(const std::string& path, const Workload& workload) {
  SwfWriter writer(path);
  writer.header(workload);
  for (const Job& job : workload.jobs) writer.record(job);
  writer.close();
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
