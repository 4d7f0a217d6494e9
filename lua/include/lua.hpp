// Lua's headers with the linkage of the Lua that is linked; found before Lua's own lua.hpp, which always says
// extern "C". Debian 12 builds its C++ Lua with C names and says so in luaconf.h; Debian 13 and Ubuntu 24.04 build it
// with C++ names; plain Lua has C names and says nothing.
#pragma once

#ifdef COSLICE_PLAIN_LUA
extern "C" {
#endif
#include <lua.h>
#include <lualib.h>
#include <lauxlib.h>
#ifdef COSLICE_PLAIN_LUA
}
#endif
