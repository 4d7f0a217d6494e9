// coslice test as users meet it, and the commands of its guide.
#include "catch.h"
#include "run_program.h"

#include <fstream>
#include <vector>

namespace suites_test {

using namespace coslice_test;

namespace {

const char* const kSuite = R"(describe("easy", function()
  it("lets a small job pass", function()
    local run = simulate { policy = "easy", nodes = 10, jobs = {
      job{submit=0, nodes=6, runtime=10}, job{submit=0, nodes=8, runtime=10}, job{submit=0, nodes=4, runtime=10} } }
    expect(run).starts { 0, 10, 0 }
    expect(run).matches_golden("small")
  end)
end)
)";

/// The lines of the guide's ```sh blocks.
std::vector<std::string> commands_of_guide() {
  std::ifstream in(COSLICE_SOURCE "/docs/testing.md");
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) == 0) inside = line == "```sh";
    else if (inside) commands.push_back(line);
  }
  return commands;
}

}  // namespace

TEST_CASE("The commands of docs/testing.md work", "[cli][docs]") {
  Program coslice;
  coslice.folder.write("easy_test.lua", kSuite);
  CHECK(coslice("test --update").status == 0);
  const auto commands = commands_of_guide();
  CHECK(commands.size() >= 7);
  for (const std::string& command : commands) {
    INFO(command);
    REQUIRE(command.rfind("coslice ", 0) == 0);
    const Said said = coslice(command.substr(8));
    INFO(said.out << said.err);
    CHECK(said.status == 0);
    CHECK(said.out.find("1 passed, 0 failed, 0 skipped in ") != std::string::npos);
    CHECK(said.err.empty());
  }
}

TEST_CASE("coslice test: exit statuses", "[cli]") {
  Program coslice;
  coslice.folder.write("good_test.lua", "it('passes', function() end)\n");
  coslice.folder.write("bad_test.lua", "it('fails', function() expect(1).equals(2) end)\n");
  CHECK(coslice("test good_test.lua").status == 0);
  CHECK(coslice("test").status == 1);
  CHECK(coslice("test --filter passes").status == 0);
  const Said none = coslice("test --filter nothing");
  CHECK(none.status == 2);
  CHECK(none.err == error("no case matches 'nothing'; expected a part of its full name"));
  coslice.folder.write("broken_test.lua", "it(");
  CHECK(coslice("test").status == 2);
  CHECK(coslice("test nowhere_test.lua").err ==
        error("nowhere_test.lua: there is no such file or folder; expected a suite, or a folder with suites"));
}

TEST_CASE("coslice test: JUnit XML is well-formed", "[cli]") {
  Program coslice;
  coslice.folder.write(
      "bad_test.lua",
      "it('a <b> & \"c\" \\1\\255', function() print('<') error('&') end)\nit.skip('s', function() end)\n");
  CHECK(coslice("test --junit out.xml").status == 1);
  CHECK(coslice.folder.read("out.xml").find("<testsuite name=\"bad_test.lua\" tests=\"2\" failures=\"1\"") !=
        std::string::npos);
  if (coslice.shell("command -v xmllint").status == 0) {
    const Said lint = coslice.shell("xmllint --noout out.xml");
    INFO(lint.err);
    CHECK(lint.status == 0);
  } else {
    WARN("xmllint is not here: the XML was not parsed");
  }
}

}  // namespace suites_test
