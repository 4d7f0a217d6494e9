#include "batsim/conversation.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace coslice::batsim {
namespace {

constexpr const char* kPlace = "{endpoint}";             // in a command
constexpr const char* kUsual = "tcp://localhost:28000";  // where Batsim looks for its schedulers
constexpr double kLeave = 5;                             // s, for a scheduler that has been told to end
constexpr double kDie = 0.5;                             // s, for one that has closed the connection

std::string new_folder() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  std::string name = ((error ? "/tmp" : base) / "coslice-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw SimulationError(fmt::format("no folder for the scheduler's socket can be made: {}", std::strerror(errno)));
  return name;
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

}  // namespace

Conversation::Conversation(const SchedulerOptions& options) : options_(options) {
  if (options.is_endpoint()) {
    socket_.emplace(options.given);
  } else if (options.given.find(kPlace) != options.given.npos) {
    folder_.path = new_folder();
    const std::string own = "ipc://" + folder_.path + "/socket";
    socket_.emplace(own);
    process_.emplace(replaced(options.given, kPlace, own));
  } else {
    socket_.emplace(kUsual);
    if (socket_->someone_listens())
      throw InputError({"--scheduler", 0, fmt::format("something listens at {} already", kUsual),
                        fmt::format("a command with {} where the scheduler takes its endpoint, as in "
                                    "\"batsched -v easy_bf -s {}\"",
                                    kPlace, kPlace)});
    process_.emplace(options.given);
  }
  try {
    socket_->connect(deadline(), [this] { wait_without_end(); });
  } catch (const PeerFailed& e) {
    has_failed(e.what(), "");
  }
}

Conversation::Folder::~Folder() {
  std::error_code ignored;
  if (!path.empty()) std::filesystem::remove_all(path, ignored);
}

Until Conversation::deadline() const {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.timeout));
}

void Conversation::wait_without_end() {
  if (options_.check) options_.check();
  if (process_ && process_->has_ended()) throw PeerFailed("has gone");
}

/// A program that has ended says more than a closed connection; its last lines often say why.
void Conversation::has_failed(const std::string& how, const std::string& when) {
  Diagnostic d;
  d.file = "--scheduler " + printable(options_.given);
  const bool ended = process_ && process_->ends_within(kDie);
  d.problem = fmt::format("the scheduler {}{}", ended ? process_->ending() : how, when);
  if (how == "does not answer in time" && !ended)
    d.suggestion = fmt::format("--scheduler-timeout gives it more than {} s", options_.timeout);
  if (process_) d.detail = process_->last_words();
  throw InputError(std::move(d));
}

void Conversation::refuse(Time now, const std::string& problem) const {
  throw InputError(
      {"--scheduler " + printable(options_.given), 0,
       fmt::format("the scheduler's answer at {} s: {}", format_seconds(now.time_since_epoch()), problem)});
}

HeardMessage<SchedulerSays> Conversation::ask(Message<BatsimSays>& message, Time now) {
  std::string text;
  try {
    text = socket_->ask(message.take(now), deadline(), [this] { wait_without_end(); });
    return read_message<SchedulerSays>(text, now);
  } catch (const PeerFailed& e) {
    has_failed(e.what(), fmt::format(", at {} s", format_seconds(now.time_since_epoch())));
  } catch (const BadMessage& e) {
    refuse(now, e.what());
  }
}

/// What it answers to that means nothing any more; some do not answer at all.
void Conversation::end(Time now) {
  Message<BatsimSays> last;
  last.add(now, SimulationEnds{});
  try {
    const auto until = Clock::now() + std::chrono::seconds(static_cast<int>(kLeave));
    static_cast<void>(socket_->ask(last.take(now), until, [this] { wait_without_end(); }));
  } catch (const PeerFailed&) {  // it has done all that it was to do
  }
  socket_.reset();
  if (process_) process_->ends_within(kLeave);
}

}  // namespace coslice::batsim
