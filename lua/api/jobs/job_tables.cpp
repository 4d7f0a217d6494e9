#include "api/jobs/job_tables.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <lua.hpp>
#include <unordered_map>
#include <utility>

#include "api/jobs/known_fields.h"
#include "core/error.h"
#include "host/guard.h"
#include "host/script.h"
#include "host/state.h"
#include "jobs/job_demands.h"
#include "machine/components.h"

namespace coslice {
namespace {

/// What the job does, if that is known.
const ResourceProfile* profile_of(const SlowdownModel* slowdowns, JobIndex j) {
  const ResourceSlowdowns* r = slowdowns == nullptr ? nullptr : slowdowns->resources();
  return r == nullptr ? nullptr : &r->profile(j);
}

void push_fraction(lua_State* L, const ResourceProfile* p, Resource r) {
  if (p == nullptr) lua_pushnil(L);
  else lua_pushnumber(L, p->fraction[static_cast<std::size_t>(r)]);
}

void push_kind(lua_State* L, const ResourceProfile* p) {
  static const char* const names[] = {"cpu", "network", "disk"};
  if (p == nullptr) lua_pushnil(L);
  else lua_pushstring(L, names[static_cast<std::size_t>(p->kind)]);
}

/// What the job asks for of a heterogeneous machine; null on other machines.
const Request* request_of(const View* view, JobIndex j) {
  const JobDemands* const demands = view->demands();
  return demands == nullptr ? nullptr : &demands->request(j);
}

/// The one type of GPUs that it names; "" where there are several, or none is named.
std::string_view gpu_type_of(const Request& r, const MachineLayout& layout) {
  std::int32_t type = -1;
  bool one = true;
  each_component(r, [&](const Request& c) {
    if (c.gpus == 0) return;
    const bool same = c.gpu_types.size() == 1 && (type < 0 || type == c.gpu_types[0]);
    one = one && same;
    if (same) type = c.gpu_types[0];
  });
  return one && type >= 0 ? std::string_view(layout.gpu_types[static_cast<std::size_t>(type)]) : "";
}

/// Key of the hidden field that says which job a table is. Its address, which no script can name.
const char kIndexKey = 0;
const char kCellKey = 0;  ///< ... of the field of the tables' metatable with the cell of their JobTables

std::uint32_t next_number() {
  static std::atomic<std::uint32_t> last{0};
  return ++last & 0x7FFFFFFFU;
}

/// Fields that are there from the start, or from the job's start or end on.
constexpr const char* kEarlyFields[] = {"submit", "nodes", "estimate", "start", "finish"};

void set_number(lua_State* L, const char* name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

}  // namespace

/// A field that is filled in when it is first read: an attribute of the job, or what is computed.
struct JobTables::LateField {
  const char* name;
  void (*compute)(lua_State* L, const JobTables& tables, const Job& job, JobIndex index);
  const Attribute* attribute = nullptr;

