#include "api/policy/share_setting.h"

#include <algorithm>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/policy/policy.h"
#include "api/policy/shares.h"
#include "api/scripts/script_errors.h"
#include "host/call_series.h"
#include "jobs/attributes.h"

namespace coslice {

ShareSetting read_share(const FieldReader& policy, const std::string& name) {
  const FieldReader f = policy.inner(-1, "share");
  f.only({"by", "of", "half_life"});
  ShareSetting s;
  std::vector<std::string> owners;
  for (const Attribute& a : kAttributes)
    if (a.has(Attribute::kPolicy) && a.kind == Attribute::Kind::kNumber) owners.emplace_back(a.name);
  s.by = f.has("by") ? f.choice("by", owners) : "user";
  if (f.has("half_life")) {
    s.half_life = f.number("half_life");
    if (!(*s.half_life >= 0))
      f.fail("half_life", "share: half_life is below 0", "seconds from 0 on; 0: nothing is forgotten");
  }
  if (f.has("of") || !s.half_life) {
    f.require_function("of");
    s.of = read_hook(f, "of", fmt::format("in the share of policy '{}'", name));
  }
  return s;
}

Shares::Shares(Policy& policy, const LuaRef& view) : policy_(policy), view_(view) {
  const ShareSetting* const s = setting();
  if (s == nullptr) return;
  by_ = find_attribute(s->by);
  if (!s->half_life) return;
  kept_ = std::make_unique<Kept>(*s->half_life);
  if (s->of)
    kept_->of = std::make_unique<CompiledFunction>(policy.state(), s->of.function, policy.params_table(),
                                                   CompiledFunction::Result::kNumber, formula::Signature::kUsage);
}

const ShareSetting* Shares::setting() const { return policy_.share() ? &*policy_.share() : nullptr; }

std::size_t Shares::number_of(std::int64_t name) {
  const auto at = std::ranges::find(names_, name);
  const auto number = static_cast<std::size_t>(at - names_.begin());
  if (at == names_.end()) {
    names_.push_back(name);
    values_.push_back(0);
    asked_.push_back(0);
    if (kept_) kept_->computed_at.push_back(-1);
    if (kept_) kept_->come.push_back(0);
  }
  return number;
}

std::size_t Shares::find_owner(const View& view, JobIndex j) {
  if (by_ == nullptr) return 0;
  if (j >= owners_.size()) owners_.resize(j + std::size_t{1}, -1);
  owners_[j] = static_cast<std::int32_t>(number_of(by_->whole(view.job(j))));
  return static_cast<std::size_t>(owners_[j]);
}

void Shares::submitted(const View& view, JobIndex j) {
  if (!kept_) return;
  const std::size_t who = owner(view, j);
  kept_->owners += kept_->come[who] == 0 ? 1 : 0;
  kept_->come[who] = 1;
}

void Shares::started(const View& view, JobIndex j) {
  if (!kept_) return;
  if (j >= kept_->nodes.size()) kept_->nodes.resize(j + std::size_t{1});
  kept_->nodes[j] = view.nodes_of(j);
  kept_->usage.hold(owner(view, j), kept_->nodes[j], to_seconds(view.now()));
}

void Shares::ended(const View& view, JobIndex j) {
  if (!kept_ || j >= kept_->nodes.size()) return;
  kept_->usage.hold(owner(view, j), -kept_->nodes[j], to_seconds(view.now()));
  kept_->nodes[j] = 0;
}

const std::vector<std::size_t>& Shares::find_waiting(View& view) {
  waiting_.clear();
  const WaitingQueue& queue = view.queue_as_it_is();
  for (WaitingQueue::Position p = queue.first(); p < queue.end(); ++p) {
    if (!queue.live(p)) continue;
    const std::size_t who = owner(view, queue.job(p));
    if (asked_[who] != 0) continue;
    asked_[who] = 1;
    waiting_.push_back(who);
  }
  for (const std::size_t who : waiting_) asked_[who] = 0;
  return waiting_;
}

void Shares::ask(View& view) {
  if (setting() == nullptr || find_waiting(view).empty()) return;
  const double now = to_seconds(view.now());
  if (kept_) compute(now);
  else ask_script(now);
}

void Shares::ask_script(double now) {
  const Hook& of = setting()->of;
  CallSeries series(policy_.state(), of.function, of.label);
  series.run([&](lua_State* L) {
    for (const std::size_t who : waiting_) {
      series.begin();
      lua_pushinteger(L, names_[who]);
      lua_pushnumber(L, now);
      policy_.params_table().push(L);
      view_.push(L);
      values_[who] = series.number(4);
    }
  });
}

// Shares are those of the instant: another pass at the same one finds them as they were.
void Shares::compute(double now) {
  const double total = kept_->usage.total(now);
  kept_->due.clear();
  kept_->used.clear();
  for (const std::size_t who : waiting_) {
    if (kept_->computed_at[who] == now) continue;
    kept_->computed_at[who] = now;
    kept_->due.push_back(who);
    kept_->used.push_back(kept_->usage.of(who, now));
  }
  if (kept_->of && !compute_of_usage(total))
    for (double& used : kept_->used) used = ask_of_usage(used, total);
  for (std::size_t i = 0; i != kept_->due.size(); ++i) values_[kept_->due[i]] = kept_->used[i];
}

/// Makes shares of what has been used. False if Lua must be asked.
bool Shares::compute_of_usage(double total) {
  if (!kept_->of->ready()) return false;
  policy_.state().note_computed(setting()->of.label);
  formula::Columns& columns = kept_->of->columns();
  columns.see(kept_->of->outside());
  columns.shares() = kept_->used;
  kept_->results.resize(kept_->used.size());
  if (!columns.compute_shares({total, static_cast<double>(kept_->owners)}, kept_->results.data())) return false;
  kept_->used = kept_->results;
  return true;
}

double Shares::ask_of_usage(double used, double total) {
  const Hook& of = setting()->of;
  double share = 0;
  CallSeries series(policy_.state(), of.function, of.label);
  series.run([&](lua_State* L) {
    series.begin();
    lua_pushnumber(L, used);
    lua_pushnumber(L, total);
    lua_pushinteger(L, kept_->owners);
    policy_.params_table().push(L);
    share = series.number(4);
  });
  return share;
}

}  // namespace coslice
