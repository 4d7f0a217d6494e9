// coslice import: what Slurm starts with becomes a folder that runs.
#include <filesystem>

#include "catch.h"
#include "run_program.h"

namespace import_conf_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

const char* const kDump =
    "JobID|User|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES\n"
    "11|eve|main|2026-05-04T06:00:00|2026-05-04T06:00:00|2026-05-04T06:20:00|00:20:00|COMPLETED|2|"
    "16|00:30:00|cpu=16,node=2\n"
    "12|kim|main|2026-05-04T09:00:00|2026-05-04T09:00:00|2026-05-04T09:20:00|00:20:00|COMPLETED|2|"
    "16|00:30:00|cpu=16,node=2\n";

/// Imports, and runs what came of it. Returns what both said.
std::string import_and_run(const Program& coslice, const std::string& options = "") {
  coslice.shell("rm -rf site out");
  const Said made = coslice("import slurm --conf slurm.conf --jobs jobs.sacct -o site " + options);
  INFO(made.err);
  CHECK(made.status == 0);
  const Said run = coslice("run site --quiet --out out");
  INFO(run.err);
  CHECK(run.status == 0);
  return made.err + run.err;
}

std::string cell(const Program& coslice, const std::string& column, int row) {
  const Said said = coslice.shell("awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == \"" + column +
                                  "\") c = i } NR == " + std::to_string(row + 1) + " { print $c }' out/jobs.csv");
  return said.out.substr(0, said.out.find('\n'));
}

}  // namespace

TEST_CASE("import: of nodes of a cloud one thing is said, and it is so", "[import_conf]") {
  const Program coslice;
  coslice.folder.write("jobs.sacct", kDump);
  std::filesystem::create_directories(std::filesystem::path(coslice.folder / "burst/inner"));
  coslice.folder.write("burst/queue.conf", "Include inner/nodes.conf\n");
  coslice.folder.write(
      "burst/inner/nodes.conf",
      "NodeName=base-1 CPUs=8 State=CLOUD Weight=1\nNodeName=burst-[1-3] CPUs=8 State=CLOUD Weight=50\n"
      "NodeSet=main_nodes Nodes=base-1,burst-[1-3]\nPartitionName=main Nodes=main_nodes Default=YES\n");
  coslice.folder.write("slurm.conf",
                       "ClusterName=sky\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSuspendTime=900\n"
                       "ResumeTimeout=240\nSuspendTimeout=60\nInclude /opt/slurm/etc/burst/queue.conf\n"
                       "SuspendExcNodes=base-1,base-9\nSuspendExcParts=none\n");
  // A file of the included one's folder is not where Slurm looks for it, but it is the only one of that name.
  const std::string said = import_and_run(coslice);
  CHECK_THAT(said, Contains("warning: slurm.conf:8: SuspendExcNodes=base-1,base-9: there is no node 'base-9'") ||
                       Contains("warning: slurm.conf:8: SuspendExcNodes=base-9: there is no node 'base-9'"));
  CHECK_THAT(said, Contains("slurm.conf:9: SuspendExcParts=none: there is no partition 'none'"));
  CHECK_THAT(coslice.folder.read("site/scenario.toml"),
             Contains("except = [\"base-1\"]\noff_at_first = [\"base-1,burst-[1-3]\"]\n"));
  const std::string page = coslice.folder.read("site/import.md");
  CHECK_THAT(page,
             Contains("nodes of State=CLOUD (4) are powered down when the run begins") && !Contains("always there"));
  CHECK(cell(coslice, "boot", 1) == "240");  // base-1 is on, burst-1 comes up
  CHECK(cell(coslice, "boot", 2) == "240");  // which are off by then
  coslice.shell("sed -i /SuspendTime=/d slurm.conf");
  import_and_run(coslice);
  CHECK_THAT(coslice.folder.read("site/import.md"),
             Contains("here they are always there") && !Contains("ResumeTimeout ("));
}

