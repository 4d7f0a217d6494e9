// Columns of a CSV text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice {

/// A view of a CSV text with a head, as csv_field writes it (RFC 4180). The text outlives it.
class CsvColumns {
 public:
  explicit CsvColumns(std::string_view text);
  const std::vector<std::string>& columns() const { return columns_; }
  /// Returns the number of the column of that name, if there is one.
  std::optional<std::size_t> column(std::string_view name) const;
  /// Calls `take` with that field of each row, without its quotes. Rows that are too short have an empty one.
  void each(std::size_t column, const std::function<void(std::string_view field)>& take) const;
  /// Calls `take` with the fields of each row, without their quotes.
  void each_row(const std::function<void(const std::vector<std::string>& fields)>& take) const;

 private:
  std::string_view rows_;
  std::vector<std::string> columns_;
};

}  // namespace coslice
