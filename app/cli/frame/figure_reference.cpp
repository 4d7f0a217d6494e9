#include "cli/frame/references.h"

#include <fmt/format.h>

#include "metrics/figures.h"

namespace coslice::cli {
namespace {

std::string unit_text(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kSeconds: return "s";
    case FigureUnit::kShare: return "share of 1";
    case FigureUnit::kCount: return "count";
    case FigureUnit::kNone: break;
  }
  return "";
}

std::string better_text(Better better) {
  return better == Better::kLower ? "lower" : better == Better::kHigher ? "higher" : "";
}

std::string head(const std::string& title, const std::string& doc) {
  return fmt::format("\n## {}\n\n{}\n\n| figure | unit | better | |\n| --- | --- | --- | --- |\n", title, doc);
}

std::string row(const std::string& path, FigureUnit unit, Better better, const std::string& doc) {
  return fmt::format("| `{}` | {} | {} | {} |\n", path, unit_text(unit), better_text(better), doc);
}

template <class Specs>
std::string rows(const Specs& specs) {
  std::string out;
  for (const auto& f : specs) out += row(f.path, f.unit, f.better, f.doc);
  return out;
}

std::string statistics_text() {
  std::string out;
  for (const Statistic& s : kStatistics) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", s.name);
  return out;
}

std::string group_section() {
  std::string out = head("Groups of jobs: `all`, `by_class`, `by_user`, `by_group`, `by_queue`, `by_partition`, "
                         "`trimmed.all`, `trimmed.by_class`",
                         "Of the jobs that ran to an end. `by_class.short.wait.mean` is a figure of the class `short`; "
                         "users, groups (accounts of a dump of sacct) and queues (its QOS) are there where the trace "
                         "has them, `-1` is unknown; partitions where the machine has them.");
  out += row("jobs", FigureUnit::kCount, Better::kNeither, "Jobs of the group.");
  for (const JobQuantity& q : job_quantities())
    out += row(q.path, q.unit, Better::kLower, fmt::format("{} It has {}.", q.doc, statistics_text()));
  return out + rows(group_figures());
}

/// Lua's name of a type that has the value.
std::string type_of(FigureUnit unit, const std::string& path) {
  if (unit == FigureUnit::kCount) return "integer";
  if (path == "saturated") return "boolean";
  if (path == "path") return "string";
  return path.rfind("response_deciles", 0) == 0 ? "number[]" : "number";
}

std::string field_name(const std::string& name) { return name == "in" ? "[\"in\"]" : name; }

/// Fields of a class; what has a dot in its path becomes a table of its own.
template <class Specs>
std::string fields(const Specs& specs) {
  std::string out;
  std::vector<std::pair<std::string, std::string>> tables;  // name, members
  for (const auto& f : specs) {
    const std::size_t dot = f.path.find('.');
    const std::string type = type_of(f.unit, f.path), unit = f.unit == FigureUnit::kSeconds ? " s" : "";
    if (dot == std::string::npos) {
      out += fmt::format("---@field {} {} {}{}\n", field_name(f.path), type, f.doc, unit);
      continue;
    }
    const std::string table = f.path.substr(0, dot), member = f.path.substr(dot + 1) + ": " + type;
    if (tables.empty() || tables.back().first != table) tables.emplace_back(table, member);
    else tables.back().second += ", " + member;
  }
  for (const auto& [name, members] : tables) out += fmt::format("---@field {} {{ {} }}\n", field_name(name), members);
  return out;
}

std::string class_name(const std::string& section) {
  std::string out = "coslice.";
  bool upper = true;
  for (const char c : section) {
    if (c == '_') upper = true;
    else out += upper ? static_cast<char>(c - 'a' + 'A') : c, upper = false;
  }
  return out + "Figures";
}

std::string group_class() {
  std::string out = "\n---Of one quantity over the jobs of a group.\n---@class coslice.Statistics\n";
  for (const Statistic& s : kStatistics) out += fmt::format("---@field {} number\n", s.name);
  out += "\n---Figures of a set of jobs that ran to an end.\n---@class coslice.RunGroup\n---@field jobs integer\n";
  for (const JobQuantity& q : job_quantities())
    out += fmt::format("---@field {} coslice.Statistics {}{}\n", q.path, q.doc,
                       q.unit == FigureUnit::kSeconds ? " s" : "");
  return out + fields(group_figures());
}

/// Members of a section that are no figures themselves.
std::string groups_in(const std::string& section) {
  const std::string both = "---@field all coslice.RunGroup\n---@field by_class table<string, coslice.RunGroup>\n";
  if (section == "trimmed") return both;
  if (section == "sharing")
    return "---@field by_class table<string, { jobs: integer, grouped: integer, late: integer }>\n";
  if (section == "resources") {
    std::string kind;
    for (const auto& f : kind_figures())
      kind += fmt::format("{}{}: {}", kind.empty() ? "" : ", ", f.path, type_of(f.unit, f.path));
    return "---@field by_kind table<string, { " + kind + " }>\n";
  }
  if (section == "processes")
    return "---@field programs table<string, { jobs: integer, mean_response: number, classes: table<string, integer> "
           "}>\n"
           "---@field jobs { id: integer, program: string, start: number, [\"end\"]: number, classes: table<string, "
           "integer> }[] Of a run of at most 100 jobs.\n";
  if (section.empty())
    return both + "---@field by_user? table<integer, coslice.RunGroup> Where the trace has users.\n"
                  "---@field by_group? table<integer, coslice.RunGroup> Where the trace has groups.\n"
                  "---@field by_queue? table<integer, coslice.RunGroup> Where the trace has queues.\n"
                  "---@field by_partition? table<string, coslice.RunGroup> Where the machine has partitions.\n";
  return "";
}

}  // namespace

std::string figure_reference_markdown() {
  std::string out =
      "<!-- Generated from the catalogue of figures (engine/metrics/figures.cpp) by ./dev docs. -->\n"
      "# Figures\n\nWhat `summary.json` says of a run, and under which paths: the same in `coslice compare --figure`, "
      "in campaigns, in\npapers and in suites (`run.summary.all.wait.mean`). Times are in seconds. Percentiles "
      "interpolate linearly between\nthe two nearest ranks. Jobs that were rejected are counted and enter no other "
      "figure.\n";
  for (const FigureSection& s : figure_sections()) {
    out += head(s.path.empty() ? "The run" : fmt::format("`{}`", s.path), s.doc) + rows(s.figures);
    if (s.path == "high_load") out += group_section();
    if (s.path == "sharing") out += head("`sharing.by_class`", "By class of jobs.") + rows(sharing_class_figures());
    if (s.path == "resources") out += head("`resources.by_kind`", "By kind of nodes.") + rows(kind_figures());
  }
  return out;
}

std::string figure_definitions() {
  std::string out = "---@meta\n-- Figures of a run: the tree of `summary.json`. Generated from the catalogue in the "
                    "engine by ./dev docs.\n";
  out += group_class();
  std::string run =
      "\n---The figures of a run. Reading one that is not there is an error.\n---@class coslice.RunSummary\n";
  for (const FigureSection& s : figure_sections()) {
    if (s.path.empty()) {
      run += fields(s.figures) + groups_in("");
      continue;
    }
    out += fmt::format("\n---{}\n---@class {}\n{}{}", s.doc, class_name(s.path), fields(s.figures), groups_in(s.path));
    const bool always = s.path == "high_load" || s.path == "trimmed";
    run += fmt::format("---@field {}{} {} {}\n", s.path, always ? "" : "?", class_name(s.path), s.doc);
  }
  return out + run;
}

}  // namespace coslice::cli
