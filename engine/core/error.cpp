#include "core/error.h"

#include <algorithm>
#include <cstddef>

#include "core/text.h"

namespace coslice {
namespace {

// What a message quotes may be a file without line ends. Only scripts write several lines.
constexpr std::size_t kLongestPlace = 300, kLongestLine = 500, kLongestLines = 5000;

/// Optimal string alignment distance: insert, erase, replace, or swap two neighbours, each part of the text edited
/// at most once.
std::size_t alignment_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = above;
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The one name that `begins`, or "".
template <class F>
std::string only_name(const std::vector<std::string>& known, const F& begins) {
  std::string found;
  for (const auto& name : known) {
    if (!begins(lower_case(name))) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

/// The one name that begins with `typed`, else the one that begins with it but for one letter, or "". Two letters are
/// no hint, four with a wrong one neither.
std::string completed_name(const std::string& typed, const std::vector<std::string>& known) {
  if (typed.size() < 3) return "";
  std::string found = only_name(known, [&](const std::string& n) { return n.compare(0, typed.size(), typed) == 0; });
  if (!found.empty() || typed.size() < 5) return found;
  return only_name(known, [&](const std::string& n) {
    for (const std::size_t length : {typed.size() - 1, typed.size(), typed.size() + 1})
      if (n.size() > length && alignment_distance(typed, n.substr(0, length)) == 1) return true;
    return false;
  });
}

}  // namespace

std::string Diagnostic::message() const {
  std::string out = shortened(file, kLongestPlace);
  if (line > 0) out += (out.empty() ? "line " : ":") + std::to_string(line);
  if (!out.empty()) out += ": ";
  out += shortened(problem, problem.find('\n') == std::string::npos ? kLongestLine : kLongestLines);
  if (!expected.empty()) out += "; expected " + expected;
  if (!suggestion.empty()) out += "; " + suggestion;
  if (!detail.empty()) out += "\n" + detail;
  return out;
}

std::string nearest_name(std::string_view typed, const std::vector<std::string>& known) {
  const std::string wanted = lower_case(typed);
  const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 3);
  std::size_t best = allowed + 1;
  std::string found;
  for (const auto& name : known) {
    const std::size_t distance = alignment_distance(wanted, lower_case(name));
    // Names that differ in every letter are not near, however short they are.
    if (distance < best && distance < std::max(wanted.size(), name.size())) {
      best = distance;
      found = name;
    }
  }
  return found.empty() ? completed_name(wanted, known) : found;
}

std::string misspelt_name(std::string_view typed, const std::vector<std::string>& known) {
  const std::string wanted = lower_case(typed);
  std::size_t best = 3;  // one more than is allowed
  std::string found;
  for (const auto& name : known) {
    const std::size_t distance = alignment_distance(wanted, lower_case(name));
    if (distance == 0) return "";
    const std::size_t allowed = std::max(wanted.size(), name.size()) < 8 ? 1 : 2;
    if (distance >= best || distance > allowed || distance >= wanted.size()) continue;
    best = distance;
    found = name;
  }
  return found;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  const std::string name = nearest_name(typed, known);
  return name.empty() ? "" : "did you mean '" + name + "'?";
}

}  // namespace coslice
