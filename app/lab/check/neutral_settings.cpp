// What means nothing, in one table.
#include <algorithm>

#include <fmt/format.h>

#include "lab/check/neutral.h"

namespace coslice::check {

namespace {

using For = NeutralSetting::For;

/// After all that cases do, s.
constexpr std::int64_t kFar = 5'000'000'000;

/// The table of that name, made if it is not there.
Value& table(Value& in, const char* name) {
  Value* found = in.find(name);
  return found != nullptr ? *found : in.set(name, Value::table());
}

/// One more entry of a list of tables.
Value& entry(Value& in, const char* list, std::initializer_list<Member> members) {
  Value* found = in.find(list);
  if (found == nullptr) found = &in.set(list, Value::List{});
  Value one = Value::table();
  for (const Member& m : members) one.set(m.key, m.value);
  found->list()->push_back(one);
  return found->list()->back();
}

Value& machine(Laid& laid) { return *laid.tree.find("machine"); }
bool has_kinds(Laid& laid) { return machine(laid).find("nodes")->is_list(); }
Value::List& kinds(Laid& laid) { return *machine(laid).find("nodes")->list(); }

/// Gives each kind what none has.
bool set_of_kinds(Laid& laid, const char* key, const Value& value) {
  lay_kind(laid);
  for (Value& kind : kinds(laid))
    if (kind.find(key) != nullptr) return false;
  for (Value& kind : kinds(laid)) kind.set(key, value);
  return true;
}

/// Whether no job says any of these.
bool none_says(Laid& laid, std::initializer_list<const char*> keys) {
  for (const Value& job : laid.list())
    for (const char* key : keys)
      if (job.find(key) != nullptr) return false;
  return true;
}

/// Cores that a job has on each of its nodes; nothing where they differ.
std::optional<std::int64_t> cores(Laid& laid) {
  const Value* const engine = laid.tree.find("engine");
  const Value* const set = engine != nullptr ? engine->find("processes_per_node") : nullptr;
  if (set != nullptr && *set->integer() > 0) return *set->integer();
  const auto of = [](const Value& node) {
    std::int64_t n = 1;
    for (const char* key : {"processors", "cores"})
      if (const Value* each = node.find(key)) n *= *each->integer();
    return n;
  };
  if (!has_kinds(laid)) return of(machine(laid));
  for (const Value& kind : kinds(laid))
    if (of(kind) != of(kinds(laid)[0])) return {};
  return of(kinds(laid)[0]);
}

bool has_gpus(Laid& laid) {
  return has_kinds(laid) &&
         std::ranges::any_of(kinds(laid), [](const Value& kind) { return kind.find("gpus") != nullptr; });
}

/// What some jobs ask for, beside what they do. Jobs that had whole nodes keep them, with a process on each core; but
/// where nodes have GPUs, they would be typical jobs then, which makes GPUs fragments.
bool ask(Laid& laid, std::size_t every, const char* key, const Value& value) {
  const auto each = cores(laid);
  for (std::size_t i = 0; i < laid.list().size(); i += every) {
    Value& job = laid.list()[i];
    if (job.find("request") == nullptr) {
      if (!each || has_gpus(laid)) return false;
      table(job, "request").set("exclusive", true);
      if (*each > 1) job.find("request")->set("cores", *each);
    }
    if (job.find("request")->find(key) != nullptr) return false;
    job.find("request")->set(key, value);
  }
  return true;
}

bool licence(Laid& laid) {
  entry(machine(laid), "licences", {{"name", "plenty"}, {"count", 1'000'000}});
  return true;
}

bool ask_licence(Laid& laid, std::size_t every) {
  return licence(laid) && ask(laid, every, "licences", Value::table({{"plenty", 1}}));
}

bool set(Laid& laid, const char* in, std::initializer_list<Member> members) {
  for (const Member& m : members)
    if (table(laid.tree, in).find(m.key) == nullptr) table(laid.tree, in).set(m.key, m.value);
  return true;
}

NeutralSetting::Lay sets(const char* in, std::initializer_list<Member> members) {
  return [in, all = std::vector<Member>(members)](Laid& laid) {
    for (const Member& m : all) set(laid, in, {m});
    return true;
  };
}

NeutralSetting::Lay outage(const char* kind) {
  return [kind](Laid& laid) {
    entry(table(laid.tree, "outages"), "planned", {{"kind", kind}, {"from", kFar}, {"length", 1000}});
    return true;
  };
}

bool fail_never(Laid& laid) {
  constexpr double kMeanTime = 1e9;  // the longest that can be said; the last node of a thousand fails after decades
  entry(table(laid.tree, "outages"), "failures",
        {{"mtbf", kMeanTime}, {"distribution", "lognormal"}, {"shape", 0.1}, {"repair", 60}});
  return true;
}

NeutralSetting::Lay reservation(bool announced) {
  return [announced](Laid& laid) {
    Value& r = entry(laid.tree, "reservations", {{"name", "later"}, {"from", kFar}, {"length", 1000}});
    r.set("users", Value::List{999});
    if (announced) r.set("announced", kFar);
    return true;
  };
}

/// All nodes are reserved all the time, for all users.
bool reserve_for_all(Laid& laid) {
  if (laid.tree.find("reservations") != nullptr) return false;
  Value::List users;
  for (Value& job : laid.list()) {
    const Value* user = job.find("user");
    if (user == nullptr) return false;
    if (std::ranges::find(users, *user) == users.end()) users.push_back(*user);
  }
  entry(laid.tree, "reservations", {{"name", "ours"}, {"from", 0}, {"length", 1e9}, {"users", users}});
  return true;
}

/// Every job says one thing more.
NeutralSetting::Lay say(const char* key, Value (*of)(const Value& job)) {
  return [key, of](Laid& laid) {
    for (Value& job : laid.list())
      if (job.find(key) == nullptr) job.set(key, of(job));
    return true;
  };
}

/// Every whole number of that name becomes another one.
void renumber(Laid& laid, const char* key, std::int64_t (*to)(std::int64_t)) {
  for (Value& job : laid.list())
    if (Value* number = job.find(key)) *number = Value(to(*number->integer()));
}

bool renumber_jobs(Laid& laid) {
  if (!none_says(laid, {"id", "depends", "array"})) return false;
  std::int64_t n = 0;
  for (Value& job : laid.list()) job.set("id", Value(7 * ++n + 1000));
  return true;
}

bool renumber_users(Laid& laid) {
  if (laid.tree.find("reservations") != nullptr || machine(laid).find("partitions") != nullptr) return false;
  renumber(laid, "user", [](std::int64_t u) { return 1000 - u; });
  renumber(laid, "group", [](std::int64_t g) { return 500 - g; });
  return true;
}

NeutralSetting::Lay later(std::int64_t seconds) {
  return [seconds](Laid& laid) {
    for (const char* key : {"outages", "reservations"})
      if (laid.tree.find(key) != nullptr) return false;
    for (Value& job : laid.list())
      for (const char* key : {"submit", "begin", "held_until"})
        if (Value* at = job.find(key)) *at = Value(*at->integer() + seconds);
    return true;
  };
}

NeutralSetting::Lay change(const char* changes) {
  return [changes](Laid& laid) {
    laid.changes += changes;
    return true;
  };
}

NeutralSetting::Lay brought(Laid::Jobs how) {
  return [how](Laid& laid) {
    if (!none_says(laid, {"program"})) return false;  // which only a scenario says
    if (how != Laid::Jobs::kScript &&
        (has_kinds(laid) || !none_says(laid, {"request", "sizes", "cpu", "depends", "array", "reservation"})))
      return false;
    laid.jobs = how;
    return true;
  };
}

bool no_slowdown(Laid& laid) { return laid.tree.find("slowdown") == nullptr; }

bool table_of_ones(Laid& laid) {
  if (!no_slowdown(laid)) return false;
  laid.files["ones.toml"] = "[default]\nover_processors = 1\nover_cores = 1\nbeside = 1\n"
                            "[[applications]]\nname = 'a'\nnumbers = [1]\nbeside = { a = 1.0 }\n";
  return set(laid, "slowdown", {{"model", "table"}, {"table", "ones.toml"}});
}

bool script_of_ones(Laid& laid) {
  if (!no_slowdown(laid)) return false;
  laid.files["ones.lua"] = "return { api = 1, name = 'ones', beside = function() return 1 end,\n"
                           "  over_cores = function() return 1 end }\n";
  return set(laid, "slowdown", {{"model", "script"}, {"script", "ones.lua"}});
}

bool one_size(Laid& laid) {
  for (Value& job : laid.list())
    if (job.find("sizes") == nullptr)
      job.set("sizes", fmt::format("{}:{}", *job.find("nodes")->integer(), *job.find("runtime")->integer()));
  return true;
}

/// Those that have no other size cannot change it. They ask for nothing: that would bring a pass, in which a policy may
/// do something.
bool elastic_of_one_size(Laid& laid) {
  for (Value& job : laid.list())
    if (job.find("sizes") == nullptr) job.set("elastic", "any cost 5");
  return one_size(laid);
}

/// Under policies that change no running jobs' nodes.
bool half_the_size(Laid& laid) {
  for (const char* resizes : {"easy_elastic", "equipartition", "posner"})
    if (laid.policy.find(resizes) != std::string::npos) return false;
  if (!none_says(laid, {"sizes", "elastic", "request"})) return false;
  for (Value& job : laid.list())
    job.set("sizes",
            fmt::format("{}:{}", (*job.find("nodes")->integer() + 1) / 2, *job.find("runtime")->integer() * 2));
  return true;
}

bool elastic_of_two_sizes(Laid& laid) {
  for (Value& job : laid.list()) job.set("elastic", "steps 5 cost 3+1");
  return half_the_size(laid);
}

bool none_elastic(Laid& laid) {
  table(table(laid.tree, "workload"), "elastic").set("share", 0);
  return true;
}

bool split_kind(Laid& laid) {
  if (has_kinds(laid)) return false;
  lay_kind(laid);
  Value other = kinds(laid)[0];
  const std::int64_t count = *other.find("count")->integer();
  if (count < 2) return false;
  kinds(laid)[0].set("count", count / 2);
  other.set("count", count - count / 2);
  other.set("name", "m");
  kinds(laid).push_back(other);
  return true;
}

/// Every job that comes much later waits for the first one to have started.
bool after_the_first(Laid& laid) {
  if (!none_says(laid, {"id", "depends", "array"})) return false;
  const std::int64_t wait = 20'000, first = *laid.list().front().find("submit")->integer();
  for (Value& job : laid.list())
    if (*job.find("submit")->integer() > first + wait) job.set("depends", "after:1");
  return true;
}

bool lay_partitions(Laid& laid) {
  if (machine(laid).find("partitions") != nullptr) return false;
  entry(machine(laid), "partitions", {{"name", "all"}, {"tier", 7}, {"max_nodes", 100'000}});
  entry(machine(laid), "partitions", {{"name", "unused"}, {"oversubscribe", 2}, {"oversubscribe_all", true}});
  return true;
}

Value submit_of(const Value& job) { return *job.find("submit"); }

std::vector<NeutralSetting> all_settings() {
  return {
      {"the same again", [](Laid&) { return true; }},
      // The machine.
      {"one kind of nodes", [](Laid& l) { return !has_kinds(l) && lay_kind(l); }},
      {"two equal kinds", split_kind, For::kAll, lay_kind},
      {"a partition of all nodes",
       [](Laid& l) {
         if (machine(l).find("partitions") != nullptr) return false;
         entry(machine(l), "partitions", {{"name", "all"}});
         return true;
       }},
      {"two partitions of all nodes", lay_partitions, For::kAll, lay_kind},
      {"a licence that nobody asks for", licence},
      {"a licence in plenty that one job asks for", [](Laid& l) { return ask_licence(l, l.list().size()); }},
      {"a licence in plenty that all ask for", [](Laid& l) { return ask_licence(l, 1); }},
      {"a feature of all nodes that some ask for",
       [](Laid& l) { return set_of_kinds(l, "features", "ib") && ask(l, 3, "features", "ib"); }, For::kAll, lay_kind},
      {"memory that nobody asks for",
       [](Laid& l) {
         if (!none_says(l, {"memory"}) && !none_says(l, {"program"})) return false;  // processes ask for it
         return has_kinds(l) ? set_of_kinds(l, "memory", "640 GiB") : set(l, "machine", {{"memory", "64 GB"}});
       }},
      {"memory in plenty that all ask for",
       [](Laid& l) { return set_of_kinds(l, "memory", "640 GiB") && ask(l, 1, "memory", "1 GiB"); }, For::kAll,
       lay_kind},
      {"GPUs that nobody asks for",
       [](Laid& l) { return set_of_kinds(l, "gpus", 4) && set_of_kinds(l, "gpu_type", "g"); }, For::kAll, lay_kind},
      // What is after the end, never, or takes no time.
      {"a failure after the end", outage("failure")},
      {"a drain after the end", outage("drain")},
      {"maintenance after the end", outage("maintenance"), For::kQueue},
      {"outages, and none of them", sets("outages", {{"planned", Value::List{}}})},
      {"failures that are decades away", fail_never},
      {"a reservation after the end", reservation(false), For::kQueue},
      {"a reservation after the end, announced then", reservation(true), For::kQueue},
      {"all nodes reserved for all users", reserve_for_all, For::kQueue},
      {"nodes powered down that boot at once", sets("power", {{"idle", 600}, {"boot", 0}, {"shutdown", 0}})},
      {"nodes powered down at once that boot at once", sets("power", {{"idle", 0}, {"boot", 0}, {"shutdown", 0}})},
      // Jobs hold their nodes for boots, too: where others run on or windows are near, that may be seen.
      {"nodes powered down after the end", sets("power", {{"idle", 1e9}, {"boot", 300}, {"shutdown", 60}}),
       For::kShipped},
      {"checkpoints that cost nothing, and no failure",
       [](Laid& l) {
         return l.tree.find("outages") == nullptr && outage("failure")(l) &&
                set(l, "outages", {{"checkpoint_interval", 3600}, {"checkpoint_cost", 0}, {"restart_cost", 100}});
       }},
      // Slowdowns, sizes, jobs that wait for nothing.
      {"a table of slowdowns of 1", table_of_ones, For::kShipped},
      {"a script of slowdowns of 1", script_of_ones, For::kShipped},
      {"moldable jobs of one size", one_size},
      {"elastic jobs of one size", elastic_of_one_size},
      {"elastic jobs that no policy resizes", elastic_of_two_sizes, For::kShipped, half_the_size},
      {"a share of 0 of the jobs is elastic", none_elastic},
      {"jobs that begin when they are submitted", say("begin", submit_of)},
      {"jobs held until they are submitted", say("held_until", submit_of)},
      {"jobs that wait for one that has started", after_the_first, For::kShipped},
      // The policy.
      {"placement = \"first\"", change("p.placement = p.placement or 'first'"), For::kShipped,
       change("local s = p.slices\n"
              "if s then p.slices = function(params)\n"
              "  local t = type(s) == 'function' and s(params) or s if t then t.nodes = 'first-free' end\n"
              "  return t end end\n")},
      {"placement that ranks all nodes equally", change("p.placement = p.placement or function() return 0 end"),
       For::kShipped, lay_kind},
      {"estimates that are the limits", change("p.estimate = p.estimate or function(job) return job.limit end"),
       For::kShipped},
      {"estimates that say nothing", change("p.estimate = p.estimate or function() return nil end"), For::kShipped},
      {"checkpoints never", change("p.checkpoint = p.checkpoint or function() return nil end"), For::kShipped},
      {"no vetoes", change("if not p.schedule and not p.may_start then p.may_start = function() return true end end"),
       For::kShipped},
      {"a key that is the time of submission",
       change("if not (p.key or p.dynamic_key or p.order or p.coscheduling) then\n"
              "  p.dynamic_key = function(job) return job.submit end\nend"),
       For::kShipped},
      {"hooks that do nothing",
       change("for _, h in ipairs { 'begin', 'submitted', 'started', 'ended' } do p[h] = p[h] or function() end end"),
       For::kShipped},
      {"passes between",
       change("local s = p.submitted\np.submitted = function(v, j, q)\n"
              "  v:wake(v.now + 37) v:wake(v.now + 1001) if s then s(v, j, q) end end"),
       For::kShipped},
      {"explanations", [](Laid& l) { return l.explained = true; }, For::kShipped},
      {"another policy in the same run", [](Laid& l) { return l.beside.push_back("fcfs"), true; }, For::kShipped},
      // The form of the same.
      {"jobs from a script", brought(Laid::Jobs::kScript), For::kShipped},
      {"jobs from a trace", brought(Laid::Jobs::kTrace), For::kShipped},
      {"jobs from a trace that was converted and back", brought(Laid::Jobs::kConverted), For::kShipped},
      {"jobs renumbered", renumber_jobs, For::kShipped},
      {"users and groups renumbered", renumber_users, For::kShipped},
      {"a week later", later(7 * 86'400), For::kShipped},
      {"1,234,567 s later", later(1'234'567), For::kShipped},
      {"a date", sets("workload", {{"date", "2026-03-01T08:30"}}), For::kShipped},
      {"the workload's defaults",
       sets("workload", {{"load_factor", 1}, {"size_factor", 1}, {"time_factor", 1}, {"time_added", 0}})},
      {"the engine's defaults", sets("engine", {{"over_limit", 0},
                                                {"kill_wait", 0},
                                                {"unstarted", "wait"},
                                                {"at_limit", "kill"},
                                                {"molding", "ends-first"},
                                                {"processes_per_node", 0},
                                                {"event_order", "ends-first"},
                                                {"dependencies", false},
                                                {"unfulfilled", "wait"}})},
      {"dependencies of which there are none",
       [](Laid& l) {
         return none_says(l, {"depends", "array"}) &&
                set(l, "engine", {{"dependencies", true}, {"unfulfilled", "cancel"}});
       }},
      {"sizes as asked where there is one",
       [](Laid& l) {
         return none_says(l, {"sizes"}) && set(l, "engine", {{"molding", "asked"}});
       }},
      {"instructions that are not counted", sets("engine", {{"trusted", true}})},
  };
}

}  // namespace

bool lay_kind(Laid& laid) {
  Value& m = machine(laid);
  if (has_kinds(laid)) return true;
  Value kind = Value::table();
  kind.set("name", "n");
  kind.set("count", *m.find("nodes"));
  for (const char* key : {"processors", "cores"}) {
    if (m.find(key) == nullptr) continue;
    kind.set(key, *m.find(key));
    m.erase(key);
  }
  m.set("nodes", Value::List{kind});
  return true;
}

const std::vector<NeutralSetting>& neutral_settings() {
  static const std::vector<NeutralSetting> settings = all_settings();
  return settings;
}

const NeutralSetting* find_neutral(const std::string& name) {
  for (const NeutralSetting& s : neutral_settings())
    if (s.name == name) return &s;
  return nullptr;
}

}  // namespace coslice::check
