#include "lab/compare/schedule_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/recorded.h"
#include "formats/trace_file.h"
#include "runner/site_names.h"
#include "scenario/csv_columns.h"
#include "scenario/toml.h"

namespace coslice {
namespace {

[[noreturn]] void fail_record(const std::string& file, std::string problem, std::string expected) {
  throw InputError({file, 0, std::move(problem), std::move(expected)});
}

/// Fields of a CSV file by the names of their columns.
class NamedFields {
 public:
  NamedFields(const CsvColumns& csv, std::string file) : csv_(csv), file_(std::move(file)) {}

  /// The first of these columns that is there.
  std::optional<std::size_t> find(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (const auto c = csv_.column(name)) return c;
    return {};
  }
  void show(const std::vector<std::string>& row) {
    row_ = &row;
    ++line_;
  }
  std::string text(std::optional<std::size_t> column) const {
    return column && *column < row_->size() ? (*row_)[*column] : "";
  }
  /// Nothing where the field is empty.
  std::optional<double> number(std::optional<std::size_t> column) const {
    const std::string field = text(column);
    if (field.empty()) return {};
    const std::optional<double> x = parse_number<double>(field);
    if (!x || !std::isfinite(*x))
      throw InputError({file_, line_, fmt::format("'{}' is not a number", field), "seconds"});
    return x;
  }

