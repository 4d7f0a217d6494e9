#include "scenario/jobs/process_jobs.h"

#include <map>
#include <memory>

#include "api/scripts/program_script.h"
#include "core/error.h"
#include "core/random.h"
#include "scenario/jobs/literal_jobs.h"

namespace coslice {
namespace {

constexpr std::int32_t kUndecided = -1;

/// By the job's number: the program that it names in the scenario.
std::map<std::int64_t, std::int32_t> named_programs(const Scenario& scenario) {
  std::map<std::int64_t, std::int32_t> named;
  if (!scenario.workload.jobs) return named;
  std::vector<std::string> names;
  for (const ProgramSpec& p : scenario.processes.programs) names.push_back(p.name);
  for (std::size_t i = 0; i < scenario.workload.jobs->size(); ++i) {
    const JobSpec& job = (*scenario.workload.jobs)[i];
    if (job.program.empty()) continue;
    const auto it = std::find(names.begin(), names.end(), job.program);
    if (it == names.end()) {
      throw InputError(
          {scenario.file, 0,
           "job " + std::to_string(literal_job_id(job, i)) + " runs a program '" + job.program + "' that there is not",
           "a name in [[processes.programs]]", did_you_mean(job.program, names)});
    }
    named[literal_job_id(job, i)] = static_cast<std::int32_t>(it - names.begin());
  }
  return named;
}

/// Draws by weight, from the job's number alone: other jobs make no difference.
class WeightedDraw {
 public:
  explicit WeightedDraw(const Scenario& scenario)
      : key_(static_cast<std::uint64_t>(scenario.seed), "programs"), specs_(scenario.processes.programs) {
    for (const ProgramSpec& p : specs_) total_ += p.weight;
  }
  std::int32_t draw(std::int64_t job) const {
    double left = total_ * key_.uniform(static_cast<std::uint64_t>(job));
    std::int32_t last = kUndecided;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (specs_[i].weight <= 0) continue;
      last = static_cast<std::int32_t>(i);
      if (left < specs_[i].weight) break;
      left -= specs_[i].weight;
    }
    return last;
  }

 private:
  RandomKey key_;
  const std::vector<ProgramSpec>& specs_;
  double total_ = 0;
};

/// The script that gives jobs programs, or nothing.
std::unique_ptr<ProgramScript> load_script(const Scenario& scenario) {
  const std::string& path = scenario.processes.script;
  if (path.empty()) return nullptr;
  return std::make_unique<ProgramScript>(
      read_script(path), scenario.processes.params,
      script_context(path, scenario.limits.for_host(), static_cast<std::uint64_t>(scenario.seed)));
}

/// What it asks for on each node is shared among its processes there.
std::int64_t for_each_process(std::int64_t of_node, const Job& job, const Request& request) {
  const std::int64_t on_node = (job.size + request.nodes - 1) / request.nodes;
  return (of_node + on_node - 1) / on_node;
}

ProcessJob process_job(const Job& job, std::int32_t program, const std::vector<Program>& programs,
                       const RequestTable& requests) {
  const Program& p = programs[static_cast<std::size_t>(program)];
  const std::int64_t said = job.requested_memory_kb >= 0 ? job.requested_memory_kb : job.used_memory_kb;
  ProcessJob out{job.submit,        job.size,
                 program,           iterations_for(p, job.size, job.runtime),
                 job.limit,         said >= 0 ? said : p.memory_kb,
                 withdrawal_of(job)};
  if (job.request == kNoRequest) return out;
  const Request& request = requests[job.request];
  if (said < 0 && request.memory_mib > 0) out.memory_kb = for_each_process(request.memory_mib * 1024, job, request);
  out.gpus = for_each_process(std::int64_t{request.gpus} * request.gpu_share, job, request);
  return out;
}

}  // namespace

ProcessWorkload process_workload(const Scenario& scenario, const Workload& workload) {
  const ProcessesSpec& spec = scenario.processes;
  ProcessWorkload out;
  for (const ProgramSpec& p : spec.programs) out.programs.push_back(p.program());
  const std::map<std::int64_t, std::int32_t> named = named_programs(scenario);
  const std::unique_ptr<ProgramScript> script = load_script(scenario);
  const WeightedDraw weighted(scenario);
  for (const Job& job : workload.jobs) {
    const auto it = named.find(job.id);
    std::int32_t program = it != named.end() ? it->second : kUndecided;
    if (program == kUndecided && script) {
      program = static_cast<std::int32_t>(out.programs.size());
      out.programs.push_back(script->program_of(job));
    }
    if (program == kUndecided) program = weighted.draw(job.id);
    if (program == kUndecided) {
      throw InputError({scenario.file, 0, "nothing says what the processes of job " + std::to_string(job.id) + " do",
                        "[[processes.programs]], processes.script, or a program of the job"});
    }
    out.jobs.push_back(process_job(job, program, out.programs, workload.requests));
    out.ids.push_back(job.id);
  }
  return out;
}

}  // namespace coslice
