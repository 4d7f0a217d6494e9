// coslice explain: which limit of which holder kept a job waiting, under a site's Slurm and under user_limits.
#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace explain_limits_test {

using namespace coslice_test;
using Catch::Contains;

namespace {

/// A job that the site's users have submitted, in words of sacct: "2|mia|trench|day|slow|4|cpu=4,node=1".
struct Submission {
  std::string user, account, qos;
  int at = 0;        ///< seconds behind eight o'clock, below 60
  int minutes = 30;  ///< its limit, and for how long it runs
  std::string tres;
};

/// What slurm.conf says of nodes and partition.
struct Nodes {
  std::string names = "g1";
  std::string partition{};  ///< settings of it
};

/// A site with one node of 12 cores and 6 GPUs, or several, these associations and jobs.
class Site {
 public:
  Site(const std::string& associations, const std::vector<Submission>& jobs, const std::string& settings = "",
       const Nodes& nodes = {}) {
    std::string dump =
        "JobID|User|Account|Partition|QOS|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|AllocTRES\n";
    int id = 100;
    for (const Submission& s : jobs) dump += row(++id, s);
    program_.folder.write("jobs.sacct", dump);
    program_.folder.write("assoc.cfg", associations);
    program_.folder.write("slurm.conf",
                          "ClusterName=deep\nSlurmctldHost=c\nSelectType=select/cons_tres\n"
                          "SelectTypeParameters=CR_Core\nAccountingStorageType=accounting_storage/slurmdbd\n"
                          "AccountingStorageEnforce=limits,qos\nPriorityType=priority/multifactor\nGresTypes=gpu\n" +
                              settings + "NodeName=" + nodes.names +
                              " CPUs=12 CoresPerSocket=12 Gres=gpu:h100:6\n"
                              "PartitionName=day Nodes=ALL Default=YES MaxTime=1-0 QOS=of_day " +
                              nodes.partition + "\n");
    const Said made = program_("import slurm --conf slurm.conf --assoc assoc.cfg --jobs jobs.sacct -o site");
    INFO(made.err);
    REQUIRE(made.status == 0);
    REQUIRE(program_("run site/scenario.toml -q --out out").status == 0);
  }
  std::string explain(int job, const std::string& flags = "") const {
    const Said said = program_("explain out " + std::to_string(job) + " " + flags);
    INFO(said.err);
    REQUIRE(said.status == 0);
    return flags.empty() ? on_one_line(said.out) : said.out;
  }

  std::string explain_at(int second) const {
    const Said said = program_("explain out --priorities --at " + std::to_string(second));
    INFO(said.err);
    REQUIRE(said.status == 0);
    return on_one_line(said.out);
  }

 private:
  static std::string two(int n) { return (n < 10 ? "0" : "") + std::to_string(n); }
  static std::string row(int id, const Submission& s) {
    const std::string cpus = s.tres.substr(4, s.tres.find(',') - 4);
    const std::string day = "2026-05-04T08:", limit = "00:" + two(s.minutes) + ":00";
    return std::to_string(id) + "|" + s.user + "|" + s.account + "|day|" + s.qos + "|" + day + "00:" + two(s.at) + "|" +
           day + "00:" + two(s.at) + "|" + day + two(s.minutes) + ":" + two(s.at) + "|" + limit + "|COMPLETED|1|" +
           cpus + "|" + limit + "|" + s.tres + "\n";
  }
  Program program_;
};

const std::string kQos = "add qos name=of_day\nadd qos name=normal\n";

}  // namespace

