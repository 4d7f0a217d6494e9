#include "cli/run/host_profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/markup.h"
#include "scenario/environment.h"

namespace coslice::cli {

namespace {

constexpr double kLeastShare = 0.01;  // of a run's time, for what is called by name

}  // namespace

double Profile::lap() {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  return seconds;
}

void Profile::loaded(const Runner& runner) {
  load_ = lap();
  jobs_ = runner.workload().jobs.size();
}

void Profile::simulated(const PolicyRun& run) {
  runs_.push_back({run.policy.name, lap(), run.lua_seconds, run.result.events, run.result.passes, run.seconds_by_call});
}

void Profile::ended_early(const PolicyRun& run, std::size_t done) {
  runs_.push_back({run.policy.name, lap(), run.lua_seconds, 0, 0, run.seconds_by_call, done});
}

void Profile::written() { write_ += lap(); }

std::string Profile::text_of(const Run& r) const {
  const std::string gap(22, ' ');
  std::string out = fmt::format("simulate  {:>8.3f} s  {}: {} of it in Lua\n", r.seconds, r.policy,
                                percent(r.lua_seconds / r.seconds));
  for (const auto& [what, seconds] : r.calls)
    if (seconds >= kLeastShare * r.seconds) out += fmt::format("{}{} in {}\n", gap, percent(seconds / r.seconds), what);
  if (r.ended_after)
    return out + fmt::format("{}ended early, after {} of {}\n", gap, grouped(static_cast<std::int64_t>(*r.ended_after)),
                             counted(static_cast<std::int64_t>(jobs_), "job"));
  const auto events = static_cast<double>(r.events), passes = static_cast<double>(r.passes);
  out += fmt::format("{}{} events, {} a second\n", gap, grouped(events, 0), readable(events / r.seconds));
  return out + fmt::format("{}{} passes, {} us each\n", gap, grouped(passes, 0), readable(1e6 * r.seconds / passes));
}

std::string Profile::text() const {
  const auto jobs = static_cast<std::int64_t>(jobs_);
  std::string out = fmt::format("load      {:>8.3f} s  {}\n", load_, counted(jobs, "job"));
  for (const Run& r : runs_) out += text_of(r);
  out += fmt::format("write     {:>8.3f} s\n", write_);
  const std::int64_t peak = peak_memory_kb();
  return out + fmt::format("memory    {:>8.1f} MB at most, {} bytes a job", static_cast<double>(peak) / 1024,
                           grouped(1024 * peak / std::max<std::int64_t>(jobs, 1)));
}

}  // namespace coslice::cli
