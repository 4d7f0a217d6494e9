// Jobs as Lua values, and Lua tables as jobs: by the attributes of jobs/attributes.h.
#pragma once

#include <optional>
#include <string>

#include "core/value.h"
#include "jobs/job_spec.h"
#include "machine/machine.h"

struct lua_State;

namespace coslice {

struct Script;

/// A number of a job as Lua has it: an integer or a float.
struct JobNumber {
  double value;
  bool whole;
};
/// Returns the job's value of an attribute: -1 if it is not known; nothing if the attribute is a text.
std::optional<JobNumber> attribute_number(const Job& job, const Attribute& a);

/// Pushes what the job has of the attribute: -1 or "" if it is not known. Inside a protected call.
void push_attribute(lua_State* L, const Job& job, const Attribute& a);

enum class Unknown { kMinusOne, kNil };
/// Pushes a table with all that the trace says of the job, its run time too: for scripts that describe jobs or machines
/// and decide nothing. Inside a protected call.
void push_whole_job(lua_State* L, const Job& job, Unknown unknown);

/// Returns what the table at the stack index says by these keys. `path` names it in messages. Throws InputError.
JobSpec read_job(lua_State* L, int index, const std::vector<Key<JobSpec>>& keys, const std::string& file,
                 const std::string& path);

/// Returns a machine as scripts see it (coslice.Machine).
Value machine_value(const MachineSpec& machine);

}  // namespace coslice
