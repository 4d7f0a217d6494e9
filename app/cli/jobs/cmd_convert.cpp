// coslice convert: a site's own records as a trace, and traces in the formats of others.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/jobs/trace_flags.h"
#include "core/error.h"
#include "core/text.h"
#include "formats/recorded.h"
#include "formats/sacct.h"
#include "formats/swf.h"
#include "formats/trace_file.h"
#include "formats/trace_format.h"
#include "jobs/attributes.h"
#include "jobs/workflow.h"
#include "jobs/workload_description.h"
#include "output/output.h"
#include "report/markup.h"
#include "scenario/csv_columns.h"
#include "scenario/jobs/change_workload.h"

namespace coslice::cli {
namespace {

const char* const kNamesHead = "kind,number,name,jobs";

/// The attributes whose numbers stand for names, and the jobs themselves.
const std::vector<std::string>& name_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> all;
    for (const Attribute& a : kAttributes)
      if (!a.word.empty()) all.emplace_back(a.name);
    all.emplace_back("job");
    return all;
  }();
  return kinds;
}

std::int64_t number_in(const std::string& path, int line, const std::string& text) {
  if (const auto number = parse_number<std::int64_t>(text); number && *number >= 0) return *number;
  throw InputError({path, line, fmt::format("the number is '{}'", text), "a whole number"});
}

/// Returns CSV with the head "kind,number,name,jobs": a row for each user, group, executable, queue and partition, then
/// one for each job with the id that the site gave it.
std::string site_names_csv(const RecordedWorkload& recorded) {
  std::string out = std::string(kNamesHead) + "\n";
  for (const auto& n : recorded.names) out += fmt::format("{},{},{},{}\n", n.kind, n.number, csv_field(n.name), n.jobs);
  for (std::size_t i = 0; i < recorded.site_ids.size(); ++i)
    out += fmt::format("job,{},{},1\n", recorded.workload.jobs[i].id, csv_field(recorded.site_id(i)));
  return out;
}

/// Gives the jobs the ids and the numbers the names that the file has for them. Throws InputError.
void read_site_names(const std::string& path, RecordedWorkload& recorded) {
  const std::string text = read_packed(path);
  const CsvColumns csv(text);
  const auto kind = csv.column("kind"), number = csv.column("number"), name = csv.column("name");
  if (!kind || !number || !name)
    throw InputError({path, 1, "this is not a list of names", fmt::format("the columns {}", kNamesHead),
                      "`coslice convert jobs.sacct --names who.csv -o site.swf` writes one"});
  std::unordered_map<std::int64_t, std::string> ids;
  int line = 1;
  csv.each_row([&](const std::vector<std::string>& row) {
    ++line;
    const auto field = [&](std::size_t c) { return c < row.size() ? row[c] : std::string(); };
    const std::string what = field(*kind);
    const std::vector<std::string>& kinds = name_kinds();
    if (std::find(kinds.begin(), kinds.end(), what) == kinds.end())
      throw InputError({path, line, fmt::format("there is no kind '{}'", what),
                        fmt::format("one of {}", fmt::join(kinds, ", ")), did_you_mean(what, kinds)});
    const std::int64_t n = number_in(path, line, field(*number));
    if (what == "job") ids[n] = field(*name);
    else
      recorded.names.push_back(
          {what, static_cast<std::int32_t>(std::min<std::int64_t>(n, INT32_MAX)), field(*name), 0});
  });
  if (ids.empty()) return;
  recorded.site_ids.clear();
  for (const Job& job : recorded.workload.jobs) {
    const auto found = ids.find(job.id);
    recorded.site_ids.push_back(found == ids.end() ? std::string() : found->second);
  }
}

struct ConvertFlags {
  std::vector<std::string> source, sets;
  std::optional<std::string> out, from, to, size, machine, names, missing_limit, load;
  bool skip_bad = false, eligible = false;
};

const std::vector<std::string> kRead = {"swf",    "sacct",  "sacct-json", "batsim",
                                        "philly", "helios", "elastisim",  "list"};
const std::vector<std::string> kWritten = {"swf", "sacct", "batsim", "batsim5"};

