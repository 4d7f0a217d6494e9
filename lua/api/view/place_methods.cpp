// The view's methods about kinds of nodes: which there are, what jobs ask of them and have there, how fast they run.
#include <algorithm>
#include <bit>
#include <lua.hpp>
#include <string>
#include <vector>

#include "api/scripts/options.h"
#include "api/view/place_option.h"
#include "api/view/view_methods.h"
#include "core/error.h"
#include "host/guard.h"
#include "jobs/job_demands.h"
#include "machine/node_set.h"
#include "schedule/view.h"
#include "sharing/contention.h"

namespace coslice {

const JobDemands& demands_of(lua_State* L, const View& view, const char* of) {
  if (view.demands() == nullptr)
    luaL_error(L, "%s needs a machine with kinds of nodes ([[machine.nodes]]), or a field 'placement' of the policy",
               of);
  return *view.demands();
}

void check_directs(lua_State* L, View& view, const char* of) {
  if (!view.available().directs())
    luaL_error(L,
               "%s: a place cannot be given here: without a field 'placement', nodes that jobs have for themselves are "
               "counted",
               of);
}

namespace {

/// The number of the kind whose name stands at the index.
std::int32_t kind_at(lua_State* L, int index, const MachineLayout& layout, const char* of) {
  const char* const name = luaL_checkstring(L, index);
  for (std::size_t k = 0; k != layout.kinds.size(); ++k)
    if (layout.kinds[k].name == name) return static_cast<std::int32_t>(k);
  std::vector<std::string> names;
  for (const NodeKind& kind : layout.kinds) names.push_back(kind.name);
  lua_pushstring(L, did_you_mean(name, names).c_str());
  const char* const hint = lua_tostring(L, -1);
  luaL_error(L, "%s: the machine has no kind of nodes '%s'%s%s", of, name, *hint != 0 ? "; " : "", hint);
  return -1;
}

void add_text(lua_State* L, const char* name, const std::string& text) {
  lua_pushlstring(L, text.data(), text.size());
  lua_setfield(L, -2, name);
}

void add_number(lua_State* L, const char* name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

void add_count(lua_State* L, const char* name, std::int64_t n) {
  lua_pushinteger(L, n);
  lua_setfield(L, -2, name);
}

/// view:kinds(): a list, in the machine's order.
int kinds(lua_State* L) {
  const MachineLayout& layout = demands_of(L, view_object(L).view(L), "view:kinds").layout();
  lua_createtable(L, static_cast<int>(layout.kinds.size()), 0);
  lua_Integer i = 0;
  for (const NodeKind& kind : layout.kinds) {
    luahost::charge(L, 8);
    lua_createtable(L, 0, 7);
    add_text(L, "name", kind.name);
    add_count(L, "nodes", kind.count);
    add_number(L, "cores", static_cast<double>(kind.core_share()) / kWholeCore);
    add_count(L, "gpus", kind.gpus);
    if (kind.gpu_type >= 0) add_text(L, "gpu_type", layout.gpu_types[static_cast<std::size_t>(kind.gpu_type)]);
    add_count(L, "slices", kind.slices);
    add_number(L, "speed", kind.speed);
    lua_rawseti(L, -2, ++i);
  }
  return 1;
}

/// What a question about a job on a kind of nodes names first.
struct JobOnKind {
  const ViewObject& object;
  const JobDemands& demands;
  JobIndex j;
  std::int32_t k;
  const NodeKind& kind() const { return demands.layout().kinds[static_cast<std::size_t>(k)]; }
  const Contention* contention(lua_State* L) const { return object.view(L).host().contention(); }
};

JobOnKind job_on_kind(lua_State* L, const char* of) {
  const ViewObject& object = view_object(L);
  const JobDemands& demands = demands_of(L, object.view(L), of);
  luahost::charge(L, 8);
  return {object, demands, object.jobs().index_of(L, 2), kind_at(L, 3, demands.layout(), of)};
}

/// view:speed(job, kind, other): work per second, as a scheduler knows.
int speed(lua_State* L) {
  const JobOnKind asked = job_on_kind(L, "view:speed");
  const JobIndex other = lua_isnoneornil(L, 4) ? kNoJob : asked.object.jobs().index_of(L, 4);
  lua_pushnumber(L, believed_speed(asked.object.view(L), asked.j, asked.k, other));
  return 1;
}

double speed_on_slice(lua_State* L, const JobOnKind& asked, lua_Integer parts) {
  const Contention* const contention = asked.contention(L);
  const bool can_be = contention != nullptr && parts > 0 && parts <= asked.kind().slices;
  const double slowdown =
      can_be ? contention->expected_on_gpu_instance(asked.j, asked.k, static_cast<std::int32_t>(parts)) : 0;
  return slowdown > 0 ? 1 / slowdown : 0;
}

/// view:slice_speed(job, kind, parts): work per second on a slice.
int slice_speed(lua_State* L) {
  const JobOnKind asked = job_on_kind(L, "view:slice_speed");
  lua_pushnumber(L, speed_on_slice(L, asked, luaL_checkinteger(L, 4)));
  return 1;
}

/// view:slice_speeds(job, kind): the same of all slices, by their parts.
int slice_speeds(lua_State* L) {
  const JobOnKind asked = job_on_kind(L, "view:slice_speeds");
  const std::int32_t slices = asked.kind().slices;
  luahost::charge(L, slices);
  lua_createtable(L, slices, 0);
  for (std::int32_t parts = 1; parts <= slices; ++parts) {
    lua_pushnumber(L, speed_on_slice(L, asked, parts));
    lua_rawseti(L, -2, parts);
  }
  return 1;
}

/// view:set_slice(job, kind, parts); without kind and parts: what it asked for at first.
int set_slice(lua_State* L) {
  ViewObject& object = view_object(L);
  object.check_decides(L);
  View& view = object.view(L);
  const JobDemands& demands = demands_of(L, view, "view:set_slice");
  const View::Position p = object.waiting_position(L, 2);
  const auto id = static_cast<LUAI_UACINT>(view.job(view.queue().job(p)).id);
  if (view.queue().reserved(p) != kNever)
    return luaL_error(L, "view:set_slice: job %I has a reservation; unreserve it first", id);
  luahost::charge(L, 16);
  if (lua_isnoneornil(L, 3)) {
    view.set_gpu_instance(p, 0, 0);
    return 0;
  }
  const std::int32_t k = kind_at(L, 3, demands.layout(), "view:set_slice");
  const lua_Integer parts = luaL_checkinteger(L, 4);
  const std::int32_t slices = demands.layout().kinds[static_cast<std::size_t>(k)].slices;
  if (parts < 1 || parts > slices || !view.set_gpu_instance(p, k, static_cast<std::int32_t>(parts)))
    return luaL_error(L, "view:set_slice: job %I cannot have a slice of %I parts of a GPU of '%s', which has %d", id,
                      static_cast<LUAI_UACINT>(parts), lua_tostring(L, 3), static_cast<int>(slices));
  return 0;
}

/// view:request(job): what it asks for on each of its nodes.
int request(lua_State* L) {
  const ViewObject& object = view_object(L);
  const JobDemands& demands = demands_of(L, object.view(L), "view:request");
  const Request& r = demands.request(object.jobs().index_of(L, 2));
  luahost::charge(L, 8);
  lua_createtable(L, 0, 7);
  add_number(L, "cores", static_cast<double>(r.cores) / kWholeCore);
  add_count(L, "gpus", r.gpus);
  add_number(L, "gpu_share", r.gpus == 0 ? 0 : static_cast<double>(r.gpu_share) / kWholeGpu);
  lua_createtable(L, static_cast<int>(r.gpu_types.size()), 0);
  for (std::size_t i = 0; i != r.gpu_types.size(); ++i) {
    const std::string& name = demands.layout().gpu_types[static_cast<std::size_t>(r.gpu_types[i])];
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(L, -2, "gpu_types");
  add_count(L, "nodes", r.nodes);
  add_count(L, "memory", r.memory_mib);
  lua_pushboolean(L, r.exclusive ? 1 : 0);
  lua_setfield(L, -2, "exclusive");
  lua_pushboolean(L, r.rows > 1 ? 1 : 0);
  lua_setfield(L, -2, "shares");
  return 1;
}

/// The started job at the top of the stack.
const StartedJob& started_job(lua_State* L, const ViewObject& object, View& view, const char* of) {
  const JobIndex j = object.jobs().index_of(L, lua_gettop(L));
  luahost::charge(L, static_cast<std::int64_t>(view.started().size()) / 8);
  const StartedJob* const job = view.find_started(j);
  if (job == nullptr) luaL_error(L, "%s: job %I is not running", of, static_cast<LUAI_UACINT>(view.job(j).id));
  return *job;
}

/// Calls f for the job at the top of the stack, or with each of a list of jobs there.
template <class F>
void each_job(lua_State* L, const options::Option& o, F&& f) {
  if (!lua_istable(L, -1)) o.fail("a job, or a list of jobs,");
  const int list = lua_gettop(L);
  if (lua_rawgeti(L, list, 1) == LUA_TNIL) {
    lua_pop(L, 1);
    f();
    return;
  }
  lua_pop(L, 1);
  for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; ++i) {
    f();
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/// The nodes of the partition that the job may use, of several the first one; all where it may use none, or there are
/// none.
NodeSet partition_nodes(const JobDemands& demands, JobIndex j) {
  const MachineLayout& layout = demands.layout();
  const std::int32_t partition = demands.demand(j).empty() ? -1 : demands.unit(demands.demand(j).front()).partition;
  return partition < 0 ? NodeSet(layout.node_count(), true)
                       : layout.partitions[static_cast<std::size_t>(partition)].nodes;
}

StartDirective::Guest guest_at(lua_State* L, const ViewObject& object, const JobDemands& demands) {
  luahost::charge(L, 8);
  StartDirective::Guest guest;
  for (const std::int32_t unit : demands.demand(object.jobs().index_of(L, lua_gettop(L)))) {
    const DemandUnit& u = demands.unit(unit);
    guest.options.push_back({&demands.request_of(u), &demands.nodes(u)});
  }
  return guest;
}

/// The started job that a function was asked about, and the machine whose nodes it has.
struct OnNodes {
  const MachineLayout& layout;
  const StartedJob& job;
};

OnNodes on_nodes(lua_State* L, const char* of) {
  const ViewObject& object = view_object(L);
  View& view = object.view(L);
  const MachineLayout& layout = demands_of(L, view, of).layout();
  lua_settop(L, 2);
  return {layout, started_job(L, object, view, of)};
}

/// view:parts(job): what a started job has of its nodes.
int parts(lua_State* L) {
  const auto [layout, job] = on_nodes(L, "view:parts");
  const Parts& has = job.parts;
  luahost::charge(L, 8 * static_cast<std::int64_t>(has.size()));
  lua_createtable(L, static_cast<int>(has.size()), 0);
  lua_Integer i = 0;
  for (const NodePart& part : has) {
    lua_createtable(L, 0, 3);
    add_count(L, "node", part.node);
    add_text(L, "kind", layout.kind_of(part.node).name);
    lua_newtable(L);
    lua_Integer gpu = 0;
    for (std::int64_t g = 0; g != 64; ++g) {
      if ((part.gpus >> g & 1) == 0) continue;
      lua_pushinteger(L, g + 1);
      lua_rawseti(L, -2, ++gpu);
    }
    lua_setfield(L, -2, "gpus");
    lua_rawseti(L, -2, ++i);
  }
  return 1;
}

/// view:placed(job): by kind, the nodes and GPUs that a started job has.
int placed(lua_State* L) {
  const OnNodes on = on_nodes(L, "view:placed");
  const MachineLayout& layout = on.layout;
  std::vector<std::int64_t> nodes(layout.kinds.size()), gpus(layout.kinds.size());
  for (const NodePart& part : on.job.parts) {
    const auto k = static_cast<std::size_t>(layout.kind_index(part.node));
    ++nodes[k];
    gpus[k] += std::popcount(part.gpus);
  }
  if (on.job.parts.empty())  // it has whole nodes
    for_each_node(on.job.nodes, [&](NodeId n) {
      const auto k = static_cast<std::size_t>(layout.kind_index(n));
      ++nodes[k];
      gpus[k] += layout.kinds[k].gpus;
    });
  lua_createtable(L, static_cast<int>(nodes.size()), 0);
  for (std::size_t k = 0; k != nodes.size(); ++k) {
    lua_createtable(L, 0, 2);
    add_count(L, "nodes", nodes[k]);
    add_count(L, "gpus", gpus[k]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(k) + 1);
  }
  return 1;
}

/// view:left(job): what it is believed to have before it, at a speed of 1.
int left(lua_State* L) {
  const ViewObject& object = view_object(L);
  View& view = object.view(L);
  lua_settop(L, 2);
  const StartedJob& job = started_job(L, object, view, "view:left");
  lua_pushnumber(L, believed_left(view, job));
  return 1;
}

/// Adds the nodes of the partition of the job at the top of the stack: the first one that it may use.
void add_partition(lua_State* L, const ViewObject& object, const JobDemands& demands, NodeSet& nodes) {
  luahost::charge(L, 8);
  const MachineLayout& layout = demands.layout();
  if (nodes.size() == 0) nodes = NodeSet(layout.node_count());
  nodes |= partition_nodes(demands, object.jobs().index_of(L, lua_gettop(L)));
}

/// view:eligible(job, place): nodes of its partition that are such a place, and those of them that could serve it.
int eligible(lua_State* L) {
  ViewObject& object = view_object(L);
  View& view = object.view(L);
  const JobDemands& demands = demands_of(L, view, "view:eligible");
  const JobIndex j = object.jobs().index_of(L, 2);
  const Directed place(L, 3, object, view, "view:eligible");
  NodeSet could(demands.layout().node_count());
  for (const std::int32_t unit : demands.demand(j)) could |= demands.nodes(demands.unit(unit));
  luahost::charge(L, could.size() / 16);
  lua_pushinteger(L, place.place().open(partition_nodes(demands, j)).count());
  lua_pushinteger(L, place.place().open(could).count());
  return 2;
}

/// view:licensed(job): whether the licences that the waiting job asks for are left.
int licensed(lua_State* L) {
  ViewObject& object = view_object(L);
  const View& view = object.view(L);
  const JobDemands& demands = demands_of(L, view, "view:licensed");
  const Request& asked = demands.request(object.jobs().index_of(L, 2));
  bool left = true;
  for (const LicenceUse& use : asked.licences) {
    luahost::charge(L, static_cast<std::int64_t>(view.started().size()) / 8 + 1);
    std::int64_t count = demands.layout().licences[static_cast<std::size_t>(use.licence)].count;
    for (const StartedJob& job : view.started())
      for (const LicenceUse& of : demands.request_of(job.unit).licences)
        if (of.licence == use.licence) count -= of.count;
    left = left && count >= use.count;
  }
  lua_pushboolean(L, left ? 1 : 0);
  return 1;
}

}  // namespace

Directed::Directed(lua_State* L, int index, const ViewObject& object, View& view, const char* of) : view_(view) {
  if (lua_isnoneornil(L, index)) return;
  const JobDemands& demands = demands_of(L, view, of);
  check_directs(L, view, of);
  bool alike = false;
  const auto names = {"kind", "alike", "alone", "beside", "idle", "with", "outside"};
  options::read(L, index, of, names, [&](const options::Option& o) {
    if (o.is("alike")) {
      alike = o.flag();
    } else if (o.is("kind")) {
      place_.kind = kind_at(L, lua_gettop(L), demands.layout(), of);
    } else if (o.is("alone")) {
      place_.alone = o.flag();
    } else if (o.is("idle")) {
      place_.idle = o.flag();
    } else if (o.is("with")) {
      each_job(L, o, [&] { place_.with.push_back(guest_at(L, object, demands)); });
    } else if (o.is("outside")) {
      each_job(L, o, [&] { add_partition(L, object, demands, place_.outside); });
    } else {
      each_job(L, o, [&] {
        const StartedJob& job = started_job(L, object, view, of);
        place_.beside.push_back({job.parts, demands.request_of(job.unit).gpu_share});
      });
    }
  });
  if (place_.idle && place_.beside.empty())
    luaL_error(L, "%s: 'idle' has no effect without 'beside'; expected 'beside', or 'alone' instead", of);
  if (alike && place_.kind < 0) luaL_error(L, "%s: 'alike' needs 'kind'", of);
  if (alike) take_alike(demands.layout());
  given_ = true;
  view.available().direct(&place_);
}

/// Kinds that differ by name only are the same to it.
void Directed::take_alike(const MachineLayout& layout) {
  NodeSet others = layout.not_alike(place_.kind);
  if (others.size() == 0) return;
  place_.kind = -1;
  if (place_.outside.size() == 0) place_.outside = std::move(others);
  else place_.outside |= others;
}

Directed::~Directed() {
  if (given_) view_.available().direct(nullptr);
}

void add_place_methods(lua_State* L) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"kinds", guarded<kinds>},
                              {"speed", guarded<speed>},
                              {"request", guarded<request>},
                              {"parts", guarded<parts>},
                              {"placed", guarded<placed>},
                              {"eligible", guarded<eligible>},
                              {"licensed", guarded<licensed>},
                              {"left", guarded<left>},
                              {"slice_speed", guarded<slice_speed>},
                              {"slice_speeds", guarded<slice_speeds>},
                              {"set_slice", guarded<set_slice>},
                              {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
}

}  // namespace coslice
