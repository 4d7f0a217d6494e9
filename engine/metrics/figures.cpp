#include "metrics/figures.h"

namespace coslice {
namespace {

class Visitor {
 public:
  Visitor(const Summary& summary, FigureSink& sink) : summary_(summary), sink_(sink) {}

  void visit() {
    for (const FigureSection& section : figure_sections()) {
      if (!section.there(summary_)) continue;
      if (!section.path.empty()) sink_.enter(section.path);
      for (const RunFigure& f : section.figures) sink_.figure(f.path, f.of(summary_));
      if (section.path == "trimmed") groups(summary_.trimmed, summary_.trimmed_by_class);
      if (section.path == "sharing") tables("by_class", summary_.sharing->by_class, sharing_class_figures());
      if (section.path == "resources") tables("by_kind", summary_.resources->by_kind, kind_figures());
      if (!section.path.empty()) sink_.leave();
      if (section.path == "high_load") all_groups();  // before the trimmed ones
    }
  }

 private:
  void all_groups() {
    groups(summary_.all, summary_.by_class);
    if (!summary_.by_user.empty()) groups("by_user", summary_.by_user);
    if (!summary_.by_group.empty()) groups("by_group", summary_.by_group);
    if (!summary_.by_queue.empty()) groups("by_queue", summary_.by_queue);
    if (!summary_.by_partition.empty()) groups("by_partition", summary_.by_partition);
  }

  /// A table of tables, one for each of the list, by its name.
  template <class T>
  void tables(const char* name, const std::vector<T>& list, const std::vector<FigureSpec<T>>& figures) {
    sink_.enter(name);
    for (const T& of : list) {
      sink_.enter(of.name);
      for (const FigureSpec<T>& f : figures) sink_.figure(f.path, f.of(of));
      sink_.leave();
    }
    sink_.leave();
  }

  void groups(const GroupSummary& all, const std::vector<GroupSummary>& by_class) {
    group("all", all);
    groups("by_class", by_class);
  }

  void groups(const char* name, const std::vector<GroupSummary>& list) {
    sink_.enter(name);
    for (const GroupSummary& g : list) group(g.name, g);
    sink_.leave();
  }

  void group(const std::string& name, const GroupSummary& g) {
    sink_.enter(name);
    sink_.figure("jobs", g.jobs);
    for (const JobQuantity& q : job_quantities()) {
      sink_.enter(q.path);
      for (const Statistic& s : kStatistics) sink_.figure(s.name, g.*q.of.*s.of);
      sink_.leave();
    }
    for (const auto& f : group_figures()) sink_.figure(f.path, f.of(g));
    sink_.leave();
  }

  const Summary& summary_;
  FigureSink& sink_;
};

}  // namespace

namespace {

/// The figure of that path in the section; null if there is none.
const RunFigure* find_in(const FigureSection& section, std::string_view path) {
  const std::string start = section.path.empty() ? "" : section.path + ".";
  if (path.substr(0, start.size()) != start) return nullptr;
  for (const RunFigure& f : section.figures)
    if (f.path == path.substr(start.size())) return &f;
  return nullptr;
}

}  // namespace

const RunFigure* find_run_figure(std::string_view path) {
  const FigureSection* const section = section_of(path);
  return section != nullptr ? find_in(*section, path) : nullptr;
}

const FigureSection* section_of(std::string_view path) {
  for (const FigureSection& section : figure_sections())
    if (find_in(section, path) != nullptr) return &section;
  return nullptr;
}

std::string statistic_endings() {
  std::string endings;
  for (const Statistic& s : kStatistics)
    if (s.of != &Stats::mean) endings += std::string(endings.empty() ? "." : ", .") + s.name;
  return endings;
}

const char* unit_ending(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kSeconds: return ", s";
    case FigureUnit::kShare: return ", %";
    default: return "";
  }
}

void visit_figures(const Summary& summary, FigureSink& sink) { Visitor(summary, sink).visit(); }

}  // namespace coslice