std::string checked_format(const char* flag, const std::string& format, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), format) != known.end()) return format;
  throw InputError({flag, 0, fmt::format("there is no format '{}'", format),
                    fmt::format("one of {}", fmt::join(known, ", ")), did_you_mean(format, known)});
}

TraceFormat format_called(const std::string& name) {
  return static_cast<TraceFormat>(std::find(kRead.begin(), kRead.end(), name) - kRead.begin());
}
std::string name_of(TraceFormat format) { return kRead[static_cast<std::size_t>(format)]; }

/// What the file holds, by its first bytes. Bars between fields are sacct's, also where the header is missing.
TraceFormat format_of(const std::string& path) {
  const std::string head = beginning_of(path);
  const TraceFormat format = trace_format(head);
  refuse_unread_format(head, path);
  const std::string_view first = std::string_view(head).substr(0, head.find('\n'));
  const bool comment = !first.empty() && (first[0] == ';' || first[0] == '#');
  const bool bars = !comment && std::count(first.begin(), first.end(), '|') >= 3;
  return format == TraceFormat::kSwf && bars ? TraceFormat::kSacct : format;
}

bool has_ending(const std::string& name, std::string_view end) {
  return name.size() > end.size() && name.ends_with(end);
}

/// What the output's name says.
std::string format_for(const std::string& out) {
  if (has_ending(out, ".swf") || has_ending(out, ".swf.gz")) return "swf";
  if (has_ending(out, ".json")) return "batsim";
  if (has_ending(out, ".sacct") || has_ending(out, ".txt")) return "sacct";
  throw InputError({"--out", 0, fmt::format("'{}' does not say its format", out), ".swf, .swf.gz, .json or .sacct",
                    "say it by --to"});
}

SlurmSize size_unit(const ConvertFlags& f) {
  const std::string unit = f.size.value_or("cpus");
  if (unit == "cpus") return SlurmSize::kCpus;
  if (unit == "nodes") return SlurmSize::kNodes;
  throw InputError({"--size", 0, fmt::format("there is no unit '{}'", unit), "cpus or nodes"});
}

RecordedWorkload read(const std::string& path, TraceFormat format, const ConvertFlags& f, SkippedLines* skipped) {
  const auto refuse = [&](const char* flag, const char* what, const char* expected) {
    throw InputError({flag, 0, what, expected, fmt::format("{} is read as {}", path, name_of(format))});
  };
  const bool of_slurm = format == TraceFormat::kSacct || format == TraceFormat::kSlurmJson;
  if (f.size && !of_slurm) refuse("--size", "is for dumps of sacct only", "");
  if (f.eligible && !of_slurm) refuse("--eligible", "is for dumps of sacct only", "");
  if (of_slurm) {
    std::string text = read_packed(path);
    if (format == TraceFormat::kSlurmJson || looks_like_slurm_json(text)) text = sacct_of_json(text, path, skipped);
    return parse_sacct(text, path, size_unit(f), skipped,
                       f.eligible ? SlurmArrival::kEligible : SlurmArrival::kSubmitted);
  }
  if (format == TraceFormat::kSwf) return read_recorded_swf(path, skipped);
  if (f.skip_bad && !may_skip_lines(format)) refuse("--skip-bad", "is for sacct and SWF only", "sacct or swf");
  return parse_trace(read_packed(path), path, format);
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") print(text);
  else write_text_file(path, text);
}

/// Other formats than sacct's have no fields for more than processes and memory.
void note_lost_requests(RecordedWorkload& recorded, const std::string& to) {
  if (to == "sacct") return;
  const Workload& w = recorded.workload;
  std::int64_t gpus = 0, others = 0, components = 0;
  for (const Job& job : w.jobs) {
    if (recorded.requests.empty() || job.request == kNoRequest) continue;
    const RecordedRequest& r = recorded.requests[static_cast<std::size_t>(job.request)];
    if (!r.components.empty()) ++components;
    else if (r.gpus > 0) ++gpus;
    else if (r.asks_for_more()) ++others;
  }
  const std::string instead =
      "they are lost; a scenario may take the file itself as its trace, and --to sacct keeps them";
  if (components > 0)
    recorded.workload.notes.push_back(
        {"has components that ask for nodes of several kinds, which such a trace has no field for: " + instead,
         components, 0, false});
  if (gpus > 0)
    recorded.workload.notes.push_back(
        {"asks for GPUs, which such a trace has no field for: " + instead, gpus, 0, false});
  if (others > 0)
    recorded.workload.notes.push_back(
        {"asks for features or licences, which such a trace has no field for: " + instead, others, 0, false});
}

