#include "testing/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "report/markup.h"

namespace coslice {
namespace {

using Lines = std::vector<std::string>;
using LineNumber = std::ptrdiff_t;

/// Lines `before` to `before_end` of one text gave way to `now` to `now_end` of the other.
struct Hunk {
  LineNumber before, before_end, now, now_end;
  LineNumber removed() const { return before_end - before; }
  LineNumber added() const { return now_end - now; }
};

/// A line without what only says how wide the table is.
std::string squeezed(const std::string& line) {
  std::string out;
  for (const char c : line)
    if ((c != ' ' && c != '-') || out.empty() || out.back() != c) out += c;
  return out;
}

Lines squeezed(const Lines& lines) {
  Lines out;
  for (const std::string& l : lines) out.push_back(squeezed(l));
  return out;
}

void take_in(std::vector<Hunk>& hunks, const Hunk& step) {
  if (hunks.empty() || hunks.back().before_end != step.before || hunks.back().now_end != step.now) {
    hunks.push_back(step);
    return;
  }
  hunks.back().before_end = step.before_end;
  hunks.back().now_end = step.now_end;
}

/// Myers' greedy search for the shortest script of removed and added lines. furthest[d][k + d]: how far in `a` one gets
/// with d of them, k more removed than added. Nothing where the texts have too little in common.
class ShortestScript {
 public:
  ShortestScript(const Lines& a, const Lines& b)
      : a_(a), b_(b), rows_(static_cast<LineNumber>(a.size())), columns_(static_cast<LineNumber>(b.size())) {}

  std::optional<std::vector<Hunk>> hunks() {
    constexpr LineNumber kMost = 1000;
    for (LineNumber d = 0; d <= std::min(rows_ + columns_, kMost); ++d)
      if (reaches_end(d)) return back_from(d);
    return {};
  }

 private:
  /// Whether a step on diagonal k comes from above (a line added) rather than from the left.
  bool adds(const std::vector<LineNumber>& last, LineNumber d, LineNumber k) const {
    return k == -d || (k != d && last[static_cast<std::size_t>(k + d - 2)] < last[static_cast<std::size_t>(k + d)]);
  }

  /// Where d - 1 changes lead, so that the d-th begins there; in a frame where index k + d is diagonal k - 1.
  LineNumber before_step(LineNumber d, LineNumber k) const {
    const std::vector<LineNumber>& last = furthest_[static_cast<std::size_t>(d - 1)];
    return last[static_cast<std::size_t>(adds(last, d, k) ? k + d : k + d - 2)];
  }

  bool reaches_end(LineNumber d) {
    furthest_.emplace_back(static_cast<std::size_t>(2 * d + 1), -1);
    for (LineNumber k = -d; k <= d; k += 2) {
      LineNumber x = 0;
      if (d > 0) x = before_step(d, k) + (adds(furthest_[static_cast<std::size_t>(d - 1)], d, k) ? 0 : 1);
      while (x < rows_ && x - k < columns_ && a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(x - k)])
        ++x;
      furthest_.back()[static_cast<std::size_t>(k + d)] = x;
      if (x >= rows_ && x - k >= columns_) return true;
    }
    return false;
  }

  std::vector<Hunk> back_from(LineNumber d) const {
    std::vector<Hunk> steps;
    for (LineNumber k = rows_ - columns_; d > 0; --d) {
      const bool added = adds(furthest_[static_cast<std::size_t>(d - 1)], d, k);
      const LineNumber x = before_step(d, k), above = added ? k + 1 : k - 1;
      steps.push_back({x, added ? x : x + 1, x - above, added ? x - above + 1 : x - above});
      k = above;
    }
    std::vector<Hunk> hunks;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) take_in(hunks, *step);
    return hunks;
  }

  const Lines &a_, &b_;
  const LineNumber rows_, columns_;
  std::vector<std::vector<LineNumber>> furthest_;
};

/// All between equal beginnings and ends.
Hunk one_block(const Lines& before, const Lines& now) {
  const auto first = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
  Hunk block{first.first - before.begin(), static_cast<LineNumber>(before.size()), first.second - now.begin(),
             static_cast<LineNumber>(now.size())};
  while (block.removed() > 0 && block.added() > 0 &&
         before[static_cast<std::size_t>(block.before_end - 1)] == now[static_cast<std::size_t>(block.now_end - 1)])
    --block.before_end, --block.now_end;
  return block;
}

/// Removed and added lines, each kind up to a dozen.
class Shown {
 public:
  void show(const Lines& before, const Lines& now, const Hunk& h, bool in_pairs) {
    const LineNumber pairs = in_pairs ? h.removed() : 0;
    for (LineNumber i = 0; i < pairs; ++i) {
      removed_.add(text_, '-', before, h.before + i);
      added_.add(text_, '+', now, h.now + i);
    }
    for (LineNumber i = h.before + pairs; i < h.before_end; ++i) removed_.add(text_, '-', before, i);
    for (LineNumber i = h.now + pairs; i < h.now_end; ++i) added_.add(text_, '+', now, i);
  }
  void heading(LineNumber line) {
    if (removed_.room() || added_.room()) text_ += fmt::format("\nline {}:", line + 1);
  }
  std::string text() const { return text_ + removed_.more('-') + added_.more('+'); }

 private:
  struct Side {
    static constexpr int kMost = 12;
    int lines = 0;
    bool room() const { return lines < kMost; }
    void add(std::string& out, char sign, const Lines& from, LineNumber i) {
      if (++lines <= kMost) out += fmt::format("\n{} {}", sign, from[static_cast<std::size_t>(i)]);
    }
    std::string more(char sign) const {
      return lines > kMost ? fmt::format("\n{} ... {} more lines", sign, lines - kMost) : "";
    }
  };
  std::string text_;
  Side removed_, added_;
};

}  // namespace

std::string line_difference(const Lines& before, const Lines& now) {
  Lines a = squeezed(before), b = squeezed(now);
  if (a == b) a = before, b = now;
  const std::vector<Hunk> hunks = ShortestScript(a, b).hunks().value_or(std::vector{one_block(a, b)});
  LineNumber removed = 0, added = 0;
  for (const Hunk& h : hunks) removed += h.removed(), added += h.added();
  const bool in_pairs = std::all_of(hunks.begin(), hunks.end(), [](const Hunk& h) { return h.removed() == h.added(); });
  Shown shown;
  for (const Hunk& h : hunks) {
    if (!in_pairs) shown.heading(h.now);
    shown.show(before, now, h, in_pairs);
  }
  if (in_pairs)
    return fmt::format("{} of {} differ:", removed, counted(static_cast<std::int64_t>(before.size()), "line")) +
           shown.text();
  return fmt::format("{} removed, {} added:", counted(removed, "line"), grouped(added)) + shown.text();
}

}  // namespace coslice
