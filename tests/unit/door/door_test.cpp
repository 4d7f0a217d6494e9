// The C interface: what comes through it is the same simulation, and no fault of its caller ends the process.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "catch.h"
#include "core/file.h"
#include "door/coslice.h"
#include "output/jobs_csv.h"
#include "output/output.h"
#include "runner/runner.h"
#include "runner/write_run.h"
#include "scenario/load.h"

namespace door_test {

using namespace coslice;

constexpr const char* kScenario = R"(
name = "door"
seed = 3
[machine]
nodes = 64
[workload]
generator = "lublin"
[workload.lublin]
jobs = 400
load = 0.9
[policy]
name = ["easy", "sjf"]
)";

/// A scenario handle that is freed.
struct Handles {
  Handles() : scenario(coslice_scenario_new()) {}
  ~Handles() {
    for (coslice_result* r : results) coslice_result_free(r);
    coslice_simulation_free(simulation);
    coslice_scenario_free(scenario);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  void load(const char* text) { ok(coslice_load_text(scenario, text, "door.toml", nullptr)); }
  void ok(coslice_status status) {
    INFO(coslice_error()->message);
    REQUIRE(status == COSLICE_OK);
  }
  void prepare() {
    coslice_simulation_free(simulation);
    simulation = nullptr;
    ok(coslice_prepare(scenario, &simulation));
  }
  coslice_result* run(std::size_t policy = 0) {
    coslice_result* made = nullptr;
    ok(coslice_run(simulation, policy, nullptr, &made));
    results.push_back(made);
    return made;
  }
  void choose(const char* name) { ok(coslice_set_policies(scenario, &name, 1)); }

  coslice_scenario* scenario;
  coslice_simulation* simulation = nullptr;
  std::vector<coslice_result*> results;
};

std::string text_of(coslice_result* result, const char* file) {
  const char* const text = coslice_result_text(result, file);
  REQUIRE(text != nullptr);
  return text;
}

/// The jobs that coslice_view_waiting or coslice_view_running tells of.
std::vector<std::uint32_t> listed(std::size_t (*of)(coslice_view*, const std::uint32_t**), coslice_view* view) {
  const std::uint32_t* jobs = nullptr;
  const std::size_t count = of(view, &jobs);
  return {jobs, jobs + count};
}

/// Fields of a CSV without line ends in them.
std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < csv.size();) {
    const std::size_t end = csv.find('\n', at);
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : csv.substr(at, end - at))
      if (c == '"') quoted = !quoted;
      else if (c == ',' && !quoted) fields.emplace_back();
      else fields.back() += c;
    rows.push_back(std::move(fields));
    at = end + 1;
  }
  return rows;
}

/// summary.json up to what differs from machine to machine.
std::string without_environment(const std::string& summary) {
  return summary.substr(0, summary.find("\"environment\""));
}

/// Whether a value of a column is what the field of the file says.
bool says(const coslice_column& c, std::size_t row, const std::string& field) {
  switch (c.type) {
    case COSLICE_INT64: {
      const std::int64_t n = static_cast<const std::int64_t*>(c.data)[row];
      return field.empty() ? n == -1 : field == std::to_string(n);
    }
    case COSLICE_FLOAT64: {
      const double x = static_cast<const double*>(c.data)[row];
      return field.empty() ? std::isnan(x) : std::strtod(field.c_str(), nullptr) == x;
    }
    case COSLICE_CODES: return field == c.names[static_cast<const std::int32_t*>(c.data)[row]];
    default: {
      const auto from = c.offsets[row], to = c.offsets[row + 1];
      return field == std::string(static_cast<const char*>(c.data) + from, static_cast<std::size_t>(to - from));
    }
  }
}

/// Columns that are made at once.
std::vector<coslice_column> columns_of(coslice_result* result, const char* table, bool texts) {
  const coslice_column* all = nullptr;
  std::size_t count = 0;
  REQUIRE(coslice_result_columns(result, table, texts, &all, &count) == COSLICE_OK);
  return {all, all + count};
}

void check_columns(coslice_result* result, const char* table, const char* file) {
  const auto numbers = columns_of(result, table, false), columns = columns_of(result, table, true);
  const auto rows = rows_of(text_of(result, file));
  std::vector<std::string> names;
  while (const char* name = coslice_result_column_name(result, table, names.size())) names.emplace_back(name);
  REQUIRE(names == rows.front());
  for (std::size_t i = 0; i != names.size(); ++i) {
    INFO(names[i]);
    coslice_column c;
    REQUIRE(coslice_result_column(result, table, names[i].c_str(), &c) == COSLICE_OK);
    REQUIRE(c.length == rows.size() - 1);
    REQUIRE(c.name == names[i]);
    for (std::size_t row = 0; row != c.length; ++row)
      if (!says(c, row, rows[row + 1][i])) FAIL("row " << row << " is not '" << rows[row + 1][i] << "'");
  }
  for (const auto& [all, texts] : {std::pair(numbers, false), std::pair(columns, true)}) {
    auto at = all.begin();
    for (const std::string& name : names) {
      coslice_column c;
      REQUIRE(coslice_result_column(result, table, name.c_str(), &c) == COSLICE_OK);
      if (c.type == COSLICE_TEXT && !texts) continue;
      REQUIRE(at != all.end());
      CHECK((at->name == name && at->data == c.data && at->length == c.length));
      ++at;
    }
    CHECK(at == all.end());
  }
}

