#include "lab/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "lab/tune/paired_change.h"

namespace coslice {
namespace {

class Tuning {
 public:
  Tuning(const std::vector<TunedParam>& params, Trials& trials, const TuneOptions& options)
      : params_(params), trials_(trials), options_(options) {}

  TuneAnswer run() {
    trials_.run({{0, 0}});  // which figures there are
    std::vector<double> weights;
    for (const TunedFigure& g : trials_.goals()) weights.push_back(g.weight);
    const RaceOutcome found = race_settings(params_, trials_, options_.race);
    trials_.weigh(weights);
    out_.best = found.best;
    out_.rounds = found.rounds;
    note_tried(found);
    if (options_.race.front) note_front();
    if (out_.best == 0) note_barred();
    find_others();
    if (out_.best != 0) judge();
    judge_others();
    out_.runs = trials_.made();
    return std::move(out_);
  }

 private:
  /// Those that judge; all of the search, where there are no others.
  std::vector<std::size_t> judges() const {
    if (options_.held_out == 0) return workloads_between(0, options_.race.workloads);
    return workloads_between(options_.race.workloads, options_.race.workloads + options_.held_out);
  }

  void note_tried(const RaceOutcome& found) {
    out_.search = trials_.workloads_of(0).size();
    for (std::size_t s = 1; s != trials_.size(); ++s) {
      const std::vector<std::size_t> its = trials_.workloads_of(s);
      if (its.empty()) continue;
      const double today = trials_.mean_cost(0, its), more = trials_.mean_cost(s, its) - today;
      out_.tried.push_back({s, its.size(), today == 0 ? more : more / std::abs(today),
                            std::ranges::find(found.dropped, s) != found.dropped.end()});
    }
    std::ranges::stable_sort(out_.tried, {}, [](const TriedSetting& t) {
      return std::pair(-static_cast<std::int64_t>(t.workloads), t.change);
    });
  }

  /// Of settings that are better than today's where they ran, the guards that they break.
  void note_barred() {
    for (std::size_t g = 0; g != trials_.guards().size(); ++g) {
      const TunedFigure& guard = trials_.guards()[g];
      std::optional<double> least;
      for (const TriedSetting& t : out_.tried) {
        const double worse = trials_.worse(t.number, g, trials_.workloads_of(t.number));
        if (t.dropped && t.change < 0 && worse > guard.most) least = std::min(worse, least.value_or(worse));
      }
      if (least) out_.barred.push_back({guard, *least, false, true});
    }
  }

  /// What the answer is judged beside: the policy's defaults, and what would be best without the guards.
  void find_others() {
    if (out_.best != 0 && !options_.defaults.empty()) {
      const std::size_t s = trials_.add(options_.defaults);
      if (s != 0 && s != out_.best) out_.defaults = JudgedBeside{s, {}, {}};
    }
    double least = 0;  // of the changes from the best one
    for (const TriedSetting& t : out_.tried) {
      const std::vector<std::size_t> its = trials_.workloads_of(t.number);
      if (trials_.keeps_guards(t.number, its)) continue;
      std::vector<std::size_t> both;
      for (const std::size_t w : its)
        if (trials_.trial(out_.best, w) != nullptr) both.push_back(w);
      const double more = trials_.mean_cost(t.number, both) - trials_.mean_cost(out_.best, both);
      if (both.empty() || !(more < least)) continue;
      least = more;
      out_.unguarded = JudgedBeside{t.number, {}, {}};
    }
  }

  /// As far as there are runs left.
  void judge_others() {
    const auto judge_beside = [&](std::optional<JudgedBeside>& other, bool from_it) {
      if (!other) return;
      std::vector<SettingOn> runs;
      for (const std::size_t w : judges())
        for (const std::size_t s : {other->setting, out_.best}) runs.emplace_back(s, w);
      if (trials_.made() + trials_.missing(runs) > options_.most_runs) return other.reset();
      trials_.run(runs);
      const std::size_t from = from_it ? other->setting : out_.best, to = from_it ? out_.best : other->setting;
      if (const auto change = change_between(from, to, judges()))
        other->change = change->change, other->interval = change->interval;
    };
    judge_beside(out_.unguarded, false);
    judge_beside(out_.defaults, true);
  }

