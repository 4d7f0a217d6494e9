// The libraries as scripts see them: ordered pairs, tables, patterns, mathematics, read-only tables.
#include <lua.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "host/call.h"
#include "host/readonly.h"
#include "host/script.h"

namespace luahost_library_test {

using namespace coslice;

namespace {

LuaRef run(LuaState& state, const std::string& text) { return run_script(state, {"test.lua", text}); }

/// Calls a function of two texts and gives the text that it returns.
std::string ask(LuaState& state, const LuaRef& f, const std::string& a, const std::string& b) {
  const std::string label = "f";
  Call call(state, f, label);
  call.push(std::string_view(a)).push(std::string_view(b));
  call.invoke(1);
  return call.string(1);
}

std::string ask_plain(lua_State* L, const std::string& a, const std::string& b) {
  lua_pushvalue(L, 1);
  lua_pushlstring(L, a.data(), a.size());
  lua_pushlstring(L, b.data(), b.size());
  REQUIRE(lua_pcall(L, 2, 1, 0) == LUA_OK);
  const std::string result = lua_tostring(L, -1);
  lua_pop(L, 1);
  return result;
}

/// Everything that the pattern functions say about a subject and a pattern, in one text.
const char* const kAskPatterns = R"(
return function(s, p)
  local out = {}
  local function note(...)
    for i = 1, select('#', ...) do out[#out + 1] = tostring((select(i, ...))) end
    out[#out + 1] = '|'
  end
  note(pcall(string.find, s, p))
  note(pcall(string.find, s, p, 3))
  note(pcall(string.find, s, p, -2, true))
  note(pcall(string.match, s, p))
  note(pcall(string.match, s, p, 2))
  note(pcall(string.gsub, s, p, '<%0%1>'))
  note(pcall(string.gsub, s, p, {a = 'A', ab = 'B'}, 2))
  note(pcall(string.gsub, s, p, function(...) note(...) return select('#', ...) > 1 and ... or nil end))
  note(pcall(function() for a, b in string.gmatch(s, p) do note(a, b) end end))
  return table.concat(out, ' ')
end)";

std::string random_text(std::mt19937& random, const std::string& letters, std::size_t longest) {
  std::string text;
  const std::size_t size = random() % (longest + 1);
  while (text.size() < size) text += letters[random() % letters.size()];
  return text;
}

}  // namespace

TEST_CASE("patterns mean what they mean in standard Lua", "[luahost][pattern]") {
  LuaState state;
  state.set_instruction_limit(0);
  const LuaRef ours = run(state, kAskPatterns);
  lua_State* plain = luaL_newstate();
  luaL_openlibs(plain);
  REQUIRE(luaL_loadbuffer(plain, kAskPatterns, std::string(kAskPatterns).size(), "@test.lua") == LUA_OK);
  lua_call(plain, 0, 1);
  std::mt19937 random(7);
  int matches = 0;
  for (int i = 0; i < 60000; ++i) {
    const std::string subject = random_text(random, "aab1 ]\n(", 10);
    const std::string pattern = random_text(random, i % 2 ? "ab.*+-?^$()[]%%1wsfbdDz" : "aab.*-?()%w", 9);
    const std::string expected = ask_plain(plain, subject, pattern);
    INFO("subject " << subject << ", pattern " << pattern);
    REQUIRE(ask(state, ours, subject, pattern) == expected);
    if (expected.rfind("true nil", 0) != 0 && expected.rfind("false", 0) != 0) ++matches;
  }
  CHECK(matches > 10000);
  lua_close(plain);
}

TEST_CASE("pairs visits numbers, texts, truth values in order", "[luahost]") {
  LuaState state;
  run(state, R"(
    local function order(t)
      local out = {}
      for k in pairs(t) do out[#out + 1] = tostring(k) end
      return table.concat(out, ' ')
    end
    assert(order({}) == '')
    assert(order({10, 20, 30}) == '1 2 3')
    assert(order({b = 1, a = 1, 5, [true] = 1, [false] = 1, [-1] = 1, [2.5] = 1, [2] = 1, [0] = 1, ['10'] = 1})
           == '-1 0 1 2 2.5 10 a b false true')
    assert(order({[math.mininteger] = 1, [-2^63 * 2] = 1, [math.maxinteger] = 1, [2^63] = 1, [1e308] = 1, [-1/0] = 1})
           == '-inf -1.844674407371e+19 -9223372036854775808 9223372036854775807 9.2233720368548e+18 1e+308')
    local t = {}
    for i = 1, 100 do t['k' .. i] = i end
    for k in pairs(t) do t[k] = nil end                    -- clearing while going on is allowed
    assert(table.is_empty(t))
    t = {1, 2, 3, 4, x = 1}
    local seen = {}
    for k in pairs(t) do seen[#seen + 1] = k t[3] = nil t.x = nil end
    assert(#seen == 3)
    local p = setmetatable({}, {__pairs = function(x) return function(_, k) if not k then return 'only', 1 end end, x end})
    assert(order(p) == 'only')
    local ok, message = pcall(order, {[{}] = 1})
    assert(not ok and message:find("pairs cannot order keys of type 'table'"))
    assert(not pcall(pairs, 5) and not pcall(pairs))
    for i = 1, 200 do                                      -- the order does not depend on how the table came about
      local a, b = {}, {}
      for j = 1, i do a['x' .. j] = 1 b['x' .. (i + 1 - j)] = 1 end
      for j = i + 1, 2 * i do b['x' .. j] = 1 end
      for j = i + 1, 2 * i do b['x' .. j] = nil end
      assert(order(a) == order(b))
    end)");
}

TEST_CASE("table functions work as in standard Lua, sort is stable", "[luahost]") {
  LuaState state;
  run(state, R"(
    local function text(t) return table.concat(t, ',') end
    local t = {1, 2, 3}
    table.insert(t, 4) table.insert(t, 1, 0) table.insert(t, 3, 1.5)
    assert(text(t) == '0,1,1.5,2,3,4')
    assert(table.remove(t) == 4 and table.remove(t, 1) == 0 and text(t) == '1,1.5,2,3')
    assert(table.remove({}) == nil and not pcall(table.insert, t, 9, 1) and not pcall(table.remove, t, 9))
    assert(not pcall(table.insert, t) and not pcall(table.insert, t, 1, 2, 3))
    assert(text(table.move({1, 2, 3}, 1, 3, 2)) == '1,1,2,3' and text(table.move({1, 2, 3}, 2, 3, 1)) == '2,3,3')
    assert(text(table.move({1, 2, 3}, 1, 3, 1, {})) == '1,2,3' and text(table.move({1, 2, 3}, 1, 3, 3)) == '1,2,1,2,3')
    assert(select('#', table.unpack({1, nil, 3}, 1, 3)) == 3 and select('#', table.unpack({}, 1, 0)) == 0)
    assert(table.concat({}) == '' and table.concat({1, 2, 3}, '-', 2, 3) == '2-3')
    assert(not pcall(table.concat, {{}}))
    local words = {}
    for i = 1, 500 do words[i] = {key = i * 7919 % 10, i = i} end
    table.sort(words, function(a, b) return a.key < b.key end)
    for i = 2, 500 do
      local a, b = words[i - 1], words[i]
      assert(a.key < b.key or (a.key == b.key and a.i < b.i))
    end
    for n = 0, 70 do
      local plain, compared, texts = {}, {}, {}
      for i = 1, n do plain[i] = i * 37 % 101 - 50.5 * (i % 2) compared[i] = plain[i] texts[i] = 't' .. plain[i] end
      table.sort(plain) table.sort(compared, function(a, b) return a > b end) table.sort(texts)
      for i = 2, n do assert(plain[i - 1] <= plain[i] and compared[i - 1] >= compared[i] and texts[i - 1] <= texts[i]) end
    end
    local m = {__lt = function(a, b) return a.v < b.v end}
    local objects = {}
    for i = 1, 9 do objects[i] = setmetatable({v = -i}, m) end
    table.sort(objects)
    assert(objects[1].v == -9)
    assert(not pcall(table.sort, {1, 'x'}) and not pcall(table.sort, {0/0, {}}))
    table.sort({0/0, 1, 0/0, 2})
    assert(text(table.keys({b = 1, a = 2})) == 'a,b' and table.copy({x = 1}).x == 1))");
}

TEST_CASE("mathematics is portable and near the C library's", "[luahost]") {
  LuaState state;
  const LuaRef f = run(state, "return function(name, x, y) return math[name](x, y) end");
  const std::string label = "f";
  const auto math = [&](const char* name, double x) {
    Call call(state, f, label);
    call.push(name).push(x);
    call.invoke(1);
    return call.number(1);
  };
  for (double x = -700.0; x < 700.0; x += 0.37) {
    CHECK(math("exp", x) == Approx(std::exp(x)).epsilon(1e-15));
    CHECK(math("sin", x) == Approx(std::sin(x)).epsilon(1e-14).margin(1e-15));
    CHECK(math("cos", x) == Approx(std::cos(x)).epsilon(1e-14).margin(1e-15));
    if (x > 0) CHECK(math("log", x) == Approx(std::log(x)).epsilon(1e-15));
  }
  run(state, R"(
    assert(math.log(1000, 10) == 3 and math.log(8, 2) == 3 and math.log(1e15, 10) == 15 and math.log(0.001, 10) == -3)
    assert(math.pow(2, 10) == 1024 and math.pow(-2, 3) == -8 and math.pow(-2, 2) == 4 and math.pow(4, 0.5) == 2)
    local nan = math.pow(-8, 1 / 3)
    assert(nan ~= nan and math.sin(1 / 0) ~= math.sin(1 / 0) and math.sin(0) == 0 and math.cos(0) == 1)
    assert(math.clamp(5, 1, 3) == 3 and math.clamp(0, 1, 3) == 1 and math.clamp(2, 1, 3) == 2)
    assert(math.round(2.5) == 3 and math.round(-2.5) == -3 and math.round(2.4) == 2)
    assert(math.sqrt(2) == 2 ^ 0.5 and math.asin == nil))");
}

TEST_CASE("the operator ^ and math.pow are the portable power", "[luahost]") {
  LuaState state;
  const LuaRef f = run(state, "return function(x, y) return x ^ y, math.pow(x, y) end");
  const std::string label = "f";
  const double inf = std::numeric_limits<double>::infinity();
  int other_bits = 0;
  const auto check = [&](double x, double y) {
    Call call(state, f, label);
    call.push(x).push(y);
    call.invoke(2);
    INFO(x << " ^ " << y);
    const double by_operator = call.number(1), by_function = call.number(2), libm = std::pow(x, y);
    if (std::isnan(libm)) {
      CHECK((std::isnan(by_operator) && std::isnan(by_function)));
      return;
    }
    if (y != 2.0) CHECK(by_operator == by_function);  // Lua itself squares by a product
    CHECK(std::signbit(by_function) == std::signbit(libm));
    if (!std::isfinite(libm) || libm == 0.0) CHECK(by_function == libm);
    if (std::isfinite(libm) && libm != 0.0) CHECK(by_function / libm == Approx(1.0).epsilon(1e-15));
    other_bits += by_operator != libm;
  };
  const std::vector<double> special = {0.0, -0.0, 1.0, -1.0, 2.0, 3.0,  -2.0,  -3.0,
                                       0.5, -0.5, inf, -inf, NAN, 1e17, -1e17, 1e300};
  for (const double x : special) {
    for (const double y : special) check(x, y);
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    check(static_cast<double>(random() >> 40) * 0x1p-18, static_cast<double>(random() >> 50) * 0x1p-11 - 4.0);
  }
  CHECK(other_bits > 100);  // else it would be the C library's pow that ran
}

TEST_CASE("read-only tables can be read in every way and changed in none", "[luahost]") {
  LuaState state;
  LuaRef view;
  state.protect([&](lua_State* L) {
    REQUIRE(luaL_dostring(L, "return {a = 1, list = {10, 20, {deep = true}}}") == LUA_OK);
    push_readonly_deep(L, -1, "params");
    view = LuaRef::pop(L);
  });
  const LuaRef environment = new_environment(state);
  set_global(state, environment, "params", view);
  run_script(state, {"test.lua", R"(
    assert(params.a == 1 and params.list[2] == 20 and params.list[3].deep and params.b == nil)
    assert(#params.list == 3 and table.concat(params.list, ',', 1, 2) == '10,20' and rawlen(params.list) == 3)
    assert(table.concat(table.keys(params), ' ') == 'a list' and rawget(params, 'a') == 1)
    local sum = 0
    for _, x in ipairs(params.list) do if type(x) == 'number' then sum = sum + x end end
    for _, x in pairs(params.list) do if type(x) == 'number' then sum = sum + x end end
    assert(sum == 60 and not table.is_empty(params) and select('#', table.unpack(params.list)) == 3)
    local function refused(f) local ok, message = pcall(f) return not ok and message:find('read%-only') end
    assert(refused(function() params.a = 2 end) and refused(function() params.new = 2 end))
    assert(refused(function() params.list[1] = 2 end) and refused(function() params.list[3].deep = nil end))
    assert(refused(function() rawset(params, 'a', 1) end) and refused(function() table.insert(params.list, 1) end))
    assert(refused(function() table.remove(params.list) end) and refused(function() table.move({1}, 1, 1, 1, params) end))
    assert(not pcall(setmetatable, params, {}) and getmetatable(params) == 'read-only')
    local _, message = pcall(function() params.list[3].deep = 1 end)
    assert(message:find("attempt to change field 'deep' of read%-only 'list'")))"},
             environment);
}

TEST_CASE("fields under light userdata are hidden from scripts", "[luahost]") {
  static const char key = 0;
  LuaState state;
  LuaRef table;
  state.protect([&](lua_State* L) {
    lua_newtable(L);
    lua_pushinteger(L, 5);
    lua_rawsetp(L, -2, &key);
    table = LuaRef::pop(L);
  });
  const LuaRef environment = new_environment(state);
  set_global(state, environment, "t", table);
  run_script(state, {"test.lua", R"(
    assert(table.is_empty(t) and #table.keys(t) == 0)
    t.a, t.b, t[1] = 1, 2, 3
    assert(not table.is_empty(t) and table.concat(table.keys(t), ' ') == '1 a b' and #table.keys(table.copy(t)) == 3)
    local ok, e = pcall(function() for k in pairs(t) do assert(type(k) ~= 'userdata') end end)
    assert(ok, e))"},
             environment);
}

TEST_CASE("recursion without end is a stack overflow", "[luahost]") {
  LuaState state;
  CHECK_THROWS_WITH(run(state, "local function f() return 1 + f() end f()"),
                    Catch::Contains("stack overflow") && Catch::Contains("... ("));
}

}  // namespace luahost_library_test
