// coslice import as people call it.
#include <algorithm>
#include <filesystem>

#include "catch.h"
#include "run_program.h"

namespace import_test {

using namespace coslice_test;

namespace {

/// Another policy than the site's: it knows none of its parameters.
const char* const kManyParams = "PriorityWeightAge=1\nPriorityWeightQOS=1\nPriorityMaxAge=1-0\nKillWait=30\n";

const char* const kSlurmConf = "ClusterName=reef\nNodeName=n[1-2] CPUs=4 RealMemory=8000\nPartitionName=p Nodes=ALL\n";
const char* const kEvents =
    "-dt 3.5 -e submit_batch_job | -jid 1001 -sim-walltime 10.25 --uid=ann -t 1 -n 4 -A physics job.sh\n"
    "-dt 4 -e submit_batch_job | -jid 1002 -sim-walltime -1 --uid=ann -t 1 -N 2 -n 2 -A physics --exclusive job.sh\n";

/// A field of a job in jobs.csv of a run folder.
std::string column_of(const Program& coslice, const std::string& column, int row) {
  const Said said = coslice.shell("awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == \"" + column +
                                  "\") c = i } NR == " + std::to_string(row + 1) + " { print $c }' out/jobs.csv");
  return said.out.substr(0, said.out.find('\n'));
}

}  // namespace

TEST_CASE("import: a site becomes a folder that runs", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", kSlurmConf);
  coslice.folder.write("jobs.events", kEvents);
  const Said first = coslice("import slurm --conf slurm.conf --jobs jobs.events -o site");
  CHECK(first.status == 0);
  CHECK(first.out.empty());
  CHECK(first.err.find("wrote site: 2 jobs, 1 partition, 2 nodes, 8 cores\n") == 0);
  const Said run = coslice("run site/scenario.toml --policy easy --out out --quiet");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(run.err.find("parameter 'slurmctld_start' is left out") != std::string::npos);  // the site's policy has it
  CHECK(column_of(coslice, "job_id", 1) == "1001");
  CHECK(column_of(coslice, "starting_time", 1) == "0.5");
  CHECK(column_of(coslice, "job_id", 2) == "1002");
  CHECK(column_of(coslice, "starting_time", 2) == "10.75");  // behind the job on whose node it may not run
  CHECK(column_of(coslice, "finish_time", 2) == "75.3");     // its limit is looked at then
  const Said of_folder = coslice("run site --policy easy --quiet --out again");
  CHECK(of_folder.status == 0);
  CHECK(coslice.folder.read("again/jobs.csv") == coslice.folder.read("out/jobs.csv"));
}

TEST_CASE("import: what only slurmdbd calculates means nothing without it", "[import]") {
  const Program coslice;
  coslice.folder.write("jobs.events", kEvents);
  const auto age_with = [&](const std::string& lines, const std::string& options = "") {
    coslice.folder.write("slurm.conf", std::string(kSlurmConf) + "PriorityWeightAge=5\n" + lines);
    coslice.shell("rm -rf site");
    CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.events -o site " + options).status == 0);
    return coslice.shell("sed -n 's/^PriorityWeightAge = //p' site/scenario.toml").out;
  };
  CHECK(age_with("") == "0\n");
  CHECK(coslice.folder.read("site/import.md").find("PriorityWeightAge=5") != std::string::npos);
  CHECK(age_with("AccountingStorageType=accounting_storage/none\n") == "0\n");
  CHECK(age_with("AccountingStorageType=accounting_storage/slurmdbd\n") == "5\n");
  coslice.folder.write("accounts", "add account name=physics\nadd user name=ann account=physics\n");
  CHECK(age_with("", "--assoc accounts") == "5\n");
}

TEST_CASE("import: memory that Slurm does not count is none", "[import]") {
  const Program coslice;
  coslice.folder.write("jobs.events",
                       "-dt 1 -e submit_batch_job | -jid 1 -sim-walltime 9 --uid=ann -t 1 -n 1 --mem=6000 job.sh\n"
                       "-dt 1 -e submit_batch_job | -jid 2 -sim-walltime 9 --uid=ann -t 1 -n 1 --mem=6000 job.sh\n");
  const auto starts_with = [&](const std::string& parameters) {
    coslice.folder.write(
        "slurm.conf",
        "NodeName=n1 CPUs=4 RealMemory=8000\nPartitionName=p Nodes=ALL\nSelectTypeParameters=" + parameters + "\n");
    coslice.shell("rm -rf site out");
    CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.events -o site").status == 0);
    CHECK(coslice("run site --policy fcfs --quiet --out out").status == 0);
    return column_of(coslice, "starting_time", 2);
  };
  CHECK(starts_with("CR_Core") == "0");
  CHECK(starts_with("CR_Core_Memory") == "9");
}

TEST_CASE("import: jobs that a run leaves out are counted, and said why", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", std::string(kSlurmConf) + "PartitionName=q Nodes=ALL MaxTime=1\n");
  coslice.folder.write("jobs.events",
                       std::string(kEvents) +
                           "-dt 4 -e submit_batch_job | -jid 1003 -sim-walltime 5 --uid=ann -t 2 -n 2 -p q job.sh\n");
  const Said said = coslice("import slurm --conf slurm.conf --jobs jobs.events -o site");
  CHECK(said.status == 0);
  CHECK(said.err.find("wrote site: 3 jobs on record and 2 in a run, 2 partitions") == 0);
  CHECK(said.err.find("site/jobs.sacct: 1 job can never run on this machine and is left out; the first is job 1003") !=
        std::string::npos);
  CHECK(coslice("run site/scenario.toml").out.find("jobs        2") != std::string::npos);
  CHECK(coslice("info site/scenario.toml").out.find("1 user, 1 account, ") != std::string::npos);
}

TEST_CASE("import: parameters of the site's policy are left out under another one, and that is said once", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", std::string(kManyParams) + kSlurmConf);
  coslice.folder.write("jobs.events", kEvents);
  CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.events -o site").status == 0);
  const Said run = coslice("run site/scenario.toml --policy easy --quiet");
  CHECK(run.status == 0);
  CHECK(run.err == "coslice: warning: site/scenario.toml: 6 parameters are left out, 'PriorityMaxAge' and others: "
                   "policy 'easy' has none "
                   "of these names\n");
}

TEST_CASE("import: bad input ends with status 2, and nothing is written", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", kSlurmConf);
  coslice.folder.write("bad.conf", std::string(kSlurmConf) + "PartitionName=q Nodes=m1\n");
  coslice.folder.write("jobs.events", kEvents);
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    INFO(arguments);
    const Said said = coslice("import " + arguments + " -o site");
    CHECK(said.status == 2);
    CHECK(said.err.find(why) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(coslice.folder / "site"));
  };
  refused("slurm --conf bad.conf --jobs jobs.events", "bad.conf:4: partition 'q' names 'm1'");
  refused("slurm --conf slurm.conf --jobs slurm.conf", "is neither a dump of sacct nor a file of events");
  coslice.folder.write("never.conf", std::string(kSlurmConf) + "FairShareDampeningFactor=0\n");
  refused("slurm --conf never.conf --jobs jobs.events",
          "never.conf:4: parameter 'FairShareDampeningFactor' of policy 'slurm' is 0; expected a number from 1 to");
  refused("slurm --conf none.conf --jobs jobs.events", "none.conf");
  refused("slurm --jobs jobs.events", "--conf: is missing; expected the file slurm.conf");
  refused("slrm --conf slurm.conf --jobs jobs.events", "did you mean 'slurm'?");
  CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.events -o site").status == 0);
  const std::string policy = coslice.folder.read("site/policy.lua");
  const Said again = coslice("import slurm --conf slurm.conf --jobs jobs.events -o site");
  CHECK(again.status == 2);
  CHECK(coslice.folder.read("site/policy.lua") == policy);
}

