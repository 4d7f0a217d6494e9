// A site's Slurm configuration, its associations and its submissions as a scenario, by small files written by hand.
#include <algorithm>

#include <fmt/ranges.h>

#include "catch.h"
#include "core/error.h"
#include "formats/sacct.h"
#include "formats/trace_requests.h"
#include "machine/node_names.h"
#include "message_of.h"
#include "scratch_folder.h"
#include "shared_files.h"
#include "slurm/arrays.h"
#include "slurm/import.h"
#include "slurm/queue.h"
#include "slurm/resource_lists.h"
#include "slurm/simulator_events.h"
#include "slurm/site.h"
#include "slurm/values.h"

namespace slurm_import_test {

using namespace coslice;
using namespace coslice::slurm;

namespace {

constexpr std::int64_t kS = 1'000'000'000;

const std::string kConf = "ClusterName=reef # a comment\n"
                          "SchedulerParameters=bf_interval=30,\\\n"
                          "bf_continue,bf_novelty=10\n"
                          "SelectTypeParameters=CR_Core_Memory\n"
                          "priorityweightage=100\n"
                          "NODENAME=DEFAULT Procs=12 Sockets=2 CoresPerSocket=6 RealMemory=48000\n"
                          "NodeName=n[1-2] Feature=IB\n"
                          "NodeName=g1 Gres=gpu:tesla:2(S:0-1) RealMemory=96000\n"
                          "NodeName=n[3-4] Feature=IB\n"
                          "PartitionName=DEFAULT DefMemPerCPU=1000 DefaultTime=10 State=UP\n"
                          "PartitionName=all Nodes=ALL Default=YES MaxTime=1-0:30 Priority=7\n"
                          "PartitionName=few Nodes=n[1-2],g1 MaxTime=INFINITE QOS=Fast AllowAccounts=Physics\n";

/// The site of these lines, without jobs.
struct SmallSite {
  explicit SmallSite(const std::string& text = kConf, const std::string& gres = "") {
    const std::vector<ConfLine> conf = latest_settings(read_conf(folder.write("slurm.conf", text)), page);
    settings = read_settings(conf, page);
    machine =
        read_machine(conf, gres.empty() ? std::vector<ConfLine>{} : read_conf(folder.write("gres.conf", gres)), page);
  }
  /// The jobs of these events as the machine gets them.
  RecordedWorkload jobs(const std::string& events) {
    const std::string text =
        events_as_sacct(read_events(events, "x.events", page), machine, settings, associations, page);
    RecordedWorkload recorded = parse_sacct(text, "jobs.sacct", SlurmSize::kCpus);
    MachineSpec named;
    set_layout(named, machine.layout);
    resolve_recorded_requests(recorded.requests, recorded.workload, named, TraceNodes{Exclusive::kNo});
    return recorded;
  }

  Site as_site() const {
    Site s;
    s.machine = machine;
    s.settings = settings;
    return s;
  }

