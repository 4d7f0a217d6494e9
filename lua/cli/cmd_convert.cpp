// coslice convert: a site's own records as a trace, and traces in the formats of others.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/inputs.h"
#include "cli/new_file.h"
#include "cli/whole_number.h"
#include "core/error.h"
#include "report/csv_text.h"
#include "report/number.h"
#include "workload/batsim.h"
#include "workload/describe.h"
#include "workload/packed_file.h"
#include "workload/recorded.h"
#include "workload/sacct.h"
#include "workload/swf.h"

namespace coslice::cli {
namespace {

struct ConvertFlags {
  std::vector<std::string> source;
  std::optional<std::string> out, from, to, size, machine, names;
};

const std::vector<std::string> kFormats = {"swf", "sacct", "batsim", "batsim5"};

bool has_ending(const std::string& name, const std::string& end) {
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

std::string checked_format(const char* flag, const std::string& format) {
  if (std::find(kFormats.begin(), kFormats.end(), format) != kFormats.end()) return format;
  throw InputError({flag, 0, fmt::format("there is no format '{}'", format), "swf, sacct, batsim or batsim5",
                    did_you_mean(format, kFormats), ""});
}

/// What the file holds, by its first bytes.
std::string format_of(const std::string& path) {
  PackedFile file(path);
  std::string head(4096, '\0');
  head.resize(file.read(head.data(), head.size()));
  if (looks_like_batsim(head)) return "batsim";
  return looks_like_sacct(head) ? "sacct" : "swf";
}

/// What the output's name says.
std::string format_for(const std::string& out) {
  if (has_ending(out, ".swf") || has_ending(out, ".swf.gz")) return "swf";
  if (has_ending(out, ".json")) return "batsim";
  if (has_ending(out, ".sacct") || has_ending(out, ".txt")) return "sacct";
  throw InputError({"--out", 0, fmt::format("'{}' does not say its format", out), ".swf, .swf.gz, .json or .sacct",
                    "say it by --to", ""});
}

SlurmSize size_unit(const ConvertFlags& f) {
  const std::string unit = f.size.value_or("cpus");
  if (unit == "cpus") return SlurmSize::kCpus;
  if (unit == "nodes") return SlurmSize::kNodes;
  throw InputError({"--size", 0, fmt::format("there is no unit '{}'", unit), "cpus or nodes", "", ""});
}

RecordedWorkload read(const std::string& path, const std::string& format, const ConvertFlags& f) {
  if (f.size && format != "sacct")
    throw InputError(
        {"--size", 0, "is for dumps of sacct only", "", fmt::format("{} is read as {}", path, format), ""});
  if (format == "sacct") return parse_sacct(read_packed(path), path, size_unit(f));
  if (format == "swf") return read_recorded_swf(path);
  RecordedWorkload recorded;
  recorded.workload = parse_batsim(read_packed(path), path);
  return recorded;
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") print(text);
  else write_text_file(path, text);
}

void write(const std::string& path, const std::string& format, const RecordedWorkload& recorded) {
  if (format == "swf") return write_recorded_swf(path, recorded);
  if (format == "sacct") return write_text(path, sacct_text(recorded));
  write_text(path, batsim_json(recorded.workload, format == "batsim5" ? BatsimVersion::k5 : BatsimVersion::k4));
}

std::string names_csv(const RecordedWorkload& recorded) {
  std::string out = "kind,number,name,jobs\n";
  for (const auto& n : recorded.names) out += fmt::format("{},{},{},{}\n", n.kind, n.number, csv_field(n.name), n.jobs);
  return out;
}

void report_notes(const Workload& workload) {
  for (const TraceNote& n : workload.notes) {
    const std::string where = n.first_line > 0 ? fmt::format(" (first in line {})", n.first_line) : "";
    report_note(
        fmt::format("{} {}: {}{}", n.dropped ? "left out" : "altered", counted(n.count, "record"), n.reason, where));
  }
}

/// "; on record they waited 1 h 10 min in the mean": what a simulation of the site's own policy is held against.
std::string recorded_wait(const RecordedWorkload& recorded) {
  double sum = 0;
  std::int64_t known = 0;
  for (const Duration wait : recorded.waits) {
    if (wait < Duration::zero()) continue;
    sum += to_seconds(wait);
    ++known;
  }
  if (known == 0) return "";
  const double mean = sum / static_cast<double>(known);
  return fmt::format("; on record {} waited {} s in the mean", counted(known, "job"), grouped(mean, 0));
}

int convert(const ConvertFlags& f) {
  const std::string& path = f.source.front();
  const std::string out = f.out.value_or("-");
  require_file(path);
  const std::string to = f.to ? checked_format("--to", *f.to) : out == "-" ? "swf" : format_for(out);
  const std::string from = f.from ? checked_format("--from", *f.from) : format_of(path);
  if (f.names && from != "sacct")
    throw InputError({"--names", 0, "is for dumps of sacct only: other formats have no names", "", "", ""});
  RecordedWorkload recorded = read(path, from, f);
  if (f.machine) {
    const std::int64_t size = whole_number("--machine", *f.machine, 1, 100'000'000);
    TraceHeader head;
    head.max_procs = size;
    head.unix_start_time = recorded.workload.header.unix_start_time;
    recorded.workload.header = head;
    drop_larger_than(recorded, size);
    if (recorded.workload.jobs.empty()) throw InputError({"--machine", 0, "is smaller than all jobs", "", "", ""});
    if (const std::int64_t most = most_at_once(recorded); most > size)
      report_warning(fmt::format("--machine {}: on record, jobs had {} at once; a machine that is too small makes them "
                                 "wait longer than they did",
                                 size, most));
  }
  if (out == "-") write(out, to, recorded);
  else write_new_file(out, [&](const std::string& temporary) { write(temporary, to, recorded); });
  if (f.names) write_new_files({{*f.names, names_csv(recorded)}});
  report_notes(recorded.workload);
  if (out == "-") return kDone;
  const WorkloadDescription d = describe(recorded.workload, machine_of(recorded.workload).nodes);
  report_note(fmt::format("wrote {}: {} over {}{}", out, counted(d.jobs, "job"), human_duration(d.span),
                          recorded_wait(recorded)));
  return kDone;
}

}  // namespace

Command convert_command() {
  auto flags = std::make_shared<ConvertFlags>();
  ConvertFlags& f = *flags;
  Command c;
  c.name = "convert";
  c.summary = "make a trace of a site's own records (Slurm's sacct), or turn SWF, sacct and Batsim into each other";
  c.examples = {
      {"coslice convert jobs.sacct --machine 4096 -o site.swf.gz", "what Slurm has on record, as a trace"},
      {"coslice convert jobs.sacct --size nodes --machine 128 -o site.swf", "sizes in whole nodes"},
      {"coslice convert jobs.sacct --names names.csv -o site.swf", "who is user 3, which application is number 5"},
      {"coslice convert trace.swf.gz -o workload.json", "for Batsim"},
  };
  c.text =
      "The dump is made by: sacct --allusers --allocations --parsable2 --format JobID,User,Account,Partition,QOS,"
      "JobName,Submit,Start,End,Elapsed,State,NNodes,NCPUS,ReqMem,Timelimit. Users, accounts, names of jobs and the "
      "like become numbers, so that a trace can be passed on; --names writes who is who. Times are taken as they "
      "stand: set TZ=UTC for sacct, or a change of the clocks shifts an hour's jobs.\n\n"
      "What is read is told by its first bytes, what is written by the ending of its name. What was left out or "
      "altered is "
      "said on stderr. Waits are kept between SWF and sacct; Batsim's format has none.";
  c.arguments = {{"FILE",
                  "A dump of sacct, a trace in SWF, a workload of Batsim; each plain or gzip.",
                  &f.source,
                  1,
                  1,
                  {Completion::kFiles, {}}}};
  c.options = {
      value("-o,--out", "FILE", f.out,
            "What to write: .swf, .swf.gz, .json (Batsim), .sacct; `-`, the default, is standard output.",
            {Completion::kFiles, {}}),
      value("--from", "FORMAT", f.from, "swf, sacct or batsim, where the first bytes mislead.",
            {Completion::kWords, kFormats}),
      value("--to", "FORMAT", f.to, "swf (default), sacct, batsim, or batsim5 with its names of profiles.",
            {Completion::kWords, kFormats}),
      value("--size", "UNIT", f.size, "sacct: a job's size in cpus (default) or nodes.",
            {Completion::kWords, {"cpus", "nodes"}}),
      value("--machine", "N", f.machine, "Size of the machine, for the trace's header; larger jobs are left out."),
      value("--names", "FILE.csv", f.names, "sacct: write which user, account, application has which number.",
            {Completion::kFiles, {"csv"}}),
  };
  c.run = [flags] { return convert(*flags); };
  return c;
}

}  // namespace coslice::cli
