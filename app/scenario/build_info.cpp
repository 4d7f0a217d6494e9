#include "scenario/build_info.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/version.hpp>
#include <fmt/format.h>
#include <lua.hpp>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <toml++/toml.h>
#include <zlib.h>

namespace coslice {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

/// That of the library that is loaded. Where it is linked in, it is that of its header, and the function would bring
/// all of OpenSSL along: more than three megabytes.
std::string openssl_version() {
#if defined(COSLICE_OPENSSL_INSIDE) && defined(OPENSSL_VERSION_STR)
  return OPENSSL_VERSION_STR;
#else
  return OpenSSL_version(OPENSSL_VERSION_STRING);
#endif
}

}  // namespace

std::string program_version() { return COSLICE_VERSION; }

std::string build_description() {
  std::string out = std::string(COSLICE_BUILD_TYPE) + ", " + compiler();
#if defined(__SANITIZE_ADDRESS__)
  out += ", sanitizers";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  out += ", sanitizers";
#endif
#endif
  return out;
}

std::vector<Component> components() {
  const std::string lua = LUA_RELEASE;  // "Lua 5.4.4"
  return {
      {"Lua", lua.substr(lua.find(' ') + 1)},
      {"Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
      {"nlohmann-json",
       fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
      {"zlib", zlibVersion()},
      {"OpenSSL", openssl_version()},
  };
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

Value environment_value() {
  Value libraries = Value::table();
  for (const Component& c : components()) libraries.set(c.name, c.version);
  return Value::table({{"build", build_description()}, {"libraries", std::move(libraries)}});
}

std::int64_t peak_memory_kb() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

}  // namespace coslice
