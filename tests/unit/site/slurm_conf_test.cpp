// What Slurm starts with, put right or not: files of settings, nodes, partitions and switches.
#include <filesystem>
#include <fstream>
#include <map>

#include "catch.h"
#include "machine/node_names.h"
#include "message_of.h"
#include "scratch_folder.h"
#include "slurm/host_names.h"
#include "slurm/resource_lists.h"
#include "slurm/site.h"
#include "slurm/written_conf.h"
#include "slurm/yaml.h"

namespace slurm_conf_test {

using namespace coslice;
using namespace coslice::slurm;
using Catch::Contains;

namespace {

/// The site of these lines.
struct Read {
  /// `file` is that of the topology, "": none.
  explicit Read(const std::string& text, const std::string& gres = "", const std::string& file = "",
                const std::string& switches = "") {
    const std::vector<ConfLine> conf = latest_settings(read_conf(folder.write("slurm.conf", text)), page);
    settings = read_settings(conf, page);
    topology =
        topology_of_site(file.empty() ? "" : folder.write(file, switches), settings.find("TopologyPlugin"), page);
    machine = read_machine(conf, gres.empty() ? std::vector<ConfLine>{} : read_conf(folder.write("gres.conf", gres)),
                           page, topology.units_if_given());
  }
  std::string said() const { return page.markdown("x"); }
  std::string warnings() const {
    std::string all;
    for (const std::string& w : page.warnings()) all += w + "\n";
    return all;
  }
  const NodeKindSpec& kind(std::size_t i = 0) const { return machine.groups.at(i).spec; }

  ScratchFolder folder;
  ImportPage page;
  SiteSettings settings;
  TopologyFile topology;
  SiteMachine machine;
};

const std::string kPart = "PartitionName=p Nodes=ALL\n";

/// Cores of the nodes of such a line.
std::int32_t cores_of(const std::string& keys) {
  const Read read("NodeName=w " + keys + "\n" + kPart);
  return read.kind().processors * read.kind().cores;
}

std::string warned(const std::string& text, const std::string& gres = "") { return Read(text, gres).warnings(); }

struct Switches {
  explicit Switches(const std::string& text, const std::string& name = "topology.conf", const std::string& plugin = "",
                    const std::string& conf = "NodeName=w[1-6] CPUs=2\n" + kPart)
      : site((plugin.empty() ? "" : "TopologyPlugin=" + plugin + "\n") + conf, "", name, text) {
    SiteNetwork network = network_of_site(site.topology, site.settings.find("TopologyPlugin"), site.machine, site.page);
    all = std::move(network.switches);
    block_sizes = std::move(network.block_sizes);
  }
  std::string text() const {
    std::string out;
    for (const SwitchSpec& s : all) out += s.name + ":" + s.nodes.front() + " ";
    return out;
  }
  std::string warnings() const {
    std::string out;
    for (const std::string& w : site.page.warnings()) out += w + "\n";
    return out;
  }

  Read site;
  std::vector<SwitchSpec> all;
  std::vector<std::int64_t> block_sizes;
};

}  // namespace

TEST_CASE("lists of hosts pass what Slurm passes", "[slurm_conf]") {
  const auto names = [](const std::string& text) { return compress_node_names(host_names(text, {})); };
  CHECK(names("a[1-3],a2,,b7 c1") == "a[1-3],b7,c1");
  CHECK(names("a[1-3,2,5]") == "a[1-3,5]");
  CHECK(host_names("n[1-2]r[3-4]", {}) == std::vector<std::string>{"n1r3", "n1r4", "n2r3", "n2r4"});
  CHECK(host_names("n[08-10]", {}) == std::vector<std::string>{"n08", "n09", "n10"});
  CHECK(host_names("", {}).empty());
  CHECK_THAT(message_of([] { host_names("n[5-3]", {}); }), Contains("runs backwards"));
  CHECK_THAT(message_of([] { host_names("n[5", {}); }), Contains("is not closed"));
}

TEST_CASE("files are included from where Slurm has them, or as much of the path as was copied", "[slurm_conf]") {
  ScratchFolder folder;
  const auto make = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((std::filesystem::path(folder / path)).parent_path());
    return folder.write(path, text);
  };
  make("parts/inner.conf", "NodeName=i1\n");
  make("inner.conf", "NodeName=o1\n");
  make("parts/outer.conf", "include inner.conf\n");  // as Slurm: of the folder of slurm.conf
  make("parts/deep/only.conf", "NodeName=d1\n");
  make("parts/deep/more.conf", "Include only.conf\nINCLUDE /srv/slurm/etc/parts/deep/last.conf\n");
  make("parts/deep/last.conf", "NodeName=z1\n");
  make("reef_nodes.conf", "NodeName=c1\n");
  const auto first_nodes = [&](const std::string& text) {
    std::string out;
    for (const ConfLine& line : read_conf(folder.write("slurm.conf", text))) out += line.first().value + " ";
    return out;
  };
  CHECK(first_nodes("Include parts/outer.conf\n") == "o1 ");
  CHECK(first_nodes("Include /opt/site/etc/parts/outer.conf\n") == "o1 ");
  CHECK(first_nodes("Include ./parts/deep/more.conf\n") == "d1 z1 ");
  CHECK(first_nodes("Include ../etc/parts/deep/only.conf\n") == "d1 ");
  CHECK(first_nodes("ClusterName=REEF\nInclude %c_nodes.conf # of this cluster\n") == "REEF c1 ");
  CHECK_THAT(message_of([&] { first_nodes("Include parts/*.conf\n"); }),
             Contains("Slurm includes no files by patterns"));
  CHECK_THAT(message_of([&] { first_nodes("Include inner.conf parts/inner.conf\n"); }),
             Contains("slurm.conf:1: 'parts/inner.conf' follows the name of a file"));
}

