// What the terminal can do, and texts that fit it. No escape code is made unless colour is asked for.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace coslice {

/// How a piece of text stands out.
enum class Tone { kPlain, kBold, kDim, kGood, kBad, kWarning, kAccent };

/// Whether the stream is a terminal.
bool is_terminal(std::FILE* stream);
/// Columns of the terminal, else of $COLUMNS, else 80.
int terminal_width(std::FILE* stream);
/// Whether to colour: on a terminal that is not "dumb", unless $NO_COLOR is set to something (no-color.org);
/// $CLICOLOR_FORCE set to anything but 0 asks for it elsewhere too.
bool wants_colour(std::FILE* stream);

/// The text in that tone, or as it is without colour.
std::string paint(std::string_view text, Tone tone, bool colour);

/// Columns that UTF-8 text takes on a terminal: combining marks none, East Asian wide characters and emoji two.
/// Bytes that are not UTF-8 take one each.
std::size_t display_width(std::string_view utf8);
/// The text padded with spaces to `width` columns; as it is if longer.
std::string pad_right(std::string_view utf8, std::size_t width);
std::string pad_left(std::string_view utf8, std::size_t width);
/// The text padded on both sides, one more on the right.
std::string pad_both(std::string_view utf8, std::size_t width);
/// `piece` n times.
std::string repeated(std::string_view piece, std::size_t n);

}  // namespace coslice
