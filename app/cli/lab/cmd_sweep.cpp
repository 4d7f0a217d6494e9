// coslice sweep: all runs of a campaign, into one file.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/frame/stop_signals.h"
#include "cli/jobs/trace_flags.h"
#include "cli/lab/job_array.h"
#include "core/error.h"
#include "lab/campaign/sweep.h"
#include "output/summary_json.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

struct SweepFlags {
  std::vector<std::string> campaign, sbatch;
  std::optional<std::string> out, workers, shard, parts;
  bool resume = false, prune = false, retry = false, dry_run = false, json = false, slurm = false, skip_bad = false;
};

SweepOptions sweep_options(const SweepFlags& flags) {
  SweepOptions o;
  if (flags.shard) o.shard = shard_of(*flags.shard);
  o.results = flags.out.value_or(results_name(flags.campaign.front(), o.shard));
  o.workers = threads_of("--workers", flags.workers);
  o.resume = flags.resume;
  o.prune = flags.prune;
  o.retry = flags.retry;
  for (const auto& [set, name] : {std::pair(flags.prune, "--prune"), std::pair(flags.retry, "--retry")}) {
    if (set && !flags.resume)
      throw InputError({name, 0, "there is nothing to change in new results", "", "add --resume"});
  }
  return o;
}

// --- --dry-run

std::string axis_text(const Campaign& campaign, std::size_t axis) {
  for (const Dimension& d : campaign.dimensions) {
    for (std::size_t i = 0; i < d.axes.size(); ++i) {
      if (d.axes[i] != axis) continue;
      std::string out;
      for (std::size_t r = 0; r < d.rows.size() && out.size() < 60; ++r)
        out += (r == 0 ? "" : ", ") + point_text({"x"},
                                                 [&] {
                                                   Value p = Value::table();
                                                   p.set("x", d.rows[r][i]);
                                                   return p;
                                                 }())
                                          .substr(4);
      return out;
    }
  }
  return "";
}

void show_plan(const Campaign& campaign, const Plan& plan, const SweepOptions& options) {
  Table table({{"axis", false}, {"values"}, {"", false}});
  for (const Dimension& d : campaign.dimensions) {
    for (const std::size_t axis : d.axes)
      table.add_row({campaign.axes[axis], std::to_string(d.rows.size()), axis_text(campaign, axis)});
  }
  print(rendered(table));
  print(fmt::format("{}", counted(std::ssize(plan.runs), "run")));
  if (plan.filtered != 0) print(fmt::format("; {} points are left out by where", plan.filtered));
  if (plan.equal != 0) print(fmt::format("; {} points are equal to others", plan.equal));
  print(fmt::format("\nresults would be in {}\n", options.results));
}

std::string plan_json(const Plan& plan, const Shard& shard) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const auto run = static_cast<std::int64_t>(i) + 1;
    if (!shard.has(run)) continue;
    out.push_back({{"run", run},
                   {"key", plan.runs[i].key},
                   {"point", nlohmann::ordered_json::parse(json_from_value(plan.runs[i].point))}});
  }
  return out.dump(2) + "\n";
}

// --- the sweep

SweepOutcome run_with_progress(const Campaign& campaign, const Plan& plan, SweepOptions options, std::size_t& made) {
  Progress bar(campaign.name, "runs", progress_on_stderr());
  options.stopping = is_interrupted;
  options.ended_early = [&](std::size_t runs) { made = runs; };
  options.tick = [&](std::size_t finished, std::size_t runs) {
    stop_if_interrupted();
    bar.update(static_cast<std::int64_t>(finished), static_cast<std::int64_t>(runs));
  };
  return sweep(campaign, plan, options);
}