TEST_CASE("lines as Slurm takes them apart", "[slurm_conf]") {
  ScratchFolder folder;
  const std::vector<ConfLine> lines =
      read_conf(folder.write("slurm.conf", "Licenses += \"a:1, b:2\"\nNODENAME = w[1-2] \\  \n  cpus=4 # four\n"
                                           "Prolog=/x\\\\\nDebugFlags+=Power\n"));
  REQUIRE(lines.size() == 4);
  CHECK((lines[0].first().key == "Licenses" && lines[0].first().value == "a:1, b:2"));
  CHECK(lines[1].find("CPUs")->value == "4");
  CHECK(lines[2].first().value == "/x\\\\");
  CHECK(lines[3].first().key == "DebugFlags");
}

TEST_CASE("of settings that stand twice the latest counts, of SchedulerParameters the first", "[slurm_conf]") {
  const Read read("SchedulerParameters=bf_window=99\nPreemptMode=GANG,SUSPEND\nNodeName=w CPUs=1 CPUs=3\n"
                  "schedulerparameters=bf_interval=40,bf_resolution=5,BF_INTERVAL=80\nPreemptMode=OFF\nLicenses=m:3\n"
                  "Licenses=k:4,k:1,z:0\n" +
                  kPart);
  std::vector<std::string> names;
  for (const auto& [name, value] : read.settings.params) names.push_back(name);
  CHECK(names == std::vector<std::string>{"bf_interval", "bf_resolution", "PreemptMode"});
  CHECK(read.settings.params[0].second == Value(40));
  CHECK(read.kind().cores == 3);
  REQUIRE(read.machine.licences.size() == 1);
  CHECK((read.machine.licences[0].name == "k" && read.machine.licences[0].count == 5));
  const std::string said = read.said();
  CHECK_THAT(said,
             Contains("| `PreemptMode=OFF` | slurm.conf:5 | is set in slurm.conf:2, too (GANG,SUSPEND): the latest"));
  CHECK_THAT(said, Contains("| `CPUs=3` | slurm.conf:3 | is set in slurm.conf:3, too (1)"));
  CHECK_THAT(said, Contains("| `BF_INTERVAL=80` | slurm.conf:4 | stands before, too"));
  CHECK_THAT(said, Contains("| `Licenses=z:0` | slurm.conf:7 | there is none"));
}

TEST_CASE("nodes are put right as Slurm does it", "[slurm_conf]") {
  CHECK(cores_of("CPUs=0") == 1);
  CHECK(cores_of("CPUs=32 CoresPerSocket=8 ThreadsPerCore=2") == 32);  // two sockets
  CHECK(cores_of("CPUs=6 CoresPerSocket=4") == 4);                     // one socket, which 6 does not match
  CHECK(cores_of("CPUs=9 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2") == 16);
  CHECK(cores_of("CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2") == 8);
  CHECK(cores_of("Boards=2 SocketsPerBoard=2 Sockets=1 CoresPerSocket=3") == 12);
  CHECK(cores_of("Sockets=0 CoresPerSocket=0 ThreadsPerCore=0") == 1);
  CHECK(cores_of("CPUs=8 Sockets=2 CoresPerSocket=4 CoreSpecCount=8") == 7);
  CHECK(cores_of("CPUs=8 Sockets=2 CoresPerSocket=4 CoreSpecCount=2 CpuSpecList=0,1") == 8);
  CHECK(Read("NodeName=w RealMemory=1000 MemSpecLimit=1000\n" + kPart).kind().memory_mib == 1000);
  CHECK(Read("NodeName=w MemSpecLimit=10\n" + kPart).kind().memory_mib == 0);
  for (const char* keys : {"CPUs=0", "CPUs=6 CoresPerSocket=4", "SocketsPerBoard=2 Sockets=1", "Sockets=0",
                           "CPUs=4 CoresPerSocket=4 CoreSpecCount=4", "RealMemory=5 MemSpecLimit=6"}) {
    INFO(keys);
    CHECK_THAT(warned(std::string("NodeName=w ") + keys + "\n" + kPart), Contains("slurm.conf:1: "));
  }
  CHECK(warned("NodeName=w CPUs=8 Sockets=2 CoresPerSocket=4 RealMemory=5 MemSpecLimit=1\n" + kPart) == "");
  CHECK_THAT(message_of([] { Read("NodeName=w State=BUSY\n" + kPart); }),
             Contains("slurm.conf:1: State=BUSY is no state of nodes: Slurm does not start"));
}

TEST_CASE("states of nodes in the file say which are there", "[slurm_conf]") {
  const auto there = [](const std::string& state) {
    const Read read("NodeName=w1\nNodeName=w2 State=" + state + "\n" + kPart);
    return read.machine.layout->node_count() == 2;
  };
  for (const char* state : {"UNKNOWN", "idle", "CLOUD", "Mixed", "EXTERNAL"}) CHECK(there(state));
  for (const char* state : {"DOWN", "FUTURE", "drained", "DRAINING", "FAIL", "ERROR"}) CHECK_FALSE(there(state));
  const Read down("NodeName=w[1-4]\nDownNodes=w[2-3],v1 State=DRAIN\nDownNodes=w4 State=IDLE\n" + kPart);
  CHECK(down.machine.layout->node_count() == 2);
  CHECK_THAT(down.said(), Contains("there is no node 'v1'") && Contains("left out: State=DRAIN"));
  const Read cloud("NodeName=DEFAULT State=CLOUD\nNodeName=w[1-2]\nNodeName=v State=UNKNOWN\n" + kPart);
  CHECK(cloud.machine.aside.cloud == std::vector<std::string>{"w1", "w2"});
}

