# Flags that every target shares. Floating-point contraction is off because a fused multiply-add
# rounds once where two instructions round twice: results would depend on compiler and processor.
add_library(coslice_flags INTERFACE)
target_compile_options(coslice_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -ffp-contract=off)
# g++ 12 takes a small_vector's heap buffer for its inline one; and sources of a unity build, which are included, for headers,
# in which no class may hold one of an unnamed namespace.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(coslice_flags INTERFACE -Wno-stringop-overread -Wno-subobject-linkage)
endif()
if(COSLICE_SANITIZE)
  # float-cast-overflow is not in `undefined`: numbers come from users, and a conversion that does not fit is undefined.
  add_compile_options(-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined,float-cast-overflow)
endif()
if(COSLICE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "COSLICE_FUZZ needs clang++ (libFuzzer): cmake --preset asan")
endif()
# Counters that tell a fuzzer where it has been; only for what the fuzz targets run.
add_library(coslice_fuzzed INTERFACE)
if(COSLICE_FUZZ)
  target_compile_options(coslice_fuzzed INTERFACE -fsanitize=fuzzer-no-link)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(COSLICE_CCACHE ccache)
if(COSLICE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${COSLICE_CCACHE})
endif()

if(COSLICE_CCACHE)
  set(once OFF)
else()
  set(once ON)
endif()
option(COSLICE_UNITY "Compile several sources at once" ${once})
option(COSLICE_PCH "Precompile headers; ccache keeps what is compiled with them only with CCACHE_SLOPPINESS" ${once})

# A build from nothing spends most of its time reading the same headers again: several sources as one compile in half of
# it. ccache spares more, file by file; so it is one or the other. The sanitizer build is always of this kind, so that
# collisions (equal names in unnamed namespaces) show on every machine.
if(COSLICE_UNITY OR COSLICE_SANITIZE)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 14)
endif()

# Headers of other projects, read once for all sources of a target. ccache would not keep what is compiled with them; its
# users' builds are those that notice a source which does not include what it uses.
function(coslice_precompile target)
  if(COSLICE_PCH)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional>
      <limits> <map> <memory> <optional> <set> <string> <string_view> <vector> ${ARGN})
  endif()
endfunction()

# The same of our own headers, where a build is made once rather than after each change of one of them.
function(coslice_precompile_own target)
  set(headers ${ARGN})
  if(NOT COSLICE_UNITY)
    list(FILTER headers EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}")
  endif()
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    coslice_precompile(${target} ${headers})
  endif()
endfunction()

# For what is cold, where runs spend little: outside Release it compiles in half the time, with the same checks.
function(coslice_cold target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Release>>:-O0>)
endfunction()

# Adds the cold sources NAME of a library. LIBRARIES are the arguments of target_link_libraries. With SMALL no plain run needs
# them: they are small in Release, as pages of code that lie beside what runs are loaded as well.
function(coslice_cold_sources target name)
  cmake_parse_arguments(cold SMALL "" "SOURCES;LIBRARIES" ${ARGN})
  set(objects ${target}_${name})
  add_library(${objects} OBJECT ${cold_SOURCES})
  target_link_libraries(${objects} ${cold_LIBRARIES})
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
  coslice_cold(${objects})
  if(cold_SMALL)
    target_compile_options(${objects} PRIVATE $<$<CONFIG:Release>:-Os>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # g++ 12 takes functions in lists for uninitialized at -Os
      target_compile_options(${objects} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
  coslice_precompile(${objects} <fmt/format.h> <fmt/ranges.h>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()
