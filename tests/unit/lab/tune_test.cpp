// Tuning: which values are tried, on which workloads.
#include "catch.h"
#include "core/error.h"
#include "core/random.h"
#include "lab/tune/paired_change.h"
#include "lab/tune/search_space.h"
#include "lab/tune/surrogate.h"
#include "lab/tune/tune_workloads.h"

namespace tune_test {

using namespace coslice;

namespace {

ParamSpec spec(const std::string& name, Value fallback, std::optional<double> min = {}, std::optional<double> max = {},
               bool integer = false) {
  ParamSpec s;
  s.name = name;
  s.fallback = std::move(fallback);
  s.min = min;
  s.max = max;
  s.integer = integer;
  return s;
}

const std::vector<ParamSpec>& specs() {
  static const std::vector<ParamSpec> all = [] {
    ParamSpec choice = spec("backfill", Value("easy"));
    choice.choices = {"none", "easy"};
    return std::vector<ParamSpec>{
        spec("depth", Value(0), 0, {}, true),     spec("factor", Value(2.0), 1, 10), spec("on", Value(true)),
        spec("weight", Value(1000.0), -1e9, 1e9), spec("where", Value("here")),      choice,
        spec("many", Value(3), 1, {}, true)};
  }();
  return all;
}

}  // namespace

TEST_CASE("parameters that are declared with a sensible range are tuned", "[tune]") {
  std::vector<LeftOutParam> left_out;
  Value set = Value::table();
  set.set("weight", Value(100.0));
  const std::vector<TunedParam> all = declared_space(specs(), set, left_out);
  std::vector<std::string> texts;
  for (const TunedParam& p : all) texts.push_back(p.name + ": " + p.text());
  CHECK(texts == std::vector<std::string>{"factor: 1 to 10", "on: false | true", "weight: 6.25 to 1600, by factors",
                                          "backfill: \"none\" | \"easy\"", "many: 1 to 48, by factors"});
  CHECK(all[2].today == Value(100.0));
  REQUIRE(left_out.size() == 2);
  CHECK(left_out[0].first == "depth");
  CHECK(left_out[1].first == "where");
}

TEST_CASE("a place between 0 and 1 is a value, and back", "[tune]") {
  const Value none = Value::table();
  const std::vector<TunedParam> p =
      space_of_flags({"weight=1:10000:log,many=2:5", "factor=1|2|8"}, specs(), none, none);
  REQUIRE(p.size() == 3);
  CHECK(p[0].at(0.5) == Value(100.0));
  CHECK(p[0].at(0) == Value(1.0));
  CHECK(p[0].at(1) == Value(10000.0));
  CHECK(p[0].place_of(Value(100.0)) == Approx(0.5));
  CHECK(p[0].place_of(Value(1e9)) == 1);
  CHECK(p[1].at(0.4) == Value(3));
  CHECK(p[1].place_of(Value(5)) == 1);
  CHECK(p[2].at(0.99) == Value(8));
  CHECK(p[2].ordered());
  for (int i = 0; i != 100; ++i) {
    const Value v = p[0].at(i / 100.0);
    CHECK(p[0].at(p[0].place_of(v)) == v);
  }
}

TEST_CASE("values may be lists and texts with separators in them", "[tune]") {
  const Value none = Value::table();
  const std::vector<TunedParam> p = space_of_flags({R"(a.users=[1,2]|[3],where="x,y|z"|"b")"}, specs(), none, none);
  REQUIRE(p.size() == 2);
  REQUIRE(p[0].values.size() == 2);
  CHECK(p[0].text() == "[1, 2] | [3]");
  CHECK(p[1].values == std::vector<Value>{Value("x,y|z"), Value("b")});
  CHECK(setting_text(p, {p[0].values[1], p[1].values[1]}) == "a.users = [3], where = \"b\"");
}

TEST_CASE("ranges that mean nothing are refused", "[tune]") {
  const Value none = Value::table();
  for (const char* wrong : {"many", "many=", "many=3", "many=5:2", "many=0:9", "many=1:9:lin", "mony=1:4",
                            "weight=-1:4:log", "many=1:4,many=2:5", "backfill=easy|fast", "factor=1:11"}) {
    INFO(wrong);
    CHECK_THROWS_AS(space_of_flags({wrong}, specs(), none, none), InputError);
  }
}

TEST_CASE("the search and the judges have other workloads", "[tune]") {
  const TuneWorkloads seeds = seeds_to_tune(42, 10, 3);
  CHECK(seeds.search == 10);
  CHECK(seeds.size() == 13);
  CHECK(seeds.text(0) == "seed 42");
  for (std::size_t i = 10; i != 13; ++i)
    CHECK(std::find(seeds.seeds.begin(), seeds.seeds.begin() + 10, seeds.seeds[i]) == seeds.seeds.begin() + 10);
  Workload log;
  for (int i = 0; i != 3000; ++i) {
    Job job;
    job.id = i + 1;
    job.submit = Time{whole_seconds(i * 3600)};
    log.jobs.push_back(job);
  }
  const TuneWorkloads weeks = windows_to_tune(log, 5, 1);
  CHECK(weeks.unit == Unit::kWindow);
  CHECK(weeks.size() == 24);  // of 125 days: less than 24 weeks
  CHECK(weeks.search == 19);
  auto windows = weeks.windows;
  std::sort(windows.begin(), windows.end());
  for (std::size_t i = 1; i != windows.size(); ++i) CHECK(windows[i][0] == windows[i - 1][1]);
  CHECK(windows.front()[0] == Duration{0});
  CHECK(windows.back()[1] > whole_seconds(2999 * 3600));
  CHECK(windows_to_tune(log, 5, 1).windows == weeks.windows);
  CHECK(windows_to_tune(log, 40, 1).search == 16);  // a third judges at most
  log.jobs.resize(700);
  CHECK(windows_to_tune(log, 40, 1).size() == 12);  // of 58 jobs; more of them would have too few
  CHECK(windows_to_tune(log, 40, 1).search == 6);   // but six judge, where there are 12
  log.jobs.resize(120);
  CHECK(windows_to_tune(log, 5, 1).size() == 2);
  log.jobs.resize(1);
  CHECK(windows_to_tune(log, 5, 1).size() == 1);
  CHECK(windows_to_tune(log, 5, 1).search == 1);
}

TEST_CASE("what is better by a part everywhere is so beyond doubt, however much workloads differ", "[tune]") {
  const std::vector<double> before = {1, 500, 3, 20, 4000, 7, 90, 2}, after = {0.8, 402, 2.5, 15.5, 3150, 5.7, 73, 1.5};
  const PairedChange less = change_of(before, after, Unit::kWindow, 0.95);
  CHECK(less.change == Approx(-972.0 / 4623));
  REQUIRE(less.interval);
  CHECK(less.interval->low < less.change);
  CHECK(less.interval->high > less.change);
  CHECK(less.interval->high < 0);
  // The mean difference hangs on the one with the longest queue.
  std::vector<double> differences;
  for (std::size_t i = 0; i != before.size(); ++i) differences.push_back(after[i] - before[i]);
  CHECK(difference_of(differences, Unit::kWindow).interval->high > 0);
  // The other way round, and of a figure that is to become large.
  const PairedChange more = change_of(after, before, Unit::kWindow, 0.95);
  CHECK((1 + more.change) * (1 + less.change) == Approx(1));
  CHECK((1 + more.interval->low) * (1 + less.interval->high) == Approx(1));
  std::vector<double> a = before, b = after;
  for (std::vector<double>* v : {&a, &b})
    for (double& x : *v) x = -x;
  CHECK(change_of(b, a, Unit::kWindow, 0.95).change == Approx(-more.change));
}

TEST_CASE("changes that chance gives as well are none", "[tune]") {
  int better = 0, worse = 0;
  constexpr int kTries = 1000;
  for (int i = 0; i != kTries; ++i) {
    RandomStream random(static_cast<std::uint64_t>(i), "pairs");
    std::vector<double> before, after;
    // Of more than 13 some exchanges are drawn, which takes long.
    const int pairs = i % 40 == 0 ? 14 + i % 3 : 6 + i % 6;
    for (int n = 0; n != pairs; ++n) {
      const double both = random.lognormal(0, 1.5);  // workloads differ more than settings
      before.push_back(both * random.lognormal(0, 0.4));
      after.push_back(both * random.lognormal(0, 0.4));
    }
    const PairedChange c = change_of(before, after, Unit::kSeed, 0.95);
    REQUIRE(c.interval);
    better += c.interval->high < 0 ? 1 : 0;
    worse += c.interval->low > 0 ? 1 : 0;
  }
  CHECK(better + worse <= 0.065 * kTries);  // 5 % and two deviations
  CHECK(std::min(better, worse) >= 1);
}

TEST_CASE("few pairs, and costs without a ratio, have the mean difference", "[tune]") {
  const std::vector<double> before = {10, 12, 9, 11, 10}, after = {7, 9.5, 6, 8.5, 7.2};
  const PairedChange few = change_of(before, after, Unit::kSeed, 0.95);
  CHECK(few.change == Approx(-13.8 / 52));
  REQUIRE(few.interval);
  CHECK(few.interval->high < 0);
  CHECK(change_of({1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0}, Unit::kSeed, 0.95).change == Approx(-1));
  CHECK(change_of({1, -2, 3, 4, 5, 6}, {1, -2, 3, 4, 5, 7}, Unit::kSeed, 0.95).change == Approx(1.0 / 21));
  CHECK(change_of({0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, Unit::kSeed, 0.95).change == 0);
  // All alike: nobody knows what is chance.
  CHECK(!change_of({10, 10, 10, 10, 10, 10}, {5, 5, 5, 5, 5, 5}, Unit::kSeed, 0.95).interval);
}

TEST_CASE("what was seen says what lies between", "[tune]") {
  std::vector<SeenPlace> seen;
  for (int i = 0; i <= 10; ++i) {
    const double x = 0.1 * i;
    seen.push_back({{x, 0.5}, 0.4 * (x - 0.3) * (x - 0.3), 1e-8});
  }
  const Surrogate s({true, true}, seen);
  CHECK(s.at({0.35, 0.5}).mean == Approx(0.001).margin(0.003));
  CHECK(s.at({0.95, 0.5}).mean == Approx(0.169).margin(0.01));
  CHECK(s.at({0.3, 0.5}).deviation < 0.005);
  CHECK(s.at({0.3, 0.0}).deviation > s.at({0.35, 0.5}).deviation);
  CHECK(s.expected_improvement({0.33, 0.5}, 0) > s.expected_improvement({0.95, 0.5}, 0));
  CHECK(s.likeness({0.3, 0.5}, {0.3, 0.5}) == Approx(1));
  CHECK(s.likeness({0.3, 0.5}, {0.4, 0.5}) > s.likeness({0.3, 0.5}, {0.9, 0.5}));
}

TEST_CASE("where all that was seen is chance, the guess is their mean", "[tune]") {
  std::vector<SeenPlace> seen;
  for (int i = 0; i != 20; ++i) seen.push_back({{i / 19.0}, i % 2 == 0 ? 0.1 : -0.1, 0.01});
  const Surrogate s({true}, seen);
  for (const double x : {0.1, 0.5, 0.77}) CHECK(s.at({x}).mean == Approx(0).margin(0.02));
}

TEST_CASE("values without an order are all equally far from each other", "[tune]") {
  const Surrogate s({false}, {{{0.2}, 0.0, 1e-6}, {{0.5}, 0.3, 1e-6}, {{0.8}, 0.1, 1e-6}});
  CHECK(s.likeness({0.2}, {0.5}) == s.likeness({0.2}, {0.8}));
  CHECK(s.at({0.5}).mean == Approx(0.3).margin(0.02));
}

}  // namespace tune_test
