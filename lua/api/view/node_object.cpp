#include "api/view/node_object.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <lua.hpp>

#include "api/jobs/known_fields.h"
#include "host/guard.h"
#include "host/state.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

/// Thousandths as Lua sees them.
void push_share(lua_State* L, std::int64_t thousandths) { lua_pushnumber(L, static_cast<double>(thousandths) / 1000); }

void push_text(lua_State* L, const std::string& s) { lua_pushlstring(L, s.data(), s.size()); }

/// A list of the names with these numbers.
void push_names(lua_State* L, const std::vector<std::int32_t>& numbers, const std::vector<std::string>& names) {
  lua_createtable(L, static_cast<int>(numbers.size()), 0);
  for (std::size_t i = 0; i != numbers.size(); ++i) {
    push_text(L, names[static_cast<std::size_t>(numbers[i])]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
}

/// The upvalues of all functions here: the cell; some have a table or a number beside it.
constexpr int kCell = 1;
constexpr int kMore = 2;

}  // namespace

/// What Lua calls. Each function finds the object through the cell, which is emptied when the object goes.
struct NodeFields {
  using Object = NodeObject;
  using Push = void (*)(lua_State* L, Object& o);
  struct Field {
    const char* name;
    std::uint32_t reads;
    Push push;
  };

  static Object& object(lua_State* L) {
    Object* const o = *static_cast<Object**>(lua_touserdata(L, lua_upvalueindex(kCell)));
    if (o == nullptr || o->question_.pool == nullptr)
      luaL_error(L, "a node and its job are only valid inside the placement function that they were handed to");
    return *o;
  }

  static const NodeKind& kind(const Object& o) { return o.layout_.kinds[static_cast<std::size_t>(o.question_.kind)]; }

  static const std::array<Field, 16> kNode;
  static const std::array<Field, 8> kRequest;
  static const luaL_Reg kMethods[];

  template <std::size_t N>
  static const Field* find(lua_State* L, const std::array<Field, N>& fields, const std::vector<const void*>& names) {
    if (lua_type(L, 2) != LUA_TSTRING) return nullptr;
    const void* const name = lua_tostring(L, 2);  // Lua keeps short strings once
    for (std::size_t i = 0; i != N; ++i)
      if (names[i] == name) return &fields[i];
    return nullptr;
  }

  template <std::size_t N>
  [[noreturn]] static void refuse(lua_State* L, const char* what, const std::array<Field, N>& fields, bool methods) {
    std::vector<std::string> names;
    for (const Field& f : fields) names.emplace_back(f.name);
    for (const luaL_Reg* m = kMethods; methods && m->name != nullptr; ++m) names.emplace_back(m->name);
    raise_unknown_field(L, what, luaL_tolstring(L, 2, nullptr), names);
  }

  /// node.NAME: a field or a method of the node.
  static int node_index(lua_State* L) {
    Object& o = object(L);
    if (const Field* f = find(L, kNode, o.node_names_)) {
      o.reads_ |= f->reads;
      f->push(L, o);
      return 1;
    }
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(kMore)) == LUA_TFUNCTION) return 1;
    refuse(L, "a node has", kNode, true);
  }

  /// request.NAME: a field of what the job asks for.
  static int request_index(lua_State* L) {
    Object& o = object(L);
    if (const Field* f = find(L, kRequest, o.request_names_)) {
      o.reads_ |= f->reads;
      f->push(L, o);
      return 1;
    }
    refuse(L, "a request has", kRequest, false);
  }

  /// job.request; everything else the job itself is asked for.
  static int job_index(lua_State* L) {
    Object& o = object(L);
    if (lua_type(L, 2) == LUA_TSTRING && std::strcmp(lua_tostring(L, 2), "request") == 0) {
      lua_pushvalue(L, lua_upvalueindex(kMore));
      return 1;
    }
    o.reads_ |= kReadsJob;
    o.jobs_.push(L, o.question_.job);
    lua_pushvalue(L, 2);
    lua_gettable(L, -2);
    return 1;
  }

  /// node.gpus[i], i from 1: the free part of that GPU.
  static int gpu_index(lua_State* L) {
    const Object& o = object(L);
    const lua_Integer g = lua_isinteger(L, 2) != 0 ? lua_tointeger(L, 2) : 0;
    if (g < 1 || g > static_cast<lua_Integer>(o.question_.room->gpus.size())) return 0;
    push_share(L, o.question_.room->gpus[static_cast<std::size_t>(g - 1)]);
    return 1;
  }

  /// #node.gpus -> integer
  static int gpu_count(lua_State* L) {
    lua_pushinteger(L, static_cast<lua_Integer>(object(L).question_.room->gpus.size()));
    return 1;
  }

  /// node.NAME = value: always an error.
  static int refuse_write(lua_State* L) {
    return luaL_error(L, "a node and the job that is placed cannot be written to");
  }

  /// Methods about the job get it, so that one reads what they are about; there is no other.
  static void check_job(lua_State* L) { luaL_checktype(L, 2, LUA_TUSERDATA); }

  /// The GPU that the value on the top of the stack names, as a bit; `index` is that of the argument that it comes
  /// from.
  static std::uint64_t gpu_at(lua_State* L, const Object& o, int index) {
    const NodeQuestion& q = o.question_;
    const lua_Integer g = lua_isinteger(L, -1) != 0 ? lua_tointeger(L, -1) : luaL_checkinteger(L, index);
    if (g < 1 || g > static_cast<lua_Integer>(q.room->gpus.size()))
      luaL_argerror(L, index, "the node has no GPU of that number");
    if (q.room->gpus[static_cast<std::size_t>(g - 1)] < q.request->gpu_share)
      luaL_argerror(L, index, "too little of that GPU is left");
    return std::uint64_t{1} << (g - 1);
  }

  /// GPUs that the job would get: those that the script names, else by fitting_gpus().
  static std::uint64_t gpus_at(lua_State* L, const Object& o, int index) {
    const NodeQuestion& q = o.question_;
    if (lua_isnoneornil(L, index)) return fitting_gpus(*q.request, *q.room);
    const bool listed = lua_istable(L, index);
    if ((listed ? static_cast<std::int64_t>(lua_rawlen(L, index)) : 1) != q.request->gpus)
      luaL_argerror(L, index, "the job asks for another number of GPUs");
    std::uint64_t gpus = 0;
    for (lua_Integer i = 1; i <= q.request->gpus; ++i) {
      if (listed) lua_rawgeti(L, index, i);
      else lua_pushvalue(L, index);
      const std::uint64_t gpu = gpu_at(L, o, index);
      lua_pop(L, 1);
      if ((gpus & gpu) != 0) luaL_argerror(L, index, "a GPU appears in the list twice");
      gpus |= gpu;
    }
    return gpus;
  }

  /// node:fragmentation() -> number
  static int fragmentation(lua_State* L) {
    Object& o = object(L);
    luahost::charge(L, 8);
    lua_pushnumber(L, o.fragmentation() / 1000);
    return 1;
  }

  /// node:fragmentation_added(job, gpu?) -> number
  static int fragmentation_added(lua_State* L) {
    Object& o = object(L);
    luahost::charge(L, 8);
    const NodeQuestion& q = o.question_;
    check_job(L);
    const std::uint64_t gpus = gpus_at(L, o, 3);
    lua_pushnumber(L, (o.fragmentation_.after(q.kind, *q.room, *q.request, gpus) - o.fragmentation()) / 1000);
    return 1;
  }

  /// node:fitting_gpu(job) -> integer?
  static int fitting_gpu(lua_State* L) {
    const Object& o = object(L);
    check_job(L);
    const std::uint64_t gpus = fitting_gpus(*o.question_.request, *o.question_.room);
    if (gpus == 0) return 0;
    lua_pushinteger(L, std::countr_zero(gpus) + 1);
    return 1;
  }

  /// node:jobs_on(gpu) -> integer
  static int jobs_on(lua_State* L) {
    Object& o = object(L);
    const lua_Integer g = luaL_checkinteger(L, 2);
    if (g < 1 || g > static_cast<lua_Integer>(o.question_.room->gpus.size()))
      luaL_argerror(L, 2, "the node has no GPU of that number");
    o.reads_ |= kReadsNode;
    lua_pushinteger(L, o.question_.pool->jobs_on_gpu(o.question_.node, static_cast<std::size_t>(g - 1)));
    return 1;
  }

  /// node:alike(job) -> integer
  static int alike(lua_State* L) {
    Object& o = object(L);
    check_job(L);
    o.reads_ |= kReadsNode;
    lua_pushinteger(L, o.question_.pool->alike(*o.question_.request, o.question_.node));
    return 1;
  }

  /// Reads the arguments of a method about the job among those that run on the node: the part that it would get.
  static NodePart part_for_job(lua_State* L, Object& o) {
    check_job(L);
    o.reads_ |= kReadsNode | kReadsJob;
    luahost::charge(L, 8);
    return {o.question_.node, gpus_at(L, o, 3)};
  }

  /// node:slowdown(job, gpu?) -> number
  static int slowdown(lua_State* L) {
    Object& o = object(L);
    const NodeQuestion& q = o.question_;
    const NodePart part = part_for_job(L, o);
    lua_pushnumber(L, q.contention == nullptr ? 1 / kind(o).speed : q.contention->expected(q.job, *q.request, part));
    return 1;
  }

  /// node:alone(job) -> number
  static int alone(lua_State* L) {
    Object& o = object(L);
    const NodeQuestion& q = o.question_;
    check_job(L);
    o.reads_ |= kReadsJob;
    luahost::charge(L, 8);
    lua_pushnumber(L, q.contention == nullptr ? 1 / kind(o).speed : q.contention->expected_on(q.job, q.kind, kNoJob));
    return 1;
  }

  /// node:slows(job, gpu?) -> number
  static int slows(lua_State* L) {
    Object& o = object(L);
    const NodeQuestion& q = o.question_;
    const NodePart part = part_for_job(L, o);
    double most = 0;
    if (q.contention != nullptr) {
      for (const StartedJob* job : q.contention->on(q.node)) {
        const NodePart& its = Contention::part_on(*job, q.node);
        if (q.contention->meet(its, part)) most = std::max(most, q.contention->expected_there(*job, its, q.job, part));
      }
    }
    lua_pushnumber(L, most);
    return 1;
  }

  /// node:gain(job, gpu?) -> number
  static int gain(lua_State* L) {
    Object& o = object(L);
    const NodeQuestion& q = o.question_;
    const NodePart part = part_for_job(L, o);
    if (q.contention == nullptr) {
      push_share(L, q.request->cores);
      return 1;
    }
    lua_pushnumber(L, q.contention->useful(q.node, q.job, *q.request, part) -
                          q.contention->useful(q.node, kNoJob, *q.request, part));
    return 1;
  }

  /// node:others() -> Job[]
  static int others(lua_State* L) {
    Object& o = object(L);
    const NodeQuestion& q = o.question_;
    o.reads_ |= kReadsNode | kReadsAnything;
    lua_newtable(L);
    if (q.contention == nullptr) return 1;
    lua_Integer n = 0;
    for (const StartedJob* job : q.contention->on(q.node)) {
      o.jobs_.push(L, job->index);
      JobTables::set_start(L, to_seconds(job->start));
      lua_rawseti(L, -2, ++n);
    }
    luahost::charge(L, n);
    return 1;
  }

  static void build(lua_State* L, Object& o);
};

