// What Lua's own code calls where no hook can look: one instruction may compare two strings of megabytes, read a number
// of as many digits, or call a table whose __call is a table whose __call is a table, or look into one whose __index
// is. In the copy of Lua's archive that is linked (cmake/CosliceLua.cmake) such calls come here, are counted as work,
// and go on to what they were meant for. With a shared Lua, and with plain Lua, they are not counted.
#include "host/core.h"
#include "host/power_operator.h"

/// What Lua's archive calls in place of the C library's pow.
extern "C" double coslice_lua_pow(double x, double y);
extern "C" double coslice_lua_pow(double x, double y) { return coslice::luahost::power(x, y); }

#ifndef COSLICE_INNER_CALLS

void coslice::luahost::drop_empty_slots(lua_State*, int, lua_Integer) {}

#else

#include <cxxabi.h>

#include <cmath>
#include <cstdarg>
#include <cstring>
#include <string_view>

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
unsigned luaH_realasize(const Table* table);
void luaH_resize(lua_State* L, Table* table, unsigned list_slots, unsigned other_slots);

using namespace coslice::luahost;

namespace {

constexpr std::size_t kLong = 256;           ///< bytes of a string from which on looking through it counts as work
constexpr std::size_t kComparedAtOnce = 64;  ///< bytes for a unit of work
constexpr std::size_t kCompared = 4096;      ///< bytes between two looks for the end of a string
constexpr std::size_t kShortNumber = 32;     ///< bytes of a text that is read as a number in no time
constexpr std::size_t kDigitsAtOnce = 8;     ///< bytes of a longer one for a unit of work
constexpr int kNearExponent = 64;            ///< of a number in base 10 or 2, up to which it is converted in no time
constexpr int kExponentsAtOnce = 16;         ///< steps of the exponent for a unit of work
constexpr int kValuesMoved = 16;             ///< values on the stack that are moved for a unit of work
constexpr int kValuesCopied = 4;             ///< values that three dots stand for, which are copied, and put somewhere
constexpr int kFewValues = 16;               ///< that cost no more than an instruction may

/// Counts work for the call that is under way on this thread; nothing is raised here.
void spend_now(std::size_t units) {
  if (Core* const core = running; core != nullptr) spend(*core, static_cast<std::int64_t>(units));
}

bool is_used_up() {
  const Core* const core = running;
  return core != nullptr && core->depth > 0 && (core->remaining < 0 || core->interrupted != 0);
}

/// The exponent at the end of a number as text, without its sign: 307 of "1.5e-307" and "0x1p-307"; 0 without one.
int exponent_of(std::string_view text) {
  constexpr std::size_t kLongestExponent = 6;
  constexpr int kFarthest = 1100;  // those of doubles end before
  int exponent = 0, place = 1;
  for (std::size_t i = 1; i <= std::min(text.size(), kLongestExponent); ++i) {
    const char c = text[text.size() - i];
    if (c >= '0' && c <= '9') exponent += (c - '0') * place, place *= 10;
    else if (c != '-' && c != '+') return (c | 32) == 'e' || (c | 32) == 'p' ? std::min(exponent, kFarthest) : 0;
  }
  return 0;
}

/// A number with a far exponent has hundreds of digits, if only inside of the C library.
void spend_for_exponent(int exponent) {
  if (exponent > kNearExponent) spend_now(static_cast<std::size_t>(exponent / kExponentsAtOnce));
}

int written_number(char* out, std::size_t room, const char* format, va_list arguments) {
  const int size = std::vsnprintf(out, room, format, arguments);
  if (size > 0) spend_for_exponent(exponent_of({out, std::min(static_cast<std::size_t>(size), room - 1)}));
  return size;
}

/// The first fields of Lua 5.4's tables.
struct TableBegin {
  void* next;
  unsigned char type, marked, flags, log_of_slots;
};

}  // namespace

void coslice::luahost::drop_empty_slots(lua_State* L, int index, lua_Integer n) {
  constexpr lua_Integer kSparse = 64;  // slots for each field, and for so many more
  auto* const table = const_cast<Table*>(static_cast<const Table*>(lua_topointer(L, index)));
  const lua_Integer others = lua_Integer{1} << reinterpret_cast<const TableBegin*>(table)->log_of_slots;
  if (luaH_realasize(table) + others <= kSparse * (n + kSparse)) return;
  luaH_resize(L, table, 0, static_cast<unsigned>(n + kSparse));  // room for fields that scripts do not see
}

extern "C" {

int coslice_lua_strcoll(const char* a, const char* b);
int coslice_lua_memcmp(const void* a, const void* b, std::size_t size);
std::size_t coslice_lua_str2num(const char* text, TValue* number);
int coslice_lua_snprintf(char* out, std::size_t room, const char* format, ...);
int coslice_lua_snprintf_chk(char* out, std::size_t room, int flag, std::size_t size, const char* format, ...);
double coslice_lua_fmod(double a, double b);
const TValue* coslice_lua_call_metamethod(lua_State* L, const TValue* object, TMS event);
const TValue* coslice_lua_table_metamethod(Table* metatable, TMS event, TString* name);
void coslice_lua_getvarargs(lua_State* L, CallInfo* call, StackValue* where, int wanted);
void* coslice_lua_allocate_exception(std::size_t size) noexcept;

/// In the order of bytes, as in the C locale, whichever one a host has set. Lua asks for what lies between two zero
/// bytes.
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

/// Reading digits is slow. When the work is used up no string is a number, so that no function goes on with more of
/// them.
std::size_t coslice_lua_str2num(const char* text, TValue* number) {
  const std::size_t size = std::strlen(text);
  if (size > kLong) {
    if (is_used_up()) return 0;
    spend_now(size);
  } else if (size > kShortNumber) {
    spend_now(size / kDigitsAtOnce);
  }
  spend_for_exponent(exponent_of({text, size}));
  return luaO_str2num(text, number);
}

/// Numbers that become text.
int coslice_lua_snprintf(char* out, std::size_t room, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = written_number(out, room, format, arguments);
  va_end(arguments);
  return size;
}

/// The same as the C library's headers have it called where they are asked to check sizes.
int coslice_lua_snprintf_chk(char* out, std::size_t room, int, std::size_t, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = written_number(out, room, format, arguments);
  va_end(arguments);
  return size;
}

/// The C library divides bit by bit.
double coslice_lua_fmod(double a, double b) {
  constexpr double kNear = 0x1p64;
  if (std::isfinite(a) && b != 0.0 && std::fabs(a) > std::fabs(b) * kNear)
    spend_now(static_cast<std::size_t>((std::ilogb(a) - std::ilogb(b)) / kExponentsAtOnce));
  return std::fmod(a, b);
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
  if (const int values = lua_gettop(L); values > kFewValues) charge(L, values / kValuesCopied);
}

/// Lua throws where it raises an error, and again after each __close that raises one.
void* coslice_lua_allocate_exception(std::size_t size) noexcept {
  spend_now(kUnwindCost);
  return abi::__cxa_allocate_exception(size);
}

}  // extern "C"

#endif