TEST_CASE("limits of accounts, users and qualities of service are named with their holders", "[explain][limits]") {
  SECTION("cores of an account above the user's") {
    const Site site(
        kQos + "add account name=sea\nadd account name=trench parent=sea grptres=cpu=5\n"
               "add user name=mia account=trench\nadd user name=leo account=trench\n",
        {{"mia", "trench", "normal", 0, 30, "cpu=3,node=1"}, {"leo", "trench", "normal", 7, 30, "cpu=3,node=1"}});
    const std::string said = site.explain(102);
    CHECK_THAT(said,
               Contains("AssocGrpCpuLimit of account trench: GrpTRES=cpu=5, running jobs have 3, and it asks for 3"));
    CHECK_THAT(said, !Contains("were not enough") && !Contains("did not fit"));
    const auto json = nlohmann::json::parse(site.explain(102, "--json"));
    CHECK(json["phases"][0]["why"] == "policy");
    CHECK(json["phases"][0]["words"].get<std::string>().find("AssocGrpCpuLimit of account trench") == 0);
  }
  SECTION("GPUs of a user in the partition's quality of service") {
    const Site site("add qos name=of_day maxtrespu=gres/gpu=3\nadd qos name=normal\nadd account name=sea\n"
                    "add user name=mia account=sea\nadd user name=leo account=sea\n",
                    {{"mia", "sea", "normal", 0, 20, "cpu=1,node=1,gres/gpu=2,gres/gpu:h100=2"},
                     {"mia", "sea", "normal", 1, 20, "cpu=1,node=1,gres/gpu=2,gres/gpu:h100=2"},
                     {"leo", "sea", "normal", 2, 20, "cpu=1,node=1,gres/gpu=2,gres/gpu:h100=2"}});
    CHECK_THAT(
        site.explain(102),
        Contains("QOSMaxGRESPerUser of quality of service of_day for user mia: MaxTRESPerUser=gres/gpu=3, running "
                 "jobs have 2, and it asks for 2"));
    CHECK_THAT(site.explain(103), !Contains("QOSMax"));
  }
  SECTION("a number of jobs of an association") {
    const Site site(kQos + "add account name=sea\nadd user name=mia account=sea maxjobs=1\n",
                    {{"mia", "sea", "normal", 0, 20, "cpu=1,node=1"}, {"mia", "sea", "normal", 3, 20, "cpu=1,node=1"}});
    CHECK_THAT(site.explain(102), Contains("AssocMaxJobsLimit of user mia in account sea: MaxJobs=1, and 1 run"));
  }
  SECTION("jobs of an account in a quality of service") {
    const Site site("add qos name=of_day\nadd qos name=normal maxjobspa=1\nadd account name=sea\n"
                    "add user name=mia account=sea\nadd user name=leo account=sea\n",
                    {{"mia", "sea", "normal", 0, 20, "cpu=1,node=1"}, {"leo", "sea", "normal", 3, 20, "cpu=1,node=1"}});
    CHECK_THAT(site.explain(102), Contains("MaxJobsPerAccount of quality of service normal for account sea"));
  }
  SECTION("minutes that running jobs may still take") {
    const Site site(kQos + "add account name=sea grptresrunmins=cpu=150\nadd user name=mia account=sea\n",
                    {{"mia", "sea", "normal", 0, 30, "cpu=4,node=1"}, {"mia", "sea", "normal", 3, 30, "cpu=2,node=1"}});
    CHECK_THAT(site.explain(102), Contains("AssocGrpCPURunMinutesLimit of account sea: GrpTRESRunMins=cpu=150, running "
                                           "jobs may take 120 more, and it may take 60"));
  }
  SECTION("of a job that could never have been taken") {
    const Site site("add qos name=of_day\nadd qos name=normal maxtresperjob=cpu=6\nadd account name=sea\n"
                    "add user name=mia account=sea\n",
                    {{"mia", "sea", "normal", 0, 20, "cpu=8,node=1"}});
    CHECK_THAT(site.explain(101),
               Contains("rejected: its policy refused it: QOSMaxCpuPerJobLimit of quality of service "
                        "normal: it asks for cpu=8, and the most is 6"));
  }
}

TEST_CASE("a limit of nodes is named only where it holds the job: shared nodes count once", "[explain][limits]") {
  const std::string account = kQos + "add account name=sea grptres=node=1\nadd user name=mia account=sea\n";
  const std::string user = "add qos name=of_day\nadd qos name=normal maxtrespu=node=1\nadd account name=sea\nadd user "
                           "name=mia account=sea\n";
  const std::string small = "cpu=4,node=1", large = "cpu=12,node=1";
  for (const std::string& limits : {account, user}) {
    const auto second = [&](const std::string& first) {
      const Site site(limits, {{"mia", "sea", "normal", 0, 20, first}, {"mia", "sea", "normal", 1, 20, small}}, "",
                      {"g[1-2]"});
      return site.explain(102);
    };
    const std::string beside = second(small);
    CHECK_THAT(beside, !Contains("GrpNodeLimit") && !Contains("NodePerUserLimit"));
    CHECK_THAT(beside, Contains("after 2"));  // at the next look
    const std::string held = second(large);
    CHECK_THAT(held, Contains("running jobs have 1, and it asks for 1"));
    CHECK_THAT(held, Contains("AssocGrpNodeLimit of account sea: GrpTRES=node=1") ||
                         Contains("QOSMaxNodePerUserLimit of quality of service normal for user mia"));
  }
}

