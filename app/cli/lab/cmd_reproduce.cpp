// coslice reproduce: the experiments of papers, published figures beside those obtained.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/frame/stop_signals.h"
#include "cli/lab/job_array.h"
#include "core/error.h"
#include "lab/papers/paper.h"
#include "lab/papers/paper_notes.h"
#include "lab/papers/reproduce.h"
#include "lab/papers/reproduction_page.h"
#include "lab/papers/reproduction_record.h"
#include "report/charts/chart_svg.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "record.json";
// Two beside each other where there is room; large letters enough where a telephone shrinks one to its width.
constexpr ChartSvgOptions kDrawing{.width = 460, .height = 340, .title = true, .dark = true};

PaperNotes paper_notes_of(const PaperRecord& record) {
  const PaperFolder folder = find_paper(record.paper);
  return read_paper_notes(folder, Paper(folder, {}).labels());
}

void write_text(const fs::path& path, const std::string& text) { write_new_file(path.string(), text); }

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError({folder.string(), 0, "cannot be made: " + error.message(), "a folder for charts"});
}

/// Reads a record.json. Throws InputError.
std::vector<PaperRecord> read_record(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError({file, 0, "cannot be read", "a record.json beside a page of papers"});
  return papers_of_record({std::istreambuf_iterator<char>(in), {}}, file);
}

/// Files of the pages that were there before, if they were such pages. Nothing else in that folder is touched.
std::set<std::string> files_before(const fs::path& folder) {
  std::set<std::string> files;
  if (!fs::is_regular_file(folder / kRecord)) return files;
  PageTexts texts;
  texts.notes = [](const PaperRecord&) { return PaperNotes{}; };
  const ReproductionPages before = reproduction_pages(read_record((folder / kRecord).string()), texts);
  for (const PageChart& c : before.charts) files.insert(c.file);
  for (const PaperPage& p : before.papers) files.insert(p.file);
  return files;
}

/// Complains before hours of runs, not after them, about what the page would stumble over: its place, and the papers'
/// notes. Throws InputError.
void check_papers_page(const std::string& file, const std::vector<PaperFolder>& papers) {
  const fs::path path = fs::absolute(file), folder = path.parent_path();
  if (path.extension() != ".md") throw InputError({file, 0, "is not a name of a page", "FILE.md"});
  if (!fs::is_directory(folder))
    throw InputError({file, 0, "there is no folder " + folder.string(), "", "make it first"});
  if (access(folder.c_str(), W_OK) != 0) throw InputError({file, 0, "its folder cannot be written to"});
  for (const PaperFolder& paper : papers) read_paper_notes(paper, Paper(paper, {}).labels());
}

/// Writes the page, and into a folder beside it that is called after it a page of each paper, the charts and
/// record.json.
void write_papers_page(const std::string& file, const std::vector<PaperRecord>& papers) {
  const fs::path path(file), folder = path.parent_path() / path.stem();
  const std::string record = record_of_papers(papers);
  const std::vector<PaperRecord> rounded = papers_of_record(record, file);
  PageTexts texts;
  if (!papers.empty()) texts.frame = page_frame(find_paper(papers.front().paper));
  texts.folder = path.stem().string();
  texts.notes = paper_notes_of;
  const ReproductionPages pages = reproduction_pages(rounded, texts);
  make_folder(folder);
  std::set<std::string> old = files_before(folder);
  for (const PageChart& chart : pages.charts) {
    old.erase(chart.file);
    std::string svg;
    write_chart_svg(chart.chart, kDrawing, sink_to(svg));
    write_text(folder / chart.file, svg);
  }
  for (const PaperPage& paper : pages.papers) {
    old.erase(paper.file);
    write_text(folder / paper.file, paper.markdown);
  }
  write_text(folder / kRecord, record);
  write_text(path, pages.markdown);
  std::error_code ignored;
  for (const std::string& gone : old) fs::remove(folder / gone, ignored);
  const auto number = [](std::size_t n, const char* what) { return counted(static_cast<std::int64_t>(n), what); };
  report_note(fmt::format("wrote {}, {} and {}", file, number(pages.papers.size(), "paper"),
                          number(pages.charts.size(), "chart")));
}