 private:
  const CsvColumns& csv_;
  std::string file_;
  const std::vector<std::string>* row_ = nullptr;
  int line_ = 1;  ///< the head
};

struct LabelColumn {
  const char *label, *column;
};
constexpr std::array<LabelColumn, 6> kLabelColumns = {{{"class", "job_class"},
                                                       {"nodes", "allocated_nodes"},
                                                       {"partition", "ran_in"},
                                                       {"group", "group"},
                                                       {"user", "user"},
                                                       {"queue", "queue"}}};

/// What lists of OAR's runs call a job: OAR's number, and its number in the workload.
constexpr const char *kOarNumber = "oar_id", *kWorkloadNumber = "workload_id";

/// A list of starts, with when jobs came or how long they waited. The column `numbers` identifies jobs.
ScheduleRecord read_start_list(const std::string& path, const std::string& content, const char* numbers = "job_id") {
  const CsvColumns csv(content);
  NamedFields fields(csv, path);
  const auto id = fields.find({numbers, "id", kOarNumber}),
             size = csv.column(kOarNumber) ? fields.find({"nodes"}) : std::nullopt,
             start = fields.find({"start", "starting_time"}), submit = fields.find({"submit", "submission_time"}),
             wait = fields.find({"wait", "waiting_time"}), end = fields.find({"end", "finish_time"}),
             nodes = fields.find({"node_names", "node_list"});
  if (!id || !start || (!submit && !wait))
    fail_record(path, "is not a list of starts",
                "columns job_id, start, and submit or wait; or an SWF trace, or a dump of sacct");
  ScheduleRecord out{path, {}, submit.has_value()};
  csv.each_row([&](const std::vector<std::string>& row) {
    fields.show(row);
    if (row.size() == 1 && row[0].empty()) return;
    const auto began = fields.number(start);
    if (!began || *began < 0) return;
    ScheduledJob job;
    job.start = *began;
    const auto came = fields.number(submit), waited = fields.number(wait);
    if (!came && !waited) return;
    job.submitted = came ? *came : *began - *waited;
    job.end = fields.number(end).value_or(-1);
    job.processors = fields.number(size).value_or(0);
    if (fields.text(nodes) != "none") job.node_names = fields.text(nodes);
    out.jobs[fields.text(id)] = std::move(job);
  });
  return out;
}

ScheduleRecord read_trace_starts(const std::string& path, SkippedLines* skipped) {
  const RecordedWorkload trace = read_trace_with_waits(path, skipped);
  const std::vector<std::string> ids = trace.distinct_site_ids();
  ScheduleRecord out{path, {}};
  for (std::size_t j = 0; j != trace.workload.jobs.size(); ++j) {
    const Duration wait = trace.wait(j);
    if (wait < Duration{0}) continue;
    const Job& job = trace.workload.jobs[j];
    ScheduledJob said;
    said.submitted = to_seconds(job.submit);
    said.start = said.submitted + to_seconds(wait);
    said.end = said.start + to_seconds(job.runtime);
    said.processors = static_cast<double>(job.size);
    if (j < trace.nodes.size()) said.node_names = trace.nodes[j];
    if (!trace.site_ids.empty()) said.site_id = ids[j];
    out.jobs[ids[j]] = std::move(said);
  }
  return out;
}

/// What all entries of one job are called: the site's id without the number that tells them apart.
std::string job_of(const std::string& id, const ScheduledJob& entry) {
  const std::string& name = entry.site_id.empty() ? id : entry.site_id;
  return name.substr(0, name.find(" ("));
}

std::map<std::string, std::vector<const ScheduledJob*>> entries_of_jobs(const ScheduleRecord& record) {
  std::map<std::string, std::vector<const ScheduledJob*>> out;
  for (const auto& [id, job] : record.jobs) out[job_of(id, job)].push_back(&job);
  return out;
}

bool is_start_list(const std::string& path) { return path.ends_with(".csv") || path.ends_with(".csv.gz"); }

/// The same list by the jobs' numbers in the workload; nothing where it has no two numbers of them.
std::optional<ScheduleRecord> by_workload_number(const std::string& path) {
  if (!is_start_list(path)) return {};
  const std::string content = read_packed(path);
  const CsvColumns csv(content);
  if (!csv.column(kOarNumber) || !csv.column(kWorkloadNumber)) return {};
  return read_start_list(path, content, kWorkloadNumber);
}

struct Likeness {
  std::size_t jobs = 0, as_large = 0;  ///< that both have; of the same size in both
};

Likeness likeness(const ScheduleRecord& run, const ScheduleRecord& record) {
  Likeness out;
  for (const JobPair& p : common_jobs(run, record)) {
    ++out.jobs;
    if (p.ours->processors == p.theirs->processors) ++out.as_large;
  }
  return out;
}

/// Adds processors * overlap / step to each step that the job runs in.
void add_use(std::vector<double>& use, double from, double to, double processors, double step) {
  const auto last = static_cast<double>(use.size());
  for (double k = std::max(std::floor(from / step), 0.0); k < last && k * step < to; ++k) {
    const double overlap = std::min(to, (k + 1) * step) - std::max(from, k * step);
    use[static_cast<std::size_t>(k)] += processors * overlap / step;
  }
}

/// So many seconds clocks and commands of two runs of a machine may be apart.
constexpr double kJitter = 10;

/// Sets how late jobs came. Most jobs of most workloads come when they are submitted: of the others `theirs` is
/// earlier, by the clock of the former.
void find_late(std::vector<JobPair>& pairs) {
  std::vector<double> shifts;
  for (const JobPair& p : pairs) shifts.push_back(p.theirs->submitted - p.ours->submitted);
  if (shifts.empty()) return;
  const auto at = shifts.begin() + static_cast<std::ptrdiff_t>(shifts.size() * 9 / 10);
  std::nth_element(shifts.begin(), at, shifts.end());
  for (JobPair& p : pairs)
    if (const double late = *at - (p.theirs->submitted - p.ours->submitted); late > kJitter) p.late = late;
}

}  // namespace

const ScheduledJob* ScheduleRecord::find(const std::string& id, const std::string& site_id) const {
  // A list of starts may have the components of a heterogeneous job, which is one here; they start together.
  for (const std::string& key : {site_id, id, (site_id.empty() ? id : site_id) + "+0"}) {
    const auto found = key.empty() ? jobs.end() : jobs.find(key);
    if (found == jobs.end()) continue;
    const std::string& known = found->second.site_id;
    if (known.empty() || site_id.empty() || known == site_id) return &found->second;
  }
  return nullptr;
}

std::vector<JobPair> common_jobs(const ScheduleRecord& ours, const ScheduleRecord& theirs) {
  const auto entries = entries_of_jobs(ours), others = entries_of_jobs(theirs);
  std::vector<JobPair> pairs;
  std::vector<std::pair<const std::string*, const ScheduledJob*>> unclear;
  std::vector<double> shifts;  // the clocks of records differ
  for (const auto& [id, job] : ours.jobs) {
    const auto known = others.find(job_of(id, job));
    if (known != others.end() && known->second.size() != entries.at(known->first).size()) {
      unclear.emplace_back(&id, &job);
    } else if (const ScheduledJob* other = theirs.find(id, job.site_id)) {
      pairs.push_back({&id, &job, other});
      shifts.push_back(other->submitted - job.submitted);
    }
  }
  const auto middle = shifts.begin() + static_cast<std::ptrdiff_t>(shifts.size() / 2);
  if (!shifts.empty()) std::nth_element(shifts.begin(), middle, shifts.end());
  std::set<const ScheduledJob*> taken;
  std::erase_if(unclear, [&](const auto& one) {
    const auto& [id, job] = one;
    if (shifts.empty()) return false;
    for (const ScheduledJob* other : others.at(job_of(*id, *job))) {
      if (std::abs(other->submitted - job->submitted - *middle) > 1 || !taken.insert(other).second) continue;
      pairs.push_back({id, job, other});
      return true;
    }
    return false;
  });
  for (const auto& [id, job] : unclear)  // a list of starts may know submissions badly
    if (const ScheduledJob* other = theirs.find(*id, job->site_id); other != nullptr && taken.insert(other).second)
      pairs.push_back({id, job, other});
  std::ranges::stable_sort(pairs,
                           [](const JobPair& a, const JobPair& b) { return a.ours->submitted < b.ours->submitted; });
  if (theirs.says_submissions && !ours.says_submissions) find_late(pairs);
  return pairs;
}

ScheduleRecord schedule_of_run(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "jobs.csv").string();
  if (!std::filesystem::exists(path))
    fail_record(folder, "holds no jobs.csv", "a folder that `coslice run --out` wrote");
  const std::string content = read_text_file(path, "list of jobs");
  ScheduleRecord out = read_start_list(path, content);
  out.name = folder;
  out.says_submissions = false;
  const CsvColumns csv(content);
  NamedFields fields(csv, path);
  const auto id = fields.find({"job_id"}), size = fields.find({"requested_number_of_resources"}),
             array = fields.find({"array"});
  const SiteNames names = SiteNames::of_run(folder);
  csv.each_row([&](const std::vector<std::string>& row) {
    fields.show(row);
    const auto job = out.jobs.find(fields.text(id));
    if (job == out.jobs.end()) return;
    job->second.processors = fields.number(size).value_or(0);
    job->second.site_id = names.id_of(job->first);
    if (const std::string element = fields.text(array); job->second.site_id.empty() && element != "none")
      job->second.site_id = element.substr(0, element.find('%'));
    for (const LabelColumn& label : kLabelColumns)
      if (std::string text = fields.text(csv.column(label.column)); !text.empty() && text != "none")
        job->second.labels[names.word(label.label)] = names.of(label.label, text);
  });
  return out;
}

