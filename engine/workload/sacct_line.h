// The lines of a dump of sacct as fields. Free texts, such as names of jobs, may have the delimiter in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coslice {

/// The letters that names of columns are made of.
inline constexpr std::string_view kSacctLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// What stands between two columns of a header: '|', or what sacct was told by --delimiter.
std::string_view sacct_delimiter(std::string_view header);

/// The parts between delimiters, without a carriage return at the end.
std::vector<std::string_view> sacct_fields(std::string_view line, std::string_view delimiter);

/// Puts together the fields of a line that has more than there are columns: what lies before a free text is aligned from
/// the left, what lies behind it from the right; of several free texts, that one has the delimiters with which times,
/// numbers and states stand in their columns. Returns how many ways there are to read the fields that are no free texts:
/// 0 if none fits, 1 if `fields` are now as many as the columns, more if it cannot be told.
int align_sacct_fields(std::vector<std::string_view>& fields, const std::vector<std::string>& columns);

}  // namespace coslice
