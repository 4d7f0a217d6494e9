// Figures of samples: what is known of a mean from a few independent runs, and from one run alone. Whatever has an
// interval gets it here, from values that belong to named units: these alone are taken for independent of one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coslice {

/// Returns the mean; 0 for no values.
double mean(const std::vector<double>& values);

/// Returns the standard deviation of a sample (divided by n - 1); 0 for fewer than two values.
double deviation(const std::vector<double>& values);

struct Interval {
  double low = 0, high = 0;
};

/// What is independent of one another in a sample. Runs of one seed draw the same jobs, whatever the policy and the
/// conditions (load, machine, ...) are: however many they are, they are one value.
enum class Unit : std::uint8_t {
  kSeed,     ///< the runs of one seed
  kPhase,    ///< runs of the same jobs with other phases of a scheduler's cycles
  kWindow,   ///< a window of a log: jobs that were submitted within some days
  kBatch,    ///< a stretch of the jobs of one run
  kDraw,     ///< a draw of what nobody knows yet, as of the run times of the jobs that wait now
  kInstant,  ///< an instant of one record; neighbours depend on one another, which widens the interval
};
/// Returns the unit in the plural: "seeds".
const char* unit_names(Unit unit);
/// Returns "3 seeds", "1 phase".
std::string counted_units(std::size_t n, Unit unit);

/// A mean, and how well it is known.
struct Estimate {
  double mean = 0;                   ///< 0 without values
  std::optional<Interval> interval;  ///< nothing where there are fewer than two units: nobody knows what is chance then
  Unit unit = Unit::kSeed;
  std::size_t units = 0;
};

/// Values by the unit that they belong to. Each unit counts once, as the mean of its values.
class Sample {
 public:
  explicit Sample(Unit unit = Unit::kSeed) : unit_(unit) {}
  void add(std::int64_t unit, double value);
  /// Returns a mean for each unit.
  std::vector<double> means() const;
  Estimate estimate(double level = 0.95) const;
  std::size_t values() const { return values_; }

 private:
  struct Sum {
    double total = 0;
    std::int64_t count = 0;
  };
  Unit unit_;
  std::map<std::int64_t, Sum> sums_;
  std::size_t values_ = 0;
};

/// Returns the mean of values of which each is that of a unit, with its interval by Student's t (kInstant: widened by
/// what correlation neighbours have, as for batch_means).
Estimate estimate_of(const std::vector<double>& one_each, Unit unit, double level = 0.95);

/// Returns the same of differences between two variants, one for each unit that both have. A few differences that are
/// all alike but not 0 give no interval: their deviation of 0 says that they are coarse, not that they are certain.
Estimate difference_of(const std::vector<double>& one_each, Unit unit, double level = 0.95);

/// Returns the quantile of Student's t for an interval of this level with this many degrees of freedom: 2.262 for 0.95
/// and 9. Precondition: 0 < level < 1, freedom > 0.
double student_quantile(double level, double freedom);

/// Returns with how many independent values like these the confidence interval of the mean would exclude 0, at least as
/// many as there are; nothing if `most` would not do.
std::optional<std::int64_t> values_needed(const std::vector<double>& values, double level, std::int64_t most);

/// Returns the confidence interval of mean(b) - mean(a), two independent samples of different deviation (Welch 1947,
/// with the degrees of freedom of Satterthwaite 1946); nothing if one of them has fewer than two values.
std::optional<Interval> difference_interval(const std::vector<double>& a, const std::vector<double>& b,
                                            double level = 0.95);

/// What a series of dependent values, such as the waits of the jobs of one run in their order, says of its mean.
struct BatchMeans {
  std::size_t batches = 0;  ///< 0: too few values for any
  double correlation = 0;   ///< of the means of neighbouring batches
  std::optional<Interval> interval;
};

inline constexpr std::size_t kShortestBatch = 10, kFewestInBatches = 5 * kShortestBatch;

/// Cuts the series into 20 batches of about equal length (of at least 10 values, else fewer batches, at least 5; no
/// interval of fewer than kFewestInBatches values) and takes their means for independent values (Law & Kelton,
/// Simulation Modeling and Analysis, Section 9.5.3). What correlation is left between neighbours widens the interval by
/// sqrt((1 + r) / (1 - r)), as for a series in which each value depends on the one before alone.
BatchMeans batch_means(const std::vector<double>& series, double level = 0.95);

}  // namespace coslice
