// The laboratory: the pool of threads, statistics, papers.
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/error.h"
#include "host/embedded.h"
#include "lab/compare/statistics.h"
#include "lab/papers/reproduce.h"
#include "lab/thread_pool.h"
#include "runner/runner.h"
#include "scenario/csv_columns.h"
#include "scenario/load.h"
#include "scratch_folder.h"

namespace lab_test {

using namespace coslice;

namespace {

PoolOptions workers(int n) {
  PoolOptions options;
  options.workers = n;
  return options;
}

struct Interrupted {};

const char* const kScenario = "[machine]\nnodes = 8\n[workload]\ngenerator = \"lublin\"\n[workload.lublin]\njobs = 60\n"
                              "[policy]\nname = \"easy\"\n";

PaperFolder paper(const ScratchFolder& folder, const std::string& experiments) {
  folder.write("p/s.toml", kScenario);
  folder.write("p/paper.lua", "return { api = 1, title = \"t\", seeds = 3, quick_seeds = 2, experiments = {\n" +
                                  experiments + "\n} }\n");
  return {"p", folder / "p"};
}

Reproduction reproduced(const PaperFolder& where, int jobs = 2, PaperOptions options = {}) {
  ReproduceOptions o;
  o.paper = std::move(options);
  o.workers = jobs;
  return reproduce(where, o);
}

}  // namespace

TEST_CASE("the pool runs every task once, whatever the number of threads", "[lab]") {
  for (int n : {1, 2, 8}) {
    std::vector<int> ran(100);
    run_tasks(
        ran.size(), [&](std::size_t i, const Cancel&) { ++ran[i]; }, workers(n));
    CHECK(ran == std::vector<int>(100, 1));
  }
  run_tasks(
      0, [](std::size_t, const Cancel&) { FAIL("there is no task"); }, workers(2));
}

TEST_CASE("of several failures the first task's comes out", "[lab]") {
  for (int n : {1, 2, 8}) {
    std::atomic<int> begun{0};
    const auto task = [&](std::size_t i, const Cancel&) {
      ++begun;
      if (i == 3) std::this_thread::sleep_for(std::chrono::milliseconds(30));  // later ones fail before it
      if (i >= 3) throw std::runtime_error(std::to_string(i));
    };
    CHECK_THROWS_WITH(run_tasks(1000, task, workers(n)), "3");
    CHECK(begun < 100);
  }
}

TEST_CASE("an interruption cancels what runs and comes out", "[lab]") {
  PoolOptions options = workers(2);
  options.tick = [](std::size_t) { throw Interrupted{}; };
  std::atomic<int> begun{0};
  const auto task = [&](std::size_t i, const Cancel& cancel) {
    ++begun;
    while (!cancel.requested(i)) std::this_thread::yield();
    throw Cancelled{};
  };
  CHECK_THROWS_AS(run_tasks(10, task, options), Interrupted);
  CHECK(begun == 2);
}

TEST_CASE("the tick hears of progress on the caller's thread", "[lab]") {
  PoolOptions options = workers(2);
  std::vector<std::size_t> heard;
  const auto caller = std::this_thread::get_id();
  options.tick = [&](std::size_t done) {
    CHECK(std::this_thread::get_id() == caller);
    heard.push_back(done);
  };
  run_tasks(
      5, [](std::size_t, const Cancel&) {}, options);
  REQUIRE(!heard.empty());
  CHECK(heard.back() == 5);
}

TEST_CASE("means, deviations and Student's intervals", "[lab]") {
  CHECK(mean({}) == 0);
  CHECK(mean({1, 2, 6}) == 3);
  CHECK(deviation({5}) == 0);
  CHECK(deviation({2, 4, 4, 4, 5, 5, 7, 9}) == Approx(2.138089935));
  CHECK(!estimate_of({1}, Unit::kSeed).interval);
  // t tables: 12.706 for one degree of freedom, 2.262 for nine (95 %, two-sided); 3.250 for nine at 99 %.
  const auto two = *estimate_of({0, 2}, Unit::kSeed).interval;
  CHECK(two.high == Approx(1 + 12.7062047));
  CHECK(two.low == Approx(1 - 12.7062047));
  const std::vector<double> ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const double error = 3.02765035 / 3.16227766;
  CHECK(estimate_of(ten, Unit::kSeed).interval->high == Approx(5.5 + 2.26215716 * error));
  CHECK(estimate_of(ten, Unit::kSeed, 0.99).interval->low == Approx(5.5 - 3.24983554 * error));
}

TEST_CASE("a paper's experiments share runs, wait for them, and state rows", "[lab]") {
  const ScratchFolder folder;
  const PaperFolder where = paper(folder, R"(
    { label = "A", run = function(lab)
      local easy, fcfs = lab.runs("s.toml"), lab.runs("s.toml", { policy = { name = "fcfs" } })
      local first = easy[1].summary.makespan  -- waits
      local more = lab.run("s.toml", { seed = 7 })  -- a second round
      lab.row { quantity = "wait", values = lab.compare(easy, fcfs, function(a, b) return a.all.wait.mean / b.all.wait.mean end),
        published = 0.5, band = { 0, 1 } }
      lab.row { quantity = "more", obtained = more.summary.makespan / first }
    end },
    { label = "B", run = function(lab)
      lab.row { quantity = "easy again", values = lab.each(lab.runs("s.toml"), function(s) return s.all.wait.mean end) }
      lab.row { quantity = "absent", skipped = lab.trace { "no.swf" } and "there" or "no log" }
    end })");
  const Reproduction one = reproduced(where, 1);
  CHECK(one.runs == 7);  // B's runs are A's
  REQUIRE(one.rows.size() == 4);
  CHECK(one.rows[0].verdict == Verdict::kMet);
  CHECK(one.rows[0].seeds == 3);
  CHECK(one.rows[1].quantity == "more");
  CHECK(one.rows[2].experiment == "B");
  CHECK(one.rows[3].verdict == Verdict::kSkipped);
  for (int jobs : {2, 5}) CHECK(rows_json(reproduced(where, jobs).rows) == rows_json(one.rows));

  PaperOptions options;
  options.experiments = {"B"};
  options.size = PaperSize::kQuick;
  CHECK(reproduced(where, 2, options).runs == 2);
  options.seeds = 4;
  CHECK(reproduced(where, 2, options).runs == 4);
  options.experiments = {"b2"};
  CHECK_THROWS_WITH(reproduced(where, 2, options), Catch::Contains("one of A, B"));
}

TEST_CASE("a figure of means over the seeds, with its paired interval", "[lab]") {
  const ScratchFolder folder;
  const PaperFolder where = paper(folder, R"(
    { label = "A", run = function(lab)
      local function ratio(a, b) return a / b end
      lab.row { quantity = "of means", estimate = lab.estimate(ratio, { 1, 2, 3 }, { 2, 2, 8 }), published = 0.5, band = { 0, 2 } }
      lab.row { quantity = "alike", estimate = lab.estimate(ratio, { 1, 2, 3 }, { 2, 4, 6 }), published = 0.5, band = { 0, 1 },
        fitted = "the pairs" }
      lab.row { quantity = "one seed", estimate = lab.estimate(ratio, { 3 }, { 4 }), given = "both", note = "alone" }
    end })");
  const std::vector<Row> rows = reproduced(where).rows;
  CHECK(*rows[0].obtained == 0.5);  // the mean of the ratios is 0.625
  // Leaving out one seed gives 0.5, 0.4, 0.75: pseudo-values 0.5, 0.7, 0 of deviation 0.3605551.
  CHECK(rows[0].interval->high == Approx(0.5 + 4.3026527 * 0.3605551 / std::sqrt(3.0)));
  CHECK(rows[0].interval->low + rows[0].interval->high == Approx(1));
  CHECK(rows[0].seeds == 3);
  CHECK(rows[1].interval->low == Approx(0.5));  // what both have in common cancels out
  CHECK(rows[1].basis == Basis::kFitted);
  CHECK(*rows[2].obtained == 0.75);
  CHECK(!rows[2].interval);
  CHECK(rows[2].note == "given: both; alone");
}

TEST_CASE("the jobs of a run by column", "[lab]") {
  const ScratchFolder folder;
  const PaperFolder where = paper(folder, R"(
    { label = "A", run = function(lab)
      local run = lab.run("s.toml", {}, { jobs = true })
      lab.row { quantity = "jobs", obtained = #run.jobs.job_id }
      lab.row { quantity = "same", obtained = lab.mean(run.jobs.waiting_time) / run.summary.all.wait.mean }
      lab.row { quantity = "text", obtained = run.jobs.job_class[1] == "short" and 1 or 2, note = tostring(run.jobs.user[1]) }
    end })");
  const std::vector<Row> rows = reproduced(where).rows;
  CHECK(*rows[0].obtained == 60);
  CHECK(*rows[1].obtained == Approx(1));
  CHECK(rows[2].note == "false");
  PaperOptions options;
  options.sets = {"workload.lublin.jobs=20"};
  CHECK(*reproduced(where, 1, options).rows[0].obtained == 20);
}

TEST_CASE("columns of CSV", "[lab]") {
  const CsvColumns csv("a,\"b \"\"c\"\"\",d\n1,\"x,\ny\",3\n4,,6\n7\n");
  CHECK(csv.columns() == std::vector<std::string>{"a", "b \"c\"", "d"});
  std::vector<std::string> fields;
  csv.each(*csv.column("b \"c\""), [&](std::string_view f) { fields.emplace_back(f); });
  CHECK(fields == std::vector<std::string>{"x,\ny", "", ""});
  CHECK(!csv.column("e"));
}

TEST_CASE("mistakes in papers name the line, failing runs the run", "[lab]") {
  const ScratchFolder folder;
  const auto complaint = [&](const std::string& body) {
    try {
      reproduced(paper(folder, "{ label = \"A\", run = function(lab)\n" + body + "\nend }"));
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  using Catch::Contains;
  const std::string file = folder / "p/paper.lua";
  CHECK_THAT(complaint("lab.run('s.toml', { polcy = {} })"),
             Contains(file + ":3: unknown") && Contains("did you mean 'policy'?"));
  CHECK_THAT(complaint("lab.run('none.toml')"), Contains("none.toml"));
  CHECK_THAT(complaint("local _ = lab.trace('log.swf')"), Contains(file + ":3: lab.trace: its argument is"));
  CHECK_THAT(complaint("local _ = lab.trace { 1 }"), Contains(file + ":3: lab.trace: the name is number 1"));
  CHECK_THAT(complaint("local _ = lab.trace { '/etc/passwd' }"),
             Contains(file + ":3: lab.trace: '/etc/passwd' leads out"));
  CHECK_THAT(complaint("local _ = lab.data('/etc/passwd')"), Contains(file + ":3: lab.data: '/etc/passwd' leads out"));
  CHECK_THAT(complaint("local _ = lab.data('a/../../b')"), Contains(file + ":3: lab.data: 'a/../../b' leads out"));
  CHECK_THAT(complaint("local _ = lab.files('..')"), Contains(file + ":3: lab.files: '..' leads out"));
  CHECK_THAT(complaint("local _ = lab.mean(1)"), Contains(file + ":3: lab.mean: its argument is number 1"));
  CHECK_THAT(complaint("lab.row { quantity = 'q', value = 1 }"),
             Contains(file + ":3: row has an unknown field 'value'"));
  CHECK_THAT(complaint("lab.row { quantity = 'q' }"), Contains(file + ":3: row 'q' has no figure"));
  CHECK_THAT(complaint("lab.row { quantity = 'q', obtained = 1, estimate = lab.estimate(math.abs, { 1 }) }"),
             Contains(file + ":3: row 'q' has an estimate and another figure"));
  CHECK_THAT(complaint("lab.row { quantity = 'q', estimate = 1 }"), Contains(file + ":3: row: estimate is"));
  CHECK_THAT(complaint("lab.row { quantity = 'q', obtained = 1, fitted = 'a', given = 'b' }"),
             Contains(file + ":3: row 'q' is fitted and given"));
  CHECK_THAT(complaint("lab.estimate(math.max, { 1, 2 }, { 1 })"), Contains(file + ":3: lab.estimate: the lists are"));
  CHECK_THAT(complaint("local n = lab.run('s.toml').summary.nothing.mean"),
             Contains(file + ":3: ") && Contains("nothing"));
  CHECK_THAT(complaint("return lab.run('s.toml').jobs"), Contains(file + ":3: ask for the jobs of the run"));
  CHECK_THAT(complaint("return lab.run('s.toml').job"), Contains(file + ":3: a run has no field 'job'"));
  CHECK_THAT(complaint("return lab.run('s.toml', {}, { jobs = true }).jobs.waitin_time"),
             Contains(file + ":3: jobs have no column") && Contains("did you mean 'waiting_time'?"));
  CHECK_THAT(complaint("lab.runs('s.toml', { policy = { name = { 'easy', 'fcfs' } } })"),
             Contains("expected exactly one: policy"));
  folder.write("p/bad.lua", "return { api = 1, name = 'bad', version = '1', key = function() error('oh') end }");
  CHECK_THAT(complaint("local s = lab.run('s.toml', { policy = { name = 'bad' } }).summary"),
             Contains("oh") && Contains("in the run of s.toml, policy.name = bad"));
}

// What a job asks for is drawn when it is submitted, so the choice of nodes cannot change it.
TEST_CASE("jobs of one seed have the same memory under each choice of nodes", "[lab]") {
  const EmbeddedFile* file = find_embedded("policies/scojo_pect.lua");
  REQUIRE(file != nullptr);
  std::string text(file->text);
  const std::string drawn = "of = memory_models.of,";
  const std::size_t at = text.find(drawn);
  REQUIRE(at != std::string::npos);
  text.replace(at, drawn.size(),
               "of = function(j, p) local m = memory_models.of(j, p) print(j.id .. ' ' .. m) return m end,");
  const auto memory_under = [&](const std::string& nodes) {
    Value tree = parse_scenario_tree(
        "[machine]\nnodes = 128\n[workload]\ngenerator = \"lublin\"\n[workload.lublin]\njobs = 800\n"
        "[policy]\nname = \"told\"\n[policy.params]\nmemory = \"MM1\"\n",
        "told.toml");
    apply_override(tree, "policy.params.nodes=" + nodes);
    const Runner runner(check_scenario(tree), {GivenPolicy(Script{"told", text})});
    std::vector<std::string> lines;
    RunCallbacks callbacks;
    callbacks.print = [&](std::string_view line) { lines.emplace_back(line); };
    runner.run(0, callbacks);
    return lines;
  };
  const std::vector<std::string> first_free = memory_under("first-free");
  CHECK(first_free.size() == 800);
  CHECK(memory_under("fewest-foreign") == first_free);
  CHECK(memory_under("memory-fit") == first_free);
}

}  // namespace lab_test
