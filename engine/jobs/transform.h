// Changes to a workload before it is simulated: selections, factors, limits that stand in for missing ones, estimates,
// sizes for nodes with several cores.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "jobs/job.h"
#include "jobs/slowdown.h"
#include "jobs/workload.h"

namespace coslice {

/// Draws an estimate for a job from (seed, job id), whatever the order of asking. A model of what users ask for in the
/// spirit of Tsafrir, Etsion & Feitelson 2005, "Modeling user runtime estimates". What it keeps of that study: nearly
/// all estimates are one of about twenty round values, the longest one that is allowed is the most popular, the
/// popularity of the others falls exponentially with their rank, a thin tail takes other multiples of minutes and
/// hours, no estimate is below the run time. The ranks and weights are ours: a fair picture, not a fit to one log.
class EstimateModel {
 public:
  /// Makes the model. `longest` is the largest estimate the machine allows; jobs that ran longer get their run time,
  /// rounded up to whole hours. At least a second.
  EstimateModel(std::uint64_t seed, Duration longest);

  /// Draws an estimate that is at least the job's run time.
  Duration draw(const Job& job) const;

  /// Returns a plausible limit of a machine whose longest run time is this: 1 h, 2 h, 4 h, ... 10 d, else whole days.
  static Duration limit_above(Duration longest_runtime);

 private:
  struct Popular {
    Duration value;
    double weight;
  };
  Duration draw_popular(Duration runtime, double u) const;
  Duration draw_tail(Duration runtime, double u) const;

  RandomKey key_;
  Duration longest_;
  std::vector<Popular> popular_;  // by falling value; weight is the sum of those of this and all longer values
};

/// What the scheduler is told about run times.
enum class Estimates : std::uint8_t {
  kTrace,   ///< limits as they are
  kExact,   ///< the run time
  kScaled,  ///< the run time times a factor
  kModel,   ///< drawn: round values as users ask for them (EstimateModel)
};

/// Applied in the order of the members. Factors are finite and above 0; 1 changes nothing.
struct TransformOptions {
  std::optional<std::array<Duration, 2>> window;  ///< keeps jobs submitted in [from, to), since the trace's second 0
  std::int64_t first = 0;                         ///< keeps the first n jobs; 0 keeps all
  double load_factor = 1;  ///< multiplies the offered load: times since the first submission are divided by it
  double size_factor = 1;  ///< multiplies sizes; rounded, at least 1
  double time_factor = 1;  ///< multiplies run times and limits; arrivals stay
  Duration time_added{0};  ///< is added to run times, not to limits
  Estimates estimates = Estimates::kTrace;
  double estimate_factor = 1;  ///< for Estimates::kScaled
  std::uint64_t seed = 1;      ///< for Estimates::kModel
  /// For Estimates::kModel: the longest estimate the machine allows; by default a usual limit above the longest job.
  std::optional<Duration> longest_estimate;
};

/// Applies the options. Jobs that are left out are noted. Where times were whole seconds they stay so: rounded to the
/// nearest, run times and limits to at least 1 s; other times are rounded to nanoseconds.
/// Throws InputError for a factor that is not above 0, a time added that is below 0, a window that ends before it
/// begins, or times that leave the supported range (submissions 190 years, others 31).
void transform(Workload& workload, const TransformOptions& options);

/// Returns run times x sizes / (processors x time from the first submission to the last); 0 where that time is 0.
double offered_load(const std::vector<Job>& jobs, std::int64_t processors);
/// Multiplies the times since the first submission by one factor, so that the offered load is the wanted one (up to the
/// rounding of whole seconds). Throws InputError if all jobs are submitted at once or the times leave the supported
/// range.
void set_offered_load(Workload& workload, std::int64_t processors, double load);

/// Conditions on a job. An empty list and an absent range say nothing. -1 in a list is "not known".
struct Selection {
  std::vector<std::int32_t> users, groups, executables, queues, partitions, statuses;
  std::optional<std::array<std::int64_t, 2>> sizes;  ///< processes, from and to, both within
  std::optional<std::array<Duration, 2>> runtimes;   ///< [from, to)
  /// Time of day of the submission, [from, to) in hours, local time of the log; over midnight where from is above to.
  std::optional<std::array<double, 2>> hours;
  /// Day of the submission, [from, to) in seconds since 1970 of the log's local calendar.
  std::optional<std::array<std::int64_t, 2>> dates;

