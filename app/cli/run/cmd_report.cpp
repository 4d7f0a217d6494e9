// coslice report: everything about a run as one page, its charts as drawings.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/policy/find_policy.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/run/run_pictures.h"
#include "core/error.h"
#include "core/text.h"
#include "lab/campaign/campaign_report.h"
#include "lab/campaign/results.h"
#include "report/charts/chart_svg.h"
#include "report/markup.h"
#include "report/pages/run_report.h"
#include "runner/site_names.h"
#include "scenario/build_info.h"
#include "scenario/resolved.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  std::vector<std::string> what, policies, figures, labels;
  std::optional<std::string> out, svg, title, x, by;
  bool no_gantt = false, log = false;
};

std::string out_of(const ReportFlags& flags) {
  if (!flags.out) return file_after(flags.what.front(), one_name(flags.policies), "-report.html", "run");
  require_page_name("--out", *flags.out);
  return *flags.out;
}

/// The sources that a run was made from, with whose they are where each of several has its own.
std::vector<ReportSource> sources_of(const PicturedRun& r, bool several) {
  const Scenario& scenario = r.one->runner().scenario();
  const FoundPolicy policy = find_policy(scenario.policy.names[r.one->policy()], scenario.folder);
  const bool own = several && r.one->is_recorded();
  return {{(own ? r.name + ": " : "") + "scenario.toml, with every setting", resolved_toml(scenario, "")},
          {"policy " + r.name + ": " + fs::path(policy.script.name).filename().string(), policy.script.text}};
}

RunReportInfo info_of(const PicturedRun& r, bool several) {
  const Scenario& scenario = r.one->runner().scenario();
  RunReportInfo info;
  info.scenario_description = scenario.description;
  info.policy = r.run.policy.name;
  info.policy_version = r.run.policy.version;
  if (const auto* params = r.run.params.members())
    for (const Member& m : *params) info.facts.push_back({"parameter " + m.key, toml_text(m.value)});
  info.facts.push_back({"seed", std::to_string(scenario.seed)});
  info.program = "coslice " + program_version();
  info.sources = sources_of(r, several);
  return info;
}

NamedSummary named_summary(const PicturedRun& r) {
  NamedSummary out{r.name, r.run.summary};
  SiteNames(r.one->runner().names()).name_accounts(out);
  return out;
}

/// The Gantts' own pages, or why there are none.
void add_gantts(std::vector<PicturedRun>& runs, ReportPage& page) {
  GanttOptions options;
  options.title = page.title;
  options.program = "coslice " + program_version();
  try {
    page.gantts = framed_gantts(gantt_charts(runs, options));
  } catch (const InputError& e) {
    page.gantts = {{"", "", "", e.what()}};
  }
}

void write_page(const ReportPage& page, const std::string& out) {
  write_new_file(out, [&](const std::string& temporary) {
    OutputFile file(temporary);
    write_report_page(page, sink_into(file));
    file.close();
  });
  report_note(
      fmt::format("wrote {}: {}, {} KB", out,
                  counted(static_cast<std::int64_t>(page.charts.size() + (page.campaign.empty() ? 0 : 1)), "chart"),
                  grouped(static_cast<std::int64_t>((fs::file_size(out) + 999) / 1000))));
}

/// Each chart as FOLDER/NAME.svg.
void write_drawings(const std::vector<Chart>& charts, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError({folder, 0, "cannot be made: " + error.message(), "a folder"});
  std::vector<std::pair<std::string, std::string>> files;
  for (const Chart& c : charts) {
    std::string text;
    write_chart_svg(c, {}, sink_to(text));
    files.emplace_back((fs::path(folder) / (c.name + ".svg")).string(), std::move(text));
  }
  write_new_files(files);
  report_note(fmt::format("wrote {} into {}", counted(std::ssize(charts), "drawing"), folder));
}

/// Every text of a chart that a label may stand for.
std::vector<std::string*> texts_of(Chart& c) {
  std::vector<std::string*> out = {&c.x.label, &c.y.label};
  for (std::string& name : c.x.names) out.push_back(&name);
  for (ChartSeries& s : c.series) out.push_back(&s.name);
  return out;
}

