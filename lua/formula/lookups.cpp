#include "formula/lookups.h"

#include <cmath>
#include <lua.hpp>

#include "host/guard.h"
#include "host/state.h"

namespace coslice::formula {

namespace {

/// Replaces the table on the top of the stack by what reading its field gives, if that calls nothing.
bool step_into(lua_State* L) {
  // Stack: the table, the key.
  if (!lua_istable(L, -2)) return false;
  if (lua_rawget(L, -2) == LUA_TNIL && lua_getmetatable(L, -2) != 0) return false;
  lua_remove(L, -2);
  return true;
}

enum class Way : std::uint8_t { kThere, kNoTable, kOnlyLua };

/// Pushes the value of that number. kNoTable: there is nothing to read its last field from.
Way push_value(lua_State* L, const LuaRef& table, const Lookup& what, std::int64_t number) {
  table.push(L);
  lua_pushinteger(L, number);
  if (!step_into(L)) return Way::kOnlyLua;
  for (const std::string& name : what.path) {
    if (!lua_toboolean(L, -1)) return &name == &what.path.back() ? Way::kNoTable : Way::kOnlyLua;
    lua_pushlstring(L, name.data(), name.size());
    if (!step_into(L)) return Way::kOnlyLua;
  }
  return Way::kThere;
}

/// What the value at the top of the stack is to a formula.
Lookups::Slot seen(lua_State* L, const Lookup& what) {
  Lookups::Slot s;
  s.usable = true;
  if (lua_isnil(L, -1)) {
    s.usable = !what.unguarded;
  } else if (lua_isboolean(L, -1) && !lua_toboolean(L, -1)) {
    s.usable = !what.unguarded && !what.told_from_nil;
  } else {
    s.present = true;
    if (!what.as_number) return s;
    s.value = lua_tonumber(L, -1);
    s.usable =
        lua_type(L, -1) == LUA_TNUMBER && (lua_isinteger(L, -1) == 0 || std::fabs(s.value) <= Formula::kOutsideInt);
  }
  return s;
}

}  // namespace

void Lookups::want(const Formula& formula) {
  tables_.clear();
  for (const Lookup& l : formula.lookups()) {
    tables_.emplace_back();
    tables_.back().what = &l;
  }
}

void Lookups::look_at(lua_State* L, const Outside& outside) {
  ++turn_;
  for (Table& t : tables_) {
    const int at = outside.stack_index(t.what->object);
    if (t.address == lua_topointer(L, at)) continue;
    lua_pushvalue(L, at);
    t.table = LuaRef::pop(L);  // held: no other table can have its address meanwhile
    t.address = lua_topointer(L, at);
  }
}

Lookups::SlotId Lookups::slot(std::size_t l, std::int64_t number) {
  Table& t = tables_[l];
  const auto [at, is_new] = t.numbers.try_emplace(number, static_cast<SlotId>(t.slots.size()));
  if (is_new) {
    t.number_of.push_back(number);
    t.slots.emplace_back();
  }
  return at->second;
}

void Lookups::read(Table& t, SlotId s) {
  Slot now;
  const auto look = [&](lua_State* L) {
    const luahost::StackGuard guard(L);
    const Way way = push_value(L, t.table, *t.what, t.number_of[s]);
    if (way == Way::kThere) now = seen(L, *t.what);
    now.usable = now.usable || (way == Way::kNoTable && !t.what->no_outer);
  };
  if (t.what->path.empty()) look(state_.raw());  // allocates nothing
  else state_.protect(look);
  Slot& old = t.slots[s];
  const bool same = old.read != 0 && old.usable && now.usable && old.present == now.present && old.value == now.value;
  now.read = turn_;
  now.changed = same ? old.changed : turn_;
  old = now;
}

}  // namespace coslice::formula
