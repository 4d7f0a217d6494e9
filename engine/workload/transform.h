// Changes to a workload before it is simulated: selections, factors, estimates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "workload/workload.h"

namespace coslice {

/// What the scheduler is told about run times.
enum class Estimates : std::uint8_t {
  kTrace,   ///< limits as they are
  kExact,   ///< the run time
  kScaled,  ///< the run time times a factor
  kModel,   ///< drawn: round values as users ask for them (workload/estimate_model.h)
};

/// Applied in the order of the members. Factors are finite and above 0; 1 changes nothing.
struct TransformOptions {
  std::optional<std::array<Duration, 2>> window;  ///< keeps jobs submitted in [from, to), since the trace's second 0
  std::int64_t first = 0;                         ///< keeps the first n jobs; 0 keeps all
  double load_factor = 1;  ///< multiplies the offered load: times since the first submission are divided by it
  double size_factor = 1;  ///< multiplies sizes; rounded, at least 1
  double time_factor = 1;  ///< multiplies run times and limits; arrivals stay
  Estimates estimates = Estimates::kTrace;
  double estimate_factor = 1;  ///< for Estimates::kScaled
  std::uint64_t seed = 1;      ///< for Estimates::kModel
  /// For Estimates::kModel: the longest estimate the machine allows; by default a usual limit above the longest job.
  std::optional<Duration> longest_estimate;
};

/// Applies the options. Jobs that are left out are noted. Where times were whole seconds they stay so: rounded to the
/// nearest, run times and limits to at least 1 s; other times are rounded to nanoseconds.
/// Throws InputError for a factor that is not above 0, a window that ends before it begins, or times that leave the
/// supported range (submissions 190 years, others 31).
void transform(Workload& workload, const TransformOptions& options);

/// Run times x sizes / (processors x time from the first submission to the last); 0 where there is no such time.
double offered_load(const std::vector<Job>& jobs, std::int64_t processors);
/// Multiplies the times since the first submission by one factor, so that the offered load is the wanted one (up to the
/// rounding of whole seconds). Throws InputError if all jobs are submitted at once or the times leave the supported range.
void set_offered_load(Workload& workload, std::int64_t processors, double load);

}  // namespace coslice