TEST_CASE("minutes of a user or an account have Slurm's own words", "[explain][limits]") {
  const auto second = [](const std::string& limit) {
    const Site site("add qos name=of_day\nadd qos name=normal " + limit +
                        "\nadd account name=sea\nadd user name=mia account=sea\n",
                    {{"mia", "sea", "normal", 0, 30, "cpu=4,node=1"}, {"mia", "sea", "normal", 3, 30, "cpu=2,node=1"}});
    return site.explain(102);
  };
  CHECK_THAT(second("maxtresrunminspu=cpu=150"),
             Contains("MaxCpuRunMinsPerUser of quality of service normal for user mia: MaxTRESRunMinsPerUser=cpu=150"));
  CHECK_THAT(second("maxtresrunminspa=cpu=150"), Contains("MaxCpuRunMinsPerAccount of quality of service normal"));
  CHECK_THAT(second("grptresrunmins=cpu=150"), Contains("QOSGrpCPURunMinutesLimit of quality of service normal"));
}

TEST_CASE("what a partition says of its jobs on nodes is named", "[explain][limits]") {
  const std::string users =
      kQos + "add account name=sea\nadd user name=mia account=sea\nadd user name=leo account=sea\n";
  const std::vector<Submission> jobs = {{"mia", "sea", "normal", 0, 20, "cpu=4,node=1"},
                                        {"leo", "sea", "normal", 1, 20, "cpu=2,node=1"}};
  const auto second = [&](const std::string& says) { return Site(users, jobs, "", {"g1", says}).explain(102); };
  CHECK_THAT(second("MaxCPUsPerNode=4"),
             Contains("MaxCPUsPerNode=4 of partition day: its jobs have 4 on 1 node, and it would have 2 more on one"));
  CHECK_THAT(second("ExclusiveUser=YES"),
             Contains("ExclusiveUser of partition day: jobs of other users are on 1 node"));
  CHECK_THAT(second("MaxCPUsPerNode=6 ExclusiveUser=NO"), !Contains("of partition day:"));
  const std::string table = Site(users, jobs, "", {"g1", "ExclusiveUser=YES"}).explain_at(60);
  CHECK_THAT(table, Contains("ExclusiveUser of partition day"));
}

TEST_CASE("a job that never started has its reason where nothing follows its submission", "[explain][limits]") {
  const Site site(kQos +
                      "add account name=sea\nadd user name=mia account=sea\nadd user name=leo account=sea maxjobs=0\n",
                  {{"mia", "sea", "normal", 0, 1, "cpu=1,node=1"}, {"leo", "sea", "normal", 59, 30, "cpu=1,node=1"}});
  const std::string said = site.explain(102);
  CHECK_THAT(said, Contains("never started"));
  CHECK_THAT(said, Contains("AssocMaxJobsLimit of user leo in account sea: MaxJobs=0, and 0 run"));
}

TEST_CASE("user_limits says whose limit keeps a job waiting", "[explain][limits]") {
  const Program coslice;
  const auto explain = [&](const std::string& params, int job) {
    coslice.folder.write("s.toml",
                         "[[machine.nodes]]\nname = 'v'\ncount = 2\ncores = 8\ngpus = 4\n[policy]\n"
                         "name = 'user_limits'\nparams = { max_nodes = 0, " +
                             params +
                             " }\n[workload]\njobs = [\n"
                             "{ nodes = 1, runtime = 60, user = 3, group = 1, request = { cores = 1, gpus = 2 } },\n"
                             "{ nodes = 1, runtime = 60, user = 4, group = 1, request = { cores = 1, gpus = 3 } }]\n");
    const Said said = coslice("explain s.toml " + std::to_string(job));
    INFO(said.err);
    REQUIRE(said.status == 0);
    return on_one_line(said.out);
  };
  CHECK_THAT(explain("group_max_gpus = 4", 2),
             Contains("limit of group 1: 4 GPUs at a time, its jobs have 2, and this one asks for 3"));
  CHECK_THAT(explain("gpu_quotas = '1=4, 2=0'", 2), Contains("limit of group 1: 4 GPUs at a time"));
  CHECK_THAT(explain("gpu_quotas = '2=4'", 2), Contains("started at once"));
  CHECK_THAT(explain("max_gpus = 4", 2), Contains("started at once"));
  CHECK_THAT(explain("group_max_jobs = 1", 2), Contains("limit of group 1: 1 jobs at a time"));
}

