#include "formats/trace_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/core.h>
#include <zlib.h>

#include "core/text.h"

namespace coslice {
namespace {

[[noreturn]] void refuse_packed(const std::string& path, std::string problem, std::string expected = "") {
  throw InputError({path, 0, std::move(problem), std::move(expected)});
}

constexpr std::string_view kCsvBlanks = " \t";

}  // namespace

PackedFile::PackedFile(const std::string& path, const std::string& what, unsigned buffer) : path_(path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse_packed(path, "is a folder", what);
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) refuse_packed(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  gzbuffer(file_.get(), buffer);
}

void PackedFile::Close::operator()(gzFile_s* f) const { gzclose(f); }

bool PackedFile::plain() const { return gzdirect(file_.get()) != 0; }

std::size_t PackedFile::read(char* to, std::size_t room) {
  const int got = gzread(file_.get(), to, static_cast<unsigned>(room));
  if (got > 0) return static_cast<std::size_t>(got);
  int code = Z_OK;
  const char* const text = gzerror(file_.get(), &code);
  if (code == Z_ERRNO) refuse_packed(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (code == Z_BUF_ERROR) refuse_packed(path_, "the gzip data end too early", "a whole gzip file");
  if (got < 0) refuse_packed(path_, fmt::format("the gzip data are damaged ({})", text), "a whole gzip file");
  return 0;
}

std::string read_packed(const std::string& path) {
  PackedFile file(path);
  std::string text;
  for (std::size_t held = 0;;) {
    text.resize(held + kPackedBuffer);
    const std::size_t got = file.read(text.data() + held, kPackedBuffer);
    held += got;
    if (got > 0) continue;
    text.resize(held);
    return text;
  }
}

std::string beginning_of(const std::string& path, std::size_t most) {
  PackedFile file(path, "a trace file", static_cast<unsigned>(most));
  std::string head(most, '\0');
  head.resize(file.read(head.data(), head.size()));
  return head;
}

std::int64_t line_of_job(const std::string& path, std::int64_t id) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;  // what came through a pipe is gone
  const std::string text = read_packed(path);
  std::string_view rest = text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    std::string_view line = take_before(rest, '\n');
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r\f\v"), line.size()));
    if (take_number<std::int64_t>(line) == id && line.find_first_of(" \t|") == 0) return number;
  }
  return 0;
}

CsvTable::CsvTable(std::string text, const std::string& file, const std::string& what)
    : file_(file), text_(std::move(text)) {
  parse(what);
}

/// Takes the first cell off the line, and the comma behind it; false: it was the last one.
bool CsvTable::take_cell(std::string_view& line, int number, std::string_view& cell) const {
  const std::size_t first = line.find_first_not_of(kCsvBlanks);
  const bool quoted = first != line.npos && line[first] == '"';
  std::size_t comma = line.find(',');
  if (quoted) {
    const std::size_t close = line.find('"', first + 1);
    if (close == line.npos)
      fail_at_line(number, fmt::format("unterminated quote: {}", printable(line.substr(first, 40))),
                   "a quote at both ends of a cell, in one line");
    comma = line.find(',', close);
    const std::size_t behind_at = close + 1;
    const std::string_view behind =
        trimmed(line.substr(behind_at, comma == line.npos ? comma : comma - behind_at), kCsvBlanks);
    if (!behind.empty())
      fail_at_line(number, fmt::format("behind a quote that ends is {}", printable(behind.substr(0, 40))),
                   "a comma, or the end of the line");
    cell = trimmed(line.substr(first + 1, close - first - 1), kCsvBlanks);
  } else {
    cell = trimmed(line.substr(0, comma), kCsvBlanks);
    if (cell.ends_with('"'))
      fail_at_line(number, fmt::format("missing opening quote: {}", printable(cell.substr(0, 40))),
                   "a quote at both ends of a cell");
  }
  if (comma == line.npos) return false;
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
    fail_at_line(number, fmt::format("{} cells", found), fmt::format("{}, as in the first line", names_.size()));
}

void CsvTable::parse(const std::string& what) {
  int number = 0;
  for (std::string_view rest = without_byte_order_mark(text_); !rest.empty();) {
    std::string_view line = take_before(rest, '\n');
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line, kCsvBlanks).empty()) continue;
    if (!names_.empty()) {
      split(line, number, cells_);
      lines_.push_back(number);
      continue;
    }
    split(line, number, names_);
    for (auto name = names_.begin(); name != names_.end();
         ++name)  // columns without one may stand there more than once
      if (!name->empty() && std::find(names_.begin(), name, *name) != name)
        fail_at_line(number, fmt::format("there are two columns '{}'", printable(*name)), "each name once");
  }
  if (names_.empty()) fail_at_line(0, "is empty", what + " with a line of names");
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto at = std::ranges::find(names_, name);
  if (at == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names_.begin());
}

std::size_t CsvTable::column(std::string_view name) const {
  if (const auto c = find(name)) return *c;
  const std::vector<std::string> known(names_.begin(), names_.end());
  fail_at_line(1, fmt::format("there is no column '{}'", name), "", did_you_mean(name, known));
}

std::int64_t CsvTable::whole(std::size_t row, std::size_t column, std::int64_t low, std::int64_t high) const {
  const auto n = parse_number<std::int64_t>(cell(row, column));
  if (!n || *n < low || *n > high)
    fail(row, fmt::format("{} is '{}'", names_[column], printable(cell(row, column))),
         fmt::format("a whole number from {} to {}", low, high));
  return *n;
}

double CsvTable::real(std::size_t row, std::size_t column, double low, double high) const {
  const auto x = parse_number<double>(cell(row, column));
  if (!x || !(*x >= low && *x <= high))
    fail(row, fmt::format("{} is '{}'", names_[column], printable(cell(row, column))),
         fmt::format("a number from {} to {}", low, high));
  return *x;
}

}  // namespace coslice
