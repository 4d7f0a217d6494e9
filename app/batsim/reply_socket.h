// A ZeroMQ socket of type REP: it waits for questions of a socket of type REQ, and answers them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "batsim/zmtp.h"

namespace coslice::batsim {

class ReplySocket {
 public:
  /// Listens. Throws InputError as Endpoint does, and where the endpoint is in use or may not be used.
  explicit ReplySocket(const std::string& endpoint);
  ~ReplySocket();
  ReplySocket(const ReplySocket&) = delete;
  ReplySocket& operator=(const ReplySocket&) = delete;

  /// Returns the next question, however long it takes. Who connects and goes without one is forgotten; throws
  /// PeerFailed where one does that has asked before.
  std::string hear(const WhileWaiting& waiting);
  /// Answers it. Throws PeerFailed.
  void answer(std::string_view text, const WhileWaiting& waiting);

 private:
  void await_peer(const WhileWaiting& waiting);

  Endpoint endpoint_;
  int listens_ = -1;
  std::unique_ptr<ZmtpConnection> peer_;
  bool has_asked_ = false;
  ZmtpConnection::Envelope envelope_;  ///< of the last question
};

}  // namespace coslice::batsim
