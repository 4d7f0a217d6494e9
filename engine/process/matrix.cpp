#include "process/matrix.h"

#include <algorithm>

namespace coslice {

OusterhoutMatrix::OusterhoutMatrix(std::int32_t rows, std::int32_t columns, Packing packing)
    : columns_(columns), packing_(packing),
      taken_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), false),
      free_(static_cast<std::size_t>(rows), columns) {}

bool OusterhoutMatrix::empty() const {
  return std::all_of(free_.begin(), free_.end(), [&](std::int32_t f) { return f == columns_; });
}

std::optional<std::vector<std::int32_t>> OusterhoutMatrix::find(std::int32_t row, std::int32_t size,
                                                                const std::vector<bool>* refused) const {
  if (size > free_columns(row)) return std::nullopt;
  std::int32_t block = 1;  // under buddy: the columns to look at together
  while (packing_ == Packing::kBuddy && block < size) block *= 2;
  std::vector<std::int32_t> found;
  for (std::int32_t column = 0; column < columns_; ++column) {
    if (packing_ == Packing::kBuddy && column % block == 0) found.clear();
    if (!taken(row, column) && !(refused && (*refused)[static_cast<std::size_t>(column)])) found.push_back(column);
    const auto free = static_cast<std::int32_t>(found.size());
    const bool end_of_block = (column + 1) % block == 0 || column + 1 == columns_;
    const bool enough =
        packing_ == Packing::kLowest ? free == size : end_of_block && free >= size && free == column % block + 1;
    if (!enough) continue;
    found.resize(static_cast<std::size_t>(size));
    return found;
  }
  return std::nullopt;
}

void OusterhoutMatrix::mark(std::int32_t row, const std::vector<std::int32_t>& columns, bool taken) {
  for (const std::int32_t c : columns) {
    taken_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c)] = taken;
  }
  const auto n = static_cast<std::int32_t>(columns.size());
  free_[static_cast<std::size_t>(row)] += taken ? -n : n;
}

std::int32_t OusterhoutMatrix::next_row(std::int32_t row) const {
  for (std::int32_t i = 1; i <= rows(); ++i) {
    const std::int32_t r = (row + i) % rows();
    if (!empty_row(r)) return r;
  }
  return row;
}

}  // namespace coslice
