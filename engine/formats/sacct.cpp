#include "formats/sacct.h"

#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>

#include <fmt/core.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "formats/het_jobs.h"
#include "formats/sacct_columns.h"
#include "formats/sacct_entries.h"
#include "formats/sacct_notes.h"
#include "formats/sacct_rows.h"
#include "formats/slurm_fields.h"
#include "formats/swf.h"
#include "jobs/attributes.h"
#include "jobs/workflow.h"
#include "machine/components.h"
#include "machine/memory_amount.h"

namespace coslice {
namespace {

constexpr std::size_t kKeptAtOnce = 1 << 20;   ///< bytes of lines, before they are written
constexpr std::size_t kMostRequests = 65'536;  ///< kept in mind while only names are asked for

/// For sets of texts in which parts of a line are looked for.
struct HashOfText {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

/// What becomes of the entries.
enum class SacctKeeps {
  kAll,    ///< they become a workload, which finish() gives
  kNames,  ///< only the latest is kept, and the names of users, accounts, qualities of service and partitions
};

/// Reads a dump of sacct line by line; parse_sacct and SacctSurveyor use it.
class SacctReader : SacctNotes {
 public:
  SacctReader(std::string file, SlurmSize size, SkippedLines* skipped, SlurmArrival arrival,
              SacctKeeps keeps = SacctKeeps::kAll)
      : file_(std::move(file)), size_(size), skipped_(skipped), arrival_(arrival), keeps_(keeps) {}

  /// What a row came to.
  enum class Row { kJob, kNone, kSkipped, kRepeated };
  /// What is done with each row of the dump: it goes before the next one.
  std::function<void(Row, const SacctRow&)> on_row;
  /// The job of the last line, where that was one (SacctKeeps::kNames).
  const SacctEntry& latest() const { return entries_.back(); }
  std::int64_t line() const { return line_; }
  const SacctColumns& columns() const { return rows_->columns(); }
  bool has_column(std::string_view name) const { return column({name}) >= 0; }
  bool nodes_as_asked() const { return nodes_as_asked_; }
  bool fewest_as_asked() const { return fewest_as_asked_; }
  bool spreads_tasks() const { return spreads_tasks_; }
  std::int64_t node_ranges() const { return node_ranges_; }
  std::int64_t early_starts() const { return notes_.count(kEarlyStart); }
  std::int64_t other_spans() const { return notes_.count(kClock); }
  bool says_zone() const { return ahead_.has_value(); }
  std::int64_t repeated() const { return repeated_; }
  const CutLists& cut_lists() const { return cut_lists_; }
  std::set<std::string> columns_that_say_something() const {
    std::set<std::string> out;
    for (std::size_t c = 0; c != said_.size(); ++c)
      if (said_[c]) out.insert(columns().names()[c]);
    return out;
  }
  /// How many jobs were other than those that simply ran.
  SacctLosses losses() const {
    return {notes_.count(kWithdrawn), notes_.count(kNotStarted), notes_.count(kNotEnded), notes_.count(kPreempted),
            requeued_};
  }
  /// The next line of the dump, with its end. Returns whether it is one of the header. Throws InputError unless bad
  /// lines are skipped.
  bool line(std::string_view with_end) {
    std::string_view text = ++count_ == 1 ? without_byte_order_mark(with_end) : with_end;
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    if (rows_ != nullptr && text != header_text_) return rows_->line(with_end, count_), false;
    if (rows_ != nullptr) return rows_->finish(), true;  // dumps one behind the other
    if (text.find_first_not_of(" \t") == text.npos) return false;
    line_ = count_;
    header(text);
    line_ends_ = with_end.ends_with("\r\n") ? "\r\n" : "\n";
    return true;
  }

  /// The dump is over.
  void end() {
    if (rows_ != nullptr) rows_->finish();
  }

  /// Throws InputError: no header, or no job has run.
  void require_jobs(bool any) {
    if (rows_ != nullptr && any) return;
    line_ = 0;
    if (const std::int64_t n = notes_.count(kNoSize); rows_ != nullptr && n > 0)
      fail(fmt::format("no job of the dump says its size: {} {} ended, {} how many {} it had", n,
                       n == 1 ? "has" : "have", n == 1 ? "and does not say" : "of which none says",
                       size_ == SlurmSize::kCpus ? "processors" : "nodes"),
           size_ == SlurmSize::kCpus ? "NCPUS or AllocTRES; in JSON tres or required, of squeue cpus"
                                     : "NNodes or AllocTRES; in JSON tres or allocation_nodes, of squeue node_count");
    fail(rows_ == nullptr ? "the dump is empty" : "no job of the dump has run", "at least one job that ended",
         "make it by: " + sacct_command());
  }

  /// Throws InputError if these submissions (nanoseconds since 1970) are not the history of one machine.
  void require_history(std::int64_t first, std::int64_t last) {
    if (last / kNsPerSecond - first / kNsPerSecond <= static_cast<std::int64_t>(kMaxSubmitSeconds)) return;
    line_ = 0;
    fail("the submit times span more than 190 years", "a dump of one machine's history");
  }

  /// All names so far, in the order of kind and number.
  std::vector<RecordedWorkload::Name> names() const {
    std::vector<RecordedWorkload::Name> all;
    for (const NameNumbers& names : names_) std::ranges::copy(names.all(), std::back_inserter(all));
    return all;
  }

