// Fuzzes policies: whatever the text, there is a policy or an InputError; a policy that loads runs a tiny workload to
// its end or fails with a SimulationError, within its limits.
#include <cstdint>
#include <string>
#include <vector>

#include "api/lua_scheduler.h"
#include "api/policy.h"
#include "core/error.h"
#include "sched/simulation.h"

using namespace coslice;

namespace {

std::vector<Job> tiny_workload() {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Job> jobs = tiny_workload();
  PolicyContext context;
  context.limits.memory = std::size_t{4} << 20;
  context.limits.instructions = 200'000;
  context.print = [](std::string_view) {};
  try {
    const Script script{"fuzz.lua", std::string(reinterpret_cast<const char*>(data), size)};
    Policy policy(script, Value::table(), context);
    if (policy.slices()) return 0;
    LuaScheduler scheduler(policy);
    Simulation(MachineSpec{4, 1, 1, 0}, jobs, scheduler, EngineOptions{}).run();
  } catch (const InputError&) {
  } catch (const SimulationError&) {}
  return 0;
}
