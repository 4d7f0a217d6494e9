#include "api/view/node_object.h"

#include <algorithm>
#include <array>
#include <bit>

#include "api/jobs/known_fields.h"
#include "host/bind.h"
#include "host/state.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

using luahost::bound;
using luahost::push;

/// Thousandths as Lua sees them.
void push_share(lua_State* L, std::int64_t thousandths) { push(L, static_cast<double>(thousandths) / 1000); }

/// A list of the names with these numbers.
void push_names(lua_State* L, const std::vector<std::int32_t>& numbers, const std::vector<std::string>& names) {
  luahost::push_list(L, numbers, [&](std::int32_t n) { push(L, names[static_cast<std::size_t>(n)]); });
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
      luahost::raise(L, "a node and its job are only valid inside the placement function that they were handed to");
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
    if (lua_type(L, 2) == LUA_TSTRING && lua_tostring(L, 2) == std::string_view("request")) {
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
  static int gpu_count(lua_State* L) { return luahost::answer(L, object(L).question_.room->gpus.size()); }

  /// node.NAME = value: always an error.
  static int refuse_write(lua_State* L) {
    return luaL_error(L, "a node and the job that is placed cannot be written to");
  }

  /// What a method works on.
  struct Call {
    explicit Call(lua_State* state) : L(state), o(object(state)), q(o.question_) {}
    void reads(std::uint32_t what) const { o.reads_ |= what; }
    lua_State* L;
    Object& o;
    const ShownNode& q;
  };

  /// Methods about the job get it, so that one reads what they are about; there is no other.
  struct TheJob {
    TheJob(lua_State* L, const Call&, int index) { luaL_checktype(L, index, LUA_TUSERDATA); }
  };

  /// The GPU that the value on the top of the stack names, as a bit; `index` is that of the argument that it comes
  /// from.
  static std::uint64_t gpu_at(lua_State* L, const ShownNode& q, int index) {
    const lua_Integer g = lua_isinteger(L, -1) != 0 ? lua_tointeger(L, -1) : luaL_checkinteger(L, index);
    if (g < 1 || g > std::ssize(q.room->gpus)) luaL_argerror(L, index, "the node has no GPU of that number");
    if (q.room->gpus[static_cast<std::size_t>(g - 1)] < q.request->gpu_share)
      luaL_argerror(L, index, "too little of that GPU is left");
    return std::uint64_t{1} << (g - 1);
  }

  /// GPUs that the job would get: those that the script names, a number or a list, else by fitting_gpus().
  struct Gpus {
    Gpus(lua_State* L, const Call& call, int index) {
      const ShownNode& q = call.q;
      if (lua_isnoneornil(L, index)) {
        bits = fitting_gpus(*q.request, *q.room);
        return;
      }
      const bool listed = lua_istable(L, index);
      if ((listed ? static_cast<std::int64_t>(lua_rawlen(L, index)) : 1) != q.request->gpus)
        luaL_argerror(L, index, "the job asks for another number of GPUs");
      for (lua_Integer i = 1; i <= q.request->gpus; ++i) {
        if (listed) lua_rawgeti(L, index, i);
        else lua_pushvalue(L, index);
        const std::uint64_t gpu = gpu_at(L, q, index);
        lua_pop(L, 1);
        if ((bits & gpu) != 0) luaL_argerror(L, index, "a GPU appears in the list twice");
        bits |= gpu;
      }
    }
    std::uint64_t bits = 0;
  };

  /// node:fragmentation() -> number
  static double fragmentation(const Call& call) {
    luahost::charge(call.L, 8);
    return call.o.fragmentation() / 1000;
  }

  /// node:fragmentation_added(job, gpu?) -> number
  static double fragmentation_added(const Call& call, TheJob, Gpus gpus) {
    luahost::charge(call.L, 8);
    const ShownNode& q = call.q;
    return (call.o.fragmentation_.after(q.kind, *q.room, *q.request, gpus.bits) - call.o.fragmentation()) / 1000;
  }

  /// node:fitting_gpu(job) -> integer?
  static std::optional<int> fitting_gpu(const Call& call, TheJob) {
    const std::uint64_t gpus = fitting_gpus(*call.q.request, *call.q.room);
    return gpus == 0 ? std::nullopt : std::optional(std::countr_zero(gpus) + 1);
  }

  /// node:jobs_on(gpu) -> integer
  static std::int64_t jobs_on(const Call& call, lua_Integer gpu) {
    if (gpu < 1 || gpu > std::ssize(call.q.room->gpus)) luaL_argerror(call.L, 2, "the node has no GPU of that number");
    call.reads(kReadsNode);
    return call.q.pool->jobs_on_gpu(call.q.node, static_cast<std::size_t>(gpu - 1));
  }

  /// node:alike(job) -> integer
  static std::int64_t alike(const Call& call, TheJob) {
    call.reads(kReadsNode);
    return call.q.pool->alike(*call.q.request, call.q.node);
  }

  /// A method about the job among those that run on the node: the part that it would get.
  static NodePart part_of(const Call& call, Gpus gpus) {
    call.reads(kReadsNode | kReadsJob);
    luahost::charge(call.L, 8);
    return {call.q.node, gpus.bits};
  }

  /// node:slowdown(job, gpu?) -> number
  static double slowdown(const Call& call, TheJob, Gpus gpus) {
    const ShownNode& q = call.q;
    const NodePart part = part_of(call, gpus);
    return q.contention == nullptr ? 1 / kind(call.o).speed : q.contention->expected(q.job, *q.request, part);
  }

  /// node:alone(job) -> number
  static double alone(const Call& call, TheJob) {
    const ShownNode& q = call.q;
    call.reads(kReadsJob);
    luahost::charge(call.L, 8);
    return q.contention == nullptr ? 1 / kind(call.o).speed : q.contention->expected_on(q.job, q.kind, kNoJob);
  }

  /// node:slows(job, gpu?) -> number
  static double slows(const Call& call, TheJob, Gpus gpus) {
    const ShownNode& q = call.q;
    const NodePart part = part_of(call, gpus);
    double most = 0;
    if (q.contention == nullptr) return most;
    for (const StartedJob* job : q.contention->on(q.node)) {
      const NodePart& its = Contention::part_on(*job, q.node);
      if (q.contention->meet(its, part)) most = std::max(most, q.contention->expected_there(*job, its, q.job, part));
    }
    return most;
  }

  /// node:gain(job, gpu?) -> number
  static double gain(const Call& call, TheJob, Gpus gpus) {
    const ShownNode& q = call.q;
    const NodePart part = part_of(call, gpus);
    if (q.contention == nullptr) return static_cast<double>(q.request->cores) / 1000;
    return q.contention->useful(q.node, q.job, *q.request, part) -
           q.contention->useful(q.node, kNoJob, *q.request, part);
  }

  /// node:others() -> Job[]
  static luahost::Pushed others(const Call& call) {
    call.reads(kReadsNode | kReadsAnything);
    static const Occupancy::Jobs none;
    const Occupancy::Jobs& on = call.q.contention == nullptr ? none : call.q.contention->on(call.q.node);
    luahost::push_list(call.L, on, [&](const StartedJob* job) {
      call.o.jobs_.push(call.L, job->index);
      JobTables::set_start(call.L, to_seconds(job->start));
    });
    luahost::charge(call.L, std::ssize(on));
    return {};
  }

  static void build(lua_State* L, Object& o);
};

const std::array<NodeFields::Field, 16> NodeFields::kNode = {{
    {"cores_free", 0, [](lua_State* L, Object& o) { push_share(L, o.question_.room->cores); }},
    {"gpus", 0, [](lua_State* L, Object& o) { push(L, kind(o).gpus); }},
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
       push(L, std::ranges::count(gpus, kWholeGpu));
     }},
    {"memory_free", kReadsMemory,
     [](lua_State* L, Object& o) {
       if (kind(o).memory_mib == 0) lua_pushnil(L);
       else push(L, o.question_.room->memory_mib);
     }},
    {"cores", 0, [](lua_State* L, Object& o) { push_share(L, kind(o).core_share()); }},
    {"memory", 0,
     [](lua_State* L, Object& o) {
       if (kind(o).memory_mib == 0) lua_pushnil(L);
       else push(L, kind(o).memory_mib);
     }},
    {"gpu_type", 0,
     [](lua_State* L, Object& o) {
       if (kind(o).gpu_type < 0) lua_pushnil(L);
       else push(L, o.layout_.gpu_types[static_cast<std::size_t>(kind(o).gpu_type)]);
     }},
    {"kind", 0, [](lua_State* L, Object& o) { push(L, kind(o).name); }},
    {"speed", 0, [](lua_State* L, Object& o) { push(L, kind(o).speed); }},
    {"features", 0, [](lua_State* L, Object& o) { push_names(L, kind(o).features, o.layout_.features); }},
    {"name", kReadsNode, [](lua_State* L, Object& o) { push(L, o.layout_.node_name(o.question_.node)); }},
    {"number", kReadsNode, [](lua_State* L, Object& o) { push(L, o.question_.node); }},
    {"jobs", kReadsNode, [](lua_State* L, Object& o) { push(L, o.question_.room->jobs); }},
    {"gpu_jobs", kReadsNode, [](lua_State* L, Object& o) { push(L, o.question_.pool->gpu_jobs(o.question_.node)); }},
}};

