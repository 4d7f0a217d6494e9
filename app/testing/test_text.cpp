#include "testing/test_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace coslice {
namespace {

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

}  // namespace

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

}  // namespace coslice
