// Fuzzes scenario files: whatever the bytes, there is a scenario or an InputError, and a scenario that is written
// back reads as one that writes the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenario/load.h"
#include "scenario/resolved.h"
#include "scenario/toml.h"

using namespace coslice;

namespace {

/// Without extends, which would read other files.
Scenario parse(std::string_view text) {
  return check_scenario(parse_toml(text, std::make_shared<Source>(Source{"fuzz.toml", ""})));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Scenario scenario;
  try {
    scenario = parse({reinterpret_cast<const char*>(data), size});
  } catch (const InputError&) {
    return 0;
  }
  const std::string text = resolved_toml(scenario, "");
  if (resolved_toml(parse(text), "") != text) std::abort();
  return 0;
}
