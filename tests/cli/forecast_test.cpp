// Forecasts and what-ifs of a site, by the program.
#include "catch.h"

#include <nlohmann/json.hpp>

#include "forecast_site.h"

namespace forecast_test {

using namespace coslice_test;

TEST_CASE("the queue as squeue says it", "[cli]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("queue.txt", kQueue);
  const std::string command = "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 20 --arrivals none";
  const Said said = coslice(command + " --json");
  REQUIRE(said.err == "");
  REQUIRE(said.status == 0);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["running"] == 2);
  REQUIRE(json["jobs"].size() == 2);
  // All ran for half of their limits, so 101 ends at 9:00 and 102 at 9:15; 104 needs both nodes after 103.
  CHECK(json["jobs"][0]["id"] == "103");
  CHECK(json["jobs"][0]["median"] == 1800.0);
  CHECK(json["jobs"][0]["high"] == 1800.0);
  CHECK(json["jobs"][0]["within_1h"] == 1.0);
  CHECK(json["jobs"][1]["id"] == "104");
  CHECK(json["jobs"][1]["user"] == "bob");
  CHECK(json["jobs"][1]["median"] == 5400.0);
  CHECK(json["jobs"][1]["within_1h"] == 0.0);
  CHECK(json["jobs"][1]["position"] == 2.0);
  CHECK(json["held"][0]["id"] == "105");
  CHECK(coslice(command + " --json -j 1").out == said.out);
  CHECK_THAT(coslice(command).out, Catch::Contains("held, no forecast: 105 (JobHeldUser)"));
}

TEST_CASE("a job that cannot end before maintenance starts after it, which takes no simulation until then", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  make_site(coslice);
  // All nodes from Saturday 8:00 to 20:00, and n1 alone each Friday from 8:00 to 10:00, for others.
  const std::string closed = "[[reservations]]\nname = \"maintenance\"\nfrom = 1152000\nlength = 43200\nusers = [98]\n"
                             "[[reservations]]\nname = \"course\"\nnodes = [\"n1\"]\nfrom = 1065600\n"
                             "length = 7200\nusers = [99]\n";
  coslice.folder.write("scenario.toml", coslice.folder.read("scenario.toml") + closed);
  coslice.folder.write("queue.txt", std::string(kQueue) +
                                        "106|bob|batch|PENDING|2026-03-12T08:27:00|N/A|2-00:00:00|1|1||Priority\n"
                                        "107|bob|batch|PENDING|2026-03-12T08:28:00|N/A|1-06:00:00|2|2||Priority\n"
                                        "108|bob|batch|PENDING|2026-03-12T08:29:00|N/A|1-06:00:00|1|1||Priority\n");
  const std::string command = "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 4 --arrivals none --past 0";
  const auto job = [&](const std::string& id) {
    const auto json = nlohmann::json::parse(coslice(command + " --json").out);
    for (const auto& j : json["jobs"])
      if (j["id"] == id) return j;
    return nlohmann::json();
  };
  CHECK(job("103")["earliest"] == 0.0);
  CHECK(job("106")["earliest"] == (2 * 24 + 11.5) * 3600);  // not before Saturday 20:00, on any node
  CHECK(job("106")["median"] == (2 * 24 + 11.5) * 3600);
  CHECK(job("107")["earliest"] == (2 * 24 + 11.5) * 3600);  // after the course it would not end by Saturday
  CHECK(job("108")["earliest"] == 0.0);                     // n2 is free for it until Saturday
  // Where the maintenance is beyond what is simulated, it says so all the same.
  coslice.folder.write("scenario.toml",
                       replaced(coslice.folder.read("scenario.toml"), "from = 1152000", "from = 1119600"));
  const Said said = coslice(command + " --horizon 1");
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Contains("not before 2026-03-14 11:00:00: 106, ") && Contains("> 2 d 02:30"));
  // What no simulation can tell is not simulated again and again, unless that was asked for.
  const std::string queue = kQueue;
  coslice.folder.write("late.txt", queue.substr(0, queue.find("103|")) +
                                       "106|bob|batch|PENDING|2026-03-12T08:27:00|N/A|2-00:00:00|1|1||Priority\n");
  const std::string only_late = "forecast . --queue late.txt --now 2026-03-12T08:30 --horizon 1 --arrivals none";
  CHECK_THAT(coslice(only_late).out, Contains("; 4 simulations"));
  CHECK_THAT(coslice(only_late + " --runs 6").out, Contains("; 6 simulations"));
  CHECK(coslice(only_late + " --runs 6 --past 0 --csv").out == coslice(only_late + " --past 0 --csv").out);
  REQUIRE(coslice(command + " --horizon 1 --out kept.json").status == 0);
  CHECK_THAT(coslice("forecast --from kept.json --job 106 --now 2026-03-12T09:00").out, Contains("> 2 d 02:00"));
}

