#include "scenario/csv_columns.h"

#include <algorithm>

namespace coslice {
namespace {

/// Takes a field and what ends it off the front of the text; whether it was the last of its row.
bool take_field(std::string_view& text, std::string& field) {
  std::size_t i = 0;
  while (i < text.size() && text[i] != ',' && text[i] != '\n' && text[i] != '"') ++i;
  field.assign(text.substr(0, i));  // all of it, most often
  bool quoted = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') field += text[i++];
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == ',' || c == '\n')) break;
    else field += c;
  }
  const bool last = i >= text.size() || text[i] == '\n';
  text.remove_prefix(std::min(i + 1, text.size()));
  return last;
}

}  // namespace

CsvColumns::CsvColumns(std::string_view text) : rows_(text) {
  std::string field;
  for (bool last = text.empty(); !last; columns_.push_back(field)) last = take_field(rows_, field);
}

std::optional<std::size_t> CsvColumns::column(std::string_view name) const {
  const auto at = std::ranges::find(columns_, name);
  if (at == columns_.end()) return {};
  return static_cast<std::size_t>(at - columns_.begin());
}

void CsvColumns::each(std::size_t column, const std::function<void(std::string_view)>& take) const {
  each_row([&](const std::vector<std::string>& fields) { take(column < fields.size() ? fields[column] : ""); });
}

void CsvColumns::each_row(const std::function<void(const std::vector<std::string>&)>& take) const {
  std::vector<std::string> fields;
  for (std::string_view rest = rows_; !rest.empty(); take(fields)) {
    std::size_t n = 0;
    for (bool last = false; !last; ++n) {
      if (n == fields.size()) fields.emplace_back();
      last = take_field(rest, fields[n]);
    }
    fields.resize(n);
  }
}

}  // namespace coslice
