// The conversation with a scheduler of one run: from its start to its end, a message and its answer at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "batsim/messages.h"
#include "batsim/outside_scheduler.h"
#include "batsim/request_socket.h"
#include "batsim/scheduler_process.h"

namespace coslice::batsim {

class Conversation {
 public:
  /// Starts the scheduler, or finds the one that waits. `options` outlive it. Throws InputError.
  explicit Conversation(const SchedulerOptions& options);
  ~Conversation() = default;
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// Sends what has happened and returns the answer. Throws InputError, which names the instant and the event.
  HeardMessage<SchedulerSays> ask(Message<BatsimSays>& message, Time now);
  /// Tells the scheduler that the simulation is over, and waits until its program has ended.
  void end(Time now);
  /// Throws InputError: the scheduler did at `now` what it may not do.
  [[noreturn]] void refuse(Time now, const std::string& problem) const;

 private:
  void wait_without_end();
  [[noreturn]] void has_failed(const std::string& how, const std::string& when);
  Until deadline() const;

  /// A folder for a socket, which goes with it.
  struct Folder {
    std::string path;  ///< "": none
    ~Folder();
  };

  const SchedulerOptions& options_;
  Folder folder_;
  std::optional<SchedulerProcess> process_;
  std::optional<RequestSocket> socket_;
};

}  // namespace coslice::batsim
