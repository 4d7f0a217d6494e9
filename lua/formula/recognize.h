// Recognizes arithmetic: runs a Lua function once with symbols in place of a job's fields, and writes down what it
// computes. What it cannot follow (loops, tables that are written, unknown functions) it refuses.
#pragma once

#include <cstdint>

#include "formula/formula.h"
#include "formula/outside.h"

struct lua_State;

namespace coslice::formula {

/// What the function is called with.
enum class Signature : std::uint8_t {
  kJob,    ///< (job, now, params, share), or fewer
  kEntry,  ///< (job, params), or fewer
  kUsage,  ///< (used, total, owners, params), or fewer: the first is the share, the next two are given numbers 0 and 1
};

/// The function's objects lie on the stack as Outside::begin
/// says. The formula's result is a number or, with `boolean`, true or false. Throws Refused. Inside a protected call.
void recognize(lua_State* L, int base, Signature signature, bool boolean, Formula& formula, Outside& outside);

}  // namespace coslice::formula
