// Texts of Batsim's protocol: what is read of an answer, and what is not.
#include "catch.h"

#include <nlohmann/json.hpp>

#include "batsim/messages.h"
#include "core/random.h"

namespace messages_test {

using namespace coslice;
using namespace coslice::batsim;

namespace {

HeardMessage<SchedulerSays> read_answer(const std::string& text, Time now) {
  return read_message<SchedulerSays>(text, now);
}

std::string problem_of(const std::string& answer, Time now = {}) {
  try {
    read_answer(answer, now);
  } catch (const BadMessage& e) {
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
    CHECK_THROWS_AS(read_nodes(wrong, 6), BadMessage);
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
  CHECK(read_answer(R"({"now": 4.709, "events": []})", at_seconds(4.709164)).now == at_seconds(4.709164));
  CHECK(read_answer(R"({"now": 1.23456e+06, "events": [{"timestamp": 1.23456e+06, "type": "QUERY",
        "data": {"requests": {}}}]})",
                    at_seconds(1234564.5))
            .events[0]
            .at == at_seconds(1234564.5));
  CHECK(problem_of(R"({"now": 1234500, "events": []})", at_seconds(1234564.5)) == "'now', 1234500 s lies in the past");
  CHECK(read_answer(std::string("{\"now\": 1, \"events\": []}\n\0\0", 27), Time{}).events.empty());
  CHECK(problem_of(R"({"now": 1e300, "events": []})") == "'now' of the answer is 1e+300; expected seconds");
}

TEST_CASE("decisions are read in their order", "[batsim]") {
  const auto answer = read_answer(
      R"({"now": 3, "events": [
        {"timestamp": 1, "type": "EXECUTE_JOB", "data": {"job_id": "w0!1", "alloc": "0-1", "mapping": {"0": "0"}}},
        {"timestamp": 2, "type": "KILL_JOB", "data": {"job_ids": ["w0!1", "w0!2"]}},
        {"timestamp": 2, "type": "CALL_ME_LATER", "data": {"timestamp": 9}},
        {"timestamp": 3, "type": "NOTIFY", "data": {"type": "registration_finished"}}]})",
      at_seconds(1));
  REQUIRE(answer.events.size() == 4);
  CHECK(std::get<ExecuteJob>(answer.events[0].what).nodes.count() == 2);
  CHECK(answer.events[0].name == "EXECUTE_JOB of job w0!1");
  CHECK(std::get<KillJob>(answer.events[1].what).jobs == std::vector<std::string>{"w0!1", "w0!2"});
  CHECK(answer.events[1].name == "KILL_JOB of jobs, among them w0!1");
  CHECK(answer.events[1].at == at_seconds(2));
  CHECK(std::get<CallMeLater>(answer.events[2].what).at == 9);
  CHECK(answer.events[3].name == "NOTIFY registration_finished");
  CHECK(problem_of(R"({"now": 3, "events": [
        {"timestamp": 2, "type": "REJECT_JOB", "data": {"job_id": "w0!1"}},
        {"timestamp": 1, "type": "REJECT_JOB", "data": {"job_id": "w0!2"}}]})") ==
        "event 2, REJECT_JOB of job w0!2, is earlier than the one before it");
}

TEST_CASE("what a message says stands in it as it happened", "[batsim]") {
  Message<BatsimSays> message;
  CHECK(message.empty());
  message.add(at_seconds(1), JobCompleted{"w0!1", JobCompleted::kWell, 0, as_ranges({2, 3, 5})});
  add_node(message, at_seconds(2), Notify::kNodesGone, 3);
  add_node(message, at_seconds(2), Notify::kNodesGone, 4);
  add_node(message, at_seconds(2), Notify::kNodesBack, 7);
  const auto said = nlohmann::json::parse(message.take(at_seconds(2)));
  CHECK(message.empty());
  CHECK(said["now"] == 2);
  REQUIRE(said["events"].size() == 3);
  CHECK(said["events"][0] ==
        nlohmann::json::parse(R"({"timestamp": 1.0, "type": "JOB_COMPLETED", "data": {"job_id": "w0!1",)"
                              R"( "job_state": "COMPLETED_SUCCESSFULLY", "return_code": 0, "alloc": "2-3 5"}})"));
  CHECK(said["events"][1] == nlohmann::json{{"timestamp", 2.0},
                                            {"type", "NOTIFY"},
                                            {"data", {{"type", "event_machine_unavailable"}, {"resources", "3-4"}}}});
}

/// What is left of an event after it was written and read by the other side, written again.
template <class Says>
std::string twice(Says what) {
  Message<Says> first, second;
  first.add(at_seconds(1), std::move(what));
  const std::string text = first.take(at_seconds(2));
  HeardMessage<Says> heard = read_message<Says>(text, Time{});
  REQUIRE(heard.events.size() == 1);
  second.add(heard.events[0].at, std::move(heard.events[0].what));
  CHECK(second.take(heard.now) == text);
  return text;
}

