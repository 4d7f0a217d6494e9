// Files of our own that hold records: JSON with the keys of core/codec.h, behind the name and the version of a format.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/codec.h"

namespace coslice {

/// A kind of file that this program writes and reads back.
struct RecordFormat {
  std::string name;      ///< kind and version: "coslice papers 1"
  std::string what;      ///< "a record of papers"
  std::string expected;  ///< what writes such files
  std::string suggestion{};
};

/// Returns the table as JSON, its members in the order of their keys and "format" among them, each table of a list on a
/// line of its own.
std::string record_json(const RecordFormat& format, Value table);

/// Reads what record_json() wrote, without "format". `file` is for messages. Throws InputError if the text is of
/// another format or version, and with the line if it is no JSON.
Value table_from_json(const RecordFormat& format, std::string_view text, const std::string& file);

/// Throws the error of a record as one of this file.
[[noreturn]] void fail_in_file(const RecordFormat& format, const InputError& error, const std::string& file);

/// Reads a record from JSON. Throws InputError as above, and with the path of a field that is wrong or missing.
template <class S>
S record_from_json(const RecordFormat& format, const std::vector<Key<S>>& keys, std::string_view text,
                   const std::string& file) {
  const Value table = table_from_json(format, text, file);
  S record;
  try {
    read_record(keys, record, table, "");
  } catch (const InputError& error) {
    fail_in_file(format, error, file);
  }
  return record;
}

// Codecs that only such files need.

namespace codec {

/// Returns the number with so many digits.
double with_digits(double x, int digits);

/// Makes the codec that says null where the field holds nothing.
template <class S>
Codec<S> nullable(Codec<S> c) {
  c.type += " or null";
  c.read = [inner = c.read](S& s, const Value& v, const std::string& p) {
    if (!v.is_nil()) inner(s, v, p);
  };
  c.write = [inner = c.write](const S& s) { return std::optional(inner(s).value_or(Value())); };
  return c;
}

/// Makes the codec of a field that only some records have.
template <class S>
Codec<S> where(std::function<bool(const S&)> has, Codec<S> c) {
  c.write = [has = std::move(has), inner = c.write](const S& s) { return has(s) ? inner(s) : std::nullopt; };
  return c;
}

/// Makes the codec of a text that is written where it is empty, too.
template <class S, class Field>
Codec<S> any_text(Field field) {
  Codec<S> c = text<S>(field);
  c.write = writer<S>(field, [](const std::string& content) { return Value(content); });
  return c;
}

/// Makes the codec of any finite number, rounded to so many digits where it is written (0: not); others are not.
template <class S, class Field>
Codec<S> number(Field field, int digits = 0) {
  const Range any{-1.7e308, 1.7e308};
  return {"a number", [=](S& s, const Value& v, const std::string& p) { field(s) = read_real(v, p, "a number", any); },
          writer<S>(field, [=](double d) {
            const bool finite = d >= any.low && d <= any.high;
            return unless(!finite, Value(finite && digits > 0 ? with_digits(d, digits) : d));
          })};
}

/// Makes the codec of a table with keys of its own.
template <class S, class R, class Field>
Codec<S> table_of(Field field, std::vector<Key<R>> keys) {
  return {"a table",
          [=](S& s, const Value& v, const std::string& p) {
            R record;
            read_record(keys, record, v, p);
            field(s) = std::move(record);
          },
          writer<S>(field, [=](const R& record) { return write_record(keys, record); })};
}

}  // namespace codec
}  // namespace coslice
