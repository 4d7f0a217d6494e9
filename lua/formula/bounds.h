// Between which numbers the result of an operation lies, if its operands lie between others. Rounding keeps order: an
// operation that grows with its operand does so in its rounded results, too. So these bounds hold for the bits, not
// only for real numbers. Where nothing is known, a result may be anything, also no number.
#pragma once

#include <limits>

#include "formula/formula.h"

namespace coslice::formula {

struct Bounds {
  double low, high;
  /// Returns whether the bounds are known: both are numbers, and none is infinite.
  bool known() const {
    return low <= high && low >= std::numeric_limits<double>::lowest() && high <= std::numeric_limits<double>::max();
  }
};

/// The bounds of no numbers at all, or of unknown ones.
constexpr Bounds kNoBounds{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

/// Operands that the operation does not have may be anything.
Bounds bounds_of(Op op, const Bounds& a, const Bounds& b, const Bounds& c);

}  // namespace coslice::formula
