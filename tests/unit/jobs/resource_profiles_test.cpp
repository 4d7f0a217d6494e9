// Where what jobs use is said: CSV files, lists of jobs, or nowhere.
#include "scenario/jobs/resource_profiles.h"

#include "catch.h"
#include "core/error.h"
#include "scratch_folder.h"

namespace resource_profiles_test {

using namespace coslice;

namespace {

ResourceProfiles read(const ScratchFolder& folder, const std::string& text) {
  return read_resource_profiles(folder.write("uses.csv", text));
}

std::string problem(const ScratchFolder& folder, const std::string& text) {
  try {
    read(folder, text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a file says what jobs use, columns in any order", "[lomarc]") {
  const ScratchFolder folder;
  const ResourceProfiles profiles =
      read(folder, "memory,id,disk,cpu,network,kind\n0.3,7,0.1,0.7,0.2,\n0.5,9,.4,.5,.1,disk\r\n\n");
  REQUIRE(profiles.size() == 2);
  CHECK(profiles.at(7).kind == Resource::kCpu);
  CHECK(profiles.at(7).memory == 0.3);
  CHECK(profiles.at(7).fraction[1] == 0.2);
  CHECK(profiles.at(9).kind == Resource::kDisk);
}

TEST_CASE("mistakes in such a file name their line", "[lomarc]") {
  const ScratchFolder folder;
  const std::string head = "id,cpu,network,disk,memory\n";
  CHECK(problem(folder, "").find("empty") != std::string::npos);
  CHECK(problem(folder, "id,cpu\n").find("there is no column 'network'") != std::string::npos);
  CHECK(problem(folder, "id,cpu,gpu\n").find("'gpu' is not a column of this file") != std::string::npos);
  CHECK(problem(folder, head + "1,0.5,0.5,0,0.1\n2,0.5,0.2,0,0.1\n").find(":3") != std::string::npos);
  CHECK(problem(folder, head + "1,0.5,0.5,0\n").find("4 cells") != std::string::npos);
  CHECK(problem(folder, head + "1,0.5,0.5,0,2\n").find("memory is '2'") != std::string::npos);
  CHECK(problem(folder, head + "1,nan,0.5,0,0\n").find("cpu is 'nan'") != std::string::npos);
  CHECK(problem(folder, head + "1,1,0,0,0\n1,1,0,0,0\n").find("has a second line") != std::string::npos);
}

TEST_CASE("a file goes before what the source says, that before what is drawn", "[lomarc]") {
  const ScratchFolder folder;
  const std::string path = folder.write("uses.csv", "id,cpu,network,disk,memory\n2,1,0,0,0.25\n");
  Workload workload;
  for (const std::int64_t id : {1, 2, 3}) {
    Job job;
    job.id = id;
    workload.jobs.push_back(job);
  }
  ResourceProfile own;
  own.fraction = {0, 0, 1};
  own.memory = 0.75;
  std::int64_t unknown = 0;
  const auto profiles = resource_profiles(path, {0.4, 0.3, 0.3}, 1, workload, {{1, own}, {2, own}}, unknown);
  CHECK(profiles[0].memory == 0.75);
  CHECK(profiles[1].memory == 0.25);
  CHECK(profiles[2].fraction == draw_profiles(1, {0.4, 0.3, 0.3}, 3)[2].fraction);
  CHECK(unknown == 2);
}

}  // namespace resource_profiles_test
