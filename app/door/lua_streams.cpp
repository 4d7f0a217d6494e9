// The streams of the C library as Lua's archive has them where libcoslice.so is built (cmake/CosliceLua.cmake): its
// objects name them directly, which only programs may. The static program has the same archive.
#include <cstdio>

#if defined(COSLICE_BUILDS_LIBRARY) || defined(COSLICE_STATIC)
extern "C" {
std::FILE* coslice_lua_stdin = stdin;
std::FILE* coslice_lua_stdout = stdout;
std::FILE* coslice_lua_stderr = stderr;
}
#endif
