// The view's methods about kinds of nodes: which there are, what jobs ask of them and have there, how fast they run.
#include <bit>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "api/scripts/options.h"
#include "api/view/place_option.h"
#include "api/view/view_call.h"
#include "core/error.h"
#include "host/acting.h"
#include "jobs/job_demands.h"
#include "machine/components.h"
#include "machine/node_set.h"
#include "schedule/view.h"
#include "sharing/contention.h"

namespace coslice {

using luahost::acting;
using luahost::bound;
using luahost::push_fields;
using luahost::push_list;
using luahost::Pushed;
using luahost::raise;
using luahost::set_field;

const JobDemands& demands_of(lua_State* L, const View& view, const char* of) {
  if (view.demands() == nullptr)
    raise(L, "{} needs a machine with kinds of nodes ([[machine.nodes]]), or a field 'placement' of the policy", of);
  return *view.demands();
}

void check_directs(lua_State* L, View& view, const char* of) {
  if (!view.available().directs())
    raise(L,
          "{}: a place cannot be given here: without a field 'placement', nodes that jobs have for themselves are "
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
  const std::string hint = did_you_mean(name, names);
  raise(L, "{}: the machine has no kind of nodes '{}'{}{}", of, name, hint.empty() ? "" : "; ", hint);
}

/// The number of the partition of that name.
std::int32_t partition_called(lua_State* L, const char* name, const MachineLayout& layout, const char* of) {
  for (std::size_t p = 0; p != layout.partitions.size(); ++p)
    if (layout.partitions[p].name == name) return static_cast<std::int32_t>(p);
  std::vector<std::string> names;
  for (const Partition& p : layout.partitions) names.push_back(p.name);
  const std::string hint = did_you_mean(name, names);
  raise(L, "{}: the machine has no partition '{}'{}{}", of, name, hint.empty() ? "" : "; ", hint);
}

/// view:kinds(): a list, in the machine's order.
Pushed kinds(const ViewCall& call) {
  lua_State* const L = call.L;
  const MachineLayout& layout = demands_of(L, call.view, "view:kinds").layout();
  push_list(L, layout.kinds, [&](const NodeKind& kind) {
    call.charge(8);
    push_fields(L, "name", kind.name, "nodes", kind.count, "cores", static_cast<double>(kind.core_share()) / kWholeCore,
                "gpus", kind.gpus, "slices", kind.slices, "speed", kind.speed);
    if (kind.gpu_type >= 0) set_field(L, "gpu_type", layout.gpu_types[static_cast<std::size_t>(kind.gpu_type)]);
  });
  return {};
}

/// What a question about a job on a kind of nodes names first.
struct JobOnKind : ViewCall {
  JobOnKind(const ViewCall& call, const char* of) : ViewCall(call), demands(demands_of(L, view, of)) {
    charge(8);
    j = object.jobs().index_of(L, 2);
    k = kind_at(L, 3, demands.layout(), of);
  }
  const NodeKind& kind() const { return demands.layout().kinds[static_cast<std::size_t>(k)]; }

  const JobDemands& demands;
  JobIndex j = kNoJob;
  std::int32_t k = -1;
};

/// view:speed(job, kind, other): work per second, as a scheduler knows.
double speed(const ViewCall& call) {
  const JobOnKind asked(call, "view:speed");
  const JobIndex other = lua_isnoneornil(call.L, 4) ? kNoJob : call.object.jobs().index_of(call.L, 4);
  return believed_speed(call.view, asked.j, asked.k, other);
}

double speed_on_slice(const JobOnKind& asked, lua_Integer parts) {
  const Contention* const contention = asked.view.host().contention();
  const bool can_be = contention != nullptr && parts > 0 && parts <= asked.kind().slices;
  const double slowdown =
      can_be ? contention->expected_on_gpu_instance(asked.j, asked.k, static_cast<std::int32_t>(parts)) : 0;
  return slowdown > 0 ? 1 / slowdown : 0;
}

/// view:slice_speed(job, kind, parts): work per second on a slice.
double slice_speed(const ViewCall& call) {
  return speed_on_slice(JobOnKind(call, "view:slice_speed"), luaL_checkinteger(call.L, 4));
}

/// view:slice_speeds(job, kind): the same of all slices, by their parts.
std::vector<double> slice_speeds(const ViewCall& call) {
  const JobOnKind asked(call, "view:slice_speeds");
  std::vector<double> speeds;
  call.charge(asked.kind().slices);
  for (std::int32_t parts = 1; parts <= asked.kind().slices; ++parts) speeds.push_back(speed_on_slice(asked, parts));
  return speeds;
}

/// view:set_slice(job, kind, parts); without kind and parts: what it asked for at first.
void set_slice(const DecidingCall& call) {
  lua_State* const L = call.L;
  View& view = call.view;
  const JobDemands& demands = demands_of(L, view, "view:set_slice");
  const View::Position p = call.object.waiting_position(L, 2);
  const std::int64_t id = call.id(view.queue().job(p));
  if (view.queue().reserved(p) != kNever) raise(L, "view:set_slice: job {} has a reservation; unreserve it first", id);
  call.charge(16);
  if (lua_isnoneornil(L, 3)) {
    view.set_gpu_instance(p, 0, 0);
    return;
  }
  const std::int32_t k = kind_at(L, 3, demands.layout(), "view:set_slice");
  const lua_Integer parts = luaL_checkinteger(L, 4);
  const std::int32_t slices = demands.layout().kinds[static_cast<std::size_t>(k)].slices;
  if (parts < 1 || parts > slices || !view.set_gpu_instance(p, k, static_cast<std::int32_t>(parts)))
    raise(L, "view:set_slice: job {} cannot have a slice of {} parts of a GPU of '{}', which has {}", id, parts,
          lua_tostring(L, 3), slices);
}

void push_request(lua_State* L, const Request& r, std::int32_t nodes, const MachineLayout& layout) {
  std::vector<std::string_view> types;
  for (const std::int32_t type : r.gpu_types) types.push_back(layout.gpu_types[static_cast<std::size_t>(type)]);
  push_fields(L, "cores", static_cast<double>(r.cores) / kWholeCore, "gpus", r.gpus, "gpu_share",
              r.gpus == 0 ? 0 : static_cast<double>(r.gpu_share) / kWholeGpu, "gpu_types", types, "nodes", nodes,
              "memory", r.memory_mib, "exclusive", r.exclusive, "shares", r.rows > 1);
}

/// view:request(job): what it asks for on each of its nodes.
Pushed request(const ViewCall& call) {
  const JobDemands& demands = demands_of(call.L, call.view, "view:request");
  const Request& r = demands.request(call.object.jobs().index_of(call.L, 2));
  call.charge(8 * std::max<std::int64_t>(1, std::ssize(r.components)));
  push_request(call.L, has_components(r) ? r.components.front() : r, r.nodes, demands.layout());
  if (!has_components(r)) return {};
  lua_createtable(call.L, static_cast<int>(r.components.size()), 0);
  for (std::size_t i = 0; i != r.components.size(); ++i) {
    push_request(call.L, r.components[i], r.components[i].nodes, demands.layout());
    lua_rawseti(call.L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(call.L, -2, "components");
  return {};
}

/// The started job at the top of the stack.
const StartedJob& started_job(const ViewCall& call, const char* of) {
  const JobIndex j = call.object.jobs().index_of(call.L, lua_gettop(call.L));
  call.charge(std::ssize(call.view.started()) / 8);
  const StartedJob* const job = call.view.find_started(j);
  if (job == nullptr) raise(call.L, "{}: job {} is not running", of, call.id(j));
  return *job;
}

/// Calls f for the job at the top of the stack, or with each of a list of jobs there; with `names` there may be names,
/// too.
template <class F>
void each_job(lua_State* L, const options::Option& o, F&& f, bool names = false) {
  if (names && lua_type(L, -1) == LUA_TSTRING) return f();
  if (!lua_istable(L, -1))
    o.fail(names ? "a job, the name of a partition, or a list of these," : "a job, or a list of jobs,");
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

/// The nodes of the partition that the job may use, of several the first one, or the one that is asked about (-1:
/// none is); all where it may use none, or there are none.
NodeSet partition_nodes(const JobDemands& demands, JobIndex j, std::int32_t asked = -1) {
  const MachineLayout& layout = demands.layout();
  const std::int32_t first = demands.demand(j).empty() ? -1 : demands.unit(demands.demand(j).front()).partition;
  const std::int32_t partition = asked >= 0 ? asked : first;
  return partition < 0 ? NodeSet(layout.node_count(), true)
                       : layout.partitions[static_cast<std::size_t>(partition)].nodes;
}

StartDirective::Guest guest_at(const ViewCall& call, const JobDemands& demands) {
  call.charge(8);
  StartDirective::Guest guest;
  const JobIndex j = call.object.jobs().index_of(call.L, lua_gettop(call.L));
  if (has_components(demands.request(j)))
    raise(call.L, "job {} has several components, which cannot all come beside another job: none can be in 'with'",
          call.id(j));
  for (const std::int32_t unit : demands.demand(j)) {
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

OnNodes on_nodes(const ViewCall& call, const char* of) {
  const MachineLayout& layout = demands_of(call.L, call.view, of).layout();
  lua_settop(call.L, 2);
  return {layout, started_job(call, of)};
}

/// view:parts(job): what a started job has of its nodes.
Pushed parts(const ViewCall& call) {
  const OnNodes on = on_nodes(call, "view:parts");
  call.charge(8 * std::ssize(on.job.parts));
  push_list(call.L, on.job.parts, [&](const NodePart& part) {
    std::vector<std::int32_t> gpus;
    for (std::int32_t g = 0; g != 64; ++g)
      if ((part.gpus >> g & 1) != 0) gpus.push_back(g + 1);
    push_fields(call.L, "node", part.node, "kind", on.layout.kind_of(part.node).name, "gpus", gpus);
  });
  return {};
}

/// view:taken(): until when each node that is not free is believed to be so, by its number.
Pushed taken(const ViewCall& call) {
  demands_of(call.L, call.view, "view:taken");
  check_directs(call.L, call.view, "view:taken");  // then jobs have parts of nodes
  std::map<NodeId, Time> until;
  const auto add = [&](NodeId n, Time t) {
    Time& latest = until.try_emplace(n, t).first->second;
    latest = std::max(latest, t);
  };
  for (const StartedJob& job : call.view.started())
    for (const NodePart& part : job.parts) add(part.node, job.expected_end);
  for (const StartedJob& down : call.view.down())
    for_each_node(down.nodes, [&](NodeId n) { add(n, down.expected_end); });
  call.charge(8 + std::ssize(until));
  lua_newtable(call.L);
  for (const auto& [n, t] : until) {
    lua_pushnumber(call.L, t == kNever ? std::numeric_limits<double>::infinity() : to_seconds(t));
    lua_rawseti(call.L, -2, n);
  }
  return {};
}

/// view:partitions(job): names of those in which a waiting job may start, the preferred one first.
Pushed partitions(const ViewCall& call) {
  const JobDemands& demands = demands_of(call.L, call.view, "view:partitions");
  std::vector<std::string_view> names;
  for (const std::int32_t unit : demands.demand(call.object.jobs().index_of(call.L, 2)))
    if (const std::int32_t p = demands.unit(unit).partition; p >= 0)
      names.push_back(demands.layout().partitions[static_cast<std::size_t>(p)].name);
  call.charge(8 * (std::ssize(names) + 1));
  push_list(call.L, names, [&](std::string_view name) { lua_pushlstring(call.L, name.data(), name.size()); });
  return {};
}

/// view:placed(job): by kind, the nodes and GPUs that a started job has.
Pushed placed(const ViewCall& call) {
  const OnNodes on = on_nodes(call, "view:placed");
  struct OfKind {
    std::int64_t nodes = 0, gpus = 0;
  };
  std::vector<OfKind> kinds(on.layout.kinds.size());
  const auto add = [&](NodeId node, std::optional<std::int64_t> gpus) {
    const auto k = static_cast<std::size_t>(on.layout.kind_index(node));
    ++kinds[k].nodes;
    kinds[k].gpus += gpus.value_or(on.layout.kinds[k].gpus);
  };
  for (const NodePart& part : on.job.parts) add(part.node, std::popcount(part.gpus));
  if (on.job.parts.empty()) for_each_node(on.job.nodes, [&](NodeId n) { add(n, {}); });  // it has whole nodes
  push_list(call.L, kinds, [&](const OfKind& of) { push_fields(call.L, "nodes", of.nodes, "gpus", of.gpus); });
  return {};
}

/// view:partition(job) -> string?, integer?
/// The partition in which a started job runs, and its tier; nothing where there are none.
std::optional<std::tuple<std::string_view, std::int32_t>> partition(const ViewCall& call) {
  lua_settop(call.L, 2);
  const StartedJob& job = started_job(call, "view:partition");
  const JobDemands* const demands = call.view.demands();
  if (demands == nullptr) return {};
  const std::int32_t unit = call.view.available().by_count() ? demands->demand(job.index).front() : job.unit;
  const std::int32_t number = demands->unit(unit).partition;
  if (number < 0) return {};
  const Partition& its = demands->layout().partitions[static_cast<std::size_t>(number)];
  return {{its.name, its.tier}};
}

/// view:left(job): what it is believed to have before it, at a speed of 1.
double left(const ViewCall& call) {
  lua_settop(call.L, 2);
  return believed_left(call.view, started_job(call, "view:left"));
}

void add_nodes(NodeSet nodes, NodeSet& to) {
  if (to.size() == 0) to = std::move(nodes);
  else to |= nodes;
}

/// Adds the nodes of the partition of the job at the top of the stack: the first one that it may use; or those of the
/// partition whose name stands there.
void add_partition(const ViewCall& call, const JobDemands& demands, NodeSet& nodes, const char* of) {
  call.charge(8);
  const MachineLayout& layout = demands.layout();
  if (lua_type(call.L, -1) == LUA_TSTRING) {
    const std::int32_t p = partition_called(call.L, lua_tostring(call.L, -1), layout, of);
    return add_nodes(layout.partitions[static_cast<std::size_t>(p)].nodes, nodes);
  }
  add_nodes(partition_nodes(demands, call.object.jobs().index_of(call.L, lua_gettop(call.L))), nodes);
}

/// All nodes but those whose numbers are in the list at the top of the stack.
NodeSet all_but(const ViewCall& call, const options::Option& o, std::int32_t count) {
  lua_State* const L = call.L;
  NodeSet others(count, true);
  if (!lua_istable(L, -1)) o.fail("a list of numbers of nodes");
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    call.charge(1);
    int whole = 0;
    const lua_Integer n = lua_tointegerx(L, -1, &whole);
    if (whole == 0 || n < 0 || n >= count) o.fail("numbers of nodes, from 0 to " + std::to_string(count - 1) + ",");
    others.erase(static_cast<NodeId>(n));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return others;
}

/// view:eligible(job, place): nodes of its partition that are such a place, and those of them that could serve it.
std::tuple<std::int32_t, std::int32_t> eligible(const ViewCall& call) {
  const JobDemands& demands = demands_of(call.L, call.view, "view:eligible");
  const JobIndex j = call.object.jobs().index_of(call.L, 2);
  const Directed place(3, call, "view:eligible");
  NodeSet could(demands.layout().node_count());
  for (const std::int32_t unit : demands.demand(j))
    if (place.place().admits(demands.unit(unit).partition)) could |= demands.nodes(demands.unit(unit));
  call.charge(could.size() / 16);
  return {place.place().open(partition_nodes(demands, j, place.place().partition)).count(),
          place.place().open(could).count()};
}

/// view:licensed(job): whether the licences that the waiting job asks for are left.
bool licensed(const ViewCall& call) {
  const JobDemands& demands = demands_of(call.L, call.view, "view:licensed");
  const Request& asked = demands.request(call.object.jobs().index_of(call.L, 2));
  bool left = true;
  for (const LicenceUse& use : asked.licences) {
    call.charge(std::ssize(call.view.started()) / 8 + 1);
    std::int64_t count = demands.layout().licences[static_cast<std::size_t>(use.licence)].count;
    for (const StartedJob& job : call.view.started())
      for (const LicenceUse& of : demands.request_of(job.unit).licences)
        if (of.licence == use.licence) count -= of.count;
    left = left && count >= use.count;
  }
  return left;
}

}  // namespace

Directed::Directed(int index, const ViewCall& call, const char* of) : view_(call.view) {
  lua_State* const L = call.L;
  if (lua_isnoneornil(L, index)) return;
  const JobDemands& demands = demands_of(L, view_, of);
  check_directs(L, view_, of);
  bool alike = false;
  const auto names = {"kind", "alike", "alone", "beside", "idle", "with", "outside", "nodes", "partition"};
  options::read(L, index, of, names, [&](const options::Option& o) {
    if (o.is("alike")) alike = o.flag();
    else if (o.is("kind")) place_.kind = kind_at(L, lua_gettop(L), demands.layout(), of);
    else if (o.is("alone")) place_.alone = o.flag();
    else if (o.is("idle")) place_.idle = o.flag();
    else if (o.is("with")) each_job(L, o, [&] { place_.with.push_back(guest_at(call, demands)); });
    else if (o.is("nodes")) add_nodes(all_but(call, o, demands.layout().node_count()), place_.outside);
    else if (o.is("outside"))
      each_job(
          L, o, [&] { add_partition(call, demands, place_.outside, of); }, true);
    else if (o.is("partition")) place_.partition = partition_called(L, luaL_checkstring(L, -1), demands.layout(), of);
    else
      each_job(L, o, [&] {
        const StartedJob& job = started_job(call, of);
        place_.beside.push_back({job.parts, demands.request_of(job.unit).gpu_share});
      });
  });
  if (place_.idle && place_.beside.empty())
    raise(L, "{}: 'idle' has no effect without 'beside'; expected 'beside', or 'alone' instead", of);
  if (alike && place_.kind < 0) raise(L, "{}: 'alike' needs 'kind'", of);
  if (alike) take_alike(demands.layout());
  given_ = true;
  view_.available().direct(&place_);
}

/// Kinds that differ by name only are the same to it.
void Directed::take_alike(const MachineLayout& layout) {
  NodeSet others = layout.not_alike(place_.kind);
  if (others.size() == 0) return;
  place_.kind = -1;
  add_nodes(std::move(others), place_.outside);
}

Directed::~Directed() {
  if (given_) view_.available().direct(nullptr);
}

void add_place_methods(lua_State* L) {
  luahost::set_functions(L, {{"kinds", bound<kinds>},
                             {"speed", bound<speed>},
                             {"request", bound<request>},
                             {"parts", bound<parts>},
                             {"taken", bound<taken>},
                             {"partitions", bound<partitions>},
                             {"placed", bound<placed>},
                             {"eligible", bound<eligible>},
                             {"licensed", bound<licensed>},
                             {"partition", bound<partition>},
                             {"left", bound<left>},
                             {"slice_speed", bound<slice_speed>},
                             {"slice_speeds", bound<slice_speeds>},
                             {"set_slice", acting<set_slice>}});
}

}  // namespace coslice
