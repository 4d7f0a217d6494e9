// The view `results`: one column per axis and per figure, so that a person at an SQL prompt, or R, or pandas, has a
// plain table.
#include <algorithm>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/campaign/results_format.h"

namespace coslice {
namespace {

/// Parts of a summary that are no figures, or figures of hundreds of users.
bool is_no_figure(const std::string& key) {
  static const std::set<std::string> names = {"coslice", "metrics",     "machine", "workload", "policy",   "engine",
                                              "seed",    "environment", "by_user", "by_group", "by_queue", "inputs"};
  return names.count(key) != 0;
}

/// Paths of the figures, in the order in which they first come up.
class Figures {
 public:
  void add(const nlohmann::ordered_json& summary) { walk(summary, "", "$"); }
  struct Figure {
    std::string name, path;
  };
  const std::vector<Figure>& all() const { return figures_; }

 private:
  void walk(const nlohmann::ordered_json& table, const std::string& name, const std::string& path) {
    for (const auto& [key, member] : table.items()) {
      if (is_no_figure(key)) continue;
      const std::string full = name.empty() ? key : name + "." + key;
      const std::string step =
          path + "." +
          nlohmann::ordered_json(key).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      if (member.is_object()) walk(member, full, step);
      else if (member.is_number() && names_.insert(full).second) figures_.push_back({full, step});
    }
  }

  std::vector<Figure> figures_;
  std::set<std::string> names_;
};

Figures figures_of(const Database& database) {
  Figures figures;
  Statement summaries(database, "SELECT summary FROM runs WHERE status = 'done' ORDER BY run");
  while (summaries.step()) {
    const nlohmann::ordered_json summary = nlohmann::ordered_json::parse(summaries.text(0), nullptr, false);
    if (summary.is_object()) figures.add(summary);
  }
  return figures;
}

std::string in_lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

void write_results_view(Database& database) {
  constexpr std::size_t kMostColumns = 1900;  // SQLite takes 2,000
  std::set<std::string> names = {"run",  "status",  "error", "policy",      "workload",
                                 "seed", "version", "host",  "wall_seconds",
                                 "cpu_seconds"};
  std::string sql = "CREATE VIEW results AS SELECT run, status, error, policy, workload, seed";
  const auto add = [&](const std::string& name, const std::string& column, const std::string& path) {
    if (names.size() >= kMostColumns || !names.insert(in_lower_case(name)).second) return;  // columns ignore capitals
    sql += ",\n  json_extract(" + column + ", " + sql_text(path) + ") AS " + sql_name(name);
  };
  Statement axes(database, "SELECT name FROM axes ORDER BY position");
  while (axes.step()) add(axes.text(0), "point", "$." + nlohmann::ordered_json(axes.text(0)).dump());
  const Figures figures = figures_of(database);
  for (const Figures::Figure& f : figures.all()) add(f.name, "summary", f.path);
  database.run("DROP VIEW IF EXISTS results");
  database.run(sql + ",\n  fingerprint, version, host, wall_seconds, cpu_seconds\nFROM runs");
}

}  // namespace coslice
