// The texts of Batsim's protocol, version 4: what a scheduler is told, and what it answers. Texts alone: what a
// decision does is in outside_scheduler.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "machine/node_set.h"

namespace coslice::batsim {

/// A scheduler's answer says what it may not say. The text is what is wrong, "node 3 has job w0!5; expected ...".
class BadAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a scheduler decides or asks: an event of its answer.
struct Decision {
  enum class What { kExecute, kReject, kKill, kCallMeLater, kSetState, kQueryEnergy, kNotify, kSetMetadata, kRegister };
  What what = What::kNotify;
  std::size_t number = 0;           ///< of the event in the answer, from 1
  std::string name;                 ///< "EXECUTE_JOB of job w0!7"
  Time at{};                        ///< when it takes effect, at least the instant of the message
  std::vector<std::string> jobs{};  ///< all of them; of most decisions one
  NodeRanges nodes{};               ///< kExecute, kSetState
  std::string state{};              ///< kSetState
  Time call{};                      ///< kCallMeLater
};

struct Answer {
  Time now{};  ///< when the scheduler is ready again
  std::vector<Decision> decisions;
};

/// Reads the answer to a message that was sent at `now`. Throws BadAnswer; the text names the event.
Answer read_answer(std::string_view text, Time now);

/// Reads numbers of nodes below `count`, "0-3 5". Throws BadAnswer.
NodeRanges read_nodes(std::string_view text, std::int32_t count);

/// Returns the instant in seconds, as messages have it; read_answer() reads the same instant from that.
double seconds_of(Time t);

/// What happened, as a scheduler is told it.
class Message {
 public:
  Message();
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  /// Adds an event; `data` is taken.
  void add(Time at, const char* type, nlohmann::json data);
  /// Adds nodes to the last event if that is of this type and instant, else one of its own: several nodes fail at once.
  void add_nodes(Time at, const char* notify_type, NodeId node);
  bool empty() const { return events_.empty(); }
  /// Returns the text, sent at `now`, and begins a new message.
  std::string take(Time now);

 private:
  struct Event;
  std::vector<Event> events_;
};

}  // namespace coslice::batsim
