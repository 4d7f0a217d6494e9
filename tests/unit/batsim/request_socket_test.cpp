// ZeroMQ's protocol on the wire, played by a thread: as libzmq speaks it, and as nobody should.
#include "catch.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <thread>

#include "batsim/request_socket.h"
#include "core/error.h"
#include "scratch_folder.h"

namespace request_socket_test {

using namespace coslice;
using namespace coslice::batsim;
using namespace std::string_literals;

namespace {

const std::string kGreeting = "\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL"s + std::string(48, '\0');
const std::string kReady = "\4\x19\5READY\x0bSocket-Type\0\0\0\3REP"s;

/// A socket that somebody else has, for as long as the thread speaks.
class Peer {
 public:
  explicit Peer(std::function<void(int file)> speak) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (folder / "s").c_str());
    listens_ = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(bind(listens_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(listens_, 1) == 0);
    thread_ = std::thread([this, speak] {
      const int file = accept(listens_, nullptr, nullptr);
      if (file < 0) return;
      speak(file);
      close(file);
    });
  }
  ~Peer() {
    shutdown(listens_, SHUT_RDWR);
    thread_.join();
    close(listens_);
  }
  std::string endpoint() const { return "ipc://" + (folder / "s"); }

  ScratchFolder folder;

 private:
  int listens_ = -1;
  std::thread thread_;
};

void say(int file, const std::string& text) {
  static_cast<void>(!::send(file, text.data(), text.size(), MSG_NOSIGNAL));
}

std::string hear(int file, std::size_t count) {
  std::string out(count, '\0');
  for (std::size_t got = 0; got < count;) {
    const ssize_t n = recv(file, out.data() + got, count - got, 0);
    if (n <= 0) return out.substr(0, got);
    got += static_cast<std::size_t>(n);
  }
  return out;
}

auto soon(int milliseconds = 2000) { return Clock::now() + std::chrono::milliseconds(milliseconds); }

/// What comes of a conversation of one question.
std::string asked(const std::function<void(int file)>& speak, int milliseconds = 2000) {
  const Peer peer(speak);
  RequestSocket socket(peer.endpoint());
  try {
    socket.connect(soon(milliseconds), [] {});
    return socket.ask("who?", soon(milliseconds), [] {});
  } catch (const PeerFailed& e) {
    return std::string("failed: ") + e.what();
  }
}

/// The peer greets as it should, and says that to the question.
auto answers(const std::string& frames) {
  return [frames](int file) {
    say(file, kGreeting + kReady);
    hear(file, 64 + 40 + 2 + 6);
    say(file, frames);
    hear(file, 1);
  };
}

}  // namespace

TEST_CASE("a question and its answer are frames behind an empty one", "[batsim]") {
  CHECK(asked(answers("\1\0\0\2me"s)) == "me");
  CHECK(asked(answers("\1\0\1\2me\0\3 too"s)) == "me to");
  CHECK(asked(answers("\1\0\2\0\0\0\0\0\0\0\3abc"s)) == "abc");
  CHECK(asked(answers("\4\7\4PING\0\0\1\0\0\2me"s)) == "me");
  std::string heard;
  CHECK(asked([&](int file) {
          say(file, kGreeting + kReady);
          heard = hear(file, 64 + 40 + 2 + 6);
          say(file, "\1\0\0\1x"s);
        }) == "x");
  CHECK(heard.substr(0, 16) == "\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL"s);
  CHECK(heard.substr(64) == "\4\x26\5READY\x0bSocket-Type\0\0\0\3REQ\x08Identity\0\0\0\0"s + "\1\0\0\4who?"s);
}

