#include "catch.h"
#include "core/text.h"

namespace printable_test {

using coslice::printable;
using coslice::shortened;

TEST_CASE("what a terminal would obey is escaped", "[printable]") {
  CHECK(printable("plain: naïve €𝄞\n\tnext") == "plain: naïve €𝄞\n\tnext");
  CHECK(printable("\x1b[31mred\x07\r") == "\\x1b[31mred\\x07\\x0d");
  CHECK(printable(std::string("\0\x7f", 2)) == "\\x00\\x7f");
  CHECK(printable("\xc2\x9b"
                  "31m \xc2\xa0") == "\\xc2\\x9b31m \xc2\xa0");  // U+009B begins a sequence, U+00A0 is a blank
}

TEST_CASE("what is not UTF-8 is escaped byte by byte", "[printable]") {
  CHECK(printable("\xff|\x80|\xc3|\xe2\x82|\xc0\x80") == "\\xff|\\x80|\\xc3|\\xe2\\x82|\\xc0\\x80");
  CHECK(printable("\xf0\x9d\x84") == "\\xf0\\x9d\\x84");
}

TEST_CASE("long texts are cut between characters", "[printable]") {
  CHECK(shortened("12345", 5) == "12345");
  CHECK(shortened("123456", 5) == "12345... (6 bytes)");
  CHECK(shortened("12€45", 4) == "12... (7 bytes)");
  CHECK(shortened("\x80\x80\x80", 2) == "... (3 bytes)");
}

}  // namespace printable_test
