#include "batsim/zmtp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace coslice::batsim {
namespace {

// ZMTP 3.0. A greeting is 64 bytes: the signature, the version, the mechanism, and zeros. A frame has flags, its size
// in one byte or eight, and a body. In ZMTP 2.0 the type of the socket follows the version, in a byte, and a frame with
// its name.
constexpr std::size_t kGreeting = 64, kUpToVersion = 11;
constexpr char kVersion2 = 1;  // as it says it
constexpr const char* kTypes[] = {"PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH"};
constexpr std::chrono::seconds kHesitates{1};  // before it greets
constexpr unsigned char kMore = 1, kLong = 2, kCommand = 4;
constexpr std::size_t kMostInOneByte = 255;

std::string greeting() {
  std::string out(kGreeting, '\0');
  out[0] = '\xff';
  out[8] = 1;
  out[9] = '\x7f';
  out[10] = 3;
  out.replace(12, 4, "NULL");
  return out;
}

std::string frame(unsigned char flags, std::string_view body) {
  std::string out;
  if (body.size() <= kMostInOneByte) {
    out += static_cast<char>(flags);
    out += static_cast<char>(body.size());
  } else {
    out += static_cast<char>(flags | kLong);
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(std::uint64_t{body.size()} >> shift & 0xff);
  }
  return out.append(body);
}

std::string ready(std::string_view type) {
  using std::string_view_literals::operator""sv;
  std::string body("\5READY\x0bSocket-Type\0\0\0\3"sv);
  body.append(type);
  if (type == "REQ") body.append("\x08Identity\0\0\0\0"sv);
  return frame(kCommand, body);
}

/// The value of the property in the body of a command READY; "" if it is not there, nothing if the body is none.
std::optional<std::string_view> property(std::string_view body, std::string_view name) {
  body.remove_prefix(std::min<std::size_t>(6, body.size()));
  while (!body.empty()) {
    const auto length = static_cast<unsigned char>(body[0]);
    if (body.size() < 5u + length) return std::nullopt;
    const std::string_view key = body.substr(1, length);
    std::size_t size = 0;
    for (std::size_t i = 0; i != 4; ++i) size = size << 8 | static_cast<unsigned char>(body[1 + length + i]);
    body.remove_prefix(5u + length);
    if (size > body.size()) return std::nullopt;
    if (key == name) return body.substr(0, size);
    body.remove_prefix(size);
  }
  return "";
}

bool is_command(std::string_view body, std::string_view name) {
  return body.size() > name.size() && static_cast<unsigned char>(body[0]) == name.size() &&
         body.substr(1, name.size()) == name;
}

constexpr std::string_view kTcp = "tcp://", kIpc = "ipc://";

[[noreturn]] void no_endpoint(const std::string& endpoint) {
  throw InputError({"", 0, fmt::format("\"{}\" is not an endpoint", printable(endpoint)),
                    "tcp://ADDRESS:PORT with an address in numbers or \"localhost\", or ipc://PATH"});
}

[[noreturn]] void speaks_otherwise() { throw PeerFailed("does not speak ZeroMQ's protocol (ZMTP 2 or 3)"); }

}  // namespace

bool is_endpoint(std::string_view text) { return text.starts_with(kTcp) || text.starts_with(kIpc); }

Endpoint::Endpoint(const std::string& endpoint) : text(endpoint) {
  if (endpoint.starts_with(kIpc)) {
    path = endpoint.substr(kIpc.size());
    if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) no_endpoint(endpoint);
    return;
  }
  const std::size_t colon = endpoint.rfind(':');
  if (!endpoint.starts_with(kTcp) || colon < kTcp.size()) no_endpoint(endpoint);
  address = endpoint.substr(kTcp.size(), colon - kTcp.size());
  any = address == "*";
  if (address == "localhost" || any) address = "127.0.0.1";
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  const auto number = parse_number<std::uint16_t>(std::string_view(endpoint).substr(colon + 1));
  in6_addr parsed{};
  const bool numbers =
      inet_pton(AF_INET, address.c_str(), &parsed) == 1 || inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
  if (!number || *number == 0 || !numbers) no_endpoint(endpoint);
  port = *number;
}

socklen_t Endpoint::fill(sockaddr_storage& out, bool to_listen) const {
  out = {};
  if (!path.empty()) {
    auto& unix_address = reinterpret_cast<sockaddr_un&>(out);
    unix_address.sun_family = AF_UNIX;
    std::memcpy(unix_address.sun_path, path.c_str(), path.size() + 1);
    return sizeof(sockaddr_un);
  }
  if (auto& v4 = reinterpret_cast<sockaddr_in&>(out); inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    if (any && to_listen) v4.sin_addr.s_addr = INADDR_ANY;
    return sizeof(sockaddr_in);
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(out);
  inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  return sizeof(sockaddr_in6);
}

ZmtpConnection::ZmtpConnection(int file) : file_(file) {
  const int one = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);  // of a Unix socket nothing
}

ZmtpConnection::~ZmtpConnection() { close(file_); }

