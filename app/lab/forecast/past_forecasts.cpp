#include "lab/forecast/past_forecasts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/portable_math.h"

namespace coslice {
namespace {

/// Spans count from that much before now: half a minute more or less is no error of a job that starts at once.
constexpr double kSoon = 60;
/// How near, as logarithms, the spans of forecasts have to be that bear on one another, and in what steps that is
/// looked at.
constexpr double kNear = 1, kStep = 0.25;
/// A forecast at an earlier instant is simulated so many times as far as is known what happened, and so much further.
constexpr int kFurther = 3;
constexpr Duration kLeast = whole_seconds(3600);
/// Number of parts of a correction; some of them may be made.
constexpr int kParts = 4;
/// Spans whose logarithms differ by less are the same where it is asked which part of a correction helps: a trial makes
/// nearly all of it.
constexpr double kSame = 0.01;
/// What weighs less is left out.
constexpr double kLightest = 0.05;

double log_span(Time now, Time t) { return portable_log(std::max(to_seconds(t - now), 0.0) + kSoon); }
int step_of(Time now, Time median) { return static_cast<int>(std::lround(log_span(now, median) / kStep)); }

/// Whether a job is one whose start says something of a forecast: it has started or it waits still.
bool is_known(const KnownJob& job) {
  return job.as == KnownAs::kEnded || job.as == KnownAs::kRunning || job.as == KnownAs::kWaiting;
}

/// When it started, if that was by `now`; else it waited still then.
std::pair<Time, bool> start_by(const KnownJob& job, Time now) {
  const bool started = job.as != KnownAs::kWaiting && job.start <= now;
  return {started ? job.start : now, started};
}

/// How long jobs have waited after earlier instants, by now.
struct Waits {
  double sum = 0;  ///< s
  std::size_t starts = 0;

