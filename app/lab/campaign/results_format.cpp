#include "lab/campaign/results_format.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "lab/campaign/campaign_groups.h"
#include "output/jobs_csv.h"
#include "output/output.h"
#include "scenario/csv_columns.h"

namespace coslice {
namespace {

/// The columns of the table but `run`.
std::vector<std::string> jobs_columns(const Database& database, const std::string& schema = "main") {
  std::vector<std::string> columns;
  Statement s(database, "SELECT name FROM pragma_table_info('jobs', ?) WHERE name <> 'run' ORDER BY cid");
  s.bind(1, schema);
  while (s.step()) columns.push_back(s.text(0));
  return columns;
}

void add_jobs_columns(Database& database, const std::vector<std::string>& columns) {
  const std::vector<std::string> there = jobs_columns(database);
  for (const std::string& c : columns) {
    if (std::ranges::find(there, c) == there.end()) database.run("ALTER TABLE jobs ADD COLUMN " + sql_name(c));
  }
}

std::string names_list(const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& c : columns) out += ", " + sql_name(c);
  return out;
}

/// The field as a number, if it is written as we write numbers: so the text can be had back.
template <class T, class Append>
bool bind_number(Statement& s, int position, std::string_view field, Append append) {
  const std::optional<T> number = parse_number<T>(field);
  std::string again;
  if (number) append(again, *number);
  if (!number || again != field) return false;
  s.bind(position, *number);
  return true;
}

void bind_field(Statement& s, int position, std::string_view field) {
  if (field.empty()) s.bind_nothing(position);
  else if (!bind_number<std::int64_t>(s, position, field, append_integer) &&
           !bind_number<double>(s, position, field, append_real))
    s.bind(position, field);
}

/// Only some runs have these columns, and they are never empty there.
bool is_optional_column(const std::string& column) {
  static const std::vector<std::string> always = split(std::string(kBatsimColumns) + "," + own_columns(), ',');
  return std::ranges::find(always, column) == always.end();
}

void append_csv_field(std::string& out, const Statement& row, int column) {
  if (row.is_null(column)) return;
  if (row.is_real(column)) append_real(out, row.real(column));
  else out += csv_field(row.text(column));
}

constexpr const char* kResultsTables = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE axes(position INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE runs(
  run INTEGER PRIMARY KEY, key TEXT UNIQUE, status TEXT CHECK(status IN ('done', 'failed')), error TEXT,
  policy TEXT, workload TEXT, seed INTEGER, point TEXT, scenario TEXT, summary TEXT, fingerprint TEXT, version TEXT,
  host TEXT, wall_seconds REAL, cpu_seconds REAL);
)";

[[noreturn]] void refuse_results(const Database& database, const std::string& problem) {
  throw InputError({database.path(), 0, problem, "what `coslice sweep` writes"});
}

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

void create_jobs_table(Database& database) {
  std::string sql = "CREATE TABLE jobs(run INTEGER";
  const std::string own = own_columns();
  for (std::string_view group :
       {kBatsimColumns, std::string_view(own), kSliceColumns, kOutageColumns, kSuspendedColumns, kElasticColumns,
        kPowerColumns, kSharingColumns, kSwitchColumns, kPlaceColumns})
    sql += names_list(split(group, ','));
  database.run(sql + "); CREATE INDEX jobs_of_run ON jobs(run);");
}

void write_jobs(Database& database, std::int64_t run, std::string_view text) {
  const CsvColumns csv(text);
  add_jobs_columns(database, csv.columns());
  std::string places;
  for (std::size_t i = 0; i < csv.columns().size(); ++i) places += ", ?";
  Statement insert(database, "INSERT INTO jobs(run" + names_list(csv.columns()) + ") VALUES(?" + places + ")");
  csv.each_row([&](const std::vector<std::string>& fields) {
    insert.bind(1, run);
    for (std::size_t i = 0; i < csv.columns().size(); ++i) {
      bind_field(insert, static_cast<int>(i) + 2, i < fields.size() ? fields[i] : std::string_view());
    }
    insert.finish();
  });
}

void copy_jobs(Database& database, const std::string& attached) {
  const std::vector<std::string> columns = jobs_columns(database, attached);
  add_jobs_columns(database, columns);
  const std::string list = "run" + names_list(columns);
  database.run("INSERT INTO jobs(" + list + ") SELECT " + list + " FROM " + attached + ".jobs ORDER BY rowid");
}

std::string read_jobs(const Database& database, std::int64_t run) {
  std::vector<std::string> columns;
  for (const std::string& c : jobs_columns(database)) {
    Statement some(database, "SELECT 1 FROM jobs WHERE run = ? AND " + sql_name(c) + " IS NOT NULL LIMIT 1");
    if (!is_optional_column(c) || some.bind(1, run).step()) columns.push_back(c);
  }
  Statement rows(database, "SELECT " + names_list(columns).substr(2) + " FROM jobs WHERE run = ? ORDER BY rowid");
  rows.bind(1, run);
  std::string out;
  while (rows.step()) {
    if (out.empty()) {
      for (const std::string& c : columns) out += (out.empty() ? "" : ",") + csv_field(c);
      out += '\n';
    }
    for (int c = 0; c < rows.columns(); ++c) {
      if (c > 0) out += ',';
      append_csv_field(out, rows, c);
    }
    out += '\n';
  }
  return out;
}

void create_results_tables(Database& database, bool jobs) {
  database.run(kResultsTables);
  if (jobs) create_jobs_table(database);
  database.run("INSERT INTO meta VALUES('format', " + sql_text(kResultsFormat) + ")");
}

void check_results_format(const Database& database) {
  if (database.integer("SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'axes', 'runs')") != 3)
    refuse_results(database, "holds no results of a campaign");
  const std::string format = database.text("SELECT value FROM meta WHERE key = 'format'").value_or("");
  if (format != kResultsFormat)
    refuse_results(database, fmt::format("is of the format '{}', not '{}'; another version of coslice wrote it", format,
                                         kResultsFormat));
}

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

namespace {

std::string path_of_axis(const std::string& axis) { return "$." + nlohmann::ordered_json(axis).dump(); }

enum class PlaceOf : std::uint8_t {
  kCell,   ///< the seed, and the values of the conditions
  kPoint,  ///< the values of all axes but the seed
};

/// An expression for where a run stands, one text.
std::string sql_place(const std::vector<std::string>& axes, PlaceOf of) {
  std::string sql = of == PlaceOf::kCell ? "json_array(seed" : "json_array(0";
  for (const std::string& axis : axes)
    if (axis != "seed" && (of == PlaceOf::kPoint || is_condition_axis(axis)))
      sql += ", json_extract(point, " + sql_text(path_of_axis(axis)) + ")";
  return sql + ")";
}

}  // namespace

/// The columns of axes and figures, the latter from `summary`.
std::string ResultsView::columns(const std::vector<std::string>& axes, const std::string& summary) const {
  constexpr std::size_t kMostColumns = 1900;  // SQLite takes 2,000
  std::set<std::string> names = {"run",      "status", "error",   "compared", "failed",       "policy",
                                 "workload", "seed",   "version", "host",     "wall_seconds", "cpu_seconds"};
  std::string sql;
  const auto add = [&](const std::string& name, const std::string& column, const std::string& path) {
    if (names.size() >= kMostColumns || !names.insert(in_lower_case(name)).second) return;  // columns ignore capitals
    sql += ",\n  json_extract(" + column + ", " + sql_text(path) + ") AS " + sql_name(name);
  };
  for (const std::string& axis : axes) add(axis, "point", path_of_axis(axis));
  for (const Figure& f : figures_) add(f.name, summary, f.path);
  return sql + ",\n  fingerprint, version, host, wall_seconds, cpu_seconds\n";
}

/// Plain averages must not be those of survivors: where a run failed, the figures of the others on the same seed and
/// under the same condition are left out, as comparisons do (`lost`). A point that always fails takes none with it.
void ResultsView::write(Database& database) const {
  std::vector<std::string> axes;
  Statement names(database, "SELECT name FROM axes ORDER BY position");
  while (names.step()) axes.push_back(names.text(0));
  const std::string cell = sql_place(axes, PlaceOf::kCell), place = sql_place(axes, PlaceOf::kPoint);
  database.run("DROP VIEW IF EXISTS results; DROP VIEW IF EXISTS ended_well");
  database.run(
      "CREATE VIEW results AS WITH\n"
      "failures AS (SELECT " +
      cell + " AS cell, " + place +
      " AS place FROM runs WHERE status = 'failed'),\n"
      "lost AS (SELECT DISTINCT cell FROM failures WHERE place IN (SELECT " +
      place +
      " FROM runs WHERE status = 'done')),\n"
      "counts AS (SELECT place, count(*) AS failed FROM failures GROUP BY place)\n"
      "SELECT run, status, error, status = 'done' AND lost.cell IS NULL AS compared, coalesce(failed, 0) AS failed,\n"
      "  policy, workload, seed" +
      columns(axes, "CASE WHEN lost.cell IS NULL THEN summary END") +
      "FROM runs LEFT JOIN lost ON lost.cell = " + cell + "\n  LEFT JOIN counts ON counts.place = " + place);
  database.run("CREATE VIEW ended_well AS SELECT run, policy, workload, seed" + columns(axes, "summary") +
               "FROM runs WHERE status = 'done'");
}

void write_results_view(Database& database) {
  ResultsView view;
  view.add_all(database);
  view.write(database);
}

}  // namespace coslice
