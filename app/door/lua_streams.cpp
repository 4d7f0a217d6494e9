// The streams of the C library as Lua's archive has them in a shared library (cmake/CosliceLua.cmake): its objects name
// them directly, which only programs may.
#include <cstdio>

#ifdef COSLICE_BUILDS_LIBRARY
extern "C" {
std::FILE* coslice_lua_stdin = stdin;
std::FILE* coslice_lua_stdout = stdout;
std::FILE* coslice_lua_stderr = stderr;
}
#endif
