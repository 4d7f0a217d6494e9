// Jobs as a dump of sacct.
#include <fmt/core.h>
#include <map>
#include <utility>

#include "workload/sacct.h"
#include "workload/slurm_fields.h"

namespace coslice {
namespace {

const char* state_of(std::int32_t status) {
  switch (status) {
    case 0: return "FAILED";
    case 5: return "CANCELLED";
    default: return "COMPLETED";
  }
}

/// The names of numbers, as far as they are known; else a word and the number.
class NamesByNumber {
 public:
  explicit NamesByNumber(const RecordedWorkload& recorded) {
    for (const RecordedWorkload::Name& n : recorded.names) names_[{n.kind, n.number}] = n.name;
  }

  std::string name(const std::string& kind, const std::string& prefix, std::int32_t number) const {
    if (number < 0) return "";
    const auto found = names_.find({kind, number});
    return found != names_.end() ? found->second : fmt::format("{}{}", prefix, number);
  }

 private:
  std::map<std::pair<std::string, std::int32_t>, std::string> names_;
};

}  // namespace

std::string sacct_text(const RecordedWorkload& recorded) {
  std::string out =
      "JobID|User|Account|Partition|QOS|JobName|Submit|Start|End|Elapsed|State|NNodes|NCPUS|ReqMem|Timelimit\n";
  const NamesByNumber names(recorded);
  const std::int64_t origin = recorded.workload.header.unix_start_time;
  const auto seconds = [](Duration d) { return d.count() / 1'000'000'000; };
  for (std::size_t i = 0; i < recorded.workload.jobs.size(); ++i) {
    const Job& job = recorded.workload.jobs[i];
    const Duration submit = job.submit.time_since_epoch(), wait = recorded.wait(i);
    const bool known = wait >= Duration::zero();
    const auto time = [&](Duration d) { return known ? slurm_time_text(origin + seconds(d)) : "Unknown"; };
    out += fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}\n", recorded.site_id(i),
                       names.name("user", "user", job.user), names.name("group", "account", job.group),
                       names.name("partition", "partition", job.partition), names.name("queue", "qos", job.queue),
                       names.name("executable", "job", job.executable), slurm_time_text(origin + seconds(submit)),
                       time(submit + wait), time(submit + wait + job.runtime), slurm_duration_text(job.runtime.count()),
                       state_of(job.status), job.size, job.size,
                       job.requested_memory_kb < 0 ? "" : fmt::format("{}Kc", job.requested_memory_kb),
                       job.limit_given ? slurm_duration_text(job.limit.count()) : "UNLIMITED");
  }
  return out;
}

}  // namespace coslice