  /// Returns the names of the conditions that it has, "users, hours"; "" if there are none.
  std::string conditions() const;
};

/// Leaves jobs that fulfil all conditions of `keep` and none of `drop`, and notes how many were left out. Throws
/// InputError if a time of day or a date is asked for and the header does not say it.
void select_jobs(Workload& workload, const Selection& keep, const Selection& drop);

/// What stands in for limits that a log does not have. A limit is never below the run time: a job without a limit was
/// free to run that long.
struct MissingLimits {
  enum class Rule {
    kRunTime,    ///< the run time itself: a scheduler that plans with limits knows it exactly
    kFactor,     ///< the run time times a factor
    kFixed,      ///< one limit for all jobs
    kPartition,  ///< the limit of the job's partition
  };
  Rule rule = Rule::kRunTime;
  double factor = 1;                            ///< for kFactor, at least 1
  Duration fixed{0};                            ///< for kFixed
  std::map<std::int32_t, Duration> partitions;  ///< for kPartition
  std::optional<Duration> others;               ///< for kPartition: of partitions that are not named
};

/// How readers end their note on jobs without a limit.
inline constexpr const char* kRunTimeIsLimit = "the run time is the limit";

/// Returns the number of jobs whose log has no limit.
std::int64_t count_missing_limits(const Workload& workload);
/// Sets the limits of those jobs, and says in the notes what was done. Throws InputError if a job's partition has no
/// limit, or a limit would be beyond 31 years.
void set_missing_limits(Workload& workload, const MissingLimits& rule);
/// Lets the notes say something else than that the run time is the limit.
void note_missing_limits(Workload& workload, const std::string& words);

/// Equal nodes, as far as sizes go.
struct CoreCounts {
  std::int32_t nodes = 1;
  std::int32_t processors = 1;  ///< per node
  std::int32_t cores = 1;       ///< per processor
  std::int32_t cores_per_node() const { return processors * cores; }
};

/// How a workload made for one process on a node is fitted to nodes with several cores: jobs that tolerate company of
/// their own get more processes on fewer nodes, with about as much work. (Zeng 2009, Equation 7.)
struct SizeAdjustment {
  /// How the new size is rounded. The thesis doubles or quadruples sizes and means to keep the share of powers of two.
  enum class Rounding : std::uint8_t {
    kPowerOfTwo,       ///< powers of two are multiplied by the processes per node, others by the formula
    kFormula,          ///< size x processes per node / slowdown, to the nearest, for all
    kDrawnPowerOfTwo,  ///< powers of two become one next to the formula's number, drawn so that it is the mean
  };
  double max_slowdown = 1.25;         ///< MAX_SL: most that a job with a process on each core may be slowed down
  double max_over_processors = 1.12;  ///< SELF_SL_2: most with a process on each processor
  Rounding rounding = Rounding::kPowerOfTwo;
  std::uint64_t seed = 1;  ///< of what kDrawnPowerOfTwo draws
};

/// Returns how many processes the job has on each of its nodes when it has them for itself: one on each core if it
/// tolerates that, else one on each processor, else 1; a serial job 1. (Zeng 2009, Equation 11.)
std::int32_t processes_per_node(const SlowdownModel& slowdowns, JobIndex j, std::int32_t size,
                                const CoreCounts& machine, const SizeAdjustment& limits);

/// Takes sizes as nodes with one process each and makes them processes; no job needs more nodes than there are. Serial
/// jobs stay serial. Leaves its account in workload.adjusted. Precondition: the jobs are those of the slowdown model,
/// and none is larger than the machine has nodes.
void adjust_sizes(Workload& workload, const SlowdownModel& slowdowns, const CoreCounts& machine,
                  const SizeAdjustment& options);

}  // namespace coslice