  /// The workload of all lines.
  RecordedWorkload finish() {
    require_jobs(!entries_.empty());
    std::ranges::stable_sort(entries_, {}, &SacctEntry::submit);
    const std::int64_t origin = entries_.front().submit / kNsPerSecond;
    require_history(entries_.front().submit, entries_.back().submit);
    join_resized(entries_);
    join_preempted_runs(entries_);
    join_components();
    Workload& w = recorded_.workload;
    w.name = workload_name_of(file_);
    w.records = records_;
    w.header.unix_start_time = origin;
    for (SacctEntry& e : entries_) {
      e.job.submit = Time{Duration{e.submit - origin * kNsPerSecond}};
      if (!e.numbered) e.job.id = ++largest_;
      if (e.withdrawn >= 0)
        w.extras.set(e.job, &JobExtras::withdrawn_at, Duration{e.withdrawn - origin * kNsPerSecond});
      w.jobs.push_back(e.job);
      recorded_.waits.push_back(e.wait);
      recorded_.site_ids.push_back(std::move(e.site_id));
      if (column({"NodeList"}) >= 0) recorded_.nodes.push_back(std::move(e.nodes));
    }
    add_workflow();
    w.notes = notes_.notes();
    if (cut_lists_.lists > 0) w.notes.push_back({cut_lists_.text(), cut_lists_.lists, cut_lists_.first_line});
    if (repeated_ > 0)
      w.notes.push_back(
          {"a repeated row: the same job again, as where dumps overlap", repeated_, first_repeated_, true});
    if (!resized_.empty())
      w.notes.push_back({"got other nodes while it ran: one job, of its longest size", std::ssize(resized_), 0, false});
    HetJobCounts het_jobs;
    for (const std::string& id : recorded_.site_ids) het_jobs.add(id);
    if (het_jobs.components() > 0) w.notes.push_back({het_jobs.text(), het_jobs.components(), 0, false});
    recorded_.names = names();
    return std::move(recorded_);
  }

 private:
  void note(const NoteCounts::Kind& kind) { notes_.note(kind, line_); }
  std::string_view number_text() const { return field({"JobID", "JobIDRaw"}); }

  [[noreturn]] void fail(std::string problem, std::string expected, std::string suggestion = "") const {
    throw InputError({file_, static_cast<int>(line_), std::move(problem), std::move(expected), std::move(suggestion)});
  }

  int column(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      for (std::size_t c = 0; rows_ != nullptr && c < columns().size(); ++c)
        if (columns().names()[c] == name) return static_cast<int>(c);
    return -1;
  }

  /// The first of these columns that has something in it; "" if none has.
  std::string_view name_of_field(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (const int c = column({name}); c >= 0 && !fields_[static_cast<std::size_t>(c)].empty()) return name;
    return {};
  }

  /// What stands in it.
  std::string_view field(std::initializer_list<std::string_view> names) const {
    const std::string_view name = name_of_field(names);
    return name.empty() ? name : fields_[static_cast<std::size_t>(column({name}))];
  }

  [[noreturn]] void fail_in(std::string_view name, std::string_view value, std::string expected) const {
    fail(fmt::format("{} is '{}'", name, value.substr(0, 40)), std::move(expected));
  }

  std::optional<std::int64_t> whole_field(std::initializer_list<std::string_view> names) const {
    const std::string_view text = field(names);
    if (text.empty()) return {};
    const auto value = parse_number<std::int64_t>(text);
    if (!value || *value < 0) fail_in(name_of_field(names), text, "a whole number");
    return value;
  }

  /// The first of these columns with a number above 0: jobs that never started had no processors.
  std::optional<std::int64_t> count_field(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (const auto n = whole_field({name}); n && *n > 0) return n;
    return {};
  }

  void take(const SacctRow& row) {
    line_ = row.line;
    if (row.readable && row.fields.empty()) return done(Row::kNone, row);
    if (skipped_ == nullptr) return done(job(row), row);
    Row kind = Row::kSkipped;
    try {
      kind = job(row);
    } catch (const InputError& e) {
      skipped_->add(e.what());
    }
    done(kind, row);
  }

  void done(Row kind, const SacctRow& row) const {
    if (on_row) on_row(kind, row);
  }

  Row job(const SacctRow& row) {
    split(row);
    if (!seen_rows_.is_new(fields_)) {
      ++records_;
      if (repeated_++ == 0) first_repeated_ = line_;
      return Row::kRepeated;
    }
    if (keeps_ == SacctKeeps::kAll) limits_.note(number_text(), field({"SubmitLine"}));
    if (is_sacct_step(number_text())) {
      ++records_;
      note(kStep);
      return Row::kNone;
    }
    SacctEntry entry;
    const bool ran = read_times(entry) && read_size(entry.job);
    if (ran) {
      said_.resize(fields_.size(), false);
      for (std::size_t c = 0; c != fields_.size(); ++c)
        if (!said_[c] && !fields_[c].empty()) said_[c] = true;
      read_memory(entry.job);
      read_names(entry.job);
      note_names();
      read_number(entry);
      read_workflow(entry);
      read_request(entry.job);
      entry.nodes = field({"NodeList"});
      keep(std::move(entry));
    }
    ++records_;
    return ran ? Row::kJob : Row::kNone;
  }

