// The checked reader of records, from TOML, Lua and flags alike: how one key reads and writes a field, its type and
// range in words, the check, the way back. A key is a line in a table (scenario/key_tables.cpp): a name, a codec bound
// to a field, a sentence of documentation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/time.h"
#include "core/value.h"

namespace coslice {

/// Reads and writes one field of an S.
template <class S>
struct Codec {
  std::string type;  ///< in words; errors say "expected <type>"
  /// Throws InputError that names `path` and the value's place.
  std::function<void(S&, const Value&, const std::string& path)> read;
  /// Returns the field's value; nothing where the field is not set.
  std::function<std::optional<Value>(const S&)> write;
  bool is_table = false;             ///< takes a table whose keys are free
  std::string columns{};             ///< for a list of tables: their keys, as Markdown
  bool is_path = false;              ///< the text is a path, written relative to where the file stands
  std::vector<std::string> inner{};  ///< of a table: its keys, for those who write one of them beside it
};

/// One key of a table that fills an S.
template <class S>
struct Key {
  Key(std::string key, Codec<S> c, std::string text, bool needed = false, std::string older = "")
      : name(std::move(key)), codec(std::move(c)), doc(std::move(text)), required(needed), former(std::move(older)) {}

  std::string name;  ///< "nodes", or with its tables: "machine.nodes"
  Codec<S> codec;
  std::string doc;
  bool required;
  std::string former;  ///< an older name, which is still read; S notes it in former_names
};

/// Returns the keys of an array, which are not copied.
template <class S, std::size_t n>
std::vector<Key<S>> moved(Key<S> (&keys)[n]) {
  return {std::make_move_iterator(keys), std::make_move_iterator(keys + n)};
}

/// Numbers from low to high; `above` leaves low itself out.
struct Range {
  double low, high;
  bool above = false;
};

namespace codec {

/// Names the field as the codecs below take it: FIELD(Scenario, machine.nodes).
#define COSLICE_FIELD(S, member)                                                                                       \
  [](S & s) -> auto& { return s.member; }

// Checks without types; each throws InputError with place, path, what was found and `expected`.
[[noreturn]] void wrong(const Value& v, const std::string& path, const std::string& expected);
bool read_flag(const Value& v, const std::string& path, const std::string& expected);
std::int64_t read_integer(const Value& v, const std::string& path, const std::string& expected, std::int64_t low,
                          std::int64_t high);
double read_real(const Value& v, const std::string& path, const std::string& expected, Range range);
/// Reads seconds in that range; what is above its low end stays above it in nanoseconds.
Duration read_seconds(const Value& v, const std::string& path, const std::string& expected, Range range);
const std::string& read_text(const Value& v, const std::string& path, const std::string& expected);
std::size_t read_choice(const Value& v, const std::string& path, const std::string& expected,
                        const std::vector<std::string>& names);
std::int64_t read_kilobytes(const Value& v, const std::string& path, const std::string& expected, std::int64_t low);
/// Returns whether the path names a pipe, a socket or a device outside of /dev, which to open may take for ever.
bool would_block(const std::string& path);
/// Returns the path as seen from the current folder: relative ones start in the folder of the value's source.
std::string read_path(const Value& v, const std::string& path, const std::string& expected);

std::string integer_words(std::int64_t low, std::int64_t high);
std::string real_words(const std::string& what, Range range);
std::string choice_words(const std::vector<std::string>& names);
/// Returns whole seconds as a whole number, other times as a fractional one.
Value seconds_value(Duration d);

// How optional fields are seen as plain ones.
template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};
template <class T>
const T* held(const T& field) {
  return &field;
}
template <class T>
const T* held(const std::optional<T>& field) {
  return field ? &*field : nullptr;
}

/// Returns what is written: the value, or nothing where it is not set.
inline std::optional<Value> unless(bool unset, Value value) {
  return unset ? std::nullopt : std::optional(std::move(value));
}

/// Makes the access to a field for both directions; `to_value` makes a Value of what the field holds, or nothing.
template <class S, class Field, class ToValue>
std::function<std::optional<Value>(const S&)> writer(Field field, ToValue to_value) {
  return [field, to_value](const S& s) -> std::optional<Value> {
    const auto* content = held(field(const_cast<S&>(s)));
    if (!content) return std::nullopt;
    return std::optional<Value>(to_value(*content));
  };
}

template <class S, class Field>
Codec<S> flag(Field field) {
  const std::string words = "true or false";
  return {words, [=](S& s, const Value& v, const std::string& p) { field(s) = read_flag(v, p, words); },
          writer<S>(field, [](bool b) { return b; })};
}

/// Makes the codec of a whole number in that range. `unset` is how the field says "not given": it is not written.
template <class S, class Field>
Codec<S> integer(Field field, std::int64_t low, std::int64_t high, std::optional<std::int64_t> unset = {}) {
  using T = typename Plain<std::remove_reference_t<decltype(field(std::declval<S&>()))>>::type;
  const std::string words = integer_words(low, high);

  return {words,
          [=](S& s, const Value& v, const std::string& p) {
            field(s) = static_cast<T>(read_integer(v, p, words, low, high));
          },
          writer<S>(field, [unset](T i) {
            const auto n = static_cast<std::int64_t>(i);
            return unless(unset == n, n);
          })};
}

template <class S, class Field>
Codec<S> real(Field field, Range range) {
  const std::string words = real_words("a number", range);
  return {words, [=](S& s, const Value& v, const std::string& p) { field(s) = read_real(v, p, words, range); },
          writer<S>(field, [](double d) { return d; })};
}

/// Makes the codec of seconds in the file, a Duration in the field. Duration::max() counts as not set.
template <class S, class Field>
Codec<S> seconds(Field field, Range range = {0, kMaxSeconds}) {
  const std::string words = real_words("seconds", range);
  return {words, [=](S& s, const Value& v, const std::string& p) { field(s) = read_seconds(v, p, words, range); },
          writer<S>(field, [](Duration d) { return unless(d == Duration::max(), seconds_value(d)); })};
}

template <class S, class Field>
Codec<S> text(Field field) {
  const std::string words = "a text in quotes";
  return {words, [=](S& s, const Value& v, const std::string& p) { field(s) = read_text(v, p, words); },
          writer<S>(field, [](const std::string& content) { return unless(content.empty(), content); })};
}

template <class S, class Field>
Codec<S> path(Field field) {
  const std::string words = "a path in quotes";
  Codec<S> c = text<S>(field);
  c.type = words;
  c.is_path = true;
  c.read = [=](S& s, const Value& v, const std::string& p) { field(s) = read_path(v, p, words); };
  return c;
}

/// Makes the codec of one of `names`, kept as the text itself or as the enumerator of that number.
template <class S, class Field>
Codec<S> choice(Field field, std::vector<std::string> names) {
  using T = std::remove_reference_t<decltype(field(std::declval<S&>()))>;
  const std::string words = choice_words(names);
  if constexpr (std::is_enum_v<T>) {
    return {
        words,
        [=](S& s, const Value& v, const std::string& p) { field(s) = static_cast<T>(read_choice(v, p, words, names)); },
        writer<S>(field, [names](T e) { return names[static_cast<std::size_t>(e)]; })};
  } else {
    Codec<S> c = text<S>(field);
    c.type = words;
    c.read = [=](S& s, const Value& v, const std::string& p) { field(s) = names[read_choice(v, p, words, names)]; };
    return c;
  }
}

/// Makes the codec of memory: a whole number of KB or a text like "4 GB". `unset` as in integer().
template <class S, class Field>
Codec<S> kilobytes(Field field, std::optional<std::int64_t> unset = {}, std::int64_t low = 0) {
  const std::string least = low > 0 ? ", at least " + std::to_string(low) + " KB" : "";
  const std::string words = "a whole number of KB or a text like \"4 GB\"" + least;
  Codec<S> c = integer<S>(field, 0, 0, unset);
  c.type = words;
  c.read = [=](S& s, const Value& v, const std::string& p) {
    using T = std::remove_reference_t<decltype(field(s))>;
    field(s) = static_cast<T>(read_kilobytes(v, p, words, low));
  };
  return c;
}

/// Makes the codec of two instants [from, to], from before to.
template <class S, class Field>
Codec<S> interval(Field field) {
  const std::string words = "[from, to] in seconds, from before to";
  return {words,
          [=](S& s, const Value& v, const std::string& p) {
            if (!v.list() || v.list()->size() != 2) wrong(v, p, words);
            const Range range{0, kMaxSeconds};
            const Duration from = read_seconds((*v.list())[0], p + "[1]", real_words("seconds", range), range);
            const Duration to = read_seconds((*v.list())[1], p + "[2]", real_words("seconds", range), range);
            if (from >= to) wrong(v, p, words);
            field(s) = std::array<Duration, 2>{from, to};
          },
          writer<S>(field, [](const std::array<Duration, 2>& w) {
            return Value::List{seconds_value(w[0]), seconds_value(w[1])};
          })};
}

/// Makes the codec of a list of names, at least one, each once; a single name may stand alone. With `names` only those
/// are allowed.
template <class S, class Field>
Codec<S> texts(Field field, std::vector<std::string> names = {}) {
  const std::string one = names.empty() ? "a name in quotes" : choice_words(names);
  const std::string words = names.empty() ? "a name in quotes or a list of names" : "a list of " + one;
  return {words,
          [=](S& s, const Value& v, const std::string& p) {
            const Value::List list = v.text() ? Value::List{v} : v.list() ? *v.list() : Value::List{};
            if (list.empty() && (names.empty() || !v.list())) wrong(v, p, words);
            std::vector<std::string> out;
            for (const Value& item : list) {
              const std::string& name =
                  names.empty() ? read_text(item, p, one) : names[read_choice(item, p, one, names)];
              if (name.empty()) wrong(item, p, one);
              for (const std::string& before : out)
                if (before == name) fail_at(item.place, "'" + name + "' appears twice in " + p);
              out.push_back(name);
            }
            field(s) = std::move(out);
          },
          writer<S>(field, [none = names.empty()](const std::vector<std::string>& content) {
            return unless(content.empty() && none, Value::List(content.begin(), content.end()));
          })};
}

/// Makes the codec of a table whose keys are checked elsewhere.
template <class S, class Field>
Codec<S> free_table(Field field) {
  const std::string words = "a table";
  Codec<S> c{words,
             [=](S& s, const Value& v, const std::string& p) {
               if (!v.is_table()) wrong(v, p, words);
               field(s) = v;
             },
             writer<S>(field, [](const Value& content) { return unless(content.members()->empty(), content); })};
  c.is_table = true;
  return c;
}

}  // namespace codec

