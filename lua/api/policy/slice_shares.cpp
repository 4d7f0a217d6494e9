#include "api/policy/slice_shares.h"

#include <algorithm>
#include <lua.hpp>
#include <optional>

#include <fmt/format.h>

#include "api/scripts/script_text.h"
#include "core/error.h"
#include "host/guard.h"
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

}  // namespace

const std::vector<double>& DayShares::at(Duration time_of_day) const {
  const auto later = [](Duration t, const Entry& e) { return t < e.from; };
  const auto next = std::upper_bound(entries_.begin(), entries_.end(), time_of_day, later);
  return next == entries_.begin() ? entries_.back().shares : (next - 1)->shares;
}

void DayShares::add(Duration from, std::vector<double> shares) {
  const auto earlier = [](const Entry& e, Duration t) { return e.from < t; };
  entries_.insert(std::lower_bound(entries_.begin(), entries_.end(), from, earlier), {from, std::move(shares)});
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
    const auto found =
        std::find_if(classes.begin(), classes.end(), [&](const SliceClass& c) { return c.name == name; });
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
    if (std::find(seen.begin(), seen.end(), *from) != seen.end())
      slices.fail(key, fmt::format("slices: {} appears twice in 'shares'", key));
    seen.push_back(*from);
    std::string problem;
    day.add(*from, read_shares(L, classes, problem));
    if (!problem.empty()) slices.fail(key, fmt::format("slices: shares at {}: {}", key, problem));
  }
  if (day.empty()) slices.fail("shares", "slices: 'shares' is empty", expected);
  return day;
}

}  // namespace coslice
