// The seam to Slurm: all that `coslice drive` asks and orders goes through it, so that a test can stand in for Slurm.
#pragma once

#include <string>
#include <vector>

#include "core/time.h"

namespace coslice::drive {

struct CommandResult {
  int status = 0;          ///< exit status, 128 + the signal that ended it, or 127 if there is no such program
  bool timed_out = false;  ///< it was killed, because it took too long
  std::string out, err;

  bool ok() const { return status == 0 && !timed_out; }
};

/// The result of an order. `kUnanswered`: it may have taken effect, or may yet.
enum class Answer { kDone, kRefused, kGone, kUnanswered };

/// Returns what a command's result means: kRefused and kGone only where Slurm's own words say so; kGone: the job has
/// ended, or there is none.
Answer answer_of(const CommandResult& result);

class SlurmCommands {
 public:
  virtual ~SlurmCommands() = default;
  /// Runs a program of the PATH with these arguments. No shell sees them.
  virtual CommandResult run(const std::vector<std::string>& command) = 0;
};

/// The commands that are installed. Their times are UTC, whatever the site's clocks show; what the environment says of
/// formats and selections (SQUEUE_*, SCONTROL_*) does not reach them.
class SystemCommands : public SlurmCommands {
 public:
  /// Runs commands, and kills one that takes longer than `timeout`.
  explicit SystemCommands(Duration timeout) : timeout_(timeout) {}
  CommandResult run(const std::vector<std::string>& command) override;

 private:
  Duration timeout_;
};

/// Returns the command as a line: "scontrol hold 17".
std::string text_of(const std::vector<std::string>& command);
/// Returns what went wrong, on one line: the last line of the command's own words, else its status.
std::string failure_of(const CommandResult& result);

}  // namespace coslice::drive
