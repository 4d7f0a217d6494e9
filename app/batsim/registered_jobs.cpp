#include "batsim/registered_jobs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "batsim/known_jobs.h"
#include "batsim/messages.h"
#include "core/text.h"

namespace coslice::batsim {
namespace {

constexpr double kLongest = 1e9;  // s
constexpr std::size_t kMostJobs = 1'000'000;

/// "dyn" of "dyn!my_job".
std::string workload_of(const std::string& id) {
  const std::size_t mark = id.find('!');
  return mark == id.npos ? "" : id.substr(0, mark);
}

double seconds_in(const Json& profile, const char* name) {
  const auto at = profile.find(name);
  const double x = at != profile.end() && at->is_number() ? at->get<double>() : NAN;
  if (!(x >= 0 && x <= kLongest))
    throw BadMessage(fmt::format("'{}' of the profile is {}; expected seconds from 0 to 1e9", name,
                                 at == profile.end() ? "not there" : shown_value(*at)));
  return x;
}

}  // namespace

RegisteredJobs::RegisteredJobs(const Workload& log, std::int32_t nodes, std::int32_t cores)
    : log_(log), nodes_(nodes), cores_(cores) {
  for (const Job& job : log.jobs) last_number_ = std::max(last_number_, job.id);
}

void RegisteredJobs::add_profile(const RegisterProfile& profile) {
  if (finished_)
    throw BadMessage("the scheduler has said registration_finished; expected continue_registration before it");
  began_ = true;
  profiles_.insert_or_assign({profile.workload, profile.name}, runtime_of(profile.workload, profile.profile.value));
}

/// Of what Batsim knows, the profiles that say themselves how long a job runs.
double RegisteredJobs::runtime_of(const std::string& workload, const Json& profile) const {
  const auto type = profile.find("type");
  const std::string kind = type != profile.end() && type->is_string() ? type->get<std::string>() : "";
  if (kind == "delay") return seconds_in(profile, "delay");
  if (kind != "composed" && kind != "sequence")
    throw BadMessage(fmt::format("the profile is of type {}; expected \"delay\", or \"composed\" of such",
                                 type == profile.end() ? "none" : shown_value(*type)));
  const auto parts = profile.find("seq");
  if (parts == profile.end() || !parts->is_array()) throw BadMessage("'seq' of the profile is no list");
  const auto repeat = profile.find("repeat");
  const double times = repeat == profile.end() ? 1 : seconds_in(profile, "repeat");
  double sum = 0;
  for (const Json& part : *parts) {
    const auto known = part.is_string() ? profiles_.find({workload, part.get<std::string>()}) : profiles_.end();
    if (known == profiles_.end())
      throw BadMessage(fmt::format(
          "'seq' of the profile has {}; expected names of profiles that were registered before", shown_value(part)));
    sum += known->second;
  }
  if (!(sum * times <= kLongest)) throw BadMessage("the profile takes more than 1e9 s");
  return sum * times;
}

bool RegisteredJobs::is_in_log(const std::string& id) {
  if (workload_of(id) != kWorkload) return false;
  if (numbers_.empty())
    for (const Job& job : log_.jobs) numbers_.insert(job.id);
  const auto number = parse_number<std::int64_t>(std::string_view(id).substr(id.find('!') + 1));
  return number && numbers_.contains(*number);
}

Job RegisteredJobs::job_of(const RegisterJob& registered, Time now) {
  const JobDescription& d = registered.described;
  if (finished_)
    throw BadMessage("the scheduler has said registration_finished; expected continue_registration before it");
  if (registered.job.empty()) throw BadMessage("'job_id' is empty");
  const std::string workload = workload_of(registered.job);
  if (d.id != registered.job && workload + "!" + d.id != registered.job)
    throw BadMessage(fmt::format("'id' of 'job' is \"{}\"; expected that of 'job_id'", shown_text(d.id)));
  if (d.nodes < 1 || d.nodes > nodes_)
    throw BadMessage(fmt::format("'res' of 'job' is {}; expected from 1 to {} nodes", d.nodes, nodes_));
  double runtime = 0;
  if (registered.profile) {
    runtime = runtime_of(workload, registered.profile->value);
  } else {
    const auto known = profiles_.find({workload, d.profile});
    if (known == profiles_.end())
      throw BadMessage(
          fmt::format("there is no profile \"{}\" of workload \"{}\"; expected one of REGISTER_PROFILE, or "
                      "'profile' in the data",
                      shown_text(d.profile), shown_text(workload)));
    runtime = known->second;
  }
  const bool limited = d.walltime && *d.walltime >= 0;
  if (limited && !(*d.walltime > 0 && *d.walltime <= kLongest))
    throw BadMessage(fmt::format("'walltime' of 'job' is {}; expected more than 0 s, or -1 for none", *d.walltime));
  if (ids_.size() == kMostJobs)
    throw BadMessage(fmt::format("{} jobs have been registered; that is enough", kMostJobs));
  if (is_in_log(registered.job) || !ids_.insert(registered.job).second)
    throw BadMessage("there is a job of that name already");
  began_ = true;
  if (registered.profile) profiles_.insert_or_assign({workload, d.profile}, runtime);
  Job job;
  job.id = ++last_number_;
  job.submit = now;
  job.runtime = std::max(from_seconds(runtime), Duration{1});
  job.limit = limited ? std::max(from_seconds(*d.walltime), Duration{1}) : job.runtime;
  job.limit_given = limited;
  job.size = d.nodes * cores_;
  job.user = d.user.value_or(-1);
  job.group = d.group.value_or(-1);
  job.executable = d.executable.value_or(-1);
  job.queue = d.queue.value_or(-1);
  job.partition = d.partition.value_or(-1);
  return job;
}

}  // namespace coslice::batsim
