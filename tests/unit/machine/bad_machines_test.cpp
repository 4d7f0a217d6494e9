// What is wrong with a heterogeneous machine, or with what jobs ask of it: one error each, with file and line.
#include "catch.h"
#include "message_of.h"
#include "runner/runner.h"
#include "scenario/load.h"
#include "scratch_folder.h"

namespace bad_machines_test {

using namespace coslice;
using Catch::Contains;

namespace {

/// Lines 1 to 10: kind "a" with nodes a1 to a4, kind "g" with 2 nodes of 4 GPUs, partition "p" with number 3.
const std::string kMachine =
    "[[machine.nodes]]\nname = 'a'\ncount = 4\ncores = 4\nmemory = '8 GiB'\nfeatures = ['ib']\n"
    "[[machine.nodes]]\nname = 'g'\ncount = 2\ngpus = 4\n";
const std::string kPartition = "[[machine.partitions]]\nname = 'p'\nnumbers = [3]\n";
const std::string kJobs = "[workload]\njobs = [\n  { runtime = 1, nodes = 1 },\n]\n";

std::string one_job(const std::string& what) { return "[workload]\njobs = [\n  { runtime = 1, " + what + " },\n]\n"; }

/// The complaint of checking and loading the scenario, without running it.
std::string complaint(const std::string& text, const ScratchFolder& folder = {}) {
  const std::string file = folder.write("s.toml", text);
  return message_of([&] { const Runner runner(load_scenario(file)); });
}

struct Mistake {
  std::string text, said;
};

}  // namespace

TEST_CASE("a machine that names things badly is refused at its line", "[resources]") {
  const Mistake mistakes[] = {
      {kPartition + "[[machine.partitions]]\nname = 'q'\nnumbers = [4, 3]\n" + kMachine,
       "s.toml:4: partitions 'p' and 'q' both have the number 3; expected each number once"},
      {"[[machine.partitions]]\nname = 'q'\nnumbers = [4, 4]\n" + kMachine,
       "s.toml:1: partition 'q' has the number 4 twice"},
      {kMachine + "[[machine.nodes]]\nname = 'a2'\ncount = 2\n",
       "s.toml:11: the kind 'a2' is called like a node of kind 'a'; expected a name of its own"},
      {kMachine + "[[machine.partitions]]\nname = 'g'\nnodes = ['g', 'a']\n",
       "s.toml:11: partition 'g' is called like a kind, but has other nodes"},
      {"[[machine.nodes]]\nname = 'a,b'\ncount = 1\n",
       "s.toml:1: the kind is called 'a,b'; expected a name of letters"},
      {"[[machine.nodes]]\nname = 'a[1]'\ncount = 1\n", "s.toml:1: the kind is called 'a[1]'"},
      {"[[machine.nodes]]\nname = 'big node'\ncount = 1\n", "s.toml:1: the kind is called 'big node'"},
      {"[[machine.nodes]]\nname = ''\ncount = 1\n", "s.toml:1: one of the kinds has an empty name"},
      {kMachine + "[[machine.partitions]]\nname = 'day,night'\n", "s.toml:11: the partition is called 'day,night'"},
      {kMachine + "[[machine.partitions]]\nname = 'day night'\n", "s.toml:11: the partition is called 'day night'"},
      {kMachine + "[[machine.partitions]]\nname = '[p]'\n", "s.toml:11: the partition is called '[p]'"},
      {"[[machine.nodes]]\nname = 'x'\ncount = 1\nfeatures = ['or']\n",
       "s.toml:1: the kind 'x' has the feature 'or', for which no job can ask"},
      {"[[machine.nodes]]\nname = 'x'\ncount = 1\nfeatures = ['and']\n", "has the feature 'and'"},
      {"[[machine.nodes]]\nname = 'x'\ncount = 1\nfeatures = ['ib', 'not']\n", "has the feature 'not'"},
      {"[[machine.nodes]]\nname = 'x'\ncount = 1\nfeatures = ['a&b']\n", "has the feature 'a&b'"},
      {"[[machine.nodes]]\nname = 'x'\ncount = 1\nfeatures = ['!old']\n", "has the feature '!old'"},
      {"[[machine.nodes]]\nname = 'x'\ncount = 1\nfeatures = ['fast ib']\n", "has the feature 'fast ib'"},
      {kMachine + "[machine]\norder_column = 's1'\n", "machine.order_column has no effect without machine.order"},
      {kMachine + "[[machine.partitions]]\nname = 'e'\nnodes = []\n", "s.toml:13: machine.partitions[1].nodes is"},
      {kMachine + "[[machine.nodes]]\nname = 'none'\n", "s.toml:11: the kind 'none' has no nodes"},
      {kMachine + "[[machine.nodes]]\nname = 'b'\ncount = -3\n", "s.toml:13: machine.nodes[3].count is -3"},
      {kMachine + "[[machine.nodes]]\nname = 'b'\ncount = 2.5\n", "s.toml:13: machine.nodes[3].count is 2.5"},
      {kMachine + "[[machine.nodes]]\nname = 'b'\ncount = 1\nmemory = '64'\n",
       "s.toml:14: machine.nodes[3].memory is \"64\"; expected a whole number of MiB or a text like \"48 GiB\""},
  };
  for (const Mistake& m : mistakes) {
    INFO(m.text);
    // TOML wants lists of tables behind one another; kinds after partitions are one list all the same.
    CHECK_THAT(complaint(m.text + kJobs), Contains(m.said));
  }
}

TEST_CASE("orders of nodes have a line", "[resources]") {
  CHECK_THAT(complaint("[machine]\norder_column = 's1'\nnodes = 4\n" + kJobs),
             Contains("s.toml:2: machine.order_column has no effect without machine.order; expected machine.order"));
  CHECK_THAT(complaint("[machine]\norder = 'o.csv'\nrandom_order = true\nnodes = 4\n" + kJobs),
             Contains("s.toml:3: machine.order and machine.random_order are both set"));
}

TEST_CASE("a job that asks for what cannot be is refused at its line", "[resources]") {
  const Mistake mistakes[] = {
      {"nodes = 1, request = { gpus = 0, gpu_share = 0.5 }", "s.toml:13: the request asks for no GPU and for a"},
      {"nodes = 1, request = { gpus = 5 }", "s.toml:13: job 1 can never run: asks for 5 GPUs on a node"},
      {"nodes = 9", "s.toml:13: job 1 can never run: asks for 9 nodes, but the machine has 6"},
      {"processes = 2, id = 77, request = { memory = '9 GiB', features = 'ib' }",
       "s.toml:13: job 77 can never run: asks for 2 cores on a node and 9216 MiB of memory on a node, but no node"},
      {"nodes = 1, request = { gpus = -1 }", "s.toml:13: workload.jobs[1].request.gpus is -1"},
      {"nodes = 1, request = { gpus = 1.5 }", "s.toml:13: workload.jobs[1].request.gpus is 1.5"},
      {"nodes = 1, request = { cores = -2 }", "s.toml:13: workload.jobs[1].request.cores is -2"},
      {"nodes = 1, request = { gpu_share = 1.5 }", "s.toml:13: workload.jobs[1].request.gpu_share is 1.5"},
      {"nodes = 1, request = { memory = '4 bananas' }", "s.toml:13: workload.jobs[1].request.memory is \"4 bananas\""},
      {"nodes = 1, memory = 4096",
       "s.toml:13: workload.jobs[1].memory is 4096, without a unit, on a machine with kinds"},
      {"nodes = 1, memory = '1 GiB', request = { memory = '2 GiB' }", "s.toml:13: job 1 says its memory in two ways"},
      {"nodes = 1, memory = '1 GiB', request = { memory_per_core = 5 }",
       "s.toml:13: job 1 says its memory in two ways"},
      {"nodes = 1, request = { features = 'ib & ' }", "s.toml:13: 'ib & ' is not an expression of features"},
  };
  for (const Mistake& m : mistakes) {
    INFO(m.text);
    CHECK_THAT(complaint(kMachine + one_job(m.text)), Contains(m.said));
  }
  CHECK(complaint(kMachine + one_job("nodes = 1, memory = '1 GiB', request = { cores = 2 }")) == "no error");
}

TEST_CASE("names that say the same stay allowed", "[resources]") {
  CHECK(complaint(kMachine + "[[machine.partitions]]\nname = 'g'\nnodes = 'g'\n" + kJobs) == "no error");
  CHECK(complaint(kMachine + "[[machine.nodes]]\nname = 'login'\nnames = 'login'\n" + kJobs) == "no error");
}

TEST_CASE("memory of equal nodes needs a unit where requests are in MiB", "[resources]") {
  const auto machine = [](const std::string& memory) {
    return "[machine]\nnodes = 2\nmemory = " + memory + "\n" + kPartition;
  };
  CHECK_THAT(
      complaint(machine("65536") + kJobs),
      Contains("s.toml:3: machine.memory is 65536, without a unit, on a machine with kinds of nodes, partitions, "
               "licences or switches; expected a text with a unit like \"4 GiB\""));
  CHECK(complaint(machine("'64 MiB'") + kJobs) == "no error");
  CHECK(complaint("[machine]\nnodes = 2\nmemory = 65536\n" + kJobs) == "no error");
}

TEST_CASE("lists and traces name the line", "[resources]") {
  const ScratchFolder folder;
  folder.write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nx,4000,100,0,\ny,4000,100,0,\nx,4000,100,0,\n");
  CHECK_THAT(complaint("[machine]\nlist = 'nodes.csv'\n" + kJobs, folder),
             Contains("nodes.csv:4: the node 'x' is in line 2, too; expected a name of its own"));
  folder.write("t.swf", "; MaxProcs: 8\n1 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n"
                        "2 0 0 9 99 -1 -1 99 9 -1 1 1 1 1 1 1 -1 -1\n");
  const Runner runner(load_scenario(folder.write("t.toml", kMachine + "[workload]\ntrace = 't.swf'\n")));
  std::string all;
  for (const std::string& w : runner.warnings()) all += w + "\n";
  CHECK_THAT(all, Contains("1 job can never run on this machine and is left out; the first is job 2 (line 3): asks"));
}

}  // namespace bad_machines_test
