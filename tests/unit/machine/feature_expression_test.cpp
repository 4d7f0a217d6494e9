#include "machine/eligibility.h"

#include "catch.h"
#include "core/error.h"

namespace feature_expression_test {

using namespace coslice;
using Catch::Contains;

namespace {

const std::vector<std::string> kKnown = {"a", "b", "c"};

std::string normal(const std::string& text) { return features_text(parse_features(text, kKnown, {}), kKnown); }

/// Whether a node with these features (bit 0: a, ...) satisfies the expression.
bool holds(const std::string& text, unsigned features) {
  const auto has = [&](std::int32_t f) { return (features >> f & 1U) != 0; };
  for (const FeatureTerm& t : parse_features(text, kKnown, {})) {
    bool ok = true;
    for (const std::int32_t f : t.with) ok = ok && has(f);
    for (const std::int32_t f : t.without) ok = ok && !has(f);
    if (ok) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("expressions of features become alternatives", "[resources]") {
  CHECK(normal("a") == "a");
  CHECK(normal("a&b") == "a&b");
  CHECK(normal("a and not b or c") == "a&!b|c");
  CHECK(normal("(a|b)&c") == "a&c|b&c");
  CHECK(normal("!(a|b)") == "!a&!b");
  CHECK(normal("a|a") == "a");
}

TEST_CASE("an expression holds where its truth table says", "[resources]") {
  for (unsigned f = 0; f < 8; ++f) {
    const bool a = (f & 1U) != 0, b = (f & 2U) != 0, c = (f & 4U) != 0;
    CHECK(holds("!(a & (b | !c))", f) == !(a && (b || !c)));
    CHECK(holds("a | b & c", f) == (a || (b && c)));
    CHECK(holds("!!a & !(b & c)", f) == (a && !(b && c)));
  }
}

TEST_CASE("what is not an expression of features is refused with the reason", "[resources]") {
  CHECK_THROWS_WITH(normal(""), Contains("it ends too early"));
  CHECK_THROWS_WITH(normal("a&"), Contains("it ends too early"));
  CHECK_THROWS_WITH(normal("a b"), Contains("'b' does not belong there"));
  CHECK_THROWS_WITH(normal("(a"), Contains("is not closed"));
  CHECK_THROWS_WITH(normal("&a"), Contains("a name is missing before '&'"));
  CHECK_THROWS_WITH(normal("d"), Contains("no kind of node has the feature 'd'"));
  CHECK_THROWS_WITH(normal("a & !a"), Contains("is never true"));
  CHECK_THROWS_WITH(normal(std::string(200, '(')), Contains("nested too deeply"));
}

}  // namespace feature_expression_test
