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
  std::string results;  ///< path of the file that keeps runs; "": none
  bool resume = false;  ///< continue the existing file `results`: runs that it holds are not repeated
  Shard shard;          ///< part of the runs known in advance that is made; a part gives no rows
  /// Called ten times a second with the numbers of finished and of requested runs; an exception that it throws ends the
  /// reproduction.
  std::function<void(std::size_t done, std::size_t runs)> tick;
};

/// One experiment as it was run.
struct ExperimentResult {
  std::string label, title, reduced;  ///< see Experiment; `reduced` is "" where all was run
  int seeds = 0, full_seeds = 0;
  std::size_t runs = 0;    ///< runs that the experiment requested, also if others requested them too
  double cpu_seconds = 0;  ///< processor time of these runs, s
};

struct Reproduction {
  std::vector<Row> rows;
  std::vector<ExperimentResult> experiments;
  std::size_t runs = 0;              ///< runs that the experiments requested
  double cpu_seconds = 0;            ///< processor time of these runs, s
  std::vector<std::string> remarks;  ///< warnings of runs and output of policies, each once
};

/// Makes the runs that the experiments request, until all rows are stated. Throws InputError and SimulationError; an
/// error in a run names the run.
Reproduction reproduce(const PaperFolder& where, const ReproduceOptions& options);

}  // namespace coslice
