# The libraries we stand on, by the names of Debian 12; newer systems' names are handled here.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # Boost brings its own package file; CMake's is gone from 3.30 on
endif()
if(COSLICE_SHARED)
  # libcoslice.so needs nothing but the C library: what there is as an archive is linked in, and what can do without a library
  # is compiled so.
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  set(OPENSSL_USE_STATIC_LIBS ON)
  add_compile_definitions(FMT_HEADER_ONLY TOML_HEADER_ONLY=1)
  add_compile_options(-ffunction-sections -fdata-sections)
endif()
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
if(COSLICE_SHARED)
  set_property(TARGET tomlplusplus::tomlplusplus PROPERTY INTERFACE_COMPILE_DEFINITIONS)  # which ask for its library
endif()
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
include(CosliceLua)
