// coslice gantt.
#include <filesystem>

#include "catch.h"
#include "run_program.h"

namespace gantt_test {

using namespace coslice_test;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Files in the program's folder, hidden ones too.
std::size_t files_in(const Program& coslice) {
  std::size_t n = 0;
  for (const auto& entry : fs::directory_iterator(coslice.folder / "")) n += entry.path().empty() ? 0 : 1;
  return n;
}

}  // namespace

TEST_CASE("a picture of a trace, of a scenario, of a run folder", "[gantt]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  const Said trace = coslice("gantt tiny.swf");
  CHECK(trace.status == 0);
  CHECK(trace.out.empty());
  CHECK(has(trace.err, "wrote tiny.html: 4 rectangles of 4 jobs"));
  CHECK(has(coslice.folder.read("tiny.html"), "<title>tiny, easy</title>"));

  REQUIRE(coslice("run tiny.swf --quiet --out results/7").status == 0);
  const Said folder = coslice("gantt results/7/ -o a.svg --title 'four jobs'");
  CHECK(folder.status == 0);
  CHECK(has(coslice.folder.read("a.svg"), ">four jobs</text>"));
  CHECK(coslice("gantt results/7").status == 0);
  CHECK(fs::exists(coslice.folder / "7.html"));
  const Said part = coslice("gantt results/7 --from 1.6min --to 4min -o b.svg");
  CHECK(has(part.err, "of 3 jobs"));
}

TEST_CASE("a picture of a workload with a date has dates along its axis", "[gantt]") {
  const Program coslice;
  const std::string jobs = "[machine]\nnodes = 4\n[workload]\njobs = [{ nodes = 4, runtime = 7200 }]\n";
  coslice.folder.write("plain.toml", jobs);
  coslice.folder.write("dated.toml", jobs + "date = \"2026-03-01 23:00\"\n");
  for (const char* name : {"plain", "dated"})
    REQUIRE(coslice(std::string("gantt ") + name + ".toml -p fcfs -o " + name + ".svg").status == 0);
  const std::string dated = coslice.folder.read("dated.svg");
  CHECK(dated.find(">2026-03-02<") != std::string::npos);
  CHECK(dated.find(">00:30<") != std::string::npos);
  CHECK(dated.find("submitted 2026-03-01 23:00:00, waited 0 s, ended 2026-03-02 01:00:00<") != std::string::npos);
  CHECK(coslice.folder.read("plain.svg").find("2026") == std::string::npos);
}

TEST_CASE("the same run gives the same picture, also of time slices", "[gantt]") {
  const Program coslice;
  const std::string scenario = "seed = 3\n[machine]\nnodes = 16\n[workload]\ngenerator = \"lublin\"\n"
                               "[workload.lublin]\njobs = 60\n[policy]\nname = \"scojo_pect\"\n"
                               "[policy.params]\nmemory = \"MM5\"\n";
  coslice.folder.write("s.toml", scenario);
  REQUIRE(coslice("gantt s.toml -o one.html").status == 0);
  REQUIRE(coslice("run s.toml --quiet --out r").status == 0);
  REQUIRE(coslice("gantt r -o two.html").status == 0);
  CHECK(coslice.folder.read("one.html") == coslice.folder.read("two.html"));
  CHECK(has(coslice.folder.read("one.html"), "\"classes\":[\"short\",\"medium\",\"long\"],\"sliced\":true"));
}

