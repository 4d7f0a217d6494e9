// Runs the text of a policy on a tiny workload, for fuzzers.
#pragma once

#include <string>
#include <vector>

#include "api/policy/lua_scheduler.h"
#include "api/policy/policy.h"
#include "core/error.h"
#include "run/simulation.h"

namespace coslice {

inline std::vector<Job> tiny_workload() {
  std::vector<Job> jobs;
  for (int i = 0; i != 6; ++i) {
    Job job;
    job.id = i + 1;
    job.submit = Time{whole_seconds(i / 2)};
    job.size = 1 + i % 4;
    job.runtime = whole_seconds(5 + i * 7 % 11);
    job.limit = whole_seconds(8 + i);
    job.user = i % 2;
    jobs.push_back(job);
  }
  return jobs;
}

/// What the policy prints, and how it ends: there is a policy or an InputError, and one that loads runs to its end or
/// fails with a SimulationError, within its limits.
inline std::string run_policy(const std::string& text, std::size_t memory, std::int64_t instructions) {
  static const std::vector<Job> jobs = tiny_workload();
  std::string printed;
  PolicyContext context;
  context.limits.memory = memory;
  context.limits.instructions = instructions;
  context.print = [&](std::string_view line) {
    if (printed.size() < 100'000) printed.append(line.substr(0, 500)) += '\n';
  };
  try {
    Policy policy({"fuzz.lua", text}, Value::table(), context);
    if (policy.slices()) return printed;
    LuaScheduler scheduler(policy);
    Simulation(MachineSpec{4, 1, 1, 0}, jobs, scheduler, EngineOptions{}).run();
  } catch (const InputError& e) {
    printed += e.what();
  } catch (const SimulationError& e) {
    printed += e.what();
  }
  return printed;
}

}  // namespace coslice
