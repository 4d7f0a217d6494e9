#include "drive/policy_chooser.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "drive/queue_forecast.h"
#include "lab/thread_pool.h"

namespace coslice::drive {
namespace {

/// A forecast may take so many times what the first one of its policy took, before all look less far.
constexpr double kSlackOfWork = 2;
/// In its first pass a policy looks at all jobs that wait, however many: it may take so many times its part of the
/// budget, or is not compared.
constexpr double kSlackOfPass = 4;

/// All forecasts of one choice: each policy with the same draws.
class ChoiceForecasts {
 public:
  ChoiceForecasts(const std::vector<Decider>& deciders, std::vector<std::size_t> policies, const Present& present,
                  const DrawnRunTimes& run_times, const ChooserOptions& options, const std::function<void()>& stop)
      : deciders_(deciders), policies_(std::move(policies)), present_(present), options_(options), stop_(stop),
        run_times_(run_times), last_(later(present.now, options.horizon)), made_(policies_.size()),
        errors_(policies_.size()), too_long_(policies_.size()) {}

  /// The first draw tells how far the budget lets all of them look, how many there are, and which take too long.
  /// `reference` is the policy with which others are compared.
  void make(std::size_t reference) {
    const double part =
        options_.budget / static_cast<double>(policies_.size()) / static_cast<double>(options_.least_draws);
    bounds_ = {last_, part, kSlackOfPass * part};
    add_draws(1);
    const auto left = static_cast<std::size_t>(std::ranges::count(too_long_, false));
    if (too_long_[reference] || left < 2) return;
    const double first = work_of_draw(0);
    const double most = first > 0 ? options_.budget / first : static_cast<double>(options_.draws);
    const double least = static_cast<double>(std::min(options_.least_draws, options_.draws));
    bounds_.most_work *= kSlackOfWork;
    add_draws(static_cast<std::size_t>(std::clamp(most, least, static_cast<double>(options_.draws))));
  }

  Time last() const { return last_; }
  std::size_t draws() const { return drawn_.size(); }
  /// Whether some job has not started within that.
  bool unstarted() const {
    return std::ranges::any_of(made_, [&](const auto& of_policy) {
      return std::ranges::any_of(of_policy, [&](const QueueForecast& f) {
        return std::ranges::any_of(f.starts, [&](Time start) { return start > last_; });
      });
    });
  }
  double work() const {
    double sum = 0;
    for (const auto& of_policy : made_)
      for (const QueueForecast& f : of_policy) sum += f.work;
    return sum;
  }
  /// Why a policy failed, in its first draw of those; "": it did not.
  const std::string& error(std::size_t p) const { return errors_[p]; }
  bool too_long(std::size_t p) const { return too_long_[p]; }

  /// By policy and draw; nothing in draws where no job is of the figure's class.
  std::vector<std::vector<std::optional<double>>> figures(const QueueFigure& figure) const {
    std::vector<std::vector<std::optional<double>>> out(policies_.size());
    for (std::size_t p = 0; p != policies_.size(); ++p)
      if (compared(p)) out[p].resize(draws());
    each_of(0, [&](std::size_t p, std::size_t d, const std::function<void()>&) {
      out[p][d] = figure.of(present_, drawn_[d], made_[p][d], last_);
    });
    return out;
  }

 private:
  bool compared(std::size_t p) const { return errors_[p].empty() && !too_long_[p]; }
  /// What a draw took under all policies, as far as all of them looked.
  double work_of_draw(std::size_t d) const {
    double sum = 0;
    for (const auto& of_policy : made_) sum += d < of_policy.size() ? of_policy[d].work_until(last_) : 0;
    return sum;
  }

  /// Calls f(policy, draw, stop) for all draws from `first` on of policies that are compared, on several threads.
  template <class F>
  void each_of(std::size_t first, F&& f) const {
    std::vector<std::size_t> left;
    for (std::size_t p = 0; p != policies_.size(); ++p)
      if (compared(p)) left.push_back(p);
    PoolOptions pool;
    pool.workers = options_.workers;
    pool.tick = [&](std::size_t) { stop_(); };
    run_tasks(
        left.size() * (draws() - first),
        [&](std::size_t i, const Cancel& cancel) {
          f(left[i % left.size()], first + i / left.size(), [&cancel, i] {
            if (cancel.requested(i)) throw Cancelled{};
          });
        },
        pool);
  }

