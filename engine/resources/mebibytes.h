// Memory in MiB, as machines and requests say it.
#pragma once

#include "core/codec.h"

namespace coslice {

/// "4 GiB", "1000 KiB": what codec::read_kilobytes() reads as that many. Precondition: kb > 0.
inline std::string kilobytes_text(std::int64_t kb) {
  const char* const units[] = {" KiB", " MiB", " GiB"};
  std::size_t unit = 0;
  for (; unit != 2 && kb % 1024 == 0; ++unit) kb /= 1024;
  return std::to_string(kb) + units[unit];
}

/// A whole number of MiB, or a text with a unit. Throws InputError as codecs do.
inline std::int64_t read_mebibytes(const Value& v, const std::string& path, const std::string& expected) {
  if (!v.text()) return codec::read_integer(v, path, expected, 0, 1'000'000'000'000);
  const std::int64_t kb = codec::read_kilobytes(v, path, expected, 0);
  if (kb % 1024 != 0) codec::wrong(v, path, expected);
  return kb / 1024;
}

/// The codec of a field in MiB; 0 is "not said".
template <class S, class Field>
Codec<S> mebibytes(Field field) {
  const std::string words = "a whole number of MiB or a text like \"48 GiB\"";
  return {words, [=](S& s, const Value& v, const std::string& p) { field(s) = read_mebibytes(v, p, words); },
          [=](const S& s) -> std::optional<Value> {
            const std::int64_t mib = field(const_cast<S&>(s));
            if (mib == 0) return std::nullopt;
            return Value(mib);
          }};
}

}  // namespace coslice
