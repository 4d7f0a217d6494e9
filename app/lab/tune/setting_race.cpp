#include "lab/tune/setting_race.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <optional>
#include <set>

#include "core/random.h"
#include "lab/compare/statistics.h"
#include "lab/tune/setting_effects.h"
#include "lab/tune/surrogate.h"

namespace coslice {
namespace {

/// Orders by the guards, then by the mean cost; of equal ones the first that was tried.
std::vector<std::size_t> in_order(std::vector<std::size_t> settings, const Trials& trials, std::size_t count) {
  std::ranges::sort(settings);
  std::ranges::stable_sort(settings, {}, [&](std::size_t s) {
    return std::pair(!trials.keeps_guards(s, 0, count), trials.mean_cost(s, count));
  });
  return settings;
}

/// How likely differences like these are where there is none: one-sided.
double chance_of(const std::vector<double>& differences) {
  const double m = mean(differences), d = deviation(differences);
  if (!std::isfinite(m)) return 0;
  if (m <= 0) return 1;
  // A few that are all alike say that they are coarse, not that they are certain.
  if (d == 0) return std::pow(0.5, static_cast<double>(differences.size()));
  const auto n = static_cast<double>(differences.size());
  const boost::math::students_t t(n - 1);
  return boost::math::cdf(boost::math::complement(t, m / (d / std::sqrt(n))));
}

class Search {
 public:
  Search(const std::vector<TunedParam>& params, Trials& trials, const RaceOptions& options)
      : params_(params), trials_(trials), options_(options), random_(options.seed, "tune"),
        even_(std::max<std::size_t>(params.size(), 1)) {
    for (const TunedParam& p : params_) ordered_.push_back(p.ordered());
    for (const TunedFigure& g : trials.goals()) weights_.push_back(g.weight);
    batch_ = static_cast<std::size_t>(std::clamp<std::int64_t>(options.budget / 20, 4, kLargestBatch));
  }

  RaceOutcome run() {
    begin();
    while (trials_.made() < options_.budget && !over() && !nothing_matters_ && round()) ++outcome_.rounds;
    trials_.weigh(weights_);
    outcome_.best = best();
    return std::move(outcome_);
  }

 private:
  static constexpr std::size_t kMostSettings = 200, kMostAtFirst = 100, kLargestBatch = 32, kCandidates = 400;
  static constexpr double kAtFirst = 0.35, kOfKnown = 0.4;  ///< parts of the runs
  static constexpr double kAlike = 0.95;                    ///< places have more in common than two of a round may

  bool over() const { return options_.time_is_over && options_.time_is_over(); }

  /// The first settings, today's among them, on the first workloads; if they are all alike there, on one more.
  void begin() {
    const auto runs = kAtFirst * static_cast<double>(options_.budget);
    const auto wanted = std::clamp<std::size_t>(
        static_cast<std::size_t>(runs / static_cast<double>(std::max<std::size_t>(options_.first_test, 1))), 4,
        kMostAtFirst);
    left_ = {0};
    constexpr std::size_t kTries = 20;
    for (std::size_t tries = 0; left_.size() < wanted && tries != kTries * wanted; ++tries) add(evenly());
    const std::size_t first = std::min(options_.first_test, options_.workloads);
    for (std::size_t w = 0; w != std::min(first + 1, options_.workloads) && !(w > 0 && over()); ++w) {
      if (w >= first && !all_alike(w)) break;
      if (trials_.made() + trials_.missing(left_, w) > options_.budget) thin_out(w);
      trials_.run(left_, w);
    }
    nothing_matters_ = left_.size() == 1 || all_alike(trials_.workloads_of(0));
    drop();
  }

  /// Keeps only as many as there are runs for.
  void thin_out(std::size_t workload) {
    while (left_.size() > 1 && trials_.made() + trials_.missing(left_, workload) > options_.budget) left_.pop_back();
  }

  bool all_alike(std::size_t count) const {
    for (const std::size_t s : left_)
      for (std::size_t w = 0; w != count; ++w)
        if (trials_.cost(s, w) != trials_.cost(0, w)) return false;
    return true;
  }

  bool add(const Setting& setting) {
    const std::size_t before = trials_.size(), s = trials_.add(setting);
    if (s == before) left_.push_back(s), tried_.push_back(s);  // what is known was tried, and dropped or kept
    return s == before;
  }

  std::vector<double> place_of(const Setting& setting) const {
    std::vector<double> out;
    for (std::size_t p = 0; p != params_.size(); ++p) out.push_back(params_[p].place_of(setting[p]));
    return out;
  }

  Setting setting_at(const std::vector<double>& place) const {
    Setting out;
    for (std::size_t p = 0; p != params_.size(); ++p) out.push_back(params_[p].at(place[p]));
    return out;
  }