TEST_CASE("a scenario gives the same run through the C interface") {
  const Runner runner(check_scenario(parse_scenario_tree(kScenario, "door.toml")));
  Handles h;
  h.load(kScenario);
  h.prepare();
  REQUIRE(coslice_simulation_jobs(h.simulation) == 400);
  REQUIRE(coslice_simulation_nodes(h.simulation) == 64);
  REQUIRE(coslice_simulation_policies(h.simulation) == 2);
  REQUIRE(std::string(coslice_simulation_policy(h.simulation, 1)) == "sjf");
  REQUIRE(coslice_simulation_policy(h.simulation, 2) == nullptr);
  for (std::size_t i = 0; i != 2; ++i) {
    const PolicyRun run = runner.run(i);
    coslice_result* const result = h.run(i);
    std::string csv;
    write_jobs_csv(run.result, runner.scenario().metrics, sink_to(csv));
    CHECK(text_of(result, "jobs.csv") == csv);
    CHECK(text_of(result, "summary") == run_summary_line(runner, i, run));
    CHECK(run_summary_value(runner, i, run) == value_from_json(run_summary_line(runner, i, run)));
    CHECK(text_of(result, "scenario.toml") == run_scenario_toml(runner, i, run, ""));
    double wait = 0;
    REQUIRE(coslice_result_figure(result, "all.wait.mean", &wait) == COSLICE_OK);
    CHECK(wait == run.summary.all.wait.mean);
    CHECK(coslice_result_figure(result, "all.wait.middle", &wait) == COSLICE_BAD_INPUT);
    CHECK(coslice_result_text(result, "jobs.xls") == nullptr);
  }
}

TEST_CASE("the columns of a result say what the files say") {
  const char* const scenarios[] = {"backfilling", "time_slices", "outages", "gpus", "power", "suspended", "workflow"};
  for (const char* const name : scenarios) {
    INFO(name);
    Handles h;
    h.ok(coslice_load_file(h.scenario, (std::string(COSLICE_SOURCE) + "/scenarios/" + name + ".toml").c_str()));
    h.prepare();
    coslice_result* const result = h.run();
    check_columns(result, "jobs", "jobs.csv");
    check_columns(result, "timeline", "timeline.csv");
    const coslice_column* all = nullptr;
    std::size_t count = 0;
    CHECK(coslice_result_columns(result, "nodes", 1, &all, &count) == COSLICE_BAD_INPUT);
    CHECK(coslice_result_columns(result, "jobs", 1, nullptr, &count) == COSLICE_BAD_INPUT);
  }
}

TEST_CASE("what a run writes is what the program writes") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("coslice-door-{}", getpid());
  Handles h;
  h.load(kScenario);
  h.prepare();
  h.run(0), h.run(1);
  REQUIRE(coslice_results_write(h.results.data(), 1, (folder / "one").c_str()) == COSLICE_BAD_INPUT);
  h.ok(coslice_results_write(h.results.data(), 2, (folder / "two").c_str()));
  CHECK(read_whole_file((folder / "two/easy/jobs.csv").string()) == text_of(h.results[0], "jobs.csv"));
  CHECK(without_environment(read_whole_file((folder / "two/sjf/summary.json").string())) ==
        without_environment(text_of(h.results[1], "summary.json")));
  fs::remove_all(folder);
}

TEST_CASE("jobs are handed in as columns") {
  const double submit[] = {0, 10.5, NAN};
  const std::int64_t nodes[] = {4, 2, 1};
  const std::int32_t user[] = {7, -1, 7};
  const double runtime[] = {100, 0.25, 30};
  const char* const depends[] = {nullptr, "afterok:1", ""};
  const std::int64_t offsets[] = {0, 4, 4, 8};
  coslice_column columns[] = {{"submit", COSLICE_FLOAT64, submit, 3, nullptr, nullptr, 0},
                              {"nodes", COSLICE_INT64, nodes, 3, nullptr, nullptr, 0},
                              {"user", COSLICE_INT32, user, 3, nullptr, nullptr, 0},
                              {"runtime", COSLICE_FLOAT64, runtime, 3, nullptr, nullptr, 0},
                              {"depends", COSLICE_STRINGS, depends, 3, nullptr, nullptr, 0},
                              {"qos", COSLICE_TEXT, "highhigh", 3, offsets, nullptr, 0}};
  Handles h;
  h.ok(coslice_set(h.scenario, "machine.nodes=4"));
  h.ok(coslice_set_jobs(h.scenario, columns, 6));
  h.choose("easy");
  h.prepare();
  coslice_result* const through = h.run();
  const Runner runner(check_scenario(parse_scenario_tree(R"(
machine.nodes = 4
policy.name = "easy"
[workload]
jobs = [
  { submit = 0, nodes = 4, user = 7, runtime = 100, qos = "high" },
  { submit = 10.5, nodes = 2, runtime = 0.25, depends = "afterok:1" },
  { nodes = 1, user = 7, runtime = 30, qos = "high" },
]
)",
                                                         "by hand")));
  const PolicyRun run = runner.run(0);
  std::string csv;
  write_jobs_csv(run.result, runner.scenario().metrics, sink_to(csv));
  CHECK(text_of(through, "jobs.csv") == csv);
  check_columns(through, "jobs", "jobs.csv");

  const auto refused = [&](const coslice_column& column, const std::string& problem, int line) {
    coslice_column changed[] = {columns[0], columns[1], columns[3], column};
    REQUIRE(coslice_set_jobs(h.scenario, changed, 4) == COSLICE_BAD_INPUT);
    CHECK_THAT(coslice_error()->problem, Catch::Contains(problem));
    CHECK(coslice_error()->line == line);
    CHECK(std::string(coslice_error()->file) == "jobs");
  };
  const std::int64_t ids[] = {1, 2, 1}, negative[] = {1, -5, 1};
  refused({"usr", COSLICE_INT32, user, 3, nullptr, nullptr, 0}, "a job has no column 'usr'", 0);
  CHECK(std::string(coslice_error()->suggestion) == "did you mean 'user'?");
  refused({"user", COSLICE_INT32, user, 2, nullptr, nullptr, 0}, "have 3 and 2 rows", 0);
  refused({"id", COSLICE_INT64, ids, 3, nullptr, nullptr, 0}, "has the id of an earlier job, 1", 3);
  refused({"limit", COSLICE_INT64, negative, 3, nullptr, nullptr, 0}, "limit is -5", 2);
  refused({"after", COSLICE_INT64, offsets, 3, nullptr, nullptr, 0}, "runs after job", 1);
  refused({"qos", COSLICE_TEXT, "high", 3, nullptr, nullptr, 0}, "has no offsets", 0);
  refused({"runtime", COSLICE_INT64, negative, 3, nullptr, nullptr, 0}, "there are two columns 'runtime'", 0);
  const coslice_column nameless[] = {columns[3], {nullptr, COSLICE_INT64, ids, 2, nullptr, nullptr, 0}};
  CHECK(coslice_set_jobs(h.scenario, nameless, 2) == COSLICE_BAD_INPUT);
  refused({"user", static_cast<coslice_type>(99), user, 3, nullptr, nullptr, 0}, "is of no known type", 0);
}

