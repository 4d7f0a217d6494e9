// Reading and writing of traces.
#include "formats/swf.h"

#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "catch.h"
#include "core/error.h"
#include "shared_files.h"

namespace swf_test {

using namespace coslice;
using Catch::Contains;

namespace {

std::string rest_of_record(const std::string& first_five) { return first_five + " -1 -1 -1 -1 -1 1 7 8 9 2 3 -1 -1\n"; }

std::string problem_of(const std::string& text) {
  try {
    parse_swf(text, "t.swf");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

const TraceNote* find_note(const Workload& w, const std::string& reason) {
  for (const auto& n : w.notes)
    if (n.reason == reason) return &n;
  return nullptr;
}

class TempFile {
 public:
  explicit TempFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("coslice" + std::to_string(std::random_device{}()) + name))
                  .string()) {}
  ~TempFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

bool same_job(const Job& a, const Job& b) {
  return a.id == b.id && a.submit == b.submit && a.runtime == b.runtime && a.limit == b.limit && a.size == b.size &&
         a.user == b.user && a.group == b.group && a.executable == b.executable && a.queue == b.queue &&
         a.partition == b.partition && a.status == b.status && a.used_memory_kb == b.used_memory_kb &&
         a.requested_memory_kb == b.requested_memory_kb && a.extras->think_time == b.extras->think_time &&
         a.extras->preceding == b.extras->preceding;
}

}  // namespace

TEST_CASE("a full SWF record goes into a job", "[swf]") {
  const auto w = parse_swf("; MaxProcs: 128\n;MaxNodes: 64\n; UnixStartTime: 100\n"
                           " 12 10.5 3 60.25 8 1.5 640 16 3600 2048 1 4 5 6 7 8 11 90\n",
                           "a/KTH.swf");
  REQUIRE(w.jobs.size() == 1);
  const Job& j = w.jobs[0];
  CHECK(w.name == "KTH");
  CHECK(w.header.max_procs == 128);
  CHECK(w.header.max_nodes == 64);
  CHECK(w.header.unix_start_time == 100);
  CHECK(w.header.lines.size() == 3);
  CHECK(j.id == 12);
  CHECK(j.submit == Time{Duration{10'500'000'000}});
  CHECK(j.runtime == Duration{60'250'000'000});
  CHECK(j.limit == whole_seconds(3600));
  CHECK(j.size == 16);
  CHECK(j.used_memory_kb == 640);
  CHECK(j.requested_memory_kb == 2048);
  CHECK(j.status == 1);
  CHECK(j.user == 4);
  CHECK(j.group == 5);
  CHECK(j.executable == 6);
  CHECK(j.queue == 7);
  CHECK(j.partition == 8);
  CHECK(j.extras->preceding == 11);
  CHECK(j.extras->think_time == whole_seconds(90));
  CHECK(w.notes.empty());
}

TEST_CASE("size is the larger of fields 8 and 5, the limit falls back on the run time", "[swf]") {
  const auto w = parse_swf("1 0 -1 50 8 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                           "2 0 -1 50 -1 -1 -1 4 0 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                           "3 0 -1 50 4 -1 -1 -1 9 -1 5 -1 -1 -1 -1 -1 -1 -1\n",
                           "t.swf");
  REQUIRE(w.jobs.size() == 3);
  CHECK(w.jobs[0].size == 8);
  CHECK(w.jobs[1].size == 4);
  CHECK(w.jobs[2].size == 4);
  CHECK(w.jobs[0].limit == whole_seconds(50));
  CHECK(w.jobs[1].limit == whole_seconds(50));
  CHECK(w.jobs[2].limit == whole_seconds(9));
  CHECK(w.jobs[2].status == 5);  // cancelled, yet it ran
  REQUIRE(find_note(w, "no requested time, the run time is the limit") != nullptr);
  CHECK(find_note(w, "no requested time, the run time is the limit")->count == 2);
}

TEST_CASE("what cannot be simulated is dropped and accounted for", "[swf]") {
  const std::string text = rest_of_record("1 0 -1 10 2") + rest_of_record("2 1 -1 10 0") +
                           rest_of_record("3 2 -1 -1 2") + rest_of_record("4 3 -1 10 65") +
                           rest_of_record("5 4 -1 0 64") + rest_of_record("6 -1 -1 10 2") +
                           rest_of_record("7 6 -1 99999999999 2");
  const auto w = parse_swf(text, "t.swf", {64});
  REQUIRE(w.jobs.size() == 2);
  CHECK(w.records == 7);
  CHECK(w.jobs[1].runtime == whole_seconds(1));
  const auto check = [&](const char* reason, std::int64_t line, bool dropped) {
    INFO(reason);
    const TraceNote* n = find_note(w, reason);
    REQUIRE(n != nullptr);
    CHECK(n->count == 1);
    CHECK(n->first_line == line);
    CHECK(n->dropped == dropped);
  };
  check("no size", 2, true);
  check("no run time", 3, true);
  check("larger than the machine (64)", 4, true);
  check("run time 0, taken as 1 s", 5, false);
  check("no submit time", 6, true);
  check("a time beyond 31 years", 7, true);
}

TEST_CASE("the header's machine can decide what is too large", "[swf]") {
  const std::string jobs = rest_of_record("1 0 -1 10 2") + rest_of_record("2 1 -1 10 9");
  CHECK(parse_swf("; MaxProcs: 8\n; MaxNodes: 4\n" + jobs, "t", {kMachineFromHeader}).jobs.size() == 1);
  CHECK(parse_swf("; MaxNodes: 16\n" + jobs, "t", {kMachineFromHeader}).jobs.size() == 2);
  CHECK(parse_swf(jobs, "t", {kMachineFromHeader}).jobs.size() == 2);
  auto w = parse_swf(jobs, "t");
  CHECK(machine_of(w).nodes == 9);
  CHECK(machine_of(w).source == MachineSource::kLargestJob);
  CHECK(drop_larger_than(w, 8) == 1);
  CHECK(w.jobs.size() == 1);
  CHECK(w.notes.back().dropped);
  CHECK(drop_larger_than(w, 8) == 0);
  w.header.max_nodes = 16;
  CHECK(machine_of(w).source == MachineSource::kMaxNodes);
  w.header.max_procs = 32;
  CHECK(machine_of(w).nodes == 32);
}

TEST_CASE("records out of order are sorted, equal ones keep their order", "[swf]") {
  const auto w = parse_swf(rest_of_record("1 5 -1 10 1") + rest_of_record("2 5 -1 10 1") +
                               rest_of_record("3 2 -1 10 1") + rest_of_record("4 5 -1 10 1"),
                           "t");
  std::vector<std::int64_t> ids;
  for (const auto& j : w.jobs) ids.push_back(j.id);
  CHECK(ids == std::vector<std::int64_t>{3, 1, 2, 4});
  CHECK(find_note(w, "out of order, sorted by submit time")->count == 1);
  CHECK(find_note(w, "out of order, sorted by submit time")->first_line == 3);
}

TEST_CASE("odd but readable records are read", "[swf]") {
  const std::string crlf = "\xEF\xBB\xBF; Computer: x\r\n# another comment\r\n\r\n"
                           "1\t0 -1 1e2 1 -1\t-1 -1 +50 -1 1 -1 -1 -1 -1 -1 -1 -1\r\n"
                           "2 1 -1 10 4 -1 -1 4 -1\r\n"
                           "3 2 x 10 4 y -1 4 20 -1 1 bob -1 -1 -1 -1 -1 -1 17 18\r\n"
                           "4 3 -1 10.0000000004 4 -1 -1 4 2147483647 -1 1 -1 -1 -1 -1 -1 -1 -1";  // no line end
  const auto w = parse_swf(crlf, "t");
  REQUIRE(w.jobs.size() == 4);
  CHECK(w.header.lines[0] == "; Computer: x");
  CHECK(w.jobs[0].runtime == whole_seconds(100));
  CHECK(w.jobs[0].limit == whole_seconds(50));
  CHECK(w.jobs[1].limit == whole_seconds(10));
  CHECK(w.jobs[2].user == -1);
  CHECK(w.jobs[3].runtime == whole_seconds(10));
  CHECK(w.jobs[3].limit == whole_seconds(1'000'000'000));
  CHECK(find_note(w, "fewer than 18 fields, the others taken as missing")->count == 1);
  CHECK(find_note(w, "more than 18 fields, the others ignored")->count == 1);
  REQUIRE(w.warnings.size() == 1);
  CHECK(w.warnings.front().find("t: 1 of 4 records have up to 20 fields; those behind the 18th are ignored") == 0);
  CHECK(find_note(w, "a field that is not a number, taken as missing")->count == 1);
  CHECK(find_note(w, "requested time beyond 31 years, taken as 31 years")->count == 1);
}

TEST_CASE("a record in which the file ends is not a job", "[swf]") {
  const std::string whole = "1 0 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
  const auto w = parse_swf(whole + "2 5 -1 10 1 -1 -1 1 1", "t");
  CHECK(w.records == 2);
  REQUIRE(w.jobs.size() == 1);
  const TraceNote* note = find_note(w, "cut off: the file ends inside of the record");
  REQUIRE(note != nullptr);
  CHECK(note->dropped);
  CHECK(note->first_line == 2);
  CHECK(parse_swf(whole + "2 5", "t").jobs.size() == 1);
  CHECK(parse_swf("1 0 -1 10 1 -1 -1 1 20\n2 5 -1 10 1 -1 -1 1 20", "t").jobs.size() ==
        2);  // all of them are short: that is how it was written
  CHECK(parse_swf(whole + "2 5 -1 10 1 -1 -1 1 20\n", "t").jobs.size() == 2);
}

TEST_CASE("a record that ends before the requested time is none", "[swf]") {
  for (const char* text : {"1 0 3 10 2\n2 1 0 20 2\n", "7 3 1 5 2 -1 -1 2\n"})
    CHECK(problem_of(text).find("t.swf:1: the record has ") == 0);
  CHECK(problem_of("1 0 3 10 2\n").find("5 fields, and none says what was requested; expected the Standard") !=
        std::string::npos);
}

TEST_CASE("submit times that count from 1970 begin at 0", "[swf]") {
  const auto w = parse_swf(rest_of_record("1 1272639895 -1 10 1") + rest_of_record("2 1272639900.5 -1 10 1"), "t");
  CHECK(w.jobs[0].submit == at_seconds(0));
  CHECK(w.jobs[1].submit == at_seconds(5.5));
  CHECK(w.header.unix_start_time == 1272639895);
  CHECK(find_note(w, "submit time counts from 1970, moved to begin at 0")->count == 2);
  CHECK(problem_of(rest_of_record("1 0 -1 10 1") + rest_of_record("2 1272639900 -1 10 1")) ==
        "t.swf: job 2 is submitted more than 9 years after job 1, the one before; expected submit times that all count "
        "from the trace's start, or all from 1970");
}

TEST_CASE("a trace of more than a lifetime is taken, up to what can be counted", "[swf]") {
  std::string text;
  for (int i = 0; i < 30; ++i) text += rest_of_record(fmt::format("{} {} -1 10 1", i + 1, 200'000'000LL * i));
  const auto w = parse_swf(text, "t");
  CHECK(w.jobs.back().submit == at_seconds(5.8e9));
  CHECK(w.header.unix_start_time == 0);
  CHECK(problem_of(text + rest_of_record("31 6000000000 -1 10 1") + rest_of_record("32 6000000001 -1 10 1"))
            .find("t.swf: the submit times span more than 190 years; expected a span that leaves room") == 0);
}

TEST_CASE("bad lines can be skipped", "[swf]") {
  const std::string text = "; MaxProcs: 4\n" + rest_of_record("1 0 -1 10 1") + "hello\n" +
                           rest_of_record("x 5 -1 10 1") + rest_of_record("2 6 -1 ten 1") +
                           rest_of_record("1 7 -1 10 1") + rest_of_record("3 8 -1 10 1");
  SkippedLines skipped;
  SwfOptions options;
  options.skipped = &skipped;
  const Workload w = parse_swf(text, "t.swf", options);
  REQUIRE(w.jobs.size() == 2);
  CHECK(w.jobs[1].id == 3);
  CHECK(skipped.count == 4);
  REQUIRE(skipped.first.size() == 4);
  CHECK(skipped.first[0].find("t.swf:3: ") == 0);
  CHECK(skipped.first[3].find("t.swf:6: job number 1 is used twice") == 0);
  SkippedLines all;
  options.skipped = &all;
  CHECK_THROWS_AS(parse_swf("hello\nworld\n", "t.swf", options), InputError);
  CHECK(all.count == 2);
}

TEST_CASE("a job number used twice is an error, parts of a job are left out", "[swf]") {
  CHECK(problem_of(rest_of_record("7 0 -1 10 1") + rest_of_record("8 1 -1 10 1") + rest_of_record("7 2 -1 10 1")) ==
        "t.swf:3: job number 7 is used twice, first in line 1; expected a number of its own for each job");
  const auto w = parse_swf("1 0 -1 4 1 -1 -1 1 9 -1 2 -1 -1 -1 -1 -1 -1 -1\n"
                           "1 0 -1 10 1 -1 -1 1 20 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                           "1 6 -1 4 1 -1 -1 1 9 -1 3 -1 -1 -1 -1 -1 -1 -1\n"
                           "2 7 -1 4 1 -1 -1 1 9 -1 3 -1 -1 -1 -1 -1 -1 -1\n",
                           "t");
  REQUIRE(w.jobs.size() == 2);
  CHECK(w.jobs[0].runtime == whole_seconds(10));
  CHECK(find_note(w, "part of a job that has a record of its own")->count == 2);
}

TEST_CASE("a job number is not cut", "[swf]") {
  const std::string expected = "; expected a whole number of at most 18 digits";
  CHECK(problem_of(rest_of_record("1 0 -1 10 1") + rest_of_record("1.5 0 -1 10 1")) ==
        "t.swf:2: field 1 (job number) is '1.5'" + expected);
  CHECK(problem_of(rest_of_record("12345678901234567890 0 -1 10 1")) ==
        "t.swf:1: field 1 (job number) is '12345678901234567890'" + expected);
  CHECK(problem_of(rest_of_record("-1e30 0 -1 10 1")) == "t.swf:1: field 1 (job number) is '-1e30'" + expected);
  const auto w = parse_swf(rest_of_record("1.0 0 -1 10 1") + rest_of_record("1234567890123456789 0 -1 10 1") +
                               rest_of_record("+1e2 0 -1 10 1"),
                           "t");
  CHECK(w.jobs[0].id == 1);
  CHECK(w.jobs[1].id == 1234567890123456789);
  CHECK(w.jobs[2].id == 100);
}

TEST_CASE("what is not a trace is refused with a reason", "[swf]") {
  const std::string expected = "; expected the Standard Workload Format: 18 numbers a line, ';' before comments";
  CHECK(problem_of("") == "t.swf: the trace has no records" + expected);
  CHECK(problem_of("; MaxProcs: 3\n") == "t.swf: the trace has no records" + expected);
  CHECK(problem_of("<html>\n") == "t.swf:1: this looks like an HTML or XML page" + expected);
  CHECK(problem_of("\n{\"jobs\": []}") ==
        "t.swf:2: this looks like JSON or TOML" + expected + "; `coslice convert` makes a trace of it");
  CHECK(problem_of("job,submit,run\n1,2,3\n") == "t.swf:1: this looks like a comma-separated file" + expected);
  CHECK(problem_of(std::string("\x7f"
                               "ELF\0\1\2",
                               7)) == "t.swf:1: this looks like binary data" + expected);
  CHECK(problem_of("BZh91AY&SY") == "t.swf:1: this looks like a bzip2 archive" + expected);
  CHECK(problem_of("1 2 3\n") == "t.swf:1: the record has 3 fields" + expected);
  CHECK(problem_of(rest_of_record("1 0 -1 10 1") + rest_of_record("2 0 -1 ten 1")) ==
        "t.swf:2: field 4 (run time) is 'ten', not a number" + expected);
  CHECK(problem_of(rest_of_record("1 nan -1 10 1")) ==
        "t.swf:1: field 2 (submit time) is 'nan', not a number" + expected);
  CHECK(problem_of(std::string(300'000, '7')) == "t.swf:1: the line does not end" + expected);
  CHECK(problem_of("12\n") == "t.swf:1: the record has 1 field" + expected);
}

TEST_CASE("a header without an end and a date without a calendar are refused", "[swf]") {
  std::string comments;
  for (int i = 0; i < 300'000; ++i) comments += ";\n";
  const std::string record = rest_of_record("1 0 -1 10 1");
  CHECK(problem_of(comments + record).find("lines of comments before the first record") != std::string::npos);
  CHECK(parse_swf(record + comments, "t.swf").jobs.size() == 1);  // those behind it are not kept
  CHECK(problem_of("; UnixStartTime: 92233720368547\n" + record) ==
        "t.swf:1: UnixStartTime is 92233720368547; expected seconds since 1970, up to 7776000000");
}

TEST_CASE("files that cannot be read are refused", "[swf]") {
  const auto message = [](const std::string& path) {
    try {
      read_swf(path);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(message("/no/such/trace.swf") == "/no/such/trace.swf: cannot be opened: No such file or directory");
  const std::string folder = std::filesystem::temp_directory_path().string();
  CHECK(message(folder) == folder + ": is a folder; expected a trace file");
  TempFile endless("endless.swf");
  write_text(endless.path(), std::string(300'000, '7'));
  CHECK(message(endless.path()).find(":1: the line does not end; expected the Standard") != std::string::npos);
}

TEST_CASE("damaged and cut gzip files are refused", "[swf]") {
  TempFile file("damaged.swf.gz");
  {
    SwfWriter writer(file.path());
    Job job;
    job.runtime = job.limit = whole_seconds(5);
    for (int i = 0; i < 20000; ++i) {
      job.id = i;
      job.user = static_cast<int>(i * 2654435761u % 1000003);
      writer.record(job);
    }
    writer.close();
  }
  REQUIRE(read_swf(file.path()).jobs.size() == 20000);
  std::string bytes;
  {
    std::ifstream in(file.path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  write_text(file.path(), bytes.substr(0, bytes.size() / 2));
  CHECK_THROWS_WITH(read_swf(file.path()), file.path() + ": the gzip data end too early; expected a whole gzip file");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 50; ++i) bytes[i] = static_cast<char>(~bytes[i]);
  write_text(file.path(), bytes);
  CHECK_THROWS_AS(read_swf(file.path()), InputError);
}

TEST_CASE("a file is read like a text, whatever the pieces", "[swf]") {
  std::string text = "; MaxProcs: 64\n";
  for (int i = 1; i <= 30000; ++i) text += rest_of_record(std::to_string(i) + " " + std::to_string(i * 7) + " -1 30 5");
  TempFile file("pieces.swf");
  write_text(file.path(), text);
  const auto from_file = read_swf(file.path());
  const auto from_text = parse_swf(text, file.path());
  REQUIRE(from_file.jobs.size() == 30000);
  for (std::size_t i = 0; i < from_file.jobs.size(); ++i) REQUIRE(same_job(from_file.jobs[i], from_text.jobs[i]));
}

TEST_CASE("what is written reads back the same, plain and gzip", "[swf]") {
  std::mt19937_64 random(7);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Workload w;
  w.name = "written";
  w.header.max_procs = 512;
  w.header.max_nodes = 256;
  w.header.unix_start_time = 77;
  std::int64_t submit = 0;
  for (int i = 0; i < 3000; ++i) {
    Job j;
    j.id = i * 3 + 1;
    j.submit = Time{Duration{submit}};
    submit += below(5) == 0 ? below(1'000'000'000) : 1'000'000'000 * below(1000);
    j.runtime = below(2) == 0 ? Duration{1 + below(1'000'000'000'000)} : whole_seconds(1 + below(100000));
    j.limit = whole_seconds(1 + below(100000));
    j.size = static_cast<std::int32_t>(1 + below(512));
    j.user = static_cast<std::int32_t>(below(100) - 1);
    j.queue = static_cast<std::int32_t>(below(4) - 1);
    j.status = static_cast<std::int32_t>(below(2));
    j.used_memory_kb = static_cast<std::int32_t>(below(100000) - 1);
    if (below(10) == 0) {
      w.extras.set(j, &JobExtras::preceding, 1 + below(i + 1));
      w.extras.set(j, &JobExtras::think_time, whole_seconds(below(100)));
    }
    w.jobs.push_back(j);
  }
  for (const char* ending : {".swf", ".swf.gz"}) {
    TempFile file(ending);
    write_swf(file.path(), w);
    const auto back = read_swf(file.path());
    CHECK(back.notes.empty());
    CHECK(back.header.max_procs == 512);
    CHECK(back.header.max_nodes == 256);
    CHECK(back.header.max_jobs == 3000);
    CHECK(back.header.unix_start_time == 77);
    REQUIRE(back.jobs.size() == w.jobs.size());
    for (std::size_t i = 0; i < w.jobs.size(); ++i) REQUIRE(same_job(back.jobs[i], w.jobs[i]));
    TempFile again(ending);
    write_swf(again.path(), back);
    CHECK(read_swf(again.path()).header.lines == back.header.lines);
  }
}

TEST_CASE("a schedule record carries wait time and status", "[swf]") {
  Job j;
  j.id = 5;
  j.submit = at_seconds(100);
  j.runtime = whole_seconds(50);
  j.limit = whole_seconds(40);
  j.size = 3;
  std::string out;
  append_swf_record(out, j, {Duration{1'250'000'000}, whole_seconds(40), 0});
  CHECK(out == "5 100 1.25 40 3 -1 -1 3 40 -1 0 -1 -1 -1 -1 -1 -1 -1\n");
  CHECK_THROWS_AS(SwfWriter("/no/such/folder/x.swf"), InputError);
  CHECK_THROWS_AS(
      [&] {
        SwfWriter full("/dev/full");
        full.record(j);
        full.close();
      }(),
      SimulationError);
}

TEST_CASE("real logs are read whole", "[swf][traces]") {
  struct Expected {
    const char* file;
    std::size_t jobs;
    std::int64_t records;
    std::int64_t nodes;
  };
  const Expected expected[] = {{"KTH-SP2-1996-2.swf.gz", 28489, 28489, 100},
                               {"NASA-iPSC-1993-3.1-cln.swf.gz", 18239, 18239, 128},
                               {"RICC-2010-2.swf.gz", 447794, 447794, 8192},
                               {"SDSC-SP2-1998_first5K.swf.gz", 4606, 4961, 128},
                               {"LANL-CM5-1994-4.1-cln_first155.swf.gz", 155, 155, 1024},
                               {"CTC-SP2-1996_via-predictsim.swf.gz", 77199, 77199, 338}};
  for (const auto& e : expected) {
    INFO(e.file);
    const std::string path = coslice_test::shared_file(std::string("traces/") + e.file);
    if (path.empty()) {
      WARN("skipped, not there: " << e.file);
      continue;
    }
    const auto w = read_swf(path, {kMachineFromHeader});
    CHECK(w.records == e.records);
    CHECK(machine_of(w).nodes == e.nodes);
    CHECK(w.jobs.size() == e.jobs);
    std::int64_t dropped = 0;
    for (const auto& n : w.notes) dropped += n.dropped ? n.count : 0;
    CHECK(dropped + static_cast<std::int64_t>(w.jobs.size()) == w.records);
  }
}

TEST_CASE("swf: what a remark says of sizes is checked in its line", "[swf]") {
  const auto of = [](const std::string& remark) {
    return problem_of(rest_of_record("1 0 -1 100 8") + "2 0 -1 100 8 -1 -1 8 100 -1 1 7 8 9 2 3 -1 -1 ; " + remark +
                      "\n");
  };
  CHECK(of("sizes=2-8%20amdahl%200.95 elastic=any") == "no error");
  CHECK(of("sizes=2:9,2:8") == "no error");  // as scaling may leave it: the first one counts
  CHECK_THAT(of("sizes=2-8%20amdahl%200.95 elastic=foo"), Contains("t.swf:2: job 2 has wrong elastic = \"foo\""));
  CHECK_THAT(of("sizes=2-8%20amdahl%201.95"), Contains("t.swf:2: job 2 has wrong sizes = \"2-8 amdahl 1.95\""));
  CHECK_THAT(of("elastic=any"), Contains("t.swf:2: job 2 is elastic and says no sizes"));
}

}  // namespace swf_test
