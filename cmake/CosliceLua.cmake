# Lua as the target coslice_lua54; its headers also as LUACXX_INCLUDE_DIRS.
#
# Wanted is the Lua that is compiled as C++ (errors unwind C++ frames), as a static archive: it exports the same names
# as the plain Lua that a host may have loaded already, and an archive can be hidden (see CosliceInstall.cmake).
# In this order: the archive; the shared library; plain Lua. With plain Lua an error is a longjmp: functions that
# Lua calls must not hold anything with a destructor when they raise one, which lua/host sees to, but an error
# raised inside Lua's own API (out of memory) leaks what the C++ frames between held.
option(COSLICE_PLAIN_LUA "Use Lua compiled as C even where Lua compiled as C++ is there" OFF)
find_package(PkgConfig REQUIRED)
if(NOT COSLICE_PLAIN_LUA)
  pkg_check_modules(LUACXX QUIET lua5.4-c++)
endif()

add_library(coslice_lua54 INTERFACE)
set(COSLICE_LUA_ARCHIVE "")
if(LUACXX_FOUND)
  pkg_get_variable(lua_libdir lua5.4-c++ libdir)
  find_file(COSLICE_LUACXX_ARCHIVE liblua5.4-c++.a PATHS ${lua_libdir} NO_DEFAULT_PATH)
  if(COSLICE_LUACXX_ARCHIVE)
    # The operator ^ calls the C library's pow, whose bits differ between processors. In a copy of the archive it calls
    # coslice_lua_pow instead (lua/host/power.cpp). With a shared Lua, ^ stays as the C library has it.
    set(COSLICE_LUA_ARCHIVE ${CMAKE_BINARY_DIR}/lua54/liblua5.4-coslice.a)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lua54)
    execute_process(COMMAND ${CMAKE_OBJCOPY} --redefine-sym pow=coslice_lua_pow
                            ${COSLICE_LUACXX_ARCHIVE} ${COSLICE_LUA_ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
    target_link_libraries(coslice_lua54 INTERFACE ${COSLICE_LUA_ARCHIVE} m ${CMAKE_DL_LIBS})
  else()
    target_link_libraries(coslice_lua54 INTERFACE ${LUACXX_LINK_LIBRARIES})
  endif()
else()
  pkg_search_module(LUACXX REQUIRED lua5.4 lua54 lua-5.4)
  target_link_libraries(coslice_lua54 INTERFACE ${LUACXX_LINK_LIBRARIES})
  target_compile_definitions(coslice_lua54 INTERFACE COSLICE_PLAIN_LUA)
  message(WARNING "Lua compiled as C++ (lua5.4-c++) is not used: plain Lua leaks memory when a script runs out of its limit")
endif()
list(PREPEND LUACXX_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/lua/include)  # our lua.hpp before Lua's
target_include_directories(coslice_lua54 SYSTEM INTERFACE ${LUACXX_INCLUDE_DIRS})
