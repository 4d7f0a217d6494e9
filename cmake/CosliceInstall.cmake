# The installed package: find_package(coslice CONFIG) gives coslice::engine and coslice::lua.
#
# The installed libcoslice_lua.a has Lua inside it, with all of Lua's names made local: a host program that has a Lua
# of its own, plain or not, never meets ours, and needs no Lua to link. Where Lua is a shared library only, the package
# asks for it instead.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Two components: `program` is what one runs and reads, `development` what one builds programs of one's own with.
install(TARGETS coslice RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS coslice_core coslice_engine coslice_lua EXPORT coslice ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coslice
  FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lua/ ${PROJECT_SOURCE_DIR}/app/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coslice
  FILES_MATCHING PATTERN *.h
  PATTERN cli EXCLUDE PATTERN door EXCLUDE PATTERN lib EXCLUDE PATTERN meta EXCLUDE PATTERN include EXCLUDE
  REGEX "host/(bind|core|guard|ordered|stress|typed_userdata)\\.h$" EXCLUDE)  # they include Lua, which users of the package may not have

set(package ${PROJECT_BINARY_DIR}/package)
file(MAKE_DIRECTORY ${package})
if(COSLICE_LUA_ARCHIVE)
  set(bundle ${package}/libcoslice_lua.a)
  add_custom_command(OUTPUT ${bundle}
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/bundle-lua.sh ${CMAKE_LINKER} ${CMAKE_OBJCOPY} ${CMAKE_NM} ${CMAKE_AR}
            $<TARGET_FILE:coslice_lua> ${COSLICE_LUA_ARCHIVE} ${bundle}
    DEPENDS coslice_lua ${PROJECT_SOURCE_DIR}/cmake/bundle-lua.sh
    COMMENT "Hiding Lua inside libcoslice_lua.a" VERBATIM)
  # It replaces what the TARGETS above installed, which must go first: a file of the same second counts as up to date.
  install(CODE "file(REMOVE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libcoslice_lua.a\")")
  install(FILES ${bundle} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/coslice)
install(EXPORT coslice NAMESPACE coslice:: FILE cosliceTargets.cmake DESTINATION ${config})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cosliceConfig.cmake.in
  ${package}/cosliceConfig.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${package}/cosliceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package}/cosliceConfig.cmake ${package}/cosliceConfigVersion.cmake DESTINATION ${config})

# The program prints its own manual page and completions.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
add_custom_command(OUTPUT ${package}/coslice.1 ${package}/coslice.bash ${package}/_coslice ${package}/coslice.fish
  COMMAND coslice manual > ${package}/coslice.1
  COMMAND coslice completion bash > ${package}/coslice.bash
  COMMAND coslice completion zsh > ${package}/_coslice
  COMMAND coslice completion fish > ${package}/coslice.fish
  DEPENDS coslice VERBATIM)
install(FILES ${package}/coslice.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${package}/coslice.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME coslice)
install(FILES ${package}/_coslice DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${package}/coslice.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Builds for tests alone, which nobody installs, go without: hiding Lua takes half a minute of them.
if(CMAKE_BUILD_TYPE STREQUAL Release OR NOT COSLICE_TESTS)
  set(always ALL)
endif()
add_custom_target(coslice_package ${always} DEPENDS ${bundle} ${package}/coslice.1)

# What the program reads, and what its users do: policies and scenarios lie where it looks for them; the documents refer
# to them as they do in the source tree, by links.
set(share ${CMAKE_INSTALL_DATADIR}/coslice)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/policies ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${share})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lua/meta ${PROJECT_SOURCE_DIR}/lua/lib DESTINATION ${share}/lua)
install(FILES ${PROJECT_SOURCE_DIR}/lua/README.md DESTINATION ${share}/lua)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/CITATION.cff
  ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/engine/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/engine)
install(FILES ${PROJECT_SOURCE_DIR}/app/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/app)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.ipynb)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
file(RELATIVE_PATH to_share ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/coslice)
foreach(folder policies scenarios lua)
  file(CREATE_LINK ${to_share}/${folder} ${package}/${folder} SYMBOLIC)
  install(FILES ${package}/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()

# Settings for the Lua language server, to be copied into folders of policies: the definitions by their full path.
install(CODE "
  get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  file(READ \"${PROJECT_SOURCE_DIR}/lua/lib/templates/luarc.json\" settings)
  string(REPLACE @DEFINITIONS@ \"\${prefix}/${share}/lua/meta\" settings \"\${settings}\")
  file(WRITE \"${package}/.luarc.json\" \"\${settings}\")")
install(FILES ${package}/.luarc.json DESTINATION ${share})

# The C interface is a component of its own: ./dev library installs it alone.
if(COSLICE_SHARED)
  install(TARGETS coslice_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared)
  install(FILES ${PROJECT_SOURCE_DIR}/app/door/coslice.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT shared)
  file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  file(CONFIGURE OUTPUT ${package}/coslice.pc @ONLY CONTENT "prefix=\${pcfiledir}/@to_prefix@
Name: coslice
Description: Simulator of HPC job scheduling, from C
Version: @PROJECT_VERSION@
Libs: -L\${prefix}/@CMAKE_INSTALL_LIBDIR@ -lcoslice
Cflags: -I\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
")
  install(FILES ${package}/coslice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT shared)
endif()

# Debian packages, one for each component: `cpack` in the build folder, or ./dev package.
set(CPACK_GENERATOR DEB)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)  # paths in installed files are those of the target machine
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The coslice authors")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME coslice)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Simulator of HPC job scheduling, scriptable in Lua
 The program, its policies, scenarios and documents.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcoslice-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libboost-dev, libfmt-dev, zlib1g-dev, libssl-dev, libsqlite3-dev, libtomlplusplus-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS coslice)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Simulator of HPC job scheduling (library)
 Static libraries and headers for programs that simulate by themselves.")
include(CPack)
