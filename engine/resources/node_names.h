// Names of nodes as sites write them: "n[001-128]", "gpu[1-4,7],login".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace coslice {

/// Whether a kind or a partition may be called so: what stands in lists and ranges of names (commas, brackets, blanks),
/// in quotes or in expressions is no part of a name.
bool is_plain_name(std::string_view name);
/// What it may have, in words.
inline constexpr const char* kPlainNameWords = "a name of letters, digits and _ - . : + @ /";

/// All names that the text stands for, in its order. Numbers keep their leading zeros. Throws InputError at `place` if
/// the text is no list of names, names one twice, or stands for more than `most` names.
std::vector<std::string> expand_node_names(const std::string& text, const Place& place, std::size_t most = 100'000);

/// The shortest such text for these names, in their order: runs of numbers after the same letters become a range.
std::string compress_node_names(const std::vector<std::string>& names);

}  // namespace coslice
