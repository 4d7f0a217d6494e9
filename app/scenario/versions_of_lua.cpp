#include "scenario/versions_of_lua.h"

#include <charconv>

#include <fmt/format.h>
#include <lua.hpp>

namespace coslice {
namespace {

/// A fault of all releases from `first` to `last`, which stand in the list of Lua's own site. Only those are here that
/// a script in the sandbox can reach and that write or read where they may not: no finalizers, weak tables, binary
/// chunks or functions of `debug` and `io` are in it.
struct Fault {
  int first, last;
  int mended_by_package;  ///< the revision of Debian's package of `last` from which on it is mended; 0: none
  const char* what;
};

constexpr Fault kFaults[] = {
    {0, 0, 0, "a stack that moves while garbage is collected (CVE-2020-15888)"},
    {0, 2, 0, "a stack that moves while a variable is closed or a string is joined"},
    {0, 3, 0, "coroutines within coroutines overflow the C stack (CVE-2021-43519)"},
    {0, 4, 2, "code in which _ENV is a constant overruns a buffer of the compiler (CVE-2022-28805)"},
    {0, 4, 3, "an error while an error is handled overruns the stack (CVE-2022-33099)"},
};

constexpr int kLastFaulty = 4;

/// Returns 3 of "5.4.4-3+deb12u1", 0 if the package is none of that release.
int revision_of(int release, std::string_view package) {
  const std::string begin = fmt::format("5.4.{}-", release);
  if (!package.starts_with(begin)) return 0;
  int revision = 0;
  std::from_chars(package.data() + begin.size(), package.data() + package.size(), revision);
  return revision;
}

}  // namespace

std::string lua_description() {
  const std::string_view release = LUA_RELEASE;  // "Lua 5.4.4"
  const std::string_view package = COSLICE_LUA_PACKAGE;
  std::string out(release.substr(release.find(' ') + 1));
  if (!package.empty()) out += fmt::format(" (package {})", package);
#if defined(COSLICE_PLAIN_LUA)
  return out + ", compiled as C";
#else
  return out + ", compiled as C++";
#endif
}

std::string lua_faults(int release, std::string_view package) {
  const int revision = revision_of(release, package);
  std::string out;
  for (const Fault& f : kFaults) {
    if (release < f.first || release > f.last) continue;
    if (release == f.last && f.mended_by_package != 0 && revision >= f.mended_by_package) continue;
    out += fmt::format("{}{}", out.empty() ? "" : "; ", f.what);
  }
  if (out.empty()) return out;
  return fmt::format("a script can crash Lua 5.4.{}: {}; build with Lua 5.4.{} or later, or with Debian's 5.4.4-3",
                     release, out, kLastFaulty + 2);
}

std::string lua_faults() {
  int release = 0;
  const std::string_view text = LUA_VERSION_RELEASE;
  std::from_chars(text.data(), text.data() + text.size(), release);
  return lua_faults(release, COSLICE_LUA_PACKAGE);
}

}  // namespace coslice
