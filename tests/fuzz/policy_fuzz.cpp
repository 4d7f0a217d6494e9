// Fuzzes policies: whatever the text, there is a policy or an InputError; a policy that loads runs a tiny workload to
// its end or fails with a SimulationError, within its limits.
#include <cstdint>
#include <string>

#include "run_policy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  coslice::run_policy(std::string(reinterpret_cast<const char*>(data), size), std::size_t{4} << 20, 200'000);
  return 0;
}
