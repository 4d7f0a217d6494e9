#include "formats/sacct_rows.h"

#include <algorithm>

namespace coslice {
namespace {

constexpr std::size_t kMostLines = 2000;     ///< of one row
constexpr std::size_t kMostBytes = 1 << 22;  ///< of one row
constexpr std::size_t kLooksBack = 64;       ///< lines on which the row may begin that the last line completes
// In the costs of a reading: that a line before it is no row, which begins like one that was cut off, or does not.
constexpr std::int64_t kPriceOfCutLine = 24;
constexpr std::int64_t kPriceOfNoRow = 1000;

std::string_view without_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == line.npos; }

/// Without blank lines behind the last one, which may be of the row or not.
std::string_view without_blank_lines(std::string_view lines) {
  lines = without_end(lines);
  for (std::size_t at; (at = lines.rfind('\n')) != lines.npos && is_blank(lines.substr(at));)
    lines = without_end(lines.substr(0, at));
  return lines;
}

/// The fields of the beginning of a text as parts of a copy of it.
void rebase(std::vector<std::string_view>& fields, const std::string& copy) {
  if (fields.empty()) return;
  const char* const begin = fields.front().data();
  for (std::string_view& field : fields) field = {copy.data() + (field.data() - begin), field.size()};
}

}  // namespace

bool SeenRows::is_new(const std::vector<std::string_view>& fields) {
  constexpr std::uint64_t kBegin = 0xcbf29ce484222325, kTimes = 0x100000001b3;  // FNV-1a
  std::uint64_t hash = kBegin;
  for (const std::string_view field : fields) {
    for (const char c : field) hash = (hash ^ static_cast<unsigned char>(c)) * kTimes;
    hash = (hash ^ 0x100) * kTimes;  // what no field has in it
  }
  hash ^= hash >> 32;
  hash = std::max<std::uint64_t>(hash, 1);
  if (2 * used_ >= table_.size()) grow();
  std::size_t at = hash % table_.size();
  for (; table_[at] != 0; at = (at + 1) % table_.size())
    if (table_[at] == hash) return false;
  table_[at] = hash;
  ++used_;
  return true;
}

void SeenRows::grow() {
  std::vector<std::uint64_t> larger(2 * table_.size(), 0);
  for (const std::uint64_t hash : table_) {
    if (hash == 0) continue;
    std::size_t at = hash % larger.size();
    while (larger[at] != 0) at = (at + 1) % larger.size();
    larger[at] = hash;
  }
  table_ = std::move(larger);
}

std::string_view SacctRows::text(std::size_t first, std::size_t last) const {
  const std::size_t begin = lines_[first].begin, end = last == lines_.size() ? held_.size() : lines_[last].begin;
  return without_blank_lines(std::string_view(held_).substr(begin, end - begin));
}

std::optional<SacctColumns::Reading> SacctRows::reading(std::size_t first, std::size_t last) const {
  std::size_t parts = 1;
  for (std::size_t i = first; i != last; ++i) parts += lines_[i].delimiters;
  if (parts < columns_.size()) return std::nullopt;
  return columns_.read(text(first, last), seen_);
}

void SacctRows::emit(std::size_t last, const SacctColumns::Reading& reading) {
  const std::size_t end = last == lines_.size() ? held_.size() : lines_[last].begin;
  SacctRow row{lines_[0].number, std::string_view(held_).substr(lines_[0].begin, end - lines_[0].begin)};
  row.fields = reading.fields;
  row.readable = !reading.ambiguous;
  row.ambiguous = reading.ambiguous;
  const std::string_view plain = text(0, last);
  row.joined = plain.find('\n') != plain.npos || sacct_fields(plain, columns_.delimiter()).size() != columns_.size();
  row.uncertain = reading.uncertain && row.joined;
  if (row.ambiguous) row.fields = sacct_fields(plain.substr(0, plain.find('\n')), columns_.delimiter());
  take_(row);
}