/// What follows the version depends on that of the peer: so it is to greet first, as libzmq does. To one that waits for
/// all of ours, we speak ZMTP 3.
void ZmtpConnection::shake_hands(std::string_view type, const std::vector<std::string_view>& peers, Until until,
                                 const WhileWaiting& waiting) {
  const std::string ours = greeting();
  send(ours.substr(0, kUpToVersion), until, waiting);
  const bool hesitates = !says_something(std::min(until, Clock::now() + kHesitates), waiting);
  if (hesitates) send(ours.substr(kUpToVersion), until, waiting);
  const std::string theirs = receive(kUpToVersion, until, waiting);
  if (theirs[0] != '\xff' || theirs[9] != '\x7f') speaks_otherwise();
  if (theirs[10] == kVersion2 && !hesitates) return check_type(introduce_in_2(type, until, waiting), peers);
  if (theirs[10] < 3) speaks_otherwise();
  if (!hesitates) send(ours.substr(kUpToVersion), until, waiting);
  if (!receive(kGreeting - kUpToVersion, until, waiting).substr(1).starts_with(std::string_view("NULL\0", 5)))
    throw PeerFailed("wants ZeroMQ's encryption or a password, which is not supported");
  send(ready(type), until, waiting);
  const Frame answer = receive_frame(until, waiting);
  if (!answer.command || !is_command(answer.body, "READY")) speaks_otherwise();
  const auto its = property(answer.body, "Socket-Type");
  if (!its) speaks_otherwise();
  if (!its->empty()) check_type(*its, peers);
}

void ZmtpConnection::check_type(std::string_view its, const std::vector<std::string_view>& peers) {
  if (std::ranges::find(peers, its) == peers.end())
    throw PeerFailed(fmt::format("has a ZeroMQ socket of type {}, and not {}", printable(its), peers.front()));
}

/// Returns the type of the peer's socket.
std::string_view ZmtpConnection::introduce_in_2(std::string_view type, Until until, const WhileWaiting& waiting) {
  const auto number = std::ranges::find(kTypes, type) - std::begin(kTypes);
  send(std::string(1, static_cast<char>(number)) + frame(0, ""), until, waiting);
  const auto its = static_cast<unsigned char>(receive(1, until, waiting)[0]);
  receive_frame(until, waiting);
  return its < std::size(kTypes) ? kTypes[its] : "unknown";
}

void ZmtpConnection::say(const Envelope& envelope, std::string_view body, Until until, const WhileWaiting& waiting) {
  std::string all;
  for (const std::string& part : envelope) all += frame(kMore, part);
  send(all + frame(kMore, "") + frame(0, body), until, waiting);
}

std::string ZmtpConnection::hear(Envelope& envelope, Until until, const WhileWaiting& waiting) {
  constexpr std::size_t kMostParts = 16;
  envelope.clear();
  bool begun = false;  // an empty frame parts the envelope from what is said
  std::string said;
  for (;;) {
    Frame next = receive_frame(until, waiting);
    if (next.command) {
      if (is_command(next.body, "PING") && next.body.size() >= 7)
        send(frame(kCommand, "\4PONG" + next.body.substr(7)), until, waiting);
      continue;
    }
    if (begun) {
      if (said.size() + next.body.size() > kLongest) throw PeerFailed("sends a message of more than 64 MiB");
      said += next.body;
      if (!next.more) return said;
      continue;
    }
    begun = next.body.empty() && next.more;
    if (begun) continue;
    if (!next.more || envelope.size() == kMostParts) speaks_otherwise();
    envelope.push_back(std::move(next.body));
  }
}

ZmtpConnection::Frame ZmtpConnection::receive_frame(Until until, const WhileWaiting& waiting) {
  const auto flags = static_cast<unsigned char>(receive(1, until, waiting)[0]);
  if ((flags & ~(kMore | kLong | kCommand)) != 0) speaks_otherwise();
  std::uint64_t size = 0;
  for (const char c : receive((flags & kLong) != 0 ? 8 : 1, until, waiting))
    size = size << 8 | static_cast<unsigned char>(c);
  if (size > kLongest) throw PeerFailed("sends a message of more than 64 MiB");
  return {(flags & kMore) != 0, (flags & kCommand) != 0, receive(static_cast<std::size_t>(size), until, waiting)};
}

void ZmtpConnection::wait_for(short what, Until until, const WhileWaiting& waiting) const {
  for (;;) {
    pollfd file{file_, what, 0};
    if (poll(&file, 1, 50) == 1) return;
    waiting();
    if (Clock::now() >= until) throw PeerFailed("does not answer in time");
  }
}

bool ZmtpConnection::says_something(Until until, const WhileWaiting& waiting) const {
  while (Clock::now() < until) {
    pollfd file{file_, POLLIN, 0};
    if (poll(&file, 1, 50) == 1) return true;
    waiting();
  }
  return false;
}

void ZmtpConnection::send(std::string_view bytes, Until until, const WhileWaiting& waiting) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) wait_for(POLLOUT, until, waiting);
    else throw PeerFailed("closed the connection");
  }
}

std::string ZmtpConnection::receive(std::size_t count, Until until, const WhileWaiting& waiting) {
  char block[65536];
  while (received_.size() < count) {
    const ssize_t got = recv(file_, block, sizeof block, 0);
    if (got > 0) received_.append(block, static_cast<std::size_t>(got));
    else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) wait_for(POLLIN, until, waiting);
    else throw PeerFailed("closed the connection");
    if (got > 0 && Clock::now() >= until) throw PeerFailed("does not answer in time");
  }
  std::string taken = received_.substr(0, count);
  received_.erase(0, count);
  return taken;
}

}  // namespace coslice::batsim
