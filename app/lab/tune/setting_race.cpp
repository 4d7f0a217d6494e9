#include "lab/tune/setting_race.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/random.h"
#include "lab/compare/statistics.h"
#include "lab/tune/setting_effects.h"
#include "lab/tune/surrogate.h"

namespace coslice {
namespace {

constexpr std::size_t kFewestForTests = 3;

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
    guess();
    outcome_.best = best();
    return std::move(outcome_);
  }

 private:
  static constexpr std::size_t kMostSettings = 200, kMostAtFirst = 100, kLargestBatch = 32, kCandidates = 400;
  static constexpr double kAtFirst = 0.35, kOfKnown = 0.4;  ///< parts of the runs
  static constexpr std::size_t kOnEachWorkload = 6;         ///< settings of the first ones
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
    const std::size_t spread = options_.spread ? left_.size() * options_.first_test / kOnEachWorkload : 0;
    ring_ = std::min(std::max(options_.first_test, spread), options_.workloads);
    for (std::size_t n = 0; n <= options_.first_test && !(n > 0 && over()); ++n) {
      if (n == options_.first_test && !all_alike()) break;
      std::vector<SettingOn> todo;
      for (const std::size_t s : left_)
        if (s != 0) need(s, 1, todo);
      make(std::move(todo));
    }
    forget_those_without_runs();
    nothing_matters_ = left_.size() == 1 || all_alike();
    drop();
  }

  /// Where among the first workloads a setting begins: drawn, each workload as often. (Sobol's sequence has an order:
  /// by turns all those of one half would have the same workloads.)
  std::size_t start_of(std::size_t setting) {
    const auto [at, is_new] = starts_.try_emplace(setting, 0);
    if (is_new) {
      if (deck_.empty()) deck_ = workloads_between(0, ring_);
      const auto drawn = deck_.begin() + random_.uniform_int(0, std::ssize(deck_) - 1);
      at->second = *drawn;
      deck_.erase(drawn);
    }
    return at->second;
  }

  /// Adds the runs of a setting on so many more workloads. It goes round those of the first ones, from where it begins,
  /// and then on: neighbours have others, so that what is so on single workloads is not taken for what is so on all.
  void need(std::size_t setting, std::size_t more, std::vector<SettingOn>& todo) {
    const std::size_t start = start_of(setting);
    for (std::size_t n = 0; n != options_.workloads && more > 0; ++n) {
      const SettingOn run{setting, n < ring_ ? (start + n) % ring_ : n};
      if (trials_.trial(run.first, run.second) == nullptr) todo.push_back(run), --more;
    }
  }

  /// Makes these runs, as many as there are left.
  bool make(std::vector<SettingOn> todo) {
    while (!todo.empty() && trials_.made() + trials_.missing(todo) > options_.budget) todo.pop_back();
    const std::int64_t before = trials_.made();
    trials_.run(todo);
    return trials_.made() != before;
  }

  void forget_those_without_runs() {
    std::erase_if(left_, [&](std::size_t s) { return trials_.workloads_of(s).empty(); });
  }

  bool all_alike() const {
    for (const std::size_t s : left_)
      for (const std::size_t w : trials_.workloads_of(s))
        if (trials_.cost(s, w) != trials_.cost(0, w)) return false;
    return true;
  }

  bool add(const Setting& setting) {
    const std::size_t s = trials_.add(setting);
    const bool is_new = known_.insert(s).second;  // another one was tried, and dropped or kept
    if (is_new) left_.push_back(s), tried_.push_back(s);
    return is_new;
  }

  std::vector<double> place_of(const Setting& setting) const {
    std::vector<double> out;
    for (std::size_t p = 0; p != params_.size(); ++p) out.push_back(params_[p].place_of(setting[p]));
    return out;
  }

  Setting setting_at(const std::vector<double>& place) const {
    Setting out;
    for (std::size_t p = 0; p != params_.size(); ++p) out.push_back(params_[p].at(place[p]));
    return without_meaningless(params_, std::move(out));
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
      const bool kept = trials_.keeps_guards(e.setting, trials_.workloads_of(e.setting));
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

  bool round() {
    if (options_.front) weigh_anew();
    std::vector<std::size_t> known = hopeful();
    std::erase_if(known, [&](std::size_t s) {  // today's is run wherever another one is
      return s == 0 || trials_.workloads_of(s).size() == options_.workloads;
    });
    const bool last = tried_.size() >= kMostSettings || (!known.empty() && is_late());
    if (last && left_.size() == 1) return false;  // it is the best, whatever comes
    if (known.size() > (last ? batch_ : batch_ / 2)) known.resize(last ? batch_ : batch_ / 2);
    std::vector<SettingOn> todo;
    for (const std::size_t s : known) need(s, last ? 3 : 2, todo);
    const std::size_t before = left_.size();
    if (!last) join(batch_ / 2);
    for (std::size_t i = before; i < left_.size(); ++i) need(left_[i], options_.first_test, todo);
    const bool made = make(std::move(todo));
    forget_those_without_runs();
    drop();
    if (options_.told) options_.told(best(), left_.size());
    return made;
  }

  bool is_late() const {
    return static_cast<double>(trials_.made()) > (1 - kOfKnown) * static_cast<double>(options_.budget);
  }

  /// Guesses anew. What is worse than the best one beyond chance drops out, what breaks a guard, and what fails.
  void drop() {
    guess();
    std::vector<std::size_t> out = worse_than_the_best(by_guess(), trials_, options_.level);
    for (const std::size_t s : left_) {
      const std::vector<std::size_t> its = trials_.workloads_of(s);
      const bool breaks = its.size() >= std::min(kFewestForTests, options_.workloads) && !trials_.keeps_guards(s, its);
      if ((breaks || fails(s)) && std::ranges::find(out, s) == out.end()) out.push_back(s);
    }
    outcome_.dropped.insert(outcome_.dropped.end(), out.begin(), out.end());
    std::erase_if(left_, [&](std::size_t s) { return std::ranges::find(out, s) != out.end(); });
    if (left_.empty()) left_ = {0};
  }

  bool fails(std::size_t s) const { return !std::isfinite(trials_.mean_cost(s, trials_.workloads_of(s))); }

  /// Those that are left, the lowest guess first; those that break a guard or fail last.
  std::vector<std::size_t> by_guess() const {
    std::vector<std::tuple<bool, double, std::size_t>> order;
    for (const std::size_t s : left_)
      order.emplace_back(fails(s) || !trials_.keeps_guards(s, trials_.workloads_of(s)), guess_of(s).mean, s);
    std::ranges::sort(order);
    std::vector<std::size_t> out;
    for (const auto& [breaks, value, s] : order) out.push_back(s);
    return out;
  }

  /// The lowest guess: the best of many means that hang on chance is lucky.
  std::size_t best() const {
    const std::size_t first = by_guess().front();
    return trials_.keeps_guards(first, trials_.workloads_of(first)) ? first : 0;
  }

  void weigh_anew() {
    std::vector<double> weights;
    for (std::size_t g = 0; g != trials_.goals().size(); ++g) weights.push_back(random_.exponential(1));
    trials_.weigh(weights);
    guess();
  }

  const std::vector<TunedParam>& params_;
  Trials& trials_;
  const RaceOptions& options_;
  RandomStream random_;
  boost::random::sobol even_;
  std::vector<bool> ordered_;
  std::vector<double> weights_;  ///< of the goals
  std::size_t ring_ = 1;         ///< workloads that the first settings are on
  std::map<std::size_t, std::size_t> starts_;
  std::vector<std::size_t> deck_;          ///< of starts
  std::size_t batch_ = 4;                  ///< settings that a round is about
  bool nothing_matters_ = false;           ///< all settings gave the same on the first workloads
  std::set<std::size_t> known_ = {0};      ///< today's, and those that were tried
  std::vector<std::size_t> left_, tried_;  ///< today's is among those that are left, not among those that were tried
  std::vector<SettingEffect> effects_;
  std::optional<Surrogate> surrogate_;
  RaceOutcome outcome_;
};

}  // namespace

std::vector<std::size_t> worse_than_the_best(const std::vector<std::size_t>& settings, const Trials& trials,
                                             double level) {
  const std::size_t best = settings.front();
  std::vector<std::size_t> out;
  std::vector<std::pair<double, std::size_t>> chances;
  for (const std::size_t s : settings) {
    std::vector<double> differences;
    for (const std::size_t w : trials.workloads_of(s))
      if (s != best && trials.trial(best, w) != nullptr)
        differences.push_back(trials.cost(s, w) - trials.cost(best, w));
    if (differences.size() < kFewestForTests) continue;
    differences.resize(kFewestForTests * std::bit_floor(differences.size() / kFewestForTests));  // few looks
    if (std::ranges::all_of(differences, [](double d) { return d == 0; })) out.push_back(s);
    else chances.emplace_back(chance_of(differences), s);
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