const std::array<NodeFields::Field, 16> NodeFields::kNode = {{
    {"cores_free", 0, [](lua_State* L, Object& o) { push_share(L, o.question_.room->cores); }},
    {"gpus", 0, [](lua_State* L, Object& o) { lua_pushinteger(L, kind(o).gpus); }},
    {"gpu_free", 0, [](lua_State* L, Object&) { lua_getiuservalue(L, 1, 1); }},
    {"gpus_free", 0,
     [](lua_State* L, Object& o) {
       std::int64_t left = 0;
       for (const GpuShare g : o.question_.room->gpus) left += g;
       push_share(L, left);
     }},
    {"gpus_idle", 0,
     [](lua_State* L, Object& o) {
       const auto& gpus = o.question_.room->gpus;
       lua_pushinteger(L, std::count(gpus.begin(), gpus.end(), kWholeGpu));
     }},
    {"memory_free", kReadsMemory,
     [](lua_State* L, Object& o) {
       if (kind(o).memory_mib == 0) lua_pushnil(L);
       else lua_pushinteger(L, o.question_.room->memory_mib);
     }},
    {"cores", 0, [](lua_State* L, Object& o) { push_share(L, kind(o).core_share()); }},
    {"memory", 0,
     [](lua_State* L, Object& o) {
       if (kind(o).memory_mib == 0) lua_pushnil(L);
       else lua_pushinteger(L, kind(o).memory_mib);
     }},
    {"gpu_type", 0,
     [](lua_State* L, Object& o) {
       if (kind(o).gpu_type < 0) lua_pushnil(L);
       else push_text(L, o.layout_.gpu_types[static_cast<std::size_t>(kind(o).gpu_type)]);
     }},
    {"kind", 0, [](lua_State* L, Object& o) { push_text(L, kind(o).name); }},
    {"speed", 0, [](lua_State* L, Object& o) { lua_pushnumber(L, kind(o).speed); }},
    {"features", 0, [](lua_State* L, Object& o) { push_names(L, kind(o).features, o.layout_.features); }},
    {"name", kReadsNode, [](lua_State* L, Object& o) { push_text(L, o.layout_.node_name(o.question_.node)); }},
    {"number", kReadsNode, [](lua_State* L, Object& o) { lua_pushinteger(L, o.question_.node); }},
    {"jobs", kReadsNode, [](lua_State* L, Object& o) { lua_pushinteger(L, o.question_.room->jobs); }},
    {"gpu_jobs", kReadsNode,
     [](lua_State* L, Object& o) { lua_pushinteger(L, o.question_.pool->gpu_jobs(o.question_.node)); }},
}};

