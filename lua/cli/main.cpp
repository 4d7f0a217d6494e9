#include <cstdio>
#include "core/error.h"
#include "report/summary_table.h"
#include "report/jobs_csv.h"
#include "scenario/load.h"
#include "scenario/runner.h"
using namespace coslice;
int main(int argc, char** argv) try {
  std::vector<std::string> sets(argv + 2, argv + argc);
  std::string path = argv[1];
  Scenario s;
  if (path.find(".toml") != std::string::npos) s = load_scenario(path, sets);
  else {
    Value t = parse_scenario_tree("[workload]\ntrace='" + path + "'\n", path);
    for (auto& x : sets) apply_override(t, x);
    s = check_scenario(t);
  }
  Runner r(s);
  std::vector<NamedSummary> out;
  for (std::size_t i = 0; i != r.policies(); ++i) { PolicyRun p = r.run(i); std::printf("%s %lx\n", p.policy.name.c_str(), (unsigned long)p.result.fingerprint); out.push_back({p.policy.name, p.summary}); }
  std::printf("%s\n", summary_table(out, {}).c_str());
  return 0;
} catch (const InputError& e) { std::fprintf(stderr, "error: %s\n", e.what()); return 2; }
catch (const std::exception& e) { std::fprintf(stderr, "failed: %s\n", e.what()); return 1; }
