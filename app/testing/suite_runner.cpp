#include "testing/suite_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "output/new_file.h"
#include "report/tables/terminal.h"
#include "testing/suite.h"

namespace coslice {
namespace fs = std::filesystem;
namespace {

/// Length of the UTF-8 sequence at the beginning of the text, 0 if there is none that XML 1.0 allows.
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t n = first >= 0xC2 && first < 0xE0   ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  unsigned code = n == 0 ? 0 : first & (0xFFu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (n == 3 && code < 0x800) || (n == 4 && (code < 0x10000 || code > 0x10FFFF));
  const bool forbidden = (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF;
  return overlong || forbidden ? 0 : n;
}

std::string seconds(double s) { return fmt::format("{:.6f}", s); }

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += l + "\n";
  return out;
}

std::string failure_text(const CaseResult& c) {
  std::string out;
  for (const Diagnostic& d : c.failures) out += d.message() + "\n";
  return out + joined(c.notes);
}

std::string testcase(const SuiteResult& suite, const CaseResult& c) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"{}\"",
                  xml_text(suite.file), xml_text(c.name), xml_text(suite.file), c.line, seconds(c.seconds));
  std::string inside;
  if (c.status == CaseStatus::kFailed) {
    const std::string message = c.failures.empty() ? "" : c.failures.front().problem;
    inside += fmt::format("      <failure message=\"{}\">{}</failure>\n", xml_text(message), xml_text(failure_text(c)));
  } else if (c.status != CaseStatus::kPassed) {
    inside += fmt::format("      <skipped message=\"{}\"/>\n", xml_text(c.reason));
  }
  if (!c.output.empty()) inside += fmt::format("      <system-out>{}</system-out>\n", xml_text(joined(c.output)));
  return inside.empty() ? out + "/>\n" : out + ">\n" + inside + "    </testcase>\n";
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

Counts counts_of(const SuiteResult& s) {
  Counts n;
  n.tests = s.cases.size() + (s.load_error.empty() ? 0 : 1);
  n.errors = s.load_error.empty() ? 0 : 1;
  for (const CaseResult& c : s.cases) {
    if (c.status == CaseStatus::kFailed) ++n.failures;
    else if (c.status != CaseStatus::kPassed) ++n.skipped;
  }
  return n;
}

std::string xml_attributes(const Counts& n, double time) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"", n.tests, n.failures,
                     n.errors, n.skipped, seconds(time));
}

std::string testsuite(const SuiteResult& s) {
  std::string out =
      fmt::format("  <testsuite name=\"{}\" {}>\n", xml_text(s.file), xml_attributes(counts_of(s), s.seconds));
  if (!s.load_error.empty()) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"(loading)\" file=\"{}\" time=\"{}\">\n", xml_text(s.file),
                       xml_text(s.file), seconds(s.seconds));
    out += fmt::format("      <error message=\"{}\">{}</error>\n    </testcase>\n",
                       xml_text(s.load_error.substr(0, s.load_error.find('\n'))), xml_text(s.load_error));
  }
  for (const CaseResult& c : s.cases) out += testcase(s, c);
  return out + "  </testsuite>\n";
}

class TestText {
 public:
  /// `files`: all suites, for aligned columns.
  TestText(const std::vector<std::string>& files, bool colour, bool verbose);

  /// Returns a line for the suite, then what went wrong in it. "" if the filter left nothing of it.
  std::string suite(const SuiteResult& s) const;
  /// Returns the totals: "12 passed, 1 failed, 0 skipped in 0.31 s".
  std::string totals(const TestReport& report) const;

 private:
  std::string head(const SuiteResult& s) const;
  std::string case_text(const CaseResult& c) const;
  std::string failure(const CaseResult& c) const;
  std::string counts(const std::vector<std::int64_t>& by_status, std::int64_t unloadable, bool all) const;

  std::size_t width_ = 0;
  bool colour_, verbose_;
};

struct StatusWord {
  CaseStatus status;
  const char* word;
  Tone tone;
};
constexpr StatusWord kWords[] = {{CaseStatus::kPassed, "passed", Tone::kGood},
                                 {CaseStatus::kFailed, "failed", Tone::kBad},
                                 {CaseStatus::kSkipped, "skipped", Tone::kWarning},
                                 {CaseStatus::kPending, "pending", Tone::kWarning},
                                 {CaseStatus::kLeftOut, "left out", Tone::kWarning}};

const StatusWord& word_of(CaseStatus s) { return kWords[static_cast<std::size_t>(s)]; }

/// Each line behind that many spaces.
std::string indented(const std::string& text, std::size_t by) {
  const std::string space(by, ' ');
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (end > from) out += space + text.substr(from, end - from);
    out += '\n';
    from = end + 1;
  }
  return out;
}

std::vector<std::int64_t> by_status(const std::vector<CaseResult>& cases) {
  std::vector<std::int64_t> n(std::size(kWords));
  for (const CaseResult& c : cases) ++n[static_cast<std::size_t>(c.status)];
  return n;
}

