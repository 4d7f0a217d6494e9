// Speeds of pairs that share a GPU, asked for on the command line.
#include "catch.h"

#include <nlohmann/json.hpp>

#include "run_program.h"
#include "shared_files.h"

namespace estimate_test {

using namespace coslice_test;

namespace {

const std::string kPairs = "model_a,batch_a,model_b,batch_b,speed_a,speed_b\nnet,32,net,64,0.9,0.8\nnet,32,lm,8,0.7,0."
                           "5\nlm,8,lm,8,0.45,0.55\n";

}  // namespace

TEST_CASE("pairs are looked up in either order, or estimated", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("pairs.csv", kPairs);
  coslice.folder.write("single.csv", "model,batch,gpu_util_pct\nnet,32,40\nnet,64,60\nlm,8,95\nppo,1,10\n");
  coslice.folder.write("ask.csv",
                       "model_a,batch_a,model_b,batch_b\nnet,64,net,32\nnet,64,lm,8\nppo,1,lm,8\nnew,1,lm,8\n");
  const Said said = coslice("estimate ask.csv --pairs pairs.csv --single single.csv");
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("measured") && Contains("profile") && Contains("mean"));
  const auto json = nlohmann::json::parse(coslice("estimate ask.csv --pairs pairs.csv --single single.csv --json").out);
  const auto& pairs = json["pairs"];
  REQUIRE(pairs.size() == 4);
  CHECK(pairs[0]["speed_a"] == 0.8);
  CHECK(pairs[0]["speed_b"] == 0.9);
  CHECK(pairs[0]["from"] == "measured");
  CHECK(pairs[1]["from"] == "pairs");
  CHECK(pairs[2]["from"] == "profile");
  CHECK(pairs[3]["from"] == "mean");
  CHECK(json["errors"].empty());
  REQUIRE(coslice("estimate ask.csv --pairs pairs.csv -o out.csv").status == 0);
  const std::string out = coslice.folder.read("out.csv");
  CHECK_THAT(out, Contains("model_a,batch_a,model_b,batch_b,speed_a,speed_b,from\nnet,64,net,32,0.8,0.9,measured\n"));
}

TEST_CASE("estimates are compared with speeds that were not told", "[cli]") {
  const Program coslice;
  coslice.folder.write("pairs.csv", kPairs);
  coslice.folder.write("ask.csv",
                       "model_a,batch_a,model_b,batch_b,speed_a,speed_b\nnet,64,lm,8,0.6,0.6\nnet,32,lm,8,0.1,0.1\n");
  const auto json = nlohmann::json::parse(coslice("estimate ask.csv --pairs pairs.csv --json").out);
  REQUIRE(json["errors"].size() == 3);  // the second pair was measured, and counts in none
  for (const auto& e : json["errors"]) CHECK(e["speeds"] == 2);
  CHECK(json["errors"][1]["rule"] == "no slowdown");
  CHECK(json["errors"][1]["mean"].get<double>() == Approx(0.4));
  CHECK(json["errors"][2]["mean"].get<double>() == Approx(0.05));  // the mean of the measured ones is 0.65
}

TEST_CASE("the estimate of left-out published pairs is good enough", "[cli]") {
  const std::string pairs = shared_file("gpu/sharing/lucid/pairs_train.csv");
  if (pairs.empty()) {
    WARN("skipped: the measured pairs are not there");
    return;
  }
  const Program coslice;
  const Said said = coslice("estimate --check --json --pairs " + pairs);
  REQUIRE(said.status == 0);
  CHECK(coslice("estimate --check --json --pairs " + pairs).out == said.out);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json["errors"][0]["speeds"] == 2 * 972);
  CHECK(json["errors"][0]["mean"].get<double>() < 0.05);
  CHECK(json["errors"][1]["mean"].get<double>() == Approx(0.0977).margin(0.0005));
  CHECK(json["errors"][2]["mean"].get<double>() == Approx(0.0918).margin(0.0005));
  // A file of that shape is answered without more being said.
  const auto all = nlohmann::json::parse(coslice("estimate " + pairs + " --json --pairs " + pairs).out);
  CHECK(all["pairs"].size() == 972);
  for (const auto& p : all["pairs"]) CHECK(p["from"] == "measured");
}