TEST_CASE("a peer may speak ZMTP 2.0, say less of itself, or wait until it is greeted", "[batsim]") {
  std::string heard;
  const auto in_2 = [&](const std::string& type) {
    return asked([&](int file) {
      say(file, "\xff\0\0\0\0\0\0\0\1\x7f\1"s);
      heard = hear(file, 11);
      say(file, type + "\0\2me"s);
      heard += hear(file, 3 + 2 + 6);
      say(file, "\1\0\2\0\0\0\0\0\0\0\3abc"s);
      hear(file, 1);
    });
  };
  CHECK(in_2("\4") == "abc");
  CHECK(heard == "\xff\0\0\0\0\0\0\0\1\x7f\3\3\0\0\1\0\0\4who?"s);
  CHECK(in_2("\6") == "abc");
  CHECK(in_2("\1") == "failed: has a ZeroMQ socket of type PUB, and not REP");
  CHECK(in_2("\x50") == "failed: has a ZeroMQ socket of type unknown, and not REP");
  CHECK(asked([](int file) {
          say(file, kGreeting + "\4\6\5READY"s);
          hear(file, 64 + 40 + 2 + 6);
          say(file, "\1\0\0\2me"s);
          hear(file, 1);
        }) == "me");
  CHECK(asked(
            [](int file) {
              hear(file, 64);
              for (const char c : kGreeting + kReady) say(file, std::string(1, c));
              hear(file, 40 + 2 + 6);
              say(file, "\1\0\0\2me"s);
              hear(file, 1);
            },
            10'000) == "me");
}

TEST_CASE("a peer that speaks otherwise is told apart", "[batsim]") {
  const std::string otherwise = "failed: does not speak ZeroMQ's protocol (ZMTP 2 or 3)";
  CHECK(asked([](int file) { say(file, "HTTP/1.1 400 Bad Request\r\n\r\n" + std::string(64, ' ')); }) == otherwise);
  CHECK(asked([](int file) { say(file, "\xff\0\0\0\0\0\0\0\1\x7f\0\0NULL"s + std::string(48, '\0')); }) == otherwise);
  CHECK(asked([](int file) {
          say(file, kGreeting.substr(0, 12) + "CURVE" + kGreeting.substr(17));
          hear(file, 64);
        }) == "failed: wants ZeroMQ's encryption or a password, which is not supported");
  CHECK(asked([](int file) {
          say(file, kGreeting + "\4\x19\5READY\x0bSocket-Type\0\0\0\3PUB"s);
          hear(file, 200);
        }) == "failed: has a ZeroMQ socket of type PUB, and not REP");
  CHECK(asked([](int file) {
          say(file, kGreeting + "\4\6\5ERROR"s);
          hear(file, 200);
        }) == otherwise);
  CHECK(asked([](int file) {
          say(file, kGreeting + "\4\x1a\5READY\xff" + std::string(19, 'x'));
          hear(file, 200);
        }) == otherwise);
  CHECK(asked(answers("\0\2me"s)) == otherwise);
  CHECK(asked(answers("\xf0\2me"s)) == otherwise);
  CHECK(asked(answers("\1\0\2\xff\xff\xff\xff\xff\xff\xff\xff"s)) == "failed: sends a message of more than 64 MiB");
}

TEST_CASE("a peer that goes, or is silent, is not waited for without end", "[batsim]") {
  CHECK(asked([](int) {}) == "failed: closed the connection");
  CHECK(asked([](int file) { say(file, kGreeting.substr(0, 20)); }) == "failed: closed the connection");
  CHECK(asked(answers("\1\0\0\x10half"s), 200) == "failed: does not answer in time");
  CHECK(asked([](int file) { hear(file, 300); }, 200) == "failed: does not answer in time");
  RequestSocket nobody("ipc:///nowhere/at/all");
  CHECK_THROWS_WITH(nobody.connect(soon(20), [] {}),
                    "does not listen at ipc:///nowhere/at/all: No such file or directory");
  struct Enough {};
  CHECK_THROWS_AS(nobody.connect(soon(), [] { throw Enough{}; }), Enough);
}

TEST_CASE("endpoints are addresses in numbers, or paths", "[batsim]") {
  for (const char* good :
       {"tcp://127.0.0.1:28000", "tcp://localhost:1", "tcp://*:28000", "tcp://[::1]:28000", "ipc://x"})
    CHECK_NOTHROW(RequestSocket(good));
  for (const char* wrong : {"", "tcp://", "tcp://localhost", "tcp://localhost:", "tcp://localhost:0",
                            "tcp://localhost:70000", "tcp://host.example:1", "udp://127.0.0.1:1", "ipc://"})
    CHECK_THROWS_AS(RequestSocket(wrong), InputError);
  CHECK_THROWS_AS(RequestSocket("ipc://" + std::string(200, 'x')), InputError);
}

}  // namespace request_socket_test
