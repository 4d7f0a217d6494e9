# The installed package: find_package(coslice CONFIG) gives coslice::engine and coslice::lua.
#
# The installed libcoslice_lua.a has Lua inside it, with all of Lua's names made local: a host program that has a Lua
# of its own, plain or not, never meets ours, and needs no Lua to link. Where Lua is a shared library only, the package
# asks for it instead.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS coslice RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS coslice_engine coslice_lua EXPORT coslice ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coslice
  FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lua/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/coslice
  FILES_MATCHING PATTERN *.h
  PATTERN cli EXCLUDE PATTERN lib EXCLUDE PATTERN meta EXCLUDE PATTERN include EXCLUDE
  REGEX "host/(core|guard|ordered)\\.h$" EXCLUDE)  # they include Lua, which users of the package may not have

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

# The program prints its own manual page and completions.
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
add_custom_target(coslice_package ALL DEPENDS ${bundle} ${package}/coslice.1)

set(share ${CMAKE_INSTALL_DATADIR}/coslice)
foreach(folder policies scenarios lua/meta)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    get_filename_component(parent ${folder} DIRECTORY)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${share}/${parent})
  endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/coslice)
install(EXPORT coslice NAMESPACE coslice:: FILE cosliceTargets.cmake DESTINATION ${config})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cosliceConfig.cmake.in
  ${package}/cosliceConfig.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${package}/cosliceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package}/cosliceConfig.cmake ${package}/cosliceConfigVersion.cmake DESTINATION ${config})
