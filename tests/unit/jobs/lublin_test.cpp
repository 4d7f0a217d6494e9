// The workload model of Lublin and Feitelson: closed forms, statistics, and the jobs of the original program.
#include "jobs/lublin.h"

#include <cmath>
#include <map>

#include "catch.h"
#include "core/error.h"
#include "formats/swf.h"
#include "shared_files.h"

namespace lublin_test {

using namespace coslice;

namespace {

double seconds(Duration d) { return to_seconds(d); }

struct Statistics {
  double serial = 0, pow2_of_parallel = 0, mean_runtime = 0, mean_size = 0, mean_work = 0, mean_gap = 0, load = 0;
  double jobs[3] = {}, work[3] = {};  // shares of up to 10 min, up to 3 h, longer
};

Statistics statistics_of(const Workload& w) {
  Statistics s;
  const auto n = static_cast<double>(w.jobs.size());
  double parallel = 0, total = 0;
  for (const Job& j : w.jobs) {
    const double r = seconds(j.runtime), rn = r * j.size;
    const int kind = r <= 600 ? 0 : r <= 10800 ? 1 : 2;
    s.serial += j.size == 1;
    parallel += j.size > 1;
    s.pow2_of_parallel += j.size > 1 && (j.size & (j.size - 1)) == 0;
    s.mean_runtime += r / n;
    s.mean_size += j.size / n;
    total += rn;
    s.jobs[kind] += 1 / n;
    s.work[kind] += rn;
  }
  for (double& x : s.work) x /= total;
  s.serial /= n;
  s.pow2_of_parallel /= parallel;
  s.mean_work = total / n;
  s.mean_gap = seconds(w.jobs.back().submit - w.jobs.front().submit) / (n - 1);
  s.load = s.mean_work / s.mean_gap / static_cast<double>(w.header.max_procs);
  return s;
}

/// Jobs that differ from the file of the original program.
int differences(const std::string& path, const LublinOptions& options) {
  const auto theirs = read_swf(path);
  const auto mine = generate_lublin(options);
  REQUIRE(theirs.jobs.size() == mine.jobs.size());
  int different = 0;
  for (std::size_t i = 0; i < mine.jobs.size(); ++i) {
    const Job &a = mine.jobs[i], &b = theirs.jobs[i];
    const bool same = a.id == b.id && a.submit == b.submit && a.runtime == b.runtime && a.size == b.size &&
                      a.queue == b.queue && a.status == b.status;
    if (!same && different++ < 3)
      UNSCOPED_INFO(a.id << ": " << seconds(a.submit.time_since_epoch()) << " " << seconds(b.submit.time_since_epoch())
                         << ", run " << seconds(a.runtime) << " " << seconds(b.runtime) << ", size " << a.size << " "
                         << b.size << ", queue " << a.queue << " " << b.queue);
  }
  return different;
}

}  // namespace

TEST_CASE("the original program's jobs come out one by one", "[lublin][traces]") {
  struct {
    const char* file;
    std::uint64_t seed;
    bool types;
  } const cases[] = {{"traces/lublin_ref_typeless_seed1.swf.gz", 1, false},
                     {"traces/lublin_ref_typeless_seed2.swf.gz", 2, false},
                     {"traces/lublin_ref_typed_seed1.swf.gz", 1, true}};
  for (const auto& c : cases) {
    const std::string path = coslice_test::shared_file(c.file);
    if (path.empty()) {
      WARN("skipped, not there: " << c.file);
      continue;
    }
    INFO(c.file);
    LublinOptions o;
    o.jobs = 10000;
    o.seed = c.seed;
    o.types = c.types;
    o.original = true;
    CHECK(differences(path, o) == 0);
  }
}

TEST_CASE("the first jobs of the original program", "[lublin]") {
  // Typeless, seed 1: submit, run time, size.
  const std::int64_t first[][3] = {{5362, 6, 4}, {6406, 18, 8}, {6556, 10804, 32}};
  LublinOptions o;
  o.jobs = 3;
  o.original = true;
  const auto w = generate_lublin(o);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(w.jobs[i].submit == Time{whole_seconds(first[i][0])});
    CHECK(w.jobs[i].runtime == whole_seconds(first[i][1]));
    CHECK(w.jobs[i].size == first[i][2]);
  }
}