TEST_CASE("import: reservations and bad lines, and a site with them runs", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", kSlurmConf);
  coslice.folder.write(
      "jobs.sacct",
      "JobID|User|Submit|Elapsed|Timelimit|NCPUS|NNodes\n1|ann|2026-03-02T08:00:00|00:10:00|03:00:00|4|1\n"
      "2|ann|soon|00:10:00|03:00:00|4|1\n");
  coslice.folder.write("res.txt",
                       "ReservationName=m StartTime=2026-03-02T10:00:00 EndTime=2026-03-02T12:00:00 Duration=02:00:00\n"
                       "   Nodes=n[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) Flags=MAINT,WEEKDAY\n"
                       "   Users=root Accounts=(null)\n");
  const std::string command = "import slurm --conf slurm.conf --jobs jobs.sacct --reservations res.txt -o site";
  const Said refused = coslice(command);
  CHECK(refused.status == 2);
  CHECK(refused.err.find("jobs.sacct:3: Submit is 'soon'") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "site"));
  const Said made = coslice(command + " --skip-bad");
  CHECK(made.status == 0);
  CHECK(made.err.find("warning: 1 bad line skipped:\n") != std::string::npos);
  const Said run = coslice("run site --quiet --out out");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(column_of(coslice, "starting_time", 1) == "14400");  // three hours from 8:00 on would go into the reservation
  CHECK(coslice("import slurm --conf slurm.conf --jobs none --reservations res.txt -o other").status == 2);
  coslice.folder.write("topology.conf", "SwichName=s1 Nodes=n[1-4]\n");
  const Said misspelt = coslice("import slurm --conf slurm.conf --jobs jobs.sacct --topology topology.conf -o other");
  CHECK(misspelt.status == 2);
  CHECK(misspelt.err.find("topology.conf:1: there is no setting 'SwichName'") != std::string::npos);

  // Nodes that are powered down are reserved, too: job 1 waits for the end of the reservation, and then for a boot.
  coslice.folder.write("power.conf", std::string(kSlurmConf) + "SuspendTime=600\nResumeTimeout=300\n");
  const Said on = coslice("import slurm --conf power.conf --jobs jobs.sacct --reservations res.txt --skip-bad -o on");
  CHECK(on.err.find("each node takes ResumeTimeout (300 s) to come up and SuspendTimeout (30 s) to go down") !=
        std::string::npos);
  CHECK(coslice("run on --quiet --out out").status == 0);
  CHECK(column_of(coslice, "starting_time", 1) == "14400");
  CHECK(column_of(coslice, "finish_time", 1) == "15300.3");
}

