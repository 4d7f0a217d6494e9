// coslice explain: that what it names as the reason is the reason, also where jobs never run, are suspended or set
// aside.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace explain_reasons_test {

using namespace coslice_test;

namespace {

/// What is said of a job of that scenario, under a policy's file if there is one.
std::string reasons(const std::string& scenario, int job, const std::string& policy = "",
                    const std::string& flags = "") {
  const Program coslice;
  coslice.folder.write("s.toml", "name = \"s\"\n" + scenario);
  if (!policy.empty()) coslice.folder.write("p.lua", policy);
  const Said said =
      coslice("explain s.toml " + std::to_string(job) + (policy.empty() ? " " : " --policy p.lua ") + flags);
  INFO(said.err);
  REQUIRE(said.status == 0);
  return flags.empty() ? on_one_line(said.out) : said.out;
}

using Catch::Contains;

}  // namespace

TEST_CASE("a job that its policy refuses, and the reason that this gives", "[explain]") {
  const std::string policy = "return { api = 1, name = 'rf', version = '1', schedule = function(view)\n"
                             "  for j in view:waiting() do\n"
                             "    if j.id == 2 and view.now >= 3 then view:refuse(j, 'no twos') end\n"
                             "  end\n  if view.now < 3 then view:wake(3) end\n  view:easy()\nend }\n";
  const std::string machine = "[machine]\nnodes = 4\n[workload]\njobs = [{nodes=4,runtime=5},{nodes=2,runtime=5";
  CHECK_THAT(reasons(machine + ",submit=3}]\n", 2, policy),
             Contains("submitted at 3 s and rejected: its policy refused it: no twos"));
  const std::string later = reasons(machine + "}]\n", 2, policy);
  CHECK_THAT(later, Contains("submitted at 0 s and rejected at 3 s: its policy refused it: no twos waited"));
  CHECK_THAT(later, Contains("0 s for 3 s: needed 2 nodes, none was free; job 1 held the others"));
  const auto json = nlohmann::json::parse(reasons(machine + "}]\n", 2, policy, "--json"));
  CHECK(json["rejection"]["at"] == 3);
  CHECK(json["rejection"]["text"] == "its policy refused it: no twos");
}

TEST_CASE("the reservation of nodes beside the jobs that hold what a job lacks", "[explain]") {
  const std::string course = "[[reservations]]\nname = 'course'\nfrom = 100\nlength = 100\nusers = [7]\n";
  const std::string four = "nodes = ['2-3']\n[machine]\nnodes = 4\n[policy]\nname = 'easy'\n[workload]\njobs = [\n";
  // Its own one, whose nodes another entitled job has: nodes outside are free, but not for it.
  CHECK_THAT(reasons(course + four +
                         "{submit=100,nodes=2,runtime=30,user=7},"
                         "{submit=110,nodes=1,runtime=20,reservation='course'}]\n",
                     2),
             Contains("needed 1 node of its reservation, none was free; job 1 held the others; it runs on the nodes of "
                      "its reservation only (course, 100 s to 200 s)"));
  // One of others: those of its nodes that are free are of no use.
  CHECK_THAT(reasons(course + four + "{submit=0,nodes=2,runtime=150},{submit=110,nodes=3,runtime=20}]\n", 2),
             Contains("needed 3 nodes, 2 were free; job 1 held the others; 2 free nodes are kept for a reservation "
                      "(course, 100 s to 200 s)"));
  const std::string kinds = "nodes = ['n3', 'n4']\n[[machine.nodes]]\nname = 'n'\nnames = 'n[1-4]'\ncores = 4\n"
                            "[policy]\nname = 'easy'\n[workload]\njobs = [\n";
  CHECK_THAT(reasons(course + kinds +
                         "{submit=0,nodes=2,runtime=150,request={cores=2}},"
                         "{submit=110,nodes=4,runtime=20,request={cores=4}}]\n",
                     2),
             Contains("held it until 150 s; 2 free nodes are kept for a reservation (course, 100 s to 200 s)"));
}

