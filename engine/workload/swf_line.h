// One line of the Standard Workload Format as numbers. The hot part of reading a trace: no copy, no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/time.h"

namespace coslice {

/// The 18 fields of SWF 2.2, counted from 0 (the standard counts from 1).
enum SwfField : int {
  kSwfId,
  kSwfSubmit,
  kSwfWait,
  kSwfRunTime,
  kSwfAllocated,
  kSwfCpuTime,
  kSwfUsedMemory,
  kSwfRequested,
  kSwfRequestedTime,
  kSwfRequestedMemory,
  kSwfStatus,
  kSwfUser,
  kSwfGroup,
  kSwfExecutable,
  kSwfQueue,
  kSwfPartition,
  kSwfPreceding,
  kSwfThinkTime,
  kSwfFields
};

/// Numbers beyond it are held at it.
constexpr std::int64_t kSwfHuge = 9'200'000'000'000'000'000;

/// A decimal number: whole + nano * 1e-9, both with the number's sign. What is missing is -1.
struct SwfNumber {
  std::int64_t whole = -1;
  std::int64_t nano = 0;
  bool positive() const { return whole > 0 || nano > 0; }
};

/// What stands in one record.
struct SwfLine {
  std::array<SwfNumber, kSwfFields> field;
  int count = 0;                 ///< fields present, at most 18
  int extra = 0;                 ///< fields behind the 18th
  std::uint32_t unreadable = 0;  ///< bit i: field i is not a number (and reads as -1)
  std::string_view remark{};     ///< what stands behind a ';' at the end; points into the line

  bool is_unreadable(SwfField f) const { return (unreadable >> f & 1) != 0; }
};

/// Parses [begin, end), a line without its line feed, into `line`. Blanks, tabs and a carriage return separate.
/// Numbers beyond 64 bits are held at kSwfHuge so that range checks catch them.
void parse_swf_line(const char* begin, const char* end, SwfLine& line);

/// Says what is wrong with a line that is no record, for an error message: "this looks like an HTML page",
/// "field 4 (run time) is 'abc', not a number".
std::string explain_bad_swf_line(std::string_view text, const SwfLine& line);

/// The n-th token of a line for a message: short, without control characters.
std::string swf_token(std::string_view text, int field);

/// The name of a field in words, e.g. "run time".
std::string_view swf_field_name(int field);

}  // namespace coslice
