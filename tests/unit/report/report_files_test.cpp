// What a run writes: job list, timeline, schedule, summary, and the folder that holds them.
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "formats/swf.h"
#include "output/jobs_csv.h"
#include "output/output.h"
#include "output/run_folder.h"

namespace report_files_test {

using namespace coslice;
namespace fs = std::filesystem;

namespace {

Time at(std::int64_t s) { return Time{whole_seconds(s)}; }

Job job(std::int64_t id, std::int64_t submit, std::int64_t runtime, std::int64_t limit, std::int32_t size) {
  Job j;
  j.id = id;
  j.submit = at(submit);
  j.runtime = whole_seconds(runtime);
  j.limit = whole_seconds(limit);
  j.size = size;
  return j;
}

NodeRanges nodes(std::initializer_list<NodeRange> ranges) {
  NodeRanges out;
  for (auto r : ranges) out.append(r.first, r.last);
  return out;
}

/// One job of each fate on ten nodes.
struct Sample {
  Workload workload;
  RunResult result;
  MetricsOptions options;

  Sample() {
    workload.name = "tiny";
    workload.records = 6;
    workload.notes = {{"no run time", 1, 12, true}};
    workload.jobs = {job(10, 0, 100, 200, 4), job(7, 5, 100, 40, 3), job(8, 6, 50, 60, 99), job(9, 7, 50, 60, 2),
                     job(11, 8, 20000, 30000, 1)};
    workload.jobs[0].user = 3;
    workload.jobs[0].group = 1;
    workload.jobs[0].executable = 5;
    workload.jobs[0].queue = 0;
    workload.jobs[0].partition = 2;
    workload.jobs[3].submit += Duration{250'000'000};
    result.workload = &workload;
    result.machine.nodes = 10;
    result.outcomes.resize(5);
    result.outcomes[0] = {at(0), at(100), result.archive.add(nodes({{1, 3}, {5, 5}})), FinalState::kCompleted};
    result.outcomes[1] = {at(100), at(140), result.archive.add(nodes({{0, 2}})), FinalState::kWalltimeReached};
    result.outcomes[2].state = FinalState::kRejected;
    result.outcomes[3].start = at(140);  // still running when the run was stopped
    result.timeline = {{at(0), 1, 4, 4}, {at(100), 3, 3, 3}, {Time{Duration{140'500'000'000}}, 0, 0, 0}};
    result.fingerprint = 0xABCD;
    result.events = 9;
    result.passes = 4;
  }

  std::string jobs_csv() const {
    std::string out;
    write_jobs_csv(result, options, sink_to(out));
    return out;
  }
};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A folder of its own that goes away with the test.
struct Scratch {
  fs::path path;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "coslice-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

void write_run(const Sample& s, const std::string& target, const RunFiles& files = {}) {
  RunInfo info;
  info.policy = "easy";
  RunFolder folder(target);
  try {
    write_run_files(folder.path_of(""), s.result, summarize(s.result, s.options), s.options, info, files);
  } catch (const SimulationError& e) {
    throw SimulationError(folder.in_users_words(e.what()));
  }
  folder.commit();
}

std::string input_error(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no InputError";
}

}  // namespace

TEST_CASE("jobs.csv has Batsim's columns first, then ours", "[report]") {
  const Sample s;
  CHECK(s.jobs_csv() ==
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
        "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
        "allocated_resources,consumed_energy,metadata,job_class,run_time,bounded_slowdown,allocated_nodes,user,group,"
        "executable,queue,partition\n"
        "10,tiny,100,0,4,200,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1,1-3 5,-1,,short,100,1,4,3,1,5,0,2\n"
        "7,tiny,100,5,3,40,0,COMPLETED_WALLTIME_REACHED,100,40,140,95,135,3.375,0-2,-1,,short,100,3.375,3,,,,,\n"
        "8,tiny,50,6,99,60,0,REJECTED,,,,,,,,-1,,short,50,,,,,,,\n"
        "9,tiny,50,7.25,2,60,0,RUNNING,140,,,132.75,,,,-1,,short,50,,,,,,,\n"
        "11,tiny,20000,8,1,30000,0,SUBMITTED,,,,,,,,-1,,long,20000,,,,,,,\n");
}

TEST_CASE("jobs.csv and summary.json say what time slices did, if there are any", "[report]") {
  Sample s;
  s.result.sliced.resize(5);
  s.result.sliced[0] = {3, 2, 4, {}};
  s.result.switch_time = Duration{1'500'000'000};
  s.result.slices.preemptions = 3;
  const std::string text = s.jobs_csv();
  CHECK(text.find(",queue,partition,preemptions,overhead\n") != text.npos);
  CHECK(text.find(",3,1,5,0,2,3,3\n") != text.npos);
  CHECK(text.find(",long,20000,,,,,,,,0,0\n") != text.npos);
  const auto json = nlohmann::json::parse(summary_json(s.result, summarize(s.result, s.options), s.options, {}));
  CHECK(json["slices"]["preemptions"] == 3);
  CHECK(json["slices"]["overhead"] == 3.0);
  CHECK(json["slices"]["overhead_share"] == 3.0 / 140);
  CHECK(json["slices"]["utilization_without_loading"] == json["utilization"]);
}

TEST_CASE("each row of jobs.csv has as many fields as the header", "[report]") {
  const std::string text = Sample().jobs_csv();
  std::size_t lines = 0;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1, ++lines) {
    const std::string row = text.substr(at, end - at);
    CHECK(std::count(row.begin(), row.end(), ',') == 25);
  }
  CHECK(lines == 6);
}

TEST_CASE("a job that waited for another is measured from its entry into the queue", "[report]") {
  Sample s;
  for (const auto& j : s.workload.jobs) s.result.submitted.push_back(j.submit);
  s.result.submitted[1] = at(90);
  CHECK(s.jobs_csv().find("\n7,tiny,100,90,3,40,0,COMPLETED_WALLTIME_REACHED,100,40,140,10,50,1.25,") !=
        std::string::npos);
  CHECK(summarize(s.result, s.options).all.wait.max == 10);
}

TEST_CASE("names are quoted where CSV needs it", "[report]") {
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  Sample s;
  s.workload.name = "a,b";
  CHECK(s.jobs_csv().find("\n10,\"a,b\",100,") != std::string::npos);
}

TEST_CASE("real numbers are the shortest decimals without an exponent", "[report]") {
  const auto text = [](double x) {
    std::string out;
    append_real(out, x);
    return out;
  };
  CHECK(text(1) == "1");
  CHECK(text(0.1) == "0.1");
  CHECK(text(1.0 / 3) == "0.3333333333333333");
  CHECK(text(-2.5) == "-2.5");
  CHECK(text(123456789.0) == "123456789");
  CHECK(text(1e21) == "1000000000000000000000");
  CHECK(text(1e-7) == "0.0000001");
}

TEST_CASE("a long job list goes out in blocks and loses nothing", "[report]") {
  Sample s;
  const Job first = s.workload.jobs[0];
  const Outcome outcome = s.result.outcomes[0];
  s.workload.jobs.assign(5000, first);
  s.result.outcomes.assign(5000, outcome);
  std::size_t blocks = 0, largest = 0, rows = 0;
  write_jobs_csv(s.result, s.options, [&](std::string_view text) {
    ++blocks;
    largest = std::max(largest, text.size());
    rows += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  });
  CHECK(rows == 5001);
  CHECK(blocks > 3);
  CHECK(largest < 80 * 1024);
}

TEST_CASE("timeline.csv has one row per change", "[report]") {
  std::string out;
  write_timeline_csv(Sample().result, sink_to(out));
  CHECK(out == "time,queue_length,used_nodes,used_cores\n0,1,4,4\n100,3,3,3\n140.5,0,0,0\n");
}

TEST_CASE("schedule.swf has waits, times and fates", "[report]") {
  const Scratch scratch;
  write_schedule_swf(scratch / "s.swf", Sample().result, "made by a test");
  const std::string text = content(scratch / "s.swf");
  CHECK(text.find("; Note: made by a test\n10 0 0 100 4 -1 -1 4 200 -1 1 3 1 5 0 2 -1 -1\n"
                  "7 5 95 40 3 -1 -1 3 40 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
                  "8 6 -1 50 99 -1 -1 99 60 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
                  "9 7.25 132.75 50 2 -1 -1 2 60 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
                  "11 8 -1 20000 1 -1 -1 1 30000 -1 -1 -1 -1 -1 -1 -1 -1 -1\n") != std::string::npos);
  CHECK(read_swf(scratch / "s.swf").jobs.size() == 5);
}

TEST_CASE("summary.json has Batsim's keys, ours, and the host's apart", "[report]") {
  const Sample s;
  RunInfo info;
  info.program_version = "1.2.3";
  info.scenario = "quick";
  info.policy = "easy";
  info.policy_version = "2";
  info.policy_params.set("depth", 5);
  info.engine.set("event_order", "ends-first");
  info.seed = 18446744073709551615u;
  info.inputs = {{"tiny.swf", "00ff"}};
  info.environment.set("cpu_seconds", 0.5);
  const std::string text = summary_json(s.result, summarize(s.result, s.options), s.options, info);
  CHECK(text.back() == '\n');
  CHECK(text == summary_json(s.result, summarize(s.result, s.options), s.options, info));
  const auto json = nlohmann::ordered_json::parse(text);
  CHECK(json.begin().key() == "coslice");
  CHECK(std::prev(json.end()).key() == "environment");
  const auto expected = nlohmann::json::parse(R"({
    "coslice": {"version": "1.2.3", "format": 1},
    "nb_jobs": 5, "nb_jobs_finished": 2, "nb_jobs_success": 1, "nb_jobs_killed": 1, "nb_jobs_rejected": 1,
    "success_rate": 0.2, "nb_computing_machines": 10, "makespan": 140.0,
    "mean_waiting_time": 47.5, "max_waiting_time": 95.0, "mean_turnaround_time": 117.5, "max_turnaround_time": 135.0,
    "mean_slowdown": 2.1875, "max_slowdown": 3.375,
    "max_queue_length": 3, "scenario": "quick", "seed": 18446744073709551615, "fingerprint": "000000000000abcd",
    "events": 9, "scheduling_passes": 4,
    "policy": {"name": "easy", "version": "2", "params": {"depth": 5}},
    "engine": {"event_order": "ends-first"}, "inputs": [{"name": "tiny.swf", "sha256": "00ff"}],
    "environment": {"cpu_seconds": 0.5},
    "machine": {"nodes": 10, "processors": 1, "cores": 1, "memory_kb": 0},
    "workload": {"name": "tiny", "records": 6, "jobs": 5, "offered_load": {"cores": 321.875},
                 "notes": [{"reason": "no run time", "count": 1, "first_line": 12, "dropped": true}]},
    "metrics": {"bound": 10, "relative_response_bound": 60, "high_load": 12, "classes": [{"name": "short", "max_run_time": 600},
                                         {"name": "medium", "max_run_time": 10800}, {"name": "long"}]}
  })");
  for (const auto& [key, value] : expected.items()) {
    INFO(key);
    CHECK(nlohmann::json(json[key]) == value);
  }
  CHECK(json["by_class"]["short"]["wait"]["p95"] == Approx(90.25));
  CHECK(json["by_class"]["long"]["jobs"] == 0);
  CHECK(json["by_user"].size() == 2);
  CHECK(json["trimmed"]["share"] == 0.02);
  CHECK(json["trimmed"]["all"]["jobs"] == 2);
  CHECK(json["utilization"] == Approx((400 + 120) / 1400.0));
}

TEST_CASE("only our own summaries mark a run folder", "[report]") {
  const Sample s;
  CHECK(is_summary_json(summary_json(s.result, {}, s.options, {})));
  CHECK_FALSE(is_summary_json("{\"makespan\": 4}"));
  CHECK_FALSE(is_summary_json("{\"coslice\": 1}"));
  CHECK_FALSE(is_summary_json("not json"));
  CHECK_FALSE(is_summary_json(""));
}

TEST_CASE("names that are not UTF-8 do not break the summary", "[report]") {
  Sample s;
  s.workload.name = "caf\xE9";
  const std::string text = summary_json(s.result, {}, s.options, {});
  CHECK(nlohmann::json::parse(text)["workload"]["name"] == "caf\xEF\xBF\xBD");
}

TEST_CASE("a run folder has its files and nothing else", "[report]") {
  const Scratch scratch;
  const Sample s;
  write_run(s, scratch / "a/b/run", {{"jobs.csv", "timeline.csv", "schedule.swf"}, "[machine]\nnodes = 10\n"});
  std::vector<std::string> names;
  for (const auto& e : fs::directory_iterator(scratch.path / "a/b/run")) names.push_back(e.path().filename());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"jobs.csv", "scenario.toml", "schedule.swf", "summary.json", "timeline.csv"});
  CHECK(content(scratch.path / "a/b/run/jobs.csv") == s.jobs_csv());
  CHECK(content(scratch.path / "a/b/run/scenario.toml") == "[machine]\nnodes = 10\n");
  CHECK(std::distance(fs::directory_iterator(scratch.path / "a/b"), fs::directory_iterator()) == 1);

  write_run(s, scratch / "only/", {{}, ""});
  CHECK(fs::exists(scratch.path / "only/summary.json"));
  CHECK_FALSE(fs::exists(scratch.path / "only/jobs.csv"));
}

TEST_CASE("an earlier run is replaced, an empty folder filled", "[report]") {
  const Scratch scratch;
  const Sample s;
  fs::create_directory(scratch.path / "run");
  write_run(s, scratch / "run");
  write_text_file(scratch / "run/jobs.csv", "x");
  write_run(s, scratch / "run");
  CHECK(content(scratch.path / "run/jobs.csv") != "x");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("an earlier run is not replaced where something else lies beside it", "[report]") {
  const Scratch scratch;
  write_run(Sample(), scratch / "run");
  write_text_file(scratch / "run/thesis.csv", "x");
  CHECK(input_error([&] { write_run(Sample(), scratch / "run"); }) ==
        scratch /
            "run: holds an earlier run, but also 'thesis.csv', which would be lost; expected a new or empty folder, "
            "or one with nothing but an earlier run; move it away or choose another folder");
  fs::remove(scratch.path / "run/thesis.csv");
  fs::create_directory(scratch.path / "run/plots");
  CHECK(input_error([&] { write_run(Sample(), scratch / "run"); }).find("'plots'") != std::string::npos);
}

TEST_CASE("a link to a folder stays a link", "[report]") {
  const Scratch scratch;
  fs::create_directory(scratch.path / "real");
  fs::create_directory_symlink(scratch.path / "real", scratch.path / "link");
  write_run(Sample(), scratch / "link");
  CHECK(fs::is_symlink(scratch.path / "link"));
  CHECK(fs::exists(scratch.path / "real/jobs.csv"));
}

TEST_CASE("other people's folders and files are left alone", "[report]") {
  const Scratch scratch;
  fs::create_directory(scratch.path / "full");
  write_text_file(scratch / "full/thesis.tex", "years of work");
  write_text_file(scratch / "full/summary.json", "{}");
  CHECK(input_error([&] { write_run(Sample(), scratch / "full"); }) ==
        scratch / "full: is not empty and holds no results of coslice; expected a new or empty folder, or one of an "
                  "earlier run; choose another folder or clear this one");
  CHECK(content(scratch.path / "full/thesis.tex") == "years of work");
  CHECK(input_error([&] { write_run(Sample(), scratch / "full/thesis.tex"); }) ==
        scratch / "full/thesis.tex: is a file; expected a folder for the results");
  CHECK(input_error([&] { write_run(Sample(), scratch / "full/thesis.tex/run"); }).find("thesis.tex/run: cannot be ") !=
        std::string::npos);
  CHECK(input_error([&] { write_run(Sample(), "."); }) ==
        ".: is the current folder; expected a folder of its own for the results");
  CHECK(input_error([&] { write_run(Sample(), ""); }) == "--out: names no folder; expected a folder for the results");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("an error on the way leaves nothing behind and the earlier run intact", "[report]") {
  const Scratch scratch;
  write_run(Sample(), scratch / "run");
  const std::string before = content(scratch.path / "run/jobs.csv");
  for (const char* target : {"run", "new/deep/run"}) {
    RunFolder folder(scratch / target);
    write_text_file(folder.path_of("jobs.csv"), "half");
  }
  CHECK(scratch.entries() == 1);
  CHECK(content(scratch.path / "run/jobs.csv") == before);
}

namespace {

/// Files may grow to this many bytes only, as if the disk were full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("a full disk is said in the user's words and nothing stays", "[report]") {
  const Scratch scratch;
  std::string message;
  {
    const FileSizeLimit limit(200);
    try {
      write_run(Sample(), scratch / "run");
    } catch (const SimulationError& e) {
      message = e.what();
    }
  }
  CHECK(message == scratch / "run/jobs.csv: cannot be written: File too large");
  CHECK(scratch.entries() == 0);
  if (fs::exists("/dev/full")) {
    CHECK_THROWS_WITH(write_text_file("/dev/full", "x"), "/dev/full: cannot be written: No space left on device");
  }
}

TEST_CASE("digests are SHA-256", "[report]") {
  CHECK(sha256_of_text("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of_text("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const Scratch scratch;
  write_text_file(scratch / "abc", "abc");
  CHECK(sha256_of_file(scratch / "abc") == sha256_of_text("abc"));
  CHECK(input_error([&] { sha256_of_file(scratch / "none"); }) ==
        scratch / "none: cannot be read: No such file or directory");
}

}  // namespace report_files_test