TEST_CASE("several policies: all below one another, or one that is chosen", "[gantt]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  REQUIRE(coslice("run tiny.swf --policy fcfs,easy --quiet --out r").status == 0);
  CHECK(has(coslice("gantt r").err, "wrote r.html: 8 rectangles of 4 jobs under each of 2 policies"));
  const std::string page = coslice.folder.read("r.html");
  CHECK(page.find("<h3>fcfs</h3>") < page.find("<h3>easy</h3>"));  // as they were run
  CHECK(has(page, "<title>tiny: fcfs, easy</title>"));
  REQUIRE(coslice("gantt r -o r.svg").status == 0);
  const std::string drawing = coslice.folder.read("r.svg");
  CHECK(drawing.find(">fcfs</text>") < drawing.find(">easy</text>"));
  CHECK(has(drawing, ">tiny: fcfs, easy</text>"));
  CHECK(coslice("gantt r --policy esay").err ==
        error("--policy esay: no such run in r; expected one of: easy, fcfs; did you mean 'easy'?"));
  CHECK(has(coslice("gantt r --policy fcfs").err, "wrote r-fcfs.html"));
  CHECK(has(coslice("gantt r --policy easy,fcfs -o two.svg").err, "under each of 2 policies"));
  CHECK(coslice.folder.read("two.svg").find(">easy</text>") < coslice.folder.read("two.svg").find(">fcfs</text>"));
  coslice.folder.write("s.toml", "[workload]\ntrace = \"tiny.swf\"\n[policy]\nname = [\"fcfs\", \"easy\"]\n");
  CHECK(has(coslice("gantt s.toml -o s.svg").err, "under each of 2 policies"));
  CHECK(coslice("gantt s.toml -p easy").status == 0);
  CHECK(has(coslice("gantt s.toml -p easy,fcfs --processors -o x.svg").err, "this picture shows one run"));
}

TEST_CASE("policies go by their names, not by paths", "[gantt]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  fs::create_directories(coslice.folder / "deep/down");
  coslice.folder.write("deep/down/file.lua",
                       "return { api = 1, name = \"mine\", version = \"1\", backfill = \"easy\" }\n");
  REQUIRE(coslice("run tiny.swf --policy deep/down/file.lua,fcfs --quiet --out r").status == 0);
  REQUIRE(coslice("gantt r -o r.svg").status == 0);
  CHECK(has(coslice.folder.read("r.svg"), ">mine</text>"));
  CHECK(!has(coslice.folder.read("r.svg"), "down"));
  REQUIRE(coslice("report r --svg figures -o r.html").status == 0);
  CHECK(has(coslice.folder.read("r.html"), "<h1>tiny: mine, fcfs</h1>"));
  CHECK(has(coslice.folder.read("figures/wait.svg"), ">mine</text>"));
  coslice.folder.write("c.toml", "[campaign]\nseeds = 1\n[scenario.workload]\ntrace = \"tiny.swf\"\n"
                                 "[axes]\npolicy = [\"deep/down/file.lua\", \"fcfs\"]\n");
  REQUIRE(coslice("sweep c.toml -o c.sqlite").status == 0);
  REQUIRE(coslice("report c.sqlite --svg campaign").status == 0);
  CHECK(has(coslice.folder.read("campaign/wait-all-jobs.svg"), ">mine</text>"));
  CHECK(!has(coslice.folder.read("campaign/wait-all-jobs.svg"), "down"));
}

TEST_CASE("what cannot be drawn is said, and nothing is written", "[gantt]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  fs::create_directory(coslice.folder / "empty");
  REQUIRE(coslice("run tiny.swf --quiet --out r").status == 0);
  const std::size_t before = files_in(coslice);
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Said said = coslice("gantt " + arguments);
    CHECK(said.status == 2);
    CHECK(said.err == error(message));
  };
  refused("empty", "empty: holds no run; expected a folder that `coslice run --out` wrote");
  refused("r --policy fcfs", "--policy fcfs: no such run in r; expected 'easy', the only one");
  refused("r -o a.png",
          "--out: 'a.png' does not end in .html or .svg; expected a name that says what to draw; try 'a.png.html'");
  refused("r --from 2x", "--from: '2x' is not a time; expected seconds, or a number with min, h or d");
  refused("r --from 2h --to 1h", "--to: the window ends before it begins; expected more than --from");
  refused("r --from 3d", "there is nothing to draw: no job runs or waits in that time");
  CHECK(coslice("gantt r -o missing/a.html").status == 2);
  CHECK(coslice("gantt nowhere.toml").status == 2);
  CHECK(files_in(coslice) == before);
}