  /// By the means of each goal over the first workloads, which all settings have.
  void note_front() {
    std::vector<std::size_t> all = {0};
    for (const TriedSetting& t : out_.tried) all.push_back(t.number);
    const auto first = workloads_between(0, std::min(options_.race.first_test, options_.race.workloads));
    const auto values = [&](std::size_t s) {
      std::vector<double> v;
      for (std::size_t g = 0; g != trials_.goals().size(); ++g) {
        const auto mean = trials_.mean_goal(s, g, first);
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
      if (std::ranges::any_of(all, beats) || !trials_.keeps_guards(s, first)) continue;
      if (std::ranges::find(seen, mine) != seen.end()) continue;
      seen.push_back(mine);
      out_.front.push_back(s);
    }
    std::ranges::sort(out_.front, {}, values);
  }

  /// Each of the differing parameters alone is put back, on the first of the workloads that judge, so that there are
  /// runs for more of these.
  void judge() {
    const std::vector<std::size_t> all = judges();
    const std::size_t wanted = options_.held_out == 0 ? all.size() : options_.put_back;
    const auto some = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), wanted));
    // Today's setting is run on all of them anyway: it is what is left where one parameter differs.
    const auto on = [&](std::size_t other) {
      return std::vector<std::size_t>(all.begin(), other == 0 ? all.end() : some);
    };
    std::vector<SettingOn> runs;
    for (const std::size_t w : all) runs.emplace_back(out_.best, w);
    std::vector<std::size_t> others;
    for (std::size_t p = 0; p != params_.size(); ++p) {
      Setting other = trials_.setting(out_.best);
      if (other[p] == trials_.setting(0)[p]) continue;
      other[p] = trials_.setting(0)[p];
      const std::size_t number = trials_.add(without_meaningless(params_, other));
      std::vector<SettingOn> more = runs;
      for (const std::size_t w : on(number)) more.emplace_back(number, w);
      if (on(number).empty() || trials_.made() + trials_.missing(more) > options_.most_runs) continue;
      out_.put_back.push_back({p, {}, {}});
      others.push_back(number);
      runs = std::move(more);
    }
    if (options_.judges) options_.judges(trials_.made() + trials_.missing(runs));
    trials_.run(runs);
    out_.held_out = options_.held_out;
    if (const auto change = change_between(0, out_.best, all))
      out_.change = change->change, out_.interval = change->interval;
    for (std::size_t i = 0; i != others.size(); ++i) {
      PutBack& p = out_.put_back[i];
      if (const auto change = change_between(out_.best, others[i], on(others[i])))
        p.relative = change->change, p.interval = change->interval;
    }
    for (std::size_t g = 0; g != trials_.guards().size(); ++g) {
      const double worse = trials_.worse(out_.best, g, all);
      out_.guards.push_back({trials_.guards()[g], worse, worse <= trials_.guards()[g].most, trials_.has_guard(g, all)});
    }
    compare();
    one_workload_ = options_.held_out == 0 || (is_one_run(0) && is_one_run(out_.best));
    if (one_workload_) out_.interval.reset();
    out_.verdict = verdict();
  }

  /// Whether the setting gives the same run on all workloads that judge: these are one.
  bool is_one_run(std::size_t setting) const {
    const std::vector<std::size_t> all = judges();
    return std::ranges::all_of(all, [&](std::size_t w) {
      return trials_.outcome(setting, w)->fingerprint == trials_.outcome(setting, all.front())->fingerprint;
    });
  }

  /// Nothing where a run failed.
  std::optional<PairedChange> change_between(std::size_t one, std::size_t other,
                                             const std::vector<std::size_t>& workloads) const {
    std::vector<double> before, after;
    for (const std::size_t w : workloads) {
      before.push_back(trials_.cost(one, w)), after.push_back(trials_.cost(other, w));
      if (!std::isfinite(before.back() + after.back())) return {};
    }
    PairedChange out = change_of(before, after, options_.unit, options_.level);
    if (options_.held_out == 0) out.interval.reset();
    return out;
  }

  CompareVerdict verdict() const {
    if (!out_.change) return CompareVerdict::kFailed;
    bool alike = true;
    for (const std::size_t w : judges()) alike = alike && trials_.cost(0, w) == trials_.cost(out_.best, w);
    if (alike) return CompareVerdict::kSame;
    if (one_workload_) return CompareVerdict::kNone;
    if (!out_.interval || (out_.interval->low <= 0 && out_.interval->high >= 0)) return CompareVerdict::kNoise;
    return out_.interval->high < 0 ? CompareVerdict::kBetter : CompareVerdict::kWorse;
  }

  void compare() {
    std::vector<Variant> variants = {{"as it is", {}}, {"tuned", {}}};
    for (const std::size_t v : {0U, 1U}) {
      for (const std::size_t w : judges()) {
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
  bool one_workload_ = false;  ///< all that judge are one
  TuneAnswer out_;
};

}  // namespace

TuneAnswer tune(const std::vector<TunedParam>& params, Trials& trials, const TuneOptions& options) {
  return Tuning(params, trials, options).run();
}

}  // namespace coslice
