// coslice convert as people call it.
#include "catch.h"
#include "program.h"

using namespace coslice_test;

namespace {

const char* const kDump =
    "JobID|User|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit\n"
    "1|anna|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|COMPLETED|2|64|04:00:00\n"
    "1.0||2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|COMPLETED|2|64|\n";

}  // namespace

TEST_CASE("convert: the formats are told by contents and endings", "[convert]") {
  const Program coslice;
  coslice.folder.write("jobs", kDump);
  const Said first = coslice("convert jobs --machine 128 --names who.csv -o a.swf.gz");
  CHECK(first.status == 0);
  CHECK(first.out.empty());
  CHECK(first.err == "left out 1 record: a step of a job, not a job (first in line 3)\n"
                     "wrote a.swf.gz: 1 job over 0 s; on record 1 job waited 600 s in the mean\n");
  CHECK(coslice.folder.read("who.csv") == "kind,number,name,jobs\nuser,1,anna,1\n");
  CHECK(coslice("convert a.swf.gz -o b.json").status == 0);
  CHECK(coslice("convert b.json").out.find("; MaxProcs: 128\n; MaxJobs: 1\n; MaxRecords: 1\n1 0 -1 7200 64") !=
        std::string::npos);
  CHECK(coslice("convert a.swf.gz --to sacct").out.find("1|user1|||||") != std::string::npos);
  CHECK(coslice("convert jobs --size nodes").out.find("1 0 600 7200 2 ") != std::string::npos);
  CHECK(coslice("convert jobs --machine 64 -o small.swf").err.find("on record, jobs had") == std::string::npos);
  coslice.folder.write(
      "two.swf", "1 0 5 10 3 -1 -1 3 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 0 6 10 3 -1 -1 3 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  CHECK(coslice("convert two.swf --machine 4 -o small.swf")
            .err.find("warning: --machine 4: on record, jobs had 6 at once") != std::string::npos);
  CHECK(coslice("convert b.json --to batsim5").out.find("\"DelayProfile\"") != std::string::npos);
}

TEST_CASE("convert: bad input ends with status 2, and nothing is written", "[convert]") {
  const Program coslice;
  coslice.folder.write("jobs", kDump);
  coslice.folder.write("bad.sacct", "JobID|Submit|Elapsed|NCPUS\n1|soon|00:10|4\n");
  const auto refused = [&](const std::string& call, const std::string& says) {
    const Said said = coslice("convert " + call);
    CHECK(said.status == 2);
    CHECK(said.err.find(says) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(coslice.folder / "x.swf"));
  };
  refused("bad.sacct -o x.swf", "bad.sacct:2: Submit is 'soon'");
  refused("jobs -o x.dat", "'x.dat' does not say its format");
  refused("jobs -o x.swf --to swff", "did you mean 'swf'?");
  refused("jobs -o x.swf --size cores", "there is no unit 'cores'");
  refused("jobs -o x.swf --machine 8", "is smaller than all jobs");
  refused("absent -o x.swf", "absent");
  refused("jobs -o no/such/x.swf", "no/such");
}
