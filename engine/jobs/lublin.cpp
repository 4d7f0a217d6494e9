#include "jobs/lublin.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "core/portable_math.h"
#include "core/random.h"
#include "core/value.h"

namespace coslice {
namespace {

using namespace lublin;

constexpr LublinParameters kTypeless{0.244, 0.576,   0.8,  4.5,     7,      0.86,   4.2,    0.94,  312,
                                     0.03,  -0.0054, 0.78, 10.2303, 0.4871, 8.1737, 3.9631, 1.0225};
constexpr LublinParameters kBatch{0.2927, 0.6686, 1.2,    5,      7,      0.875,  6.57,   0.823, 639.1,
                                  0.0156, -0.003, 0.6986, 6.0415, 0.8531, 6.1271, 5.2740, 1.0519};
constexpr LublinParameters kInteractive{0.1541, 0.625,   1,      3,      5.5,    0.705,  3.8351, 0.6605, 7.073,
                                        0.6856, -0.0118, 0.9156, 6.5510, 0.6621, 8.9186, 3.6680, 0.9797};
constexpr double kFittedAt = 7;  // log2 of the machine of the parameters above

LublinParameters fit_to_machine(LublinParameters p, int nodes) {
  const double shift = portable_log2(nodes) - kFittedAt;
  p.uhi = std::max(0.0, p.uhi + shift);
  p.ulow = std::min(p.ulow, p.uhi);
  p.umed = std::max(p.ulow, p.umed + shift);
  return p;
}

double class_load(const LublinParameters& p, int nodes, double work) {
  return work / (nodes * mean_gap(p, p.arrival_shape()));
}

/// The CDF of a uniform variate on [low, high], which may be a point.
double uniform_cdf(double x, double low, double high) {
  if (x < low) return 0;
  return x >= high ? 1 : (x - low) / (high - low);
}

/// E[e^g; g <= c] for g ~ Gamma(a, b), b < 1.
double exponential_moment(double a, double b, double c) {
  return portable_pow(1 - b, -a) * portable_gamma_p(a, c * (1 - b) / b);
}

/// Shares and moments of both gammas below the longest run time.
struct RuntimeMoments {
  double share1, share2, mean1, mean2;

  explicit RuntimeMoments(const LublinParameters& p)
      : share1(portable_gamma_p(p.a1, kLongestLogRuntime / p.b1)),
        share2(portable_gamma_p(p.a2, kLongestLogRuntime / p.b2)),
        mean1(exponential_moment(p.a1, p.b1, kLongestLogRuntime)),
        mean2(exponential_moment(p.a2, p.b2, kLongestLogRuntime)) {}

  double mean(double q) const { return (q * mean1 + (1 - q) * mean2) / (q * share1 + (1 - q) * share2); }
};

// Below the first, gaps are about a second; above the second, hardly a draw of a gap is short enough.
constexpr double kLeastShape = 0.05, kLargestShape = 40;

/// The shape of the gap's gamma that gives the mean gap.
double shape_for_gap(const LublinParameters& p, double gap) {
  double low = kLeastShape, high = kLargestShape;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (mean_gap(p, middle) < gap ? low : high) = middle;
  }
  return low;
}

/// The C library's drand48 and the authors' way to draw gammas from it: what the original program's jobs are made of.
class OriginalRandom {
 public:
  explicit OriginalRandom(std::uint64_t seed) : state_(((seed & 0xFFFFFFFF) << 16) | 0x330E) {}

  double uniform() {
    state_ = (0x5DEECE66Dull * state_ + 11) & kMask;
    return static_cast<double>(state_) * 0x1p-48;
  }

  /// A gamma of whole shape is a sum of exponentials; the fraction comes from a beta variate times an exponential.
  double gamma(double shape, double scale) {
    const double whole = std::floor(shape), fraction = shape - whole;
    double sum = 0;
    for (double i = 0; i < whole; i += 1) sum += -portable_log(uniform());
    double rest = 0;
    if (fraction > 0) {
      const double share = beta(fraction, 1 - fraction);
      rest = share * -portable_log(uniform());
    }
    return scale * (sum + rest);
  }

 private:
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;

