// string.find, match, gmatch and gsub over PatternMatcher.
#include <cstddef>
#include <cstring>

#include "host/guard.h"
#include "host/sandbox.h"

namespace coslice::luahost {
namespace {

/// One pattern on one subject, matched with a count of the steps: Lua's own matcher needs exponential time for some
/// patterns and cannot be interrupted. Same language and same results (tests compare the two). Raises Lua errors for
/// malformed patterns and, through charge(), for limits.
/// Precondition: both texts end with a zero byte behind their end, as Lua strings do.
class PatternMatcher {
 public:
  static constexpr int kMaxCaptures = 32;

  PatternMatcher(lua_State* L, const char* subject, std::size_t subject_size, const char* pattern,
                 std::size_t pattern_size);

  /// Matches the whole pattern at `s`; the end of the match, or null.
  const char* match_at(const char* s);

  const char* subject_end() const { return subject_end_; }
  int captures() const { return level_; }
  /// Pushes capture i (0-based); without captures, number 0 is the whole match from..to.
  void push_capture(int i, const char* from, const char* to) const;
  /// Pushes all captures, or the whole match if there are none and `from` is not null; gives their number.
  int push_captures(const char* from, const char* to) const;

 private:
  struct Capture {
    const char* start;
    std::ptrdiff_t size;  ///< or kOpen, kPosition
  };
  static constexpr std::ptrdiff_t kOpen = -1, kPosition = -2;

  void step(std::size_t n = 1);
  const char* match(const char* s, const char* p);
  const char* match_here(const char* s, const char* p);
  const char* repeat_longest(const char* s, const char* p, const char* after, std::ptrdiff_t least);
  const char* repeat_shortest(const char* s, const char* p, const char* after);
  const char* open_capture(const char* s, const char* p, std::ptrdiff_t kind);
  const char* close_capture(const char* s, const char* p);
  const char* match_balanced(const char* s, const char* p);
  const char* match_back_reference(const char* s, char digit);
  bool at_frontier(const char* s, const char* set, const char* set_last);
  bool match_single(const char* s, const char* p, const char* after);
  bool in_set(unsigned char c, const char* p, const char* last);
  const char* item_end(const char* p) const;

