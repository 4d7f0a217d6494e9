// What a golden comparison shows.
#include "testing/snapshot.h"

#include <algorithm>
#include <random>

#include "catch.h"

namespace line_diff_test {

using namespace coslice;

namespace {

using Lines = std::vector<std::string>;

Lines numbered(int from, int to) {
  Lines out;
  for (int i = from; i <= to; ++i) out.push_back("line " + std::to_string(i));
  return out;
}

/// Length of the longest common subsequence, the slow way.
std::size_t common(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
  return best[a.size()][b.size()];
}

}  // namespace

TEST_CASE("lines that were added are shown, not everything after them", "[testing]") {
  const Lines before = numbered(1, 40);
  Lines now = before;
  now.insert(now.begin() + 2, "new");
  now.insert(now.begin() + 31, "newer");
  CHECK(line_difference(before, now) == "0 lines removed, 2 added:\nline 3:\n+ new\nline 32:\n+ newer");
  CHECK(line_difference(now, before) == "2 lines removed, 0 added:\nline 3:\n- new\nline 31:\n- newer");
}

TEST_CASE("lines that changed stand in pairs; a wider column changes nothing", "[testing]") {
  CHECK(line_difference({"a   b", "-----", "1   2", "x"}, {"a     b", "-------", "1     3", "x"}) ==
        "1 of 4 lines differ:\n- 1   2\n+ 1     3");
  CHECK(line_difference({"a ", "b"}, {"a", "b"}) == "1 of 2 lines differ:\n- a \n+ a");
}

TEST_CASE("at most a dozen lines of each kind are shown", "[testing]") {
  const std::string text = line_difference(numbered(1, 3), numbered(1, 40));
  CHECK(text.find("0 lines removed, 37 added:\nline 4:\n+ line 4\n") == 0);
  CHECK(text.find("+ line 15\n+ ... 25 more lines") != std::string::npos);
}

TEST_CASE("texts with little in common are one block", "[testing]") {
  const std::string text = line_difference(numbered(1, 2000), numbered(3001, 5001));
  CHECK(text.find("2,000 lines removed, 2,001 added:\nline 1:\n- line 1\n") == 0);
}

TEST_CASE("as few lines as there can be", "[testing]") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto drawn = [&] {
      Lines lines(random() % 12);
      for (std::string& l : lines) l = std::string(1, static_cast<char>('a' + random() % 3));
      return lines;
    };
    const Lines before = drawn(), now = drawn();
    if (before == now) continue;
    const std::string text = line_difference(before, now);
    INFO(text);
    const auto count = [&](const std::string& sign) {
      std::size_t n = 0;
      for (std::size_t at = text.find("\n" + sign); at != std::string::npos; at = text.find("\n" + sign, at + 1)) ++n;
      return n;
    };
    const std::size_t same = common(before, now);
    CHECK(count("- ") == before.size() - same);
    CHECK(count("+ ") == now.size() - same);
  }
}

}  // namespace line_diff_test
