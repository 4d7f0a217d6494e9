// Answers from a forecast that is kept in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"

namespace coslice::cli {

/// Returns the seconds since 1970 by the clock of this machine: only ages and what is kept know it, no result of a
/// simulation.
std::int64_t seconds_by_the_clock();

/// What is asked, and how the answer is to look.
struct KeptQuestion {
  std::string file;
  std::vector<std::string> jobs, users;
  std::optional<std::int64_t> now;  ///< seconds since 1970; nothing: by the clock
  std::optional<Duration> max_age;  ///< an older forecast is an error
  bool json = false;
  std::size_t lines = 0;  ///< of a table at most; 0: all
};

/// Prints the answer; what makes it doubtful, its age or its clock, is a warning. Throws InputError: the file is not
/// there, is no kept forecast or too old, or has no such job.
void answer(const KeptQuestion& question);

}  // namespace coslice::cli