/// What SWF has in remarks behind a record. In sacct's form arrays and dependencies stay.
void note_lost_workflow(RecordedWorkload& recorded, const std::string& to) {
  if (to == "swf") return;
  const std::vector<Job>& jobs = recorded.workload.jobs;
  const auto lost = std::count_if(jobs.begin(), jobs.end(), [&](const Job& job) {
    const bool later = job.extras->begin >= Duration{0} || job.extras->held_until >= Duration{0};
    return later || is_moldable(job) ||
           (to != "sacct" && (asks_in_time(job) || job.extras->withdrawn_at >= Duration{0}));
  });
  const char* what = to == "sacct"
                         ? "times before which jobs may not come, and sizes to choose from"
                         : "what jobs wait for, when they are withdrawn, limits of arrays, and sizes to choose from";
  if (lost > 0)
    recorded.workload.notes.push_back(
        {fmt::format("such a trace has no field for {}: they are lost; SWF has them", what), lost, 0, false});
}

void write(const std::string& path, const std::string& format, const RecordedWorkload& recorded) {
  if (format == "swf") return write_recorded_swf(path, recorded);
  if (format == "sacct") return write_text(path, sacct_text(recorded));
  write_text(path, batsim_json(recorded.workload, format == "batsim5" ? BatsimVersion::k5 : BatsimVersion::k4));
}

void report_notes(const Workload& workload) {
  for (const TraceNote& n : workload.notes) {
    const std::string where = n.first_line > 0 ? fmt::format(" (first in line {})", n.first_line) : "";
    report_note(
        fmt::format("{} {}: {}{}", n.dropped ? "left out" : "altered", counted(n.count, "record"), n.reason, where));
  }
}

/// "; on record they waited 1 h 10 min in the mean": what a simulation of the site's own policy is compared with.
std::string recorded_wait(const RecordedWorkload& recorded) {
  double sum = 0;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < recorded.waits.size(); ++i) {
    const Job& job = recorded.workload.jobs[i];
    const Duration wait = recorded.waits[i];
    if (wait < Duration::zero()) continue;
    const Duration kept = std::max(job.extras->begin, job.extras->held_until) - job.submit.time_since_epoch();
    sum += to_seconds(std::max(Duration{0}, wait - std::max(Duration{0}, kept)));
    ++known;
  }
  if (known == 0) return "";
  const double mean = sum / static_cast<double>(known);
  return fmt::format("; on record {} waited {} s in the mean", counted(known, "job"), grouped(mean, 0));
}

void set_machine(RecordedWorkload& recorded, std::int64_t size) {
  TraceHeader head;
  head.max_procs = size;
  head.unix_start_time = recorded.workload.header.unix_start_time;
  recorded.workload.header = head;
  drop_larger_than(recorded, size);
  if (recorded.workload.jobs.empty()) throw InputError({"--machine", 0, "is smaller than all jobs"});
  if (const std::int64_t most = most_at_once(recorded); most > size)
    report_warning(fmt::format("--machine {}: on record, jobs had {} at once; a machine that is too small makes them "
                               "wait longer than they did",
                               size, most));
}

/// Whether a key of a scenario chooses or changes jobs, wherever they come from.
bool changes_jobs(const std::string& key) {
  static const std::vector<std::string> others = {"workload.trace",  "workload.generator", "workload.script",
                                                  "workload.jobs",   "workload.name",      "workload.sizes",
                                                  "workload.lublin", "workload.params",    "workload.adjust"};
  if (key == "seed") return true;
  if (!key.starts_with("workload.")) return false;
  return std::none_of(others.begin(), others.end(), [&](const std::string& o) { return key.starts_with(o); });
}

