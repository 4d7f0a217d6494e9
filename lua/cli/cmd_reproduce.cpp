// coslice reproduce: the experiments of papers, published figures beside those obtained.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/whole_number.h"
#include "core/error.h"
#include "lab/reproduce.h"
#include "report/progress.h"
#include "report/terminal.h"

namespace coslice::cli {
namespace {

struct ReproduceFlags {
  std::vector<std::string> papers, traces, sets, experiments;
  std::optional<std::string> seeds, jobs;
  bool quick = false, json = false, list = false;
};

ReproduceOptions options_from(const ReproduceFlags& flags) {
  constexpr std::int64_t kMostSeeds = 10'000, kMostThreads = 1024;
  ReproduceOptions o;
  o.paper.quick = flags.quick;
  o.paper.experiments = flags.experiments;
  o.paper.sets = flags.sets;
  for (const std::string& folder : flags.traces) {
    if (std::filesystem::is_directory(folder)) continue;
    throw InputError({"--traces " + folder, 0, "there is no such folder", "a folder with logs", "", ""});
  }
  o.paper.trace_folders = trace_folders(flags.traces);
  if (flags.seeds) o.paper.seeds = static_cast<int>(whole_number("--seeds", *flags.seeds, 1, kMostSeeds));
  o.workers = flags.jobs ? static_cast<int>(whole_number("--jobs", *flags.jobs, 1, kMostThreads)) : all_processors();
  return o;
}

std::vector<PaperFolder> papers_from(const ReproduceFlags& flags) {
  std::vector<PaperFolder> papers;
  for (const std::string& name : flags.papers) papers.push_back(find_paper(name));
  if (flags.papers.empty()) papers = list_papers();
  if (papers.empty())
    throw InputError({"", 0, "there are no papers", "a folder scenarios/papers", "name the folder of one", ""});
  return papers;
}

int list_all(const std::vector<PaperFolder>& papers) {
  Table table({{"paper", false}, {"experiments", false}, {"title", false}});
  for (const PaperFolder& p : papers) {
    const Paper paper(p, {});
    std::string labels;
    for (const std::string& l : paper.labels()) labels += (labels.empty() ? "" : " ") + l;
    table.add_row({paper.name(), labels, paper.title()});
  }
  print(rendered(table));
  return kDone;
}

Reproduction reproduce_one(const PaperFolder& paper, ReproduceOptions options) {
  Progress bar(paper.name, "runs", progress_on_stderr());
  options.tick = [&](std::size_t done, std::size_t runs) {
    stop_if_interrupted();
    bar.update(static_cast<std::int64_t>(done), static_cast<std::int64_t>(runs));
  };
  return reproduce(paper, options);
}

void show(const std::string& name, const Reproduction& r, bool heading) {
  RowTableOptions look;
  look.colour = wants_colour(stdout);
  if (is_terminal(stdout)) look.width = terminal_width(stdout);
  if (heading) print(paint(name, Tone::kBold, look.colour) + "\n");
  print(rows_table(r.rows, look));
  print(fmt::format("\n{} ({} runs)\n", verdict_counts(r.rows), r.runs));
}

int reproduce_all(const ReproduceFlags& flags) {
  const ReproduceOptions options = options_from(flags);
  const std::vector<PaperFolder> papers = papers_from(flags);
  if (flags.list) return list_all(papers);
  notice_interrupts();
  std::vector<Row> rows;
  for (const PaperFolder& paper : papers) {
    const Reproduction r = reproduce_one(paper, options);
    for (const std::string& remark : r.remarks) report_note(remark);
    if (!flags.json) show(paper.name, r, papers.size() > 1);
    rows.insert(rows.end(), r.rows.begin(), r.rows.end());
  }
  if (flags.json) print(rows_json(rows));
  return kDone;
}

}  // namespace

Command reproduce_command() {
  auto flags = std::make_shared<ReproduceFlags>();
  ReproduceFlags& f = *flags;
  Command c;
  c.name = "reproduce";
  c.summary = "repeat the experiments of papers, published beside obtained";
  c.examples = {
      {"coslice reproduce scojo-pect --quick", "a first look within a minute"},
      {"coslice reproduce scojo-pect", "all of it, on all processors"},
      {"coslice reproduce", "every paper"},
      {"coslice reproduce scojo-pect --experiment T4 --seeds 20", "one table, more seeds"},
      {"coslice reproduce scojo-pect --traces ~/logs --json > rows.json", "with full logs; for machines"},
      {"coslice reproduce scojo-pect --set policy.params.scheduler=easy", "another reading of the paper"},
      {"coslice reproduce my/paper", "one of your own: a folder with paper.lua"},
  };
  c.text =
      "A paper is a folder, scenarios/papers/NAME: scenarios, the published figures, and paper.lua, which says what is "
      "run and how the figures are made of the results. All runs are made anew, and each seed gives all variants of an "
      "experiment the same jobs.\n\n"
      "A row says what was published, the mean over the seeds with its 95 % interval, and a verdict: `met` if the mean "
      "lies inside the band that counts as reproduced, `missed` if not, `refuted` if the whole interval contradicts a "
      "published finding (the note says how), `indicative` where nothing is judged (--quick, or part of an input), "
      "`skipped` if an input is absent, `unpublished` if there is nothing to compare with. The exit status is 0 "
      "whatever the verdicts are.\n\n"
      "Logs are looked for in --traces, $COSLICE_TRACES, `traces` and `../shared/traces`.";
  c.arguments = {{"PAPER",
                  "Names, or folders with paper.lua (default: all that are found).",
                  &f.papers,
                  0,
                  std::size_t(-1),
                  {Completion::kFolders}}};
  c.options = {
      flag("--quick", f.quick, "Few seeds, fewer jobs and points; judges nothing."),
      flag("--json", f.json, "Prints the rows as a JSON list, and nothing else."),
      flag("--list", f.list, "Lists papers and the labels of their experiments."),
      values("-e,--experiment", "LABEL", f.experiments, "Only these experiments."),
      value("--seeds", "N", f.seeds, "Seeds from 1 to N, instead of as many as the paper says."),
      value("-j,--jobs", "N", f.jobs, "Runs that are made at once (default: one for each processor)."),
      values("-s,--set", "KEY=VALUE", f.sets,
             "Sets a key in the scenario of each run, to see what another reading gives.", {Completion::kScenarioKeys}),
      values("--traces", "DIR", f.traces, "A folder with logs.", {Completion::kFolders}),
  };
  c.run = [flags] { return reproduce_all(*flags); };
  return c;
}

}  // namespace coslice::cli