TEST_CASE("closed forms of the model at 128 nodes", "[lublin]") {
  const auto typeless = lublin_model(128, false), typed = lublin_model(128, true);
  struct {
    const LublinParameters& p;
    double size, runtime, work, gap, load;
  } const rows[] = {{typeless.classes[0], 12.1339, 4358.0, 84241, 911.29, 0.7222},
                    {typed.classes[1], 13.8933, 9492.3, 163480, 3516.9, 0.3632},
                    {typed.classes[0], 8.0450, 241.0, 2964, 619.30, 0.0374}};
  for (const auto& row : rows) {
    const auto pmf = lublin::size_distribution(row.p, 128);
    double total = 0, size = 0, runtime = 0;
    for (int n = 1; n <= 128; ++n) {
      total += pmf[static_cast<std::size_t>(n)];
      size += pmf[static_cast<std::size_t>(n)] * n;
      runtime += pmf[static_cast<std::size_t>(n)] * lublin::mean_runtime(row.p, n);
    }
    const double work = lublin::mean_work(row.p, 128), gap = lublin::mean_gap(row.p, row.p.arrival_shape());
    CHECK(total == Approx(1).epsilon(1e-12));
    CHECK(size == Approx(row.size).margin(6e-5));
    CHECK(runtime == Approx(row.runtime).margin(0.06));
    CHECK(work == Approx(row.work).margin(0.6));
    CHECK(gap == Approx(row.gap).epsilon(1e-5));
    CHECK(work / (128 * gap) == Approx(row.load).margin(6e-5));
  }
  CHECK(lublin_load(typeless) == Approx(0.7222).margin(6e-5));
  CHECK(lublin_load(typed) == Approx(0.4006).margin(6e-5));
}

TEST_CASE("the sizes' distribution", "[lublin]") {
  const auto pmf = lublin::size_distribution(lublin_model(128, false).classes[0], 128);
  const std::map<std::size_t, double> exact = {{1, 0.2440000}, {2, 0.1155531},  {3, 0.0203092},  {4, 0.1490502},
                                               {8, 0.1414358}, {16, 0.1376548}, {23, 0.0008911}, {32, 0.0327105}};
  for (const auto& [n, p] : exact) CHECK(pmf[n] == Approx(p).margin(1e-7));
  const auto batch = lublin::size_distribution(lublin_model(128, true).classes[1], 128);
  CHECK(batch[8] == Approx(0.1555631).margin(1e-7));
  CHECK(batch[32] == Approx(0.0981273).margin(1e-7));
  for (const int nodes : {1, 2, 3, 5, 100, 338, 1152, 100000})
    for (const bool types : {false, true})
      for (const auto& p : lublin_model(nodes, types).classes) {
        double total = 0;
        for (const double share : lublin::size_distribution(p, nodes)) {
          CHECK(share > -1e-12);
          total += share;
        }
        CHECK(total == Approx(1).epsilon(1e-12));
      }
}

TEST_CASE("the daily cycle", "[lublin]") {
  const auto w = lublin::daily_weights(lublin_model(128, false).classes[0]);
  CHECK(w[0] == Approx(0.507821).margin(1e-6));
  CHECK(w[10] == Approx(0.164918).margin(1e-6));
  CHECK(w[27] == Approx(1.833114).margin(1e-6));
  const auto batch = lublin::daily_weights(lublin_model(128, true).classes[1]);
  CHECK(batch[9] == Approx(0.235361).margin(1e-6));
  CHECK(batch[26] == Approx(1.665940).margin(1e-6));
  double sum = 0;
  for (const double x : w) sum += x;
  CHECK(sum == Approx(48).epsilon(1e-12));
}

