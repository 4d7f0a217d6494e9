// A forecast as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "lab/forecast/forecast.h"
#include "report/charts/chart.h"

namespace coslice {

/// What jobs are called, by JobIndex; where a list is empty, numbers stand in.
struct ForecastNames {
  std::vector<std::string> ids, users, accounts, partitions;
};

/// What one job is called.
struct JobNames {
  std::string id, user, account, partition;
};

/// Returns what a job is called: by its site, else by its numbers; "" for what it does not have.
JobNames names_of_job(const ForecastBase& base, const ForecastNames& names, JobIndex j);
/// Returns the number of nodes that a job asks for.
std::int64_t nodes_of_job(const ForecastBase& base, const Job& job);
/// Returns the span from `now` to `t` in days, hours and minutes, "2 d 02:05", as it stands in tables; 00:00 where t
/// has passed, and "> 7 d 00:00" where it is kNever, with the horizon of the forecast.
std::string span_text(Time now, Time t, Duration horizon);

/// Returns a line for each waiting job in a table, the first to start first; at most `most` (0: all). Then the jobs
/// that are held.
std::string forecast_table(const ForecastBase& base, const Forecast& forecast, const ForecastNames& names,
                           std::size_t most, bool colour);
/// Returns CSV with the columns id, user, partition, nodes, processes, submitted, waited, median, low, high (s from the
/// snapshot on; empty: it may never start), within_1h, today, position.
std::string forecast_csv(const ForecastBase& base, const Forecast& forecast, const ForecastNames& names);
/// Returns the forecast as JSON, with the instants and settings of the forecast.
std::string forecast_json(const ForecastBase& base, const Forecast& forecast, const ForecastNames& names);

/// Returns the shares of starts that the intervals held, and what that means.
std::string calibration_text(const Calibration& calibration, bool colour);
std::string calibration_json(const Calibration& calibration);
/// Draws the share that intervals held over the one that they should hold.
Chart calibration_chart(const Calibration& calibration);

}  // namespace coslice
