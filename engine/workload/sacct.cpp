#include "workload/sacct.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <initializer_list>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/printable.h"
#include "workload/attributes.h"
#include "workload/name_numbers.h"
#include "workload/packed_file.h"
#include "workload/sacct_line.h"
#include "workload/sacct_workflow.h"
#include "workload/slurm_fields.h"
#include "workload/swf.h"

namespace coslice {
namespace {

constexpr auto kLongestSpan = static_cast<std::int64_t>(kMaxSeconds);
constexpr auto kLongestHistory = static_cast<std::int64_t>(kMaxSubmitSeconds);
constexpr std::int64_t kLargestNumber = 1'000'000'000'000'000'000;  // leaves room for new ones

class SacctReader {
 public:
  SacctReader(std::string file, SlurmSize size, SkippedLines* skipped, SlurmArrival arrival)
      : file_(std::move(file)), size_(size), skipped_(skipped), arrival_(arrival) {}

  RecordedWorkload read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ++line_;
      row(text.substr(0, end));
      if (end == text.npos) break;
      text.remove_prefix(end + 1);
    }
    return finish();
  }

 private:
  enum Reason {
    kStep,
    kNotEnded,
    kNotStarted,
    kNoSize,
    kLongTime,
    kNoLimit,
    kClock,
    kInstant,
    kNumbered,
    kJoined,
    kNotOnRecord,
    kReasons
  };
  struct Entry {
    Job job;
    std::string site_id;    ///< as the site writes it: "1234_7"
    std::string nodes;      ///< that it had, as the site writes them
    bool numbered = false;  ///< whether that is a number, and its own
    Duration wait{-1};
    std::int64_t submit = 0;     ///< nanoseconds since 1970
    std::string depends;         ///< as the site says it, in words of ours
    std::int64_t eligible = -1;  ///< nanoseconds since 1970, where it counts and is after the submission
    bool held = false;           ///< until then
  };

  [[noreturn]] void fail(std::string problem, std::string expected, std::string suggestion = "") const {
    throw InputError(
        {file_, static_cast<int>(line_), std::move(problem), std::move(expected), std::move(suggestion), ""});
  }
  void note(Reason reason) {
    if (count_[reason]++ == 0) first_line_[reason] = line_;
  }

