#include "lab/forecast/future.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "jobs/attributes.h"
#include "jobs/workflow.h"
#include "lab/forecast/run_times.h"

namespace coslice {
namespace {

/// Of a shorter history the blocks are so many parts: one of hours would have too few of them, or none.
constexpr std::int64_t kLeastBlocks = 8;

/// Days, since jobs come by the time of day; hours where few days are known.
Duration block_of(Duration span) {
  if (span >= whole_seconds(2 * 86400)) return whole_seconds(86400);
  return std::min(whole_seconds(3600), span / kLeastBlocks);
}

JobKind kind_of(const Job& job) { return {job.user, job.size, job.limit}; }

/// What ended, and what still runs.
RunTimeHistory run_times_known(const Workload& workload, const MachineState& state) {
  RunTimeHistory history;
  for (JobIndex j = 0; j != state.jobs.size(); ++j) {
    const KnownJob& known = state.jobs[j];
    const Job& job = workload.jobs[j];
    if (known.as == KnownAs::kEnded) history.add(kind_of(job), known.end - known.start, true);
    if (known.as == KnownAs::kRunning) history.add(kind_of(job), state.now - known.start, false);
  }
  return history;
}

/// Until when jobs are to come: until three times what is there could have been done, if none of it ended early.
Time last_arrival(const ForecastBase& base, const MachineState& state) {
  double work = 0;
  Duration longest{0};
  for (JobIndex j = 0; j != state.jobs.size(); ++j) {
    const KnownAs as = state.jobs[j].as;
    const Job& job = base.workload.jobs[j];
    if (as != KnownAs::kWaiting && as != KnownAs::kRunning) continue;
    work += job.size * to_seconds(job.limit);
    longest = std::max(longest, job.limit);
  }
  const auto cores = static_cast<double>(base.scenario.machine.total_cores());
  return later(state.now, from_seconds(3 * work / std::max(cores, 1.0)) + longest);
}

class FutureBuilder {
 public:
  FutureBuilder(const ForecastBase& base, const MachineState& state, const ForecastOptions& options, std::int64_t run)
      : base_(base), state_(state), options_(options), key_(static_cast<std::uint64_t>(options.seed), "forecast"),
        history_(run_times_known(base.workload, state)),
        run_times_(history_, key_.stream(static_cast<std::uint64_t>(run), 1)) {
    for (const Job& job : base.workload.jobs) largest_ = std::max(largest_, job.id);
    add_known();
    if (options.arrivals == Arrivals::kDays) add_arrivals(key_.stream(static_cast<std::uint64_t>(run), 2));
  }

  Future take() {
    // Elements of an array that run come before those that wait for a place in it.
    std::ranges::stable_sort(entries_, [](const Entry& a, const Entry& b) {
      return std::pair(a.job.submit, !a.runs) < std::pair(b.job.submit, !b.runs);
    });
    RecordedWorkload trace;
    trace.all_starts_known = true;
    trace.workload = std::move(texts_);
    Workload& w = trace.workload;
    const Duration shift = shift_of_clock();
    w.header.unix_start_time += shift / whole_seconds(1);
    for (Entry& e : entries_) {
      e.job.submit -= shift;
      w.extras.move_instants(e.job, -shift);
      w.jobs.push_back(e.job);
      trace.waits.push_back(e.wait);
      trace.nodes.push_back(std::move(e.nodes));
    }
    future_.now = state_.now - shift;
    future_.shift = shift;
    future_.trace = std::make_shared<const RecordedWorkload>(std::move(trace));
    return std::move(future_);
  }

 private:
  struct Entry {
    Job job;
    Duration wait{-1};
    std::string nodes{};
    bool runs = false;
  };

  void add_known() {
    const Workload& from = base_.workload;
    texts_.name = from.name;
    texts_.header = from.header;
    texts_.extras = from.extras;
    texts_.requests = from.requests;
    texts_.typical = from.typical;
    for (JobIndex j = 0; j != state_.jobs.size(); ++j) {
      const KnownJob& known = state_.jobs[j];
      Entry e{from.jobs[j]};
      if (known.as == KnownAs::kWaiting) {
        e.job.runtime = run_times_.draw(kind_of(e.job));
        if (const std::string place = place_in_array(e.job); !place.empty())
          texts_.extras.set(e.job, attributes::kArray, place);
        future_.waiting.push_back(e.job.id);
      } else if (known.as == KnownAs::kRunning ||
                 (known.as == KnownAs::kEnded && known.end + options_.memory > state_.now)) {
        const Duration ran = (known.as == KnownAs::kRunning ? state_.now : known.end) - known.start;
        e.job.runtime =
            known.as == KnownAs::kRunning ? run_times_.draw(kind_of(e.job), ran) : std::max(ran, Duration{1});
        e.wait = known.start - e.job.submit;
        e.nodes = known.nodes;
        e.runs = known.as == KnownAs::kRunning;
        wait_for_nothing(e.job, e.runs ? place_in_array(e.job) : "");
      } else {
        continue;
      }
      entries_.push_back(std::move(e));
    }
  }

