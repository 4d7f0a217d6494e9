#include "lab/simulations.h"

#include <chrono>
#include <ctime>
#include <exception>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/papers/kept_runs.h"
#include "output/jobs_csv.h"
#include "output/summary_json.h"
#include "runner/write_run.h"

namespace coslice {
namespace {

/// What the processor has spent on this thread.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

RunOutcome outcome_of(const RunRequest& request, const std::function<void()>& stop) {
  RunOutcome outcome;
  const double begin = thread_seconds();
  const Runner runner(request.scenario, {}, request.inputs);
  stop();
  outcome.warnings = runner.warnings();
  RunCallbacks callbacks;
  callbacks.progress = [&](std::size_t, std::size_t) { stop(); };
  callbacks.print = [&](std::string_view line) { outcome.printed.emplace_back(line); };
  const PolicyRun run = runner.run(0, callbacks);
  outcome.summary_json = run_summary_line(runner, 0, run);
  outcome.scenario = run_scenario_toml(runner, 0, run, request.folder);
  outcome.policy = run.policy.name;
  outcome.workload = runner.workload().name;
  outcome.fingerprint = fmt::format("{:016x}", run.result.fingerprint);
  if (request.jobs) write_jobs_csv(run.result, request.scenario.metrics, sink_to(outcome.jobs));
  outcome.cpu_seconds = thread_seconds() - begin;
  return outcome;
}

}  // namespace

RunOutcome simulate(const RunRequest& request, const std::function<void()>& stop) {
  const std::string where = "in the run of " + request.label;
  try {
    return outcome_of(request, stop);
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic();
    if (!request.label.empty()) d.detail += (d.detail.empty() ? "  " : "\n  ") + where;
    throw InputError(std::move(d));
  } catch (const SimulationError& e) {
    if (request.label.empty()) throw;
    throw SimulationError(fmt::format("{}\n  {}", e.what(), where));
  }
}

std::size_t Simulations::add(const std::string& key, RunRequest request) {
  const auto [at, is_new] = by_key_.emplace(key, requests_.size());
  if (is_new) requests_.push_back(std::move(request));
  if (is_new) requests_.back().inputs = &inputs_;
  return at->second;
}

void Simulations::run(const PoolOptions& options) {
  const std::size_t first = outcomes_.size();
  std::vector<RunOutcome> fresh(requests_.size() - first);
  std::vector<std::size_t> missing;
  if (kept_ != nullptr) kept_->plan(requests_);
  const auto first_like = [&](std::size_t i) { return kept_ == nullptr ? first + i : kept_->first_like(first + i); };
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (first_like(i) != first + i) continue;
    if (kept_ == nullptr || kept_->wants(first + i, fresh[i])) missing.push_back(i);
  }
  PoolOptions shifted = options;
  const std::size_t there = first + fresh.size() - missing.size();
  shifted.tick = [&](std::size_t done) {
    if (kept_ != nullptr) kept_->check();
    if (options.tick) options.tick(there + done);
  };
  const auto task = [&](std::size_t m, const Cancel& cancel) {
    const std::size_t i = missing[m];
    const auto begin = std::chrono::steady_clock::now();
    const auto keep = [&](const std::exception& e, Kept from) {
      if (kept_failures_ < from) throw;
      if (cancel.requested(m) || stopping_()) throw Cancelled{};
      fresh[i].error = e.what();
      fresh[i].failure = std::current_exception();
    };
    try {
      fresh[i] = simulate(requests_[first + i], [&] {
        if (cancel.requested(m)) throw Cancelled{};
      });
    } catch (const SimulationError& e) {
      keep(e, Kept::kSimulations);
    } catch (const InputError& e) {
      keep(e, Kept::kAll);
    }
    if (fresh[i].error.empty()) fresh[i].summary = value_from_json(fresh[i].summary_json);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (kept_ != nullptr) kept_->add(first + i, requests_[first + i], fresh[i], seconds.count());
  };
  run_tasks(missing.size(), task, shifted);
  if (kept_ != nullptr) kept_->flush();
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const std::size_t like = first_like(i);
    outcomes_.push_back(like < first + i ? outcomes_[like] : std::move(fresh[i]));
  }
}

}  // namespace coslice