double area(void*, const coslice_job* job) { return job->nodes * job->estimate; }
double not_a_number(void*, const coslice_job* job) { return job->id == 7 ? NAN : 0; }

/// What a policy of the tests keeps.
struct Kept {
  int begun = 0, submitted = 0, started = 0, ended = 0, faults = 0, passes = 0;
};
Kept& kept(void* user) { return *static_cast<Kept*>(user); }

coslice_policy policy_of(Kept* kept) {
  coslice_policy p{};
  p.size = sizeof p;
  p.user = kept;
  return p;
}

int counts_begin(void* user, coslice_view*) { return kept(user) = Kept{1, 0, 0, 0, 0, 0}, 0; }

TEST_CASE("a key as a callback decides as the same key in Lua") {
  Kept k;
  coslice_policy policy = policy_of(&k);
  policy.key = area;
  policy.begin = counts_begin;
  policy.started = [](void* user, coslice_view*, const coslice_job* job) {
    kept(user).faults += std::isnan(job->start);
    return ++kept(user).started, 0;
  };
  policy.submitted = [](void* user, coslice_view*, const coslice_job*) { return ++kept(user).submitted, 0; };
  policy.ended = [](void* user, coslice_view*, const coslice_job*) { return ++kept(user).ended, 0; };
  for (const char* const backfill : {"easy", "none", "conservative"}) {
    INFO(backfill);
    policy.backfill = backfill;
    Handles h;
    h.load(kScenario);
    h.ok(coslice_add_policy(h.scenario, "by_area", &policy));
    h.ok(coslice_add_lua(h.scenario, "lua",
                         fmt::format("return {{ api = 1, name = 'lua', version = '1', backfill = '{}',\n"
                                     "  key = function(job) return job.nodes * job.estimate end }}",
                                     backfill)
                             .c_str()));
    const char* const names[] = {"by_area", "lua"};
    h.ok(coslice_set_policies(h.scenario, names, 2));
    h.prepare();
    const std::string own = text_of(h.run(0), "jobs.csv");
    CHECK(own == text_of(h.run(1), "jobs.csv"));
    CHECK(k.begun == 1);
    CHECK(k.submitted == 400);
    CHECK(k.started == 400);
    CHECK(k.ended == 400);
    CHECK(k.faults == 0);
    CHECK(std::string(coslice_result_policy(h.results[0])) == "by_area");
  }
}

/// EASY, from the primitives.
int easy_by_hand(void* user, coslice_view* view) {
  ++kept(user).passes;
  std::uint32_t head = 0;
  if (coslice_view_start_in_order(view, &head) != COSLICE_OK) return 1;
  if (head == COSLICE_NO_JOB) return 0;
  coslice_time shadow = 0;
  std::int32_t extra = 0;
  if (coslice_view_shadow(view, head, &shadow, &extra) != COSLICE_OK) return 1;
  const std::uint32_t* jobs = nullptr;
  const std::size_t all = coslice_view_waiting(view, &jobs);
  std::size_t fitting = 0;
  for (std::size_t i = 0; i != all; ++i) {
    int fits = 0;
    if (coslice_view_fits(view, jobs[i], &fits) != COSLICE_OK) return 1;
    fitting += fits != 0;
  }
  const std::size_t count = coslice_view_fitting(view, &jobs);
  kept(user).faults += count != fitting;
  for (std::size_t i = 0; i < count; ++i) {
    int fits = 0, ends = 0;
    coslice_job job;
    if (coslice_view_fits(view, jobs[i], &fits) != COSLICE_OK) return 1;
    if (fits == 0) continue;
    if (coslice_view_ends_by(view, jobs[i], shadow, &ends) != COSLICE_OK) return 1;
    if (coslice_view_job(view, jobs[i], &job, sizeof job) != COSLICE_OK) return 1;
    if (ends == 0 && job.nodes > extra) continue;
    if (coslice_view_start(view, jobs[i]) != COSLICE_OK) return 1;
    if (ends == 0) extra -= job.nodes;
  }
  return 0;
}