const std::array<NodeFields::Field, 8> NodeFields::kRequest = {{
    {"cores", 0, [](lua_State* L, Object& o) { push_share(L, o.question_.request->cores); }},
    {"gpus", 0, [](lua_State* L, Object& o) { lua_pushinteger(L, o.question_.request->gpus); }},
    {"gpu_share", 0,
     [](lua_State* L, Object& o) {
       push_share(L, o.question_.request->gpus == 0 ? 0 : o.question_.request->gpu_share);
     }},
    {"gpu_types", 0,
     [](lua_State* L, Object& o) { push_names(L, o.question_.request->gpu_types, o.layout_.gpu_types); }},
    {"nodes", kReadsRequest, [](lua_State* L, Object& o) { lua_pushinteger(L, o.question_.request->nodes); }},
    {"memory", kReadsRequest, [](lua_State* L, Object& o) { lua_pushinteger(L, o.question_.request->memory_mib); }},
    {"exclusive", kReadsRequest,
     [](lua_State* L, Object& o) { lua_pushboolean(L, o.question_.request->exclusive ? 1 : 0); }},
    {"shares", kReadsRequest,
     [](lua_State* L, Object& o) { lua_pushboolean(L, o.question_.request->rows > 1 ? 1 : 0); }},
}};

const luaL_Reg NodeFields::kMethods[] = {{"fragmentation", luahost::guarded<fragmentation>},
                                         {"fragmentation_added", luahost::guarded<fragmentation_added>},
                                         {"fitting_gpu", luahost::guarded<fitting_gpu>},
                                         {"jobs_on", luahost::guarded<jobs_on>},
                                         {"alike", luahost::guarded<alike>},
                                         {"alone", luahost::guarded<alone>},
                                         {"slowdown", luahost::guarded<slowdown>},
                                         {"slows", luahost::guarded<slows>},
                                         {"gain", luahost::guarded<gain>},
                                         {"others", luahost::guarded<others>},
                                         {nullptr, nullptr}};