void SacctRows::emit_bad(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i != last; ++i) {
    SacctRow row{lines_[i].number, text(i, i + 1)};
    row.fields = sacct_fields(row.raw, columns_.delimiter());
    // As many fields, and something odd in one of them: who reads it says what.
    row.readable = row.fields.size() == columns_.size();
    row.cut_off = i + 1 == lines_.size() && !held_.ends_with('\n');
    take_(row);
  }
}

/// What it costs that the lines from the complete ones up to `last` are of no row.
std::int64_t SacctRows::price_of_bad_lines(std::size_t last) const {
  std::int64_t each = 0;
  for (std::size_t i = complete_; i != last; ++i)
    each += columns_.may_be_cut_off(text(i, i + 1)) ? kPriceOfCutLine : kPriceOfNoRow;
  const auto lines = static_cast<std::int64_t>(last - complete_);
  if (each <= lines * kPriceOfCutLine || !columns_.may_be_cut_off(text(complete_, last))) return each;
  return lines * kPriceOfCutLine;
}

/// What it costs that the lines from the complete ones up to `last` belong to that row; or else, to none.
std::int64_t SacctRows::price_of_lines(std::size_t last) const {
  if (last == complete_) return 0;
  const std::int64_t bad = price_of_bad_lines(last);
  if (complete_ == 0) return bad;
  const auto with = reading(0, last), without = reading(0, complete_);
  return with && without ? std::min(bad, with->cost - without->cost) : bad;
}

/// Lines before `last`: one row, or one and what is none, such as the beginning of another one.
void SacctRows::emit_front(std::size_t last) {
  if (complete_ == 0) return emit_bad(0, last);
  std::size_t end = complete_;
  while (end != last && !columns_.begins_a_row(text(end, end + 1))) ++end;
  if (end != complete_ && price_of_lines(end) >= price_of_bad_lines(end)) end = complete_;
  auto row = reading(0, end);
  // What looks like the beginning of a row is none if the row before lacks what stands there.
  for (std::size_t further = end + 1; row && further <= std::min(last, end + kLooksBack); ++further)
    if (auto with = reading(0, further); with && with->cost < row->cost) row = std::move(with), end = further;
  if (row) emit(end, *row);
  emit_bad(row ? end : 0, last);
}

void SacctRows::emit_simple() {
  SacctRow row{lines_[0].number, held_, std::move(fields_), true};
  take_(row);
  fields_.clear();
}

void SacctRows::drop_front(std::size_t lines) {
  const std::size_t bytes = lines == lines_.size() ? held_.size() : lines_[lines].begin;
  held_.erase(0, bytes);
  lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(lines));
  for (Line& one : lines_) one.begin -= bytes;
  complete_ = 0;
}

/// All lines that are held are known to be over.
void SacctRows::close() {
  if (lines_.empty()) return;
  if (!fields_.empty()) {
    emit_simple();
  } else {
    emit_front(lines_.size());
  }
  drop_front(lines_.size());
}

void SacctRows::line(std::string_view with_end, std::int64_t number) {
  const bool has_quotes = with_end.find('"') != with_end.npos;
  if (quoted_ && (has_quotes || !open_.empty())) return quoted_line(with_end, number);
  const std::string_view text = without_end(with_end);
  if (has_quotes && sacct_fields(text, columns_.delimiter()).size() != columns_.size())
    if (const auto plain = without_quotes(text)) return plain_line(*plain, number);
  plain_line(with_end, number);
}

void SacctRows::quoted_line(std::string_view with_end, std::int64_t number) {
  if (open_.empty()) opened_ = number;
  open_ += with_end;
  if (std::ranges::count(open_, '"') % 2 != 0 && open_.size() < kMostBytes) return;
  const auto plain = without_quotes(without_end(open_));
  plain_line(plain ? *plain : open_, opened_);
  open_.clear();
}