  lua_State* L_;
  const char* subject_;
  const char* subject_end_;
  const char* pattern_;
  const char* pattern_end_;
  int level_ = 0;
  int depth_ = 0;
  std::size_t steps_ = 0;  ///< not charged yet
  Capture captures_[kMaxCaptures];
};

constexpr int kMaxDepth = 200;  ///< nested matches, as in Lua
constexpr std::size_t kStepsPerCharge = 256;

bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_lower(unsigned char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(unsigned char c) { return c >= 'A' && c <= 'Z'; }
bool is_alpha(unsigned char c) { return is_lower(c) || is_upper(c); }
bool is_printable(unsigned char c) { return c > 32 && c < 127; }

/// Whether `c` is in the class %`name`; a name that is no letter of a class stands for itself.
bool in_class(unsigned char c, unsigned char name) {
  bool in = false;
  switch (is_upper(name) ? name + ('a' - 'A') : name) {
    case 'a': in = is_alpha(c); break;
    case 'c': in = c < 32 || c == 127; break;
    case 'd': in = is_digit(c); break;
    case 'g': in = is_printable(c); break;
    case 'l': in = is_lower(c); break;
    case 'p': in = is_printable(c) && !is_alpha(c) && !is_digit(c); break;
    case 's': in = c == ' ' || (c >= '\t' && c <= '\r'); break;
    case 'u': in = is_upper(c); break;
    case 'w': in = is_alpha(c) || is_digit(c); break;
    case 'x': in = is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); break;
    default: return name == c;
  }
  return is_upper(name) ? !in : in;
}

unsigned char byte_at(const char* s) { return static_cast<unsigned char>(*s); }

PatternMatcher::PatternMatcher(lua_State* L, const char* subject, std::size_t subject_size, const char* pattern,
                               std::size_t pattern_size)
    : L_(L), subject_(subject), subject_end_(subject + subject_size), pattern_(pattern),
      pattern_end_(pattern + pattern_size) {}

void PatternMatcher::step(std::size_t n) {
  steps_ += n;
  if (steps_ < kStepsPerCharge) return;
  charge(L_, static_cast<std::int64_t>(steps_));
  steps_ = 0;
}

const char* PatternMatcher::match_at(const char* s) {
  level_ = 0;
  depth_ = 0;
  return match(s, pattern_);
}

const char* PatternMatcher::match(const char* s, const char* p) {
  if (++depth_ > kMaxDepth) luaL_error(L_, "pattern too complex");
  step();
  const char* end = match_here(s, p);
  --depth_;
  return end;
}

const char* PatternMatcher::match_here(const char* s, const char* p) {
  while (p != pattern_end_) {
    if (*p == '(') return p[1] == ')' ? open_capture(s, p + 2, kPosition) : open_capture(s, p + 1, kOpen);
    if (*p == ')') return close_capture(s, p + 1);
    if (*p == '$' && p + 1 == pattern_end_) return s == subject_end_ ? s : nullptr;
    if (*p == '%' && p[1] == 'b') {
      s = match_balanced(s, p + 2);
      if (s == nullptr) return nullptr;
      p += 4;
      continue;
    }
    if (*p == '%' && p[1] == 'f') {
      p += 2;
      if (*p != '[') luaL_error(L_, "missing '[' after '%%f' in pattern");
      const char* after = item_end(p);
      if (!at_frontier(s, p, after - 1)) return nullptr;
      p = after;
      continue;
    }
    if (*p == '%' && is_digit(byte_at(p + 1))) {
      s = match_back_reference(s, p[1]);
      if (s == nullptr) return nullptr;
      p += 2;
      continue;
    }
    const char* after = item_end(p);
    if (*after == '*') return repeat_longest(s, p, after, 0);
    if (*after == '+') return repeat_longest(s, p, after, 1);
    if (*after == '-') return repeat_shortest(s, p, after);
    const bool here = match_single(s, p, after);
    if (*after == '?') {
      const char* end = here ? match(s + 1, after + 1) : nullptr;
      if (end != nullptr) return end;
      p = after + 1;
      continue;
    }
    if (!here) return nullptr;
    ++s;
    p = after;
  }
  return s;
}

const char* PatternMatcher::repeat_longest(const char* s, const char* p, const char* after, std::ptrdiff_t least) {
  std::ptrdiff_t n = 0;
  while (match_single(s + n, p, after)) ++n;
  for (; n >= least; --n) {
    if (const char* end = match(s + n, after + 1)) return end;
  }
  return nullptr;
}

const char* PatternMatcher::repeat_shortest(const char* s, const char* p, const char* after) {
  for (;; ++s) {
    if (const char* end = match(s, after + 1)) return end;
    if (!match_single(s, p, after)) return nullptr;
  }
}

const char* PatternMatcher::open_capture(const char* s, const char* p, std::ptrdiff_t kind) {
  if (level_ >= kMaxCaptures) luaL_error(L_, "too many captures");
  captures_[level_] = {s, kind};
  ++level_;
  const char* end = match(s, p);
  if (end == nullptr) --level_;
  return end;
}

const char* PatternMatcher::close_capture(const char* s, const char* p) {
  int i = level_ - 1;
  while (i >= 0 && captures_[i].size != kOpen) --i;
  if (i < 0) luaL_error(L_, "invalid pattern capture");
  captures_[i].size = s - captures_[i].start;
  const char* end = match(s, p);
  if (end == nullptr) captures_[i].size = kOpen;
  return end;
}

/// %bxy: `p` is at the x.
const char* PatternMatcher::match_balanced(const char* s, const char* p) {
  if (p + 1 >= pattern_end_) luaL_error(L_, "malformed pattern (missing arguments to '%%b')");
  if (s == subject_end_ || *s != *p) return nullptr;
  std::size_t open = 1;
  for (++s; s < subject_end_; ++s) {
    step();
    if (*s == p[1]) {
      if (--open == 0) return s + 1;
    } else if (*s == *p) {
      ++open;
    }
  }
  return nullptr;
}

const char* PatternMatcher::match_back_reference(const char* s, char digit) {
  const int i = digit - '1';
  if (i < 0 || i >= level_ || captures_[i].size == kOpen) {
    luaL_error(L_, "invalid capture index %%%d", i + 1);
  }
  if (captures_[i].size == kPosition) return nullptr;
  const auto size = captures_[i].size;
  step(static_cast<std::size_t>(size) / 16);
  if (subject_end_ - s < size || std::memcmp(captures_[i].start, s, static_cast<std::size_t>(size)) != 0) {
    return nullptr;
  }
  return s + size;
}

/// %f[set]: between a character outside of the set and one in it; both ends of the subject count as a zero byte.
bool PatternMatcher::at_frontier(const char* s, const char* set, const char* set_last) {
  const unsigned char before = s == subject_ ? 0 : byte_at(s - 1);
  return !in_set(before, set, set_last) && in_set(byte_at(s), set, set_last);
}

bool PatternMatcher::match_single(const char* s, const char* p, const char* after) {
  step();
  if (s >= subject_end_) return false;
  switch (*p) {
    case '.': return true;
    case '%': return in_class(byte_at(s), byte_at(p + 1));
    case '[': return in_set(byte_at(s), p, after - 1);
    default: return *p == *s;
  }
}

/// `p` is at the '[', `last` at the ']'.
bool PatternMatcher::in_set(unsigned char c, const char* p, const char* last) {
  step(static_cast<std::size_t>(last - p) / 16);
  ++p;
  const bool wanted = *p != '^';
  if (!wanted) ++p;
  while (p < last) {
    if (*p == '%') {
      if (in_class(c, byte_at(p + 1))) return wanted;
      p += 2;
    } else if (p[1] == '-' && p + 2 < last) {
      if (byte_at(p) <= c && c <= byte_at(p + 2)) return wanted;
      p += 3;
    } else {
      if (byte_at(p) == c) return wanted;
      ++p;
    }
  }
  return !wanted;
}

/// Behind the single item (a character, a class, a set) that begins at `p`.
const char* PatternMatcher::item_end(const char* p) const {
  if (*p == '%') {
    if (p + 1 == pattern_end_) luaL_error(L_, "malformed pattern (ends with '%%')");
    return p + 2;
  }
  if (*p != '[') return p + 1;
  ++p;
  if (*p == '^') ++p;
  do {  // a ']' right at the beginning stands for itself
    if (p == pattern_end_) luaL_error(L_, "malformed pattern (missing ']')");
    p += *p == '%' && p + 1 < pattern_end_ ? 2 : 1;
  } while (*p != ']');
  return p + 1;
}

void PatternMatcher::push_capture(int i, const char* from, const char* to) const {
  if (i >= level_) {
    if (i != 0) luaL_error(L_, "invalid capture index %%%d", i + 1);
    lua_pushlstring(L_, from, static_cast<std::size_t>(to - from));
    return;
  }
  const Capture& capture = captures_[i];
  if (capture.size == kOpen) luaL_error(L_, "unfinished capture");
  if (capture.size == kPosition) {
    lua_pushinteger(L_, capture.start - subject_ + 1);
  } else {
    lua_pushlstring(L_, capture.start, static_cast<std::size_t>(capture.size));
  }
}

int PatternMatcher::push_captures(const char* from, const char* to) const {
  const int n = level_ == 0 && from != nullptr ? 1 : level_;
  luaL_checkstack(L_, n, "too many captures");
  for (int i = 0; i < n; ++i) push_capture(i, from, to);
  return n;
}

struct Text {
  const char* data;
  std::size_t size;
};

Text text_argument(lua_State* L, int index) {
  Text text{};
  text.data = luaL_checklstring(L, index, &text.size);
  return text;
}

/// The offset that a start position in Lua's counting means: 1 is the first, -1 the last byte.
std::size_t start_offset(lua_Integer position, std::size_t size) {
  if (position > 0) return static_cast<std::size_t>(position) - 1;
  if (position == 0 || position < -static_cast<lua_Integer>(size)) return 0;
  return size - static_cast<std::size_t>(-position);
}

bool has_specials(Text pattern) {
  for (std::size_t i = 0; i < pattern.size; ++i) {
    if (pattern.data[i] != '\0' && std::strchr("^$*+?.([%-", pattern.data[i]) != nullptr) return true;
  }
  return false;
}

int find_plain(lua_State* L, Text subject, Text pattern, std::size_t start) {
  charge(L, static_cast<std::int64_t>((subject.size - start) / 16));
  const void* found = memmem(subject.data + start, subject.size - start, pattern.data, pattern.size);
  if (found == nullptr) {
    lua_pushnil(L);
    return 1;
  }
  const lua_Integer at = static_cast<const char*>(found) - subject.data;
  lua_pushinteger(L, at + 1);
  lua_pushinteger(L, at + static_cast<lua_Integer>(pattern.size));
  return 2;
}

int search(lua_State* L, bool find) {
  const Text subject = text_argument(L, 1);
  Text pattern = text_argument(L, 2);
  const std::size_t start = start_offset(luaL_optinteger(L, 3, 1), subject.size);
  charge(L, 8);
  if (start > subject.size) {
    lua_pushnil(L);
    return 1;
  }
  if (find && (lua_toboolean(L, 4) || !has_specials(pattern))) return find_plain(L, subject, pattern, start);
  const bool anchored = pattern.size > 0 && *pattern.data == '^';
  if (anchored) pattern = {pattern.data + 1, pattern.size - 1};
  PatternMatcher matcher(L, subject.data, subject.size, pattern.data, pattern.size);
  const char* s = subject.data + start;
  do {
    const char* end = matcher.match_at(s);
    if (end == nullptr) continue;
    if (!find) return matcher.push_captures(s, end);
    lua_pushinteger(L, s - subject.data + 1);
    lua_pushinteger(L, end - subject.data);
    return matcher.push_captures(nullptr, nullptr) + 2;
  } while (s++ < matcher.subject_end() && !anchored);
  lua_pushnil(L);
  return 1;
}

int find(lua_State* L) { return search(L, true); }
int match(lua_State* L) { return search(L, false); }

/// Upvalues: subject, pattern, offset of the next attempt, offset of the end of the last match (-1: none).
int gmatch_step(lua_State* L) {
  const Text subject = text_argument(L, lua_upvalueindex(1)), pattern = text_argument(L, lua_upvalueindex(2));
  const lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
  charge(L, 8);
  PatternMatcher matcher(L, subject.data, subject.size, pattern.data, pattern.size);
  for (auto at = static_cast<std::size_t>(lua_tointeger(L, lua_upvalueindex(3))); at <= subject.size; ++at) {
    const char* end = matcher.match_at(subject.data + at);
    if (end == nullptr || end - subject.data == last) continue;
    lua_pushinteger(L, end - subject.data);
    lua_copy(L, -1, lua_upvalueindex(3));
    lua_replace(L, lua_upvalueindex(4));
    return matcher.push_captures(subject.data + at, end);
  }
  lua_pushinteger(L, static_cast<lua_Integer>(subject.size) + 1);
  lua_replace(L, lua_upvalueindex(3));
  return 0;
}

int gmatch(lua_State* L) {
  const Text subject = text_argument(L, 1);
  text_argument(L, 2);
  std::size_t start = start_offset(luaL_optinteger(L, 3, 1), subject.size);
  if (start > subject.size) start = subject.size + 1;
  lua_settop(L, 2);
  lua_pushinteger(L, static_cast<lua_Integer>(start));
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, gmatch_step, 4);
  return 1;
}

// ---- gsub ----

/// Adds the replacement text with its %0..%9 filled in.
void add_template(lua_State* L, luaL_Buffer* out, const PatternMatcher& matcher, const char* from, const char* to) {
  const Text text = text_argument(L, 3);
  for (std::size_t i = 0; i < text.size; ++i) {
    if (text.data[i] != '%') {
      luaL_addchar(out, text.data[i]);
      continue;
    }
    const char next = text.data[++i];
    if (next == '%') {
      luaL_addchar(out, '%');
    } else if (next == '0') {
      luaL_addlstring(out, from, static_cast<std::size_t>(to - from));
    } else if (next >= '1' && next <= '9') {
      matcher.push_capture(next - '1', from, to);
      luaL_tolstring(L, -1, nullptr);  // a position becomes text
      lua_remove(L, -2);
      luaL_addvalue(out);
    } else {
      luaL_error(L, "invalid use of '%%' in replacement string");
    }
  }
}

/// Adds what the table or function at 3 gives for the match; false and nil keep it.
void add_lookup(lua_State* L, luaL_Buffer* out, const PatternMatcher& matcher, const char* from, const char* to) {
  if (lua_type(L, 3) == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, matcher.push_captures(from, to), 1);
  } else {
    matcher.push_capture(0, from, to);
    lua_gettable(L, 3);
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(out, from, static_cast<std::size_t>(to - from));
  } else if (!lua_isstring(L, -1)) {
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  } else {
    luaL_addvalue(out);
  }
}

