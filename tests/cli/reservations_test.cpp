// Reserved nodes, from the command line: what is printed and written, and what is refused.
#include "catch.h"
#include "run_program.h"

namespace reservations_test {

using namespace coslice_test;

namespace {

const std::string kJobs =
    "[machine]\nnodes = 4\n[workload]\njobs = [\n"
    "  { submit = 60, nodes = 4, runtime = 50 },\n  { submit = 100, nodes = 2, runtime = 30, user = 7 },\n]\n";
const std::string kCourse =
    "[[reservations]]\nname = 'course'\nnodes = ['2-3']\nfrom = 100\nlength = 100\nusers = [7]\n";

}  // namespace

TEST_CASE("a run with a reservation says what it came to, in all its files", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("s.toml", kCourse + kJobs);
  const Said said = coslice("run s.toml --out out");
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("1 time, 30.0 % of them used"));
  CHECK_THAT(coslice.folder.read("out/summary.json"), Contains("\"windows\": 1") && Contains("\"used\": 60"));
  CHECK_THAT(coslice("explain out 1").out, Contains("waits: the nodes are reserved for course from 100 s on") &&
                                               Contains("waits: the nodes are reserved for course until 200 s"));
  CHECK_THAT(coslice("explain out 1 --json").out, Contains("\"reserved\""));
  REQUIRE(coslice("gantt out -o g.svg").status == 0);
  CHECK_THAT(coslice.folder.read("g.svg"), Contains("reserved: course") && Contains("class=\"reserved\""));
  REQUIRE(coslice("gantt out -o g.html").status == 0);
  CHECK_THAT(coslice.folder.read("g.html"), Contains("RESERVED_COLOUR"));
  // The resolved scenario gives the same again.
  REQUIRE(coslice("run out/scenario.toml --quiet --out again").status == 0);
  CHECK(coslice.folder.read("again/jobs.csv") == coslice.folder.read("out/jobs.csv"));
}

TEST_CASE("a reservation that does not get its nodes is told on standard error", "[cli]") {
  const Program coslice;
  const std::string late = "[[reservations]]\nname = 'late'\nnodes = ['2-3']\nfrom = 80\nlength = 60\nannounced = 70\n";
  coslice.folder.write("s.toml", late + kJobs);
  const Said said = coslice("run s.toml --quiet");
  CHECK(said.status == 0);
  // Job 1 has all nodes from 60 to 110: half of the time.
  CHECK(said.err ==
        "coslice: warning: reservation 'late' did not have all its nodes at 80 s: jobs of others that ran there "
        "had 50.0 % of the time\n");
  CHECK(coslice("run s.toml --quiet --set reservations=[]").err.empty());
}

TEST_CASE("further tables of the name of a reservation add times to it", "[cli]") {
  const Program coslice;
  const std::string again = "[[reservations]]\nname = 'course'\nfrom = 200\nlength = 300\n";
  coslice.folder.write("s.toml", kCourse + again + kJobs);
  REQUIRE(coslice("run s.toml --quiet --out out").status == 0);
  // Windows that meet are one: job 1 waits for the end of the second.
  CHECK(coslice
            .shell("awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == \"starting_time\") c = i } NR == 2 { print "
                   "$c }' out/jobs.csv")
            .out == "500\n");
  CHECK_THAT(complaint(kCourse + again + "users = [7]\n" + kJobs), Catch::Contains("'course' appears twice"));
}

TEST_CASE("reservations that cannot be are refused at their lines", "[cli]") {
  using Catch::Contains;
  const std::string head = "[[reservations]]\nname = 'r'\n";
  CHECK_THAT(complaint(head + kJobs), Contains("s.toml:1: the reservation 'r' does not say when it is"));
  CHECK_THAT(complaint(kCourse + kCourse + kJobs), Contains("s.toml:7: the reservation 'course' appears twice"));
  CHECK_THAT(complaint(head + "from = 1\nlength = 5\nevery = 5\n" + kJobs), Contains("begins again before it is over"));
  CHECK_THAT(complaint(head + "from = 1\nlength = 5\nannounced = 6\n" + kJobs),
             Contains("is over when it is announced"));
  CHECK_THAT(complaint(head + "from = 1\nfloating = 5\n" + kJobs), Contains("floats and has times of its own"));
  CHECK_THAT(complaint(head + "from = 1\nlength = 5\ncount = 5\n" + kJobs),
             Contains("is for 5 nodes, and only 4 are left for it"));
  CHECK_THAT(complaint(kCourse + "[[reservations]]\nname = 'more'\ncount = 3\nfrom = 150\nlength = 5\n" + kJobs),
             Contains("is for 3 nodes, and only 2 are left for it"));
  CHECK_THAT(complaint(head + "nodes = ['4']\nfrom = 1\nlength = 5\n" + kJobs),
             Contains("'4' names no nodes of the machine"));
  CHECK_THAT(complaint(head + "lenght = 5\n" + kJobs), Contains("s.toml:3:") && Contains("length"));
  CHECK_THAT(complaint(kCourse + kJobs + "[engine]\nevent_order = 'submissions-first'\n"),
             Contains("engine.event_order = \"submissions-first\" and [[reservations]] cannot be combined"));
}

TEST_CASE("a reservation of each five minutes for a year, and one that a job names in time slices", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("often.toml", "[machine]\nnodes = 2\n[workload]\njobs = [{ nodes = 2, runtime = 100 }]\n"
                                     "[[reservations]]\nname = 'r'\nfrom = 0\nlength = 10\nevery = 300\nusers = [7]\n");
  REQUIRE(coslice("run often.toml --quiet --out often").status == 0);
  CHECK_THAT(coslice.folder.read("often/summary.json"), Contains("\"makespan\": 110"));
  coslice.folder.write("named.toml",
                       "[machine]\nnodes = 4\n[workload]\njobs = [{ nodes = 3, runtime = 50, reservation = 'r' }]\n"
                       "[[reservations]]\nname = 'r'\nnodes = ['1-3']\nfrom = 673\nlength = 300\nevery = 1800\n"
                       "users = [7]\n[policy]\nname = 'scojo_pect'\n");
  REQUIRE(coslice("run named.toml --quiet --set policy.params.interval=600 --out named").status == 0);
  CHECK_THAT(coslice.folder.read("named/summary.json"), Contains("\"makespan\": 723"));
}

TEST_CASE("a reservation for jobs that are not there is said", "[cli]") {
  const Program coslice;
  coslice.folder.write("s.toml", "[machine]\nnodes = 2\n[workload]\njobs = [{ nodes = 2, runtime = 100 }]\n"
                                 "[[reservations]]\nname = 'demo'\nfrom = 500\nlength = 60\njobs = [1, 99, 7]\n");
  const Said said = coslice("run s.toml --policy fcfs");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Catch::Contains("reservation 'demo' is for jobs 99, 7, which the workload does not have"));
}

}  // namespace reservations_test
