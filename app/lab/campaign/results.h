// The results of a campaign: one SQLite file with a row per run. Any tool that reads SQLite can work with it; here is
// how the program itself does. Its tables:
//
//   meta(key, value)         format, name, campaign (the file's text), folder (where paths in scenarios start),
//   version,
//                            plan (a digest of all keys), runs (how many the plan has), shard ("2/8", else "")
//   axes(position, name)     what is varied, in the campaign's order
//   runs(run, key, status, error, policy, workload, seed, point, scenario, summary, fingerprint, version, host,
//        wall_seconds, cpu_seconds)   `run` is the place in the plan, from 1, whatever process made it and whenever
//   jobs(run, ...)           the columns of jobs.csv, if the campaign keeps jobs
//   results                  a view: `run` to `seed`, a column per axis and per figure of the summary ("all.wait.mean")
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/value.h"

namespace coslice {

class Database;

/// One row of `runs`.
struct CampaignRun {
  std::int64_t run = 0;  ///< place in the plan, from 1
  std::string key;       ///< digest of the scenario and of its inputs: equal keys, equal results
  bool done = false;     ///< else it failed, and `error` says why
  std::string error;
  std::string policy, workload;  ///< names; "" of a run that failed before they were known
  std::optional<std::int64_t> seed;
  Value point = Value::table();    ///< axis -> value; nil where the axis does not apply to this run
  std::string scenario;            ///< resolved, as TOML; its paths start in meta("folder")
  Value summary = Value::table();  ///< what summary.json says, without its environment; empty if it failed
  std::string fingerprint;         ///< 16 hexadecimal digits
  std::string version, host;       ///< the program that made it, and where
  double wall_seconds = 0;         ///< the host's time that it took
  double cpu_seconds = 0;          ///< the processor's; it hardly depends on what else the host does
};

/// Reads the results of a campaign, also while a sweep is adding to them.
class CampaignResults {
 public:
  /// Opens the file. Throws InputError: unreadable, no such results, of a format that this program does not know.
  explicit CampaignResults(const std::string& path);
  ~CampaignResults();
  CampaignResults(CampaignResults&&) noexcept;

  const std::string& path() const { return path_; }
  /// Returns an entry of `meta`, "" if there is none.
  std::string meta(const std::string& key) const;
  std::string name() const { return meta("name"); }
  const std::vector<std::string>& axes() const { return axes_; }
  /// Returns how many runs the plan has; as many rows are there when everything is done.
  std::int64_t planned() const;

  /// Returns all rows in the plan's order.
  std::vector<CampaignRun> runs() const;
  /// Hands all rows to `take` one by one, in the plan's order, for results that do not fit into memory.
  void each(const std::function<void(CampaignRun&&)>& take) const;

  bool has_jobs() const;
  /// Returns the jobs.csv of a run, as `coslice run --out` writes it; "" if its jobs were not kept.
  std::string jobs_csv(std::int64_t run) const;

 private:
  std::string path_;
  std::unique_ptr<Database> database_;
  std::vector<std::string> axes_;
};

/// Returns whether the file begins as an SQLite file does.
bool is_campaign_results(const std::string& path);

}  // namespace coslice
