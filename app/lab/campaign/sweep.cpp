#include "lab/campaign/sweep.h"

#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/campaign/results_file.h"
#include "lab/campaign/results_queue.h"
#include "lab/simulations.h"
#include "lab/thread_pool.h"
#include "scenario/build_info.h"

namespace coslice {
namespace {

constexpr int kShownFailures = 5;

ResultsHead results_head(const Campaign& campaign, const Plan& plan, const Shard& shard) {
  ResultsHead head;
  head.name = campaign.name;
  head.campaign = campaign.text;
  head.folder = results_folder(campaign.folder);
  head.plan = plan.digest;
  head.runs = std::ssize(plan.runs);
  head.shard = shard.text();
  head.axes = campaign.axes;
  head.jobs = campaign.jobs;
  return head;
}

/// One sweep: the runs that are missing, and what came of them.
class Sweep {
 public:
  Sweep(const Campaign& campaign, const Plan& plan, const SweepOptions& options)
      : campaign_(campaign), plan_(plan), options_(options),
        file_(options.results, results_head(campaign, plan, options.shard),
              options.resume ? ResultsFile::Open::kResume : ResultsFile::Open::kNew) {}

  SweepOutcome run() {
    find_missing();
    try {
      make();
    } catch (...) {
      // What was finished is in the file by now; its view should show it, too.
      try {
        file_.finish();
      } catch (const SimulationError&) {  // the disk is full: the first error says so
      }
      if (options_.ended_early) options_.ended_early(file_.known().size() - before_);
      throw;
    }
    file_.finish();
    for (const auto& [key, known] : file_.known()) outcome_.failed += known.done ? 0 : 1;
    outcome_.failures = file_.failures(kShownFailures);
    outcome_.made = missing_.size();
    outcome_.remarks.assign(remarks_.begin(), remarks_.end());
    return std::move(outcome_);
  }

 private:
  void find_missing() {
    std::map<std::string, PlannedPlace> places;
    for (std::size_t i = 0; i < plan_.runs.size(); ++i) {
      const std::int64_t run = static_cast<std::int64_t>(i) + 1;
      if (options_.shard.has(run)) places[plan_.runs[i].key] = {run, plan_.runs[i].point};
    }
    outcome_.planned = places.size();
    using UnplannedRuns = ResultsFile::UnplannedRuns;
    if (options_.resume)
      file_.place(results_head(campaign_, plan_, options_.shard), places,
                  options_.prune ? UnplannedRuns::kDrop : UnplannedRuns::kRefuse);
    if (options_.retry) file_.forget_failed();
    for (std::size_t i = 0; i < plan_.runs.size(); ++i) {
      if (places.count(plan_.runs[i].key) != 0 && file_.known().count(plan_.runs[i].key) == 0) missing_.push_back(i);
    }
    outcome_.kept = outcome_.planned - missing_.size();
    before_ = file_.known().size();
  }

  void make() {
    ResultsQueue queue(file_);
    PoolOptions pool;
    pool.workers = options_.workers;
    pool.tick = [&](std::size_t done) {
      queue.check();
      if (options_.tick) options_.tick(done, missing_.size());
    };
    run_tasks(
        missing_.size(),
        [&](std::size_t i, const Cancel& cancel) {
          FinishedRun run = one(missing_[i], [&] {
            if (cancel.requested(i)) throw Cancelled{};
          });
          queue.add(std::move(run));
        },
        pool);
    queue.close();
  }

  FinishedRun one(std::size_t number, const std::function<void()>& stop) {
    const PlannedRun& planned = plan_.runs[number];
    FinishedRun out;
    out.row.run = static_cast<std::int64_t>(number) + 1;
    out.row.key = planned.key;
    out.row.point = planned.point;
    out.row.version = program_version();
    out.row.host = host_;
    const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    try {
      simulate_into(out, planned, stop);
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& e) {
      stop();
      if (options_.stopping && options_.stopping()) throw Cancelled{};
      out.row.done = false;
      out.row.error = dynamic_cast<const std::bad_alloc*>(&e) != nullptr ? "out of memory" : e.what();
    }
    out.row.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
  }

  void simulate_into(FinishedRun& out, const PlannedRun& planned, const std::function<void()>& stop) {
    RunRequest request{"", scenario_of(campaign_, planned), campaign_.jobs};
    out.row.policy = planned.policy;
    out.row.seed = request.scenario.seed;
    request.folder = campaign_.folder;
    request.inputs = &inputs_;
    RunOutcome made = simulate(request, stop);
    out.row.policy = made.policy;
    out.row.workload = made.workload;
    out.row.scenario = std::move(made.scenario);
    out.row.fingerprint = made.fingerprint;
    out.row.cpu_seconds = made.cpu_seconds;
    out.summary_json = std::move(made.summary_json);
    out.jobs_csv = std::move(made.jobs);
    out.row.done = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    remarks_.insert(made.warnings.begin(), made.warnings.end());
  }

  const Campaign& campaign_;
  const Plan& plan_;
  const SweepOptions& options_;
  const std::string host_ = host_name();
  InputCache inputs_;
  ResultsFile file_;
  std::vector<std::size_t> missing_;  ///< numbers in the plan, from 0
  std::size_t before_ = 0;            ///< runs in the file when it began
  SweepOutcome outcome_;
  std::mutex mutex_;
  std::set<std::string> remarks_;
};

}  // namespace

std::string Shard::text() const { return of == 1 ? "" : fmt::format("{}/{}", number, of); }

SweepOutcome sweep(const Campaign& campaign, const Plan& plan, const SweepOptions& options) {
  return Sweep(campaign, plan, options).run();
}

}  // namespace coslice
