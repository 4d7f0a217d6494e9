// The texts of Batsim's protocol, version 4, of both sides: read, checked as far as a text alone can be, and written.
// What a decision does is in outside_scheduler.cpp, what a policy is told in policy_server.cpp.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "batsim/events.h"
#include "core/time.h"

namespace coslice::batsim {

/// A message says what it may not say. The text is what is wrong, "node 3 has job w0!5; expected ...".
class BadMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An event of a message that has come.
template <class Says>
struct Heard {
  Says what;
  std::size_t number = 0;  ///< in the message, from 1
  std::string name;        ///< "EXECUTE_JOB of job w0!7"
  Time at{};               ///< its timestamp
};

template <class Says>
struct HeardMessage {
  Time now{};          ///< of the message: of an answer, when the scheduler is ready again
  double seconds = 0;  ///< the same, as it stands there: others have instants between our nanoseconds
  std::vector<Heard<Says>> events;
};

/// Reads a message, which is to say nothing of before `now`. Throws BadMessage; the text names the event.
template <class Says>
HeardMessage<Says> read_message(std::string_view text, Time now);
extern template HeardMessage<SchedulerSays> read_message(std::string_view, Time);
extern template HeardMessage<BatsimSays> read_message(std::string_view, Time);

/// Reads numbers of nodes below `count`, "0-3 5". Throws BadMessage.
NodeRanges read_nodes(std::string_view text, std::int32_t count);

/// Returns the instant in seconds, as messages have it; instant_of() reads the same instant from that.
double seconds_of(Time t);
/// Returns the instant that a message calls `x`, not before `now`: it may be a little less than that, rounded.
/// `what` says it in messages, "'now',". Throws BadMessage.
Time instant_of(double x, Time now, const char* what);

/// Events to be said.
template <class Says>
class Message {
 public:
  void add(Time at, Says what) { events_.push_back({at, std::move(what)}); }
  bool empty() const { return events_.empty(); }
  /// Returns the last event; null if there is none.
  Says* last() { return events_.empty() ? nullptr : &events_.back().what; }
  Time last_at() const { return events_.back().at; }
  /// Returns the text, sent at `now`, and begins a new message.
  std::string take(Time now) { return take(now, seconds_of(now)); }
  /// The same to one for whom `now` is `seconds`.
  std::string take(Time now, double seconds);

 private:
  struct Event {
    Time at;
    Says what;
  };
  std::vector<Event> events_;
};
extern template std::string Message<SchedulerSays>::take(Time, double);
extern template std::string Message<BatsimSays>::take(Time, double);

/// Adds the node to the last event if that is such a notification of the same instant, else one of its own: several
/// nodes fail at once.
void add_node(Message<BatsimSays>& message, Time at, const char* notify_type, NodeId node);

}  // namespace coslice::batsim
