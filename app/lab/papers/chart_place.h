// Where a figure of a paper stands in a chart, and in the table beside it.
#pragma once

#include <optional>
#include <string>

namespace coslice {

struct ChartPlace {
  std::string chart;        ///< its title; rows of an experiment with the same one are drawn together
  std::string axis;         ///< what `at` is: "workload", "slots of a block"; "" where that is plain
  std::string at;           ///< the group of bars, or the number along the axis as a text
  std::optional<double> x;  ///< `at`, if it is a number: then lines are drawn, not bars
  std::string series;       ///< which bar of the group, or which line: "GLTS"; "" if there is one alone
};

}  // namespace coslice
