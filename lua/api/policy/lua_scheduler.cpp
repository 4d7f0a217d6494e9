#include "api/policy/lua_scheduler.h"

#include <algorithm>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/groups/group_object.h"
#include "api/policy/lua_ranking.h"
#include "api/policy/queue_keys.h"
#include "api/policy/start_rule.h"
#include "api/view/view_object.h"
#include "core/error.h"
#include "host/acting.h"
#include "host/call.h"
#include "host/call_series.h"
#include "host/guard.h"
#include "jobs/workflow.h"
#include "machine/block_placement.h"
#include "machine/ranked_placement.h"
#include "schedule/job_follower.h"

namespace coslice {
namespace {

/// The view is shown to Lua for as long as a hook runs.
class Showing {
 public:
  Showing(ViewObject& object, const ViewObject::Shown& shown) : object_(object), before_(object.show(shown)) {}
  ~Showing() { object_.show(before_); }
  Showing(const Showing&) = delete;
  Showing& operator=(const Showing&) = delete;

 private:
  ViewObject& object_;
  ViewObject::Shown before_;
};

constexpr const char* kFactorsExpected = "a list of names and numbers, { { \"age\", 10 }, { \"size\", 2.5 } }";

bool places_by_function(const Policy& policy) { return policy.placement() && policy.placement()->function; }

bool sees_jobs_later(const PolicyHooks& h) {
  return h.checkpoint || h.estimate || h.dynamic_key || h.may_start || h.submitted || h.started || h.resized ||
         h.asks || h.ended || h.withdrawn || h.schedule || h.begin;
}

NodeShape shape_of(const MachineSpec& machine, const Policy& policy) {
  return {machine.processors, machine.cores_per_node(), policy.sharing() ? policy.sharing()->layout : Layout::kAcross,
          machine.memory_kb};
}

}  // namespace

LuaScheduler::LuaScheduler(Policy& policy, const SlowdownModel* slowdowns, const MachineSpec& machine)
    : policy_(policy), explaining_(explaining_hooks(policy)), jobs_(policy.state(), policy.classes(), slowdowns),
      object_(std::make_unique<ViewObject>(policy.state(), jobs_, policy.sharing() ? slowdowns : nullptr,
                                           shape_of(machine, policy))),
      keeps_tables_(sees_jobs_later(policy.hooks()) || places_by_function(policy) || explaining_.reason ||
                    explaining_.factors) {
  jobs_.belong_to(object_->value());
  bind_functions();
}

LuaScheduler::~LuaScheduler() = default;

Placement* LuaScheduler::placement(const MachineLayout& layout, const std::vector<TypicalRequest>& mix,
                                   std::uint64_t seed) {
  if (!policy_.placement()) return nullptr;
  const PlacementSetting& setting = *policy_.placement();
  std::unique_ptr<NodeRanking> ranking;
  if (setting.function)
    ranking = std::make_unique<LuaRanking>(
        policy_, jobs_, *object_, [this] { return view_; }, layout, mix);
  else ranking = make_ranking(setting.rank, layout);
  PlacementRules rules{setting.ties, setting.gpus, seed, groups_of_nodes(setting, layout)};
  rules.runs = setting.runs && rules.group_of.empty();
  placement_ = std::make_unique<RankedPlacement>(layout, std::move(ranking), rules);
  if (!setting.blocks.empty() && !rules.group_of.empty()) {
    const bool switches = setting.switches && !layout.switches.empty();
    const std::size_t blocks = switches ? layout.switches.size() : setting.groups.size();
    placement_ = std::make_unique<BlockPlacement>(
        layout, std::move(placement_), BlockRules{rules.group_of, static_cast<std::int32_t>(blocks), setting.blocks});
  }
  return placement_.get();
}

const PolicyNotes& LuaScheduler::notes() const { return object_->notes(); }

bool LuaScheduler::read_clock() const { return object_->clock_was_read(); }

void LuaScheduler::bind_functions() {
  QueueSchedulerOptions options = policy_.options();
  const PolicyHooks& hooks = policy_.hooks();
  sign_ = options.descending ? -1.0 : 1.0;
  if (hooks.key && keeps_tables_) entry_key_ = std::make_unique<EntryKey>(policy_, jobs_);
  if (hooks.dynamic_key) {
    keys_ = std::make_unique<QueueKeys>(policy_, jobs_, object_->value());
    options.rekey = [this](View& view) { rekey(view); };
    options.block_keys = {[this](View& view, auto& least, auto& known) { return begin_keys(view, least, known); },
                          [this](std::size_t from, std::size_t to, double* keys) { keys_->compute(from, to, keys); },
                          [this](std::size_t p) { keys_->taken(p); }};
  }
  if (hooks.may_start) {
    rule_ = std::make_unique<StartRule>(policy_, jobs_, object_->value());
    options.may_start = [this](JobIndex j) { return rule_->may_start(*view_, j); };
    options.answers = [this] { return rule_->answers(*view_); };
    options.veto_kinds = {[this] { return rule_->kinds_version(*view_); },
                          [this](JobIndex j) { return rule_->kind(j); },
                          [this](std::uint32_t kind) { return rule_->may_be_started(*view_, kind); }};
  }
  ready_ = std::make_unique<QueueScheduler>(std::move(options));
}

void LuaScheduler::use_calendar(const std::optional<TraceClock>& calendar) { object_->set_calendar(calendar); }

void LuaScheduler::begin(View& view) {
  view_ = &view;
  if (keeps_tables_ && policy_.hooks().schedule) view.tell_resized(resized_);
  jobs_.show(view);
  object_->units() = {};
  GroupContext* const groups = object_->groups();
  if (groups != nullptr && !view.available().by_count()) groups->search.use(*view.demands());
  const Hook& hook = policy_.hooks().begin;
  if (!hook) return;
  const Showing showing(*object_, {&view, {}, false});
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value()).push(policy_.params_table()).invoke(0);
}

