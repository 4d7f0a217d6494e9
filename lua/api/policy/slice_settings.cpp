#include "api/policy/slice_settings.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <lua.hpp>

#include "api/jobs/known_fields.h"
#include "api/scripts/script_errors.h"
#include "api/scripts/table_value.h"
#include "core/error.h"
#include "host/bind.h"
#include "host/call.h"
#include "host/state.h"
#include "host/value_text.h"

namespace coslice {
namespace {

std::string name_on_top(lua_State* L) {
  std::size_t size = 0;
  const char* text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : nullptr;
  return text == nullptr ? std::string() : std::string(text, size);
}

std::string unknown_class(const std::string& name, const std::vector<SliceClass>& classes) {
  std::vector<std::string> names;
  for (const SliceClass& c : classes)
    if (!c.on_demand) names.push_back(c.name);
  const std::string near = did_you_mean(name, names);
  return fmt::format("there is no class '{}'; {}", name,
                     near.empty() ? fmt::format("classes with a share are {}", fmt::join(names, ", ")) : near);
}

/// "7:30", "07:30": time since midnight.
std::optional<Duration> time_of_day(const std::string& text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon < 1 || colon > 2 || text.size() != colon + 3) return std::nullopt;
  for (std::size_t i = 0; i != text.size(); ++i)
    if (i != colon && !digit(i)) return std::nullopt;
  const int hour = std::stoi(text.substr(0, colon)), minute = std::stoi(text.substr(colon + 1));
  if (hour > 23 || minute > 59) return std::nullopt;
  return whole_seconds(hour * 3600 + minute * 60);
}

constexpr std::size_t kMostClasses = 64;

/// Calls `read` with a reader of the table in the field, if there is one.
template <class F>
void with_table(const FieldReader& f, const char* name, F&& read) {
  const luahost::StackGuard guard(f.state());
  f.push(name);
  if (lua_isnil(f.state(), -1)) return;
  if (!lua_istable(f.state(), -1)) f.fail(name, fmt::format("slices: field '{}' is not a table", name), "a table");
  read(f.inner(-1, fmt::format("slices: '{}'", name)));
}

#define CLASS(member) COSLICE_FIELD(SliceClass, member)
#define OPTION(member) COSLICE_FIELD(SliceOptions, member)
#define MEMORY(member) COSLICE_FIELD(Memory, member)

const std::vector<Key<SliceClass>>& class_keys() {
  using C = SliceClass;
  static const std::vector<Key<C>> keys = {
      {"name", codec::text<C>(CLASS(name)), "", true},
      {"up_to", codec::seconds<C>(CLASS(up_to)), ""},
      {"share", codec::real<C>(CLASS(share), {0, 1e9}), ""},
      {"on_demand", codec::flag<C>(CLASS(on_demand)), ""},
      {"longest", codec::seconds<C>(CLASS(longest), {0, kMaxSeconds, true}), ""},
  };
  return keys;
}

void check_classes(const std::vector<SliceClass>& classes, const Value& list, const std::string&) {
  if (classes.empty() || classes.size() > kMostClasses)
    fail_at(list.place, "slices: 'classes' is not a list of classes",
            "{ { name = ..., up_to = ..., share = ... }, ... }");
  for (std::size_t i = 0; i != classes.size(); ++i) {
    const SliceClass& c = classes[i];
    const Value& item = (*list.list())[i];
    const auto fail = [&](const char* key, const std::string& problem, const char* expected = "") {
      fail_at(item.find(key) != nullptr ? item.find(key)->place : list.place, "slices: " + problem, expected);
    };
    if (c.on_demand && item.find("share") != nullptr)
      fail("share", "an on-demand class has no share", "one of 'share' and 'on_demand'");
    if (!c.on_demand && item.find("longest") != nullptr)
      fail("longest", "'longest' has no effect here", "on_demand = true");
    if (c.name.empty()) fail("name", fmt::format("class {} has an empty name", i + 1), "a name");
    if (std::count_if(classes.begin(), classes.end(), [&](const SliceClass& o) { return o.name == c.name; }) > 1)
      fail("name", fmt::format("name '{}' is used by two classes", c.name), "a different name for each class");
    if (i > 0 && c.up_to <= classes[i - 1].up_to)
      fail("up_to", fmt::format("class {} does not reach further than the one before it", i + 1),
           "classes from short to long");
    if (i + 1 != classes.size()) continue;
    if (c.on_demand && std::ranges::any_of(classes, [](const SliceClass& k) { return !k.on_demand; }))
      fail("on_demand",
           fmt::format("class '{}' comes last and on demand, but the classes with shares before it take all of the "
                       "interval",
                       c.name),
           "a last class with a share");
    if (c.up_to != Duration::max())
      fail("up_to", "the last class has a bound", "a last class without 'up_to', for all longer jobs");
  }
}

Codec<SliceOptions> fit() {
  const std::vector<std::string> names = {"best", "worst", "first"};
  static const std::vector<Key<MemoryFit>> keys = {
      {"enough", codec::choice<MemoryFit>(COSLICE_FIELD(MemoryFit, enough), names), ""},
      {"rest", codec::choice<MemoryFit>(COSLICE_FIELD(MemoryFit, rest), names), ""}};
  return {"a table", [](SliceOptions& o, const Value& v, const std::string& p) { read_record(keys, o.fit, v, p); }, {}};
}

const std::vector<Key<SliceOptions>>& slice_keys() {
  using O = SliceOptions;
  static const std::vector<Key<O>> keys = {
      {"interval", codec::seconds<O>(OPTION(interval), {1, kMaxSeconds}), ""},
      {"overhead", codec::seconds<O>(OPTION(overhead)), ""},
      {"classes", codec::records<O, SliceClass>(OPTION(classes), class_keys(), check_classes), "", true},
      {"charge_continuing", codec::flag<O>(OPTION(charge_continuing)), ""},
      {"foreign", codec::choice<O>(OPTION(foreign), {"none", "safe"}), ""},
      {"evict", codec::flag<O>(OPTION(evict)), ""},
      {"nodes", codec::choice<O>(OPTION(nodes), {"first-free", "fewest-foreign", "memory-fit"}), ""},
      {"fit", fit(), ""},
  };
  return keys;
}

/// At least one class must have slices.
void check_shares(const FieldReader& f, const SliceSettings& s) {
  const auto none = [](const SliceClass& c) { return !c.on_demand && c.share == 0; };
  const auto& classes = s.options.classes;
  if (f.has("shares") || !std::ranges::all_of(classes, none)) return;
  f.fail("share", "slices: no class has a share of the interval", "a share above 0 for one class at least");
}

/// The table `memory` but for its function.
struct Memory {
  double capacity = 0, rate = 0;  ///< units, units per second
  Swapping swapping = SliceOptions{}.swapping;
  SwapCharge swap_charge = SliceOptions{}.swap_charge;
};

const std::vector<Key<Memory>>& memory_keys() {
  using M = Memory;
  static const Range above{0, 1e15, true};
  static const std::vector<Key<M>> keys = {
      {"capacity", codec::real<M>(MEMORY(capacity), above), "", true},
      {"rate", codec::real<M>(MEMORY(rate), above), "", true},
      {"swapping", codec::choice<M>(MEMORY(swapping), {"parts", "whole-jobs"}), ""},
      {"swap_charge", codec::choice<M>(MEMORY(swap_charge), {"longest", "each-load"}), ""}};
  return keys;
}

void read_memory(const FieldReader& f, const std::string& policy, SliceSettings& s) {
  Memory memory;
  read_fields(memory_keys(), memory, f, {"of"});
  if (memory.capacity / memory.rate > kMaxSeconds)
    f.fail("memory", "slices: to transfer the memory of a node takes more than 31 years", "a larger rate");
  s.options.swapping = memory.swapping;
  s.options.swap_charge = memory.swap_charge;
  s.transfer_rate = memory.rate;
  s.options.memory = from_seconds(memory.capacity / memory.rate);
  f.require_function("of");
  s.memory_of = read_hook(f, "of", fmt::format("in the slices of policy '{}'", policy));
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
    f.fail("fit", "slices: 'fit' has no effect here", "nodes = \"memory-fit\"");
  if (f.has("nodes") && s.node_rank) f.fail("nodes", "slices: 'nodes' has no effect beside 'node_rank'");
  if (o.overhead >= o.interval)
    f.fail("overhead", "slices: the overhead is not shorter than the interval", "a shorter overhead");
}

/// A table by class name.
void push_demand(lua_State* L, const std::vector<SliceClass>& classes, const std::vector<ClassDemand>& demand) {
  lua_createtable(L, 0, static_cast<int>(demand.size()));
  for (std::size_t c = 0; c != demand.size(); ++c) {
    const ClassDemand& d = demand[c];
    luahost::push_fields(L, "waiting", d.waiting, "started", d.started, "waiting_nodes", d.waiting_nodes,
                         "started_nodes", d.started_nodes, "waiting_work", d.waiting_work, "started_work",
                         d.started_work);
    lua_setfield(L, -2, classes[c].name.c_str());
  }
}

}  // namespace

