#include "lab/tune/tuned_figures.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"
#include "output/summary_json.h"

namespace coslice {
namespace {

/// A kind of groups of jobs, and where summary.json has them.
struct JobGroupKind {
  const char *name, *table, *where;
};
constexpr JobGroupKind kGroupKinds[] = {{"user", "by_user", "where the workload says users"},
                                        {"group", "by_group", "where the workload says groups or accounts"},
                                        {"queue", "by_queue", "where the workload says queues"},
                                        {"partition", "by_partition", "on machines with partitions"}};

/// "wait.partition.gpu.p95", taken apart.
struct JobGroupName {
  const JobQuantity* quantity = nullptr;
  const JobGroupKind* kind = nullptr;
  std::string rest;  ///< "gpu.p95"
};

std::optional<JobGroupName> group_name(const std::string& name) {
  const std::vector<std::string> parts = split(name, '.');
  if (parts.size() < 2) return {};
  const auto quantity =
      std::ranges::find_if(job_quantities(), [&](const JobQuantity& q) { return q.name == parts[0]; });
  const auto kind = std::ranges::find_if(kGroupKinds, [&](const JobGroupKind& k) { return k.name == parts[1]; });
  if (quantity == job_quantities().end() || kind == std::end(kGroupKinds)) return {};
  return JobGroupName{&*quantity, &*kind, name.substr(std::min(name.size(), parts[0].size() + parts[1].size() + 2))};
}

bool is_statistic(std::string_view text) {
  return std::ranges::any_of(kStatistics, [&](const Statistic& s) { return text == s.name; });
}

Figure figure_of_group(const JobGroupName& of, const std::string& group, const std::string& statistic) {
  Figure f;
  f.name = statistic == "mean" ? of.quantity->name : fmt::format("{} {}", of.quantity->name, statistic);
  f.job_class = fmt::format("{} {}", of.kind->name, group);
  f.path = {of.kind->table, group, of.quantity->path, statistic};
  f.better = Better::kLower;
  f.unit = of.quantity->unit;
  return f;
}

std::vector<Figure> figures_of_groups(const std::string& name, const JobGroupName& of, const Value& summary) {
  const Value* const table = summary.find(of.kind->table);
  if (table == nullptr || table->members() == nullptr)
    throw InputError({name, 0, fmt::format("the runs have no jobs by {}", of.kind->name),
                      fmt::format("{}s, which are {}", of.kind->name, of.kind->where)});
  if (!of.rest.empty() && table->find(of.rest) != nullptr) return {figure_of_group(of, of.rest, "mean")};
  if (!of.rest.empty() && !is_statistic(of.rest)) {
    // A group's name may have dots: the last part is a statistic, or belongs to it.
    const std::size_t dot = of.rest.rfind('.');
    const bool says = dot != std::string::npos && is_statistic(of.rest.substr(dot + 1));
    return {says ? figure_of_group(of, of.rest.substr(0, dot), of.rest.substr(dot + 1))
                 : figure_of_group(of, of.rest, "mean")};
  }
  std::vector<Figure> out;
  for (const Member& m : *table->members()) {
    out.push_back(figure_of_group(of, m.key, of.rest.empty() ? "mean" : of.rest));
    if (!figure_of(out.back(), summary)) out.pop_back();  // it has no jobs here
  }
  return out;
}

}  // namespace

std::vector<Figure> tuned_figures(const std::string& name, const RunRecord& run) {
  if (name.ends_with('.')) throw InputError({name, 0, "ends with a dot", "a name behind it, or none"});
  if (const auto of = group_name(name)) return figures_of_groups(name, *of, run.summary);
  const std::vector<const RunRecord*> runs = {&run};
  const std::vector<std::string> parts = split(name, '.');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::vector<std::string> others = parts;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    try {
      std::vector<Figure> found = find_figures({fmt::format("{}", fmt::join(others, "."))}, runs, true);
      std::erase_if(found, [&](const Figure& f) { return f.job_class != parts[i]; });
      if (!found.empty()) return found;
    } catch (const InputError&) {  // then the part is none of a class
    }
  }
  return find_figures({name}, runs, true);
}

Figure goal_figure(const std::string& name, const RunRecord& run) {
  const auto of = group_name(name);
  const Value* const table = of ? run.summary.find(of->kind->table) : nullptr;
  const bool names_group = table != nullptr && !of->rest.empty() && table->find(of->rest) != nullptr;
  if (of && !names_group && (of->rest.empty() || is_statistic(of->rest)))
    throw InputError({name, 0, fmt::format("does not say which {}", of->kind->name),
                      fmt::format("{}.{}.NAME", of->quantity->name, of->kind->name)});
  const std::vector<Figure> all = tuned_figures(name, run);
  if (all.empty()) throw InputError({name, 0, "the runs have no such figure", "wait, response, slowdown, utilization"});
  const auto of_all = std::ranges::find(all, std::string("all"), &Figure::job_class);
  return of_all != all.end() ? *of_all : all.front();
}

}  // namespace coslice