/// Returns the key inside of what the path names: "jobs[2].user", and "job 7: user" where the path is words.
std::string joined(const std::string& path, const std::string& key);

/// Throws the error for a key that does not exist; `siblings` are the keys that do. `elsewhere`: the key with its
/// table, where there is one of that name; else "".
[[noreturn]] void unknown_key(const Value& v, const std::string& path, const std::string& key,
                              const std::vector<std::string>& siblings, const std::string& elsewhere = "");

/// Reads a table: every key known, every value right, nothing required missing. `path` leads the names in errors.
template <class S>
void read_record(const std::vector<Key<S>>& keys, S& out, const Value& table, const std::string& path) {
  if (!table.is_table()) codec::wrong(table, path, "a table");
  for (const Member& m : *table.members()) {
    const auto key = std::ranges::find_if(
        keys, [&](const Key<S>& k) { return k.name == m.key || (!k.former.empty() && k.former == m.key); });
    if (key == keys.end()) {
      std::vector<std::string> names;
      std::string elsewhere;
      for (const Key<S>& k : keys) {
        names.push_back(k.name);
        if (std::ranges::find(k.codec.inner, m.key) != k.codec.inner.end()) elsewhere = joined(k.name, m.key);
      }
      unknown_key(m.value, path, m.key, names, elsewhere);
    }
    if (key->name != m.key) {
      if (table.find(key->name) != nullptr)
        fail_at(m.value.place, joined(path, m.key) + " is the older name of " + key->name + ", which is there, too");
      if constexpr (requires { out.former_names; }) out.former_names.insert(key->former);
    }
    key->codec.read(out, m.value, joined(path, m.key));
  }
  for (const Key<S>& k : keys)
    if (k.required && !table.find(k.name)) fail_at(table.place, path + " has no " + k.name, k.codec.type);
}