TEST_CASE("a policy's hook 'reason' is asked after each pass, and changes nothing", "[explain][limits]") {
  const Program coslice;
  coslice.folder.write("s.toml",
                       "[machine]\nnodes = 3\n[policy]\nname = 'p.lua'\n[workload]\n"
                       "jobs = [{nodes=1,runtime=70},{nodes=1,runtime=5,user=9},{nodes=3,runtime=5,submit=1}]\n");
  const auto explain = [&](const std::string& fields, int job) {
    coslice.folder.write("p.lua", "return { api = 1, name = 'p', version = '1', backfill = 'easy',\n"
                                  "may_start = function(job, now) return job.user ~= 9 or now >= 20 end,\n" +
                                      fields + "}\n");
    return coslice("explain s.toml " + std::to_string(job));
  };
  const std::string before = "begin = function(view) view:wake(20) end,\n";
  const Said plain = explain(before, 2);
  CHECK_THAT(on_one_line(plain.out), Contains("0 s for 20 s: the policy's rule (may_start) held it back"));
  const Said said = explain(before + "reason = function(view, job, params) if job.user == 9 and view.now < 20 then\n"
                                     "  return ('not before 20 s, of %d nodes'):format(view.capacity) end end",
                            2);
  INFO(said.err);
  CHECK_THAT(on_one_line(said.out), Contains("0 s for 20 s: not before 20 s, of 3 nodes"));
  CHECK_THAT(on_one_line(explain(before + "reason = function() return nil, 'unheard' end", 3).out),
             !Contains("unheard"));
  const Said wakes = explain("reason = function(view) view:wake(21) end", 2);
  CHECK(wakes.status != 0);
  CHECK_THAT(wakes.err, Contains("the hook 'reason' only says why: it must not change anything"));
  CHECK_THAT(explain("reason = function() return {} end", 2).err, Contains("hook 'reason' of policy 'p' must return"));
}

TEST_CASE("all that waits at a time, with its priority and why it does not start", "[explain][limits]") {
  const Program coslice;
  coslice.folder.write(
      "s.toml", "[machine]\nnodes = 8\n[policy]\nname = 'multifactor'\nparams = { size_weight = 80, "
                "fairshare_weight = 0, age_weight = 604800 }\n[workload]\njobs = [\n{ nodes = 7, runtime = 500 },\n"
                "{ submit = 20, nodes = 4, runtime = 50 },\n{ submit = 60, nodes = 2, runtime = 50 },\n"
                "{ submit = 90, nodes = 8, runtime = 50 } ]\n");
  const Said said = coslice("explain s.toml --at 80 --priorities");
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("2 jobs wait at 80 s in s, multifactor\nThe last pass by then is at 60 s."));
  CHECK_THAT(on_one_line(said.out), Contains("1 2 80.0 40.0 40.0 0 0") && Contains("2 3 20.0 0 20.0 0 0"));
  CHECK_THAT(said.out, Contains("  job 3  needed 2 nodes, 1 was free"));
  const auto json = nlohmann::json::parse(coslice("explain s.toml --at 80 --priorities --json").out);
  CHECK(json["pass"] == 60);
  CHECK(json["jobs"][0]["job"] == 2);
  CHECK(json["jobs"][0]["factors"]["age"] == 40);
  CHECK_THAT(coslice("explain s.toml --at 600 --priorities").out, Contains("0 jobs wait at 600 s"));
  CHECK(coslice("explain s.toml --priorities").status == 2);
  CHECK(coslice("explain s.toml 2 --at 5 --priorities").status == 2);
  CHECK(coslice("explain s.toml").status == 2);
}

TEST_CASE("a policy that starts nothing until it looks again says when", "[explain][limits]") {
  const Program coslice;
  coslice.folder.write("p.lua", "return { api = 1, name = 'half_hours', version = '1', schedule = function(view)\n"
                                "  if view.now % 1800 == 0 then view:easy() end\n"
                                "  view:wake((view.now // 1800 + 1) * 1800)\nend }\n");
  coslice.folder.write("s.toml", "[machine]\nnodes = 4\n[policy]\nname = 'p.lua'\n[workload]\n"
                                 "jobs = [{nodes=1,runtime=10},{nodes=2,runtime=30,submit=700}]\n");
  const Said said = coslice("explain s.toml 2");
  INFO(said.err);
  CHECK_THAT(on_one_line(said.out),
             Contains("700 s for 18 min 20 s: needed 2 nodes, 4 were free; the policy looks again at 1,800 s"));
  CHECK_THAT(said.out, !Contains("or the policy"));
}

}  // namespace explain_limits_test