  Setting evenly() {
    boost::random::uniform_01<double> uniform;
    std::vector<double> place;
    for (std::size_t p = 0; p != params_.size(); ++p) place.push_back(uniform(even_));
    return setting_at(place);
  }

  /// Some steps away from that place; values of a list without an order are others at times.
  Setting near(const std::vector<double>& of, double width) {
    std::vector<double> place;
    for (std::size_t p = 0; p != params_.size(); ++p) {
      double x = ordered_[p] ? random_.normal(of[p], width) : random_.uniform() < 2 * width ? random_.uniform() : of[p];
      while (x < 0 || x > 1) x = x < 0 ? -x : 2 - x;  // thrown back at the ends
      place.push_back(x);
    }
    return setting_at(place);
  }

  /// What is known of the settings so far. Those that break a guard count as the worst.
  void guess() {
    std::vector<std::size_t> all = {0};
    all.insert(all.end(), tried_.begin(), tried_.end());
    effects_ = setting_effects(all, trials_);
    double worst = 0;
    for (const SettingEffect& e : effects_) worst = std::max(worst, e.value);
    std::vector<SeenPlace> seen;
    for (const SettingEffect& e : effects_) {
      const bool kept = trials_.keeps_guards(e.setting, 0, trials_.workloads_of(e.setting));
      seen.push_back({place_of(trials_.setting(e.setting)), kept ? e.value : worst, e.variance});
    }
    surrogate_.emplace(ordered_, std::move(seen));
  }

  CostGuess guess_of(std::size_t s) const { return surrogate_->at(place_of(trials_.setting(s))); }

  /// Those that are left, the one that may be lowest first.
  std::vector<std::size_t> hopeful() const {
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t s : left_) {
      const CostGuess g = guess_of(s);
      order.emplace_back(g.mean - g.deviation, s);
    }
    std::ranges::sort(order);
    std::vector<std::size_t> out;
    for (const auto& [value, s] : order) out.push_back(s);
    return out;
  }

  /// Adds settings that are expected to improve most, and are not too much like each other.
  void join(std::size_t wanted) {
    double lowest = guess_of(0).mean;
    for (const std::size_t s : left_) lowest = std::min(lowest, guess_of(s).mean);
    const std::vector<std::size_t> parents = hopeful();
    std::vector<std::pair<double, std::vector<double>>> candidates;
    for (std::size_t i = 0; i != kCandidates; ++i) {
      const std::size_t parent = parents[i / 4 % std::min<std::size_t>(parents.size(), 5)];
      const Setting s = i % 2 == 0 ? evenly() : near(place_of(trials_.setting(parent)), i % 4 == 1 ? 0.1 : 0.03);
      std::vector<double> place = place_of(s);
      const double improves = surrogate_->expected_improvement(place, lowest);
      candidates.emplace_back(-improves, std::move(place));
    }
    std::ranges::stable_sort(candidates, {}, [](const auto& c) { return c.first; });
    std::vector<std::vector<double>> chosen;
    for (const auto& candidate : candidates) {
      if (chosen.size() == wanted) break;
      const std::vector<double>& place = candidate.second;
      const auto like = [&](const std::vector<double>& other) { return surrogate_->likeness(place, other) > kAlike; };
      if (!std::ranges::any_of(chosen, like) && add(setting_at(place))) chosen.push_back(place);
    }
  }

  /// Runs a setting on the workloads up to `count`, as far as there are runs for it.
  bool run_up_to(const std::vector<std::pair<std::size_t, std::size_t>>& todo) {
    const std::int64_t before = trials_.made();
    for (std::size_t w = 0; w != options_.workloads; ++w) {
      std::vector<std::size_t> here;
      for (const auto& [s, count] : todo) {
        if (w >= count || trials_.workloads_of(s) < w) continue;
        here.push_back(s);
        if (trials_.made() + trials_.missing(here, w) > options_.budget) here.pop_back();
      }
      if (!here.empty()) trials_.run(here, w);
    }
    return trials_.made() != before;
  }

  bool round() {
    if (options_.front) weigh_anew();
    guess();
    std::vector<std::pair<std::size_t, std::size_t>> todo;
    std::vector<std::size_t> known = hopeful();
    std::erase_if(known, [&](std::size_t s) { return trials_.workloads_of(s) == options_.workloads; });
    const bool last = tried_.size() >= kMostSettings || (!known.empty() && is_late());
    if (last && left_.size() == 1) return false;  // it is the best, whatever comes
    if (known.size() > (last ? batch_ : batch_ / 2)) known.resize(last ? batch_ : batch_ / 2);
    for (const std::size_t s : known) todo.emplace_back(s, trials_.workloads_of(s) + (last ? 3 : 2));
    const std::size_t before = left_.size();
    if (!last) join(batch_ / 2);
    for (std::size_t i = before; i < left_.size(); ++i) todo.emplace_back(left_[i], options_.first_test);
    const bool made = run_up_to(todo);
    std::erase_if(left_, [&](std::size_t s) { return trials_.workloads_of(s) == 0; });
    drop();
    if (options_.told) options_.told(in_order(left_, trials_, common()).front(), left_.size());
    return made;
  }