TEST_CASE("import: a job that ran in one of its partitions may start in each", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", "NodeName=n[1-2] CPUs=4\nPartitionName=a Nodes=n1\nPartitionName=b Nodes=n2\n");
  const auto starts = [&](const std::string& command) {
    coslice.folder.write("jobs.sacct", "JobID|User|Submit|Elapsed|Timelimit|NCPUS|NNodes|Partition|SubmitLine\n"
                                       "1|ann|2026-03-02T08:00:00|00:10:00|00:30:00|4|1|a|sbatch -p a x\n"
                                       "2|ann|2026-03-02T08:00:01|00:10:00|00:30:00|4|1|a|" +
                                           command + "\n");
    coslice.shell("rm -rf site out");
    CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.sacct -o site").status == 0);
    CHECK(coslice("run site --quiet --out out").status == 0);
    return std::stod(column_of(coslice, "starting_time", 2));
  };
  CHECK(starts("sbatch -p a x") > 600);
  CHECK(starts("sbatch -p b x") > 600);  // the script said it
  CHECK(starts("sbatch -p a,b x") < 10);
  CHECK(starts("sbatch --partition b,a x") < 10);
}

TEST_CASE("import: what no job and no quality of service can be is said where it is", "[import]") {
  const Program coslice;
  coslice.folder.write("jobs.sacct", "JobID|User|Account|QOS|Submit|Elapsed|Timelimit|NCPUS|NNodes\n"
                                     "1|ann|phys|normal|2026-03-02T08:00:00|00:10:00|00:30:00|4|1\n");
  const auto said = [&](const std::string& conf, const std::string& dump) {
    coslice.folder.write("slurm.conf", conf + "PartitionName=p Nodes=n1\n");
    coslice.folder.write("dump.cfg", "Cluster - 'reef':Fairshare=1\nParent - 'root'\nAccount - 'phys':Fairshare=1\n"
                                     "Parent - 'phys'\nUser - 'ann':DefaultAccount='phys'\n" +
                                         dump);
    coslice.shell("rm -rf site");
    return coslice("import slurm --conf slurm.conf --jobs jobs.sacct --assoc dump.cfg -o site").err;
  };
  CHECK_THAT(
      said("NodeName=n1 CPUs=4 CoreSpecCount=1\n", ""),
      Catch::Contains("no job is left to simulate; 1 job can never run on this machine and is left out; the first "
                      "is job 1 (line 2): asks for 4 cores on a node, but no node has that"));
  CHECK_THAT(said("NodeName=n1 CPUs=4\n", ""),
             Catch::Contains("qualities of service are not in a dump") && !Catch::Contains("missing from the assoc"));
  CHECK_THAT(said("NodeName=n1 CPUs=4\n", "QOS - 'high':Preempt='nosuch,low'\nQOS - 'low'\n"),
             Catch::Contains("quality of service 'high' is to preempt 'nosuch', which is none") &&
                 Catch::Contains("missing from the associations: quality of service normal"));
}

