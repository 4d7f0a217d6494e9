// The lines of a dump of sacct as rows: a free text may have line ends, so that a row goes on until it has as many
// fields as the header.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sacct_columns.h"

namespace coslice {

/// One job or step, as far as it can be read.
struct SacctRow {
  std::int64_t line = 0;                   ///< of the dump, its first one
  std::string_view raw;                    ///< as it stands there, with the ends of its lines
  std::vector<std::string_view> fields{};  ///< as many as columns, or what stands between delimiters in its first line
  bool readable = false;                   ///< there are as many
  bool ambiguous = false;                  ///< it is not readable because there are several ways
  bool joined = false;                     ///< a free text has the delimiter or line ends
  bool uncertain = false;                  ///< ... and which of several is not certain
  bool cut_off = false;                    ///< the dump ends within it
};

/// Which rows have been there: a number of 64 bits is kept of each, so that years of records fit.
class SeenRows {
 public:
  /// Notes a row. Returns whether it is the first one with these fields.
  bool is_new(const std::vector<std::string_view>& fields);

 private:
  void grow();

  std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(1024, 0);  ///< 0: a free place
  std::size_t used_ = 0;
};

/// Puts lines together. Whether a line begins the next row or goes on with the one before is told by what the columns
/// hold; of what could be both, a line that is a row by itself is one.
class SacctRows {
 public:
  using Take = std::function<void(const SacctRow&)>;
  /// Rows go to `take`, in their order, when it is known where they end. What it is given is gone afterwards.
  SacctRows(SacctColumns columns, SacctColumns::Seen seen, Take take)
      : columns_(std::move(columns)), seen_(std::move(seen)), take_(std::move(take)) {}

  /// All texts stand in quotes, as tools for tables write them: they end with these, on another line if need be.
  void texts_are_quoted() { quoted_ = true; }
  /// Takes the next line of the dump behind the header, with its end; `number` counts them from 1. A row with fields in
  /// quotes is read without these.
  void line(std::string_view with_end, std::int64_t number);
  /// The dump is over.
  void finish();
  const SacctColumns& columns() const { return columns_; }

 private:
  struct Line {
    std::size_t begin = 0;
    std::int64_t number = 0;
    std::size_t delimiters = 0;
  };

  void quoted_line(std::string_view with_end, std::int64_t number);
  std::optional<std::string> without_quotes(std::string_view text) const;
  void plain_line(std::string_view with_end, std::int64_t number);
  void row_of_its_own(std::string_view with_end, std::int64_t number, std::vector<std::string_view> fields);
  void emit_simple();
  void emit_front(std::size_t last);
  std::int64_t price_of_bad_lines(std::size_t last) const;
  std::int64_t price_of_lines(std::size_t last) const;
  void go_on();
  bool begins_a_row(std::size_t first);
  void close();
  void emit_bad(std::size_t first, std::size_t last);
  void drop_front(std::size_t lines);
  std::string_view text(std::size_t first, std::size_t last) const;
  std::optional<SacctColumns::Reading> reading(std::size_t first, std::size_t last) const;
  void emit(std::size_t last, const SacctColumns::Reading& reading);

  SacctColumns columns_;
  SacctColumns::Seen seen_;
  Take take_;
  bool quoted_ = false;
  std::string open_;  ///< lines of a row of which a quote is not closed
  std::int64_t opened_ = 0;
  // Lines whose row is not known to be over: the first `complete_` ones are a row, the others may belong to it, too.
  std::string held_;
  std::vector<Line> lines_;
  std::size_t complete_ = 0;
  std::vector<std::string_view> fields_;  ///< of the one line that is held, where nothing has to be put together
};

}  // namespace coslice
