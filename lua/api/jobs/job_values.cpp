#include "api/jobs/job_values.h"

#include <lua.hpp>

#include "api/scripts/table_value.h"

namespace coslice {
namespace {

using Kind = Attribute::Kind;

bool is_known(const Job& job, const Attribute& a) {
  if (a.is_text()) return !a.text(job).empty();
  if (a.kind == Kind::kInstant) return true;
  if (a.is_time()) return a.span(job) >= Duration::zero() && (a.name != "limit" || job.limit_given);
  return a.whole(job) >= 0;
}

}  // namespace

std::optional<JobNumber> attribute_number(const Job& job, const Attribute& a) {
  if (a.is_text()) return std::nullopt;
  if (!a.is_time()) return JobNumber{static_cast<double>(a.whole(job)), a.kind != Kind::kKilobytes};
  const Duration d = a.span(job);
  return JobNumber{a.kind == Kind::kSeconds && d < Duration::zero() ? -1 : to_seconds(d), false};
}

void push_attribute(lua_State* L, const Job& job, const Attribute& a) {
  const std::optional<JobNumber> x = attribute_number(job, a);
  if (!x) {
    const std::string& text = a.text(job);
    lua_pushlstring(L, text.data(), text.size());
  } else if (x->whole) {
    lua_pushinteger(L, a.whole(job));
  } else {
    lua_pushnumber(L, x->value);
  }
}

void push_whole_job(lua_State* L, const Job& job, Unknown unknown) {
  lua_createtable(L, 0, static_cast<int>(kAttributes.size()));
  for (const Attribute& a : kAttributes) {
    if (!a.has(Attribute::kSaid) || (unknown == Unknown::kNil && !is_known(job, a))) continue;
    push_attribute(L, job, a);
    lua_setfield(L, -2, a.name.data());
  }
}

JobSpec read_job(lua_State* L, int index, const std::vector<Key<JobSpec>>& keys, const std::string& file,
                 const std::string& path) {
  JobSpec spec;
  read_lua_record(keys, spec, L, index, file, "", path);
  return spec;
}

Value machine_value(const MachineSpec& machine) {
  return Value::table({{"nodes", std::int64_t{machine.nodes}},
                       {"processors", std::int64_t{machine.processors}},
                       {"cores", std::int64_t{machine.cores_per_node()}},
                       {"memory", static_cast<double>(machine.memory_kb)}});
}

}  // namespace coslice
