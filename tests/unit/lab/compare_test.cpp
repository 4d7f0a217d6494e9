// Comparisons: which runs belong together, which differences are chance, what is said of it.
#include <cmath>
#include <random>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/error.h"
#include "lab/compare/compare.h"
#include "lab/compare/compare_output.h"
#include "output/summary_json.h"
#include "report/markup.h"
#include "report/tables/terminal.h"
#include "scenario/csv_columns.h"

namespace compare_test {

using namespace coslice;

namespace {

/// The summary of a run with these means, as far as a comparison looks at it.
RunRecord record(const std::string& policy, std::int64_t seed, double wait, const std::string& params = "{}",
                 bool saturated = false) {
  nlohmann::json group = {{"jobs", 10}};
  for (const char* name : {"wait", "response", "bounded_slowdown"})
    group[name] = {{"mean", wait}, {"median", wait}, {"p95", wait}, {"max", wait}};
  const nlohmann::json none = {{"jobs", 0}, {"wait", {{"mean", 0}}}};
  nlohmann::json summary = {{"policy", {{"name", policy}, {"version", "1"}, {"params", nlohmann::json::parse(params)}}},
                            {"workload", {{"name", "w"}}},
                            {"metrics", {{"classes", {{{"name", "short"}}, {{"name", "long"}}}}}},
                            {"utilization", 0.8},
                            {"all", group},
                            {"by_class", {{"short", group}, {"long", none}}},
                            {"trimmed",
                             {{"share", 0.02},
                              {"utilization", 0.75},
                              {"mean_queue_length", 3},
                              {"saturated", saturated},
                              {"backlog_growth", 0.25},
                              {"all", group},
                              {"by_class", {{"short", group}, {"long", none}}}}}};
  RunRecord r;
  r.where = policy + std::to_string(seed);
  r.seed = seed;
  r.summary = value_from_json(summary.dump());
  r.settings = Value::table();
  return r;
}

std::vector<RunRecord> both(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<RunRecord> runs;
  for (std::size_t i = 0; i < a.size(); ++i) runs.push_back(record("easy", static_cast<std::int64_t>(i) + 1, a[i]));
  for (std::size_t i = 0; i < b.size(); ++i) runs.push_back(record("fcfs", static_cast<std::int64_t>(i) + 1, b[i]));
  return runs;
}

CompareOptions only(const std::string& figure) {
  CompareOptions o;
  o.figures = {figure};
  return o;
}

/// The last row of the figure: of all jobs.
ComparedValue compared(std::vector<RunRecord> runs, const std::string& figure = "wait") {
  return compare_variants(variants_of(std::move(runs)), only(figure)).figures.back().values.at(1);
}

/// One run of jobs with these waits.
RunRecord with_jobs(const std::string& policy, const std::vector<double>& waits) {
  RunRecord r = record(policy, 1, 0);
  for (std::size_t i = 0; i < waits.size(); ++i)
    r.jobs.push_back({static_cast<std::int64_t>(i), static_cast<double>(i), waits[i], waits[i] + 10, 1, "short"});
  r.summary.find("trimmed")->set("all", *trimmed_figures(r.jobs, 0.02).find("all"));
  return r;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("runs that differ in their seeds are one variant", "[compare]") {
  const auto two = variants_of(both({1, 2, 3}, {4, 5}));
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "easy");
  CHECK(two[0].runs.size() == 3);
  CHECK(two[1].name == "fcfs");
  const auto params = variants_of(
      {record("easy", 1, 1, R"({"depth": 5, "other": 1})"), record("easy", 1, 1, R"({"depth": 50, "other": 1})")});
  REQUIRE(params.size() == 2);
  CHECK(params[0].name == "depth=5");
  CHECK(params[1].name == "depth=50");
  const auto mixed = variants_of(
      {record("easy", 1, 1, R"({"depth": 5})"), record("easy", 1, 1, R"({"depth": 50})"), record("fcfs", 1, 1)});
  CHECK(mixed[1].name == "easy depth=50");
  CHECK(mixed[2].name == "fcfs");
  const auto twice = variants_of({record("easy", 1, 1), record("easy", 1, 2)});
  REQUIRE(twice.size() == 2);
  CHECK(twice[0].name == "easy1");
}

TEST_CASE("settings that differ give names too", "[compare]") {
  RunRecord low = record("easy", 1, 1), high = record("easy", 1, 2);
  Value load = Value::table();
  load.set("load", 0.7);
  low.settings.set("workload", load);
  load.set("load", 0.9);
  high.settings.set("workload", load);
  const auto v = variants_of({low, high});
  CHECK(v[0].name == "load=0.7");
  CHECK(v[1].name == "load=0.9");
}

TEST_CASE("common seeds are compared in pairs", "[compare]") {
  const ComparedValue v = compared(both({100, 200, 300}, {110, 212, 311}));
  CHECK(v.method == CompareMethod::kPaired);
  CHECK(*v.difference == Approx(11));
  CHECK(v.difference_interval->low == Approx(11 - 4.3026527 / std::sqrt(3)));
  CHECK(v.verdict == CompareVerdict::kWorse);
  CHECK(*v.relative == Approx(11.0 / 200));
  CHECK(compared(both({100, 200, 300}, {90, 215, 298})).verdict == CompareVerdict::kNoise);
  CHECK(compared(both({100, 200}, {100, 200})).verdict == CompareVerdict::kSame);
  CHECK(compared(both({100, 200, 300}, {10, 111, 211})).verdict == CompareVerdict::kBetter);
}

TEST_CASE("seeds that only one of them has do not enter the difference", "[compare]") {
  const ComparedValue v = compared(both({100, 200, 300, 1000}, {110, 212, 311}));
  CHECK(*v.difference == Approx(11));
  CHECK(v.runs == 3);
}

TEST_CASE("other seeds: Welch", "[compare]") {
  std::vector<RunRecord> runs = both({100, 102, 98}, {});
  for (const int seed : {11, 12, 13}) runs.push_back(record("fcfs", seed, 50 + seed));
  const ComparedValue v = compared(runs);
  CHECK(v.method == CompareMethod::kApart);
  CHECK(*v.difference == Approx(-38));
  CHECK(v.verdict == CompareVerdict::kBetter);
}

TEST_CASE("a run each is compared job by job, or not at all", "[compare]") {
  std::mt19937 bits(3);
  std::vector<double> a, b;
  for (int i = 0; i < 1000; ++i) {
    a.push_back(100 + static_cast<double>(bits() % 1000));
    b.push_back(a.back() + 5 + static_cast<double>(bits() % 11) - 5);
  }
  const ComparedValue v = compared({with_jobs("easy", a), with_jobs("fcfs", b)});
  CHECK(v.method == CompareMethod::kJobs);
  CHECK(*v.difference == Approx(5).margin(0.3));
  CHECK(v.difference_interval->low < *v.difference);
  CHECK(v.verdict == CompareVerdict::kWorse);
  CHECK(compared({with_jobs("easy", a), with_jobs("fcfs", a)}).verdict == CompareVerdict::kSame);
  const auto silent = compare_variants(variants_of(both({100}, {200})), only("wait"));
  CHECK(silent.figures.back().values[1].method == CompareMethod::kNone);
  CHECK(silent.figures.back().values[1].verdict == CompareVerdict::kNone);
  REQUIRE(silent.warnings.size() == 1);
  CHECK(has(silent.warnings[0], "nothing says which differences are chance"));
  b.pop_back();  // another workload
  CHECK(compared({with_jobs("easy", a), with_jobs("fcfs", b)}).verdict == CompareVerdict::kNone);
}

TEST_CASE("figures by their names", "[compare]") {
  const auto c = compare_variants(variants_of(both({1, 2}, {3, 4})), {});
  std::string titles;
  for (const ComparedFigure& f : c.figures) titles += f.figure.title() + " " + f.figure.job_class + "; ";
  CHECK(titles == "utilization, % ; queue ; wait, s short; wait, s all; response, s short; response, s all; "
                  "slowdown short; slowdown all; ");  // no long job ran
  CHECK(c.figures[0].values[0].value == Approx(75));
  CHECK(compare_variants(variants_of(both({1, 2}, {3, 4})), only("trimmed.all.jobs")).figures[0].values[0].value == 10);
  CompareOptions raw = only("utilization");
  raw.trim = 0;
  CHECK(compare_variants(variants_of(both({1, 2}, {3, 4})), raw).figures[0].values[0].value == Approx(80));
  CHECK_THROWS_WITH(compare_variants(variants_of(both({1, 2}, {3, 4})), only("wiat")),
                    Catch::Contains("did you mean 'wait'?"));
  CHECK_THROWS_WITH(compare_variants(variants_of(both({1, 2}, {})), {}),
                    Catch::Contains("all runs are of one kind, easy"));
  CompareOptions much;
  much.trim = 0.2;
  CHECK_THROWS_WITH(compare_variants(variants_of(both({1, 2}, {3, 4})), much),
                    Catch::Contains("does not hold its jobs"));
}

TEST_CASE("another share is cut where the jobs are known", "[compare]") {
  std::vector<double> waits(100, 10.0);
  waits[5] = 1000;
  RunRecord r = with_jobs("easy", waits);
  CHECK(number_at(trimmed_figures(r.jobs, 0.02), {"all", "wait", "mean"}) == Approx(10 + 990.0 / 96));
  CHECK(number_at(trimmed_figures(r.jobs, 0.1), {"all", "wait", "max"}) == 10);
  CHECK(number_at(trimmed_figures(r.jobs, 0.1), {"by_class", "short", "jobs"}) == 80);
  CompareOptions o = only("wait");
  o.trim = 0.1;
  CHECK(compare_variants(variants_of({r, with_jobs("fcfs", waits)}), o).figures.back().values[0].value == 10);
}

TEST_CASE("saturation is said", "[compare]") {
  std::vector<RunRecord> runs = both({1, 2}, {3, 4});
  runs.push_back(record("slow", 1, 9, "{}", true));
  runs.push_back(record("slow", 2, 9, "{}", true));
  const auto c = compare_variants(variants_of(runs), {});
  REQUIRE(c.warnings.size() == 1);
  CHECK(has(c.warnings[0], "slow (2 of 2 runs, by 25 % of the machine's time)"));
}

TEST_CASE("tables fit, and say the same in every format", "[compare]") {
  auto runs = both({100, 200, 300}, {110, 212, 311});
  for (int i = 1; i <= 3; ++i)
    runs.push_back(record("a policy with a very long name indeed & <more> 50%_", i, 1e7 * i));
  const auto c = compare_variants(variants_of(runs), {});
  const std::string table = compare_table({c}, {false, 80});
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    CHECK(display_width(table.substr(at, end - at)) <= 80);
    at = end + 1;
  }
  CHECK(has(table, "C  a policy with a very long name"));
  CHECK(has(compare_markdown({c}), "| wait, s | all | fcfs | 3 | 211 | 250 | +11.0 | 2.48 | +5.5 % | worse |"));
  const std::string latex = compare_latex({c});
  CHECK(has(latex, "a policy with a very long name indeed \\& \\textless{}more\\textgreater{} 50\\%\\_"));
  CHECK(has(latex, "$20{,}000{,}000"));
  const std::string csv = compare_csv({c});
  CHECK(CsvColumns(csv).columns().size() == 18);
  const auto json = nlohmann::json::parse(compare_json({c}));
  CHECK(json[0]["variants"][0]["seeds"] == nlohmann::json({1, 2, 3}));
  CHECK(json[0]["figures"][0]["difference"].is_null());
  CHECK(json[0]["figures"].size() == 3 * c.figures.size());
}

TEST_CASE("less than the last digit that is shown is the same", "[compare]") {
  const ComparedValue tiny = compared(both({2607.1, 2611.3, 2603.2, 2606.7}, {2606.9, 2611.15, 2602.98, 2606.53}));
  CHECK(tiny.difference_interval->high < 0);
  CHECK(tiny.verdict == CompareVerdict::kSame);
  CHECK(compared(both({2607, 2611, 2603}, {2605, 2609.1, 2601.2})).verdict == CompareVerdict::kBetter);
  CHECK(compared(both({26.07, 26.11, 26.03}, {25.87, 25.92, 25.84})).verdict == CompareVerdict::kBetter);
  // What may be more is noise, though the means are written alike.
  CHECK(compared(both({2607, 2611, 2603}, {2617, 2601, 2603.3})).verdict == CompareVerdict::kNoise);
  // Of one run each, too; and it is said in a line without per cent.
  const auto c = compare_variants(variants_of(both({2607.1}, {2606.9})), only("wait"));
  CHECK(c.figures.back().values[1].verdict == CompareVerdict::kSame);
  CHECK(compare_lines(c).front() == "fcfs: wait 2,607 s, the same");
}

TEST_CASE("shares of the machine are not judged where the machine is another one", "[compare]") {
  const auto with_nodes = [](std::int64_t nodes, const std::string& where) {
    std::vector<RunRecord> runs;
    for (int seed = 1; seed <= 3; ++seed) {
      runs.push_back(record("easy", seed, 100.0 - static_cast<double>(nodes) / 10 + seed));
      runs.back().where = where + std::to_string(seed);
      Value machine = Value::table({{"nodes", nodes}});
      runs.back().summary.set("machine", machine);
      Value trimmed = *runs.back().summary.find("trimmed");
      trimmed.set("utilization", 80.0 / static_cast<double>(nodes) + 0.001 * seed * (nodes > 100 ? 1.2 : 1));
      runs.back().summary.set("trimmed", trimmed);
      runs.back().settings.set("machine", machine);
    }
    return runs;
  };
  std::vector<RunRecord> runs = with_nodes(100, "a"), more = with_nodes(120, "b");
  runs.insert(runs.end(), more.begin(), more.end());
  const auto c = compare_variants(variants_of(runs), {});
  REQUIRE(c.figures[0].figure.name == "utilization");
  CHECK(*c.figures[0].values[1].difference < 0);
  CHECK(c.figures[0].values[1].verdict == CompareVerdict::kDifferent);
  CHECK(c.figures[3].figure.name == "wait");
  CHECK(has(compare_json({c}), "neither better nor worse"));
}

TEST_CASE("what is nearly all or nothing does not read as that", "[compare]") {
  CHECK(readable(0.9996) == "0.9996");
  CHECK(readable(1.002) == "1.002");
  CHECK(readable(1) == "1.00");
  CHECK(readable(0.0004) == "0.0004");
  CHECK(readable(0) == "0");
  CHECK(readable(-0.0001) == "-0.0001");
  CHECK(readable(123.4) == "123");
  CHECK(ratio(0.99964, 3) == "0.9996");
  CHECK(ratio(1, 3) == "1.000");
  CHECK(ratio(0.5, 3) == "0.500");
  CHECK(percent(1) == "100.0 %");
  CHECK(percent(0.99996) == "99.996 %");
  CHECK(percent(0) == "0.0 %");
  CHECK(percent(0.00004) == "0.004 %");
  CHECK(percent(0.847) == "84.7 %");
  CHECK(readable_step(2607) == 1);
  CHECK(readable_step(26.07) == Approx(0.1));
}

TEST_CASE("failed runs take those of the others with them", "[compare]") {
  std::vector<Variant> variants = variants_of(both({100, 200, 300, 400}, {110, 212, 311, 4000}));
  variants[1].runs.pop_back();
  variants[1].failed.push_back({"fcfs4", "policy.lua:3: too many\nstack traceback", 4});
  const auto c = compare_variants(variants, only("wait"));
  CHECK(c.figures.back().values[0].value == 200);
  CHECK(c.figures.back().values[0].runs == 3);
  CHECK(*c.figures.back().values[1].difference == Approx(11));
  const std::string table = compare_table({c}, {false, 100});
  CHECK(table.rfind("Beware: 1 of 8 runs failed: fcfs 1 of 4 (policy.lua:3: too many)", 0) == 0);
  const auto json = nlohmann::json::parse(compare_json({c}));
  CHECK(json[0]["failed"][0]["seeds"] == nlohmann::json({4}));
  // Nothing is left: no mean of survivors.
  variants[1].runs.clear();
  for (int seed = 1; seed <= 3; ++seed) variants[1].failed.push_back({"f" + std::to_string(seed), "x", seed});
  const auto none = compare_variants(variants, only("wait"));
  CHECK(none.figures.empty());
  CHECK(none.refused == "no seed has runs of two variants that ended well (fcfs 4 of 4 failed)");
  // A third one is compared without it.
  std::vector<RunRecord> sjf;
  for (int seed = 1; seed <= 4; ++seed) sjf.push_back(record("sjf", seed, 90.0 * seed));
  variants.push_back({"sjf", sjf});
  const auto left = compare_variants(variants, only("wait"));
  CHECK(left.variants.back().name == "fcfs");
  CHECK(left.figures.back().values.back().verdict == CompareVerdict::kFailed);
  CHECK(left.figures.back().values[1].runs == 4);
}

TEST_CASE("seeds that give the same runs are one", "[compare]") {
  std::vector<RunRecord> runs = both({100, 100, 100}, {90, 90, 90});
  for (RunRecord& r : runs) r.summary.set("fingerprint", r.where.substr(0, 4));
  const auto c = compare_variants(variants_of(runs), only("wait"));
  CHECK(c.figures.back().values[1].units == 1);
  CHECK(!c.figures.back().values[1].difference_interval);
  runs[1].summary.set("fingerprint", "other");
  CHECK(compare_variants(variants_of(runs), only("wait")).figures.back().values[1].units == 2);
}

TEST_CASE("seeds that only another variant draws from count once", "[compare]") {
  std::vector<RunRecord> runs = both({100, 100, 100, 100, 100, 100}, {90, 90, 90, 90, 90, 90});
  for (RunRecord& r : runs) r.summary.set("fingerprint", r.where.substr(0, 4));
  for (int seed = 1; seed <= 6; ++seed) {
    runs.push_back(record("drawn", seed, 80 + seed));
    runs.back().summary.set("fingerprint", std::to_string(seed));
  }
  const auto c = compare_variants(variants_of(runs), only("wait"));
  const std::vector<ComparedValue>& values = c.figures.back().values;
  // Two runs without any draw: nothing says what of their difference is chance, however many seeds a third one had.
  CHECK(values[0].units == 1);
  CHECK(!values[0].interval);
  CHECK(values[1].units == 1);
  CHECK(values[1].runs == 6);
  CHECK(values[1].difference == -10);
  CHECK(!values[1].difference_interval);
  CHECK(values[1].verdict == CompareVerdict::kNone);
  CHECK(values[2].units == 6);
  CHECK(values[2].verdict == CompareVerdict::kBetter);
  CHECK(has(compare_json({c}), "easy, fcfs: of 6 seeds, 5 give the same runs as others"));
}

TEST_CASE("conditions that not all seeds have are said", "[compare]") {
  std::vector<Variant> variants = {{"a", {}}, {"b", {}}};
  for (std::size_t v = 0; v < 2; ++v)
    for (int seed = 1; seed <= 4; ++seed)
      for (const char* load : {"load 0.7", "load 0.8", "load 0.9"}) {
        if (seed > 2 && load != std::string("load 0.9")) continue;
        variants[v].runs.push_back(record(variants[v].name, seed, 100.0 * seed + 10 * static_cast<double>(v)));
        variants[v].runs.back().condition = load;
      }
  const std::string text = compare_json({compare_variants(variants, only("wait"))});
  INFO(text);
  CHECK(has(text, "each the mean of its runs under 1 to 3 of 3 conditions"));
  CHECK(has(text, "2 of 4 seeds have no runs under some of the 3 conditions"));
}

TEST_CASE("a condition under which nothing is drawn, and jobs that all seeds share, are said", "[compare]") {
  std::vector<Variant> variants = {{"a", {}}, {"b", {}}};
  for (std::size_t v = 0; v < 2; ++v)
    for (int seed = 1; seed <= 4; ++seed)
      for (const char* source : {"log", "model"}) {
        RunRecord r = record(variants[v].name, seed, seed * (100.0 + 10 * static_cast<double>(v)));
        r.condition = std::string("scenario ") + source;
        r.summary.set("fingerprint", source == std::string("log") ? variants[v].name : std::to_string(seed));
        variants[v].runs.push_back(r);
      }
  const auto c = compare_variants(variants, only("wait"));
  CHECK(has(compare_json({c}), "under scenario log all seeds give the same runs"));
  CHECK(!has(compare_json({c}), "All seeds have the same jobs"));
  // Loads to the last digit, and the number of jobs.
  for (Variant& v : variants)
    for (RunRecord& r : v.runs) {
      r.summary.find("workload")->set("jobs", 10);
      r.summary.find("workload")->set("offered_load", Value::table({{"cores", 0.7123456789}}));
    }
  CHECK(has(compare_json({compare_variants(variants, only("wait"))}), "All seeds have the same jobs"));
  variants[1].runs[2].summary.find("workload")->set("jobs", 11);
  CHECK(!has(compare_json({compare_variants(variants, only("wait"))}), "All seeds have the same jobs"));
}

}  // namespace compare_test
