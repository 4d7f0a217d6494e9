#include "runner/story_layout.h"

#include <algorithm>

#include "report/tables/terminal.h"
#include "scenario/machine/outage_spec.h"
#include "slices/slices.h"

namespace coslice {

StoryRecorder story_recorder(const Runner& runner, const std::vector<JobIndex>& watched) {
  const std::vector<Job>& jobs = runner.workload().jobs;
  std::vector<Outage> planned;
  if (runner.scenario().outages.any() && !jobs.empty()) planned = outage_options(runner.scenario(), jobs).plan.listed;
  std::erase_if(planned, [](const Outage& o) { return o.kind != OutageKind::kMaintenance; });
  return {jobs.size(), watched, std::move(planned)};
}

StoryContext story_context(const PolicyRun& run, const std::string& name, JobIndex job) {
  StoryContext context{&run.result, name + ", " + run.policy.name, {}, "", asks_text(run.result, job), job};
  if (run.slice_classes.empty()) return context;
  for (const SliceClass& c : run.slice_classes) context.classes.push_back(c.name);
  context.class_name = context.classes[class_of_estimate(run.slice_classes, run.result.workload->jobs[job].limit)];
  return context;
}

std::string laid_out(const StoryText& text, std::size_t width, bool colour) {
  std::string out;
  for (const std::string& line : text.head) out += wrapped(line, width) + "\n";
  for (const StoryText::Part& part : text.parts) {
    std::size_t column = 0;
    for (const StoryText::Line& line : part.lines) column = std::max(column, display_width(line.when));
    out += "\n" + paint(part.title, Tone::kBold, colour) + "\n";
    for (const StoryText::Line& line : part.lines) {
      const std::size_t indent = column == 0 ? 2 : column + 4;
      out += column == 0 ? "  " : "  " + pad_left(line.when, column) + "  ";
      out += wrapped(line.text, width, indent) + "\n";
    }
  }
  return out;
}

}  // namespace coslice