TEST_CASE("generic resources in all notations", "[slurm_conf]") {
  const std::vector<Gres> gres =
      read_gres("gpu:1g.5gb:7,tmp:900G,gpu:a100:2(IDX:0-1),bandwidth:lustre:no_consume:4K", {});
  REQUIRE(gres.size() == 4);
  CHECK((gres[0].type == "1g.5gb" && gres[0].count == 7));
  CHECK(gres[1].count == 900LL * 1024 * 1024 * 1024);
  CHECK((gres[2].type == "a100" && gres[2].count == 2));
  CHECK((gres[3].type == "lustre" && gres[3].count == 4096));
  CHECK(read_gres("(null)", {}).empty());

  // Nodes of one line with unlike cards are of two kinds.
  const Read two("GresTypes=gpu\nNodeName=w[1-4] Gres=gpu:2\n" + kPart,
                 "NodeName=w[1-2] Name=gpu Type=a40 File=/dev/nvidia0,/dev/nvidia1\n"
                 "NodeName=w[3-4] Name=gpu Type=l4 Files=/dev/nvidia[0-1]\n");
  REQUIRE(two.machine.groups.size() == 2);
  CHECK((two.kind(0).names == "w[1-2]" && two.kind(0).gpu_type == "a40" && two.kind(0).gpus == 2));
  CHECK((two.kind(1).names == "w[3-4]" && two.kind(1).gpu_type == "l4"));
  CHECK(two.page.warnings().empty());
  const std::string node = "GresTypes=gpu\nNodeName=w Gres=gpu:4\n" + kPart;
  CHECK_THAT(warned(node, "Name=gpu File=/dev/nvidia[0-1]\n"),
             Contains("gres.conf:1: Name=gpu, 2 of node w: slurm.conf says 4"));
  CHECK(warned(node, "AutoDetect=nvml\nName=gpu Type=a40\n") == "");
  CHECK_THAT(warned(node, "Name=gpu Count=8\n"),
             Contains("gres.conf:1: Name=gpu, 8 of node w: slurm.conf says 4, which counts: slurmd passes over"));
  CHECK_THAT(message_of([&] { Read(node, "Name=gpu Count=few\n"); }),
             Contains("gres.conf:1: Count=few is not a number"));
}

TEST_CASE("what gres.conf says and slurm.conf does not is warned of, or refused as slurmd does", "[slurm_conf]") {
  const auto of = [](const std::string& gres, const std::string& conf, const std::string& types = "gpu,mps") {
    return warned("GresTypes=" + types + "\nNodeName=w[1-2] Gres=" + gres + "\nNodeName=v\n" + kPart, conf);
  };
  CHECK(of("gpu:a100:4", "NodeName=w[1-2] Name=gpu Type=A100 File=/dev/nvidia[0-3]\n") == "");
  CHECK(of("gpu:a:2,gpu:b:2", "Name=gpu Type=a File=/dev/n[0-1]\nName=gpu Type=b File=/dev/n2,/dev/n3\n") == "");
  CHECK(of("gpu:4", "Name=gpu File=/dev/n[0-1] Cores=0\nName=gpu File=/dev/n[2-3] Cores=1 Count=2\n") == "");
  CHECK_THAT(of("gpu:4", "NodeName=w[1-2],v Name=gpu File=/dev/n[0-3]\n"),
             Contains("gres.conf:1: Name=gpu of node v: slurm.conf has no Gres=gpu for it: there are none"));
  CHECK_THAT(
      of("gpu:a100:4", "Name=gpu Type=v100 File=/dev/n[0-3]\n"),
      Contains("Name=gpu:v100, 4 of node w1: slurm.conf says gpu:a100: slurmd passes over those of another Type") &&
          Contains("Name=gpu, none of type a100 of node w1: slurm.conf says 4, which counts here"));
  CHECK_THAT(of("gpu:a100:4", "Name=gpu File=/dev/n[0-3]\n"), Contains("slurmd passes over a line without a Type"));
  CHECK_THAT(of("gpu:2", "NodeName=w2 Name=gpu File=/dev/n[0-1]\n"),
             Contains("slurm.conf:2: Gres=gpu of node w1: gres.conf has no line for it"));
  CHECK_THAT(of("gpu:0", "Name=gpu File=/dev/n0\n"),
             Contains("Name=gpu of node w1: slurm.conf has no Gres=gpu for it"));
  CHECK_THAT(of("nic:1", "Name=gpu File=/dev/n0\n", "gpu,nic"),
             Contains("Name=gpu: no node of slurm.conf has Gres=gpu"));
  const std::string uneven = of("gpu:a:2,gpu:b:2", "Name=gpu Type=a File=/dev/n[0-2]\nName=gpu Type=b File=/dev/n3\n");
  CHECK_THAT(uneven,
             Contains("gres.conf:1: Name=gpu:a, 3 of node w1: slurm.conf says 2, which counts: slurmd passes") &&
                 Contains("gres.conf:2: Name=gpu:b, 1 of node w1: slurm.conf says 2, which counts here"));
  CHECK(of("gpu:a100:4", "AutoDetect=nvml\nNodeName=w[1-2] Name=gpu Type=a100 File=/dev/n0\n") == "");
  CHECK_THAT(of("gpu:a100:4", "AutoDetect=nvml\nNodeName=w1 AutoDetect=off Name=gpu Type=a100 File=/dev/n0\n"),
             Contains("Name=gpu:a100, 1 of node w1: slurm.conf says 4"));
  CHECK_THAT(of("gpu:2", "AutoDetect=nvlm\n"), Contains("gres.conf:1: AutoDetect=nvlm: slurmd does not know it"));
  CHECK_THAT(of("gpu:2", "NodeName=w1 File=/dev/n0\n"), Contains("gres.conf:1: NodeName=w1: the line has no Name"));
  CHECK_THAT(of("gpu:2", "Name=gpus File=/dev/n[0-1]\n"),
             Contains("gres.conf:1: Name=gpus: GresTypes does not have it"));
  CHECK_THAT(Read("NodeName=w\n" + kPart, "NodeName=z[1-2] Name=gpu\n").said(),
             Contains("| `NodeName=z[1-2]` | gres.conf:1 | slurm.conf has no such nodes |"));
  const auto refused = [&](const std::string& conf, const std::string& part) {
    INFO(conf);
    CHECK_THAT(message_of([&] { of("gpu:2", conf); }), Contains(part));
  };
  refused("Name=gpu Count=2 File=/dev/n[0-3]\n", "gres.conf:1: Count=2 does not agree with File, which is 4");
  refused("Name=gpu Count=2 MultipleFiles=/dev/n[0-3]\n",
          "gres.conf:1: Count=2 does not agree with MultipleFiles, which");
  refused("Name=gpu File=/dev/n0 MultipleFiles=/dev/n[0-3]\n", "gres.conf:1: MultipleFiles stands beside File");
  refused("Name=gpu MultipleFiles=/dev/n0\n", "gres.conf:1: MultipleFiles=/dev/n0 is one file");
  refused("Name=gpu File=/dev/n0\nNodeName=w1 Name=gpu\n", "gres.conf:2: Name=gpu has no File, other than gres.conf:1");
  refused("Name=gpu File=/dev/n0\nName=gpu File=/dev/n1 Type=a\n", "gres.conf:2: Name=gpu has a Type, other than");
  refused("Name=gpu Count=1\nName=gpu Count=1\n", "gres.conf:2: Name=gpu is said again, after gres.conf:1");
  refused("Name=gpu Flags=no_gpu_env,nvidia_gpu_env\n", "gres.conf:1: Flags has no_gpu_env beside nvidia_gpu_env");
  CHECK(of("gpu:2,mps:200", "Name=gpu File=/dev/n[0-1]\nName=mps Count=200 File=/dev/n[0-1]\n") == "");
  CHECK_THAT(message_of([&] { of("gpu:4,gpu:a100:2", ""); }),
             Contains("slurm.conf:2: Gres has 'gpu' with the type a100 and without one"));
}

