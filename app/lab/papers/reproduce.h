// The experiments of a paper from beginning to end.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lab/campaign/sweep.h"
#include "lab/papers/paper.h"

namespace coslice {

struct ReproduceOptions {
  PaperOptions paper;
  int workers = 1;
  std::string results;  ///< a file in which runs are kept; "" for none
  bool resume = false;  ///< it is there, and what it holds is not made again
  Shard shard;          ///< of the runs that are known from the beginning; no rows come of a part
  /// Called ten times a second with the runs that are done and those asked for so far; what it throws ends everything.
  std::function<void(std::size_t done, std::size_t runs)> tick;
};

/// One experiment as it was run.
struct ExperimentResult {
  std::string label, title, reduced;  ///< see Experiment; `reduced` is "" where all was run
  int seeds = 0, full_seeds = 0;
  std::size_t runs = 0;    ///< that it asked for, others may have asked for some of them, too
  double cpu_seconds = 0;  ///< of the processor, for all of them
};

struct Reproduction {
  std::vector<Row> rows;
  std::vector<ExperimentResult> experiments;
  std::size_t runs = 0;              ///< that the experiments asked for
  double cpu_seconds = 0;            ///< of the processor, for these
  std::vector<std::string> remarks;  ///< what runs warned of and policies printed, each once
};

/// Simulates what the experiments ask for, until they have stated all their rows.
/// Throws InputError and SimulationError; an error of a run names it.
Reproduction reproduce(const PaperFolder& where, const ReproduceOptions& options);

}  // namespace coslice