  /// Elements of an array that were cancelled while they waited stand on one line: each is a job.
  void keep(SacctEntry entry) {
    if (keeps_ == SacctKeeps::kNames) entries_.clear();
    auto [ids, cut] = waiting_elements(entry.site_id);
    if (entry.withdrawn < 0) ids = {entry.site_id};  // a line of jobs that ran is one job's
    if (cut) cut_lists_.add(entry.site_id, std::ssize(ids), line_);
    if (ids.size() == 1) entry.site_id = ids.front();
    if (ids.size() < 2) return entries_.push_back(std::move(entry));
    const auto elements = static_cast<std::int64_t>(ids.size());
    records_ += elements - 1;
    notes_.note(kWithdrawn, line_, elements - 1);
    if (keeps_ == SacctKeeps::kNames) {
      entry.elements = elements;
      return entries_.push_back(std::move(entry));
    }
    for (const std::string& id : ids) {
      SacctEntry& one = entries_.emplace_back(entry);
      one.site_id = id;
      read_workflow(one);  // which may name the element of the same index
      if (id == ids.front()) continue;
      one.numbered = false;
      note(kNumbered);
    }
  }

  void split(const SacctRow& row) {
    const std::string& delimiter = columns().delimiter();
    fields_ = row.fields;
    if (row.readable) {
      if (row.joined) note(kJoined);
      if (row.uncertain) note(kUncertain);
      if (row.joined || may_be_escaped(row.raw)) own_fields();
      take_partitions();
      return;
    }
    const std::string as_in_the_header = fmt::format("{}, as in the header", columns().size());
    const std::string problem = fmt::format("the line has {} fields", fields_.size());
    if (row.ambiguous)
      fail(problem, as_in_the_header,
           fmt::format("a '{}' in a free text, which can be read in several ways: make the dump with another "
                       "--delimiter of sacct, or leave such lines out by --skip-bad",
                       delimiter));
    if (row.cut_off)
      fail(problem, as_in_the_header,
           "the dump was cut off within this line: make it again, or leave the line out by --skip-bad");
    fail(problem, as_in_the_header, "leave out such lines by --skip-bad");
  }

  /// Of several partitions that a job may have, sacct's column has the one in which it ran.
  void take_partitions() {
    const int at = column({"Partition"});
    if (at < 0) return;
    std::string_view& partition = fields_[static_cast<std::size_t>(at)];
    partition = sacct_partitions(field({"SubmitLine"}), partition);
  }

  /// Fields whose text is not as it stands in the dump.
  void own_fields() {
    own_.clear();
    for (std::string_view& field : fields_) {
      std::string& plain = own_.emplace_back(plain_sacct_field(field, columns().delimiter()));
      if (line_ends_.size() > 1)
        for (std::size_t at; (at = plain.find(line_ends_)) != plain.npos;) plain.erase(at, 1);
      field = plain;
    }
  }

  [[noreturn]] void fail_without_header(std::string_view text) const {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
      fail("is text of 16 bits (UTF-16), as PowerShell writes what is sent to a file", "UTF-8",
           "iconv -f UTF-16 -t UTF-8 FILE, or redirect within the command that is run on the cluster");
    const std::string_view first = text.substr(0, text.find_first_of("|^,;\t "));
    if (!first.empty() && first[0] >= '0' && first[0] <= '9')
      fail(fmt::format("there is no header line: the first line is that of job {}", printable(shortened(first, 30))),
           "the names of the columns, as sacct writes them without --noheader (-n)",
           "make the dump again, or write the line yourself, e.g. JobID|User|Submit|Start|End|Elapsed|State|NCPUS|"
           "Timelimit");
    fail("the first line has no column JobID", "the header of a dump of sacct", "make it by: " + sacct_command());
  }

  void header(std::string_view given) {
    header_text_ = given;
    std::string plain(given);
    const bool quoted = std::erase(plain, '"') != 0;
    const std::string_view text = plain;
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos || (text[begin] >= '0' && text[begin] <= '9')) fail_without_header(text);
    const std::string delimiter(sacct_delimiter(text));
    if (delimiter.find_first_not_of(' ') == delimiter.npos)
      fail("the columns are padded with blanks, which cannot be told apart", "a dump with --parsable2",
           "make it by: " + sacct_command());
    std::vector<std::string> names;
    for (const std::string_view f : sacct_fields(text, delimiter)) names.emplace_back(f.substr(0, f.find('%')));
    rows_ = std::make_unique<SacctRows>(
        SacctColumns(std::move(names), delimiter),
        [this](std::size_t column, std::string_view name) { return seen_in(column, name); },
        [this](const SacctRow& row) { take(row); });
    if (column({"JobID", "JobIDRaw"}) < 0) fail_without_header(text);
    if (quoted) rows_->texts_are_quoted();
    const auto need = [&](const char* what, bool there) {
      if (!there) fail(fmt::format("no column says {}", what), "that column", "make the dump by: " + sacct_command());
    };
    need("when a job was submitted (Submit)", column({"Submit"}) >= 0);
    need("how long a job ran (Elapsed, or Start and End)",
         column({"Elapsed", "ElapsedRaw"}) >= 0 || (column({"Start"}) >= 0 && column({"End"}) >= 0));
    if (size_ == SlurmSize::kCpus)
      need("how many processors a job had (NCPUS)", column({"AllocCPUS", "NCPUS", "ReqCPUS"}) >= 0);
    else need("how many nodes a job had (NNodes)", column({"AllocNodes", "NNodes", "ReqNodes"}) >= 0);
    if (arrival_ == SlurmArrival::kEligible && column({"Eligible"}) < 0)
      fail("no column says when a job became eligible (Eligible)", "that column", "add Eligible to sacct's --format");
  }