  int column(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      for (std::size_t c = 0; c < head_.size(); ++c)
        if (head_[c] == name) return static_cast<int>(c);
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
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0)
      fail_in(name_of_field(names), text, "a whole number");
    return value;
  }

  void row(std::string_view text) {
    if (text.find_first_not_of(" \t\r") == text.npos) return;
    if (head_.empty()) return header(text);
    if (skipped_ == nullptr) return job(text);
    try {
      job(text);
    } catch (const InputError& e) {
      skipped_->add(e.what());
    }
  }

  void job(std::string_view text) {
    split(text);
    limits_.note(number_text(), field({"SubmitLine"}));
    if (is_sacct_step(number_text())) {
      ++records_;
      return note(kStep);
    }
    Entry entry;
    if (read_times(entry) && read_size(entry.job)) {
      read_memory(entry.job);
      read_names(entry.job);
      read_number(entry);
      read_workflow(entry);
      read_request(entry.job);
      entry.nodes = field({"NodeList"});
      entries_.push_back(std::move(entry));
    }
    ++records_;
  }

  void split(std::string_view text) {
    fields_ = sacct_fields(text, delimiter_);
    if (fields_.size() == head_.size()) return;
    const std::size_t found = fields_.size();
    const int ways = align_sacct_fields(fields_, head_);
    if (ways == 1) return note(kJoined);
    fail(fmt::format("the line has {} fields", found), fmt::format("{}, as in the header", head_.size()),
         ways > 1 ? fmt::format("a '{}' in a free text, which can be read in several ways: make the dump with another "
                                "--delimiter of sacct, or leave such lines out by --skip-bad",
                                delimiter_)
                  : "leave out such lines by --skip-bad");
  }

  [[noreturn]] void fail_without_header(std::string_view text) const {
    const std::string_view first = text.substr(0, text.find_first_of("|^,;\t "));
    if (!first.empty() && first[0] >= '0' && first[0] <= '9')
      fail(fmt::format("there is no header line: the first line is that of job {}", printable(shortened(first, 30))),
           "the names of the columns, as sacct writes them without --noheader (-n)",
           "make the dump again, or write the line yourself, e.g. JobID|User|Submit|Start|End|Elapsed|State|NCPUS|"
           "Timelimit");
    fail("the first line has no column JobID", "the header of a dump of sacct", "make it by: " + sacct_command());
  }

  void header(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (text[begin] >= '0' && text[begin] <= '9') fail_without_header(text);
    delimiter_ = sacct_delimiter(text);
    if (delimiter_.find_first_not_of(' ') == delimiter_.npos)
      fail("the columns are padded with blanks, which cannot be told apart", "a dump with --parsable2",
           "make it by: " + sacct_command());
    for (const std::string_view f : sacct_fields(text, delimiter_)) head_.emplace_back(f.substr(0, f.find('%')));
    if (column({"JobID", "JobIDRaw"}) < 0) fail_without_header(text);
    const auto need = [&](const char* what, bool there) {
      if (!there) fail(fmt::format("no column says {}", what), "more columns", "make the dump by: " + sacct_command());
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

  std::string_view number_text() const { return field({"JobID", "JobIDRaw"}); }

  bool read_times(Entry& entry) {
    const std::string_view state = field({"State"});
    if (!state.empty()) {
      const auto end = slurm_end(state);
      if (!end) fail_in("State", state, "a state of Slurm, e.g. COMPLETED");
      if (*end == SlurmEnd::kNotEnded) return note(kNotEnded), false;
      entry.job.status = *end == SlurmEnd::kCompleted ? 1 : *end == SlurmEnd::kFailed ? 0 : 5;
    }
    const auto submit = slurm_instant(field({"Submit"}));
    if (!submit) fail_in("Submit", field({"Submit"}), "a time like 2026-03-01T08:30:00");
    entry.submit = *submit;
    const auto start = slurm_instant(field({"Start"})), end = slurm_instant(field({"End"}));
    std::optional<std::int64_t> elapsed;
    if (const auto raw = whole_field({"ElapsedRaw"})) elapsed = std::min(*raw, kLongestSpan) * 1'000'000'000;
    if (const std::string_view text = field({"Elapsed"}); !elapsed && !text.empty()) {
      elapsed = slurm_duration(text);
      if (!elapsed) fail_in("Elapsed", text, "a duration like 1-02:03:04");
    }
    const std::int64_t between = start && end ? *end - *start : -1;
    if (!elapsed && between >= 0) elapsed = between;
    if (!elapsed || (*elapsed == 0 && (entry.job.status == 5 || (column({"Start"}) >= 0 && !start))))
      return note(kNotStarted), false;
    if (*elapsed >= from_seconds(kMaxSeconds).count()) return note(kLongTime), false;
    // Suspended time and a change of the clocks make the two differ.
    if (between >= 0 && std::abs(between - *elapsed) > 1'000'000'000) note(kClock);
    if (*elapsed == 0) note(kInstant);
    entry.job.runtime = *elapsed == 0 ? whole_seconds(1) : Duration{*elapsed};
    if (start && *start >= *submit) entry.wait = Duration{*start - *submit};
    read_limit(entry.job);
    return true;
  }

  void read_limit(Job& job) {
    std::optional<std::int64_t> limit = slurm_duration(field({"Timelimit"}));
    if (const std::string_view raw = field({"TimelimitRaw"}); !limit && !raw.empty()) {
      std::int64_t minutes = 0;
      const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), minutes);
      if (error == std::errc{} && end == raw.data() + raw.size() && minutes > 0 && minutes < 20'000'000)
        limit = minutes * 60'000'000'000;
    }
    if (limit && *limit > 0) {
      job.limit = std::min(Duration{*limit}, from_seconds(kMaxSeconds));
    } else {
      job.limit = job.runtime;
      job.limit_given = false;
      note(kNoLimit);
    }
  }

  bool read_size(Job& job) {
    const auto n = size_ == SlurmSize::kCpus ? whole_field({"AllocCPUS", "NCPUS", "ReqCPUS"})
                                             : whole_field({"AllocNodes", "NNodes", "ReqNodes"});
    if (!n || *n == 0 || *n > std::numeric_limits<std::int32_t>::max()) return note(kNoSize), false;
    job.size = static_cast<std::int32_t>(*n);
    return true;
  }

  void read_number(Entry& entry) {
    const std::string_view text = field({"JobIDRaw", "JobID"});
    std::int64_t& id = entry.job.id;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    const bool plain = error == std::errc{} && end == text.data() + text.size() && id >= 0;
    entry.numbered = plain && id < kLargestNumber && seen_.insert(id).second;
    if (entry.numbered) largest_ = std::max(largest_, id);
    else note(kNumbered);
    entry.site_id = number_text();
  }

  void read_workflow(Entry& entry) const {
    try {
      entry.depends = sacct_dependency(field({"Dependency"}), field({"SubmitLine"}), entry.site_id);
    } catch (const InputError& e) {
      fail_in("Dependency", field({"Dependency"}), e.diagnostic().expected);
    }
    const auto eligible = slurm_instant(field({"Eligible"}));
    if (arrival_ == SlurmArrival::kSubmitted || !eligible || *eligible <= entry.submit) return;
    entry.eligible = *eligible;
    entry.held = field({"Reason"}).substr(0, 7) == "JobHeld";
  }

  void read_names(Job& job) {
    for (std::size_t i = 0; i != kAttributes.size(); ++i) {
      const Attribute& a = kAttributes[i];
      if (a.sacct[0].empty()) continue;
      const std::string_view name = a.sacct[1].empty() ? field({a.sacct[0]}) : field({a.sacct[0], a.sacct[1]});
      if (a.is_text()) recorded_.workload.texts.set(job, a, std::string(name));
      else job.*std::get<std::int32_t Job::*>(a.member) = names_[i].number(a.name, name);
    }
  }

  void read_memory(Job& job) const {
    const auto memory = slurm_memory(field({"ReqMem"}));
    if (!memory) return;
    const auto nodes = whole_field({"AllocNodes", "NNodes", "ReqNodes"});
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    std::int64_t all = memory->kilobytes;
    if (memory->per == SlurmMemoryPer::kNode) all = std::min(all, kMost) * std::min(nodes.value_or(1), kMost);
    const std::int64_t each = memory->per == SlurmMemoryPer::kCpu && size_ == SlurmSize::kCpus ? all : all / job.size;
    job.requested_memory_kb = static_cast<std::int32_t>(std::min(each, kMost));
  }

  std::optional<SlurmTres> tres(std::string_view column) const {
    const std::string_view text = field({column});
    if (text.empty()) return {};
    auto read = slurm_tres(text);
    if (!read) fail_in(column, text, "a list like cpu=4,mem=16G,node=1,gres/gpu=2");
    return read;
  }

  /// What it had counts, of GPUs the types that it asked for: it may have got others.
  RecordedRequest request_of(const Job& job) const {
    const std::optional<SlurmTres> had = tres("AllocTRES"), asked = tres("ReqTRES");
    RecordedRequest r;
    r.allocated = had || asked;
    const SlurmTres known = had ? *had : asked ? *asked : SlurmTres{};
    const std::int64_t nodes = whole_field({"AllocNodes", "NNodes", "ReqNodes"}).value_or(0);
    r.nodes = static_cast<std::int32_t>(std::min<std::int64_t>(known.nodes > 0 ? known.nodes : nodes, INT32_MAX));
    const std::int64_t cpus = whole_field({"AllocCPUS", "NCPUS", "ReqCPUS"}).value_or(job.size);
    r.cpus = known.cpus > 0 ? known.cpus : cpus;
    r.memory_kb = known.memory_kb;
    if (!r.allocated && job.requested_memory_kb > 0) r.memory_kb = std::int64_t{job.requested_memory_kb} * job.size;
    r.gpus = known.gpus;
    r.gpu_types = asked && asked->gpus > 0 ? asked->gpu_types : known.gpu_types;
    r.licences = known.licences;
    r.features = field({"Constraints"});
    r.partition = field({"Partition"});
    if (const std::string_view shared = field({"OverSubscribe"}); !shared.empty()) r.exclusive = shared == "NO";
    return r;
  }

  void read_request(Job& job) {
    std::string key = fmt::format("{}|{}", job.size, job.requested_memory_kb);
    for (const std::string_view column : {"AllocTRES", "ReqTRES", "Constraints", "Partition", "AllocNodes", "NNodes",
                                          "ReqNodes", "AllocCPUS", "NCPUS", "ReqCPUS", "OverSubscribe"})
      key.append("|").append(field({column}));
    std::vector<RecordedRequest>& all = recorded_.requests;
    const auto [at, is_new] = request_by_key_.try_emplace(std::move(key), static_cast<RequestId>(all.size()));
    if (is_new) all.push_back(request_of(job));
    job.request = at->second;
  }

  RecordedWorkload finish() {
    if (head_.empty() || entries_.empty()) {
      line_ = 0;
      fail(head_.empty() ? "the dump is empty" : "no job of the dump has run", "at least one job that ended",
           "make it by: " + sacct_command());
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.submit < b.submit; });
    const std::int64_t origin = entries_.front().submit / 1'000'000'000;
    if (entries_.back().submit / 1'000'000'000 - origin > kLongestHistory) {
      line_ = 0;
      fail("the submit times span more than 190 years", "a dump of one machine's history");
    }
    Workload& w = recorded_.workload;
    w.name = workload_name_of(file_);
    w.records = records_;
    w.header.unix_start_time = origin;
    for (Entry& e : entries_) {
      e.job.submit = Time{Duration{e.submit - origin * 1'000'000'000}};
      if (!e.numbered) e.job.id = ++largest_;
      w.jobs.push_back(e.job);
      recorded_.waits.push_back(e.wait);
      recorded_.site_ids.push_back(std::move(e.site_id));
      if (column({"NodeList"}) >= 0) recorded_.nodes.push_back(std::move(e.nodes));
    }
    add_workflow();
    w.notes = account();
    for (const NameNumbers& names : names_)
      recorded_.names.insert(recorded_.names.end(), names.all().begin(), names.all().end());
    return std::move(recorded_);
  }

  /// Arrays, what jobs waited for, and when those that waited for nothing on record became eligible.
  void add_workflow() {
    Workload& w = recorded_.workload;
    const Attribute& array = *find_attribute("array");
    const Attribute& depends_on = *find_attribute("depends");
    std::vector<std::string> depends;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      w.texts.set(w.jobs[i], array, limits_.element_text(recorded_.site_ids[i]));
      depends.push_back(std::move(entries_[i].depends));
    }
    count_[kNotOnRecord] = set_recorded_dependencies(w, recorded_.site_ids, depends);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& e = entries_[i];
      if (e.eligible < 0 || !depends_on.text(w.jobs[i]).empty()) continue;
      (e.held ? w.jobs[i].held_until : w.jobs[i].begin) =
          Duration{e.eligible - w.header.unix_start_time * 1'000'000'000};
    }
  }

  std::vector<TraceNote> account() const {
    constexpr std::array<std::string_view, kReasons> kWords = {
        "a step of a job, not a job",
        "has not ended",
        "never started",
        "no size",
        "ran for more than 31 years",
        "no limit, the run time is the limit",
        "elapsed time is not end minus start (suspended, or a change of the clocks), it is what counts",
        "elapsed time 0, taken as 1 s",
        "numbered anew: the id is no number of its own, but that of an array or of a job that ran twice",
        "the delimiter stands in a name: put together by the columns beside it",
        "waited for a job that is not on record before it: that counts for nothing"};
    std::vector<TraceNote> notes;
    for (int r = 0; r < kReasons; ++r)
      if (count_[r] > 0) notes.push_back({std::string(kWords[r]), count_[r], first_line_[r], r <= kLongTime});
    return notes;
  }

  std::string file_;
  SlurmSize size_;
  SkippedLines* skipped_;
  SlurmArrival arrival_;
  SacctArrayLimits limits_;
  std::int64_t line_ = 0, records_ = 0;
  std::vector<std::string> head_;
  std::string delimiter_;
  std::vector<std::string_view> fields_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, RequestId> request_by_key_;
  std::unordered_set<std::int64_t> seen_;
  std::int64_t largest_ = 0;  ///< of the numbers
  std::array<NameNumbers, kAttributes.size()> names_;
  RecordedWorkload recorded_;
  std::array<std::int64_t, kReasons> count_{}, first_line_{};
};

}  // namespace

RecordedWorkload parse_sacct(std::string_view text, const std::string& file, SlurmSize size, SkippedLines* skipped,
                             SlurmArrival arrival) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  return SacctReader(file, size, skipped, arrival).read(text);
}

bool is_sacct_dump(const std::string& path) {
  PackedFile file(path);
  std::string head(4096, '\0');
  head.resize(file.read(head.data(), head.size()));
  return looks_like_sacct(head);
}

bool looks_like_sacct(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  const std::size_t first = head.find_first_not_of(" \xEF\xBB\xBF");
  return first != head.npos && kSacctLetters.find(head[first]) != kSacctLetters.npos && head.find("JobID") != head.npos;
}

}  // namespace coslice
