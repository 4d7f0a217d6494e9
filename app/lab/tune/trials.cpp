#include "lab/tune/trials.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/tune/tuned_figures.h"

namespace coslice {

std::vector<std::size_t> workloads_between(std::size_t from, std::size_t to) {
  std::vector<std::size_t> out;
  for (std::size_t w = from; w < to; ++w) out.push_back(w);
  return out;
}

Trials::Trials(TuneGoals goals, Setting today, MakeRun make, Simulations& runs, PoolOptions pool)
    : asked_(std::move(goals)), make_(std::move(make)), runs_(runs), pool_(std::move(pool)) {
  add(today);
}

std::size_t Trials::add(const Setting& setting) {
  std::string text;
  for (const Value& v : setting) text += (v.is_nil() ? "-" : toml_text(v)) + "\n";
  const auto [at, is_new] = by_text_.emplace(std::move(text), settings_.size());
  if (is_new) settings_.push_back(setting);
  return at->second;
}

std::int64_t Trials::missing(const std::vector<SettingOn>& runs) const {
  std::set<SettingOn> wanted;
  for (const auto& [setting, workload] : runs) wanted.insert({{0, workload}, {setting, workload}});
  return std::ranges::count_if(wanted, [&](const SettingOn& r) { return !trials_.contains(r); });
}

void Trials::run(const std::vector<SettingOn>& runs) {
  std::vector<SettingOn> fresh;
  const auto ask = [&](const SettingOn& which) {
    const auto [at, is_new] = trials_.try_emplace(which);
    if (!is_new) return;
    const auto& [setting, workload] = which;
    at->second.first = runs_.add(fmt::format("{} {}", setting, workload), make_(settings_[setting], workload));
    fresh.push_back(which);
  };
  for (const SettingOn& r : runs) ask({0, r.second}), ask(r);
  if (fresh.empty()) return;
  runs_.run(pool_);
  made_ += std::ssize(fresh);
  for (const auto& [setting, workload] : fresh) take(setting, workload);
  complete_guards();
}

/// Calls f; what it says of the figure is said of the flag that names it.
template <class F>
static auto of_flag(const char* flag, const std::string& figure, F&& f) {
  try {
    return f();
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic();
    d.file = fmt::format("{} {}", flag, figure);
    throw InputError(std::move(d));
  }
}

void Trials::find_figures_in(const RunOutcome& outcome) {
  RunRecord record;
  record.where = "today's setting";
  record.summary = outcome.summary;
  if (goals_.empty())
    for (const Goal& g : asked_.goals) {
      const char* const flag = g.larger ? "--maximize" : "--minimize";
      const Figure figure = of_flag(flag, g.figure, [&] { return goal_figure(g.figure, record); });
      goals_.push_back({figure, g.weight, g.larger, 0});
      if (asked_.called) goals_.back().figure.job_class = asked_.called(figure.job_class);
    }
  for (const Guard& g : asked_.guards)
    for (const Figure& f : of_flag("--guard", g.figure, [&] { return tuned_figures(g.figure, record); })) {
      const bool known = std::ranges::any_of(guards_, [&](const TunedFigure& k) { return k.figure.path == f.path; });
      if (known) continue;
      guards_.push_back({f, 1, f.better == Better::kHigher, g.most});
      if (asked_.called) guards_.back().figure.job_class = asked_.called(f.job_class);
    }
}

/// Of guards that came with later workloads as well.
void Trials::complete_guards() {
  for (auto& [where, kept] : trials_) {
    auto& [number, trial] = kept;
    const RunOutcome* const outcome = runs_.outcome(number);
    if (outcome == nullptr || trial.failed) continue;
    while (trial.guards.size() < guards_.size())
      trial.guards.push_back(figure_of(guards_[trial.guards.size()].figure, outcome->summary));
  }
}

void Trials::take(std::size_t setting, std::size_t workload) {
  auto& [number, trial] = trials_.at({setting, workload});
  const RunOutcome& outcome = *runs_.outcome(number);
  for (const std::string& w : outcome.warnings)
    if (std::ranges::find(warnings_, w) == warnings_.end()) warnings_.push_back(w);
  trial.failed = !outcome.error.empty();
  if (trial.failed && setting == 0 && outcome.failure) std::rethrow_exception(outcome.failure);
  if (trial.failed && setting == 0) throw SimulationError(outcome.error);
  if (trial.failed) return;
  // Groups of jobs that guards are of may come later than the first workload.
  if (setting == 0) find_figures_in(outcome);
  for (const TunedFigure& f : goals_) trial.goals.push_back(figure_of(f.figure, outcome.summary).value_or(0));
}

const Trial* Trials::trial(std::size_t setting, std::size_t workload) const {
  const auto found = trials_.find({setting, workload});
  return found == trials_.end() ? nullptr : &found->second.second;
}

const RunOutcome* Trials::outcome(std::size_t setting, std::size_t workload) const {
  const auto found = trials_.find({setting, workload});
  return found == trials_.end() ? nullptr : runs_.outcome(found->second.first);
}

std::vector<std::size_t> Trials::workloads_of(std::size_t setting) const {
  std::vector<std::size_t> out;
  for (auto at = trials_.lower_bound({setting, 0}); at != trials_.end() && at->first.first == setting; ++at)
    out.push_back(at->first.second);
  return out;
}

SettingFailures Trials::failures_of(std::size_t setting) const {
  SettingFailures out;
  for (auto at = trials_.lower_bound({setting, 0}); at != trials_.end() && at->first.first == setting; ++at) {
    const auto& [number, trial] = at->second;
    if (trial.failed && out.workloads++ == 0) out.error = runs_.outcome(number)->error;
  }
  return out;
}

/// By today's mean over all workloads so far: each of them has it.
double Trials::scale(std::size_t goal) const {
  double sum = 0;
  std::size_t count = 0;
  for (auto at = trials_.begin(); at != trials_.end() && at->first.first == 0; ++at, ++count)
    sum += std::abs(at->second.second.goals[goal]);
  return sum > 0 ? sum / static_cast<double>(count) : 1;
}

double Trials::cost(std::size_t setting, std::size_t workload) const {
  const Trial* const t = trial(setting, workload);
  if (t == nullptr || t->failed) return std::numeric_limits<double>::infinity();
  if (goals_.size() == 1) return goals_[0].weight * (goals_[0].larger ? -1 : 1) * t->goals[0];
  double sum = 0;
  for (std::size_t g = 0; g != goals_.size(); ++g) {
    const double part = t->goals[g] / scale(g);
    sum += goals_[g].weight * (goals_[g].larger ? 2 - part : part);
  }
  return sum;
}

double Trials::mean_cost(std::size_t setting, const std::vector<std::size_t>& workloads) const {
  double sum = 0;
  for (const std::size_t w : workloads) sum += cost(setting, w);
  return workloads.empty() ? 0 : sum / static_cast<double>(workloads.size());
}

std::optional<double> Trials::mean_goal(std::size_t setting, std::size_t i,
                                        const std::vector<std::size_t>& workloads) const {
  double sum = 0;
  for (const std::size_t w : workloads) {
    const Trial* const t = trial(setting, w);
    if (t == nullptr || t->failed) return {};
    sum += t->goals[i];
  }
  return workloads.empty() ? std::nullopt : std::optional(sum / static_cast<double>(workloads.size()));
}

double Trials::worse(std::size_t setting, std::size_t guard, const std::vector<std::size_t>& workloads) const {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double here = 0, today = 0;
  for (const std::size_t w : workloads) {
    const Trial *const its = trial(setting, w), *const todays = trial(0, w);
    if (its == nullptr || its->failed || todays == nullptr) return kInfinite;
    // Jobs of a group are in the same workloads under all settings, but for those that a setting keeps from running.
    if (!its->guards[guard] || !todays->guards[guard]) continue;
    here += *its->guards[guard], today += *todays->guards[guard];
  }
  const double more = guards_[guard].larger ? today - here : here - today;
  if (today == 0) return more <= 0 ? 0 : kInfinite;
  return more / std::abs(today);
}

bool Trials::has_guard(std::size_t guard, const std::vector<std::size_t>& workloads) const {
  return std::ranges::any_of(workloads, [&](std::size_t w) {
    const Trial* const t = trial(0, w);
    return t != nullptr && t->guards[guard];
  });
}

bool Trials::keeps_guards(std::size_t setting, const std::vector<std::size_t>& workloads) const {
  for (std::size_t g = 0; g != guards_.size(); ++g)
    if (worse(setting, g, workloads) > guards_[g].most) return false;
  return true;
}

void Trials::weigh(const std::vector<double>& weights) {
  for (std::size_t g = 0; g != goals_.size(); ++g) goals_[g].weight = weights[g];
}

}  // namespace coslice
