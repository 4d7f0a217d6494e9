#include "slurm/yaml_scalars.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "output/summary_json.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// A text without quotes and brackets.
Value plain_value(const std::string& text, const Place& place) {
  for (const char mark : {'&', '*', '|', '>', '!', '@', '`', '%'})
    if (text.front() == mark)
      fail_at(place, fmt::format("'{}' is not read here", printable(shortened(text, 40))),
              "plain texts, numbers and lists");
  if (same_word(text, "true") || same_word(text, "yes")) return true;
  if (same_word(text, "false") || same_word(text, "no")) return false;
  if (text == "~" || same_word(text, "null")) return {};
  if (const auto number = whole_number(text); number && std::to_string(*number) == text) return *number;
  return text;
}

/// What stands in brackets, and in quotes.
class FlowReader {
 public:
  FlowReader(const std::string& text, const Place& place) : text_(text), place_(place) {}

  Value all() {
    Value out = value();
    skip_blanks();
    if (at_ != text_.size())
      fail_at(place_, fmt::format("'{}' follows what ends before it", printable(shortened(text_.substr(at_), 40))),
              "nothing there");
    return out;
  }

 private:
  void skip_blanks() {
    for (; at_ != text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos; ++at_)
      place_.line += text_[at_] == '\n' ? 1 : 0;
  }
  char next() {
    skip_blanks();
    return at_ == text_.size() ? '\0' : text_[at_];
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  Value value() {
    const char c = next();
    const Place place = place_;
    Value out = c == '['                ? list()
                : c == '{'              ? table()
                : c == '"' || c == '\'' ? Value(quoted())
                                        : plain(plain_text(false));
    out.place = place;
    return out;
  }

  Value plain(const std::string& text) const {
    if (text.empty()) fail_at(place_, "a comma or a bracket stands where a value is to be", "a value");
    return plain_value(text, place_);
  }

  Value list() {
    Value out(Value::List{});
    ++at_;
    while (!take(']')) {
      out.list()->push_back(value());
      if (!take(',') && next() != ']') fail_at(place_, "a list is not closed", "a comma or ] behind its item");
    }
    return out;
  }

  Value table() {
    Value out = Value::table();
    ++at_;
    while (!take('}')) {
      const char c = next();
      const std::string key = c == '"' || c == '\'' ? quoted() : plain_text(true);
      if (!take(':')) fail_at(place_, fmt::format("'{}' says nothing", printable(shortened(key, 40))), "KEY: VALUE");
      if (out.find(key) != nullptr) fail_at(place_, fmt::format("'{}' appears twice", printable(key)), "it once");
      Value below = next() == ',' || next() == '}' ? Value() : value();
      if (below.is_nil()) below.place = place_;
      out.set(key, std::move(below));
      if (!take(',') && next() != '}') fail_at(place_, "a table is not closed", "a comma or } behind its value");
    }
    return out;
  }

  /// Up to what ends it; lists of hosts have brackets of their own.
  std::string plain_text(bool key) {
    skip_blanks();
    const std::size_t begin = at_;
    int depth = 0;
    for (; at_ != text_.size(); ++at_) {
      const char c = text_[at_];
      const char behind = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
      const bool colon = c == ':' && std::string_view(" \t\n,]}").find(behind) != std::string_view::npos;
      if (c == '\n' || (depth == 0 && (c == ',' || c == ']' || c == '}' || (key && colon)))) break;
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    return std::string(trimmed(std::string_view(text_).substr(begin, at_ - begin)));
  }

  std::string quoted() {
    const char quote = text_[at_];
    const std::size_t begin = at_++;
    while (at_ != text_.size() && text_[at_] != quote) at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) fail_at(place_, "unterminated quote", fmt::format("a closing {}", quote));
    ++at_;
    return yaml_key(text_.substr(begin, at_ - begin));
  }

  const std::string& text_;
  Place place_;
  std::size_t at_ = 0;
};

}  // namespace

std::string yaml_key(const std::string& text) {
  if (text.size() < 2 || text.front() != text.back() || (text[0] != '"' && text[0] != '\'')) return text;
  if (text[0] == '"' && text.find('\\') != text.npos) {
    try {
      return *value_from_json(text).text();
    } catch (const std::exception&) {  // an escape that YAML has and JSON has not
    }
  }
  return text.substr(1, text.size() - 2);
}

Value yaml_scalar(const std::string& text, const Place& place) {
  if (std::string_view("[{\"'").find(text.front()) != std::string_view::npos) return FlowReader(text, place).all();
  Value out = plain_value(text, place);
  out.place = place;
  return out;
}

}  // namespace coslice::slurm
