// The library for regression suites: what suites declare, what they may claim, and the exact words of their failures.
#include "testing_helpers.h"

#include "catch.h"
#include "core/error.h"
#include "message_of.h"
#include "testing/suite_runner.h"

namespace testing_test {

using namespace coslice;
using namespace coslice::test;

TEST_CASE("Suites: blocks, hooks and names", "[testing]") {
  const SuiteRun run = run_text(R"(
local log = {}
local function note(word) return function() log[#log + 1] = word end end
before_each(note "b1")
after_each(note "a1")
describe("outer", function()
  before_each(note "b2")
  describe("inner", function()
    after_each(note "a3")
    before_each(note "b3")
    it("runs", note "case")
  end)
  after_each(note "a2")
end)
it("saw everything in order", function()
  expect(table.concat(log, " ")).equals("b1 b2 b3 case a3 a2 a1 b1")
end)
)");
  CHECK(run.report.exit_status() == 0);
  CHECK(run.report.suites[0].cases[0].name == "outer inner runs");
  CHECK(run.report.suites[0].cases[0].line == 11);
  CHECK(run.text == "s_test.lua  2 passed\n\n2 passed, 0 failed, 0 skipped\n");
}

TEST_CASE("Suites: after_each runs when the case or its before_each failed", "[testing]") {
  const SuiteRun run = run_text(R"(
local cleaned = 0
describe("a", function()
  after_each(function() cleaned = cleaned + 1 end)
  it("fails", function() error("no") end)
  describe("b", function()
    before_each(function() error("before") end)
    it("never begins", function() cleaned = 1000 end)
  end)
end)
describe("c", function()
  after_each(function() error("after") end)
  it("passes and is not cleaned", function() end)
end)
it("was cleaned", function() expect(cleaned).equals(2) end)
)");
  CHECK(run.text == R"(s_test.lua  1 passed, 3 failed
  failed: a fails
    s_test.lua:5: no
    stack traceback:
      s_test.lua:5: in the case
  failed: a b never begins
    s_test.lua:7: before
    stack traceback:
      s_test.lua:7: in function <s_test.lua:7>
      in before_each
  failed: c passes and is not cleaned
    s_test.lua:12: after
    stack traceback:
      s_test.lua:12: in function <s_test.lua:12>
      in after_each

1 passed, 3 failed, 0 skipped
)");
  CHECK(run.report.exit_status() == 1);
}

TEST_CASE("Suites: skipped, pending, only", "[testing]") {
  const SuiteRun skipped = run_text(R"(
it("runs", function() end)
it.skip("later", function() error("not run") end)
describe.skip("block", "too slow", function() it("in it", function() error("not run") end) end)
pending("to do", "needs time slices")
it("gives up", function() skip("no trace here") end)
it("gives up inside a protected call", function() pcall(skip, "inside") end)
)");
  CHECK(skipped.text == R"(s_test.lua  2 passed, 3 skipped, 1 pending
  skipped: later (skipped here)
  skipped: block in it (too slow)
  pending: to do (needs time slices)
  skipped: gives up (no trace here)

2 passed, 0 failed, 3 skipped, 1 pending
)");
  CHECK(skipped.report.exit_status() == 0);

  const SuiteRun only = run_text(R"(
it("is left out", function() error("not run") end)
it.only("runs", function() end)
describe.only("block", function() it("runs, too", function() end) end)
)");
  CHECK(only.report.count(CaseStatus::kPassed) == 2);
  CHECK(only.text == "s_test.lua  2 passed, 1 left out\n\n2 passed, 0 failed, 0 skipped, 1 left out\n"
                     "left out: `only` marks other cases; take it away when you are done\n");
}

TEST_CASE("Suites: what cannot be loaded ends with status 2 and hides no other suite", "[testing]") {
  const ScratchFolder folder;
  folder.write("a_test.lua", "it('x' function() end)\n");
  folder.write("b_test.lua", "it('fails', function() expect(1).equals(2) end)\n");
  folder.write("c_test.lua", "describe('x', function()\n  it('y')\nend)\n");
  folder.write("d_test.lua", "local x = nil\nx.y = 1\n");
  folder.write("e_test.lua", "it('x', function() it('y', function() end) end)\n");
  folder.write("f_test.lua", "property('x', { rums = 3 }, function() end)\n");
  const SuiteRun run = run_in(folder);
  CHECK(run.report.exit_status() == 2);
  CHECK(run.text == R"(a_test.lua  1 suite not loaded
  a_test.lua:1: ')' expected near 'function'
b_test.lua  1 failed
  failed: fails
    b_test.lua:1: expected 2, got 1
c_test.lua  1 suite not loaded
  c_test.lua:2: it needs a function: it("name", function() ... end)
    called at c_test.lua:1
d_test.lua  1 suite not loaded
  d_test.lua:2: attempt to index a nil value (local 'x')
  stack traceback:
    d_test.lua:2: in main chunk
e_test.lua  1 failed
  failed: x
    e_test.lua:1: it is inside a case; it belongs in the suite or a describe block
f_test.lua  1 suite not loaded
  f_test.lua:1: property: there is no option 'rums'; did you mean 'runs'?

0 passed, 2 failed, 0 skipped, 4 suites not loaded
)");
}

TEST_CASE("Suites: what values may be claimed to be", "[testing]") {
  CHECK(run_text(R"(
it("holds", function()
  expect(3).equals(3.0)
  expect(3).never.equals("3")
  expect({ 1, { a = 2 } }).equals({ 1, { a = 2 } })
  expect({ 1, 2 }).never.equals({ 1 })
  expect({ 1 }).never.equals({ 1, 2 })
  expect(nil).is_nil()
  expect(true).is_true()
  expect(nil).never.is_false()
  expect(10.4).near(10, 0.5)
  expect(98).near(100, "2%")
  expect(97.9).never.near(100, "2%")
  expect(1).less_than(2)
  expect(2).at_most(2)
  expect(3).greater_than(2)
  expect(2).at_least(2)
  expect(0/0).never.at_least(0)
  expect("a.b").contains(".")
  expect({ 1, { 2 } }).contains({ 2 })
  expect("job 17").matches("%d+")
  expect(function() error("a [b] c") end).raises("[b]")
  expect(function() end).never.raises()
  expect(function() error("other") end).never.raises("this")
end)
)")
            .report.exit_status() == 0);
}

TEST_CASE("Suites: failures say what was expected and what came", "[testing]") {
  CHECK(failure_of("expect(1.5).equals(2)") == "s_test.lua:2: expected 2, got 1.5\n");
  CHECK(failure_of("expect('a').never.equals('a')") == "s_test.lua:2: expected anything but \"a\"\n");
  CHECK(failure_of("expect({1, x = {2}}).equals({})") == "s_test.lua:2: expected {}, got { 1, x = { 2 } }\n");
  CHECK(failure_of("expect(nil).is_true()") == "s_test.lua:2: expected true, got nil\n");
  CHECK(failure_of("expect(10.6).near(10, 0.5)") == "s_test.lua:2: expected 10 within 0.5, got 10.6\n");
  CHECK(failure_of("expect(nil).near(10, '5%')") == "s_test.lua:2: expected 10 within 5%, got nil\n");
  CHECK(failure_of("expect(10).near(10)") ==
        "s_test.lua:2: near needs a number and a tolerance, as near(10, 0.5) or near(10, \"2%\"); got 10, nil\n");
  CHECK(failure_of("expect(10).never.near(10)") ==
        "s_test.lua:2: near needs a number and a tolerance, as near(10, 0.5) or near(10, \"2%\"); got 10, nil\n");
  CHECK(failure_of("expect(3).at_most(2)") == "s_test.lua:2: expected a number of at most 2, got 3\n");
  CHECK(failure_of("expect('x').less_than(2)") == "s_test.lua:2: expected a number below 2, got \"x\"\n");
  CHECK(failure_of("expect(3).less_than('x')") == "s_test.lua:2: the limit must be a number, got \"x\"\n");
  CHECK(failure_of("expect({1, 2}).contains(3)") == "s_test.lua:2: expected something that contains 3, got { 1, 2 }\n");
  CHECK(failure_of("expect('abc').matches('^b')") ==
        "s_test.lua:2: expected a text that matches \"^b\", got \"abc\"\n");
  CHECK(failure_of("expect(function() end).raises('x')") == "s_test.lua:2: expected an error with \"x\", got none\n");
  CHECK(failure_of("expect(function() error('y', 0) end).raises('x')") ==
        "s_test.lua:2: expected an error with \"x\", got \"y\"\n");
  CHECK(failure_of("expect(function() error('y', 0) end).never.raises()") ==
        "s_test.lua:2: expected no error, got \"y\"\n");
  CHECK(failure_of("expect(1).equal(1)") == "s_test.lua:2: there is no expectation 'equal'; did you mean 'equals'?\n");
  CHECK(failure_of("expect(1)") == "s_test.lua:2: this expect has no matcher; write e.g. expect(x).equals(y)\n");
  CHECK(failure_of("expect()") == "s_test.lua:2: expect takes one value, got 0\n");
  CHECK(failure_of("expect({}).starts({})") == "s_test.lua:2: starts needs a run of simulate, got a table\n");
  CHECK(failure_of("local function check(x)\n  expect(x).is_nil()\nend\ncheck(1)") ==
        "s_test.lua:3: expected nil, got 1\n  called at s_test.lua:5\n");
}

TEST_CASE("Suites: an expectation that failed before is not held against the next case", "[testing]") {
  const SuiteRun run = run_text("it('a', function() expect(1).equals(expect(nil).x) end)\nit('b', function() end)\n");
  CHECK(run.report.count(CaseStatus::kFailed) == 1);
  CHECK(run.report.count(CaseStatus::kPassed) == 1);
}

TEST_CASE("Suites: an error of the suite shows its traceback", "[testing]") {
  CHECK(failure_of("local function wait(job)\n  return job.start - job.submit\nend\nprint(wait { submit = 1 })") ==
        R"(s_test.lua:3: attempt to perform arithmetic on a nil value (field 'start')
stack traceback:
  s_test.lua:3: in local 'wait'
  s_test.lua:5: in the case
)");
}

TEST_CASE("Suites: the sandbox and its limits hold", "[testing]") {
  CHECK(run_text(R"(
it("sees no files and no processes", function()
  for _, name in ipairs { "io", "os", "debug", "package", "dofile", "loadfile", "collectgarbage" } do
    expect(_G[name]).is_nil()
  end
  expect(function() require("../secret") end).raises("bad module name")
  expect(function() string.rep = nil end).raises("read-only")
end)
)")
            .report.exit_status() == 0);

  TestOptions options;
  options.limits.instructions = 1'000'000;
  const SuiteRun run = run_text(R"(
it("loops for ever", function() while true do pcall(function() while true do end end) end end)
for i = 1, 3 do it("has its own budget " .. i, function() for _ = 1, 100000 do end end) end
)",
                                options);
  REQUIRE(run.report.suites[0].cases.size() == 4);
  CHECK(run.report.suites[0].cases[0].failures.at(0).problem ==
        "the limit of 1000000 instructions per call is used up");
  CHECK(run.report.suites[0].cases[0].failures.at(0).suggestion ==
        "is there an endless loop? Otherwise raise engine.instructions of the scenario");
  CHECK(run.report.count(CaseStatus::kPassed) == 3);

  const std::string property = "property('holds', { runs = 2 }, function() for _ = 1, 100000 do end end)";
  CHECK(run_text(property, options).report.exit_status() == 0);
  options.times = 20;  // as many times as much to do
  CHECK(run_text(property, options).report.exit_status() == 0);

  options = {};
  options.limits.memory = 4 << 20;
  const SuiteRun hungry = run_text(R"(
it("eats memory", function() local t = {} while true do t[#t + 1] = ("x"):rep(9000) .. #t end end)
it("has what it left", function() local t = {} for i = 1, 1000 do t[i] = i end end)
)",
                                   options);
  CHECK(hungry.report.suites[0].cases[0].failures.at(0).problem ==
        "out of memory: the script may use 4194304 bytes, one string 16777216 bytes");
  CHECK(hungry.report.count(CaseStatus::kPassed) == 1);
}

TEST_CASE("Suites: a suite's own modules", "[testing]") {
  const ScratchFolder folder;
  folder.write("tiny.lua", "return { two = function() return 2 end }\n");
  folder.write("deep/s_test.lua", "it('x', function() require('tiny') end)\n");
  folder.write("s_test.lua", "local tiny = require('tiny')\nit('x', function() expect(tiny.two()).equals(2) end)\n");
  const SuiteRun run = run_in(folder);
  REQUIRE(run.report.suites.size() == 2);
  CHECK(run.report.suites[0].cases[0].failures.at(0).problem.find("module 'tiny' not found") == 0);
  CHECK(run.report.suites[1].cases[0].status == CaseStatus::kPassed);
}

TEST_CASE("Suites: what is printed is shown with a failure", "[testing]") {
  const std::string lua = R"(
local chatty = { api = 1, name = "chatty", version = "1", key = function(job) print("key of", job.id) return 0 end }
local function go() return simulate { nodes = 1, policy = chatty, jobs = { job{nodes=1, runtime=1} } } end
it("passes", function() print("quiet") go() end)
it("fails", function() print("loud") go() error("no", 0) end)
)";
  CHECK(run_text(lua).text == R"(s_test.lua  1 passed, 1 failed
  failed: fails
    no
    stack traceback:
      s_test.lua:5: in the case
    | loud
    | key of	1

1 passed, 1 failed, 0 skipped
)");
  TestOptions verbose;
  verbose.verbose = true;
  CHECK(run_text(lua, verbose).text.find("  passed: passes\n    | quiet\n    | key of\t1\n") != std::string::npos);
}

TEST_CASE("Suites: filters", "[testing]") {
  CHECK(matches_filter("easy lets a job pass", ""));
  CHECK(matches_filter("easy lets a job pass", "Lets A"));
  CHECK(matches_filter("easy lets a job pass", "easy*pass"));
  CHECK(matches_filter("easy", "*easy*"));
  CHECK_FALSE(matches_filter("easy lets a job pass", "pass*easy"));
  CHECK_FALSE(matches_filter("easy", "easyeasy"));
  CHECK_FALSE(matches_filter("aba", "ab*ba"));

  const ScratchFolder folder;
  folder.write("a_test.lua", "it('one', function() end)\nit('two', function() end)\n");
  folder.write("b_test.lua", "it('three', function() end)\n");
  TestOptions options;
  options.filter = "tw";
  CHECK(run_in(folder, options).text == "a_test.lua  1 passed\n\n1 passed, 0 failed, 0 skipped\n");
  options.filter = "four";
  CHECK(message_of([&] { run_in(folder, options); }) == "no case matches 'four'; expected a part of its full name");
}

TEST_CASE("Suites: which files are suites", "[testing]") {
  const ScratchFolder folder;
  folder.write("b_test.lua", "");
  folder.write("a/c_test.lua", "");
  folder.write("a/easy.lua", "");
  folder.write("build/x_test.lua", "");
  folder.write(".git/x_test.lua", "");
  folder.write("empty/easy.lua", "");
  const std::string at = folder / "";
  CHECK(find_suites({at}) == std::vector<std::string>{at + "a/c_test.lua", at + "b_test.lua"});
  CHECK(find_suites({at + "a/easy.lua", at + "a", at + "a/c_test.lua"}) ==
        std::vector<std::string>{at + "a/c_test.lua", at + "a/easy.lua"});
  CHECK(message_of([&] { find_suites({at + "nowhere"}); }) ==
        at + "nowhere: there is no such file or folder; expected a suite, or a folder with suites");
  CHECK(message_of([&] { find_suites({at + "empty"}); }) ==
        at + "empty: there is no suite in this folder; expected files whose names end in _test.lua");
  TestOptions options;
  options.paths = {at + "b_test.lua"};
  CHECK(message_of([&] { run_in(folder, options); }) ==
        "the suites have no cases; expected it(\"...\", function() ... end)");
}

TEST_CASE("Suites: the report is the same for any number of threads", "[testing]") {
  const ScratchFolder folder;
  for (int i = 0; i != 20; ++i) {
    folder.write("s" + std::to_string(i) + "_test.lua", R"(
property("is shrunk", { runs = 5, jobs = 4, seed = )" + std::to_string(i) +
                                                            R"( }, function(workload)
  expect(simulate(workload, { policy = "fcfs" }).summary.all.wait.max).less_than(3)
end)
it("prints", function() print("x") error("y") end)
)");
  }
  const SuiteRun one = run_in(folder);
  TestOptions four;
  four.jobs = 4;
  CHECK(run_in(folder, four).text == one.text);
  CHECK(one.report.suites.size() == 20);
}

TEST_CASE("Suites: JUnit XML", "[testing]") {
  CHECK(xml_text("a<b>&\"c\"\n\tü") == "a&lt;b&gt;&amp;&quot;c&quot;\n\tü");
  CHECK(xml_text(std::string("\x01\x00z\xff\xc0\xaf\xed\xa0\x80", 9)) ==
        "\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");

  const ScratchFolder folder;
  folder.write("a_test.lua", "describe('a <b>', function()\n  it('passes', function() print('hi') end)\n"
                             "  it('fails', function() expect('<').equals('>') end)\n  pending('later')\nend)\n");
  folder.write("b_test.lua", "(");
  TestOptions options;
  options.junit = folder / "junit.xml";
  run_in(folder, options);
  CHECK(without_times(folder.read("junit.xml"), folder / "") == R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="coslice test" tests="4" failures="1" errors="1" skipped="1" time="T">
  <testsuite name="a_test.lua" tests="3" failures="1" errors="0" skipped="1" time="T">
    <testcase classname="a_test.lua" name="a &lt;b&gt; passes" file="a_test.lua" line="2" time="T">
      <system-out>hi
</system-out>
    </testcase>
    <testcase classname="a_test.lua" name="a &lt;b&gt; fails" file="a_test.lua" line="3" time="T">
      <failure message="expected &quot;&gt;&quot;, got &quot;&lt;&quot;">a_test.lua:3: expected &quot;&gt;&quot;, got &quot;&lt;&quot;
</failure>
    </testcase>
    <testcase classname="a_test.lua" name="a &lt;b&gt; later" file="a_test.lua" line="4" time="T">
      <skipped message="not written yet"/>
    </testcase>
  </testsuite>
  <testsuite name="b_test.lua" tests="1" failures="0" errors="1" skipped="0" time="T">
    <testcase classname="b_test.lua" name="(loading)" file="b_test.lua" time="T">
      <error message="b_test.lua:1: unexpected symbol near &lt;eof&gt;">b_test.lua:1: unexpected symbol near &lt;eof&gt;</error>
    </testcase>
  </testsuite>
</testsuites>
)xml");
  options.junit = folder / "nowhere/junit.xml";
  CHECK(message_of([&] { run_in(folder, options); }) ==
        options.junit + ": cannot be created: No such file or directory");
}

}  // namespace testing_test
