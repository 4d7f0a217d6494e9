#include "cli/frame/child.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "core/error.h"

extern char** environ;

namespace coslice::cli {
namespace {

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

}  // namespace

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

}  // namespace coslice::cli
