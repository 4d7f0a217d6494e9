// What Lua's own code calls where no hook can look: one instruction may compare two strings of megabytes, read a number of
// as many digits, or call a table whose __call is a table whose __call is a table, or look into one whose __index is. In the copy of Lua's archive that is
// linked (cmake/CosliceLua.cmake) such calls come here, are counted as work, and go on to what they were meant for. With a
// shared Lua, and with plain Lua, they are not counted.
#include "host/core.h"
#include "host/power.h"

/// What Lua's archive calls in place of the C library's pow.
extern "C" double coslice_lua_pow(double x, double y);
extern "C" double coslice_lua_pow(double x, double y) { return coslice::luahost::power(x, y); }

#ifdef COSLICE_INNER_CALLS

#include <cxxabi.h>

#include <cstring>

// Lua's own names, which its headers for others do not have.
struct TValue;
struct CallInfo;
struct Table;
struct TString;
union StackValue;
enum TMS : unsigned;
std::size_t luaO_str2num(const char* text, TValue* number);
const TValue* luaT_gettmbyobj(lua_State* L, const TValue* object, TMS event);
const TValue* luaT_gettm(Table* metatable, TMS event, TString* name);
void luaT_getvarargs(lua_State* L, CallInfo* call, StackValue* where, int wanted);

using namespace coslice::luahost;

namespace {

constexpr std::size_t kLong = 256;            ///< bytes of a string from which on looking through it counts as work
constexpr std::size_t kComparedAtOnce = 64;   ///< bytes for a unit of work
constexpr std::size_t kCompared = 4096;       ///< bytes between two looks for the end of a string
constexpr int kValuesMoved = 16;              ///< values on the stack for a unit of work
constexpr int kFewValues = 256;               ///< that cost no more than an instruction may

/// Counts work for the call that is under way on this thread; nothing is raised here.
void spend_now(std::size_t units) {
  if (Core* const core = running; core != nullptr) spend(*core, static_cast<std::int64_t>(units));
}

bool is_used_up() {
  const Core* const core = running;
  return core != nullptr && core->depth > 0 && (core->remaining < 0 || core->interrupted != 0);
}

}  // namespace

extern "C" {

int coslice_lua_strcoll(const char* a, const char* b);
int coslice_lua_memcmp(const void* a, const void* b, std::size_t size);
std::size_t coslice_lua_str2num(const char* text, TValue* number);
const TValue* coslice_lua_call_metamethod(lua_State* L, const TValue* object, TMS event);
const TValue* coslice_lua_table_metamethod(Table* metatable, TMS event, TString* name);
void coslice_lua_getvarargs(lua_State* L, CallInfo* call, StackValue* where, int wanted);
void* coslice_lua_allocate_exception(std::size_t size) noexcept;

/// In the order of bytes, as in the C locale, whichever one a host has set. Lua asks for what lies between two zero bytes.
int coslice_lua_strcoll(const char* a, const char* b) {
  for (std::size_t at = 0;; at += kCompared) {
    if (const int order = std::strncmp(a + at, b + at, kCompared); order != 0) return order;
    spend_now(1);
    if (std::memchr(a + at, 0, kCompared) != nullptr) return 0;
    spend_now(kCompared / kComparedAtOnce);
  }
}

int coslice_lua_memcmp(const void* a, const void* b, std::size_t size) {
  if (size > kLong) spend_now(size / kComparedAtOnce);
  return std::memcmp(a, b, size);
}

/// Reading digits is slow. When the work is used up no string is a number, so that no function goes on with more of them.
std::size_t coslice_lua_str2num(const char* text, TValue* number) {
  const std::size_t size = std::strlen(text);
  if (size > kLong) {
    if (is_used_up()) return 0;
    spend_now(size);
  }
  return luaO_str2num(text, number);
}

/// For each value that is called and no function: Lua puts what its __call says before it, and moves what lies above.
const TValue* coslice_lua_call_metamethod(lua_State* L, const TValue* object, TMS event) {
  charge(L, 1 + lua_gettop(L) / kValuesMoved);
  return luaT_gettmbyobj(L, object, event);
}

/// For each table that an instruction finds no key in and whose metatable may say where to look: up to 2,000.
const TValue* coslice_lua_table_metamethod(Table* metatable, TMS event, TString* name) {
  spend_now(1);
  return luaT_gettm(metatable, event, name);
}

void coslice_lua_getvarargs(lua_State* L, CallInfo* call, StackValue* where, int wanted) {
  luaT_getvarargs(L, call, where, wanted);
  if (wanted >= 0) return;  // there are few
  if (const int values = lua_gettop(L); values > kFewValues) charge(L, values / kValuesMoved);
}

/// Lua throws where it raises an error, and again after each __close that raises one.
void* coslice_lua_allocate_exception(std::size_t size) noexcept {
  spend_now(kUnwindCost);
  return abi::__cxa_allocate_exception(size);
}

}  // extern "C"

#endif
