// The runs of a paper, or of a search, in a file of results, as those of a campaign: its plan grows as more are asked
// for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lab/campaign/results_file.h"
#include "lab/campaign/results_queue.h"
#include "lab/campaign/scenario_key.h"
#include "lab/campaign/sweep.h"
#include "lab/simulations.h"

namespace coslice {

struct KeptRunsOptions {
  std::string file, name;  ///< of the paper, or of the search
  std::string folder;      ///< of the paper, where paths in scenarios start
  bool resume = false;
  Shard shard;
  std::string kind = "the paper";  ///< of what the runs are, before the name
};

class KeptRuns {
 public:
  /// Throws InputError as ResultsFile does.
  explicit KeptRuns(KeptRunsOptions options);

  /// Plans all runs that were asked for so far. Other runs in the file, e.g. of other experiments, stay there.
  void plan(const std::vector<RunRequest>& requests);
  /// Returns the first request for the same run: two may say the same in other words, and the file has it once.
  std::size_t first_like(std::size_t number) const { return first_[number]; }
  /// Returns whether that run is to be made; `outcome` is filled in if it is in the file already.
  bool wants(std::size_t number, RunOutcome& outcome) const;
  /// Hands a run over to be written; from any thread.
  void add(std::size_t number, const RunRequest& request, const RunOutcome& outcome, double seconds);
  /// Throws SimulationError if something could not be written.
  void check();
  /// Waits until everything is written. Throws SimulationError.
  void flush();

 private:
  KeptRunsOptions options_;
  ScenarioKeys scenario_keys_;
  std::string host_;
  ResultsHead head_;
  ResultsFile file_;
  std::vector<std::string> keys_;    ///< by number of the request
  std::vector<std::size_t> first_;   ///< the first one with the same key
  std::vector<std::int64_t> place_;  ///< its place in the plan, from 1
  std::map<std::string, std::size_t> by_key_;
  std::set<std::string> axes_;
  std::unique_ptr<ResultsQueue> queue_;  ///< between plan() and flush()
};

}  // namespace coslice
