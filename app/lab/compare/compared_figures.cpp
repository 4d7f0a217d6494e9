#include "lab/compare/compared_figures.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"
#include "output/summary_json.h"

namespace coslice {
namespace {

/// What the mean of a quantity over jobs averages.
double JobRecord::*of_each_job(const JobQuantity& q) {
  if (q.of == &GroupSummary::wait) return &JobRecord::wait;
  if (q.of == &GroupSummary::response) return &JobRecord::response;
  return q.of == &GroupSummary::bounded_slowdown ? &JobRecord::slowdown : nullptr;
}

/// Names of figures of the machine, and where they stand; those of the trimmed time have the same names below it.
struct ShortName {
  const char *name, *path;
};
constexpr ShortName kShortNames[] = {
    {"utilization", "utilization"}, {"queue", "mean_queue_length"}, {"backlog", "backlog_growth"}};

/// What the summary itself has.
std::optional<double> written_figure(const Figure& figure, const Value& summary) {
  if (figure.path.size() > 2 && (figure.of_job != nullptr || !figure.job_class.empty())) {
    std::vector<std::string> jobs(figure.path.begin(), figure.path.end() - 2);
    jobs.push_back("jobs");
    if (number_at(summary, jobs).value_or(0) == 0) return {};
  }
  // Jobs that all come at once leave no time between the first and the last of them.
  if (figure.path.size() == 2 && figure.path[0] == "trimmed" && has_no_time_between(summary)) {
    for (const ShortName& s : kShortNames)
      if (figure.path[1] == s.path) return number_at(summary, {s.path});
  }
  return number_at(summary, figure.path);
}

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
        if (std::ranges::find(classes_, c) == classes_.end()) classes_.push_back(c);
  }

  std::vector<Figure> find(const std::string& name) {
    std::vector<Figure> candidates = named(name);
    std::erase_if(candidates, [&](const Figure& f) { return !is_there(f); });
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
    for (const JobQuantity& q : job_quantities())
      for (const Statistic& s : kStatistics)
        if (q.name == stem && s.name == statistic) return of_jobs(q, s);
    for (const ShortName& s : kShortNames)
      if (s.name == name) return {of_machine(s)};
    return {by_path(name)};
  }

  std::vector<Figure> of_jobs(const JobQuantity& q, const Statistic& s) const {
    const bool mean = s.of == &Stats::mean;
    Figure f;
    f.name = mean ? q.name : std::string(q.name) + " " + s.name;
    f.better = Better::kLower;
    f.unit = q.unit;
    if (mean) f.of_job = of_each_job(q);
    std::vector<Figure> out;
    for (const std::string& c : classes_) {
      f.job_class = c;
      f.path = inside({"by_class", c, q.path, s.name});
      out.push_back(f);
    }
    f.job_class = "all";
    f.path = inside({"all", q.path, s.name});
    out.push_back(f);
    return out;
  }

  Figure of_machine(const ShortName& s) const {
    const RunFigure* spec = find_run_figure(std::string("trimmed.") + s.path);
    Figure f;
    f.name = spec->quantity;
    f.path = inside({s.path});
    f.better = spec->better;
    f.unit = spec->unit;
    f.of_machine = is_part_of_machine(std::string("trimmed.") + s.path);
    return f;
  }

  /// A number of summary.json; what the catalogue knows of it comes with it.
  static Figure by_path(const std::string& path) {
    Figure f;
    f.name = path;
    f.path = split(path, '.');
    f.usual = path == "makespan";
    f.of_machine = is_part_of_machine(path);
    if (const RunFigure* spec = find_run_figure(path)) {
      f.better = spec->better;
      f.unit = spec->unit;
      if (section_of(path)->absent_is_zero) f.absent = 0;
    }
    return f;
  }

  /// A class without jobs has figures, but they mean nothing.
  bool is_there(const Figure& f) const {
    return std::ranges::any_of(runs_,
                               [&](const RunRecord* run) { return written_figure(f, run->summary).has_value(); });
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

/// Paths of which the name is a whole part, at the beginning or the end: "preemptions.stopped" and "slices.preemptions"
/// of "preemptions".
std::string parts_that_are(const std::string& name, const std::vector<std::string>& paths) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    const bool begins = path.starts_with(name + "."), ends = path.ends_with("." + name);
    const std::string quoted = "'" + path + "'";
    if ((begins || ends) && std::ranges::find(found, quoted) == found.end()) found.push_back(quoted);
  }
  if (found.empty()) return "";
  if (found.size() > kMostNamed) found.resize(kMostNamed);
  return fmt::format("did you mean {}?", fmt::join(found, ", "));
}