std::optional<std::string> SacctRows::without_quotes(std::string_view text) const {
  const std::string& delimiter = columns_.delimiter();
  const auto fields = quoted_sacct_fields(text, delimiter);
  if (!fields || fields->size() != columns_.size()) return {};
  // Where others have none, quotes may be of the texts themselves.
  if (!quoted_ && !columns_.look_right({fields->begin(), fields->end()})) return {};
  std::string out;
  for (std::size_t i = 0; i != fields->size(); ++i)
    out += (i == 0 ? "" : delimiter) + escaped_sacct_field((*fields)[i], delimiter);
  return out + "\n";
}

void SacctRows::plain_line(std::string_view with_end, std::int64_t number) {
  const std::string_view line = without_end(with_end);
  if (is_blank(line) && columns_.size() > 1) {  // within a text, or nothing
    if (!lines_.empty()) held_.append(with_end), rebase(fields_, held_);
    else take_({number, with_end, {}, true});
    return;
  }
  std::vector<std::string_view> fields = sacct_fields(line, columns_.delimiter());
  const std::size_t found = fields.size();
  const bool open = complete_ < lines_.size();
  if (!open && found == columns_.size() && columns_.look_right(fields))
    return row_of_its_own(with_end, number, std::move(fields));
  const auto alone = found >= columns_.size() ? columns_.read(line, seen_) : std::nullopt;
  const bool begins = alone && !(open && !columns_.begins_a_row(line));
  if (begins) close();
  lines_.push_back({held_.size(), number, found - 1});
  held_ += with_end;
  fields_.clear();
  if (begins) complete_ = 1;
  else go_on();
  if (lines_.size() > kMostLines || held_.size() > kMostBytes) close();
}

/// Most rows: they are not held unless they may go on in the next line.
void SacctRows::row_of_its_own(std::string_view with_end, std::int64_t number, std::vector<std::string_view> fields) {
  close();
  lines_.push_back({0, number, fields.size() - 1});
  held_ = with_end;
  fields_ = std::move(fields);
  rebase(fields_, held_);
  complete_ = 1;
}

/// Whether one of the lines from `first` on may be the first one of a row.
bool SacctRows::begins_a_row(std::size_t first) {
  for (std::size_t i = std::max(first, lines_.size() - std::min(lines_.size(), kLooksBack)); i != lines_.size(); ++i)
    if (columns_.may_go_on(text(i, lines_.size()))) return true;
  return false;
}

/// The last line is no row by itself: it may go on with the one before, or complete one that began before it.
void SacctRows::go_on() {
  const std::size_t all = lines_.size(), earliest = complete_;
  std::optional<SacctColumns::Reading> best;
  std::size_t best_begin = 0;
  std::int64_t best_cost = 0;
  const std::size_t oldest = std::max(earliest, all - std::min(all, kLooksBack));
  const auto try_from = [&](std::size_t first) {
    auto found = reading(first, all);
    if (!found) return;
    const std::int64_t cost = found->cost + price_of_lines(first);
    if (best && best_cost <= cost) return;
    best = std::move(found), best_begin = first, best_cost = cost;
  };
  if (complete_ == 0 && oldest > 0) try_from(0);
  for (std::size_t first = oldest; first != all; ++first) try_from(first);
  if (best) {
    emit_front(best_begin);
    drop_front(best_begin);
    complete_ = lines_.size();
    return;
  }
  if (complete_ == 0) {
    if (columns_.may_go_on(text(0, all))) return;
    for (std::size_t first = std::max<std::size_t>(oldest, 1); first < all; ++first)
      if (columns_.may_go_on(text(first, all))) return emit_bad(0, first), drop_front(first);
    emit_bad(0, all);
    return drop_front(all);
  }
  if (begins_a_row(complete_)) return;
  if (reading(0, all)) complete_ = all;
  else if (!columns_.may_go_on(text(0, all))) close();
}

void SacctRows::finish() {
  if (!open_.empty()) plain_line(open_, opened_);
  open_.clear();
  close();
}

}  // namespace coslice
