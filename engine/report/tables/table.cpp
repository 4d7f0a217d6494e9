#include "report/tables/table.h"

#include <algorithm>

#include "output/output.h"

namespace coslice {

/// How a style draws. `rule` left empty means that there is no such line.
struct TablePen {
  struct Line {
    std::string left, fill, cross, right;
  };
  std::string left, bar, gap, right;  // around the cells of a row; gap is used inside a column group
  Line top, middle, bottom;
};

namespace {

const TablePen kBoxPen = {"│ ", " │ ", "  ", " │", {"┌", "─", "┬", "┐"}, {"├", "─", "┼", "┤"}, {"└", "─", "┴", "┘"}};
const TablePen kPlainPen = {"", "   ", "  ", "", {}, {"", "-", "-", ""}, {}};

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(' ') == std::string::npos; }

std::string full_title(const Column& c) { return is_blank(c.group) ? c.title : c.group + " " + c.title; }

std::string markdown_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string markdown(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows) {
  std::string head = "|", rule = "|", body;
  for (const auto& c : columns) {
    head += " " + markdown_cell(full_title(c)) + " |";
    rule += c.numeric ? " ---: |" : " --- |";
  }
  for (const auto& row : rows) {
    body += "|";
    for (const auto& cell : row) body += " " + markdown_cell(cell.text) + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

std::string csv(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows) {
  std::string out;
  for (std::size_t c = 0; c < columns.size(); ++c) out += (c > 0 ? "," : "") + csv_field(full_title(columns[c]));
  out += "\n";
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out += (c > 0 ? "," : "") + csv_field(row[c].text);
    out += "\n";
  }
  return out;
}

}  // namespace

/// Draws the box and plain styles.
class TablePainter {
 public:
  TablePainter(const Table& table, const TablePen& pen, bool colour) : table_(table), pen_(pen), colour_(colour) {
    measure();
  }

  std::string draw() const {
    std::string out = rule(pen_.top);
    if (has_groups()) out += group_titles();
    out += titles();
    out += rule(pen_.middle);
    for (std::size_t r = 0; r < table_.rows_.size(); ++r) {
      if (r > 0 && std::ranges::count(table_.rules_, r) > 0) out += rule(pen_.middle);
      out += row(r);
    }
    return out + rule(pen_.bottom);
  }

  std::size_t width() const {
    std::size_t total = display_width(pen_.left) + display_width(pen_.right);
    for (std::size_t c = 0; c < columns().size(); ++c) total += widths_[c] + display_width(joint_after(c));
    return total;
  }

 private:
  const std::vector<Column>& columns() const { return table_.columns_; }

  bool has_groups() const {
    return std::ranges::any_of(columns(), [](const Column& c) { return !is_blank(c.group); });
  }

  bool same_group(std::size_t a, std::size_t b) const {
    return !columns()[a].group.empty() && columns()[a].group == columns()[b].group;
  }

  const std::string& joint_after(std::size_t c) const {
    static const std::string none;
    if (c + 1 == columns().size()) return none;
    return same_group(c, c + 1) ? pen_.gap : pen_.bar;
  }

  /// One past the last column of c's group.
  std::size_t group_end(std::size_t c) const {
    std::size_t end = c + 1;
    while (end < columns().size() && same_group(c, end)) ++end;
    return end;
  }

  std::size_t span_width(std::size_t first, std::size_t end) const {
    std::size_t total = 0;
    for (std::size_t c = first; c < end; ++c) total += widths_[c] + (c + 1 < end ? pen_.gap.size() : 0);
    return total;
  }

  void measure() {
    for (const auto& c : columns()) widths_.push_back(display_width(c.title));
    for (const auto& row : table_.rows_)
      for (std::size_t c = 0; c < row.size(); ++c) widths_[c] = std::max(widths_[c], display_width(row[c].text));
    for (std::size_t c = 0; c < columns().size(); c = group_end(c)) {
      const std::size_t has = span_width(c, group_end(c)), needs = display_width(columns()[c].group);
      if (needs > has) widths_[c] += needs - has;
    }
  }

  std::string rule(const TablePen::Line& line) const {
    if (line.fill.empty()) return "";
    std::string out = line.left + repeated(line.fill, display_width(pen_.left) - display_width(line.left));
    for (std::size_t c = 0; c < columns().size(); ++c) {
      out += repeated(line.fill, widths_[c]);
      const std::size_t joint = display_width(joint_after(c));
      const bool crossed = c + 1 < columns().size() && !same_group(c, c + 1);
      out += crossed ? line.fill + line.cross + repeated(line.fill, joint - 2) : repeated(line.fill, joint);
    }
    out += repeated(line.fill, display_width(pen_.right) - display_width(line.right)) + line.right;
    return paint(out, Tone::kDim, colour_) + "\n";
  }

  std::string bar(const std::string& text) const { return is_blank(text) ? text : paint(text, Tone::kDim, colour_); }

  std::string finished(const std::string& line) const { return without_trailing_spaces(line + bar(pen_.right)) + "\n"; }

  std::string group_titles() const {
    std::string out = bar(pen_.left);
    for (std::size_t c = 0; c < columns().size(); c = group_end(c)) {
      const std::size_t end = group_end(c);
      out += paint(pad_both(columns()[c].group, span_width(c, end)), Tone::kBold, colour_) + bar(joint_after(end - 1));
    }
    return finished(out);
  }

  std::string padded(const std::string& text, std::size_t c) const {
    return columns()[c].numeric ? pad_left(text, widths_[c]) : pad_right(text, widths_[c]);
  }

  /// A line of the texts and tones that cell(column) returns.
  template <class CellOf>
  std::string line_of(const CellOf& cell) const {
    std::string out = bar(pen_.left);
    for (std::size_t c = 0; c < columns().size(); ++c) {
      const Cell its = cell(c);
      out += paint(padded(its.text, c), its.tone, colour_) + bar(joint_after(c));
    }
    return finished(out);
  }

  std::string titles() const {
    return line_of([&](std::size_t c) { return Cell(columns()[c].title, Tone::kBold); });
  }

  /// A merged value is left out if it and all merged ones before it are the same as above.
  bool repeats(std::size_t r, std::size_t c) const {
    if (r == 0 || !columns()[c].merge) return false;
    for (std::size_t i = 0; i <= c; ++i)
      if (columns()[i].merge && table_.rows_[r][i].text != table_.rows_[r - 1][i].text) return false;
    return true;
  }

  std::string row(std::size_t r) const {
    const auto& cells = table_.rows_[r];
    return line_of([&](std::size_t c) { return repeats(r, c) ? Cell("", cells[c].tone) : cells[c]; });
  }

  const Table& table_;
  const TablePen& pen_;
  bool colour_;
  std::vector<std::size_t> widths_;
};

std::string Table::render(TableStyle style, bool colour) const {
  switch (style) {
    case TableStyle::kBox: return TablePainter(*this, kBoxPen, colour).draw();
    case TableStyle::kPlain: return TablePainter(*this, kPlainPen, colour).draw();
    case TableStyle::kMarkdown: return markdown(columns_, rows_);
    case TableStyle::kCsv: break;
  }
  return csv(columns_, rows_);
}

std::size_t Table::width() const { return TablePainter(*this, kBoxPen, false).width(); }

}  // namespace coslice
