// Measurements of pairs that share a GPU: read, estimated where there are none, and simulated.
#include "catch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formats/measured_pairs.h"
#include "message_of.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "scratch_folder.h"
#include "shared_files.h"

namespace measured_pairs_test {

using namespace coslice;

namespace {

const std::string kPairs = "model_a,batch_a,model_b,batch_b,speed_a,speed_b\n"
                           "net,32,net,64,0.9,0.8\n"
                           "net,32,lm,8,0.7,0.5\n"
                           "lm,8,lm,8,0.45,0.55\n";
const std::string kSingle = "model,batch,util\nnet,32,40\nnet,64,60\nlm,8,95\nppo,1,10\n";

Scenario scenario(const std::string& text) { return check_scenario(parse_scenario_tree(text, "t.toml")); }

std::string table(const ScratchFolder& folder, const std::string& more = "") {
  folder.write("pairs.csv", kPairs);
  folder.write("single.csv", kSingle);
  return folder.write("t.toml", "[measured]\npairs = \"pairs.csv\"\n" + more);
}

/// Jobs of 1,000 s at the same time, in that order, with that part of a GPU of `nodes` nodes with one each.
std::string jobs_on_gpus(const std::string& file, const std::vector<std::string>& applications, double share,
                         std::size_t nodes, const std::string& more = "") {
  std::string text =
      fmt::format("[[machine.nodes]]\nname = \"g\"\ncount = {}\ncores = 8\ngpus = 1\n[slowdown]\nmodel = "
                  "\"table\"\ntable = '{}'\namong = \"gpu\"\n{}[policy]\nname = \"fcfs\"\n[workload]\njobs = [\n",
                  nodes, file, more);
  for (const std::string& a : applications)
    text += fmt::format("  {{ processes = 1, runtime = 1000, limit = 1000000, application = \"{}\", request = {{ "
                        "gpu_share = {} }} }},\n",
                        a, share);
  return text + "]\n";
}

/// When the jobs end, by the order in which they are written.
std::vector<double> ends(const std::string& text) {
  const Runner runner(scenario(text));
  const PolicyRun run = runner.run(0);
  std::vector<double> all;
  for (const Outcome& o : run.result.outcomes) all.push_back(to_seconds(o.end.time_since_epoch()));
  return all;
}

}  // namespace

TEST_CASE("a table of pairs is read by its columns", "[pairs]") {
  const ScratchFolder folder;
  table(folder);
  const MeasuredPairs m(folder / "pairs.csv", folder / "single.csv", {});
  CHECK(m.configuration_columns() == std::vector<std::string>{"model", "batch"});
  CHECK(m.configurations() == std::vector<std::string>{"net/32", "net/64", "lm/8", "ppo/1"});
  CHECK(m.profile_columns() == std::vector<std::string>{"batch", "util"});
  REQUIRE(m.gpus().size() == 1);
  const KnownPairs known(m.gpus()[0].pairs);
  CHECK(known.find(0, 1)->speed_a == 0.9);
  CHECK(known.find(1, 0)->speed_a == 0.8);
  CHECK(known.find(2, 2)->speed_b == 0.55);
  CHECK(!known.find(1, 2));
  CHECK(m.number("ppo/1") == 3);
  CHECK(m.number("other") == 4);
}

TEST_CASE("rates by kind of GPU become speeds and factors alone", "[pairs]") {
  const ScratchFolder folder;
  folder.write("pairs.csv", "gpu,job_a,job_b,steps_a,steps_b\nold,x,y,1,3\nnew,x,y,8,0\nnew,x,x,6,4\nold,x,x,1,1\n");
  folder.write("single.csv", "gpu,job_type,n,steps\nold,x,1,2\nold,y,1,4\nnew,x,1,10\nnew,y,1,5\nnew,x,2,19\n");
  const std::string file = folder.write(
      "t.toml",
      "[measured]\npairs = \"pairs.csv\"\nsingle = \"single.csv\"\nspeed = \"steps\"\nrate = \"steps\"\n"
      "configuration = [\"job\"]\nsingle_configuration = [\"job_type\"]\nwhere = { n = 1 }\nreference = \"new\"\n");
  const auto at = [&](const std::string& type) {
    std::string text = jobs_on_gpus(file, {"x", "y"}, 0.5, 1);
    text.replace(text.find("gpus = 1"), 8, "gpus = 1\ngpu_type = \"" + type + "\"");
    return ends(text);
  };
  // Old: x needs 5 times as long, and beside y twice that; y 1.25 times as long, beside x 4 / 3 of that.
  const std::vector<double> old = at("Old");
  const double y = 1000 * 1.25 / 0.75;
  CHECK(old[1] == Approx(y).epsilon(1e-6));
  CHECK(old[0] == Approx(5000 + y * 0.5).epsilon(1e-6));
  // New: y does not get on beside x.
  CHECK(at("NEW")[0] == Approx(1000 / 0.8).epsilon(1e-6));
  CHECK_THAT(message_of([&] { at("newe"); }),
             Catch::Contains("GPUs of type 'newe'") && Catch::Contains("did you mean 'new'?"));
}

TEST_CASE("mistakes in measurements are told with file and line", "[pairs]") {
  const ScratchFolder folder;
  const auto wrong = [&](const std::string& pairs, const std::string& more = "") {
    table(folder, more);
    folder.write("pairs.csv", pairs);
    const std::string text = jobs_on_gpus(folder / "t.toml", {"net/32"}, 1, 1);
    return message_of([&] { Runner runner(scenario(text)); });
  };
  const std::string head = "model_a,batch_a,model_b,batch_b,speed_a,speed_b\n";
  using Catch::Contains;
  CHECK_THAT(wrong(head + "net,1,net,2,fast,1\n"), Contains("pairs.csv:2: speed_a is 'fast'; expected a number"));
  CHECK_THAT(wrong(head + "net,1,net,2,1\n"), Contains("pairs.csv:2: 5 cells"));
  CHECK_THAT(wrong(head + "net,1,net,2,1,1\nnet,2,net,1,1,1\n"), Contains("pairs.csv:3: the pair is in line 2"));
  CHECK_THAT(wrong(head), Contains("pairs.csv: has no pairs"));
  CHECK_THAT(wrong("model,speed_a,speed_b\nx,1,1\n"), Contains("there is no column 'model_a'"));
  CHECK_THAT(wrong(kPairs, "speed = \"sped\"\n"), Contains("no column 'sped_a'") && Contains("speed_a"));
  CHECK_THAT(wrong(kPairs, "reference = \"new\"\n"), Contains("no column of rates"));
  CHECK_THAT(wrong(kPairs, "where = { n = 1 }\n"), Contains("there is no file of them"));
  CHECK_THAT(wrong(kPairs, "sngle = \"x\"\n"), Contains("did you mean 'single'?"));
}

TEST_CASE("two jobs that share a GPU end as their speeds say", "[pairs]") {
  const ScratchFolder folder;
  const std::string file = table(folder);
  // Together: 0.9 and 0.8; 0.5 and 0.7; and two of the same, of which the first is the slower one.
  const std::vector<double> e =
      ends(jobs_on_gpus(file, {"net/32", "net/64", "lm/8", "net/32", "lm/8", "lm/8"}, 0.5, 3));
  const auto second = [](double fast, double slow) { return 1000 + 1000 / fast * (1 - slow); };
  CHECK(e[0] == Approx(1000 / 0.9).epsilon(1e-6));
  CHECK(e[1] == Approx(second(0.9, 0.8)).epsilon(1e-6));
  CHECK(e[2] == Approx(second(0.7, 0.5)).epsilon(1e-6));
  CHECK(e[3] == Approx(1000 / 0.7).epsilon(1e-6));
  CHECK(e[4] == Approx(second(0.55, 0.45)).epsilon(1e-6));
  CHECK(e[5] == Approx(1000 / 0.55).epsilon(1e-6));
}

TEST_CASE("three jobs on a GPU do all their work", "[pairs]") {
  const ScratchFolder folder;
  const std::string file = table(folder);
  const std::vector<std::string> names = {"net/32", "net/64", "lm/8"};
  const std::vector<double> e = ends(jobs_on_gpus(file, names, 0.3, 1));
  const MeasuredPairs m(folder / "pairs.csv", "", {});
  const PairEstimate estimate(m.gpus()[0].pairs, m.gpus()[0].profiles);
  const KnownPairs known(m.gpus()[0].pairs);
  std::vector<double> left(3, 1000), expected(3);
  for (double now = 0; *std::max_element(left.begin(), left.end()) > 0;) {
    std::vector<double> speed(3, 1);
    double step = 1e9;
    for (std::uint32_t a = 0; a != 3; ++a) {
      for (std::uint32_t b = 0; b != 3; ++b)
        if (a != b && left[b] > 0) speed[a] *= known.find(a, b) ? known.find(a, b)->speed_a : estimate.speed(a, b);
      if (left[a] > 0) step = std::min(step, left[a] / speed[a]);
    }
    now += step;
    for (std::size_t a = 0; a != 3; ++a) {
      if (left[a] <= 0) continue;
      left[a] -= step * speed[a];
      if (left[a] < 1e-9) left[a] = 0, expected[a] = now;
    }
  }
  for (std::size_t a = 0; a != 3; ++a) CHECK(e[a] == Approx(expected[a]).epsilon(1e-6));
}

TEST_CASE("every published pair ends as it was measured", "[pairs]") {
  const std::string pairs = coslice_test::shared_file("gpu/sharing/lucid/pairs_train.csv");
  if (pairs.empty()) {
    WARN("skipped: the measured pairs are not there");
    return;
  }
  const ScratchFolder folder;
  const std::string file = folder.write("t.toml", "[measured]\npairs = '" + pairs + "'\n");
  const MeasuredPairs m(pairs, "", {});
  const std::vector<PairSpeed>& all = m.gpus()[0].pairs;
  CHECK(all.size() == 972);
  std::vector<std::string> applications;
  for (const PairSpeed& p : all) {
    applications.push_back(m.configurations()[p.a]);
    applications.push_back(m.configurations()[p.b]);
  }
  const std::vector<double> e = ends(jobs_on_gpus(file, applications, 0.5, all.size()));
  double worst = 0;
  for (std::size_t i = 0; i != all.size(); ++i) {
    const double fast = std::max(all[i].speed_a, all[i].speed_b), slow = std::min(all[i].speed_a, all[i].speed_b);
    const double t1 = 1000 / fast, t2 = 1000 + t1 * (1 - slow);
    const bool a_first = all[i].speed_a >= all[i].speed_b;
    worst = std::max(worst, std::abs(e[2 * i] / (a_first ? t1 : t2) - 1));
    worst = std::max(worst, std::abs(e[2 * i + 1] / (a_first ? t2 : t1) - 1));
  }
  CHECK(worst < 1e-6);
}

TEST_CASE("the estimate of a pair", "[pairs]") {
  // Speeds that effects explain wholly come back, but for what the ridge takes away.
  std::vector<PairSpeed> pairs;
  const double own[] = {0.1, -0.1, 0.05, -0.05}, partner[] = {-0.2, 0.2, 0.1, -0.1};
  for (std::uint32_t a = 0; a != 4; ++a)
    for (std::uint32_t b = a; b != 4; ++b)
      if (a != 1 || b != 2) pairs.push_back({a, b, 0.7 + own[a] + partner[b], 0.7 + own[b] + partner[a]});
  const PairEstimate exact(pairs, {}, 1e-6);
  CHECK(exact.speed(1, 2) == Approx(0.7 - 0.1 + 0.1).margin(1e-4));
  CHECK(exact.speed(2, 1) == Approx(0.7 + 0.05 + 0.2).margin(1e-4));
  CHECK(exact.basis(1, 2) == PairEstimate::Basis::kPairs);
  // Nothing is known of the fifth one: the mean, and what its partner does.
  CHECK(exact.speed(4, 4) == exact.mean());
  CHECK(exact.basis(0, 4) == PairEstimate::Basis::kMean);
  // A profile that tells what a program does to others tells it of one that no pair has, too.
  const PairEstimate by_profile(pairs, {{-2}, {2}, {1}, {-1}, {2}}, 1e-6);
  CHECK(std::abs(by_profile.speed(0, 4) - exact.speed(0, 1)) < 0.5 * std::abs(exact.speed(0, 4) - exact.speed(0, 1)));
  CHECK(by_profile.basis(0, 4) == PairEstimate::Basis::kProfile);
  CHECK_THAT(message_of([] {
               PairEstimate({{0, 1, 0, 0}}, {});
             }),
             Catch::Contains("no pair whose speeds were measured"));
}

TEST_CASE("a small system of equations", "[pairs]") {
  std::vector<double> a = {4, 0, 0, 2, 5, 0, 1, 3, 6}, b = {11, 21, 25};  // x = 1, 2, 3
  solve_symmetric(a, b);
  CHECK(b[0] == Approx(1));
  CHECK(b[1] == Approx(2));
  CHECK(b[2] == Approx(3));
}

TEST_CASE("schedulers may know the truth, an estimate, or nothing", "[pairs]") {
  const ScratchFolder folder;
  const std::string file = table(folder);
  const auto model = [&](const std::string& known) {
    return Runner(scenario(jobs_on_gpus(file, {"net/32", "net/64", "ppo/1"}, 0.5, 1,
                                        "scheduler_knows = \"" + known + "\"\n")))
        .slowdowns();
  };
  const MeasuredPairs m(folder / "pairs.csv", "", {});
  const PairEstimate estimate(m.gpus()[0].pairs, {});
  const auto truth = model("truth"), guess = model("estimate"), nothing = model("nothing");
  CHECK(truth->beside_on(0, 1, 0) == Approx(1 / 0.9));
  CHECK(guess->beside_on(0, 1, 0) == Approx(1 / estimate.speed(0, 1)));
  CHECK(guess->beside_on(0, 1, 0) != truth->beside_on(0, 1, 0));
  CHECK(nothing->beside_on(0, 1, 0) == 1);
  for (const auto* any : {&truth, &guess, &nothing}) {
    CHECK((*any)->really_beside_on(0, 1, 0) == Approx(1 / 0.9));
    CHECK((*any)->really_beside(1, 0) == Approx(1 / 0.8));
    CHECK((*any)->application(1) == "net/64");
  }
  const std::string plain = folder.write("plain.toml", "[[applications]]\nname = \"x\"\n");
  CHECK_THAT(
      message_of([&] { Runner r(scenario(jobs_on_gpus(plain, {"x"}, 1, 1, "scheduler_knows = \"nothing\"\n"))); }),
      Catch::Contains("measures no pairs"));
}

TEST_CASE("what a file says of an application comes before what was measured", "[pairs]") {
  const ScratchFolder folder;
  const std::string file =
      table(folder, "[default]\nbeside = 1.1\n[[applications]]\nname = \"net/32\"\nnumbers = [7]\n"
                    "beside = { \"net/64\" = 3 }\n[[applications]]\nname = \"mine\"\nbeside = 2\n");
  const auto m = Runner(scenario(jobs_on_gpus(file, {"net/32", "net/64", "mine", "other"}, 0.5, 2))).slowdowns();
  CHECK(m->beside(0, 1) == 3);
  CHECK(m->beside(1, 0) == Approx(1 / 0.8));
  CHECK(m->beside(2, 0) == 2);
  CHECK(m->beside(0, 2) == 1.1);
  CHECK(m->beside(3, 0) == 1.1);
}

}  // namespace measured_pairs_test
