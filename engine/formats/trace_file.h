// Files of traces and tables: plain or gzip, with a mark of UTF-8 or without, with lines that may have to be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

struct gzFile_s;

namespace coslice {

/// Bytes that are read at once where a whole file is.
inline constexpr unsigned kPackedBuffer = 1 << 18;

/// A file for reading, plain or gzip: its bytes tell.
class PackedFile {
 public:
  /// Opens the file. `what` is what the path should be, for messages: "a trace file". About `buffer` bytes are read and
  /// unpacked at once. Throws InputError if it cannot be opened or is a folder.
  explicit PackedFile(const std::string& path, const std::string& what = "a trace file",
                      unsigned buffer = kPackedBuffer);
  /// Reads up to `room` bytes; 0 at the end. Throws InputError: not readable, damaged gzip data.
  std::size_t read(char* to, std::size_t room);
  /// Returns whether the file is not compressed.
  bool plain() const;

 private:
  struct Close {
    void operator()(gzFile_s* f) const;
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

/// Returns the whole text of a plain or gzip file. Throws InputError as PackedFile does.
std::string read_packed(const std::string& path);
/// Returns the first `most` bytes of a file, unpacked. Throws as read_packed.
std::string beginning_of(const std::string& path, std::size_t most = 4096);

/// What some editors and spreadsheets begin a text of UTF-8 with.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns the text without one at its beginning.
inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// Lines of a trace that cannot be read. Given to a reader, it lets bad lines be left out instead of ending the
/// reading.
struct SkippedLines {
  static constexpr std::size_t kShown = 5;
  std::int64_t count = 0;
  std::vector<std::string> first;  ///< what is wrong with the first kShown, with file and line

  void add(std::string complaint) {
    if (++count <= static_cast<std::int64_t>(kShown)) first.push_back(std::move(complaint));
  }
};

/// Returns the line of the first record with that job number, 1-based; 0 if there is none, or where the file is a pipe.
/// Of a dump of sacct, if its first column are the numbers. Throws InputError if the file cannot be read.
std::int64_t line_of_job(const std::string& path, std::int64_t id);

/// Tables of comma-separated values with a line of names, plain or gzip, as other simulators and sites have them. The
/// columns are found by their names, and a cell that is wrong is an error with file and line.
class CsvTable {
 public:
  /// Reads the whole file. `what` is what it should be, for messages: "a list of nodes". Blank lines are skipped; a
  /// cell may stand in double quotes, with commas, but none of them in it. Throws InputError: not readable, no line of
  /// names, two columns of one name, a line with another number of cells, a quote without the other one.
  CsvTable(const std::string& path, const std::string& what) : CsvTable(read_packed(path), path, what) {}
  /// Reads the table from text in memory; `file` is the name in messages.
  CsvTable(std::string text, const std::string& file, const std::string& what);

  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  std::size_t rows() const { return lines_.size(); }
  const std::vector<std::string_view>& names() const { return names_; }
  /// Returns the number of a column. Throws InputError if there is none of that name; suggests another.
  std::size_t column(std::string_view name) const;
  std::optional<std::size_t> find(std::string_view name) const;
  /// Returns the line of a row, 1-based.
  int line(std::size_t row) const { return lines_[row]; }
  std::string_view cell(std::size_t row, std::size_t column) const { return cells_[row * names_.size() + column]; }
  /// Returns a whole number in low..high. Throws InputError.
  std::int64_t whole(std::size_t row, std::size_t column, std::int64_t low, std::int64_t high) const;
  /// Returns a number in low..high. Throws InputError.
  double real(std::size_t row, std::size_t column, double low, double high) const;
  /// Throws InputError at the row's line.
  [[noreturn]] void fail(std::size_t row, const std::string& problem, const std::string& expected = "",
                         const std::string& suggestion = "") const {
    fail_at_line(lines_[row], problem, expected, suggestion);
  }

 private:
  [[noreturn]] void fail_at_line(int line, const std::string& problem, const std::string& expected,
                                 const std::string& suggestion = "") const {
    throw InputError({file_, line, problem, expected, suggestion});
  }
  void parse(const std::string& what);
  bool take_cell(std::string_view& line, int number, std::string_view& cell) const;
  void split(std::string_view line, int number, std::vector<std::string_view>& to) const;

  std::string file_, text_;
  std::vector<std::string_view> names_, cells_;
  std::vector<int> lines_;  ///< by row
};

}  // namespace coslice