TEST_CASE("a run that is not the same any more", "[gantt]") {
  const Program coslice;
  coslice.folder.write("tiny.swf", kTrace);
  REQUIRE(coslice("run tiny.swf --quiet --out r").status == 0);
  std::string summary = coslice.folder.read("r/summary.json");
  const std::size_t at = summary.find("\"fingerprint\": \"") + 16;
  const std::string fingerprint = summary.substr(at, 16);
  coslice.folder.write("r/summary.json", summary.replace(at, 16, "0123456789abcdef"));
  CHECK(coslice("gantt r").err ==
        error("r: its run is not the same any more: its fingerprint is " + fingerprint +
              " now; expected 0123456789abcdef; write it anew with `coslice run r/scenario.toml --out r`"));
  coslice.folder.write("tiny.swf", std::string(kTrace) + "5 9 -1 10 1 -1 -1 1 20 -1 1 2 1 1 1 -1 -1 -1\n");
  const Said changed = coslice("gantt r");
  CHECK(changed.status == 2);
  CHECK(has(changed.err, "tiny.swf' has changed since this was written"));
  CHECK_FALSE(fs::exists(coslice.folder / "r.html"));
}

TEST_CASE("what processors do is drawn, for policies that say it", "[gantt]") {
  const Program coslice;
  coslice.folder.write(
      "s.toml",
      "[machine]\nnodes = 2\nprocessors = 2\n[workload]\njobs = [{ nodes = 2, runtime = 2, program = \"a<b\" }, "
      "{ nodes = 1, runtime = 1, program = \"c\" }]\n"
      "[[processes.programs]]\nname = \"a<b\"\ncompute = [1e-3, 3e-3]\n[[processes.programs]]\nname = \"c\"\n"
      "[policy]\nname = \"gang\"\n");
  const Said whole = coslice("gantt s.toml --processors");
  CHECK(whole.status == 0);
  CHECK(has(whole.err, "wrote s-processors.svg: 4 processors, 0.000 s to 3."));
  REQUIRE(coslice("gantt s.toml -o jobs.svg").status == 0);  // the other picture has them side by side
  CHECK(has(coslice.folder.read("jobs.svg"), "partly beside job 2: submitted"));
  const std::string drawing = coslice.folder.read("s-processors.svg");
  CHECK(has(drawing, "job 1, a&lt;b"));
  CHECK(has(drawing, "polling"));
  for (const char* colour : {"c0", "c3", "c5", "c2 p"})  // in the legend, though there are two jobs
    CHECK(has(drawing, "y=\"58.0\" width=\"2.0\" height=\"12.0\" class=\"" + std::string(colour) + "\""));
  CHECK(coslice("gantt s.toml --processors --policy spin_block --from 0.1 --to 0.2 -o part.svg").status == 0);
  CHECK(has(coslice.folder.read("part.svg"), ">0.15 s<"));
  REQUIRE(coslice("run s.toml --quiet --out r --set 'output.files=[\"classes.csv\"]' --policy fcs").status == 0);
  CHECK(has(coslice.folder.read("r/classes.csv"), "time,job_id,rank,class\n0,1,0,CS\n0,1,1,CS\n"));
  CHECK(coslice("gantt r --processors -o of_the_folder.svg").status == 0);

  const Said page = coslice("gantt s.toml --processors -o x.html");
  CHECK(page.status == 2);
  CHECK(has(page.err, "--processors makes a drawing"));
  CHECK(coslice("gantt s.toml --processors --from 5").status == 2);
  const Said late = coslice("gantt s.toml --processors --from 100 --to 200 -o late.svg");
  CHECK(late.status == 2);
  CHECK(has(late.err, "--from: the run ends at 3."));
  CHECK(has(late.err, ", before the window begins"));
  CHECK(coslice("gantt s.toml --processors --from 1 --to 1").status == 2);
  const Said none = coslice("gantt s.toml --processors --to 1 --policy easy -o none.svg");
  CHECK(none.status == 2);
  CHECK(has(none.err, "add --policy gang"));
  CHECK(!fs::exists(coslice.folder / "none.svg"));
}