TEST_CASE("jobs that waited beside free nodes are named", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  make_site(coslice);
  // 103 and 104 have waited for an hour, and n2 is free; 105 has come just now, 106 has no room.
  coslice.folder.write("queue.txt",
                       "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n"
                       "101|ann|batch|RUNNING|2026-03-12T08:00:00|2026-03-12T08:00:00|02:00:00|1|1|n1|None\n"
                       "103|ann|batch|PENDING|2026-03-12T07:20:00|N/A|02:00:00|1|1||QOSMaxJobsPerUserLimit\n"
                       "106|bob|batch|PENDING|2026-03-12T07:25:00|N/A|02:00:00|2|2||Priority\n");
  const std::string command = "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 5 --arrivals none";
  const Said said = coslice(command);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("1 job has waited beside free nodes, on which the twin starts it at once: 103 (for ") &&
                           Contains(", QOSMaxJobsPerUserLimit)") &&
                           Contains("a limit, a reservation or what it waits for is missing"));
  auto json = nlohmann::json::parse(coslice(command + " --json").out);
  CHECK(json["kept_beside_free_nodes"] == nlohmann::json::array({"103"}));
  // Not where a job has just left the node.
  const std::string history = coslice.folder.read("jobs.sacct");
  coslice.folder.write("jobs.sacct", history +
                                         "90|ann|batch|2026-03-12T07:27:00|2026-03-12T07:27:00|2026-03-12T08:27:00|"
                                         "01:00:00|COMPLETED|1|1|02:00:00|n2\n");
  json = nlohmann::json::parse(coslice(command + " --json").out);
  CHECK(json["kept_beside_free_nodes"].empty());
  CHECK_THAT(coslice(command).out, !Contains("beside free nodes"));
}

TEST_CASE("a job beyond its limit is believed to end now, and its nodes were not free", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  make_site(coslice);
  const std::string early = replaced(replaced(kQueue, "T08:20:00", "T07:20:00"), "T08:25:00", "T07:25:00");
  coslice.folder.write("queue.txt", replaced(early, "T08:15:00|02:00", "T08:15:00|00:10"));
  const std::string command = "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 5 --arrivals none";
  const Said said = coslice(command);
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("queue.txt:3: job 102 has run for 15 min 00 s, which is 5 min 00 s over its limit: it "
                                "is believed to end now") &&
                           Contains("OverTimeLimit"));
  CHECK_THAT(said.out, !Contains("beside free nodes"));
  CHECK(nlohmann::json::parse(coslice(command + " --json").out)["jobs"][0]["median"] == 0.0);
  // Not where jobs may run on, nor just before or after the limit.
  CHECK(coslice(command + " --set engine.over_limit=600").err == "");
  coslice.folder.write("queue.txt", replaced(early, "T08:15:00|02:00", "T08:15:00|00:17"));
  const Said soon = coslice(command);
  CHECK(soon.err == "");
  CHECK_THAT(soon.out, !Contains("beside free nodes"));
}

TEST_CASE("what cannot be true of a queue is said with its own file and line", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  make_site(coslice);
  const auto said_of = [&](const std::string& queue) {
    coslice.folder.write("queue.txt", queue);
    return coslice("forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 5 --arrivals none");
  };
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& why) {
    const Said said = said_of(replaced(kQueue, from, to));
    INFO(said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(why));
  };
  refused("104|", "103|", "queue.txt:5: job 103 appears twice; expected each job once; it is in queue.txt:4, too");
  refused(
      "T08:20:00", "T09:20:00",
      "queue.txt:4: job 103 was submitted at 2026-03-12T09:20:00, but the queue was looked at at 2026-03-12T08:30:00");
  refused("PENDING", "PENDNG",
          "queue.txt:4: job 103 has the state 'PENDNG'; expected a state of Slurm, e.g. PENDING or RUNNING; did you "
          "mean 'PENDING'?");
  const Said partition = said_of(replaced(kQueue, "104|bob|batch", "104|bob|bacth"));
  CHECK(partition.status == 0);
  CHECK(partition.err == "coslice: warning: queue.txt:5: job 104 names a partition 'bacth', which the machine does not "
                         "have; it goes to the "
                         "default one; did you mean 'batch'?\n");
  CHECK_THAT(partition.out, Contains("bacth"));
  const Said large = said_of(replaced(kQueue, "|2|2||", "|40|40||"));
  CHECK(large.status == 0);
  CHECK(large.err == "coslice: warning: queue.txt:5: job 104 can never run on this machine and is left out: it asks "
                     "for 40 nodes, but the "
                     "machine has 2\n");
  CHECK_THAT(large.out, Contains("1 waiting job at"));
  CHECK(said_of(replaced(kQueue, "PENDING", "COMPLETED")).status == 0);
  CHECK(said_of(std::string("\xEF\xBB\xBF") + kQueue).status == 0);
}