TEST_CASE("jobs that are rejected for reservations of nodes", "[explain]") {
  const std::string course =
      "[[reservations]]\nname = 'course'\nnodes = ['2-3']\nfrom = 100\nlength = 50\nusers = [7]\n"
      "[machine]\nnodes = 4\n[policy]\nname = 'easy'\n[workload]\njobs = [\n";
  const auto in_course = [&](const std::string& jobs, int job) { return reasons(course + jobs + "]\n", job); };
  CHECK_THAT(
      in_course("{nodes=1,runtime=60,reservation='course'}", 1),
      Contains("submitted at 0 s and rejected: it may run for 1 min 00 s, and its reservation course is never longer "
               "than 50 s"));
  CHECK_THAT(in_course("{nodes=3,runtime=10,reservation='course'}", 1),
             Contains("rejected: it needs 3 nodes, and its reservation course has 2"));
  CHECK_THAT(in_course("{nodes=1,runtime=10,submit=200,reservation='course'}", 1),
             Contains("submitted at 200 s and rejected: its reservation course was over for good"));
  const std::string waited = in_course("{nodes=2,runtime=45,submit=100,reservation='course'},"
                                       "{nodes=2,runtime=20,submit=110,reservation='course'}",
                                       2);
  CHECK_THAT(waited,
             Contains("submitted at 110 s and rejected at 150 s: its reservation course is over for good waited"));
  CHECK_THAT(in_course("{nodes=5,runtime=10}", 1), Contains("rejected: it needs more than the machine has, 4 nodes"));
  const std::string soon = "[[reservations]]\nname = 'soon'\nnodes = ['1-3']\nfloating = 30\nusers = [7]\n"
                           "[machine]\nnodes = 4\n[policy]\nname = 'easy'\n[workload]\njobs = [{nodes=2,runtime=40}]\n";
  CHECK_THAT(reasons(soon, 1),
             Contains("rejected: it needs 2 nodes and may run for 40 s: beside floating reservations of "
                      "nodes (soon), 1 node that it can have is left"));
}

TEST_CASE("a run that drops what does not start at once says so of such a job", "[explain]") {
  CHECK_THAT(reasons("[machine]\nnodes = 4\n[engine]\nunstarted = 'drop'\n[policy]\nname = 'easy'\n[workload]\n"
                     "jobs = [{nodes=4,runtime=5},{nodes=2,runtime=5}]\n",
                     2),
             Contains("submitted at 0 s and rejected: it could not start when it came"));
}

TEST_CASE("a suspended job holds its nodes", "[explain]") {
  const std::string scenario =
      "[outages]\ncheckpoint_interval = 100\ncheckpoint_cost = 10\nrestart_cost = 5\n[[outages.planned]]\nkind = "
      "'failure'\n"
      "nodes = '3'\nfrom = 1000\nlength = 10\n[machine]\nnodes = 4\n[policy]\nname = 'preemptive'\n"
      "params = { how = 'suspend', urgent_qos = 'hi' }\n[workload]\njobs = [{nodes=4,runtime=300,limit=300},\n"
      "{nodes=2,runtime=50,submit=105,qos='hi'},{nodes=1,runtime=100,submit=120,qos='hi'},{nodes=4,runtime=40,submit="
      "200}]\n";
  CHECK_THAT(
      reasons(scenario, 4),
      Contains("200 s for 3 min 55 s: needed 4 nodes, none was free; jobs 1 and 3 held the others started 435 s"));
}