  double beta(double a, double b) {
    for (;;) {
      const double x = portable_pow(uniform(), 1 / a);
      const double y = portable_pow(uniform(), 1 / b);
      if (x + y <= 1) return x / (x + y);
    }
  }

  std::uint64_t state_;
};

/// One stream per purpose: more jobs, or another run-time model, leave the rest of the draws alone.
struct OwnDraws {
  explicit OwnDraws(std::uint64_t seed)
      : gaps{RandomStream(seed, "lublin.arrivals.0"), RandomStream(seed, "lublin.arrivals.1")},
        sizes(seed, "lublin.sizes"), runtimes(seed, "lublin.runtimes") {}
  RandomStream& gap(std::size_t type) { return gaps[type]; }
  RandomStream& size() { return sizes; }
  RandomStream& runtime() { return runtimes; }
  static double clock(double seconds) { return seconds; }

  RandomStream gaps[2];
  RandomStream sizes, runtimes;
};

/// The original: one generator for everything, and a clock of whole seconds that loses the fractions.
struct OriginalDraws {
  explicit OriginalDraws(std::uint64_t seed) : random(seed) {}
  OriginalRandom& gap(std::size_t) { return random; }
  OriginalRandom& size() { return random; }
  OriginalRandom& runtime() { return random; }
  static double clock(double seconds) { return std::floor(seconds); }

  OriginalRandom random;
};

/// Turns gaps of rush hours into gaps of the wall clock: time runs faster where the daily cycle has more arrivals.
class DailyClock {
 public:
  explicit DailyClock(const LublinParameters& p) : weight_(daily_weights(p)) {}

  /// Seconds of wall time for `rush` seconds.
  double advance(double rush) {
    position_ += rush / kBucketSeconds;
    double seconds = 0;
    while (position_ > weight_[bucket_]) {
      position_ -= weight_[bucket_];
      bucket_ = (bucket_ + 1) % kBuckets;
      seconds += kBucketSeconds;
    }
    const double part = position_ / weight_[bucket_];
    seconds += kBucketSeconds * (part - part_);
    part_ = part;
    return seconds;
  }

 private:
  std::array<double, kBuckets> weight_;
  std::size_t bucket_ = 0;
  double position_ = 0;  // in the half hour, of weight_
  double part_ = 0;      // the same as a part of 1
};

/// The arrivals of one class of jobs.
class Arrivals {
 public:
  explicit Arrivals(const LublinParameters& p) : parameters_(p), clock_(p) {}

  double next() const { return next_; }
  void park() { next_ = std::numeric_limits<double>::infinity(); }

  template <class Draws>
  void advance(Draws& draws, std::size_t type) {
    double log_gap = 0;
    do log_gap = draws.gap(type).gamma(parameters_.arrival_shape(), parameters_.barr);
    while (log_gap > kLongestLogGap);
    next_ = Draws::clock(next_ + clock_.advance(portable_exp(log_gap)));
  }