void show_sweep(const Campaign& campaign, const SweepOutcome& o, const SweepFlags& flags, const std::string& file) {
  constexpr std::size_t kMostRemarks = 20;
  for (std::size_t i = 0; i < o.remarks.size() && i < kMostRemarks; ++i) report_warning(o.remarks[i]);
  for (const CampaignRun& r : o.failures)
    report_warning(fmt::format("run {} failed ({}): {}", r.run, point_text(campaign.axes, r.point), r.error));
  if (o.failed > o.failures.size()) report_warning(fmt::format("... and {} more", o.failed - o.failures.size()));
  if (flags.json) {
    const nlohmann::ordered_json all = {
        {"results", file}, {"runs", o.planned}, {"made", o.made}, {"kept", o.kept}, {"failed", o.failed}};
    print(all.dump(2) + "\n");
    return;
  }
  print(fmt::format("{}: {}", file, counted(static_cast<std::int64_t>(o.planned), "run")));
  if (o.kept != 0) print(fmt::format(", {} of them made before", o.kept));
  print(o.failed == 0 ? "\n" : fmt::format(", {} failed\n", o.failed));
}

// --- --slurm

/// Whether the file holds all runs of that part of the plan.
bool is_finished(const std::string& file, const Plan& plan, const Shard& shard) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return false;
  const CampaignResults results(file);
  std::size_t wanted = 0, there = 0;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) wanted += shard.has(static_cast<std::int64_t>(i) + 1) ? 1 : 0;
  results.each([&](CampaignRun&&) { ++there; });
  return results.meta("plan") == plan.digest && there == wanted;
}

int run_on_slurm(const SweepFlags& flags, const Campaign& campaign, const Plan& plan, const SweepOptions& options) {
  constexpr std::int64_t kUsualParts = 100, kMostParts = 100'000;
  const auto runs = std::ssize(plan.runs);
  SlurmCampaign slurm;
  slurm.name = campaign.name;
  slurm.results = std::filesystem::absolute(options.results).lexically_normal().string();
  slurm.folder = slurm.results + ".parts";
  slurm.parts =
      flags.parts ? std::min(whole_number("--parts", *flags.parts, 1, kMostParts), runs) : std::min(runs, kUsualParts);
  slurm.options = flags.sbatch;
  slurm.command = {"sweep", std::filesystem::absolute(flags.campaign.front()).lexically_normal().string()};
  if (flags.prune) slurm.command.push_back("--prune");
  if (flags.retry) slurm.command.push_back("--retry");
  if (flags.skip_bad) slurm.command.push_back("--skip-bad");
  if (!flags.resume) {
    require_absent(slurm.folder);
    require_absent(slurm.results);
  }
  for (std::int64_t part = 1; part <= slurm.parts; ++part) {
    const bool finished =
        !flags.retry && is_finished(part_name(slurm.folder, part, slurm.parts), plan, {part, slurm.parts});
    if (!finished) slurm.unfinished.push_back(part);
  }
  if (slurm.unfinished.empty()) {
    print(fmt::format("all parts are finished; `coslice merge -o {} {}/part-*.sqlite` joins them\n", options.results,
                      slurm.folder));
    return kDone;
  }
  const SlurmJobs jobs = submit(slurm);
  print(submitted_text(slurm, jobs,
                       fmt::format("coslice sweep {} -o {} --slurm --parts {} --resume", flags.campaign.front(),
                                   options.results, slurm.parts) +
                           (flags.skip_bad ? " --skip-bad" : "")));
  return kDone;
}

/// In the trace of each base; of one without a trace an axis may set it.
void skip_bad_lines(Campaign& campaign) {
  for (Value& base : campaign.bases) set_value(base, "workload.skip_bad", Value(true), "--skip-bad");
}

int run_sweep(const SweepFlags& flags) {
  if (!flags.slurm && flags.parts) throw InputError({"--parts", 0, "is for jobs in Slurm only", "", "add --slurm"});
  if (!flags.slurm && !flags.sbatch.empty()) refuse_argument(flags.sbatch.front(), "campaign");
  if (flags.slurm && flags.shard)
    throw InputError({"--shard", 0, "--slurm deals the parts out by itself", "--parts N"});
  require_file(flags.campaign.front());
  const SweepOptions options = sweep_options(flags);
  Campaign campaign = read_campaign(flags.campaign.front());
  if (flags.skip_bad) skip_bad_lines(campaign);
  const Plan plan = make_plan(campaign);
  if (flags.dry_run) {
    if (flags.json) print(plan_json(plan, options.shard));
    else show_plan(campaign, plan, options);
    return kDone;
  }
  if (flags.slurm) return run_on_slurm(flags, campaign, plan, options);
  notice_interrupts();
  std::size_t made = 0;
  try {
    const SweepOutcome outcome = run_with_progress(campaign, plan, options, made);
    show_sweep(campaign, outcome, flags, options.results);
    return outcome.failed == 0 ? kDone : kFailed;
  } catch (const Interrupted&) {
    report_note(fmt::format("interrupted; {} {} kept in {}, --resume makes the others",
                            counted(static_cast<std::int64_t>(made), "new run"), made == 1 ? "is" : "are",
                            options.results));
    throw;
  }
}

}  // namespace

