// Lua patterns, matched with a count of the steps: Lua's own matcher needs exponential time for some patterns and
// cannot be interrupted. Same language and same results (tests compare the two).
#pragma once

#include <cstddef>

struct lua_State;

namespace coslice::luahost {

/// One pattern on one subject. Raises Lua errors for malformed patterns and, through charge(), for limits.
/// REQUIRES: both texts end with a zero byte behind their end, as Lua strings do.
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

}  // namespace coslice::luahost
