#include "batsim/scheduler_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace coslice::batsim {
namespace {

constexpr std::size_t kKept = 4096;  // bytes of its output
constexpr std::size_t kLines = 5;    // of these that an error shows
constexpr int kNoShell = 127;

/// In the child, where nothing may be called but what a signal handler may call.
[[noreturn]] void become(const char* command, pid_t parent, int null, int output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNoShell);  // it has died meanwhile
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (int file = 3; file != 1024; ++file) close(file);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction as_usual {};
    as_usual.sa_handler = SIG_DFL;
    sigaction(signal, &as_usual, nullptr);
  }
  execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  _exit(kNoShell);
}

/// In another child: when we have gone, or closed the pipe, whoever is left of the group is killed. The shell may have
/// started others, which nobody else knows.
[[noreturn]] void guard(pid_t group, int pipe) {
  setpgid(0, 0);  // Ctrl-C is not for it
  for (int file = 0; file != 1024; ++file)
    if (file != pipe) close(file);
  char byte = 0;
  while (read(pipe, &byte, 1) < 0 && errno == EINTR) {}
  kill(-group, SIGKILL);
  _exit(0);
}

void wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
}

}  // namespace

SchedulerProcess::SchedulerProcess(const std::string& command) {
  int ends[2] = {-1, -1};
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = getpid();
  if (null >= 0 && pipe2(ends, O_CLOEXEC) == 0) child_ = fork();
  if (child_ == 0) become(command.c_str(), parent, null, ends[1]);
  const int problem = errno;
  if (null >= 0) close(null);
  if (ends[1] >= 0) close(ends[1]);
  output_ = ends[0];
  if (child_ < 0) {
    if (output_ >= 0) close(output_);
    throw SimulationError(fmt::format("the scheduler cannot be started: {}", std::strerror(problem)));
  }
  setpgid(child_, child_);  // whoever is first
  if (pipe2(ends, O_CLOEXEC) == 0) {
    guard_ = fork();
    if (guard_ == 0) guard(child_, ends[0]);
    close(ends[0]);
    alive_ = ends[1];
  }
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

SchedulerProcess::~SchedulerProcess() {
  kill(-child_, SIGKILL);
  if (alive_ >= 0) close(alive_);
  if (guard_ > 0) wait_for(guard_);
  wait_for(child_);
  close(output_);
}

void SchedulerProcess::listen() {
  char block[4096];
  // One that writes without end is not read without end.
  for (int reads = 0; reads != 256; ++reads) {
    const ssize_t got = read(output_, block, sizeof block);
    if (got <= 0) return;
    words_.append(block, static_cast<std::size_t>(got));
    if (words_.size() > kKept) words_.erase(0, words_.size() - kKept);
  }
}

std::string SchedulerProcess::last_words() {
  listen();
  std::string_view text = words_;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t from = text.size();
  for (std::size_t line = 0; line != kLines && from != text.npos; ++line)
    from = from == 0 ? text.npos : text.rfind('\n', from - 1);
  return printable(from == text.npos ? text : text.substr(from + 1));
}

bool SchedulerProcess::has_ended() {
  listen();
  if (ended_) return true;
  siginfo_t info{};
  // It stays a zombie, so that its number, which is that of the group, is nobody else's.
  if (waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return false;
  exited_ = info.si_code == CLD_EXITED;
  status_ = info.si_status;
  return ended_ = true;
}

bool SchedulerProcess::ends_within(double seconds) {
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (!has_ended()) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string SchedulerProcess::ending() const {
  if (!exited_) return fmt::format("was killed by signal {}", status_);
  if (status_ == kNoShell) return "cannot be started (status 127)";
  return fmt::format("ended with status {}", status_);
}

}  // namespace coslice::batsim
