// The Ousterhout matrix: a column for each processor, a row for each time slot. A job has the same row on all its
// processors, so that its processes can be switched in together (Ousterhout 1982).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace coslice {

enum class Packing : std::uint8_t {
  kLowest,  ///< the free columns with the lowest numbers
  kBuddy,   ///< the first aligned block of a power of two that is free and holds the job (Feitelson & Rudolph 1990)
};

class OusterhoutMatrix {
 public:
  OusterhoutMatrix(std::int32_t rows, std::int32_t columns, Packing packing);

  std::int32_t rows() const { return static_cast<std::int32_t>(free_.size()); }
  std::int32_t columns() const { return columns_; }
  /// Columns of a row that no job holds.
  std::int32_t free_columns(std::int32_t row) const { return free_[static_cast<std::size_t>(row)]; }
  bool empty_row(std::int32_t row) const { return free_columns(row) == columns_; }
  bool empty() const;

  bool taken(std::int32_t row, std::int32_t column) const {
    return taken_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
  }

  /// Where a job of that size would be in the row; nothing if it does not fit. `refused`: columns that it may not have.
  std::optional<std::vector<std::int32_t>> find(std::int32_t row, std::int32_t size,
                                                const std::vector<bool>* refused = nullptr) const;
  void take(std::int32_t row, const std::vector<std::int32_t>& columns) { mark(row, columns, true); }
  void release(std::int32_t row, const std::vector<std::int32_t>& columns) { mark(row, columns, false); }

  /// The next row after `row` that holds a job, which may be the same one; `row` if none does.
  std::int32_t next_row(std::int32_t row) const;

 private:
  void mark(std::int32_t row, const std::vector<std::int32_t>& columns, bool taken);

  std::int32_t columns_;
  Packing packing_;
  std::vector<bool> taken_;  ///< by row, then column
  std::vector<std::int32_t> free_;
};

}  // namespace coslice
