// Turns the lines of a trace into a Workload and keeps the account of what was dropped or altered.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/swf.h"
#include "workload/swf_line.h"

namespace coslice {

/// Feed it text in pieces, then take the workload with finish(). Every function throws InputError.
class SwfBuilder {
 public:
  /// `most_records`: an upper bound for the records to come; limits what the header's word on it reserves.
  SwfBuilder(std::string file, const SwfOptions& options, std::size_t most_records);

  /// Handles the complete lines of the text, and with `last` what stands behind them too. Returns the bytes used.
  std::size_t feed(std::string_view text, bool last);
  Workload finish();

 private:
  enum Note : int {  // in the order of the account; dropped ones first
    kNoSubmit,
    kNoSize,
    kTooLarge,
    kNoRunTime,
    kHugeTime,
    kPartial,
    kCutOff,
    kDroppedNotes,
    kZeroRunTime = kDroppedNotes,
    kNoLimit,
    kHugeLimit,
    kShort,
    kExtra,
    kUnreadable,
    kOutOfOrder,
    kFrom1970,
    kNotes
  };

  static constexpr const char* kFormat = "the Standard Workload Format: 18 numbers a line, ';' before comments";

  [[noreturn]] void fail(std::int64_t line, std::string problem, std::string expected = kFormat,
                         std::string suggestion = "") const;
  void line(std::string_view text);
  void comment(std::string_view text);
  void record(std::string_view text);
  void first_record();
  void check_readable(std::string_view text) const;
  bool is_cut_off() const;
  bool reject(Note reason) { return note(reason), false; }
  bool read_times(Job& job);
  void check_number(std::string_view text) const;
  bool read_size(Job& job);
  void read_rest(Job& job);
  void note(Note kind, std::int64_t count = 1, std::int64_t at = 0);
  void repeated(std::uint32_t second, std::uint32_t first) const;
  void handle_repeated_ids();
  void shift_absolute_times();
  std::vector<TraceNote> account() const;

  std::string file_;
  int most_extra_ = 0;  ///< fields behind the 18th
  std::size_t most_records_;
  std::int64_t machine_size_;
  SkippedLines* skipped_;
  bool unended_ = false;          ///< the line is the last one and has no end
  std::int64_t max_records_ = 0;  // header
  std::int64_t line_number_ = 0;
  std::size_t header_size_ = 0;  ///< bytes that its lines take
  bool in_head_ = true;
  bool ids_increase_ = true;
  bool sorted_ = true;
  SwfLine fields_;
  Workload workload_;
  std::vector<std::uint32_t> lines_;  // of each job kept, for messages on repeated ids
  std::array<std::int64_t, kNotes> count_{};
  std::array<std::int64_t, kNotes> first_line_{};
};

}  // namespace coslice
