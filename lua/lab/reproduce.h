// The experiments of a paper from beginning to end.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lab/paper.h"

namespace coslice {

struct ReproduceOptions {
  PaperOptions paper;
  int workers = 1;
  /// Called ten times a second with the runs that are done and those asked for so far; what it throws ends everything.
  std::function<void(std::size_t done, std::size_t runs)> tick;
};

struct Reproduction {
  std::vector<Row> rows;
  std::size_t runs = 0;              ///< simulated
  std::vector<std::string> remarks;  ///< what runs warned of and policies printed, each once
};

/// Simulates what the experiments ask for, until they have stated all their rows.
/// Throws InputError and SimulationError; an error of a run names it.
Reproduction reproduce(const PaperFolder& where, const ReproduceOptions& options);

}  // namespace coslice
