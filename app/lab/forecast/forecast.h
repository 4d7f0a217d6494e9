// When will each waiting job start? Many simulations that begin with the machine as it is at an instant, each with
// other run times and other jobs to come, of which the starts make a distribution for each job.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "lab/forecast/known_jobs.h"
#include "lab/forecast/past_forecasts.h"
#include "lab/thread_pool.h"
#include "machine/node_set.h"
#include "scenario/scenario.h"

namespace coslice {

/// Whether jobs are expected that are not there yet.
enum class Arrivals : std::uint8_t {
  kNone,
  kDays,  ///< those of earlier days (or hours) again
};

struct ForecastOptions {
  std::int64_t runs = 100;  ///< simulations; where a budget is set, at most
  std::int64_t seed = 1;
  double level = 0.8;  ///< of the intervals
  Arrivals arrivals = Arrivals::kDays;
  Time last_arrival = kNever;  ///< none is expected after that
  /// Jobs that ended before that are left out: they count in no usage any more.
  Duration memory = whole_seconds(14 * 86400);
  /// Starts that are further away are none: nothing is simulated of later. A machine whose queue grows would else be
  /// simulated for weeks until the last job has its turn.
  Duration horizon = whole_seconds(7 * 86400);
  std::int64_t past = 20;  ///< earlier instants by whose forecasts this one is corrected; 0: it says what was simulated
  std::int64_t past_runs = 20;  ///< simulations of each
  /// Bounds the work of all simulations together (ForecastRun::work), if there are at least `least_runs` and earlier
  /// instants; 0: however much.
  double budget = 0;
  std::int64_t least_runs = 20, least_past = 5, least_past_runs = 8;
  /// Where even those are more than the budget, no earlier instants are simulated, then fewer of now: so many at least.
  std::int64_t fewest_runs = 8;
  /// Bounds the work of one simulation: where it is used up, nothing later is looked at, in none of them. Where the
  /// history alone takes more, so that fewest_runs are made, each of these may take its part of the budget. 0: however
  /// much.
  double most_work = 0;
  /// Changes of a single run beside its jobs, e.g. the phase of a scheduler's cycles.
  std::function<void(Scenario&, RandomStream&)> vary;
};

/// What a forecast is made from. All outlive it.
struct ForecastBase {
  const Scenario& scenario;  ///< with one policy, and the machine filled in (Runner::scenario)
  const Workload& workload;  ///< with what its jobs ask for resolved (Runner::workload)
};

struct JobForecast {
  JobIndex job = kNoJob;
  Time median = kNever, low = kNever, high = kNever;  ///< starts; kNever: none within the horizon
  double within_hour = 0, today = 0;                  ///< probabilities
  double position = 0;      ///< median of its places among the waiting jobs in the order of their starts, from 1
  Time earliest{};          ///< no start can be before, whatever else runs: what is reserved keeps it off its nodes
  bool never_seen = false;  ///< it started in no simulation
};

/// A job that is left out of a forecast: the machine can never run it.
struct NeverJob {
  std::string id, why;
};

struct Forecast {
  MachineState state;
  ForecastOptions options;        ///< as it was made: with its runs, and the horizon that was reached
  bool cut = false;               ///< most_work was used up before the horizon that was asked for
  std::vector<JobForecast> jobs;  ///< waiting ones, by their median starts
  std::size_t expected = 0;       ///< jobs that came in a run, on average
  std::size_t history = 0;        ///< ended jobs from whose run times others were drawn
  std::size_t corrected_by = 0;   ///< earlier instants with waiting jobs; 0: as simulated
  bool cannot_correct = false;    ///< earlier instants were asked for and not simulated: they say nothing (may_correct)
  bool no_time = false;           ///< they were not simulated because that would have been more than the budget
  std::vector<NeverJob> never;    ///< jobs of the queue that are not among those of the state
  std::vector<JobIndex> kept;     ///< jobs that waited beside free nodes (disagreement.h)
};

/// The starts of the waiting jobs of one snapshot in one run, in the order of their JobIndex.
struct ForecastRun {
  std::vector<Time> starts;
  std::vector<Time> earliest{};   ///< of each, before which it cannot start (earliest_start.h)
  std::vector<double> work_at{};  ///< what had been taken when it started
  Time reached = kNever;          ///< where most_work was used up; kNever: it was not
  std::size_t arrivals = 0;
  /// the nodes of those that start within kAtOnce (disagreement.h), by place in `starts`
  std::map<std::size_t, NodeRanges> at_once{};
  /// what it took, in about microseconds of a processor; counted, so the same everywhere
  double work = 0;
  double history = 0;  ///< of that, what took it to the snapshot; 0 where most_work bounds nothing