const std::vector<double>& DayShares::at(Duration time_of_day) const {
  const auto next = std::ranges::upper_bound(entries_, time_of_day, {}, &Entry::from);
  return next == entries_.begin() ? entries_.back().shares : (next - 1)->shares;
}

void DayShares::add(Duration from, std::vector<double> shares) {
  entries_.insert(std::ranges::lower_bound(entries_, from, {}, &Entry::from), {from, std::move(shares)});
}

std::vector<double> read_shares(lua_State* L, const std::vector<SliceClass>& classes, std::string& problem) {
  const luahost::StackGuard guard(L);
  problem.clear();
  std::vector<double> shares(classes.size());
  for (lua_pushnil(L); lua_next(L, -2) != 0;) {
    const bool good = lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) >= 0 && lua_tonumber(L, -1) <= 1e9;
    const double share = good ? lua_tonumber(L, -1) : 0;
    const std::string got = good ? "" : describe_value(L, -1);
    lua_pop(L, 1);
    const std::string name = name_on_top(L);
    const auto found = std::ranges::find(classes, name, &SliceClass::name);
    if (found == classes.end()) problem = unknown_class(name, classes);
    else if (found->on_demand) problem = fmt::format("class '{}' has slices on demand and no share", name);
    else if (!good) problem = fmt::format("the share of '{}' is {}; a number of at least 0 was expected", name, got);
    if (!problem.empty()) return {};
    shares[static_cast<std::size_t>(found - classes.begin())] = share;
  }
  return shares;
}