TEST_CASE("import: jobs of a dump end behind the cycles that come at their last whole seconds", "[import]") {
  const Program coslice;
  coslice.folder.write("jobs.sacct", "JobID|User|Submit|Start|Elapsed|Timelimit|NCPUS|NNodes\n"
                                     "1|ann|2026-03-02T08:00:00|2026-03-02T08:00:05|00:10:00|00:30:00|8|2\n"
                                     "2|ann|2026-03-02T08:09:00|2026-03-02T08:10:05|00:10:00|00:30:00|8|2\n");
  const auto import = [&](const std::string& lines) {
    coslice.folder.write("slurm.conf", kSlurmConf + lines);
    coslice.shell("rm -rf site");
    CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.sacct -o site").status == 0);
    return coslice.folder.read("site/scenario.toml");
  };
  const std::string none = import("SchedulerType=sched/builtin\n");
  CHECK(none.find("time_added") == std::string::npos);
  const std::string some = import("");
  CHECK(some.find("\ntime_added = 0.3\n") != std::string::npos);
  CHECK(coslice.folder.read("site/import.md").find("workload.time_added") != std::string::npos);
  // What is over by then is as on record, so that those behind it start when they did.
  CHECK(coslice("run site --quiet --out out --set workload.recorded_until=650").status == 0);
  CHECK(column_of(coslice, "finish_time", 1) == "605");
  CHECK(column_of(coslice, "starting_time", 2) == "605");
  CHECK(column_of(coslice, "finish_time", 2) == "1205.3");
}

TEST_CASE("import: a dump with bars and line ends in any text becomes a site that runs", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", kSlurmConf);
  const std::string head = "JobID|User|Account|Partition|QOS|JobName|Submit|Start|End|Elapsed|State|NNodes|NCPUS|"
                           "Timelimit|AllocTRES|ReqTRES|"
                           "Constraints|NodeList|Eligible|SubmitLine\n";
  const auto row = [](const std::string& id, const std::string& name, const std::string& features,
                      const std::string& command) {
    return id + "|ann|o|p|normal|" + name +
           "|2026-03-02T08:00:00|2026-03-02T08:00:00|2026-03-02T09:00:00|01:00:00|COMPLETED|1|2|02:00:00|"
           "cpu=2,node=1|cpu=2,node=1|" +
           features + "|n1|2026-03-02T08:00:00|" + command + "\n";
  };
  coslice.folder.write("odd.sacct", head + row("11", "a", "", "sbatch a.sh") +
                                        row("12", "b|c", "big|fast", "sbatch -C big|fast --wrap=env | sort") +
                                        row("13", "d\ne", "", "sbatch --wrap=cd /x\nrun | tee log\n\nexit") +
                                        row("14", "f", "", "sbatch f.sh"));
  const Said imported = coslice("import slurm --conf slurm.conf --jobs odd.sacct -o site");
  INFO(imported.err);
  CHECK(imported.status == 0);
  CHECK(imported.err.find("wrote site: 4 jobs, 1 partition") == 0);
  const Said run = coslice("run site --quiet --out out");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(coslice("fidelity out --recorded odd.sacct").status == 0);
  const auto records = [](const std::string& trace) {
    return trace.substr(std::min(trace.find("\n11 "), trace.size()));
  };
  const std::string back = records(coslice("convert site/jobs.sacct -o -").out);
  CHECK(back == records(coslice("convert odd.sacct --eligible -o -").out));
  CHECK(std::count(back.begin(), back.end(), '\n') == 5);
}

