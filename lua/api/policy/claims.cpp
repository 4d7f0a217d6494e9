#include "api/policy/claims.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/scripts/script_errors.h"
#include "core/error.h"
#include "host/guard.h"
#include "host/value_text.h"

namespace coslice {
namespace {

std::string all_names() {
  std::string names;
  for (const std::string& n : claim_names()) names += (names.empty() ? "one of \"" : ", \"") + n + "\"";
  return names;
}

void set_claim(const FieldReader& f, Claims& claims, const std::string& name, const double* number) {
  const auto plain = [&](bool& claim) {
    if (number != nullptr)
      f.fail("claims", fmt::format("policy: claim \"{}\" has no number", name), fmt::format("\"{}\" alone", name));
    claim = true;
  };
  const auto bad = [&](const char* expected) {
    f.fail("claims", fmt::format("policy: claim \"{}\" is {}", name, *number), expected);
  };
  if (name == "never-idle") plain(claims.never_idle);
  else if (name == "work-conserving") plain(claims.work_conserving);
  else if (name == "no-idle-gpus") plain(claims.no_idle_gpus);
  else if (name == "in-order") plain(claims.in_order);
  else if (name == "head-never-delayed") plain(claims.head_never_delayed);
  else if (name == "promises-kept") plain(claims.promises_kept);
  else if (name == "no-starvation") {
    if (number != nullptr && !(*number >= 0 && *number <= 1e9))
      bad("seconds of at least 0, in which jobs may come and go first");
    claims.no_starvation = number != nullptr ? from_seconds(*number) : Duration{0};
  } else if (name == "fairness-bound") {
    if (number != nullptr && !(*number >= 1 && *number <= 1e9)) bad("a factor of at least 1");
    claims.fairness_bound = number != nullptr ? *number : 1;
  } else {
    f.fail("claims", fmt::format("policy: there is no claim \"{}\"", name), all_names(),
           did_you_mean(name, claim_names()));
  }
}

}  // namespace

Claims claims_of(const QueueSchedulerOptions& options, bool first_come, bool predicted) {
  Claims claims;
  claims.never_idle = true;
  const bool reserves = options.backfill == Backfill::kConservative ||
                        (options.backfill == Backfill::kEasy && options.easy.reservations > 0);
  const bool in_order = options.backfill == Backfill::kNone;
  if (predicted || (!reserves && !in_order)) return claims;
  // Where each partition has a queue, the order is that of no single one.
  if (options.easy.by_partition) {
    claims.head_never_delayed = reserves;
    return claims;
  }
  claims.in_order = in_order && first_come;
  claims.head_never_delayed = options.backfill != Backfill::kConservative;
  claims.promises_kept = reserves && (first_come || options.backfill == Backfill::kConservative);
  if (first_come) claims.no_starvation = Duration{0};
  return claims;
}

Claims claims_with_placement(const QueueSchedulerOptions& options) {
  Claims claims;
  claims.no_idle_gpus = options.backfill != Backfill::kConservative && !options.easy.by_partition;
  return claims;
}

void read_claims(const FieldReader& f, const std::string& with, Claims& claims) {
  constexpr const char* kForm = "{ \"never-idle\", [\"no-starvation\"] = 3600 }";
  lua_State* L = f.state();
  const luahost::StackGuard guard(L);
  f.push("claims");
  if (!lua_istable(L, -1)) f.fail("claims", "policy: field 'claims' is " + describe_value(L, -1), kForm);
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    const bool listed = lua_type(L, -2) == LUA_TNUMBER && lua_type(L, -1) == LUA_TSTRING;
    const bool with_number = lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TNUMBER;
    if (!listed && !with_number) f.fail("claims", "policy: a claim is " + describe_value(L, -1), kForm);
    const double number = listed ? 0 : lua_tonumber(L, -1);
    set_claim(f, claims, lua_tostring(L, listed ? -1 : -2), listed ? nullptr : &number);
    lua_pop(L, 1);
  }
  if (with.empty()) return;
  for (const std::string& name : claims.names()) {
    if (name == "promises-kept" && with == "time slices") continue;
    f.fail("claims", fmt::format("policy: claim \"{}\" has no meaning with {}", name, with));
  }
}

}  // namespace coslice
