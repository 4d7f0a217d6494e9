// The only file that includes toml++; its package sets TOML_HEADER_ONLY=0 where it brings a compiled library.
#include "scenario/toml.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/codec.h"
#include "core/file.h"

namespace coslice {
namespace {

constexpr int kMaxNesting = 32;

Place place_of(const std::shared_ptr<const Source>& source, const toml::source_region& region) {
  return {source, static_cast<int>(region.begin.line)};
}

/// The library's trees destroy themselves by recursion, so a key of 100,000 parts would exhaust the stack. It counts
/// brackets but no dots: this small scanner walks over the text, knows strings and comments, and counts both.
class NestingCheck {
 public:
  NestingCheck(std::string_view text, const std::shared_ptr<const Source>& source) : text_(text), source_(source) {}

  void run() {
    while (at_ < text_.size()) step(text_[at_]);
  }

 private:
  void step(char c) {
    switch (c) {
      case '#': skip_comment(); return;
      case '"':
      case '\'': skip_string(c); return;
      case '\n':
        ++line_;
        dots_ = 0;
        break;
      case '[':
      case '{': ++depth_; [[fallthrough]];
      case ',':
      case '=': dots_ = 0; break;
      case ']':
      case '}': --depth_; break;
      case '.': ++dots_; break;
      default: break;
    }
    if (depth_ > kMaxNesting || dots_ > kMaxNesting) {
      fail_at({source_, line_}, "tables or lists are nested too deep", fmt::format("at most {} levels", kMaxNesting));
    }
    ++at_;
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool multiline = text_.substr(at_, 3) == three;
    at_ += multiline ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (multiline ? text_.substr(at_, 3) == three : c == quote) break;
      if (c == '\n' && !multiline) return;  // unterminated: the parser will say so
      if (c == '\n') ++line_;
      at_ += c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
    }
    at_ += multiline ? 3 : 1;
    // """" closes a string that ends in a quote: what is left over belongs to it.
    while (multiline && at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  std::string_view text_;
  const std::shared_ptr<const Source>& source_;
  std::size_t at_ = 0;
  int line_ = 1, depth_ = 0, dots_ = 0;
};

Value convert(const toml::node& node, const std::shared_ptr<const Source>& source);

Value convert_table(const toml::table& table, const std::shared_ptr<const Source>& source) {
  Value::Table members;
  for (const auto& [key, node] : table) {
    Value v = convert(node, source);
    // A table made by a dotted key has no line of its own.
    if (v.place.line == 0) v.place.line = static_cast<int>(key.source().begin.line);
    members.push_back({std::string(key.str()), std::move(v)});
  }
  return Value(std::move(members));
}

Value convert_list(const toml::array& array, const std::shared_ptr<const Source>& source) {
  Value::List list;
  list.reserve(array.size());
  for (const toml::node& node : array) list.push_back(convert(node, source));
  return Value(std::move(list));
}

Value convert_content(const toml::node& node, const std::shared_ptr<const Source>& source) {
  if (const auto* t = node.as_table()) return convert_table(*t, source);
  if (const auto* a = node.as_array()) return convert_list(*a, source);
  if (const auto* s = node.as_string()) return Value(s->get());
  if (const auto* i = node.as_integer()) return Value(static_cast<std::int64_t>(i->get()));
  if (const auto* d = node.as_floating_point()) return Value(d->get());
  if (const auto* b = node.as_boolean()) return Value(b->get());
  fail_at(place_of(source, node.source()), "a date or a time is not a value here",
          "a number of seconds or a text in quotes");
}

Value convert(const toml::node& node, const std::shared_ptr<const Source>& source) {
  Value v = convert_content(node, source);
  v.place = place_of(source, node.source());
  return v;
}

/// The library's words for the usual slips, and ours.
std::string friendly(std::string_view description) {
  static const std::pair<const char*, const char*> kPhrases[] = {
      {"could not determine value type", "this is not a value; a text needs quotes"},
      {"unescaped control characters", "a text does not end on its line, or holds a control character"},
      {"expected value, saw", "a value is missing"},
      {"encountered end-of-file", "the file ends too early"},
      {"invalid utf-8", "the text is not valid UTF-8"},
      {"is not representable in 64 bits", "the number is too large"},
  };
  for (const auto& [theirs, ours] : kPhrases) {
    if (description.find(theirs) != std::string_view::npos) return ours;
  }
  return "";
}

/// What is wrong with the text, from the library's "Error while parsing X: y".
std::string phrase(std::string_view description) {
  const std::size_t quote = description.find('\'');
  const std::size_t end = description.find('\'', quote + 1);
  if (description.find("cannot redefine existing") != std::string_view::npos && end != std::string_view::npos) {
    return std::string(description.substr(quote, end + 1 - quote)) + " is set twice";
  }
  if (const std::string ours = friendly(description); !ours.empty()) return "not valid TOML: " + ours;
  const std::string_view lead = "Error while parsing ";
  std::string out(description);
  if (out.compare(0, lead.size(), lead) == 0) out = "in a " + out.substr(lead.size());
  while (!out.empty() && (out.back() == '.' || out.back() == '\n')) out.pop_back();
  return "not valid TOML: " + out;
}

/// Bytes of the UTF-8 sequence at the start of `s`, or 0 if there is none (overlong forms and surrogates are none).
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xC2 && lead < 0xE0   ? 2
                        : (lead & 0xF0) == 0xE0       ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (n == 0 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return n;
}

}  // namespace

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path, const std::string& what, const Place& asked_at) {
  constexpr std::size_t kLargestFile = 64 << 20;
  const std::string shown = what + " '" + path + "'";
  std::error_code error;
  if (fs::is_directory(path, error)) fail_at(asked_at, shown + " is a folder", "a TOML file");
  if (codec::would_block(path)) fail_at(asked_at, shown + " is a pipe or a device", "a TOML file");
  std::string text;
  const int failed = append_file(text, path, kLargestFile);
  if (failed == EFBIG) fail_at(asked_at, shown + " is larger than 64 MB", "a TOML file");
  if (failed == ENOENT || failed == ENOTDIR) fail_at(asked_at, shown + " does not exist");
  if (failed != 0) fail_at(asked_at, shown + " cannot be read: " + std::strerror(failed));
  return text;
}

Value parse_toml(std::string_view text, std::shared_ptr<const Source> source) {
  NestingCheck(text, source).run();
  try {
    const toml::table table = toml::parse(text, source->name);
    Value v = convert_table(table, source);
    v.place = {source, 0};
    return v;
  } catch (const toml::parse_error& e) {
    fail_at(place_of(source, e.source()), phrase(e.description()));
  }
}

std::optional<Value> parse_toml_value(std::string_view text, std::shared_ptr<const Source> source) {
  try {
    Value document = parse_toml("value = " + std::string(text), source);
    Value::Table& members = *document.members();
    if (members.size() != 1) return std::nullopt;  // a line break in the text began another key
    Value v = std::move(members.front().value);
    v.place.line = 0;
    return v;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t n = utf8_length(bytes);
    if (n == 0) return false;
    bytes.remove_prefix(n);
  }
  return true;
}

}  // namespace coslice
