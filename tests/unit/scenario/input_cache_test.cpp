// What many runs have in common is made once.
#include "scenario/input_cache.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "catch.h"

namespace input_cache_test {

using namespace coslice;

namespace {

ScriptedJobs jobs_of(std::size_t count) {
  ScriptedJobs made;
  made.workload.jobs.resize(count);
  return made;
}

}  // namespace

TEST_CASE("jobs of a script are made once for all runs that ask for the same", "[input_cache]") {
  InputCache cache;
  std::atomic<int> calls = 0;
  const auto ask = [&](const std::string& key, std::size_t count) {
    return cache.scripted(key, [&, count] {
      ++calls;
      return jobs_of(count);
    });
  };
  std::vector<std::shared_ptr<const ScriptedJobs>> got(8);
  {
    std::vector<std::jthread> runs;
    for (auto& one : got) runs.emplace_back([&] { one = ask("a", 3); });
  }
  CHECK(calls == 1);
  for (const auto& one : got) CHECK(one == got.front());
  CHECK(ask("b", 5)->workload.jobs.size() == 5);
  CHECK(ask("a", 9)->workload.jobs.size() == 3);
  CHECK(calls == 2);
}

TEST_CASE("a script that fails does so for all runs that ask for its jobs", "[input_cache]") {
  InputCache cache;
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_AS(cache.scripted("a", []() -> ScriptedJobs { throw std::runtime_error("wrong"); }),
                    std::runtime_error);
}

TEST_CASE("jobs of scripts are kept as long as they are few", "[input_cache]") {
  InputCache cache;
  int calls = 0;
  const auto ask = [&](const std::string& key) {
    return cache.scripted(key, [&] {
      ++calls;
      return jobs_of(600'000);
    });
  };
  const auto first = ask("a");
  ask("b");
  CHECK(ask("a") != first);
  CHECK(calls == 3);
  CHECK(first->workload.jobs.size() == 600'000);  // whoever has them keeps them
}

}  // namespace input_cache_test