  void push(lua_State* L, const JobTables& tables, const Job& job, JobIndex index) const {
    if (attribute != nullptr) push_attribute(L, job, *attribute);
    else compute(L, tables, job, index);
  }
};

const JobTables::LateField JobTables::kComputed[] = {
    {"class", [](lua_State* L, const JobTables& tables, const Job& job, JobIndex) { tables.push_class(L, job); }},
    {"slowdown_processors",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       lua_pushnumber(L, tables.slowdowns_ == nullptr ? 1 : tables.slowdowns_->over_processors(j));
     }},
    {"slowdown_cores",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       lua_pushnumber(L, tables.slowdowns_ == nullptr ? 1 : tables.slowdowns_->over_cores(j));
     }},
    {"application",
     [](lua_State* L, const JobTables& tables, const Job& job, JobIndex j) {
       std::string_view name = tables.slowdowns_ == nullptr ? "" : tables.slowdowns_->application(j);
       if (name.empty()) name = find_attribute("application")->text(job);
       lua_pushlstring(L, name.data(), name.size());
     }},
    {"cpu", [](lua_State* L, const JobTables& tables, const Job&,
               JobIndex j) { push_fraction(L, profile_of(tables.slowdowns_, j), Resource::kCpu); }},
    {"network", [](lua_State* L, const JobTables& tables, const Job&,
                   JobIndex j) { push_fraction(L, profile_of(tables.slowdowns_, j), Resource::kNetwork); }},
    {"disk", [](lua_State* L, const JobTables& tables, const Job&,
                JobIndex j) { push_fraction(L, profile_of(tables.slowdowns_, j), Resource::kDisk); }},
    {"kind", [](lua_State* L, const JobTables& tables, const Job&,
                JobIndex j) { push_kind(L, profile_of(tables.slowdowns_, j)); }},
    {"interruptions", [](lua_State* L, const JobTables& tables, const Job&,
                         JobIndex j) { lua_pushinteger(L, tables.view_->host().interruptions(j)); }},
    {"tier",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       const JobDemands* const demands = tables.view_->demands();
       lua_pushinteger(L, demands == nullptr || demands->tiers().empty() ? 1 : demands->tiers()[j]);
     }},
    {"gpus",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       const Request* r = request_of(tables.view_, j);
       lua_pushnumber(L, r == nullptr ? 0.0 : static_cast<double>(gpus_in_all(*r)) / kWholeGpu);
     }},
    {"gpu_type",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       const Request* r = request_of(tables.view_, j);
       const std::string_view name = r == nullptr ? "" : gpu_type_of(*r, tables.view_->demands()->layout());
       lua_pushlstring(L, name.data(), name.size());
     }},
    {"total_memory",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       const Request* r = request_of(tables.view_, j);
       const auto memory = [](const Request& c) { return c.memory_mib; };
       lua_pushinteger(L, r == nullptr ? 0 : sum_over_nodes(*r, memory));
     }},
    {"component_count",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       const Request* r = request_of(tables.view_, j);
       lua_pushinteger(L, r == nullptr ? 1 : std::max<lua_Integer>(1, std::ssize(r->components)));
     }},
    {"view",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex) {
       if (tables.view_value_ == nullptr) lua_pushnil(L);
       else tables.view_value_->push(L);
     }},
    {"memory_fraction",
     [](lua_State* L, const JobTables& tables, const Job&, JobIndex j) {
       const ResourceProfile* p = profile_of(tables.slowdowns_, j);
       if (p == nullptr) lua_pushnil(L);
       else lua_pushnumber(L, p->memory);
     }},
};

const std::vector<JobTables::LateField>& JobTables::late_fields() {
  static const std::vector<LateField> all = [] {
    std::vector<LateField> fields;
    for (const Attribute& a : kAttributes)
      if (a.has(Attribute::kPolicy)) fields.push_back({a.name.data(), nullptr, &a});
    fields.insert(fields.end(), std::begin(kComputed), std::end(kComputed));
    return fields;
  }();
  return all;
}

JobTables::JobTables(LuaState& state, const std::vector<JobClass>& classes, const SlowdownModel* slowdowns)
    : number_(next_number()), classes_(classes), slowdowns_(slowdowns), state_(state) {
  const LuaRef environment = new_environment(state);
  state.protect([&](lua_State* L) {
    lua_newtable(L);
    kept_ = LuaRef::pop(L);
    cell_ = static_cast<JobTables**>(lua_newuserdatauv(L, sizeof(JobTables*), 0));
    const int cell = lua_gettop(L);
    *cell_ = this;
    lua_newtable(L);
    lua_pushvalue(L, cell);
    lua_rawsetp(L, -2, &kCellKey);
    lua_pushvalue(L, cell);
    lua_pushcclosure(L, luahost::guarded<look_up>, 1);
    lua_setfield(L, -2, "__index");
    late_ = LuaRef::pop(L);
    lua_pushcfunction(L, luahost::guarded<refuse_write>);
    new_field_ = LuaRef::pop(L);
    lua_pushvalue(L, cell);
    environment.push(L);
    lua_getfield(L, -1, "pairs");
    lua_remove(L, -2);
    lua_pushcclosure(L, luahost::guarded<all_pairs>, 2);
    pairs_ = LuaRef::pop(L);
  });
}

JobTables::~JobTables() { *cell_ = nullptr; }