TEST_CASE("import: what Slurm warns of is warned of with its line, and the site runs", "[import_conf]") {
  const Program coslice;
  coslice.folder.write("jobs.sacct", kDump);
  coslice.folder.write("slurm.conf",
                       "ClusterName=sky\nTopologyPlugin=topology/tree\nSchedulerParameters=bf_interval=20\n"
                       "SchedulerParameters=bf_interval=45\nDefMemPerCPU=10\nDefMemPerNode=20\n"
                       "NodeName=k[1-4] CPUs=8 Sockets=3 CoresPerSocket=3\nNodeName=old State=DOWN CPUs=8\n"
                       "NodeSet=fat Feature=fat\nPartitionName=main Nodes=k[1-4],old Default=YES\n"
                       "PartitionName=fat Nodes=fat\n");
  coslice.folder.write("topology.conf",
                       "SwitchName=u Nodes=k[1-3],old\nSwitchName=v Nodes=k[3-4],x1\nSwitchName=top Switches=u,v\n");
  const std::string said = import_and_run(coslice, "--topology topology.conf");
  for (const char* part :
       {"slurm.conf:4: SchedulerParameters=bf_interval=45: is set in slurm.conf:3, too",
        "slurm.conf:5: DefMemPerCPU=10:", "slurm.conf:7: CPUs=8: matches neither 3 sockets nor their 9 cores",
        "slurm.conf:9: Feature=fat: no node has", "slurm.conf:11: PartitionName=fat: has no nodes that take jobs",
        "topology.conf:2: Nodes=k[3-4],x1: the machine has no nodes x1",
        "topology.conf:2: Nodes=k[3-4],x1: k3 is at 'u' above, too"}) {
    INFO(said);
    CHECK(said.find(part) != std::string::npos);
  }
  CHECK_THAT(coslice.folder.read("site/scenario.toml"), Contains("bf_interval = 45") && Contains("nodes = [\"k4\"]"));
  CHECK_THAT(coslice.folder.read("site/import.md"), Contains("## Warnings\n"));
}

TEST_CASE("import: topology.yaml and blocks become switches", "[import_conf]") {
  const Program coslice;
  coslice.folder.write("jobs.sacct", kDump);
  coslice.folder.write("slurm.conf",
                       "TopologyPlugin=topology/block\nNodeName=k[1-4] CPUs=8\nPartitionName=main Nodes=ALL\n");
  coslice.folder.write("blocks.conf", "BlockName=b1 Nodes=k[1-2]\nBlockName=b2 Nodes=k[3-4]\nBlockSizes=2\n");
  coslice.folder.write("topology.yaml",
                       "- topology: t\n  tree:\n    switches:\n      - switch: r\n        children: a,b\n"
                       "      - switch: a\n        nodes: k[1-3]\n      - switch: b\n        nodes: k4\n");
  import_and_run(coslice, "--topology blocks.conf");
  CHECK_THAT(coslice.folder.read("site/scenario.toml"), Contains("name = \"b1\"\nnodes = [\"k[1-2]\"]"));
  import_and_run(coslice, "--topology topology.yaml");
  CHECK_THAT(coslice.folder.read("site/scenario.toml"), Contains("name = \"a\"\nnodes = [\"k[1-3]\"]"));
}

TEST_CASE("import: words that Slurm passes over do not keep the site from running", "[import_conf]") {
  const Program coslice;
  coslice.folder.write("jobs.sacct",
                       "JobID|User|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit\n"
                       "1|eve|2026-05-04T06:00:00|2026-05-04T06:00:00|2026-05-04T06:20:00|00:20:00|COMPLETED|1|8|"
                       "00:30:00\n");
  for (const char* line :
       {"PriorityFlags=NOVEL", "PriorityFlags=MAX_TRES,NOVEL,NO_FAIR_TREE",
        "PriorityFlags=", "PriorityWeightTRES=cpu=10,gres/gpu:a100=3,bb/x=2", "PriorityWeightTRES=Mem=.5,CPU=1.25k",
        "PreemptMode=on", "AccountingStorageEnforce=limits,,qos", "PriorityUsageResetPeriod=weekly"}) {
    INFO(line);
    coslice.folder.write("slurm.conf", std::string(line) + "\nAccountingStorageType=accounting_storage/slurmdbd\n" +
                                           "NodeName=k1 CPUs=8\nPartitionName=main Nodes=ALL Default=YES\n");
    import_and_run(coslice);
  }
}

