#include "testing/junit.h"

#include <algorithm>

#include <fmt/format.h>

namespace coslice {
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

}  // namespace coslice
