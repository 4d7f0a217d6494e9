// Tables of text: aligned, with column groups and merged repetitions, in several styles.
#pragma once

#include <string>
#include <vector>

#include "report/tables/terminal.h"

namespace coslice {

enum class TableStyle {
  kBox,       ///< lines drawn with box characters
  kPlain,     ///< spaces and one ASCII rule; for logs and diffs
  kMarkdown,  ///< pipes
  kCsv,       ///< comma-separated, for machines
};

struct Column {
  std::string title;
  bool numeric = true;  ///< to the right, else to the left
  /// A common title above neighbours of the same group; no line is drawn inside a group. A blank one (" ") only
  /// spares the lines.
  std::string group{};
  bool merge = false;  ///< box and plain leave out a value that is the same as in the row above
};

struct Cell {
  Cell(std::string t = "", Tone how = Tone::kPlain) : text(std::move(t)), tone(how) {}
  Cell(const char* t) : text(t) {}
  std::string text;
  Tone tone = Tone::kPlain;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Adds a row. Missing cells at the end are empty. Precondition: no more cells than columns.
  void add_row(std::vector<Cell> cells) {
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
  }
  /// Adds a line between the rows before and after (box and plain).
  void add_rule() { rules_.push_back(rows_.size()); }
  /// Returns the table, each line with its line end.
  std::string render(TableStyle style, bool colour = false) const;
  /// Returns the number of columns on the screen in box style.
  std::size_t width() const;

 private:
  friend class TablePainter;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::size_t> rules_;  ///< numbers of rows that have a line above
};

}  // namespace coslice
