// Accounts, users and qualities of service from sacctmgr's commands and dumps; the whole import of small files.
#include "catch.h"
#include "formats/sacct.h"
#include "message_of.h"
#include "scratch_folder.h"
#include "shared_files.h"
#include "slurm/associations.h"
#include "slurm/import.h"

namespace slurm_associations_test {

using namespace coslice;
using namespace coslice::slurm;

namespace {

struct ReadAssociations {
  explicit ReadAssociations(const std::string& text)
      : all(read_associations(folder.write("site.script", text), page)) {}
  ScratchFolder folder;
  ImportPage page;
  Associations all;
};

Value limit(const slurm::Limits& limits, const char* name) {
  const auto found = limits.find(name);
  return found == limits.end() ? Value() : found->second;
}

std::string wrong(const std::string& line) {
  return message_of([&] { ReadAssociations read("add account name=a\n" + line + "\n"); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

const std::string& file_of(const Import& import, const std::string& name) {
  for (const auto& [file, text] : import.files)
    if (file == name) return text;
  throw std::runtime_error("no file " + name);
}

/// Where an import's jobs go.
std::function<void(std::string_view)> into(std::string& trace) {
  return [&trace](std::string_view block) { trace += block; };
}

}  // namespace

TEST_CASE("commands of sacctmgr", "[slurm_import]") {
  ReadAssociations read(
      "# a comment\n"
      "modify QOS set normal Priority=5\n"
      "sacctmgr -i add qos Name=fast Priority=100 MaxTRESPU=cpu=64 MaxJobsPU=3 MaxSubmitPU=9 MaxWall=1-0 "
      "GraceTime=20 PreemptExemptTime=2\n"
      "add cluster Name=reef Fairshare=1 QOS=normal\n"
      "add account name=science Fairshare=60 Description=\"all of it\"\n"
      "add account Ocean parent=science Fairshare=30 GrpTRES=cpu=100,gres/gpu=4\n"
      "add user ann,Bob Account=ocean MaxSubmitJobs=7\n"
      "add user name=cleo DefaultAccount=science Fairshare=parent\n"
      "modify user set qoslevel=\"normal,fast\" where name=ann\n"
      "modify user bob set MaxJobs=4\n"
      "modify qos normal set GraceTime=00:01:30\n"
      "modify user where name=bob set MaxSubmitJobs=-1\n"
      "modify user name=cleo set qos+=fast\n"
      "add user name=gone Account=science\n"
      "remove user where name=gone\n"
      "list associations\n");
  Associations& a = read.all;
  REQUIRE(a.qos.size() == 2);
  CHECK(limit(a.find_qos("normal")->limits, "Priority") == Value(5));
  const slurm::Limits& fast = a.find_qos("fast")->limits;
  CHECK(limit(fast, "MaxTRESPerUser") == Value("cpu=64"));
  CHECK(limit(fast, "MaxJobsPerUser") == Value(3));
  CHECK(limit(fast, "MaxSubmitJobsPerUser") == Value(9));
  CHECK(limit(fast, "MaxWallDurationPerJob") == Value(86400));
  CHECK(limit(fast, "GraceTime") == Value(20));
  CHECK(limit(a.find_qos("normal")->limits, "GraceTime") == Value(90));
  CHECK(limit(fast, "PreemptExemptTime") == Value(120));
  CHECK(a.find_account("ocean")->parent == "science");
  CHECK(limit(a.find_account("ocean")->limits, "GrpTRES") == Value("cpu=100,gres/gpu=4"));
  CHECK(limit(a.find_user("ann", "ocean")->limits, "QOS") == Value("normal,fast"));
  CHECK(limit(a.find_user("ann", "ocean")->limits, "MaxSubmitJobs") == Value(7));
  CHECK(limit(a.find_user("bob", "ocean")->limits, "MaxJobs") == Value(4));
  CHECK(limit(a.find_user("bob", "ocean")->limits, "MaxSubmitJobs").is_nil());
  CHECK(limit(a.find_user("bob", "ocean")->limits, "QOS") == Value("normal"));
  CHECK(limit(a.find_user("cleo", "science")->limits, "QOS") == Value("normal,fast"));
  CHECK(limit(a.find_user("cleo", "science")->limits, "Fairshare") == Value("parent"));
  CHECK(a.default_account.at("cleo") == "science");
  CHECK(a.find_user("gone", "science") == nullptr);
  CHECK(contains(read.page.markdown("x"), "| `Description=all of it` | site.script:5 | does not affect scheduling |"));
}

TEST_CASE("commands of sacctmgr by their first letters, and those that change no associations", "[slurm_import]") {
  ReadAssociations read("crea acct name=phys fairshare=5\n"
                        "add coordinator account=phys names=ann\nadd wckey x\nadd federation f clusters=a,b\n"
                        "add res name=matlab server=s count=10 type=license\nadd tres type=gres name=gpu\n"
                        "cre u ann account=phys\nmod acc phys set grpjobs=7\nupd us where name=ann set maxjobs=2\n"
                        "add user bob account=phys\ndel user bob\nrollup\nclear stats\nlis assoc\nsho qos\n");
  CHECK(limit(read.all.find_account("phys")->limits, "GrpJobs") == Value(7));
  CHECK(limit(read.all.find_user("ann", "phys")->limits, "MaxJobs") == Value(2));
  CHECK(read.all.find_user("bob", "phys") == nullptr);
  CHECK(contains(read.page.markdown("x"), "licences of slurmdbd are not read"));
}

TEST_CASE("wrong commands of sacctmgr are named with their line", "[slurm_import]") {
  CHECK(contains(wrong("ad account name=b"), "site.script:2: 'ad' is not a command of sacctmgr"));
  CHECK(contains(wrong("add acount name=b"), "site.script:2: 'acount' is not an entity of sacctmgr"));
  CHECK(contains(wrong("add account"), "site.script:2: the command names no account"));
  CHECK(contains(wrong("add user name=u Account=b"), "site.script:2: there is no account 'b'"));
  CHECK(contains(wrong("add user name=u"), "site.script:2: user 'u' has no account"));
  CHECK(contains(wrong("modify user where name=u set MaxJobs=3"), "site.script:2: there is no user 'u'"));
  CHECK(contains(wrong("add qos name=q Priority=high"), "site.script:2: Priority=high cannot be read"));
  CHECK(contains(wrong("modify account a set GrpTRES=cpus=4"),
                 "site.script:2: GrpTRES has 'cpus', which is not a resource of Slurm; expected cpu, mem, node, "
                 "billing, gres/NAME or "
                 "license/NAME; did you mean 'cpu'?"));
  CHECK(contains(wrong("modify account a set GrpTRES=gres/gpus=4"), "site.script:2: GrpTRES has 'gres/gpus'"));
  CHECK(contains(wrong("modify account a set GrpTRES=cpu=many"), "site.script:2: cpu of GrpTRES is 'many'"));
  CHECK(contains(wrong("modify account a set qos+=norml"),
                 "site.script:2: there is no quality of service 'norml'; expected one that a line above "
                 "adds; did you mean 'normal'?"));
  CHECK(contains(wrong("modify qos normal set flags=NoReserv"),
                 "site.script:2: flags has no 'NoReserv': Slurm refuses such a file; expected NoReserve"));
  CHECK(contains(wrong("modify qos normal set PreemptMode=Requeu"), "'Requeu'"));
  CHECK(contains(wrong("modify account a set MaxSumbitJobs=50"),
                 "site.script:2: there is no setting 'MaxSumbitJobs': Slurm refuses such a file; "
                 "expected MaxSubmitJobs"));
  CHECK(contains(wrong("modify account a set Fairshare=parnt"),
                 "site.script:2: Fairshare=parnt cannot be read; expected a number, or parent"));
  CHECK(wrong("modify account a set GrpCPUs=4 MaxNodes=2 GrpTRES=cpu=-1,mem=2G") == "no error");
  CHECK(contains(wrong("add qos name=q Description=\"cut"), "site.script:2: unterminated quote"));
}

TEST_CASE("flags and qualities of service are added and taken away", "[slurm_import]") {
  ReadAssociations read(
      "add qos fast flags=DenyOnLimit\nmodify qos fast set flags+=NoReserve,OverPartQOS\n"
      "modify qos fast set flags-=denyonlimit\nadd account a qos=normal\nadd account b qos=normal,fast\n"
      "modify account a set qos=+fast\nmodify account b set qos-=fast\n");
  CHECK(limit(read.all.find_qos("fast")->limits, "Flags") == Value("NoReserve,OverPartQOS"));
  CHECK(limit(read.all.find_account("a")->limits, "QOS") == Value("normal,fast"));
  CHECK(limit(read.all.find_account("b")->limits, "QOS") == Value("normal"));
  CHECK(contains(message_of([] { ReadAssociations wrong_dump("Account - 'a':GrpTRES=cpuu=100\n"); }),
                 "site.script:1: GrpTRES has 'cpuu'"));
  CHECK(contains(message_of([] { ReadAssociations wrong_dump("Account - 'a':MaxSumbitJobs=100\n"); }),
                 "expected MaxSubmitJobs"));
}

TEST_CASE("what sacctmgr shows is told from what it dumps, and said", "[slurm_import]") {
  const auto said = [](const std::string& text) {
    return message_of([&] {
      ScratchFolder folder;
      ImportPage page;
      read_associations(folder.write("assoc.txt", text), page);
    });
  };
  const auto is = [&](const std::string& text, const std::string& what) {
    INFO(text);
    const std::string message = said(text);
    CHECK(contains(message, what));
    CHECK(contains(message, "; expected what `sacctmgr dump CLUSTER file=FILE` writes"));
  };
  is("Cluster|Account|User|Partition|Share|Priority\nc|root||||1\n",
     "assoc.txt:1: is a table, as `sacctmgr show associations -P` prints it");
  is("\n   Cluster    Account       User  Partition     Share \n---------- ---------- ---------- ---------- --------- "
     "\n"
     "         c       root                               1 \n",
     "assoc.txt:2: is a table, as `sacctmgr show associations` prints it");
  is("      User   Def Acct     Admin \n---------- ---------- --------- \n      root       root Administ+ \n",
     "as `sacctmgr show user` prints it");
  is("Account|Descr|Org\nphys|phys|phys\n", "as `sacctmgr show account -P` prints it");
  is("Name|Priority|GraceTime|Preempt\nnormal|0|00:00:00|\n", "as `sacctmgr show qos -P` prints it");
  is("Cluster|ControlHost|ControlPort|RPC\nc|h|6817|9472\n", "as `sacctmgr show cluster -P` prints it");
  is("c|phys|ann||1|||\n", "assoc.txt:1: is a table without its head, as `sacctmgr show -nP` prints it");
  is("{\n \"associations\": []}\n", "is JSON, as `sacctmgr show --json` prints it");
  is("Account|User|RawShares|NormShares|RawUsage\nroot||||0\n", "as `sshare -P` prints it");
  is("Current Association Manager state\n\nUser Records\n", "is what `scontrol show assoc_mgr` prints");
  CHECK(said("add account name=phys\nadd user name=ann account=phys description='a|b|c'\n") == "no error");
}

TEST_CASE("of an association that a dump has twice the first counts", "[slurm_import]") {
  ScratchFolder folder;
  ImportPage page;
  const Associations all = read_associations(
      folder.write("assoc.cfg",
                   "Cluster - 'c':Fairshare=1\nQOS - 'hi':Priority=5\nQOS - 'hi':Priority=6\nParent - 'root'\n"
                   "Account - 'phys':Fairshare=2\nAccount - 'chem':Fairshare=1\nAccount - 'phys':Fairshare=9\n"
                   "Parent - 'phys'\nUser - 'ann':Fairshare=3\nUser - 'ann':Fairshare=7\n"
                   "User - 'ann':Partition='big':Fairshare=4\nParent - 'chem'\nUser - 'ann':Fairshare=5\n"),
      page);
  REQUIRE(all.users.size() == 3);
  CHECK(all.users[0].limits.at("Fairshare") == Value(std::int64_t{3}));
  CHECK(all.users[1].limits.at("Fairshare") == Value(std::int64_t{4}));
  CHECK(all.accounts[0].limits.at("Fairshare") == Value(std::int64_t{2}));
  CHECK(all.qos[0].limits.at("Priority") == Value(std::int64_t{5}));
  std::string warnings;
  for (const std::string& w : page.warnings()) warnings += w + "\n";
  for (const char* part : {"assoc.cfg:3: qos=hi: qos 'hi' stands in assoc.cfg:2, too, which counts",
                           "assoc.cfg:7: account=phys: account 'phys' stands in assoc.cfg:5, too",
                           "assoc.cfg:10: user=ann: user 'ann' in account 'phys' stands in assoc.cfg:9, too"}) {
    INFO(warnings);
    CHECK(contains(warnings, part));
  }
}

TEST_CASE("a dump of sacctmgr", "[slurm_import]") {
  const ReadAssociations read("# To edit this file start with a cluster line\n"
                              "Cluster - 'reef':Fairshare=1:QOS='normal'\n"
                              "Parent - 'root'\n"
                              "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
                              "Account - 'Science':Description='a: b':Fairshare=60\n"
                              "Parent - 'science'\n"
                              "Account - 'ocean':Fairshare=30:GrpTRES=cpu=100\n"
                              "Parent - 'ocean'\n"
                              "User - 'ann':DefaultAccount='ocean':Fairshare=2:MaxSubmitJobs=5\n");
  Associations a = read.all;
  CHECK(a.find_account("ocean")->parent == "science");
  CHECK(limit(a.find_account("science")->limits, "Fairshare") == Value(60));
  CHECK(limit(a.find_account("ocean")->limits, "GrpTRES") == Value("cpu=100"));
  CHECK(limit(a.find_user("ann", "ocean")->limits, "MaxSubmitJobs") == Value(5));
  CHECK(a.default_account.at("ann") == "ocean");
  CHECK(contains(message_of([] { ReadAssociations cut("Account - 'a':Fairshare=1\nUser - 'b"); }),
                 "site.script:2: unterminated quote"));
}

TEST_CASE("a dump of sacctmgr has qualities of service from Slurm 25.05 on", "[slurm_import]") {
  const ReadAssociations read(
      "# To edit this file start with a cluster line for the new cluster\n"
      "QOS - 'normal':Description='Normal QOS default'\n"
      "QOS - 'Rush':Description='it's: \"rush\" # 1':Flags='DenyOnLimit,NoReserve':GraceTime=90:GrpJobs=40:"
      "GrpTRES=cpu=500,gres/gpu:a100=6,gres/gpu=8,mem=2T,license/abaqus=3,1007=5:GrpTRESMins=cpu=90000:GrpWall=600:"
      "LimitFactor=2.000000:MaxJobsPA=9:MaxJobsPU=4:MaxJobsAccruePA=2:MaxSubmitJobsPA=70:MaxSubmitJobsPU=30:"
      "MaxTRESMinsPerJob=node=100:MaxTRESPerAccount=gres/gpu:h100=4:MaxTRESPerJob=cpu=64:MaxTRESPerNode=gres/gpu:1g.5gb"
      "=2:MaxTRESPerUser=bb/cray=10G,fs/disk=7,node=3:MaxTRESRunMinsPerAccount=cpu=70:MaxTRESRunMinsPerUser=cpu=60:"
      "MaxWallDurationPerJob=1440:MinPrioThresh=5:MinTRESPerJob=gres/gpu=1:Preempt='normal,idle':PreemptMode='requeue':"
      "PreemptExemptTime=150:Priority=1000:UsageFactor=1.500000:UsageThreshold=0.250000\n"
      "QOS - 'idle':Description='(null)':UsageFactor=0.000000\n"
      "Cluster - 'reef':Classification='capability':DefaultQOS='normal':Fairshare=1:QOS='idle,normal'\n"
      "Parent - 'root'\n"
      "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
      "Account - 'ocean':Description='d'Orsay's "
      "lab':Organization='a\nb':Fairshare=30:GrpTRES=gres/gpu:a100=2:MaxJobs=7:"
      "QOS='+rush,-idle'\n"
      "Parent - 'ocean'\n"
      "User - 'Ann':Partition='gpu':DefaultAccount='ocean':DefaultWCKey='w':Coordinator='ocean,sea':WCKeys='w,x':"
      "Comment='':DefaultQOS='rush':Fairshare=2147483647:MaxTRESRunMins=cpu=5\n");
  Associations a = read.all;
  REQUIRE(a.qos.size() == 3);
  const slurm::Limits& rush = a.find_qos("rush")->limits;
  CHECK(limit(rush, "Flags") == Value("DenyOnLimit,NoReserve"));
  CHECK(limit(rush, "GraceTime") == Value(90));
  CHECK(limit(rush, "GrpTRES") == Value("cpu=500,gres/gpu:a100=6,gres/gpu=8,mem=2T,license/abaqus=3,1007=5"));
  CHECK(limit(rush, "GrpWall") == Value(36000));
  CHECK(limit(rush, "LimitFactor") == Value(2.0));
  CHECK(limit(rush, "MaxJobsPerUser") == Value(4));
  CHECK(limit(rush, "MaxJobsPerAccount") == Value(9));
  CHECK(limit(rush, "MaxSubmitJobsPerUser") == Value(30));
  CHECK(limit(rush, "MaxTRESPerAccount") == Value("gres/gpu:h100=4"));
  CHECK(limit(rush, "MaxTRESPerNode") == Value("gres/gpu:1g.5gb=2"));
  CHECK(limit(rush, "MaxTRESRunMinsPerUser") == Value("cpu=60"));
  CHECK(limit(rush, "MaxTRESRunMinsPerAccount") == Value("cpu=70"));
  CHECK(limit(rush, "MaxWallDurationPerJob") == Value(86400));
  CHECK(limit(rush, "MinPrioThreshold") == Value(5));
  CHECK(limit(rush, "Preempt") == Value("normal,idle"));
  CHECK(limit(rush, "PreemptExemptTime") == Value(150));  // sacctmgr writes seconds there
  CHECK(limit(rush, "Priority") == Value(1000));
  CHECK(limit(rush, "UsageFactor") == Value(1.5));
  CHECK(limit(a.find_qos("idle")->limits, "UsageFactor") == Value(0.0));
  CHECK(limit(a.find_account("ocean")->limits, "GrpTRES") == Value("gres/gpu:a100=2"));
  CHECK(limit(a.find_account("ocean")->limits, "MaxJobs") == Value(7));
  CHECK(limit(a.find_account("ocean")->limits, "QOS") == Value("normal,rush"));
  CHECK(limit(a.find_account("ocean")->limits, "DefaultQOS") == Value("normal"));
  CHECK(limit(a.find_user("ann", "ocean")->limits, "QOS") == Value("normal,rush"));
  CHECK(limit(a.find_user("ann", "ocean")->limits, "DefaultQOS") == Value("rush"));
  CHECK(limit(a.find_user("ann", "ocean")->limits, "Fairshare") == Value("parent"));
  CHECK(contains(read.page.markdown("x"), "site.script:10"));  // a description has a line end
  CHECK(read.page.not_kept() ==
        std::vector<std::string>{
            "site.script:3: GrpTRES=license/abaqus=3 and 1 more: not modelled: no job is held to it",
            "site.script:3: MaxJobsAccruePA=2: not modelled: all waiting jobs gain age",
            "site.script:3: MaxTRESPerUser=bb/cray=10G and 1 more: not modelled: no job is held to it"});
  CHECK(read.page.warnings().empty());
}

TEST_CASE("what flags of a quality of service say and nobody keeps is warned of", "[slurm_import]") {
  const ReadAssociations dump(
      "QOS - 'part':Description='x':Flags='DenyOnLimit,PartitionTimeLimit,Relative,NoReserve':GrpTRES=cpu=50\n"
      "QOS - 'own':Description='x':Flags='NoDecay,OverPartQOS'\n");
  CHECK(
      dump.page.not_kept() ==
      std::vector<std::string>{
          "site.script:1: Flags=PartitionTimeLimit: not modelled: its jobs keep to MaxTime of their partition: longer "
          "ones are left out",
          "site.script:1: Flags=Relative: not modelled: the amounts of its limits are parts of the cluster in per "
          "cent, "
          "and count as they stand",
          "site.script:2: Flags=NoDecay: not modelled: what it has used fades as all does"});
  const ReadAssociations commands("add qos fast flags=DenyOnLimit\nmodify qos fast set flags-=Relative\n");
  CHECK(commands.page.not_kept().empty());
}

TEST_CASE("a dump of sacctmgr: entries stand in any order, and in any writing", "[slurm_import]") {
  const ReadAssociations read("\xEF\xBB\xBF  Parent - lab\r\n"
                              "User - bea:DefaultAccount=(null):MaxJobs=3 # by hand\r\n"
                              "user - \"cid\":QOS=\"a,b\":\\\r\n  MaxSubmitJobs=5\r\n"
                              "Parent - 'root'\r\n\r\n"
                              "Project - 'lab':Organization='o':GrpTRES=(null):GrpCPUs=40:GrpNodes=3:BurstCredits=9\r\n"
                              "Account - 'lab':GrpJobs=2\r\n"
                              "QOS - 'a':Preempt='b'\r\nQOS - 'b':Preempt='a'\r\n"
                              "Machine - 'c':DefaultQOS='gone':Fairshare=1\r\n");
  Associations a = read.all;
  CHECK(a.find_account("lab")->parent == "root");
  CHECK(limit(a.find_account("lab")->limits, "GrpTRES") == Value("cpu=40,node=3"));
  CHECK(limit(a.find_account("lab")->limits, "GrpJobs") == Value(2));
  CHECK(limit(a.find_user("bea", "lab")->limits, "MaxJobs") == Value(3));
  CHECK(a.default_account.at("bea") == "lab");
  CHECK(limit(a.find_user("cid", "lab")->limits, "QOS") == Value("a,b"));
  CHECK(limit(a.find_user("cid", "lab")->limits, "MaxSubmitJobs") == Value(5));
  CHECK(read.page.not_kept() ==
        std::vector<std::string>{"site.script:7: BurstCredits=9: this limit is not known, and not kept"});
  const std::vector<std::string> wrong = read.page.warnings();
  REQUIRE(wrong.size() == 2);
  CHECK(contains(wrong[0], "site.script:11: DefaultQOS=gone: there is no quality of service 'gone' in the dump"));
  CHECK(contains(wrong[1], "quality of service 'a' would preempt itself"));
  CHECK(
      contains(message_of([] { ReadAssociations lost("Parent - 'root'\nAccount - 'a'\nParent - 'b'\nUser - 'u'\n"); }),
               "site.script:3: there is no account 'b'"));
}

TEST_CASE("an import of sacct: the dump stays as it is, and its names have the numbers of the trace",
          "[slurm_import]") {
  ScratchFolder folder;
  const std::string dump =
      "JobID|User|Account|Partition|QOS|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES\n"
      "12|Bob|physics|p|normal|2026-03-01T08:00:00|2026-03-01T08:00:05|2026-03-01T08:00:15|00:00:10|COMPLETED|1|2|01:"
      "00|"
      "cpu=2,node=1\n"
      "13_4|ann|physics|old|fast|2026-03-01T08:00:01|2026-03-01T08:00:05|2026-03-01T08:00:15|00:00:10|TIMEOUT|1|2|01:"
      "00|"
      "cpu=2,node=1\n";
  ImportFiles files;
  files.conf = folder.write("slurm.conf", "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=ALL\n");
  files.jobs = folder.write("jobs", dump);
  files.associations = folder.write("a", "add account name=physics\nadd user name=carl,bob Account=physics\n");
  std::string trace;
  const Import import = import_slurm(files, into(trace));
  CHECK(import.jobs == 2);
  CHECK(trace == dump);
  const std::string& policy = file_of(import, "policy.lua");
  CHECK(contains(policy, "{ name = \"bob\", number = 1, account = \"physics\", Fairshare = 1 }"));
  CHECK(contains(policy, "{ name = \"ann\", number = 2, account = \"physics\", Fairshare = 1 }"));
  CHECK(contains(policy, "{ name = \"carl\", number = 3, account = \"physics\", Fairshare = 1 }"));
  CHECK(contains(policy, "{ name = \"physics\", number = 1, parent = \"root\", Fairshare = 1 }"));
  CHECK(contains(policy, "{ name = \"p\", number = 1, PriorityTier = 1, PriorityJobFactor = 1, nodes = 2, cpus = 8, "
                         "memory = 0, gpus = 0 }"));
  const std::string& page = file_of(import, "import.md");
  CHECK(contains(page, "user ann in account physics and 1 more"));
  CHECK(contains(page, "slurm.conf has no partition 'old' of 1 jobs"));
  files.jobs = folder.write("other", "what is this\n");
  CHECK(contains(message_of([&] { import_slurm(files, into(trace)); }),
                 "other:1: is neither a dump of sacct nor a file of events"));
}

TEST_CASE("fractions of a second and nodes of their own in a dump of sacct", "[slurm_import][convert]") {
  const RecordedWorkload r =
      parse_sacct("JobID|Submit|Elapsed|NCPUS|ReqTRES|OverSubscribe\n"
                  "1|1970-01-01T00:00:10.5|00:00:01.25|2|cpu=2|NO\n2|1970-01-01T00:00:10.75|00:00:02|2|cpu=2|OK\n"
                  "3|1970-01-01T00:00:11|00:00:02|2|cpu=2|\n",
                  "d", SlurmSize::kCpus);
  REQUIRE(r.workload.jobs.size() == 3);
  CHECK(r.workload.header.unix_start_time == 10);
  CHECK(r.workload.jobs[0].submit.time_since_epoch().count() == 500'000'000);
  CHECK(r.workload.jobs[1].submit.time_since_epoch().count() == 750'000'000);
  CHECK(r.workload.jobs[0].runtime.count() == 1'250'000'000);
  const auto exclusive = [&](std::size_t i) {
    return r.requests[static_cast<std::size_t>(r.workload.jobs[i].request)].exclusive;
  };
  CHECK(exclusive(0) == std::optional(true));
  CHECK(exclusive(1) == std::optional(false));
  CHECK(exclusive(2) == std::nullopt);
  const RecordedWorkload again = parse_sacct(sacct_text(r), "again", SlurmSize::kCpus);
  REQUIRE(again.workload.jobs.size() == 3);
  CHECK(again.requests[static_cast<std::size_t>(again.workload.jobs[0].request)].exclusive == std::optional(true));
  CHECK(again.requests[static_cast<std::size_t>(again.workload.jobs[2].request)].exclusive == std::nullopt);
}

TEST_CASE("recorded sites: every submission arrives", "[slurm_import]") {
  struct Case {
    const char *folder, *jobs;
    std::int64_t count, nodes, cores;
  };
  for (const Case& c : {Case{"micro2", "trace/jobs500.events", 500, 10, 120},
                        Case{"site-without-starts", "workload_5k.events.gz", 5000, 217, 7968},
                        Case{"site-without-starts", "workload_week.events.gz", 19579, 217, 7968}}) {
    const auto file = [&](const std::string& name) {
      return coslice_test::shared_file(std::string("slurm/") + c.folder + "/" + name);
    };
    const ImportFiles files{file("etc/slurm.conf"),
                            file("etc/gres.conf"),
                            file("etc/topology.conf"),
                            file("etc/sacctmgr.script"),
                            file(c.jobs),
                            "",
                            {}};
    if (files.jobs.empty() || files.conf.empty()) {
      WARN("skipped, not there: " << c.folder << "/" << c.jobs);
      continue;
    }
    std::string trace;
    const Import import = import_slurm(files, into(trace));
    CHECK((import.jobs == c.count && import.nodes == c.nodes && import.cores == c.cores));
    const RecordedWorkload r = parse_sacct(trace, "jobs.sacct", SlurmSize::kCpus);
    for (const Job& job : r.workload.jobs)
      REQUIRE((job.user > 0 && job.group > 0 && job.partition > 0 && job.limit_given));
  }
}

}  // namespace slurm_associations_test
