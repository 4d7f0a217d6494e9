#include "lab/figures.h"

#include <algorithm>

#include "core/error.h"
#include "lab/json_value.h"

namespace coslice {
namespace {

using Better = Figure::Better;

struct JobFigure {
  const char *name, *member, *title;
  double JobRecord::*of_job;
};
constexpr JobFigure kOfJobs[] = {
    {"wait", "wait", "wait", &JobRecord::wait},
    {"response", "response", "response", &JobRecord::response},
    {"slowdown", "bounded_slowdown", "slowdown", &JobRecord::slowdown},
};

struct MachineFigure {
  const char *name, *member, *title;
  Better better;
  double scale;
};
constexpr MachineFigure kOfMachines[] = {
    {"utilization", "utilization", "utilization, %", Better::kHigher, 100},
    {"queue", "mean_queue_length", "queue", Better::kLower, 1},
    {"backlog", "backlog_growth", "backlog growth, %", Better::kLower, 100},
};

const std::vector<std::string> kStatistics = {"mean", "median", "p95", "max"};

/// Classes of the summary in the order in which it names them.
std::vector<std::string> classes_of(const Value& summary) {
  std::vector<std::string> names;
  const Value* metrics = summary.find("metrics");
  const Value* classes = metrics != nullptr ? metrics->find("classes") : nullptr;
  if (classes != nullptr && classes->list() != nullptr)
    for (const Value& c : *classes->list()) names.push_back(text_at(c, {"name"}));
  return names;
}

class FigureFinder {
 public:
  FigureFinder(const std::vector<const RunRecord*>& runs, bool trimmed) : runs_(runs), trimmed_(trimmed) {
    for (const RunRecord* run : runs)
      for (const std::string& c : classes_of(run->summary))
        if (std::find(classes_.begin(), classes_.end(), c) == classes_.end()) classes_.push_back(c);
  }

  std::vector<Figure> find(const std::string& name) {
    std::vector<Figure> candidates = named(name);
    candidates.erase(
        std::remove_if(candidates.begin(), candidates.end(), [&](const Figure& f) { return !is_there(f); }),
        candidates.end());
    return candidates;
  }

 private:
  std::vector<std::string> inside(std::vector<std::string> path) const {
    if (trimmed_) path.insert(path.begin(), "trimmed");
    return path;
  }

  std::vector<Figure> named(const std::string& name) const {
    const std::size_t dot = name.find('.');
    const std::string stem = name.substr(0, dot), statistic = dot == std::string::npos ? "mean" : name.substr(dot + 1);
    const bool known = std::find(kStatistics.begin(), kStatistics.end(), statistic) != kStatistics.end();
    for (const JobFigure& f : kOfJobs)
      if (f.name == stem && known) return of_jobs(f, statistic);
    for (const MachineFigure& f : kOfMachines)
      if (f.name == name) return {{f.title, "", inside({f.member}), f.better, f.scale}};
    if (name == "makespan") return {{"makespan, s", "", {"makespan"}, Better::kLower}};
    return {{name, "", parts_of(name), Better::kNeither}};
  }

  std::vector<Figure> of_jobs(const JobFigure& f, const std::string& statistic) const {
    const std::string title = std::string(f.title) + (statistic == "mean" ? "" : " " + statistic) +
                              (f.of_job == &JobRecord::slowdown ? "" : ", s");
    double JobRecord::*of_job = statistic == "mean" ? f.of_job : nullptr;
    std::vector<Figure> out;
    for (const std::string& c : classes_)
      out.push_back({title, c, inside({"by_class", c, f.member, statistic}), Better::kLower, 1, of_job});
    out.push_back({title, "all", inside({"all", f.member, statistic}), Better::kLower, 1, of_job});
    return out;
  }

  static std::vector<std::string> parts_of(const std::string& name) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= name.size();) {
      const std::size_t to = std::min(name.find('.', from), name.size());
      parts.push_back(name.substr(from, to - from));
      from = to + 1;
    }
    return parts;
  }

  /// A class without jobs has figures, but they mean nothing.
  bool is_there(const Figure& f) const {
    return std::any_of(runs_.begin(), runs_.end(),
                       [&](const RunRecord* run) { return figure_of(f, run->summary).has_value(); });
  }

  const std::vector<const RunRecord*>& runs_;
  bool trimmed_;
  std::vector<std::string> classes_;
};

void collect_numbers(const Value& v, const std::string& name, std::vector<std::string>& out) {
  if (v.integer() != nullptr || v.real() != nullptr) out.push_back(name);
  if (v.members() == nullptr) return;
  for (const Member& m : *v.members()) collect_numbers(m.value, name.empty() ? m.key : name + "." + m.key, out);
}

[[noreturn]] void unknown(const std::string& name, const std::vector<const RunRecord*>& runs) {
  std::vector<std::string> known = usual_figures();
  known.push_back("makespan");
  for (const char* stem : {"wait", "response", "slowdown"})
    for (const std::string& s : kStatistics) known.push_back(std::string(stem) + "." + s);
  if (!runs.empty()) collect_numbers(runs.front()->summary, "", known);
  throw InputError({"--figure " + name, 0, "no run has such a figure",
                    "wait, response, slowdown (.median, .p95, .max), utilization, queue, makespan, or a number of "
                    "summary.json by its path",
                    did_you_mean(name, known), ""});
}

}  // namespace

std::optional<double> figure_of(const Figure& figure, const Value& summary) {
  if (figure.path.size() > 2 && (figure.of_job != nullptr || !figure.job_class.empty())) {
    std::vector<std::string> jobs(figure.path.begin(), figure.path.end() - 2);
    jobs.push_back("jobs");
    if (number_at(summary, jobs).value_or(0) == 0) return {};
  }
  const std::optional<double> number = number_at(summary, figure.path);
  if (!number) return {};
  return *number * figure.scale;
}

std::vector<Figure> find_figures(const std::vector<std::string>& names, const std::vector<const RunRecord*>& runs,
                                 bool trimmed) {
  FigureFinder finder(runs, trimmed);
  std::vector<Figure> out;
  for (const std::string& name : names) {
    const std::vector<Figure> found = finder.find(name);
    const auto& usual = usual_figures();
    if (found.empty() && std::find(usual.begin(), usual.end(), name) == usual.end()) unknown(name, runs);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

std::vector<Figure> known_figures(const std::vector<const RunRecord*>& runs) {
  static const std::vector<std::string> names = {"wait",
                                                 "response",
                                                 "slowdown",
                                                 "utilization",
                                                 "queue",
                                                 "makespan",
                                                 "wait.median",
                                                 "wait.p95",
                                                 "wait.max",
                                                 "response.median",
                                                 "response.p95",
                                                 "slowdown.median",
                                                 "slowdown.p95",
                                                 "backlog",
                                                 "trimmed.all.relative_response_time.mean",
                                                 "core_utilization",
                                                 "high_load.in.utilization",
                                                 "high_load.in.core_utilization",
                                                 "slices.overhead_share",
                                                 "slices.preemptions",
                                                 "slices.swaps",
                                                 "sharing.groups",
                                                 "sharing.grouped_share",
                                                 "sharing.gain_promised",
                                                 "sharing.gain_had"};
  FigureFinder finder(runs, true);
  std::vector<Figure> out;
  for (const std::string& name : names) {
    const std::vector<Figure> found = finder.find(name);
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

const std::vector<std::string>& usual_figures() {
  static const std::vector<std::string> names = {"utilization", "queue", "wait", "response", "slowdown"};
  return names;
}

}  // namespace coslice
