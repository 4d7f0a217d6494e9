// Writing the results of a campaign, so that nothing that was finished is ever lost.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/value.h"
#include "lab/campaign/database.h"
#include "lab/campaign/results.h"
#include "lab/campaign/results_format.h"

namespace coslice {

/// Holds a file for this process until it goes: one writer at a time, also from another machine. The kernel gives it
/// back even after a kill -9.
class FileLock {
 public:
  /// Makes the file if there is none. Throws InputError if another process holds it, or if it cannot be opened. Where
  /// the file system knows no locks, nothing is locked.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_ = -1;
};

/// What a file of results says of its campaign.
struct ResultsHead {
  std::string name, campaign, folder;  ///< see results.h
  std::string plan, shard;
  std::int64_t runs = 0;
  std::vector<std::string> axes;
  bool jobs = false;  ///< whether the jobs of each run are kept
};

/// Returns a folder as ResultsHead has it: whole, however it was given.
std::string results_folder(const std::string& folder);

/// A run that was made, with what CampaignRun has in another form.
struct FinishedRun {
  CampaignRun row;           ///< its summary is not looked at
  std::string summary_json;  ///< "" if it failed
  std::string jobs_csv;
};

/// Where a run stands in the plan.
struct PlannedPlace {
  std::int64_t run = 0;
  Value point{};
};

class ResultsFile {
 public:
  enum class Open { kNew, kResume };
  struct Known {
    std::int64_t run = 0;
    bool done = false;
  };

  /// Makes the file, or opens it to go on. Throws InputError: it is there already, it is another campaign's, another
  /// process is writing to it; SimulationError if it cannot be written.
  ResultsFile(const std::string& path, const ResultsHead& head, Open how);
  ~ResultsFile();

  const std::string& path() const { return path_; }
  /// Returns the runs that are in it, by their keys.
  const std::map<std::string, Known>& known() const { return known_; }

  /// What to do with runs in the file that are not in the plan.
  enum class UnplannedRuns { kRefuse, kDrop, kKeep };

  /// Gives the runs that are in it their places in a plan that has grown; from then on it is the file of that plan.
  /// Unplanned runs that are kept come after it. Throws InputError where they are refused.
  void place(const ResultsHead& head, const std::map<std::string, PlannedPlace>& plan, UnplannedRuns unplanned);
  /// Returns the run of that key, also one that failed; nothing if it was not made.
  std::optional<FinishedRun> find(const std::string& key) const;
  /// Forgets runs, so that they are made again.
  void forget_failed();
  /// Adds runs: all of them are in the file afterwards, with their figures in the view, or none. Throws SimulationError
  /// if the disk is full.
  void add(const std::vector<FinishedRun>& runs);
  /// Returns the first runs that failed: their places, points and errors.
  std::vector<CampaignRun> failures(int most) const;
  /// Makes the view of all figures again, so that the order of its columns does not depend on which run was ready
  /// first.
  void finish();

 private:
  void create(const ResultsHead& head);
  void resume(const ResultsHead& head);
  void write_head(const ResultsHead& head);
  void insert(const FinishedRun& run);
  void show(const std::vector<FinishedRun>& runs);
  std::vector<std::string> strangers_to(const std::map<std::string, PlannedPlace>& plan) const;
  void drop(const std::vector<std::string>& keys);
  void move(const std::map<std::string, std::int64_t>& places);
  void renumber(std::int64_t from, std::int64_t to);

  std::string path_;
  std::unique_ptr<FileLock> lock_;  ///< outlives the database
  std::unique_ptr<Database> database_;
  std::map<std::string, Known> known_;
  std::optional<ResultsView> view_;  ///< as it stands, once runs were added
  bool jobs_ = false;
};

}  // namespace coslice
