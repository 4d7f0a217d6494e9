// A small tree of plain data: what a scenario file, a `--set` or a Lua table says, before it is checked. Each value
// remembers where it was written, so that a message can name the place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"

namespace coslice {

/// Where values come from: a file, a flag, a script.
struct Source {
  std::string name;    ///< as errors show it: a path, "--set machine.nodes=4"
  std::string folder;  ///< relative paths in it start here; "" is the current folder
};

/// A place in a source.
struct Place {
  std::shared_ptr<const Source> source;
  int line = 0;  ///< 1-based; 0 if there is none
};

struct Member;

/// Nothing, a flag, a whole number, a number, a text, a list or a table. Tables are sorted by key.
/// Equality looks at the content only, not at the place; a whole number never equals a fractional type.
class Value {
 public:
  using List = std::vector<Value>;
  using Table = std::vector<Member>;
  using Content = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table>;

  Value();
  Value(bool b);
  Value(int i);
  Value(std::int64_t i);
  Value(double d);
  Value(const char* s);
  Value(std::string s);
  Value(List list);
  Value(Table table);
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  /// Returns an empty table.
  static Value table();
  /// Returns a table of these.
  static Value table(std::initializer_list<Member> members);

  bool is_nil() const { return std::holds_alternative<std::monostate>(content_); }
  bool is_table() const { return std::holds_alternative<Table>(content_); }
  bool is_list() const { return std::holds_alternative<List>(content_); }
  const bool* flag() const { return std::get_if<bool>(&content_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&content_); }
  const double* real() const { return std::get_if<double>(&content_); }
  const std::string* text() const { return std::get_if<std::string>(&content_); }
  const List* list() const { return std::get_if<List>(&content_); }
  List* list() { return std::get_if<List>(&content_); }
  /// Returns the members sorted by key, or null if this is not a table.
  const Table* members() const { return std::get_if<Table>(&content_); }
  Table* members() { return std::get_if<Table>(&content_); }
  const Content& content() const { return content_; }

  /// Returns the member of that key, or null (also if this is not a table).
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key) { return const_cast<Value*>(static_cast<const Value*>(this)->find(key)); }
  /// Sets or replaces a member. Precondition: is_table(). Returns it.
  Value& set(std::string key, Value v);
  /// Removes a member if it is there. Precondition: is_table().
  void erase(std::string_view key);

  friend bool operator==(const Value& a, const Value& b);
  friend bool operator!=(const Value& a, const Value& b) { return !(a == b); }

  Place place;

 private:
  Content content_;
};

/// One entry of a table.
struct Member {
  std::string key;
  Value value;
};

/// Returns what the value is, in words: "text", "a whole number", "a number", "true or false", "a list", "a table".
std::string kind_name(const Value& v);

/// Throws InputError at a place.
[[noreturn]] void fail_at(const Place& place, std::string problem, std::string expected = "",
                          std::string suggestion = "");

/// Returns the value as TOML on one line; numbers are the shortest text that reads back as the same number, a
/// fractional type always shows as one ("1.0").
std::string toml_text(const Value& v);

/// Returns the key as TOML writes it: bare where it may be, else quoted.
std::string toml_key(std::string_view key);

}  // namespace coslice