TEST_CASE("a picture of a machine whose nodes differ names nodes, partitions and GPUs", "[gantt]") {
  const Program coslice;
  const std::string scenario = COSLICE_SOURCE "/scenarios/gpus.toml";
  REQUIRE(coslice("gantt " + scenario + " --policy easy -o g.svg").status == 0);
  const std::string svg = coslice.folder.read("g.svg");
  for (const char* name : {">n01</text>", ">n04</text>", ">gpu1</text>", ">gpu2</text>"}) CHECK(has(svg, name));
  CHECK(has(svg, "<title>job 2, medium, gpu1, partition gpu, GPUs gpu1:0, partly beside"));
  CHECK(has(svg, "<title>job 1, medium, n[01-02], partition cpu: submitted"));
  REQUIRE(coslice("gantt " + scenario + " --policy easy -o g.html").status == 0);
  const std::string page = coslice.folder.read("g.html");
  CHECK(has(page, R"("kinds":[{"name":"thin","first":0,"count":4,"names":["n01","n02","n03","n04"]},)"
                  R"({"name":"gpu","first":4,"count":2,"gpus":4}])"));
  CHECK(has(page, R"("partitions":["cpu","gpu"])"));
  // Kinds where rows are too narrow for the names of nodes.
  coslice.folder.write("large.toml",
                       "[[machine.nodes]]\nname = 'cpu'\ncount = 60\n[[machine.nodes]]\nname = 'fast'\ncount "
                       "= 40\n[workload]\njobs = [{ nodes = 80, runtime = 10 }]\n");
  REQUIRE(coslice("gantt large.toml -o l.svg").status == 0);
  const std::string large = coslice.folder.read("l.svg");
  CHECK(has(large, ">cpu</text>"));
  CHECK(has(large, ">fast</text>"));
  CHECK_FALSE(has(large, ">cpu1</text>"));
}

TEST_CASE("each run of a job that moves is drawn where it was, and a share of a GPU as a part of its height",
          "[gantt]") {
  const Program coslice;
  const std::string types = COSLICE_SOURCE "/scenarios/gpu_types.toml";
  REQUIRE(coslice("gantt " + types + " --policy gpu_fifo -o moved.svg").status == 0);
  const std::string moved = coslice.folder.read("moved.svg");
  // Job 2 has half of old1 until job 1 ends, then half of new1; rows are 28 high.
  const std::string earlier = "<title>job 2, earlier on old1, GPUs old1:0: from 6 min 00 s to 1 h 00 min</title>\n";
  REQUIRE(has(moved, earlier));
  CHECK(moved.substr(moved.find(earlier) + earlier.size())
            .starts_with("<rect x=\"89.40\" y=\"66.50\" width=\"263.61\" height=\"13.00\""));
  CHECK(has(moved, "<title>job 2, medium, new1, GPUs new1:0: submitted 1 min 00 s"));
  CHECK_FALSE(has(moved, "that its policy ended"));
  CHECK_FALSE(has(moved, "interrupted run"));

  // A quarter and three quarters of one GPU, beside a whole one; the first run of job 3 is lost with its node.
  coslice.folder.write(
      "shares.toml",
      "[[machine.nodes]]\nname = 'n'\ncount = 1\ngpus = 2\n[[machine.nodes]]\nname = 'm'\ncount = 1\ngpus = 1\n"
      "[workload]\njobs = [\n"
      "  { nodes = 1, runtime = 100, request = { cores = 0, gpus = 1, gpu_share = 0.25 } },\n"
      "  { nodes = 1, runtime = 100, request = { cores = 0, gpus = 1, gpu_share = 0.75 } },\n"
      "  { nodes = 1, runtime = 100, request = { cores = 0, gpus = 1 } },\n]\n"
      "[outages]\ntrace = 'away.csv'\n");
  coslice.folder.write("away.csv", "node,from,until,kind\nn1,50,60,failure\n");
  const Said drawn = coslice("gantt shares.toml --policy easy -o shares.svg");
  INFO(drawn.err);
  REQUIRE(drawn.status == 0);
  const std::string shares = coslice.folder.read("shares.svg");
  for (const char* height : {"height=\"6.00\"", "height=\"20.00\"", "height=\"13.00\""}) CHECK(has(shares, height));
  CHECK(has(shares, "interrupted run"));
  CHECK(has(shares, "fill=\"url(#vain-stripe)\""));  // another hatch than that of loading
  CHECK_FALSE(has(shares, "fill=\"url(#loading)\""));
  CHECK(has(shares, "small numbers: GPUs"));
  for (const char* gpu : {"class=\"gpu\">0</text>", "class=\"gpu\">1</text>"}) CHECK(has(shares, gpu));
  CHECK(has(shares, "<title>job 3, earlier on n1, GPUs n1:1: from 0 s to 50 s</title>"));
}