struct ReproduceFlags {
  std::vector<std::string> papers, traces, sets, experiments, sbatch;
  std::optional<std::string> seeds, jobs, out, shard, page, record, parts, data;
  bool quick = false, full = false, json = false, list = false, all = false, resume = false, slurm = false;

  /// Whether nothing says that anything is to be run: all papers take hours.
  bool says_nothing() const {
    return papers.empty() && traces.empty() && sets.empty() && experiments.empty() && sbatch.empty() && !seeds &&
           !out && !shard && !page && !parts && !data && !quick && !full && !json && !all && !resume && !slurm;
  }
};

ReproduceOptions options_from(const ReproduceFlags& flags) {
  constexpr std::int64_t kMostSeeds = 10'000;
  ReproduceOptions o;
  if (flags.quick && flags.full)
    throw InputError({"--full", 0, "cannot be given together with --quick", "one of the two"});
  o.paper.size = flags.quick ? PaperSize::kQuick : flags.full ? PaperSize::kFull : PaperSize::kUsual;
  o.paper.experiments = flags.experiments;
  o.paper.sets = flags.sets;
  for (const std::string& folder : flags.traces) {
    if (std::filesystem::is_directory(folder)) continue;
    throw InputError({"--traces " + folder, 0, "there is no such folder", "a folder with logs"});
  }
  o.paper.trace_folders = trace_folders(flags.traces);
  if (flags.data && !std::filesystem::is_directory(*flags.data))
    throw InputError({"--data " + *flags.data, 0, "there is no such folder", "a folder with a paper's data"});
  if (flags.data && flags.papers.size() != 1)
    throw InputError(
        {"--data " + *flags.data, 0, "is for one paper", "the paper's name: coslice reproduce fgd --data DIR"});
  o.paper.data = flags.data.value_or("");
  if (flags.seeds) o.paper.seeds = static_cast<int>(whole_number("--seeds", *flags.seeds, 1, kMostSeeds));
  o.workers = threads_of("--jobs", flags.jobs);
  o.resume = flags.resume;
  if (flags.shard) o.shard = shard_of(*flags.shard);
  for (const auto& [set, name] : {std::pair(flags.resume, "--resume"), std::pair(flags.shard.has_value(), "--shard")}) {
    if (set && !flags.out) throw InputError({name, 0, "there is no file of results", "", "name one with -o"});
  }
  return o;
}

/// Of several papers each has a file of its own: results-fcs.sqlite.
std::string file_of(const ReproduceFlags& flags, const PaperFolder& paper, bool several) {
  if (!flags.out || !several) return flags.out.value_or("");
  const std::filesystem::path path(*flags.out);
  return (path.parent_path() / (path.stem().string() + "-" + paper.name + path.extension().string())).string();
}

std::vector<PaperFolder> papers_from(const ReproduceFlags& flags) {
  std::vector<PaperFolder> papers;
  if (flags.all && !flags.papers.empty())
    throw InputError({"--all", 0, "is every paper", "no PAPER beside it, or PAPER alone"});
  for (const std::string& name : flags.papers) papers.push_back(find_paper(name));
  if (flags.papers.empty()) papers = list_papers();
  if (papers.empty())
    throw InputError({"", 0, "there are no papers", "a folder scenarios/papers", "name the folder of one"});
  return papers;
}

