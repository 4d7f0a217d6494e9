// Functions of a job that are computed without Lua: what they give has Lua's bits, or they are left to Lua.

#include <cmath>
#include <cstring>
#include <lua.hpp>

#include <fmt/format.h>

#include "catch.h"
#include "core/random.h"
#include "formula/compiled.h"
#include "host/core.h"
#include "host/script.h"
#include "host/state.h"

namespace formula_test {

using namespace coslice;

namespace {

/// A function (job, now, params) and the same function compiled.
class Twins {
 public:
  explicit Twins(const std::string& text, CompiledFunction::Result result = CompiledFunction::Result::kNumber)
      : table_(run_script(state_, {"twins.lua", text})) {
    state_.protect([&](lua_State* L) {
      table_.push(L);
      lua_getfield(L, -1, "f");
      function_ = LuaRef::pop(L);
      lua_getfield(L, -1, "params");
      params_ = LuaRef::pop(L);
      lua_pop(L, 1);
    });
    compiled_ = std::make_unique<CompiledFunction>(state_, function_, params_, result);
  }

  bool ready() { return compiled_->ready(); }
  CompiledFunction& compiled() { return *compiled_; }

  /// What Lua says; a boolean is 1 or 0.
  double lua(const std::vector<std::pair<std::string, double>>& job, double now) {
    double x = 0;
    state_.protect([&](lua_State* L) {
      function_.push(L);
      lua_newtable(L);
      for (const auto& [name, value] : job) {
        if (whole(name)) lua_pushinteger(L, static_cast<lua_Integer>(value));
        else lua_pushnumber(L, value);
        lua_setfield(L, -2, name.c_str());
      }
      lua_pushnumber(L, now);
      params_.push(L);
      lua_call(L, 3, 1);
      x = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : lua_tonumber(L, -1);
      lua_pop(L, 1);
    });
    return x;
  }

  /// Calls a function of the script's table.
  void change(double weight, double scale, bool whole) {
    state_.protect([&](lua_State* L) {
      table_.push(L);
      lua_getfield(L, -1, "change");
      if (std::isnan(weight)) lua_pushnil(L);
      else if (whole) lua_pushinteger(L, static_cast<lua_Integer>(weight));
      else lua_pushnumber(L, weight);
      lua_pushnumber(L, scale);
      lua_call(L, 2, 0);
      lua_pop(L, 1);
    });
    ++state_.core().calls;  // as where the engine calls a script
  }

  /// What the formula says of several jobs; false if it leaves them to Lua.
  bool compute(const std::vector<std::vector<std::pair<std::string, double>>>& jobs, double now,
               std::vector<double>& results) {
    formula::Columns& columns = compiled_->columns();
    columns.clear();
    columns.see(compiled_->outside());
    results.resize(jobs.size());
    for (const auto& job : jobs) columns.append(fields(job).data(), 0);
    return columns.compute(now, 1, results.data());
  }
  /// The same jobs by blocks: true if that gives the same results, none of them below its block's least.
  bool same_by_blocks(double now, double sign, const std::vector<double>& results, std::size_t& bounded) {
    formula::Columns& columns = compiled_->columns();
    std::vector<double> least, keys(results.size());
    std::vector<std::uint8_t> known;
    if (!columns.begin(now, sign, least, known, keys.data())) return false;
    for (std::size_t from = 0; from < results.size(); from += formula::Columns::kBlock) {
      const std::size_t to = std::min(from + formula::Columns::kBlock, results.size());
      double lowest = INFINITY;
      for (std::size_t i = from; i != to; ++i) lowest = std::min(lowest, sign * results[i]);
      if (least[from / formula::Columns::kBlock] > lowest) return false;
      bounded += known[from / formula::Columns::kBlock] == 0 ? 1 : 0;
      if (known[from / formula::Columns::kBlock] == 0) columns.compute_rows(from, to, keys.data());
      for (std::size_t i = from; i != to; ++i)
        if (keys[i] != sign * results[i]) return false;
    }
    return true;
  }
  bool compute_one(const std::vector<std::pair<std::string, double>>& job, double now, double& result) {
    return compiled_->columns().compute_one(now, compiled_->outside(), fields(job).data(), {}, result);
  }

