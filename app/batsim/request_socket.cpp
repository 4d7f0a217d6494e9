#include "batsim/request_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fmt/format.h>

namespace coslice::batsim {

/// -1: nobody listens, and errno says why. A connection on this machine is made or refused at once; one to another is
/// given a second.
int RequestSocket::connected_file() const {
  sockaddr_storage address{};
  const socklen_t size = endpoint_.fill(address, false);
  const int file = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  int problem = ::connect(file, reinterpret_cast<const sockaddr*>(&address), size) == 0 ? 0 : errno;
  if (problem == EINPROGRESS) {
    pollfd waits{file, POLLOUT, 0};
    socklen_t length = sizeof problem;
    if (poll(&waits, 1, 1000) != 1 || getsockopt(file, SOL_SOCKET, SO_ERROR, &problem, &length) != 0)
      problem = ETIMEDOUT;
  }
  if (problem == 0) return file;
  close(file);
  errno = problem;
  return -1;
}

bool RequestSocket::someone_listens() const {
  const int file = connected_file();
  if (file >= 0) close(file);
  return file >= 0;
}

void RequestSocket::connect(Until until, const WhileWaiting& waiting) {
  using std::chrono::milliseconds;
  for (auto pause = milliseconds(2);; pause = std::min(2 * pause, milliseconds(50))) {
    if (const int file = connected_file(); file >= 0)
      return peer_.emplace(file).shake_hands("REQ", {"REP", "ROUTER"}, until, waiting);
    const int problem = errno;
    waiting();
    if (Clock::now() >= until)
      throw PeerFailed(fmt::format("does not listen at {}: {}", endpoint_.text, std::strerror(problem)));
    std::this_thread::sleep_for(pause);
  }
}

std::string RequestSocket::ask(std::string_view request, Until until, const WhileWaiting& waiting) {
  peer_->say({}, request, until, waiting);
  ZmtpConnection::Envelope envelope;
  std::string answer = peer_->hear(envelope, until, waiting);
  if (!envelope.empty()) throw PeerFailed("does not speak ZeroMQ's protocol (ZMTP 2 or 3)");
  return answer;
}

}  // namespace coslice::batsim
