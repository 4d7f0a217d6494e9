#include "workload/sacct_reader.h"

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
#include "core/outside_time.h"
#include "core/printable.h"
#include "workload/attributes.h"
#include "workload/name_numbers.h"
#include "workload/packed_file.h"
#include "workload/recorded_jobs.h"
#include "workload/sacct_line.h"
#include "workload/sacct_workflow.h"
#include "workload/slurm_fields.h"
#include "workload/swf.h"

namespace coslice {
namespace {

constexpr std::size_t kMostRequests = 65'536;  ///< kept in mind while only names are asked for

}  // namespace

void SacctReader::fail(std::string problem, std::string expected, std::string suggestion) const {
  throw InputError(
      {file_, static_cast<int>(line_), std::move(problem), std::move(expected), std::move(suggestion), ""});
}

int SacctReader::column(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    for (std::size_t c = 0; c < head_.size(); ++c)
      if (head_[c] == name) return static_cast<int>(c);
  return -1;
}
/// The first of these columns that has something in it; "" if none has.
std::string_view SacctReader::name_of_field(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (const int c = column({name}); c >= 0 && !fields_[static_cast<std::size_t>(c)].empty()) return name;
  return {};
}
/// What stands in it.
std::string_view SacctReader::field(std::initializer_list<std::string_view> names) const {
  const std::string_view name = name_of_field(names);
  return name.empty() ? name : fields_[static_cast<std::size_t>(column({name}))];
}
void SacctReader::fail_in(std::string_view name, std::string_view value, std::string expected) const {
  fail(fmt::format("{} is '{}'", name, value.substr(0, 40)), std::move(expected));
}
std::optional<std::int64_t> SacctReader::whole_field(std::initializer_list<std::string_view> names) const {
  const std::string_view text = field(names);
  if (text.empty()) return {};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    fail_in(name_of_field(names), text, "a whole number");
  return value;
}

/// The first of these columns with a number above 0: jobs that never started had no processors.
std::optional<std::int64_t> SacctReader::count_field(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (const auto n = whole_field({name}); n && *n > 0) return n;
  return {};
}

SacctReader::Row SacctReader::row(std::string_view text) {
  ++line_;
  if (text.find_first_not_of(" \t\r") == text.npos) return Row::kNone;
  if (head_.empty()) return header(text), Row::kNone;
  if (skipped_ == nullptr) return job(text) ? Row::kJob : Row::kNone;
  try {
    return job(text) ? Row::kJob : Row::kNone;
  } catch (const InputError& e) {
    skipped_->add(e.what());
    return Row::kSkipped;
  }
}

bool SacctReader::job(std::string_view text) {
  split(text);
  if (keeps_ == SacctKeeps::kAll) limits_.note(number_text(), field({"SubmitLine"}));
  if (is_sacct_step(number_text())) {
    ++records_;
    note(kStep);
    return false;
  }
  SacctEntry entry;
  const bool ran = read_times(entry) && read_size(entry.job);
  if (ran) {
    read_memory(entry.job);
    read_names(entry.job);
    read_number(entry);
    read_workflow(entry);
    read_request(entry.job);
    entry.nodes = field({"NodeList"});
    keep(std::move(entry));
  }
  ++records_;
  return ran;
}

/// Elements of an array that were cancelled while they waited stand on one line: each is a job.
void SacctReader::keep(SacctEntry entry) {
  if (keeps_ == SacctKeeps::kNames) entries_.clear();
  const std::vector<std::string> ids = entry.withdrawn < 0 ? std::vector<std::string>{} : waiting_elements(entry.site_id);
  if (ids.size() < 2) return entries_.push_back(std::move(entry));
  const auto elements = static_cast<std::int64_t>(ids.size());
  records_ += elements - 1;
  count_[kWithdrawn] += elements - 1;
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

void SacctReader::split(std::string_view text) {
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

void SacctReader::fail_without_header(std::string_view text) const {
  const std::string_view first = text.substr(0, text.find_first_of("|^,;\t "));
  if (!first.empty() && first[0] >= '0' && first[0] <= '9')
    fail(fmt::format("there is no header line: the first line is that of job {}", printable(shortened(first, 30))),
         "the names of the columns, as sacct writes them without --noheader (-n)",
         "make the dump again, or write the line yourself, e.g. JobID|User|Submit|Start|End|Elapsed|State|NCPUS|"
         "Timelimit");
  fail("the first line has no column JobID", "the header of a dump of sacct", "make it by: " + sacct_command());
}

void SacctReader::header(std::string_view text) {
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

bool SacctReader::read_times(SacctEntry& entry) {
  const std::string_view state = field({"State"});
  if (!state.empty()) {
    const auto end = slurm_end(state);
    if (!end) fail_in("State", state, "a state of Slurm, e.g. COMPLETED");
    if (*end == SlurmEnd::kNotEnded) return note(kNotEnded), false;
    entry.preempted = state.substr(0, 9) == "PREEMPTED";
    if (entry.preempted) note(kPreempted);
    const std::string_view word = state.substr(0, state.find_first_of(" +"));
    requeued_ += word == "REQUEUED" || word == "NODE_FAIL" || word == "NF";
    entry.job.status = *end == SlurmEnd::kCompleted ? 1 : *end == SlurmEnd::kFailed ? 0 : 5;
  }
  const auto submit = slurm_instant(field({"Submit"}));
  if (!submit) fail_in("Submit", field({"Submit"}), "a time like 2026-03-01T08:30:00");
  entry.submit = *submit;
  const auto start = slurm_instant(field({"Start"})), end = slurm_instant(field({"End"}));
  std::optional<std::int64_t> elapsed;
  if (const auto raw = whole_field({"ElapsedRaw"})) elapsed = outside_span(*raw).count();
  if (const std::string_view text = field({"Elapsed"}); !elapsed && !text.empty()) {
    elapsed = slurm_duration(text);
    if (!elapsed) fail_in("Elapsed", text, "a duration like 1-02:03:04");
  }
  const std::int64_t between = start && end ? *end - *start : -1;
  if (!elapsed && between >= 0) elapsed = between;
  if (!elapsed || (*elapsed == 0 && (entry.job.status == 5 || (column({"Start"}) >= 0 && !start))))
    return withdrawn(entry, end);
  if (*elapsed >= from_seconds(kMaxSeconds).count()) return note(kLongTime), false;
  // Suspended time and a change of the clocks make the two differ.
  if (between >= 0 && std::abs(between - *elapsed) > 1'000'000'000) note(kClock);
  if (*elapsed == 0) note(kInstant);
  entry.job.runtime = *elapsed == 0 ? whole_seconds(1) : Duration{*elapsed};
  if (start && *start >= *submit) entry.wait = Duration{*start - *submit};
  read_limit(entry.job);
  return true;
}

/// It never started. What it would have run is not known: should a simulation start it sooner than the machine would have, it is
/// gone after a second.
bool SacctReader::withdrawn(SacctEntry& entry, std::optional<std::int64_t> end) {
  if (!end || *end < entry.submit) return note(kNotStarted), false;
  note(kWithdrawn);
  entry.withdrawn = *end;
  entry.job.status = 5;
  entry.job.runtime = whole_seconds(1);
  read_limit(entry.job);
  return true;
}

void SacctReader::read_limit(Job& job) {
  std::optional<std::int64_t> limit = slurm_duration(field({"Timelimit"}));
  if (const std::string_view raw = field({"TimelimitRaw"}); !limit && !raw.empty()) {
    std::int64_t minutes = 0;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), minutes);
    if (error == std::errc{} && end == raw.data() + raw.size() && minutes > 0) limit = outside_span(minutes, 60).count();
  }
  if (limit && *limit > 0) {
    job.limit = std::min(Duration{*limit}, from_seconds(kMaxSeconds));
  } else {
    job.limit = job.runtime;
    job.limit_given = false;
    note(kNoLimit);
  }
}

bool SacctReader::read_size(Job& job) {
  auto n = size_ == SlurmSize::kCpus ? count_field({"AllocCPUS", "NCPUS", "ReqCPUS"})
                                     : count_field({"AllocNodes", "NNodes", "ReqNodes"});
  if (!n)
    if (const auto asked = tres("ReqTRES")) n = size_ == SlurmSize::kCpus ? asked->cpus : asked->nodes;
  if (!n || *n == 0 || *n > std::numeric_limits<std::int32_t>::max()) return note(kNoSize), false;
  job.size = static_cast<std::int32_t>(*n);
  return true;
}

void SacctReader::read_number(SacctEntry& entry) {
  const std::string_view text = field({"JobIDRaw", "JobID"});
  std::int64_t& id = entry.job.id;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool plain = error == std::errc{} && end == text.data() + text.size() && id >= 0;
  const bool all = keeps_ == SacctKeeps::kAll;
  entry.numbered = plain && id < kLargestJobNumber && (!all || seen_.insert(id).second);
  if (entry.numbered) largest_ = std::max(largest_, id);
  else note(kNumbered);
  entry.site_id = number_text();
}

void SacctReader::read_workflow(SacctEntry& entry) const {
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

void SacctReader::read_names(Job& job) {
  for (std::size_t i = 0; i != kAttributes.size(); ++i) {
    const Attribute& a = kAttributes[i];
    if (a.sacct[0].empty()) continue;
    if (keeps_ == SacctKeeps::kNames && (a.is_text() || a.name == "executable")) continue;  // as many as jobs, perhaps
    const std::string_view name = a.sacct[1].empty() ? field({a.sacct[0]}) : field({a.sacct[0], a.sacct[1]});
    if (a.is_text()) recorded_.workload.extras.set(job, a, std::string(name));
    else job.*std::get<std::int32_t Job::*>(a.member) = names_[i].number(a.name, name);
  }
}

void SacctReader::read_memory(Job& job) const {
  const auto memory = slurm_memory(field({"ReqMem"}));
  if (!memory) return;
  const auto nodes = count_field({"AllocNodes", "NNodes", "ReqNodes"});
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::int64_t all = memory->kilobytes;
  if (memory->per == SlurmMemoryPer::kNode) all = std::min(all, kMost) * std::min(nodes.value_or(1), kMost);
  const std::int64_t each = memory->per == SlurmMemoryPer::kCpu && size_ == SlurmSize::kCpus ? all : all / job.size;
  job.requested_memory_kb = static_cast<std::int32_t>(std::min(each, kMost));
}

std::optional<SlurmTres> SacctReader::tres(std::string_view column) const {
  const std::string_view text = field({column});
  if (text.empty()) return {};
  auto read = slurm_tres(text);
  if (!read) fail_in(column, text, "a list like cpu=4,mem=16G,node=1,gres/gpu=2");
  return read;
}

/// What it had counts, of GPUs the types that it asked for: it may have got others.
RecordedRequest SacctReader::request_of(const Job& job) const {
  const std::optional<SlurmTres> had = tres("AllocTRES"), asked = tres("ReqTRES");
  RecordedRequest r;
  r.allocated = had || asked;
  const SlurmTres known = had ? *had : asked ? *asked : SlurmTres{};
  const std::int64_t nodes = count_field({"AllocNodes", "NNodes", "ReqNodes"}).value_or(0);
  r.nodes = static_cast<std::int32_t>(std::min<std::int64_t>(known.nodes > 0 ? known.nodes : nodes, INT32_MAX));
  const std::int64_t cpus = count_field({"AllocCPUS", "NCPUS", "ReqCPUS"}).value_or(job.size);
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

void SacctReader::read_request(Job& job) {
  std::string key = fmt::format("{}|{}", job.size, job.requested_memory_kb);
  for (const std::string_view column : {"AllocTRES", "ReqTRES", "Constraints", "Partition", "AllocNodes", "NNodes",
                                        "ReqNodes", "AllocCPUS", "NCPUS", "ReqCPUS", "OverSubscribe"})
    key.append("|").append(field({column}));
  std::vector<RecordedRequest>& all = recorded_.requests;
  if (keeps_ == SacctKeeps::kNames) {  // it is only looked at whether it can be read
    if (request_by_key_.size() == kMostRequests) request_by_key_.clear();
    if (request_by_key_.try_emplace(std::move(key), kNoRequest).second) request_of(job);
    return;
  }
  const auto [at, is_new] = request_by_key_.try_emplace(std::move(key), static_cast<RequestId>(all.size()));
  if (is_new) all.push_back(request_of(job));
  job.request = at->second;
}

}  // namespace coslice
