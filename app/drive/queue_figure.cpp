#include "drive/queue_figure.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"

namespace coslice::drive {
namespace {

[[noreturn]] void refuse_figure(const std::string& name, const std::vector<JobClass>& classes) {
  std::vector<std::string> known, quantities, names;
  for (const JobClass& c : classes) names.push_back(c.name);
  for (const JobQuantity& q : job_quantities()) {
    quantities.emplace_back(q.name);
    known.emplace_back(q.name);
    for (const Statistic& s : kStatistics) known.push_back(fmt::format("{}.{}", q.name, s.name));
    for (const std::string& c : names) known.push_back(fmt::format("{}.{}", q.name, c));
  }
  throw InputError({"--minimize " + name, 0, "is no figure of waiting jobs",
                    fmt::format("{} ({}; of a class: .{})", fmt::join(quantities, ", "), statistic_endings(),
                                fmt::join(names, ", .")),
                    did_you_mean(name, known)});
}

}  // namespace

QueueFigure::QueueFigure(const std::string& name, const MetricsOptions& metrics) : options_(metrics) {
  const std::vector<JobClass>& classes = options_.classes;
  const std::vector<std::string> parts = split(name, '.');
  for (const JobQuantity& q : job_quantities())
    if (q.name == parts.front()) quantity_ = &q;
  bool statistic = false, known = quantity_ != nullptr;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto s = std::ranges::find_if(kStatistics, [&](const Statistic& one) { return one.name == parts[i]; });
    const bool is_class = std::ranges::find(classes, parts[i], &JobClass::name) != classes.end();
    if (s != std::end(kStatistics) && !statistic) statistic_ = &*s, statistic = true;
    else if (is_class && job_class_.empty()) job_class_ = parts[i];
    else known = false;
  }
  if (!known) refuse_figure(name, classes);
}

std::string QueueFigure::name() const {
  return fmt::format("{} {}{}", statistic_->name, quantity_->name,
                     job_class_.empty() ? "" : fmt::format(" (class {})", job_class_));
}

std::optional<double> QueueFigure::of(const Present& present, const std::vector<Duration>& run_times,
                                      const QueueForecast& forecast, Time last) const {
  Workload waiting;
  RunResult run;
  run.machine = MachineSpec{present.machine.nodes, 1, 1, 0};
  std::size_t place = 0;
  for (const JobIndex j : present.waiting()) {
    Job job = present.workload.jobs[j];
    job.runtime = run_times[j];
    job.request = kNoRequest;
    job.user = job.group = job.queue = job.partition = -1;
    Outcome outcome;
    outcome.start = std::min(forecast.starts[place++], last);
    outcome.end = outcome.start + job.runtime;
    outcome.state = FinalState::kCompleted;
    waiting.jobs.push_back(job);
    run.outcomes.push_back(outcome);
  }
  run.workload = &waiting;
  const Summary summary = summarize(run, options_, SummaryUse::kTable);
  const GroupSummary* group = &summary.all;
  for (const GroupSummary& g : summary.by_class)
    if (g.name == job_class_) group = &g;
  if (group->jobs == 0) return {};
  return group->*quantity_->of.*statistic_->of;
}

}  // namespace coslice::drive
