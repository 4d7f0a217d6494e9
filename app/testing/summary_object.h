// The figures of a run as suites see them: the tree of summary.json.
#pragma once

#include "core/value.h"
#include "testing/context.h"

struct lua_State;

namespace coslice {

/// Pushes the tree. Reading what is not there is an error. Names of earlier versions still lead to their figures, with
/// a warning of the suite for each. The suite's context outlives the state. Call it inside a guarded function.
void push_summary(lua_State* L, const Value& summary, SuiteContext& suite);

}  // namespace coslice