  /// Whether jobs before had the name in that column.
  bool seen_in(std::size_t column, std::string_view name) const {
    const std::string& of = columns().names()[column];
    for (std::size_t i = 0; i != kNamesSeen.size(); ++i)
      if (kNamesSeen[i] == of) return seen_names_[i].find(name) != seen_names_[i].end();
    return false;
  }

  /// Times that say how far their clock is ahead of UTC are read by one clock, the first one that is named: none jumps
  /// where the clocks are changed.
  std::optional<std::int64_t> instant(std::string_view text) {
    const auto time = slurm_time(text);
    if (!time || !time->ahead) return time ? std::optional(time->shown) : std::nullopt;
    if (!ahead_) ahead_ = time->ahead;
    return time->shown + (*ahead_ - *time->ahead) * kNsPerSecond;
  }

  bool read_times(SacctEntry& entry) {
    const std::string_view state = field({"State"});
    if (!state.empty()) {
      const auto end = slurm_end(state);
      if (!end) fail_in("State", state, "a state of Slurm, e.g. COMPLETED");
      if (*end == SlurmEnd::kNotEnded) return note(kNotEnded), false;
      entry.preempted = state.substr(0, 9) == "PREEMPTED";
      if (entry.preempted) note(kPreempted);
      const std::string_view word = state.substr(0, state.find_first_of(" +"));
      entry.resized = word == "RESIZING";
      requeued_ += word == "REQUEUED" || word == "NODE_FAIL" || word == "NF";
      entry.job.status = *end == SlurmEnd::kCompleted ? 1 : *end == SlurmEnd::kFailed ? 0 : 5;
    }
    const auto submit = instant(field({"Submit"}));
    if (!submit) fail_in("Submit", field({"Submit"}), "a time like 2026-03-01T08:30:00");
    entry.submit = *submit;
    const auto start = instant(field({"Start"})), end = instant(field({"End"}));
    std::optional<std::int64_t> elapsed;
    if (const auto raw = whole_field({"ElapsedRaw"})) elapsed = outside_span(*raw).count();
    bool below_zero = false;  // as the clocks were changed: Slurm writes INVALID
    if (const std::string_view text = field({"Elapsed"}); !elapsed && !text.empty()) {
      elapsed = slurm_duration(text);
      below_zero = text == "INVALID";
      if (!elapsed && !below_zero) fail_in("Elapsed", text, "a duration like 1-02:03:04");
    }
    const std::int64_t between = start && end ? *end - *start : -1;
    if (!elapsed && between >= 0) elapsed = between;
    if (!elapsed && below_zero) elapsed = 0;
    if (!elapsed || (*elapsed == 0 && (entry.job.status == 5 || (column({"Start"}) >= 0 && !start))))
      return withdrawn(entry, end);
    if (*elapsed >= from_seconds(kMaxSeconds).count()) return note(kLongTime), false;
    // Suspended time and a change of the clocks make the two differ.
    if (between >= 0 && std::abs(between - *elapsed) > kNsPerSecond) note(ahead_ ? kSuspended : kClock);
    if (*elapsed == 0) note(kInstant);
    entry.job.runtime = *elapsed == 0 ? whole_seconds(1) : Duration{*elapsed};
    if (start && *start >= *submit) entry.wait = Duration{*start - *submit};
    else if (start) note(ahead_ ? kOddStart : kEarlyStart);
    read_limit(entry.job);
    return true;
  }

  /// It never started. What it would have run is not known: should a simulation start it sooner than the machine would
  /// have, it is gone after a second.
  bool withdrawn(SacctEntry& entry, std::optional<std::int64_t> end) {
    if (!end || *end < entry.submit) return note(kNotStarted), false;
    note(kWithdrawn);
    entry.withdrawn = *end;
    entry.job.status = 5;
    entry.job.runtime = whole_seconds(1);
    read_limit(entry.job);
    return true;
  }

  void read_limit(Job& job) {
    std::optional<std::int64_t> limit = slurm_duration(field({"Timelimit"}));
    const auto minutes = parse_number<std::int64_t>(field({"TimelimitRaw"}));
    if (!limit && minutes && *minutes > 0) limit = outside_span(*minutes, 60).count();
    if (limit && *limit > 0) {
      job.limit = std::min(Duration{*limit}, from_seconds(kMaxSeconds));
    } else {
      job.limit = job.runtime;
      job.limit_given = false;
      note(kNoLimit);
    }
  }

  bool read_size(Job& job) {
    auto n = size_ == SlurmSize::kCpus ? count_field({"AllocCPUS", "NCPUS", "ReqCPUS"})
                                       : count_field({"AllocNodes", "NNodes", "ReqNodes"});
    if (!n)
      if (const auto asked = tres("ReqTRES")) n = size_ == SlurmSize::kCpus ? asked->cpus : asked->nodes;
    if (!n || *n == 0 || *n > std::numeric_limits<std::int32_t>::max()) return note(kNoSize), false;
    job.size = static_cast<std::int32_t>(*n);
    return true;
  }