/// The same for a part that is spelt nearly like `name`.
std::string parts_near(const std::string& name, const std::vector<std::string>& paths) {
  std::vector<std::string> parts;
  for (const std::string& path : paths)
    for (const std::string& part : {path.substr(0, path.find('.')), path.substr(path.rfind('.') + 1)})
      if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  const std::string near = nearest_name(name, parts);
  return near.empty() ? "" : parts_that_are(near, paths);
}

/// The section that the name, of one of its figures or its own, stands for where no run has it; null where the name is
/// of none, or runs have figures of it.
const FigureSection* absent_section(const std::string& name, const std::vector<std::string>& paths) {
  if (const FigureSection* section = section_of(name)) return section;
  for (const std::string& path : paths)
    if (path.starts_with(name + ".")) return nullptr;
  for (const FigureSection& section : figure_sections())
    if (!section.path.empty() && section.path == name) return &section;
  return nullptr;
}

[[noreturn]] void unknown(const std::string& name, const std::vector<const RunRecord*>& runs) {
  std::vector<std::string> paths, known = usual_figures();
  for (const RunRecord* run : runs) collect_numbers(run->summary, "", paths);
  known.push_back("makespan");
  for (const JobQuantity& q : job_quantities())
    for (const Statistic& s : kStatistics) known.push_back(std::string(q.name) + "." + s.name);
  known.insert(known.end(), paths.begin(), paths.end());
  const FigureSection* const section = absent_section(name, paths);
  std::string near = section == nullptr ? parts_that_are(name, paths) : "";
  if (section == nullptr && near.empty()) near = did_you_mean(name, known);
  if (section == nullptr && near.empty()) near = parts_near(name, paths);
  throw InputError({"--figure " + name, 0, section != nullptr ? "no run has this figure" : "no run has such a figure",
                    fmt::format("wait, response, slowdown ({}), utilization, queue, makespan, or a number of "
                                "summary.json by its path",
                                statistic_endings()),
                    near, section != nullptr ? section->doc : ""});
}

}  // namespace

bool has_no_time_between(const Value& summary) {
  const auto from = number_at(summary, {"trimmed", "from"}), to = number_at(summary, {"trimmed", "to"});
  return from && to && *to <= *from;
}

std::optional<double> recorded_figure(const Figure& figure, const Value& summary) {
  const std::optional<double> number = written_figure(figure, summary);
  return number ? number : figure.absent;
}

std::optional<double> figure_of(const Figure& figure, const Value& summary) {
  const std::optional<double> number = recorded_figure(figure, summary);
  if (!number) return {};
  return *number * figure.scale();
}

std::vector<Figure> find_figures(const std::vector<std::string>& names, const std::vector<const RunRecord*>& runs,
                                 bool trimmed) {
  FigureFinder finder(runs, trimmed);
  std::vector<Figure> out;
  for (const std::string& name : names) {
    const std::vector<Figure> found = finder.find(name);
    const auto& usual = usual_figures();
    if (found.empty() && std::ranges::find(usual, name) == usual.end()) unknown(name, runs);
    for (const Figure& f : found) {
      const auto same = [&](const Figure& other) { return other.path == f.path; };
      if (std::ranges::none_of(out, same)) out.push_back(f);
    }
  }
  return out;
}

std::vector<Figure> find_usual_figures(const std::vector<const RunRecord*>& runs, bool trimmed) {
  FigureFinder finder(runs, trimmed);
  std::vector<Figure> out;
  for (const std::string& name : usual_figures()) {
    for (Figure& f : finder.find(name)) out.push_back(std::move(f));
    if (name != "utilization") continue;
    for (const char* beside : {"energy.used", "cost.total"})
      for (Figure& f : finder.find(beside)) out.push_back(std::move(f));
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
                                                 "preemptions.stopped",
                                                 "resources.gpu_utilization",
                                                 "resources.gpus_with_jobs",
                                                 "energy.used",
                                                 "cost.total",
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
