#include "lab/forecast/never_start.h"

#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "lab/forecast/future.h"
#include "lab/forecast/work_meter.h"
#include "runner/runner.h"
#include "scenario/input_cache.h"

namespace coslice {
namespace {

/// What policies and limits tell jobs apart by.
using AskedKind = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, Duration, RequestId>;

AskedKind asked_kind_of(const Job& job) {
  return {job.user, job.group, job.queue, job.partition, job.size, job.limit, job.request};
}

/// Of all that is known what has ended and what runs, and one waiting job of each kind.
MachineState with_one_of_each(const ForecastBase& base, const MachineState& state, const std::vector<JobIndex>& jobs) {
  MachineState out = state;
  for (KnownJob& known : out.jobs)
    if (known.as == KnownAs::kWaiting) known.as = KnownAs::kHeld;
  std::set<AskedKind> kinds;
  for (const JobIndex j : jobs)
    if (kinds.insert(asked_kind_of(base.workload.jobs[j])).second) out.jobs[j].as = KnownAs::kWaiting;
  return out;
}

/// What runs has ended by then, as a rule: jobs that wait longer are not said to wait for ever.
constexpr Duration kLongest = whole_seconds(60 * 86400);

/// All is known that the simulation tells.
struct AllKnown {};

/// Hears what the policy says of jobs; the last words of each count.
class PolicyWords : public Observer, public DecisionObserver {
 public:
  DecisionObserver* decisions() override { return this; }
  void reasoned(const View& view, JobIndex j, std::string_view words) override { words_[view.job(j).id] = words; }
  /// Returns what was said of the job with that number; "" for nothing.
  std::string of(std::int64_t id) const {
    const auto found = words_.find(id);
    return found == words_.end() ? "" : found->second;
  }

 private:
  std::unordered_map<std::int64_t, std::string> words_;
};

/// Notes which jobs the policy refuses, or says of them that nothing lets them start.
class NeverWatch : public WrappedScheduler {
 public:
  NeverWatch(Scheduler& asked, const Future& future, double most_work, WorkMeter& work, const PolicyWords& words,
             std::map<std::int64_t, std::string>& never)
      : WrappedScheduler(&asked), open_(future.waiting.begin(), future.waiting.end()), now_(future.now),
        last_(later(future.now, kLongest)), most_work_(most_work), work_(work), words_(words), never_(never) {}

  void submitted(View& view, JobIndex j) override {
    work_.event();
    asked_->submitted(view, j);
  }
  void started(View& view, JobIndex j) override {
    asked_->started(view, j);
    open_.erase(view.job(j).id);
  }
  void dropped(View& view, JobIndex j) override {
    asked_->dropped(view, j);
    const std::int64_t id = view.job(j).id;
    if (open_.erase(id) == 0) return;
    if (std::string why = words_.of(id); !why.empty()) never_[id] = std::move(why);
  }
  void withdrawn(View& view, JobIndex j) override { asked_->withdrawn(view, j); }
  void schedule(View& view, const Pass& pass) override {
    work_.pass(view.queue().size());
    asked_->schedule(view, pass);
    for (const auto& [j, why] : view.blocked())
      if (open_.erase(view.job(j).id) != 0) never_[view.job(j).id] = why;
    const bool too_long = most_work_ > 0 && view.now() > now_ && work_.sum() > most_work_;
    if (open_.empty() || too_long || view.now() > last_) throw AllKnown{};
  }

 private:
  std::set<std::int64_t> open_;  ///< jobs that have neither started nor been refused
  const Time now_, last_;
  const double most_work_;
  WorkMeter& work_;
  const PolicyWords& words_;
  std::map<std::int64_t, std::string>& never_;
};

}  // namespace

std::map<JobIndex, std::string> why_never_start(const ForecastBase& base, const MachineState& state,
                                                const ForecastOptions& options, const std::vector<JobIndex>& jobs,
                                                const std::function<void()>& stop) {
  if (jobs.empty()) return {};
  ForecastOptions alone = options;
  alone.arrivals = Arrivals::kNone;
  const Future future = draw_future(base, with_one_of_each(base, state, jobs), alone, 0);
  Scenario scenario = scenario_of(base, future);
  scenario.seed = options.seed;
  InputCache inputs;
  inputs.keep(scenario.workload.trace, future.trace);
  WorkMeter work(scenario.limits.trusted ? kCostsOfTrustedRun : kCostsOfRun, future.trace->workload.jobs.size());
  const Runner runner(std::move(scenario), {}, &inputs);
  PolicyWords words;
  std::map<std::int64_t, std::string> never;
  std::optional<NeverWatch> watch;
  RunCallbacks callbacks;
  callbacks.print = [](std::string_view) {};
  callbacks.progress = [&](std::size_t, std::size_t) { stop(); };
  callbacks.observers = {&words};
  callbacks.between = [&](Scheduler& asked) -> Scheduler& {
    return watch.emplace(asked, future, options.most_work, work, words, never);
  };
  try {
    runner.run(0, callbacks);
  } catch (const AllKnown&) {
  } catch (const SimulationError&) {}  // they wait for what does not come: that is not known to be for ever
  std::map<AskedKind, std::string> why;
  std::unordered_map<std::int64_t, JobIndex> places;
  for (const JobIndex j : jobs) places.emplace(base.workload.jobs[j].id, j);
  for (const auto& [id, said] : never) why[asked_kind_of(base.workload.jobs[places.at(id)])] = said;
  std::map<JobIndex, std::string> out;
  for (const JobIndex j : jobs)
    if (const auto found = why.find(asked_kind_of(base.workload.jobs[j])); found != why.end()) out[j] = found->second;
  return out;
}

}  // namespace coslice