namespace {

/// Pushes an empty object whose metatable is on the top of the stack, which it takes. Scripts see no metatable.
void make_object(lua_State* L, int values) {
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_newuserdatauv(L, 1, values);
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
}

}  // namespace

/// Leaves nothing on the stack.
void NodeFields::build(lua_State* L, Object& o) {
  o.cell_ = static_cast<Object**>(lua_newuserdatauv(L, sizeof(Object*), 0));
  *o.cell_ = &o;
  const int cell = lua_gettop(L);
  const auto function = [&](const char* name, lua_CFunction f, int more) {
    lua_pushvalue(L, cell);
    if (more != 0) lua_pushvalue(L, more);
    lua_pushcclosure(L, f, more != 0 ? 2 : 1);
    lua_setfield(L, more != 0 ? -3 : -2, name);
  };
  const auto begin = [&] {
    lua_newtable(L);
    function("__newindex", refuse_write, 0);
  };
  lua_newtable(L);  // the methods
  const int methods = lua_gettop(L);
  for (const luaL_Reg* m = kMethods; m->name != nullptr; ++m) function(m->name, m->func, 0);
  begin();  // node.gpu_free
  function("__index", gpu_index, 0);
  function("__len", gpu_count, 0);
  make_object(L, 0);
  const int gpus = lua_gettop(L);
  begin();  // job.request
  function("__index", luahost::guarded<request_index>, 0);
  make_object(L, 0);
  const int request = lua_gettop(L);
  const auto with_more = [&](lua_CFunction f, int more) {
    lua_pushvalue(L, cell);
    lua_pushvalue(L, more);
    lua_pushcclosure(L, f, 2);
    lua_setfield(L, -2, "__index");
  };
  begin();
  with_more(luahost::guarded<job_index>, request);
  make_object(L, 0);
  o.job_ = LuaRef::pop(L);
  begin();
  with_more(luahost::guarded<node_index>, methods);
  make_object(L, 1);
  lua_pushvalue(L, gpus);
  lua_setiuservalue(L, -2, 1);
  o.node_ = LuaRef::pop(L);
  lua_newtable(L);
  const auto keep = [&](const char* name, std::vector<const void*>& names) {
    names.push_back(lua_pushstring(L, name));
    lua_rawseti(L, -2, static_cast<lua_Integer>(lua_rawlen(L, -2)) + 1);
  };
  for (const Field& f : kNode) keep(f.name, o.node_names_);
  for (const Field& f : kRequest) keep(f.name, o.request_names_);
  o.names_ = LuaRef::pop(L);
  lua_settop(L, cell - 1);
}

NodeObject::NodeObject(LuaState& state, const JobTables& jobs, const MachineLayout& layout,
                       const std::vector<TypicalRequest>& mix)
    : jobs_(jobs), layout_(layout), fragmentation_(layout, mix), known_(static_cast<std::size_t>(layout.node_count())) {
  state.protect([&](lua_State* L) { NodeFields::build(L, *this); });
}

NodeObject::~NodeObject() {
  if (cell_ != nullptr) *cell_ = nullptr;
}

void NodeObject::push(lua_State* L) const {
  node_.push(L);
  job_.push(L);
}

double NodeObject::fragmentation() {
  Known& known = known_[static_cast<std::size_t>(question_.node)];
  const std::uint64_t stamp = question_.pool->stamp(question_.node);
  if (known.stamp != stamp) known = {stamp, fragmentation_.of(question_.kind, *question_.room)};
  return known.thousandths;
}

}  // namespace coslice
