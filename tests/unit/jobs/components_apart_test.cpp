#include "formats/components_apart.h"

#include "catch.h"
#include "formats/sacct.h"

namespace components_apart_test {

using namespace coslice;

TEST_CASE("components of a log can be jobs by themselves", "[convert]") {
  const std::string head =
      "JobID|JobIDRaw|User|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|ReqTRES|ReqMem|NodeList\n";
  const std::string times = "|2026-05-04T08:00:00|2026-05-04T09:00:00|2026-05-04T10:00:00|01:00:00|COMPLETED|";
  const std::string text = head + "5|5|ann|cpu" + times + "1|2|cpu=2,node=1|1G|n9\n" +  //
                           "7+0|7|eve|cpu" + times + "3|24|cpu=24,node=3,mem=18G|6G|n[1-3]\n" + "7+1|8|eve|acc" +
                           times + "1|4|cpu=4,node=1,mem=8G,gres/gpu=2|8G|g1\n" + "9+0|9|eve|cpu" + times +
                           "3|24|cpu=24,node=3,mem=18G|6G|n[4-6]\n" + "9+1|10|eve|acc" + times +
                           "1|4|cpu=4,node=1,mem=8G,gres/gpu=2|8G|g2\n";
  RecordedWorkload recorded = parse_sacct(text, "jobs", SlurmSize::kCpus);
  REQUIRE(recorded.workload.jobs.size() == 3);
  const std::size_t requests = recorded.requests.size();
  CHECK(take_components_apart(recorded) == 2);
  const std::vector<Job>& jobs = recorded.workload.jobs;
  REQUIRE(jobs.size() == 5);
  CHECK(recorded.site_ids == std::vector<std::string>{"5", "7+0", "7+1", "9+0", "9+1"});
  CHECK(recorded.nodes == std::vector<std::string>{"n9", "n[1-3]", "g1", "n[4-6]", "g2"});
  CHECK(recorded.requests.size() == requests + 2);  // both jobs asked alike
  std::vector<std::int64_t> ids, sizes;
  for (const Job& job : jobs) ids.push_back(job.id), sizes.push_back(job.size);
  CHECK(ids == std::vector<std::int64_t>{5, 7, 10, 9, 11});
  CHECK(sizes == std::vector<std::int64_t>{2, 24, 4, 24, 4});
  CHECK(jobs[2].partition != jobs[1].partition);
  CHECK(jobs[1].requested_memory_kb == (6 << 20) * 3 / 24);
  CHECK(jobs[2].requested_memory_kb == 2 << 20);
  for (std::size_t i = 0; i != jobs.size(); ++i) CHECK(recorded.wait(i) == whole_seconds(3600));
  CHECK(take_components_apart(recorded) == 0);
}

}  // namespace components_apart_test