 private:
  LublinParameters parameters_;
  DailyClock clock_;
  double next_ = 0;  // seconds
};

template <class Random>
int draw_size(const LublinParameters& p, int nodes, Random& random) {
  const double u = random.uniform();
  if (u <= p.serial) return 1;
  const bool low = random.uniform() <= p.uprob;
  const double from = low ? p.ulow : p.umed, to = low ? p.umed : p.uhi;
  double exponent = random.uniform() * (to - from) + from;
  if (u <= p.serial + p.pow2)
    exponent = std::min(std::floor(exponent + 0.5), static_cast<double>(largest_exponent(nodes)));
  return std::clamp(truncated<int>(portable_exp2(exponent) + 0.5), 1, nodes);
}

template <class Random>
std::int64_t draw_runtime(const LublinParameters& p, int size, Random& random) {
  const double first = first_gamma_share(p, size);
  double log_runtime = 0;
  do log_runtime = random.uniform() <= first ? random.gamma(p.a1, p.b1) : random.gamma(p.a2, p.b2);
  while (log_runtime > kLongestLogRuntime);
  return static_cast<std::int64_t>(portable_exp(log_runtime));
}

template <class Draws>
std::vector<Job> generate(const LublinModel& model, std::int64_t count, bool tell_type, Draws draws) {
  Arrivals arrivals[2] = {Arrivals(model.classes[0]), Arrivals(model.classes[1])};
  arrivals[1].advance(draws, 1);
  arrivals[0].advance(draws, 0);
  if (!model.types) arrivals[1].park();
  std::vector<Job> jobs;
  jobs.reserve(static_cast<std::size_t>(count));
  for (std::int64_t id = 1; id <= count; ++id) {
    const std::size_t type = arrivals[1].next() < arrivals[0].next() ? 1 : 0;
    const auto& parameters = model.classes[type];
    const double submit = std::floor(arrivals[type].next());
    if (!(submit <= kMaxSubmitSeconds))
      fail_at({}, fmt::format("the workload would span more than 190 years after {} jobs", id - 1),
              "fewer jobs or a higher load: 292 years are what can be counted in nanoseconds");
    arrivals[type].advance(draws, type);
    Job job;
    job.id = id;
    job.submit = Time{whole_seconds(static_cast<std::int64_t>(submit))};
    job.size = draw_size(parameters, model.nodes, draws.size());
    job.runtime = job.limit = whole_seconds(draw_runtime(parameters, job.size, draws.runtime()));
    job.status = 1;
    if (tell_type) job.queue = static_cast<std::int32_t>(type);
    jobs.push_back(job);
  }
  return jobs;
}

void check(const LublinOptions& o) {
  if (o.jobs < 1 || o.jobs > 100'000'000)
    fail_at({}, fmt::format("the number of jobs is {}", o.jobs), "1 to 100000000");
  if (o.nodes < 1 || o.nodes > 1'000'000)
    fail_at({}, fmt::format("the number of nodes is {}", o.nodes), "1 to 1000000");
  if (o.alpha && !(*o.alpha > 0 && *o.alpha <= 30))
    fail_at({}, fmt::format("alpha is {}", *o.alpha), "above 0, at most 30");
  if (o.alpha && o.load) fail_at({}, "both alpha and a load are given", "one of them: alpha decides the load");
  if (o.alpha && o.types)
    fail_at({}, "alpha is given for batch and interactive jobs", "a load, because each type has an alpha of its own");
}

LublinModel model_for(const LublinOptions& o) {
  LublinModel model = lublin_model(o.nodes, o.types);
  const bool use_arar = o.arar.value_or(!o.alpha.has_value());
  for (auto& p : model.classes) {
    if (o.alpha) p.aarr = *o.alpha;
    if (!use_arar) p.arar = 1;
  }
  if (o.load) set_lublin_load(model, *o.load);
  return model;
}

TraceHeader header_for(const LublinOptions& o, const LublinModel& model) {
  TraceHeader head;
  head.max_procs = head.max_nodes = o.nodes;
  head.max_jobs = o.jobs;
  const auto& p = model.classes[0];
  head.lines = {"; Version: 2.2",
                fmt::format("; Computer: Lublin-Feitelson model{}{}", o.types ? ", batch and interactive jobs" : "",
                            o.original ? ", random numbers of the original program" : ""),
                fmt::format("; MaxNodes: {}", o.nodes), fmt::format("; MaxProcs: {}", o.nodes)};
  head.lines.push_back(fmt::format("; Note: seed {}", o.seed));
  if (!o.types) head.lines.push_back(fmt::format("; Note: alpha {:.6g}, ARAR factor {:.6g}", p.aarr, p.arar));
  head.lines.push_back(fmt::format("; Note: expected offered load {:.4f}", lublin_load(model)));
  if (o.types) head.lines.insert(head.lines.end(), {"; Queue: 0 interactive", "; Queue: 1 batch"});
  return head;
}

}  // namespace

