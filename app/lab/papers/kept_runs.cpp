#include "lab/papers/kept_runs.h"

#include "output/output.h"
#include "output/summary_json.h"
#include "scenario/build_info.h"

namespace coslice {
namespace {

ResultsHead paper_head(const KeptRunsOptions& o) {
  ResultsHead head;
  head.name = o.name;
  head.campaign = "# " + o.kind + " " + o.name;
  head.folder = results_folder(o.folder);
  head.shard = o.shard.text();
  head.jobs = true;
  return head;
}

}  // namespace

KeptRuns::KeptRuns(KeptRunsOptions options)
    : options_(std::move(options)), scenario_keys_(options_.folder), host_(host_name()), head_(paper_head(options_)),
      file_(options_.file, head_, options_.resume ? ResultsFile::Open::kResume : ResultsFile::Open::kNew) {}

void KeptRuns::plan(const std::vector<RunRequest>& requests) {
  for (std::size_t i = keys_.size(); i < requests.size(); ++i) {
    keys_.push_back(scenario_keys_.key_of(requests[i].scenario) + (requests[i].jobs ? "+jobs" : ""));
    const auto [first, is_new] = by_key_.emplace(keys_[i], i);
    first_.push_back(first->second);
    place_.push_back(is_new ? std::ssize(by_key_) : place_[first->second]);
    for (const Member& m : *requests[i].point.members())
      if (axes_.insert(m.key).second) head_.axes.push_back(m.key);
  }
  std::map<std::string, PlannedPlace> places;
  std::string all;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (first_[i] != i) continue;
    if (options_.shard.has(place_[i])) places.emplace(keys_[i], PlannedPlace{place_[i], requests[i].point});
    all += keys_[i] + "\n";
  }
  head_.plan = sha256_of_text(all);
  head_.runs = std::ssize(by_key_);
  file_.place(head_, places, ResultsFile::UnplannedRuns::kKeep);
  queue_ = std::make_unique<ResultsQueue>(file_);
}

bool KeptRuns::wants(std::size_t number, RunOutcome& outcome) const {
  if (!options_.shard.has(place_[number])) return false;
  std::optional<FinishedRun> found = file_.find(keys_[number]);
  if (!found) return true;
  outcome.error = std::move(found->row.error);
  if (!found->row.done) return false;
  outcome.summary = value_from_json(found->summary_json);
  outcome.summary_json = std::move(found->summary_json);
  outcome.jobs = std::move(found->jobs_csv);
  outcome.scenario = found->row.scenario;
  outcome.policy = found->row.policy;
  outcome.workload = found->row.workload;
  outcome.fingerprint = found->row.fingerprint;
  outcome.cpu_seconds = found->row.cpu_seconds;
  return false;
}

void KeptRuns::add(std::size_t number, const RunRequest& request, const RunOutcome& outcome, double seconds) {
  FinishedRun run;
  run.row.run = place_[number];
  run.row.key = keys_[number];
  run.row.done = outcome.error.empty();
  run.row.error = outcome.error;
  run.row.policy = outcome.policy;
  run.row.workload = outcome.workload;
  run.row.seed = request.scenario.seed;
  run.row.point = request.point;
  run.row.scenario = outcome.scenario;
  run.row.fingerprint = outcome.fingerprint;
  run.row.version = program_version();
  run.row.host = host_;
  run.row.wall_seconds = seconds;
  run.row.cpu_seconds = outcome.cpu_seconds;
  run.summary_json = outcome.summary_json;
  run.jobs_csv = outcome.jobs;
  queue_->add(std::move(run));
}

void KeptRuns::check() {
  if (queue_) queue_->check();
}

void KeptRuns::flush() {
  if (queue_) queue_->close();
  queue_.reset();
  file_.finish();
}

}  // namespace coslice