TEST_CASE("a pass as a callback decides as the ready-made one") {
  const auto run_of = [](const coslice_policy* policy, const char* ready) {
    Handles h;
    h.load(kScenario);
    if (policy != nullptr) h.ok(coslice_add_policy(h.scenario, "own", policy));
    h.choose(policy != nullptr ? "own" : ready);
    h.prepare();
    return text_of(h.run(), "jobs.csv");
  };
  Kept k;
  coslice_policy policy = policy_of(&k);
  policy.schedule = easy_by_hand;
  CHECK(run_of(&policy, "") == run_of(nullptr, "easy"));
  CHECK(k.passes > 400);
  CHECK(k.faults == 0);
  policy.schedule = [](void*, coslice_view* view) -> int { return coslice_view_easy(view, 1, -1); };
  CHECK(run_of(&policy, "") == run_of(nullptr, "easy"));
  policy.schedule = [](void*, coslice_view* view) -> int { return coslice_view_conservative(view, 0); };
  CHECK(run_of(&policy, "") == run_of(nullptr, "conservative"));
  // Shortest job first, sorted anew in each pass.
  policy.schedule = [](void*, coslice_view* view) -> int {
    const std::uint32_t* jobs = nullptr;
    const std::size_t count = coslice_view_waiting(view, &jobs);
    std::vector<double> keys(count);
    for (std::size_t i = 0; i != count; ++i) {
      coslice_job job;
      if (coslice_view_job(view, jobs[i], &job, sizeof job) != COSLICE_OK) return 1;
      keys[i] = job.estimate;
    }
    if (coslice_view_rekey(view, keys.data(), count) != COSLICE_OK) return 1;
    return coslice_view_easy(view, 1, -1);
  };
  const char* const lua =
      "return { api = 1, name = 'short', version = '1', backfill = 'easy', key = function(j) return j.estimate end }";
  Handles h;
  h.load(kScenario);
  h.ok(coslice_add_lua(h.scenario, "short", lua));
  h.choose("short");
  h.prepare();
  CHECK(run_of(&policy, "") == text_of(h.run(), "jobs.csv"));
  // Reservations: each job at its earliest when it comes, as conservative backfilling without compression.
  policy.schedule = [](void* user, coslice_view* view) -> int {
    if ((coslice_view_events(view) & COSLICE_DUE) != 0) kept(user).faults += coslice_view_start_due(view) != COSLICE_OK;
    const std::vector<std::uint32_t> waiting = listed(coslice_view_waiting, view);
    for (const std::uint32_t job : waiting) {
      coslice_time at = 0;
      if (coslice_view_reservation(view, job, &at) != COSLICE_OK) return 1;
      if (at != COSLICE_NEVER) continue;
      if (coslice_view_earliest(view, job, 0, &at) != COSLICE_OK) return 1;
      kept(user).faults += at < coslice_view_now(view);
      const auto status =
          at == coslice_view_now(view) ? coslice_view_start(view, job) : coslice_view_reserve(view, job, at);
      if (status != COSLICE_OK) return 1;
    }
    return 0;
  };
  k = Kept{};
  CHECK_FALSE(run_of(&policy, "").empty());
  CHECK(k.faults == 0);
}

/// How the tests of preemption stop jobs.
coslice_stop stops = COSLICE_REQUEUE;
double grace = 0;

std::int32_t nodes_of(coslice_view* view, std::uint32_t job) {
  coslice_job known;
  return coslice_view_job(view, job, &known, sizeof known) == COSLICE_OK ? known.nodes : -1;
}

/// First come, first served; the first job that does not fit takes the nodes of smaller ones, the newest first.
int preempts(void* user, coslice_view* view) {
  Kept& k = kept(user);
  std::uint32_t head = COSLICE_NO_JOB;
  if (coslice_view_start_in_order(view, &head) != COSLICE_OK) return 1;
  if (head == COSLICE_NO_JOB) return 0;
  const std::uint32_t* jobs = nullptr;
  const std::size_t count = coslice_view_running(view, &jobs);
  std::vector<std::uint32_t> smaller;
  for (std::size_t i = count; i-- > 0;)
    if (nodes_of(view, jobs[i]) < nodes_of(view, head)) smaller.insert(smaller.end(), 2, jobs[i]);  // twice is once
  int room = -1;
  if (coslice_view_preempt(view, head, smaller.data(), smaller.size(), stops, grace, &room) != COSLICE_OK) return 1;
  k.passes += room != COSLICE_NO_ROOM;
  k.faults += room == COSLICE_ROOM_IS_MADE && grace == 0;
  return 0;
}

TEST_CASE("a pass as a callback preempts as one in Lua") {
  const std::tuple<const char*, coslice_stop, double> ways[] = {{"requeue", COSLICE_REQUEUE, 0},
                                                                {"checkpoint", COSLICE_CHECKPOINT, 0},
                                                                {"kill", COSLICE_KILL, 0},
                                                                {"kill", COSLICE_KILL, 20},
                                                                {"suspend", COSLICE_SUSPEND, 0}};
  for (const auto& [how, stop, seconds] : ways) {
    INFO(how << ", grace " << seconds);
    stops = stop;
    grace = seconds;
    Kept k;
    coslice_policy policy = policy_of(&k);
    policy.schedule = preempts;
    const std::string lua = fmt::format("return {{ api = 1, name = 'own', version = '1', schedule = function(view)\n"
                                        "  local head = view:start_in_order()\n"
                                        "  if head then view:preempt(head, {{ how = '{}', {}rank = 'newest',\n"
                                        "    among = function(job) return job.nodes < head.nodes end }}) end\n"
                                        "end }}",
                                        how, seconds > 0 ? fmt::format("grace = {}, ", seconds) : "");
    const auto run_of = [&](bool callbacks) {
      Handles h;
      h.load(kScenario);
      h.ok(callbacks ? coslice_add_policy(h.scenario, "own", &policy)
                     : coslice_add_lua(h.scenario, "own", lua.c_str()));
      h.choose("own");
      h.prepare();
      return text_of(h.run(), "jobs.csv");
    };
    // Of those that are suspended already, Lua takes the nodes first; here the list says the order.
    if (stop == COSLICE_SUSPEND) CHECK_FALSE(run_of(true).empty());
    else CHECK(run_of(true) == run_of(false));
    CHECK(k.passes > 20);
    CHECK(k.faults == 0);
  }
}