  void read_number(SacctEntry& entry) {
    const std::string_view text = field({"JobIDRaw", "JobID"});
    std::int64_t& id = entry.job.id;
    id = parse_number<std::int64_t>(text).value_or(-1);
    const bool all = keeps_ == SacctKeeps::kAll;
    entry.numbered = id >= 0 && id < kLargestJobNumber && (!all || seen_.insert(id).second);
    entry.site_id = number_text();
    if (entry.numbered) largest_ = std::max(largest_, id);
    else if (resized_.find(entry.site_id) == resized_.end()) note(kNumbered);
    if (entry.resized && all) resized_.insert(entry.site_id);
  }

  void read_workflow(SacctEntry& entry) {
    try {
      entry.depends = sacct_dependency(field({"Dependency"}), field({"SubmitLine"}), entry.site_id);
    } catch (const InputError& e) {
      fail_in("Dependency", field({"Dependency"}), e.diagnostic().expected);
    }
    if (arrival_ == SlurmArrival::kSubmitted && !has_column("Begin")) return;
    const auto eligible = instant(field({"Begin", "Eligible"}));
    if (!eligible || *eligible <= entry.submit) return;
    entry.eligible = *eligible;
    entry.held = field({"Reason"}).substr(0, 7) == "JobHeld";
  }

  void read_names(Job& job) {
    for (std::size_t i = 0; i != kAttributes.size(); ++i) {
      const Attribute& a = kAttributes[i];
      if (a.sacct[0].empty()) continue;
      if (keeps_ == SacctKeeps::kNames && (a.is_text() || a.name == "executable"))
        continue;  // as many as jobs, perhaps
      const std::string_view name = a.sacct[1].empty() ? field({a.sacct[0]}) : field({a.sacct[0], a.sacct[1]});
      if (a.is_text()) recorded_.workload.extras.set(job, a, std::string(name));
      else job.*std::get<std::int32_t Job::*>(a.member) = names_[i].number(a.name, name);
    }
  }

  void note_names() {
    for (std::size_t i = 0; i != kNamesSeen.size(); ++i)
      if (const std::string_view name = field({kNamesSeen[i]});
          !name.empty() && seen_names_[i].find(name) == seen_names_[i].end())
        seen_names_[i].emplace(name);
  }

  /// KB of all its nodes together that it asked for; nothing if that is not on record.
  std::optional<std::int64_t> memory_asked(const Job& job) const {
    const auto memory = slurm_memory(field({"ReqMem"}));
    if (!memory) return {};
    std::int64_t times = 1;
    if (memory->per == SlurmMemoryPer::kNode) times = count_field({"AllocNodes", "NNodes", "ReqNodes"}).value_or(1);
    if (memory->per == SlurmMemoryPer::kCpu)
      times = size_ == SlurmSize::kCpus ? job.size : count_field({"AllocCPUS", "NCPUS", "ReqCPUS"}).value_or(job.size);
    times = std::max<std::int64_t>(times, 1);
    constexpr std::int64_t kMostInAll = std::int64_t{1} << 50;  // sums of many such amounts are still numbers
    return std::min(memory->kilobytes, kMostInAll / times) * times;
  }

  void read_memory(Job& job) const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (const auto all = memory_asked(job))
      job.requested_memory_kb = static_cast<std::int32_t>(std::min(kb_of_each_process(*all, job.size), kMost));
  }

  std::optional<SlurmTres> tres(std::string_view column) const {
    const std::string_view text = field({column});
    if (text.empty()) return {};
    auto read = slurm_tres(text);
    if (!read) fail_in(column, text, "a list like cpu=4,mem=16G,node=1,gres/gpu=2");
    return read;
  }

  /// What it had counts, of GPUs the types that it asked for: it may have got others.
  RecordedRequest request_of(const Job& job) {
    const std::optional<SlurmTres> had = tres("AllocTRES"), asked = tres("ReqTRES");
    RecordedRequest r;
    r.allocated = had || asked;
    const SlurmTres known = had ? *had : asked ? *asked : SlurmTres{};
    const std::int64_t nodes = count_field({"AllocNodes", "NNodes", "ReqNodes"}).value_or(0);
    r.nodes = static_cast<std::int32_t>(std::min<std::int64_t>(known.nodes > 0 ? known.nodes : nodes, INT32_MAX));
    const std::int64_t cpus = count_field({"AllocCPUS", "NCPUS", "ReqCPUS"}).value_or(job.size);
    r.cpus = known.cpus > 0 ? known.cpus : cpus;
    r.asked_cpus = asked ? asked->cpus : 0;
    r.memory_kb = known.memory_kb;
    if (!r.allocated) r.memory_kb = memory_asked(job).value_or(0);
    r.gpus = known.gpus;
    r.gpu_types = asked && asked->gpus > 0 ? asked->gpu_types : known.gpu_types;
    r.licences = known.licences;
    r.features = field({"Constraints"});
    r.partition = field({"Partition"});
    if (const std::string_view shared = field({"OverSubscribe"}); !shared.empty()) {
      r.exclusive = shared == "NO";
      r.oversubscribe = shared == "YES";
    }
    const auto spread = sacct_spread(field({"SubmitLine"}), r.cpus, r.nodes);
    NodeWish wish = sacct_node_wish(field({"SubmitLine"}), r.nodes, spread);
    if (r.gpus == 0 && !r.exclusive.value_or(false)) r.spread = spread;
    // A script may say nodes that its command does not.
    const bool other = asked && asked->nodes > 0;
    if (other && wish.fewest > 0 && asked->nodes != wish.fewest) wish.fewest = 0;
    else if (other && wish.fewest == 0 && r.spread && asked->nodes != r.spread->fewest_nodes) r.spread.reset();
    if (spread && !r.spread && !r.exclusive.value_or(false)) wish.fewest = 0;
    const auto as_asked = [&](std::int64_t has) { return !had || (asked && asked->nodes == has); };
    const std::int64_t had_nodes = had ? had->nodes : 0;
    nodes_as_asked_ = nodes_as_asked_ && as_asked(wish.fewest > 0 ? wish.fewest : had_nodes);
    fewest_as_asked_ = fewest_as_asked_ && as_asked(wish.fewest > 0 ? wish.fewest
                                                    : r.spread      ? r.spread->fewest_nodes
                                                                    : had_nodes);
    spreads_tasks_ = spreads_tasks_ || r.spread;
    r.wish = wish;
    return r;
  }

