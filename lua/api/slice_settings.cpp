#include "api/slice_settings.h"

#include <algorithm>
#include <cmath>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/known_fields.h"
#include "api/read_hook.h"
#include "api/script_text.h"
#include "host/call.h"
#include "host/guard.h"
#include "host/state.h"

namespace coslice {

namespace {

constexpr std::size_t kMostClasses = 64;

Duration seconds_field(const FieldReader& f, const char* name, double least, Duration fallback) {
  if (!f.has(name)) return fallback;
  const double s = f.number(name);
  if (!(s >= least && s <= kMaxSeconds)) {
    f.fail(name, fmt::format("slices: field '{}' is {}", name, s),
           fmt::format("seconds from {} to {}", least, kMaxSeconds));
  }
  return from_seconds(s);
}

template <class E>
E choice_field(const FieldReader& f, const char* name, const std::vector<std::pair<std::string, E>>& choices,
               E fallback) {
  if (!f.has(name)) return fallback;
  std::vector<std::string> words;
  for (const auto& c : choices) words.push_back(c.first);
  const std::string word = f.choice(name, words);
  for (const auto& c : choices)
    if (c.first == word) return c.second;
  return fallback;
}

/// Calls `read` with a reader of the table in the field, if there is one.
template <class F>
void with_table(const FieldReader& f, const char* name, F&& read) {
  const luahost::StackGuard guard(f.state());
  f.push(name);
  if (lua_isnil(f.state(), -1)) return;
  if (!lua_istable(f.state(), -1)) f.fail(name, fmt::format("slices: field '{}' is not a table", name), "a table");
  read(f.inner(-1, fmt::format("slices: '{}'", name)));
}

SliceClass read_class(const FieldReader& f) {
  f.only({"name", "up_to", "share", "on_demand", "longest"});
  SliceClass c;
  c.name = f.text("name");
  c.up_to = seconds_field(f, "up_to", 0, Duration::max());
  if (f.has("on_demand")) c.on_demand = f.flag("on_demand");
  if (c.on_demand && f.has("share"))
    f.fail("share", "slices: an on-demand class has no share", "one of 'share' and 'on_demand'");
  if (!c.on_demand && f.has("longest")) f.fail("longest", "slices: 'longest' is for on-demand classes");
  if (f.has("share")) c.share = f.number("share");
  if (!(c.share >= 0 && c.share <= 1e9))
    f.fail("share", fmt::format("slices: a share is {}", c.share), "a number of at least 0");
  c.longest = seconds_field(f, "longest", 1e-9, c.longest);
  return c;
}

void read_classes(const FieldReader& f, SliceOptions& options) {
  lua_State* L = f.state();
  const luahost::StackGuard guard(L);
  f.push("classes");
  const std::size_t n = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
  if (n == 0 || n > kMostClasses)
    f.fail("classes", "slices: 'classes' is not a list of classes",
           "{ { name = ..., up_to = ..., share = ... }, ... }");
  for (std::size_t i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<lua_Integer>(i));
    if (!lua_istable(L, -1))
      f.fail("classes", fmt::format("slices: class {} is not a table", i), "{ name = ..., ... }");
    options.classes.push_back(read_class(f.inner(-1, fmt::format("slices: class {}", i))));
    lua_pop(L, 1);
    const std::string& name = options.classes.back().name;
    const auto same = [&](const SliceClass& c) { return c.name == name; };
    if (name.empty()) f.fail("name", fmt::format("slices: class {} has an empty name", i), "a name");
    if (std::count_if(options.classes.begin(), options.classes.end(), same) > 1) {
      f.fail("name", fmt::format("slices: two classes are called '{}'", name), "a name for each class");
    }
    if (i > 1 && options.classes[i - 1].up_to <= options.classes[i - 2].up_to) {
      f.fail("up_to", fmt::format("slices: class {} does not reach further than the one before it", i),
             "classes from short to long");
    }
  }
  const auto& c = options.classes;
  if (c.back().on_demand && std::any_of(c.begin(), c.end(), [](const SliceClass& k) { return !k.on_demand; })) {
    f.fail("on_demand",
           fmt::format("slices: class '{}' comes last and on demand, but the classes with shares before it take all of "
                       "the interval",
                       c.back().name),
           "a last class with a share");
  }
  if (options.classes.back().up_to != Duration::max())
    f.fail("up_to", "slices: the last class has a bound", "a last class without 'up_to', for all longer jobs");
}

/// At least one class must have slices.
void check_shares(const FieldReader& f, const SliceSettings& s) {
  const auto none = [](const SliceClass& c) { return !c.on_demand && c.share == 0; };
  const auto& classes = s.options.classes;
  if (f.has("shares") || !std::all_of(classes.begin(), classes.end(), none)) return;
  f.fail("share", "slices: no class has a share of the interval", "a share above 0 for one class at least");
}

void read_memory(const FieldReader& f, const std::string& policy, SliceSettings& s) {
  f.only({"capacity", "rate", "of", "swapping", "swap_charge"});
  SliceOptions& o = s.options;
  o.swapping = choice_field<Swapping>(f, "swapping",
                                      {{"parts", Swapping::kParts}, {"whole-jobs", Swapping::kWholeJobs}}, o.swapping);
  o.swap_charge = choice_field<SwapCharge>(
      f, "swap_charge", {{"longest", SwapCharge::kLongest}, {"each-load", SwapCharge::kEachLoad}}, o.swap_charge);
  const double capacity = f.number("capacity");
  s.transfer_rate = f.number("rate");
  if (!(capacity > 0 && s.transfer_rate > 0) || capacity / s.transfer_rate > kMaxSeconds) {
    f.fail("memory", "slices: memory needs a capacity and a rate above 0",
           "capacity in units, rate in units per second");
  }
  s.options.memory = from_seconds(capacity / s.transfer_rate);
  f.require_function("of");
  s.memory_of = read_hook(f, "of", fmt::format("in the slices of policy '{}'", policy));
}

void read_fit(const FieldReader& f, MemoryFit& fit) {
  const std::vector<std::pair<std::string, Fit>> fits = {
      {"best", Fit::kBest}, {"worst", Fit::kWorst}, {"first", Fit::kFirst}};
  f.only({"enough", "rest"});
  fit.enough = choice_field(f, "enough", fits, fit.enough);
  fit.rest = choice_field(f, "rest", fits, fit.rest);
}

void read_shares_field(const FieldReader& f, const std::string& policy, SliceSettings& s) {
  const luahost::StackGuard guard(f.state());
  f.push("shares");
  if (lua_istable(f.state(), -1)) s.day_shares = read_day_shares(f, s.options.classes);
  else s.shares = read_hook(f, "shares", fmt::format("in the slices of policy '{}'", policy));
}

void check(const FieldReader& f, const SliceSettings& s) {
  const SliceOptions& o = s.options;
  if (o.nodes == NodeChoice::kMemoryFit && o.memory == Duration{0})
    f.fail("nodes", "slices: nodes = \"memory-fit\" needs a memory model", "slices.memory");
  if (f.has("fit") && o.nodes != NodeChoice::kMemoryFit)
    f.fail("fit", "slices: 'fit' has no effect without nodes = \"memory-fit\"");
  if (f.has("nodes") && s.node_rank) f.fail("nodes", "slices: 'nodes' has no effect beside 'node_rank'");
  if (o.overhead >= o.interval) f.fail("overhead", "slices: the overhead is as long as the interval", "less");
}

}  // namespace