TEST_CASE("of a simulation that says less than Batsim, what is needed is read", "[batsim]") {
  const auto heard = read_message<BatsimSays>(
      R"({"now": 0, "events": [
        {"timestamp": 0, "type": "SIMULATION_BEGINS", "data": {"nb_resources": 4}},
        {"timestamp": 0, "type": "JOB_SUBMITTED", "data": {"job_id": "w0!1",
          "job": {"id": "w0!1", "res": 2, "profile": "p", "user": "somebody", "queue": 3, "group": [1]}}},
        {"timestamp": 0, "type": "JOB_COMPLETED", "data": {"job_id": "w0!1", "job_state": "COMPLETED_FAILED"}},
        {"timestamp": 0, "type": "REQUESTED_CALL", "data": null},
        {"timestamp": 0, "type": "SIMULATION_ENDS"}]})",
      Time{});
  REQUIRE(heard.events.size() == 5);
  CHECK(std::get<SimulationBegins>(heard.events[0].what).compute_nodes == 4);
  const JobDescription& job = std::get<JobSubmitted>(heard.events[1].what).described;
  CHECK(job.user == std::nullopt);
  CHECK(job.queue == 3);
  CHECK(job.group == std::nullopt);
  CHECK(std::get<JobCompleted>(heard.events[2].what).nodes.empty());
  const auto begins = read_message<BatsimSays>(
      R"({"now": 0, "events": [{"timestamp": 0, "type": "SIMULATION_BEGINS",
        "data": {"nb_resources": 5, "nb_compute_resources": 2, "compute_resources": [{"id": 3}, {"id": 7}]}}]})",
      Time{});
  CHECK(std::get<SimulationBegins>(begins.events[0].what).compute_nodes == 2);
  CHECK(std::get<SimulationBegins>(begins.events[0].what).nodes[1].id == 7);
}

TEST_CASE("what one side writes the other side reads, of every event", "[batsim]") {
  SimulationBegins begins;
  begins.compute_nodes = 2;
  begins.config.jobs_enabled = true;
  begins.config.scheduler = "x";
  begins.nodes = {{0, "n0", "idle", {{{"cores", "4"}}}}, {1, "n1"}};
  JobDescription job{"w0!1", 3.5, 4, 60, "7"};
  job.user = 3;
  JobDescription other{"d!1", std::nullopt, 1, std::nullopt, "p"};
  CHECK(twice<BatsimSays>(begins).find("\"nb_resources\":2") != std::string::npos);
  twice<BatsimSays>(SimulationEnds{});
  CHECK(twice<BatsimSays>(JobSubmitted{"w0!1", job}).find("\"user\":3") != std::string::npos);
  twice<BatsimSays>(JobCompleted{"w0!1", JobCompleted::kKilled, 1, as_ranges({0, 1})});
  twice<BatsimSays>(JobKilled{{"w0!1"}, Object{{{"w0!1", {{"progress", 0.5}}}}}});
  twice<BatsimSays>(ResourceStateChanged{as_ranges({0}), "13"});
  twice<BatsimSays>(RequestedCall{});
  twice<BatsimSays>(Notify{Notify::kNodesGone, as_ranges({4})});
  twice<BatsimSays>(Query{{{{"estimate_waiting_time", Json::object()}}}});
  twice<BatsimSays>(Answer{12.5});
  twice<SchedulerSays>(ExecuteJob{"w0!1", as_ranges({1, 2, 9})});
  twice<SchedulerSays>(RejectJob{"w0!1"});
  twice<SchedulerSays>(KillJob{{"w0!1", "w0!2"}});
  twice<SchedulerSays>(CallMeLater{9.25});
  twice<SchedulerSays>(SetResourceState{as_ranges({1}), "0"});
  twice<SchedulerSays>(SetJobMetadata{"w0!1", "m"});
  twice<SchedulerSays>(RegisterJob{"d!1", other, Object{{{"type", "delay"}, {"delay", 3}}}});
  twice<SchedulerSays>(RegisterProfile{"d", "p", {{{"type", "delay"}, {"delay", 3}}}});
  twice<SchedulerSays>(Notify{Notify::kAllRegistered});
  // What a scheduler says, Batsim does not.
  CHECK_THROWS_WITH(
      read_message<BatsimSays>(
          R"({"now": 1, "events": [{"timestamp": 1, "type": "REJECT_JOB", "data": {"job_id": "w0!1"}}]})", {}),
      "event 1, REJECT_JOB: is no event that is understood");
}

TEST_CASE("what a scheduler is told may have happened since it was told last", "[batsim]") {
  const auto heard = read_message<BatsimSays>(
      R"({"now": 5, "events": [{"timestamp": 3, "type": "REQUESTED_CALL", "data": {}}]})", at_seconds(4));
  CHECK(heard.now == at_seconds(5));
  CHECK(heard.events[0].at == at_seconds(3));
  CHECK_THROWS_WITH(read_message<BatsimSays>(R"({"now": 3, "events": []})", at_seconds(4)),
                    "'now', 3 s lies in the past");
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
    } catch (const BadMessage&) {  // the only thing that it may throw
    }
  }
  SUCCEED();
}

}  // namespace messages_test
