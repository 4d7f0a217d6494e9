// The inside of a LuaState, shared by the files of the host only.
#pragma once

#include <chrono>
#include <csignal>
#include <lua.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/guard.h"
#include "host/script.h"
#include "host/state.h"
#include "host/stress.h"

namespace coslice::luahost {

/// Lua raises errors and yields by C++ exceptions, which cost microseconds: hundreds of instructions.
inline constexpr int kUnwindCost = 200;

/// Why no protected call of a script gives a result any more. kGivenUp: whoever asks allows no more work (WorkAtMost).
/// kHalfDone is no limit: the engine failed while it acted (acting.h).
enum class Exhausted { kNothing, kInstructions, kMemory, kInterrupted, kGivenUp, kHalfDone };

/// What belongs to one Lua state and its coroutines. Each lua_State of them finds it through its extra space (see
/// core_of).
struct Core {
  explicit Core(LuaState& o, const Limits& l) : owner(&o), limits(l) {}

  LuaState* owner;
  Limits limits;
  lua_State* main = nullptr;
  lua_State* current = nullptr;  ///< the thread that runs; coroutine.resume sets it

  std::unique_ptr<StressedHeap> stressed;  ///< in tests: where Lua's memory is
  std::size_t memory_used = 0;
  std::int64_t remaining = 0;  ///< work units left in the outermost call
  Exhausted exhausted = Exhausted::kNothing;
  volatile std::sig_atomic_t interrupted = 0;  ///< set by interrupt_script(), for good
  int depth = 0;                               ///< protected calls from C++ that are under way
  int decision = 0;                            ///< `depth` in the call in which a script decides; 0: it does not
  std::exception_ptr half_done;                ///< kHalfDone: what the engine threw
  std::uint64_t calls = 0;                     ///< of functions of scripts, from C++
  bool timed = false;                          ///< outermost calls are timed, for profiles
  std::chrono::steady_clock::time_point entered{};
  std::chrono::steady_clock::duration inside{};
  /// of it, by the labels of calls, inner ones too
  std::map<std::string, std::chrono::steady_clock::duration> inside_by;
  bool overflow_handled = false;  ///< a handler of a script got an error of the stack that is not paid yet
  int close_depth = 0;            ///< coroutine.close calls that are under way

  std::string traceback;        ///< of the last error, as the message handler saw it
  std::string limit_traceback;  ///< where a limit was hit

  PrintSink print;
  RandomBits random;
  std::vector<ModuleRoot> roots;
  std::vector<std::string> loading;               ///< modules whose chunks run just now
  std::vector<Script> modules;                    ///< all that were found
  std::map<std::string, std::string> long_names;  ///< chunk names as Lua shortens them -> in full
};

/// Returns the core of a thread. A thread that a limit stopped has none any more (see is_stopped).
inline Core& core_of(lua_State* L) { return **static_cast<Core**>(lua_getextraspace(L)); }

/// Returns whether a limit was raised inside of that coroutine. Its hook is off for good, so it must never run again,
/// not even to close its variables.
inline bool is_stopped(lua_State* L) { return *static_cast<Core**>(lua_getextraspace(L)) == nullptr; }
inline void mark_stopped(lua_State* L) { *static_cast<Core**>(lua_getextraspace(L)) = nullptr; }

/// Allocates as lua_Alloc, with exact accounting; `ud` is the Core.
void* allocate(void* ud, void* block, std::size_t old_size, std::size_t new_size);
/// Allocates as allocate() does, under a StressedHeap.
void* allocate_under_stress(void* ud, void* block, std::size_t old_size, std::size_t new_size);

/// Makes `__mode` and `__gc` names like others, for good: no metatable makes a weak table or a finaliser any more, but
/// by set_finalizer (guard.h).
void withhold_metafields(lua_State* L);

/// Creates the error object of limits while there is memory for it.
void prepare_limit_text(lua_State* L);
/// Puts the count hook on a thread if there is a limit or was an interrupt. Threads that are not the main one count in
/// smaller steps, as each starts a count of its own.
void install_hook(lua_State* L);
/// Counts work without raising anything: the hook does at the next instruction, if it is used up.
void spend(Core& core, std::int64_t units);
/// Begins a new outermost call, whose budget is whole again.
void arm(Core& core);
/// Raises the error of limits, which goes on until C++ has it. With kHalfDone, `half_done` is set.
[[noreturn]] void raise_limit(lua_State* L, Exhausted what);
/// Raises the error of a limit again if it is used up: protected calls of scripts must not swallow it.
void rethrow_limit(lua_State* L, int status);

/// Gives the table at `index`, which has n fields, fewer slots if it has far more, from fields that have gone. To look
/// for the next field through a million empty slots costs a million steps, which no script pays for. Not while it is
/// traversed.
void drop_empty_slots(lua_State* L, int index, lua_Integer n);

/// Pushes the value at `index` as text, as tostring shows it: never an address.
void push_text(lua_State* L, int index);

/// Pushes a `load` whose chunks see the environment at `index`: text only.
void push_load(lua_State* L, int index);
/// Pushes the compiled chunk, or raises its syntax error. Names that Lua would shorten are noted.
void push_chunk(lua_State* L, const Script& script, int environment);

/// Handles messages for lua_pcall: notes the traceback, leaves the error object as it is.
int note_traceback(lua_State* L);
/// Returns the call stack in words, one line a call, from `level` on.
std::string describe_stack(lua_State* L, int level);
/// Puts the names of chunks that Lua shortened back in full.
std::string with_long_names(const Core& core, std::string text);
/// Throws what a failed lua_pcall left on the top of the stack; cleaning the stack is the caller's
/// part. `label` says what was called, may be "".
[[noreturn]] void throw_failure(Core& core, lua_State* L, int status, const std::string& label);
/// Returns the error "<label> must return <expected>, got <the value at index>", at the function's place.
ScriptError wrong_result(lua_State* L, int index, const LuaRef& function, const std::string& label,
                         const std::string& expected);
/// Returns the C++ exception that the value at `index` carries, or null.
const std::exception_ptr* carried_exception(lua_State* L, int index);

/// The core whose outermost call is under way on this thread, for interrupt_script().
extern thread_local Core* volatile running;

/// Counts a protected call in, and out whatever happens. `label`, which must outlive it, is what its time is added to.
class Entry {
 public:
  explicit Entry(Core& core, const std::string* label = nullptr) : core_(core), label_(label) {
    if (core_.depth++ != 0) {  // its time is the outermost call's
      if (core_.timed && label != nullptr) core_.inside_by.try_emplace(*label);
      return;
    }
    outer_ = running;
    running = &core_;
    arm(core_);
    if (core_.timed) core_.entered = std::chrono::steady_clock::now();
  }
  ~Entry() {
    if (--core_.depth != 0) return;
    running = outer_;
    if (!core_.timed) return;
    const auto time = std::chrono::steady_clock::now() - core_.entered;
    core_.inside += time;
    if (label_ != nullptr) core_.inside_by[*label_] += time;
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  Core& core_;
  const std::string* label_;
  Core* outer_ = nullptr;  ///< the core whose function runs this one
};

}  // namespace coslice::luahost
