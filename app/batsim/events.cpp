#include "batsim/events.h"

#include "core/text.h"

namespace coslice::batsim {

std::string shown_text(const std::string& text) {
  constexpr std::size_t kMostShown = 60;
  return printable(shortened(text, kMostShown));
}

std::string shown_value(const Json& value) {
  return shown_text(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

namespace {

std::string of_job(const std::string& job) { return job.empty() ? "" : " of job " + shown_text(job); }

std::string of_jobs(const std::vector<std::string>& jobs) {
  if (jobs.size() < 2) return jobs.empty() ? "" : of_job(jobs.front());
  return " of jobs, among them " + shown_text(jobs.front());
}

std::string of_nodes(const NodeRanges& nodes) { return nodes.empty() ? "" : " of nodes " + shown_text(nodes.str()); }

}  // namespace

std::string Notify::of() const { return type.empty() ? "" : " " + shown_text(type); }
std::string JobSubmitted::of() const { return of_job(job); }
std::string JobCompleted::of() const { return of_job(job); }
std::string JobKilled::of() const { return of_jobs(jobs); }
std::string ResourceStateChanged::of() const { return of_nodes(nodes); }
std::string ExecuteJob::of() const { return of_job(job); }
std::string RejectJob::of() const { return of_job(job); }
std::string KillJob::of() const { return of_jobs(jobs); }
std::string SetResourceState::of() const { return of_nodes(nodes); }
std::string SetJobMetadata::of() const { return of_job(job); }
std::string RegisterJob::of() const { return of_job(job); }
std::string RegisterProfile::of() const { return name.empty() ? "" : " " + shown_text(name); }

}  // namespace coslice::batsim
