// A case as a scenario.
#include "lab/check/case.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobs/literal_jobs.h"
#include "machine/eligibility.h"
#include "scenario/load.h"

namespace coslice::check {
namespace {

double tenth(std::int64_t t) { return static_cast<double>(t) / 10; }

Value table_of(const SmallJob& job) {
  Value all = Value::table({{"submit", job.submit}, {"nodes", job.nodes}, {"runtime", job.runtime}});
  if (job.limit) all.set("limit", *job.limit);
  for (const auto& [name, value] : job.said) all.set(name, value);
  if (job.uses) {
    const char* const names[] = {"cpu", "network", "disk"};
    for (std::size_t i = 0; i != job.uses->size(); ++i) all.set(names[i], tenth((*job.uses)[i]));
    if (job.memory_tenths) all.set("memory_fraction", tenth(*job.memory_tenths));
  }
  if (!job.program.empty()) all.set("program", job.program);
  if (!job.asks.empty()) {
    Value& request = all.set("request", Value::table());
    for (const auto& [name, value] : job.asks) request.set(name, value);
  }
  return all;
}

/// Programs of coscheduled processes: many messages, and few.
Value programs() {
  return Value::List{Value::table({{"name", "fine"}, {"compute", 0.02}}),
                     Value::table({{"name", "coarse"}, {"compute", Value::List{0.25, 0.5}}})};
}

bool coscheduled(const Case& c) { return !c.jobs.empty() && !c.jobs.front().program.empty(); }

std::string kind_name(std::int64_t id) { return std::string(1, static_cast<char>('a' + id - 1)); }

/// The machine's kinds, partitions and licences as a scenario has them, each a list of tables.
Value kinds_of(const Case& c) {
  Value::List list;
  for (const SmallKind& k : c.kinds) {
    Value kind = Value::table({{"name", kind_name(k.id)}, {"count", k.count}});
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
    Value::List nodes;
    for (const std::int64_t kind : p.kinds) nodes.push_back(kind_name(kind));
    Value partition = Value::table({{"name", fmt::format("p{}", p.id)}, {"nodes", nodes}});
    if (p.max_nodes > 0) partition.set("max_nodes", p.max_nodes);
    if (p.max_time > 0) partition.set("max_time", p.max_time);
    if (p.tier != 1) partition.set("tier", p.tier);
    if (p.for_some) partition.set("users", Value::List{1, 2});
    if (p.oversubscribe > 1) partition.set("oversubscribe", p.oversubscribe);
    if (p.oversubscribe > 1 && p.all) partition.set("oversubscribe_all", true);
    Value::List over;  // of those that are left
    for (const std::int64_t id : p.over)
      if (std::ranges::find(c.partitions, id, &SmallPartition::id) != c.partitions.end())
        over.push_back(fmt::format("p{}", id));
    if (!over.empty()) partition.set("over", over);
    list.push_back(partition);
  }
  return list;
}

Value licences_of(const Case& c) { return Value::List{Value::table({{"name", "solver"}, {"count", c.licences}})}; }

Value machine_of(const Case& c) {
  Value machine = Value::table();
  if (c.kinds.empty()) {
    machine.set("nodes", c.nodes);
    if (c.processors > 1) machine.set("processors", c.processors);
    if (c.cores > 1) machine.set("cores", c.cores);
    return machine;
  }
  machine.set("nodes", kinds_of(c));
  if (!c.partitions.empty()) machine.set("partitions", partitions_of(c));
  if (c.licences > 0) machine.set("licences", licences_of(c));
  return machine;
}

Value engine_of(const Case& c) {
  Value engine = Value::table();
  if (c.extends) engine.set("at_limit", "extend");
  if (c.submissions_first) engine.set("event_order", "submissions-first");
  if (c.one_process) engine.set("processes_per_node", 1);
  if (c.molding != Molding::kEndsFirst) engine.set("molding", c.molding == Molding::kAsked ? "asked" : "fits-now");
  return engine;
}

/// As a machine calls it whose nodes have no names of their own.
std::string node_name(const Case& c, std::int64_t node) {
  std::int64_t n = node % std::max<std::int64_t>(c.nodes, 1);
  for (const SmallKind& kind : c.kinds) {
    if (n < kind.count) return kind_name(kind.id) + std::to_string(n + 1);
    n -= kind.count;
  }
  return std::to_string(n);
}

Value outages_of(const Case& c) {
  Value::List planned;
  for (const SmallOutage& small : c.outages) {
    Value outage = Value::table();
    if (small.node >= 0) outage.set("nodes", node_name(c, small.node));
    outage.set("from", small.from);
    outage.set("length", small.length);
    outage.set("kind", kOutageNames[static_cast<std::size_t>(small.kind)]);
    planned.push_back(outage);
  }
  return Value::table({{"planned", planned}});
}

Value reservations_of(const Case& c) {
  Value::List list;
  for (const SmallReservation& small : c.reservations) {
    Value r = Value::table();
    r.set("name", "r" + std::to_string(list.size() + 1));
    if (small.node >= 0) r.set("nodes", node_name(c, small.node));
    r.set("from", small.from);
    r.set("length", small.length);
    if (small.announced > 0) r.set("announced", small.announced);
    if (small.backfill > 0) r.set("backfill", small.backfill);
    if (small.every > small.length) r.set("every", small.every);
    r.set("users", Value::List{1});
    list.push_back(r);
  }
  return list;
}

Value power_of(const SmallPower& small) {
  return Value::table({{"idle", small.idle}, {"boot", small.boot}, {"shutdown", small.shutdown}});
}

constexpr std::size_t kColumns = 120;

/// In which order a reader expects what stands in one table; what is not named comes behind it, by name.
const char* const kOrder[] = {"machine", "engine",   "slowdown", "outages", "reservations", "power", "processes",
                              "seed",    "workload", "name",     "submit",  "nodes",        "count", "processors",
                              "cores",   "runtime",  "limit",    "from",    "length",       "idle",  "boot"};

std::vector<const Member*> in_order(const Value& table) {
  const auto place = [](const Member* m) { return std::ranges::find(kOrder, m->key); };
  std::vector<const Member*> members;
  for (const Member& m : *table.members()) members.push_back(&m);
  std::ranges::stable_sort(members, [&](const Member* a, const Member* b) { return place(a) < place(b); });
  return members;
}

/// The value on one line.
std::string text_of(const Value& v) {
  if (v.real() != nullptr) return fmt::format("{}", *v.real());
  if (!v.is_list() && !v.is_table()) return toml_text(v);
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
  if (const Value::List* list = v.list())
    for (const Value& item : *list) add(text_of(item));
  else
    for (const Member* m : in_order(v)) add(m->key + " = " + text_of(m->value));
  return out.empty() ? "{}" : "{ " + out + " }";
}

/// `key` is "" or ends in " = ".
std::string lines_of(const std::string& key, const Value& v, const std::string& indent) {
  const std::string line = indent + key + text_of(v) + ",\n";
  const bool tables = v.is_list() && !v.list()->empty() && v.list()->front().is_table();
  if ((line.size() <= kColumns && !tables) || (!v.is_list() && !v.is_table())) return line;
  std::string out = indent + key + "{\n";
  if (v.is_list())
    for (const Value& item : *v.list()) out += lines_of("", item, indent + "  ");
  else
    for (const Member* m : in_order(v)) out += lines_of(m->key + " = ", m->value, indent + "  ");
  return out + indent + "},\n";
}

std::string job_line(const Value& job) {
  std::string out;
  for (const Member* m : in_order(job))
    out += fmt::format("{}{}={}", out.empty() ? "job{" : ", ", m->key, text_of(m->value));
  return out + "},";
}

}  // namespace

Value tree_of(const Case& c) {
  Value tree = Value::table();
  tree.set("machine", machine_of(c));
  if (const Value engine = engine_of(c); !engine.members()->empty()) tree.set("engine", engine);
  if (c.shared) tree.set("slowdown", Value::table()).set("model", "resources");
  if (!c.outages.empty()) tree.set("outages", outages_of(c));
  if (!c.reservations.empty()) tree.set("reservations", reservations_of(c));
  if (c.power) tree.set("power", power_of(*c.power));
  if (c.seed != 1) tree.set("seed", c.seed);
  if (coscheduled(c)) tree.set("processes", Value::table()).set("programs", programs());
  Value::List jobs;
  for (const SmallJob& job : c.jobs) jobs.push_back(table_of(job));
  tree.set("workload", Value::table()).set("jobs", jobs);
  return tree;
}

Scenario scenario_of(const Value& tree, const Scenario& base) {
  Scenario s = check_scenario(tree);
  s.policy = base.policy;
  s.limits = base.limits;
  return s;
}

Scenario scenario_of(const Case& c, const Scenario& base) {
  Scenario s = scenario_of(tree_of(c), base);
  for (const auto& [name, text] : c.params) s.policy.params.set(name, text);
  return s;
}

bool can_run(const Case& c) {
  const auto says = [](const SmallJob& job, const char* key) {
    return std::ranges::any_of(job.said, [&](const auto& said) { return said.first == key; });
  };
  if (std::ranges::any_of(c.jobs, [&](const SmallJob& job) { return says(job, "elastic") && !says(job, "sizes"); }))
    return false;
  try {
    const Scenario s = scenario_of(c, {});
    if (literal_workflow_problem(*s.workload.jobs)) return false;  // shrinking may take away what a job waits for
    if (c.kinds.empty()) return true;
    const MachineLayout& layout = *s.machine.layout;
    const Workload w = literal_workload(*s.workload.jobs, s.machine.cores_per_node(), s.machine);
    return std::ranges::all_of(w.jobs, [&](const Job& job) {
      return why_never(layout, w.requests[job.request], {job.limit, job.user}).empty();
    });
  } catch (const InputError&) {
    return false;
  }
}

std::string lua_of(const Value& tree, const std::string& indent) {
  std::string out, jobs;
  for (const Member* m : in_order(tree)) {
    Value shown = m->value;
    if (m->key == "workload") {
      if (const Value* list = shown.find("jobs"); list != nullptr && list->is_list()) {
        for (const Value& job : *list->list()) jobs += indent + "  " + job_line(job) + "\n";
        shown.erase("jobs");
      }
      if (shown.members()->empty()) continue;
    }
    out += lines_of(m->key + " = ", shown, indent);
  }
  return out + indent + "jobs = {\n" + jobs + indent + "},\n";
}

}  // namespace coslice::check
