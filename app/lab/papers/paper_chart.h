// Figures of a paper that belong together, as a chart and as a table: groups of bars, or lines over a number.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/papers/published_row.h"
#include "report/charts/chart.h"

namespace coslice {

class PaperChart {
 public:
  /// Precondition: at least one row; all have a place in the same chart.
  explicit PaperChart(std::vector<Row> rows);

  const std::string& title() const { return rows_.front().place->chart; }
  const std::string& axis() const { return rows_.front().place->axis; }
  const std::string& unit() const { return rows_.front().unit; }
  const std::vector<Row>& rows() const { return rows_; }
  /// Returns the groups, in the order in which rows named them first.
  const std::vector<std::string>& groups() const { return groups_; }
  const std::vector<std::string>& series() const { return series_; }
  /// Returns the row of a group and a series, or null.
  const Row* row(const std::string& group, const std::string& series) const;

  /// Returns whether there are at least two figures to compare, and a chart is wanted.
  bool is_drawn() const;
  /// Returns what was obtained, with its intervals: bars if `at` are names, lines if all are numbers. What was
  /// published is a pale bar before it, or a hollow mark, of the same colour.
  Chart chart() const;

 private:
  std::size_t place_in_groups(const std::string& group) const;

  std::vector<Row> rows_;
  std::vector<std::string> groups_, series_;
  bool is_lines_ = false;
};

/// Returns the charts of an experiment, in the order in which its rows name them.
std::vector<PaperChart> paper_charts(const std::vector<Row>& rows);

}  // namespace coslice
