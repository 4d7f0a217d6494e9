// Sizes of a job that a function of its number of nodes says: `{ from = 2, to = 8, speed = function(nodes) ... end }`.
#pragma once

#include <optional>
#include <string>

#include "core/value.h"

struct lua_State;

namespace coslice {

/// Returns the text of the sizes (jobs/job_sizes.h) that the table on the top of the stack says by a function, which is
/// asked once for each number of nodes; nothing if it has no function. `job` is the stack index of the job's table,
/// `path` names the sizes in messages. Throws InputError; raises the function's own Lua errors.
std::optional<std::string> sizes_by_function(lua_State* L, int job, const Place& place, const std::string& path);

}  // namespace coslice
