#include "cli/run/run_pictures.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/gantt/gantt.h"

namespace coslice::cli {

std::vector<PicturedRun> simulate_with_pictures(const std::vector<OneRun>& runs) {
  std::vector<PicturedRun> out;
  for (const OneRun& one : runs) {
    SegmentRecorder recorder(one.runner().workload().jobs.size());
    PolicyRun run = one.simulate({&recorder});
    std::string name = run.policy.name;
    const auto taken = [&] {
      return std::any_of(out.begin(), out.end(), [&](const PicturedRun& r) { return r.name == name; });
    };
    for (int n = 2; taken(); ++n) name = fmt::format("{}-{}", run.policy.name, n);
    out.push_back({&one, name, std::move(run), recorder.take()});
  }
  return out;
}

std::string title_of(const std::vector<PicturedRun>& runs) {
  std::string names;
  for (const PicturedRun& r : runs) names += (names.empty() ? "" : ", ") + r.name;
  return runs.front().one->name() + (runs.size() > 1 ? ": " : ", ") + names;
}

std::vector<GanttChart> gantt_charts(std::vector<PicturedRun>& runs, const GanttOptions& options) {
  std::vector<GanttChart> out;
  for (PicturedRun& r : runs) {
    GanttOptions own = options;
    own.policy = r.name;
    if (runs.size() > 1) own.title = r.name;
    out.push_back(gantt_chart(r.run.result, r.one->runner().scenario().metrics, std::move(r.segments),
                              {r.run.slice_classes, r.run.slice_overhead}, own));
  }
  share_window(out);
  return out;
}

std::vector<ReportGantt> framed_gantts(const std::vector<GanttChart>& charts) {
  std::vector<ReportGantt> out;
  for (const GanttChart& c : charts) {
    ReportGantt g;
    if (charts.size() > 1) g.name = c.options.policy;
    write_gantt_html(c, sink_to(g.page));
    write_gantt_print(c, sink_to(g.drawing));
    out.push_back(std::move(g));
  }
  return out;
}

}  // namespace coslice::cli