  std::int64_t nodes_had() const {
    if (const auto nodes = count_field({"AllocNodes", "NNodes", "ReqNodes"})) return *nodes;
    const std::optional<SlurmTres> had = tres(has_column("AllocTRES") ? "AllocTRES" : "ReqTRES");
    return had ? had->nodes : 0;
  }

  void read_request(Job& job) {
    std::string key = fmt::format("{}", job.size);
    for (const std::string_view column : {"AllocTRES", "ReqTRES", "Constraints", "Partition", "AllocNodes", "NNodes",
                                          "ReqNodes", "AllocCPUS", "NCPUS", "ReqCPUS", "OverSubscribe", "ReqMem"})
      key.append("|").append(field({column}));
    const std::string_view line = field({"SubmitLine"});
    const auto spread =
        sacct_spread(line, count_field({"AllocCPUS", "NCPUS", "ReqCPUS"}).value_or(job.size), nodes_had());
    const NodeWish wish = sacct_node_wish(line, nodes_had(), spread);
    if (spread)
      key +=
          fmt::format("|{} {} {} {}", spread->task_cpus, spread->most_cpus, spread->fewest_nodes, spread->most_nodes);
    if (!wish.empty()) key += fmt::format("|{}-{}/{}", wish.fewest, wish.most, wish.segment);
    std::vector<RecordedRequest>& all = recorded_.requests;
    if (keeps_ == SacctKeeps::kNames) {  // it is only looked at whether it can be read
      if (request_by_key_.size() == kMostRequests) request_by_key_.clear();
      const auto [at, is_new] = request_by_key_.try_emplace(std::move(key), kNoRequest);
      if (is_new && request_of(job).wish.fewest > 0) at->second = 0;
      node_ranges_ += at->second == kNoRequest ? 0 : 1;
      return;
    }
    const auto [at, is_new] = request_by_key_.try_emplace(std::move(key), static_cast<RequestId>(all.size()));
    if (is_new) all.push_back(request_of(job));
    job.request = at->second;
    // Of a range of nodes a dump without AllocTRES has what was asked for: the fewest, with their processors.
    const RecordedRequest& request = all[static_cast<std::size_t>(at->second)];
    if (request.wish.fewest > 0 && request.nodes == request.wish.fewest)
      job.size = static_cast<std::int32_t>(std::min<std::int64_t>(request.cpus, INT32_MAX));
  }

  /// Components of a heterogeneous job are one job with the nodes of all: so they start together, as Slurm has it.
  void join_components() {
    std::map<std::pair<std::string, std::int64_t>, std::vector<std::size_t>> all;  // by submission
    for (std::size_t i = 0; i != entries_.size(); ++i)
      if (const std::string_view id = het_job_of(entries_[i].site_id); !id.empty())
        all[{std::string(id), entries_[i].submit}].push_back(i);
    std::vector<bool> joined(entries_.size(), false);
    for (auto& [submission, components] : all) {
      std::ranges::sort(components, {}, [&](std::size_t i) { return component_of(entries_[i]); });
      if (components.size() < 2 || !join(submission.first, components)) continue;
      for (std::size_t k = 1; k != components.size(); ++k) joined[components[k]] = true;
    }
    if (std::ranges::find(joined, true) != joined.end()) remove_entries(entries_, joined);
  }

  static std::int64_t component_of(const SacctEntry& e) {
    return parse_number<std::int64_t>(std::string_view(e.site_id).substr(e.site_id.find('+') + 1)).value_or(-1);
  }

