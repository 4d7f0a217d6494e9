// Which Lua is linked, and whether scripts can crash it: for --version.
#pragma once

#include <string>
#include <string_view>

namespace coslice {

/// Returns the release of Lua, the package that it came with where that is known, and how it was compiled:
/// "5.4.4 (package 5.4.4-3+deb12u1), compiled as C++".
std::string lua_description();

/// Returns what is known of a release of Lua 5.4 by which a script can crash the program, with what to do; "" if
/// nothing is. `package` is the version of its Debian package, which may have faults mended; "" if there is none.
std::string lua_faults(int release, std::string_view package);

/// The same of the Lua that is linked.
std::string lua_faults();

}  // namespace coslice
