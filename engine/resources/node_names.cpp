#include "resources/node_names.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unordered_set>

#include <fmt/format.h>

namespace coslice {
namespace {

constexpr const char* kForm = "names such as \"n[001-128]\" or \"gpu[1-4,7],big1\"";

class Reader {
 public:
  Reader(const std::string& text, const Place& place, std::size_t most) : text_(text), place_(place), most_(most) {}

  std::vector<std::string> read() {
    for (;;) {
      read_item();
      if (at_ == text_.size()) break;
      if (text_[at_] != ',') fail(fmt::format("'{}' does not belong there", text_[at_]));
      ++at_;
    }
    check_distinct();
    return std::move(names_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_at(place_, fmt::format("'{}' names no nodes: {}", text_, what), kForm);
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string read_plain() {
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '[' && text_[at_] != ']' && text_[at_] != ' ')
      ++at_;
    return text_.substr(from, at_ - from);
  }

  /// One name, or a pattern with any number of brackets: "r[1-2]n[01-16]".
  void read_item() {
    skip_blanks();
    std::vector<std::string> heads = {""};
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ' ') {
      std::vector<std::string> tails;
      if (text_[at_] == '[') tails = read_brackets();
      else if (text_[at_] == ']') fail("a ']' without '['");
      else tails = {read_plain()};
      if (heads.size() * tails.size() > most_) too_many();
      std::vector<std::string> joined;
      for (const std::string& head : heads)
        for (const std::string& tail : tails) joined.push_back(head + tail);
      heads = std::move(joined);
    }
    if (at_ == from) fail("a name is empty");
    skip_blanks();
    names_.insert(names_.end(), heads.begin(), heads.end());
    if (names_.size() > most_) too_many();
  }

  [[noreturn]] void too_many() const {
    fail_at(place_, fmt::format("'{}' stands for too many nodes", text_), fmt::format("at most {}", most_));
  }

  std::vector<std::string> read_brackets() {
    std::vector<std::string> out;
    do {
      ++at_;  // '[' or ','
      const std::string low = read_digits();
      std::string high = low;
      if (at_ < text_.size() && text_[at_] == '-') {
        ++at_;
        high = read_digits();
      }
      append_range(low, high, out);
    } while (at_ < text_.size() && text_[at_] == ',');
    if (at_ == text_.size() || text_[at_] != ']') fail("a '[' is not closed");
    ++at_;
    return out;
  }

  std::string read_digits() {
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (at_ == from) fail("a number is missing in the brackets");
    if (at_ - from > 9) fail("a number in the brackets is too long");
    return text_.substr(from, at_ - from);
  }

  void append_range(const std::string& low, const std::string& high, std::vector<std::string>& out) const {
    std::int64_t from = 0, to = 0;
    std::from_chars(low.data(), low.data() + low.size(), from);
    std::from_chars(high.data(), high.data() + high.size(), to);
    if (to < from) fail(fmt::format("the range {}-{} runs backwards", low, high));
    if (static_cast<std::size_t>(to - from) >= most_) too_many();
    for (std::int64_t i = from; i <= to; ++i) out.push_back(fmt::format("{:0{}}", i, low.size()));
  }

  void check_distinct() const {
    std::unordered_set<std::string> seen;
    for (const std::string& name : names_)
      if (!seen.insert(name).second) fail(fmt::format("'{}' stands twice in it", name));
  }

  const std::string& text_;
  const Place& place_;
  std::size_t most_;
  std::size_t at_ = 0;
  std::vector<std::string> names_;
};

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) != 0 || std::string_view("_-.:+@/").find(c) != std::string_view::npos;
  });
}

std::vector<std::string> expand_node_names(const std::string& text, const Place& place, std::size_t most) {
  return Reader(text, place, most).read();
}

namespace {

/// A name taken apart at its last number: "r1n01x" is "r1n", "01", "x".
struct NameParts {
  std::string head, digits, tail;
};

NameParts take_apart(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto last = std::find_if(name.rbegin(), name.rend(), is_digit).base();
  auto first = last;
  while (first != name.begin() && is_digit(first[-1]) && last - first < 9) --first;
  return {std::string(name.begin(), first), std::string(first, last), std::string(last, name.end())};
}

std::int64_t number_of(const std::string& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

}  // namespace

std::string compress_node_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    const NameParts first = take_apart(names[i]);
    std::string list;
    // Ranges after the same letters, as long as names go on in that form.
    std::size_t end = i;
    while (end < names.size() && !first.digits.empty()) {
      const NameParts from = take_apart(names[end]);
      if (from.head != first.head || from.tail != first.tail || from.digits.size() != first.digits.size()) break;
      std::string last = from.digits;
      std::size_t next = end + 1;
      for (; next < names.size(); ++next) {
        const NameParts p = take_apart(names[next]);
        if (p.head != first.head || p.tail != first.tail || p.digits.size() != first.digits.size()) break;
        if (number_of(p.digits) != number_of(last) + 1) break;
        last = p.digits;
      }
      list += (list.empty() ? "" : ",") + from.digits + (last == from.digits ? "" : "-" + last);
      end = next;
    }
    if (!out.empty()) out += ',';
    if (end <= i + 1) out += names[i];
    else out += first.head + "[" + list + "]" + first.tail;
    i = std::max(end, i + 1);
  }
  return out;
}

}  // namespace coslice
