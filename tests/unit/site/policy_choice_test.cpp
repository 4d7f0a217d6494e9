// Which policy is chosen by forecasts of the same draws.
#include "catch.h"

#include "core/random.h"
#include "drive/policy_choice.h"

namespace policy_choice_test {

using namespace coslice;
using namespace coslice::drive;

namespace {

/// Draws differ much, and policies in a draw by `spread` at random.
std::vector<PolicyForecasts> noisy(std::size_t policies, std::size_t draws, double spread, RandomStream& random) {
  std::vector<PolicyForecasts> out;
  for (std::size_t p = 0; p != policies; ++p) out.push_back({"p" + std::to_string(p)});
  for (std::size_t d = 0; d != draws; ++d) {
    const double of_draw = random.lognormal(8, 1);
    for (PolicyForecasts& f : out) f.figures.push_back(of_draw + random.normal(0, spread));
  }
  return out;
}

}  // namespace

TEST_CASE("where policies differ by chance, the present one stays", "[drive]") {
  RandomStream random(1, "policy choice");
  constexpr int kTries = 1000;
  for (const std::size_t policies : {2U, 3U, 6U}) {
    int changed = 0;
    for (int i = 0; i != kTries; ++i)
      changed += choose_policy(noisy(policies, 12, 100, random), 0, 0.95)->chosen != 0 ? 1 : 0;
    INFO(policies << " policies");
    CHECK(changed <= kTries / 20);  // a half of what the level lets: only better ones are changed to
  }
}

TEST_CASE("where a policy takes too long to be forecast, others are compared, and it stays if it is the present one",
          "[drive]") {
  RandomStream random(3, "policy choice");
  std::vector<PolicyForecasts> forecasts = noisy(4, 12, 1, random);
  for (double& x : forecasts[3].figures) x -= 10;
  forecasts[1].too_long = true;
  forecasts[1].figures.clear();
  auto choice = choose_policy(forecasts, 0, 0.95);
  CHECK(choice->chosen == 3);
  CHECK(choice->level == Approx(0.975));  // of two comparisons
  CHECK(choice->verdicts[1].verdict == CompareVerdict::kNone);
  CHECK(!choice->verdicts[1].difference);
  choice = choose_policy(forecasts, 1, 0.95);
  CHECK(choice->chosen == 1);
  CHECK(choice->reference == 1);
  forecasts[0].error = "an error";  // the first one that can be compared takes the place of the present one
  choice = choose_policy(forecasts, 0, 0.95);
  CHECK(choice->reference == 2);
  CHECK(choice->chosen == 3);
  forecasts[2].too_long = forecasts[3].too_long = true;
  CHECK(choose_policy(forecasts, 0, 0.95)->chosen == 1);
}

TEST_CASE("a difference that is small beside that of the draws is seen in pairs", "[drive]") {
  RandomStream random(2, "policy choice");
  std::vector<PolicyForecasts> forecasts = noisy(3, 12, 1, random);
  for (double& x : forecasts[1].figures) x -= 10;
  for (double& x : forecasts[2].figures) x -= 20;
  const auto choice = choose_policy(forecasts, 0, 0.95);
  CHECK(choice->chosen == 2);  // the best one of those that are better
  CHECK(choice->verdicts[0].verdict == CompareVerdict::kNone);
  CHECK(choice->verdicts[1].verdict == CompareVerdict::kBetter);
  CHECK(choice->verdicts[2].verdict == CompareVerdict::kBetter);
  CHECK(*choice->verdicts[2].difference == Approx(-20).margin(2));
  CHECK(choice->verdicts[2].interval->high < 0);
  CHECK(choice->level == Approx(0.975));  // two are compared
  const auto back = choose_policy(forecasts, 2, 0.95);
  CHECK(back->chosen == 2);
  CHECK(back->verdicts[0].verdict == CompareVerdict::kWorse);
}

TEST_CASE("a policy that decides the same is no better", "[drive]") {
  const std::vector<double> figures = {100, 200, 300, 400, 500, 600};
  const auto choice = choose_policy({{"a", figures}, {"b", figures}}, 0, 0.95);
  CHECK(choice->chosen == 0);
  CHECK(choice->verdicts[1].verdict == CompareVerdict::kSame);
}

TEST_CASE("a few differences that are all alike say nothing", "[drive]") {
  const auto choice = choose_policy({{"a", {100, 200}}, {"b", {90, 190}}}, 0, 0.95);
  CHECK(choice->chosen == 0);
  CHECK(choice->verdicts[1].verdict == CompareVerdict::kNoise);
}

TEST_CASE("a policy that fails is left out, also the present one", "[drive]") {
  RandomStream random(3, "policy choice");
  std::vector<PolicyForecasts> forecasts = noisy(4, 12, 1, random);
  for (double& x : forecasts[3].figures) x -= 10;
  forecasts[0] = {"p0", {}, "no idea"};
  const auto choice = choose_policy(forecasts, 0, 0.95);
  CHECK(choice->before == 0);
  CHECK(choice->reference == 1);  // the first one that is left takes its place
  CHECK(choice->chosen == 3);
  CHECK(choice->verdicts[0].verdict == CompareVerdict::kFailed);
  CHECK(choice->level == Approx(0.975));  // two are compared with it
  for (PolicyForecasts& f : forecasts) f = {f.policy, {}, "no idea"};
  CHECK_FALSE(choose_policy(forecasts, 0, 0.95).has_value());
}

}  // namespace policy_choice_test