bool LuaScheduler::set_keys(View& view) {
  if (!policy_.share()) return keys_->set(view);
  const Showing showing(*object_, {&view, {}, false});
  return keys_->set(view);
}

bool LuaScheduler::begin_keys(View& view, std::vector<double>& least, std::vector<std::uint8_t>& known) {
  if (!policy_.share()) return keys_->begin(view, least, known);
  const Showing showing(*object_, {&view, {}, false});
  return keys_->begin(view, least, known);
}

void LuaScheduler::rekey(View& view) {
  if (set_keys(view)) return view.queue_as_it_is().sort_now();
  const Hook& hook = policy_.hooks().dynamic_key;
  const double now = to_seconds(view.now());
  const bool shares = policy_.share().has_value();
  CallSeries series(policy_.state(), hook.function, hook.label);
  series.run([&](lua_State* L) {
    policy_.params_table().push(L);
    const int params = lua_gettop(L);
    jobs_.push_all(L);
    view.resort([&](JobIndex j) {
      series.begin();
      jobs_.push_from(L, params + 1, j);
      lua_pushnumber(L, now);
      lua_pushvalue(L, params);
      if (shares) lua_pushnumber(L, keys_->share(view, j));
      return sign_ * series.number(shares ? 4 : 3);
    });
  });
}

/// The job enters the queue just now, if that was not said yet.
void LuaScheduler::enter(const View& view, JobIndex j) {
  if (entered_ == j || !keeps_tables_ || view.host().is_aside(j)) return;
  jobs_.enter(j);
  object_->entered(j);
  if (keys_) keys_->entered(j);
  if (rule_) rule_->entered(j);
  entered_ = j;
}

std::optional<OwnCheckpoints> LuaScheduler::checkpoints(View& view, JobIndex j) {
  const Hook& hook = policy_.hooks().checkpoint;
  if (!hook) return std::nullopt;
  enter(view, j);
  jobs_.make(j);
  Call call(policy_.state(), hook.function, hook.label);
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(policy_.params_table()).invoke(2);
  if (call.is_nil(1) && call.is_nil(2)) return std::nullopt;
  const auto seconds = [&](int i, const char* expected) {
    const double s = call.number(i);
    if (!(s >= 0)) call.fail(i, expected);
    return from_seconds(std::min(s, kMaxSeconds));
  };
  OwnCheckpoints own{seconds(1, "seconds of work between two checkpoints, 0 for none, or nil for the scenario's"), {}};
  if (!call.is_nil(2)) own.cost = seconds(2, "as its second result what a checkpoint costs, s, at least 0");
  return own;
}

