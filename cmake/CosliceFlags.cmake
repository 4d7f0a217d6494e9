# Flags that every target shares. Floating-point contraction is off because a fused multiply-add
# rounds once where two instructions round twice: results would depend on compiler and processor.
add_library(coslice_flags INTERFACE)
target_compile_options(coslice_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -ffp-contract=off)
if(COSLICE_SANITIZE)
  # float-cast-overflow is not in `undefined`: numbers come from users, and a conversion that does not fit is undefined.
  add_compile_options(-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined,float-cast-overflow)
endif()
if(COSLICE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "COSLICE_FUZZ needs clang++ (libFuzzer): cmake --preset asan")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(COSLICE_CCACHE ccache)
if(COSLICE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${COSLICE_CCACHE})
endif()

# A build from nothing spends most of its time reading the same headers again: several sources as one compile in half of
# it. ccache spares more, file by file; so it is one or the other, but the sanitizer build is always of this kind: what
# collides in it (equal names in unnamed namespaces) is found by everybody.
if(NOT COSLICE_CCACHE OR COSLICE_SANITIZE)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
endif()
