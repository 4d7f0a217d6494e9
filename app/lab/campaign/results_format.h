// How results stand in their tables: what writers and readers have in common.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lab/campaign/database.h"

namespace coslice {

/// What `format` of `meta` says of the files that this program writes and reads.
inline constexpr const char* kResultsFormat = "coslice campaign 2";

/// The columns of `runs`, in their order.
inline constexpr const char* kRunColumns = "run, key, status, error, policy, workload, seed, point, scenario, summary, "
                                           "fingerprint, version, host, wall_seconds, cpu_seconds";

/// Makes the tables in an empty database; `jobs` as well if they are to be kept.
void create_results_tables(Database& database, bool jobs);

/// Throws InputError if these are no results, or of another format.
void check_results_format(const Database& database);

/// Makes the table `jobs`, with the columns that jobs.csv may have.
void create_jobs_table(Database& database);
/// Adds the rows of a jobs.csv: numbers as numbers, empty fields as nothing.
void write_jobs(Database& database, std::int64_t run, std::string_view csv);
/// Returns the jobs.csv of a run, byte for byte as it was written; "" if the file keeps none.
std::string read_jobs(const Database& database, std::int64_t run);

/// Adds all jobs of an attached database of results.
void copy_jobs(Database& database, const std::string& attached);

/// The figures that the views `results` and `ended_well` show, which have a column per axis and per figure, so that a
/// person at an SQL prompt, or R, or pandas, has a plain table; in the order in which they first came up. `results` has
/// a row per run, and figures of those that all points have; `ended_well`, of each that has some.
class ResultsView {
 public:
  /// Takes the figures of a summary. Whether any of them is new.
  bool add(std::string_view summary_json);
  /// Takes those of all runs in the file, in the plan's order.
  void add_all(const Database& database);
  /// Makes the views again.
  void write(Database& database) const;

 private:
  struct Figure {
    std::string name, path;
  };
  std::string columns(const std::vector<std::string>& axes, const std::string& summary) const;
  void walk(const nlohmann::ordered_json& table, const std::string& name, const std::string& path);

  std::vector<Figure> figures_;
  std::set<std::string> names_;
  std::set<std::uint64_t> shapes_;  ///< of the summaries that were read
};

/// Makes the views `results` and `ended_well` again, for the figures that the summaries have now.
void write_results_view(Database& database);

}  // namespace coslice