TEST_CASE("import: a dump of sacctmgr of Slurm 25.05, JSON of sacct, and what a dump lacks", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", std::string(kSlurmConf) + "AccountingStorageType=accounting_storage/slurmdbd\n");
  coslice.folder.write(
      "assoc.cfg", "QOS - 'normal':Description='Normal QOS default'\nQOS - 'rush':Description='rush':MaxJobsPU=1:"
                   "MaxJobsAccruePU=3:Preempt='normal':Priority=500\nCluster - 'reef':Fairshare=1:QOS='normal,rush'\n"
                   "Parent - 'root'\nAccount - 'o':Description='o':Organization='o':Fairshare=4\n"
                   "Parent - 'o'\nUser - 'ann':DefaultAccount='o':Fairshare=2\n");
  coslice.folder.write("jobs.json",
                       R"({"meta":{"slurm":{"release":"25.05.3"}},"jobs":[{"account":"o","job_id":7,"user":"ann",
"partition":"p","qos":"rush","name":"a|b","time":{"submission":1772438400,"eligible":1772438400,"start":1772438460,
"end":1772442060,"elapsed":3600,"limit":{"set":true,"infinite":false,"number":90}},"state":{"current":["COMPLETED"]},
"required":{"CPUs":2},"tres":{"allocated":[{"type":"cpu","name":"","count":2},{"type":"node","name":"",
"count":1}]}}]})");
  const Said imported = coslice("import slurm --conf slurm.conf --assoc assoc.cfg --jobs jobs.json -o site");
  INFO(imported.err);
  CHECK(imported.status == 0);
  CHECK(imported.err.find("wrote site: 1 job, 1 partition") == 0);
  CHECK(imported.err.find("warning: assoc.cfg:2: MaxJobsAccruePU=3: not modelled: all waiting jobs gain age") !=
        std::string::npos);
  CHECK(imported.err.find("the dump lacks SubmitLine: how jobs asked for tasks") != std::string::npos);
  CHECK(imported.err.find("to have it, add SubmitLine to --format") != std::string::npos);
  CHECK(coslice.folder.read("site/policy.lua").find("name = \"rush\", MaxJobsAccruePerUser = 3, MaxJobsPerUser = 1") !=
        std::string::npos);
  CHECK(coslice("run site --quiet --out out").status == 0);
  coslice.folder.write("pbs.log", "04/02/2026 00:12:31;E;12.host;user=ann group=g queue=q start=2 end=3\n");
  CHECK(coslice("import slurm --conf slurm.conf --jobs pbs.log -o other")
            .err.find("pbs.log: looks like accounting of PBS or Torque, which is not read; expected a dump of sacct") !=
        std::string::npos);
  CHECK(coslice("run pbs.log").err.find("looks like accounting of PBS") != std::string::npos);
}