TEST_CASE("a run that is interrupted while it is suspended has a gap until then, as others have", "[gantt]") {
  const Program coslice;
  coslice.folder.write("s.toml", "extends = '" COSLICE_SOURCE
                                 "/scenarios/suspended.toml'\n[[outages.planned]]\nkind = 'failure'\n"
                                 "nodes = ['n1', 'n2', 'n3', 'n4']\nfrom = 2100\nlength = 300\n");
  REQUIRE(coslice("gantt s.toml -o s.svg").status == 0);
  const std::string svg = coslice.folder.read("s.svg");
  const std::string run = "<title>run of job 2 that a failure ended, from 0 s to 35 min 00 s</title>\n";
  REQUIRE(has(svg, run));
  // Half an hour of nearly three.
  CHECK(svg.substr(svg.find(run) + run.size())
            .starts_with("<rect x=\"60.00\" y=\"102.00\" width=\"156.00\" height=\"18.00\""));
}

TEST_CASE("nodes that come up for a job are drawn beside the other jobs on them", "[gantt]") {
  const Program coslice;
  coslice.folder.write("p.toml", "extends = '" COSLICE_SOURCE
                                 "/scenarios/gpus.toml'\n[power]\nidle = 100\nboot = 200\nshutdown = 60\n");
  REQUIRE(coslice("gantt p.toml --policy easy -o p.svg").status == 0);
  const std::string svg = coslice.folder.read("p.svg");
  // The node for itself until job 10 comes, a half of it until it is up, and then it runs.
  const std::string loading = "fill=\"url(#loading)\"/>\n", job = " rx=\"2\" class=\"c1\"/>\n";
  const std::string alone = "<rect x=\"103.24\" y=\"170.50\" width=\"6.21\" height=\"51.00\"";
  const std::string beside = "<rect x=\"110.45\" y=\"170.50\" width=\"15.82\" height=\"25.00\"";
  const std::string runs = "<rect x=\"127.26\" y=\"170.50\" width=\"215.20\" height=\"25.00\"";
  CHECK(has(svg, "ended 39 min 20 s</title>\n" + alone + job + alone + " " + loading + beside + job + beside + " " +
                     loading + runs + job));
}

TEST_CASE("a legend names the classes that are drawn", "[gantt]") {
  const Program coslice;
  REQUIRE(coslice("gantt " COSLICE_SOURCE "/scenarios/suspended.toml -o s.svg").status == 0);
  const std::string svg = coslice.folder.read("s.svg");
  CHECK(has(svg, ">short</text>"));
  CHECK(has(svg, ">medium</text>"));
  CHECK_FALSE(has(svg, ">long</text>"));
}

TEST_CASE("nodes that are away say why and when, also for two reasons", "[gantt]") {
  const Program coslice;
  coslice.folder.write("s.toml", "[machine]\nnodes = 2\n[workload]\njobs = [{ nodes = 1, runtime = 2000 }]\n"
                                 "[[outages.planned]]\nkind = 'maintenance'\nnodes = ['1']\nfrom = 100\nlength = 300\n"
                                 "[[outages.planned]]\nkind = 'failure'\nnodes = ['1']\nfrom = 300\nlength = 1300\n");
  REQUIRE(coslice("gantt s.toml -o s.svg").status == 0);
  CHECK(has(coslice.folder.read("s.svg"),
            "<title>maintenance, from 1 min 40 s to 6 min 40 s; failure, from 5 min 00 s to 26 min 40 s</title>"));
}

}  // namespace gantt_test
