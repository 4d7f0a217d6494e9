#include "formula/bounds.h"

#include <algorithm>
#include <cmath>

namespace coslice::formula {

namespace {

Bounds corners(double p, double q, double r, double s) {
  return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
}

Bounds product(const Bounds& a, const Bounds& b) {
  if (a.low >= 0 && b.low >= 0) return {a.low * b.low, a.high * b.high};
  return corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

Bounds quotient(const Bounds& a, const Bounds& b) {
  if (a.low >= 0 && b.low > 0) return {a.low / b.high, a.high / b.low};
  if (b.low <= 0 && b.high >= 0) return kNoBounds;
  return corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

Bounds floor_of(const Bounds& a) { return {std::floor(a.low) + 0.0, std::floor(a.high) + 0.0}; }

/// A truth that is surely so, surely not, or either.
Bounds truth(bool always, bool possible) { return {always ? 1.0 : 0.0, possible ? 1.0 : 0.0}; }

bool exact_floor(const Bounds& a) { return a.low >= -kExactFloor && a.high <= kExactFloor; }

Bounds of_one(Op op, const Bounds& a) {
  switch (op) {
    case Op::kNegate:
    case Op::kNegateInt: return {-a.high, -a.low};
    case Op::kAbs:
      if (a.low >= 0) return a;
      if (a.high <= 0) return {-a.high, -a.low};
      return {0, std::max(-a.low, a.high)};
    case Op::kSqrt: return a.low >= 0 ? Bounds{std::sqrt(a.low), std::sqrt(a.high)} : kNoBounds;
    case Op::kFloor: return exact_floor(a) ? floor_of(a) : kNoBounds;
    case Op::kCeil: return exact_floor(a) ? Bounds{std::ceil(a.low) + 0.0, std::ceil(a.high) + 0.0} : kNoBounds;
    case Op::kNot: return {1 - a.high, 1 - a.low};
    default: return kNoBounds;
  }
}

Bounds of_two(Op op, const Bounds& a, const Bounds& b) {
  switch (op) {
    case Op::kAdd: return {a.low + b.low, a.high + b.high};
    case Op::kSub: return {a.low - b.high, a.high - b.low};
    case Op::kMul:
    case Op::kMulInt: return product(a, b);
    case Op::kDiv: return quotient(a, b);
    case Op::kFloorDiv:
    case Op::kFloorDivInt: {
      const Bounds q = quotient(a, b);
      return q.known() ? floor_of(q) : kNoBounds;
    }
    case Op::kPow: return b.low == 2 && b.high == 2 && a.low >= 0 ? product(a, a) : kNoBounds;
    case Op::kLess: return truth(a.high < b.low, a.low < b.high);
    case Op::kLessEqual: return truth(a.high <= b.low, a.low <= b.high);
    case Op::kEqual: return truth(a.low == b.high && a.high == b.low, a.low <= b.high && b.low <= a.high);
    default: return kNoBounds;
  }
}

}  // namespace

Bounds bounds_of(Op op, const Bounds& a, const Bounds& b, const Bounds& c) {
  if (!a.known()) return kNoBounds;
  Bounds result = kNoBounds;
  if (op == Op::kSelect) {
    if (a.low > 0) result = b;
    else if (a.high == 0) result = c;
    else if (b.known() && c.known()) result = {std::min(b.low, c.low), std::max(b.high, c.high)};
  } else if (op >= Op::kNegate) {
    result = of_one(op, a);
  } else if (b.known()) {
    result = of_two(op, a, b);
  }
  return result.known() ? result : kNoBounds;
}

}  // namespace coslice::formula