TEST_CASE("a running job keeps its nodes although it has more than its partition gives, and none need run", "[cli]") {
  const Program coslice;
  make_site(coslice);
  const std::string site = coslice.folder.read("scenario.toml");
  coslice.folder.write("scenario.toml", replaced(site, "default_time", "max_time = 7200\ndefault_time"));
  const std::string queue = kQueue;
  coslice.folder.write("queue.txt",
                       replaced(replaced(queue, "T08:00:00|02", "T08:00:00|20"), "T08:15:00|02", "T08:15:00|20"));
  const std::string command = "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 5 --arrivals none --json";
  const Said said = coslice(command);
  REQUIRE(said.err == "");
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["running"] == 2);
  CHECK(json["jobs"][0]["id"] == "103");
  CHECK(json["jobs"][0]["median"] > 0);

  coslice.folder.write("jobs.sacct", "JobID|User|Partition|Submit|Elapsed|State|NNodes|NCPUS|Timelimit\n"
                                     "1|ann|batch|2026-03-01T00:00:00|01:00:00|COMPLETED|1|1|02:00:00\n");
  coslice.folder.write("queue.txt", queue.substr(0, queue.find('\n') + 1) + queue.substr(queue.find("103|")));
  const Said idle = coslice(command);
  REQUIRE(idle.err == "");
  CHECK(nlohmann::json::parse(idle.out)["jobs"][0]["median"] == 0.0);
}

TEST_CASE("starts beyond the horizon are only said to be so", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  make_site(coslice);
  std::string queue = kQueue;
  for (int i = 200; i != 300; ++i)
    queue += std::to_string(i) + "|bob|batch|PENDING|2026-03-12T08:27:00|N/A|1-00:00:00|2|2||Priority\n";
  coslice.folder.write("queue.txt", queue);
  const std::string command = "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 5 --arrivals none";
  CHECK_THAT(coslice(command + " --lines 0").out, Contains("> 7 d 00:00"));
  CHECK_THAT(coslice(command + " --lines 0 --horizon 1").out, Contains("> 1 d 00:00"));
  const auto json = nlohmann::json::parse(coslice(command + " --horizon 2 --json").out);
  CHECK(json["horizon"] == 2 * 86400.0);
  CHECK(json["jobs"].back()["median"].is_null());
  CHECK(coslice(command + " --horizon 0").status == 2);
}

TEST_CASE("a node that is down, columns of blanks, scontrol and JSON", "[cli]") {
  const Program coslice;
  make_site(coslice);
  const std::string after = " --now 2026-03-12T08:30 --runs 5 --arrivals none --csv";
  coslice.folder.write("queue.txt", kQueue);
  coslice.folder.write("nodes.txt",
                       "NodeName=n2 Arch=x86_64 CoresPerSocket=1\n   State=MIXED+DRAIN ThreadsPerCore=1\n");
  const std::string down = coslice("forecast . --queue queue.txt --queue nodes.txt" + after).out;
  CHECK_THAT(down, Catch::Contains("103,ann,batch,1,1,") && Catch::Contains(",1800,1800,1800,1,"));
  CHECK_THAT(down, Catch::Contains("104,bob,batch,2,2,") && Catch::Contains(",,,,0,0,"));
  coslice.folder.write("plain.txt", "  JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n"
                                    "  101 batch a ann R 30:00 1 n1\n  102 batch b ann R 30:00 1 n2\n"
                                    "  103 batch c ann PD 0:00 1 (Resources, or so)\n");
  const Said plain = coslice("forecast . --queue plain.txt" + after);
  CHECK_THAT(plain.out, Catch::Contains("103,ann,batch,1,1,") && Catch::Contains(",1800,1800,1800,1,"));
  CHECK_THAT(plain.err, Catch::Contains("say no limit"));
  coslice.folder.write(
      "jobs.txt", "JobId=101 JobName=a\n   UserId=ann(1) JobState=RUNNING RunTime=00:30:00 TimeLimit=02:00:00\n"
                  "   SubmitTime=2026-03-12T08:00:00 StartTime=2026-03-12T08:00:00 Partition=batch NodeList=n[1-2]\n"
                  "   NumNodes=2 NumCPUs=2\n\nJobId=103 JobName=c\n   UserId=ann(1) JobState=PENDING Reason=Resources "
                  "TimeLimit=02:00:00\n   SubmitTime=2026-03-12T08:20:00 Partition=batch NumNodes=1 NumCPUs=1\n");
  CHECK_THAT(coslice("forecast . --queue jobs.txt --runs 5 --arrivals none --csv").out,
             Catch::Contains(",1800,1800,1800,1,"));
  coslice.folder.write("q.json",
                       R"({"jobs": [{"job_id": 101, "user_name": "ann", "partition": "batch", "job_state": ["RUNNING"],
      "submit_time": {"set": true, "number": 1773302400}, "start_time": {"set": true, "number": 1773302400}, "nodes": "n[1-2]",
      "time_limit": {"set": true, "infinite": false, "number": 120}, "node_count": {"number": 2}, "cpus": {"number": 2}},
      {"job_id": 103, "user_name": "ann", "partition": "batch", "job_state": "PENDING", "submit_time": 1773303600,
       "time_limit": 120, "node_count": 1, "cpus": 1}]})");
  CHECK_THAT(coslice("forecast . --queue q.json" + after).out, Catch::Contains(",1800,1800,1800,1,"));
}