TEST_CASE("what keeps a node away is said of the time of the wait", "[explain]") {
  const std::string scenario = "[machine]\nnodes = 2\n[policy]\nname = 'easy'\n[workload]\n"
                               "jobs = [{nodes=1,runtime=100},{nodes=2,runtime=50,submit=100}]\n";
  const auto away = [](const std::string& kind, int from, int length) {
    return "[[outages.planned]]\nnodes = '0'\nkind = '" + kind + "'\nfrom = " + std::to_string(from) +
           "\nlength = " + std::to_string(length) + "\n";
  };
  const std::string drained = reasons(away("drain", 10, 190) + away("failure", 50, 20) + scenario, 2);
  CHECK_THAT(drained, Contains("; 1 node was drained"));
  CHECK_THAT(drained, !Contains("failed"));
  CHECK_THAT(reasons(away("drain", 10, 190) + away("failure", 50, 120) + scenario, 2), Contains("; 1 node had failed"));
}

TEST_CASE("a job that is set aside: what it found when it came, and that it stands before no other", "[explain]") {
  const std::string policy = "local held\nreturn { api = 1, name = 'hold', version = '1', schedule = function(view)\n"
                             "  for j in view:waiting() do\n"
                             "    if j.id == 1 and view.now < 50 then held = j view:hold(j) view:wake(50) end\n  end\n"
                             "  if held and view.now >= 50 then view:release(held) held = nil end\n"
                             "  view:easy()\nend }\n";
  const std::string machine =
      "[machine]\nnodes = 4\n[workload]\njobs = [{nodes=4,runtime=10},{nodes=3,runtime=100,submit=";
  const std::string first = reasons(machine + "1}]\n", 1, policy);
  CHECK_THAT(first,
             Contains("0 s came; no job before it in the queue, 4 nodes were free 0 s for 50 s: its policy had set it "
                      "aside 50 s for 51 s: needed 4 nodes"));
  CHECK_THAT(reasons(machine + "0},{nodes=2,runtime=10}]\n", 3, policy),
             Contains("0 s came; job 2 before it in the queue, 4 nodes were free"));
}

// The reservation of job 3 is for 500; job 4 fits beside job 1 and until the maintenance.
TEST_CASE("where maintenance is known, a job that would delay another's start is told of that", "[explain]") {
  const std::string scenario =
      "[machine]\nnodes = 10\n[[outages.planned]]\nkind = \"maintenance\"\nfrom = 1000\nlength = 1000\n"
      "[workload]\njobs = [{nodes=5,runtime=500,limit=500},{submit=1,nodes=3,runtime=1500,limit=1500},"
      "{submit=2,nodes=8,runtime=300,limit=300},{submit=3,nodes=4,runtime=600,limit=700}]\n";
  CHECK_THAT(reasons(scenario, 4, "", "--policy conservative"),
             Contains("could have had its 4 nodes, but would have delayed\n           job 3, due to start at 500 s"));
  CHECK_THAT(reasons(scenario, 2, "", "--policy conservative"),
             Contains("maintenance of nodes that it needs begins at\n           1,000 s"));
  CHECK_THAT(reasons(scenario, 4, "", "--policy fcfs"),
             Contains("job 3 was first in the queue and could not start; no\n           job may pass it"));
}

TEST_CASE("nodes that a pass kept for another job are the reason where others would do by now", "[explain]") {
  // The reservation, which is over, lets the pass choose at once which nodes job 17 is to have.
  const std::string scenario =
      "[[reservations]]\nname = 'r'\nfrom = 50\nlength = 50\nnodes = 'c1'\nusers = [9]\n"
      "[[machine.nodes]]\nname = 'c'\ncount = 3\ncores = 4\n"
      "[[machine.nodes]]\nname = 'g'\ncount = 2\ncores = 4\ngpus = 2\n"
      "[[machine.licences]]\nname = 'm'\ncount = 2\n"
      "[workload]\njobs = [\n"
      "{ id = 2, submit = 10, runtime = 200, nodes = 1, request = { cores = 1, gpus = 2 } },\n"
      "{ id = 5, submit = 30, runtime = 100, limit = 200, nodes = 1, request = { cores = 1, gpus = 2 } },\n"
      "{ id = 7, submit = 65, runtime = 20, nodes = 1, request = { cores = 1, gpus = 1, licences = { m = 1 } } },\n"
      "{ id = 8, submit = 70, runtime = 50, nodes = 1, request = { cores = 2, licences = { m = 1 } } },\n"
      "{ id = 10, submit = 100, runtime = 20, nodes = 3, request = { cores = 2, licences = { m = 2 } } },\n"
      "{ id = 12, submit = 115, runtime = 20, nodes = 1, request = { cores = 1, gpus = 1 } },\n"
      "{ id = 15, submit = 125, runtime = 50, nodes = 1, request = { cores = 1, gpus = 1 } },\n"
      "{ id = 17, submit = 145, runtime = 20, nodes = 3, request = { cores = 4, licences = { m = 2 } } }]\n"
      "[policy]\nname = 'sjf'\n";
  CHECK_THAT(reasons(scenario, 15),
             Contains("it fitted, but only on nodes that were kept for job 17, due to start at") &&
                 !Contains("its policy did not start it"));
}

