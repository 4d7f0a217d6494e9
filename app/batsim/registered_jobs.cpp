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
constexpr int kMostNested = 32;

double seconds_in(const Json& profile, const char* name) {
  const auto at = profile.find(name);
  const double x = at != profile.end() && at->is_number() ? at->get<double>() : NAN;
  if (!(x >= 0 && x <= kLongest))
    throw BadMessage(fmt::format("'{}' of the profile is {}; expected seconds from 0 to 1e9", name,
                                 at == profile.end() ? "not there" : shown_value(*at)));
  return x;
}

/// How often the parts are run; without one, once.
double repeats_in(const Json& profile) { return profile.contains("repeat") ? seconds_in(profile, "repeat") : 1; }

/// Of what Batsim knows, the profiles that say themselves how long a job runs. Whether parts are there is asked when a
/// job has it: they may come behind it.
void check_profile(const Json& profile) {
  const auto type = profile.find("type");
  const std::string kind = type != profile.end() && type->is_string() ? type->get<std::string>() : "";
  if (kind == "delay") return void(seconds_in(profile, "delay"));
  if (kind != "composed" && kind != "sequence")
    throw BadMessage(fmt::format("the profile is of type {}; expected \"delay\", or \"composed\" of such",
                                 type == profile.end() ? "none" : shown_value(*type)));
  const auto parts = profile.find("seq");
  if (parts == profile.end() || !parts->is_array()) throw BadMessage("'seq' of the profile is no list");
  for (const Json& part : *parts)
    if (!part.is_string())
      throw BadMessage(fmt::format("'seq' of the profile has {}; expected names of profiles", shown_value(part)));
  repeats_in(profile);
}

}  // namespace

std::string workload_of(const std::string& id) {
  const std::size_t mark = id.find('!');
  return mark == id.npos ? "" : id.substr(0, mark);
}

RegisteredJobs::RegisteredJobs(const Workload& log, std::int32_t nodes, std::int32_t cores)
    : log_(log), nodes_(nodes), cores_(cores) {
  for (const Job& job : log.jobs) last_number_ = std::max(last_number_, job.id);
}

void RegisteredJobs::add_profile(const RegisterProfile& profile) {
  if (finished_)
    throw BadMessage("the scheduler has said registration_finished; expected continue_registration before it");
  check_profile(profile.profile.value);
  began_ = true;
  keep(profile.workload, profile.name, profile.profile.value);
}

void RegisteredJobs::keep(const std::string& workload, const std::string& name, const Json& profile) {
  const auto [at, is_new] = profiles_.try_emplace({workload, name}, Profile{profile});
  if (is_new || at->second.described == profile) return;
  at->second.described = profile;
  for (auto& [_, other] : profiles_) other.runtime.reset();  // it may be a part of them
}

const Json* RegisteredJobs::described(const std::string& workload, const std::string& name) const {
  const auto at = profiles_.find({workload, name});
  return at == profiles_.end() ? nullptr : &at->second.described;
}

/// Jobs of the log have profiles that are called as they are: with such a one a job runs as long as that job.
double RegisteredJobs::runtime_of(const std::string& workload, const std::string& name, int depth) {
  const auto at = profiles_.find({workload, name});
  if (at == profiles_.end()) {
    if (const Job* job = in_log(workload, name)) return to_seconds(job->runtime);
    throw BadMessage(fmt::format("there is no profile \"{}\" of workload \"{}\"; expected one of REGISTER_PROFILE, or "
                                 "'profile' in the data",
                                 shown_text(name), shown_text(workload)));
  }
  Profile& profile = at->second;
  if (!profile.runtime) profile.runtime = runtime_of_parts(workload, profile.described, depth);
  return *profile.runtime;
}

double RegisteredJobs::runtime_of_parts(const std::string& workload, const Json& profile, int depth) {
  if (profile["type"] == "delay") return profile["delay"].get<double>();
  if (depth == kMostNested) throw BadMessage(fmt::format("the profile is nested more than {} deep", kMostNested));
  double sum = 0;
  for (const Json& part : profile["seq"]) sum += runtime_of(workload, part.get<std::string>(), depth + 1);
  sum *= repeats_in(profile);
  if (!(sum <= kLongest)) throw BadMessage("the profile takes more than 1e9 s");
  return sum;
}

const Job* RegisteredJobs::in_log(const std::string& workload, std::string_view name) {
  if (workload != kWorkload) return nullptr;
  if (numbers_.empty())
    for (JobIndex j = 0; j != log_.jobs.size(); ++j) numbers_.emplace(log_.jobs[j].id, j);
  const auto number = parse_number<std::int64_t>(name);
  const auto at = number ? numbers_.find(*number) : numbers_.end();
  return at == numbers_.end() ? nullptr : &log_.jobs[at->second];
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
  if (registered.profile) {
    check_profile(registered.profile->value);
    keep(workload, d.profile, registered.profile->value);
  }
  const double runtime = runtime_of(workload, d.profile, 0);
  const bool limited = d.walltime && *d.walltime >= 0;
  if (limited && !(*d.walltime > 0 && *d.walltime <= kLongest))
    throw BadMessage(fmt::format("'walltime' of 'job' is {}; expected more than 0 s, or -1 for none", *d.walltime));
  if (ids_.size() == kMostJobs)
    throw BadMessage(fmt::format("{} jobs have been registered; that is enough", kMostJobs));
  const bool of_log =
      in_log(workload, std::string_view(registered.job).substr(registered.job.find('!') + 1)) != nullptr;
  if (of_log || !ids_.insert(registered.job).second) throw BadMessage("there is a job of that name already");
  began_ = true;
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