TEST_CASE("an instant of the record, and how right forecasts were", "[cli]") {
  const Program coslice;
  make_site(coslice);
  const Said at = coslice("forecast . --at 2026-03-05T12:30 --runs 5 --json");
  REQUIRE(at.status == 0);
  CHECK(nlohmann::json::parse(at.out)["running"] == 1);
  coslice.folder.write("busy.toml",
                       "[machine]\nnodes = 4\n[workload]\ngenerator = \"lublin\"\nlublin = { jobs = 400, load = 0.9 }\n"
                       "estimates = \"model\"\n[policy]\nname = \"easy\"\n");
  REQUIRE(coslice("run busy.toml --quiet --out run").status == 0);
  const auto json =
      nlohmann::json::parse(coslice("forecast busy.toml --calibrate --recorded run --instants 6 --runs 10 --json").out);
  CHECK(json["instants"] == 6);
  CHECK(json["all"]["jobs"].get<int>() > 10);
  CHECK(json["held"].get<double>() > 0.3);
}

TEST_CASE("what is not a queue is refused", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  make_site(coslice);
  const auto refused = [&](const std::string& arguments) {
    const Said said = coslice("forecast " + arguments);
    CHECK(said.status == 2);
    return said.err;
  };
  coslice.folder.write("none.txt", "USER ST\nann R\n");
  coslice.folder.write("short.txt", "JOBID ST NODES\n101 R\n");
  coslice.folder.write("since.txt", "JOBID|STATE|NODES|PARTITION|USER\n101|R|1|batch|ann\n");
  CHECK_THAT(refused("."), Contains("no snapshot was named"));
  CHECK_THAT(refused(". --queue none.txt"), Contains("none.txt:1: no column JOBID"));
  CHECK_THAT(refused(". --queue short.txt"), Contains("short.txt:2: the line has 2 fields"));
  CHECK_THAT(refused(". --queue since.txt"), Contains("when the queue was looked at"));
  CHECK_THAT(refused(". --queue since.txt --now 2026-03-12T08:30"),
             Contains("since.txt:2: nothing says since when job 101 runs"));
  CHECK_THAT(refused(". --at soon"), Contains("is not a time"));
  // What cannot be true together.
  std::string lost = kQueue;
  lost.replace(lost.find("|n2|"), 4, "|n7|");
  coslice.folder.write("lost.txt", lost);
  coslice.folder.write("queue.txt", kQueue);
  CHECK_THAT(refused(". --queue lost.txt --now 2026-03-12T08:30"),
             Contains("lost.txt:3: job 102 runs on 'n7', which is not a node of the site"));
  CHECK_THAT(
      refused(". --queue queue.txt --now 2026-03-12T08:10"),
      Contains(
          "queue.txt:3: job 102 runs since 2026-03-12T08:15:00, but the queue was looked at at 2026-03-12T08:10:00"));
  const std::string history = coslice.folder.read("jobs.sacct"), head = history.substr(0, history.find('\n') + 1);
  coslice.folder.write("jobs.sacct", history +
                                         "90|ann|batch|2026-03-12T07:00:00|2026-03-12T09:00:00|2026-03-12T09:30:00|"
                                         "00:30:00|COMPLETED|1|1|02:00:00|n1\n");
  CHECK_THAT(refused(". --queue queue.txt --now 2026-03-12T08:30"),
             Contains("jobs.sacct: job 90 started after the queue was looked at"));
  coslice.folder.write("jobs.sacct", head + "90|ann|batch|2026-03-13T07:00:00|2026-03-13T09:00:00|2026-03-13T09:30:00|"
                                            "00:30:00|COMPLETED|1|1|02:00:00|n1\n");
  CHECK_THAT(refused(". --queue queue.txt --now 2026-03-12T08:30"),
             Contains("jobs.sacct: no job has ended by that instant"));
}