SliceSettings read_slices(const FieldReader& policy, const std::string& name) {
  const FieldReader f = policy.inner(-1, "slices");
  f.only({"interval", "classes", "shares", "overhead", "charge_continuing", "foreign", "evict", "nodes", "fit",
          "node_rank", "memory", "scheduler"});
  SliceSettings s;
  SliceOptions& o = s.options;
  o.interval = seconds_field(f, "interval", 1, o.interval);
  o.overhead = seconds_field(f, "overhead", 0, o.overhead);
  read_classes(f, o);
  if (f.has("charge_continuing")) o.charge_continuing = f.flag("charge_continuing");
  o.foreign =
      choice_field<ForeignJobs>(f, "foreign", {{"none", ForeignJobs::kNone}, {"safe", ForeignJobs::kSafe}}, o.foreign);
  if (f.has("evict")) o.evict = f.flag("evict");
  o.nodes = choice_field<NodeChoice>(f, "nodes",
                                     {{"first-free", NodeChoice::kFirstFree},
                                      {"fewest-foreign", NodeChoice::kFewestForeign},
                                      {"memory-fit", NodeChoice::kMemoryFit}},
                                     o.nodes);
  with_table(f, "memory", [&](const FieldReader& m) { read_memory(m, name, s); });
  with_table(f, "fit", [&](const FieldReader& m) { read_fit(m, o.fit); });
  read_shares_field(f, name, s);
  check_shares(f, s);
  s.node_rank = read_hook(f, "node_rank", fmt::format("in the slices of policy '{}'", name));
  s.scheduler = f.text("scheduler", "");
  check(f, s);
  return s;
}