TEST_CASE("import: settings that contradict one another are named with their lines, and the site runs", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf",
                       "ClusterName=reef\n"
                       "PreemptType=preempt/none\n"
                       "PreemptMode=REQUEUE\n"
                       "PriorityUsageResetPeriod=WEEKLY\n"
                       "SelectTypeParameters=CR_Core_Memory,CR_LLN\n"
                       "SchedulerParameters=bf_window=60,bf_max_job_test=50,bf_max_job_user=80,pack_serial_at_end\n"
                       "NodeName=n[1-2] CPUs=4 RealMemory=8000 CoreSpecCount=1 Gres=fpga:1\n"
                       "PartitionName=p Nodes=ALL Default=YES MaxTime=2:00:00 DefaultTime=3:00:00 MinNodes=9 LLN=YES\n"
                       "PartitionName=q Nodes=n1 Default=YES\n");
  coslice.folder.write("jobs.events", kEvents);
  const Said said = coslice("import slurm --conf slurm.conf --jobs jobs.events -o site");
  INFO(said.err);
  CHECK(said.status == 0);
  const std::string page = coslice.folder.read("site/import.md");
  INFO(page);
  for (const char* row :
       {"| `PreemptMode=REQUEUE` | slurm.conf:3 | without a PreemptType no job stops another",
        "| `bf_max_job_user=80` | slurm.conf:6 | is above bf_max_job_test (50): it limits nothing",
        "| `Gres=fpga:1` | slurm.conf:7 | GresTypes does not have 'fpga'",
        "| `DefaultTime=3:00:00` | slurm.conf:8 | is above MaxTime=2:00:00 of partition p, which counts",
        "| `MinNodes=9` | slurm.conf:8 | partition p has 2 nodes: Slurm takes no job of it",
        "| `Default=YES` | slurm.conf:9 | partition p is the default one, too"})
    CHECK(page.find(row) != std::string::npos);
  CHECK(page.find("## Contradictions\n") != std::string::npos);
  CHECK(page.find("PriorityUsageResetPeriod`:") == std::string::npos);  // no cost: the policy has it
  CHECK(coslice.folder.read("site/scenario.toml").find("PriorityUsageResetPeriod = \"WEEKLY\"") != std::string::npos);
  const Said run = coslice("run site --out out --quiet");
  INFO(run.err);
  CHECK(run.status == 0);                                    // the policy knows all parameters that it is given
  for (const char* period : {"DAILY", "monthly", "YEARLY"})  // years before the trace begins as well
    CHECK(coslice(std::string("run site --out ") + period +
                  " --quiet --set policy.params.PriorityUsageResetPeriod=" + period)
              .status == 0);
  CHECK(coslice("run site --out other --quiet --set policy.params.PriorityUsageResetPeriod=HOURLY").status != 0);
}

TEST_CASE(
    "import: accounts below themselves and qualities of service that preempt themselves are named with their lines",
    "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf",
                       "ClusterName=reef\nPreemptType=preempt/qos\nPreemptMode=REQUEUE\nNodeName=n[1-2] CPUs=4\n"
                       "PartitionName=p Nodes=ALL Default=YES\n");
  coslice.folder.write("jobs.events", kEvents);
  coslice.folder.write("sacctmgr.script",
                       "add account top\nadd account mid parent=top\nadd account low parent=mid\n"
                       "modify account top set parent=low\n"
                       "add qos a\nadd qos b preempt=a\nmodify qos a set preempt=b\nmodify qos b set preempt+=b\n");
  coslice.folder.write("sacctmgr.dump",
                       "Cluster - 'reef':Fairshare=1\nParent - 'root'\nAccount - 'top':Fairshare=1\nParent - 'top'\n"
                       "Account - 'low':Fairshare=1\nParent - 'low'\nAccount - 'top':Fairshare=1\n");
  const std::string import = "import slurm --conf slurm.conf --jobs jobs.events --assoc ";
  const Said said = coslice(import + "sacctmgr.script -o site");
  INFO(said.err);
  CHECK(said.status == 0);
  const std::string page = coslice.folder.read("site/import.md"), policy = coslice.folder.read("site/policy.lua");
  INFO(page << policy);
  for (const char* row : {"| `parent=low` | sacctmgr.script:4 | account 'top' would be its own ancestor, which Slurm "
                          "refuses: it stays below 'root'",
                          "| `preempt=b` | sacctmgr.script:7 | quality of service 'a' would preempt itself",
                          "sacctmgr.script:8 | quality of service 'b' would preempt itself"})
    CHECK(page.find(row) != std::string::npos);
  CHECK(policy.find("Preempt = \"a\"") != std::string::npos);  // of b, as it was
  CHECK(policy.find("Preempt = \"b\"") == std::string::npos);
  const Said dump = coslice(import + "sacctmgr.dump -o other");
  INFO(dump.err);
  CHECK(dump.status == 0);
  CHECK_THAT(dump.err, Catch::Contains("sacctmgr.dump:7: account=top: account 'top' would be its own ancestor"));
}

