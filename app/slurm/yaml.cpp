#include "slurm/yaml.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "formats/trace_file.h"
#include "slurm/yaml_scalars.h"

namespace coslice::slurm {
namespace {

constexpr std::string_view kYamlBlanks = " \t\r";

struct Line {
  std::size_t indent = 0;
  std::string text;
  Place place;
};

/// Follows a text from one character to the next: whether it stands in quotes, and in how many brackets.
struct Nesting {
  char quote = 0;
  bool escaped = false;
  int depth = 0;

  void take(char c) {
    if (escaped) escaped = false;
    else if (quote == '"' && c == '\\') escaped = true;
    else if (quote != 0) quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
  }
};

/// Where the first of `wanted` stands that is in no quotes and in no brackets; npos: nowhere.
template <class Wanted>
std::size_t find_bare(std::string_view text, const Wanted& wanted) {
  Nesting at;
  for (std::size_t i = 0; i != text.size(); at.take(text[i++]))
    if (at.quote == 0 && at.depth == 0 && wanted(i)) return i;
  return text.npos;
}

std::string without_comment(const std::string& line) {
  Nesting at;
  std::size_t end = 0;
  for (; end != line.size(); at.take(line[end++]))
    if (at.quote == 0 && line[end] == '#' && (end == 0 || kYamlBlanks.find(line[end - 1]) != kYamlBlanks.npos)) break;
  std::string out = line.substr(0, end);
  while (!out.empty() && kYamlBlanks.find(out.back()) != kYamlBlanks.npos) out.pop_back();
  return out;
}

/// Of "key: value" or "key:".
std::size_t colon_of(std::string_view text) {
  return find_bare(text, [&](std::size_t i) { return text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '); });
}

/// What stands behind the dashes and keys of a line, where that is a list or a table in brackets; "" otherwise.
std::string_view in_brackets(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.starts_with('[') || text.starts_with('{')) return text;
    const std::size_t colon = text.starts_with("- ") ? 0 : colon_of(text);
    if (colon == text.npos) return "";
    text.remove_prefix(colon + 1);
  }
}

/// The lines that say something, those that one pair of brackets holds together as one, with their line ends.
std::vector<Line> lines_of(std::string_view text, const std::shared_ptr<const Source>& source) {
  std::vector<Line> out;
  Nesting open;
  for (int number = 1; !text.empty(); ++number) {
    std::string line = without_comment(std::string(take_before(text, '\n')));
    if (open.depth > 0) {
      out.back().text += "\n" + line;
      for (const char c : line) open.take(c);
      continue;
    }
    if (line.starts_with("--- ")) line.replace(0, 3, "   ");
    const std::size_t first = line.find_first_not_of(kYamlBlanks);
    if (first == line.npos || line[0] == '%' || line == "---" || line == "...") continue;
    if (line.find('\t') < first) fail_at({source, number}, "a line begins with a tab", "blanks before what YAML says");
    out.push_back({first, line.substr(first), {source, number}});
    for (const char c : in_brackets(out.back().text)) open.take(c);
  }
  if (open.depth > 0) fail_at(out.back().place, "a bracket is not closed", "] or } behind it");
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
    return yaml_scalar(line.text, line.place);
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
      const std::string key = yaml_key(std::string(trimmed(line.text.substr(0, colon))));
      const std::string value(trimmed(line.text.substr(colon + 1)));
      if (out.find(key) != nullptr) fail_at(line.place, fmt::format("'{}' appears twice", printable(key)), "it once");
      ++at_;
      if (!value.empty()) {
        out.set(key, yaml_scalar(value, line.place));
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

  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

Value read_yaml(const std::string& path) {
  const std::string text = read_packed(path);
  const auto source = std::make_shared<const Source>(Source{path, std::filesystem::path(path).parent_path().string()});
  Value all = Reader(lines_of(without_byte_order_mark(text), source)).read();
  if (all.place.source == nullptr) all.place = {source, 0};
  return all;
}

}  // namespace coslice::slurm
