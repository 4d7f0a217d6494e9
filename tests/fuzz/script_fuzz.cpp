// Fuzzes the sandbox itself: makes policies out of metatables, iteration, coroutines, errors, texts and the engine's
// own methods, and runs them on a heap where Lua collects before its allocations and freed memory is filled
// (host/stress.h). Half of them have little memory. The others are run again on a common heap: what they print must be
// the same, as nothing that a script sees may depend on the collector. An input that begins with "--" is a script as it
// stands.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "host/stress.h"
#include "run_policy.h"

using namespace coslice;

namespace {

/// Writes a script, each choice by a byte of the input; when they are used up, the first choice, which is always short.
class Writer {
 public:
  Writer(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::string policy() {
    return "local v = {1, 'two', {3}, {}, {x = {}}, 'a longer text, longer than forty bytes, not interned', {}, {}}\n"
           "local function try(f, ...) local ok, e = pcall(f, ...) print(ok, type(e)) end\n"
           "local function step(view, job)\n" +
           tries() + "end\nlocal function later(view, job)\n" + tries() +
           "end\n"
           "return { api = 1, name = 'fuzz', version = '1',\n"
           "key = function(job) step(v[1], job) return job.nodes end,\n"
           "ended = function(view, job) later(view, job) end,\n"
           "schedule = function(view) for job in view:waiting() do step(view, job) end\n"
           "later(view, view:head()) try(view.start_in_order, view) end }\n";
  }

 private:
  std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  template <std::size_t N>
  const char* pick(const std::array<const char*, N>& words) {
    return words[byte() % N];
  }

  std::string slot() { return "v[" + std::to_string(1 + byte() % 8) + "]"; }

  /// The words with each @ replaced by an expression, # by a slot, & by a function, ! by a block.
  std::string fill(const char* words, int depth) {
    std::string out;
    for (; *words != '\0'; ++words) {
      switch (*words) {
        case '@': out += expression(depth + 1); break;
        case '#': out += slot(); break;
        case '&': out += function(depth + 1); break;
        case '!': out += block(depth + 1); break;
        default: out += *words;
      }
    }
    return out;
  }

  std::string expression(int depth);
  std::string statement(int depth);

  std::string function(int depth) { return "function(a, b, ...)\n" + block(depth + 1) + "return a end"; }

  std::string block(int depth) {
    if (depth > kDeepest) return "";
    std::string out;
    for (int n = byte() % 6; n >= 0; --n) out += statement(depth);
    return out;
  }

  /// Statements of which each may fail.
  std::string tries() {
    std::string out;
    for (int n = byte() % 24; n >= 0; --n) out += "try(function()\n" + statement(1) + "end)\n";
    return out;
  }

  static constexpr int kDeepest = 5;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

std::string Writer::expression(int depth) {
  static const std::array<const char*, 8> plain = {"1", "#", "{}", "'__mode'", "job", "view", "'k'", "2^53"};
  if (depth > kDeepest) return fill(pick(plain), depth);
  static const std::array<const char*, 48> kinds = {
      "#",
      "#",
      "{@, @}",
      "{[@] = @, k = @}",
      "(@ .. @)",
      "('x'):rep(30) .. #",
      "tostring(@)",
      "#[@]",
      "@ == @",
      "-(@)",
      "setmetatable({}, {__index = @, __mode = 'k'})",
      "setmetatable({}, {__index = &, __newindex = &})",
      "setmetatable({@}, #)",
      "setmetatable({}, {__eq = &, __lt = &, __concat = &, __call = &, __len = &})",
      "setmetatable({}, {__tostring = &, __name = @, __pairs = &})",
      "getmetatable(@)",
      "rawget(@, @)",
      "rawlen(@)",
      "select('#', @, @)",
      "coroutine.create(&)",
      "coroutine.wrap(&)",
      "coroutine.running()",
      "select(2, pcall(&, @, @))",
      "select(2, xpcall(&, &, @))",
      "&",
      "(&)(@, @)",
      "load('local a = ... ' .. 'return a')",
      "table.concat({@, @, 'z'}, @)",
      "('%s|%5.2s|%q'):format(@, @, 'q')",
      "('a b c d'):gsub('%a', &)",
      "('k=v, k2=v2'):gsub('(%w+)=(%w+)', #)",
      "(tostring(@)):match('(.)(.-)$')",
      "('x'):rep(2000):upper()",
      "table.unpack({@, @, @})",
      "table.copy(@)",
      "table.keys(@)",
      "table.is_empty(@)",
      "math.type(@)",
      "utf8.char(200, 300)",
      "view:head()",
      "view:earliest(@)",
      "view:fits(@)",
      "view:waiting()",
      "view:passing(@)",
      "job.user",
      "job.class",
      "view[@]",
      "view.now"};
  return fill(pick(kinds), depth);
}

std::string Writer::statement(int depth) {
  static const std::array<const char*, 36> kinds = {
      "print(type(#))\n",
      "# = @\n",
      "# = @\n",
      "#.k = @\n",
      "#[@] = @\n",
      "rawset(#, @, @)\n",
      "#.__mode = 'v'\n",
      "#['__' .. 'gc'] = &\n",
      "# = setmetatable(#, #)\n",
      "setmetatable(#, {__close = &, __gc = &})\n",
      "for i = 1, 40 do # = {i, #} end\n",
      "for i = 1, 60 do #[i * 3] = {} #['key ' .. i] = ('y'):rep(i) end\n",
      "for i = 1, 60 do #['key ' .. i] = nil end\n",
      "for k, x in pairs(#) do print(k, type(x)) end\n",
      "for k, x in pairs(#) do #[k] = nil ! end\n",
      "for k in pairs(#) do #[k] = @ end\n",
      "for i, x in ipairs(@) do if i > 9 then break end ! end\n",
      "for a in @ do ! end\n",
      "if @ then ! end\n",
      "do local c <close> = setmetatable({}, {__close = &}) ! end\n",
      "print(pcall(&, @))\n",
      "error(@)\n",
      "error({@})\n",
      "coroutine.yield(@)\n",
      "print(coroutine.resume(#, @))\n",
      "coroutine.close(#)\n",
      "table.sort(#)\n",
      "table.sort(#, &)\n",
      "table.insert(#, @)\n",
      "table.insert(#, 1, @)\n",
      "table.remove(#, 1)\n",
      "table.move(#, 1, 5, 3, #)\n",
      "view:start(@)\n",
      "view:reserve(@, @)\n",
      "view:note('n', @)\n",
      "job.own = @\n"};
  return fill(pick(kinds), depth);
}

/// What the script prints, and how it ends.
std::string run(const std::string& text, bool stressed, std::size_t memory) {
  stress_new_states(stressed);
  return run_policy(text, memory, 30'000);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  const bool as_it_stands = given.substr(0, 2) == "--";
  const std::uint8_t first = size == 0 || as_it_stands ? std::uint8_t{1} : data[0];
  const std::string text = as_it_stands ? std::string(given) : Writer(data + (size != 0), size - (size != 0)).policy();
  if (std::getenv("SHOW_SCRIPT") != nullptr) std::fwrite(text.data(), 1, text.size(), stderr);
  if (first % 2 == 0) {
    run(text, true, std::size_t{first} * 2048 + 100'000);
    return 0;
  }
  constexpr std::size_t kAmple = std::size_t{32} << 20;
  const std::string with = run(text, true, kAmple), without = run(text, false, kAmple);
  if (with != without && with.find("memory") == with.npos && without.find("memory") == without.npos) {
    std::fprintf(stderr, "%s\nprints under stress:\n%s\nand without:\n%s\n", text.c_str(), with.c_str(),
                 without.c_str());
    std::abort();
  }
  return 0;
}
