// Job by job equality with the schedules of an independent simulator (pyss), where they are at hand.
#include <zlib.h>

#include <cstdio>
#include <string>
#include <vector>

#include "formats/swf.h"
#include "shared_files.h"
#include "unit/sim_helpers.h"

namespace golden_test {

using namespace coslice;
using namespace coslice::test;

namespace {
/// Pairs of job number and start, from rows "job,submit,start,end".
std::vector<std::pair<long, long>> read_golden(const std::string& path) {
  std::vector<std::pair<long, long>> rows;
  gzFile f = gzopen(path.c_str(), "rb");
  char line[256];
  while (gzgets(f, line, sizeof line) != nullptr) {
    long job, submit, start;
    if (std::sscanf(line, "%ld,%ld,%ld", &job, &submit, &start) == 3) rows.emplace_back(job, start);
  }
  gzclose(f);
  return rows;
}

void compare(const std::string& trace, int nodes, const QueueSchedulerOptions& options, const std::string& golden) {
  if (trace.empty() || golden.empty()) {
    WARN("skipped: the shared traces are not here");
    return;
  }
  EngineOptions engine;
  engine.event_order = EventOrder::kSubmissionsFirst;
  const Ran ran = run(read_swf(trace), nodes, options, engine);
  CHECK(ran.violations.empty());
  const auto rows = read_golden(golden);
  const auto starts = ran.starts();
  REQUIRE(rows.size() == starts.size());
  std::size_t differences = 0;
  for (std::size_t i = 0; i != rows.size(); ++i)
    if (rows[i].first != ran.workload.jobs[i].id || rows[i].second != starts[i]) {
      if (++differences <= 3) UNSCOPED_INFO("job " << rows[i].first << ": " << starts[i] << " not " << rows[i].second);
    }
  CHECK(differences == 0);
}
}  // namespace

TEST_CASE("synthetic 5,000 jobs: the same schedules as pyss", "[golden]") {
  const std::string trace = coslice_test::shared_file("golden/syn5k.swf.gz");
  compare(trace, 128, fcfs(), coslice_test::shared_file("golden/syn5k.fcfs.csv.gz"));
  compare(trace, 128, easy(), coslice_test::shared_file("golden/syn5k.easy.csv.gz"));
  compare(trace, 128, conservative(), coslice_test::shared_file("golden/syn5k.cons.csv.gz"));
}

TEST_CASE("KTH-SP2: the same schedules as pyss", "[golden]") {
  const std::string trace = coslice_test::shared_file("traces/KTH-SP2-1996_via-predictsim.swf.gz");
  compare(trace, 100, easy(), coslice_test::shared_file("golden/KTH-SP2.easy.csv.gz"));
  compare(trace, 100, conservative(), coslice_test::shared_file("golden/KTH-SP2.cons.csv.gz"));
}

}  // namespace golden_test