JobTables& JobTables::of(lua_State* L) {
  JobTables* const tables = *static_cast<JobTables**>(lua_touserdata(L, lua_upvalueindex(1)));
  if (tables == nullptr || tables->view_ == nullptr)
    luaL_error(L, "the run of this job is over: only fields read before its end remain");
  return *tables;
}

void JobTables::push_class(lua_State* L, const Job& job) const {
  for (const JobClass& c : classes_) {
    if (job.limit > c.upper) continue;
    lua_pushlstring(L, c.name.data(), c.name.size());
    return;
  }
  lua_pushnil(L);
}

/// job.x for a name that is not filled in late. What a policy may have added and has not is nil, unless it looks like a
/// misspelt field; and simulated jobs' own words for time are what policies must not see.
int JobTables::unknown_field(lua_State* L, const char* name) {
  constexpr std::size_t kRemembered = 1000;
  JobTables& tables = of(L);
  if (tables.own_names_.find(name) != tables.own_names_.end()) return 0;
  static const std::vector<std::string> known = [] {
    std::vector<std::string> names(std::begin(kEarlyFields), std::end(kEarlyFields));
    for (const LateField& f : late_fields()) names.emplace_back(f.name);
    return names;
  }();
  const bool absent = std::ranges::find(known, name) != known.end();  // not started, or not ended
  if (std::strcmp(name, "runtime") == 0)
    return luaL_error(L, "a job has no field 'runtime'; a scheduler knows its 'estimate' and its 'limit' only");
  if (!absent && !nearest_name(name, known).empty())
    raise_unknown_field(L, "a job has", name, known,
                        " (fields of your own with such names are set before they are read)");
  if (tables.own_names_.size() < kRemembered) tables.own_names_.emplace(name);
  return 0;
}

/// job.x for a field that is not there yet.
int JobTables::look_up(lua_State* L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const LateField*> fields;
    for (const LateField& f : late_fields()) fields.emplace(f.name, &f);
    return fields;
  }();
  std::size_t length = 0;
  const char* const name = lua_tolstring(L, 2, &length);
  const auto field = by_name.find({name, length});
  if (field == by_name.end()) return std::strcmp(name, "start") == 0 ? look_up_start(L) : unknown_field(L, name);
  const JobTables& tables = of(L);
  const JobIndex j = tables.index_of(L, 1);
  field->second->push(L, tables, tables.view_->job(j), j);
  lua_pushvalue(L, -1);
  lua_setfield(L, 1, field->second->name);
  return 1;
}

/// job.start of a job of whose start nothing has told the script.
int JobTables::look_up_start(lua_State* L) {
  const JobTables& tables = of(L);
  const JobIndex j = tables.index_of(L, 1);
  const auto& started = tables.view_->started();
  luahost::charge(L, std::ssize(started) / 8);
  const auto at = std::ranges::find(started, j, &StartedJob::index);
  if (at == started.end()) return 0;
  lua_pushnumber(L, to_seconds(at->start));
  lua_pushvalue(L, -1);
  lua_setfield(L, 1, "start");
  return 1;
}

/// pairs(job): over a copy with all fields and without the hidden one.
int JobTables::all_pairs(lua_State* L) {
  const JobTables& tables = of(L);
  const JobIndex j = tables.index_of(L, 1);
  const Job& job = tables.view_->job(j);
  lua_createtable(L, 0, 20);
  for (const LateField& f : late_fields()) {
    f.push(L, tables, job, j);
    lua_setfield(L, 2, f.name);
  }
  push_fields(L, 1);
  for (const int from : {3, 1}) {
    lua_pushnil(L);
    while (lua_next(L, from)) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      if (lua_islightuserdata(L, -2)) lua_pop(L, 2);
      else lua_rawset(L, 2);
    }
  }
  lua_pop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 2);
  lua_call(L, 1, 3);
  return 3;
}

