// What coslice explain says of jobs that share a GPU.
#include "catch.h"
#include "program.h"

using namespace coslice_test;

TEST_CASE("explain says why two jobs share a GPU, and what each of them lost", "[explain]") {
  const Program coslice;
  const std::string types = std::string("explain " COSLICE_SOURCE "/scenarios/gpu_types.toml");
  // Job 4 has 0.2 of its speed on an old GPU, and 0.16 beside job 2, which keeps 0.9 of its own: for 72 minutes.
  const Said packed = coslice(types + " 4 --policy gpu_fifo_packed");
  INFO(packed.out);
  REQUIRE(packed.status == 0);
  CHECK_THAT(packed.out, Catch::Contains("had shared a GPU with job 2 for 1 h 12 min: lost 14 min 24 s (1.25"));
  CHECK_THAT(packed.out, Catch::Contains("job 2 lost 7 min 12 s (1.11 times as slow)"));
  // Its partner tells the same the other way round.
  CHECK_THAT(coslice(types + " 2 --policy gpu_fifo_packed").out,
             Catch::Contains("had shared a GPU with job 4 for 1 h 12 min: lost 7 min 12 s (1.11"));
  // No job shares under gpu_fifo.
  CHECK_THAT(coslice(types + " 4 --policy gpu_fifo").out, !Catch::Contains("shared a GPU"));
  // Why: what each is to keep, what that gains, what else there was.
  const Said gain = coslice("explain " COSLICE_SOURCE "/scenarios/gpu_groups.toml 21 --json");
  INFO(gain.out);
  CHECK_THAT(gain.out, Catch::Contains("of its speed beside job") && Catch::Contains("a gain of 0."));
  CHECK_THAT(gain.out, Catch::Contains("\"what\": \"shared\"") && Catch::Contains("\"other_lost\": "));
}