int gsub(lua_State* L) {
  const Text subject = text_argument(L, 1);
  Text pattern = text_argument(L, 2);
  const int kind = lua_type(L, 3);
  luaL_argexpected(L, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
                   "string/function/table");
  const lua_Integer most = luaL_optinteger(L, 4, static_cast<lua_Integer>(subject.size) + 1);
  const bool anchored = pattern.size > 0 && *pattern.data == '^';
  if (anchored) pattern = {pattern.data + 1, pattern.size - 1};
  charge(L, 8);
  PatternMatcher matcher(L, subject.data, subject.size, pattern.data, pattern.size);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  const char* s = subject.data;
  const char* last = nullptr;
  lua_Integer n = 0;
  while (n < most) {
    const char* end = matcher.match_at(s);
    if (end != nullptr && end != last) {
      ++n;
      const bool lookup = kind == LUA_TFUNCTION || kind == LUA_TTABLE;
      (lookup ? add_lookup : add_template)(L, &out, matcher, s, end);
      s = last = end;
    } else if (s < matcher.subject_end()) {
      luaL_addchar(&out, *s++);
    } else {
      break;
    }
    if (anchored) break;
  }
  luaL_addlstring(&out, s, static_cast<std::size_t>(matcher.subject_end() - s));
  luaL_pushresult(&out);
  lua_pushinteger(L, n);
  return 2;
}

}  // namespace

void install_patterns(lua_State* L) {
  const luaL_Reg functions[] = {
      {"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
}

}  // namespace coslice::luahost
