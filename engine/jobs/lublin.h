// The workload model of Lublin & Feitelson 2003, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs". Names of parameters are the paper's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "jobs/workload.h"

namespace coslice {

/// One class of jobs. Gamma(a, b) has shape a, scale b and mean a b.
struct LublinParameters {
  double serial;           ///< P(size = 1)
  double pow2;             ///< P(the size is made a power of two), a share of all jobs
  double ulow, umed, uhi;  ///< two-stage uniform of log2(size): from, knee, to
  double uprob;            ///< P(below the knee)
  double a1, b1, a2, b2;   ///< hyper-gamma of ln(run time in s)
  double pa, pb;           ///< P(first gamma) = pa size + pb, clipped to [0, 1]
  double aarr, barr;       ///< gamma of ln(gap in s) in rush hours; aarr is the papers' alpha
  double anum, bnum;       ///< gamma of the daily cycle, in half hours
  double arar;             ///< rush-to-all ratio: multiplies aarr
  double arrival_shape() const { return aarr * arar; }
};

/// The model for a machine: one class of jobs, or interactive and batch ones.
struct LublinModel {
  int nodes = 128;
  bool types = false;
  std::array<LublinParameters, 2> classes;  ///< typeless or interactive (SWF queue 0), batch (queue 1)
};

/// Returns the published parameters, fitted at 128 nodes; for other sizes uhi and umed move with log2(nodes), as the
/// paper advises. Sizes stay within the machine: powers of two at the largest that fits.
LublinModel lublin_model(int nodes, bool types);

/// Returns the expected offered load: E[run time x size] / (nodes E[gap]), summed over the classes. In closed form,
/// before run times and arrivals are floored to seconds.
double lublin_load(const LublinModel& model);

/// Sets aarr of each class so that lublin_load is `load`; the classes keep their shares of it. The gaps' mean has
/// the closed form (1-b)^-A F(13; A, b/(1-b)) / F(13; A, b), F the gamma CDF, which rises with the shape
/// A = aarr arar: bisection finds it. Throws InputError if the model cannot give that load.
void set_lublin_load(LublinModel& model, double load);

/// The parts of the model that its generator and its closed forms share.
namespace lublin {

inline constexpr double kLongestLogRuntime = 12;  ///< ln s; longer ones are drawn again
inline constexpr double kLongestLogGap = 13;
inline constexpr int kBuckets = 48;  ///< half hours of the day
inline constexpr double kBucketSeconds = 1800;

/// Returns the share of the arrivals per half hour of the day, scaled to a mean of 1.
std::array<double, kBuckets> daily_weights(const LublinParameters& p);

/// Returns P(size = n) for n = 0 ... nodes (0 has none).
std::vector<double> size_distribution(const LublinParameters& p, int nodes);

/// Returns P(ln(run time) comes from the first gamma).
double first_gamma_share(const LublinParameters& p, int size);

/// Returns E[run time | size], in seconds.
double mean_runtime(const LublinParameters& p, int size);

/// Returns E[gap] in seconds for a shape of the arrival gamma; rises with the shape.
double mean_gap(const LublinParameters& p, double shape);

/// Returns E[run time x size], in node-seconds.
double mean_work(const LublinParameters& p, int nodes);

/// Returns the largest whole exponent of two that fits the machine.
int largest_exponent(int nodes);

}  // namespace lublin

/// What a user chooses.
struct LublinOptions {
  std::int64_t jobs = 1000;
  int nodes = 128;
  std::uint64_t seed = 1;
  bool types = false;           ///< batch and interactive jobs
  bool original = false;        ///< the very jobs of the authors' C program, drand48 included
  std::optional<double> alpha;  ///< aarr of the typeless model
  std::optional<double> load;   ///< wanted offered load; instead of alpha
  /// The factor arar on aarr. Unless it is set: on, as in the C program, but off where alpha is given, because the
  /// papers that state an alpha use it without the factor.
  std::optional<bool> arar;
};

/// Generates jobs with whole seconds; limits equal run times. A single trace scatters: 10,000 jobs have an offered
/// load within 8 % of the expected one (one standard deviation).
/// Throws InputError for options out of range or in conflict.
Workload generate_lublin(const LublinOptions& options);

}  // namespace coslice