/// The changes that the flags ask for, in the words of a scenario.
Scenario changes_of(const ConvertFlags& f, const RecordedWorkload& recorded) {
  Value tree = Value::table();
  set_value(tree, "workload.trace", f.source.front(), f.source.front());
  for (const std::string& s : f.sets) {
    const std::string key = s.substr(0, s.find('='));
    if (!changes_jobs(key))
      throw InputError({"--set " + s, 0, fmt::format("'{}' does not change the jobs", key),
                        "seed, or a key of [workload] such as workload.keep.users"});
    apply_override(tree, s);
  }
  if (f.missing_limit) set_missing_limit(tree, *f.missing_limit, recorded);
  if (f.load) set_from_flag(tree, "workload.target_load", "--load", *f.load);
  return check_scenario(tree);
}

/// Where arrivals are moved or run times changed, the recorded waits are those of another schedule.
bool keeps_the_schedule(const WorkloadSpec& w) {
  const TransformOptions& t = w.transform;
  return t.load_factor == 1 && t.size_factor == 1 && t.time_factor == 1 && t.time_added == Duration{0} &&
         !w.target_load && w.job_script.empty();
}

/// A limit that is missing stays so, unless something is to stand in for it.
void change(RecordedWorkload& recorded, const ConvertFlags& f) {
  const bool any = !f.sets.empty() || f.missing_limit || f.load;
  if (any) {
    const Scenario scenario = changes_of(f, recorded);
    const WorkloadSpec& w = scenario.workload;
    change_recorded(recorded, [&](Workload& jobs) {
      change_workload(jobs, w, static_cast<std::uint64_t>(scenario.seed), scenario.limits.for_host());
      if (w.target_load) set_offered_load(jobs, machine_of(jobs).nodes, *w.target_load);
    });
    if (recorded.workload.jobs.empty())
      throw InputError({f.source.front(), 0, "no job is left" + left_out(recorded.workload)});
    if (!keeps_the_schedule(w)) recorded.waits.clear();
    if (w.missing_limits || w.transform.estimates != Estimates::kTrace)
      for (Job& job : recorded.workload.jobs) job.limit_given = true;
  }
  if (count_missing_limits(recorded.workload) > 0)
    note_missing_limits(recorded.workload, "it stays missing; --missing-limit says what stands in for it");
}

int convert(const ConvertFlags& f) {
  const std::string& path = f.source.front();
  const std::string out = f.out.value_or("-");
  require_file(path);
  const std::string to = f.to ? checked_format("--to", *f.to, kWritten) : out == "-" ? "swf" : format_for(out);
  const TraceFormat from = f.from ? format_called(checked_format("--from", *f.from, kRead)) : format_of(path);
  const bool writes_names = f.names && from != TraceFormat::kSwf && from != TraceFormat::kBatsim;
  if (f.names && !writes_names && to != "sacct") throw InputError({"--names", 0, "SWF and Batsim have no names"});
  SkippedLines skipped;
  RecordedWorkload recorded = read(path, from, f, f.skip_bad ? &skipped : nullptr);
  if (f.names && !writes_names) read_site_names(*f.names, recorded);
  change(recorded, f);
  note_lost_requests(recorded, to);
  note_lost_workflow(recorded, to);
  if (f.machine) set_machine(recorded, whole_number("--machine", *f.machine, 1, 100'000'000));
  if (out == "-") write(out, to, recorded);
  else write_new_file(out, [&](const std::string& temporary) { write(temporary, to, recorded); });
  if (writes_names) write_new_files({{*f.names, site_names_csv(recorded)}});
  report_skipped(skipped);
  report_notes(recorded.workload);
  if (out == "-") return kDone;
  const WorkloadDescription d = describe(recorded.workload, machine_of(recorded.workload).nodes);
  report_note(fmt::format("wrote {}: {} over {}{}", out, counted(d.jobs, "job"), human_duration(d.span),
                          recorded_wait(recorded)));
  return kDone;
}