TEST_CASE("a site beside itself under other settings", "[cli]") {
  const Program coslice;
  make_site(coslice);
  const Said said =
      coslice("whatif . --variant more:nodes.n.count=4 --variant fcfs:policy.name=fcfs --runs 2 --format json");
  REQUIRE(said.status == 0);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["comparison"][0]["variants"].size() == 3);
  CHECK(json["waits"][0]["mean_wait"].contains("more"));
  // One line a variant comes first.
  const std::string table =
      coslice("whatif . --variant more:nodes.n.count=4 --variant fcfs:policy.name=fcfs --runs 2").out;
  INFO(table);
  CHECK(table.rfind("more: wait ", 0) == 0);
  CHECK_THAT(table.substr(0, table.find("\n\n")), Catch::Contains("\nfcfs: wait "));
  CHECK_THAT(table, Catch::Contains("All 2 runs of a variant are of the same jobs"));
  CHECK(json["note"].get<std::string>().rfind("All 2 runs", 0) == 0);
  CHECK(coslice("whatif .").status == 2);
  CHECK(coslice("whatif . --set nodes.n.count=none").status == 2);
  CHECK(coslice("whatif . --variant more").status == 2);
  const Said twice = coslice("whatif . --variant a:seed=1 --variant a:seed=2");
  CHECK(twice.status == 2);
  CHECK_THAT(twice.err, Catch::Contains("there are two variants 'a'"));
  CHECK(coslice("whatif . --variant 'as it is:seed=2'").status == 2);
}

TEST_CASE("where no job waits, or the record is over, nothing is counted", "[cli]") {
  const Program coslice;
  make_site(coslice);
  const Said none = coslice("forecast . --calibrate --instants 2");
  CHECK(none.status == 0);
  CHECK(none.out.rfind("No job waited at any of 2 instants", 0) == 0);
  CHECK(none.out.find("0.0 %") == std::string::npos);
  const auto json = nlohmann::json::parse(coslice("forecast . --calibrate --instants 2 --json").out);
  CHECK(json["held"].is_null());
  CHECK(json["all"]["jobs"] == 0);
  CHECK(json["all"]["median_error"].is_null());
  CHECK(json["held_at"][0]["simulated"].is_null());
  CHECK_THAT(coslice("forecast . --calibrate --instants 2 --out c.svg").err, Catch::Contains("nothing to draw"));
  for (const char* at : {"2026-03-20T08:00", "1e9"}) {
    const Said late = coslice(std::string("forecast . --runs 2 --at ") + at);
    CHECK(late.status == 2);
    CHECK_THAT(late.err,
               Catch::Contains("is behind the end of the record") && Catch::Contains("until 2026-03-10 19:00"));
  }
  CHECK(coslice("forecast . --runs 2 --at 2026-03-10T18:30").status == 0);
}

TEST_CASE("a forecast takes no flags that would have no effect", "[cli]") {
  const Program coslice;
  make_site(coslice);
  coslice.folder.write("queue.txt", kQueue);
  const std::string queue = "forecast . --queue queue.txt --now 2026-03-12T08:30 --runs 2 --arrivals none";
  REQUIRE(coslice(queue).status == 0);
  const auto refused = [&](const std::string& command, const std::string& problem) {
    const Said said = coslice(command);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Catch::Contains(problem));
  };
  refused(queue + " --at 2026-03-05T12:30", "several snapshots were named");
  refused(queue + " --calibrate", "several snapshots were named");
  refused(queue + " --json --csv", "--csv: is given beside --json");
  refused(queue + " --recorded jobs.sacct", "--recorded: has no effect here");
  refused(queue + " --instants 3", "--instants: has no effect here");
  refused("forecast . --at 2026-03-05T12:30 --now 2026-03-05T12:30", "--now: has no effect here");
  refused("forecast . --calibrate --csv", "--csv: has no effect here");
}

}  // namespace forecast_test