TEST_CASE("a wanted load sets alpha", "[lublin]") {
  const std::map<double, double> alpha_of = {{0.5, 10.858}, {0.7, 10.283}, {0.9, 9.865}, {1.0, 9.692}, {2.0, 8.586}};
  for (const auto& [load, alpha] : alpha_of) {
    auto model = lublin_model(128, false);
    set_lublin_load(model, load);
    CHECK(model.classes[0].aarr == Approx(alpha).margin(6e-4));
    CHECK(lublin_load(model) == Approx(load).epsilon(1e-9));
  }
  for (const int nodes : {1, 16, 100, 430, 10000}) {
    auto model = lublin_model(nodes, true);
    const double before = lublin_load(model);
    const double share = lublin::mean_gap(model.classes[0], model.classes[0].arrival_shape()) /
                         lublin::mean_gap(model.classes[1], model.classes[1].arrival_shape());
    set_lublin_load(model, before * 1.5);
    CHECK(lublin_load(model) == Approx(before * 1.5).epsilon(1e-9));
    CHECK(lublin::mean_gap(model.classes[0], model.classes[0].arrival_shape()) /
              lublin::mean_gap(model.classes[1], model.classes[1].arrival_shape()) ==
          Approx(share).epsilon(1e-9));
  }
}

TEST_CASE("generated jobs have the model's statistics", "[lublin]") {
  LublinOptions o;
  o.jobs = 200000;
  const auto s = statistics_of(generate_lublin(o));
  CHECK(s.serial == Approx(0.244).margin(0.004));
  CHECK(s.pow2_of_parallel == Approx(0.8268).margin(0.004));
  CHECK(s.mean_size == Approx(12.1339).epsilon(0.02));
  CHECK(s.mean_runtime == Approx(4358).epsilon(0.02));
  CHECK(s.mean_work == Approx(84241).epsilon(0.03));
  CHECK(s.mean_gap == Approx(911.29).epsilon(0.06));
  CHECK(s.load == Approx(0.7222).epsilon(0.07));
  const double jobs[] = {0.6375, 0.1972, 0.1653}, work[] = {0.0051, 0.2592, 0.7357};
  for (int k = 0; k < 3; ++k) {
    CHECK(s.jobs[k] == Approx(jobs[k]).margin(0.007));
    CHECK(s.work[k] == Approx(work[k]).margin(0.015));
  }
}

TEST_CASE("batch and interactive jobs have theirs", "[lublin]") {
  LublinOptions o;
  o.jobs = 200000;
  o.types = true;
  auto all = generate_lublin(o);
  Workload by_type[2];
  for (const Job& j : all.jobs) by_type[j.queue].jobs.push_back(j);
  by_type[0].header = by_type[1].header = all.header;
  const auto interactive = statistics_of(by_type[0]), batch = statistics_of(by_type[1]);
  CHECK(batch.mean_runtime == Approx(9492).epsilon(0.03));
  CHECK(batch.mean_size == Approx(13.893).epsilon(0.03));
  CHECK(batch.mean_gap == Approx(3516.9).epsilon(0.12));
  CHECK(batch.jobs[2] == Approx(0.3594).margin(0.01));
  CHECK(interactive.mean_runtime == Approx(241).epsilon(0.03));
  CHECK(interactive.mean_size == Approx(8.045).epsilon(0.02));
  CHECK(interactive.mean_gap == Approx(619.3).epsilon(0.06));
  CHECK(interactive.jobs[0] == Approx(0.9583).margin(0.003));
}

TEST_CASE("arrivals follow the daily cycle", "[lublin]") {
  LublinOptions o;
  o.jobs = 300000;
  const auto w = generate_lublin(o);
  double share[24] = {};
  for (const Job& j : w.jobs)
    share[static_cast<int>(seconds(j.submit.time_since_epoch()) / 3600) % 24] += 1.0 / static_cast<double>(o.jobs);
  const auto weight = lublin::daily_weights(lublin_model(128, false).classes[0]);
  for (std::size_t h = 0; h < 24; ++h) {
    INFO(h);
    CHECK(share[h] == Approx((weight[2 * h] + weight[2 * h + 1]) / 48).epsilon(0.1).margin(0.001));
  }
}