// Job 3, which is first, is to have all nodes that are free; the plan has nodes for those before job 6; equipartition
// starts jobs in order.
TEST_CASE("policies that make a plan or share nodes by themselves say why a job with room waits", "[explain]") {
  const Program coslice;
  const std::string scenario = "explain " COSLICE_SOURCE "/scenarios/backfilling.toml ";
  const auto said = [&](const std::string& policy, int job) {
    const Said s = coslice(scenario + std::to_string(job) + " --policy " + policy);
    INFO(s.err);
    REQUIRE(s.status == 0);
    return on_one_line(s.out);
  };
  for (const char* policy : {"easy_nodes", "conservative_nodes", "equipartition", "posner"})
    for (int job = 1; job <= 12; ++job) {
      INFO(policy << ", job " << job);
      CHECK_THAT(said(policy, job), !Contains("says nothing about it"));
    }
  CHECK_THAT(said("easy_nodes", 6),
             Contains("2,400 s for 3 min 00 s: 5 of the 5 free nodes were kept for job 3, due to "
                      "start at 2,880 s, and it may run for longer"));
  CHECK_THAT(said("conservative_nodes", 6),
             Contains("1,260 s for 7 min 00 s: 2 of the 2 free nodes were for jobs that are to start before it would "
                      "end, first job 5 at 1,980 s; its place in the plan is at 2,880 s"));
  CHECK_THAT(said("equipartition", 5), Contains("1,260 s for 19 min 00 s: jobs start in order of the queue, on whole "
                                                "nodes, and job 3, before it, needs 6: running jobs can leave 3"));
  CHECK_THAT(said("posner", 9), Contains("4,260 s for 14 min 00 s: could have had its 4 nodes, but would have delayed "
                                         "job 7, due to start at 5,100 s"));
}

TEST_CASE("nodes that a policy keeps for another job are due at a date where the workload has one", "[explain]") {
  const std::string scenario = "[machine]\nnodes = 4\n[policy]\nname = 'easy_nodes'\n[workload]\n"
                               "date = '2026-03-01 23:50'\njobs = [{nodes=2,runtime=1},{nodes=2,runtime=700},\n"
                               "{submit=2,nodes=3,runtime=10},{submit=3,nodes=1,runtime=800}]\n";
  CHECK_THAT(reasons(scenario, 4), Contains("2 of the 2 free nodes were kept for job 3, due to start at 2026-03-02 "
                                            "00:01:40, and it may run for longer"));
}

// Neither asks for GPUs, which is what gpu_gain hands out: it knows no start of job 3 that job 6 could delay.
TEST_CASE("gpu_gain says of which jobs none starts alone behind the first one", "[explain]") {
  const Program coslice;
  const Said said = coslice("explain " COSLICE_SOURCE "/scenarios/backfilling.toml 6 --policy gpu_gain");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(on_one_line(said.out),
             Contains("1,260 s for 19 min 00 s: no job starts alone behind job 3, the first in the queue, which does "
                      "not wait for GPUs; no group of jobs with it gained enough and was fair"));
}

}  // namespace explain_reasons_test
