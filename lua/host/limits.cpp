// Governing invariant: once a limit of a call is used up, every further firing of the hook and every further charge
// raises again, and no protected call of a script gives a result, until the outermost call has ended.
#include "host/limits.h"

#include <cstdlib>

#include "core/work_count.h"
#include "host/core.h"

namespace coslice::luahost {
namespace {

constexpr int kMainStep = 1000;  ///< instructions between two looks at the budget
constexpr int kCoroutineStep = 100;
constexpr std::size_t kLongString = 256;  ///< bytes from which on a string's length counts as work
constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;
const char kLimitText = 0;  ///< its address is the registry key of the error text

void on_count(lua_State* L, lua_Debug*);

/// Has the hook fire at the next instruction. Safe inside the allocator: lua_sethook may be called at any time.
void wake_hook(lua_State* L) { lua_sethook(L, on_count, LUA_MASKCOUNT, 1); }

int normal_step(const Core& core, lua_State* L) { return L == core.main ? kMainStep : kCoroutineStep; }

void on_count(lua_State* L, lua_Debug*) {
  Core& core = core_of(L);
  const int step = lua_gethookcount(L);
  core.remaining -= step;
  count_instructions(static_cast<std::uint64_t>(step));
  if (core.interrupted != 0) raise_limit(L, Exhausted::kInterrupted);
  if (core.remaining < 0) raise_limit(L, Exhausted::kInstructions);
  if (too_many_instructions()) raise_limit(L, Exhausted::kGivenUp);
  if (core.exhausted == Exhausted::kHalfDone) raise_limit(L, Exhausted::kHalfDone);
  if (step == 1) lua_sethook(L, on_count, LUA_MASKCOUNT, normal_step(core, L));
}

/// From 5.4.6 on Lua keeps offsets in place of pointers while it asks for a larger stack: the stack must not be read
/// then. The first field of a CallInfo is the function's place in the stack: an offset is no larger than the stack can
/// be. (A real pointer that is so small only costs the traceback.)
bool stack_is_moving(lua_State* L) {
  constexpr std::uintptr_t kLargestStack = 2 * std::uintptr_t{LUAI_MAXSTACK} * 16;
  lua_Debug at{};
  return LUA_VERSION_RELEASE_NUM >= 50406 && lua_getstack(L, 0, &at) != 0 &&
         *reinterpret_cast<const std::uintptr_t*>(at.i_ci) < kLargestStack;
}

/// Asking for too much is work too: Lua answers a refusal with a full collection.
void* refuse(Core& core) {
  if (core.depth > 0) {
    core.remaining -= static_cast<std::int64_t>(core.memory_used >> 6);
    if (stack_is_moving(core.current)) {
      core.limit_traceback.clear();
    } else {
      core.limit_traceback = describe_stack(core.current, 0);
    }
  }
  return nullptr;
}

/// Strings are the one thing whose making and comparing costs far more than an instruction. Only they count (and not
/// tables), because how tables grow depends on the seed of their hash function: the count would not be the same twice.
void count_string(Core& core, std::size_t size) { spend(core, static_cast<std::int64_t>(size >> 4)); }

/// The accounting around `resize(block, old_size, new_size)`, which is realloc, or free for a new size of 0.
template <class Resize>
void* allocate_by(Core& core, void* block, std::size_t old_size, std::size_t new_size, Resize&& resize) {
  const bool new_string = block == nullptr && old_size == LUA_TSTRING;  // Lua passes the kind of a new object
  if (block == nullptr) old_size = 0;
  if (new_size == 0) {
    resize(block, old_size, 0);
    core.memory_used -= old_size;
    return nullptr;
  }
  if (new_size > old_size) {
    if (core.memory_used - old_size + new_size > core.limits.memory) return refuse(core);
    if (new_string && new_size > kLongString) {
      if (new_size > core.limits.string + 64) return refuse(core);
      count_string(core, new_size);
    }
  }
  void* moved = resize(block, old_size, new_size);
  if (moved != nullptr) core.memory_used += new_size - old_size;
  return moved;
}

}  // namespace

void* allocate(void* ud, void* block, std::size_t old_size, std::size_t new_size) {
  const auto resize = [](void* b, std::size_t, std::size_t size) -> void* {
    if (size > 0) return std::realloc(b, size);
    std::free(b);
    return nullptr;
  };
  return allocate_by(*static_cast<Core*>(ud), block, old_size, new_size, resize);
}

void* allocate_under_stress(void* ud, void* block, std::size_t old_size, std::size_t new_size) {
  Core& core = *static_cast<Core*>(ud);
  const bool grows = block == nullptr ? new_size > 0 : new_size > old_size;
  // A state that is not there yet cannot collect.
  if (grows && core.main != nullptr && core.stressed->refuses(block, old_size, new_size, core.memory_used))
    return nullptr;
  const auto resize = [&](void* b, std::size_t from, std::size_t to) { return core.stressed->resize(b, from, to); };
  void* const moved = allocate_by(core, block, old_size, new_size, resize);
  if (moved == nullptr && new_size > 0) core.stressed->expect_again();
  return moved;
}

void raise_limit(lua_State* L, Exhausted what) {
  Core& core = core_of(L);
  if (core.exhausted == Exhausted::kNothing) {
    core.exhausted = what;
    core.limit_traceback = describe_stack(L, 0);
  }
  const bool hooked = core.limits.instructions > 0 || (what != Exhausted::kInstructions && what != Exhausted::kMemory);
  if (hooked) wake_hook(L);
  // A string that is always there: this may be the moment when there is no memory left.
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kLimitText);
  lua_error(L);
  std::abort();
}