TEST_CASE("alpha is used without the ARAR factor unless asked", "[lublin]") {
  LublinOptions o;
  o.jobs = 100000;
  o.alpha = 10.23;
  CHECK(statistics_of(generate_lublin(o)).load == Approx(0.823).epsilon(0.08));  // published: 80 to 85 %
  LublinOptions with = o, plain = o;
  with.arar = true;
  plain.alpha.reset();
  plain.arar = false;
  const double gap = statistics_of(generate_lublin(o)).mean_gap;
  CHECK(statistics_of(generate_lublin(with)).mean_gap > gap * 1.05);
  CHECK(statistics_of(generate_lublin(plain)).mean_gap == Approx(gap).epsilon(0.01));
}

TEST_CASE("machines of any size", "[lublin]") {
  for (const int nodes : {1, 2, 3, 7, 100, 338, 4096, 100000}) {
    for (const bool types : {false, true}) {
      LublinOptions o;
      o.nodes = nodes;
      o.jobs = 20000;
      o.types = types;
      o.load = 0.6;
      INFO(nodes << (types ? " typed" : ""));
      const auto w = generate_lublin(o);
      const auto pmf = lublin::size_distribution(lublin_model(nodes, false).classes[0], nodes);
      double mean = 0;
      std::int32_t largest = 0;
      for (std::size_t n = 1; n < pmf.size(); ++n) mean += pmf[n] * static_cast<double>(n);
      for (const Job& j : w.jobs) largest = std::max(largest, j.size);
      CHECK(largest <= nodes);
      CHECK(w.jobs.front().size >= 1);
      const auto s = statistics_of(w);
      if (!types) CHECK(s.mean_size == Approx(mean).epsilon(0.06));
      CHECK(s.load == Approx(0.6).epsilon(0.35));
    }
  }
}

TEST_CASE("equal options give equal jobs, another seed others", "[lublin]") {
  LublinOptions o;
  o.jobs = 500;
  const auto a = generate_lublin(o), b = generate_lublin(o);
  for (std::size_t i = 0; i < a.jobs.size(); ++i) REQUIRE(a.jobs[i].runtime == b.jobs[i].runtime);
  o.jobs = 100;  // fewer jobs: the same first ones
  const auto c = generate_lublin(o);
  for (std::size_t i = 0; i < c.jobs.size(); ++i) REQUIRE(a.jobs[i].submit == c.jobs[i].submit);
  o.seed = 2;
  CHECK(generate_lublin(o).jobs[0].submit != a.jobs[0].submit);
}

TEST_CASE("bad options are refused in words", "[lublin]") {
  const auto problem = [](auto change) {
    LublinOptions o;
    change(o);
    try {
      generate_lublin(o);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(problem([](auto& o) { o.jobs = 0; }) == "the number of jobs is 0; expected 1 to 100000000");
  CHECK(problem([](auto& o) { o.nodes = -4; }) == "the number of nodes is -4; expected 1 to 1000000");
  CHECK(problem([](auto& o) { o.alpha = 0; }) == "alpha is 0; expected above 0, at most 30");
  CHECK(problem([](auto& o) { o.load = -1; }) ==
        "the model cannot give a load of -1 on 128 nodes; expected 0.00268 to 637");
  CHECK(problem([](auto& o) { o.load = std::nan(""); }).find("cannot give a load of nan") != std::string::npos);
  CHECK(problem([](auto& o) { o.load = 1, o.alpha = 9; }) ==
        "both alpha and a load are given; expected one of them: alpha decides the load");
  CHECK(problem([](auto& o) { o.types = true, o.alpha = 9; }).find("alpha is given for batch") == 0);
}

}  // namespace lublin_test
