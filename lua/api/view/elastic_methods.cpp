// The view's methods for the sizes of jobs: of moldable ones while they wait, of elastic ones while they run.
#include <algorithm>
#include <limits>
#include <lua.hpp>
#include <optional>
#include <tuple>
#include <vector>

#include "api/view/view_call.h"
#include "host/acting.h"
#include "jobs/attributes.h"
#include "jobs/job_sizes.h"
#include "schedule/hosted_view.h"
#include "schedule/view.h"

namespace coslice {
namespace {

using luahost::acting;
using luahost::bound;
using luahost::Pushed;
using luahost::raise;

/// The job if it runs in this view and may change its nodes; null: it does not run, or keeps those that it has.
StartedJob* elastic_job(const ViewCall& call, JobIndex j) {
  StartedJob* const job = call.view.host().elastic_job(j);
  return job != nullptr && job->view == &call.view ? job : nullptr;
}

/// The place of the size with so many nodes, as find_size(): scripts may ask for any number.
std::size_t size_with(const std::vector<JobSize>& sizes, lua_Integer nodes) {
  constexpr lua_Integer kMost = std::numeric_limits<std::int32_t>::max();
  return nodes < 0 || nodes > kMost ? sizes.size() : find_size(sizes, static_cast<std::int32_t>(nodes));
}

/// An elastic job that runs.
struct ElasticJob {
  ElasticJob(lua_State* L, const ViewCall& call, int index) {
    const JobIndex j = call.object.jobs().index_of(L, index);
    job = elastic_job(call, j);
    if (job == nullptr) job = call.view.find_started(j);
    if (job == nullptr) raise(L, "job {} is not running", call.id(j));
    sizes = call.view.host().elastic_sizes(*job);
    if (sizes == nullptr)
      raise(L, "job {} keeps the nodes that it has: {}", call.id(j),
            job->phase == Phase::kSuspended ? "it is suspended"
            : attributes::kElastic.text(call.view.job(j)).empty()
                ? "it is not elastic"
                : "it has borrowed nodes, or such jobs may not change them here");
  }
  /// Returns the number of the size of so many nodes; raises a Lua error if there is none.
  std::size_t size(lua_State* L, const ViewCall& call, lua_Integer nodes) const {
    const std::size_t i = size_with(*sizes, nodes);
    if (i == sizes->size()) raise(L, "job {} has no size of {} nodes", call.id(job->index), nodes);
    return i;
  }
  StartedJob* job;
  const std::vector<JobSize>* sizes;
};

/// The sizes among which there is a choice for the job; null: there is none.
const std::vector<JobSize>* sizes_of(const ViewCall& call, JobIndex j) {
  const StartedJob* const running = elastic_job(call, j);
  return running != nullptr ? call.view.host().elastic_sizes(*running) : call.view.sizes_of(j);
}

/// view:size(job, nodes?) -> integer?, number?
std::optional<std::tuple<std::int32_t, double>> size(const ViewCall& call, AnyJob job,
                                                     std::optional<lua_Integer> nodes) {
  const std::vector<JobSize>* const all = sizes_of(call, job);
  if (all == nullptr) return {};
  const lua_Integer most = nodes.value_or(std::numeric_limits<lua_Integer>::max());
  if (const std::size_t i = nodes ? size_with(*all, most) : all->size(); i != all->size())
    return std::tuple((*all)[i].nodes, to_seconds((*all)[i].limit));
  call.charge(std::ssize(*all) / 16);
  const JobSize* best = &all->front();
  for (const JobSize& s : *all)
    if (best->nodes > most ? s.nodes < best->nodes : s.nodes > best->nodes && s.nodes <= most) best = &s;
  return std::tuple(best->nodes, to_seconds(best->limit));
}

/// view:sizes(job) -> { nodes: integer, limit: number }[]?
Pushed sizes(const ViewCall& call, AnyJob job) {
  const std::vector<JobSize>* const all = sizes_of(call, job);
  if (all == nullptr) return {0};
  call.charge(std::ssize(*all));
  luahost::push_list(call.L, *all, [&](const JobSize& size) {
    luahost::push_fields(call.L, "nodes", size.nodes, "limit", to_seconds(size.limit));
  });
  return {};
}

/// view:set_nodes(job, nodes)
void set_nodes(const DecidingCall& call, WaitingJob p, lua_Integer nodes) {
  const JobIndex j = call.queue().job(p);
  const std::vector<JobSize>* const all = call.view.sizes_of(j);
  if (all == nullptr) raise(call.L, "job {} has one size only", call.id(j));
  const std::size_t size = size_with(*all, nodes);
  if (size == all->size()) raise(call.L, "job {} has no size of {} nodes", call.id(j), nodes);
  call.view.set_size(p, size);
  call.object.jobs().refresh_estimate(j);
}

/// view:resize(job, nodes) -> boolean
bool resize(const DecidingCall& call, ElasticJob elastic, lua_Integer nodes) {
  const std::size_t size = elastic.size(call.L, call, nodes);
  if (!call.view.can_gain(*elastic.job, (*elastic.sizes)[size])) {
    const std::int32_t held = std::max(elastic.job->node_count, elastic.job->held);
    raise(call.L, "job {} cannot have {} nodes now: that is {} more, and {} are free{}", call.id(elastic.job->index),
          nodes, nodes - held, call.view.free_now(),
          call.view.available().by_count() ? "" : ", not all of them for it until its expected end");
  }
  return call.view.resize_started(*elastic.job, size);
}

/// view:can_resize(job, nodes) -> boolean
bool can_resize(const ViewCall& call, ElasticJob elastic, lua_Integer nodes) {
  const std::size_t size = elastic.size(call.L, call, nodes);
  return call.view.can_resize(*elastic.job, (*elastic.sizes)[size]);
}

/// view:nodes(job) -> integer?, integer?
std::optional<std::tuple<std::int32_t, std::int32_t>> nodes(const ViewCall& call, AnyJob j) {
  const StartedJob* const job = elastic_job(call, j);
  if (job == nullptr || call.view.host().elastic_sizes(*job) == nullptr) return {};
  const std::int32_t ordered = call.view.host().ordered_nodes(*job);
  return std::tuple(job->node_count, ordered != 0 ? ordered : job->node_count);
}

/// The step of the loop that view:elastic() returns.
Pushed next_elastic(Loop& loop) {
  const ElasticMember m = loop.view.host().next_elastic(loop.view, loop.next());
  if (m.job == nullptr) return {0};
  loop.charge(1);
  loop.go_on_at(m.number + 1);
  loop.object.jobs().push(loop.L, m.job->index);
  for (const std::int32_t nodes : {m.nodes, m.least, m.most}) lua_pushinteger(loop.L, nodes);
  return {4};
}

/// view:elastic() -> fun(): Job?, integer, integer, integer
Pushed elastic(const ViewCall& call) { return push_loop<next_elastic>(call, 0); }

/// view:elastic_room() -> integer, integer, integer
std::tuple<std::int32_t, std::int32_t, std::int32_t> elastic_room(const ViewCall& call) {
  const ElasticRoom room = call.view.host().elastic_room(call.view);
  return {room.spare, room.more, room.leaving};
}

/// Between the slices of a class its jobs stand at no point that they have not reached before.
Time next_point_while_closed(const View& view) {
  Time first = kNever;
  for (const StartedJob& job : view.started()) {
    if (view.host().elastic_job(job.index) == nullptr) continue;
    if (const Time t = view.host().next_point(job); t > view.now()) first = std::min(first, t);
  }
  return first;
}

/// view:next_point(job?) -> number?
std::optional<double> next_point(const ViewCall& call) {
  const ViewHost& host = call.view.host();
  Time t = kNever;
  if (!lua_isnoneornil(call.L, 2)) {
    t = host.next_point(*ElasticJob(call.L, call, 2).job);
  } else {
    call.charge(std::ssize(call.view.started()));
    if (host.slices() == nullptr || host.slices()->is_open(call.view)) t = host.next_point_of_any();
    else t = next_point_while_closed(call.view);
  }
  return t == kNever ? std::nullopt : std::optional(to_seconds(t));
}

}  // namespace

void add_elastic_methods(lua_State* L) {
  luahost::set_functions(L, {{"size", bound<size>},
                             {"sizes", bound<sizes>},
                             {"set_nodes", acting<set_nodes>},
                             {"resize", acting<resize>},
                             {"can_resize", bound<can_resize>},
                             {"nodes", bound<nodes>},
                             {"elastic", bound<elastic>},
                             {"elastic_room", bound<elastic_room>},
                             {"next_point", bound<next_point>}});
}

}  // namespace coslice
