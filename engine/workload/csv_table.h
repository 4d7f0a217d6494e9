// Tables of comma-separated values with a line of names, plain or gzip: for lists of other simulators and sites.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice {

/// The columns are found by their names, and a cell that is wrong is an error with file and line.
class CsvTable {
 public:
  /// Reads the whole file. `what` is what it should be, for messages: "a list of nodes". Blank lines are skipped; a cell may
  /// stand in double quotes, with commas, but none of them in it. Throws InputError: not readable, no line of names, two
  /// columns of one name, a line with another number of cells, a quote without the other one.
  CsvTable(const std::string& path, const std::string& what);
  /// The same from text in memory; `file` is the name in messages.
  CsvTable(std::string text, const std::string& file, const std::string& what);

  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  std::size_t rows() const { return lines_.size(); }
  const std::vector<std::string_view>& names() const { return names_; }
  /// The number of a column. Throws InputError if there is none of that name; suggests another.
  std::size_t column(std::string_view name) const;
  std::optional<std::size_t> find(std::string_view name) const;
  /// The line of a row, 1-based.
  int line(std::size_t row) const { return lines_[row]; }
  std::string_view cell(std::size_t row, std::size_t column) const { return cells_[row * names_.size() + column]; }
  /// A whole number in low..high. Throws InputError.
  std::int64_t whole(std::size_t row, std::size_t column, std::int64_t low, std::int64_t high) const;
  /// Throws InputError at the row's line.
  [[noreturn]] void fail(std::size_t row, const std::string& problem, const std::string& expected = "",
                         const std::string& suggestion = "") const;

 private:
  void parse(const std::string& what);
  void check_names(int number) const;
  bool take_cell(std::string_view& line, int number, std::string_view& cell) const;
  void split(std::string_view line, int number, std::vector<std::string_view>& to) const;

  std::string file_, text_;
  std::vector<std::string_view> names_;
  std::vector<std::string_view> cells_;
  std::vector<int> lines_;  ///< by row
};

}  // namespace coslice
