// A case as a scenario, and as Lua.
#include "lab/check/case.h"

#include <fmt/format.h>

#include "core/value_text.h"

namespace coslice::check {

namespace {

double tenth(std::int64_t t) { return static_cast<double>(t) / 10; }

/// All that the job says, in the order in which it is printed.
std::vector<std::pair<std::string, Value>> fields(const SmallJob& job) {
  std::vector<std::pair<std::string, Value>> all = {
      {"submit", job.submit}, {"nodes", job.nodes}, {"runtime", job.runtime}};
  if (job.limit) all.emplace_back("limit", *job.limit);
  all.insert(all.end(), job.said.begin(), job.said.end());
  if (job.uses) {
    const char* const names[] = {"cpu", "network", "disk"};
    for (std::size_t i = 0; i != job.uses->size(); ++i) all.emplace_back(names[i], tenth((*job.uses)[i]));
    if (job.memory_tenths) all.emplace_back("memory_fraction", tenth(*job.memory_tenths));
  }
  if (!job.program.empty()) all.emplace_back("program", job.program);
  return all;
}

JobSpec literal(const SmallJob& job) {
  Value table = Value::table();
  for (auto& [name, value] : fields(job)) table.set(name, value);
  JobSpec spec;
  read_record(job_spec_keys(), spec, table, "job");
  return spec;
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
  std::string out;
  for (const auto& [name, value] : fields(job)) {
    const double* number = value.real();
    out += fmt::format("{}{}={}", out.empty() ? "job{" : ", ", name,
                       number != nullptr ? fmt::format("{}", *number) : toml_text(value));
  }
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