std::optional<Duration> LuaScheduler::estimate(View& view, JobIndex j) {
  const Hook& hook = policy_.hooks().estimate;
  if (!hook) return std::nullopt;
  enter(view, j);
  jobs_.make(j);
  Call call(policy_.state(), hook.function, hook.label);
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(policy_.params_table()).invoke(1);
  if (call.is_nil(1)) return std::nullopt;
  const double seconds = call.number(1);
  if (!(seconds > 0)) call.fail(1, "a number of seconds above 0, or nil for the limit");
  return from_seconds(std::min(seconds, kMaxSeconds));
}

void LuaScheduler::corrected(View&, JobIndex j) {
  if (keeps_tables_) jobs_.refresh_estimate(j);
}

double LuaScheduler::ask_key(JobIndex j) {
  if (const std::optional<double> computed = entry_key_ ? entry_key_->compute(j) : std::nullopt)
    return sign_ * *computed;
  const Hook& hook = policy_.hooks().key;
  double key = 0;
  CallSeries series(policy_.state(), hook.function, hook.label);
  series.run([&](lua_State* L) {
    series.begin();
    if (keeps_tables_) jobs_.push(L, j);
    else jobs_.push_new(L, j);
    policy_.params_table().push(L);
    key = series.number(2);
  });
  return sign_ * key;
}

double LuaScheduler::key(View& view, JobIndex j) {
  enter(view, j);
  if (keeps_tables_) jobs_.refresh_estimate(j);
  if (const std::optional<double> kept = object_->units().kept_key(j)) return *kept;
  const double key = policy_.hooks().key ? ask_key(j) : ready_->key(view, j);
  object_->units().keyed(j, key);
  return key;
}

void LuaScheduler::tell(const Hook& hook, View& view, JobIndex j, std::optional<std::int32_t> nodes) {
  if (!hook) return;
  const Showing showing(*object_, {&view, {}, false});
  jobs_.make(j);
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value());
  jobs_.push(call.raw(), j);
  call.pushed();
  if (nodes) call.push(std::int64_t{*nodes});
  call.push(policy_.params_table()).invoke(0);
  if (rule_) rule_->forget();
}

void LuaScheduler::submitted(View& view, JobIndex j) {
  enter(view, j);  // where processes share processors, no key is asked
  if (keys_) keys_->shares().submitted(view, j);
  object_->units().submitted(j);
  if (keys_ && policy_.hooks().submitted) rekey(view);  // the hook may ask where the job is in the queue
  tell(policy_.hooks().submitted, view, j);
}

void LuaScheduler::started(View& view, JobIndex j) {
  if (keys_) keys_->shares().started(view, j);
  object_->units().started(j);
  if (keeps_tables_ && is_moldable(view.job(j))) jobs_.refresh_estimate(j);
  if (!policy_.hooks().started) return;
  policy_.state().protect([&](lua_State* L) { jobs_.set_run(L, j, to_seconds(view.now())); });
  tell(policy_.hooks().started, view, j);
}

void LuaScheduler::resized(View& view, JobIndex j, std::int32_t before) {
  if (keeps_tables_) jobs_.refresh_estimate(j);
  tell(policy_.hooks().resized, view, j, before);
}

void LuaScheduler::asks(View& view, JobIndex j, std::int32_t nodes) { tell(policy_.hooks().asks, view, j, nodes); }

void LuaScheduler::dropped(View& view, JobIndex j) {
  object_->units().gone(j);
  if (keeps_tables_) forget(view, j);
}

void LuaScheduler::withdrawn(View& view, JobIndex j) {
  tell(policy_.hooks().withdrawn, view, j);
  dropped(view, j);
}

void LuaScheduler::ended(View& view, JobIndex j, Time started) {
  if (keys_) keys_->shares().ended(view, j);
  object_->units().gone(j);
  if (!keeps_tables_) return;
  if (policy_.hooks().ended) {
    policy_.state().protect([&](lua_State* L) { jobs_.set_run(L, j, to_seconds(started), to_seconds(view.now())); });
    tell(policy_.hooks().ended, view, j);
  }
  forget(view, j);
}

