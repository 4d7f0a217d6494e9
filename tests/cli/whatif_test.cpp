// coslice whatif: what follows from a change of a site's nodes.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace whatif_test {

using namespace coslice_test;
using Json = nlohmann::json;

namespace {

/// Two kinds, one of them with names; switches by names, by a kind and by counts; all else that names nodes.
const char* const kSite = R"(
[[machine.nodes]]
name = "c"
names = "c[1-8]"
[[machine.nodes]]
name = "g"
count = 4
gpus = 2
gpu_type = "a100"
[[machine.partitions]]
name = "batch"
nodes = ["c[1-8]"]
[[machine.partitions]]
name = "part"
nodes = ["c[1,7-8]"]
[[machine.partitions]]
name = "all"
nodes = ["c", "g"]
[[machine.switches]]
name = "s1"
nodes = ["c[1-4]"]
[[machine.switches]]
name = "s2"
nodes = ["c[5-8]"]
[[machine.switches]]
name = "t[1-2]"
count = 2
[[reservations]]
name = "kept"
nodes = ["c[6-8]"]
from = 1000
length = 500
[[reservations]]
name = "some"
nodes = ["g"]
count = 3
from = 5000
length = 100
[[outages.planned]]
nodes = ["c8", "g4"]
from = 300
length = 100
[[outages.planned]]
nodes = ["g4"]
from = 800
length = 100
[power]
idle = 60
boot = 5
shutdown = 5
except = ["c8", "g1"]
[power.watts]
busy = 400
idle = 200
off = 10
[workload]
exclusive = false
jobs = [
  { submit = 0, nodes = 2, runtime = 500, limit = 600, request = { partition = "batch" } },
  { submit = 1, nodes = 2, runtime = 300, limit = 600, request = { partition = "all" } },
]
[policy]
name = "easy"
)";

/// What is said to follow from the change, and that runs ended well.
std::string follows(const Program& coslice, const std::string& change, const std::string& file = "s.toml") {
  const Said said = coslice("whatif " + file + " --runs 1 --format json --set '" + change + "'");
  INFO(change << "\n" << said.err);
  REQUIRE(said.status == 0);
  const Json all = Json::parse(said.out);
  for (const Json& note : all["comparison"][0]["notes"])
    if (note.get<std::string>().rfind(change + ": ", 0) == 0) return note.get<std::string>().substr(change.size() + 2);
  return "";
}

}  // namespace

TEST_CASE("nodes that are gone are gone from all that names them", "[whatif]") {
  const Program coslice;
  coslice.folder.write("s.toml", kSite);
  CHECK(follows(coslice, "nodes.c.count=7") ==
        "partition 'batch' has 7 nodes instead of 8, partition 'part' has 2 nodes instead of 3, "
        "partition 'all' has 11 nodes instead of 12, switch 's2' has 3 nodes instead of 4, reservation 'kept' has 2 "
        "nodes instead of 3.");
  const std::string few = follows(coslice, "nodes.c.count=4");
  CHECK_THAT(few, Catch::Contains("switch 's2' is gone") && Catch::Contains("reservation 'kept' is gone"));
  // Nodes of other kinds do not move to a switch that is given by a count.
  CHECK(follows(coslice, "nodes.g.count=2") ==
        "partition 'all' has 10 nodes instead of 12, switch 't2' is gone, reservation 'some' has 2 nodes instead of 3, "
        "1 table of 'outages.planned' is of no node that is there.");
  CHECK_THAT(follows(coslice, "nodes.c.names=\"c[2-8]\""), Catch::Contains("switch 's1' has 3 nodes instead of 4"));
  const Said refused = coslice("whatif s.toml --runs 1 --set nodes.c.count=6 --set 'nodes.c.names=\"c[2-6]\"'");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("leaves partition 'part' without nodes"));
}

TEST_CASE("new nodes are where all of their kind is", "[whatif]") {
  const Program coslice;
  coslice.folder.write("s.toml", kSite);
  CHECK(follows(coslice, "nodes.c.count=10") ==
        "partition 'batch' has 10 nodes instead of 8, partition 'all' has 14 nodes instead of 12, "
        "c-new[1-2] are at no switch.");
  CHECK_THAT(follows(coslice, "nodes.g.count=5"), Catch::Contains("g5 is at no switch"));
  std::string one = kSite;
  one.replace(one.find("nodes = [\"c[1-4]\"]"), 18, "nodes = [\"c[1-8]\"]");
  const std::size_t second = one.find("[[machine.switches]]\nname = \"s2\"");
  one.erase(second, one.find("[[machine.switches]]", second + 1) - second);
  coslice.folder.write("one.toml", one);
  CHECK_THAT(follows(coslice, "nodes.c.count=10", "one.toml"),
             Catch::Contains("switch 's1' has 10 nodes instead of 8"));
  // GPUs, licences and limits move no node.
  for (const char* change : {"nodes.g.gpus=1", "nodes.g.gpus=0", "nodes.c.cores=4", "partitions.batch.max_time=900"})
    CHECK(follows(coslice, change).empty());
}

TEST_CASE("what a machine of equal nodes names by numbers follows, too", "[whatif]") {
  const Program coslice;
  const std::string jobs = "[workload]\njobs = [{ nodes = 2, runtime = 50, limit = 60 }]\n[policy]\nname = \"easy\"\n";
  const std::string kept = "[[reservations]]\nname = \"r\"\nnodes = [\"2-5\"]\nfrom = 100\nlength = 50\n"
                           "[[reservations]]\nname = \"last\"\nnodes = [\"7\"]\nfrom = 100\nlength = 50\n";
  coslice.folder.write("s.toml", "machine = { nodes = 8 }\n" + kept + jobs);
  CHECK(follows(coslice, "machine.nodes=4") ==
        "reservation 'r' has the nodes that are left, reservation 'last' is gone.");
  coslice.folder.write("t.toml", "machine = { nodes = 8, switches = [{ name = \"s[1-2]\", count = 4 }] }\n" + jobs);
  CHECK(follows(coslice, "machine.nodes=6", "t.toml") == "switch 's2' has 2 nodes instead of 4.");
  CHECK(follows(coslice, "machine.nodes=3", "t.toml") == "switch 's1' has 3 nodes instead of 4, switch 's2' is gone.");
}

}  // namespace whatif_test