  /// It started by the record: what it waited for was there. `array`: its place in one.
  void wait_for_nothing(Job& job, const std::string& array = "") {
    JobExtras words;
    words.texts = job.extras->texts;
    texts_.extras.set(job, std::move(words));
    texts_.extras.set(job, *find_attribute("depends"), "");
    texts_.extras.set(job, attributes::kArray, array);
  }

  /// Of an array of which only some elements may run, as many count as run: all of these have their places.
  std::string place_in_array(const Job& job) {
    const auto element = array_element(job);
    if (!element || element->limit == 0) return "";
    return fmt::format("{}_{}%{}", element->array, element->index,
                       std::max(element->limit, running_of(element->array)));
  }

  std::int64_t running_of(std::int64_t array) {
    if (running_by_array_.empty())
      for (JobIndex j = 0; j != state_.jobs.size(); ++j)
        if (state_.jobs[j].as == KnownAs::kRunning)
          if (const auto element = array_element(base_.workload.jobs[j])) ++running_by_array_[element->array];
    return running_by_array_[array];
  }

  void add_arrivals(RandomStream random) {
    const Time until =
        std::min({last_arrival(base_, state_), options_.last_arrival, later(state_.now, options_.horizon)});
    const std::vector<Arrival> all = draw_arrivals(base_.workload, state_, until, std::move(random));
    for (const Arrival& a : all) {
      Entry e{base_.workload.jobs[a.like]};
      e.job.id = ++largest_;
      e.job.submit = a.submit;
      wait_for_nothing(e.job);
      e.job.runtime = run_times_.draw(kind_of(e.job));
      entries_.push_back(std::move(e));
    }
    future_.arrivals = all.size();
  }

  /// The trace begins with its first job, so that what happened long ago is not gone through; whole seconds, so that
  /// dates stay. Where nodes are down at times of the workload's clock, that one is kept.
  Duration shift_of_clock() const {
    if (entries_.empty() || base_.scenario.outages.any() || !base_.scenario.reservations.empty()) return Duration{0};
    const Duration first = entries_.front().job.submit.time_since_epoch();
    return whole_seconds(first / whole_seconds(1));
  }

  const ForecastBase& base_;
  const MachineState& state_;
  const ForecastOptions& options_;
  RandomKey key_;
  RunTimeHistory history_;
  RunTimeDraws run_times_;
  std::int64_t largest_ = 0;
  Workload texts_;  ///< what jobs point to
  std::unordered_map<std::int64_t, std::int64_t> running_by_array_;
  std::vector<Entry> entries_;
  Future future_;
};

}  // namespace

std::vector<Arrival> draw_arrivals(const Workload& workload, const MachineState& state, Time until,
                                   RandomStream random) {
  std::vector<JobIndex> known;
  for (JobIndex j = 0; j != state.jobs.size(); ++j)
    if (state.jobs[j].as != KnownAs::kNotYet) known.push_back(j);
  if (known.empty()) return {};
  const auto came = [&](JobIndex j) { return workload.jobs[j].submit; };
  const Duration span = state.now - came(known.front());
  const Duration block = block_of(span);
  if (block < whole_seconds(1)) return {};
  const std::int64_t blocks = span / block;
  std::vector<double> upto;  // weights, summed up
  double all = 0;
  for (std::int64_t back = 1; back <= blocks; ++back) upto.push_back(all += random.exponential(1));
  std::vector<Arrival> out;
  for (std::int64_t k = 0; state.now + k * block < until; ++k) {
    const auto drawn = std::upper_bound(upto.begin(), upto.end() - 1, all * random.uniform());
    const std::int64_t back = drawn - upto.begin() + 1;
    const Time from = state.now - back * block, to = from + block;
    const auto first = std::partition_point(known.begin(), known.end(), [&](JobIndex j) { return came(j) <= from; });
    for (auto at = first; at != known.end() && came(*at) <= to; ++at) {
      const Time submit = came(*at) + (back + k) * block;
      if (submit < until) out.push_back({*at, submit});
    }
  }
  return out;
}

Future draw_future(const ForecastBase& base, const MachineState& state, const ForecastOptions& options,
                   std::int64_t run) {
  return FutureBuilder(base, state, options, run).take();
}

Scenario scenario_of(const ForecastBase& base, const Future& future) {
  Scenario s = base.scenario;
  WorkloadSpec spec;
  spec.name = base.workload.name;
  spec.trace = "snapshot.sacct";
  spec.exclusive = s.workload.exclusive;
  spec.recorded_until = future.now.time_since_epoch();
  s.workload = std::move(spec);
  s.inputs.clear();
  return s;
}

}  // namespace coslice