  void add(Time then, Time start, bool started) {
    sum += to_seconds(start - then);
    starts += started ? 1 : 0;
  }
  /// How far corrections are trusted that a history of such a length gives.
  double trust(Duration history) const {
    const double mean = starts != 0 ? sum / static_cast<double>(starts) : 0;
    return starts != 0 && to_seconds(history) > mean ? 1 - mean / to_seconds(history) : 0;
  }
};

}  // namespace

std::vector<double> quantile_levels(double share) {
  const double tail = (1 - share) / 2;
  std::vector<double> levels = {tail, 0.5, 1 - tail};
  for (int k = 1; k != 20; ++k) levels.push_back(0.05 * k);
  return levels;
}

std::vector<Time> start_quantiles(std::vector<Time> starts, const std::vector<double>& levels) {
  std::ranges::sort(starts);
  const auto n = static_cast<double>(starts.size());
  std::vector<Time> out;
  for (const double p : levels) {
    const double place = std::clamp(p * (n + 1) - 1, 0.0, n - 1);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    const Time a = starts[below], b = starts[std::min(below + 1, starts.size() - 1)];
    if (a == kNever || b == kNever) out.push_back(part > 0 ? b : a);
    else out.push_back(a + Duration{static_cast<std::int64_t>(part * static_cast<double>((b - a).count()))});
  }
  return out;
}

MachineState state_before(const MachineState& known, Time then, const Workload& workload) {
  MachineState state{then, std::vector<KnownJob>(known.jobs.size())};
  for (std::size_t j = 0; j != state.jobs.size(); ++j) {
    const KnownJob& later = known.jobs[j];
    if (workload.jobs[j].submit > then || later.as == KnownAs::kNotYet || later.as == KnownAs::kHeld) continue;
    KnownJob& job = state.jobs[j];
    if (later.as == KnownAs::kWaiting || later.start > then) {
      job.as = KnownAs::kWaiting;
      continue;
    }
    job.start = later.start;
    job.nodes = later.nodes;
    job.as = later.as == KnownAs::kEnded && later.end <= then ? KnownAs::kEnded : KnownAs::kRunning;
    if (job.as == KnownAs::kEnded) job.end = later.end;
  }
  return state;
}

std::vector<Time> instants_before(const MachineState& known, const Workload& workload, std::size_t count,
                                  Duration memory) {
  Time first = kNever;
  bool waited = false;
  for (std::size_t j = 0; j != known.jobs.size(); ++j) {
    const KnownJob& job = known.jobs[j];
    if (job.as != KnownAs::kEnded) continue;
    first = std::min(first, workload.jobs[j].submit);
    waited = waited || job.start > workload.jobs[j].submit;
  }
  std::vector<Time> out;
  if (!waited) return out;
  first = std::max(first, known.now - memory);
  for (std::size_t i = 0; i != count; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    out.push_back(first + Duration{static_cast<std::int64_t>(part * static_cast<double>((known.now - first).count()))});
  }
  return out;
}

Duration horizon_before(const MachineState& then, const MachineState& known, Duration most) {
  Duration longest{0};
  for (std::size_t j = 0; j != then.jobs.size(); ++j) {
    if (then.jobs[j].as != KnownAs::kWaiting) continue;
    const KnownJob& now = known.jobs[j];
    longest = std::max(longest, (now.as == KnownAs::kWaiting ? known.now : now.start) - then.now);
  }
  return std::min(most, kFurther * longest + kLeast);
}

PastForecast within_horizon(PastForecast said, Duration horizon) {
  for (StartQuantiles& job : said.jobs)
    for (Time& t : job.at) t = std::min(t, said.now + horizon);
  return said;
}

bool may_correct(const std::vector<MachineState>& then, const MachineState& known) {
  Waits waits;
  for (const MachineState& state : then)
    for (std::size_t j = 0; j != state.jobs.size(); ++j) {
      if (state.jobs[j].as != KnownAs::kWaiting || !is_known(known.jobs[j])) continue;
      const auto [start, started] = start_by(known.jobs[j], known.now);
      waits.add(state.now, start, started);
    }
  return !then.empty() && waits.trust(known.now - then.front().now) > 0;
}

Correction::Correction(const std::vector<PastForecast>& past, const MachineState& known, std::vector<double> levels)
    : levels_(std::move(levels)) {
  add_scores(past, past.size(), known, known.now);
  if (trust_ > 0) trust_ *= part_that_helps(past, known);
}

/// What the first `count` of these forecasts said, by what was known at `now`.
void Correction::add_scores(const std::vector<PastForecast>& past, std::size_t count, const MachineState& known,
                            Time now) {
  scores_.assign(levels_.size(), {});
  Waits waits;
  for (std::size_t i = 0; i != count; ++i) {
    bool any = false;
    for (const StartQuantiles& said : past[i].jobs) {
      if (!is_known(known.jobs[said.job]) || said.at[1] == kNever) continue;
      const auto [start, started] = start_by(known.jobs[said.job], now);
      any = true;
      waits.add(past[i].now, start, started);
      const double was = log_span(past[i].now, start);
      for (std::size_t l = 0; l != levels_.size(); ++l)
        if (said.at[l] != kNever)
          scores_[l].push_back({was - log_span(past[i].now, said.at[l]), log_span(past[i].now, said.at[1]), started});
    }
    instants_ += any ? 1 : 0;
  }
  trust_ = past.empty() ? 0 : waits.trust(now - past.front().now);
  for (std::vector<Score>& scores : scores_)
    std::ranges::stable_sort(scores, [](const Score& a, const Score& b) {
      return a.off != b.off ? a.off < b.off : a.started && !b.started;
    });
}

/// Each earlier forecast is corrected by those before it, with what was known then: none of it, a quarter, half, ... or
/// all. Returns the part with which intervals held what they should the most nearly; where none could be corrected,
/// none. So a forecast that holds is left alone.
double Correction::part_that_helps(const std::vector<PastForecast>& past, const MachineState& known) const {
  std::array<std::size_t, kParts + 1> held{}, missed{};
  for (std::size_t k = 1; k < past.size(); ++k) {
    Correction then;
    then.levels_.assign(levels_.begin(), levels_.begin() + 3);
    then.add_scores(past, k, known, past[k].now);
    if (then.trust_ == 0) continue;
    for (const StartQuantiles& said : past[k].jobs) {
      if (!is_known(known.jobs[said.job]) || said.at[1] == kNever) continue;
      const auto [start, started] = start_by(known.jobs[said.job], known.now);
      const int step = step_of(past[k].now, said.at[1]);
      const double was = log_span(past[k].now, start), low = then.log_factor_near(0, step),
                   high = then.log_factor_near(2, step);
      for (std::size_t i = 0; i != held.size(); ++i) {
        const double part = static_cast<double>(i) / kParts;
        const bool early = was < log_span(past[k].now, said.at[0]) + part * low - kSame;
        const bool late = said.at[2] != kNever && was > log_span(past[k].now, said.at[2]) + part * high + kSame;
        if (late || (started && early)) ++missed[i];
        else if (started) ++held[i];
      }
    }
  }
  const double wanted = levels_[2] - levels_[0];
  std::size_t best = 0;
  double least = 1;
  for (std::size_t i = 0; i != held.size(); ++i) {
    if (held[i] + missed[i] == 0) continue;
    const double off = std::abs(static_cast<double>(held[i]) / static_cast<double>(held[i] + missed[i]) - wanted);
    if (off < least) best = i;
    least = std::min(least, off);
  }
  return static_cast<double>(best) / kParts;
}

/// The quantile of what is known of earlier forecasts of about that span.
double Correction::log_factor(std::size_t level, double place) const {
  std::vector<std::pair<const Score*, double>> near;
  double at_risk = 0;
  for (const Score& s : scores_[level]) {
    const double far = (s.place - place) / kNear, weight = portable_exp(-far * far / 2);
    if (weight < kLightest) continue;
    near.push_back({&s, weight});
    at_risk += weight;
  }
  if (near.empty()) return 0;
  double left = 1;
  for (const auto& [s, weight] : near) {
    if (s->started) {
      left *= std::max(1 - weight / at_risk, 0.0);
      if (1 - left >= levels_[level]) return s->off;
    }
    at_risk -= weight;
  }
  return near.back().first->off;
}

/// The logarithm of what spans of about that length are multiplied by.
double Correction::log_factor_near(std::size_t level, int step) {
  const auto [found, first] = log_factors_.try_emplace({level, step}, 0.0);
  if (first) found->second = trust_ * log_factor(level, step * kStep);
  return found->second;
}

void Correction::apply(Time now, std::vector<Time>& at) {
  if (instants() == 0 || at[1] == kNever) return;
  const int step = step_of(now, at[1]);
  for (std::size_t l = 0; l != at.size(); ++l) {
    if (at[l] == kNever) continue;
    const double span = (to_seconds(at[l] - now) + kSoon) * portable_exp(log_factor_near(l, step)) - kSoon;
    at[l] = later(now, from_seconds(std::max(span, 0.0)));
  }
  at[0] = std::min(at[0], at[1]);
  at[2] = std::max(at[1], at[2]);
  std::sort(at.begin() + 3, at.end());
}

}  // namespace coslice