  bool is_late() const {
    return static_cast<double>(trials_.made()) > (1 - kOfKnown) * static_cast<double>(options_.budget);
  }

  std::size_t common() const {
    std::size_t count = options_.workloads;
    for (const std::size_t s : left_) count = std::min(count, trials_.workloads_of(s));
    return count;
  }

  /// What is worse beyond chance after 3, 6, 12, ... workloads, of those that were run on so many; what breaks a guard;
  /// what fails.
  void drop() {
    std::vector<std::size_t> out;
    for (std::size_t count = std::min(kFewestForTests, options_.workloads); count <= options_.workloads; count *= 2) {
      std::vector<std::size_t> these;
      for (const std::size_t s : left_)
        if (trials_.workloads_of(s) >= count) these.push_back(s);
      if (these.size() < 2) break;
      for (const std::size_t s : worse_than_the_best(these, trials_, count, options_.level))
        if (std::ranges::find(out, s) == out.end()) out.push_back(s);
    }
    for (const std::size_t s : left_) {
      const std::size_t count = trials_.workloads_of(s);
      const bool breaks = count >= std::min(kFewestForTests, options_.workloads) && !trials_.keeps_guards(s, 0, count);
      const bool fails = s != 0 && count > 0 && !std::isfinite(trials_.mean_cost(s, count));
      if ((breaks || fails) && std::ranges::find(out, s) == out.end()) out.push_back(s);
    }
    outcome_.dropped.insert(outcome_.dropped.end(), out.begin(), out.end());
    std::erase_if(left_, [&](std::size_t s) { return std::ranges::find(out, s) != out.end(); });
    if (left_.empty()) left_ = {0};
  }

  /// The lowest guess: the best of many means that hang on chance is lucky.
  std::size_t best() {
    guess();
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t s : left_)
      if (trials_.keeps_guards(s, 0, trials_.workloads_of(s))) order.emplace_back(guess_of(s).mean, s);
    return order.empty() ? 0 : std::ranges::min_element(order)->second;
  }

  void weigh_anew() {
    std::vector<double> weights;
    for (std::size_t g = 0; g != trials_.goals().size(); ++g) weights.push_back(random_.exponential(1));
    trials_.weigh(weights);
  }

  static constexpr std::size_t kFewestForTests = 3;

  const std::vector<TunedParam>& params_;
  Trials& trials_;
  const RaceOptions& options_;
  RandomStream random_;
  boost::random::sobol even_;
  std::vector<bool> ordered_;
  std::vector<double> weights_;            ///< of the goals
  std::size_t batch_ = 4;                  ///< settings that a round is about
  bool nothing_matters_ = false;           ///< all settings gave the same on the first workloads
  std::vector<std::size_t> left_, tried_;  ///< today's is among those that are left, not among those that were tried
  std::vector<SettingEffect> effects_;
  std::optional<Surrogate> surrogate_;
  RaceOutcome outcome_;
};

}  // namespace

std::vector<std::size_t> worse_than_the_best(const std::vector<std::size_t>& settings, const Trials& trials,
                                             std::size_t count, double level) {
  const std::vector<std::size_t> order = in_order(settings, trials, count);
  const std::size_t best = order.front();
  std::vector<std::size_t> out;
  std::vector<std::pair<double, std::size_t>> chances;
  std::set<std::vector<double>> known;
  for (const std::size_t s : order) {
    std::vector<double> costs, differences;
    for (std::size_t w = 0; w != count; ++w) {
      costs.push_back(trials.cost(s, w));
      differences.push_back(costs.back() - trials.cost(best, w));
    }
    if (!known.insert(std::move(costs)).second) out.push_back(s);
    else if (s != best) chances.emplace_back(chance_of(differences), s);
  }
  std::ranges::sort(chances);
  for (std::size_t i = 0; i != chances.size(); ++i) {
    if (chances[i].first > (1 - level) / static_cast<double>(chances.size() - i)) break;
    out.push_back(chances[i].second);
  }
  return out;
}

RaceOutcome race_settings(const std::vector<TunedParam>& params, Trials& trials, const RaceOptions& options) {
  return Search(params, trials, options).run();
}

}  // namespace coslice
