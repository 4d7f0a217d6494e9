#include "cli/lab/job_array.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"
#include "report/markup.h"

extern char** environ;

namespace coslice::cli {
namespace {

struct ChildResult {
  int status = 0;  ///< exit status, 128 + the signal that ended it, or 127 if it is not there
  std::string out, err;
};

using TemporaryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Files instead of pipes: no process has to read while the other one writes.
TemporaryFile temporary_file(const std::string& text = "") {
  TemporaryFile file(std::tmpfile(), std::fclose);
  if (!file) throw SimulationError("no temporary file can be made");
  std::fwrite(text.data(), 1, text.size(), file.get());
  std::fflush(file.get());
  std::rewind(file.get());
  return file;
}

std::string content_of(std::FILE* file) {
  std::string out;
  std::rewind(file);
  char block[4096];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file)) out.append(block, n);
  return out;
}

/// Runs a program of the PATH with these arguments and this text on its standard input, until it ends.
ChildResult run_child(const std::vector<std::string>& command, const std::string& input) {
  const TemporaryFile in = temporary_file(input), out = temporary_file(), err = temporary_file();
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {127, "", ""};
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {}
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out.get()),
          content_of(err.get())};
}

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
  if (std::ssize(campaign.unfinished) == campaign.parts) return fmt::format("1-{}", campaign.parts);
  return fmt::format("{}", fmt::join(campaign.unfinished, ","));
}

/// Submits a script; gives the number of the job. If it is refused, nothing is left, not even an empty folder, if there
/// is one.
std::string sbatch(std::vector<std::string> arguments, const std::vector<std::string>& options,
                   const std::string& script, const std::string& folder) {
  arguments.insert(arguments.begin(), {"sbatch", "--parsable"});
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ChildResult result = run_child(arguments, "#!/bin/sh\n" + script + "\n");
  std::string said = result.status == 0 ? result.out : result.err;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (result.status != 0) {
    std::error_code ignored;
    if (!folder.empty()) fs::remove(folder, ignored);  // if it is empty
    throw InputError({"--slurm", 0, "sbatch refuses: " + said});
  }
  return said.substr(0, said.find(';'));  // behind it the cluster's name
}

void require_sbatch() {
  if (run_child({"sbatch", "--version"}, "").status == 127)
    throw InputError({"--slurm", 0, "there is no sbatch here", "a machine that submits jobs to Slurm"});
}

}  // namespace

Shard shard_of(const std::string& text) {
  std::string_view of = text;
  const auto number = parse_number<std::int64_t>(take_before(of, '/')), parts = parse_number<std::int64_t>(of);
  if (!number || !parts || *parts > 1'000'000 || *number < 1 || *number > *parts)
    throw InputError({"--shard", 0, fmt::format("'{}' is not a part", text), "I/N with I from 1 to N, e.g. 3/40"});
  return {*number, *parts};
}

void refuse_argument(const std::string& argument, const std::string& what) {
  if (argument.starts_with('-')) throw InputError({argument, 0, "is for jobs in Slurm only", "", "add --slurm"});
  throw InputError({argument, 0, fmt::format("is one argument too many: there is a {} already", what)});
}

std::string results_name(const std::string& campaign, const Shard& shard) {
  const std::string stem = std::filesystem::path(campaign).stem().string();
  return stem + (shard.of == 1 ? "" : fmt::format("-{}-of-{}", shard.number, shard.of)) + ".sqlite";
}

std::string part_name(const std::string& folder, std::int64_t part, std::int64_t parts) {
  return (fs::path(folder) / fmt::format("part-{}-of-{}.sqlite", part, parts)).string();
}

std::string submit_one(const std::string& name, const std::vector<std::string>& command, const std::string& workers,
                       const std::string& log, const std::vector<std::string>& options) {
  require_sbatch();
  std::vector<std::string> words = command;
  words.insert(words.begin(), this_program());
  const std::string task = fmt::format("exec {} {} \"${{SLURM_CPUS_PER_TASK:-1}}\"", shell_command(words), workers);
  return sbatch({"--job-name=" + name, "--requeue", "--open-mode=append", "--output=" + log}, options, task, "");
}

SlurmJobs submit(const SlurmCampaign& campaign) {
  require_sbatch();
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
      jobs.array, counted(std::ssize(c.unfinished), "part"), c.folder, jobs.merge, c.results, c.folder, again);
}

}  // namespace coslice::cli