const std::array<NodeFields::Field, 8> NodeFields::kRequest = {{
    {"cores", 0, [](lua_State* L, Object& o) { push_share(L, o.question_.request->cores); }},
    {"gpus", 0, [](lua_State* L, Object& o) { push(L, o.question_.request->gpus); }},
    {"gpu_share", 0,
     [](lua_State* L, Object& o) {
       push_share(L, o.question_.request->gpus == 0 ? 0 : o.question_.request->gpu_share);
     }},
    {"gpu_types", 0,
     [](lua_State* L, Object& o) { push_names(L, o.question_.request->gpu_types, o.layout_.gpu_types); }},
    {"nodes", kReadsRequest, [](lua_State* L, Object& o) { push(L, o.question_.request->nodes); }},
    {"memory", kReadsRequest, [](lua_State* L, Object& o) { push(L, o.question_.request->memory_mib); }},
    {"exclusive", kReadsRequest, [](lua_State* L, Object& o) { push(L, o.question_.request->exclusive); }},
    {"shares", kReadsRequest, [](lua_State* L, Object& o) { push(L, o.question_.request->rows > 1); }},
}};

const luaL_Reg NodeFields::kMethods[] = {{"fragmentation", bound<fragmentation>},
                                         {"fragmentation_added", bound<fragmentation_added>},
                                         {"fitting_gpu", bound<fitting_gpu>},
                                         {"jobs_on", bound<jobs_on>},
                                         {"alike", bound<alike>},
                                         {"alone", bound<alone>},
                                         {"slowdown", bound<slowdown>},
                                         {"slows", bound<slows>},
                                         {"gain", bound<gain>},
                                         {"others", bound<others>},
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
  const auto function = [&](const char* name, lua_CFunction f, int more = 0) {
    lua_pushvalue(L, cell);
    if (more != 0) lua_pushvalue(L, more);
    lua_pushcclosure(L, f, more != 0 ? 2 : 1);
    lua_setfield(L, -2, name);
  };
  const auto begin = [&] {
    lua_newtable(L);
    function("__newindex", refuse_write);
  };
  lua_newtable(L);  // the methods
  const int methods = lua_gettop(L);
  for (const luaL_Reg* m = kMethods; m->name != nullptr; ++m) function(m->name, m->func);
  begin();  // node.gpu_free
  function("__index", gpu_index);
  function("__len", gpu_count);
  make_object(L, 0);
  const int gpus = lua_gettop(L);
  begin();  // job.request
  function("__index", luahost::guarded<request_index>);
  make_object(L, 0);
  const int request = lua_gettop(L);
  begin();
  function("__index", luahost::guarded<job_index>, request);
  make_object(L, 0);
  o.job_ = LuaRef::pop(L);
  begin();
  function("__index", luahost::guarded<node_index>, methods);
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
