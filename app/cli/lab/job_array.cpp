#include "cli/lab/job_array.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/frame/child.h"
#include "core/error.h"
#include "report/markup.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

/// For a POSIX shell.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + shell_word(w);
  return out;
}

std::string this_program() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? "coslice" : self.string();
}

/// "1-40" or "3,7": the parts as sbatch takes them.
std::string array_of(const SlurmCampaign& campaign) {
  if (static_cast<std::int64_t>(campaign.unfinished.size()) == campaign.parts)
    return fmt::format("1-{}", campaign.parts);
  return fmt::format("{}", fmt::join(campaign.unfinished, ","));
}

/// Submits a script; gives the number of the job. If it is refused, nothing is left, not even an empty folder.
std::string sbatch(std::vector<std::string> arguments, const std::vector<std::string>& options,
                   const std::string& script, const std::string& folder) {
  arguments.insert(arguments.begin(), {"sbatch", "--parsable"});
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ChildResult result = run_child(arguments, "#!/bin/sh\n" + script + "\n");
  std::string said = result.status == 0 ? result.out : result.err;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (result.status != 0) {
    std::error_code ignored;
    fs::remove(folder, ignored);  // if it is empty
    throw InputError({"--slurm", 0, "sbatch refuses: " + said});
  }
  return said.substr(0, said.find(';'));  // behind it the cluster's name
}

}  // namespace

std::string part_name(const std::string& folder, std::int64_t part, std::int64_t parts) {
  return (fs::path(folder) / fmt::format("part-{}-of-{}.sqlite", part, parts)).string();
}

SlurmJobs submit(const SlurmCampaign& campaign) {
  if (run_child({"sbatch", "--version"}, "").status == 127)
    throw InputError({"--slurm", 0, "there is no sbatch here", "a machine that submits jobs to Slurm"});
  std::error_code error;
  fs::create_directories(campaign.folder, error);
  if (error) throw InputError({campaign.folder, 0, "cannot be made: " + error.message(), "a folder for the parts"});
  // A node that dies gives its parts back to the queue, and they go on with what was finished.
  const std::string file = shell_word(campaign.folder + "/part-") + "\"$SLURM_ARRAY_TASK_ID\"" +
                           shell_word(fmt::format("-of-{}.sqlite", campaign.parts));
  std::vector<std::string> command = campaign.command;
  command.insert(command.begin(), this_program());
  const std::string task =
      fmt::format("exec {} --resume {} \"${{SLURM_CPUS_PER_TASK:-1}}\" --shard \"$SLURM_ARRAY_TASK_ID/{}\" -o {}",
                  shell_command(command), campaign.workers, campaign.parts, file);
  SlurmJobs jobs;
  jobs.array = sbatch({"--job-name=" + campaign.name, "--array=" + array_of(campaign), "--requeue",
                       "--open-mode=append", "--output=" + campaign.folder + "/part-%a.log"},
                      campaign.options, task, campaign.folder);
  std::vector<std::string> merge = {this_program(), "merge", "-o", campaign.results};
  for (std::int64_t part = 1; part <= campaign.parts; ++part)
    merge.push_back(part_name(campaign.folder, part, campaign.parts));
  // afterany: a part in which a run failed ends with status 1 and is complete all the same. merge itself sees to it.
  jobs.merge = sbatch({"--job-name=" + campaign.name + "-merge", "--dependency=afterany:" + jobs.array,
                       "--open-mode=append", "--output=" + campaign.folder + "/merge.log"},
                      campaign.options, "exec " + shell_command(merge), campaign.folder);
  return jobs;
}

std::string submitted_text(const SlurmCampaign& c, const SlurmJobs& jobs, const std::string& again) {
  return fmt::format(
      "job {}: {}, into {}\njob {}: joins them into {}\nIf a part does not finish ({}/merge.log), say\n  {}\n",
      jobs.array, counted(static_cast<std::int64_t>(c.unfinished.size()), "part"), c.folder, jobs.merge, c.results,
      c.folder, again);
}

}  // namespace coslice::cli