/// The job's table is not needed any more.
void LuaScheduler::forget(View& view, JobIndex j) {
  if (entered_ == j) entered_ = kNoJob;  // it may enter again
  if (const char* field = jobs_.drop(policy_.state().raw(), j)) {
    throw SimulationError(
        fmt::format("policy '{}' has set '{}' of job {} with rawset: fields of the engine cannot be set",
                    policy_.description().name, field, view.job(j).id));
  }
}

void LuaScheduler::schedule(View& view, const Pass& pass) {
  decide(view, pass);
  if (view.explained()) tell_reasons(view);
}

/// Asks why those jobs wait that are explained.
void LuaScheduler::tell_reasons(View& view) {
  const ExplainingHooks& hooks = explaining_;
  if (!hooks.reason && !hooks.factors) return;
  std::vector<const JobFollower*> followers;
  bool factors = false;
  tell_followers(view, [&](const JobFollower& f) {
    followers.push_back(&f);
    factors = factors || (hooks.factors && f.wants_factors());
  });
  const WaitingQueue& queue = view.queue();
  const Showing showing(*object_, {&view, {}, false, queue.first(), true});
  if (factors && policy_.share()) keys_->shares().ask(view);
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    if (std::ranges::none_of(followers, [j](const JobFollower* f) { return f->follows(j); })) continue;
    if (hooks.reason) tell_reason(view, j);
    if (factors) tell_factors(view, j);
  }
}

void LuaScheduler::tell_reason(View& view, JobIndex j) {
  const Hook& hook = explaining_.reason;
  jobs_.make(j);
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value());
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(policy_.params_table()).invoke(2);
  if (!call.is_nil(1)) view.explain([&](DecisionObserver& o) { o.reasoned(view, j, call.string(1)); });
  if (!call.is_nil(2)) tell_followers(view, [&](JobFollower& o) { o.reasoned_if_none(view, j, call.string(2)); });
}

void LuaScheduler::tell_factors(View& view, JobIndex j) {
  const Hook& hook = explaining_.factors;
  jobs_.make(j);
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value());
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(policy_.params_table());
  if (policy_.share()) call.push(keys_->share(view, j));
  call.invoke(1);
  PriorityFactors factors;
  lua_State* const L = call.raw();
  const luahost::StackGuard guard(L);
  if (!lua_istable(L, call.index(1))) call.fail(1, kFactorsExpected);
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, call.index(1)));
  for (lua_Integer i = 1; i <= count; ++i) {
    if (lua_rawgeti(L, call.index(1), i) != LUA_TTABLE) call.fail(1, kFactorsExpected);
    const bool pair = lua_rawgeti(L, -1, 1) == LUA_TSTRING && lua_rawgeti(L, -2, 2) == LUA_TNUMBER;
    if (!pair) call.fail(1, kFactorsExpected);
    factors.emplace_back(lua_tostring(L, -2), lua_tonumber(L, -1));
    lua_pop(L, 3);
  }
  tell_followers(view, [&](JobFollower& o) { o.weighed(view, j, factors); });
}

void LuaScheduler::decide(View& view, const Pass& pass) {
  const Hook& hook = policy_.hooks().schedule;
  if (!hook) {
    if (rule_) rule_->forget();
    ready_->schedule(view, pass);
    return;
  }
  Pass told = pass;
  told.add(passed_over_);
  const bool over = passes_over(view);
  passed_over_ = over ? told : Pass{};
  if (over) return;
  if (policy_.hooks().dynamic_key && !view.queue_as_it_is().empty()) rekey(view);
  if (GroupContext* groups = object_->groups()) groups->clear();
  for (const JobIndex j : resized_)
    if (view.sizes_of(j) != nullptr) jobs_.refresh_estimate(j);
  resized_.clear();
  const Showing showing(*object_, {&view, told, true});
  const luahost::Decision decision(policy_.state());
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value()).push(policy_.params_table()).invoke(0);
}

/// Whether the policy wants no pass in which no job can start. Observers that explain hear of all.
bool LuaScheduler::passes_over(const View& view) const {
  return policy_.passes_with_room() && view.reserved_count() == 0 && !view.explained() && !view.has_room();
}

}  // namespace coslice
