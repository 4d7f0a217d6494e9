#include "api/share_setting.h"

#include <algorithm>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/policy.h"
#include "api/read_hook.h"
#include "api/script_text.h"
#include "host/call_series.h"
#include "host/guard.h"
#include "workload/attributes.h"

namespace coslice {

ShareSetting read_share(const FieldReader& policy, const std::string& name) {
  const FieldReader f = policy.inner(-1, "share");
  f.only({"by", "of"});
  ShareSetting s;
  std::vector<std::string> owners;
  for (const Attribute& a : kAttributes)
    if (a.has(Attribute::kPolicy) && a.kind == Attribute::Kind::kNumber) owners.emplace_back(a.name);
  s.by = f.has("by") ? f.choice("by", owners) : "user";
  f.require_function("of");
  s.of = read_hook(f, "of", fmt::format("in the share of policy '{}'", name));
  return s;
}

Shares::Shares(Policy& policy, const JobTables& jobs, const LuaRef& view) : policy_(policy), jobs_(jobs), view_(view) {}

const ShareSetting* Shares::setting() const { return policy_.share() ? &*policy_.share() : nullptr; }

std::size_t Shares::number_of(std::int64_t name) {
  const auto at = std::find(names_.begin(), names_.end(), name);
  const auto number = static_cast<std::size_t>(at - names_.begin());
  if (at == names_.end()) {
    names_.push_back(name);
    values_.push_back(0);
    asked_.push_back(0);
  }
  return number;
}

std::size_t Shares::owner(JobIndex j) {
  const ShareSetting* s = setting();
  if (s == nullptr) return 0;
  if (j >= owners_.size()) owners_.resize(j + std::size_t{1}, -1);
  if (owners_[j] < 0) {
    lua_State* const L = policy_.state().raw();
    const luahost::StackGuard guard(L);
    jobs_.push(L, j);
    lua_getfield(L, -1, s->by.c_str());
    owners_[j] = static_cast<std::int32_t>(number_of(lua_tointeger(L, -1)));
  }
  return static_cast<std::size_t>(owners_[j]);
}

void Shares::ask(View& view) {
  const ShareSetting* s = setting();
  if (s == nullptr) return;
  const double now = to_seconds(view.now());
  std::vector<std::size_t> waiting;
  CallSeries series(policy_.state(), s->of.function, s->of.label);
  series.run([&](lua_State* L) {
    const WaitingQueue& queue = view.loose_queue();
    for (WaitingQueue::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
      const std::size_t who = owner(queue.job(p));
      if (asked_[who] != 0) continue;
      asked_[who] = 1;
      waiting.push_back(who);
    }
    for (const std::size_t who : waiting) {
      asked_[who] = 0;
      series.begin();
      lua_pushinteger(L, names_[who]);
      lua_pushnumber(L, now);
      policy_.params_table().push(L);
      view_.push(L);
      values_[who] = series.number(4);
    }
  });
}

}  // namespace coslice
