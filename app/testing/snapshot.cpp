#include "testing/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "core/time.h"
#include "output/new_file.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {
namespace fs = std::filesystem;
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

std::string instant(Time t) { return t == kNever ? "-" : format_seconds(t.time_since_epoch()); }

std::string job_lines(const TestRun& run) {
  std::vector<Column> columns;
  for (const char* title : {"job", "submit", "nodes", "runtime", "start", "finish"})
    columns.push_back({title, true, "", false});
  for (const char* title : {"state", "allocated"}) columns.push_back({title, false, "", false});
  Table table(columns);
  for (std::size_t i = 0; i != run.order.size(); ++i) {
    const Job& job = run.job(i);
    const Outcome& o = run.outcome(i);
    table.add_row({fmt::format("{}", job.id), instant(job.submit), fmt::format("{}", run.nodes(i)),
                   format_seconds(job.runtime), instant(o.start), instant(o.end), state_name(o.state),
                   run.allocated(i)});
  }
  return table.render(TableStyle::kPlain);
}

std::string stats_line(const char* quantity, const Stats& s) {
  return fmt::format("{}: mean {:.6g}, median {:.6g}, p95 {:.6g}, max {:.6g}\n", quantity, s.mean, s.median, s.p95,
                     s.max);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string line = text.substr(from, end - from);
    if (!line.empty() && line.back() == '\r') line.pop_back();  // from a checkout with CRLF
    lines.push_back(std::move(line));
    from = end + 1;
  }
  return lines;
}

/// The beginning of a text that is too long to show.
std::string beginning(const std::string& text) {
  constexpr std::size_t kMost = 20;
  const std::vector<std::string> lines = lines_of(text);
  if (lines.size() <= kMost) return text;
  std::string out;
  for (std::size_t i = 0; i != kMost; ++i) out += lines[i] + "\n";
  return out + fmt::format("... {} more lines\n", lines.size() - kMost);
}

void check_name(const std::string& name) {
  const char* const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  if (!name.empty() && name.size() <= 100 && name.front() != '.' &&
      name.find_first_not_of(allowed) == std::string::npos)
    return;
  throw InputError(
      {"", 0, fmt::format("\"{}\" is not a name for a golden snapshot", name), "letters, digits, '_', '-', '.'"});
}

void write_golden(const std::string& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  write_new_file(path, text);
}

}  // namespace

std::string line_difference(const Lines& before, const Lines& now) {
  Lines a = squeezed(before), b = squeezed(now);
  if (a == b) a = before, b = now;
  const std::vector<Hunk> hunks = ShortestScript(a, b).hunks().value_or(std::vector{one_block(a, b)});
  LineNumber removed = 0, added = 0;
  for (const Hunk& h : hunks) removed += h.removed(), added += h.added();
  const bool in_pairs = std::ranges::all_of(hunks, [](const Hunk& h) { return h.removed() == h.added(); });
  Shown shown;
  for (const Hunk& h : hunks) {
    if (!in_pairs) shown.heading(h.now);
    shown.show(before, now, h, in_pairs);
  }
  if (in_pairs) return fmt::format("{} of {} differ:", removed, counted(std::ssize(before), "line")) + shown.text();
  return fmt::format("{} removed, {} added:", counted(removed, "line"), grouped(added)) + shown.text();
}

std::string snapshot_of(const TestRun& run) {
  const Summary& s = run.run.summary;
  std::string out = fmt::format("policy {} on {} nodes\n", run.run.policy.name, run.runner->machine().nodes);
  out += fmt::format("{} jobs: {} finished ({} killed), {} rejected\n", s.jobs, s.finished, s.killed, s.rejected);
  out += fmt::format("makespan {:.6g} s, utilization {:.6g}, mean queue {:.6g}\n", s.makespan, s.utilization,
                     s.mean_queue);
  out += stats_line("wait", s.all.wait) + stats_line("response", s.all.response);
  out += stats_line("bounded slowdown", s.all.bounded_slowdown);
  return out + "\n" + job_lines(run);
}

std::string golden_path(const SuiteContext& suite, const std::string& name) {
  constexpr std::string_view kEnding = "_test";
  std::string stem = fs::path(suite.path).stem().string();
  if (stem.size() > kEnding.size() && stem.compare(stem.size() - kEnding.size(), kEnding.size(), kEnding) == 0) {
    stem.erase(stem.size() - kEnding.size());
  }
  return (fs::path(suite.folder) / "golden" / (stem + "." + name + ".txt")).string();
}

std::optional<std::string> check_golden(SuiteContext& suite, const std::string& name, const std::string& text) {
  check_name(name);
  const std::string path = golden_path(suite, name);
  std::ifstream in(path, std::ios::binary);
  const bool there = in.is_open();
  const std::string golden{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (suite.update) {
    if (there && golden == text) return std::nullopt;
    write_golden(path, text);
    ++suite.goldens_written;
    return std::nullopt;
  }
  if (!there) return fmt::format("there is no golden snapshot {} yet; --update writes it:\n{}", path, beginning(text));
  const std::vector<std::string> before = lines_of(golden), now = lines_of(text);
  if (before == now) return std::nullopt;
  return fmt::format("the golden snapshot {} differs; --update accepts the new result:\n{}", path,
                     line_difference(before, now));
}

}  // namespace coslice