  /// Makes the first of these entries the job of all. Returns whether that can be.
  bool join(const std::string& id, const std::vector<std::size_t>& components) {
    std::vector<const RecordedRequest*> asked;
    std::int64_t size = 0, numbered_anew = 0;
    std::string key = "components";
    SacctEntry& whole = entries_[components.front()];
    for (const std::size_t i : components) {
      const SacctEntry& e = entries_[i];
      asked.push_back(&recorded_.requests[static_cast<std::size_t>(e.job.request)]);
      size += e.job.size;
      numbered_anew += e.numbered ? 0 : 1;
      key += fmt::format("|{}", e.job.request);
      if ((e.withdrawn < 0) != (whole.withdrawn < 0)) return false;
    }
    if (size > std::numeric_limits<std::int32_t>::max() || components.size() > kMostComponents) return false;
    const std::optional<RecordedRequest> of_one_kind = joined_request(asked);
    const RecordedRequest request = of_one_kind ? *of_one_kind : request_of_components(asked);
    notes_.note(kComponent, 0, std::ssize(components) - 1);
    for (const std::size_t i : components) {
      const SacctEntry& e = entries_[i];
      if (&e != &whole && !e.nodes.empty()) whole.nodes += (whole.nodes.empty() ? "" : ",") + e.nodes;
      whole.wait = std::max(whole.wait, e.wait);
      whole.eligible = std::max(whole.eligible, e.eligible);
      whole.held |= e.held;
      whole.withdrawn = std::max(whole.withdrawn, e.withdrawn);
      whole.job.runtime = std::max(whole.job.runtime, e.job.runtime);
      whole.job.limit = std::max(whole.job.limit, e.job.limit);
      if (whole.job.status == 1) whole.job.status = e.job.status;
    }
    whole.job.size = static_cast<std::int32_t>(size);
    whole.site_id = id;
    if (const auto number = parse_number<std::int64_t>(id);
        number && *number < kLargestJobNumber && seen_.insert(*number).second) {
      whole.job.id = *number;
      whole.numbered = true;
      largest_ = std::max(largest_, *number);
    }
    notes_.note(kNumbered, 0, (whole.numbered ? 0 : 1) - numbered_anew);
    const auto [at, is_new] =
        request_by_key_.try_emplace(std::move(key), static_cast<RequestId>(recorded_.requests.size()));
    if (is_new) recorded_.requests.push_back(request);
    whole.job.request = at->second;
    return true;
  }

  /// Arrays, what jobs waited for, and when those that waited for nothing recorded became eligible.
  void add_workflow() {
    Workload& w = recorded_.workload;
    std::vector<std::string> depends;
    std::vector<bool> numbered;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      numbered.push_back(entries_[i].numbered);
      w.extras.set(w.jobs[i], attributes::kArray, limits_.element_text(recorded_.site_ids[i]));
      depends.push_back(std::move(entries_[i].depends));
    }
    notes_.note(kNotOnRecord, 0, set_recorded_dependencies(w, recorded_.site_ids, numbered, depends));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const SacctEntry& e = entries_[i];
      if (e.eligible < 0 || !attributes::kDepends.text(w.jobs[i]).empty()) continue;
      w.extras.set(w.jobs[i], e.held ? &JobExtras::held_until : &JobExtras::begin,
                   Duration{e.eligible - w.header.unix_start_time * kNsPerSecond});
    }
  }

  std::string file_;
  SlurmSize size_;
  SkippedLines* skipped_;
  SlurmArrival arrival_;
  SacctKeeps keeps_;
  SacctArrayLimits limits_;
  std::int64_t count_ = 0;  ///< of lines
  std::int64_t line_ = 0, records_ = 0, requeued_ = 0;
  SeenRows seen_rows_;
  CutLists cut_lists_;
  std::int64_t repeated_ = 0, first_repeated_ = 0;  ///< rows that were there before, and the line of the first one
  std::unique_ptr<SacctRows> rows_;                 ///< behind the header
  std::string header_text_;
  std::unordered_set<std::string> resized_;  ///< ids of jobs that went on with other nodes
  std::string_view line_ends_ = "\n";
  std::optional<std::int64_t> ahead_;  ///< seconds by which the clock of the times is ahead of UTC
  std::vector<std::string_view> fields_;
  std::deque<std::string> own_;  ///< texts of some of them
  std::vector<bool> said_;       ///< by column: something stood there in a job's row
  std::vector<SacctEntry> entries_;
  std::unordered_map<std::string, RequestId> request_by_key_;
  std::unordered_set<std::int64_t> seen_;
  std::int64_t largest_ = 0;  ///< of the numbers
  std::array<NameNumbers, kAttributes.size()> names_;
  /// Names that were in these columns tell where in a row they stand.
  static constexpr std::array<std::string_view, 4> kNamesSeen{"User", "Account", "Partition", "QOS"};
  std::array<std::unordered_set<std::string, HashOfText, std::equal_to<>>, kNamesSeen.size()> seen_names_;
  RecordedWorkload recorded_;
  NoteCounts notes_;
  bool nodes_as_asked_ = true, fewest_as_asked_ = true, spreads_tasks_ = false;  ///< SacctSurvey
  std::int64_t node_ranges_ = 0;                                                 ///< the same
};

}  // namespace

class SacctSurveyor::Impl {
 public:
  Impl(std::string file, SkippedLines* skipped, std::function<void(std::string_view)> copy)
      : reader_(std::move(file), SlurmSize::kCpus, skipped, SlurmArrival::kSubmitted, SacctKeeps::kNames),
        copy_(std::move(copy)) {
    reader_.on_row = [this](SacctReader::Row kind, const SacctRow& row) { take_row(kind, row); };
  }

  void take(std::string_view block) {
    while (!block.empty()) {
      const std::size_t end = block.find('\n');
      const std::string_view part = block.substr(0, end == block.npos ? end : end + 1);
      block.remove_prefix(part.size());
      if (begun_.empty() && end != part.npos) {
        line(part);
        continue;
      }
      begun_ += part;
      if (end == part.npos) return;
      line(begun_);
      begun_.clear();
    }
  }

