#include "testing/snapshot.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "core/time.h"
#include "report/files/new_file.h"
#include "report/tables/table.h"
#include "testing/line_diff.h"

namespace coslice {

namespace fs = std::filesystem;

namespace {

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
  return fmt::format("the golden snapshot {} says something else; --update takes this over if it is meant:\n{}", path,
                     line_difference(before, now));
}

}  // namespace coslice