TestText::TestText(const std::vector<std::string>& files, bool colour, bool verbose)
    : colour_(colour), verbose_(verbose) {
  constexpr std::size_t kWidest = 60;
  for (const std::string& f : files) width_ = std::max(width_, std::min(kWidest, display_width(f)));
}

/// Counts that are not zero; with `all`, passed, failed and skipped in any case.
std::string TestText::counts(const std::vector<std::int64_t>& n, std::int64_t unloadable, bool all) const {
  std::string out;
  for (const StatusWord& w : kWords) {
    const std::int64_t count = n[static_cast<std::size_t>(w.status)];
    if (count == 0 && !(all && w.status <= CaseStatus::kSkipped)) continue;
    const std::string text = fmt::format("{} {}", count, w.word);
    out += (out.empty() ? "" : ", ") + paint(text, count > 0 ? w.tone : Tone::kPlain, colour_);
  }
  if (unloadable > 0) {
    const std::string text = fmt::format("{} suite{} not loaded", unloadable, unloadable == 1 ? "" : "s");
    out += (out.empty() ? "" : ", ") + paint(text, Tone::kBad, colour_);
  }
  return out;
}

std::string TestText::head(const SuiteResult& s) const {
  std::string line = pad_right(s.file, width_) + "  " + counts(by_status(s.cases), s.load_error.empty() ? 0 : 1, false);
  if (s.goldens_written > 0) line += fmt::format(", {} golden snapshots written", s.goldens_written);
  return line + paint(fmt::format("  {:.2f} s", s.seconds), Tone::kDim, colour_) + "\n";
}

std::string TestText::failure(const CaseResult& c) const {
  std::string out;
  for (const Diagnostic& d : c.failures) out += indented(printable(d.message()), 4);
  for (const std::string& note : c.notes) out += indented(printable(note), 4);
  return out;
}

std::string TestText::case_text(const CaseResult& c) const {
  const bool failed = c.status == CaseStatus::kFailed;
  const bool not_run = c.status == CaseStatus::kSkipped || c.status == CaseStatus::kPending;
  if (!failed && !verbose_ && !not_run) return "";
  const StatusWord& w = word_of(c.status);
  std::string line = "  " + paint(w.word, w.tone, colour_) + ": " + printable(c.name);
  if (!c.reason.empty() && !failed) line += " (" + printable(c.reason) + ")";
  if (verbose_ && !c.remark.empty()) line += " (" + c.remark + ")";
  if (verbose_ && c.seconds > 0) line += paint(fmt::format("  {:.1f} ms", c.seconds * 1e3), Tone::kDim, colour_);
  std::string out = line + "\n" + failure(c);
  if (!failed && !verbose_) return out;
  for (const std::string& printed : c.output) out += indented("| " + printable(printed), 4);
  return out;
}

std::string TestText::suite(const SuiteResult& s) const {
  if (s.cases.empty() && s.load_error.empty()) return "";
  std::string out = head(s);
  if (!s.load_error.empty()) out += indented(printable(s.load_error), 2);
  for (const std::string& w : s.warnings)
    out += "  " + paint("warning", Tone::kWarning, colour_) + ": " + printable(w) + "\n";
  for (const CaseResult& c : s.cases) out += case_text(c);
  return out;
}

std::string TestText::totals(const TestReport& report) const {
  std::vector<std::int64_t> n;
  for (const StatusWord& w : kWords) n.push_back(report.count(w.status));
  std::string out = "\n" + counts(n, report.unloadable(), true) + fmt::format(" in {:.2f} s\n", report.seconds);
  if (n[static_cast<std::size_t>(CaseStatus::kLeftOut)] > 0)
    out += "left out: `only` marks other cases; take it away when you are done\n";
  return out;
}

bool is_suite(const fs::path& p) {
  constexpr std::string_view kEnding = "_test.lua";
  const std::string name = p.filename().string();
  return name.size() > kEnding.size() && name.compare(name.size() - kEnding.size(), kEnding.size(), kEnding) == 0;
}

/// Folders of tools, and copies that a build makes.
bool is_passed_over(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.size() > 1 && (name == "build" || name.front() == '.');
}

void add_below(const fs::path& folder, std::vector<std::string>& found) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && is_passed_over(at->path())) at.disable_recursion_pending();
    else if (at->is_regular_file(ignored) && is_suite(at->path()))
      found.push_back(at->path().lexically_normal().string());
  }
}

void add(const std::string& path, std::vector<std::string>& found) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {
    found.push_back(fs::path(path).lexically_normal().string());
    return;
  }
  if (!fs::is_directory(path, ignored)) {
    throw InputError({path, 0, "there is no such file or folder", "a suite, or a folder with suites"});
  }
  const std::size_t before = found.size();
  add_below(path, found);
  if (found.size() != before) return;
  throw InputError({path, 0, "there is no suite in this folder", "files whose names end in _test.lua"});
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

