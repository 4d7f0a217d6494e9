// A case as a scenario, and as Lua.
#include "lab/check/case.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/value_text.h"
#include "resources/eligibility.h"
#include "scenario/literal_jobs.h"

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
  if (!job.asks.empty()) {
    Value request = Value::table();
    for (const auto& [name, value] : job.asks) request.set(name, value);
    all.emplace_back("request", request);
  }
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

/// The value as Lua writes it.
std::string lua_text(const Value& v) {
  if (v.real() != nullptr) return fmt::format("{}", *v.real());
  if (!v.is_list() && !v.is_table()) return toml_text(v);
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
  if (const Value::List* list = v.list())
    for (const Value& item : *list) add(lua_text(item));
  else
    for (const Member& m : *v.members()) add(m.key + " = " + lua_text(m.value));
  return "{ " + out + " }";
}

std::string job_line(const SmallJob& job) {
  std::string out;
  for (const auto& [name, value] : fields(job))
    out += fmt::format("{}{}={}", out.empty() ? "job{" : ", ", name, lua_text(value));
  return out + "},";
}

std::string kind_name(std::int64_t id) { return std::string(1, static_cast<char>('a' + id - 1)); }

/// The machine's kinds, partitions and licences as a scenario has them, each a list of tables.
Value kinds_of(const Case& c) {
  Value::List list;
  for (const SmallKind& k : c.kinds) {
    Value kind = Value::table();
    kind.set("name", kind_name(k.id));
    kind.set("count", k.count);
    if (k.cores > 1) kind.set("cores", k.cores);
    if (k.memory > 0) kind.set("memory", fmt::format("{} GiB", k.memory));
    if (k.gpus > 0) kind.set("gpus", k.gpus), kind.set("gpu_type", "gpu_" + kind_name(k.id));
    if (k.slices > 0) kind.set("slices", k.slices);
    if (k.halves != 2) kind.set("speed", static_cast<double>(k.halves) / 2);
    if (k.fast) kind.set("features", "fast");
    list.push_back(kind);
  }
  return list;
}

Value partitions_of(const Case& c) {
  Value::List list;
  for (const SmallPartition& p : c.partitions) {
    Value partition = Value::table(), users = Value::List{1, 2};
    partition.set("name", fmt::format("p{}", p.id));
    Value::List nodes;
    for (const std::int64_t kind : p.kinds) nodes.push_back(kind_name(kind));
    partition.set("nodes", nodes);
    if (p.max_nodes > 0) partition.set("max_nodes", p.max_nodes);
    if (p.max_time > 0) partition.set("max_time", p.max_time);
    if (p.tier != 1) partition.set("tier", p.tier);
    if (p.for_some) partition.set("users", users);
    list.push_back(partition);
  }
  return list;
}

Value licences_of(const Case& c) {
  if (c.licences == 0) return Value::List{};
  Value licence = Value::table();
  licence.set("name", "solver");
  licence.set("count", c.licences);
  return Value::List{licence};
}

template <class R>
std::vector<R> records(const std::vector<Key<R>>& keys, const Value& list) {
  std::vector<R> out;
  for (const Value& item : *list.list()) read_record(keys, out.emplace_back(), item, "machine");
  return out;
}

/// The machine of a case whose nodes differ. Throws InputError where it is none.
void set_kinds(const Case& c, Scenario& s) {
  s.layout.kinds = records(node_kind_keys(), kinds_of(c));
  s.layout.partitions = records(partition_keys(), partitions_of(c));
  s.layout.licences = records(licence_keys(), licences_of(c));
  set_layout(s.machine, make_layout(s.layout));
}

std::string lua_machine(const Case& c, const std::string& indent) {
  std::string out = indent + "machine = {\n";
  const auto add = [&](const char* key, const Value& list) {
    if (list.list()->empty()) return;
    out += fmt::format("{}  {} = {{\n", indent, key);
    for (const Value& item : *list.list()) out += fmt::format("{}    {},\n", indent, lua_text(item));
    out += indent + "  },\n";
  };
  add("nodes", kinds_of(c));
  add("partitions", partitions_of(c));
  add("licences", licences_of(c));
  return out + indent + "},\n";
}

}  // namespace

