#include "api/policy/lua_ranking.h"

#include <cmath>
#include <lua.hpp>

#include "api/view/view_object.h"
#include "host/call_series.h"
#include "schedule/view.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

constexpr const char* kExpectedScore =
    "a score (a number), with the GPU if wanted; or nil or false for a node that the job is not to have";
constexpr const char* kExpectedGpus =
    "as its second value the number of a GPU of which enough is left, or a list of as many as the job asks for";

/// The GPU at the stack index as a bit; 0 if the job cannot have it.
std::uint64_t gpu_bit(lua_State* L, int index, const Request& request, const NodeRoom& room) {
  if (lua_isinteger(L, index) == 0) return 0;
  const lua_Integer g = lua_tointeger(L, index);
  if (g < 1 || g > std::ssize(room.gpus)) return 0;
  return room.gpus[static_cast<std::size_t>(g - 1)] >= request.gpu_share ? std::uint64_t{1} << (g - 1) : 0;
}

/// The GPUs at the stack index; 0 if the job cannot have them.
std::uint64_t read_gpus(lua_State* L, int index, const Request& request, const NodeRoom& room) {
  if (!lua_istable(L, index)) return request.gpus == 1 ? gpu_bit(L, index, request, room) : 0;
  if (lua_rawlen(L, index) != static_cast<lua_Unsigned>(request.gpus)) return 0;
  std::uint64_t gpus = 0;
  for (lua_Integer i = 1; i <= request.gpus; ++i) {
    lua_rawgeti(L, index, i);
    const std::uint64_t bit = gpu_bit(L, -1, request, room);
    lua_pop(L, 1);
    if (bit == 0 || (gpus & bit) != 0) return 0;
    gpus |= bit;
  }
  return gpus;
}

/// Shows a view as long as it lives.
class ShownView {
 public:
  ShownView(ViewObject& object, View* view) : object_(object), before_(object.show({view, {}, false})) {}
  ~ShownView() { object_.show(before_); }
  ShownView(const ShownView&) = delete;
  ShownView& operator=(const ShownView&) = delete;

 private:
  ViewObject& object_;
  ViewObject::Shown before_;
};

/// The question is over, however it ends.
class Asking {
 public:
  explicit Asking(ShownNode& question) : question_(question), before_(question) {}
  ~Asking() { question_ = before_; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  ShownNode& question_;
  ShownNode before_;
};

}  // namespace

LuaRanking::LuaRanking(Policy& policy, const JobTables& jobs, ViewObject& object, std::function<View*()> view,
                       const MachineLayout& layout, const std::vector<TypicalRequest>& mix)
    : policy_(policy), object_(object), view_(std::move(view)), node_(policy.state(), jobs, layout, mix) {
  for (std::size_t k = 0; k != layout.kinds.size(); ++k)
    kind_of_.insert(kind_of_.end(), static_cast<std::size_t>(layout.kinds[k].count), static_cast<std::int32_t>(k));
  if (!policy.placement()->cached || policy.random() == nullptr) node_.note(kReadsAnything);
}

const Contention* LuaRanking::contention() const {
  View* const view = view_();
  return view != nullptr ? view->host().contention() : nullptr;
}

const std::vector<std::uint64_t>* LuaRanking::node_changes() const {
  const Contention* const c = contention();
  return c != nullptr ? &c->node_changes() : nullptr;
}

std::uint64_t LuaRanking::changes() const {
  const Contention* const c = contention();
  return c != nullptr ? c->changes() : 0;
}

void LuaRanking::score(std::uint32_t job, const Request& request, const NodePool& pool,
                       const std::vector<NodeId>& nodes, std::vector<NodeScore>& out) {
  const Hook& hook = policy_.placement()->function;
  View* const view = view_();
  const Contention* const contention = this->contention();
  const ShownView shown(object_, view);
  ShownNode& question = node_.question();
  const Asking asking(question);
  const std::uint64_t uses = object_.uses();
  const std::uint64_t draws = policy_.random() != nullptr ? policy_.random()->mark() : 0;
  CallSeries series(policy_.state(), hook.function, hook.label);
  series.run([&](lua_State* L) {
    node_.push(L);
    const int first = lua_gettop(L) - 1;
    object_.value().push(L);
    policy_.params_table().push(L);
    for (std::size_t i = 0; i != nodes.size(); ++i) {
      const NodeId n = nodes[i];
      const NodeRoom& room = pool.room(n);
      question = {&pool, &room, &request, n, kind_of_[static_cast<std::size_t>(n)], job, contention};
      series.begin();
      for (int argument = 0; argument != 4; ++argument) lua_pushvalue(L, first + argument);
      series.call(4, 2);
      NodeScore& score = out[i];
      if (lua_type(L, -2) == LUA_TNUMBER) {
        score.value = lua_tonumber(L, -2);
        if (!std::isfinite(score.value)) series.fail(-2, kExpectedScore);
        if (!lua_isnil(L, -1) && (score.gpus = read_gpus(L, lua_gettop(L), request, room)) == 0)
          series.fail(-1, kExpectedGpus);
      } else if (lua_toboolean(L, -2) == 0) {
        score.admitted = false;
      } else {
        series.fail(-2, kExpectedScore);
      }
      lua_pop(L, 2);
    }
  });
  if (object_.uses() != uses || (policy_.random() != nullptr && policy_.random()->mark() != draws))
    node_.note(kReadsAnything);
}

}  // namespace coslice
