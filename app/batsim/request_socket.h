// A ZeroMQ socket of type REQ, as far as one conversation needs it: ZMTP 3.0 (RFC 23) with the mechanism NULL, over TCP
// or a Unix socket. The peer is a REP socket of any libzmq from 4.0 on.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace coslice::batsim {

/// The peer is not there, has gone, says nothing in time, or does not speak the protocol. The text goes on from the
/// name of the peer: "closed the connection".
class PeerFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Called while there is nothing to do but wait, at least twenty times a second. What it throws ends the wait.
using WhileWaiting = std::function<void()>;

class RequestSocket {
 public:
  using Clock = std::chrono::steady_clock;

  /// The longest answer that is read, bytes.
  static constexpr std::size_t kLongest = std::size_t{64} << 20;

  /// Takes "tcp://ADDRESS:PORT", the address in numbers, "localhost" or "*" (this machine), or "ipc://PATH". Throws
  /// InputError for any other text.
  explicit RequestSocket(const std::string& endpoint);
  ~RequestSocket();
  RequestSocket(const RequestSocket&) = delete;
  RequestSocket& operator=(const RequestSocket&) = delete;

  /// Returns whether something accepts connections at the endpoint now.
  bool someone_listens() const;
  /// Connects, again and again until somebody listens, and shakes hands. Throws PeerFailed.
  void connect(Clock::time_point until, const WhileWaiting& waiting);
  /// Sends a request and returns the answer. Throws PeerFailed; then the socket is of no more use.
  std::string ask(std::string_view request, Clock::time_point until, const WhileWaiting& waiting);

 private:
  struct Frame {
    bool more = false, command = false;
    std::string body;
  };
  int connected_file() const;
  void shake_hands(Clock::time_point until, const WhileWaiting& waiting);
  void send(std::string_view bytes, Clock::time_point until, const WhileWaiting& waiting);
  std::string receive(std::size_t count, Clock::time_point until, const WhileWaiting& waiting);
  Frame receive_frame(Clock::time_point until, const WhileWaiting& waiting);
  void wait_for(short what, Clock::time_point until, const WhileWaiting& waiting) const;

  std::string endpoint_;
  std::string path_;     ///< of a Unix socket; "": TCP
  std::string address_;  ///< in numbers
  std::uint16_t port_ = 0;
  int file_ = -1;
  std::string received_;  ///< and not taken yet
};

}  // namespace coslice::batsim