int list_all(const std::vector<PaperFolder>& papers) {
  Table table({{"paper", false}, {"experiments", false}, {"title", false}});
  for (const PaperFolder& p : papers) {
    const Paper paper(p, {});
    table.add_row({paper.name(), fmt::format("{}", fmt::join(paper.labels(), " ")), paper.title()});
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

/// The call that gives the same rows, without what says where they go.
std::string command_of(const ReproduceFlags& flags, const PaperFolder& paper) {
  std::string out = "coslice reproduce " + paper.given;
  if (flags.quick) out += " --quick";
  if (flags.full) out += " --full";
  for (const std::string& e : flags.experiments) out += " --experiment " + e;
  if (flags.seeds) out += " --seeds " + *flags.seeds;
  for (const std::string& s : flags.sets) out += " --set " + s;
  return out;
}

/// What came of a paper, for its page.
PaperRecord record_of(const ReproduceFlags& flags, const PaperFolder& paper, const Reproduction& r) {
  ReproduceFlags one = flags, full = flags;
  full.full = true;
  PaperRecord record{paper.given, Paper(paper, {}).title(), command_of(flags, paper), "", r.runs, r.cpu_seconds, {}};
  for (const ExperimentResult& e : r.experiments) {
    one.experiments = {e.label};
    record.experiments.push_back({command_of(one, paper), e, {}});
    const bool less = e.full_seeds > e.seeds || !e.reduced.empty();
    if (less && !flags.seeds && !flags.quick && !flags.full) record.full_command = command_of(full, paper);
    for (const Row& row : r.rows)
      if (row.experiment == e.label) record.experiments.back().rows.push_back(row);
  }
  return record;
}

/// A paper's runs as a job array. What it asks for after a first look at results is made by the call that follows.
void submit_paper(const ReproduceFlags& flags, const PaperFolder& paper, const std::string& results) {
  constexpr std::int64_t kUsualParts = 16, kMostParts = 100'000;
  const auto whole = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  SlurmCampaign slurm;
  slurm.name = paper.name;
  slurm.results = whole(results);
  slurm.folder = slurm.results + ".parts";
  slurm.parts = flags.parts ? whole_number("--parts", *flags.parts, 1, kMostParts) : kUsualParts;
  slurm.options = flags.sbatch;
  slurm.workers = "--jobs";
  slurm.command = {"reproduce", whole(paper.folder)};
  if (flags.quick) slurm.command.emplace_back("--quick");
  if (flags.full) slurm.command.emplace_back("--full");
  const auto pass_on = [&](const char* name, const std::string& value) {
    slurm.command.insert(slurm.command.end(), {name, value});
  };
  for (const std::string& e : flags.experiments) pass_on("--experiment", e);
  for (const std::string& s : flags.sets) pass_on("--set", s);
  for (const std::string& t : flags.traces) pass_on("--traces", whole(t));
  if (flags.data) pass_on("--data", whole(*flags.data));
  if (flags.seeds) pass_on("--seeds", *flags.seeds);
  if (!flags.resume) require_absent(slurm.folder);
  require_absent(slurm.results);
  for (std::int64_t part = 1; part <= slurm.parts; ++part) slurm.unfinished.push_back(part);
  const SlurmJobs jobs = submit(slurm);
  const std::string again = command_of(flags, paper) + " -o " + results;
  print(submitted_text(slurm, jobs, fmt::format("{} --slurm --parts {} --resume", again, slurm.parts)));
  print("When both are done, the rows come with\n  " + again + " --resume\n");
}

int submit_all(const ReproduceFlags& flags, const std::vector<PaperFolder>& papers) {
  if (!flags.out) throw InputError({"--slurm", 0, "there is no file of results", "", "name one with -o"});
  if (flags.shard) throw InputError({"--shard", 0, "--slurm deals the parts out by itself", "--parts N"});
  for (const PaperFolder& paper : papers) {
    const Paper checked(paper, {});  // what is wrong with it should be known here
    submit_paper(flags, paper, file_of(flags, paper, papers.size() > 1));
  }
  return kDone;
}

/// A record is shown whole: what would choose among runs or make some would else be passed over in silence.
void refuse_beside_record(const ReproduceFlags& f) {
  const std::pair<bool, const char*> others[] = {
      {!f.papers.empty(), "PAPER"},
      {!f.experiments.empty(), "--experiment"},
      {!f.sets.empty(), "--set"},
      {!f.traces.empty(), "--traces"},
      {f.data.has_value(), "--data"},
      {f.seeds.has_value(), "--seeds"},
      {f.quick, "--quick"},
      {f.full, "--full"},
      {f.all, "--all"},
      {f.json, "--json"},
      {f.list, "--list"},
      {f.out.has_value(), "--out"},
      {f.resume, "--resume"},
      {f.shard.has_value(), "--shard"},
      {f.slurm, "--slurm"},
  };
  for (const auto& [set, name] : others) {
    if (set)
      throw InputError({name, 0, "is not supported together with --from, which shows a whole record and runs nothing"});
  }
}

/// The page of results that were written down, with the notes as they are now.
int rewrite_page(const ReproduceFlags& flags) {
  refuse_beside_record(flags);
  if (!flags.page) throw InputError({"--from", 0, "is for pages", "", "name one with --write"});
  check_papers_page(*flags.page, {});
  write_papers_page(*flags.page, read_record(*flags.record));
  return kDone;
}

int reproduce_all(const ReproduceFlags& flags) {
  if (flags.record) return rewrite_page(flags);
  ReproduceOptions options = options_from(flags);
  const std::vector<PaperFolder> papers = papers_from(flags);
  if (flags.list || flags.says_nothing()) {
    list_all(papers);
    if (!flags.list) report_note("nothing is run: name a paper, or say --all");
    return kDone;
  }
  if (flags.slurm) return submit_all(flags, papers);
  if (flags.parts || !flags.sbatch.empty())
    throw InputError({flags.parts ? "--parts" : "--sbatch", 0, "is for jobs in Slurm only", "", "add --slurm"});
  if (flags.page) check_papers_page(*flags.page, papers);
  notice_interrupts();
  std::vector<Row> rows;
  std::vector<PaperRecord> records;
  for (const PaperFolder& paper : papers) {
    options.results = file_of(flags, paper, papers.size() > 1);
    const Reproduction r = reproduce_one(paper, options);
    for (const std::string& remark : r.remarks) report_note(remark);
    if (options.shard.of > 1) {
      print(fmt::format("{}: part {} of the {} that are known from the beginning\n", options.results,
                        options.shard.text(), counted(static_cast<std::int64_t>(r.runs), "run")));
      continue;
    }
    if (flags.page) records.push_back(record_of(flags, paper, r));
    if (!flags.json && !flags.page) show(paper.name, r, papers.size() > 1);
    rows.insert(rows.end(), r.rows.begin(), r.rows.end());
  }
  if (flags.json && options.shard.of == 1) print(rows_json(rows));
  if (!records.empty()) write_papers_page(*flags.page, records);
  return kDone;
}

constexpr const char* kReproduceText =
    "A paper is a folder, scenarios/papers/NAME: scenarios, the published figures, and paper.lua, which says what is "
    "run and how the figures are made of the results. All runs are made anew, and each seed gives all variants of an "
    "experiment the same jobs.\n\n"
    "A row says what was published, the mean over the seeds with its 95 % interval, and a verdict. A published number "
    "is "
    "`met` (in tables `reproduced`) if the mean has its sign and is within a quarter of it, and the interval is no "
    "wider "
    "than half of it; a claim in words is met (`holds`) if the mean lies inside its band. Else they are `missed`, "
    "`refuted` if the whole interval contradicts a published finding (the note says how), `indicative` where nothing "
    "is "
    "judged (--quick, part of an input, an interval that is wider than the band of a claim), `skipped` if an input is "
    "absent, `unpublished` if there is nothing to compare with. Totals count apart what was fitted to the published "
    "value and what is given by construction. With --json that is the field `basis`, and `agrees` says whether the "
    "interval holds the published value. The exit status is 0 whatever the verdicts are.\n\n"
    "--write makes a page of each paper: what its notes.md says, commands and times, and for each experiment charts "
    "and tables. They stand with the charts in a folder beside FILE.md, which leads to them: page.md beside the "
    "papers' folders, in which the line <!-- papers --> is replaced. The results stand as record.json beside the "
    "charts; --from makes the pages of them again.\n\n"
    "With -o, each run is kept in a file of results like those of `coslice sweep` as soon as it is finished, and "
    "--resume makes only what is not in it: after a crash, for another experiment, for more seeds. --shard makes a "
    "part of the runs that are known from the beginning; `coslice merge` joins the parts, and a last call with "
    "--resume makes what was asked for since then, and the rows.\n\n"
    "Logs are looked for in the folders of --traces, those of $COSLICE_TRACES, and `traces`; the data of papers that "
    "have such in --data, else below the folders of $COSLICE_DATA. Folders in a variable are separated by colons.";

}  // namespace

Command reproduce_command() {
  auto flags = std::make_shared<ReproduceFlags>();
  ReproduceFlags& f = *flags;
  Command c;
  c.summary = "repeat the experiments of papers, published beside obtained";
  c.examples = {
      {"coslice reproduce scojo-pect --quick", "a first look within a minute"},
      {"coslice reproduce scojo-pect", "all of it, on all processors"},
      {"coslice reproduce", "which papers there are"},
      {"coslice reproduce --all", "every paper, which takes hours"},
      {"coslice reproduce scojo-pect --experiment T4 --seeds 20", "one table, more seeds"},
      {"coslice reproduce scojo-pect --traces ~/logs --json > rows.json", "with full logs; for machines"},
      {"coslice reproduce scojo-pect --set policy.params.scheduler=easy", "another reading of the paper"},
      {"coslice reproduce lomarc -o lomarc.sqlite", "with its runs in a file; --resume goes on with it"},
      {"coslice reproduce --write papers.md", "as pages with tables and charts"},
      {"coslice reproduce --full -o papers.sqlite --slurm", "all seeds and points of all papers, on a cluster"},
      {"coslice reproduce my/paper", "one of your own: a folder with paper.lua"},
  };
  c.text = kReproduceText;
  c.arguments = {{"PAPER",
                  "Names, or folders with paper.lua. Without one and without options the papers are listed; with "
                  "options all that are found are meant.",
                  &f.papers,
                  0,
                  std::size_t(-1),
                  {Completion::kFolders}}};
  c.options = {
      flag("--quick", f.quick, "Few seeds, fewer jobs and points; judges nothing."),
      flag("--full", f.full, "All seeds and points, also where an hour is not enough."),
      flag("--json", f.json, "Prints the rows as a JSON list, and nothing else."),
      flag("--all", f.all, "Every paper that is found."),
      flag("--list", f.list, "Lists papers and the labels of their experiments."),
      values("-e,--experiment", "LABEL", f.experiments, "Only these experiments."),
      value("--seeds", "N", f.seeds, "Seeds from 1 to N, instead of as many as the paper says."),
      value("-j,--jobs", "N", f.jobs, "Runs that are made at once (default: one for each processor)."),
      value("-o,--out", "FILE", f.out, "Keeps the runs in this file; of several papers, each has its own: FILE-PAPER.",
            {Completion::kFiles, {"sqlite"}}),
      flag("--resume", f.resume, "Takes the runs that are in the file from there."),
      value("--write", "FILE.md", f.page,
            "Writes a page of each paper, with charts, into a folder beside FILE.md, which leads to them, instead of "
            "printing the rows.",
            {Completion::kFiles, {"md"}}),
      value("--from", "FILE.json", f.record, "With --write: takes the results from the record beside such pages.",
            {Completion::kFiles, {"json"}}),
      value("--shard", "I/N", f.shard, "Makes part I of N of the runs, and no rows."),
      flag("--slurm", f.slurm,
           "Submits the runs to Slurm as a job array, and a job that joins them into the file of -o."),
      value("--parts", "N", f.parts, "With --slurm: into how many parts the runs are divided (default: 16)."),
      values("--sbatch", "OPTION", f.sbatch, "With --slurm: an option for sbatch, e.g. --sbatch=--partition=long."),
      values("-s,--set", "KEY=VALUE", f.sets,
             "Sets a key in the scenario of each run, to see what another reading gives.", {Completion::kScenarioKeys}),
      values("--traces", "DIR", f.traces, "A folder with logs.", {Completion::kFolders}),
      value(
          "--data", "DIR", f.data,
          "The folder with the data of the paper, for papers that have such (default: looked for below $COSLICE_DATA).",
          {Completion::kFolders}),
  };
  c.run = [flags] { return reproduce_all(*flags); };
  return c;
}

}  // namespace coslice::cli
