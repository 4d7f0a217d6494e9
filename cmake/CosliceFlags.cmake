# Flags that every target shares. Floating-point contraction is off because a fused multiply-add
# rounds once where two instructions round twice: results would depend on compiler and processor.
add_library(coslice_flags INTERFACE)
target_compile_options(coslice_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -ffp-contract=off)
# g++ 12 takes a small_vector's heap buffer for its inline one; and sources of a unity build, which are included, for headers,
# in which no class may hold one of an unnamed namespace.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(coslice_flags INTERFACE -Wno-stringop-overread -Wno-array-bounds
    -Wno-subobject-linkage)
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
# The programs of a build for tests are large, and linked one after the other: gold takes half of the time. Debian 12 has it
# beside the usual linker.
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  find_program(COSLICE_GOLD ld.gold)
  if(COSLICE_GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()

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
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
endif()

# Headers that are read once for all sources of a target. Where sources are compiled one by one, none of our own, which change.
function(coslice_precompile_own target)
  set(headers ${ARGN})
  if(NOT COSLICE_UNITY)
    list(FILTER headers EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/(engine|lua|app)/")
  endif()
  if(COSLICE_PCH)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional>
      <limits> <map> <memory> <optional> <set> <string> <string_view> <vector> ${headers})
  endif()
endfunction()

# How much the compiler optimizes a target: `hot` is what runs spend their time in. `cold` compiles faster, outside Release in
# half the time with the same checks. `warm` is hot in Release and cold elsewhere: it counts for large files only. `small` is
# cold and no plain run needs it: in Release its pages of code, which lie beside what runs and are loaded as well, are few.
function(coslice_optimize target level)
  if(level STREQUAL cold)
    target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Release>,-O1,-O0>)
  elseif(level STREQUAL small)
    target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Release>,-Os,-O0>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # g++ 12 takes functions in lists for uninitialized at -Os
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

# A precompiled header serves one set of flags: there is a target for each level, coslice_LEVEL_headers, whose headers all
# targets of that level share.
function(coslice_shared_headers level)
  set(target coslice_${level}_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.cpp CONTENT "// Only its precompiled header counts.\n")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${target}.cpp)
  target_link_libraries(${target} PRIVATE Boost::headers fmt::fmt nlohmann_json::nlohmann_json coslice_flags)
  coslice_optimize(${target} ${level})
  # g++ reads all of a precompiled header for each compile: of the JSON library that takes longer than those few large
  # compiles that need it. clang reads what is used: it also has what nearly all batches include of the engine.
  set(large_headers)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(large_headers <nlohmann/json.hpp> ${PROJECT_SOURCE_DIR}/engine/metrics/summary.h
      ${PROJECT_SOURCE_DIR}/engine/run/simulation.h)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/engine)
  endif()
  coslice_precompile_own(${target} <charconv> <chrono> <deque> <unordered_map> <variant> <fmt/format.h> <fmt/ranges.h>
    <boost/container/small_vector.hpp> ${large_headers})
endfunction()

# The level of a target, and its headers; where some targets have counters for fuzzing, which are a flag, too, they are its own.
function(coslice_level target level)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release AND level MATCHES "warm|small")
    set(level cold)  # the same there
  elseif(level STREQUAL warm)
    set(level hot)
  endif()
  coslice_optimize(${target} ${level})
  if(COSLICE_PCH AND COSLICE_FUZZ)
    coslice_precompile_own(${target} <fmt/format.h> <fmt/ranges.h>)  # without what only some targets may include
  elseif(COSLICE_PCH)
    target_precompile_headers(${target} REUSE_FROM coslice_${level}_headers)
  endif()
endfunction()

# Adds a part of a library: objects with flags of their own. LIBRARIES are the arguments of target_link_libraries. LEVEL is hot,
# warm, cold or small. With FIRST, the first program has it (app/CMakeLists.txt).
function(coslice_part library name level)
  cmake_parse_arguments(part "FIRST" "" "SOURCES;LIBRARIES" ${ARGN})
  set(objects ${library}_${name})
  add_library(${objects} OBJECT ${part_SOURCES})
  target_link_libraries(${objects} ${part_LIBRARIES})
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
  coslice_level(${objects} ${level})
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
  if(part_FIRST)
    set_property(GLOBAL APPEND PROPERTY coslice_first_objects $<TARGET_OBJECTS:${objects}>)
  endif()
endfunction()
