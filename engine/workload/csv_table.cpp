#include "workload/csv_table.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/error.h"
#include "core/printable.h"
#include "workload/byte_order_mark.h"
#include "workload/packed_file.h"

namespace coslice {

namespace {

std::string_view trimmed(std::string_view cell) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!cell.empty() && blank(cell.back())) cell.remove_suffix(1);
  while (!cell.empty() && blank(cell.front())) cell.remove_prefix(1);
  return cell;
}

}  // namespace

CsvTable::CsvTable(const std::string& path, const std::string& what) : file_(path), text_(read_packed(path)) {
  parse(what);
}

CsvTable::CsvTable(std::string text, const std::string& file, const std::string& what)
    : file_(file), text_(std::move(text)) {
  parse(what);
}

/// Takes the first cell off the line, and the comma behind it; false: it was the last one.
bool CsvTable::take_cell(std::string_view& line, int number, std::string_view& cell) const {
  const std::size_t first = line.find_first_not_of(" \t");
  const bool quoted = first != std::string_view::npos && line[first] == '"';
  std::size_t comma = line.find(',');
  if (quoted) {
    const std::size_t close = line.find('"', first + 1);
    if (close == std::string_view::npos)
      throw InputError({file_, number, fmt::format("a quote does not end: {}", printable(line.substr(first, 40))),
                        "a quote at both ends of a cell, in one line", "", ""});
    comma = line.find(',', close);
    const std::string_view behind = trimmed(line.substr(close + 1, comma == std::string_view::npos ? comma : comma - close - 1));
    if (!behind.empty())
      throw InputError({file_, number, fmt::format("behind a quote that ends stands {}", printable(behind.substr(0, 40))),
                        "a comma, or the end of the line", "", ""});
    cell = trimmed(line.substr(first + 1, close - first - 1));
  } else {
    cell = trimmed(line.substr(0, comma));
    if (!cell.empty() && cell.back() == '"')
      throw InputError({file_, number, fmt::format("a quote does not begin: {}", printable(cell.substr(0, 40))),
                        "a quote at both ends of a cell", "", ""});
  }
  if (comma == std::string_view::npos) return false;
  line.remove_prefix(comma + 1);
  return true;
}

void CsvTable::split(std::string_view line, int number, std::vector<std::string_view>& to) const {
  const std::size_t before = to.size();
  std::string_view cell;
  for (bool more = true; more;) {
    more = take_cell(line, number, cell);
    to.push_back(cell);
  }
  const std::size_t found = to.size() - before;
  if (&to == &cells_ && found != names_.size())
    throw InputError({file_, number, fmt::format("{} cells", found),
                      fmt::format("{}, as in the first line", names_.size()), "", ""});
}

/// Columns without a name may stand there more than once.
void CsvTable::check_names(int number) const {
  for (auto name = names_.begin(); name != names_.end(); ++name)
    if (!name->empty() && std::find(names_.begin(), name, *name) != name)
      throw InputError({file_, number, fmt::format("there are two columns '{}'", printable(*name)), "each name once", "", ""});
}

void CsvTable::parse(const std::string& what) {
  int number = 0;
  for (std::size_t at = text_.size() - without_byte_order_mark(text_).size(); at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line(text_.data() + at, end - at);
    at = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (trimmed(line).empty()) continue;
    if (names_.empty()) {
      split(line, number, names_);
      check_names(number);
      continue;
    }
    split(line, number, cells_);
    lines_.push_back(number);
  }
  if (names_.empty()) throw InputError({file_, 0, "is empty", what + " with a line of names", "", ""});
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names_.begin());
}

std::size_t CsvTable::column(std::string_view name) const {
  if (const auto c = find(name)) return *c;
  const std::vector<std::string> known(names_.begin(), names_.end());
  throw InputError({file_, 1, fmt::format("there is no column '{}'", name), "", did_you_mean(name, known), ""});
}

std::int64_t CsvTable::whole(std::size_t row, std::size_t column, std::int64_t low, std::int64_t high) const {
  const std::string_view text = cell(row, column);
  std::int64_t n = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), n);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || n < low || n > high)
    fail(row, fmt::format("{} is '{}'", names_[column], printable(text)),
         fmt::format("a whole number from {} to {}", low, high));
  return n;
}

void CsvTable::fail(std::size_t row, const std::string& problem, const std::string& expected,
                    const std::string& suggestion) const {
  throw InputError({file_, lines_[row], problem, expected, suggestion, ""});
}

}  // namespace coslice
