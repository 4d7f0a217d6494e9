// Makes a case smaller that shows a mistake.
#pragma once

#include <functional>

#include "lab/check/case.h"

namespace coslice::check {

struct Shrunk {
  Case smallest;
  int tries = 0;  ///< cases that were tried
};

/// Returns the smallest case found for which `fails` still holds, with at most this many tries: fewer jobs, a smaller
/// machine, smaller numbers, fewer fields.
Shrunk shrink(const Case& c, const std::function<bool(const Case&)>& fails, int most_tries);

}  // namespace coslice::check
