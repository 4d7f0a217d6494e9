#include "core/error.h"
#include "core/time.h"

#include <limits>

#include "catch.h"

namespace core_test {

using namespace coslice;

TEST_CASE("seconds become nanoseconds, rounded to the nearest", "[core]") {
  CHECK(from_seconds(0).count() == 0);
  CHECK(from_seconds(1.5).count() == 1'500'000'000);
  CHECK(from_seconds(0.1).count() == 100'000'000);
  CHECK(from_seconds(-0.1).count() == -100'000'000);
  CHECK(from_seconds(0.0000000014).count() == 1);
  CHECK(from_seconds(0.0000000016).count() == 2);
  CHECK(from_seconds(-0.0000000016).count() == -2);
  CHECK(from_seconds(0.9999999999).count() == 1'000'000'000);
  CHECK(from_seconds(kMaxSeconds).count() == 1'000'000'000'000'000'000);
  // 2^-20 s is 953.67 ns and is still held by a double near 1e9: one product would lose it.
  CHECK(from_seconds(1e9 + 1.0 / (1 << 20)).count() == 1'000'000'000'000'000'954);
}

TEST_CASE("halves are rounded away from zero", "[core]") {
  // 2^-10 s = 976562.5 ns, exact in binary.
  CHECK(from_seconds(1.0 / 1024).count() == 976'563);
  CHECK(from_seconds(-1.0 / 1024).count() == -976'563);
}

TEST_CASE("nanoseconds become seconds and back", "[core]") {
  CHECK(to_seconds(Duration{1'500'000'000}) == 1.5);
  CHECK(to_seconds(at_seconds(42.25)) == 42.25);
  for (std::int64_t s = 1; s < 4'000'000'000; s = s * 7 + 3) {
    CHECK(to_seconds(whole_seconds(s)) == static_cast<double>(s));
  }
  for (std::int64_t ns = 1; ns < (std::int64_t{1} << 53); ns = ns * 5 + 7) {
    CHECK(from_seconds(to_seconds(Duration{ns})).count() == ns);
  }
}

TEST_CASE("seconds are written as the exact decimal", "[core]") {
  CHECK(format_seconds(whole_seconds(100)) == "100");
  CHECK(format_seconds(Duration{0}) == "0");
  CHECK(format_seconds(Duration{250'000'000}) == "0.25");
  CHECK(format_seconds(Duration{1}) == "0.000000001");
  CHECK(format_seconds(Duration{-3'000'000'001}) == "-3.000000001");
  CHECK(format_seconds(Duration{-500'000'000}) == "-0.5");
  CHECK(format_seconds(Duration{10'010'000'000}) == "10.01");
  CHECK(format_seconds(Duration::max()) == "9223372036.854775807");
  CHECK(format_seconds(Duration::min()) == "-9223372036.854775808");
  std::string line = "t=";
  append_seconds(line, whole_seconds(7));
  CHECK(line == "t=7");
}

TEST_CASE("a sum of instants stops at the end of time", "[core]") {
  CHECK(later(Time{Duration{5}}, Duration{7}) == Time{Duration{12}});
  CHECK(later(kNever, Duration{0}) == kNever);
  CHECK(later(kNever, Duration{1}) == kNever);
  CHECK(later(kNever - Duration{3}, Duration{3}) == kNever);
  CHECK(later(kNever - Duration{3}, Duration::max()) == kNever);
  CHECK(later(Time{Duration{-5}}, Duration{7}) == Time{Duration{2}});
}

TEST_CASE("durations are written for people", "[core]") {
  CHECK(human_duration(Duration{0}) == "0 s");
  CHECK(human_duration(Duration{5}) == "5 ns");
  CHECK(human_duration(Duration{12'400}) == "12 us");
  CHECK(human_duration(Duration{999'999}) == "1 ms");
  CHECK(human_duration(Duration{250'000'000}) == "250 ms");
  CHECK(human_duration(Duration{999'700'000}) == "1 s");
  CHECK(human_duration(whole_seconds(14)) == "14 s");
  CHECK(human_duration(Duration{14'500'000'000}) == "14.5 s");
  CHECK(human_duration(Duration{59'970'000'000}) == "1 min 00 s");
  CHECK(human_duration(whole_seconds(187)) == "3 min 07 s");
  CHECK(human_duration(whole_seconds(7'500)) == "2 h 05 min");
  CHECK(human_duration(whole_seconds(3'599) + Duration{600'000'000}) == "1 h 00 min");
  CHECK(human_duration(whole_seconds(86'399)) == "1 d 00:00:00");
  CHECK(human_duration(whole_seconds(86'400 + 2 * 3'600 + 3 * 60 + 4)) == "1 d 02:03:04");
  CHECK(human_duration(whole_seconds(-187)) == "-3 min 07 s");
  CHECK(human_duration(Duration::min()) == "-106751 d 23:47:17");
}

TEST_CASE("a diagnostic says where, what, what was expected and what to try", "[core]") {
  CHECK(Diagnostic{"a.swf", 12, "run time is not a number", "seconds", "check field 4", ""}.message() ==
        "a.swf:12: run time is not a number; expected seconds; check field 4");
  CHECK(Diagnostic{"--nodes", 0, "'x' is not a number", "", "", ""}.message() == "--nodes: 'x' is not a number");
  CHECK(Diagnostic{"", 3, "bad", "", "", ""}.message() == "line 3: bad");
  CHECK(Diagnostic{"", 0, "bad", "good", "", ""}.message() == "bad; expected good");
  CHECK(Diagnostic{"p.lua", 1, "boom", "", "", "stack traceback:\n  x"}.message() ==
        "p.lua:1: boom\nstack traceback:\n  x");
}

TEST_CASE("a diagnostic quotes a line of what it complains about", "[core]") {
  const Diagnostic d{std::string(100'000, 'f'), 3, "'" + std::string(100'000, 'x') + "' is not a number", "1", "", ""};
  CHECK(d.message().size() < 1000);
  CHECK(d.message().find("... (100018 bytes); expected 1") != std::string::npos);
}

TEST_CASE("times from outside end where nanoseconds still count", "[core]") {
  CHECK(outside_span(90, 60) == whole_seconds(5400));
  CHECK(outside_span(-1) == Duration{0});
  for (const std::int64_t count : {std::int64_t{1'000'000'001}, std::int64_t{153'722'868} * 60, INT64_MAX})
    CHECK(outside_span(count, 60) == from_seconds(kMaxSeconds));
  CHECK(outside_instant(kMaxUnixSeconds) == kMaxUnixSeconds * 1'000'000'000);
  CHECK_FALSE(outside_instant(kMaxUnixSeconds + 1));
  CHECK_FALSE(outside_instant(-1));
}

TEST_CASE("an input error carries its diagnostic", "[core]") {
  const InputError e(Diagnostic{"f", 2, "p", "", "", ""});
  CHECK(std::string(e.what()) == "f:2: p");
  CHECK(e.diagnostic().line == 2);
}

TEST_CASE("a mistyped name finds the one that was meant", "[core]") {
  const std::vector<std::string> known = {"fcfs", "easy", "conservative", "sjf", "wfp3", "unicef"};
  CHECK(nearest_name("esay", known) == "easy");  // two letters swapped are one step
  CHECK(nearest_name("eas", known) == "easy");
  CHECK(nearest_name("EASY", known) == "easy");
  CHECK(nearest_name("conservatve", known) == "conservative");
  CHECK(nearest_name("consevratvi", known) == "conservative");               // 3 steps of 11 letters
  CHECK(nearest_name("unicorn", known) == "");                               // 3 steps of 7 letters
  CHECK(nearest_name("esya", known) == "");                                  // 2 steps of 4 letters
  CHECK(nearest_name("cons", known) == "conservative");                      // a beginning
  CHECK(nearest_name("prempt", {"preemptions", "queue"}) == "preemptions");  // a beginning but for one letter
  CHECK(nearest_name("prem", {"preemptions", "queue"}) == "");
  CHECK(nearest_name("x", known) == "");
  CHECK(nearest_name("", known) == "");
  CHECK(nearest_name("a", {"b"}) == "");                      // nothing in common
  CHECK(nearest_name("conf", {"confine", "confuse"}) == "");  // two beginnings, no answer
  CHECK(nearest_name("nodex", {"node", "nodes"}) == "node");  // equally near: the first
  CHECK(nearest_name("ca", {"abc"}) == "");                   // optimal string alignment: 3, not 2
  CHECK(did_you_mean("esay", known) == "did you mean 'easy'?");
  CHECK(did_you_mean("zzz", known) == "");
}

}  // namespace core_test
