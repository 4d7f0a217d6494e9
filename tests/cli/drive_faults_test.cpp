// coslice drive beside a Slurm (tests/slurm/drive/fake) that does not answer or lies, killed at the wrong instant, with
// full disks.
#include "catch.h"

#include "drive_site.h"

namespace drive_faults_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

/// Shell commands for $FAKE_SLURM/before or /after, run at one order.
std::string at(const std::string& order, const std::string& commands) {
  return "if [ \"$*\" = '" + order + "' ]; then " + commands + "; fi\n";
}

const std::string kTimeout = "echo 'slurm_update error: Socket timed out on send/recv operation' >&2; exit 1";
const std::string kDrive = "--policy easy --partition batch";

/// What was left open is proven ten minutes later.
void expect_settled_later(const Site& site) {
  site.edit("config", "10:00:00", "10:10:00");
  site.forget_orders();
  const Said said = site.drive("--recover");
  CHECK(said.status == 0);
  CHECK(said.err.empty());
  CHECK(site.orders().empty());
  CHECK_FALSE(site.has_state());
}

}  // namespace

TEST_CASE("a job is given back whose start was noted when the drive was killed", "[cli]") {
  const Site site;
  site.edit("nodes", "CPUAlloc=16", "CPUAlloc=0");  // 101 has ended: three jobs start in one pass
  site.edit("nodes", "CPUAlloc=16", "CPUAlloc=0");
  site.edit("jobs",
            "101|RUNNING|None|ann|batch|2026-03-02T08:00:00|2026-03-02T08:00:10|4:00:00|900|cpu=32,mem=128000M,node=2|"
            "NO|n[1-2]|\n",
            "");
  site.edit("jobs", "cpu=64,mem=256000M,node=4", "cpu=16,mem=64000M,node=1");
  site.coslice.folder.write("before", at("release 102", "kill -KILL $PPID; sleep 0.1; exit 1"));
  REQUIRE(site.drive(kDrive + " --once").status == 128 + 9);
  std::filesystem::remove(site.coslice.folder / "before");
  for (const char* job : {"102", "103", "104"}) REQUIRE_THAT(site.reason_of(job), Contains("JobHeldAdmin"));

  REQUIRE(site.drive("--recover").status == 1);  // an order may still be under way
  for (const char* job : {"102", "103", "104"}) CHECK(site.reason_of(job) == "Priority");
  expect_settled_later(site);
}

TEST_CASE("a job is given back whose start could not be noted", "[cli]") {
  const Site site;
  site.coslice.folder.write("before", at("hold 104", "mkdir coslice-drive.toml.part"));  // nothing can be written there
  const Said said = site.drive(kDrive + " --once");
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Contains("coslice-drive.toml.part"));
  CHECK(site.orders() == kHolds + "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
  CHECK_FALSE(site.has_state());
}

TEST_CASE("what a drive that was killed left of a write is gone after the next one", "[cli]") {
  const Site site;
  for (const std::string& next : {std::string("--recover"), "--once " + kDrive}) {
    site.coslice.folder.write("coslice-drive.toml.part", "filter = ");
    CHECK(site.drive(next).status == 0);
    CHECK_FALSE(std::filesystem::exists(site.coslice.folder / "coslice-drive.toml.part"));
  }
}

TEST_CASE("a hold whose answer is lost is given back", "[cli]") {
  const Site site;
  site.coslice.folder.write("after", at("hold 103", kTimeout));
  REQUIRE(site.drive(kDrive + " --once").status == 0);
  std::filesystem::remove(site.coslice.folder / "after");
  REQUIRE(site.reason_of("103") == "JobHeldAdmin");
  const Said said = site.drive("--recover");
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Contains("1 job given back, but Slurm may still carry out an order") &&
                           Contains("--recover in 10 minutes"));
  CHECK(site.reason_of("103") == "Priority");
  expect_settled_later(site);
}

