// Texts of Batsim's protocol: what is read of an answer, and what is not.
#include "catch.h"

#include <nlohmann/json.hpp>

#include "batsim/messages.h"
#include "core/random.h"

namespace messages_test {

using namespace coslice;
using namespace coslice::batsim;

namespace {

std::string problem_of(const std::string& answer, Time now = {}) {
  try {
    read_answer(answer, now);
  } catch (const BadAnswer& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("nodes are read as a list of numbers and ranges, in any order", "[batsim]") {
  CHECK(read_nodes("0-3 5", 6).str() == "0-3 5");
  CHECK(read_nodes(" 5  2-3 4 ", 6).str() == "2-5");
  CHECK(read_nodes("7", 8).count() == 1);
  for (const char* wrong : {"", " ", "a", "1,2", "1-", "-1", "3-1", "1 1", "1-3 2", "6", "4-6", "1.5", "0x1",
                            "99999999999999999999", "2147483647"})
    CHECK_THROWS_AS(read_nodes(wrong, 6), BadAnswer);
}

TEST_CASE("an instant of a message is the one that was sent, to the nanosecond", "[batsim]") {
  for (const std::int64_t ns : {0l, 1l, 4'709'164'021l, 123'456'789'012'345'678l}) {
    const Time now{Duration{ns}};
    const std::string text = nlohmann::json{{"now", seconds_of(now)}, {"events", nlohmann::json::array()}}.dump();
    CHECK(read_answer(text, now).now == now);
  }
  CHECK(read_answer(R"({"now": 2.5, "events": []})", at_seconds(1)).now == at_seconds(2.5));
  CHECK(read_answer(R"({"now": 0.9999999, "events": []})", at_seconds(1)).now == at_seconds(1));
  CHECK(problem_of(R"({"now": 0.9, "events": []})", at_seconds(1)) == "'now', 0.9 s lies in the past");
  CHECK(problem_of(R"({"now": 1e300, "events": []})") == "'now' of the answer is 1e+300; expected seconds");
}

TEST_CASE("decisions are read in their order", "[batsim]") {
  const Answer answer = read_answer(
      R"({"now": 3, "events": [
        {"timestamp": 1, "type": "EXECUTE_JOB", "data": {"job_id": "w0!1", "alloc": "0-1", "mapping": {"0": "0"}}},
        {"timestamp": 2, "type": "KILL_JOB", "data": {"job_ids": ["w0!1", "w0!2"]}},
        {"timestamp": 2, "type": "CALL_ME_LATER", "data": {"timestamp": 9}},
        {"timestamp": 3, "type": "NOTIFY", "data": {"type": "registration_finished"}}]})",
      at_seconds(1));
  REQUIRE(answer.decisions.size() == 4);
  CHECK(answer.decisions[0].what == Decision::What::kExecute);
  CHECK(answer.decisions[0].nodes.count() == 2);
  CHECK(answer.decisions[1].jobs == std::vector<std::string>{"w0!1", "w0!2"});
  CHECK(answer.decisions[1].at == at_seconds(2));
  CHECK(answer.decisions[2].call == at_seconds(9));
  CHECK(problem_of(R"({"now": 3, "events": [
        {"timestamp": 2, "type": "REJECT_JOB", "data": {"job_id": "w0!1"}},
        {"timestamp": 1, "type": "REJECT_JOB", "data": {"job_id": "w0!2"}}]})") ==
        "event 2, REJECT_JOB of job w0!2, is earlier than the one before it");
}

TEST_CASE("what a message says stands in it as it happened", "[batsim]") {
  Message message;
  CHECK(message.empty());
  message.add(at_seconds(1), "JOB_COMPLETED", {{"job_id", "w0!1"}});
  message.add_nodes(at_seconds(2), "event_machine_unavailable", 3);
  message.add_nodes(at_seconds(2), "event_machine_unavailable", 4);
  message.add_nodes(at_seconds(2), "event_machine_available", 7);
  const auto said = nlohmann::json::parse(message.take(at_seconds(2)));
  CHECK(message.empty());
  CHECK(said["now"] == 2);
  REQUIRE(said["events"].size() == 3);
  CHECK(said["events"][0]["timestamp"] == 1);
  CHECK(said["events"][1] == nlohmann::json{{"timestamp", 2.0},
                                            {"type", "NOTIFY"},
                                            {"data", {{"type", "event_machine_unavailable"}, {"resources", "3-4"}}}});
}

TEST_CASE("any change of an answer is read or refused", "[batsim]") {
  const std::string good = R"({"now": 3, "events": [{"timestamp": 1, "type": "EXECUTE_JOB",)"
                           R"( "data": {"job_id": "w0!1", "alloc": "0-1 5"}}]})";
  RandomStream random(1, "changes");
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.uniform_int(0, static_cast<std::int64_t>(n) - 1));
  };
  for (int i = 0; i != 20000; ++i) {
    std::string text = good;
    for (std::size_t changes = 1 + below(3); changes != 0; --changes) {
      const std::size_t at = below(text.size());
      if (below(3) == 0) text.erase(at, 1 + below(8));
      else text[at] = static_cast<char>(below(256));
      if (text.empty()) break;
    }
    try {
      read_answer(text, at_seconds(1));
    } catch (const BadAnswer&) {  // the only thing that it may throw
    }
  }
  SUCCEED();
}

}  // namespace messages_test
