// Runs suites as `coslice test` does, with each Lua state on a heap that shows mistakes with its memory
// (host/stress.h). usage: coslice_stress SUITE...
#include <fmt/format.h>

#include "host/stress.h"
#include "testing/suite_runner.h"

int main(int argc, char** argv) {
  coslice::stress_new_states(true);
  coslice::TestOptions options;
  options.paths.assign(argv + 1, argv + argc);
  const auto report = coslice::run_suites(options, [](std::string_view text) { fmt::print("{}", text); });
  return report.exit_status();
}
