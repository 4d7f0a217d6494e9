// The table `jobs`: jobs.csv of each run, its columns as columns.
#include <algorithm>
#include <charconv>
#include <vector>

#include <fast_float/fast_float.h>

#include "core/text.h"
#include "lab/campaign/results_format.h"
#include "report/files/jobs_csv.h"
#include "report/files/output.h"
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
    if (std::find(there.begin(), there.end(), c) == there.end())
      database.run("ALTER TABLE jobs ADD COLUMN " + sql_name(c));
  }
}

std::string names_list(const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& c : columns) out += ", " + sql_name(c);
  return out;
}

/// The field as a number, if it is written as we write numbers: so the text can be had back.
template <class T, class Parse, class Append>
bool bind_number(Statement& s, int position, std::string_view field, Parse parse, Append append) {
  T number{};
  const auto answer = parse(field.data(), field.data() + field.size(), number);
  if (answer.ec != std::errc() || answer.ptr != field.data() + field.size()) return false;
  std::string again;
  append(again, number);
  if (again != field) return false;
  s.bind(position, number);
  return true;
}

void bind_field(Statement& s, int position, std::string_view field) {
  const auto whole = [](const char* from, const char* to, std::int64_t& n) { return std::from_chars(from, to, n); };
  const auto real = [](const char* from, const char* to, double& x) { return fast_float::from_chars(from, to, x); };
  if (field.empty()) s.bind_nothing(position);
  else if (bind_number<std::int64_t>(s, position, field, whole, append_integer)) return;
  else if (bind_number<double>(s, position, field, real, append_real)) return;
  else s.bind(position, field);
}

/// Only some runs have these columns, and they are never empty there.
bool is_optional_column(const std::string& column) {
  static const std::vector<std::string> always = split(std::string(kBatsimColumns) + "," + own_columns(), ',');
  return std::find(always.begin(), always.end(), column) == always.end();
}

void append_csv_field(std::string& out, const Statement& row, int column) {
  if (row.is_null(column)) return;
  if (row.is_real(column)) append_real(out, row.real(column));
  else out += csv_field(row.text(column));
}

}  // namespace

void create_jobs_table(Database& database) {
  std::string sql = "CREATE TABLE jobs(run INTEGER";
  const std::string own = own_columns();
  for (std::string_view group : {kBatsimColumns, std::string_view(own), kSliceColumns, kOutageColumns,
                                 kSuspendedColumns, kPowerColumns, kSharingColumns, kSwitchColumns, kPlaceColumns})
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

}  // namespace coslice