Command sweep_command() {
  auto flags = std::make_shared<SweepFlags>();
  SweepFlags& f = *flags;
  Command c;
  c.summary = "make all runs of a campaign, on all processors, into one file of results";
  c.examples = {
      {"coslice sweep scenarios/campaigns/depth.toml", "writes depth.sqlite"},
      {"coslice sweep depth.toml --dry-run", "how many runs, and of what"},
      {"coslice sweep depth.toml -o depth.sqlite --resume", "after a crash, or with more seeds: only what is missing"},
      {"coslice sweep depth.toml --shard 3/40", "a part of it, on any machine; `coslice merge` joins the parts"},
      {"coslice sweep depth.toml -o all.sqlite --slurm --parts 40 -- --partition=long --time=4:00:00",
       "as a job array, then a job that joins the parts"},
      {"sqlite3 depth.sqlite 'SELECT policy, avg(\"all.wait.mean\") FROM results GROUP BY 1'",
       "the view of all figures"},
  };
  c.text =
      "A campaign is a TOML file: scenarios, and axes that are varied over them, any key of a scenario, policies, "
      "their parameters, workloads, seeds (docs/campaigns.md). Each point of the grid is checked before anything "
      "runs.\n\n"
      "Each run is in the file as soon as it is finished: a crash, a full disk, Ctrl-C lose what was under way and "
      "nothing else. The file holds a row per run with its point, all figures, seed, versions, fingerprint and time, "
      "and the jobs where the campaign keeps them. The same rows come out whatever the number of workers.\n\n"
      "--slurm hands the parts to Slurm as a job array, what follows `--` are options for sbatch, and returns; a "
      "second job joins the parts. A task whose node dies goes on elsewhere with what was finished. With --resume only "
      "parts that are not finished are submitted again.\n\n"
      "A run that fails is recorded with its error and the others go on; the exit status is then 1. --resume does not "
      "make it again unless --retry is given.";
  c.arguments = {{"CAMPAIGN.toml", "What is to be run.", &f.campaign, 1, 1, {Completion::kFiles, {"toml"}}},
                 {"SBATCH-OPTION", "With --slurm: for sbatch; behind `--`.", &f.sbatch, 0, std::size_t(-1), {}}};
  c.options = {
      value("-o,--out", "FILE", f.out,
            "The results; without it a file in the current folder, called after the campaign file.",
            {Completion::kFiles, {"sqlite"}}),
      value("-j,--workers", "N", f.workers, "Runs that are made at once (default: one for each processor)."),
      flag("--resume", f.resume,
           "Goes on with a file of results: makes what is missing in it, of a crash or of a campaign that has grown."),
      flag("--retry", f.retry, "With --resume: makes runs that failed again."),
      flag("--prune", f.prune, "With --resume: takes runs out of the file that are not in the campaign any more."),
      value("--shard", "I/N", f.shard, "Makes part I of N only, from 1/N to N/N."),
      flag("--slurm", f.slurm, "Submits the campaign to Slurm instead of running it."),
      value("--parts", "N", f.parts,
            "With --slurm: into how many parts it is divided (default: one a run, at most 100)."),
      skip_bad_flag(f.skip_bad),
      flag("--dry-run", f.dry_run, "Makes nothing: shows what would be run; with --json every run and its key."),
      flag("--json", f.json, "Says what was done as JSON."),
  };
  c.run = [flags] { return run_sweep(*flags); };
  return c;
}

}  // namespace coslice::cli
