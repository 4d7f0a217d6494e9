// coslice test: regression suites in Lua.
#include <memory>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "report/tables/terminal.h"
#include "testing/suite_runner.h"

namespace coslice::cli {
namespace {

struct TestFlags {
  std::vector<std::string> paths;
  std::optional<std::string> filter, jobs, junit, seed, times;
  bool update = false, verbose = false;
};

int test(const TestFlags& flags) {
  TestOptions options;
  options.paths = flags.paths;
  options.filter = flags.filter.value_or("");
  options.jobs = threads_of("--jobs", flags.jobs);
  options.update = flags.update;
  options.junit = flags.junit.value_or("");
  if (flags.seed) options.seed = static_cast<std::uint64_t>(whole_number("--seed", *flags.seed, 0, INT64_MAX));
  if (flags.times) options.times = whole_number("--times", *flags.times, 1, 1'000'000);
  options.colour = wants_colour(stdout);
  options.verbose = flags.verbose;
  const TestReport report = run_suites(options, [](std::string_view text) {
    print(text);
    std::fflush(stdout);
  });
  return report.exit_status();
}

}  // namespace

Command test_command() {
  auto flags = std::make_shared<TestFlags>();
  TestFlags& f = *flags;
  Command c;
  c.summary = "run regression suites written in Lua";
  c.examples = {
      {"coslice test", "all *_test.lua below the current folder"},
      {"coslice test mine_test.lua --filter 'short jobs'", "only cases with this in their names"},
      {"coslice test tests/ --junit report.xml", "for a build server"},
      {"coslice test --update", "accept the results as the new golden ones"},
  };
  c.text =
      "Suites simulate small workloads in process and say what must come of them; docs/testing.md is their guide. The "
      "exit status is 0 if all cases passed, 1 if one failed, 2 if a suite could not be loaded or there is none.";
  c.arguments = {{"PATH",
                  "Suites, and folders with suites (default: the current folder).",
                  &f.paths,
                  0,
                  std::size_t(-1),
                  {Completion::kFiles, {"lua"}}}};
  c.options = {
      value("-f,--filter", "TEXT", f.filter,
            "Runs only cases whose full names hold this text; `*` stands for any text in between."),
      value("-j,--jobs", "N", f.jobs, "Suites that run at once (default: one for each processor)."),
      flag("--update", f.update, "Writes golden files instead of comparing with them."),
      value("--junit", "FILE", f.junit, "Writes the results as JUnit XML, too.", {Completion::kFiles, {"xml"}}),
      value("--seed", "N", f.seed, "Seed of all random workloads, instead of each property's own."),
      value("--times", "N", f.times, "Each property holds on N times as many random workloads (default: 1)."),
      flag("-v,--verbose", f.verbose, "Names each case, and shows what those that passed printed."),
  };
  c.run = [flags] { return test(*flags); };
  return c;
}

}  // namespace coslice::cli