  void add_draws(std::size_t count) {
    const std::size_t first = draws();
    if (count <= first) return;
    drawn_.resize(count);
    PoolOptions pool;
    pool.workers = options_.workers;
    pool.tick = [&](std::size_t) { stop_(); };
    run_tasks(
        count - first, [&](std::size_t i, const Cancel&) { drawn_[first + i] = run_times_.draw(first + i); }, pool);
    std::vector<std::vector<std::string>> failures(policies_.size(), std::vector<std::string>(count));
    for (std::size_t p = 0; p != policies_.size(); ++p)
      if (compared(p)) made_[p].resize(count);
    each_of(first, [&](std::size_t p, std::size_t d, const std::function<void()>& stop) {
      try {
        made_[p][d] = forecast_queue(deciders_[policies_[p]], present_, drawn_[d], bounds_, stop);
      } catch (const SimulationError& e) {
        failures[p][d] = e.what();
      } catch (const InputError& e) {
        failures[p][d] = e.what();
      }
    });
    for (std::size_t p = 0; p != policies_.size(); ++p) {
      const auto failure = std::ranges::find_if(failures[p], [](const std::string& f) { return !f.empty(); });
      if (errors_[p].empty() && failure != failures[p].end()) errors_[p] = *failure, made_[p].clear();
      too_long_[p] = too_long_[p] || std::ranges::any_of(made_[p], &QueueForecast::too_long);
      if (too_long_[p]) made_[p].clear();
      for (const QueueForecast& f : made_[p]) last_ = std::min(last_, f.reached);
    }
    bounds_.last = last_;
  }

  const std::vector<Decider>& deciders_;
  const std::vector<std::size_t> policies_;
  const Present& present_;
  const ChooserOptions& options_;
  const std::function<void()>& stop_;
  const DrawnRunTimes& run_times_;
  Time last_;  ///< how far all have looked
  ForecastBounds bounds_;
  std::vector<std::vector<Duration>> drawn_;      ///< run times by draw
  std::vector<std::vector<QueueForecast>> made_;  ///< by policy and draw
  std::vector<std::string> errors_;
  std::vector<bool> too_long_;
};

}  // namespace

PolicyChooser::PolicyChooser(std::vector<Decider> deciders, ChooserOptions options,
                             std::function<void(const QueueChoice&)> told, std::function<void()> stop)
    : deciders_(std::move(deciders)), options_(std::move(options)), figure_(options_.figure, deciders_.front().metrics),
      told_(std::move(told)), stop_(std::move(stop)), errors_(deciders_.size()) {
  if (deciders_.front().record) draw_from(*deciders_.front().record);
}

void PolicyChooser::draw_from(const RecordedWorkload& record) {
  history_ = run_times_of_record(record, deciders_.front().users);
}

std::vector<std::size_t> PolicyChooser::those_left() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i != deciders_.size(); ++i)
    if (errors_[i].empty()) out.push_back(i);
  return out;
}

std::string PolicyChooser::all_failed() const {
  std::string out = "no policy is left to choose from";
  for (std::size_t i = 0; i != deciders_.size(); ++i) out += fmt::format("\n{}: {}", deciders_[i].name, errors_[i]);
  return out;
}

void PolicyChooser::choose(const Situation& now) {
  QueueChoice said;
  said.at = now.machine->controller.now;
  last_ = said.at;
  const Present present = present_of(deciders_.front(), now);
  said.waiting = present.waiting().size();
  for (std::size_t i = 0; i != deciders_.size(); ++i) said.forecasts.push_back({deciders_[i].name, {}, errors_[i]});
  const std::vector<std::size_t> left = those_left();
  if (said.waiting > 0 && left.size() > 1) {
    const DrawnRunTimes run_times(present, history_, options_.seed);
    ChoiceForecasts made(deciders_, left, present, run_times, options_, stop_);
    const auto reference = std::ranges::find(left, present_);
    made.make(reference == left.end() ? 0 : static_cast<std::size_t>(reference - left.begin()));
    const auto figures = made.figures(figure_);
    std::size_t looked = 0;
    for (std::size_t p = 0; p != left.size(); ++p) {
      said.forecasts[left[p]].too_long = made.too_long(p);
      errors_[left[p]] = said.forecasts[left[p]].error = made.error(p);
      looked = std::max(looked, figures[p].size());
      for (const std::optional<double>& f :
           figures[p])  // all policies have the same run times, and so the same classes
        if (f) said.forecasts[left[p]].figures.push_back(*f);
      said.compared = std::max(said.compared, said.forecasts[left[p]].figures.size());
    }
    said.class_is_empty = looked > 0 && said.compared == 0;
    said.draws = made.draws();
    said.horizon = made.last() - present.now;
    said.cut = said.horizon < options_.horizon;
    said.work = made.work();
    said.unstarted = made.unstarted();
  }
  const std::optional<PolicyChoice> choice = choose_policy(said.forecasts, present_, options_.level);
  if (!choice) throw SimulationError(all_failed());
  said.choice = *choice;
  said.too_short = said.cut && said.horizon < whole_seconds(options_.every);
  if (said.too_short) said.choice.chosen = said.choice.reference;
  present_ = said.choice.chosen;
  told_(said);
}

Decision PolicyChooser::decide(const Situation& now) {
  const std::int64_t at = now.machine->controller.now;
  if (!last_ || at >= *last_ + options_.every || at < *last_) choose(now);
  for (;;) {
    try {
      return drive::decide(deciders_[present_], now);
    } catch (const SimulationError& e) {
      stop_();
      errors_[present_] = e.what();
      choose(now);
    }
  }
}

}  // namespace coslice::drive