constexpr const char* kConvertText =
    ". Users, accounts, names of jobs and the like become numbers, so that a trace can be passed on; --names writes "
    "which name has which number, also the ids of the site for jobs of arrays (1234_7) and others that get numbers of "
    "their own; on the way back to sacct it is read, and ids and names are as they were. Times are taken as they "
    "stand: set TZ=UTC for sacct, or a change of the clocks shifts an hour's jobs.\n\n"
    "A limit that is missing (UNLIMITED, Partition_Limit, empty; -1 in SWF) stays missing, and a note counts them: a "
    "scenario then chooses by workload.missing_limit. --missing-limit chooses here: run-time, a time such as 3d, 2x (a "
    "multiple of the run time), or limits by partition; never less than the run time.\n\n"
    "--set takes the keys of [workload] that choose and change jobs, in the words of a scenario; what is known of the "
    "jobs that stay is kept, but waits on record end where arrivals are moved.\n\n"
    "The format that is read is found by the first bytes, the one that is written by the ending of the name. What was "
    "left out or altered is reported on stderr. Waits are kept between SWF and sacct; Batsim's format has none.";

}  // namespace

Command convert_command() {
  auto flags = std::make_shared<ConvertFlags>();
  ConvertFlags& f = *flags;
  Command c;
  c.summary = "make a trace of a site's own records (Slurm's sacct), or turn formats of traces into each other";
  c.examples = {
      {"coslice convert jobs.sacct --machine 4096 -o site.swf.gz", "what Slurm has on record, as a trace"},
      {"coslice convert jobs.sacct --size nodes --machine 128 -o site.swf", "sizes in whole nodes"},
      {"coslice convert jobs.sacct --names names.csv -o site.swf",
       "which user is number 3, which application is number 5"},
      {"coslice convert jobs.sacct --missing-limit 3d -o site.swf", "a limit for jobs that Slurm has none for"},
      {"coslice convert trace.swf.gz -s workload.keep.sizes=[2,32] --load 0.9 -o busy.swf",
       "a part of it, pressed together"},
      {"coslice convert trace.swf.gz -o workload.json", "for Batsim"},
      {"coslice convert cluster_job_log -o philly.sacct", "a log of GPU clusters, with its GPUs"},
  };
  c.text = "The dump is made by: " + sacct_command() + kConvertText;
  c.arguments = {
      {"FILE",
       "A dump of sacct or its JSON, a trace in SWF, a workload of Batsim, a log of Philly or Helios, jobs of "
       "ElastiSim; plain or gzip.",
       &f.source,
       1,
       1,
       {Completion::kFiles, {}}}};
  c.options = {
      value("-o,--out", "FILE", f.out,
            "What to write: .swf, .swf.gz, .json (Batsim), .sacct; `-`, the default, is standard output.",
            {Completion::kFiles, {}}),
      value("--from", "FORMAT", f.from,
            "swf, sacct, sacct-json, batsim, philly, helios, elastisim or list, where the first bytes mislead.",
            {Completion::kWords, kRead}),
      value("--to", "FORMAT", f.to, "swf (default), sacct, batsim, or batsim5 with its names of profiles.",
            {Completion::kWords, kWritten}),
      value("--size", "UNIT", f.size, "sacct: a job's size in cpus (default) or nodes.",
            {Completion::kWords, {"cpus", "nodes"}}),
      value("--machine", "N", f.machine, "Size of the machine, for the trace's header; larger jobs are left out."),
      value("--names", "FILE.csv", f.names,
            "Write which user, account, application, job has which number; to sacct: read it.",
            {Completion::kFiles, {"csv"}}),
      value("--missing-limit", "RULE", f.missing_limit,
            "What stands in for missing limits: run-time, 3d, 2x, or PARTITION=TIME,...,others=TIME."),
      flag("--eligible", f.eligible,
           "sacct: a job comes when it became eligible (column Eligible), unless it waited for a job on record."),
      flag("--skip-bad", f.skip_bad, "Leaves out lines that cannot be read, says how many and shows the first few."),
      value("--load", "X", f.load, "Offered load: presses the arrivals together or pulls them apart."),
      values("-s,--set", "KEY=VALUE", f.sets, "Sets a key of [workload] in a scenario, e.g. workload.keep.users=[3,4].",
             {Completion::kScenarioKeys}),
  };
  c.run = [flags] { return convert(*flags); };
  return c;
}

}  // namespace coslice::cli
