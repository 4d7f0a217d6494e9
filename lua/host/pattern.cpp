#include "host/pattern.h"

#include <cstring>

#include "host/core.h"

namespace coslice::luahost {
namespace {

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

}  // namespace

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

}  // namespace coslice::luahost