SliceFunctions::SliceFunctions(LuaState& state, const SliceSettings& settings, const LuaRef& params,
                               const std::vector<JobClass>& classes)
    : state_(state), settings_(settings), params_(params), jobs_(state, classes) {}

SliceOptions SliceFunctions::options(Duration clock_at_0) {
  SliceOptions options = settings_.options;
  if (!settings_.day_shares.empty()) {
    options.shares = [this, clock_at_0](Time now) {
      return settings_.day_shares.at((now.time_since_epoch() + clock_at_0) % whole_seconds(86400));
    };
  }
  if (settings_.shares) options.shares = [this](Time now) { return ask_shares(now); };
  if (settings_.memory_of) options.memory_of = [this](const View& view, JobIndex j) { return ask_memory(view, j); };
  if (settings_.node_rank) {
    options.node_rank = [this](const View& view, JobIndex j, const NodeFacts& node) { return ask_rank(view, j, node); };
  }
  return options;
}

std::vector<double> SliceFunctions::ask_shares(Time now) {
  Call call(state_, settings_.shares.function, settings_.shares.label);
  call.push(to_seconds(now)).push(params_).invoke(1);
  std::vector<double> shares;
  const LuaRef table = call.value(1);
  std::string problem;
  bool is_table = true;
  state_.protect([&](lua_State* L) {
    table.push(L);
    is_table = lua_istable(L, -1);
    if (is_table) shares = read_shares(L, settings_.options.classes, problem);
    lua_pop(L, 1);
  });
  if (!is_table || !problem.empty()) call.fail(1, "a table of shares by class name" + (is_table ? ": " + problem : ""));
  return shares;
}

Duration SliceFunctions::ask_memory(const View& view, JobIndex j) {
  jobs_.show(view);
  LuaRef job;
  state_.protect([&](lua_State* L) {
    jobs_.push_new(L, j);
    job = LuaRef::pop(L);
  });
  Call call(state_, settings_.memory_of.function, settings_.memory_of.label);
  call.push(job).push(params_).invoke(1);
  const double units = call.number(1);
  const Duration need =
      std::isfinite(units) && units > 0 && units < 1e12 ? from_seconds(units / settings_.transfer_rate) : Duration{0};
  if (need <= Duration{0} || need > settings_.options.memory) call.fail(1, "units above 0 and at most the capacity");
  return need;
}

double SliceFunctions::ask_rank(const View& view, JobIndex j, const NodeFacts& node) {
  jobs_.show(view);
  LuaRef job, facts;
  state_.protect([&](lua_State* L) {
    jobs_.push_new(L, j);
    job = LuaRef::pop(L);
    lua_createtable(L, 0, 4);
    const auto set = [&](const char* name, double value) {
      lua_pushnumber(L, value);
      lua_setfield(L, -2, name);
    };
    set("number", node.number);
    set("foreign", node.foreign);
    set("allocated", to_seconds(node.needed) * settings_.transfer_rate);
    set("capacity", to_seconds(settings_.options.memory) * settings_.transfer_rate);
    refuse_unknown_fields(L, "a node has");
    facts = LuaRef::pop(L);
  });
  Call call(state_, settings_.node_rank.function, settings_.node_rank.label);
  call.push(job).push(facts).push(params_).invoke(1);
  const double rank = call.number(1);
  if (std::isnan(rank)) call.fail(1, "a number that is not NaN");
  return rank;
}

}  // namespace coslice