 private:
  static bool whole(const std::string& name) { return name == "nodes" || name == "user"; }
  std::vector<double> fields(const std::vector<std::pair<std::string, double>>& job) const {
    std::vector<double> values;
    for (const std::string& name : compiled_->formula().fields())
      for (const auto& [field, value] : job)
        if (field == name) values.push_back(value);
    return values;
  }

  LuaState state_;
  LuaRef table_, function_, params_;
  std::unique_ptr<CompiledFunction> compiled_;
};

/// Random arithmetic as people might write it, and as they would not.
class Grammar {
 public:
  explicit Grammar(std::uint64_t seed) : rng_(seed, "formula") {}

  std::string number(int depth) {
    if (depth == 0) return leaf();
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5: {
        static const char* const operators[] = {"+", "-", "*", "/", "+", "*", "-", "%", "//", "^"};
        return fmt::format("({} {} {})", number(depth - 1), operators[below(10)], number(depth - 1));
      }
      case 6: return fmt::format("(-{})", number(depth - 1));
      case 7: return fmt::format("max({}, {})", number(depth - 1), number(depth - 1));
      case 8: return fmt::format("math.min({}, {}, {})", number(depth - 1), number(depth - 1), leaf());
      case 9: return fmt::format("(({}) and {} or {})", condition(depth - 1), number(depth - 1), number(depth - 1));
      case 10: return fmt::format("math.{}({})", below(2) == 0 ? "floor" : "ceil", number(depth - 1));
      case 11: return fmt::format("math.{}({})", below(2) == 0 ? "abs" : "sqrt", number(depth - 1));
      case 12: return fmt::format("math.{}({})", below(2) == 0 ? "exp" : "log", number(depth - 1));
      default: return fmt::format("helper({}, {})", number(depth - 1), number(depth - 1));
    }
  }

  std::string condition(int depth) {
    if (depth <= 0 || below(3) == 0) {
      static const char* const comparisons[] = {"<", "<=", ">", ">=", "==", "~="};
      return fmt::format("{} {} {}", number(std::max(depth - 1, 0)), comparisons[below(6)], leaf());
    }
    switch (below(3)) {
      case 0: return fmt::format("({} and {})", condition(depth - 1), condition(depth - 1));
      case 1: return fmt::format("({} or {})", condition(depth - 1), condition(depth - 1));
      default: return fmt::format("not ({})", condition(depth - 1));
    }
  }

  std::vector<std::pair<std::string, double>> job() {
    return {{"submit", draw()},
            {"estimate", 1 + draw()},
            {"nodes", 1.0 + static_cast<double>(below(512))},
            {"user", static_cast<double>(below(9)) - 1}};
  }
  double draw() { return static_cast<double>(below(100'000'000)) / (below(2) == 0 ? 1000 : 1); }

 private:
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }
  std::string leaf() {
    static const char* const leaves[] = {
        "job.submit",   "job.estimate", "job.nodes", "job.user", "now",  "params.patience",
        "params.whole", "outside",      "whole",     "2",        "3600", "0.5",
        "(-1)",         "1e9",          "0",         "7"};
    return leaves[below(16)];
  }

  RandomStream rng_;
};

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

const char* const kHead = "local max = math.max\nlocal outside, whole = 12.25, 40\n"
                          "local function helper(a, b) if a < b then return a end local c = a - b return c / 3 end\n";

}  // namespace

TEST_CASE("a formula has Lua's bits") {
  int computed = 0, refused = 0;
  std::size_t bounded = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Grammar grammar(seed);
    const bool boolean = seed % 5 == 0;
    const int depth = 1 + static_cast<int>(seed % 4);
    const std::string text = boolean ? grammar.condition(depth) : grammar.number(depth);
    Twins twins(fmt::format("{}return {{ params = {{ patience = 6.5, whole = 3 }},\n"
                            "f = function(job, now, params) return {} end }}",
                            kHead, text),
                boolean ? CompiledFunction::Result::kBoolean : CompiledFunction::Result::kNumber);
    INFO(text);
    if (!twins.ready()) {
      ++refused;
      continue;
    }
    std::vector<std::vector<std::pair<std::string, double>>> jobs;
    for (int i = 0; i != 140; ++i) jobs.push_back(grammar.job());
    const double now = grammar.draw();
    std::vector<double> results;
    const bool all = twins.compute(jobs, now, results);
    if (all) CHECK(twins.same_by_blocks(now, seed % 2 == 0 ? 1 : -1, results, bounded));
    for (std::size_t i = 0; i != jobs.size(); ++i) {
      double one = 0;
      if (all) {
        CHECK(same_bits(results[i], twins.lua(jobs[i], now)));
        ++computed;
      }
      if (twins.compute_one(jobs[i], now, one)) CHECK(same_bits(one, twins.lua(jobs[i], now)));
    }
  }
  CHECK(bounded > 100);     // blocks whose least was told from their fields
  CHECK(computed > 56000);  // most of the rest divide zero by zero, or an integer by what may be zero
  CHECK(refused < 900);
}