TEST_CASE("import: ranges of nodes, segments and several partitions act", "[import_conf]") {
  const Program coslice;
  // Six nodes in blocks of two. The first job leaves four; the range takes the fewest, as Slurm does under blocks.
  // The third waits for 7:00.
  const auto row = [](const std::string& id, const std::string& partition, const std::string& submit, int nodes,
                      const std::string& command) {
    const std::string n = std::to_string(nodes), all = std::to_string(8 * nodes);
    return id + "|eve|" + partition + "|2026-05-04T06:00:" + submit +
           "|2026-05-04T06:01:00|2026-05-04T07:01:00|01:00:00|" + "COMPLETED|" + n + "|" + all +
           "|01:00:00|cpu=" + all + ",node=" + n + "|" + command + "\n";
  };
  coslice.folder.write(
      "jobs.sacct",
      "JobID|User|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES|SubmitLine\n" +
          row("1", "main", "00", 2, "sbatch -N 2 a") + row("2", "main", "05", 3, "sbatch -N 2-5 a") +
          row("3", "main", "10", 4, "sbatch -N 4 --segment=2 a") +
          row("4", "side,main", "15", 2, "sbatch -p side,main -N 2 a"));
  coslice.folder.write("slurm.conf",
                       "TopologyPlugin=topology/block\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
                       "NodeName=k[1-6] CPUs=8\nPartitionName=main Nodes=ALL Default=YES\n"
                       "PartitionName=side Nodes=k[1-2]\n");
  coslice.folder.write(
      "topology.conf",
      "BlockName=b1 Nodes=k[1-2]\nBlockName=b2 Nodes=k[3-4]\nBlockName=b3 Nodes=k[5-6]\nBlockSizes=2\n");
  import_and_run(coslice, "--topology topology.conf");
  CHECK_THAT(coslice.folder.read("site/policy.lua"), Contains("block_sizes = { 2 },"));
  CHECK_THAT(coslice.folder.read("site/scenario.toml"),
             Contains("spread_tasks = true") && Contains("molding = \"asked\""));
  CHECK_THAT(coslice.folder.read("site/import.md"),
             Contains("1 job with a range of nodes (-N 2-4)") && Contains("1 job of several partitions (side,main)"));
  CHECK(cell(coslice, "node_names", 1) == "k[5-6]");
  CHECK(cell(coslice, "node_names", 2) == "k[3-4]");
  CHECK(cell(coslice, "node_names", 3) == "k[3-6]");  // two blocks, when the first two jobs have ended
  CHECK(cell(coslice, "ran_in", 4) == "side");
}

TEST_CASE("import: a range of nodes takes what there is, and tasks more nodes where the fewest do not hold them",
          "[import_conf]") {
  const Program coslice;
  const auto row = [](const std::string& id, const std::string& submit, int nodes, int cpus,
                      const std::string& command) {
    const std::string n = std::to_string(nodes), all = std::to_string(cpus);
    return id + "|eve|2026-05-04T06:00:" + submit + "|2026-05-04T06:01:00|2026-05-04T07:01:00|01:00:00|COMPLETED|" + n +
           "|" + all + "|01:00:00|cpu=" + all + ",node=" + n + "|" + command + "\n";
  };
  // The first job has six cores of each node but the last two; the second one needs the two that are left on four.
  coslice.folder.write("jobs.sacct",
                       "JobID|User|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES|SubmitLine\n" +
                           row("1", "00", 4, 24, "sbatch -N 4 --ntasks-per-node=6 a") +
                           row("2", "05", 2, 16, "sbatch -N 2-5 --ntasks-per-node=8 a") +
                           row("3", "10", 3, 8, "sbatch -n 8 -N 2-5 a"));
  coslice.folder.write("slurm.conf", "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
                                     "NodeName=k[1-6] CPUs=8\nPartitionName=main Nodes=ALL Default=YES\n");
  import_and_run(coslice, "");
  CHECK(cell(coslice, "node_names", 2) == "k[5-6]");
  CHECK(cell(coslice, "node_names", 3) == "k[1-4]");
  CHECK(std::stod(cell(coslice, "starting_time", 3)) < 12);
}

