// coslice fidelity: how near a run came to what a machine's own scheduler did.
#include <memory>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/jobs/trace_flags.h"
#include "core/error.h"
#include "lab/compare/fidelity.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

struct FidelityFlags {
  std::vector<std::string> runs, records;
  std::optional<std::string> out;
  bool json = false, skip_bad = false;
};

void write_use(const Fidelity& fidelity, const std::string& path) {
  if (fidelity.use.hours.empty())
    throw InputError({path, 0, "there is nothing to draw", "a record that says when jobs ended"});
  write_chart(path, fidelity_chart(fidelity));
}

int compare_with_records(const FidelityFlags& f) {
  if (f.records.empty())
    throw InputError(
        {"--recorded", 0, "is missing", "an SWF trace, a dump of sacct or a CSV file with the starts on record"});
  std::vector<ScheduleRecord> runs;
  for (const std::string& run : f.runs) runs.push_back(schedule_of_run(run));
  for (const std::string& record : f.records) require_file(record);
  SkippedLines skipped;
  const Fidelity fidelity =
      fidelity_of(runs, recorded_schedules(f.records, runs.front(), f.skip_bad ? &skipped : nullptr));
  report_skipped(skipped);
  if (f.out) write_use(fidelity, *f.out);
  print(f.json ? fidelity_json(fidelity) : fidelity_text(fidelity, wants_colour(stdout)));
  return kDone;
}

}  // namespace

Command fidelity_command() {
  auto flags = std::make_shared<FidelityFlags>();
  FidelityFlags& f = *flags;
  Command c;
  c.summary = "say how near a run came to what the machine did";
  c.examples = {
      {"coslice fidelity results --recorded jobs.sacct", "a replay beside Slurm's records"},
      {"coslice fidelity results --recorded monday.csv --recorded tuesday.csv",
       "the same jobs were run twice: how far does the machine differ from itself?"},
      {"coslice fidelity results --recorded site.swf -o use.svg", "processors in use, drawn"},
  };
  c.text =
      "Jobs are found by their ids. The table has the mean wait in the run and on record, the error of single jobs' "
      "waits, the rank correlation of the order of starts (1: the same order), and the share of jobs whose wait is "
      "right within 5 minutes; then mean waits by class, nodes, partition, group, user and queue (account and QOS of a "
      "dump of sacct), with 95 % intervals of the difference from batches of jobs. Several RUNs, such as the same "
      "scenario under several phases of the scheduler's cycles, are taken in the mean.\n\n"
      "A record is an SWF trace or a dump of sacct with waits, or a CSV file, plain or gzip, with the columns job_id, "
      "start, and submit or wait, in seconds of any origin; also a list of a run of OAR with the columns oar_id and "
      "workload_id, of which those count that the run's jobs go by. A real machine does not do the same twice: with "
      "several records of the same jobs, how far these differ is the measure.";
  c.arguments = {
      {"RUN", "Folders that `coslice run --out` wrote.", &f.runs, 1, std::size_t(-1), {Completion::kFolders}}};
  c.options = {
      values("-r,--recorded", "FILE", f.records, "What the machine did.", {Completion::kFiles, {}}),
      value("-o,--out", "FILE.svg", f.out, "Draws the processors in use over time, simulated and recorded.",
            {Completion::kFiles, {"svg"}}),
      skip_bad_flag(f.skip_bad),
      flag("--json", f.json, "For programs."),
  };
  c.run = [flags] { return compare_with_records(*flags); };
  return c;
}

}  // namespace coslice::cli
