#include "report/pages/run_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "metrics/steadiness.h"
#include "report/charts/run_charts.h"
#include "report/number.h"
#include "report/tables/run_tables.h"

namespace coslice {
namespace {

std::string duration_text(double seconds) { return human_duration(from_seconds(std::min(seconds, kMaxSeconds))); }

std::vector<ReportTile> tiles_of(const Summary& s) {
  std::vector<ReportTile> out = {{"jobs ran", grouped(s.finished)}};
  if (s.resources && s.resources->gpus > 0) {
    out.push_back({"of the GPUs in use", percent(s.resources->gpus)});
    out.push_back({"of the nodes in use", percent(s.utilization)});
  } else {
    out.push_back({"utilization", percent(s.utilization)});
  }
  for (const ReportTile& t : {ReportTile{"mean wait", duration_text(s.all.wait.mean)},
                              ReportTile{"mean bounded slowdown", readable(s.all.bounded_slowdown.mean)},
                              ReportTile{"jobs wait on average", readable(s.mean_queue)},
                              ReportTile{"makespan", duration_text(s.makespan)}})
    out.push_back(t);
  if (s.energy) out.push_back({"energy", grouped(s.energy->used, 1) + " kWh"});
  if (s.cost) out.push_back({"cost", grouped(s.cost->total, 2)});
  return out;
}

std::vector<std::string> warnings_of(const RunResult& result, const Summary& s, const MetricsOptions& options) {
  std::vector<std::string> out;
  if (s.finished == 0) return {"No job ran to an end: there is nothing to draw."};
  const Steadiness steady = steadiness(result, options.trim);
  if (steady.saturated)
    out.push_back(
        fmt::format("The machine fell behind by {} of its time: the queue grew from the beginning to the end. "
                    "Waits and slowdowns say how long the run was, not how good the policy is.",
                    percent(steady.growth)));
  if (s.rejected > 0)
    out.push_back(fmt::format("{} did not run ({}); `coslice explain` says why, job by job.", counted(s.rejected, "job"),
                              rejections_of(s)));
  if (s.unfulfilled > 0)
    out.push_back(counted(s.unfulfilled, "job") + " never came: what they depend on could not happen any more.");
  if (const std::int64_t waited = s.withdrawn - s.withdrawn_started; waited > 0)
    out.push_back(counted(waited, "job") + " did not start before their users cancelled them.");
  if (s.withdrawn_started > 0)
    out.push_back(counted(s.withdrawn_started, "job") + " started that were cancelled while they waited in the record, which does "
                  "not say how long they would have run: they are in no figure of jobs.");
  if (s.killed > 0) out.push_back(counted(s.killed, "job") + " reached the time limit and ended there.");
  return out;
}

std::string workload_of(const RunResult& r) {
  return fmt::format("{}, {}", r.workload->name, counted(static_cast<std::int64_t>(r.workload->jobs.size()), "job"));
}

std::string machine_of(const MachineSpec& m) {
  return fmt::format("{} of {}, {} each", counted(m.nodes, "node"), counted(m.processors, "processor"),
                     counted(m.cores, "core"));
}

/// Sources that several runs have in common are there once.
void add_sources(const std::vector<ReportSource>& sources, std::vector<ReportSource>& out) {
  for (const ReportSource& s : sources)
    if (std::none_of(out.begin(), out.end(),
                     [&](const ReportSource& o) { return o.name == s.name && o.text == s.text; }))
      out.push_back(s);
}

}  // namespace

void RunReport::add(const RunResult& result, const NamedSummary& run, const RunReportInfo& info) {
  runs_.push_back({info, workload_of(result), machine_of(result.machine), fmt::format("{:016x}", result.fingerprint),
                   warnings_of(result, run.summary, options_)});
  summaries_.push_back(run);
  if (run.summary.finished > 0) charts_.push_back({run.name, run_charts(result, options_)});
  if (result.processes) processes_.push_back(process_report(run.name, result));
}

bool RunReport::is_common(const std::pair<std::string, std::string>& fact) const {
  return std::all_of(runs_.begin(), runs_.end(), [&](const Run& run) {
    return std::find(run.info.facts.begin(), run.info.facts.end(), fact) != run.info.facts.end();
  });
}

/// What all runs have in common, then each policy.
ReportTable RunReport::facts() const {
  ReportTable t;
  t.title = "What was run";
  t.columns = {"", ""};
  t.texts = 2;
  t.rows = {{"workload", runs_.front().workload}, {"machine", runs_.front().machine}};
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const RunReportInfo& info = runs_[i].info;
    const std::string of = runs_.size() > 1 ? summaries_[i].name + ": " : "";
    t.rows.push_back(
        {of + "policy", info.policy + (info.policy_version.empty() ? "" : ", version " + info.policy_version)});
    for (const auto& fact : info.facts) {
      const bool common = runs_.size() > 1 && is_common(fact);
      if (!common) t.rows.push_back({of + fact.first, fact.second});
      else if (i == 0) t.rows.insert(t.rows.begin() + 2, {fact.first, fact.second});
    }
    t.rows.push_back({of + "fingerprint", runs_[i].fingerprint});
  }
  return t;
}

ReportPage RunReport::page(const std::string& title) {
  ReportPage page;
  page.title = title;
  page.lead = runs_.front().info.scenario_description;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    for (const std::string& w : runs_[i].warnings)
      page.warnings.push_back(runs_.size() > 1 ? summaries_[i].name + ": " + w : w);
  if (!charts_.empty()) {
    if (runs_.size() == 1) {
      page.tiles = tiles_of(summaries_.front().summary);
      page.charts = std::move(charts_.front().charts);
    } else {
      page.charts = compared_charts(charts_);
      for (Chart& c : class_charts(summaries_)) page.charts.push_back(std::move(c));
    }
    page.tables = run_tables(summaries_, options_);
    for (ReportTable& t : process_tables(processes_)) page.tables.push_back(std::move(t));
  }
  page.tables.push_back(facts());
  for (const Run& run : runs_) add_sources(run.info.sources, page.sources);
  page.foot = "Made by " + runs_.front().info.program + ". Times count from the beginning of the workload.";
  return page;
}

}  // namespace coslice