/// What a label may stand for in these charts.
std::vector<std::string> label_names(std::vector<Chart>& charts) {
  std::set<std::string> known;
  for (Chart& c : charts) {
    known.insert(c.name);
    for (const std::string* const t : texts_of(c))
      if (!t->empty()) known.insert(*t);
  }
  return {known.begin(), known.end()};
}

/// Where the text of a label begins: behind the longest name that there is, as names may have '=' themselves.
std::size_t text_of_label(const std::string& label, const std::vector<std::string>& names) {
  const std::size_t first = label.find('=', 1);
  if (first == std::string::npos)
    throw InputError({"--label " + label, 0, "is not a label", "NAME=TEXT, e.g. easy=\"EASY backfilling\""});
  for (std::size_t equals = label.rfind('='); equals != first; equals = label.rfind('=', equals - 1))
    if (std::ranges::find(names, label.substr(0, equals)) != names.end()) return equals;
  const std::string name = label.substr(0, first);
  if (std::ranges::find(names, name) == names.end())
    throw InputError({"--label " + label, 0, fmt::format("no drawing has '{}'", name),
                      fmt::format("one of: {}", fmt::join(names, ", ")), did_you_mean(name, names)});
  return first;
}

void replace_first(std::string& in, const std::string& what, const std::string& by) {
  const std::size_t at = what.empty() ? std::string::npos : in.find(what);
  if (at != std::string::npos) in.replace(at, what.size(), by);
}

/// Puts another text in the place of an axis, a line or a group of bars, and into titles that have it. The name of a
/// chart's file stands for what it shows.
void relabel(std::vector<Chart>& charts, const std::string& label) {
  const std::size_t equals = text_of_label(label, label_names(charts));
  const std::string name = label.substr(0, equals), text = label.substr(equals + 1);
  for (Chart& c : charts) {
    for (std::string* const t : texts_of(c)) {
      if (*t != name) continue;
      replace_first(c.title, name, text);
      *t = text;
    }
    if (c.name != name) continue;
    replace_first(c.title, c.y.label, text);
    c.y.label = text;
  }
}

/// The charts of a run by their names.
std::vector<Chart> chosen_charts(const std::vector<Chart>& charts, const std::vector<std::string>& figures) {
  if (figures.empty()) return charts;
  std::vector<Chart> out;
  std::vector<std::string> names;
  for (const Chart& c : charts) names.push_back(c.name);
  for (const std::string& figure : figures) {
    const auto at = std::ranges::find(charts, figure, &Chart::name);
    if (at == charts.end())
      throw InputError({"--figure " + figure, 0, "no chart of the run is called so",
                        fmt::format("one of: {}", fmt::join(names, ", ")), did_you_mean(figure, names)});
    out.push_back(*at);
  }
  return out;
}

int finish(const ReportFlags& flags, const std::string& out, const ReportPage& page, std::vector<Chart> charts) {
  for (const std::string& label : flags.labels) relabel(charts, label);
  if (flags.svg) write_drawings(charts, *flags.svg);
  if (!flags.svg || flags.out) write_page(page, out);
  return kDone;
}

int report_campaign(const ReportFlags& flags) {
  if (!flags.policies.empty())
    throw InputError({"--policy " + flags.policies.front(), 0, "a report of a campaign shows all of it"});
  const std::vector<std::string> by = flags.by ? split(*flags.by, ',') : std::vector<std::string>{};
  const CampaignReport r =
      campaign_report(flags.what.front(), {flags.x, by, figure_names(flags.figures), flags.log,
                                           flags.title.value_or(""), "coslice " + program_version()});
  return finish(flags, out_of(flags), r.page, r.charts);
}

