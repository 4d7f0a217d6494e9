#include "slurm/yaml.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "formats/trace_file.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

constexpr std::string_view kYamlBlanks = " \t\r";

struct Line {
  std::size_t indent = 0;
  std::string text;
  Place place;
};

/// Where the first of `wanted` stands that is in no quotes and in no brackets; npos: nowhere.
template <class Wanted>
std::size_t find_bare(std::string_view text, const Wanted& wanted) {
  char quote = 0;
  int depth = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (depth == 0 && wanted(i)) return i;
    if (c == '"' || c == '\'') quote = c;
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
  }
  return text.npos;
}

std::string without_comment(const std::string& line) {
  const std::size_t mark = find_bare(line, [&](std::size_t i) {
    return line[i] == '#' && (i == 0 || kYamlBlanks.find(line[i - 1]) != kYamlBlanks.npos);
  });
  std::string out = line.substr(0, mark);
  while (!out.empty() && kYamlBlanks.find(out.back()) != kYamlBlanks.npos) out.pop_back();
  return out;
}

std::vector<Line> lines_of(const std::string& path) {
  const std::string text(without_byte_order_mark(read_packed(path)));
  const auto source = std::make_shared<const Source>(Source{path, std::filesystem::path(path).parent_path().string()});
  std::vector<Line> out;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = without_comment(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    const std::size_t first = line.find_first_not_of(kYamlBlanks);
    if (first == line.npos || line[0] == '%' || line == "---" || line == "...") continue;
    if (line.find('\t') < first) fail_at({source, number}, "a line begins with a tab", "blanks before what YAML says");
    out.push_back({first, line.substr(first), {source, number}});
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::vector<Line> lines) : lines_(std::move(lines)) {}

  Value read() {
    Value all = block(0);
    if (at_ != lines_.size()) fail_at(here().place, "stands further left than what it belongs to", "blanks as above");
    return all;
  }

 private:
  const Line& here() const { return lines_[at_]; }
  static bool is_item(const Line& line) { return line.text == "-" || line.text.starts_with("- "); }

  /// What stands at this indent, or further to the right.
  Value block(std::size_t least) {
    if (at_ == lines_.size() || here().indent < least) return {};
    const std::size_t indent = here().indent;
    if (is_item(here())) return sequence(indent);
    if (colon_of(here().text) != std::string::npos) return mapping(indent);
    const Line& line = lines_[at_++];
    return scalar(line.text, line.place);
  }

  Value sequence(std::size_t indent) {
    Value out(Value::List{});
    out.place = here().place;
    while (at_ != lines_.size() && here().indent == indent && is_item(here())) {
      Line& line = lines_[at_];
      const std::size_t begin = line.text.find_first_not_of(' ', 1);
      if (begin == line.text.npos) {
        ++at_;
        out.list()->push_back(block(indent + 1));
        continue;
      }
      line.indent += begin;
      line.text.erase(0, begin);
      out.list()->push_back(block(indent + 1));
    }
    check_place(indent);
    return out;
  }

  Value mapping(std::size_t indent) {
    Value out = Value::table();
    out.place = here().place;
    while (at_ != lines_.size() && here().indent == indent && !is_item(here())) {
      const Line line = here();
      const std::size_t colon = colon_of(line.text);
      if (colon == std::string::npos)
        fail_at(line.place, fmt::format("'{}' says nothing", printable(shortened(line.text, 40))), "KEY: VALUE");
      const std::string key = unquoted(std::string(trimmed(line.text.substr(0, colon))));
      const std::string value(trimmed(line.text.substr(colon + 1)));
      if (out.find(key) != nullptr) fail_at(line.place, fmt::format("'{}' appears twice", printable(key)), "it once");
      ++at_;
      if (!value.empty()) {
        out.set(key, scalar(value, line.place));
      } else {
        const bool list = at_ != lines_.size() && here().indent == indent && is_item(here());
        Value below = list ? sequence(indent) : block(indent + 1);
        if (below.is_nil()) below.place = line.place;
        out.set(key, std::move(below));
      }
    }
    check_place(indent);
    return out;
  }

  void check_place(std::size_t indent) const {
    if (at_ != lines_.size() && here().indent > indent)
      fail_at(here().place, "stands further right than what it belongs to", "blanks as above");
  }

  /// Of "key: value" or "key:".
  static std::size_t colon_of(const std::string& text) {
    return find_bare(text,
                     [&](std::size_t i) { return text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '); });
  }

  static std::string unquoted(const std::string& text) {
    const bool quoted = text.size() > 1 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
    return quoted ? text.substr(1, text.size() - 2) : text;
  }

  /// The parts of "[a, b]" or "{a: 1, b: 2}".
  static std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    std::string rest = text.substr(1, text.size() - 2);
    while (!trimmed(rest).empty()) {
      const std::size_t comma = find_bare(rest, [&](std::size_t i) { return rest[i] == ','; });
      parts.emplace_back(trimmed(rest.substr(0, comma)));
      rest.erase(0, comma == rest.npos ? rest.size() : comma + 1);
    }
    return parts;
  }

  static Value scalar(const std::string& text, const Place& place) {
    Value out = plain(text, place);
    out.place = place;
    return out;
  }

  static Value plain(const std::string& text, const Place& place) {
    if (text.front() == '[' && text.back() == ']') {
      Value out(Value::List{});
      for (const std::string& part : parts_of(text)) out.list()->push_back(scalar(part, place));
      return out;
    }
    if (text.front() == '{' && text.back() == '}') {
      Value out = Value::table();
      for (const std::string& part : parts_of(text)) {
        const std::size_t colon = colon_of(part);
        if (colon == part.npos) fail_at(place, fmt::format("'{}' says nothing", printable(part)), "KEY: VALUE");
        out.set(unquoted(std::string(trimmed(part.substr(0, colon)))),
                scalar(std::string(trimmed(part.substr(colon + 1))), place));
      }
      return out;
    }
    for (const char mark : {'&', '*', '|', '>', '!', '@', '`'})
      if (text.front() == mark)
        fail_at(place, fmt::format("'{}' is not read here", printable(shortened(text, 40))),
                "plain texts, numbers and lists");
    if (text.front() == '"' || text.front() == '\'') return unquoted(text);
    if (same_word(text, "true") || same_word(text, "yes")) return true;
    if (same_word(text, "false") || same_word(text, "no")) return false;
    if (text == "~" || same_word(text, "null")) return {};
    if (const auto number = whole_number(text); number && std::to_string(*number) == text) return *number;
    return text;
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

Value read_yaml(const std::string& path) { return Reader(lines_of(path)).read(); }

}  // namespace coslice::slurm
