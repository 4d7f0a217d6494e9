#include "workload/lublin.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "core/error.h"
#include "core/portable_math.h"
#include "core/random.h"
#include "core/whole.h"
#include "workload/lublin_model.h"

namespace coslice {

namespace {

using namespace lublin;

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
      throw InputError({"", 0, fmt::format("the workload would span more than 190 years after {} jobs", id - 1),
                        "fewer jobs or a higher load: 292 years are what can be counted in nanoseconds", "", ""});
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

[[noreturn]] void refuse(std::string problem, std::string expected) {
  throw InputError({"", 0, std::move(problem), std::move(expected), "", ""});
}

void check(const LublinOptions& o) {
  if (o.jobs < 1 || o.jobs > 100'000'000) refuse(fmt::format("the number of jobs is {}", o.jobs), "1 to 100000000");
  if (o.nodes < 1 || o.nodes > 1'000'000) refuse(fmt::format("the number of nodes is {}", o.nodes), "1 to 1000000");
  if (o.alpha && !(*o.alpha > 0 && *o.alpha <= 30)) refuse(fmt::format("alpha is {}", *o.alpha), "above 0, at most 30");
  if (o.alpha && o.load) refuse("both alpha and a load are given", "one of them: alpha decides the load");
  if (o.alpha && o.types)
    refuse("alpha is given for batch and interactive jobs", "a load, because each type has an alpha of its own");
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
