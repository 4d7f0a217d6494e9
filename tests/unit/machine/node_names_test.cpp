#include "machine/node_names.h"
#include <random>

#include "catch.h"
#include "core/error.h"

namespace node_names_test {

using namespace coslice;
using Catch::Contains;

namespace {
std::vector<std::string> names(const std::string& text) { return expand_node_names(text, {}); }
}  // namespace

TEST_CASE("names of nodes are expanded as sites write them", "[resources]") {
  CHECK(names("n1") == std::vector<std::string>{"n1"});
  CHECK(names("n[1-3]") == std::vector<std::string>{"n1", "n2", "n3"});
  CHECK(names("n[008-010]") == std::vector<std::string>{"n008", "n009", "n010"});
  CHECK(names("gpu[1,4-5],big1") == std::vector<std::string>{"gpu1", "gpu4", "gpu5", "big1"});
  CHECK(names("r[1-2]n[01-02]") == std::vector<std::string>{"r1n01", "r1n02", "r2n01", "r2n02"});
  CHECK(names("n1, n2") == std::vector<std::string>{"n1", "n2"});
  CHECK(names("n[1-2]-ib") == std::vector<std::string>{"n1-ib", "n2-ib"});
}

TEST_CASE("what names no nodes is refused with the reason", "[resources]") {
  CHECK_THROWS_WITH(names(""), Contains("a name is empty"));
  CHECK_THROWS_WITH(names("n1,,n2"), Contains("a name is empty"));
  CHECK_THROWS_WITH(names("n[1-"), Contains("a number is missing"));
  CHECK_THROWS_WITH(names("n[1-4"), Contains("a '[' is not closed"));
  CHECK_THROWS_WITH(names("n1]"), Contains("a ']' without '['"));
  CHECK_THROWS_WITH(names("n[5-2]"), Contains("runs backwards"));
  CHECK_THROWS_WITH(names("n[1-4],n3"), Contains("'n3' appears twice"));
  CHECK_THROWS_WITH(names("n[1-999999999]"), Contains("too many nodes"));
  CHECK_THROWS_WITH(names("a[1-99999]b[1-99999]"), Contains("too many nodes"));
  CHECK_THROWS_WITH(names("n[1-99999999999]"), Contains("too long"));
  CHECK_THROWS_WITH(names("n1 n2"), Contains("does not belong there"));
}

TEST_CASE("names of nodes are written as short as sites write them", "[resources]") {
  const auto again = [](const std::string& text) { return compress_node_names(names(text)); };
  for (const char* text : {"n1", "n[1-3]", "n[008-010]", "gpu[1,4-5],big1", "r1n[01-02],r2n[01-02]", "login,n[1-2]-ib"})
    CHECK(again(text) == text);
  CHECK(again("n9,n10") == "n9,n10");  // numbers of one length only
  CHECK(compress_node_names({}).empty());
  CHECK(again("n8,n9,n10,n011,login,a1b,a2b,a2c") == "n[8-9],n10,n011,login,a[1-2]b,a2c");
}

TEST_CASE("parts of a list of names are written as names taken one by one", "[node_names]") {
  const std::vector<std::string> all = names("r1n[08-12],x,n[1-5],n7,y3,y[4-6]z,n[8-9],login");
  const NodeNameList list(all);
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    NodeRanges some;
    std::vector<std::string> taken;
    for (std::size_t n = 0; n != all.size(); ++n) {
      if (random() % 4 == 0) continue;
      some.append(static_cast<NodeId>(n), static_cast<NodeId>(n));
      taken.push_back(all[n]);
    }
    const std::string text = list.text(some);
    INFO(text);
    REQUIRE(text == compress_node_names(taken));
    if (!taken.empty()) REQUIRE(names(text) == taken);
  }
}

}  // namespace node_names_test
