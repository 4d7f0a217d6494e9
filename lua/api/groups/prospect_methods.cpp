#include "api/groups/prospect_methods.h"

#include <lua.hpp>

#include "api/groups/group_handles.h"
#include "api/jobs/job_tables.h"
#include "api/scripts/options.h"
#include "api/view/view_methods.h"
#include "api/view/view_object.h"
#include "host/guard.h"
#include "sharing/prospects.h"

namespace coslice {

using namespace groups;

namespace {

using Groups = Prospects::Search::Groups;

int note_choices(lua_State* L) {
  GroupContext& d = context_of(L);
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  Prospects::Choices choices;
  options::read(L, 3, "view:note_choices", {"shares", "searches", "ppn", "most"}, [&](const options::Option& o) {
    if (o.is("shares")) choices.shares = o.flag();
    else if (o.is("searches")) choices.searches = o.flag();
    else if (o.is("ppn")) choices.ppn = static_cast<std::int32_t>(o.count());
    else choices.most = static_cast<std::int32_t>(o.count());
  });
  const std::int32_t cores = d.search.shape().cores;
  luaL_argcheck(L, choices.ppn <= cores && choices.most <= cores, 3, "processes per node, from 1 to its cores");
  luaL_argcheck(L, choices.ppn == choices.most || (choices.ppn > 0 && choices.most > 0), 3,
                "ppn and most together, or neither");
  d.prospects.note(j, choices);
  return 0;
}

Prospects::Search search_option(lua_State* L) {
  Prospects::Search search;
  search.tolerance = tolerance_option(L, 3, "view:prospects");
  options::read(L, 4, "view:prospects", {"groups", "primaries"}, [&](const options::Option& o) {
    if (o.is("groups")) search.groups = static_cast<Groups>(o.choice({"none", "pairs", "sets"}));
    else search.primaries = o.count();
  });
  return search;
}

/// Upvalues: the view, the next position, the head, the search.
int next_prospect(lua_State* L) {
  ViewObject& object = own_view(L);
  View& view = object.view(L);
  const WaitingQueue& queue = view.queue();
  GroupContext* const d = object.groups();
  const auto from = static_cast<View::Position>(lua_tointeger(L, lua_upvalueindex(2)));
  const auto head = static_cast<JobIndex>(lua_tointeger(L, lua_upvalueindex(3)));
  const auto& search = *static_cast<const Prospects::Search*>(lua_touserdata(L, lua_upvalueindex(4)));
  View::Position p = d->prospects.next(view, from, head, search);
  while (p < queue.end() && !queue.live(p)) ++p;
  luahost::charge(L, static_cast<std::int64_t>(std::min(p, queue.end()) - std::min(from, queue.end())));
  if (p >= queue.end()) return 0;
  lua_pushinteger(L, static_cast<lua_Integer>(p) + 1);
  lua_replace(L, lua_upvalueindex(2));
  object.hint(p);
  object.jobs().push(L, queue.job(p));
  return 1;
}

int prospects(lua_State* L) {
  GroupContext& d = context_of(L);
  d.view_object().check_decides(L);
  const View::Position head = d.view_object().waiting_position(L, 2);
  const JobIndex j = d.view_object().view(L).queue().job(head);
  const Prospects::Search search = search_option(L);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(head) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(j));
  *static_cast<Prospects::Search*>(lua_newuserdatauv(L, sizeof(Prospects::Search), 0)) = search;
  lua_pushcclosure(L, luahost::guarded<next_prospect>, 4);
  return 1;
}

}  // namespace

void add_prospect_methods(lua_State* L, GroupContext& context) {
  using luahost::guarded;
  const luaL_Reg methods[] = {
      {"note_choices", guarded<note_choices>}, {"prospects", guarded<prospects>}, {nullptr, nullptr}};
  set_methods(L, methods, context);
}

}  // namespace coslice
