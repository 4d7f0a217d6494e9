// Choosing jobs of a log, missing limits, loads, dates, and scripts over jobs.
#include "catch.h"

#include "api/scripts/job_script.h"
#include "core/error.h"
#include "formats/swf.h"
#include "jobs/transform.h"
#include "jobs/workload.h"
#include "message_of.h"
#include "runner/runner.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scenario/resolved.h"
#include "scratch_folder.h"
#include "shared_files.h"

namespace workload_changes_test {

using namespace coslice;

namespace {

/// Users 1 to 4, a job every 6 hours from 14:00:31 local time on; jobs 2 and 4 have no limit.
const std::string kLog = "; UnixStartTime: 843480031\n; TimeZone: 3600\n; StartTime: Mon Sep 23 14:00:31 CEST 1996\n"
                         "; MaxProcs: 8\n"
                         "1 0 5 100 1 -1 -1 1 200 -1 1 1 7 1 0 1 -1 -1\n"
                         "2 21600 5 200 2 -1 -1 2 -1 -1 1 2 7 1 1 1 -1 -1\n"
                         "3 43200 5 300 4 -1 -1 4 900 -1 0 3 8 1 1 2 -1 -1\n"
                         "4 64800 5 400 8 -1 -1 8 0 -1 5 4 -1 1 2 2 -1 -1\n";

Workload log_of_four() { return parse_swf(kLog, "log.swf"); }

using Ids = std::vector<std::int64_t>;

Ids ids(const Workload& w) {
  Ids out;
  for (const Job& job : w.jobs) out.push_back(job.id);
  return out;
}

Ids chosen(const Selection& keep, const Selection& drop = {}) {
  Workload w = log_of_four();
  select_jobs(w, keep, drop);
  return ids(w);
}

std::int64_t noted(const Workload& w, const std::string& reason) {
  for (const TraceNote& n : w.notes)
    if (n.reason == reason) return n.count;
  return 0;
}

std::string scenario_complaint(const std::string& lines) {
  return message_of([&] { check_scenario(parse_scenario_tree("[workload]\njobs = []\n" + lines, "t.toml")); });
}

Workload scripted(const std::string& body, const Value& params = Value::table()) {
  Workload w = log_of_four();
  run_job_script(
      {"s.lua", "return { api = 1, name = 's', params = { user = { default = 2, doc = 'x' } }, job = " + body + " }"},
      params, {}, w);
  return w;
}

}  // namespace

TEST_CASE("jobs are chosen by what the log says of them", "[changes]") {
  Selection s;
  CHECK(chosen(s) == Ids{1, 2, 3, 4});
  s.users = {2, 4};
  CHECK(chosen(s) == Ids{2, 4});
  CHECK(chosen({}, s) == Ids{1, 3});
  s.queues = {1};
  CHECK(chosen(s) == Ids{2});      // all conditions
  CHECK(chosen({}, s) == Ids{1});  // any condition
  const auto one = [](auto set) {
    Selection only;
    set(only);
    return chosen(only);
  };
  CHECK(one([](auto& o) { o.groups = {-1}; }) == Ids{4});
  CHECK(one([](auto& o) { o.partitions = {2}; }) == Ids{3, 4});
  CHECK(one([](auto& o) { o.executables = {2}; }).empty());
  CHECK(one([](auto& o) { o.statuses = {0, 5}; }) == Ids{3, 4});
  CHECK(one([](auto& o) { o.sizes = {2, 4}; }) == Ids{2, 3});
  CHECK(one([](auto& o) { o.runtimes = {whole_seconds(200), whole_seconds(400)}; }) == Ids{2, 3});
  CHECK(one([](auto& o) { o.hours = {14, 20.01}; }) == Ids{1, 2});  // 14:00:31, 20:00:31, 02:00:31, 08:00:31
  CHECK(one([](auto& o) { o.hours = {20.1, 8}; }) == Ids{3});
  CHECK(one([](auto& o) {
          o.dates = {*calendar_seconds("1996-09-23 20:00:31"), *calendar_seconds("1996-09-24T08:00:31")};
        }) == Ids{2, 3});
  Workload w = log_of_four();
  select_jobs(w, s, {});
  CHECK(noted(w, "not among the chosen (users, queues)") == 3);
}

TEST_CASE("a log without dates is not asked for them", "[changes]") {
  Workload w = parse_swf("1 0 5 100 1 -1 -1 1 200 -1 1 1 7 1 0 1 -1 -1\n", "t.swf");
  Selection hours, dates;
  hours.hours = {8, 18};
  dates.dates = {0, 1};
  CHECK(message_of([&] { select_jobs(w, hours, {}); }).find("a time of day is asked for") == 0);
  CHECK(message_of([&] { select_jobs(w, {}, dates); }).find("a date is asked for, and this workload has none") == 0);
  CHECK_FALSE(trace_clock(w.header));
}

TEST_CASE("the calendar of a log", "[changes]") {
  const auto clock = trace_clock(log_of_four().header);
  REQUIRE(clock);
  CHECK(clock->offset == 7200);
  CHECK(zone_text(*clock) == "UTC+02:00");
  CHECK(date_text(*clock, at_seconds(0)) == "1996-09-23 14:00:31");
  CHECK(trace_second(*clock, *calendar_seconds("1996-09-23 14:00:31")) == 0);
  TraceHeader utc;
  utc.unix_start_time = 1'000'000'000;
  CHECK(zone_text(*trace_clock(utc)) == "UTC");
  utc.lines = {"; TimeZone: -34200"};
  CHECK(zone_text(*trace_clock(utc)) == "UTC-09:30");
  utc.lines = {"; TimeZone: 46800"};
  CHECK(zone_text(*trace_clock(utc)) == "UTC+13:00");
  for (const char* none :
       {"", "yesterday", "1996-02-30", "1996-9-3", "843480031", "1996-09-23 25:00", "1996-09-23x14:00"})
    CHECK_FALSE(calendar_seconds(none));
}

TEST_CASE("what stands in for missing limits", "[changes]") {
  const auto limits = [](const MissingLimits& rule) {
    Workload w = log_of_four();
    set_missing_limits(w, rule);
    std::vector<double> out;
    for (const Job& job : w.jobs) out.push_back(to_seconds(job.limit));
    return std::pair(out, w);
  };
  using Limits = std::vector<double>;
  MissingLimits rule;
  CHECK(count_missing_limits(log_of_four()) == 2);
  CHECK(limits(rule).first == Limits{200, 200, 900, 400});
  rule.rule = MissingLimits::Rule::kFactor;
  rule.factor = 1.5;
  CHECK(limits(rule).first == Limits{200, 300, 900, 600});
  CHECK(noted(limits(rule).second, "no requested time, 1.5 times the run time is the limit") == 2);
  rule.rule = MissingLimits::Rule::kFixed;
  rule.fixed = whole_seconds(300);  // below job 4's run time
  CHECK(limits(rule).first == Limits{200, 300, 900, 400});
  CHECK(noted(limits(rule).second, "ran longer than the substitute limit; the run time is used as limit") == 1);
  rule.rule = MissingLimits::Rule::kPartition;
  rule.partitions = {{1, whole_seconds(1000)}};
  CHECK(message_of([&] { limits(rule); }) == "jobs without a limit are in partition 2, which has no limit; expected a "
                                             "limit for each partition, or for 'others'");
  rule.others = whole_seconds(2000);
  CHECK(limits(rule).first == Limits{200, 1000, 900, 2000});
}

TEST_CASE("the offered load is the wanted one", "[changes]") {
  Workload w = log_of_four();
  const double work = 100 + 400 + 1200 + 3200;
  CHECK(offered_load(w.jobs, 8) == Approx(work / (8 * 64800)));
  for (const double load : {0.001, 0.01, 0.5}) {
    set_offered_load(w, 8, load);
    CHECK(offered_load(w.jobs, 8) == Approx(load).epsilon(0.01));  // whole seconds stay so
  }
  w.jobs.resize(1);
  CHECK(offered_load(w.jobs, 8) == 0);
  CHECK(message_of([&] { set_offered_load(w, 8, 1); }).find("no load can be set: all jobs are submitted at once") == 0);
}

TEST_CASE("a script over jobs drops, changes and splits", "[changes]") {
  CHECK(ids(scripted("function(job) return job end")) == Ids{1, 2, 3, 4});
  const Workload same = scripted("function(job) return job end");
  CHECK(same.notes.size() == log_of_four().notes.size());
  CHECK_FALSE(same.jobs[1].limit_given);
  const Workload dropped = scripted("function(job, params) return job.user ~= params.user and job end");
  CHECK(ids(dropped) == Ids{1, 3, 4});
  CHECK(noted(dropped, "left out by the job script") == 1);
  CHECK(scripted("function() end").jobs.empty());
  CHECK(scripted("function() return {} end").jobs.empty());
  const Workload changed = scripted("function(job) job.submit = 70000 - job.submit; job.limit = 5000; return job end");
  CHECK(ids(changed) == Ids{4, 3, 2, 1});  // in order of submission again
  CHECK(changed.jobs[0].limit == whole_seconds(5000));
  CHECK(noted(changed, "changed by the job script") == 4);
  const Workload split =
      scripted("function(job) if job.processes < 8 then return job end\n job.processes = 4\n"
               "return { job, table.copy(job), { submit = 5, runtime = 1, processes = 1, id = 99 } } end");
  CHECK(ids(split) == Ids{1, 99, 2, 3, 4, 5});
  CHECK(noted(split, "added by the job script, which makes several of one") == 2);
  CHECK(noted(split, "changed by the job script") == 1);
  Value params = Value::table();
  params.set("user", 4);
  CHECK(ids(scripted("function(job, params) return job.user ~= params.user and job end", params)) == Ids{1, 2, 3});
  CHECK(
      ids(scripted("function(job, params, log) return (job.submit + log.second_of_day) % 86400 < 43200 and job end")) ==
      Ids{3, 4});
}

TEST_CASE("times that a script leaves alone keep their nanoseconds", "[changes]") {
  Workload w = parse_swf("1 999999999.000000001 5 0.000000003 1 -1 -1 1 7.000000007 -1 1 1 7 1 0 1 -1 -1\n", "t.swf");
  const Job before = w.jobs[0];
  run_job_script({"s.lua", "return { api = 1, name = 's', job = function(job) job.user = 9 return job end }"},
                 Value::table(), {}, w);
  CHECK(w.jobs[0].submit == before.submit);
  CHECK(w.jobs[0].runtime == before.runtime);
  CHECK(w.jobs[0].limit == before.limit);
  CHECK(w.jobs[0].user == 9);
}

TEST_CASE("a script over jobs that is wrong says where", "[changes]") {
  const auto of = [](const std::string& body) { return message_of([&] { scripted(body); }); };
  CHECK(of("function() return 7 end")
            .find("function 'job' of the job script must return a job, a list of jobs, or "
                  "false to leave it out, got number 7") != std::string::npos);
  CHECK(of("function() return { 1 } end").find("must return a job") != std::string::npos);
  CHECK(of("function(job) job.runtime = -1 return job end").find("s.lua: job 1: runtime is -1") == 0);
  CHECK(of("function(job) job.nodes = 1 return job end").find("'nodes'") != std::string::npos);
  CHECK(
      of("function(job) job.id = 1 return job end") ==
      "s.lua: two jobs have the number 1; expected numbers of their own; leave `id` out of jobs that the script adds");
  CHECK(of("function(job) error('no') end").find("s.lua:1: no") != std::string::npos);
  CHECK(of("function(job) return setmetatable({}, { __index = function() error('trap') end }) end") != "no error");
  CHECK(of("7").find("s.lua:1: job script: field 'job'") == 0);
  Workload w = parse_swf("1 0 5 100 1 -1 -1 -1 -1\n", "t.swf");
  CHECK(message_of([&] {
          run_job_script(
              {"s.lua", "return { api = 1, name = 's', job = function(j, p, log) return log.second_of_day end }"},
              Value::table(), {}, w);
        }).find("second_of_day") != std::string::npos);
}

TEST_CASE("the keys of a scenario that choose and change jobs", "[changes]") {
  const Scenario s = check_scenario(parse_scenario_tree(
      "[workload]\njobs = []\ntarget_load = 0.9\nmissing_limit = { partitions = { 1 = 60, others = 90 } }\n"
      "[workload.keep]\nusers = 3\nqueues = [1, -1]\nsizes = [1, 64]\nruntimes = [0, 60]\nhours = [22, 6.5]\n"
      "dates = [\"1996-09-23\", \"1996-10-01 12:00\"]\n[workload.drop]\nstatuses = [5]\n",
      "t.toml"));
  CHECK(s.workload.keep.users == std::vector<std::int32_t>{3});
  CHECK(s.workload.keep.conditions() == "users, queues, sizes, runtimes, hours, dates");
  CHECK(s.workload.drop.statuses == std::vector<std::int32_t>{5});
  CHECK(s.workload.missing_limits->partitions.at(1) == whole_seconds(60));
  const std::string resolved = resolved_toml(s, ".");
  const Scenario again = check_scenario(parse_scenario_tree(resolved, "again.toml"));
  CHECK(resolved_toml(again, ".") == resolved);
  CHECK(resolved.find("dates = [\"1996-09-23T00:00:00\", \"1996-10-01T12:00:00\"]") != std::string::npos);
  const std::string plain = resolved_toml(check_scenario(parse_scenario_tree("workload.jobs = []", "t.toml")), ".");
  for (const char* absent : {"missing_limit", "target_load", "keep", "drop", "job_"})
    CHECK(plain.find(absent) == std::string::npos);
}

TEST_CASE("wrong choices of jobs", "[changes]") {
  const auto starts = [](const std::string& lines, const std::string& begin) {
    INFO(scenario_complaint(lines));
    CHECK(scenario_complaint(lines).find(begin) == 0);
  };
  starts("missing_limit = \"runtime\"",
         "t.toml:3: workload.missing_limit is \"runtime\"; expected \"run-time\", seconds");
  starts("missing_limit = { factor = 0.5 }", "t.toml:3: workload.missing_limit.factor is 0.5");
  starts("missing_limit = { facto = 2 }", "t.toml:3: unknown key 'workload.missing_limit.facto'");
  starts("missing_limit = { partitions = { gpu = 2 } }",
         "t.toml:3: unknown key 'workload.missing_limit.partitions.gpu'");
  starts("missing_limit = 0", "t.toml:3: workload.missing_limit is 0");
  starts("keep.users = []", "t.toml:3: workload.keep.users is");
  starts("keep.users = [\"ann\"]", "t.toml:3: workload.keep.users is \"ann\"");
  starts("keep.sizes = [4, 2]", "t.toml:3: workload.keep.sizes is");
  starts("keep.hours = [8, 25]", "t.toml:3: workload.keep.hours[2] is 25");
  starts("keep.hours = [8, 8]", "t.toml:3: workload.keep.hours is");
  starts("keep.dates = [\"1996-10-01\", \"1996-10-01\"]", "t.toml:3: workload.keep.dates is");
  starts("keep.dates = [\"1996-02-30\", \"1996-10-01\"]", "t.toml:3: workload.keep.dates[1] is \"1996-02-30\"");
  starts("keep.user = 3", "t.toml:3: unknown key 'workload.keep.user'");
  starts("load_factor = 2\ntarget_load = 0.5",
         "t.toml:4: workload.target_load and workload.load_factor are both set; expected one of them");
  starts("[workload.job_params]\na = 1", "t.toml:3: [workload.job_params] has no effect here");
}

TEST_CASE("a run takes the chosen jobs, and says what it did", "[changes]") {
  const ScratchFolder folder;
  const std::string path = folder.write("log.swf", kLog);
  const auto runner = [&](const std::string& lines) {
    return std::make_unique<Runner>(
        check_scenario(parse_scenario_tree("[workload]\ntrace = \"" + path + "\"\n" + lines, "t.toml")));
  };
  const auto plain = runner("");
  CHECK(plain->dates() == "1996-09-23 14:00:31 to 1996-09-24 08:00:31, UTC+02:00");
  CHECK(plain->offered_load() == Approx(4900.0 / (8 * 64800)));
  REQUIRE(plain->warnings().size() == 1);
  CHECK(plain->warnings()[0].find("2 of 4 jobs have no limit") != std::string::npos);
  CHECK(runner("missing_limit = \"run-time\"")->warnings().empty());
  CHECK(runner("estimates = \"exact\"")->warnings().empty());
  CHECK(runner("missing_limit = { factor = 3 }")->workload().jobs[1].limit == whole_seconds(600));
  const auto loaded = runner("target_load = 0.5\nkeep.users = [2, 3, 4]");
  CHECK(loaded->offered_load() == Approx(0.5).epsilon(0.01));
  CHECK(loaded->dates() == "1996-09-23 20:00:31 to 1996-09-24 08:00:31, UTC+02:00");
  CHECK(runner("load_factor = 2")->dates() == plain->dates());
  CHECK(message_of([&] {
          runner("keep.users = 77");
        }).find("no job is left to simulate: 4 not among the chosen (users)") != std::string::npos);
  folder.write("half.lua", "return { api = 1, name = 'half', job = function(job) return job.id % 2 == 0 and job end }");
  const std::string script = "job_script = \"" + (folder / "half.lua") + "\"\n";
  CHECK(ids(runner(script + "first = 1")->workload()) == Ids{2});
  CHECK(ids(runner(script + "window = [30000, 70000]")->workload()) == Ids{4});
}

TEST_CASE("a real log by user, hour and date", "[changes]") {
  const std::string path = coslice_test::shared_file("traces/KTH-SP2-1996-2.swf.gz");
  if (path.empty()) return;
  const Workload all = read_swf(path);
  Selection keep, drop;
  keep.hours = {8, 18};
  drop.users = {all.jobs.front().user};
  Workload part = all;
  select_jobs(part, keep, {});
  CHECK(part.jobs.size() > all.jobs.size() / 3);
  CHECK(part.jobs.size() < all.jobs.size());
  const std::size_t day = part.jobs.size();
  part = all;
  select_jobs(part, {}, keep);
  CHECK(day + part.jobs.size() == all.jobs.size());
  part = all;
  select_jobs(part, {}, drop);
  for (const Job& job : part.jobs) REQUIRE(job.user != all.jobs.front().user);
  set_offered_load(part, 100, 0.9);
  CHECK(offered_load(part.jobs, 100) == Approx(0.9).epsilon(1e-5));
}

}  // namespace workload_changes_test
