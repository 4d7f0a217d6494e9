#include "lab/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace coslice {
namespace {

class Tuning {
 public:
  Tuning(const std::vector<TunedParam>& params, Trials& trials, const TuneOptions& options)
      : params_(params), trials_(trials), options_(options) {}

  TuneAnswer run() {
    trials_.run({}, 0);  // which figures there are
    std::vector<double> weights;
    for (const TunedFigure& g : trials_.goals()) weights.push_back(g.weight);
    const RaceOutcome found = race_settings(params_, trials_, options_.race);
    trials_.weigh(weights);
    out_.best = found.best;
    out_.rounds = found.rounds;
    note_tried(found);
    if (options_.race.front) note_front();
    if (out_.best != 0) judge();
    out_.runs = trials_.made();
    return std::move(out_);
  }

 private:
  std::size_t from() const { return options_.held_out == 0 ? 0 : options_.race.workloads; }
  std::size_t to() const {
    return options_.held_out == 0 ? trials_.workloads_of(out_.best) : from() + options_.held_out;
  }

  void note_tried(const RaceOutcome& found) {
    for (std::size_t s = 1; s != trials_.size(); ++s) {
      const std::size_t count = trials_.workloads_of(s);
      if (count == 0) continue;
      out_.search = std::max(out_.search, count);
      const double today = trials_.mean_cost(0, count), more = trials_.mean_cost(s, count) - today;
      out_.tried.push_back({s, count, today == 0 ? more : more / std::abs(today),
                            std::ranges::find(found.dropped, s) != found.dropped.end()});
    }
    std::ranges::stable_sort(out_.tried, {}, [](const TriedSetting& t) {
      return std::pair(-static_cast<std::int64_t>(t.workloads), t.change);
    });
  }

  /// By the means of each goal over the first workloads, which all settings have.
  void note_front() {
    std::vector<std::size_t> all = {0};
    for (const TriedSetting& t : out_.tried) all.push_back(t.number);
    const std::size_t count = std::min(options_.race.first_test, options_.race.workloads);
    const auto values = [&](std::size_t s) {
      std::vector<double> v;
      for (std::size_t g = 0; g != trials_.goals().size(); ++g) {
        const auto mean = trials_.mean_goal(s, g, 0, count);
        const double worst = std::numeric_limits<double>::infinity();
        v.push_back(!mean ? worst : trials_.goals()[g].larger ? -*mean : *mean);
      }
      return v;
    };
    std::vector<std::vector<double>> seen;
    for (const std::size_t s : all) {
      const std::vector<double> mine = values(s);
      const auto beats = [&](std::size_t other) {
        const std::vector<double> its = values(other);
        bool better = false;
        for (std::size_t g = 0; g != mine.size(); ++g) {
          if (its[g] > mine[g]) return false;
          better = better || its[g] < mine[g];
        }
        return better;
      };
      if (std::ranges::any_of(all, beats) || !trials_.keeps_guards(s, 0, count)) continue;
      if (std::ranges::find(seen, mine) != seen.end()) continue;
      seen.push_back(mine);
      out_.front.push_back(s);
    }
    std::ranges::sort(out_.front, {}, values);
  }

  /// Single parameters are put back on some of the workloads that judge, so that there are runs for more of these.
  std::size_t back_to() const { return from() + std::min(to() - from(), std::max<std::size_t>(options_.put_back, 1)); }

  /// Each of the differing parameters alone is put back, on workloads that judge.
  void judge() {
    std::vector<std::size_t> all = {out_.best};
    for (std::size_t p = 0; p != params_.size(); ++p) {
      Setting other = trials_.setting(out_.best);
      if (other[p] == trials_.setting(0)[p]) continue;
      other[p] = trials_.setting(0)[p];
      out_.put_back.push_back({p, {}, {}});
      all.push_back(trials_.add(other));
    }
    if (options_.judges)
      options_.judges(trials_.made() +
                      static_cast<std::int64_t>(2 * (to() - from()) + (all.size() - 1) * (back_to() - from())));
    for (std::size_t w = from(); w != to(); ++w) trials_.run(w < back_to() ? all : std::vector{out_.best}, w);
    out_.held_out = options_.held_out;
    const Estimate change = relative(0, out_.best, to(), out_.change);
    out_.interval = change.interval;
    for (std::size_t i = 0; i != out_.put_back.size(); ++i) {
      PutBack& p = out_.put_back[i];
      p.interval = relative(out_.best, all[i + 1], back_to(), p.relative).interval;
    }
    for (std::size_t g = 0; g != trials_.guards().size(); ++g) {
      const double worse = trials_.worse(out_.best, g, from(), to());
      out_.guards.push_back(
          {trials_.guards()[g], worse, worse <= trials_.guards()[g].most, trials_.has_guard(g, from(), to())});
    }
    compare();
    out_.verdict = verdict(change);
  }

  /// The costs of one setting less those of another, as parts of today's mean.
  Estimate relative(std::size_t one, std::size_t other, std::size_t end, std::optional<double>& mean_change) const {
    double today = 0;
    std::vector<double> differences;
    for (std::size_t w = from(); w != end; ++w) {
      today += std::abs(trials_.cost(0, w)) / static_cast<double>(end - from());
      differences.push_back(trials_.cost(other, w) - trials_.cost(one, w));
      if (!std::isfinite(differences.back())) return {};
    }
    for (double& d : differences) d /= today == 0 ? 1 : today;
    Estimate e = difference_of(differences, options_.unit, options_.level);
    mean_change = e.mean;
    if (options_.held_out == 0) e.interval.reset();
    return e;
  }

  CompareVerdict verdict(const Estimate& change) const {
    if (!out_.change) return CompareVerdict::kFailed;
    bool alike = true;
    for (std::size_t w = from(); w != to(); ++w) alike = alike && trials_.cost(0, w) == trials_.cost(out_.best, w);
    if (alike) return CompareVerdict::kSame;
    if (options_.held_out == 0) return CompareVerdict::kNone;
    if (!change.interval || (change.interval->low <= 0 && change.interval->high >= 0)) return CompareVerdict::kNoise;
    return change.interval->high < 0 ? CompareVerdict::kBetter : CompareVerdict::kWorse;
  }

  void compare() {
    std::vector<Variant> variants = {{"as it is", {}}, {"tuned", {}}};
    for (const std::size_t v : {0U, 1U}) {
      for (std::size_t w = from(); w != to(); ++w) {
        const RunOutcome& o = *trials_.outcome(v == 0 ? 0 : out_.best, w);
        RunRecord r;
        r.where = variants[v].name;
        r.seed = w < options_.numbers.size() ? options_.numbers[w] : static_cast<std::int64_t>(w);
        if (!o.error.empty()) {
          variants[v].failed.push_back({r.where, o.error, r.seed});
          continue;
        }
        r.summary = o.summary;
        r.settings = Value::table();
        variants[v].runs.push_back(std::move(r));
      }
    }
    CompareOptions options;
    options.level = options_.level;
    options.unit = options_.unit;
    out_.comparison = compare_variants(std::move(variants), options);
  }

  const std::vector<TunedParam>& params_;
  Trials& trials_;
  const TuneOptions& options_;
  TuneAnswer out_;
};

}  // namespace

TuneAnswer tune(const std::vector<TunedParam>& params, Trials& trials, const TuneOptions& options) {
  return Tuning(params, trials, options).run();
}

}  // namespace coslice
