#include "formula/outside.h"

#include <cmath>
#include <lua.hpp>

namespace coslice::formula {

namespace {

using Kind = Outside::Found::Kind;

constexpr int kMostObjects = 60;

/// Pushes t[name] as reading it gives it, if that calls nothing: tables behind tables are followed.
bool push_field_of(lua_State* L, int table, const std::string& name) {
  lua_pushvalue(L, table);
  for (int depth = 0; depth != 4 && lua_istable(L, -1); ++depth) {
    lua_pushlstring(L, name.data(), name.size());
    if (lua_rawget(L, -2) != LUA_TNIL || !lua_getmetatable(L, -2)) {
      lua_remove(L, -2);
      return true;
    }
    lua_pushliteral(L, "__index");
    lua_rawget(L, -2);
    lua_copy(L, -1, -4);
    lua_pop(L, 3);
  }
  const bool absent = lua_isnil(L, -1);
  if (!absent) lua_pop(L, 1);
  return absent;
}

}  // namespace

void Outside::begin(lua_State* L, int base) {
  L_ = L;
  base_ = base;
  objects_ = 2;
}

Builtin Outside::builtin_at(int index) const {
  static constexpr struct {
    const char* name;
    Builtin builtin;
  } kBuiltins[] = {{"max", Builtin::kMax},     {"min", Builtin::kMin},   {"abs", Builtin::kAbs},
                   {"sqrt", Builtin::kSqrt},   {"exp", Builtin::kExp},   {"log", Builtin::kLog},
                   {"floor", Builtin::kFloor}, {"ceil", Builtin::kCeil}, {"pow", Builtin::kPow}};
  for (const auto& b : kBuiltins) {
    lua_getfield(L_, base_ + 2, b.name);
    const bool same = lua_rawequal(L_, -1, index) != 0;
    lua_pop(L_, 1);
    if (same) return b.builtin;
  }
  return Builtin::kNone;
}

bool Outside::push(const Read& r) const {
  const int parent = stack_index(r.parent);
  if (r.upvalue == kByView) {
    if (!lua_istable(L_, parent) || lua_isnil(L_, base_ + 3)) return false;
    lua_pushvalue(L_, base_ + 3);
    lua_rawget(L_, parent);
    return !lua_isnil(L_, -1);
  }
  if (r.upvalue != 0) return lua_getupvalue(L_, parent, r.upvalue) != nullptr;
  return lua_istable(L_, parent) && push_field_of(L_, parent, r.name);
}

/// Of the value on the top of the stack.
Outside::Found Outside::classify(double& number, const void*& identity) const {
  Found f;
  const int top = lua_gettop(L_);
  switch (lua_type(L_, top)) {
    case LUA_TNIL: break;
    case LUA_TBOOLEAN:
      f.kind = Kind::kBool;
      number = lua_toboolean(L_, top);
      break;
    case LUA_TNUMBER:
      f.kind = lua_isinteger(L_, top) ? Kind::kInt : Kind::kFloat;
      number = lua_tonumber(L_, top);
      if (f.kind == Kind::kInt && !(std::fabs(number) <= Formula::kOutsideInt)) throw Refused{"an integer is large"};
      break;
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* text = lua_tolstring(L_, top, &size);
      f.kind = Kind::kText;
      f.text.assign(text, size);
      break;
    }
    case LUA_TTABLE: f.kind = Kind::kTable; break;
    case LUA_TFUNCTION:
      identity = lua_topointer(L_, top);
      f.kind = Kind::kFunction;
      if (lua_iscfunction(L_, top)) {
        f.builtin = builtin_at(top);
        f.kind = Kind::kBuiltin;
        if (f.builtin == Builtin::kNone) throw Refused{"a function of the library"};
      }
      break;
    default: throw Refused{"a value of another type"};
  }
  return f;
}

Outside::Found Outside::find(int parent, int upvalue, const std::string& name) {
  for (const Read& r : reads_)
    if (r.parent == parent && r.upvalue == upvalue && r.name == name) return r.found;
  Read r{parent, upvalue, name, {}, nullptr};
  luaL_checkstack(L_, 10, "formula");
  if (!push(r)) throw Refused{"a field that calls something"};
  double number = 0;
  r.found = classify(number, r.identity);
  const bool is_object = r.found.kind == Kind::kTable || r.found.kind == Kind::kFunction;
  if (is_object && objects_ == kMostObjects) throw Refused{"it reads much"};
  if (is_object) r.found.object = objects_++;
  else lua_pop(L_, 1);
  if (r.found.kind == Kind::kInt) {  // room to grow: most are weights and counts
    r.found.most = 0x1p16;
    while (r.found.most < 2 * std::fabs(number)) r.found.most *= 2;
  }
  if (r.found.kind == Kind::kInt || r.found.kind == Kind::kFloat || r.found.kind == Kind::kBool) {
    r.found.number = static_cast<int>(numbers_.size());
    numbers_.push_back(number);
  }
  reads_.push_back(r);
  return r.found;
}

Outside::Found Outside::upvalue(int object, int n) { return find(object, n, ""); }
Outside::Found Outside::field(int object, const std::string& name) { return find(object, 0, name); }

Outside::Found Outside::field_of_view(int object) { return find(object, kByView, ""); }

bool Outside::refresh(lua_State* L, int base) {
  begin(L, base);
  luaL_checkstack(L, kMostObjects + 10, "formula");
  for (const Read& r : reads_) {
    if (!push(r)) return false;
    double number = 0;
    const void* identity = nullptr;
    if (lua_type(L, -1) == LUA_TFUNCTION) {  // the expensive look at the library is not needed
      if (lua_topointer(L, -1) != r.identity) return false;
    } else {
      try {
        const Found f = classify(number, identity);
        if (f.kind != r.found.kind || f.text != r.found.text) return false;
        if (f.kind == Kind::kInt && std::fabs(number) > r.found.most) return false;
      } catch (const Refused&) {
        return false;
      }
    }
    if (r.found.number >= 0) numbers_[static_cast<std::size_t>(r.found.number)] = number;
    if (r.found.object >= 0) ++objects_;
    else lua_pop(L, 1);
  }
  return true;
}

}  // namespace coslice::formula
