#include "report/gantt/gantt_overview.h"

#include <algorithm>
#include <cmath>

namespace coslice {
namespace {

/// How much of each cell has each colour.
class OverviewCells {
 public:
  OverviewCells(const GanttChart& chart, int columns, int rows, std::size_t colours)
      : chart_(chart), columns_(columns), rows_(rows), colours_(colours),
        taken_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) * colours) {}

  void add(const GanttBar& b, std::uint8_t colour) {
    const double per_second = columns_ / to_seconds(chart_.to - chart_.from);
    const double per_node = static_cast<double>(rows_) / chart_.result->machine.nodes;
    const double x0 = std::max(0.0, to_seconds(b.from - chart_.from) * per_second);
    const double x1 = std::min<double>(columns_, to_seconds(b.to - chart_.from) * per_second);
    for (const NodeRange& r : chart_.nodes_of(b).ranges())
      cover(x0, x1, r.first * per_node, (r.last + 1) * per_node, colour, static_cast<double>(b.tall) / b.lanes);
  }

  std::vector<OverviewRun> runs() const {
    std::vector<OverviewRun> out;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        OverviewRun cell{row, column, column + 1, 0, false};
        if (!look_at(cell)) continue;
        OverviewRun* last = out.empty() ? nullptr : &out.back();
        const bool goes_on = last != nullptr && last->row == row && last->to == column && last->colour == cell.colour &&
                             last->pale == cell.pale;
        if (goes_on) ++last->to;
        else out.push_back(cell);
      }
    }
    return out;
  }

 private:
  std::size_t at(int row, int column) const {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column)) *
           colours_;
  }

  void cover(double x0, double x1, double y0, double y1, std::uint8_t colour, double share) {
    for (int row = static_cast<int>(y0); row < y1; ++row) {
      const double tall = std::min(y1, row + 1.0) - std::max<double>(y0, row);
      for (int column = static_cast<int>(x0); column < x1; ++column)
        taken_[at(row, column) + colour] +=
            static_cast<float>((std::min(x1, column + 1.0) - std::max<double>(x0, column)) * tall * share);
    }
  }

  /// False where next to nothing is taken.
  bool look_at(OverviewRun& cell) const {
    const auto first = taken_.begin() + static_cast<std::ptrdiff_t>(at(cell.row, cell.from));
    const auto last = first + static_cast<std::ptrdiff_t>(colours_);
    float all = 0;
    for (auto i = first; i != last; ++i) all += *i;
    cell.colour = static_cast<std::uint8_t>(std::max_element(first, last) - first);
    cell.pale = all < 0.5F;
    return all >= 0.1F;
  }

  const GanttChart& chart_;
  int columns_, rows_;
  std::size_t colours_;
  std::vector<float> taken_;
};

}  // namespace

GanttOverview gantt_overview(const GanttChart& chart, int columns, int most_rows,
                             const std::vector<std::uint8_t>& colour_of) {
  const int rows = std::min(chart.result->machine.nodes, most_rows);
  std::uint8_t most = 0;
  for (const std::uint8_t c : colour_of) most = std::max(most, c);
  OverviewCells cells(chart, columns, rows, std::size_t{most} + 1);
  for (const GanttBar& b : chart.bars) cells.add(b, colour_of[b.job]);
  return {rows, columns, cells.runs()};
}

}  // namespace coslice