void prepare_limit_text(lua_State* L) {
  lua_pushliteral(L, "a limit of the sandbox is used up");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kLimitText);
}

void install_hook(lua_State* L) {
  Core& core = core_of(L);
  if (core.limits.instructions > 0 || core.interrupted != 0 || instructions_are_limited()) {
    lua_sethook(L, on_count, LUA_MASKCOUNT, normal_step(core, L));
  } else {
    lua_sethook(L, nullptr, 0, 0);
  }
}

void arm(Core& core) {
  core.remaining = core.limits.instructions > 0 ? core.limits.instructions : kNoLimit;
  core.exhausted = Exhausted::kNothing;
}

void spend(Core& core, std::int64_t units) {
  count_instructions(static_cast<std::uint64_t>(units));
  core.remaining -= units;
  if (core.remaining < 0 && core.depth > 0 && core.limits.instructions > 0) wake_hook(core.current);
}

void charge(lua_State* L, std::int64_t units) {
  Core& core = core_of(L);
  count_instructions(static_cast<std::uint64_t>(units));
  if (units > core.remaining) core.remaining = -1;
  else core.remaining -= units;
  if (core.interrupted != 0) raise_limit(L, Exhausted::kInterrupted);
  if (core.remaining < 0) raise_limit(L, Exhausted::kInstructions);
  if (too_many_instructions()) raise_limit(L, Exhausted::kGivenUp);
}

void rethrow_limit(lua_State* L, int status) {
  const Core& core = core_of(L);
  if (core.exhausted != Exhausted::kNothing) raise_limit(L, core.exhausted);
  if (status == LUA_ERRMEM) raise_limit(L, Exhausted::kMemory);
}

thread_local Core* volatile running = nullptr;

}  // namespace coslice::luahost

namespace coslice {

// lua_sethook is made for signal handlers. The thread that runs may just be changing: the main one is told as well.
void interrupt_script() noexcept {
  luahost::Core* const core = luahost::running;
  if (core == nullptr) return;
  core->interrupted = 1;
  luahost::wake_hook(core->main);
  if (core->current != core->main) luahost::wake_hook(core->current);
}

}  // namespace coslice
