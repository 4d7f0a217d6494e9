#include "core/value.h"

#include <algorithm>

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

namespace {

template <class Table>
auto lower_bound_of(Table& table, std::string_view key) {
  return std::lower_bound(table.begin(), table.end(), key,
                          [](const Member& m, std::string_view k) { return m.key.compare(k) < 0; });
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const Table* table = members();
  if (!table) return nullptr;
  auto at = lower_bound_of(*table, key);
  return at != table->end() && at->key == key ? &at->value : nullptr;
}

Value* Value::find(std::string_view key) { return const_cast<Value*>(static_cast<const Value*>(this)->find(key)); }

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
  Diagnostic d;
  if (place.source) d.file = place.source->name;
  d.line = place.line;
  d.problem = std::move(problem);
  d.expected = std::move(expected);
  d.suggestion = std::move(suggestion);
  throw InputError(std::move(d));
}

}  // namespace coslice
