// A ZeroMQ socket of type REQ: it asks a socket of type REP, and waits for the answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "batsim/zmtp.h"

namespace coslice::batsim {

class RequestSocket {
 public:
  /// Throws InputError as Endpoint does.
  explicit RequestSocket(const std::string& endpoint) : endpoint_(endpoint) {}

  /// Returns whether something accepts connections at the endpoint now.
  bool someone_listens() const;
  /// Connects, again and again until the other side listens, and shakes hands. Throws PeerFailed.
  void connect(Until until, const WhileWaiting& waiting);
  /// Sends a request and returns the answer. Throws PeerFailed; then the socket is of no more use.
  std::string ask(std::string_view request, Until until, const WhileWaiting& waiting);

 private:
  int connected_file() const;

  Endpoint endpoint_;
  std::optional<ZmtpConnection> peer_;
};

}  // namespace coslice::batsim
