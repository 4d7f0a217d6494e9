#include "core/value_text.h"

#include <fmt/format.h>

#include <cmath>

namespace coslice {
namespace {

void append_escaped(std::string& out, std::string_view s) {
  out += '"';
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_real(std::string& out, double d) {
  if (std::isnan(d)) {
    out += "nan";
    return;
  }
  const std::string digits = fmt::format("{}", d);
  out += digits;
  if (std::isfinite(d) && digits.find_first_of(".e") == std::string::npos) out += ".0";
}

void append_value(std::string& out, const Value& v);

void append_list(std::string& out, const Value::List& list) {
  out += '[';
  for (const Value& v : list) {
    if (&v != &list.front()) out += ", ";
    append_value(out, v);
  }
  out += ']';
}

void append_table(std::string& out, const Value::Table& table) {
  out += '{';
  for (const Member& m : table) {
    out += &m == &table.front() ? " " : ", ";
    out += toml_key(m.key) + " = ";
    append_value(out, m.value);
  }
  out += table.empty() ? "}" : " }";
}

void append_value(std::string& out, const Value& v) {
  if (const auto* s = v.text()) {
    append_escaped(out, *s);
  } else if (const auto* i = v.integer()) {
    out += std::to_string(*i);
  } else if (const auto* d = v.real()) {
    append_real(out, *d);
  } else if (const auto* b = v.flag()) {
    out += *b ? "true" : "false";
  } else if (const auto* l = v.list()) {
    append_list(out, *l);
  } else if (const auto* t = v.members()) {
    append_table(out, *t);
  }
}

}  // namespace

std::string toml_text(const Value& v) {
  std::string out;
  append_value(out, v);
  return out;
}

std::string toml_key(std::string_view key) {
  const std::string_view bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  if (!key.empty() && key.find_first_not_of(bare) == std::string_view::npos) return std::string(key);
  std::string out;
  append_escaped(out, key);
  return out;
}

}  // namespace coslice
