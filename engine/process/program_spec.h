// A program as a scenario or a script writes it down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec.h"
#include "process/program.h"

namespace coslice {

/// One of [[processes.programs]].
struct ProgramSpec {
  std::string name;
  Pattern pattern = Pattern::kRing;
  std::vector<Duration> compute = {Duration{1'000'000}}, polling;
  std::int32_t each = 1;  ///< ranks in a row with the same load
  CommunicationCost communication;
  double jitter = Program{}.jitter;
  double moving = 0;
  std::int64_t moving_iterations = 1;
  Duration slot_refill{0}, dispatch_refill{0}, monitoring{0};
  std::int64_t memory_kb = 0;
  double weight = 1;  ///< for jobs that name no program

  /// Throws std::invalid_argument for one that cannot run.
  Program program() const;
};

/// Returns the keys of a program's table. The last one, `weight`, is for programs that are drawn.
const std::vector<Key<ProgramSpec>>& program_keys();
/// Checks that no name stands twice and that each program can run. Throws InputError.
void check_programs(const std::vector<ProgramSpec>& programs, const Value& list, const std::string& path);

}  // namespace coslice