  SacctSurvey finish() {
    if (!begun_.empty()) line(begun_);
    begun_.clear();
    reader_.end();
    reader_.require_jobs(survey_.jobs > 0);
    reader_.require_history(survey_.first_submit, survey_.last_submit);
    if (!kept_.empty()) copy_(kept_);
    kept_.clear();
    survey_.names = reader_.names();
    survey_.losses = reader_.losses();
    survey_.names_reservations = reader_.has_column("Reservation");
    survey_.says_allocated = reader_.has_column("AllocTRES");
    survey_.nodes_as_asked = reader_.nodes_as_asked();
    survey_.fewest_as_asked = reader_.fewest_as_asked();
    survey_.spreads_tasks = reader_.spreads_tasks();
    survey_.node_ranges = reader_.node_ranges();
    survey_.columns = reader_.columns_that_say_something();
    survey_.all_columns = {reader_.columns().names().begin(), reader_.columns().names().end()};
    survey_.early_starts = reader_.early_starts();
    survey_.other_spans = reader_.other_spans();
    survey_.says_zone = reader_.says_zone();
    survey_.cut_lists = reader_.cut_lists();
    survey_.repeated = reader_.repeated();
    for (const auto& [submission, n] : components_)
      for (std::int64_t i = 0; i != n.all; ++i)
        (n.all > 1 && (n.withdrawn == 0 || n.withdrawn == n.all) ? survey_.het_jobs : survey_.lone_components)
            .add(submission.first);
    for (const auto& [pair, when] : first_of_) survey_.users_in_groups.push_back(pair);
    std::ranges::sort(survey_.users_in_groups,
                      [&](const auto& a, const auto& b) { return first_of_.at(a) < first_of_.at(b); });
    return std::move(survey_);
  }

 private:
  void line(std::string_view with_end) {
    const bool is_header = reader_.line(with_end);
    if (is_header && !begun_header_) kept_ += with_begins(with_end);
    begun_header_ = begun_header_ || is_header;
  }

  void take_row(SacctReader::Row kind, const SacctRow& row) {
    if (kind == SacctReader::Row::kSkipped || kind == SacctReader::Row::kRepeated) return;
    if (row.joined) kept_ += escaped(row);
    else kept_ += row.raw;
    if (kept_.size() >= kKeptAtOnce) {
      copy_(kept_);
      kept_.clear();
    }
    if (kind == SacctReader::Row::kJob) note_job(reader_.latest());
  }

  /// The row as one that nothing has to be put together of.
  std::string escaped(const SacctRow& row) const {
    const std::string& delimiter = reader_.columns().delimiter();
    std::string out = escaped_sacct_field(row.fields.front(), delimiter);
    for (std::size_t c = 1; c != row.fields.size(); ++c)
      out.append(delimiter).append(escaped_sacct_field(row.fields[c], delimiter));
    return out + '\n';
  }

  /// The header in which when jobs became eligible is when they come.
  std::string with_begins(std::string_view header) const {
    static constexpr std::string_view kRecorded = "Eligible";
    std::string out(header);
    std::erase(out, '"');  // rows are written without, too
    const std::size_t at = out.find(kRecorded);
    if (at != out.npos && reader_.has_column(kRecorded) && !reader_.has_column("Begin"))
      out.replace(at, kRecorded.size(), "Begin");
    return out;
  }

  void note_job(const SacctEntry& entry) {
    survey_.first_submit = survey_.jobs == 0 ? entry.submit : std::min(survey_.first_submit, entry.submit);
    survey_.last_submit = survey_.jobs == 0 ? entry.submit : std::max(survey_.last_submit, entry.submit);
    survey_.jobs += entry.elements;
    if (const std::string_view whole = het_job_of(entry.site_id); !whole.empty()) {
      Components& all = components_[{std::string(whole) + "+0", entry.submit}];
      ++all.all;
      all.withdrawn += entry.withdrawn >= 0 ? 1 : 0;
    }
    survey_.has_starts |= entry.wait >= Duration{0};
    const std::pair when{entry.submit, reader_.line()};
    const auto [at, is_new] = first_of_.try_emplace({entry.job.user, entry.job.group}, when);
    if (!is_new) at->second = std::min(at->second, when);
  }

  SacctReader reader_;
  std::function<void(std::string_view)> copy_;
  std::string begun_;  ///< a line whose end is in the next block
  std::string kept_;   ///< lines that are not written yet
  bool begun_header_ = false;
  SacctSurvey survey_;
  /// Of a heterogeneous job; they are joined where none is cancelled apart.
  struct Components {
    std::int64_t all = 0, withdrawn = 0;
  };
  std::map<std::pair<std::string, std::int64_t>, Components> components_;  ///< by id and submission
  /// When a user had its first job in a group, and in which line.
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int64_t, std::int64_t>> first_of_;
};

SacctSurveyor::SacctSurveyor(std::string file, SkippedLines* skipped, std::function<void(std::string_view)> copy)
    : impl_(std::make_unique<Impl>(std::move(file), skipped, std::move(copy))) {}

SacctSurveyor::~SacctSurveyor() = default;

void SacctSurveyor::take(std::string_view block) { impl_->take(block); }

SacctSurvey SacctSurveyor::finish() { return impl_->finish(); }

RecordedWorkload parse_sacct(std::string_view text, const std::string& file, SlurmSize size, SkippedLines* skipped,
                             SlurmArrival arrival) {
  SacctReader reader(file, size, skipped, arrival);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') == text.npos ? text.npos : text.find('\n') + 1);
    reader.line(line);
    text.remove_prefix(line.size());
  }
  reader.end();
  return reader.finish();
}

}  // namespace coslice
