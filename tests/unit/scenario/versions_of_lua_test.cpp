#include "scenario/versions_of_lua.h"

#include <string>

#include "catch.h"

namespace versions_of_lua_test {

using namespace coslice;

bool names(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST_CASE("releases of Lua that scripts can crash are named with their faults", "[lua]") {
  for (int release = 0; release <= 3; ++release) {
    INFO(release);
    const std::string faults = lua_faults(release, "");
    CHECK(names(faults, "CVE-2021-43519"));
    CHECK(names(faults, "CVE-2022-33099"));
    CHECK(names(faults, "CVE-2020-15888") == (release == 0));
    CHECK(names(faults, ("a script can crash Lua 5.4." + std::to_string(release) + ": ").c_str()));
    CHECK(names(faults, "build with Lua 5.4.6 or later"));
    CHECK(lua_faults(release, "5.4." + std::to_string(release) + "-9") == faults);
  }
  CHECK(!names(lua_faults(4, ""), "CVE-2021-43519"));
  for (int release = 5; release <= 8; ++release) CHECK(lua_faults(release, "") == "");
}

TEST_CASE("packages of Lua 5.4.4 have its faults mended from some revision on", "[lua]") {
  CHECK(names(lua_faults(4, ""), "CVE-2022-28805"));
  CHECK(names(lua_faults(4, "5.4.4-1"), "CVE-2022-28805"));
  CHECK(!names(lua_faults(4, "5.4.4-2"), "CVE-2022-28805"));
  CHECK(names(lua_faults(4, "5.4.4-2"), "CVE-2022-33099"));
  CHECK(lua_faults(4, "5.4.4-3") == "");
  CHECK(lua_faults(4, "5.4.4-3+deb12u1") == "");
  CHECK(lua_faults(4, "5.4.6-3") == lua_faults(4, ""));  // of another release: not the one that is linked
}

TEST_CASE("the Lua that is linked is described", "[lua]") {
  CHECK(lua_description().starts_with("5.4."));
  CHECK(names(lua_description(), "compiled as C"));
}

}  // namespace versions_of_lua_test
