// What is said of a figure beside a published one, and how it is counted.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "lab/papers/published_row.h"

namespace verdicts_test {

using namespace coslice;

namespace {

Measurement measured(std::vector<double> values, std::optional<Band> band, std::string finding = "") {
  Measurement m;
  m.quantity = "q";
  m.published = 1;
  m.values = std::move(values);
  m.band = band;
  m.finding = std::move(finding);
  return m;
}

Measurement single(double obtained, std::optional<Band> band) {
  Measurement m = measured({}, band);
  m.obtained = obtained;
  return m;
}

Row judged(const Measurement& m, bool quick = false) { return judge("p", "T1", m, quick); }
Verdict verdict(const Measurement& m, bool quick = false) { return judged(m, quick).verdict; }

const Band kBand{0.0, 10.0};

}  // namespace

TEST_CASE("the mean and the band", "[lab]") {
  CHECK(verdict(measured({4.9, 5.1}, kBand)) == Verdict::kMet);
  CHECK(verdict(measured({10, 10}, kBand)) == Verdict::kMet);
  CHECK(verdict(measured({11, 11.1}, kBand)) == Verdict::kMissed);
  CHECK(verdict(measured({11, 11.1}, kBand), true) == Verdict::kIndicative);
  CHECK(verdict(measured({11, 11.1}, Band{{}, 20.0})) == Verdict::kMet);
  CHECK(verdict(measured({11, 11.1}, Band{20.0, {}})) == Verdict::kMissed);
  CHECK(verdict(single(5, kBand)) == Verdict::kMet);
  CHECK(verdict(single(11, kBand)) == Verdict::kMissed);
}

TEST_CASE("one rule for published numbers: sign, a quarter, an interval of half", "[lab]") {
  const auto of = [](double published, std::vector<double> values, const std::string& finding = "") {
    Measurement m = measured(std::move(values), {}, finding);
    m.published = published;
    return judged(m);
  };
  CHECK(of(8, {9.9, 10, 10.1}).verdict == Verdict::kMet);
  CHECK(of(8, {6, 6, 6}).verdict == Verdict::kMet);
  CHECK(of(-8, {-10, -10}).verdict == Verdict::kMet);
  CHECK(verdict_words(of(8, {10, 10})) == "reproduced");
  CHECK(verdict_words(of(8, {10.4, 10.4})) == "missed, 30 % above");
  CHECK(verdict_words(of(13.84, {5.75, 5.75})) == "missed, 58 % below");
  CHECK(verdict_words(of(0.5, {50, 50})) == "missed, 100 times as much");
  CHECK(verdict_words(of(3.96, {-0.39, -0.39})) == "missed, of the other sign");
  CHECK(verdict_words(of(0.01, {0, 0})) == "missed, 100 % below");
  // Near it, and the interval holds it, but it is wider than half of it: 8 +- 2.48.
  CHECK(verdict_words(of(8, {7, 8, 9})) == "missed, within a quarter, but the interval is wider than half");
  CHECK(of(8, {7.5, 8, 8.5}).verdict == Verdict::kMet);
  CHECK(of(0, {0, 0}).verdict == Verdict::kMet);
  CHECK(verdict_words(of(0, {0.1, 0.1})) == "missed, published as 0");
  CHECK(of(8, {10}).verdict == Verdict::kMet);  // one seed has no interval
  CHECK(of(8, {7, 8, 9}).agrees == true);
  SECTION("a finding is refuted by an interval of the other sign") {
    CHECK(of(8, {-1, 0, 1}, "less").verdict == Verdict::kMissed);
    const Row row = of(8, {-2, -2.1, -1.9}, "less");
    CHECK(row.verdict == Verdict::kRefuted);
    CHECK(row.remark() == "published: less; here the 95 % interval over 3 seeds, -2.248 to -1.752, has the other sign");
  }
  SECTION("not where it is not to be judged") {
    Measurement m = measured({1, 1}, {});
    m.indicative = "another workload";
    CHECK(judged(m).verdict == Verdict::kIndicative);
    CHECK(verdict(measured({1, 1}, {}), true) == Verdict::kIndicative);
  }
}

TEST_CASE("only a whole interval outside refutes, and only a finding", "[lab]") {
  CHECK(verdict(measured({10.5, 11, 11.5}, kBand, "few")) == Verdict::kMissed);  // the interval reaches into the band
  CHECK(verdict(measured({12, 12.1, 12.2}, kBand)) == Verdict::kMissed);
  const Row row = judged(measured({12, 12.1, 12.2}, kBand, "few"));
  CHECK(row.verdict == Verdict::kRefuted);
  CHECK(row.remark() == "published: few; here the 95 % interval over 3 seeds, 11.85 to 12.35, lies outside of 0 to 10");
}

TEST_CASE("an interval that is wider than the band decides nothing", "[lab]") {
  const Row inside = judged(measured({4, 6}, kBand));  // 5 +- 12.7
  CHECK(inside.verdict == Verdict::kIndicative);
  CHECK(inside.remark() == "undecided: the 95 % interval, -7.706 to 17.71, is wider than the band");
  CHECK(verdict(measured({11, 13}, kBand, "few")) ==
        Verdict::kIndicative);                                      // the mean outside, and all of the band inside
  CHECK(verdict(measured({100, 102}, kBand)) == Verdict::kMissed);  // as wide, but it does not reach the band
  CHECK(verdict(measured({100, 102}, kBand, "few")) == Verdict::kRefuted);
  CHECK(verdict(measured({1, 1, 1}, Band{1.0, 1.0})) == Verdict::kMet);
  SECTION("of a band with one end, an interval on both sides of it") {
    const Row row = judged(measured({4, 6}, Band{0.0, {}}));
    CHECK(row.verdict == Verdict::kIndicative);
    CHECK(row.remark() == "undecided: the 95 % interval, -7.706 to 17.71, lies on both sides of 0");
    CHECK(verdict(measured({-6, -4}, Band{0.0, {}}, "more")) == Verdict::kIndicative);
    CHECK(verdict(measured({4, 6}, Band{{}, 4.0})) == Verdict::kIndicative);
    CHECK(verdict(measured({4.9, 5.1}, Band{{}, 7.0})) == Verdict::kMet);
    CHECK(verdict(measured({0, 0, 0}, Band{0.0, {}})) == Verdict::kMet);
  }
}

TEST_CASE("whether the interval holds the published value", "[lab]") {
  CHECK(judged(measured({0.9, 1.1}, kBand)).agrees == true);
  CHECK(judged(measured({4.9, 5.1}, kBand)).agrees == false);
  CHECK(judged(measured({1, 1, 1}, kBand)).agrees == true);
  CHECK(judged(measured({1.1, 1.1}, kBand)).agrees == false);
  CHECK(judged(measured({1.00000001}, kBand)).agrees == true);  // one seed has no interval: it must be the value
  CHECK(judged(single(1, {})).agrees == true);
  CHECK(judged(single(1.01, {})).agrees == false);
  Measurement words = measured({4.9, 5.1}, kBand);
  words.published.reset();
  CHECK(!judged(words).agrees);
  CHECK(judged(words).verdict == Verdict::kMet);
  const Row beyond = judged(measured({0.5, 1.2}, Band{0.9, 20.0}));
  CHECK(beyond.verdict == Verdict::kMissed);
  CHECK(beyond.remark() == "below 0.9, though the interval holds the published value");
}

TEST_CASE("an estimate is judged as such, with the scatter of its values around it", "[lab]") {
  Measurement m = measured({2, 4}, Band{-40.0, 40.0});
  m.obtained = 5;
  const Row row = judged(m);
  CHECK(*row.obtained == 5);
  CHECK(row.interval->low == Approx(5 - 12.7062047));
  CHECK(row.interval->high == Approx(5 + 12.7062047));
  CHECK(row.seeds == 2);
}

TEST_CASE("nothing published, nothing there", "[lab]") {
  Measurement m = measured({1}, {});
  m.published.reset();
  CHECK(verdict(m) == Verdict::kUnpublished);
  m.skipped = "no log";
  const Row row = judged(m);
  CHECK(row.verdict == Verdict::kSkipped);
  CHECK(!row.obtained);
  CHECK(!row.agrees);
  CHECK(row.remark() == "no log");
}

TEST_CASE("totals count what is reproduced, and apart what was fitted or is given", "[lab]") {
  std::vector<Row> rows = {judged(measured({0.9, 1.1}, kBand)), judged(measured({4.9, 5.1}, kBand)),
                           judged(measured({11, 11.1}, kBand))};
  CHECK(verdict_counts(rows) == "2 hold, 1 missed");
  CHECK(verdict_words(rows[0]) == "holds");
  Measurement words = measured({4.9, 5.1}, kBand);
  words.published.reset();
  rows.push_back(judged(words));
  CHECK(verdict_words(rows.back()) == "holds");
  rows.push_back(judged(measured({1, 1, 1}, {})));
  Measurement by = measured({1, 1}, {});
  by.fitted = "a cost";
  rows.push_back(judged(by));
  CHECK(rows.back().note == "fitted: a cost");
  CHECK(verdict_words(rows.back()) == "reproduced (fitted)");
  by.fitted = "";
  by.given = "an input";
  rows.push_back(judged(by));
  rows.push_back(judged(by));
  CHECK(verdict_counts(rows) == "1 reproduced, 3 hold, 1 missed; fitted: 1 reproduced; given: 2 reproduced");
  CHECK(verdict_counts({rows.back()}) == "given: 1 reproduced");
  CHECK(verdict_counts({}).empty());
}

TEST_CASE("rows as JSON", "[lab]") {
  std::vector<Row> rows = {judged(measured({1.5, 1.52}, Band{0.0, 1.0}))};
  auto json = nlohmann::ordered_json::parse(rows_json(rows));
  CHECK(json.dump() == R"([{"experiment":"T1","quantity":"q","unit":"","published":1.0,"obtained":1.51,"low":1.38294,)"
                       R"("high":1.63706,"seeds":2,"verdict":"missed","agrees":false,"basis":null,"note":"above 1"}])");
  Measurement fitted = measured({1}, {});
  fitted.fitted = "it";
  rows.push_back(judge("r", "T1", fitted, false));
  json = nlohmann::ordered_json::parse(rows_json(rows));
  CHECK(json[1]["paper"] == "r");
  CHECK(json[1]["low"].is_null());
  CHECK(json[1]["agrees"] == true);
  CHECK(json[1]["basis"] == "fitted");
  CHECK(rows_json({}) == "[]\n");
}

}  // namespace verdicts_test
