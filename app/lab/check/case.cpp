// A case as a scenario, and as Lua.
#include "lab/check/case.h"

#include <fmt/format.h>

namespace coslice::check {

namespace {

Duration seconds(std::int64_t s) { return whole_seconds(s); }

LiteralJob literal(const SmallJob& job) {
  LiteralJob j;
  j.submit = seconds(job.submit);
  j.nodes = static_cast<std::int32_t>(job.nodes);
  j.runtime = seconds(job.runtime);
  if (job.limit) j.limit = seconds(*job.limit);
  const auto number = [](const std::optional<std::int64_t>& x) { return x ? static_cast<std::int32_t>(*x) : -1; };
  j.user = number(job.user);
  j.queue = number(job.queue);
  j.executable = number(job.executable);
  if (job.memory_kb) j.memory_kb = *job.memory_kb;
  if (job.uses) {
    j.cpu = static_cast<double>((*job.uses)[0]) / 10;
    j.network = static_cast<double>((*job.uses)[1]) / 10;
    j.disk = static_cast<double>((*job.uses)[2]) / 10;
    if (job.memory_tenths) j.memory_fraction = static_cast<double>(*job.memory_tenths) / 10;
  }
  j.program = job.program;
  return j;
}

/// Programs of coscheduled processes: many messages, and few.
std::vector<ProgramSpec> programs() {
  ProgramSpec fine, coarse;
  fine.name = "fine";
  fine.compute = {whole_seconds(1) / 50};
  coarse.name = "coarse";
  coarse.compute = {whole_seconds(1) / 4, whole_seconds(1) / 2};
  return {fine, coarse};
}

bool coscheduled(const Case& c) { return !c.jobs.empty() && !c.jobs.front().program.empty(); }

std::string job_line(const SmallJob& job) {
  std::string out = fmt::format("job{{submit={}, nodes={}, runtime={}", job.submit, job.nodes, job.runtime);
  const auto add = [&](const char* name, const std::optional<std::int64_t>& x) {
    if (x) out += fmt::format(", {}={}", name, *x);
  };
  add("limit", job.limit);
  add("user", job.user);
  add("queue", job.queue);
  add("executable", job.executable);
  add("memory", job.memory_kb);
  if (job.uses) {
    const auto tenth = [](std::int64_t t) { return static_cast<double>(t) / 10; };
    out += fmt::format(", cpu={}, network={}, disk={}", tenth((*job.uses)[0]), tenth((*job.uses)[1]),
                       tenth((*job.uses)[2]));
    if (job.memory_tenths) out += fmt::format(", memory_fraction={}", tenth(*job.memory_tenths));
  }
  if (!job.program.empty()) out += fmt::format(", program=\"{}\"", job.program);
  return out + "},";
}

}  // namespace

Scenario scenario_of(const Case& c, Scenario s) {
  s.seed = c.seed;
  s.machine.nodes = static_cast<std::int32_t>(c.nodes);
  s.machine.processors = static_cast<std::int32_t>(c.processors);
  s.machine.cores = static_cast<std::int32_t>(c.cores);
  s.engine.at_limit = c.extends ? AtLimit::kExtend : AtLimit::kKill;
  s.engine.event_order = c.submissions_first ? EventOrder::kSubmissionsFirst : EventOrder::kEndsFirst;
  s.engine.processes_per_node = c.one_process ? 1 : 0;
  if (c.shared) s.slowdown.model = SlowdownSpec::Model::kByResources;
  if (coscheduled(c)) s.processes.programs = programs();
  s.workload = WorkloadSpec{};
  s.workload.jobs.emplace();
  for (const SmallJob& job : c.jobs) s.workload.jobs->push_back(literal(job));
  return s;
}

std::string lua_of(const Case& c, const std::string& indent) {
  std::string out = fmt::format("{}machine = {{ nodes = {}", indent, c.nodes);
  if (c.processors > 1) out += fmt::format(", processors = {}", c.processors);
  if (c.cores > 1) out += fmt::format(", cores = {}", c.cores);
  out += " },\n";
  std::string engine;
  const auto add = [&](const std::string& text) { engine += (engine.empty() ? "" : ", ") + text; };
  if (c.extends) add("at_limit = \"extend\"");
  if (c.submissions_first) add("event_order = \"submissions-first\"");
  if (c.one_process) add("processes_per_node = 1");
  if (!engine.empty()) out += fmt::format("{}engine = {{ {} }},\n", indent, engine);
  if (c.shared) out += indent + "slowdown = { model = \"resources\" },\n";
  if (c.seed != 1) out += fmt::format("{}seed = {},\n", indent, c.seed);
  if (coscheduled(c)) {
    out += indent + "processes = { programs = {\n" + indent + "  { name = \"fine\", compute = 0.02 },\n" + indent +
           "  { name = \"coarse\", compute = { 0.25, 0.5 } },\n" + indent + "} },\n";
  }
  out += indent + "jobs = {\n";
  for (const SmallJob& job : c.jobs) out += indent + "  " + job_line(job) + "\n";
  return out + indent + "},\n";
}

}  // namespace coslice::check