TEST_CASE("a hold that comes after its answer was lost is given back", "[cli]") {
  const Site site;
  site.coslice.folder.write("before", at("hold 103", kTimeout));
  REQUIRE(site.drive(kDrive + " --once").status == 0);
  std::filesystem::remove(site.coslice.folder / "before");
  REQUIRE(site.reason_of("103") == "Priority");
  CHECK(site.drive("--recover").status == 1);  // it has not come yet
  site.shell("scontrol hold 103");
  site.edit("config", "10:00:00", "10:05:00");
  CHECK(site.drive("--recover").status == 1);
  CHECK(site.reason_of("103") == "Priority");
  site.edit("config", "10:05:00", "10:00:00");
  expect_settled_later(site);
}

TEST_CASE("a release that is answered and does nothing is ordered again", "[cli]") {
  const Site site;
  REQUIRE(site.drive(kDrive + " --once").status == 0);
  site.coslice.folder.write("before", at("release 102", "[ -e lied ] || { : >lied; exit 0; }"));
  const Said said = site.drive("--recover");
  CHECK(said.status == 0);
  CHECK(site.reason_of("102") == "Priority");
  CHECK_FALSE(site.has_state());
}

TEST_CASE("a job of which squeue has a line that cannot be read stays in the ledger", "[cli]") {
  const Site site;
  REQUIRE(site.drive(kDrive + " --once").status == 0);
  site.edit("jobs", "103|PENDING|JobHeldAdmin|ann|batch|2026-03-02T09:10:00",
            "103|PENDING|JobHeldAdmin|ann|batch|yesterday");
  const Said said = site.drive("--recover");
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Contains("1 job could not be given back"));
  CHECK_THAT(site.coslice.folder.read("coslice-drive.toml"), Contains("id = \"103\""));
}

TEST_CASE("a state file that cannot be read is an error, and is not written over", "[cli]") {
  const Site site;
  std::filesystem::create_symlink("coslice-drive.toml",
                                  site.coslice.folder / "coslice-drive.toml");  // it leads to itself
  for (const std::string& arguments : {std::string("--recover"), kDrive + " --once"}) {
    const Said said = site.drive(arguments);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("coslice-drive.toml: cannot be read: Too many levels of symbolic links"));
  }
  CHECK(site.orders().empty());
  CHECK(std::filesystem::is_symlink(std::filesystem::symlink_status(site.coslice.folder / "coslice-drive.toml")));
}

TEST_CASE("further signals do not interrupt the giving back", "[cli]") {
  const Site site;
  site.coslice.folder.write("before", at("release 102", "kill -TERM $PPID; sleep 0.1; kill -INT $PPID; sleep 0.1"));
  const Said said =
      site.shell("coslice drive " + kDrive +
                 " --interval 0.1 >log & pid=$!; until_ready $pid; "
                 "for i in $(seq 600); do [ -e orders ] && [ $(grep -c . orders) -ge 5 ] && break; sleep 0.05; done; "
                 "kill -TERM $pid; wait $pid");
  CHECK(said.status == 0);
  CHECK(site.orders() == kHolds + kStarts + "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
  CHECK_FALSE(site.has_state());
}

TEST_CASE("where nobody reads its output, a drive goes on and gives back", "[cli]") {
  const Site site;
  site.shell("{ coslice drive " + kDrive +
             " --interval 0.1 & echo $! >pid; wait $!; echo $? >status; } | head -n 1 >line & "
             "for i in $(seq 600); do [ -e orders ] && [ $(grep -c . orders) -ge 5 ] && break; sleep 0.05; done; "
             "kill -TERM $(cat pid); wait");
  CHECK(site.coslice.folder.read("status") == "0\n");
  CHECK(site.orders() == kHolds + kStarts + "scontrol release 102\nscontrol release 103\nscontrol release 104\n");
}

}  // namespace drive_faults_test