TEST_CASE("a pass as a callback stops jobs and lets them go on") {
  // Two jobs take turns of 100 s on all nodes; the third is killed as soon as it runs.
  const double submit[] = {0, 0, 0};
  const std::int32_t nodes[] = {2, 2, 2};
  const double runtime[] = {300, 200, 500};
  const auto run_of = [&](int (*schedule)(void*, coslice_view*)) {
    Kept k;
    coslice_policy policy = policy_of(&k);
    policy.schedule = schedule;
    Handles h;
    h.load("machine.nodes = 4");
    const coslice_column columns[] = {{"submit", COSLICE_FLOAT64, submit, 3, nullptr, nullptr, 0},
                                      {"nodes", COSLICE_INT32, nodes, 3, nullptr, nullptr, 0},
                                      {"runtime", COSLICE_FLOAT64, runtime, 3, nullptr, nullptr, 0}};
    h.ok(coslice_set_jobs(h.scenario, columns, 3));
    h.ok(coslice_add_policy(h.scenario, "own", &policy));
    h.choose("own");
    h.prepare();
    coslice_result* const result = h.run();
    CHECK(k.faults == 0);
    coslice_column ends;
    h.ok(coslice_result_column(result, "jobs", "finish_time", &ends));
    const auto* const at = static_cast<const double*>(ends.data);
    return std::vector<double>(at, at + ends.length);
  };
  // The first one stands still from 100 s to 150 s; no decision that cannot be made changes anything.
  const auto stands_still = [](void* user, coslice_view* view) -> int {
    int& faults = kept(user).faults;
    const coslice_time now = coslice_view_now(view);
    if (now == 0) {
      for (const std::uint32_t job : listed(coslice_view_waiting, view))
        faults += coslice_view_stop(view, job, COSLICE_KILL, 0) != COSLICE_BAD_INPUT;
      coslice_view_wake(view, 100'000'000'000);
      coslice_view_wake(view, 150'000'000'000);
    } else if (now == 100'000'000'000) {
      faults += coslice_view_stop(view, 0, COSLICE_SUSPEND, 5) != COSLICE_BAD_INPUT;
      faults += coslice_view_stop(view, 0, static_cast<coslice_stop>(9), 0) != COSLICE_BAD_INPUT;
      faults += coslice_view_stop(view, 0, COSLICE_KILL, NAN) != COSLICE_BAD_INPUT;
      faults += coslice_view_stop(view, 0, COSLICE_SUSPEND, 0) != COSLICE_OK;
      faults += coslice_view_stop(view, 0, COSLICE_KILL, 0) != COSLICE_BAD_INPUT;
      faults += coslice_view_start_on(view, 2, nullptr, 0) != COSLICE_BAD_INPUT;
    } else if (now == 150'000'000'000) {
      faults += coslice_view_resume(view, 0) != COSLICE_OK;
    }
    return coslice_view_start_in_order(view, nullptr);
  };
  CHECK(run_of(stands_still) == std::vector<double>{350, 200, 700});
  // The second one is killed after a grace, and its nodes are the third one's.
  const auto kills = [](void* user, coslice_view* view) -> int {
    const coslice_time now = coslice_view_now(view);
    if (now == 0) coslice_view_wake(view, 50'000'000'000);
    if (now == 50'000'000'000) kept(user).faults += coslice_view_stop(view, 1, COSLICE_KILL, 25) != COSLICE_OK;
    return coslice_view_start_in_order(view, nullptr);
  };
  CHECK(run_of(kills) == std::vector<double>{300, 75, 575});
}

/// First come, first served, on the free nodes of the highest numbers.
int takes_the_highest(void* user, coslice_view* view) {
  int& faults = kept(user).faults;
  std::vector<bool> taken(static_cast<std::size_t>(coslice_view_capacity(view)));
  for (const std::uint32_t job : listed(coslice_view_running, view)) {
    const std::int32_t* nodes = nullptr;
    std::size_t count = 0;
    if (coslice_view_nodes(view, job, &nodes, &count) != COSLICE_OK) return 1;
    faults += static_cast<std::int32_t>(count) != nodes_of(view, job);
    for (std::size_t i = 0; i != count; ++i) taken[static_cast<std::size_t>(nodes[i])] = true;
  }
  for (const std::uint32_t job : listed(coslice_view_waiting, view)) {
    std::vector<std::int32_t> chosen;
    for (std::size_t n = taken.size(); n-- > 0 && std::ssize(chosen) < nodes_of(view, job);)
      if (!taken[n]) chosen.push_back(static_cast<std::int32_t>(n));
    int fits = -1;
    if (coslice_view_fits_on(view, job, chosen.data(), chosen.size(), &fits) != COSLICE_OK) return 1;
    faults += (fits != 0) != (std::ssize(chosen) == nodes_of(view, job));
    if (fits == 0) {
      faults += coslice_view_start_on(view, job, chosen.data(), chosen.size()) != COSLICE_BAD_INPUT;
      return 0;
    }
    const std::int32_t none[] = {-1}, beyond[] = {64};
    faults += coslice_view_start_on(view, job, none, 1) != COSLICE_BAD_INPUT;
    faults += coslice_view_start_on(view, job, beyond, 1) != COSLICE_BAD_INPUT;
    faults += coslice_view_start_on(view, job, chosen.data(), chosen.size() - 1) != COSLICE_BAD_INPUT;
    if (coslice_view_start_on(view, job, chosen.data(), chosen.size()) != COSLICE_OK) return 1;
    for (const std::int32_t n : chosen) taken[static_cast<std::size_t>(n)] = true;
  }
  return 0;
}

TEST_CASE("a pass as a callback names the nodes of a job") {
  const auto run_of = [](const coslice_policy* policy, const char* name) {
    Handles h;
    h.load(kScenario);
    if (policy != nullptr) h.ok(coslice_add_policy(h.scenario, "own", policy));
    h.choose(name);
    h.prepare();
    return rows_of(text_of(h.run(), "jobs.csv"));
  };
  Kept k;
  coslice_policy policy = policy_of(&k);
  policy.schedule = takes_the_highest;
  policy.names_nodes = 1;
  const auto rows = run_of(&policy, "own"), fcfs = run_of(nullptr, "fcfs");
  CHECK(k.faults == 0);
  REQUIRE(rows.size() == fcfs.size());
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
  };
  const std::size_t nodes = at("allocated_resources"), start = at("starting_time");
  CHECK(rows[1][nodes].ends_with("63"));
  CHECK(fcfs[1][nodes].starts_with("0"));
  for (std::size_t i = 1; i != rows.size(); ++i) CHECK(rows[i][start] == fcfs[i][start]);
  // Where none are named, the lowest ones.
  policy.schedule = [](void*, coslice_view* view) -> int { return coslice_view_start_in_order(view, nullptr); };
  CHECK(run_of(&policy, "own") == fcfs);
}

TEST_CASE("structs of version 1 are where programs of version 1 look for them") {
  static_assert(sizeof(void*) != 8 || offsetof(coslice_policy, ended) == 72);
  static_assert(sizeof(void*) != 8 || offsetof(coslice_policy, backfill) == 24);
  static_assert(sizeof(void*) != 8 || offsetof(coslice_policy, schedule) == 48);
  static_assert(offsetof(coslice_job, id) == 8 && offsetof(coslice_job, start) == 40);
  static_assert(offsetof(coslice_job, processes) == 48 && offsetof(coslice_job, memory) == 72);
  static_assert(sizeof(coslice_job) == 80);
  static_assert(sizeof(void*) != 8 ||
                (offsetof(coslice_column, data) == 16 && offsetof(coslice_column, offsets) == 32));
  static_assert(sizeof(void*) != 8 || sizeof(coslice_column) == 56);
  static_assert(sizeof(void*) != 8 || (offsetof(coslice_error_text, line) == 24 && sizeof(coslice_error_text) == 56));
  static_assert(sizeof(void*) != 8 ||
                (offsetof(coslice_run_options, print) == 24 && sizeof(coslice_run_options) == 32));
  static_assert(COSLICE_INTERNAL == 6 && COSLICE_STRINGS == 6 && COSLICE_CORRECTED == 8);
  // A program that knows no names_nodes: what lies behind its struct is not read.
  Kept k;
  coslice_policy policy = policy_of(&k);
  policy.schedule = [](void* user, coslice_view* view) -> int {
    const std::int32_t nodes[] = {0};
    const std::uint32_t* jobs = nullptr;
    int fits = 0;
    if (coslice_view_waiting(view, &jobs) > 0)
      kept(user).faults += coslice_view_fits_on(view, jobs[0], nodes, 1, &fits) != COSLICE_BAD_INPUT;
    return coslice_view_easy(view, 1, -1);
  };
  policy.size = offsetof(coslice_policy, names_nodes);
  policy.names_nodes = 1;
  Handles h;
  h.load(kScenario);
  h.ok(coslice_add_policy(h.scenario, "own", &policy));
  h.choose("own");
  h.prepare();
  h.run();
  CHECK(k.faults == 0);
  CHECK(coslice_api_version() == COSLICE_API_VERSION);
}

coslice_view* stolen = nullptr;

TEST_CASE("what a callback does wrong is an error, and nothing else") {
  Kept k;
  coslice_policy policy = policy_of(&k);
  const auto fails = [&](coslice_status status, const std::string& problem) {
    Handles h;
    h.load(kScenario);
    h.ok(coslice_add_policy(h.scenario, "own", &policy));
    h.choose("own");
    h.prepare();
    coslice_result* result = nullptr;
    REQUIRE(coslice_run(h.simulation, 0, nullptr, &result) == status);
    CHECK(result == nullptr);
    CHECK_THAT(coslice_error()->message, Catch::Contains(problem));
  };
  policy.key = not_a_number;
  fails(COSLICE_CALLBACK, "policy 'own' gave no number as the key of job 7, at ");
  policy.key = nullptr;
  policy.schedule = [](void*, coslice_view*) { return 1; };
  fails(COSLICE_CALLBACK, "policy 'own' gave up in its pass at ");
  policy.schedule = [](void*, coslice_view*) { return 0; };
  fails(COSLICE_FAILED, "policy 'own' left 400 jobs waiting for ever");
  policy.begin = [](void*, coslice_view*) { return 1; };
  fails(COSLICE_CALLBACK, "gave up when the run began");
  // Each decision that cannot be made is refused; the pass goes on.
  policy.begin = [](void* user, coslice_view* view) -> int {
    kept(user).faults += coslice_view_easy(view, 1, -1) != COSLICE_BAD_INPUT;
    return 0;
  };
  policy.schedule = [](void* user, coslice_view* view) -> int {
    stolen = view;
    int& faults = kept(user).faults;
    const std::vector<std::uint32_t> waiting = listed(coslice_view_waiting, view);
    coslice_time at = 0;
    int answer = 0;
    for (const std::uint32_t job : waiting) {
      coslice_view_fits(view, job, &answer);
      const bool starts = coslice_view_start(view, job) == COSLICE_OK;
      faults += starts != (answer != 0);
      faults += starts && coslice_view_start(view, job) == COSLICE_OK;
      faults += starts && coslice_view_fits(view, job, &answer) == COSLICE_OK;
      faults += !starts && coslice_view_reserve(view, job, 0) == COSLICE_OK && coslice_view_now(view) > 0;
      faults += !starts && coslice_view_unreserve(view, job) != COSLICE_OK;
    }
    faults += coslice_view_start(view, 1'000'000) != COSLICE_BAD_INPUT;
    faults += coslice_view_earliest(view, COSLICE_NO_JOB, 0, &at) != COSLICE_BAD_INPUT;
    faults += coslice_view_wake(view, coslice_view_now(view)) != COSLICE_BAD_INPUT;
    faults += coslice_view_note(view, "x", NAN) != COSLICE_BAD_INPUT;
    faults += coslice_view_note(view, "passes", 1) != COSLICE_OK;
    faults += coslice_view_easy(view, -1, -1) != COSLICE_BAD_INPUT;
    faults += !waiting.empty() && coslice_view_rekey(view, nullptr, 0) == COSLICE_OK &&
              coslice_view_waiting(view, nullptr) > 0;
    return 0;
  };
  Handles h;
  h.load(kScenario);
  h.ok(coslice_add_policy(h.scenario, "own", &policy));
  h.choose("own");
  h.prepare();
  coslice_result* const result = h.run();
  CHECK(k.faults == 0);
  double passes = 0;
  h.ok(coslice_result_figure(result, "notes.passes.count", &passes));
  CHECK(passes > 100);

  policy.key = area;
  CHECK(coslice_add_policy(h.scenario, "own", &policy) == COSLICE_BAD_INPUT);
  CHECK(coslice_add_policy(h.scenario, "a b", &policy) == COSLICE_BAD_INPUT);
  CHECK(coslice_add_policy(h.scenario, nullptr, &policy) == COSLICE_BAD_INPUT);
}

TEST_CASE("errors name the file and the line, and NULL is no crash") {
  Handles h;
  CHECK(coslice_load_text(h.scenario, "[machine]\nnodes = \"many\"\n", "mine.toml", nullptr) == COSLICE_OK);
  CHECK(coslice_prepare(h.scenario, &h.simulation) == COSLICE_BAD_INPUT);
  CHECK(std::string(coslice_error()->file) == "mine.toml");
  CHECK(coslice_error()->line == 2);
  CHECK_THAT(coslice_error()->message, Catch::StartsWith("mine.toml:2: "));
  CHECK(coslice_load_file(h.scenario, "/no/such.toml") == COSLICE_BAD_INPUT);
  CHECK(coslice_load_file(h.scenario, nullptr) == COSLICE_BAD_INPUT);
  CHECK(coslice_load_file(nullptr, "x") == COSLICE_BAD_INPUT);
  CHECK(coslice_set(h.scenario, "no assignment") == COSLICE_BAD_INPUT);
  CHECK(coslice_set_policies(h.scenario, nullptr, 0) == COSLICE_BAD_INPUT);
  CHECK(coslice_set_jobs(h.scenario, nullptr, 0) == COSLICE_BAD_INPUT);
  CHECK(coslice_prepare(nullptr, &h.simulation) == COSLICE_BAD_INPUT);
  CHECK(coslice_run(nullptr, 0, nullptr, nullptr) == COSLICE_BAD_INPUT);
  coslice_column c;
  CHECK(coslice_result_column(nullptr, "jobs", "job_id", &c) == COSLICE_BAD_INPUT);
  CHECK(coslice_result_text(nullptr, "jobs.csv") == nullptr);
  coslice_scenario_free(nullptr);
  coslice_simulation_free(nullptr);
  coslice_result_free(nullptr);
  CHECK(coslice_view_now(nullptr) == 0);
  CHECK(coslice_view_start(nullptr, 0) == COSLICE_BAD_INPUT);
  CHECK(coslice_view_running(nullptr, nullptr) == 0);
  CHECK(coslice_set_policies(h.scenario, nullptr, 2) == COSLICE_BAD_INPUT);
  CHECK(coslice_simulation_jobs(nullptr) == 0);
  CHECK(coslice_simulation_nodes(nullptr) == 0);
  CHECK(coslice_simulation_policies(nullptr) == 0);
  CHECK(coslice_simulation_policy(nullptr, 0) == nullptr);
  CHECK(coslice_simulation_warning(nullptr, 0) == nullptr);
  CHECK(coslice_results_write(nullptr, 2, "out") == COSLICE_BAD_INPUT);
  CHECK(coslice_api_version() == COSLICE_API_VERSION);
}

TEST_CASE("where a result would go to NULL, there is an error") {
  Kept k;
  coslice_policy policy = policy_of(&k);
  policy.names_nodes = 1;
  policy.schedule = [](void* user, coslice_view* view) -> int {
    const std::uint32_t* jobs = nullptr;
    std::size_t count = 0;
    int answer = 0;
    const auto refused = [&](coslice_status status) { kept(user).faults += status != COSLICE_BAD_INPUT; };
    if (coslice_view_waiting(view, &jobs) > 0) {
      const std::uint32_t job = jobs[0];
      refused(coslice_view_job(view, job, nullptr, sizeof(coslice_job)));
      refused(coslice_view_fits(view, job, nullptr));
      refused(coslice_view_fits_on(view, job, nullptr, 3, &answer));
      refused(coslice_view_fits_on(view, job, nullptr, 0, nullptr));
      refused(coslice_view_start_on(view, job, nullptr, 3));
      refused(coslice_view_earliest(view, job, 0, nullptr));
      refused(coslice_view_reservation(view, job, nullptr));
      refused(coslice_view_shadow(view, job, nullptr, nullptr));
      refused(coslice_view_ends_by(view, job, 0, nullptr));
      refused(coslice_view_preempt(view, job, nullptr, 2, COSLICE_REQUEUE, 0, &answer));
      refused(coslice_view_preempt(view, job, nullptr, 0, COSLICE_REQUEUE, 0, nullptr));
      refused(coslice_view_rekey(view, nullptr, coslice_view_waiting(view, nullptr)));
      refused(coslice_view_because(view, job, nullptr));
      refused(coslice_view_note(view, nullptr, 1));
    }
    if (coslice_view_running(view, &jobs) > 0) refused(coslice_view_nodes(view, jobs[0], nullptr, &count));
    return coslice_view_easy(view, 1, -1);
  };
  Handles h;
  h.load(kScenario);
  h.ok(coslice_add_policy(h.scenario, "own", &policy));
  h.choose("own");
  h.prepare();
  coslice_result* const result = h.run();
  CHECK(k.faults == 0);
  CHECK(coslice_result_column(result, "jobs", "job_id", nullptr) == COSLICE_BAD_INPUT);
  CHECK(coslice_result_figure(result, "all.wait.mean", nullptr) == COSLICE_BAD_INPUT);
  CHECK(coslice_result_explain(result, 1, 0, nullptr) == COSLICE_BAD_INPUT);
  CHECK(coslice_result_gantt(result, "svg", nullptr) == COSLICE_BAD_INPUT);
}

TEST_CASE("a run is interrupted by its progress callback") {
  Handles h;
  h.load(kScenario);
  h.prepare();
  coslice_run_options options{};
  options.size = sizeof options;
  int asked = 0;
  options.user = &asked;
  options.progress = [](void* user, std::uint64_t done, std::uint64_t jobs) -> int {
    return done <= jobs && ++*static_cast<int*>(user) >= 1;
  };
  coslice_result* result = nullptr;
  CHECK(coslice_run(h.simulation, 0, &options, &result) == COSLICE_INTERRUPTED);
  CHECK(asked == 1);
  options.progress = nullptr;
  CHECK(coslice_run(h.simulation, 0, &options, &result) == COSLICE_OK);
  coslice_result_free(result);
}

TEST_CASE("runs are independent: threads, a fork, many of them") {
  Handles h;
  h.load(kScenario);
  h.prepare();
  const std::string expected = text_of(h.run(), "jobs.csv");
  std::atomic<int> same = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&] {
      coslice_result* result = nullptr;
      if (coslice_run(h.simulation, 0, nullptr, &result) != COSLICE_OK) return;
      same += expected == coslice_result_text(result, "jobs.csv");
      coslice_result_free(result);
    });
  for (std::thread& t : threads) t.join();
  CHECK(same == 4);
  const pid_t child = fork();
  if (child == 0) {
    coslice_result* result = nullptr;
    const bool made = coslice_run(h.simulation, 0, nullptr, &result) == COSLICE_OK;
    _exit(made && expected == coslice_result_text(result, "jobs.csv") ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("results outlive their simulation, and are explained and drawn") {
  Handles h;
  h.ok(coslice_load_file(h.scenario, COSLICE_SOURCE "/scenarios/backfilling.toml"));
  h.prepare();
  coslice_result* const result = h.run(1);
  coslice_simulation_free(h.simulation);
  h.simulation = nullptr;
  const char* text = nullptr;
  h.ok(coslice_result_explain(result, 8, 0, &text));
  CHECK_THAT(text, Catch::StartsWith("job 8"));
  h.ok(coslice_result_explain(result, 8, 1, &text));
  CHECK_THAT(text, Catch::StartsWith("{"));
  CHECK(coslice_result_explain(result, 99, 0, &text) == COSLICE_BAD_INPUT);
  CHECK_THAT(coslice_error()->message, Catch::Contains("one from 1 to 12"));
  h.ok(coslice_result_gantt(result, "svg", &text));
  CHECK_THAT(text, Catch::Contains("</svg>"));
  CHECK(coslice_result_gantt(result, "png", &text) == COSLICE_BAD_INPUT);
}

TEST_CASE("variants are compared") {
  coslice_comparison* const comparison = coslice_comparison_new();
  const char* text = nullptr;
  for (const char* const seed : {"seed=1", "seed=2", "seed=3"}) {
    Handles h;
    h.load(kScenario);
    h.ok(coslice_set(h.scenario, seed));
    h.prepare();
    h.ok(coslice_comparison_add(comparison, "easy", h.run(0)));
    h.ok(coslice_comparison_add(comparison, "sjf", h.run(1)));
  }
  REQUIRE(coslice_comparison_text(comparison, "table", nullptr, &text) == COSLICE_OK);
  CHECK_THAT(text, Catch::Contains("Means over 3 seeds"));
  REQUIRE(coslice_comparison_text(comparison, "csv", "wait", &text) == COSLICE_OK);
  CHECK_THAT(text, Catch::StartsWith("at,figure,class,variant"));
  CHECK(coslice_comparison_text(comparison, "xml", nullptr, &text) == COSLICE_BAD_INPUT);
  coslice_comparison_free(comparison);
}

}  // namespace door_test
