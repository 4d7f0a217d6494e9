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
    # In a copy of the archive some calls go to lua/host/inner_calls.cpp: the operator ^ would call the C library's pow,
    # whose bits differ between processors, and others do work that no hook counts. With a shared Lua they stay as they are.
    set(lua54 ${CMAKE_BINARY_DIR}/lua54)
    set(COSLICE_LUA_ARCHIVE ${lua54}/liblua5.4-coslice.a)
    file(REMOVE_RECURSE ${lua54})
    file(MAKE_DIRECTORY ${lua54})
    execute_process(COMMAND ${CMAKE_AR} x ${COSLICE_LUACXX_ARCHIVE} WORKING_DIRECTORY ${lua54} COMMAND_ERROR_IS_FATAL ANY)
    function(redirect_lua files) # NAME=REPLACEMENT...: what these object files call
      file(GLOB objects ${lua54}/${files}.o)
      list(TRANSFORM ARGN PREPEND --redefine-sym= OUTPUT_VARIABLE names)
      foreach(object IN LISTS objects)
        execute_process(COMMAND ${CMAKE_OBJCOPY} ${names} ${object} COMMAND_ERROR_IS_FATAL ANY)
      endforeach()
    endfunction()
    redirect_lua(l* pow=coslice_lua_pow fmod=coslice_lua_fmod strcoll=coslice_lua_strcoll memcmp=coslice_lua_memcmp)
    if(COSLICE_SHARED)  # see app/door/lua_streams.cpp
      redirect_lua(l* stdin=coslice_lua_stdin stdout=coslice_lua_stdout stderr=coslice_lua_stderr)
    endif()
    redirect_lua(lapi* _Z12luaO_str2numPKcP6TValue=coslice_lua_str2num)
    redirect_lua(lobject* snprintf=coslice_lua_snprintf __snprintf_chk=coslice_lua_snprintf_chk)
    redirect_lua(lvm* _Z12luaO_str2numPKcP6TValue=coslice_lua_str2num
                 _Z10luaT_gettmP5Table3TMSP7TString=coslice_lua_table_metamethod
                 _Z15luaT_getvarargsP9lua_StateP8CallInfoP10StackValuei=coslice_lua_getvarargs)
    redirect_lua(ldo* _Z15luaT_gettmbyobjP9lua_StatePK6TValue3TMS=coslice_lua_call_metamethod
                 __cxa_allocate_exception=coslice_lua_allocate_exception)
    file(GLOB objects ${lua54}/*.o)
    execute_process(COMMAND ${CMAKE_AR} rcs ${COSLICE_LUA_ARCHIVE} ${objects} COMMAND_ERROR_IS_FATAL ANY)
    target_link_libraries(coslice_lua54 INTERFACE ${COSLICE_LUA_ARCHIVE} m ${CMAKE_DL_LIBS})
    target_compile_definitions(coslice_lua54 INTERFACE COSLICE_INNER_CALLS)
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

# Which Lua that is: of 5.4.4 Debian's later packages have faults mended that the release has (--version warns of them).
set(COSLICE_LUA_PACKAGE "")
find_program(COSLICE_DPKG_QUERY dpkg-query)
if(COSLICE_DPKG_QUERY)
  execute_process(COMMAND ${COSLICE_DPKG_QUERY} -W "-f=\${Version}" liblua5.4-dev
    OUTPUT_VARIABLE COSLICE_LUA_PACKAGE ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
