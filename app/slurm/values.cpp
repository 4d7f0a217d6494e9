#include "slurm/values.h"

#include <algorithm>

#include "core/text.h"
#include "core/time.h"
#include "machine/memory_amount.h"

namespace coslice::slurm {
namespace {

constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86'400;
constexpr std::int64_t kMostCount = 1'000'000'000'000;

/// "12:30" as {12, 30}; nothing unless all parts are numbers.
std::optional<std::vector<std::int64_t>> clock_parts(std::string_view text) {
  std::vector<std::int64_t> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    const auto part = whole_number(text.substr(0, colon));
    if (!part || parts.size() == 3) return {};
    parts.push_back(*part);
    if (colon == text.npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

/// A bounded span (outside_span).
Span span_of(std::int64_t seconds) { return {outside_span(seconds) / whole_seconds(1), false}; }

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && lower_case(a) == lower_case(b);
}

std::vector<std::string> list_items(std::string_view text) {
  std::vector<std::string> items;
  std::string item;
  int depth = 0;
  const auto take = [&] {  // quoted lists may have blanks beside the commas, which mean nothing to Slurm
    if (const std::string_view trimmed_item = trimmed(item); !trimmed_item.empty()) items.emplace_back(trimmed_item);
    item.clear();
  };
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c != ',' || depth > 0) {
      item += c;
      continue;
    }
    take();
  }
  take();
  return items;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto value = parse_number<std::int64_t>(text);
  return value && text.front() != '-' && *value <= kMostCount ? value : std::nullopt;
}

std::int64_t number_at_front(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const bool below = take_char(text, '-');
  if (!below) take_char(text, '+');
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  const std::int64_t number = digits.empty() ? 0 : whole_number(digits).value_or(kMostCount);
  return below ? -number : number;
}

std::optional<bool> yes_or_no(std::string_view text) {
  for (const char* yes : {"yes", "true", "up", "1"})
    if (same_word(text, yes)) return true;
  for (const char* no : {"no", "false", "down", "0"})
    if (same_word(text, no)) return false;
  return {};
}

std::optional<Span> read_span(std::string_view text) {
  if (same_word(text, "infinite") || same_word(text, "unlimited") || text == "-1") return Span{0, true};
  std::int64_t seconds = 0;
  if (const std::size_t dash = text.find('-'); dash != text.npos) {
    const auto days = whole_number(text.substr(0, dash));
    const auto parts = clock_parts(text.substr(dash + 1));
    if (!days || !parts) return {};
    seconds = *days * kDay;
    constexpr std::int64_t kUnits[] = {kHour, kMinute, 1};
    for (std::size_t i = 0; i < parts->size(); ++i) seconds += (*parts)[i] * kUnits[i];
    return span_of(seconds);
  }
  const auto parts = clock_parts(text);
  if (!parts) return {};
  if (parts->size() == 3) return span_of((*parts)[0] * kHour + (*parts)[1] * kMinute + (*parts)[2]);
  return span_of((*parts)[0] * kMinute + (parts->size() == 2 ? (*parts)[1] : 0));
}

std::optional<std::int64_t> read_mebibytes(std::string_view text) {
  std::int64_t kilobytes = 1024;
  if (!text.empty() && (text.back() < '0' || text.back() > '9')) {
    switch (lower_case(text).back()) {
      case 'k': kilobytes = 1; break;
      case 'm': break;
      case 'g': kilobytes = 1024 * 1024; break;
      case 't': kilobytes = 1024 * 1024 * 1024; break;
      default: return {};
    }
    text.remove_suffix(1);
  }
  const auto number = whole_number(text);
  if (!number || *number > 1'000'000'000) return {};
  return mib_on_each_node(*number * kilobytes, 1);
}

}  // namespace coslice::slurm
