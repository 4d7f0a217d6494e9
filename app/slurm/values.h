// Values as the configuration of Slurm and its commands take them: words in any case, spans of time, memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice::slurm {

/// Returns whether two words differ in upper and lower case at most.
bool same_word(std::string_view a, std::string_view b);
/// Returns the parts between commas, without empty ones; commas within () and [] do not count.
std::vector<std::string> list_items(std::string_view text);
/// Returns the text as a whole number from 0 to 10^12; nothing if it is not such a number.
std::optional<std::int64_t> whole_number(std::string_view text);
/// Returns the digits with which the text begins, with a sign or without, up to 10^12; 0: none. Slurm reads many
/// numbers so (atoi).
std::int64_t number_at_front(std::string_view text);
/// Returns true for YES, TRUE, UP and 1, false for NO, FALSE, DOWN and 0, in any case; nothing for any other text.
std::optional<bool> yes_or_no(std::string_view text);

/// A span of time in seconds; `seconds` means nothing if `endless`.
struct Span {
  std::int64_t seconds = 0;
  bool endless = false;
};
/// Reads a span: "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes",
/// "days-hours:minutes:seconds", INFINITE, UNLIMITED; nothing for any other text. Longer spans than kMaxSeconds (31
/// years) become that.
std::optional<Span> read_span(std::string_view text);
/// Returns an amount of memory in MiB, rounded up: "4000" and "4000M" are 4000, "16G" is 16384, "512K" is 1; nothing
/// for any other text.
std::optional<std::int64_t> read_mebibytes(std::string_view text);

}  // namespace coslice::slurm
