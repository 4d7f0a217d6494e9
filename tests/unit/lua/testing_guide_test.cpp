// The guide and the definitions of the test library say what is true.
#include <algorithm>
#include <fstream>
#include <set>

#include "catch.h"
#include "testing_helpers.h"

namespace testing_guide_test {

using namespace coslice;
using namespace coslice::test;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  REQUIRE(!lines.empty());
  return lines;
}

struct Fence {
  std::string kind, text;
  int line;
};

std::vector<Fence> fences_of(const std::string& path) {
  std::vector<Fence> fences;
  bool inside = false;
  int number = 0;
  for (const std::string& line : lines_of(path)) {
    ++number;
    if (line.rfind("```", 0) == 0) {
      if (!inside) fences.push_back({line.substr(3), "", number});
      inside = !inside;
    } else if (inside) {
      fences.back().text += line + "\n";
    }
  }
  return fences;
}

/// The fields of a class in the definitions.
std::set<std::string> fields_of(const std::string& name) {
  std::set<std::string> fields;
  bool inside = false;
  std::vector<std::string> lines = lines_of(COSLICE_SOURCE "/lua/meta/test.lua");
  for (const char* more : {"figures", "jobs"})
    for (const std::string& line : lines_of(std::string(COSLICE_SOURCE "/lua/meta/") + more + ".lua"))
      lines.push_back(line);
  for (const std::string& line : lines) {
    if (line.rfind("---@class ", 0) == 0) inside = (line + ":").rfind("---@class " + name + ":", 0) == 0;
    if (!inside || line.rfind("---@field ", 0) != 0) continue;
    std::string field = line.substr(10, line.find(' ', 10) - 10);
    if (field.back() == '?') field.pop_back();
    fields.insert(field);
  }
  return fields;
}

/// The names that the complaint about an unknown one lists.
std::set<std::string> known_names(const std::string& expression) {
  const std::string message =
      failure_of("local run = simulate { nodes = 1, jobs = { job{nodes=1, runtime=1} } }\n" + expression);
  const std::size_t at = message.find("expected one of ");
  INFO(message);
  REQUIRE(at != std::string::npos);
  const std::string list = message.substr(at + 16, message.find('\n') - at - 16);
  std::set<std::string> names;
  for (std::size_t from = 0; from < list.size();) {
    const std::size_t end = std::min(list.find(", ", from), list.size());
    names.insert(list.substr(from, end - from));
    from = end + 2;
  }
  return names;
}

std::set<std::string> both(std::set<std::string> a, const std::set<std::string>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("Each suite in docs/testing.md passes, or fails as it says", "[testing][docs]") {
  const std::vector<Fence> fences = fences_of(COSLICE_SOURCE "/docs/testing.md");
  int suites = 0;
  for (std::size_t i = 0; i != fences.size(); ++i) {
    if (fences[i].kind != "lua") continue;
    const bool fails = i + 1 != fences.size() && fences[i + 1].kind == "text";
    const ScratchFolder folder;
    folder.write("easy_test.lua", fences[i].text);
    const SuiteRun run = run_in(folder);
    INFO("docs/testing.md:" << fences[i].line << "\n" << run.text);
    CHECK(run.report.exit_status() == (fails ? 1 : 0));
    if (fails) CHECK(run.text.substr(0, run.text.find("\n\n") + 1) == fences[i + 1].text);
    ++suites;
  }
  CHECK(suites >= 6);
}

TEST_CASE("lua/meta/test.lua defines what there is", "[testing][docs]") {
  CHECK(both(known_names("expect(1).zzzzzzzz()"), {"never"}) == fields_of("coslice.Expectation"));
  CHECK(known_names("return run.zzzzzzzz") == fields_of("coslice.Run"));
  CHECK(known_names("return run.jobs[1].zzzzzzzz") == both(fields_of("coslice.RunJob"), fields_of("coslice.WholeJob")));
  CHECK(known_names("return run.summary.all.zzzzzzzz") == fields_of("coslice.RunGroup"));
  CHECK(known_names("return run.summary.trimmed.zzzzzzzz") == fields_of("coslice.TrimmedFigures"));

  const SuiteRun property = run_text("property('x', { zzzzzzzz = 1 }, function() end)\n");
  for (const std::string& option : fields_of("coslice.PropertyOptions")) {
    INFO(option);
    CHECK(property.report.suites[0].load_error.find(option) != std::string::npos);
  }
  CHECK(fields_of("coslice.PropertyOptions").size() == 9);

  const SuiteRun globals = run_text("it('x', function() for name in pairs(_G) do print(name) end end)\n");
  const auto& names = globals.only_case().output;
  int defined = 0;
  for (const std::string& line : lines_of(COSLICE_SOURCE "/lua/meta/test.lua")) {
    const bool function = line.rfind("function ", 0) == 0;
    if (!function && line.find(" = {}") == std::string::npos) continue;
    const std::size_t from = function ? 9 : 0;
    const std::string name = line.substr(from, line.find_first_of("( ", from) - from);
    INFO(name);
    CHECK(std::count(names.begin(), names.end(), name) == 1);
    ++defined;
  }
  CHECK(defined == 11);
}

}  // namespace testing_guide_test
