// Free texts in dumps of sacct: delimiters, line ends, any columns; the copy of an import; times of other zones.
#include <random>

#include <fmt/format.h>

#include "case_range.h"
#include "catch.h"
#include "core/error.h"
#include "formats/sacct.h"
#include "formats/sacct_columns.h"
#include "formats/slurm_fields.h"
#include "message_of.h"
#include "sacct_dumps.h"

namespace sacct_text_test {

using namespace coslice;
using coslice_test::Compared;
using coslice_test::difference;
using coslice_test::DumpWriter;
using coslice_test::WrittenDump;

namespace {

RecordedWorkload read_dump(const std::string& text, SkippedLines* skipped = nullptr) {
  return parse_sacct(text, "d.sacct", SlurmSize::kCpus, skipped);
}

std::string copy_of(const std::string& text, std::size_t block = 1000) {
  std::string copy;
  SacctSurveyor surveyor("d.sacct", nullptr, [&](std::string_view part) { copy += part; });
  for (std::size_t at = 0; at < text.size(); at += block) surveyor.take(std::string_view(text).substr(at, block));
  surveyor.finish();
  return copy;
}

std::string name_of_job(const RecordedWorkload& r, std::size_t j) { return coslice_test::job_read(r, j).name; }

std::int64_t note_count(const RecordedWorkload& r, const std::string& part) {
  for (const TraceNote& n : r.workload.notes)
    if (n.reason.find(part) != std::string::npos) return n.count;
  return 0;
}

const std::string kColumns =
    "JobID|User|Account|Partition|QOS|JobName|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES|ReqTRES|"
    "Constraints|NodeList|Eligible|SubmitLine\n";

std::string texts_row(const std::string& id, const std::string& name, const std::string& features,
                      const std::string& command) {
  return id + "|eve|lab|long|high|" + name +
         "|2026-05-04T10:00:00|2026-05-04T10:30:00|2026-05-04T11:30:00|01:00:00|COMPLETED|1|6|02:00:00|"
         "cpu=6,mem=3G,node=1|cpu=6,mem=3G,node=1|" +
         features + "|m7|2026-05-04T10:00:00|" + command + "\n";
}

}  // namespace

TEST_CASE("sacct: every printable character in every free text comes back", "[convert][times]") {
  std::mt19937 random(20260504);
  for (int i = 0; i != test::rounds(100); ++i) {
    DumpWriter writer([&](std::size_t n) { return static_cast<std::size_t>(random() % n); });
    const WrittenDump dump = writer.write(12);
    CAPTURE(i, dump.text);
    const RecordedWorkload r = read_dump(dump.text);
    REQUIRE(difference(dump, r) == "");
    const std::string copy = copy_of(dump.text, 1 + random() % 300);
    CAPTURE(copy);
    const RecordedWorkload again = read_dump(copy);
    REQUIRE(difference(dump, again) == "");
    REQUIRE(note_count(again, "the delimiter is in a name") == 0);  // nothing is left to put together
    REQUIRE(difference(dump, read_dump(sacct_text(r)), Compared::kWritten) == "");
  }
}

TEST_CASE("sacct: a row that can be read in several ways is the one in which no column is without what it says",
          "[convert]") {
  struct Case {
    const char *what, *head, *rows;
    std::vector<std::string> names;
  };
  // Each was refused, or read as another job.
  for (const Case& c : {
           Case{"many bars in a text that begins the row",
                "JobName|JobID|Submit|Elapsed|State|NCPUS|Timelimit\n",
                "a||||||b\nc|1|2026-05-04T10:00:00|00:10:00|COMPLETED|2|01:00:00\n",
                {"a||||||b\nc"}},
           Case{"a limit, or none and it is text",
                "JobID|Submit|Elapsed|State|NCPUS|Constraints|Timelimit|JobName\n",
                "1|2026-05-04T10:00:00|00:10:00|COMPLETED|2|<\n'?|||x'|!j|01:00:00|a\n",
                {"a"}},
           Case{"a number where a time may end the row",
                "Comment|JobID|Submit|Elapsed|State|NCPUS|JobName|Start\n",
                "|1|2026-05-04T10:00:00|00:10:00|COMPLETED|2|a|0\nb|2026-05-04T10:05:00\n",
                {"a|0\nb"}},
           Case{"letters that are a state elsewhere",
                "JobID|Submit|Elapsed|NCPUS|Comment|State|JobName|Start\n",
                "1|2026-05-04T10:00:00|00:10:00|2||COMPLETED|F v/|x|2026-05-04T10:05:00\n",
                {"F v/|x"}},
           Case{"a blank line within a text that looks complete without it",
                "JobID|Submit|Elapsed|State|NCPUS|JobName|AllocTRES|StdOut|Timelimit\n",
                "1|2026-05-04T10:00:00|00:10:00|COMPLETED|2|n||x|\n \n<a|cpu=2|/o|01:00:00\n",
                {"n||x|\n \n<a"}},
           Case{"a line that begins like a row and ends one",
                "JobID|ReqTRES|Submit|Elapsed|State|NCPUS|JobName|AllocTRES|Constraints\n",
                "1|cpu=2|2026-05-04T10:00:00|00:10:00|COMPLETED|2|a||b\n9|cpu=2|\n"
                "2|cpu=2|2026-05-04T10:00:00|00:10:00|COMPLETED|2|c|cpu=2|\n",
                {"a||b\n9", "c"}},
           Case{"quotes in texts between which there are as many fields as elsewhere",
                "JobID|StdOut|Eligible|Extra|Timelimit|Submit|Elapsed|State|NCPUS|JobName|Start\n",
                "1|\"]]|2026-05-04T10:00:00|/p\"\"\"|02:00:00|2026-05-04T10:00:00|00:10:00|COMPLETED|2|||"
                "|2026-05-04T10:05:00\n",
                {"||"}},
           Case{"a text that looks complete, with a word behind it where a span is due",
                "Comment|JobID|Submit|Elapsed|State|NCPUS|JobName|Planned\n"
                "|1|2026-05-04T10:00:00|00:10:00|COMPLETED|2|O|U/ZZ\n{U|9|00:10:00\n",
                "a\nb|2|2026-05-04T10:00:00|00:10:00|COMPLETED|2|c|00:10:00\n",
                {"O|U/ZZ\n{U|9", "c"}},
       }) {
    CAPTURE(c.what);
    const RecordedWorkload r = read_dump(std::string(c.head) + c.rows);
    REQUIRE(r.workload.jobs.size() == c.names.size());
    for (std::size_t j = 0; j != c.names.size(); ++j) CHECK(name_of_job(r, j) == c.names[j]);
  }
}

TEST_CASE("sacct: bars and line ends in names, constraints and commands, in the middle and at the end", "[convert]") {
  const std::string text = kColumns + texts_row("61", "plain", "", "sbatch a.sh") +
                           texts_row("62", "p|q", "fast|big", "sbatch -C fast|big --wrap=env | sort | uniq") +
                           texts_row("63", "two\nlines", "", "sbatch --wrap=cd /scratch\n\npython go.py 7\nexit") +
                           texts_row("64", "", "fast", "sbatch b.sh");
  const RecordedWorkload r = read_dump(text);
  REQUIRE(r.workload.jobs.size() == 4);
  CHECK(name_of_job(r, 1) == "p|q");
  CHECK(coslice_test::job_read(r, 1).constraints == "fast|big");
  CHECK(name_of_job(r, 2) == "two\nlines");
  CHECK(coslice_test::job_read(r, 3).constraints == "fast");
  CHECK(note_count(r, "the delimiter is in a name") == 2);
  const std::string copy = copy_of(text);
  CHECK(std::count(copy.begin(), copy.end(), '\n') == 5);
  for (std::size_t at = 0; at < copy.size(); at = copy.find('\n', at) + 1) {
    const std::string line = copy.substr(at, copy.find('\n', at) - at);
    CHECK(std::count(line.begin(), line.end(), '|') == 19);
  }
  CHECK(copy.find("|Begin|") != std::string::npos);
  CHECK(copy.find("fast\\u007cbig") != std::string::npos);
  CHECK(coslice_test::job_read(read_dump(copy), 1).constraints == "fast|big");
  CHECK(sacct_text(r).find("|fast\\u007cbig") != std::string::npos);
}

TEST_CASE("sacct: all columns of --format ALL, one odd text after the other", "[convert]") {
  const std::string all =
      "Account|AdminComment|AllocCPUS|AllocNodes|AllocTRES|AssocID|AveCPU|AveCPUFreq|AveDiskRead|AveDiskWrite|AvePages|"
      "AveRSS|AveVMSize|BlockID|Cluster|Comment|Constraints|ConsumedEnergy|ConsumedEnergyRaw|Container|CPUTime|"
      "CPUTimeRAW|DBIndex|DerivedExitCode|Elapsed|ElapsedRaw|Eligible|End|ExitCode|Extra|FailedNode|Flags|GID|Group|"
      "JobID|JobIDRaw|JobName|Layout|Licenses|MaxDiskRead|MaxDiskReadNode|MaxDiskReadTask|MaxDiskWrite|"
      "MaxDiskWriteNode|MaxDiskWriteTask|MaxPages|MaxPagesNode|MaxPagesTask|MaxRSS|MaxRSSNode|MaxRSSTask|MaxVMSize|"
      "MaxVMSizeNode|MaxVMSizeTask|McsLabel|MinCPU|MinCPUNode|MinCPUTask|NCPUS|NNodes|NodeList|NTasks|Partition|"
      "Planned|PlannedCPU|PlannedCPURAW|Priority|QOS|QOSRAW|QOSREQ|Reason|ReqCPUFreq|ReqCPUFreqGov|ReqCPUFreqMax|"
      "ReqCPUFreqMin|ReqCPUS|ReqMem|ReqNodes|ReqTRES|Reservation|ReservationId|Restarts|SLUID|Start|State|StdErr|StdIn|"
      "StdOut|Submit|SubmitLine|Suspended|SystemComment|SystemCPU|Timelimit|TimelimitRaw|TotalCPU|TRESUsageInAve|"
      "TRESUsageInMax|TRESUsageInTot|TRESUsageOutTot|UID|User|UserCPU|WCKey|WCKeyID|WorkDir";
  const std::map<std::string, std::string> usual = {{"Account", "lab"},
                                                    {"AllocCPUS", "6"},
                                                    {"AllocNodes", "1"},
                                                    {"AllocTRES", "cpu=6,mem=3G,node=1"},
                                                    {"AssocID", "12"},
                                                    {"Cluster", "reef"},
                                                    {"ConsumedEnergy", "0"},
                                                    {"ConsumedEnergyRaw", "0"},
                                                    {"CPUTime", "06:00:00"},
                                                    {"CPUTimeRAW", "21600"},
                                                    {"DBIndex", "991"},
                                                    {"DerivedExitCode", "0:0"},
                                                    {"Elapsed", "01:00:00"},
                                                    {"ElapsedRaw", "3600"},
                                                    {"Eligible", "2026-05-04T10:00:00"},
                                                    {"End", "2026-05-04T11:30:00"},
                                                    {"ExitCode", "0:0"},
                                                    {"Flags", "SchedMain,StartReceived"},
                                                    {"GID", "100"},
                                                    {"Group", "users"},
                                                    {"JobID", "71"},
                                                    {"JobIDRaw", "71"},
                                                    {"JobName", "go"},
                                                    {"NCPUS", "6"},
                                                    {"NNodes", "1"},
                                                    {"NodeList", "m7"},
                                                    {"Partition", "long"},
                                                    {"Planned", "00:30:00"},
                                                    {"PlannedCPU", "03:00:00"},
                                                    {"PlannedCPURAW", "10800"},
                                                    {"Priority", "4294901758"},
                                                    {"QOS", "high"},
                                                    {"QOSRAW", "3"},
                                                    {"Reason", "None"},
                                                    {"ReqCPUFreq", "Unknown"},
                                                    {"ReqCPUFreqGov", "Unknown"},
                                                    {"ReqCPUFreqMax", "Unknown"},
                                                    {"ReqCPUFreqMin", "Unknown"},
                                                    {"ReqCPUS", "6"},
                                                    {"ReqMem", "3G"},
                                                    {"ReqNodes", "1"},
                                                    {"ReqTRES", "billing=6,cpu=6,mem=3G,node=1"},
                                                    {"Restarts", "0"},
                                                    {"SLUID", "s9XK4"},
                                                    {"Start", "2026-05-04T10:30:00"},
                                                    {"State", "COMPLETED"},
                                                    {"StdErr", "/data/eve/%j.err"},
                                                    {"StdIn", "/dev/null"},
                                                    {"StdOut", "/data/eve/%j.out"},
                                                    {"Submit", "2026-05-04T10:00:00"},
                                                    {"SubmitLine", "sbatch go.sh"},
                                                    {"Suspended", "00:00:00"},
                                                    {"SystemCPU", "00:00.012"},
                                                    {"Timelimit", "02:00:00"},
                                                    {"TimelimitRaw", "120"},
                                                    {"TotalCPU", "05:59:10"},
                                                    {"UID", "1007"},
                                                    {"User", "eve"},
                                                    {"UserCPU", "05:59:09"},
                                                    {"WCKeyID", "0"},
                                                    {"WorkDir", "/data/eve"}};
  std::vector<std::string> columns;
  for (const std::string_view c : sacct_fields(all, "|")) columns.emplace_back(c);
  for (const char* odd : {"AdminComment", "Comment", "Constraints", "Container", "Extra", "JobName", "Licenses",
                          "StdErr", "StdOut", "SubmitLine", "SystemComment", "WorkDir", "Reservation", "Reason"}) {
    for (const char* value : {"a|b", "x | y\nz || 1", "first\n\nlast|"}) {
      std::string text = all + "\n";
      for (int row = 0; row != 3; ++row) {
        std::string line;
        for (const std::string& c : columns) {
          const auto found = usual.find(c);
          std::string v = found == usual.end() ? "" : found->second;
          if (c == "JobID" || c == "JobIDRaw") v = std::to_string(71 + row);
          if (c == odd && row == 1) {
            const std::string_view known = v;
            v = known.starts_with("/") || known.starts_with("sbatch") ? v + value : value;
            if (std::string_view(c) == "WorkDir" && v.ends_with("|")) v += "x";
          }
          line += (line.empty() ? "" : "|") + v;
        }
        text += line + "\n";
      }
      CAPTURE(odd, value);
      const RecordedWorkload r = read_dump(text);
      REQUIRE(r.workload.jobs.size() == 3);
      CHECK(r.site_ids == std::vector<std::string>{"71", "72", "73"});
      for (std::size_t j = 0; j != 3; ++j) {
        CHECK(r.workload.jobs[j].size == 6);
        CHECK(r.wait(j) == whole_seconds(1800));
        CHECK(coslice_test::job_read(r, j).user == "eve");
      }
      if (std::string_view(odd) == "JobName") CHECK(name_of_job(r, 1) == value);
      const RecordedWorkload again = read_dump(copy_of(text));
      CHECK(again.site_ids == r.site_ids);
      CHECK(name_of_job(again, 1) == name_of_job(r, 1));
    }
  }
}

TEST_CASE("sacct: a column with another name, or of a site's own, is put together as well", "[convert]") {
  const std::string head = "JobID|Ticket|Submit|Begin|Elapsed|NCPUS|State|Note\n";
  const RecordedWorkload r =
      read_dump(head + "81|see | #4|2026-05-04T10:00:00|2026-05-04T10:05:00|00:10:00|2|COMPLETED|a\nb\n" +
                "82||2026-05-04T10:00:00|2026-05-04T10:00:00|00:10:00|2|COMPLETED|\n");
  REQUIRE(r.workload.jobs.size() == 2);
  CHECK(r.workload.jobs[0].extras->begin == whole_seconds(300));
}

TEST_CASE("sacct: what is cut off, repeated or without an end is named", "[convert]") {
  const std::string good = texts_row("91", "x", "", "sbatch x.sh");
  const std::string cut = good.substr(0, 60);
  CHECK(message_of([&] { read_dump(kColumns + good + cut); }).find("d.sacct:3: the line has 8 fields; expected 20") ==
        0);
  CHECK(message_of([&] { read_dump(kColumns + good + cut); }).find("the dump was cut off within this line") !=
        std::string::npos);
  CHECK(message_of([&] { read_dump(kColumns + cut + "\n" + good); }).find("d.sacct:2: the line has 8 fields") == 0);
  SkippedLines skipped;
  CHECK(read_dump(kColumns + cut + "\n" + good + cut, &skipped).workload.jobs.size() == 1);
  CHECK(skipped.count == 2);
  // Two dumps, one behind the other.
  CHECK(read_dump(kColumns + good + kColumns + texts_row("92", "y", "", "sbatch y.sh")).workload.jobs.size() == 2);
}

TEST_CASE("sacct: fields are escaped and come back", "[convert]") {
  for (const char* text : {"", "a", "a|b", "a\nb\r\n", "\\u007c", "\\u005cu", "c:\\u00", "@", "a@@b", "@@@"})
    for (const char* delimiter : {"|", "@@"}) {
      CAPTURE(text, delimiter);
      const std::string escaped = escaped_sacct_field(text, delimiter);
      CHECK(escaped.find('\n') == std::string::npos);
      CHECK((escaped + delimiter).find(delimiter) == escaped.size());
      CHECK(plain_sacct_field(escaped, delimiter) == text);
    }
}

TEST_CASE("sacct: a table whose texts are in quotes, as tools for tables write it", "[convert]") {
  const auto fields = [](std::string_view line) { return quoted_sacct_fields(line, ","); };
  CHECK(fields("a,\"b,c\",,\"say \"\"x\"\"\"") == std::vector<std::string>{"a", "b,c", "", "say \"x\""});
  for (const char* none : {"\"a", "a\"b\",c", "\"a\"b,c", "\"a\" ,b"}) CHECK_FALSE(fields(none));

  const std::string row = "7,ann,2026-05-04T10:00:00,2026-05-04T10:05:00,00:10:00,2,COMPLETED,";
  const std::string names = "JobID,User,Submit,Start,Elapsed,NCPUS,State,AllocTRES,Constraints,JobName\n";
  // Texts with commas alone are quoted.
  const RecordedWorkload some = read_dump(names + row + "\"cpu=2,mem=4G,node=1\",,\"sim, \"\"a\"\"\"\n");
  REQUIRE(some.workload.jobs.size() == 1);
  CHECK(name_of_job(some, 0) == "sim, \"a\"");
  CHECK(some.requests[some.workload.jobs[0].request].features.empty());
  CHECK(note_count(some, "put together") == 0);
  // All texts are, and the names of the columns, too; they go on over lines.
  const std::string quoted =
      "\"JobID\",\"User\",\"Submit\",\"Start\",\"Elapsed\",\"NCPUS\",\"State\",\"AllocTRES\",\"Constraints\","
      "\"JobName\"\n"
      "\"7\",\"ann\",\"2026-05-04T10:00:00\",\"2026-05-04T10:05:00\",\"00:10:00\",2,\"COMPLETED\","
      "\"cpu=2,mem=4G,node=1\",\"\",\"first\nsecond, third\"\n"
      "\"8\",\"ann\",\"2026-05-04T10:00:00\",\"2026-05-04T10:05:00\",\"00:10:00\",2,\"COMPLETED\","
      "\"cpu=2,mem=4G,node=1\",\"\",\"plain\"\n";
  for (const std::string& text : {quoted, copy_of(quoted)}) {
    const RecordedWorkload all = read_dump(text);
    REQUIRE(all.workload.jobs.size() == 2);
    CHECK(name_of_job(all, 0) == "first\nsecond, third");
    CHECK(name_of_job(all, 1) == "plain");
  }
  // A quote that is only a letter.
  CHECK(name_of_job(read_dump(kColumns + texts_row("9", "\"x", "a\"b", "sbatch --wrap=\"a|b\"")), 0) == "\"x");
}

TEST_CASE("sacct: text of 16 bits is named", "[convert]") {
  const std::string wide = std::string("\xff\xfeJ\0o\0b\0I\0D\0", 12);
  CHECK(message_of([&] { read_dump(wide); }).find("d.sacct:1: is text of 16 bits (UTF-16)") == 0);
}

TEST_CASE("Slurm: times say how far their clock is ahead of UTC", "[convert]") {
  const std::int64_t ten = *slurm_instant("2026-05-04T10:00:00");
  const std::int64_t hour = 3'600'000'000'000;
  CHECK(slurm_instant("2026-05-04T10:00:00Z") == ten);
  CHECK(slurm_instant("2026-05-04T10:00:00+02:00") == ten - 2 * hour);
  CHECK(slurm_instant("2026-05-04T10:00:00-0330") == ten + 3 * hour + hour / 2);
  CHECK(slurm_instant("2026-05-04T10:00:00.5+01") == ten - hour + 500'000'000);
  CHECK(slurm_time("2026-05-04T10:00:00+0200")->shown == ten);
  for (const char* none : {"2026-05-04T10:00:00+2", "2026-05-04T10:00:00+02:60", "2026-05-04T10:00:00 +02:00",
                           "2026-05-04T10:00:00+1900", "2026-05-04Z", "Z", "+01:00"})
    CHECK_FALSE(slurm_time(none));
}

TEST_CASE("sacct: times with their zone do not jump with the clocks", "[convert]") {
  const std::string head = "JobID|Submit|Start|End|Elapsed|State|NCPUS\n";
  const RecordedWorkload r = read_dump(
      head + "1|2025-10-26T02:55:00+0200|2025-10-26T02:05:00+0100|2025-10-26T03:05:00+0100|01:00:00|COMPLETED|4\n"
             "2|2025-10-26T03:30:00+01:00|2025-10-26T03:31:00+01:00|2025-10-26T03:32:00+01:00|00:01:00|COMPLETED|4\n");
  CHECK(r.wait(0) == whole_seconds(600));
  CHECK(r.workload.jobs[1].submit.time_since_epoch() == whole_seconds(95 * 60));
  CHECK(r.workload.header.unix_start_time == 1'761'447'300);  // the clock of the first one: 02:55
  CHECK(note_count(r, "elapsed time is not end minus start") == 0);
  const RecordedWorkload local =
      read_dump(head + "1|2025-10-26T02:55:00|2025-10-26T02:05:00|2025-10-26T03:05:00|01:00:00|COMPLETED|4\n");
  CHECK(local.wait(0) < Duration{0});
  CHECK(note_count(local, "started before it was submitted (a change of the clocks") == 1);
  const RecordedWorkload odd =
      read_dump(head + "1|2025-10-26T02:55:00Z|2025-10-26T02:05:00Z|2025-10-26T03:05:00Z|00:50:00|COMPLETED|4\n");
  CHECK(note_count(odd, "started before it was submitted, by times that say their zone") == 1);
  CHECK(note_count(odd, "elapsed time is not end minus start (suspended), it is what counts") == 1);
}

}  // namespace sacct_text_test
