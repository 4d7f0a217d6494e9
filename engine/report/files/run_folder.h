// A run folder appears whole or not at all: it is built beside its place under another name and then renamed.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "report/files/leftovers.h"
#include "report/files/summary_json.h"

namespace coslice {

/// A folder of results in the making. Destroyed before commit(), it leaves nothing behind.
class RunFolder {
 public:
  /// Checks `target` and makes a temporary folder beside it, with the parents that are missing. An existing run
  /// folder (its summary.json is ours) will be replaced by commit(). What killed
  /// processes left beside it goes, or comes back. Throws InputError if the target is a file, a
  /// folder with anything else in it, or the current folder, or if nothing can be made there.
  explicit RunFolder(const std::string& target);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  /// Where to write the file of that name.
  std::string path_of(const std::string& name) const;
  /// Puts the folder in its place, in one step where the system has one that exchanges names. Throws InputError if that
  /// fails; the old one is then where it was.
  void commit();
  /// The text with the temporary folder's path replaced by the one that the user gave: for messages.
  std::string in_users_words(std::string text) const;

 private:
  std::error_code rename_in_two_steps(bool replaces);
  void remove_parents() const;

  std::string given_;
  std::filesystem::path target_, temporary_;
  std::vector<std::filesystem::path> parents_made_;  ///< outermost first
  PathLock lock_;
  bool committed_ = false;
};

/// What goes into a run folder.
struct RunFiles {
  /// Of "jobs.csv", "timeline.csv", "schedule.swf", "classes.csv"; summary.json is always there, as the mark of a run folder.
  std::vector<std::string> names = {"jobs.csv", "timeline.csv", "schedule.swf"};
  std::string scenario;  ///< text of scenario.toml; "" for none
};

/// Writes the files of a run into an existing folder, one after the other. Throws as OutputFile does.
void write_run_files(const std::string& folder, const RunResult& result, const Summary& summary,
                     const MetricsOptions& options, const RunInfo& info, const RunFiles& files);

/// Writes a whole run folder. Throws InputError for
/// a place that cannot be used, SimulationError if the disk is full; in both cases what was there before is intact.
void write_run_folder(const std::string& target, const RunResult& result, const Summary& summary,
                      const MetricsOptions& options, const RunInfo& info, const RunFiles& files);

}  // namespace coslice
