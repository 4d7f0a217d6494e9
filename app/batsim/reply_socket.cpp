#include "batsim/reply_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace coslice::batsim {
namespace {

constexpr std::chrono::seconds kGreets{10};  // who connects does so in that time
constexpr std::chrono::seconds kTakes{60};   // and takes an answer

}  // namespace

ReplySocket::ReplySocket(const std::string& endpoint) : endpoint_(endpoint) {
  sockaddr_storage address{};
  const socklen_t size = endpoint_.fill(address, true);
  listens_ = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int one = 1;
  if (endpoint_.path.empty()) setsockopt(listens_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (listens_ >= 0 && bind(listens_, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
      listen(listens_, 8) == 0)
    return;
  const int problem = errno;
  if (listens_ >= 0) close(listens_);
  throw InputError({"", 0, fmt::format("cannot listen at {}: {}", printable(endpoint), std::strerror(problem)),
                    "an endpoint that is free"});
}

ReplySocket::~ReplySocket() {
  close(listens_);
  if (!endpoint_.path.empty()) unlink(endpoint_.path.c_str());
}

void ReplySocket::await_peer(const WhileWaiting& waiting) {
  for (;;) {
    pollfd file{listens_, POLLIN, 0};
    if (poll(&file, 1, 50) != 1) {
      waiting();
      continue;
    }
    const int connected = accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connected < 0) continue;
    peer_ = std::make_unique<ZmtpConnection>(connected);
    return peer_->shake_hands("REP", {"REQ", "DEALER"}, Clock::now() + kGreets, waiting);
  }
}

std::string ReplySocket::hear(const WhileWaiting& waiting) {
  for (;;) {
    try {
      if (!peer_) await_peer(waiting);
      std::string question = peer_->hear(envelope_, Until::max(), waiting);
      has_asked_ = true;
      return question;
    } catch (const PeerFailed&) {
      if (has_asked_) throw;
      peer_.reset();
      waiting();
    }
  }
}

void ReplySocket::answer(std::string_view text, const WhileWaiting& waiting) {
  peer_->say(envelope_, text, Clock::now() + kTakes, waiting);
}

}  // namespace coslice::batsim
