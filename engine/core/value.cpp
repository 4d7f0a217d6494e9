#include "core/value.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace coslice {

Value::Value() = default;
Value::Value(bool b) : content_(b) {}
Value::Value(int i) : content_(std::int64_t{i}) {}
Value::Value(std::int64_t i) : content_(i) {}
Value::Value(double d) : content_(d) {}
Value::Value(const char* s) : content_(std::string(s)) {}
Value::Value(std::string s) : content_(std::move(s)) {}
Value::Value(List list) : content_(std::move(list)) {}
Value::Value(Table table) : content_(Table{}) {
  for (Member& m : table) set(std::move(m.key), std::move(m.value));
}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value Value::table() { return Value(Table{}); }

Value Value::table(std::initializer_list<Member> members) {
  Value out = table();
  for (const Member& m : members) out.set(m.key, m.value);
  return out;
}

namespace {

template <class Table>
auto lower_bound_of(Table& table, std::string_view key) {
  return std::ranges::lower_bound(table, key, {}, &Member::key);
}

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
  if (std::isnan(d)) return void(out += "nan");
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
  if (const auto* s = v.text()) append_escaped(out, *s);
  else if (const auto* i = v.integer()) out += std::to_string(*i);
  else if (const auto* d = v.real()) append_real(out, *d);
  else if (const auto* b = v.flag()) out += *b ? "true" : "false";
  else if (const auto* l = v.list()) append_list(out, *l);
  else if (const auto* t = v.members()) append_table(out, *t);
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const Table* table = members();
  if (!table) return nullptr;
  auto at = lower_bound_of(*table, key);
  return at != table->end() && at->key == key ? &at->value : nullptr;
}

Value& Value::set(std::string key, Value v) {
  Table& table = std::get<Table>(content_);
  auto at = lower_bound_of(table, key);
  if (at == table.end() || at->key != key) at = table.insert(at, Member{std::move(key), Value()});
  at->value = std::move(v);
  return at->value;
}

void Value::erase(std::string_view key) {
  Table& table = std::get<Table>(content_);
  auto at = lower_bound_of(table, key);
  if (at != table.end() && at->key == key) table.erase(at);
}

static bool operator==(const Member& a, const Member& b) { return a.key == b.key && a.value == b.value; }

bool operator==(const Value& a, const Value& b) { return a.content_ == b.content_; }

std::string kind_name(const Value& v) {
  static const char* const kNames[] = {"nothing", "true or false", "a whole number", "a number",
                                       "text",    "a list",        "a table"};
  return kNames[v.content().index()];
}

void fail_at(const Place& place, std::string problem, std::string expected, std::string suggestion) {
  throw InputError({place.source ? place.source->name : "", place.line, std::move(problem), std::move(expected),
                    std::move(suggestion)});
}

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
