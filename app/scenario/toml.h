// TOML text to value trees; back is core/value.h. The TOML library stays behind this header.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/value.h"

namespace coslice {

/// Returns the text of a TOML file of at most 64 MB. `what` is how errors call it ("scenario file"), `asked_at` where
/// it was named. Throws InputError.
std::string read_text_file(const std::string& path, const std::string& what, const Place& asked_at = {});

/// Parses a TOML document into a table with the place of each value. Throws InputError with the line for what is
/// not TOML, for dates (nothing here takes one) and for tables nested deeper than 32.
Value parse_toml(std::string_view text, std::shared_ptr<const Source> source);

/// Returns one TOML value, e.g. `3`, `"a"`, `[1, 2]`, or nothing if the text is not one.
std::optional<Value> parse_toml_value(std::string_view text, std::shared_ptr<const Source> source);

/// Returns whether the bytes are UTF-8: TOML can hold nothing else.
bool is_utf8(std::string_view bytes);

}  // namespace coslice
