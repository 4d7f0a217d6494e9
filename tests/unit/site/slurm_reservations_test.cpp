// Reservations of a site, dumps that are read without keeping their jobs, and lines of them that are left out.
#include "catch.h"
#include "formats/sacct.h"
#include "message_of.h"
#include "scratch_folder.h"
#include "slurm/import.h"
#include "slurm/reservations.h"

namespace slurm_reservations_test {

using namespace coslice;
using namespace coslice::slurm;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A Sunday.
const std::string kDump = "JobID|User|Account|Partition|Submit|Elapsed|NCPUS\n"
                          "1|ann|ocean|p|2026-03-01T08:00:00|00:10:00|1\n"
                          "2|Bob|ocean|p|2026-03-01T09:00:00|00:10:00|1\n";

struct ReservedSite {
  explicit ReservedSite(const std::string& reservations, std::string dump = kDump, SkippedLines* skipped = nullptr) {
    ImportFiles files;
    files.conf = folder.write("slurm.conf",
                              "NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL\nPartitionName=few Nodes=n[1-2]\n");
    files.jobs = folder.write("jobs", dump);
    files.reservations = folder.write("res.txt", reservations);
    const Import import = import_slurm(
        files, [&](std::string_view block) { trace += block; }, skipped);
    for (const auto& [name, text] : import.files)
      (name == "scenario.toml" ? scenario : name == "import.md" ? page : policy) = text;
    scenario.erase(0, scenario.find("\n[[reservations]]"));
  }
  ScratchFolder folder;
  std::string scenario, page, policy, trace;
};

std::string refusal(const std::string& reservations) {
  return message_of([&] { ReservedSite site(reservations); });
}

/// A record as scontrol prints it.
std::string record(const std::string& more, const std::string& nodes = "n[1-2]",
                   const std::string& start = "2026-03-01T10:00:00", const std::string& end = "2026-03-01T12:00:00") {
  return "ReservationName=course StartTime=" + start + " EndTime=" + end + " Duration=02:00:00\n   Nodes=" + nodes +
         " NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) " + more + "\n   TRES=cpu=8\n\n";
}

SacctSurvey survey(const std::string& text, std::size_t block, std::string& copied, SkippedLines* skipped = nullptr) {
  SacctSurveyor surveyor("dump", skipped, [&](std::string_view part) { copied += part; });
  for (std::size_t at = 0; at < text.size(); at += block) surveyor.take(std::string_view(text).substr(at, block));
  return surveyor.finish();
}

}  // namespace

TEST_CASE("a reservation of scontrol becomes one of the scenario", "[slurm_import]") {
  const ReservedSite site(
      record("Flags=MAINT,SPEC_NODES\n   Users=ann,root Groups=(null) Accounts=(null) Licenses=(null) "
             "State=INACTIVE BurstBuffer=(null) Watts=n/a\n   MaxStartDelay=00:10:00"));
  CHECK(site.scenario == "\n[[reservations]]\nname = \"course\"\nnodes = [\"n[1-2]\"]\nbackfill = 600\nusers = [1]\n"
                         "from = 7200\nlength = 7200\n");
  CHECK(says(site.page, "| `ReservationName=course` | res.txt:1 | [[reservations]] |"));
  CHECK(says(site.page, "| `Flags=MAINT` | res.txt:2 |"));
  CHECK(says(site.page, "all jobs of a reservation's users and accounts may run in it"));
  CHECK(site.trace == kDump);
}

TEST_CASE("jobs that say which reservation they named are those of it, unless it draws others to itself",
          "[slurm_import]") {
  const std::string dump = "JobID|User|Account|Partition|Submit|Elapsed|NCPUS|Reservation\n"
                           "1|ann|ocean|p|2026-03-01T08:00:00|00:10:00|1|course\n";
  CHECK_FALSE(says(ReservedSite(record("Users=ann"), dump).scenario, "users"));
  CHECK(says(ReservedSite(record("Flags=MAGNETIC Accounts=ocean"), dump).scenario, "accounts = [1]"));
}

TEST_CASE("reservations repeat by hour, day, week, and on days of the week", "[slurm_import]") {
  const auto times = [](const std::string& flags, const std::string& start, const std::string& end) {
    const std::string text = ReservedSite(record("Flags=" + flags, "n1", start, end)).scenario;
    return text.substr(text.find("from"));
  };
  const std::string again = "\n[[reservations]]\nname = \"course\"\n";
  CHECK(times("DAILY", "2026-03-11T10:00:00", "2026-03-11T12:00:00") == "from = 7200\nlength = 7200\nevery = 86400\n");
  CHECK(times("HOURLY", "2026-03-11T10:30:00", "2026-03-11T10:45:00") == "from = 1800\nlength = 900\nevery = 3600\n");
  CHECK(times("WEEKLY", "2026-03-01T07:00:00", "2026-03-01T09:00:00") ==  // open at the first submission
        "from = 0\nlength = 3600\n" + again + "from = 601200\nlength = 7200\nevery = 604800\n");
  CHECK(times("WEEKEND", "2026-03-01T10:00:00", "2026-03-01T12:00:00") ==
        "from = 7200\nlength = 7200\nevery = 604800\n" + again + "from = 525600\nlength = 7200\nevery = 604800\n");
  const std::string weekday = times("WEEKDAY", "2026-03-02T10:00:00", "2026-03-02T12:00:00");
  CHECK(std::count(weekday.begin(), weekday.end(), '[') == 8);  // four tables more, of two each
  CHECK(says(weekday, "from = 93600\n"));
  // One that began before the first job, and one that was over then.
  CHECK(times("SPEC_NODES", "2026-03-01T07:00:00", "2026-03-01T09:00:00") == "from = 0\nlength = 3600\n");
  const ReservedSite over(record("", "n1", "2026-02-01T07:00:00", "2026-02-01T09:00:00"));
  CHECK(over.scenario.empty());
  CHECK(says(over.page, "over before the first job was submitted"));
}

