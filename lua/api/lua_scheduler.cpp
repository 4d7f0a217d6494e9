#include "api/lua_scheduler.h"

#include <cmath>
#include <lua.hpp>

#include "api/view_object.h"
#include "host/call.h"

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

bool sees_jobs_later(const PolicyHooks& h) {
  return h.dynamic_key || h.may_start || h.submitted || h.started || h.ended || h.schedule || h.begin;
}

}  // namespace

LuaScheduler::LuaScheduler(Policy& policy)
    : policy_(policy), jobs_(policy.state(), policy.classes()),
      object_(std::make_unique<ViewObject>(policy.state(), jobs_)), keeps_tables_(sees_jobs_later(policy.hooks())) {
  bind_functions();
}

LuaScheduler::~LuaScheduler() = default;

void LuaScheduler::bind_functions() {
  QueueSchedulerOptions options = policy_.options();
  const PolicyHooks& hooks = policy_.hooks();
  if (hooks.key) options.key = [this](JobIndex j) { return ask_key(policy_.hooks().key, j, false); };
  if (hooks.dynamic_key) options.dynamic_key = [this](JobIndex j) { return ask_key(policy_.hooks().dynamic_key, j, true); };
  if (hooks.may_start) options.may_start = [this](JobIndex j) { return ask_may_start(j); };
  ready_ = std::make_unique<QueueScheduler>(std::move(options));
}

void LuaScheduler::begin(View& view) {
  view_ = &view;
  const Hook& hook = policy_.hooks().begin;
  if (!hook) return;
  const Showing showing(*object_, {&view, {}, false});
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value()).push(policy_.params_table()).invoke(0);
}

double LuaScheduler::ask_key(const Hook& hook, JobIndex j, bool with_now) {
  Call call(policy_.state(), hook.function, hook.label);
  jobs_.push(call.raw(), j);
  call.pushed();
  if (with_now) call.push(to_seconds(view_->now()));
  call.push(policy_.params_table()).invoke(1);
  const double key = call.number(1);
  if (std::isnan(key)) call.fail(1, "a number that is not NaN");
  return key;
}

bool LuaScheduler::ask_may_start(JobIndex j) {
  const Hook& hook = policy_.hooks().may_start;
  Call call(policy_.state(), hook.function, hook.label);
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(to_seconds(view_->now())).push(policy_.params_table()).invoke(1);
  return call.boolean(1);
}

double LuaScheduler::key(View& view, JobIndex j) {
  view_ = &view;
  const PolicyHooks& hooks = policy_.hooks();
  if (!keeps_tables_ && !hooks.key) return ready_->key(view, j);
  policy_.state().protect([&](lua_State* L) {
    jobs_.push_new(L, view.job(j), j, to_seconds(view.now()), view.nodes_of(j));
    jobs_.keep(L, j);
  });
  const double key = ready_->key(view, j);
  if (!keeps_tables_) policy_.state().protect([&](lua_State* L) { jobs_.drop(L, j); });
  return key;
}

void LuaScheduler::tell(const Hook& hook, View& view, JobIndex j) {
  if (!hook) return;
  const Showing showing(*object_, {&view, {}, false});
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value());
  jobs_.push(call.raw(), j);
  call.pushed();
  call.push(policy_.params_table()).invoke(0);
}

void LuaScheduler::submitted(View& view, JobIndex j) { tell(policy_.hooks().submitted, view, j); }

void LuaScheduler::started(View& view, JobIndex j) {
  if (!policy_.hooks().started) return;
  policy_.state().protect([&](lua_State* L) { jobs_.set_run(L, j, to_seconds(view.now())); });
  tell(policy_.hooks().started, view, j);
}

void LuaScheduler::ended(View& view, JobIndex j, Time started) {
  if (!keeps_tables_) return;
  if (policy_.hooks().ended) {
    policy_.state().protect([&](lua_State* L) { jobs_.set_run(L, j, to_seconds(started), to_seconds(view.now())); });
    tell(policy_.hooks().ended, view, j);
  }
  policy_.state().protect([&](lua_State* L) { jobs_.drop(L, j); });
}

void LuaScheduler::schedule(View& view, const Pass& pass) {
  const Hook& hook = policy_.hooks().schedule;
  if (!hook) {
    ready_->schedule(view, pass);
    return;
  }
  ready_->sort_queue(view);
  const Showing showing(*object_, {&view, pass, true});
  Call call(policy_.state(), hook.function, hook.label);
  call.push(object_->value()).push(policy_.params_table()).invoke(0);
}

}  // namespace coslice
