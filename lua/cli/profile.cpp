#include "cli/profile.h"

#include <fmt/format.h>

#include "report/number.h"
#include "scenario/environment.h"

namespace coslice::cli {

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
  runs_.push_back({run.policy.name, lap(), run.result.events, run.result.passes});
}

void Profile::written() { write_ += lap(); }

std::string Profile::text() const {
  std::string out =
      fmt::format("{:<10}{:>9.3f} s  {} jobs\n", "load", load_, grouped(static_cast<std::int64_t>(jobs_)));
  for (const Run& r : runs_) {
    const double events = static_cast<double>(r.events), passes = static_cast<double>(r.passes);
    out += fmt::format("{:<10}{:>9.3f} s  {}: {} events ({}/s), {} passes ({} us each)\n", "simulate", r.seconds,
                       r.policy, grouped(events, 0), readable(events / r.seconds), grouped(passes, 0),
                       readable(1e6 * r.seconds / passes));
  }
  out += fmt::format("{:<10}{:>9.3f} s\n", "write", write_);
  const double peak = static_cast<double>(peak_memory_kb());
  out += fmt::format("{:<10}{:>9.1f} MB at most, {} bytes a job", "memory", peak / 1024,
                     grouped(1024 * peak / static_cast<double>(jobs_), 0));
  return out;
}

}  // namespace coslice::cli