TEST_CASE("one line each, nodes by number, and what is not modelled is named with its line", "[slurm_import]") {
  const ReservedSite site(
      "ReservationName=a StartTime=2026-03-01T10:00:00 EndTime=2026-03-01T12:00:00 Nodes=(null) NodeCnt=1 "
      "PartitionName=few "
      "Flags=FLEX,REPLACE,PURGE_COMP=00:05:00,ODD Users=-bob Groups=staff Licenses=matlab:2\n"
      "ReservationName=b StartTime=2026-03-01T10:00:00 Duration=1-00:00:00 Nodes=n[4-5] CoreCnt=2 Flags=OVERLAP\n"
      "ReservationName=c StartTime=2026-03-01T10:00:00 Duration=01:00:00 NodeCnt=0 Flags=ANY_NODES\n"
      "ReservationName=d StartTime=2026-03-01T10:00:00 Duration=01:00:00 Nodes=n1 Flags=TIME_FLOAT\n");
  CHECK(site.scenario ==
        "\n[[reservations]]\nname = \"a\"\nnodes = [\"n[1-2]\"]\ncount = 1\nfrom = 7200\nlength = 7200\n"
        "\n[[reservations]]\nname = \"b\"\nnodes = [\"n4\"]\nfrom = 7200\nlength = 86400\n");
  for (const char* named :
       {"`FLEX` of the reservation a (res.txt:1)", "`REPLACE` of", "`PURGE_COMP=00:05:00` of", "`Users=-bob` of",
        "`Groups=staff` of", "`Licenses=matlab:2` of", "| `Flags=ODD` | res.txt:1 | not known |",
        "| `Nodes=n[4-5]` | res.txt:2 | the machine has no nodes n5 |", "`CoreCnt=2` of the reservation b (res.txt:2)",
        "| `ReservationName=c` | res.txt:3 | it is for what no node has (ANY_NODES) |",
        "| `ReservationName=d` | res.txt:4 |"}) {
    INFO(named);
    CHECK(says(site.page, named));
  }
  CHECK(ReservedSite("No reservations in the system\n").scenario.empty());
}

TEST_CASE("reservations that cannot be read are errors with their lines", "[slurm_import]") {
  CHECK(says(refusal("JobId=1\n"), "res.txt:1: 'JobId=1' is not a reservation"));
  CHECK(says(refusal("ReservationName=a\n"), "res.txt:1: the reservation 'a' has no StartTime"));
  CHECK(says(refusal(record("", "n1", "soon")), "StartTime=soon is not a time"));
  CHECK(says(refusal(record("", "n1", "2026-03-01T10:00:00", "2026-03-01T09:00:00")), "ends before it begins"));
  CHECK(says(refusal(record("") + record("")), "res.txt:5: the reservation 'course' appears twice"));
}

TEST_CASE("a survey of a dump sees what reading it whole sees, in any blocks", "[slurm_import][convert]") {
  const std::string dump = "\xEF\xBB\xBFJobID|User|Account|QOS|Partition|Submit|Elapsed|NCPUS\r\n"
                           "7|ann|b|q|p|2026-03-01T09:00:00|00:10:00|1\r\n\n"
                           "7.batch|ann|b|q|p|2026-03-01T09:00:00|00:10:00|1\n"
                           "5|carl|a|q|p|2026-03-01T08:00:00|00:10:00|1\n"
                           "6|ann|a|r|p|2026-03-01T08:00:00.5|00:10:00|1";
  const RecordedWorkload whole = parse_sacct(dump, "dump", SlurmSize::kCpus);
  for (const std::size_t block : {std::size_t{1}, std::size_t{7}, dump.size()}) {
    std::string copied;
    const SacctSurvey seen = survey(dump, block, copied);
    CHECK(copied == dump);
    CHECK(seen.jobs == 3);
    CHECK(seen.first_submit == whole.workload.header.unix_start_time * 1'000'000'000);
    CHECK(seen.users_in_groups == std::vector<std::pair<std::int32_t, std::int32_t>>{{2, 2}, {1, 2}, {1, 1}});
    for (const RecordedWorkload::Name& n : seen.names) {
      INFO(n.kind << " " << n.name);
      CHECK(std::any_of(whole.names.begin(), whole.names.end(), [&](const auto& w) {
        return w.kind == n.kind && w.number == n.number && w.name == n.name && w.jobs == n.jobs;
      }));
    }
    CHECK(seen.names.size() == whole.names.size());
  }
}

TEST_CASE("bad lines of a dump are left out of the import where that is asked for", "[slurm_import]") {
  const std::string bad = "3|ann|ocean|p|soon|00:10:00|1\n4|ann\n";
  CHECK(says(message_of([&] { ReservedSite site("No reservations in the system\n", kDump + bad); }),
             "jobs:4: Submit is 'soon'"));
  SkippedLines skipped;
  const ReservedSite site("No reservations in the system\n", kDump + bad, &skipped);
  CHECK(skipped.count == 2);
  CHECK(site.trace == kDump);
  CHECK(says(site.page, "2 lines of jobs left unread"));
  CHECK(says(site.page, "jobs:4: Submit is 'soon'"));
}

}  // namespace slurm_reservations_test