namespace lublin {

std::array<double, kBuckets> daily_weights(const LublinParameters& p) {
  // The cycle starts with the half hour of 5:00: the authors' constant 11 counts half hours.
  constexpr int kCycleStart = 11;
  std::array<double, kBuckets> weight{};
  double sum = 0;
  for (int i = kCycleStart; i < kCycleStart + kBuckets; ++i) {
    const double share = portable_gamma_p(p.anum, (i + 0.5) / p.bnum) - portable_gamma_p(p.anum, (i - 0.5) / p.bnum);
    weight[static_cast<std::size_t>((i - 1) % kBuckets)] = share;
    sum += share;
  }
  for (double& w : weight) w /= sum / kBuckets;
  return weight;
}

int largest_exponent(int nodes) { return std::bit_width(static_cast<unsigned>(nodes)) - 1; }

std::vector<double> size_distribution(const LublinParameters& p, int nodes) {
  const auto cdf = [&p](double x) {
    return p.uprob * uniform_cdf(x, p.ulow, p.umed) + (1 - p.uprob) * uniform_cdf(x, p.umed, p.uhi);
  };
  std::vector<double> share(static_cast<std::size_t>(nodes) + 1, 0.0);
  const double other = 1 - p.serial - p.pow2;
  double below = 0;
  for (int n = 1; n <= nodes; ++n) {
    const double upto = n == nodes ? 1 : cdf(portable_log2(n + 0.5));
    share[static_cast<std::size_t>(n)] = other * (upto - below);
    below = upto;
  }
  below = 0;
  const int top = largest_exponent(nodes);
  for (int k = 0; k <= top; ++k) {
    const double upto = k == top ? 1 : cdf(k + 0.5);
    share[std::size_t{1} << k] += p.pow2 * (upto - below);
    below = upto;
  }
  share[1] += p.serial;
  return share;
}

double first_gamma_share(const LublinParameters& p, int size) { return std::clamp(p.pa * size + p.pb, 0.0, 1.0); }

double mean_runtime(const LublinParameters& p, int size) { return RuntimeMoments(p).mean(first_gamma_share(p, size)); }

double mean_gap(const LublinParameters& p, double shape) {
  return exponential_moment(shape, p.barr, kLongestLogGap) / portable_gamma_p(shape, kLongestLogGap / p.barr);
}

double mean_work(const LublinParameters& p, int nodes) {
  const std::vector<double> share = size_distribution(p, nodes);
  const RuntimeMoments moments(p);
  double work = 0;
  for (int n = 1; n <= nodes; ++n)
    work += share[static_cast<std::size_t>(n)] * n * moments.mean(first_gamma_share(p, n));
  return work;
}

}  // namespace lublin

LublinModel lublin_model(int nodes, bool types) {
  if (!types) return {nodes, false, {fit_to_machine(kTypeless, nodes), fit_to_machine(kTypeless, nodes)}};
  return {nodes, true, {fit_to_machine(kInteractive, nodes), fit_to_machine(kBatch, nodes)}};
}

double lublin_load(const LublinModel& model) {
  double load = 0;
  for (int c = 0; c <= (model.types ? 1 : 0); ++c) {
    const auto& p = model.classes[static_cast<std::size_t>(c)];
    load += class_load(p, model.nodes, mean_work(p, model.nodes));
  }
  return load;
}

void set_lublin_load(LublinModel& model, double load) {
  const double now = lublin_load(model);
  double least = 0, most = 1e300;
  for (const auto& p : model.classes) {
    const double gap = mean_gap(p, p.arrival_shape());
    least = std::max(least, now * gap / mean_gap(p, kLargestShape));
    most = std::min(most, now * gap / mean_gap(p, kLeastShape));
  }
  if (!(load >= least && load <= most))
    fail_at({}, fmt::format("the model cannot give a load of {} on {} nodes", load, model.nodes),
            fmt::format("{:.3g} to {:.3g}", least, most));
  for (auto& p : model.classes) p.aarr = shape_for_gap(p, mean_gap(p, p.arrival_shape()) * now / load) / p.arar;
}

Workload generate_lublin(const LublinOptions& options) {
  check(options);
  const LublinModel model = model_for(options);
  Workload w;
  w.name = "lublin";
  w.header = header_for(options, model);
  w.records = options.jobs;
  // The original program writes type 0 for jobs without types, too.
  w.jobs = options.original ? generate(model, options.jobs, true, OriginalDraws(options.seed))
                            : generate(model, options.jobs, options.types, OwnDraws(options.seed));
  return w;
}

}  // namespace coslice