int report(const ReportFlags& flags) {
  const std::string out = out_of(flags);
  if (!flags.svg && !flags.labels.empty())
    throw InputError({"--label", 0, "is for drawings", "--svg FOLDER beside it"});
  if (is_campaign_results(flags.what.front())) return report_campaign(flags);
  if (flags.x || flags.by || flags.log)
    throw InputError({flags.x    ? "--x"
                      : flags.by ? "--by"
                                 : "--log",
                      0, "there are no axes but in the results of a campaign"});
  if (!flags.svg && !flags.figures.empty())
    throw InputError({"--figure", 0, "a page of a run shows all its charts", "--svg FOLDER beside it"});
  const std::vector<OneRun> all = OneRun::all(flags.what.front(), flags.policies);
  std::vector<PicturedRun> runs = simulate_with_pictures(all);
  RunReport of_runs(all.front().runner().scenario().metrics);
  for (const PicturedRun& r : runs) of_runs.add(r.run.result, named_summary(r), info_of(r, runs.size() > 1));
  ReportPage page = of_runs.page(flags.title.value_or(title_of(runs)));
  if (!flags.no_gantt) add_gantts(runs, page);
  const std::vector<Chart> charts = chosen_charts(page.charts, figure_names(flags.figures));
  return finish(flags, out, page, charts);
}

}  // namespace

Command report_command() {
  auto flags = std::make_shared<ReportFlags>();
  ReportFlags& f = *flags;
  Command c;
  c.summary = "show a run, or several side by side, as one page";
  c.examples = {
      {"coslice report results/7 -o report.html", "a page, from a run folder"},
      {"coslice report scenarios/quickstart.toml --policy conservative", "of a scenario that is simulated first"},
      {"coslice report results/8 -o policies.html",
       "several policies beside one another, of a folder that holds their runs"},
      {"coslice report results/7 --svg figures", "each chart as a drawing, for a paper"},
      {"coslice report loads.sqlite --x workload.params.load", "a campaign, over one of its axes"},
      {"coslice report loads.sqlite --svg figures --figure wait --label easy=EASY", "one of its figures, for a paper"},
  };
  c.text =
      "The page is one file that needs no network: key figures, utilization and queue over time, distributions of "
      "wait, response time and bounded slowdown by class, tables, the Gantt of `coslice gantt`, the complete scenario "
      "and the policy's source. Of several policies it has a line each in every chart, a row each in the tables, with "
      "the best values marked, and their Gantts on one axis of time. It follows the reader's light or dark theme. "
      "Arrow keys read the values of a chart.\n\n"
      "The page of a campaign, the results of `coslice sweep`, draws any figure over any axis, with lines for the "
      "values of another one and intervals over the seeds, or the difference to one of them on the same seeds. The "
      "reader chooses in the page; --x, --by and --log say where it begins, and what the drawings show.\n\n"
      "A run folder is simulated again, as `coslice gantt` does. With --svg and without --out, only the drawings are "
      "written.";
  c.arguments = {{"RUN|CAMPAIGN",
                  "A run folder, a scenario, a trace, results of `coslice sweep`, or one run of them: loads.sqlite:7.",
                  &f.what,
                  1,
                  1,
                  {Completion::kFiles, {"toml", "swf", "swf.gz", "sqlite"}}}};
  c.options = {
      value("-o,--out", "FILE.html", f.out, "The page; without it one in the current folder, called after the run.",
            {Completion::kFiles, {"html"}}),
      values("-p,--policy", "NAME[,NAME...]", f.policies,
             "Which runs of a folder; of a scenario or a trace, the policies. Several are shown side by side.",
             {Completion::kPolicies}),
      value("--svg", "FOLDER", f.svg, "Writes each chart as an SVG drawing into this folder.", {Completion::kFolders}),
      value("--x", "AXIS", f.x, "Of a campaign: the axis along the charts."),
      value("--by", "AXIS[,AXIS...]", f.by,
            "Of a campaign: the axis whose values are lines; of several, drawings have a line for each combination."),
      values("-f,--figure", "NAME[,NAME...]", f.figures,
             "What is drawn: of a campaign figures as in `coslice compare`, of all jobs; of a run charts, by the names "
             "of their files."),
      values("--label", "NAME=TEXT", f.labels,
             "With --svg: what stands for an axis, a line or a policy in the drawings; the name of a drawing's file "
             "stands for its upright axis."),
      flag("--log", f.log, "Of a campaign: a logarithmic scale for lines whose values are all above 0."),
      value("--title", "TEXT", f.title, "The heading; without it the names of the scenario and the policy."),
      flag("--no-gantt", f.no_gantt, "Leaves out nodes over time, the largest part of the page."),
  };
  c.run = [flags] { return report(*flags); };
  return c;
}

}  // namespace coslice::cli
