#include "lab/tune/tune_workloads.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/random.h"
#include "scenario/load.h"

namespace coslice {
namespace {

constexpr std::int64_t kFewestWindows = 12, kManyWindows = 24;
constexpr std::size_t kJobsOfMany = 100;  ///< of each on average, so that hardly any has too few
constexpr std::size_t kFewestJudges = 6;  ///< fewer pairs can hardly be beyond chance
constexpr std::size_t kFewestJobs = 50;
constexpr Duration kWeek = whole_seconds(7 * 86'400);
constexpr std::int64_t kJudgingSeeds = 1'000'000;  ///< beyond those that anybody uses by hand

}  // namespace

std::string TuneWorkloads::text(std::size_t i) const {
  if (unit != Unit::kWindow) return fmt::format("seed {}", seeds[i]);
  return fmt::format("window [{:.0f}, {:.0f}]", to_seconds(windows[i][0]), to_seconds(windows[i][1]));
}

void TuneWorkloads::apply(Value& tree, std::size_t i) const {
  if (unit != Unit::kWindow) return lay_over(tree, {"seed"}, Value(seeds[i]));
  lay_over(tree, {"workload", "window"},
           Value(Value::List{Value(to_seconds(windows[i][0])), Value(to_seconds(windows[i][1]))}));
}

TuneWorkloads seeds_to_tune(std::int64_t first, std::size_t search, std::size_t judging) {
  TuneWorkloads out;
  out.search = search;
  for (std::size_t i = 0; i != search; ++i) out.seeds.push_back(first + static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i != judging; ++i) out.seeds.push_back(first + kJudgingSeeds + static_cast<std::int64_t>(i));
  return out;
}

TuneWorkloads windows_to_tune(const Workload& workload, std::size_t judging, std::uint64_t seed) {
  const std::vector<Job>& jobs = workload.jobs;
  const Duration begin = jobs.front().submit.time_since_epoch(), end = jobs.back().submit.time_since_epoch();
  const Duration span = std::max(end - begin + Duration{1}, Duration{1});
  const auto many = std::min(kManyWindows, static_cast<std::int64_t>(jobs.size() / kJobsOfMany));
  std::int64_t parts = std::max({kFewestWindows, many, span / kWeek});
  const auto by_jobs = static_cast<std::int64_t>(jobs.size() / kFewestJobs);
  parts = std::clamp<std::int64_t>(parts, 1, std::max<std::int64_t>(by_jobs, 1));
  TuneWorkloads out;
  out.unit = Unit::kWindow;
  for (std::int64_t i = 0; i != parts; ++i) {
    const auto at = [&](std::int64_t part) { return begin + span / parts * part; };
    std::array<Duration, 2> window{at(i), i + 1 == parts ? begin + span : at(i + 1)};
    const auto inside = std::ranges::count_if(jobs, [&](const Job& j) {
      return j.submit.time_since_epoch() >= window[0] && j.submit.time_since_epoch() < window[1];
    });
    if (inside >= static_cast<std::ptrdiff_t>(kFewestJobs) || parts == 1) out.windows.push_back(window);
  }
  RandomStream random(seed, "windows");
  for (std::size_t i = out.windows.size(); i > 1; --i)
    std::swap(out.windows[i - 1],
              out.windows[static_cast<std::size_t>(random.uniform_int(0, static_cast<std::int64_t>(i) - 1))]);
  const std::size_t all = out.windows.size(), most = std::max(all / 3, std::min(kFewestJudges, all / 2));
  out.search = all - std::min(judging, most);
  return out;
}

}  // namespace coslice