TEST_CASE("numbers of slurm.conf are those that Slurm reads", "[slurm_conf]") {
  CHECK((cores_of("CPUs=0x4") == 4 && cores_of("CPUs=010") == 8 && cores_of("CPUs=+6") == 6));
  CHECK((cores_of("Sockets=0x2 CoresPerSocket=0X3 ThreadsPerCore=02") == 12));
  const Read read(
      "PriorityWeightAge=2k\nCompleteWait=0x10\nJobRequeue=5\nPriorityFavorSmall=up\nDefMemPerCPU=1K\n"
      "OverTimeLimit=UNLIMITED\nResumeTimeout=0x20\nSuspendTimeout=INFINITE\n"
      "NodeName=w[1-3] RealMemory=8k Weight=0x10 TmpDisk=4K\n"
      "PartitionName=p Nodes=ALL Default=1 MaxNodes=INFINITE MaxCPUsPerNode=0x2 LLN=TRUE GraceTime=1k\n"
      "PartitionName=q Nodes=w1 MaxNodes=0x2 PriorityTier=017 DefMemPerNode=INFINITE MaxCPUsPerNode=INFINITE "
      "OverTimeLimit=99999 LLN=down\n");
  const auto param = [&](const std::string& name) {
    for (const auto& [key, value] : read.settings.params)
      if (key == name) return value;
    return Value();
  };
  CHECK((param("PriorityWeightAge") == Value(std::int64_t{2048}) && param("CompleteWait") == Value(std::int64_t{16})));
  CHECK((param("JobRequeue") == Value(true) && param("PriorityFavorSmall") == Value(true)));
  CHECK((read.settings.memory_per_cpu == 1024 && read.settings.over_limit == 365 * 86'400));
  CHECK((read.settings.resume_timeout == 32 && read.settings.suspend_timeout == 65'535));
  CHECK((read.kind().memory_mib == 8192 && read.machine.groups[0].weight == 16));
  const SitePartition &p = read.machine.partitions.at(0), &q = read.machine.partitions.at(1);
  CHECK((p.spec.by_default && !p.spec.max_nodes && p.grace == 1024));
  using Others = std::vector<std::pair<std::string, std::string>>;
  CHECK(p.others == Others{{"LLN", "YES"}, {"MaxCPUsPerNode", "2"}});
  CHECK((q.spec.max_nodes == 2 && q.spec.tier == 15 && q.memory_per_node == 0));
  CHECK(q.others == Others{{"LLN", "NO"}, {"MaxCPUsPerNode", "UNLIMITED"}});
  CHECK(q.spec.over_limit == whole_seconds(365 * 86'400));
  const auto refused = [](const std::string& text, const std::string& setting) {
    INFO(text);
    CHECK_THAT(message_of([&] { const Read read(text); }), Contains("slurm.conf:1: " + setting + " "));
  };
  for (const char* wrong : {"CPUs=1k", "CPUs=08", "CPUs=0x", "CPUs=-1", "CPUs=65536", "RealMemory=8kk", "RealMemory=8M",
                            "TmpDisk=big", "Weight=4294967296", "CPUs=4.0"})
    refused("NodeName=w " + std::string(wrong) + "\n" + kPart, wrong);
  for (const char* wrong : {"Hidden=perhaps", "LLN=2", "MinNodes=few", "MaxMemPerCPU=4G", "Default=maybe",
                            "OverSubscribe=SOME", "PriorityTier=1k"})
    refused("PartitionName=p Nodes=ALL " + std::string(wrong) + "\nNodeName=w\n", wrong);
  for (const char* wrong : {"MessageTimeout=long", "MaxJobCount=many", "JobRequeue=yes", "DefMemPerCPU=2G",
                            "UsePAM=sure", "KillWait=-1", "PriorityWeightAge=1e3"})
    refused(std::string(wrong) + "\nNodeName=w\n" + kPart, wrong);
}

TEST_CASE("words that Slurm does not start with are refused, those that it passes over are warned of", "[slurm_conf]") {
  const auto refused = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK_THAT(message_of([&] { const Read read(text + "NodeName=w\n" + kPart); }), Contains("slurm.conf:1: " + part));
  };
  refused("PriorityUsageResetPeriod=FORTNIGHTLY\n", "PriorityUsageResetPeriod has no 'FORTNIGHTLY'");
  refused("PreemptMode=LATER\n", "PreemptMode has no 'LATER'");
  refused("PreemptMode=OFF,REQUEUE\n", "PreemptMode has both OFF and REQUEUE");
  refused("PreemptMode=GANG,WITHIN\n", "PreemptMode has both GANG and WITHIN");
  refused("AccountingStorageEnforce=limits,some\n", "AccountingStorageEnforce has no 'some'");
  refused("SelectType=select/best\n", "SelectType has no 'select/best'");
  refused("PartitionName=q Nodes=w PreemptMode=LATER\n", "PreemptMode has no 'LATER'");
  const std::string rest = "NodeName=w\n" + kPart;
  CHECK(warned("PreemptMode=REQUEUE,WITHIN\n" + rest) == "");
  CHECK(Read("PreemptMode=ON,gang\n" + rest).settings.params.at(0).second == Value("SUSPEND,gang"));
  CHECK_THAT(warned("PriorityFlags=MAX_TRES,NOVEL\n" + rest), Contains("slurm.conf:1: PriorityFlags=NOVEL: not known"));
  CHECK(Read("PriorityFlags=MAX_TRES,NOVEL,no_fair_tree\n" + rest).settings.params.at(0).second ==
        Value("MAX_TRES,no_fair_tree"));
  CHECK(Read("PriorityFlags=NOVEL\n" + rest).settings.params.at(0).second == Value(""));
  const Read exclusive("NodeName=w\nPartitionName=DEFAULT ExclusiveUser=YES LLN=YES\n" + kPart);
  using Others = std::vector<std::pair<std::string, std::string>>;
  CHECK(exclusive.machine.partitions[0].others == Others{{"LLN", "YES"}});
  CHECK_THAT(exclusive.said(), Contains("| `ExclusiveUser=YES` | slurm.conf:2 | holds for no partition below DEFAULT"));
}

TEST_CASE("partitions are put right as Slurm does it", "[slurm_conf]") {
  const std::string nodes = "NodeName=w[1-3] CPUs=2\nNodeName=x State=FUTURE\n";
  const Read read(nodes +
                  "PartitionName=none\nPartitionName=empty Nodes=\"\"\nPartitionName=gone Nodes=x\n"
                  "PartitionName=a Nodes=\"w1 w2,w2\" Priority=9 PriorityTier=2 DefMemPerCPU=5 DefMemPerNode=7\n"
                  "PartitionName=b Nodes=w[1-2,2,3] OverSubscribe=FORCE:0 PreemptMode=GANG,REQUEUE\n");
  REQUIRE(read.machine.partitions.size() == 2);
  const SitePartition &a = read.machine.partitions[0], &b = read.machine.partitions[1];
  CHECK(a.spec.nodes == std::vector<std::string>{"w[1-2]"});
  CHECK((a.spec.tier == 9 && a.job_factor == 9 && a.memory_per_node == 7 && a.memory_per_cpu == 0));
  CHECK(b.spec.oversubscribe == 1);
  CHECK(b.others == std::vector<std::pair<std::string, std::string>>{{"PreemptMode", "REQUEUE"}});
  CHECK(read.machine.empty_partitions == std::vector<std::string>{"none", "empty", "gone"});
  const std::string all = read.said();
  for (const char* said :
       {"`PartitionName=none` | slurm.conf:3 and 2 more | has no nodes that take jobs: it is left out",
        "`PriorityTier=2` | slurm.conf:6 | Priority=9 counts", "`DefMemPerCPU=5` | slurm.conf:6",
        "`OverSubscribe=FORCE:0` | slurm.conf:7 | Slurm takes NO for it",
        "`PreemptMode=GANG,REQUEUE` | slurm.conf:7 | GANG is for the whole cluster"}) {
    INFO(said << "\n" << all);
    CHECK(all.find(said) != std::string::npos);
  }
  CHECK_THAT(message_of([&] { Read(nodes + "PartitionName=gone Nodes=x\n"); }),
             Contains("no partition has nodes, 'gone'"));
  CHECK_THAT(message_of([&] { Read(nodes + "PartitionName=a Nodes=w1,v1\n"); }),
             Contains("names 'v1', which is not a node"));
}

TEST_CASE("sets of nodes", "[slurm_conf]") {
  const std::string nodes = "NodeName=w[1-4] Feature=big\nNodeName=v1\n";
  const auto of = [&](const std::string& text, const std::string& list) {
    const Read read(nodes + text + "PartitionName=p Nodes=" + list + "\n");
    return read.machine.partitions.at(0).spec.nodes.empty() ? "ALL" : read.machine.partitions[0].spec.nodes[0];
  };
  CHECK(of("NodeSet=s Nodes=w[1-2],v1 Feature=big\n", "s") == "w[1-4],v1");
  CHECK(of("NodeSet=s Nodes=t,w1\nNodeSet=t Nodes=v1\n", "s") == "w1,v1");  // below it
  CHECK(of("NodeSet=s Nodes=w1\nNodeSet=s Nodes=w2\n", "s,v1") == "v1,w1");
  CHECK(of("NodeSet=s Nodes=ALL\n", "s") == "w[1-4],v1");
  CHECK_THAT(warned(nodes + "NodeSet=s Nodes=w1\nNodeSet=s Nodes=w2\n" + kPart),
             Contains("slurm.conf:4: NodeSet=s: there is such"));
  CHECK_THAT(warned(nodes + "NodeSet=s Feature=no\n" + kPart),
             Contains("slurm.conf:3: Feature=no: no node has this feature"));
  CHECK_THAT(message_of([&] { of("NodeSet=s Nodes=t\n", "s"); }), Contains("names 't', which is not a node"));
}

TEST_CASE("lists in quotes may have blanks", "[slurm_conf]") {
  const Read read(
      "SchedulerParameters=\"bf_interval=45, bf_max_job_test=7 , default_queue_depth=9\"\nNodeName=w CPUs=2\n" + kPart);
  const auto param = [&](const char* name) {
    for (const auto& [key, value] : read.settings.params)
      if (key == name) return value;
    return Value();
  };
  CHECK(param("bf_interval") == Value(45));
  CHECK(param("default_queue_depth") == Value(9));
}

TEST_CASE("numbers of SchedulerParameters are those that Slurm makes of them", "[slurm_conf]") {
  const auto param = [](const std::string& words, const std::string& name) {
    const Read read("SchedulerParameters=" + words + "\nNodeName=w CPUs=2\n" + kPart);
    for (const auto& [key, value] : read.settings.params)
      if (key == name) return std::pair(value, read.warnings());
    return std::pair(Value(), read.warnings());
  };
  const auto is = [&](const std::string& words, const std::string& name, std::int64_t value) {
    INFO(words);
    CHECK(param(words, name).first == Value(value));
  };
  const auto default_counts = [&](const std::string& words) {
    INFO(words);
    const auto [value, said] = param(words, words.substr(0, words.find('=')));
    CHECK(value == Value());
    CHECK_THAT(said, Contains("slurm.conf:1: ") && Contains("its default counts"));
  };
  is("bf_interval=30s", "bf_interval", 30);
  is("bf_window=2880;bf_resolution=+300", "bf_window", 2880);
  is("\"bf_interval=60 bf_resolution=0300\"", "bf_resolution", 300);
  is("bf_max_job_test=1e3", "bf_max_job_test", 1);
  is("default_queue_depth=none", "default_queue_depth", 0);
  is("sched_interval=0", "sched_interval", 1);
  is("batch_sched_delay=90000", "batch_sched_delay", 90000);
  CHECK_THAT(param("bf_interval=30s", "bf_interval").second, Contains("bf_interval=30s: Slurm makes 30 of it"));
  for (const char* out : {"bf_interval=0",
                          "bf_interval=10801",
                          "bf_interval=soon",
                          "bf_window=43201",
                          "bf_max_job_test=0",
                          "bf_max_job_test=1000001",
                          "bf_resolution=0",
                          "bf_resolution=3601",
                          "bf_max_time=3601",
                          "bf_max_job_start=10001",
                          "bf_window_linear=0",
                          "bf_min_age_reserve=2592001",
                          "bf_min_prio_reserve=0",
                          "bf_node_space_size=1",
                          "bf_job_part_count_reserve=-1",
                          "default_queue_depth=-5",
                          "sched_min_interval=-1",
                          "sched_interval=-2",
                          "partition_job_depth=99999999999",
                          "bf_max_job_user"})
    default_counts(out);
  const auto [busy, said] = param("bf_busy_nodes=no", "bf_busy_nodes");
  CHECK(busy == Value(true));
  CHECK_THAT(said, Contains("the word counts, whatever stands behind it"));
  const auto max_age = [](const std::string& value) {
    return Read("PriorityMaxAge=" + value + "\nNodeName=w CPUs=2\n" + kPart).settings.params.at(0).second;
  };
  CHECK(max_age("INFINITE") == Value(std::int64_t{1'000'000'000}));
  CHECK(max_age("0") == Value(std::int64_t{1}));
  const Read slice("SchedulerTimeSlice=3\nNodeName=w CPUs=2\n" + kPart);
  CHECK(slice.settings.params.empty());
  CHECK_THAT(slice.warnings(), Contains("slurm.conf:1: SchedulerTimeSlice=3: Slurm takes 5 and more"));
}

TEST_CASE("a node at two switches is at the first one", "[slurm_conf]") {
  const Switches s(
      "SwitchName=a Nodes=w[1-3],u[1-2]\nSwitchName=b Nodes=w[3-6],w4 LinkSpeed=9\nSwitchName=c Nodes=w[2-3]\n"
      "SwitchName=e\nSwitchName=t Switches=a,b,c,e\n",
      "topology.conf", "topology/tree", "NodeName=w[1-6]\nNodeName=u2 State=DOWN\n" + kPart);
  CHECK(s.text() == "a:w[1-3] b:w[4-6] ");
  CHECK_THAT(s.warnings(), Contains("topology.conf:1: Nodes=w[1-3],u[1-2]: the machine has no nodes u1\n") &&
                               Contains("topology.conf:2: Nodes=w[3-6],w4: w3 is at 'a' above, too") &&
                               Contains("topology.conf:3: Nodes=w[2-3]: w[2-3] are at 'a' above, too"));
}

TEST_CASE("what topology.conf has that no switch is made of is said", "[slurm_conf]") {
  const auto of = [](const std::string& lines) { return Switches(lines, "topology.conf", "topology/tree"); };
  CHECK_THAT(of("").warnings(), Contains("topology.conf has no switch for the nodes w[1-6]"));
  CHECK_THAT(of("SwitchName=a Nodes=w[1-6] Colour=red\n").site.said(),
             Contains("| `Colour=red` | topology.conf:1 | not"));
  CHECK_THAT(message_of([&] { of("SwitchName=a Nodes=w[1-6] LinkSpeed=fast\n"); }),
             Contains("topology.conf:1: LinkSpeed=fast is not a number"));
  const Switches by_feature("SwitchName=a Nodes=feature{x}\n", "topology.conf", "topology/tree",
                            "NodeName=w[1-2] Feature=x\nNodeName=w3\n" + kPart);
  CHECK(by_feature.text() == "a:w[1-2] ");
}

TEST_CASE("blocks of topology.conf are switches", "[slurm_conf]") {
  const std::string blocks = "BlockName=b1 Nodes=w[1-2]\nBlockName=b2 Nodes=w[2-5]\nBlockSizes=2,4\n";
  const Switches s(blocks, "topology.conf", "topology/block");
  CHECK(s.text() == "b1:w[1-2] b2:w[3-5] ");
  CHECK_THAT(s.warnings(),
             Contains("topology.conf has no switch for the nodes w6") && Contains("w2 is at 'b1' above, too"));
  CHECK_THAT(s.site.said(), Contains("| `BlockSizes=2,4` | topology.conf:3 |"));
  CHECK(s.block_sizes == std::vector<std::int64_t>{2, 4});
  const auto sizes = [](const std::string& lines) {
    return Switches(lines + "BlockName=b1 Nodes=w[1-2]\nBlockName=b2 Nodes=w[3-5]\n").block_sizes;
  };
  CHECK(sizes("") == std::vector<std::int64_t>{2, 4, 8, 16, 32});
  CHECK(sizes("BlockSizes=3,12\n") == std::vector<std::int64_t>{3, 12});
  CHECK(Switches("SwitchName=a Nodes=w[1-6]\n").block_sizes.empty());
  CHECK_THAT(message_of([&] { sizes("BlockSizes=2,6\n"); }), Contains("topology.conf:1: BlockSizes has '6'"));
  const Switches wrong(blocks, "topology.conf", "topology/tree");
  CHECK(wrong.all.empty());
  CHECK_THAT(wrong.warnings(),
             Contains("slurm.conf:1: TopologyPlugin=topology/tree: Slurm does not start with lines BlockName"));
  CHECK(Switches(blocks).all.size() == 2);
  CHECK(Switches(blocks, "topology.conf", "topology/flat").all.empty());
  CHECK_THAT(message_of([&] { Switches(blocks + "BlockName=b1 Nodes=w6\n"); }),
             Contains("topology.conf:4: two blocks are called 'b1'"));
}

TEST_CASE("topology.yaml is read", "[slurm_conf]") {
  const std::string tree = "---\n# of the hall\n- topology: hall\n  cluster_default: false\n  flat: true\n"
                           "- topology: main   # the one\n  cluster_default: true\n  tree:\n    switches:\n"
                           "    - switch: root\n      children: \"l[1-2]\"\n    - switch: l1\n      nodes: w[1-2]\n"
                           "    - {switch: l2, nodes: 'w[3-6]'}\n";
  const Switches s(tree, "topology.yaml", "topology/block");
  CHECK(s.text() == "l1:w[1-2] l2:w[3-6] ");
  CHECK_THAT(s.warnings(),
             Contains("slurm.conf:1: TopologyPlugin=topology/block: topology.yaml counts, as in Slurm: its "
                      "topology 'main' is topology/tree"));
  CHECK_THAT(s.site.said(),
             Contains("| `topology: hall` | topology.yaml:3 | only the cluster's default one is modelled |"));
  const std::string block =
      "topology: b\nblock:\n  block_sizes: [2, 4]\n  blocks:\n    - block: 1\n      nodes: w[1-2]\n"
      "    - block: two\n      nodes: w[3-4]\n";
  CHECK(Switches(block, "blocks.yml").text() == "1:w[1-2] two:w[3-4] ");
  CHECK(Switches(block, "blocks.yml").block_sizes == std::vector<std::int64_t>{2, 4});
  CHECK(Switches(block, "topology.conf").text() == "1:w[1-2] two:w[3-4] ");  // whatever it is called
  const auto complaint = [](const std::string& text) { return message_of([&] { Switches s(text, "topology.yaml"); }); };
  CHECK_THAT(complaint("- topology: a\n  tree:\n    switches:\n    - nodes: w1\n"),
             Contains("topology.yaml:4: an item has no 'switch'"));
  CHECK_THAT(complaint("- topology: a\n"), Contains("topology.yaml:1: a topology says nothing of nodes"));
  CHECK_THAT(complaint("- topology: a\n\ttree:\n"), Contains("topology.yaml:2: a line begins with a tab"));
  CHECK_THAT(complaint("- topology: a\n  tree:\n    switches: none\n"), Contains("has no list 'switches'"));
  CHECK_THAT(complaint("- topology: a\n  tree:\n    switches:\n    - switch: s\n      children: r\n"),
             Contains("topology.yaml:5: there is no switch 'r'"));
  CHECK_THAT(complaint("- topology: a\n  tree: &x\n"), Contains("topology.yaml:2: '&x' is not read here"));
  for (const char* empty : {"", "---\n", "# nothing\n", "[]\n", "null\n"})
    CHECK_THAT(complaint(empty), Contains("topology.yaml") && Contains("has no topology"));
  CHECK_THAT(complaint("- topology: a\n  cluster_defualt: true\n  flat: true\n"),
             Contains("topology.yaml:2: a topology has no key 'cluster_defualt'") && Contains("cluster_default"));
  CHECK_THAT(complaint("- topology: a\n  flat: true\n  tree: {switches: []}\n"),
             Contains("topology.yaml:3: a topology says both flat and tree"));
}

TEST_CASE("topology.yaml may be JSON, and have brackets over several lines", "[slurm_conf]") {
  const std::string json =
      "[\n  {\"topology\": \"side\", \"flat\": true},\n  {\n    \"topology\": \"main\",\n"
      "    \"cluster_default\": true,\n    \"tree\":{\"switches\":[\n"
      "      {\"switch\":\"top\",\"children\":\"l[1-2]\"},\n      {\"switch\": \"l1\", \"nodes\": \"w[1,2]\"},\n"
      "      {\"switch\": \"l\\u0032\", \"nodes\": \"w[3-6]\"}\n    ]}\n  }\n]\n";
  for (const char* name : {"topology.yaml", "topology.json", "topology.conf"}) {
    INFO(name);
    const Switches s(json, name, "topology/tree");
    CHECK(s.text() == "l1:w[1-2] l2:w[3-6] ");
    CHECK(s.warnings() == "");
  }
  const Switches mixed("- topology: m\n  block:\n    block_sizes: [2,\n      4]  # of nodes\n    blocks: [\n"
                       "      {block: b1, nodes: w[1-2]},  # one\n\n      {block: 'b2', nodes: \"w[3-4]\", },\n    ]\n",
                       "topology.yaml");
  CHECK(mixed.text() == "b1:w[1-2] b2:w[3-4] ");
  CHECK(mixed.block_sizes == std::vector<std::int64_t>{2, 4});
  const auto complaint = [](const std::string& text) { return message_of([&] { Switches s(text, "topology.yaml"); }); };
  CHECK_THAT(complaint("[\n {\"topology\": \"a\",\n  \"tree\": {\"switches\": [\n {\"nodes\": \"w1\"}]}}]"),
             Contains("topology.yaml:4: an item has no 'switch'"));
  CHECK_THAT(complaint("[\n{\"topology\": \"a\",\n"), Contains("topology.yaml:1: a bracket is not closed"));
  CHECK_THAT(complaint("[\n{\"topology\" \"a\"}]"), Contains("topology.yaml:2: 'topology' says nothing"));
  CHECK_THAT(complaint("[{\"topology\": \"a\",\n\"topology\": \"b\"}]"),
             Contains("topology.yaml:2: 'topology' appears"));
  CHECK_THAT(complaint("[{topology: a, flat: true}] x\n"), Contains("topology.yaml:1: 'x' follows"));
}

TEST_CASE("lists of hosts name nodes by the topology", "[slurm_conf]") {
  const std::string nodes = "NodeName=w[1-6] Feature=big\nNodeName=v1\n";
  const std::string tree =
      "SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=w[1-3]\nSwitchName=s2 Nodes=w[4-6],u9\n";
  struct Got {
    std::string nodes, warnings;
  };
  const auto of = [&](const std::string& list, const std::string& file, const std::string& text,
                      const std::string& plugin = "topology/tree", const std::string& more = "") {
    const Read read("TopologyPlugin=" + plugin + "\n" + nodes + more +
                        "PartitionName=q Nodes=ALL\nPartitionName=p Nodes=" + list + "\n",
                    "", file, text);
    Got got;
    for (const std::string& w : read.page.warnings()) got.warnings += w + "\n";
    if (read.machine.partitions.size() > 1) got.nodes = read.machine.partitions[1].spec.nodes.at(0);
    return got;
  };
  const auto by = [&](const std::string& list) { return of(list, "topology.conf", tree).nodes; };
  CHECK(by("switch{s1}") == "w[1-3]");
  CHECK(by("block{s2},w1") == "w[4-6,1]");  // any of the words
  CHECK(by("switch{top}") == "w[1-6]");
  CHECK(by("switch{s[1-2]}") == "w[1-6]");
  CHECK(by("switchwith{w5}") == "w[4-6]");
  CHECK(by("switchwith{v1},switch{s1}") == "v1,w[1-3]");
  CHECK(by("v1,feature{big}") == "v1,w[1-6]");
  const Got unknown = of("v1,switch{s3}", "topology.conf", tree);
  CHECK(unknown.nodes == "v1");
  CHECK_THAT(unknown.warnings, Contains("slurm.conf:5: Nodes=v1,switch{s3}: the topology has no 's3': no nodes"));
  CHECK_THAT(of("v1,switchwith{w9}", "topology.conf", tree).warnings, Contains("there is no node 'w9': no nodes"));
  CHECK_THAT(of("switch{s9}", "topology.conf", tree).warnings, Contains("PartitionName=p: has no nodes"));
  CHECK(of("block{b1}", "topology.conf", "BlockName=b1 Nodes=w[2-3]\n", "topology/block").nodes == "w[2-3]");
  CHECK(of("ring{r}", "topology.conf", "RingName=r Nodes=w[2-3]\n", "topology/ring").nodes == "w[2-3]");
  CHECK(of("ring{r}", "topology.yaml", "- topology: a\n  ring:\n    rings:\n    - {ring: r, nodes: w3}\n").nodes ==
        "w3");
  CHECK(of("toruswith{w4}", "topology.yaml",
           "- topology: a\n  torus3d:\n    toruses:\n    - name: t\n      regions: [{nodes: w3}, {nodes: 'w[4-5]'}]\n")
            .nodes == "w[3-5]");
  const Got set = of("s", "topology.conf", tree, "topology/tree", "NodeSet=s Nodes=switch{s2},v1\n");
  CHECK(set.nodes == "w[4-6],v1");
  CHECK_THAT(set.warnings, Contains("slurm.conf:6: Nodes=s: the node set 's' has braces"));
  CHECK_THAT(message_of([&] { of("s", "", "", "topology/tree", "NodeSet=s Nodes=switch{s2}\n"); }),
             Contains("nodes by 'switch' are not read") && Contains("--topology"));
  CHECK_THAT(message_of([&] { of("rack{s2}", "topology.conf", tree); }), Contains("nodes by 'rack' are not read"));
  for (const char* wrong : {"topology/trees", "topology/dragonfly"})
    CHECK_THAT(message_of([&] { of("v1", "", "", wrong); }), Contains("slurm.conf:1: TopologyPlugin"));
  CHECK(of("v1", "", "", "none").nodes == "v1");
}

TEST_CASE("parameters are written as Slurm reads them", "[slurm]") {
  const std::string lines = conf_lines({{"PriorityMaxAge", Value(124170.0)},
                                        {"PriorityDecayHalfLife", Value(std::int64_t{7200})},
                                        {"PriorityFavorSmall", Value(true)},
                                        {"JobRequeue", Value(false)},
                                        {"PriorityFlags", Value("MAX_TRES")},
                                        {"bf_interval", Value(66.4)},
                                        {"bf_busy_nodes", Value(true)},
                                        {"assoc_limit_stop", Value(false)},
                                        {"ends_aligned", Value(true)},
                                        {"completing", Value(2.0)}});
  CHECK(lines ==
        "PriorityMaxAge=2069:30\nPriorityDecayHalfLife=120\nPriorityFavorSmall=YES\nJobRequeue=0\nPriorityFlags=MAX_"
        "TRES\n"
        "SchedulerParameters=bf_interval=66,bf_busy_nodes  # beside what stands there, without assoc_limit_stop\n");
  const Read read("ClusterName=c\nNodeName=n\nPartitionName=p Nodes=n\n" + lines);
  std::map<std::string, Value> params(read.settings.params.begin(), read.settings.params.end());
  CHECK(params["PriorityMaxAge"] == Value(std::int64_t{124170}));
  CHECK(params["PriorityDecayHalfLife"] == Value(std::int64_t{7200}));
  CHECK(params["bf_interval"] == Value(std::int64_t{66}));
  CHECK(params["bf_busy_nodes"] == Value(true));
  CHECK(conf_lines({{"nodes_asked_for", Value(true)}}).empty());
  CHECK(!is_conf_parameter("slurmctld_start"));
}

}  // namespace slurm_conf_test
