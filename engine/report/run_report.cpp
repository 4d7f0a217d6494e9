#include "report/run_report.h"

#include <fmt/format.h>

#include "metrics/steadiness.h"
#include "report/number.h"
#include "report/run_charts.h"

namespace coslice {
namespace {

std::string duration_text(double seconds) { return human_duration(from_seconds(std::min(seconds, kMaxSeconds))); }

std::vector<ReportTile> tiles_of(const Summary& s) {
  return {{"jobs ran", grouped(s.finished)},
          {"utilization", percent(s.utilization)},
          {"mean wait", duration_text(s.all.wait.mean)},
          {"mean bounded slowdown", readable(s.all.bounded_slowdown.mean)},
          {"jobs wait on average", readable(s.mean_queue)},
          {"makespan", duration_text(s.makespan)}};
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
  if (s.rejected > 0) out.push_back(counted(s.rejected, "job") + " larger than the machine did not run.");
  if (s.killed > 0) out.push_back(counted(s.killed, "job") + " reached the time limit and ended there.");
  return out;
}

class ClassTable {
 public:
  ClassTable(std::string title, std::string note) {
    table_.title = std::move(title);
    table_.note = std::move(note);
    table_.columns = {"", "class", "jobs", "mean", "median", "95 %", "maximum"};
    table_.texts = 2;
  }

  void add(const char* what, const std::vector<GroupSummary>& classes, const GroupSummary& all, Stats GroupSummary::*of,
           bool times) {
    for (const GroupSummary& g : classes)
      if (g.jobs > 0) add(what, g, g.*of, times);
    add(what, all, all.*of, times);
  }

  ReportTable take() { return std::move(table_); }

 private:
  void add(const char* what, const GroupSummary& g, const Stats& s, bool times) {
    const auto text = [&](double x) { return times ? duration_text(x) : readable(x); };
    table_.rows.push_back({what, g.name, grouped(g.jobs), text(s.mean), text(s.median), text(s.p95), text(s.max)});
  }

  ReportTable table_;
};

ReportTable figures_of(const Summary& s, const MetricsOptions& options) {
  ClassTable t("Figures by class",
               fmt::format("Classes by run time. Bounded slowdown: response time / max(run time, {}), "
                           "at least 1.",
                           human_duration(options.bound)));
  t.add("wait", s.by_class, s.all, &GroupSummary::wait, true);
  t.add("response time", s.by_class, s.all, &GroupSummary::response, true);
  t.add("bounded slowdown", s.by_class, s.all, &GroupSummary::bounded_slowdown, false);
  return t.take();
}

ReportTable facts_of(const RunResult& r, const RunReportInfo& info) {
  ReportTable t;
  t.title = "What was run";
  t.columns = {"", ""};
  t.texts = 2;
  const MachineSpec& m = r.machine;
  t.rows = {{"policy", info.policy + (info.policy_version.empty() ? "" : ", version " + info.policy_version)},
            {"workload", fmt::format("{}, {}", r.workload->name,
                                     counted(static_cast<std::int64_t>(r.workload->jobs.size()), "job"))},
            {"machine", fmt::format("{} of {}, {} each", counted(m.nodes, "node"), counted(m.processors, "processor"),
                                    counted(m.cores, "core"))}};
  for (const auto& [name, value] : info.facts) t.rows.push_back({name, value});
  t.rows.push_back({"fingerprint", fmt::format("{:016x}", r.fingerprint)});
  return t;
}

}  // namespace

ReportPage run_report(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                      const RunReportInfo& info) {
  ReportPage page;
  page.title = info.title;
  page.lead = info.scenario_description;
  page.warnings = warnings_of(result, summary, options);
  if (summary.finished > 0) {
    page.tiles = tiles_of(summary);
    page.charts = run_charts(result, options);
    page.tables.push_back(figures_of(summary, options));
  }
  page.tables.push_back(facts_of(result, info));
  page.sources = info.sources;
  page.foot = "Made by " + info.program + ". Times count from the beginning of the workload.";
  return page;
}

}  // namespace coslice