  ScratchFolder folder;
  ImportPage page;
  SiteSettings settings;
  SiteMachine machine;
  Associations associations;
};

std::string event(const std::string& options, const std::string& dt = "0") {
  return "-dt " + dt + " -e submit_batch_job | -sim-walltime 60 --uid=u -t 5 " + options + " job.sh\n";
}

/// What the import complains of with such a line behind the configuration.
std::string complaint(const std::string& more) {
  return message_of([&] { SmallSite site(kConf + more); });
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A job that waits, with these fields, as squeue --json writes it.
QueueSnapshot queue_of(const std::string& fields) {
  QueueSnapshot out;
  read_queue_json(R"({"jobs": [{"job_id": 7, "job_state": "PENDING", )" + fields + "}]}", "q.json", out);
  return out;
}

}  // namespace

TEST_CASE("times of a queue that no clock here counts are the longest, or refused", "[slurm]") {
  const std::int64_t most = from_seconds(kMaxSeconds).count();
  CHECK(queue_of(R"("time_limit": {"set": true, "infinite": false, "number": 10})").jobs[0].limit == 600 * kS);
  for (const char* minutes : {"153722868", "9223372036854775807", "18446744073709551615", "1e300"})
    CHECK(queue_of(std::string("\"time_limit\": ") + minutes).jobs[0].limit == most);
  CHECK(queue_of(R"("submit_time": 1700000000)").jobs[0].submit == 1'700'000'000 * kS);
  CHECK_FALSE(queue_of(R"("submit_time": 0)").jobs[0].submit);
  CHECK(message_of([] { queue_of(R"("submit_time": 9300000000)"); }) ==
        "q.json: submit_time is 9300000000; expected seconds since 1970, up to 7776000000");
}

TEST_CASE("limits in events and in the configuration end at the longest span", "[slurm]") {
  const std::int64_t most = from_seconds(kMaxSeconds).count();
  CHECK(read_span("1000000000000")->seconds * kS == most);
  CHECK(read_span("1000000000000-0")->seconds * kS == most);
  ImportPage page;
  const auto jobs =
      read_events("-dt 1 -e submit_batch_job | -sim-walltime 60 --uid=u -t 1000000000000 job.sh\n", "x", page);
  CHECK(jobs[0].limit <= most);
  CHECK(jobs[0].limit > most - 60 * kS);
}

TEST_CASE("Slurm's times in all notations", "[slurm_import]") {
  const auto seconds = [](const char* text) {
    const auto span = read_span(text);
    return !span ? -2 : span->endless ? -1 : span->seconds;
  };
  CHECK(seconds("30") == 1800);
  CHECK(seconds("30:15") == 1815);
  CHECK(seconds("2:30:15") == 9015);
  CHECK(seconds("1-12") == 129600);
  CHECK(seconds("1-12:30") == 131400);
  CHECK(seconds("1-12:30:15") == 131415);
  CHECK(seconds("0-4") == 14400);
  CHECK(seconds("INFINITE") == -1);
  CHECK(seconds("unlimited") == -1);
  CHECK(seconds("-1") == -1);
  for (const char* wrong : {"", "1:2:3:4", "-5", "1-", "ten", "1d", "1-2-3"}) {
    INFO(wrong);
    CHECK(seconds(wrong) == -2);
  }
}

TEST_CASE("Slurm's memory and resources", "[slurm_import]") {
  CHECK(read_mebibytes("500000") == 500000);
  CHECK(read_mebibytes("16G") == 16384);
  CHECK(read_mebibytes("1500K") == 2);
  CHECK_FALSE(read_mebibytes("16X"));
  CHECK_FALSE(read_mebibytes(""));
  const std::vector<Gres> gres = read_gres("gpu:tesla:2(S:0-1),nic:1,gpu,gpu=3,gpu:a100", {});
  REQUIRE(gres.size() == 5);
  CHECK((gres[0].name == "gpu" && gres[0].type == "tesla" && gres[0].count == 2));
  CHECK((gres[1].name == "nic" && gres[1].count == 1));
  CHECK((gres[2].type.empty() && gres[2].count == 1));
  CHECK(gres[3].count == 3);
  CHECK((gres[4].type == "a100" && gres[4].count == 1));
}

TEST_CASE("nodes that are alike are one kind, and DEFAULT holds for those below", "[slurm_import]") {
  const SmallSite site;
  REQUIRE(site.machine.groups.size() == 2);
  const NodeKindSpec& n = site.machine.groups[1].spec;  // in the order of names, which is Slurm's
  CHECK(n.name == "n");
  CHECK(n.names == "n[1-4]");
  CHECK((n.processors == 2 && n.cores == 6 && n.memory_mib == 48000 && n.gpus == 0));
  CHECK(n.features == std::vector<std::string>{"IB"});
  const NodeKindSpec& g = site.machine.groups[0].spec;
  CHECK((g.names == "g1" && g.memory_mib == 96000 && g.gpus == 2 && g.gpu_type == "tesla" && g.features.empty()));
  CHECK(site.machine.layout->node_count() == 5);
}

TEST_CASE("partitions have Slurm's defaults, times and priorities", "[slurm_import]") {
  const SmallSite site;
  REQUIRE(site.machine.partitions.size() == 2);
  const SitePartition &all = site.machine.partitions[0], &few = site.machine.partitions[1];
  CHECK((all.spec.by_default && all.spec.nodes.empty() && all.spec.tier == 7 && all.job_factor == 7));
  CHECK(all.spec.max_time == whole_seconds(88200));
  CHECK(all.spec.default_time == whole_seconds(600));
  CHECK(all.memory_per_cpu == 1000);
  CHECK((!few.spec.by_default && !few.spec.max_time && few.spec.tier == 1));
  CHECK(few.spec.nodes == std::vector<std::string>{"n[1-2],g1"});
  CHECK(few.others == std::vector<std::pair<std::string, std::string>>{{"QOS", "fast"}});
}

TEST_CASE("GraceTime of a partition is in seconds, a number in the policy", "[slurm_import]") {
  const auto read = [](const std::string& grace) {
    return SmallSite("NodeName=n CPUs=4\nPartitionName=low Nodes=n GraceTime=" + grace + "\n")
        .machine.partitions[0]
        .grace;
  };
  CHECK(read("20") == 20);
  CHECK_THROWS_WITH(read("00:20"), Catch::Contains("GraceTime=00:20 is not a number"));
}

TEST_CASE("settings become parameters under Slurm's names, and unknown ones are named with their line",
          "[slurm_import]") {
  const SmallSite site;
  std::vector<std::string> names;
  for (const auto& [name, value] : site.settings.params) names.push_back(name);
  CHECK(names == std::vector<std::string>{"bf_interval", "PriorityWeightAge"});
  CHECK(site.settings.params[1].second == Value(100));
  CHECK((site.settings.memory_counts && !site.settings.whole_nodes && site.settings.cluster == "reef"));
  const std::string page = site.page.markdown("x");
  CHECK(has(page, "| `bf_novelty=10` | slurm.conf:2 | not known |"));
}

TEST_CASE("spans become seconds", "[slurm_import]") {
  const SmallSite site("PriorityMaxAge=0-5\nPriorityDecayHalfLife=7-0\nPriorityCalcPeriod=5\nKillWait=10\n" + kConf);
  CHECK(site.settings.params[0].second == Value(18000));
  CHECK(site.settings.params[1].second == Value(604800));
  CHECK(site.settings.params[2].second == Value(300));
  CHECK(site.settings.kill_wait == 10);
}

TEST_CASE("nodes that are powered down", "[slurm_import][power]") {
  CHECK_FALSE(has(scenario_text(SmallSite(kConf).as_site(), "t"), "[power]"));
  const SmallSite never("SuspendTime=INFINITE\nSuspendExcNodes=n1\n" + kConf);
  CHECK_FALSE(has(scenario_text(never.as_site(), "t"), "[power]"));
  const SmallSite site("SuspendTime=600\nResumeTimeout=300\nSuspendExcNodes=n[1-2]:1,g1\nSuspendExcParts=few,few\n" +
                       kConf);
  CHECK(has(scenario_text(site.as_site(), "t"), "[power]\nidle = 600\nboot = 300\nshutdown = 30\n"
                                                "except = [\"n[1-2]\", \"g1\", \"n[1-2],g1\"]\n"));
  CHECK(has(site.page.markdown("x"), "all of these nodes stay on, not only so many"));
}

TEST_CASE("what is wrong in slurm.conf is said with file and line", "[slurm_import]") {
  const auto at = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(has(text, "slurm.conf:13: "));
    CHECK(has(text, part));
  };
  at(complaint("PartitionName=x Nodes=n[1-9]\n"),
     "partition 'x' names 'n5', which is not a node; expected nodes of NodeName lines: n[1-4]");
  at(complaint("PartitionName=x Nodes=n1 MaxTime=soon\n"), "MaxTime=soon is not a time");
  at(complaint("PartitionName=x Nodes=n1 PriorityTier=high\n"), "PriorityTier=high is not a number");
  at(complaint("PartitionName=all Nodes=n1\n"), "two partitions are called 'all'");
  at(complaint("NodeName=n2\n"), "node 'n2' appears twice");
  at(complaint("NodeName=x RealMemory=lots\n"), "RealMemory=lots is not a number");
  at(complaint("NodeName=x[1-\n"), "is not a valid list of nodes");
  at(complaint("NodeName=x Gres=gpu:2x\n"), "has no count");
  at(complaint("PriorityWeightQOS=much\n"), "PriorityWeightQOS=much cannot be read");
  at(complaint("SuspendTime=soon\n"), "SuspendTime=soon cannot be read");
  at(complaint("PriorityMaxAge=7d\n"), "PriorityMaxAge=7d cannot be read");
  at(complaint("PartitionName=x No"),
     "'No' is not a setting; expected KEY=VALUE; a file that was cut off ends like this");
  at(complaint("Reason=\"never closed\n"), "unterminated quote");
  at(complaint("Include other.conf\n"), "the file 'other.conf' does not exist");
  at(complaint("PriorityFlags=A,\\"), "the file ends within a line");
}

TEST_CASE("node sets name nodes by lists and by features, each node once", "[slurm_import]") {
  const SmallSite site(kConf + "NodeSet=ib Feature=IB\nNodeSet=both Nodes=n1,g1\nPartitionName=sets Nodes=ib,both\n");
  REQUIRE(site.machine.layout->partitions.size() == 3);
  CHECK(site.machine.layout->partitions[2].nodes.count() == 5);
  CHECK(complaint("NodeSet=x Feature=none\n") == "no error");
  const SmallSite by_feature(kConf + "PartitionName=some Nodes=n1,feature{IB}\nPartitionName=none Nodes=feature{no}\n");
  CHECK(by_feature.machine.layout->partitions[2].nodes.count() == 4);  // without g1
  CHECK(by_feature.machine.empty_partitions == std::vector<std::string>{"none"});
  CHECK(has(complaint("PartitionName=x Nodes=switch{s1}\n"), "nodes by 'switch' are not read: 'switch{s1}'; expected "
                                                             "names of nodes, a NodeSet, or feature{...}"));
  CHECK(has(complaint("PartitionName=x Nodes=feature{IB\n"), "'feature{IB' has no closing brace"));
  CHECK(has(complaint("NodeSet=g1 Feature=IB\n"), "slurm.conf:13: the node set 'g1' is called as a node is"));
}

TEST_CASE("a job of several partitions may have nodes of any, of the first one first", "[slurm_import]") {
  SmallSite site;
  const RecordedWorkload odd = site.jobs(event("-n 1 -A lab|x -q hi\"gh|\\u007c") + event("-n 1 -A other"));
  REQUIRE(odd.workload.jobs.size() == 2);
  const auto is_named = [&](const char* kind, const char* name) {
    return std::ranges::any_of(odd.names, [&](const auto& n) { return n.kind == kind && n.name == name; });
  };
  CHECK(is_named("group", "lab|x"));
  CHECK(is_named("queue", "hi\"gh|\\u007c"));
  const RecordedWorkload r = site.jobs(event("-n 1 -p few,all"));
  REQUIRE(r.workload.jobs.size() == 1);
  CHECK(r.workload.requests[r.workload.jobs[0].request].partitions == std::vector<std::int32_t>{1, 0});
  CHECK(has(message_of([&] { site.jobs(event("-n 1 -p few,none")); }), "there is no partition 'none'"));
}

TEST_CASE("names of other releases are known, and what is not modelled says what that may do", "[slurm_import]") {
  const SmallSite site(kConf +
                       "FastSchedule=1\nPrEpPlugins=prep/script\nTopologyParam=Dragonfly\nPreemptExemptTime=-1\n"
                       "PriorityWeightTRES=CPU=1,Mem=2\nDownNodes=n1 State=DOWN\n");
  const std::string page = site.page.markdown("x");
  CHECK_FALSE(has(page, "slurm.conf:13 | not known |"));
  for (int line = 14; line < 19; ++line)
    CHECK_FALSE(has(page, "slurm.conf:" + std::to_string(line) + " | not known |"));
  CHECK(has(page, "| `DownNodes=n1` | slurm.conf:18 | left out: State=DOWN |"));
  const auto param = [&](const std::string& name) {
    for (const auto& [key, value] : site.settings.params)
      if (key == name) return value;
    return Value(std::string("absent"));
  };
  CHECK(param("PreemptExemptTime") == Value(std::int64_t{0}));
  CHECK(param("PriorityWeightTRES") == Value(std::string("CPU=1,Mem=2")));
}

TEST_CASE("included files are read in their place", "[slurm_import]") {
  ScratchFolder folder;
  folder.write("nodes.conf", "NodeName=n1\nPartitionName=p Nodes=n1\n");
  const std::string path = folder.write("slurm.conf", "include nodes.conf\n");
  CHECK(read_conf(path).size() == 2);
  CHECK(read_conf(folder.write("absolute.conf", "Include /etc/slurm/nodes.conf\n")).size() == 2);
  folder.write("loop.conf", "Include loop.conf\n");
  CHECK(has(message_of([&] { read_conf(folder / "loop.conf"); }), "include one another without end"));
}

TEST_CASE("a file may begin with a byte order mark, and include files by the name of the cluster", "[slurm_import]") {
  ScratchFolder folder;
  folder.write("inc_reef.conf", "\xEF\xBB\xBFNodeName=n1\n");
  const std::vector<ConfLine> conf = read_conf(folder.write("slurm.conf", "\xEF\xBB\xBF"
                                                                          "ClusterName=reef\nInclude inc_%c.conf\n"));
  REQUIRE(conf.size() == 2);
  CHECK(conf[0].first().key == "ClusterName");
  CHECK(conf[1].first().key == "NodeName");
  CHECK(has(message_of([&] { read_conf(folder.write("early.conf", "Include inc_%c.conf\nClusterName=reef\n")); }),
            "early.conf:1: 'inc_%c.conf' has the cluster's name in the place of %c, which is not known yet; expected a "
            "line ClusterName=NAME above"));
  folder.write("other.conf", "ClusterName=bay\nInclude inc_%c.conf\n");
  CHECK(has(message_of([&] { read_conf(folder / "other.conf"); }), "the file 'inc_bay.conf' does not exist"));
}

TEST_CASE("a machine whose nodes are all down is said to be so", "[slurm_import]") {
  CHECK(has(
      message_of([] { SmallSite("NodeName=DEFAULT CPUs=4 State=DOWN\nNodeName=n[1-2]\nPartitionName=p Nodes=ALL\n"); }),
      "slurm.conf:1: no node is left: State=DOWN and the like leave all of them out; expected nodes without State"));
  CHECK(has(message_of([] { SmallSite("PartitionName=p Nodes=ALL\n"); }), "there is no line NodeName=..."));
}

TEST_CASE("switches that stand below themselves", "[slurm_import]") {
  const SmallSite site;
  const auto said_of = [&](const std::string& topology) {
    ScratchFolder folder;
    ImportPage page;
    const std::vector<ConfLine> lines = read_conf(folder.write("topology.conf", topology));
    return message_of([&] { read_topology(lines, site.machine, page); });
  };
  const std::string leaf = "SwitchName=leaf Nodes=n[1-4],g1\n";
  CHECK(has(said_of(leaf + "SwitchName=a Switches=b\nSwitchName=b Switches=a,leaf\n"),
            "topology.conf:3: switch 'a' is its own ancestor"));
  CHECK(has(said_of("SwitchName=a Switches=a\n"), "topology.conf:1: switch 'a' is its own ancestor"));
  CHECK(said_of(leaf + "SwitchName=a Switches=leaf\nSwitchName=b Switches=leaf\nSwitchName=c Switches=a,b\n") ==
        "no error");
}

TEST_CASE("what gres.conf says beside slurm.conf", "[slurm_import]") {
  const SmallSite typed("NodeName=g[1-2] Gres=gpu:2\nPartitionName=p Nodes=ALL\n",
                        "AutoDetect=off\nNodeName=g[1-2] Name=gpu Type=v100 File=/dev/nvidia[0-1]\n");
  CHECK(typed.machine.groups[0].spec.gpu_type == "v100");
  CHECK_FALSE(has(typed.page.markdown("x"), "which counts"));
  const SmallSite other("NodeName=g1 Gres=gpu:2\nPartitionName=p Nodes=ALL\n", "NodeName=g1 Name=gpu\n");
  CHECK(other.machine.groups[0].spec.gpus == 2);
  CHECK(has(other.page.markdown("x"), "| gres.conf:1 | slurm.conf says 2, which counts here; Slurm drains nodes"));
}

TEST_CASE("CPUs that contradict sockets, and nodes that are not there", "[slurm_import]") {
  const SmallSite site(
      "NodeName=a CPUs=10 Sockets=2 CoresPerSocket=6\nNodeName=b[1-2] CPUs=4 State=FUTURE\n"
      "NodeName=t CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2\nPartitionName=p Nodes=a,b[1-2],t\n");
  REQUIRE(site.machine.groups.size() == 2);
  CHECK(site.machine.groups[0].spec.processors * site.machine.groups[0].spec.cores == 12);
  CHECK(site.machine.groups[1].spec.cores == 8);
  CHECK(site.machine.partitions[0].spec.nodes == std::vector<std::string>{"a,t"});
  const std::string page = site.page.markdown("x");
  CHECK(has(page,
            "| `CPUs=10` | slurm.conf:1 | matches neither 2 sockets nor their 12 cores nor their 12 threads: Slurm "
            "makes 12 of it |"));
  CHECK(has(page, "left out: State=FUTURE"));
  CHECK(has(page, "threads of a core count as processors of their own"));
}

TEST_CASE("submissions get what Slurm would give them", "[slurm_import]") {
  SmallSite site;
  site.associations.default_account["u"] = "physics";
  const RecordedWorkload r = site.jobs(
      "-dt 10.50 -e submit_batch_job | -jid 1001 -sim-walltime 15.25 --uid=U -t 00:07:30 -n 24 --ntasks-per-node=12 -A "
      "Ocean -p few -q Fast --gres=gpu:tesla:1 --gres=gpu:tesla:2 --constraint=IB --exclusive job.sh arg\n"
      "-dt 11 -e submit_batch_job | -J jobid_01002 -sim-walltime -1 --uid=u -N 2 -n 3 --mem=2G job.sh\n"
      "-dt 11.25 -e submit_batch_job | -J jobid_7 -sim-walltime 0 --uid=u -t 1 -n 13 --mem-per-cpu=100 job.sh\n");
  const auto& jobs = r.workload.jobs;
  REQUIRE(jobs.size() == 3);
  const auto request = [&](int i) { return r.workload.requests[jobs[static_cast<std::size_t>(i)].request]; };
  CHECK((jobs[0].id == 1001 && jobs[1].id == 1002 && jobs[2].id == 7));
  CHECK(jobs[0].submit.time_since_epoch().count() == kS / 2);
  CHECK(jobs[1].submit.time_since_epoch().count() == kS);
  CHECK(jobs[2].submit.time_since_epoch().count() == kS + kS / 4);
  CHECK(jobs[0].runtime.count() == 15 * kS + kS / 4);
  CHECK(jobs[0].limit == whole_seconds(480));
  CHECK((request(0).nodes == 2 && request(0).cores == 12 * kWholeCore && request(0).gpus == 2 && request(0).exclusive));
  CHECK(request(0).gpu_types.size() == 1);
  CHECK(request(0).memory_mib == 12000);
  CHECK_FALSE(request(0).features.empty());
  CHECK(jobs[1].limit == whole_seconds(600));
  CHECK(jobs[1].runtime > jobs[1].limit);
  CHECK((request(1).nodes == 2 && request(1).cores == 2 * kWholeCore && request(1).memory_mib == 2048));
  CHECK_FALSE(request(1).exclusive);
  CHECK(jobs[2].runtime.count() == kS / 1000);
  CHECK((request(2).nodes == 2 && request(2).memory_mib == 700));
  const auto name = [&](const char* kind, std::int32_t number) {
    for (const auto& n : r.names)
      if (n.kind == kind && n.number == number) return n.name;
    return std::string();
  };
  CHECK(name("user", jobs[0].user) == "u");
  CHECK(name("group", jobs[0].group) == "ocean");
  CHECK(name("group", jobs[1].group) == "physics");
  CHECK(name("partition", jobs[0].partition) == "few");
  CHECK(name("partition", jobs[1].partition) == "all");
  CHECK(name("queue", jobs[0].queue) == "fast");
}

TEST_CASE("memory that is not said: the partition's, the cluster's, or all of a node", "[slurm_import]") {
  const std::string machine = "NodeName=n[1-2] CPUs=4 RealMemory=8000\n", p = "PartitionName=p Nodes=ALL";
  const auto request = [&](const std::string& conf) {
    SmallSite site(conf);
    const RecordedWorkload r = site.jobs(event("-n 2"));
    return r.workload.requests[r.workload.jobs[0].request];
  };
  const std::string counts = "SelectTypeParameters=CR_CPU_Memory\n";
  CHECK(request(counts + machine + p + " DefMemPerNode=3000\n").memory_mib == 3000);
  CHECK(request(counts + "DefMemPerCPU=500\n" + machine + p + "\n").memory_mib == 1000);
  CHECK(request(counts + machine + p + "\n").exclusive);
  CHECK_FALSE(request(machine + p + "\n").exclusive);
  CHECK(request(machine + p + " DefMemPerCPU=500\n").memory_mib == 0);
  CHECK(request("SelectType=select/linear\n" + machine + p + "\n").exclusive);
}

TEST_CASE("what is wrong in a file of events is said with its line", "[slurm_import]") {
  const auto wrong = [](const std::string& line) {
    SmallSite site;
    return message_of([&] { site.jobs(event("-n 1") + line); });
  };
  CHECK(has(wrong("-dt 5 -e submit_batch_job -n 1\n"), "x.events:2: the line has no bar"));
  CHECK(has(wrong("-dt 5 -e submit_batch_job | -sim-walltime 5 -t 00:"), "x.events:2: -t is '00:'"));
  CHECK(has(wrong("-dt 5 -e submit_batch_job | -sim-walltime 5 -t"), "x.events:2: -t has no value"));
  CHECK(has(wrong("-dt 5 -e submit_batch_job | -sim-walltime 5 -t 5\n"), "does not end with a script"));
  CHECK(has(wrong(event("--mem=5X")), "x.events:2: --mem is '5X'"));
  CHECK(has(wrong(event("-x 5")), "x.events:2: there is no option -x"));
  CHECK(has(wrong(event("-p none")), "x.events:2: there is no partition 'none'"));
  CHECK(has(wrong(event("-jid 4") + event("-jid 4")), "x.events:3: there is a job 4 already"));
  CHECK(has(wrong("-dt soon -e submit_batch_job | x\n"), "x.events:2: -dt is 'soon'"));
  SmallSite site;
  site.jobs(event("-n 1 --nice=5") + event("-n 1 --nice=6") + "-dt 9 -e cancel_job | -jid 1 x\n");
  CHECK(has(site.page.markdown("x"), "| `option --nice` | x.events:1 | 2 lines; not modelled |"));
  CHECK(has(site.page.markdown("x"), "| `event cancel_job` | x.events:3 | 1 lines; not modelled |"));
}

TEST_CASE("a key that is one of Slurm's but for a slip is an error, as Slurm refuses the file", "[slurm_import]") {
  const auto refused = [](const std::string& line, const std::string& key, const std::string& meant) {
    const std::string said = complaint(line);
    INFO(said);
    CHECK(has(said, "slurm.conf:13: there is no setting '" + key + "': Slurm refuses such a file; expected " + meant));
  };
  refused("NodeName=x ReelMemory=64000\n", "ReelMemory", "RealMemory");
  refused("NodeName=x CPU=4\n", "CPU", "CPUs");
  refused("PartitionName=x Nodes=n1 MaxTimes=10\n", "MaxTimes", "MaxTime");
  refused("PartitionName=x Nodes=n1 DefMemPreCPU=10\n", "DefMemPreCPU", "DefMemPerCPU");
  refused("PriorityWeigthAge=10\n", "PriorityWeigthAge", "PriorityWeightAge");
  refused("NodeNam=x CPUs=4\n", "NodeNam", "NodeName");
  refused("NodNam=x CPUs=4\n", "NodNam", "NodeName");
  refused("ResumeTimout=60\n", "ResumeTimout", "ResumeTimeout");
  refused("PartitonName=x Nodes=n1\n", "PartitonName", "PartitionName");
  refused("NodSet=x Nodes=n1\n", "NodSet", "NodeSet");
  CHECK(complaint("NodeName=x CpuSpecList=1\nNovelSetting=5\nPartitionName=x Nodes=n1 DefMemPerGPU=5 Hidden=YES\n") ==
        "no error");
  const auto misspelt = [](const std::string& line, const std::string& word) {
    INFO(line);
    CHECK(has(complaint(line), "slurm.conf:13: "));
    CHECK(has(complaint(line), "'" + word + "'"));
  };
  misspelt("PreemptMode=REQEUE\n", "REQEUE");
  misspelt("PreemptMode=GANG,SUSPEDN\n", "SUSPEDN");
  misspelt("PreemptType=preempt/qso\n", "preempt/qso");
  misspelt("PriorityType=priority/multifacto\n", "priority/multifacto");
  misspelt("SchedulerType=sched/backfil\n", "sched/backfil");
  misspelt("SelectType=select/cons_tre\n", "select/cons_tre");
  misspelt("PriorityFlags=NO_FAIR_TRE\n", "NO_FAIR_TRE");
  misspelt("PartitionName=x Nodes=n1 PreemptMode=REQEUE\n", "REQEUE");
  misspelt("NodeName=x State=DRIAN\n", "DRIAN");
  misspelt("PartitionName=x Nodes=n1 State=UPP\n", "UPP");
  misspelt("PartitionName=x Nodes=n1 OverSubscribe=FORC:4\n", "FORC");
  misspelt("SelectTypeParameters=CR_Core_Memmory\n", "CR_Core_Memmory");
  misspelt("PriorityWeightTRES=CPUU=100\n", "CPUU");
  misspelt("PriorityWeightTRES=Node=abc\n", "abc");
  misspelt("PriorityWeightTRES=GRES/gpus=100\n", "GRES/gpus");
  misspelt("PriorityWeightTRES=CPU\n", "CPU");
  misspelt("PartitionName=x Nodes=n1 TRESBillingWeights=\"CPU=1.0,Mem=0.25G,GRES/gpuu=2\"\n", "GRES/gpuu");
  misspelt("PartitionName=x Nodes=n1 TRESBillingWeights=GRS/gpu=2\n", "grs");
  const auto parameter = [](const std::string& words, const std::string& meant) {
    const std::string said = complaint("SchedulerParameters=" + words + "\n");
    INFO(said);
    CHECK(has(said, "slurm.conf:13: SchedulerParameters has no '"));
    CHECK(has(said, "; expected " + meant));
  };
  parameter("bf_intervall=60", "bf_interval");
  parameter("bf_interval:60", "bf_interval=60");
  parameter("defer,asoc_limit_stop", "assoc_limit_stop");
  CHECK(complaint("PartitionName=x Nodes=n1 OverSubscribe=FORCE:4 State=INACTIVE TRESBillingWeights=\"cpu=1, "
                  "Mem=0.25G,GRES/gpu:a100=2.0,"
                  "License/matlab=.5\"\n") == "no error");
  CHECK(complaint("GresTypes=gpus\nPriorityWeightTRES=CPU=0,Mem=.03,GRES/gpus=30000\n") == "no error");
  CHECK(
      complaint("SelectTypeParameters=CR_Core_Memory,CR_ONE_TASK_PER_CORE,CR_New\nSchedulerParameters=new_word=5\n") ==
      "no error");
  misspelt("PartitionName=x Nodes=n1 ExclusiveUser=YESS\n", "YESS");
  CHECK(has(complaint("PartitionName=x Nodes=n1 MaxCPUsPerNode=all\n"), "MaxCPUsPerNode=all is not a number"));
  CHECK(complaint("PartitionName=x Nodes=n1 MaxCPUsPerNode=UNLIMITED ExclusiveUser=no\n") == "no error");
  CHECK(has(complaint("PartitionName=x Nodes=n1 Default=YSE\n"), "Default=YSE cannot be read; expected YES or NO"));
  CHECK(complaint("ResumeProgram=/bin/up\nSuspendRate=5\nResumeFailProgram=/bin/no\n") == "no error");
  CHECK(complaint("PreemptMode=gang,suspend\nPriorityFlags=no_fair_tree\nNodeName=x State=IDLE\n") == "no error");
  CHECK(has(message_of([] { SmallSite(kConf, "NodeName=g1 Nane=gpu Type=tesla\n"); }),
            "gres.conf:1: there is no setting 'Nane'"));
  CHECK(has(message_of([] { SmallSite(kConf, "NodNam=g1 Name=gpu Type=tesla\n"); }),
            "gres.conf:1: there is no setting 'NodNam'"));
  CHECK(has(SmallSite(kConf + "NovelSetting=5\n").page.markdown("x"),
            "| `NovelSetting=5` | slurm.conf:13 | not known |"));
}

TEST_CASE("how many jobs of a partition may have a core", "[slurm_import]") {
  const auto sharing = [](const std::string& settings) {
    const SmallSite site(kConf + settings + "\n");
    const PartitionSpec& spec = site.machine.partitions.back().spec;
    return std::pair(spec.oversubscribe, spec.oversubscribe_all);
  };
  const std::string x = "PartitionName=x Nodes=n1 ";
  CHECK(sharing(x) == std::pair(1, false));
  CHECK(sharing(x + "OverSubscribe=NO") == std::pair(1, false));
  CHECK(sharing(x + "OverSubscribe=EXCLUSIVE") == std::pair(1, false));
  CHECK(sharing(x + "OverSubscribe=YES") == std::pair(4, false));
  CHECK(sharing(x + "Shared=yes:2") == std::pair(2, false));
  CHECK(sharing(x + "OverSubscribe=FORCE") == std::pair(4, true));
  CHECK(sharing(x + "OverSubscribe=FORCE:3") == std::pair(3, true));
  CHECK(sharing(x + "OverSubscribe=FORCE:1") == std::pair(1, false));
  CHECK(sharing("PreemptMode=GANG,SUSPEND\n" + x + "OverSubscribe=FORCE:4") == std::pair(4, true));
  // Numbers as strtol reads them: what is none is 0, for which Slurm has NO.
  CHECK(sharing(x + "OverSubscribe=FORCE:two") == std::pair(1, false));
  CHECK(sharing(x + "OverSubscribe=YES:3x") == std::pair(3, false));
  CHECK(sharing(x + "OverSubscribe=FORCE:5000") == std::pair(1000, true));
  for (const char* none : {"NO:2", "EXCLUSIVE:2", "FORCED"})
    CHECK(has(message_of([&] { sharing(x + "OverSubscribe=" + none); }), "slurm.conf:"));
}

TEST_CASE("whose cores jobs of a partition may have beside their own", "[slurm_import]") {
  const std::string nodes = "NodeName=n[1-4] CPUs=4\nPartitionName=low Nodes=n[1-4] PriorityTier=1 ";
  const auto over = [&](const std::string& mode, const std::string& low, const std::string& high) {
    const SmallSite site(mode + "\n" + nodes + low + "\nPartitionName=high Nodes=n[1-4] PriorityTier=2 " + high + "\n");
    std::vector<std::string> found;
    for (const SitePartition& p : site.machine.partitions)
      found.push_back(fmt::format("{}", fmt::join(p.spec.over, ",")));
    return fmt::format("{}", fmt::join(found, " "));
  };
  const std::string tiers = "PreemptType=preempt/partition_prio\n";
  CHECK(over("", "", "") == " ");
  CHECK(over("", "OverSubscribe=FORCE:1", "") == "high ");
  CHECK(over("", "OverSubscribe=FORCE:2", "") == " ");  // with two rows they are over all others anyway
  CHECK(over("PreemptMode=GANG", "", "") == "high low");
  CHECK(over(tiers + "PreemptMode=SUSPEND,GANG", "", "") == " low");
  CHECK(over(tiers + "PreemptMode=SUSPEND,GANG", "OverSubscribe=FORCE:2", "") == "low low");
  CHECK(over(tiers + "PreemptMode=SUSPEND,GANG", "PreemptMode=OFF", "") == " ");
}

TEST_CASE("arrays of which some elements may run at a time are counted, in whatever blocks a dump comes",
          "[slurm_import]") {
  const std::string dump = "JobID|Submit|SubmitLine\n"
                           "7_1|x|sbatch --array=1-3%2 a.sh\n"
                           "7_1|x|sbatch --array=1-3%2 a.sh\n"  // it was requeued
                           "7_1.batch|x|\n"
                           "7_3|x|sbatch --array=1-3%2 a.sh\n"
                           "8_1|x|sbatch --array=1-2 a.sh\n"
                           "9|x|sbatch job_1.sh\n"
                           "12_[5-9%4]|x|\n"
                           "12_4|x|\n";
  for (const std::size_t block : {std::size_t{1}, std::size_t{7}, dump.size()}) {
    ArraySurvey survey;
    for (std::size_t at = 0; at < dump.size(); at += block) survey.take(std::string_view(dump).substr(at, block));
    CHECK(survey.limited() == std::map<std::int64_t, std::int64_t>{{7, 2}, {12, 1}});
  }
  const SmallSite small;
  Site site = small.as_site();
  CHECK(policy_text(site).find("arrays") == std::string::npos);
  site.arrays = {{7, 2}};
  CHECK(has(policy_text(site), "  arrays = {\n    { number = 7, elements = 2 },\n  },\n"));
}

TEST_CASE("what defer means is said", "[slurm_import]") {
  const SmallSite site("SchedulerParameters=defer\nNodeName=n1\nPartitionName=p Nodes=n1\n");
  const std::string page = site.page.markdown("x");
  CHECK(has(page, "| `defer` | slurm.conf:1 | jobs are tried at the daemon's next look"));
}

}  // namespace slurm_import_test
