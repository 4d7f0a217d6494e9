// The table of attributes, and what takes names and readers from it.
#include "catch.h"

#include <fstream>
#include <iterator>
#include <set>

#include "api/scripts/job_script.h"
#include "api/scripts/workload_script.h"
#include "core/error.h"
#include "formats/sacct.h"
#include "formats/swf.h"
#include "jobs/attributes.h"
#include "jobs/workload.h"
#include "output/jobs_csv.h"
#include "runner/runner.h"
#include "scenario/load.h"

namespace attributes_test {

using namespace coslice;

namespace {

Workload yielded(const std::string& body, const MachineSpec& machine) {
  WorkloadScriptContext context;
  context.machine = machine;
  const std::string text = "return { api = 1, name = 'w', jobs = function(params, machine) " + body + " end }";
  return run_workload_script({"w.lua", text}, Value::table(), context);
}

Workload changed(const std::string& body) {
  Workload w = parse_swf("1 0 5 100 1 -1 -1 1 200 -1 1 1 7 1 0 1 -1 -1\n2 10 5 100 1 -1 -1 1 200 -1 1 1 7 1 0 1 1 30\n",
                         "t.swf");
  run_job_script({"s.lua", "return { api = 1, name = 's', job = function(job) " + body + " end }"}, Value::table(), {},
                 w);
  return w;
}

}  // namespace

TEST_CASE("scripts may say the sizes of a job by a function", "[attributes]") {
  const Workload w = yielded("coroutine.yield { nodes = 2, runtime = 120, sizes = { from = 2, to = 4, "
                             "speed = function(n) return n end } }",
                             MachineSpec{8});
  CHECK(attributes::kSizes.text(w.jobs[0]) == "2:120,3:80,4:60");
  const Workload c = changed("job.sizes = { nodes = { 1, 4 }, runtime = function(n) return 100 / n end } return job");
  CHECK(attributes::kSizes.text(c.jobs[1]) == "1:100,4:25");
  const auto problem = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  CHECK_THAT(problem([] {
               yielded("coroutine.yield { nodes = 2, runtime = 1, sizes = { from = 2, to = 4, "
                       "speed = function(n) return 3 - n end } }",
                       MachineSpec{8});
             }),
             Catch::Contains("w.lua: job 1: sizes: speed(3) returned 0; expected a number above 0"));
  CHECK_THAT(problem([] { changed("job.sizes = { from = 1, to = 2, speed = function(n) return n end } return job"); }),
             Catch::Contains("does not say its own nodes"));
  CHECK_THAT(problem([] {
               yielded("coroutine.yield { nodes = 2, runtime = 1, sizes = { from = 2, to = 4, "
                       "speed = function(n) while true do end end } }",
                       MachineSpec{8});
             }),
             Catch::Contains("limit"));
}

TEST_CASE("a script that yields for ever is said before many of its jobs are read", "[attributes]") {
  const auto problem = [](const std::string& body) -> std::string {
    try {
      return std::to_string(yielded(body, MachineSpec{4}).jobs.size());
    } catch (const InputError& e) {
      return e.what();
    }
  };
  const std::string job = "coroutine.yield { submit = i, nodes = 1, runtime = 10 }";
  // The 100,000th has no nodes: it would be complained of if it were read.
  CHECK(problem("local i = 0 while true do i = i + 1 if i == 100000 then coroutine.yield {} end " + job + " end") ==
        "w.lua: the script yields more than 1000000 jobs; expected an end of what it yields");
  CHECK(problem("for i = 1, 25000 do " + job + " end") == "25000");
  // A coroutine of the script's own goes on as ever.
  CHECK(problem("for i in coroutine.wrap(function() for k = 1, 20010 do coroutine.yield(k) end end) do " + job +
                " end") == "20010");
  // What is wrong is found where it is: also behind it, and where the counting cannot go on.
  const std::string wrong = "if i == 22000 then coroutine.yield { submit = i, nodes = 0, runtime = 1 } end ";
  CHECK(problem("for i = 1, 30000 do " + wrong + job + " end error('no more')").find("job 22000") != std::string::npos);
  CHECK(problem("for i = 1, 30000 do " + job + " end error('no more')").find("no more") != std::string::npos);
  // Random numbers are those of a script that is run once.
  const std::string random = "{ submit = i, nodes = 1, runtime = 1 + random.uniform(0, 9) }";
  CHECK(problem("for i = 1, 20001 do coroutine.yield " + random + " end") == "20001");
}

TEST_CASE("names and fields of attributes are their own", "[attributes]") {
  std::set<std::string_view> names;
  std::set<int> fields;
  for (const Attribute& a : kAttributes) {
    CHECK(names.insert(a.name).second);
    if (!a.former.empty()) CHECK(names.insert(a.former).second);
    if (a.swf >= 0) CHECK(fields.insert(a.swf).second);
    CHECK(find_attribute(a.name) == &a);
    CHECK_FALSE(a.doc.empty());
  }
  CHECK(find_attribute("nodes") == nullptr);
}

TEST_CASE("cores of a machine are those of a node, in each script", "[attributes]") {
  const Workload w = yielded("coroutine.yield { processes = machine.cores, runtime = 1 }", {3, 2, 4, 0});
  CHECK(w.jobs[0].size == 8);
}

TEST_CASE("workload scripts that use older names are told so", "[attributes]") {
  const Workload w = yielded(
      "coroutine.yield { nodes = 1, runtime = 1 } coroutine.yield { size = 2, runtime = 1, after = 1, think = 5 }",
      {4, 1, 1, 0});
  CHECK(w.jobs[1].size == 2);
  CHECK(w.jobs[1].extras->think_time == whole_seconds(5));
  REQUIRE(w.warnings.size() == 2);
  CHECK(w.warnings[0].find("'size' of a job is called 'processes' now") == 0);
  CHECK(w.warnings[1].find("'think' of a job is called 'think_time' now") == 0);
}

TEST_CASE("a job script may read and set older names", "[attributes]") {
  const Workload same = changed("return job");
  CHECK(same.warnings.empty());
  CHECK(same.jobs[1].extras->think_time == whole_seconds(30));
  const Workload longer = changed("if job.think then job.think = job.think + 1 end return job");
  CHECK(longer.jobs[0].extras->think_time < Duration::zero());
  CHECK(longer.jobs[1].extras->think_time == whole_seconds(31));
  CHECK(longer.warnings.size() == 1);
}

TEST_CASE("a job that is wrong names file, job and field", "[attributes]") {
  const auto of = [](const std::string& job) {
    try {
      yielded("coroutine.yield " + job, {4, 1, 1, 0});
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(of("{ nodes = 1, runtime = 0 }") == "w.lua: job 1: runtime is 0; expected seconds above 0, at most 1000000000");
  CHECK(of("{ nodes = 1, processes = 1, runtime = 1 }") ==
        "w.lua: job 1 has both nodes and processes; expected one of the two");
  CHECK(of("{ nodes = 1 }").find("w.lua: job 1 has no runtime") == 0);
  CHECK(of("{ nodes = 1, runtime = 1, usr = 3 }") == "w.lua: job 1: unknown key 'usr'; did you mean 'user'?");
  CHECK(of("{ nodes = 1, runtime = 1, gpu_share = 0.5 }") ==
        "w.lua: job 1: unknown key 'gpu_share'; did you mean 'request.gpu_share'?");
  CHECK(of("{ nodes = 1, runtime = 1, program = 'fine' }").find("w.lua: job 1: unknown key 'program'") == 0);
  CHECK(of("(7)").find("w.lua: job 1: the script yields a number") == 0);
}

TEST_CASE("qualities of service stay with their jobs from sacct to SWF and back", "[attributes]") {
  const std::string dump =
      "JobID|User|QOS|Submit|Start|End|Elapsed|State|NCPUS\n"
      "1|a|very high; 100%|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|COMPLETED|4\n"
      "2|a||2026-03-01T08:00:01|2026-03-01T08:00:01|2026-03-01T08:00:11|00:00:10|COMPLETED|4\n"
      "3|a|normal|2026-03-01T08:00:02|2026-03-01T08:00:02|2026-03-01T08:00:12|00:00:10|COMPLETED|4\n";
  RecordedWorkload recorded = parse_sacct(dump, "d.sacct", SlurmSize::kCpus);
  const Attribute& qos = *find_attribute("qos");
  std::string swf;
  for (const Job& job : recorded.workload.jobs) append_swf_record(swf, job);
  CHECK(swf == "1 0 -1 10 4 -1 -1 4 10 -1 1 1 -1 -1 1 -1 -1 -1 ; qos=very%20high%3B%20100%25\n"
               "2 1 -1 10 4 -1 -1 4 10 -1 1 1 -1 -1 -1 -1 -1 -1\n"
               "3 2 -1 10 4 -1 -1 4 10 -1 1 1 -1 -1 2 -1 -1 -1 ; qos=normal\n");
  const Workload again = parse_swf(swf, "t.swf");
  CHECK(qos.text(again.jobs[0]) == "very high; 100%");
  CHECK(qos.text(again.jobs[1]).empty());
  CHECK(qos.text(again.jobs[2]) == "normal");
  CHECK(again.notes.empty());
  recorded.workload = again;
  recorded.names.clear();
  const std::string back = sacct_text(recorded);
  CHECK(back.find("|very high; 100%|") != std::string::npos);
  CHECK(back.find("|normal|") != std::string::npos);
}

TEST_CASE("texts outlive copies and changes of the workload that they come from", "[attributes]") {
  const Attribute& qos = *find_attribute("qos");
  Workload copy;
  {
    Workload first = parse_swf("1 0 5 100 1 -1 -1 -1 -1 ; qos=a\n2 0 5 100 1 -1 -1 -1 -1 ; qos=b other=3\n", "t.swf");
    copy = first;
    first.extras.set(first.jobs[0], qos, "c");
    CHECK(qos.text(first.jobs[0]) == "c");
  }
  CHECK(qos.text(copy.jobs[0]) == "a");
  CHECK(qos.text(copy.jobs[1]) == "b");
  run_job_script(
      {"s.lua", "return { api = 1, name = 's', job = function(job) job.qos = job.qos .. '!' return job end }"},
      Value::table(), {}, copy);
  CHECK(qos.text(copy.jobs[1]) == "b!");
  copy.extras.set(copy.jobs[1], qos, "");
  CHECK(!copy.jobs[1].has_extras());
}

TEST_CASE("policies see qualities of service, and jobs.csv has them where the trace does", "[attributes]") {
  const auto csv_of = [](const std::string& jobs) {
    const Runner runner(check_scenario(
        parse_scenario_tree("machine.nodes = 1\npolicy.name = 'fcfs'\n[workload]\njobs = [" + jobs + "]", "t.toml")));
    const PolicyRun run = runner.run(0);
    std::string csv;
    write_jobs_csv(run.result, runner.scenario().metrics, [&](std::string_view s) { csv += s; });
    return csv;
  };
  const std::string with = csv_of("{ nodes = 1, runtime = 1, qos = 'a,b' }, { nodes = 1, runtime = 1 }");
  CHECK(with.find(",partition,qos\n") != std::string::npos);
  CHECK(with.find(",\"a,b\"\n") != std::string::npos);
  CHECK(csv_of("{ nodes = 1, runtime = 1 }").find("qos") == std::string::npos);
}

TEST_CASE("the page on formats names each column of jobs.csv that is an attribute", "[attributes]") {
  std::ifstream in(COSLICE_SOURCE "/docs/formats.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::size_t from = page.find("### jobs.csv"), to = page.find("### timeline.csv");
  REQUIRE(from < to);
  REQUIRE(to != std::string::npos);
  const std::string table = page.substr(from, to - from);
  for (const Attribute& a : kAttributes) {
    if (!a.has(Attribute::kColumn)) continue;
    CAPTURE(std::string(a.name));
    CHECK(table.find('`' + std::string(a.name) + '`') != std::string::npos);
  }
}

}  // namespace attributes_test
