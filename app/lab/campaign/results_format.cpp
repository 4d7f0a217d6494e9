#include "lab/campaign/results_format.h"

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {
namespace {

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

}  // namespace

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

}  // namespace coslice