TEST_CASE("what is wrong with an estimate is told", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("pairs.csv", kPairs);
  coslice.folder.write("ask.csv", "model_a,batch_a,model_b\nnet,64,net\n");
  const auto refused = [&](const std::string& arguments) {
    const Said said = coslice("estimate " + arguments);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(refused("ask.csv"), Contains("--pairs: is missing"));
  CHECK_THAT(refused("--pairs pairs.csv"), Contains("--check"));
  CHECK_THAT(refused("ask.csv --pairs pairs.csv"), Contains("ask.csv:1: there is no column 'batch_b'"));
  CHECK_THAT(refused("ask.csv --pairs none.csv"), Contains("none.csv"));
  CHECK_THAT(refused("pairs.csv --pairs pairs.csv --folds 3"), Contains("--folds: has no effect here"));
  CHECK_THAT(refused("pairs.csv --pairs pairs.csv --utilization x"), Contains("no column 'x'"));
  coslice.folder.write("plain.toml", "[[applications]]\nname = \"x\"\n");
  CHECK_THAT(refused("pairs.csv --pairs plain.toml"), Contains("plain.toml: names no measurements"));
}

TEST_CASE("tables of pairs that could be misread", "[cli]") {
  using Catch::Contains;
  const Program coslice;
  coslice.folder.write("pairs.csv", kPairs);
  coslice.folder.write("ask.csv", "model_a,batch_a,model_b,batch_b\nlm,8,net,32\n");
  const std::string said = coslice("estimate ask.csv --pairs pairs.csv").out;
  coslice.folder.write("marked.csv", "\xEF\xBB\xBF" + kPairs);  // as spreadsheets write it
  CHECK(coslice("estimate ask.csv --pairs marked.csv").out == said);
  const auto refused = [&](const std::string& arguments, const std::string& problem) {
    const Said s = coslice("estimate " + arguments);
    INFO(s.out);
    CHECK(s.status == 2);
    CHECK_THAT(s.err, Contains(problem));
  };
  coslice.folder.write("twice.csv", "model_a,model_a,model_b,speed_a,speed_b\nx,y,z,0.5,0.5\n");
  refused("ask.csv --pairs twice.csv", "twice.csv:1: there are two columns 'model_a'");
  coslice.folder.write("none.csv", "model_a,batch_a,model_b,batch_b\n");
  refused("none.csv --pairs pairs.csv", "none.csv: has no pairs");
  coslice.folder.write("zero.csv", "model_a,batch_a,model_b,batch_b,speed_a,speed_b\nnet,32,lm,8,0,0\n");
  refused("ask.csv --pairs zero.csv", "zero.csv: has no pair that could run together");
  coslice.folder.write("one.csv", "model_a,batch_a,model_b,batch_b,speed_a,speed_b\nnet,32,lm,8,0.5,0.5\n");
  refused("--pairs one.csv --check", "too few pairs were measured");
}

TEST_CASE("pairs on another kind of GPU than the only one that was measured", "[cli]") {
  const Program coslice;
  coslice.folder.write("pairs.csv", "model_a,model_b,speed_a,speed_b,gpu\nnet,lm,0.5,0.6,v100\n");
  coslice.folder.write("same.csv", "model_a,model_b,gpu\nnet,lm,v100\n");
  coslice.folder.write("other.csv", "model_a,model_b,gpu\nnet,lm,a100\n");
  CHECK(coslice("estimate same.csv --pairs pairs.csv").status == 0);
  const Said other = coslice("estimate other.csv --pairs pairs.csv");
  CHECK(other.status == 2);
  CHECK_THAT(other.err,
             Catch::Contains("other.csv:2: no pair was measured on GPUs of kind 'a100'; expected one of v100"));
}

}  // namespace estimate_test