TEST_CASE("what is not arithmetic is left to Lua") {
  const auto refused = [](const std::string& body, const std::string& head = "") {
    return !Twins(head + "\nreturn { params = { x = 1 }, f = function(job, now, params) " + body + " end }").ready();
  };
  CHECK(!refused("return job.nodes * params.x"));
  CHECK(refused("local s = 0 for i = 1, 3 do s = s + i end return s"));
  CHECK(refused("while job.nodes > 1 do end return 1"));
  CHECK(refused("calls = calls + 1 return job.nodes", "calls = 0"));
  CHECK(refused("n = n + 1 return n", "local n = 0"));
  CHECK(refused("return math.random()"));
  CHECK(refused("return t[job.user]", "local t = {}"));
  CHECK(refused("return job.mine"));
  CHECK(refused("job.mine = 1 return 1"));
  CHECK(refused("return #params"));
  CHECK(refused("return \"1\" + job.nodes"));
  CHECK(refused("return job.nodes < 3"));
  CHECK(refused("return nil"));
  CHECK(refused("return job.nodes, 2, table.unpack({})"));
  CHECK(refused("return t.x", "local t = setmetatable({}, { __index = function() return 1 end })"));
  CHECK(refused("return job.nodes // job.user"));  // an integer divided by zero is an error
  CHECK(refused("return f(job)", "local function f(j) return f(j) end"));
  CHECK(refused("return job & 1"));
}

TEST_CASE("a formula sees what has changed outside of it") {
  Twins twins("local weight, scale = 2.5, { x = 1 }\n"
              "return { params = {}, f = function(job, now) return job.nodes * weight * scale.x end,\n"
              "change = function(w, x) weight = w scale = { x = x } end }");
  const std::vector<std::pair<std::string, double>> job = {{"nodes", 3}};
  double x = 0;
  REQUIRE(twins.ready());
  REQUIRE(twins.compute_one(job, 0, x));
  CHECK(x == 7.5);
  twins.change(4, 2, false);
  REQUIRE(twins.ready());
  REQUIRE(twins.compute_one(job, 0, x));
  CHECK(x == 24);
  twins.change(4, 2, true);  // an integer now: another formula
  REQUIRE(twins.ready());
  REQUIRE(twins.compute_one(job, 0, x));
  CHECK(x == 24);
  twins.change(NAN, 2, false);
  CHECK(!twins.ready());
}

TEST_CASE("floors beyond what doubles count are left to Lua") {
  Twins twins("return { params = {}, f = function(job) return math.floor(job.submit) end }");
  REQUIRE(twins.ready());
  double x = 0;
  CHECK(twins.compute_one({{"submit", -0.5}}, 0, x));
  CHECK(same_bits(x, -1));
  CHECK(!twins.compute_one({{"submit", 1e300}}, 0, x));
  std::vector<double> results;
  CHECK(!twins.compute({{{"submit", 1}}, {{"submit", 1e300}}}, 0, results));
}

TEST_CASE("a remainder has the sign of its divisor, however small it is") {
  Twins twins("return { params = {}, f = function(job) return job.submit % job.estimate end }");
  REQUIRE(twins.ready());
  for (const double a : {5.0, -5.0, 5e-324, -5e-324, 0.0, -0.0, 1e300, -1e300}) {
    for (const double b : {3.0, -3.0, 1e-10, -1e-10, double{INFINITY}, -double{INFINITY}}) {
      double x = 0;
      REQUIRE(twins.compute_one({{"submit", a}, {"estimate", b}}, 0, x));
      CHECK(same_bits(x, twins.lua({{"submit", a}, {"estimate", b}}, 0)));
    }
  }
}

}  // namespace formula_test