/// Writes a field of the script's own; those of the engine are not the script's.
int JobTables::refuse_write(lua_State* L) {
  lua_settop(L, 3);
  if (lua_type(L, 2) == LUA_TSTRING) {
    const char* name = lua_tostring(L, 2);
    const auto same = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (same("estimate") || same("limit"))
      return luaL_error(L,
                        "'%s' of a job cannot be set; a policy gives the scheduler another estimate with "
                        "estimate = function(job, params) ... end, and the limit stays what the user asked for",
                        name);
    if (engines_field(name) != nullptr)
      return luaL_error(L, "'%s' of a job cannot be set: it says what the engine does; a field of another name can",
                        name);
  }
  lua_rawset(L, 1);
  return 0;
}

/// The name if the engine has a field of that name, else null.
const char* JobTables::engines_field(const char* name) {
  for (const char* own : kEarlyFields)
    if (std::strcmp(name, own) == 0) return own;
  for (const LateField& f : late_fields())
    if (std::strcmp(name, f.name) == 0) return f.name;
  return nullptr;
}

/// A job is an empty table, in which a script may keep what it wants, over one with the engine's fields: Lua asks
/// __newindex only about fields that are not there.
void JobTables::push_table(lua_State* L, JobIndex index, const Entry& entry) const {
  const auto hidden = static_cast<lua_Integer>(std::uint64_t{number_} << 32 | index);
  lua_createtable(L, 0, 1);
  lua_pushinteger(L, hidden);
  lua_rawsetp(L, -2, &kIndexKey);
  lua_createtable(L, 0, 4);
  lua_createtable(L, 0, 4);
  lua_pushinteger(L, hidden);
  lua_rawsetp(L, -2, &kIndexKey);
  set_number(L, "submit", to_seconds(entry.time));
  lua_pushinteger(L, entry.nodes);
  lua_setfield(L, -2, "nodes");
  set_number(L, "estimate", to_seconds(entry.estimate));
  late_.push(L);
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "__index");
  new_field_.push(L);
  lua_setfield(L, -2, "__newindex");
  pairs_.push(L);
  lua_setfield(L, -2, "__pairs");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
}

JobTables::Entry JobTables::entry_now(JobIndex index) const {
  return {view_->now(), view_->estimate(index), view_->nodes_of(index)};
}

void JobTables::push_new(lua_State* L, JobIndex index) const { push_table(L, index, entry_now(index)); }

