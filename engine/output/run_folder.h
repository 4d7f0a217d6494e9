// The files of a run, and its folder, which appears whole or not at all: it is built beside its place under another
// name and then renamed.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "observe/result.h"
#include "output/new_file.h"
#include "output/output.h"
#include "output/summary_json.h"

namespace coslice {

/// Writes columns `time,queue_length,used_nodes,used_cores`; a row holds from its time (seconds) until the next row's.
void write_timeline_csv(const RunResult& result, const Sink& sink);

/// Writes rows of time (s), job_id, rank, class, in order of time: each process's first class at its job's start, then
/// each change. Only the header for a run that did not coschedule processes.
void write_classes_csv(const RunResult& result, const Sink& sink);

/// Writes the trace's header, `note` as a comment, and each job with its entry into the queue (field 2), its wait
/// (field 3), the time from start to end (field 4) and a status (field 11): 1 completed, 0 killed at its limit,
/// 5 rejected or withdrawn, -1 not ended when the run stopped. Packed if the path ends in ".gz". Throws as SwfWriter
/// does.
void write_schedule_swf(const std::string& path, const RunResult& result, const std::string& note);

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

  /// Returns where to write the file of that name.
  std::string path_of(const std::string& name) const;
  /// Puts the folder in its place, in one step where the system has one that exchanges names. Throws InputError if that
  /// fails; the old one is then where it was.
  void commit();
  /// Returns the text with the temporary folder's path replaced by the one that the user gave: for messages.
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
  /// Of "jobs.csv", "timeline.csv", "schedule.swf", "classes.csv"; summary.json is always there, as the mark of a run
  /// folder.
  std::vector<std::string> names = {"jobs.csv", "timeline.csv", "schedule.swf"};
  std::string scenario;  ///< text of scenario.toml; "" for none
};

/// Writes the files of a run into an existing folder, one after the other. Throws as OutputFile does.
void write_run_files(const std::string& folder, const RunResult& result, const Summary& summary,
                     const MetricsOptions& options, const RunInfo& info, const RunFiles& files);

}  // namespace coslice
