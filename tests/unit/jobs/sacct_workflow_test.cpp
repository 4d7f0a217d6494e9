// What a dump of sacct says of arrays and of what jobs waited for.
#include "formats/sacct.h"

#include "catch.h"
#include "core/error.h"
#include "formats/swf.h"
#include "jobs/attributes.h"

namespace sacct_workflow_test {

using namespace coslice;

namespace {

const char* const kWorkflowHead =
    "JobID|JobName|Submit|Eligible|Start|Elapsed|State|NCPUS|Reason|Dependency|SubmitLine\n";

/// A job that is submitted at 8:`submit`, eligible at 8:`eligible`, and started at 9:00.
std::string workflow_row(const std::string& id, const char* submit, const std::string& depends = "",
                         const std::string& command = "", const char* eligible = "00", const char* reason = "None") {
  const std::string day = "2026-03-01T08:";
  return id + "|x|" + day + submit + ":00|" + day + eligible + ":00|2026-03-01T09:00:00|00:10:00|COMPLETED|4|" +
         reason + "|" + depends + "|" + command + "\n";
}

RecordedWorkload workflow_dump(const std::string& rows, SlurmArrival arrival = SlurmArrival::kSubmitted) {
  return parse_sacct(kWorkflowHead + rows, "d.sacct", SlurmSize::kCpus, nullptr, arrival);
}

std::vector<std::string> texts_of(const RecordedWorkload& r, const char* attribute) {
  std::vector<std::string> out;
  for (const Job& job : r.workload.jobs) out.push_back(find_attribute(attribute)->text(job));
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("sacct: elements of arrays say their array, and its limit from what still waits or from the command",
          "[convert][workflow]") {
  const std::string waiting =
      "20_[3,5-9%2]|x|2026-03-01T08:00:00|Unknown|Unknown|00:00:00|PENDING|4|JobArrayTaskLimit||\n";
  const std::string cut = "30_[1,3,5,...%4]|x|2026-03-01T08:00:00|Unknown|Unknown|00:00:00|PENDING|4|None||\n";
  const RecordedWorkload r =
      workflow_dump(workflow_row("20_1", "00") + workflow_row("20_2", "00") + waiting + workflow_row("30_0", "01") +
                    cut + workflow_row("40_7", "02", "", "sbatch -a 0-9%3 job.sh") +
                    workflow_row("50_7", "02", "", "sbatch --arr=0-9 job.sh") + workflow_row("60", "03") +
                    workflow_row("61+1", "03") + workflow_row("62_5000000", "03"));
  CHECK(texts_of(r, "array") == Texts{"20_1%2", "20_2%2", "30_0%4", "40_7%3", "50_7", "", "", ""});
  CHECK(r.workload.notes[0].reason == "has not ended");
  CHECK(r.workload.notes[0].count == 2);
  CHECK(r.site_ids[0] == "20_1");
}

TEST_CASE("sacct: what jobs waited for, in the words of sacct, squeue and sbatch", "[convert][workflow]") {
  CHECK(sacct_dependency("afterok:3(unfulfilled),afterany:4_*(unfulfilled)", "", "9") == "afterok:3,afterany:4");
  CHECK(sacct_dependency("AfterOK:3?afternotok:4", "", "9") == "afterok:3?afternotok:4");
  CHECK(sacct_dependency("aftercorr:3:4", "", "9_7") == "afterok:3_7:4_7");
  CHECK(sacct_dependency("aftercorr:3", "", "9") == "afterok:3");
  CHECK(sacct_dependency("afterburstbuffer:3,expand:4", "", "9") == "afterany:3");
  CHECK(sacct_dependency("expand:4,singleton", "", "9") == "singleton");
  CHECK(sacct_dependency("(null)", "", "9") == "");
  CHECK(sacct_dependency("after:3+5", "sbatch -d afterok:1", "9") == "after:3+5");
  for (const char* command :
       {"sbatch --dependency=afterok:3 job.sh", "sbatch --dependency afterok:3 job.sh", "sbatch -d afterok:3 job.sh",
        "sbatch -dafterok:3 job.sh", "sbatch --depend='afterok:3' j", "sbatch -n 4 --dep=AFTEROK:3 job.sh --depth=2"})
    CHECK(sacct_dependency("", command, "9") == "afterok:3");
  for (const char* command :
       {"sbatch job.sh -d 5", "sbatch --dependency=$LAST job.sh", "sbatch -d", "sbatch -D /x -n 4"})
    CHECK(sacct_dependency("", command, "9") == "");
  CHECK_THROWS_AS(sacct_dependency("afterok:soon", "", "9"), InputError);
  CHECK_THROWS_AS(workflow_dump(workflow_row("1", "00", "later:1")), InputError);
}

TEST_CASE("sacct: terms that name no job on record before it are left out and counted", "[convert][workflow]") {
  const RecordedWorkload r =
      workflow_dump(workflow_row("5", "00") + workflow_row("6_0", "01") + workflow_row("6_1", "01") +
                    workflow_row("7", "02", "afterok:5:3,afterany:6") + workflow_row("8", "03", "afterok:3?afterok:5") +
                    workflow_row("9", "04", "afterok:6_1") + workflow_row("10", "05", "afterok:6_2") +
                    workflow_row("11", "06", "afterok:12") + workflow_row("12", "07", "after:5+2,singleton"));
  CHECK(texts_of(r, "depends") ==
        Texts{"", "", "", "afterok:5,afterany:6", "", "afterok:6_1", "", "", "after:5+2,singleton"});
  REQUIRE(r.workload.notes.back().reason.find("does not precede it in the dump") != std::string::npos);
  CHECK(r.workload.notes.back().count == 4);
}

TEST_CASE("sacct: an element of an array may be named by its own number", "[convert][workflow]") {
  const auto row = [](const char* id, const char* raw, const char* depends) {
    return std::string(id) + "|" + raw + "|2026-03-01T08:00:00|2026-03-01T09:00:00|00:10:00|COMPLETED|4|" + depends +
           "\n";
  };
  const RecordedWorkload r =
      parse_sacct("JobID|JobIDRaw|Submit|Start|Elapsed|State|NCPUS|Dependency\n" + row("9_2", "10", "") +
                      row("9_3", "9", "") + row("11", "11", "afterok:10") + row("12", "12", "afterok:13,afterok:9"),
                  "d.sacct", SlurmSize::kCpus);
  CHECK(texts_of(r, "depends") == Texts{"", "", "afterok:10", "afterok:9"});
  CHECK(r.workload.jobs[0].id == 10);
  // Without that column the number is one that was given here.
  CHECK(texts_of(workflow_dump(workflow_row("9_2", "00") + workflow_row("8", "01", "afterok:9:10")), "depends") ==
        Texts{"", "afterok:9"});
}

TEST_CASE("sacct: a job comes when it became eligible, where that is asked for and no job explains it",
          "[convert][workflow]") {
  const std::string rows = workflow_row("1", "00", "", "", "20") +
                           workflow_row("2", "00", "", "", "30", "JobHeldUser") +
                           workflow_row("3", "10", "afterok:1", "", "40") + workflow_row("4", "20", "", "", "10") +
                           workflow_row("5", "30", "afterok:99", "", "50");
  const RecordedWorkload submitted = workflow_dump(rows);
  for (const Job& job : submitted.workload.jobs)
    CHECK((job.extras->begin < Duration{0} && job.extras->held_until < Duration{0}));
  const RecordedWorkload eligible = workflow_dump(rows, SlurmArrival::kEligible);
  const auto& jobs = eligible.workload.jobs;
  CHECK(jobs[0].extras->begin == whole_seconds(20 * 60));
  CHECK(jobs[1].extras->held_until == whole_seconds(30 * 60));
  CHECK(jobs[1].extras->begin < Duration{0});
  CHECK(jobs[2].extras->begin < Duration{0});
  CHECK(jobs[3].extras->begin < Duration{0});
  CHECK(jobs[4].extras->begin == whole_seconds(50 * 60));  // what it waited for is not on record
  CHECK_THROWS_AS(parse_sacct("JobID|Submit|Elapsed|NCPUS\n1|2026-03-01T08:00:00|00:10:00|1\n", "d.sacct",
                              SlurmSize::kCpus, nullptr, SlurmArrival::kEligible),
                  InputError);
}

TEST_CASE("sacct: in the copy of a survey jobs come when they became eligible", "[convert][workflow]") {
  const std::string text = kWorkflowHead + workflow_row("1", "00", "", "", "20") +
                           workflow_row("2", "00", "", "", "30", "JobHeldUser") + workflow_row("3", "10", "afterok:1");
  std::string copy;
  SacctSurveyor surveyor("d.sacct", nullptr, [&](std::string_view part) { copy += part; });
  surveyor.take(text);
  CHECK(surveyor.finish().jobs == 3);
  CHECK(copy.substr(0, 31) == "JobID|JobName|Submit|Begin|Star");
  CHECK(copy.substr(copy.find('\n')) == text.substr(text.find('\n')));
  const RecordedWorkload r = parse_sacct(copy, "copy.sacct", SlurmSize::kCpus);
  CHECK(r.workload.jobs[0].extras->begin == whole_seconds(20 * 60));
  CHECK(r.workload.jobs[1].extras->held_until == whole_seconds(30 * 60));
  CHECK(r.workload.jobs[2].extras->begin < Duration{0});
}

TEST_CASE("sacct: a job that was preempted comes when its first run became eligible", "[convert][workflow]") {
  const std::string head = "JobID|Submit|Begin|Start|Elapsed|State|NCPUS\n", day = "2026-03-01T";
  const RecordedWorkload r =
      parse_sacct(head + "7|" + day + "08:00:00|" + day + "08:10:00|" + day + "08:20:00|00:10:00|PREEMPTED|4\n" + "7|" +
                      day + "08:30:00|" + day + "08:32:00|" + day + "08:40:00|00:20:00|COMPLETED|4\n",
                  "d.sacct", SlurmSize::kCpus);
  CHECK(r.workload.jobs.size() == 1);
  CHECK(r.workload.jobs[0].extras->begin == whole_seconds(10 * 60));
}

TEST_CASE("sacct: what a command says of ranges of nodes, and of segments", "[convert]") {
  using Range = std::pair<std::int32_t, std::int32_t>;
  const auto range = [](const std::string& options, std::int64_t nodes = 3, std::int64_t cpus = 12) {
    const std::string line = "sbatch " + options + " run.sh";
    const NodeWish wish = sacct_node_wish(line, nodes, sacct_spread(line, cpus, nodes));
    return wish.fewest == 0 ? Range{} : Range{wish.fewest, wish.most};
  };
  for (const char* same : {"-N 2-4", "-N2-4", "--nodes=2-4", "--nodes 2-4", "-N 2-4 -n 12", "-n 4 -c 3 -N 2-4",
                           "-N 2-4 --ntasks-per-node=4", "-N 2-4 -J 7-9"}) {
    INFO(same);
    CHECK(range(same) == Range{2, 4});
  }
  CHECK(range("-N 1k-2k", 1024) == Range{1024, 2048});
  CHECK(range("-N 2-100 -n 12") == Range{2, 12});                   // no more nodes than tasks
  CHECK(range("-N 2-9 --ntasks-per-node=2", 3, 6) == Range{2, 4});  // those of the fewest nodes
  CHECK(range("-N 2-9 --ntasks-per-node=1", 2, 2) == Range{});
  for (const char* none : {"-N 3", "-N 3-3", "-N 4-2", "-N 2-", "-N x-4", "-N", "-n 12", "-N 2-4 --use-min-nodes",
                           "-N 2-4 -w n[1-3]", "-N 2-4 --gpus=6", "-N 2-4 -n 5", "-N 3-9 -n 3", "-N 4-9", "-N 1-2",
                           "-N 2,4-8", "-N -1-4", "-N 2-99999999999"}) {
    INFO(none);
    CHECK(range(none) == Range{});
  }
  CHECK(sacct_node_wish("sbatch -N 8 --segment=4 a", 8, {}).segment == 4);
  CHECK(sacct_node_wish("sbatch -N 8 --segment many a", 8, {}).empty());
  // Its tasks are spread over the nodes that it had; those of a number of nodes as ever.
  const auto spread = sacct_spread("sbatch -N 2-4 -n 12 a", 12, 3);
  REQUIRE(spread);
  CHECK(std::pair(spread->fewest_nodes, spread->most_nodes) == Range{3, 3});
  CHECK_FALSE(sacct_spread("sbatch -N 2-4 -n 12 a", 12));
  CHECK_FALSE(sacct_spread("sbatch -N 4 -n 16 --segment=2 a", 16, 4));
}

TEST_CASE("a command says all partitions that a job may have", "[sacct]") {
  for (const char* line : {"sbatch -p a,b job.sh", "sbatch -pa,b job.sh", "sbatch --partition=a,b job.sh",
                           "sbatch --part a,b job.sh", "srun '-p' \"a,b\" ./x -p c"})
    for (const char* ran : {"a", "b"}) CHECK(sacct_partitions(line, ran) == "a,b");
  for (const char* line : {"sbatch -p c,d job.sh", "sbatch -p a job.sh", "sbatch job.sh a,b", "sbatch -p aa,ab x", "",
                           "sbatch -p , x", "sbatch -n 2 -p a,b : -n 4 -p b,c x", "sbatch x,y -p"})
    CHECK(sacct_partitions(line, "a") == "a");
  CHECK(sacct_partitions("sbatch -p a,b x", "") == "");
}

TEST_CASE("sacct: jobs with a range of nodes are counted, and as asked for where ReqTRES has the fewest", "[convert]") {
  const std::string head = "JobID|Submit|Elapsed|State|NNodes|NCPUS|AllocTRES|ReqTRES|SubmitLine\n";
  const auto row = [](int id, const std::string& nodes, const std::string& command) {
    return std::to_string(id) + "|2026-03-01T08:00:00|00:10:00|COMPLETED|" + nodes + "|12|cpu=12,node=" + nodes +
           "|cpu=2,node=2|" + command + "\n";
  };
  const auto survey = [&](const std::string& rows) {
    SacctSurveyor surveyor("d.sacct", nullptr, [](std::string_view) {});
    surveyor.take(head + rows);
    return surveyor.finish();
  };
  const std::string ranges =
      row(1, "3", "sbatch -N 2-4 a") + row(2, "3", "sbatch -N 2-4 b") + row(3, "4", "sbatch -N 2-4 a");
  const SacctSurvey all = survey(ranges);
  CHECK(all.node_ranges == 3);
  CHECK(all.nodes_as_asked);
  const SacctSurvey others = survey(ranges + row(4, "3", "sbatch -N 3-4 a") + row(5, "3", "sbatch -N 3 a"));
  CHECK(others.node_ranges == 3);
  CHECK_FALSE(others.nodes_as_asked);
  const RecordedWorkload read = parse_sacct(head + ranges, "d.sacct", SlurmSize::kCpus);
  REQUIRE(read.requests.size() == 2);
  const NodeWish& wish = read.requests[0].wish;
  CHECK(wish.fewest == 2);
  CHECK(wish.most == 4);
  CHECK_FALSE(read.requests[0].spread);
}

TEST_CASE("sacct: a job of a range of nodes counts with the fewest, where no column says what it got", "[convert]") {
  const std::string head = "JobIDRaw|Submit|Start|End|State|NNodes|NCPUS|Timelimit|ReqTRES|";
  const std::string times = "1|2024-05-01T08:00:00|2024-05-01T08:00:10|2024-05-01T08:10:10|COMPLETED|4|32|00:20:00|";
  const std::string line = "|sbatch -N 2-4 --ntasks-per-node=8 a\n";
  const auto read = [](const std::string& text) { return parse_sacct(text, "d.sacct", SlurmSize::kCpus); };
  const RecordedWorkload asked = read(head + "SubmitLine\n" + times + "cpu=16,mem=2G,node=2" + line);
  CHECK(asked.requests.at(0).nodes == 2);
  CHECK(asked.workload.jobs.at(0).size == 16);
  const RecordedWorkload both =
      read(head + "AllocTRES|SubmitLine\n" + times + "cpu=16,mem=2G,node=2|cpu=32,mem=4G,node=4" + line);
  CHECK(both.requests.at(0).nodes == 4);
  CHECK(both.workload.jobs.at(0).size == 32);
}

TEST_CASE("sacct: arrays and dependencies come back from SWF and from sacct's own form", "[convert][workflow]") {
  const RecordedWorkload r =
      workflow_dump(workflow_row("5", "00") + workflow_row("20_1", "01", "", "sbatch --array=1-2%2 x") +
                    workflow_row("20_2", "01", "afterok:5") + workflow_row("21", "02", "afterok:20:5,afterany:20_2"));
  std::string swf;
  for (const Job& job : r.workload.jobs) append_swf_record(swf, job);
  RecordedWorkload back;
  back.workload = parse_swf(swf, "back.swf");
  for (const char* attribute : {"array", "depends"}) CHECK(texts_of(back, attribute) == texts_of(r, attribute));
  for (const RecordedWorkload& from : {r, back}) {
    const RecordedWorkload again = parse_sacct(sacct_text(from), "again.sacct", SlurmSize::kCpus);
    CHECK(again.site_ids == r.site_ids);
    for (const char* attribute : {"array", "depends"}) CHECK(texts_of(again, attribute) == texts_of(r, attribute));
    for (std::size_t j = 0; j != 4; ++j) CHECK(again.workload.jobs[j].id == r.workload.jobs[j].id);
  }
}

}  // namespace sacct_workflow_test
