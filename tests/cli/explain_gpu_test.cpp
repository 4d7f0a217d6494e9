// What coslice explain says of jobs that share a GPU.
#include "catch.h"
#include "run_program.h"

namespace explain_gpu_test {

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

TEST_CASE("what jobs lose to one another on a GPU in time slices is lost while both run", "[explain]") {
  const Program coslice;
  coslice.folder.write("speeds.lua", "return { api = 1, name = \"half\", beside = function() return 2 end }\n");
  coslice.folder.write("slices.toml", R"(
[[machine.nodes]]
name = "g"
gpus = 1
count = 1
cores = 4
[workload]
jobs = [
  { submit = 0, nodes = 1, runtime = 12000, request = { cores = 1, gpus = 1, gpu_share = 0.5 } },
  { submit = 0, nodes = 1, runtime = 12000, request = { cores = 1, gpus = 1, gpu_share = 0.5 } },
  { submit = 0, nodes = 1, runtime = 3000, request = { cores = 1, gpus = 1 } },
]
[slowdown]
model = "script"
script = "speeds.lua"
among = "gpu"
[policy]
name = "scojo_pect"
[engine]
at_limit = "extend"
)");
  // Both long jobs are there together from 1,080 to 27,900 s, and stand still in slices of the medium one: their 12,000
  // s take twice as long, and no more.
  const Said first = coslice("explain slices.toml 1");
  INFO(first.out);
  REQUIRE(first.status == 0);
  CHECK_THAT(first.out, Catch::Contains("had shared a GPU with job 2 for 6 h 40 min: lost 3 h 20 min (2.00"));
  CHECK_THAT(first.out, Catch::Contains("47 min 00 s  stood still"));
  // Job 3 has the GPU for itself in its slices.
  CHECK_THAT(coslice("explain slices.toml 3").out, !Catch::Contains("shared a GPU"));
}

// At 1,800 s job 2 gets one node, job 3 needs both: they are given anew at 3,600 s, and no earlier.
TEST_CASE("while GPUs are not given anew, a job waits for one reason, until they are", "[explain]") {
  const Program coslice;
  coslice.folder.write("period.toml", R"(
[[machine.nodes]]
name = "g"
count = 2
cores = 16
gpus = 4
gpu_type = "a100"
[workload]
jobs = [
  { submit = 0, runtime = 1000, limit = 2000, nodes = 1, request.gpus = 4 },
  { submit = 1, runtime = 1000, limit = 2000, nodes = 1, request.gpus = 4 },
  { submit = 2, runtime = 1000, limit = 2000, nodes = 2, request.gpus = 4 },
  { submit = 3, runtime = 1000, limit = 2000, nodes = 1, request.gpus = 1, request.cores = 2 },
]
[policy]
name = "gpu_las"
)");
  const Said said = coslice("explain period.toml 4");
  INFO(said.out);
  REQUIRE(said.status == 0);
  const std::string text = on_one_line(said.out);
  CHECK_THAT(text,
             Catch::Contains("3 s for 29 min 57 s: enough was free, but GPUs are given anew no sooner than 1800 s "
                             "after the last time, at the end of a round; the policy looks again, and gives GPUs "
                             "anew, at 1,800 s 1,800 s for 30 min 00 s: job 3 before it had to wait when GPUs "
                             "were given, and no job passes another; the policy looks again, and gives GPUs anew, "
                             "at 3,600 s 3,600 s for 16 min 40 s: needed"));
  CHECK_THAT(on_one_line(coslice("explain period.toml --at 2000 --priorities").out),
             Catch::Contains("the round ends, too early to give GPUs anew, at"));
}

}  // namespace explain_gpu_test
