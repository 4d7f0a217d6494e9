// A site's own records as workloads: Slurm's accounting and Batsim's JSON.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/error.h"
#include "core/time.h"
#include "formats/sacct.h"
#include "formats/slurm_fields.h"
#include "formats/swf.h"
#include "formats/trace_format.h"
#include "scratch_folder.h"
#include "shared_files.h"

namespace convert_test {

using namespace coslice;

namespace {

constexpr std::int64_t kG = 1'000'000'000;

const std::string kHead = "JobID|User|JobName|Submit|Start|End|Elapsed|State|NNodes|NCPUS|ReqMem|Timelimit\n";

RecordedWorkload dump(const std::string& rows, SlurmSize size = SlurmSize::kCpus) {
  return parse_sacct(kHead + rows, "d.sacct", size);
}

template <class F>
std::string complaint(F f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

std::int64_t noted(const Workload& w, const std::string& part) {
  for (const TraceNote& n : w.notes)
    if (n.reason.find(part) != std::string::npos) return n.count;
  return 0;
}

std::string swf_of(const Workload& w) {
  std::string out;
  for (const Job& job : w.jobs) append_swf_record(out, job);
  return out;
}

}  // namespace

TEST_CASE("sacct: names that say their numbers keep them", "[convert]") {
  const auto line = [](int id, const std::string& user) {
    const std::string ran = "2026-03-01T08:00:10|2026-03-01T08:01:10|00:01:00|COMPLETED|1|1||\n";
    return fmt::format("{}|{}|x|2026-03-01T08:00:0{}|{}", id, user, id, ran);
  };
  const RecordedWorkload r = dump(line(1, "user7") + line(2, "ann") + line(3, "user1") + line(4, "user07") +
                                  line(5, "user7") + line(6, "user0"));
  std::vector<std::int32_t> users;
  for (const Job& job : r.workload.jobs) users.push_back(job.user);
  CHECK(users == std::vector{7, 1, 2, 3, 7, 0});  // 1 was taken when user1 came
}

TEST_CASE("waits stay with their jobs when larger ones are left out", "[convert]") {
  RecordedWorkload r =
      dump("1|a|x|2026-03-01T08:00:00|2026-03-01T08:00:10|2026-03-01T08:01:10|00:01:00|COMPLETED|1|64||\n"
           "2|a|x|2026-03-01T08:00:00|2026-03-01T08:00:20|2026-03-01T08:01:20|00:01:00|COMPLETED|1|4||\n"
           "3|a|x|2026-03-01T08:00:00|2026-03-01T08:01:20|2026-03-01T08:02:20|00:01:00|COMPLETED|1|8||\n");
  CHECK(most_at_once(r) == 68);
  CHECK(drop_larger_than(r, 16) == 1);
  REQUIRE(r.workload.jobs.size() == 2);
  CHECK(r.wait(0) == whole_seconds(20));
  CHECK(r.wait(1) == whole_seconds(80));
  CHECK(most_at_once(r) == 8);  // the second one ends when the third one starts
}

TEST_CASE("Slurm: times", "[convert]") {
  CHECK(iso_seconds("1970-01-02T00:00:01") == 86'401);
  CHECK(iso_seconds("2024-02-29T12:00:00") == 1'709'208'000);  // date -u -d 2024-02-29T12:00:00 +%s
  CHECK(iso_seconds("2100-03-01T00:00:00") == 4'107'542'400);
  CHECK(iso_seconds("1709208000") == 1'709'208'000);
  for (const char* none : {"Unknown", "None", "", "2024-13-01T00:00:00", "2024-01-01 00:00:00", "2024-01-01T25:00:00",
                           "2300-01-01T00:00:00", "-5"})
    CHECK_FALSE(iso_seconds(none));
  for (std::int64_t t = 0; t < 4'200'000'000; t += 86'400 * 13 + 3'671)
    CHECK(iso_seconds(iso_text(t)) == (t == 0 ? std::optional<std::int64_t>(0) : t));
}

TEST_CASE("Slurm: durations", "[convert]") {
  CHECK(slurm_duration("1-02:03:04") == (86'400 + 2 * 3600 + 3 * 60 + 4) * kG);
  CHECK(slurm_duration("02:03:04") == (2 * 3600 + 3 * 60 + 4) * kG);
  CHECK(slurm_duration("03:04") == 184 * kG);
  CHECK(slurm_duration("03:04.250") == 184 * kG + kG / 4);
  CHECK(slurm_duration("365-00:00:00") == 365 * 86'400 * kG);
  for (const char* none : {"UNLIMITED", "Partition_Limit", "INVALID", "", "1", "00:61", "1-", "a-00:00:01", "1:2:3:4"})
    CHECK_FALSE(slurm_duration(none));
  CHECK(slurm_duration_text(90'061 * kG) == "1-01:01:01");
  CHECK(slurm_duration_text(59 * kG + 1) == "00:01:00");
}

TEST_CASE("Slurm: times that no clock here counts", "[convert]") {
  CHECK(iso_seconds("7776000000") == 7'776'000'000);
  CHECK_FALSE(iso_seconds("7776000001"));
  CHECK_FALSE(slurm_instant("9223372036854775807"));
  const std::int64_t most = from_seconds(kMaxSeconds).count();
  CHECK(slurm_duration("100000-00:00:00") == most);
  CHECK(slurm_duration("100000-2400000:00:00") == most);
}

TEST_CASE("Slurm: memory and states", "[convert]") {
  CHECK(slurm_memory("4000M")->kilobytes == 4'096'000);
  CHECK(slurm_memory("2.5G")->kilobytes == 2'621'440);
  CHECK(slurm_memory("100000")->kilobytes == 102'400'000);
  CHECK(slurm_memory("16Gn")->per == SlurmMemoryPer::kNode);
  CHECK(slurm_memory("16Gc")->per == SlurmMemoryPer::kCpu);
  for (const char* none : {"", "0", "?", "0n", "M", "12X"}) CHECK_FALSE(slurm_memory(none));
  CHECK(slurm_end("CANCELLED by 1000") == SlurmEnd::kCancelled);
  CHECK(slurm_end("CANCELLED+") == SlurmEnd::kCancelled);
  CHECK(slurm_end("TIMEOUT") == SlurmEnd::kFailed);
  CHECK(slurm_end("RUNNING") == SlurmEnd::kNotEnded);
  CHECK_FALSE(slurm_end("SLEEPING"));
}

TEST_CASE("sacct: jobs, waits, names; what is left out", "[convert]") {
  const RecordedWorkload r =
      dump("7|ben|vasp|2026-03-01T08:05:00|2026-03-01T12:00:00|2026-03-02T12:00:00|1-00:00:00|TIMEOUT|4|128|4000Mc|1-"
           "00:00:00\n"
           "7.batch||batch|2026-03-01T08:05:00|2026-03-01T12:00:00|2026-03-02T12:00:00|1-00:00:00|COMPLETED|1|32||\n"
           "5|anna|lammps|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T10:10:00|02:00:00|COMPLETED|2|64|128G|"
           "UNLIMITED\r\n"
           "8|anna|lammps|2026-03-01T09:00:00|Unknown|Unknown|00:00:00|CANCELLED by 0|2|64||01:00:00\n"
           "9|anna|lammps|2026-03-01T09:00:00|2026-03-01T09:00:00|Unknown|05:00:00|RUNNING|2|64||01:00:00\n\n");
  const Workload& w = r.workload;
  CHECK(swf_of(w) == "5 0 -1 7200 64 -1 -1 64 7200 2097152 1 2 -1 2 -1 -1 -1 -1\n"
                     "7 300 -1 86400 128 -1 -1 128 86400 4096000 0 1 -1 1 -1 -1 -1 -1\n");
  CHECK(r.waits == std::vector<Duration>{whole_seconds(600), whole_seconds(14'100)});
  CHECK(w.header.unix_start_time == 1'772'352'000);
  CHECK(noted(w, "a step") == 1);
  CHECK(noted(w, "never started") == 1);
  CHECK(noted(w, "has not ended") == 1);
  CHECK(noted(w, "no limit") == 1);
  REQUIRE(r.names.size() == 4);
  CHECK(r.names[0].name == "ben");
  CHECK(r.names[1].name == "anna");
  CHECK(r.names[2].kind == "executable");
}

TEST_CASE("sacct: sizes in nodes, memory for a node", "[convert]") {
  const Workload w =
      dump("1|a|x|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|COMPLETED|4|128|8Gn|1:00\n",
           SlurmSize::kNodes)
          .workload;
  CHECK(w.jobs[0].size == 4);
  CHECK(w.jobs[0].requested_memory_kb == 8 * 1024 * 1024);
}

TEST_CASE("sacct: sizes in nodes, memory for a CPU", "[convert]") {
  const Workload w =
      dump("1|a|x|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|COMPLETED|4|128|2Gc|1:00\n",
           SlurmSize::kNodes)
          .workload;
  CHECK(w.jobs[0].size == 4);
  CHECK(w.jobs[0].requested_memory_kb == 64 * 1024 * 1024);
}

TEST_CASE("sacct: the memory of a large job is for all of it", "[convert]") {
  const char* times = "1|a|x|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|COMPLETED|";
  CHECK(dump(std::string(times) + "64|4096|8T|1:00\n").workload.jobs[0].requested_memory_kb == 2 * 1024 * 1024);
  CHECK(dump(std::string(times) + "64|4096|128Gn|1:00\n").workload.jobs[0].requested_memory_kb == 2 * 1024 * 1024);
  CHECK(dump(std::string(times) + "64|4096|9000000000000Tn|1:00\n").workload.jobs[0].requested_memory_kb == -1);
}

TEST_CASE("sacct: jobs of arrays and requeued ones get numbers, all keep the site's ids", "[convert]") {
  const char* row = "|a|x|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|COMPLETED|1|1||1:";
  const auto of = [&](std::initializer_list<const char*> ids) {
    std::string text;
    int limit = 10;  // no two rows are the same
    for (const char* id : ids) text += std::string(id) + row + std::to_string(++limit) + "\n";
    return dump(text);
  };
  const auto numbers = [](const RecordedWorkload& r) {
    std::vector<std::int64_t> out;
    for (const Job& job : r.workload.jobs) out.push_back(job.id);
    return out;
  };
  using Numbers = std::vector<std::int64_t>;
  const RecordedWorkload r = of({"3_0", "3_1", "17", "3", "3", "4+0", "4+1", "3_1.batch", "4+1.extern"});
  CHECK(numbers(r) == Numbers{18, 19, 17, 3, 20, 4});
  CHECK(r.site_ids == std::vector<std::string>{"3_0", "3_1", "17", "3", "3", "4"});
  CHECK(noted(r.workload, "numbered anew") == 3);
  CHECK(noted(r.workload, "a step") == 2);
  CHECK(sacct_text(r).find("\n3_1|a|||||2026") == std::string::npos);  // JobName x is known
  CHECK(sacct_text(r).find("\n3_1|a||||x||2026") != std::string::npos);
  CHECK(sacct_text(r).find("\n4|a|") != std::string::npos);
}

TEST_CASE("sacct: the raw number counts where it is there, the id is kept as it is written", "[convert]") {
  const std::string text = "JobID|JobIDRaw|Submit|Elapsed|NCPUS\n"
                           "3_0|7|2026-03-01T08:00:00|00:02:00|64\n3_1|8|2026-03-01T08:00:00|00:02:00|64\n";
  const RecordedWorkload r = parse_sacct(text, "d.sacct", SlurmSize::kCpus);
  CHECK(r.workload.jobs[1].id == 8);
  CHECK(r.site_id(1) == "3_1");
  CHECK(noted(r.workload, "numbered anew") == 0);
}

TEST_CASE("sacct: the ids stay with their jobs when others are left out", "[convert]") {
  RecordedWorkload r =
      dump("1_0|a|x|2026-03-01T08:00:00|2026-03-01T08:00:10|2026-03-01T08:01:10|00:01:00|COMPLETED|1|64||\n"
           "1_1|a|x|2026-03-01T08:00:00|2026-03-01T08:00:20|2026-03-01T08:01:20|00:01:00|COMPLETED|1|4||\n");
  drop_larger_than(r, 16);
  REQUIRE(r.workload.jobs.size() == 1);
  CHECK(r.site_id(0) == "1_1");
  CHECK(r.wait(0) == whole_seconds(20));
}

TEST_CASE("sacct: bars in names do not end a conversion", "[convert]") {
  const std::string times =
      "2026-03-01T08:00:00|2026-03-01T08:01:00|2026-03-01T08:03:00|00:02:00|COMPLETED|2|64|4Gn|1:00\n";
  const RecordedWorkload r = dump("7|ann|a|b||c|" + times + "8|ann||" + times + "9|ann|||" + times);
  REQUIRE(r.workload.jobs.size() == 3);
  REQUIRE(r.names.size() == 3);
  CHECK(r.names[1].name == "a|b||c");
  CHECK(r.names[2].name == "|");
  CHECK(noted(r.workload, "the delimiter is in a name") == 2);
  // Two free texts: times between them say which bar is whose.
  const std::string head = "JobID|JobName|Submit|Elapsed|NCPUS|Comment|State\n";
  const auto two = [&](const std::string& row) { return parse_sacct(head + row, "d.sacct", SlurmSize::kCpus); };
  const RecordedWorkload b = two("1|x|y|2026-03-01T08:00:00|02:00|4|see|that|COMPLETED\n");
  CHECK(b.names[0].name == "x|y");
  CHECK(b.workload.jobs[0].size == 4);
  // Beside each other they cannot be distinguished, and need not.
  CHECK(parse_sacct("JobID|JobName|Comment|Submit|Elapsed|NCPUS\n1|x|y|z|2026-03-01T08:00:00|02:00|4\n", "d",
                    SlurmSize::kCpus)
            .workload.jobs[0]
            .size == 4);
  const auto complains = [&](const std::string& text) {
    return complaint([&] { parse_sacct(text, "d.sacct", SlurmSize::kCpus); });
  };
  CHECK(
      complains("JobID|Submit|Elapsed|NCPUS\n1|x|2026-03-01T08:00:00|02:00|4\n")
          .find("d.sacct:2: the line has 5 fields; expected 4, as in the header; leave out such lines by --skip-bad") ==
      0);
  // Two ways to read the texts, the same numbers: it does not matter which.
  CHECK(complains("JobID|JobName|NCPUS|Comment|NNodes|Submit|Elapsed\n1|a|4|4|b|4|2026-03-01T08:00:00|02:00\n") ==
        "no error");
  CHECK(complains("JobID|JobName|NCPUS|Comment|Submit|Elapsed\n1|a|4|5|b|2026-03-01T08:00:00|02:00\n")
            .find("which can be read in several ways") != std::string::npos);
}

TEST_CASE("sacct: bad lines can be skipped", "[convert]") {
  const char* good = "|a|x|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|COMPLETED|1|1||1:00\n";
  SkippedLines skipped;
  std::string text = kHead + "1" + good;
  for (int i = 0; i < 7; ++i) text += "2|cut\n";
  text += "3|a|x|soon|||00:10|COMPLETED|1|1||\n4" + std::string(good);
  const RecordedWorkload r = parse_sacct(text, "d.sacct", SlurmSize::kCpus, &skipped);
  CHECK(r.workload.jobs.size() == 2);
  CHECK(skipped.count == 8);
  REQUIRE(skipped.first.size() == 5);
  CHECK(skipped.first[0].find("d.sacct:3: the line has 2 fields") == 0);
  CHECK(complaint([&] {
          parse_sacct(kHead + "2|cut\n", "d.sacct", SlurmSize::kCpus, &skipped);
        }).find("no job of the dump has run") != std::string::npos);
}

TEST_CASE("Convert: a missing limit stays missing in every format", "[convert]") {
  const RecordedWorkload r = dump(
      "1|a|x|2026-03-01T08:00:00|2026-03-01T08:00:10|2026-03-01T08:01:10|00:01:00|COMPLETED|1|64||UNLIMITED\n"
      "2|a|x|2026-03-01T08:00:00|2026-03-01T08:00:10|2026-03-01T08:01:10|00:01:00|COMPLETED|1|64||Partition_Limit\n"
      "3|a|x|2026-03-01T08:00:00|2026-03-01T08:00:10|2026-03-01T08:01:10|00:01:00|COMPLETED|1|64||02:00:00\n");
  const auto missing = [](const Workload& w) {
    return std::count_if(w.jobs.begin(), w.jobs.end(), [](const Job& j) { return !j.limit_given; });
  };
  CHECK(missing(r.workload) == 2);
  CHECK(missing(parse_sacct(sacct_text(r), "d.sacct", SlurmSize::kCpus).workload) == 2);
  CHECK(missing(parse_batsim(batsim_json(r.workload, BatsimVersion::k4), "w.json")) == 2);
  const ScratchFolder folder;
  write_recorded_swf(folder / "t.swf", r);
  CHECK(missing(read_swf(folder / "t.swf")) == 2);
}

TEST_CASE("sacct: other delimiters, widths of columns, bars in names", "[convert]") {
  for (const std::string d : {";", "\t", "^", "@@"}) {
    std::string text = kHead + "7|ann|md_run|2026-03-01T08:00:00|2026-03-01T08:01:00|2026-03-01T08:03:00|00:02:00|"
                               "COMPLETED|2|64|4Gn|1:00:00\n";
    for (std::size_t at; (at = text.find('|')) != text.npos;) text.replace(at, 1, d);
    text.replace(text.find("md_run"), 6, "md|run");
    CAPTURE(d);
    CHECK(looks_like_sacct(text));
    const RecordedWorkload r = parse_sacct(text, "d.sacct", SlurmSize::kNodes);
    REQUIRE(r.workload.jobs.size() == 1);
    CHECK(r.workload.jobs[0].id == 7);
    CHECK(r.workload.jobs[0].size == 2);
    CHECK(r.names[1].name == "md|run");
  }
  const std::string wide = "JobID%20|Submit|Elapsed|NCPUS\n7|2026-03-01T08:00:00|00:02:00|64\n";
  CHECK(parse_sacct(wide, "d.sacct", SlurmSize::kCpus).workload.jobs[0].size == 64);
  CHECK(!looks_like_sacct("; Computer: JobID\n1 0 -1 10 1\n"));
  CHECK(!looks_like_sacct("1 0 -1 10 1\n"));
}

TEST_CASE("sacct: what it does not take", "[convert]") {
  const char* good = "1|a|x|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|COMPLETED|1|1||1:00\n";
  const auto of = [](const std::string& text) {
    return complaint([&] { parse_sacct(text, "d.sacct", SlurmSize::kCpus); });
  };
  CHECK(of("").find("d.sacct: the dump is empty") == 0);
  CHECK(of(kHead).find("d.sacct: no job of the dump has run") == 0);
  CHECK(of("a|b\n1|2\n").find("d.sacct:1: the first line has no column JobID") == 0);
  CHECK(of("1234_7|anna|2026-03-01T08:00:00|00:10|4\n")
            .find("d.sacct:1: there is no header line: the first line is that of job 1234_7; expected the names of the "
                  "columns, as sacct writes them without --noheader (-n)") == 0);
  CHECK(of("JobID   User   Submit\n1   ann   x\n").find("d.sacct:1: the columns are padded with blanks") == 0);
  CHECK(of("JobID|Elapsed|NCPUS\n").find("d.sacct:1: no column says when a job was submitted (Submit)") == 0);
  CHECK(of("JobID|Submit|Elapsed|NNodes\n").find("d.sacct:1: no column says how many processors") == 0);
  CHECK(of(kHead + good + "2|a\n").find("d.sacct:3: the line has 2 fields; expected 12") == 0);
  CHECK(of(kHead + "1|a|x|yesterday|||00:00:10|COMPLETED|1|1||\n").find("d.sacct:2: Submit is 'yesterday'") == 0);
  CHECK(of(kHead + "1|a|x|2026-03-01T08:00:00|||ten|COMPLETED|1|1||\n").find("d.sacct:2: Elapsed is 'ten'") == 0);
  CHECK(of(kHead + "1|a|x|2026-03-01T08:00:00|||00:10|HAPPY|1|1||\n").find("d.sacct:2: State is 'HAPPY'") == 0);
  CHECK(of(kHead + "1|a|x|2026-03-01T08:00:00|||00:10|COMPLETED|1|-4||\n").find("d.sacct:2: NCPUS is '-4'") == 0);
}

TEST_CASE("Batsim: both generations, sequences, ids in words", "[convert]") {
  const Workload w = parse_batsim(R"({"nb_res": 16, "jobs": [
      {"id": "w0!12", "subtime": 5.5, "res": 4, "walltime": 100, "profile": "long"},
      {"id": 3, "subtime": 1, "res": 2, "profile": "new"},
      {"id": "4", "subtime": 2, "res": 1, "walltime": -1, "profile": "twice"},
      {"id": 5, "subtime": 2, "res": 32, "profile": "long"},
      {"id": 6, "subtime": 2, "res": 1, "profile": "flops"}],
    "profiles": {"long": {"type": "delay", "delay": 60.25}, "new": {"type": "DelayProfile", "delay": 7},
      "twice": {"type": "composed", "repeat": 2, "seq": ["new", "long"]}, "flops": {"type": "parallel_homogeneous", "cpu": 1e9}}})",
                                  "w.json");
  CHECK(swf_of(w) == "3 1 -1 7 2 -1 -1 2 7 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
                     "4 2 -1 134.5 1 -1 -1 1 134.5 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
                     "12 5.5 -1 60.25 4 -1 -1 4 100 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
  CHECK(w.header.max_procs == 16);
  CHECK(noted(w, "without a run time") == 1);
  CHECK(noted(w, "larger than the machine (16)") == 1);
}

TEST_CASE("Batsim: what it does not take", "[convert]") {
  const auto of = [](const std::string& text) { return complaint([&] { parse_batsim(text, "w.json"); }); };
  CHECK(of(R"({"nb_res": 6e9999})") ==
        "w.json: a number in it is larger than any that can be read; expected a workload of Batsim");
  CHECK(of("{\"jobs\": [\n\n}").find("w.json:3: this is not JSON") == 0);
  CHECK(of("{}").find("w.json: there is no list 'jobs'") == 0);
  CHECK(of(R"({"jobs": []})").find("w.json: there are no 'profiles'") == 0);
  CHECK(of(R"({"jobs": [], "profiles": {}})").find("w.json: no job can be simulated") == 0);
  CHECK(of(R"({"jobs": [{"id": 1, "subtime": 0, "res": "2", "profile": "p"}], "profiles": {}})")
            .find("w.json: res of job 1 is not a number") == 0);
  CHECK(of(R"({"jobs": [{"id": 1, "subtime": 0, "res": 2, "profile": "p"}], "profiles": {}})")
            .find("w.json: job 1 has the profile 'p', which is not there") == 0);
  CHECK(
      of(R"({"jobs": [{"id": 1, "subtime": 0, "res": 2, "profile": "p"}], "profiles": {"p": {"type": "composed", "seq": ["p"]}}})")
          .find("contains itself") != std::string::npos);
}

namespace {

using JsonTree = nlohmann::json;

/// The pointers to everything in a tree.
void all_places(const JsonTree& tree, const JsonTree::json_pointer& at, std::vector<JsonTree::json_pointer>& out) {
  out.push_back(at);
  if (tree.is_object())
    for (const auto& [key, value] : tree.items()) all_places(value, at / key, out);
  else if (tree.is_array())
    for (std::size_t i = 0; i < tree.size(); ++i) all_places(tree[i], at / i, out);
}

}  // namespace

TEST_CASE("Batsim: a value of another type is an error that says where, or means nothing", "[convert]") {
  const JsonTree good = JsonTree::parse(R"({"nb_res": 16, "description": "d", "jobs": [
      {"id": "w0!12", "subtime": 5.5, "res": 4, "walltime": 100, "profile": "long"},
      {"id": 3, "subtime": 1, "res": 2, "profile": "new"}, {"id": 4, "subtime": 1, "res": 2, "profile": "twice"}],
    "profiles": {"long": {"type": "delay", "delay": 60.25}, "new": {"type": "DelayProfile", "delay": 7},
      "twice": {"type": "composed", "repeat": 2, "seq": ["new", "long"]}}})");
  std::vector<JsonTree::json_pointer> places;
  all_places(good, JsonTree::json_pointer(), places);
  REQUIRE(places.size() > 30);
  for (const auto& place : places) {
    for (const char* other : {"null", "[]", "[[1]]", "{}", R"({"a": null})", "0", "-1", "1.5", "1e308", "-1e308",
                              "18446744073709551615", "-9223372036854775808", R"("")", R"("x")", "true", "false"}) {
      JsonTree bad = good;
      bad[place] = JsonTree::parse(other);
      INFO(place.to_string() << " = " << other);
      try {
        const Workload w = parse_batsim(bad.dump(), "w.json");
        CHECK(!w.jobs.empty());
      } catch (const InputError& e) {
        CHECK(std::string(e.what()).find("w.json: ") == 0);
      }
    }
  }
  const auto with = [&](const char* place, const char* value) {
    JsonTree bad = good;
    bad[JsonTree::json_pointer(place)] = JsonTree::parse(value);
    return complaint([&] { parse_batsim(bad.dump(), "w.json"); });
  };
  CHECK(with("/profiles/new/type", "3") == "w.json: type of the profile 'new' is not a text; expected a text");
  CHECK(with("/profiles/twice/seq", "{}") ==
        "w.json: seq of the profile 'twice' is not a list; expected a list of names of profiles");
  CHECK(with("/jobs/1/id", "[7]") == "w.json: id of job 2 is neither a number nor a text; expected a number or a text");
  CHECK(with("/jobs/0/res", "\"4\"") == "w.json: res of job 1 (w0!12) is not a number; expected a number");
}

TEST_CASE("Batsim: sequences that name each other over and over are worked out once", "[convert]") {
  std::string profiles = R"("p0": {"type": "delay", "delay": 1e-9})";
  for (int i = 1; i <= 30; ++i) {
    const std::string below = "\"p" + std::to_string(i - 1) + "\"";
    profiles += ", \"p" + std::to_string(i) + R"(": {"type": "composed", "seq": [)" + below + "," + below + "," +
                below + "," + below + "]}";
  }
  const Workload w = parse_batsim(
      R"({"jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "p15"}], "profiles": {)" + profiles + "}}", "w.json");
  CHECK(w.jobs.at(0).runtime == Duration{1 << 30});
}

TEST_CASE("Convert: there and back again", "[convert]") {
  const Workload first = parse_swf(
      "; MaxProcs: 64\n9 0 4 10.5 3 -1 -1 3 20 -1 1 1 1 1 1 1 -1 -1\n4 7.25 0 1 64 -1 -1 64 1 -1 1 1 1 1 1 1 -1 -1\n",
      "t.swf");
  for (const BatsimVersion v : {BatsimVersion::k4, BatsimVersion::k5}) {
    const Workload again = parse_batsim(batsim_json(first, v), "t.json");
    REQUIRE(again.jobs.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(again.jobs[i].id == first.jobs[i].id);
      CHECK(again.jobs[i].submit == first.jobs[i].submit);
      CHECK(again.jobs[i].runtime == first.jobs[i].runtime);
      CHECK(again.jobs[i].limit == first.jobs[i].limit);
      CHECK(again.jobs[i].size == first.jobs[i].size);
    }
    CHECK(again.header.max_procs == 64);
  }
}

TEST_CASE("Convert: a real trace through Slurm's form keeps every job", "[convert]") {
  const std::string path = coslice_test::shared_file("traces/KTH-SP2-1996-2.swf.gz");
  if (path.empty()) return;
  const RecordedWorkload first = read_recorded_swf(path);
  const RecordedWorkload again = parse_sacct(sacct_text(first), "k.sacct", SlurmSize::kCpus);
  REQUIRE(again.workload.jobs.size() == first.workload.jobs.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < first.workload.jobs.size(); ++i) {
    const Job &a = first.workload.jobs[i], &b = again.workload.jobs[i];
    equal += a.id == b.id && a.submit - first.workload.jobs[0].submit == b.submit.time_since_epoch() &&
             a.runtime == b.runtime && a.limit == b.limit && a.size == b.size && first.waits[i] == again.waits[i];
  }
  CHECK(equal == first.workload.jobs.size());
}

}  // namespace convert_test