SuiteResult run_suite(const std::string& path, const TestOptions& options) {
  const auto start = Clock::now();
  SuiteResult result;
  result.file = path;
  try {
    Suite suite(path, {options.update, options.seed, options.times, options.limits});
    for (std::size_t i = 0; i != suite.size(); ++i) {
      if (matches_filter(suite.name(i), options.filter)) result.cases.push_back(suite.run(i));
      else ++result.filtered_out;
    }
    result.goldens_written = suite.goldens_written();
    result.warnings = suite.warnings();
  } catch (const std::exception& e) {
    result.load_error = e.what();
  }
  result.seconds = seconds_since(start);
  return result;
}

/// Takes results in any order and reports them in the order of the files.
class OrderedReport {
 public:
  OrderedReport(std::vector<SuiteResult>& results, std::function<void(const SuiteResult&)> show)
      : results_(results), ready_(results.size()), show_(std::move(show)) {}

  void add(std::size_t i, SuiteResult result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    results_[i] = std::move(result);
    ready_[i] = true;
    for (; next_ != ready_.size() && ready_[next_]; ++next_) show_(results_[next_]);
  }

 private:
  std::mutex mutex_;
  std::vector<SuiteResult>& results_;
  std::vector<bool> ready_;
  std::size_t next_ = 0;
  std::function<void(const SuiteResult&)> show_;
};

void run_all(const std::vector<std::string>& files, const TestOptions& options, OrderedReport& report) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded =
      [&](const auto& body) {  // what leaves a thread, or meets one that is not joined, ends the program
        try {
          body();
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex);
          if (!failure) failure = std::current_exception();
          next = files.size();
        }
      };
  const auto work = [&] {
    guarded([&] {
      for (std::size_t i; (i = next++) < files.size();) report.add(i, run_suite(files[i], options));
    });
  };
  const auto threads = std::min(static_cast<std::size_t>(std::max(options.jobs, 1)), files.size());
  std::vector<std::thread> others;
  guarded([&] {
    others.reserve(threads);
    while (others.size() + 1 < threads) others.emplace_back(work);
  });
  work();
  for (std::thread& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
}

void check_something_ran(const TestReport& report, const TestOptions& options) {
  if (report.unloadable() > 0) return;
  for (const SuiteResult& s : report.suites)
    if (!s.cases.empty()) return;
  if (options.filter.empty()) throw InputError({"", 0, "the suites have no cases", "it(\"...\", function() ... end)"});
  throw InputError({"", 0, fmt::format("no case matches '{}'", options.filter), "a part of its full name"});
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = sequence_length(text.substr(i));
    if (n == 0) out += "\xEF\xBF\xBD";
    else if (text[i] == '<') out += "&lt;";
    else if (text[i] == '>') out += "&gt;";
    else if (text[i] == '&') out += "&amp;";
    else if (text[i] == '"') out += "&quot;";
    else out += text.substr(i, n);
    i += std::max<std::size_t>(n, 1);
  }
  return out;
}

std::string junit_xml(const TestReport& report) {
  Counts all;
  for (const SuiteResult& s : report.suites) {
    const Counts n = counts_of(s);
    all.tests += n.tests;
    all.failures += n.failures;
    all.errors += n.errors;
    all.skipped += n.skipped;
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"coslice test\" {}>\n", xml_attributes(all, report.seconds));
  for (const SuiteResult& s : report.suites)
    if (!s.cases.empty() || !s.load_error.empty()) out += testsuite(s);
  return out + "</testsuites>\n";
}

std::vector<std::string> find_suites(const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  for (const std::string& path : paths) add(path, found);
  if (paths.empty()) add(".", found);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool matches_filter(std::string_view name, std::string_view filter) {
  std::string text, piece;
  for (char c : name) text += folded(c);
  std::size_t at = 0;
  for (std::size_t i = 0; i <= filter.size(); ++i) {
    if (i < filter.size() && filter[i] != '*') {
      piece += folded(filter[i]);
      continue;
    }
    at = text.find(piece, at);
    if (at == std::string::npos) return false;
    at += piece.size();
    piece.clear();
  }
  return true;
}

TestReport run_suites(const TestOptions& options, const std::function<void(std::string_view)>& out) {
  const auto start = Clock::now();
  const std::vector<std::string> files = find_suites(options.paths);
  const TestText text(files, options.colour, options.verbose);
  TestReport report;
  report.suites.resize(files.size());
  OrderedReport ordered(report.suites, [&](const SuiteResult& s) { out(text.suite(s)); });
  run_all(files, options, ordered);
  report.seconds = seconds_since(start);
  check_something_ran(report, options);
  out(text.totals(report));
  if (!options.junit.empty()) write_new_file(options.junit, junit_xml(report));
  return report;
}

}  // namespace coslice
