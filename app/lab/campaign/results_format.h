// How results stand in their tables: what writers and readers have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace coslice