TEST_CASE("import: what Slurm does with jobs that have just ended becomes parameters of the policy", "[import]") {
  const Program coslice;
  coslice.folder.write(
      "slurm.conf",
      "CompleteWait=32\nAuthInfo=socket=/run/munge,cred_expire=60\nSchedulerParameters=reduce_completing_frag\n"
      "NodeName=n[1-3] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\nPartitionName=q Nodes=n[2-3]\n"
      "PartitionName=r Nodes=n3\n");
  coslice.folder.write("jobs.events", kEvents);
  CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.events -o site").status == 0);
  const std::string scenario = coslice.folder.read("site/scenario.toml"),
                    policy = coslice.folder.read("site/policy.lua");
  INFO(scenario << policy);
  for (const char* line : {"\nCompleteWait = 32\n", "\nreduce_completing_frag = true\n", "\nrequeue_delay = 60\n"})
    CHECK(scenario.find(line) != std::string::npos);
  CHECK_THAT(policy, Catch::Contains("name = \"p\"") && Catch::Contains("Overlaps = \"q\"") &&
                         Catch::Contains("Overlaps = \"p,r\""));
  CHECK_THAT(coslice.folder.read("site/import.md"), Catch::Contains("how long jobs are COMPLETING is in no setting"));
  CHECK(coslice("run site --out out --quiet").status == 0);
}

TEST_CASE("import: under select/linear jobs have whole nodes, whatever the dump says", "[import]") {
  const Program coslice;
  coslice.folder.write("slurm.conf", "SelectType=select/linear\nNodeName=n1 CPUs=4\nPartitionName=p Nodes=n1\n");
  coslice.folder.write(
      "jobs.sacct",
      "JobID|User|Account|Partition|QOS|Submit|Elapsed|NNodes|NCPUS|Timelimit|ReqTRES|Constraints|OverSubscribe\n"
      "1|ann|a|p|normal|2026-11-25T17:10:00|00:01:00|1|1|00:02:00|cpu=1,node=1||OK\n"
      "2|ann|a|p|normal|2026-11-25T17:10:00|00:01:00|1|1|00:02:00|cpu=1,node=1||OK\n");
  CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.sacct -o site").status == 0);
  CHECK_THAT(coslice.folder.read("site/import.md"), Catch::Contains("jobs have whole nodes"));
  CHECK(coslice("run site --out out --quiet").status == 0);
  CHECK(column_of(coslice, "starting_time", 1) == "0.3");
  CHECK(column_of(coslice, "starting_time", 2) == "61.3");
}

TEST_CASE("import: limits that jobs may exceed, and which nodes and how much of them they get", "[import]") {
  const Program coslice;
  coslice.folder.write(
      "slurm.conf",
      "OverTimeLimit=2\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core,CR_LLN,CR_ONE_TASK_PER_CORE\n"
      "SchedulerParameters=pack_serial_at_end,bf_busy_nodes\n"
      "NodeName=n[1-2] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2\nPartitionName=p Nodes=ALL Default=YES\n"
      "PartitionName=q Nodes=ALL OverTimeLimit=1 LLN=YES\n");
  // The first one runs for 200 s with a limit of a minute; q lets jobs run on for a minute, p for two.
  coslice.folder.write(
      "jobs.events",
      "-dt 0 -e submit_batch_job | -jid 1 -sim-walltime 200 --uid=ann -t 1 -n 3 -A physics job.sh\n"
      "-dt 0 -e submit_batch_job | -jid 2 -sim-walltime 100 --uid=ann -t 1 -n 3 -A physics -p q job.sh\n");
  CHECK(coslice("import slurm --conf slurm.conf --jobs jobs.events -o site").status == 0);
  const std::string scenario = coslice.folder.read("site/scenario.toml"),
                    policy = coslice.folder.read("site/policy.lua");
  INFO(scenario << policy);
  for (const char* line : {"\nover_limit = 120\n", "\nover_limit = 60\n", "\nbf_busy_nodes = true\n"})
    CHECK(scenario.find(line) != std::string::npos);
  for (const char* line : {"  CR_LLN = true,\n", "  pack_serial_at_end = true,\n", "LLN = \"YES\""})
    CHECK(policy.find(line) != std::string::npos);
  CHECK_THAT(coslice.folder.read("site/jobs.sacct"), Catch::Contains("|cpu=6,node=1|"));  // three cores of two threads
  const Said run = coslice("run site --out out --quiet");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(column_of(coslice, "finish_time", 1) == "195.3");  // from 0.3 on: 180.3, and limits are looked at then
  CHECK(column_of(coslice, "finish_time", 2) == "100.3");  // by itself, within 120.3
}

}  // namespace import_test
