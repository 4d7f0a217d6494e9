// coslice explain and coslice diff, on cases that can be checked by hand.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "program.h"

using namespace coslice_test;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Without line breaks and runs of blanks, so that a change of the layout is none of the words.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

/// What is said of a job; `jobs` are lines of a scenario's list.
std::string told(const std::string& jobs, int nodes, const std::string& policy, int job, const std::string& more = "",
                 const std::string& flags = "") {
  const Program coslice;
  coslice.folder.write("s.toml", "name = \"tiny\"\n[machine]\nnodes = " + std::to_string(nodes) + "\n" +
                                     "[policy]\nname = \"" + policy + "\"\n" + more + "\n[workload]\njobs = [\n" + jobs +
                                     "]\n");
  const Said said = coslice("explain s.toml " + std::to_string(job) + " " + flags);
  INFO(said.err);
  REQUIRE(said.status == 0);
  return flags.empty() ? plain(said.out) : said.out;
}

// Five jobs on four nodes, see scenarios/by_hand.toml.
const char* const kByHand = "{ submit = 0, nodes = 3, runtime = 100 },\n"
                            "{ submit = 5, nodes = 3, runtime = 50 },\n"
                            "{ submit = 10, nodes = 4, runtime = 20 },\n"
                            "{ submit = 15, nodes = 1, runtime = 200 },\n"
                            "{ submit = 20, nodes = 1, runtime = 30 },\n";

#define SAYS(text, part)        \
  do {                          \
    const std::string t = text; \
    INFO(t);                    \
    CHECK(has(t, part));        \
  } while (false)

}  // namespace
