// No weak tables and no finalisers for scripts. What a weak table holds and when a finaliser runs depends on the
// collector, and what the engine took out of a weak table may be freed while it is in use.
//
// To refuse the fields in setmetatable is not enough: a script may set them later. And the collector looks for them by
// itself, where no hook can intervene. But it looks for them by two objects: the strings that lua_newstate makes for
// these names and keeps. Short strings of equal bytes are one object in Lua, so a key "__mode" of a script is that
// object, and is found. Hence other bytes are written into the two objects, once, before any script runs: a script that
// writes "__mode" from then on gets a new string, which is not the one that the collector looks for.
//
// This holds for each Lua 5.4, linked or shared. It uses no more than that lua_tolstring gives the bytes of the string
// itself, that Lua compares strings of a bucket by their bytes, and keeps each in the bucket of its first hash.
#include <cstring>

#include "host/core.h"

namespace coslice::luahost {
namespace {

const char kFinalizer = 0;  ///< its address is the registry key of the object that once was "__gc"

/// Lua's own object for the name is on the top of the stack: gives it bytes by which no script finds it. A script can
/// make a string of any bytes; but it looks for it in the bucket of its hash, and the object stays in that of its old
/// name. The number of buckets is a power of two that never becomes smaller than now: what differs today does so
/// always.
void rename_object(lua_State* L) {
  std::size_t size = 0;
  const char* const held = lua_tolstring(L, -1, &size);
  char bytes[16] = {};
  for (char c = 1; size < sizeof bytes && c < 120; ++c) {
    std::memset(bytes, c, size);
    std::memcpy(const_cast<char*>(held), bytes, size);
    const bool found = lua_pushlstring(L, bytes, size) == held;
    lua_pop(L, 1);
    if (!found) return;
  }
  luaL_error(L, "this release of Lua offers no way to withhold a metafield");
}

/// The box in which Lua's own library keeps a long text while it is put together has a finaliser: it must know its
/// name.
void prepare_buffers(lua_State* L) {
  luaL_Buffer buffer;
  luaL_buffinitsize(L, &buffer, std::size_t{4} * LUAL_BUFFERSIZE);
  luaL_pushresultsize(&buffer, 0);
  lua_pop(L, 1);
}

}  // namespace

void withhold_metafields(lua_State* L) {
  prepare_buffers(L);
  lua_pushliteral(L, "__gc");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kFinalizer);
  rename_object(L);
  lua_pushliteral(L, "__mode");
  rename_object(L);
  lua_pop(L, 2);
}

void set_finalizer(lua_State* L, lua_CFunction finalizer) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kFinalizer);
  lua_pushcfunction(L, finalizer);
  lua_rawset(L, -3);
}

}  // namespace coslice::luahost
