#include "lab/campaign/results_view.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace coslice {
namespace {

/// Parts of a summary that are no figures, or figures of hundreds of users.
bool is_no_figure(const std::string& key) {
  static const std::set<std::string> names = {"coslice",  "metrics",      "machine",     "workload", "policy",
                                              "engine",   "seed",         "environment", "by_user",  "by_group",
                                              "by_queue", "by_partition", "inputs"};
  return names.count(key) != 0;
}

std::string in_lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// A number for the names of a summary's members and the kinds of their values, whatever these are: summaries of one
/// kind of run have the same. Reading all of each would cost as much as a short run itself.
std::uint64_t shape_of(std::string_view json) {
  std::uint64_t shape = 14695981039346656037u;  // FNV-1a
  const auto add = [&](std::string_view text) {
    for (const char c : text) shape = (shape ^ static_cast<unsigned char>(c)) * 1099511628211u;
  };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      std::size_t end = i + 1;
      while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
      const bool is_name = json.substr(std::min(end + 1, json.size()), 1) == ":";
      add(is_name ? json.substr(i, end - i) : "\"");
      i = end;
    } else if (c == '{' || c == '}' || c == '[' || c == ']' || c == 'n' || c == ',') {
      add({&c, 1});  // n: null
    }
  }
  return shape;
}

}  // namespace

bool ResultsView::add(std::string_view summary_json) {
  if (!shapes_.insert(shape_of(summary_json)).second) return false;
  const nlohmann::ordered_json summary = nlohmann::ordered_json::parse(summary_json, nullptr, false);
  const std::size_t before = figures_.size();
  if (summary.is_object()) walk(summary, "", "$");
  return figures_.size() != before;
}

void ResultsView::walk(const nlohmann::ordered_json& table, const std::string& name, const std::string& path) {
  for (const auto& [key, member] : table.items()) {
    if (is_no_figure(key)) continue;
    const std::string full = name.empty() ? key : name + "." + key;
    const std::string step =
        path + "." + nlohmann::ordered_json(key).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    if (member.is_object()) walk(member, full, step);
    else if (member.is_number() && names_.insert(full).second) figures_.push_back({full, step});
  }
}

void ResultsView::add_all(const Database& database) {
  Statement summaries(database, "SELECT summary FROM runs WHERE status = 'done' ORDER BY run");
  while (summaries.step()) add(summaries.text(0));
}

void ResultsView::write(Database& database) const {
  constexpr std::size_t kMostColumns = 1900;  // SQLite takes 2,000
  std::set<std::string> names = {"run",  "status",  "error", "policy",       "workload",
                                 "seed", "version", "host",  "wall_seconds", "cpu_seconds"};
  std::string sql = "CREATE VIEW results AS SELECT run, status, error, policy, workload, seed";
  const auto add = [&](const std::string& name, const std::string& column, const std::string& path) {
    if (names.size() >= kMostColumns || !names.insert(in_lower_case(name)).second) return;  // columns ignore capitals
    sql += ",\n  json_extract(" + column + ", " + sql_text(path) + ") AS " + sql_name(name);
  };
  Statement axes(database, "SELECT name FROM axes ORDER BY position");
  while (axes.step()) add(axes.text(0), "point", "$." + nlohmann::ordered_json(axes.text(0)).dump());
  for (const Figure& f : figures_) add(f.name, "summary", f.path);
  database.run("DROP VIEW IF EXISTS results");
  database.run(sql + ",\n  fingerprint, version, host, wall_seconds, cpu_seconds\nFROM runs");
}

void write_results_view(Database& database) {
  ResultsView view;
  view.add_all(database);
  view.write(database);
}

}  // namespace coslice
