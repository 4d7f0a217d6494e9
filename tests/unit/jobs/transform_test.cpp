// Selections, factors and estimates.
#include "jobs/transform.h"

#include <algorithm>
#include <map>

#include "catch.h"
#include "core/error.h"
#include "core/random.h"
#include "jobs/attributes.h"
#include "jobs/job_sizes.h"
#include "jobs/lublin.h"

namespace transform_test {

using namespace coslice;

namespace {

Job job(std::int64_t id, double submit, double runtime, int size, double limit = 0) {
  Job j;
  j.id = id;
  j.submit = at_seconds(submit);
  j.runtime = from_seconds(runtime);
  j.limit = from_seconds(limit > 0 ? limit : runtime);
  j.size = size;
  return j;
}

Workload small() {
  Workload w;
  w.jobs = {job(1, 100, 10, 1, 60), job(2, 200, 20, 3), job(3, 200, 30, 4), job(4, 331, 7200, 16, 9000)};
  return w;
}

std::vector<std::int64_t> ids(const Workload& w) {
  std::vector<std::int64_t> out;
  for (const Job& j : w.jobs) out.push_back(j.id);
  return out;
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a window holds its begin and not its end", "[transform]") {
  auto w = small();
  TransformOptions o;
  o.window = {{whole_seconds(200), whole_seconds(331)}};
  transform(w, o);
  CHECK(ids(w) == Ids{2, 3});
  CHECK(w.jobs[0].submit == at_seconds(200));
  REQUIRE(w.notes.size() == 1);
  CHECK(w.notes[0].count == 2);
  CHECK(w.notes[0].dropped);
}

TEST_CASE("the first n jobs are those of the window", "[transform]") {
  auto w = small();
  TransformOptions o;
  o.first = 2;
  transform(w, o);
  CHECK(ids(w) == Ids{1, 2});
  w = small();
  o.window = {{whole_seconds(150), whole_seconds(1000)}};
  transform(w, o);
  CHECK(ids(w) == Ids{2, 3});
  o.first = 100;
  w = small();
  transform(w, o);
  CHECK(ids(w) == Ids{2, 3, 4});
}

TEST_CASE("a load factor presses arrivals together", "[transform]") {
  auto w = small();
  TransformOptions o;
  o.load_factor = 2;
  transform(w, o);
  CHECK(w.jobs[0].submit == at_seconds(100));
  CHECK(w.jobs[1].submit == at_seconds(150));
  CHECK(w.jobs[3].submit == at_seconds(216));  // 115.5 after the first, to whole seconds as the trace has them
  w = small();
  w.jobs[1].submit = at_seconds(150.25);
  transform(w, o);
  CHECK(w.jobs[1].submit == Time{Duration{125'125'000'000}});
  CHECK(w.jobs[3].submit == at_seconds(215.5));
}

TEST_CASE("arrivals keep their order under any load factor", "[transform]") {
  RandomStream random(1, "order");
  for (int round = 0; round < 50; ++round) {
    Workload w;
    double t = 0;
    const double unit = round % 2 == 0 ? 1 : 0.37;
    for (int i = 0; i < 200; ++i) {
      t += static_cast<double>(random.uniform_int(0, 3)) * unit;
      w.jobs.push_back(job(i, t, 5, 1));
    }
    TransformOptions o;
    o.load_factor = random.uniform(0.1, 5);
    transform(w, o);
    CHECK(std::is_sorted(w.jobs.begin(), w.jobs.end(), [](const Job& a, const Job& b) { return a.submit < b.submit; }));
  }
}

TEST_CASE("sizes and times are scaled and stay possible", "[transform]") {
  auto w = small();
  TransformOptions o;
  o.size_factor = 0.5;
  o.time_factor = 0.01;
  transform(w, o);
  CHECK(w.jobs[0].size == 1);
  CHECK(w.jobs[1].size == 2);
  CHECK(w.jobs[3].size == 8);
  CHECK(w.jobs[0].runtime == whole_seconds(1));
  CHECK(w.jobs[3].runtime == whole_seconds(72));
  CHECK(w.jobs[3].limit == whole_seconds(90));
  CHECK(w.jobs[3].submit == at_seconds(331));
}

TEST_CASE("time is added to run times, and limits stay but those that follow from run times", "[transform]") {
  auto w = small();
  w.extras.set(w.jobs[1], attributes::kSizes, "2:300,5:7.25");
  const Job before = w.jobs[3];
  TransformOptions o;
  o.time_factor = 2;  // comes first
  o.time_added = std::chrono::milliseconds{300};
  transform(w, o);
  CHECK(w.jobs[3].runtime == 2 * before.runtime + std::chrono::milliseconds{300});
  CHECK(w.jobs[3].limit == 2 * before.limit);
  CHECK(attributes::kSizes.text(w.jobs[1]) == "2:600.3,5:14.8");
  o = {};
  o.time_added = whole_seconds(1);
  o.estimates = Estimates::kExact;
  transform(w, o);
  CHECK(w.jobs[3].limit == 2 * before.runtime + std::chrono::milliseconds{1300});
  o.time_added = whole_seconds(1'000'000'000);
  transform(w, o);
  CHECK(w.jobs[3].runtime == whole_seconds(1'000'000'000));
  o.time_added = -whole_seconds(1);
  CHECK_THROWS_WITH(transform(w, o), "time_added is -1; expected 0 or more seconds");
}

TEST_CASE("the other sizes of moldable jobs are scaled like the job, and so is what jobs ask for", "[transform]") {
  CHECK(scaled_sizes("2:3600,5:2000.5", 2, 1) == "4:3600,10:2000.5");
  CHECK(scaled_sizes("2:3600,5:7", 0.1, 0.5) == "1:1800,1:4");
  CHECK(scaled_sizes("1-16 downey 12 0.5", 2, 3) == "2-32 downey 24 0.5");
  for (const char* wrong : {"", "2", "2:", "2:1,", "2:1,x", "1-2 other 3 1"}) CHECK(scaled_sizes(wrong, 2, 2) == wrong);
  auto w = small();
  w.extras.set(w.jobs[1], attributes::kSizes, "2:300");
  w.jobs[2].request = w.requests.intern(Request{.nodes = 3, .cores = 2});
  TransformOptions o;
  o.size_factor = 2;
  o.time_factor = 3;
  transform(w, o);
  CHECK(attributes::kSizes.text(w.jobs[1]) == "4:900");
  CHECK(w.requests[w.jobs[2].request].nodes == 6);
  CHECK(w.requests[w.jobs[2].request].cores == 2);
}

TEST_CASE("estimates: exact, scaled, as they are", "[transform]") {
  auto w = small();
  TransformOptions o;
  transform(w, o);
  CHECK(w.jobs[0].limit == whole_seconds(60));
  o.estimates = Estimates::kExact;
  transform(w, o);
  CHECK(w.jobs[0].limit == whole_seconds(10));
  o.estimates = Estimates::kScaled;
  o.estimate_factor = 2.5;
  transform(w, o);
  CHECK(w.jobs[0].limit == whole_seconds(25));
  CHECK(w.jobs[3].limit == whole_seconds(18000));
  o.time_factor = 2;  // comes first
  transform(w, o);
  CHECK(w.jobs[0].limit == whole_seconds(50));
}

TEST_CASE("modelled estimates are mostly popular round values", "[transform]") {
  LublinOptions generate;
  generate.jobs = 20000;
  auto w = generate_lublin(generate);
  TransformOptions o;
  o.estimates = Estimates::kModel;
  transform(w, o);
  std::map<Duration, int> count;
  double accuracy = 0;
  for (const Job& j : w.jobs) {
    REQUIRE(j.limit >= j.runtime);
    REQUIRE(j.limit % whole_seconds(60) == Duration::zero());
    ++count[j.limit];
    accuracy += to_seconds(j.runtime) / to_seconds(j.limit);
  }
  std::vector<std::pair<int, Duration>> by_count;
  for (const auto& [value, n] : count) by_count.push_back({n, value});
  std::sort(by_count.rbegin(), by_count.rend());
  int head = 0;
  for (std::size_t i = 0; i < 20; ++i) head += by_count[i].first;
  CHECK(head > 18000);
  CHECK(head < 19500);
  CHECK(by_count.size() > 60);                                                     // and a tail
  CHECK(by_count[0].second == EstimateModel::limit_above(whole_seconds(162754)));  // the longest is the most popular
  CHECK(by_count[0].second == count.rbegin()->first);
  CHECK(accuracy / 20000 > 0.1);
  CHECK(accuracy / 20000 < 0.5);
}

TEST_CASE("a job's estimate depends on seed and id alone", "[transform]") {
  const EstimateModel model(3, whole_seconds(86400)), same(3, whole_seconds(86400)), other(4, whole_seconds(86400));
  int differ = 0;
  for (int id = 1000; id > 0; --id) {
    const Job j = job(id, 0, 100, 1);
    CHECK(model.draw(j) == same.draw(j));
    differ += model.draw(j) != other.draw(j);
  }
  CHECK(differ > 500);
  CHECK(model.draw(job(1, 0, 86400, 1)) == whole_seconds(86400));
  CHECK(model.draw(job(1, 0, 86401, 1)) == whole_seconds(90000));
  CHECK(EstimateModel(1, whole_seconds(5)).draw(job(1, 0, 2, 1)) == whole_seconds(5));
  CHECK(EstimateModel::limit_above(whole_seconds(7200)) == whole_seconds(7200));
  CHECK(EstimateModel::limit_above(whole_seconds(7201)) == whole_seconds(4 * 3600));
  CHECK(EstimateModel::limit_above(whole_seconds(864001)) == whole_seconds(11 * 86400));
}

TEST_CASE("bad options are refused by name", "[transform]") {
  const auto problem = [](auto change) {
    auto w = small();
    TransformOptions o;
    change(o);
    try {
      transform(w, o);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(problem([](auto& o) { o.load_factor = 0; }) == "load_factor is 0; expected a number above 0");
  CHECK(problem([](auto& o) { o.size_factor = -1; }) == "size_factor is -1; expected a number above 0");
  CHECK(problem([](auto& o) { o.first = -1; }) == "first is -1; expected 0 or the number of jobs to keep");
  CHECK(problem([](auto& o) {
          o.window = {{whole_seconds(9), whole_seconds(3)}};
        }) == "the window ends at 3 before it begins at 9; expected its begin, then its end");
  CHECK(problem([](auto& o) { o.time_factor = 1e9; }) ==
        "a time of 10 s times 1000000000 is beyond 31 years; expected a smaller factor");
}

TEST_CASE("an empty workload stays one", "[transform]") {
  Workload w;
  TransformOptions o;
  o.load_factor = 2;
  o.estimates = Estimates::kModel;
  transform(w, o);
  CHECK(w.jobs.empty());
}

}  // namespace transform_test
