// Values as the configuration of Slurm and its commands take them: words in any case, spans of time, memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice::slurm {

/// Returns the text with ASCII letters in lower case.
std::string lower(std::string_view text);
/// Returns whether two words differ in upper and lower case at most.
bool same_word(std::string_view a, std::string_view b);
/// Returns the parts between commas, without empty ones; commas within () and [] do not count.
std::vector<std::string> list_items(std::string_view text);
/// Returns the text as a whole number from 0 on; nothing if it is none.
std::optional<std::int64_t> whole_number(std::string_view text);
/// Reads YES, NO, TRUE, FALSE, 1 or 0; nothing for anything else.
std::optional<bool> yes_or_no(std::string_view text);

/// A span of time that may be endless.
struct Span {
  std::int64_t seconds = 0;
  bool endless = false;
};
/// Reads a span: "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes",
/// "days-hours:minutes:seconds", INFINITE, UNLIMITED; nothing for anything else. At most kMaxSeconds (31 years).
std::optional<Span> read_span(std::string_view text);
/// Reads "4000", "4000M", "16G", "1T", "512K" in MiB, rounded up; nothing for anything else. 0 is 0.
std::optional<std::int64_t> read_mebibytes(std::string_view text);

}  // namespace coslice::slurm