namespace {

std::string node_name(const Case& c, const MachineSpec& machine, std::int64_t node) {
  const std::int64_t n = node % std::max<std::int64_t>(machine.nodes, 1);
  return c.kinds.empty() ? std::to_string(n) : machine.layout->node_name(static_cast<NodeId>(n));
}

void set_outages(const Case& c, Scenario& s) {
  for (const SmallOutage& small : c.outages) {
    PlannedOutage& o = s.outages.planned.emplace_back();
    if (small.node >= 0) o.nodes = {node_name(c, s.machine, small.node)};
    o.from = Time{whole_seconds(small.from)};
    o.length = whole_seconds(small.length);
    o.kind = small.kind;
  }
}

void set_reservations(const Case& c, Scenario& s) {
  for (const SmallReservation& small : c.reservations) {
    ReservationSpec& r = s.reservations.emplace_back();
    r.name = "r" + std::to_string(s.reservations.size());
    if (small.node >= 0) r.nodes = {node_name(c, s.machine, small.node)};
    r.from = Time{whole_seconds(small.from)};
    r.length = whole_seconds(small.length);
    if (small.announced > 0) r.announced = Time{whole_seconds(small.announced)};
    if (small.backfill > 0) r.backfill = whole_seconds(small.backfill);
    r.users = {1};
  }
}

void set_power(const Case& c, Scenario& s) {
  if (!c.power) return;
  s.power.idle = whole_seconds(c.power->idle);
  s.power.boot = whole_seconds(c.power->boot);
  s.power.shutdown = whole_seconds(c.power->shutdown);
}

std::string lua_reservations(const Case& c, const std::string& indent) {
  const Scenario s = scenario_of(c, {});
  std::string out = indent + "reservations = {\n";
  for (const ReservationSpec& r : s.reservations) {
    out += fmt::format("{}  {{ name = \"{}\", ", indent, r.name);
    if (!r.nodes.empty()) out += fmt::format("nodes = {{ \"{}\" }}, ", r.nodes[0]);
    out += fmt::format("from = {}, length = {}, ", to_seconds(*r.from), to_seconds(*r.length));
    if (r.announced) out += fmt::format("announced = {}, ", to_seconds(*r.announced));
    if (r.backfill) out += fmt::format("backfill = {}, ", to_seconds(*r.backfill));
    out += "users = { 1 } },\n";
  }
  return out + indent + "},\n";
}

std::string lua_outages(const Case& c, const std::string& indent) {
  const Scenario s = scenario_of(c, {});
  std::string out = indent + "outages = { planned = {\n";
  for (const PlannedOutage& o : s.outages.planned) {
    const std::string nodes = o.nodes.empty() ? "" : fmt::format("nodes = \"{}\", ", o.nodes[0]);
    out += fmt::format("{}  {{ {}from = {}, length = {}, kind = \"{}\" }},\n", indent, nodes, to_seconds(o.from),
                       to_seconds(o.length), kOutageNames[static_cast<std::size_t>(o.kind)]);
  }
  return out + indent + "} },\n";
}

}  // namespace

Scenario scenario_of(const Case& c, Scenario s) {
  s.seed = c.seed;
  s.machine.nodes = static_cast<std::int32_t>(c.nodes);
  s.machine.processors = static_cast<std::int32_t>(c.processors);
  s.machine.cores = static_cast<std::int32_t>(c.cores);
  if (!c.kinds.empty()) set_kinds(c, s);
  s.engine.at_limit = c.extends ? AtLimit::kExtend : AtLimit::kKill;
  s.engine.event_order = c.submissions_first ? EventOrder::kSubmissionsFirst : EventOrder::kEndsFirst;
  s.engine.processes_per_node = c.one_process ? 1 : 0;
  s.engine.molding = c.molding;
  if (c.shared) s.slowdown.model = SlowdownSpec::Model::kByResources;
  if (coscheduled(c)) s.processes.programs = programs();
  set_outages(c, s);
  set_reservations(c, s);
  set_power(c, s);
  for (const auto& [name, text] : c.params) s.policy.params.set(name, text);
  s.workload = WorkloadSpec{};
  s.workload.jobs.emplace();
  for (const SmallJob& job : c.jobs) s.workload.jobs->push_back(literal(job));
  return s;
}

bool can_run(const Case& c) {
  try {
    const Scenario s = scenario_of(c, {});
    if (literal_workflow_problem(*s.workload.jobs)) return false;  // shrinking may take away what a job waits for
    if (c.kinds.empty()) return true;
    const MachineLayout& layout = *s.machine.layout;
    const Workload w = literal_workload(*s.workload.jobs, s.machine.cores_per_node(), &layout);
    return std::all_of(w.jobs.begin(), w.jobs.end(), [&](const Job& job) {
      return why_never(layout, w.requests[job.request], {job.limit, job.user}).empty();
    });
  } catch (const InputError&) {
    return false;
  }
}

std::string lua_of(const Case& c, const std::string& indent) {
  std::string out = fmt::format("{}machine = {{ nodes = {}", indent, c.nodes);
  if (c.processors > 1) out += fmt::format(", processors = {}", c.processors);
  if (c.cores > 1) out += fmt::format(", cores = {}", c.cores);
  out += " },\n";
  if (!c.kinds.empty()) out = lua_machine(c, indent);
  std::string engine;
  const auto add = [&](const std::string& text) { engine += (engine.empty() ? "" : ", ") + text; };
  if (c.extends) add("at_limit = \"extend\"");
  if (c.submissions_first) add("event_order = \"submissions-first\"");
  if (c.one_process) add("processes_per_node = 1");
  if (c.molding != Molding::kEndsFirst)
    add(c.molding == Molding::kAsked ? "molding = \"asked\"" : "molding = \"fits-now\"");
  if (!engine.empty()) out += fmt::format("{}engine = {{ {} }},\n", indent, engine);
  if (c.shared) out += indent + "slowdown = { model = \"resources\" },\n";
  if (!c.outages.empty()) out += lua_outages(c, indent);
  if (!c.reservations.empty()) out += lua_reservations(c, indent);
  if (c.power)
    out += fmt::format("{}power = {{ idle = {}, boot = {}, shutdown = {} }},\n", indent, c.power->idle, c.power->boot,
                       c.power->shutdown);
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