/// Returns the table with all fields that are set.
template <class S>
Value write_record(const std::vector<Key<S>>& keys, const S& record) {
  Value table = Value::table();
  for (const Key<S>& k : keys)
    if (auto v = k.codec.write(record)) table.set(k.name, std::move(*v));
  return table;
}

/// Returns the keys of a record as a Markdown list.
template <class S>
std::string describe_record(const std::vector<Key<S>>& keys) {
  std::string out;
  for (const Key<S>& k : keys)
    out += "- `" + k.name + "`: " + k.codec.type + (k.required ? ", required" : "") + ". " + k.doc + "\n";
  return out;
}

namespace codec {

/// Makes the codec of a list of tables, each with the given keys; `check` looks at the whole list.
template <class S, class R, class Field>
Codec<S> records(Field field, const std::vector<Key<R>>& keys,
                 std::function<void(const std::vector<R>&, const Value&, const std::string& path)> check = {}) {
  const std::string words = "a list of tables";
  Codec<S> c{words,
             [=](S& s, const Value& v, const std::string& p) {
               if (!v.list()) wrong(v, p, words);
               std::vector<R> out;
               for (const Value& item : *v.list()) {
                 out.emplace_back();
                 read_record(keys, out.back(), item, p + "[" + std::to_string(out.size()) + "]");
               }
               if (check) check(out, v, p);
               field(s) = std::move(out);
             },
             writer<S>(field, [=](const std::vector<R>& content) {
               Value::List list;
               for (const R& r : content) list.push_back(write_record(keys, r));
               return list;
             })};
  c.columns = describe_record(keys);
  return c;
}

}  // namespace codec
}  // namespace coslice
