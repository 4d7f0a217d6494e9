#include "drive/slurm_commands.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

extern char** environ;

namespace coslice::drive {
namespace {

using ScratchFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Files instead of pipes: no process has to read while the other one writes. In memory: on a full disk squeue would
/// say that there are no jobs.
ScratchFile scratch_file() {
  const int file = memfd_create("coslice-drive", MFD_CLOEXEC);
  ScratchFile stream(file < 0 ? nullptr : fdopen(file, "w+"), std::fclose);
  if (stream) return stream;
  const std::string why = std::strerror(errno);
  if (file >= 0) close(file);
  throw SimulationError("no temporary file can be made: " + why);
}

std::string text_in(std::FILE* file) {
  std::string out;
  std::rewind(file);
  char block[4096];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file)) out.append(block, n);
  return out;
}

bool begins_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

std::vector<std::string> plain_environment() {
  std::vector<std::string> kept = {"TZ=UTC0", "SLURM_TIME_FORMAT=standard"};
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string entry = *e;
    bool dropped = false;
    for (const char* name : {"TZ=", "SLURM_TIME_FORMAT=", "SLURM_CLUSTERS=", "SQUEUE_", "SCONTROL_"})
      dropped = dropped || begins_with(entry, name);
    if (!dropped) kept.push_back(entry);
  }
  return kept;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& t : texts) all.push_back(const_cast<char*>(t.c_str()));
  all.push_back(nullptr);
  return all;
}

pid_t spawn(const std::vector<std::string>& command, std::FILE* out, std::FILE* err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t as_usual;
  sigemptyset(&as_usual);
  sigaddset(&as_usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &as_usual);
  // Ctrl-C is for us: an order to Slurm is carried out whole.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const std::vector<std::string> environment = plain_environment();
  const std::vector<char*> arguments = pointers_to(command), variables = pointers_to(environment);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

/// Whether it ended in time; then `status` is what it ended with.
bool ends_within(pid_t child, Duration timeout, int& status) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
  for (auto pause = std::chrono::milliseconds(1);; pause = std::min(2 * pause, std::chrono::milliseconds(20))) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

CommandResult SystemCommands::run(const std::vector<std::string>& command) {
  const ScratchFile out = scratch_file(), err = scratch_file();
  const pid_t child = spawn(command, out.get(), err.get());
  if (child < 0) return {127, false, "", command.front() + ": no such program"};
  CommandResult result;
  int status = 0;
  if (!ends_within(child, timeout_, status)) {
    result.timed_out = true;
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = text_in(out.get());
  result.err = text_in(err.get());
  return result;
}

Answer answer_of(const CommandResult& result) {
  if (result.ok()) return Answer::kDone;
  if (result.timed_out) return Answer::kUnanswered;
  if (result.status == 127) return Answer::kRefused;
  const auto says = [&](const char* words) { return result.err.find(words) != std::string::npos; };
  if (says("Invalid job id specified") || says("Job has already finished") ||
      says("Job/step already completing or completed"))
    return Answer::kGone;
  const bool refused = says("Access/permission denied") || says("Job is no longer pending execution") ||
                       says("Job is in held state") || says("Requested operation is presently disabled");
  return refused ? Answer::kRefused : Answer::kUnanswered;
}

std::string text_of(const std::vector<std::string>& command) {
  std::string out;
  for (const std::string& word : command) out += (out.empty() ? "" : " ") + printable(word);
  return out;
}

std::string failure_of(const CommandResult& result) {
  if (result.timed_out) return "no answer in time";
  std::string words = result.err;
  while (!words.empty() && words.back() == '\n') words.pop_back();
  if (const std::size_t line = words.rfind('\n'); line != words.npos) words.erase(0, line + 1);
  return words.empty() ? fmt::format("status {}", result.status) : printable(words);
}

}  // namespace coslice::drive
