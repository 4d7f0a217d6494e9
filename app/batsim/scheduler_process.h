// A scheduler that is a program of its own: started, listened to, and gone in the end with all that it has started.
#pragma once

#include <sys/types.h>

#include <string>

namespace coslice::batsim {

class SchedulerProcess {
 public:
  /// Starts the command by /bin/sh, in a process group of its own, which goes with us however we end. Throws
  /// SimulationError where no process can be made.
  explicit SchedulerProcess(const std::string& command);
  /// Kills what is left of the group.
  ~SchedulerProcess();
  SchedulerProcess(const SchedulerProcess&) = delete;
  SchedulerProcess& operator=(const SchedulerProcess&) = delete;

  /// Reads what it has written; of that the end is kept.
  void listen();
  /// Returns the last lines that it has written; "" if there are none.
  std::string last_words();
  /// Returns whether it has ended; then ending() says how.
  bool has_ended();
  /// Waits, at most for so long, until it has ended. Returns whether it has.
  bool ends_within(double seconds);
  /// Returns how it has ended: "ended with status 3", "was killed by signal 9". Precondition: has_ended().
  std::string ending() const;
  /// Returns whether it has ended with status 0.
  bool ended_well() const { return ended_ && exited_ && status_ == 0; }

 private:
  pid_t child_ = -1, guard_ = -1;
  int output_ = -1;
  int alive_ = -1;  ///< a pipe that is open for as long as we are
  bool ended_ = false, exited_ = false;
  int status_ = 0;  ///< or the signal that killed it
  std::string words_;
};

}  // namespace coslice::batsim