std::vector<ScheduleRecord> recorded_schedules(const std::vector<std::string>& paths, const ScheduleRecord& run,
                                               SkippedLines* skipped) {
  std::vector<ScheduleRecord> usual, others;
  Likeness to_usual, to_others;  // of those with two numbers
  for (const std::string& path : paths) {
    usual.push_back(recorded_schedule(path, skipped));
    auto other = by_workload_number(path);
    if (other) {
      const Likeness one = likeness(run, usual.back()), two = likeness(run, *other);
      if (2 * std::max(one.as_large, two.as_large) < std::max(one.jobs, two.jobs))
        fail_record(path, fmt::format("has jobs of other sizes than {} under the same numbers", run.name),
                    fmt::format("a run of its jobs, numbered as in its column {} or {}", kOarNumber, kWorkloadNumber));
      to_usual.as_large += one.as_large;
      to_others.as_large += two.as_large;
    }
    others.push_back(other ? std::move(*other) : usual.back());
  }
  return to_others.as_large > to_usual.as_large ? others : usual;
}

ScheduleRecord recorded_schedule(const std::string& path, SkippedLines* skipped) {
  ScheduleRecord out;
  if (is_start_list(path)) out = read_start_list(path, read_packed(path));
  else out = read_trace_starts(path, skipped);
  if (out.jobs.empty()) fail_record(path, "says of no job when it started", "a record with waits or starts");
  return out;
}

UseOverTime use_over_time(const ScheduleRecord& ours, const ScheduleRecord& theirs, std::size_t points) {
  double first = std::numeric_limits<double>::infinity(), shift = 0, last = 0;
  std::vector<JobPair> both = common_jobs(ours, theirs);
  std::erase_if(both, [](const JobPair& p) { return p.ours->end < 0 || p.theirs->end < 0 || p.ours->processors <= 0; });
  for (const JobPair& p : both) {
    if (p.ours->submitted >= first) continue;
    first = p.ours->submitted;
    shift = p.theirs->submitted - p.ours->submitted;
  }
  if (both.empty()) return {};
  for (const JobPair& p : both) last = std::max({last, p.ours->end - first, p.theirs->end - shift - first});
  if (last <= 0) return {};
  UseOverTime out;
  const double step = last / static_cast<double>(points);
  out.ours.assign(points, 0);
  out.theirs.assign(points, 0);
  for (std::size_t k = 0; k != points; ++k) out.hours.push_back(static_cast<double>(k) * step / 3600);
  for (const JobPair& p : both) {
    const double processors = p.ours->processors;
    add_use(out.ours, p.ours->start - first, p.ours->end - first, processors, step);
    add_use(out.theirs, p.theirs->start - shift - first, p.theirs->end - shift - first, processors, step);
  }
  return out;
}

}  // namespace coslice