void JobTables::push_fields(lua_State* L, int job) {
  lua_getmetatable(L, job);
  lua_pushliteral(L, "__index");
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

void JobTables::set_field(lua_State* L, int job, const char* name) {
  push_fields(L, job);
  lua_insert(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

void JobTables::enter(JobIndex index) {
  if (slot_.size() <= index) {
    slot_.resize(std::size_t{index} + 1, kNotEntered);
    entered_.resize(slot_.size());
  }
  slot_[index] = kNotMade;
  entered_[index] = entry_now(index);
}

/// A moldable job may have other nodes now, too, and what follows from them.
void JobTables::refresh_estimate(JobIndex index) const {
  const std::int32_t nodes = view_->nodes_of(index);
  const auto estimate = view_->estimate(index);
  bool resized = false;
  if (index < entered_.size()) {
    Entry& known = entered_[index];
    resized = known.nodes != nodes;
    if (!resized && known.estimate == estimate) return;  // of all that wait few have changed
    known.estimate = estimate;
    known.nodes = nodes;
  }
  if (!has_table(index)) return;
  state_.protect([&](lua_State* L) {
    push(L, index);
    const int job = lua_gettop(L);
    lua_pushnumber(L, to_seconds(estimate));
    set_field(L, job, "estimate");
    if (!resized) return;
    lua_pushinteger(L, nodes);
    set_field(L, job, "nodes");
    for (const char* late : {"processes", "gpus", "total_memory", "limit"}) {  // looked up anew when they are read
      lua_pushnil(L);
      set_field(L, job, late);
    }
  });
}

/// Keeps the table on the top of the stack until drop(), and leaves it there.
void JobTables::keep(lua_State* L, JobIndex index) const {
  const std::uint32_t slot = unused_.empty() ? slots_ + 1 : unused_.back();
  kept_.push(L);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, slot);
  lua_pop(L, 1);
  if (unused_.empty()) slots_ = slot;
  else unused_.pop_back();
  slot_[index] = slot;
}

void JobTables::push(lua_State* L, JobIndex index) const {
  kept_.push(L);
  push_from(L, lua_gettop(L), index);
  lua_remove(L, -2);
}

void JobTables::make(JobIndex index) const {
  if (!has_table(index)) state_.protect([&](lua_State* L) { push(L, index); });
}

std::optional<JobNumber> JobTables::number(JobIndex index, std::string_view field) const {
  if (index >= slot_.size() || slot_[index] != kNotMade)
    return std::nullopt;  // a script may have laid its own value over it
  if (field == "submit") return JobNumber{to_seconds(entered_[index].time), false};
  if (field == "nodes") return JobNumber{static_cast<double>(entered_[index].nodes), true};
  if (field == "estimate") return JobNumber{to_seconds(entered_[index].estimate), false};
  const Attribute* const a = find_attribute(field);
  return a != nullptr && a->has(Attribute::kPolicy) ? attribute_number(view_->job(index), *a) : std::nullopt;
}

void JobTables::push_all(lua_State* L) const { kept_.push(L); }

void JobTables::push_from(lua_State* L, int all, JobIndex index) const {
  if (has_table(index)) {
    lua_rawgeti(L, all, slot_[index]);
  } else if (index < slot_.size() && slot_[index] == kNotMade) {
    push_table(L, index, entered_[index]);
    keep(L, index);
  } else {
    return lua_pushnil(L);
  }
  last_ = lua_topointer(L, -1);
  last_index_ = index;
}

const char* JobTables::drop(lua_State* L, JobIndex index) {
  const std::uint32_t slot = index < slot_.size() ? std::exchange(slot_[index], kNotEntered) : kNotEntered;
  if (slot >= kNoTable) return nullptr;
  if (last_index_ == index) last_ = nullptr;
  const char* laid_over = nullptr;
  kept_.push(L);
  lua_rawgeti(L, -1, slot);
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING && laid_over == nullptr) laid_over = engines_field(lua_tostring(L, -1));
  }
  lua_pop(L, 1);
  lua_pushboolean(L, 0);  // not nil: the slot stays
  lua_rawseti(L, -2, slot);
  lua_pop(L, 1);
  unused_.push_back(slot);
  return laid_over;
}

void JobTables::set_start(lua_State* L, double start) {
  const int job = lua_gettop(L);
  lua_pushnumber(L, start);
  set_field(L, job, "start");
}

void JobTables::set_run(lua_State* L, JobIndex index, double start, std::optional<double> finish) const {
  push(L, index);
  set_start(L, start);
  if (finish) {
    lua_pushnumber(L, *finish);
    set_field(L, lua_gettop(L) - 1, "finish");
  }
  lua_pop(L, 1);
}

/// Whether the table at the stack index is of other tables for the same run: the functions of slices have their own.
bool JobTables::same_run(lua_State* L, int index) const {
  const luahost::StackGuard guard(L);
  if (view_ == nullptr || lua_getmetatable(L, index) == 0) return false;
  lua_pushliteral(L, "__index");
  if (lua_rawget(L, -2) == LUA_TTABLE && lua_getmetatable(L, -1) == 0) return false;
  if (!lua_istable(L, -1) || lua_rawgetp(L, -1, &kCellKey) != LUA_TUSERDATA) return false;
  const JobTables* const other = *static_cast<JobTables**>(lua_touserdata(L, -1));
  return other != nullptr && other->view_ != nullptr && &other->view_->host() == &view_->host();
}

JobIndex JobTables::index_of(lua_State* L, int index) const {
  if (!lua_istable(L, index)) luaL_typeerror(L, index, "job");
  if (lua_topointer(L, index) == last_) return last_index_;
  if (lua_rawgetp(L, index, &kIndexKey) != LUA_TNUMBER) luaL_argerror(L, index, "this table is not a job");
  const auto hidden = static_cast<std::uint64_t>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  if (hidden >> 32 != number_ && !same_run(L, index)) luaL_argerror(L, index, "this job belongs to another run");
  return static_cast<JobIndex>(hidden);
}

}  // namespace coslice