TEST_CASE("import: a job of a range of nodes needed the fewest while it waited", "[import_conf]") {
  const Program coslice;
  const auto row = [](const std::string& id, const std::string& submit, int nodes, const std::string& command) {
    const std::string n = std::to_string(nodes), all = std::to_string(8 * nodes);
    return id + "|eve|2026-05-04T06:00:" + submit + "|2026-05-04T06:01:00|2026-05-04T07:01:00|01:00:00|COMPLETED|" + n +
           "|" + all + "|01:00:00|cpu=" + all + ",node=" + n + "|" + command + "\n";
  };
  coslice.folder.write("jobs.sacct",
                       "JobID|User|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES|SubmitLine\n" +
                           row("1", "00", 3, "sbatch -N 3 --ntasks-per-node=8 a") +
                           row("2", "05", 4, "sbatch -N 2-4 --ntasks-per-node=8 a"));
  coslice.folder.write("slurm.conf", "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
                                     "NodeName=k[1-4] CPUs=8\nPartitionName=main Nodes=ALL Default=YES\n");
  import_and_run(coslice, "");
  CHECK(cell(coslice, "node_names", 2) == "k[1-4]");
  const std::string story = coslice("explain site 2").out;
  CHECK_THAT(story, Contains("job 2 of") && Contains("4 nodes with 8 cores"));
  CHECK_THAT(story, Contains("needed 2 nodes with 8 cores on each") && !Contains("needed 4 nodes"));
  CHECK_THAT(story, Contains("8 cores on each of 2 nodes") || Contains("8 cores on each of 2\n"));
}

TEST_CASE("import: of lists of partitions and qualities of service each that is not known is said", "[import_conf]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", "NodeName=k[1-4] CPUs=8\nPartitionName=main Nodes=ALL Default=YES\n"
                                     "PartitionName=side Nodes=k1\n");
  coslice.folder.write("assoc.cfg", "Cluster - 'c':Fairshare=1\nQOS - 'high':Priority=9\nParent - 'root'\n"
                                    "User - 'eve':Fairshare=1\n");
  coslice.folder.write("jobs.sacct",
                       "JobID|User|Partition|QOS|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|SubmitLine\n"
                       "11|eve|main|high,odd|2026-05-04T06:00:00|2026-05-04T06:00:00|2026-05-04T06:20:00|00:20:00|"
                       "COMPLETED|1|8|00:30:00|sbatch -p main,zzz a\n"
                       "12|eve|yyy,xxx|high|2026-05-04T06:00:00|2026-05-04T06:00:00|2026-05-04T06:20:00|00:20:00|"
                       "COMPLETED|1|8|00:30:00|sbatch a\n");
  import_and_run(coslice, "--assoc assoc.cfg");
  const std::string page = coslice.folder.read("site/import.md");
  for (const char* part :
       {"slurm.conf has no partition 'zzz' of 1 job (main,zzz) | they have the others of their list",
        "slurm.conf has no partition 'yyy' of 1 job (yyy,xxx) | they go to the default partition",
        "slurm.conf has no partition 'xxx' of 1 job (yyy,xxx)", "missing from the associations: quality of service odd",
        "jobs of several qualities of service (high,odd) | they have the first that is known, 'high'"}) {
    INFO(page);
    CHECK(page.find(part) != std::string::npos);
  }
}

TEST_CASE("import: a scenario that no command could run is not left behind", "[import_conf]") {
  const Program coslice;
  coslice.folder.write("jobs.sacct", kDump);
  coslice.folder.write("slurm.conf", "NodeName=k1 CPUs=8\nPartitionName=main Nodes=ALL\n");
  const Said said = coslice("import slurm --conf slurm.conf --jobs jobs.sacct -o site");
  INFO(said.err);
  CHECK(said.status == 2);  // both jobs need two nodes
  CHECK_THAT(said.err, Contains("site/jobs.sacct"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "site"));
}

}  // namespace import_conf_test
