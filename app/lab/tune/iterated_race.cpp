#include "lab/tune/iterated_race.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <set>

#include "lab/compare/statistics.h"

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
        steps_(1 + std::bit_width(params.size())) {}

  RaceOutcome run() {
    std::vector<std::size_t> elites = {0};
    for (std::size_t it = 0; it != steps_ && trials_.made() < options_.budget && !over(); ++it) {
      if (options_.front && it > 0) weigh_anew();
      const std::int64_t share = (options_.budget - trials_.made()) / static_cast<std::int64_t>(steps_ - it);
      const auto blocks = static_cast<std::int64_t>(
          std::min(options_.first_test + std::min<std::size_t>(it + 1, 5), options_.workloads));
      std::vector<std::size_t> all = elites;
      draw(static_cast<std::size_t>(std::max<std::int64_t>(share / std::max<std::int64_t>(blocks, 1), 2)), it, elites,
           all);
      elites = race(std::move(all), trials_.made() + share, it + 1 == steps_);
      ++outcome_.iterations;
    }
    outcome_.last = elites;
    const std::size_t best = elites.front();
    if (trials_.keeps_guards(best, 0, common(elites))) outcome_.best = best;
    return std::move(outcome_);
  }

 private:
  bool over() const { return options_.time_is_over && options_.time_is_over(); }
  std::size_t most_elites() const { return 1 + std::bit_width(params_.size()); }

  std::size_t common(const std::vector<std::size_t>& settings) const {
    std::size_t count = options_.workloads;
    for (const std::size_t s : settings) count = std::min(count, trials_.workloads_of(s));
    return count;
  }

  void weigh_anew() {
    std::vector<double> weights;
    for (std::size_t g = 0; g != trials_.goals().size(); ++g) weights.push_back(random_.exponential(1));
    trials_.weigh(weights);
  }

  /// Adds settings until there are so many, or no new ones are found.
  void draw(std::size_t wanted, std::size_t it, const std::vector<std::size_t>& elites, std::vector<std::size_t>& all) {
    boost::random::sobol even(std::max<std::size_t>(params_.size(), 1));
    constexpr std::size_t kTries = 20;
    for (std::size_t tries = 0; all.size() < wanted && tries != kTries * wanted; ++tries) {
      const std::size_t before = trials_.size();
      const std::size_t s = trials_.add(it == 0 ? evenly(even) : near(elites, it, wanted));
      if (s == before) all.push_back(s);  // what is known was tried, and dropped or kept
    }
  }

  Setting evenly(boost::random::sobol& even) {
    boost::random::uniform_01<double> uniform;
    Setting out;
    for (const TunedParam& p : params_) out.push_back(p.at(uniform(even)));
    return out;
  }

  /// Better ones are more likely to be the parent.
  Setting near(const std::vector<std::size_t>& elites, std::size_t it, std::size_t wanted) {
    const auto n = static_cast<std::int64_t>(elites.size());
    std::int64_t draw = random_.uniform_int(1, n * (n + 1) / 2);
    std::size_t parent = 0;
    while (draw > n - static_cast<std::int64_t>(parent)) draw -= n - static_cast<std::int64_t>(parent++);
    const Setting& of = trials_.setting(elites[parent]);
    const double width = 0.5 * std::pow(1.0 / static_cast<double>(std::max<std::size_t>(wanted, 2)),
                                        static_cast<double>(it) / static_cast<double>(params_.size()));
    const double keeps = static_cast<double>(it) / static_cast<double>(steps_);
    Setting out;
    for (std::size_t i = 0; i != params_.size(); ++i) {
      const TunedParam& p = params_[i];
      if (!p.ordered()) {
        const bool same = random_.uniform() < keeps;
        const double place = random_.uniform();
        out.push_back(same ? of[i] : p.at(place));
        continue;
      }
      double place = random_.normal(p.place_of(of[i]), width);
      while (place < 0 || place > 1) place = place < 0 ? -place : 2 - place;  // thrown back at the ends
      out.push_back(p.at(place));
    }
    return out;
  }

  /// The best ones of these, the best first. The last race goes on for as long as there are runs left.
  std::vector<std::size_t> race(std::vector<std::size_t> left, std::int64_t until, bool is_last) {
    std::size_t w = 0;
    for (; w != options_.workloads; ++w) {
      if (w >= options_.first_test && trials_.made() + trials_.missing(left, w) > until) break;
      if (w >= options_.first_test && !is_last && left.size() <= most_elites()) break;
      if (w > 0 && (over() || left.size() <= 1)) break;
      trials_.run(left, w);
      if (w + 1 >= std::min(options_.first_test, options_.workloads)) drop(left, w + 1);
      if (options_.told) options_.told(in_order(left, trials_, w + 1).front(), left.size());
    }
    left = in_order(std::move(left), trials_, w);
    if (left.size() > most_elites()) left.resize(most_elites());
    return left;
  }

  void drop(std::vector<std::size_t>& left, std::size_t count) {
    std::vector<std::size_t> out = worse_than_the_best(left, trials_, count, options_.level);
    if (left.size() - out.size() > 1)
      for (const std::size_t s : left)
        if (!trials_.keeps_guards(s, 0, count) && std::ranges::find(out, s) == out.end()) out.push_back(s);
    if (out.size() == left.size()) return;
    outcome_.dropped.insert(outcome_.dropped.end(), out.begin(), out.end());
    halve(left, count, out);
    std::erase_if(left, [&](std::size_t s) { return std::ranges::find(out, s) != out.end(); });
  }

  /// Tests tell little of a few workloads. So that the good ones are run on more of them, the better half alone goes on
  /// after 3, 6, 12, ... workloads.
  void halve(const std::vector<std::size_t>& left, std::size_t count, std::vector<std::size_t>& out) const {
    const std::size_t times = count / options_.first_test;
    if (count % options_.first_test != 0 || !std::has_single_bit(times)) return;
    std::vector<std::size_t> others;
    for (const std::size_t s : left)
      if (std::ranges::find(out, s) == out.end()) others.push_back(s);
    others = in_order(std::move(others), trials_, count);
    for (std::size_t i = std::max<std::size_t>((left.size() + 1) / 2, 2); i < others.size(); ++i)
      out.push_back(others[i]);
  }

  const std::vector<TunedParam>& params_;
  Trials& trials_;
  const RaceOptions& options_;
  RandomStream random_;
  std::size_t steps_;
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

RaceOutcome iterated_race(const std::vector<TunedParam>& params, Trials& trials, const RaceOptions& options) {
  return Search(params, trials, options).run();
}

}  // namespace coslice
