// What the runs of a scenario leave behind: run folders on disk, summaries for machines.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"
#include "output/run_folder.h"
#include "runner/runner.h"

namespace coslice {

/// Returns the summary.json of the i-th policy's run, as it stands in `folder` ("" : nowhere; paths in it then start in
/// the current folder). `environment`: see environment_value().
std::string run_summary_json(const Runner& runner, std::size_t i, const PolicyRun& run, const Value& environment,
                             const std::string& folder = "");

/// Returns the summary of a run without its environment, on one line.
std::string run_summary_line(const Runner& runner, std::size_t i, const PolicyRun& run);

/// Returns what run_summary_line writes, as a tree.
Value run_summary_value(const Runner& runner, std::size_t i, const PolicyRun& run);

/// Returns the resolved scenario of the i-th policy's run, as it stands in `folder`.
std::string run_scenario_toml(const Runner& runner, std::size_t i, const PolicyRun& run, const std::string& folder);

/// Returns one document as it is, several as a JSON list.
std::string join_documents(const std::vector<std::string>& documents);

/// Writes the runs of a scenario: one policy's files into the folder itself; of several, each into a folder of its own
/// inside it, beside a summary.json of all. Everything appears at once, with commit(), or not at all.
class RunWriter {
 public:
  /// Checks the folder and prepares beside it, so that a bad place is known before anything is simulated.
  /// `runner` outlives the writer. Throws InputError.
  RunWriter(const Runner& runner, const std::string& folder);
  ~RunWriter();

  /// Writes the i-th policy's run: the files of the scenario's output.files, the resolved scenario.toml, summary.json.
  /// Throws SimulationError if the disk is full.
  void add(std::size_t i, const PolicyRun& run, const Value& environment);
  /// Puts the folder in its place. Throws InputError if that fails.
  void commit();

 private:
  std::string place_for(const PolicyRun& run);

  const Runner& runner_;
  std::string given_;
  RunFolder folder_;
  std::vector<std::string> used_ = {"summary.json"};  ///< names inside
  std::vector<std::string> documents_;                ///< summaries so far, if there are several policies
};

}  // namespace coslice