  /// Returns whether some of the jobs can start by then.
  bool any_can_start_by(Time last) const {
    return std::ranges::any_of(earliest, [&](Time t) { return t <= last; });
  }
};

/// How far the simulations are.
struct ForecastProgress {
  std::size_t done = 0, total = 0;  ///< total 0: not known yet
  double share = 0;                 ///< of the work, as far as it is known what the rest takes
};

/// How simulations are made.
struct ForecastPool {
  int workers = 1;                                    ///< threads
  std::function<void(const ForecastProgress&)> tick;  ///< as PoolOptions::tick
  /// Told when it is known what a run takes: with which numbers of runs, and which part of the work is done.
  std::function<void(const ForecastOptions&, double share)> planned{};
};

/// Returns one run of a forecast; what comes of it depends on options.seed and `run` alone. `stop` is asked now and
/// then and may throw. Throws as Runner does.
ForecastRun forecast_run(const ForecastBase& base, const MachineState& state, const ForecastOptions& options,
                         std::int64_t run, const std::function<void()>& stop);

/// Returns what the runs of a snapshot say, uncorrected, for intervals of that share.
PastForecast forecast_of_runs(const MachineState& state, const std::vector<ForecastRun>& runs, double share);

/// Returns the options with fewer runs and earlier instants where all of them, each of `work`, would be more than the
/// budget: as many of now as of all earlier instants together, as far as these are at least as many as are wanted; no
/// earlier ones where the least of both is too much.
ForecastOptions within_budget(ForecastOptions options, double work);

/// Makes a forecast of the runs of a snapshot, corrected by earlier forecasts.
Forecast summarize_forecast(const ForecastBase& base, MachineState state, const ForecastOptions& options,
                            const std::vector<ForecastRun>& runs, const std::vector<PastForecast>& past);

/// Makes a whole forecast, on several threads. Its options say how many runs there were. Runs that would say nothing
/// are not made: of earlier instants where they could correct nothing (may_correct), of now where none of the jobs can
/// start as far ahead as the first runs came. Jobs that their policy never lets start are held in it, with the reason.
Forecast make_forecast(const ForecastBase& base, MachineState state, const ForecastOptions& options,
                       const ForecastPool& pool);

/// How often 80 % intervals and the like held what happened.
struct CalibrationGroup {
  std::string name;                           ///< "within 1 h", "later", ...
  std::size_t jobs = 0;                       ///< waiting jobs, each counted in each snapshot
  std::size_t held = 0, early = 0, late = 0;  ///< starts in the interval, before and after it
  double median_error = 0;                    ///< of |start - median start|, s
};

/// Counts how many starts intervals of one share held, as simulated and corrected.
struct HeldAt {
  double share = 0;
  double simulated = 0, corrected = 0;  ///< parts of the starts that were held
};

struct Calibration {
  ForecastOptions options;
  std::vector<Time> instants;
  std::vector<double> shares;  ///< held, by instant with waiting jobs
  CalibrationGroup all;
  std::vector<CalibrationGroup> groups;  ///< by how far away the median start was
  std::vector<HeldAt> held_at;           ///< of 50, 80 and 90 %, and options.level
  std::vector<HeldAt> curve;             ///< of every 5 %, to be drawn
};

/// Forecasts at these instants, each with what was known then, beside what happened. Where options.past is not 0, each
/// is corrected by those before it, and by some before the first, as far from one another. No job is expected after the
/// last one of the record: none came, because the record ends there.
Calibration calibrate(const ForecastBase& base, const std::vector<JobOnRecord>& record,
                      const std::vector<Time>& instants, const ForecastOptions& options, const ForecastPool& pool);

/// Returns `count` instants, evenly over the middle of the submissions: before, little is known; after, no more jobs
/// come.
std::vector<Time> instants_over(const Workload& workload, std::size_t count);

}  // namespace coslice