DayShares read_day_shares(const FieldReader& slices, const std::vector<SliceClass>& classes) {
  lua_State* L = slices.state();
  const luahost::StackGuard guard(L);
  const char* expected = "shares = { [\"00:00\"] = { NAME = SHARE, ... }, [\"08:00\"] = ... }, or a function";
  DayShares day;
  std::vector<Duration> seen;
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    const std::string key = name_on_top(L);
    lua_pop(L, 1);
    const auto from = time_of_day(key);
    if (!from) {
      lua_pop(L, 1);
      const std::string got = key.empty() ? describe_value(L, -1) : "'" + key + "'";
      slices.fail(key.empty() ? "shares" : key, fmt::format("slices: {} is not a time of day in 'shares'", got),
                  expected, "fixed shares stand in the classes, as 'share'");
    }
    if (!lua_istable(L, -1))
      slices.fail(key, fmt::format("slices: the shares at {} are {}", key, describe_value(L, -1)), expected);
    if (std::ranges::find(seen, *from) != seen.end())
      slices.fail(key, fmt::format("slices: {} appears twice in 'shares'", key));
    seen.push_back(*from);
    std::string problem;
    day.add(*from, read_shares(L, classes, problem));
    if (!problem.empty()) slices.fail(key, fmt::format("slices: shares at {}: {}", key, problem));
  }
  if (day.empty()) slices.fail("shares", "slices: 'shares' is empty", expected);
  return day;
}

SliceSettings read_slices(const FieldReader& policy, const std::string& name) {
  const FieldReader f = policy.inner(-1, "slices");
  SliceSettings s;
  read_fields(slice_keys(), s.options, f, {"shares", "node_rank", "memory", "scheduler"});
  with_table(f, "memory", [&](const FieldReader& m) { read_memory(m, name, s); });
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
    options.shares = [this, clock_at_0](Time now, const std::vector<ClassDemand>&) {
      return settings_.day_shares.at((now.time_since_epoch() + clock_at_0) % whole_seconds(86400));
    };
  }
  if (settings_.shares)
    options.shares = [this](Time now, const std::vector<ClassDemand>& demand) { return ask_shares(now, demand); };
  if (settings_.memory_of) options.memory_of = [this](const View& view, JobIndex j) { return ask_memory(view, j); };
  if (settings_.node_rank) {
    options.node_rank = [this](const View& view, JobIndex j, const NodeFacts& node) { return ask_rank(view, j, node); };
  }
  return options;
}

std::vector<double> SliceFunctions::ask_shares(Time now, const std::vector<ClassDemand>& demand) {
  const LuaRef classes = state_.make([&](lua_State* L) { push_demand(L, settings_.options.classes, demand); });
  Call call(state_, settings_.shares.function, settings_.shares.label);
  call.push(to_seconds(now)).push(params_).push(classes).invoke(1);
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
  const LuaRef job = state_.make([&](lua_State* L) { jobs_.push_new(L, j); });
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
  const LuaRef job = state_.make([&](lua_State* L) { jobs_.push_new(L, j); });
  const LuaRef facts = state_.make([&](lua_State* L) {
    luahost::push_fields(L, "number", static_cast<double>(node.number), "foreign", static_cast<double>(node.foreign),
                         "allocated", to_seconds(node.needed) * settings_.transfer_rate, "capacity",
                         to_seconds(settings_.options.memory) * settings_.transfer_rate);
    refuse_unknown_fields(L, "a node has");
  });
  Call call(state_, settings_.node_rank.function, settings_.node_rank.label);
  call.push(job).push(facts).push(params_).invoke(1);
  const double rank = call.number(1);
  if (std::isnan(rank)) call.fail(1, "a number that is not NaN");
  return rank;
}

}  // namespace coslice
