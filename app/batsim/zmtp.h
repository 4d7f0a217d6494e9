// ZeroMQ's protocol on the wire, as far as a conversation of questions and answers needs it: ZMTP 3.0 (RFC 23) with the
// mechanism NULL, over TCP or a Unix socket, or ZMTP 2.0 if the peer speaks no other. It is any libzmq from 3.2 on.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coslice::batsim {

/// The peer is not there, has gone, says nothing in time, or does not speak the protocol. The text goes on from the
/// name of the peer: "closed the connection".
class PeerFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Called while there is nothing to do but wait, at least twenty times a second. What it throws ends the wait.
using WhileWaiting = std::function<void()>;

using Clock = std::chrono::steady_clock;
using Until = Clock::time_point;

/// Returns whether the text begins as one.
bool is_endpoint(std::string_view text);

/// Where a socket is.
struct Endpoint {
  /// Takes "tcp://ADDRESS:PORT", the address in numbers, "localhost" or "*", or "ipc://PATH". Throws InputError for any
  /// other text.
  explicit Endpoint(const std::string& endpoint);
  /// Fills in the address and returns its size; "*" is all addresses where one is to listen, else this machine.
  socklen_t fill(sockaddr_storage& out, bool to_listen) const;

  std::string text;
  std::string path;     ///< of a Unix socket; "": TCP
  std::string address;  ///< in numbers
  bool any = false;     ///< "*"
  std::uint16_t port = 0;
};

/// A connection with a peer.
class ZmtpConnection {
 public:
  /// The longest message that is read, bytes.
  static constexpr std::size_t kLongest = std::size_t{64} << 20;
  /// What stands in front of a message, which goes back in front of its answer.
  using Envelope = std::vector<std::string>;

  /// `file` is a connected socket that does not block, which the object closes.
  explicit ZmtpConnection(int file);
  ~ZmtpConnection();
  ZmtpConnection(const ZmtpConnection&) = delete;
  ZmtpConnection& operator=(const ZmtpConnection&) = delete;

  // All of these throw PeerFailed; then the connection is of no more use.

  /// Greets the peer as a socket of type `type`; its own is to be one of `peers`.
  void shake_hands(std::string_view type, const std::vector<std::string_view>& peers, Until until,
                   const WhileWaiting& waiting);
  void say(const Envelope& envelope, std::string_view body, Until until, const WhileWaiting& waiting);
  std::string hear(Envelope& envelope, Until until, const WhileWaiting& waiting);

 private:
  struct Frame {
    bool more = false, command = false;
    std::string body;
  };
  void send(std::string_view bytes, Until until, const WhileWaiting& waiting);
  std::string receive(std::size_t count, Until until, const WhileWaiting& waiting);
  Frame receive_frame(Until until, const WhileWaiting& waiting);
  static void check_type(std::string_view its, const std::vector<std::string_view>& peers);
  std::string_view introduce_in_2(std::string_view type, Until until, const WhileWaiting& waiting);
  void wait_for(short what, Until until, const WhileWaiting& waiting) const;
  bool says_something(Until until, const WhileWaiting& waiting) const;

  int file_;
  std::string received_;  ///< and not taken yet
};

}  // namespace coslice::batsim
