#include "drive/drawn_run_times.h"

#include <algorithm>
#include <map>

#include "core/text.h"

namespace coslice::drive {
namespace {

/// So many ended jobs are drawn from: more would tell little more of today's jobs, and take time in each draw.
constexpr std::size_t kMostEnded = 2000;

}  // namespace

RunTimeHistory run_times_of_record(const RecordedWorkload& record, slurm::NumbersOfNames& users) {
  std::map<std::int32_t, std::int32_t> numbers;
  for (const RecordedWorkload::Name& n : record.names)
    if (n.kind == "user") numbers.emplace(n.number, static_cast<std::int32_t>(users.number(lower_case(n.name))));
  std::vector<const Job*> last;
  const std::vector<Job>& jobs = record.workload.jobs;
  for (std::size_t i = jobs.size(); i != 0 && last.size() != kMostEnded; --i) {
    const Job& job = jobs[i - 1];
    const bool may_have_run = !record.all_starts_known || record.wait(i - 1) >= Duration{0};
    if (job.limit_given && job.runtime > Duration{0} && may_have_run && !never_ran(job)) last.push_back(&job);
  }
  RunTimeHistory history;
  for (auto job = last.rbegin(); job != last.rend(); ++job) {
    const auto user = numbers.find((*job)->user);
    history.add({user == numbers.end() ? -1 : user->second, (*job)->size, (*job)->limit}, (*job)->runtime, true);
  }
  return history;
}

DrawnRunTimes::DrawnRunTimes(const Present& present, RunTimeHistory before, std::uint64_t seed)
    : present_(present), history_(std::move(before)), key_(seed, "drive choice") {
  for (JobIndex j = 0; j != present.jobs.size(); ++j)
    if (!present.jobs[j]->waits()) history_.add(kind_of(j), ran(j), false);
}

/// Processors, as in a record.
JobKind DrawnRunTimes::kind_of(JobIndex j) const {
  const Job& job = present_.workload.jobs[j];
  const std::int64_t cpus = std::min<std::int64_t>(present_.jobs[j]->tres.cpus, INT32_MAX);
  return {job.user, static_cast<std::int32_t>(cpus), job.limit};
}

Duration DrawnRunTimes::ran(JobIndex j) const {
  const QueuedJob& job = *present_.jobs[j];
  if (job.waits()) return Duration{0};
  return std::max(present_.now - Time{whole_seconds(job.started - present_.origin)}, Duration{0});
}

std::vector<Duration> DrawnRunTimes::draw(std::uint64_t draw) const {
  RunTimeDraws draws(history_, key_.stream(draw));
  std::vector<Duration> out;
  for (JobIndex j = 0; j != present_.jobs.size(); ++j)
    out.push_back(std::min(draws.draw(kind_of(j), ran(j)), present_.workload.jobs[j].limit));
  return out;
}

}  // namespace coslice::drive
