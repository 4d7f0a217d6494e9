// A forecast that is kept in a file: questions about single jobs are answered from it, without the site and without a
// simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/forecast/forecast_text.h"

namespace coslice {

/// What a kept forecast says of a job. All instants are seconds since 1970.
struct KeptJob {
  std::string id, user, account, partition;
  KnownAs as = KnownAs::kWaiting;  ///< or kHeld, or kRunning
  std::string reason;              ///< why it waits or is held, if the site says it
  std::int64_t nodes = 0;
  std::int64_t submitted = 0;
  std::optional<std::int64_t> started;            ///< of a running job
  std::optional<std::int64_t> median, low, high;  ///< starts of a waiting job; absent: none within the horizon
  /// of a waiting job that what is reserved keeps from starting at once: no start can be before
  std::optional<std::int64_t> earliest{};
  double within_hour = 0, today = 0;  ///< probabilities, of a waiting job, as of the queue
};

/// What the starts of a forecast come from.
struct KeptCalibration {
  std::int64_t runs = 0;   ///< simulations
  std::int64_t ended = 0;  ///< ended jobs from whose run times others were drawn
  /// earlier instants by whose forecasts starts are corrected; 0: they are as simulated
  std::int64_t corrected_by = 0;
};

/// A whole forecast as it is kept. All instants are seconds since 1970.
struct KeptForecast {
  std::int64_t queue = 0;    ///< when the queue was looked at
  std::int64_t made = 0;     ///< when the simulations were made
  std::int64_t valid = 0;    ///< for how long after `queue` it may be believed, s
  std::int64_t horizon = 0;  ///< how far after `queue` starts were looked for, s
  double interval = 0;       ///< share of the starts that lie from `low` to `high`
  KeptCalibration calibration;
  std::vector<KeptJob> jobs;  ///< waiting ones, the first to start first; then those that are held; then those that run
};

/// Makes what is kept of a forecast: everything but the two instants that the forecast does not know, `made` and
/// `valid`.
KeptForecast state_of_forecast(const ForecastBase& base, const Forecast& forecast, const ForecastNames& names);

/// Returns what a job is: "waiting", "held" or "running".
const char* known_as_name(KnownAs as);

/// Returns the forecast as JSON, a job a line.
std::string kept_forecast_json(const KeptForecast& state);

/// Reads what kept_forecast_json() wrote. `name` is for messages. Throws InputError if the text is no such state, is
/// cut off, or is of another version; with the line where it is no JSON.
KeptForecast kept_forecast_from_json(const std::string& text, const std::string& name);

/// A question to a kept forecast.
struct ForecastQuestion {
  /// ids as Slurm writes them: "17", all elements of the array "17", "17_4", "17_[1-3]"
  std::vector<std::string> jobs;
  std::vector<std::string> users;  ///< whose jobs; without jobs and users: all that wait or are held
};

/// Returns the jobs that are asked for, in the order of the state, each once. Throws InputError that names the flag for
/// an id or a user of whom the state has no job; `name` is what it calls the state.
std::vector<KeptJob> jobs_asked_for(const KeptForecast& state, const ForecastQuestion& question,
                                    const std::string& name);

/// Returns the answer as a table, with spans from `asked` on; at most `most` jobs (0: all).
std::string forecast_answer_table(const KeptForecast& state, const std::vector<KeptJob>& jobs, std::int64_t asked,
                                  std::size_t most, bool colour);

/// Returns the answer as JSON: what the state says of these jobs, its age, and for each that waits `starts_in`, the
/// seconds from `asked` to its median start, 0 where that has passed.
std::string forecast_answer_json(const KeptForecast& state, const std::vector<KeptJob>& jobs, std::int64_t asked);

}  // namespace coslice
