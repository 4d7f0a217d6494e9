// One sandboxed Lua state with its limits. Not thread-safe; different states may run on different threads.
// Start reading the host here; then call.h (engine to Lua), guard.h (Lua to engine), script.h (files and modules).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/errors.h"
#include "host/limits.h"
#include "host/ref.h"

struct lua_State;

namespace coslice {

namespace luahost {
struct Core;
}

/// Where `print` writes to; gets one line at a time, without its end.
using PrintSink = std::function<void(std::string_view)>;
/// 64 independent random bits; what math.random draws from.
using RandomBits = std::function<std::uint64_t()>;

/// RAII over a lua_State with capped memory, counted instructions and sandboxed libraries (sandbox.h).
/// Invariant: between two calls the main stack holds nothing but the traceback handler.
class LuaState {
 public:
  /// Throws LimitError if not even the libraries fit into the memory limit.
  explicit LuaState(const Limits& limits = {});
  ~LuaState();
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  /// Returns the state that `L` belongs to. Precondition: L belongs to a LuaState.
  static LuaState& of(lua_State* L);

  /// Returns the Lua thread that runs now: the main thread, or the coroutine that called into the engine.
  lua_State* raw() const;

  const Limits& limits() const;
  /// Sets the work units of each following outermost call; 0 takes the limit and its hook away.
  void set_instruction_limit(std::int64_t units);
  /// Returns bytes that Lua objects take now.
  std::size_t memory_in_use() const;
  /// Collects all that is not referenced any more.
  void collect_garbage();
  /// Returns how often functions of scripts were called from C++: between two equal numbers, no script ran.
  std::uint64_t calls() const;
  /// Returns the work units spent since the outermost call began (or of the last one); 0 without a limit.
  std::int64_t instructions_spent() const;

  /// Adds up the host's time in outermost calls from now on. It costs two looks at the clock a call.
  void time_calls();
  /// Returns the host's time in outermost calls since time_calls(), in seconds. Never let a result depend on it.
  double seconds_in_calls() const;
  /// Returns the host's time in outermost calls, in seconds, by the labels of the calls ("hook 'key' of policy
  /// 'mine'"), most first.
  std::vector<std::pair<std::string, double>> seconds_by_call() const;
  /// Notes that the result of a call of that label was computed without one, for seconds_by_call().
  void note_computed(const std::string& label);

  /// Sets where `print` writes; default: standard error.
  void set_print(PrintSink sink);
  /// Sets what math.random draws from. By default, and when null, math.random raises an error.
  void set_random(RandomBits bits);

  /// Runs `body` inside a protected call: whatever it does with the Lua API, errors come out as exceptions
  /// (ScriptError, LimitError, or the C++ exception that `body` threw) and the stack is as before.
  void protect(const std::function<void(lua_State*)>& body);

  /// Returns what `push` leaves on the top of the stack; it runs as protect() runs its body, and throws the same.
  LuaRef make(const std::function<void(lua_State*)>& push);

  /// Returns the core, for the other files of the host.
  luahost::Core& core() { return *core_; }

 private:
  std::unique_ptr<luahost::Core> core_;
};

}  // namespace coslice
