// Numbers that do not fit: whatever a double holds, a conversion is defined.
#include "core/portable_math.h"

#include <limits>

#include "catch.h"
#include "core/error.h"
#include "core/time.h"
#include "lab/campaign/campaign.h"
#include "scenario/toml.h"

namespace whole_test {

using namespace coslice;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                       kMost = std::numeric_limits<std::int64_t>::max();

std::string values(const std::string& range) {
  std::string out;
  for (const Value& v : axis_values(*parse_toml_value(range, std::make_shared<Source>()), "axis"))
    out += toml_text(v) + " ";
  return out;
}

std::string complaint(const std::string& range) {
  try {
    return "no complaint, but " + values(range);
  } catch (const InputError& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("beyond the ends of a type comes its end", "[core]") {
  CHECK(truncated<std::int64_t>(-2.9) == -2);
  CHECK(truncated<std::int64_t>(9.3e18) == kMost);
  CHECK(truncated<std::int64_t>(9223372036854775808.0) == kMost);
  CHECK(truncated<std::int64_t>(9223372036854774784.0) == 9223372036854774784);
  CHECK(truncated<std::int64_t>(-9223372036854775808.0) == kLeast);
  CHECK(truncated<std::int64_t>(-1e308) == kLeast);
  CHECK(truncated<std::int64_t>(kInf) == kMost);
  CHECK(truncated<std::int64_t>(-kInf) == kLeast);
  CHECK(truncated<std::int64_t>(kNan) == 0);
  CHECK(truncated<std::int32_t>(2147483647.9) == 2147483647);
  CHECK(truncated<std::int32_t>(2147483648.0) == 2147483647);
  CHECK(truncated<std::int32_t>(-2147483648.9) == -2147483648LL);
  CHECK(truncated<std::size_t>(-1e9) == 0);
  CHECK(truncated<std::size_t>(1e300) == std::numeric_limits<std::size_t>::max());
}

TEST_CASE("only a whole number that fits is exact", "[core]") {
  CHECK(exact_whole<std::int64_t>(-9223372036854775808.0) == kLeast);
  CHECK(exact_whole<std::int64_t>(4) == 4);
  for (const double x : {0.5, 9223372036854775808.0, -9.3e18, 1e308, kInf, -kInf, kNan})
    CHECK_FALSE(exact_whole<std::int64_t>(x));
  CHECK_FALSE(exact_whole<std::size_t>(-1));
  CHECK_FALSE(exact_whole<std::size_t>(18446744073709551616.0));
}

TEST_CASE("seconds that no clock holds stop at its end", "[core]") {
  for (const double s : {9.3e9, 9.3e18, 1e308, kInf}) {
    CHECK(from_seconds(s) == Duration::max());
    CHECK(from_seconds(-s) == Duration::min());
  }
  CHECK(from_seconds(kNan) == Duration::zero());
  CHECK(from_seconds(9223372036.0).count() == 9'223'372'036'000'000'000);
  CHECK(from_seconds(-9223372036.0).count() == -9'223'372'036'000'000'000);
  CHECK(at_seconds(kInf) == kNever);
}

TEST_CASE("ranges of a campaign: whole ones are exact, none leaves its type", "[campaign]") {
  CHECK(values("{ from = 1, to = 7, step = 3 }") == "1 4 7 ");
  CHECK(values("{ from = 1, to = 1000, factor = 10 }") == "1 10 100 1000 ");
  CHECK(values("{ from = 1234567890123456, to = 1234567890123458, step = 1 }") ==
        "1234567890123456 1234567890123457 1234567890123458 ");
  CHECK(values("{ from = 9223372036854775806, to = 9223372036854775807, step = 1 }") ==
        "9223372036854775806 9223372036854775807 ");
  CHECK(values("{ from = 4611686018427387904, to = 9223372036854775807, factor = 2 }") == "4611686018427387904 ");
  CHECK(values("{ from = 0.1, to = 0.3, step = 0.1 }") == "0.1 0.2 0.3 ");
  CHECK(values("{ from = 9.3e18, to = 9.3e18, step = 1 }") == "9.3e+18 ");
  CHECK(values("{ from = 1e-310, to = 1e-310, step = 1 }").find("e-310 ") != std::string::npos);
  CHECK(complaint("{ from = 1, to = inf, step = 1 }").find("axis.to is inf") != std::string::npos);
  CHECK(complaint("{ from = -inf, to = 1, step = 1 }").find("axis.from is -inf") != std::string::npos);
  CHECK(complaint("{ from = nan, to = 1, step = 1 }").find("axis.from is nan") != std::string::npos);
  CHECK(complaint("{ from = 1, to = 1e308, step = 1 }").find("axis.to is 1e+308") != std::string::npos);
  CHECK(complaint("{ from = 1, to = 9.3e18, step = 1 }").find("too many values") != std::string::npos);
  CHECK(complaint("{ from = -9223372036854775807, to = 9223372036854775807, step = 1 }").find("too many values") !=
        std::string::npos);
}

}  // namespace whole_test
