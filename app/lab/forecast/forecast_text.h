// A forecast as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "lab/forecast/forecast.h"

namespace coslice {

/// What jobs are called, by JobIndex; where a list is empty, numbers stand in.
struct ForecastNames {
  std::vector<std::string> ids, users, partitions;
};

/// A line for each waiting job in a table, the first to start first; at most `most` (0: all). Then the jobs that are held.
std::string forecast_table(const ForecastBase& base, const Forecast& forecast, const ForecastNames& names, std::size_t most,
                           bool colour);
/// id, user, partition, nodes, processes, submitted, waited, median, low, high (s from the snapshot on; empty: it may never
/// start), within_1h, today, position.
std::string forecast_csv(const ForecastBase& base, const Forecast& forecast, const ForecastNames& names);
/// The same with the instants and settings of the forecast.
std::string forecast_json(const ForecastBase& base, const Forecast& forecast, const ForecastNames& names);

/// The shares of starts that the intervals held, and what that means.
std::string calibration_text(const Calibration& calibration, bool colour);
std::string calibration_json(const Calibration& calibration);

}  // namespace coslice
