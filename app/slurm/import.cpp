#include "slurm/import.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/sacct.h"
#include "formats/trace_file.h"
#include "formats/trace_format.h"
#include "machine/node_names.h"
#include "report/markup.h"
#include "slurm/arrays.h"
#include "slurm/contradictions.h"
#include "slurm/reservations.h"
#include "slurm/simulator_events.h"
#include "slurm/site.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

using TraceSink = std::function<void(std::string_view)>;

std::vector<ConfLine> conf_or_nothing(const std::string& path) {
  return path.empty() ? std::vector<ConfLine>{} : read_conf(path);
}

/// Whether the jobs are on record, and not only submissions.
bool is_record(const std::string& jobs) { return is_sacct_dump(jobs) || looks_like_slurm_json(beginning_of(jobs)); }

/// A dump goes on as it is, block by block; JSON as one.
SacctSurvey survey_dump(const std::string& path, const TraceSink& trace, SkippedLines* skipped, Site& site) {
  ArraySurvey arrays;
  SacctSurveyor surveyor(path, skipped, [&](std::string_view lines) {
    arrays.take(lines);
    trace(lines);
  });
  if (is_sacct_dump(path)) {
    PackedFile file(path);
    std::string block(kPackedBuffer, '\0');
    while (const std::size_t n = file.read(block.data(), block.size()))
      surveyor.take(std::string_view(block).substr(0, n));
  } else {
    surveyor.take(sacct_of_json(read_packed(path), path, skipped));
  }
  SacctSurvey jobs = surveyor.finish();
  site.arrays = arrays.limited();
  return jobs;
}

/// Hands on the dump of sacct that the jobs become, or are already.
SacctSurvey survey_jobs(const ImportFiles& files, Site& site, const TraceSink& trace, SkippedLines* skipped,
                        ImportPage& page) {
  if (is_record(files.jobs)) return survey_dump(files.jobs, trace, skipped, site);
  const std::string text = read_packed(files.jobs);
  if (!looks_like_events(text))
    refuse_unread_format(std::string_view(text).substr(0, kTellingBytes), files.jobs,
                         "a dump of sacct (--parsable2), sacct --json or squeue --json, or a file of events of the "
                         "Slurm simulator; plain or gzip");
  if (!looks_like_events(text))
    throw InputError({files.jobs, 1, "is neither a dump of sacct nor a file of events",
                      "a header with JobID, or lines -dt S -e submit_batch_job | OPTIONS SCRIPT",
                      "make a dump by: " + sacct_command(), ""});
  if (skipped != nullptr)
    throw InputError({"--skip-bad", 0, "is for dumps of sacct", "a file of events without it", "", ""});
  SacctSurveyor surveyor(files.jobs, nullptr, trace);
  surveyor.take(
      events_as_sacct(read_events(text, files.jobs, page), site.machine, site.settings, site.associations, page));
  return surveyor.finish();
}

/// The names of a kind by their numbers, in lower case.
std::map<std::int32_t, std::string> names_of(const SacctSurvey& jobs, const char* kind) {
  std::map<std::int32_t, std::string> out;
  for (const RecordedWorkload::Name& n : jobs.names)
    if (n.kind == kind) out[n.number] = lower_case(n.name);
  return out;
}

/// Users, accounts and qualities of service of jobs that the associations do not have get entries of their own.
class Completion {
 public:
  Completion(const SacctSurvey& jobs, Associations& all) : all_(all) {
    const auto users = names_of(jobs, "user"), accounts = names_of(jobs, "group");
    const auto name = [](const auto& names, std::int32_t number) {
      const auto found = names.find(number);
      return found == names.end() ? std::string() : found->second;
    };
    for (const auto& [user, group] : jobs.users_in_groups) add(name(users, user), name(accounts, group));
    const bool has_qos = !all_.qos.empty();  // a dump has none before Slurm 25.05, and no job was refused for that
    for (const auto& [number, qos] : names_of(jobs, "queue")) {
      if (all_.find_qos(qos) != nullptr) continue;
      Limits limits;
      for (const std::string& one : list_items(qos)) {  // a list is an entry of its own, as its first that is known
        const SiteQos* known = all_.find_qos(one);
        if (known == nullptr && (has_qos || all_.users.empty())) missing_.push_back("quality of service " + one);
        if (known == nullptr || list_of_.contains(qos)) continue;
        list_of_[qos] = one;
        limits = known->limits;
      }
      all_.qos.push_back({qos, std::move(limits)});
    }
  }

  void note(bool given, ImportPage& page) const {
    for (const auto& [list, first] : list_of_)
      page.costs(fmt::format("jobs of several qualities of service ({})", list),
                 fmt::format("they have the first that is known, '{}'", first));
    if (missing_.empty()) return;
    const char* what = given ? "jobs name entries missing from the associations" : "not known without --assoc";
    const std::string more = missing_.size() > 1 ? fmt::format(" and {} more", missing_.size() - 1) : "";
    page.costs(fmt::format("{}: {}{}", what, missing_.front(), more),
               given ? "they have a share of 1 and no limits; Slurm would have refused their jobs"
                     : "they all have a share of 1, no limits and no priorities");
  }

 private:
  void add(const std::string& user, const std::string& account) {
    if (!account.empty() && account != "root" && all_.find_account(account) == nullptr) {
      all_.accounts.push_back({account, "root", {}});
      missing_.push_back("account " + account);
    }
    const std::string home = account.empty() ? "root" : account;
    if (user.empty() || all_.find_user(user, home) != nullptr) return;
    all_.users.push_back({user, home, {}});
    missing_.push_back(fmt::format("user {} in account {}", user, home));
  }

  Associations& all_;
  std::vector<std::string> missing_;
  std::map<std::string, std::string> list_of_;  ///< of lists of qualities of service the first that is known
};

void note_unknown_preempted(Associations& all, ImportPage& page) {
  for (const SiteQos& qos : all.qos) {
    const auto preempts = qos.limits.find("Preempt");
    if (preempts == qos.limits.end() || preempts->second.text() == nullptr) continue;
    for (const std::string& name : list_items(*preempts->second.text()))
      if (all.find_qos(lower_case(name)) == nullptr)
        page.costs(fmt::format("quality of service '{}' is to preempt '{}', which is none", qos.name,
                               printable(shortened(name, 40))),
                   "it preempts the others of its list");
  }
}

/// Partitions of jobs that slurm.conf does not have.
void note_unknown_partitions(const SacctSurvey& jobs, const SiteMachine& machine, ImportPage& page) {
  for (const RecordedWorkload::Name& n : jobs.names) {
    if (n.kind != "partition") continue;
    const std::vector<std::string> names = list_items(n.name);
    if (names.size() > 1)
      page.understood(fmt::format("{} of several partitions ({})", counted(n.jobs, "job"), n.name), "the jobs",
                      "they stand in the queue of each, and start in the first in which they can");
    const bool none =
        std::ranges::none_of(names, [&](const std::string& one) { return machine.find_partition(one) != nullptr; });
    for (const std::string& one : names) {
      if (machine.find_partition(one) != nullptr) continue;
      const std::string of =
          names.size() > 1 ? fmt::format("{} ({})", counted(n.jobs, "job"), n.name) : fmt::format("{} jobs", n.jobs);
      page.costs(std::ranges::find(machine.empty_partitions, one) == machine.empty_partitions.end()
                     ? fmt::format("slurm.conf has no partition '{}' of {}", one, of)
                     : fmt::format("the partition '{}' of {} has no nodes that take jobs", one, of),
                 none ? "they go to the default partition" : "they have the others of their list");
    }
  }
}

bool has_suspend(const Setting& mode) {
  const std::vector<std::string> words = list_items(mode.value);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) { return same_word(word, "SUSPEND"); });
}

void note_what_never_is(const Site& site, ImportPage& page) {
  if (!site.settings.memory_counts)
    page.costs("memory is not a resource for Slurm here (SelectTypeParameters without Memory)",
               "nodes have none: jobs may have nodes that are too small for what they say");
  const Setting *mode = site.settings.find("PreemptMode"), *type = site.settings.find("PreemptType");
  if (mode != nullptr && has_suspend(*mode) && type != nullptr && same_word(type->value, "preempt/qos"))
    page.costs(
        "`PreemptMode` with SUSPEND, by qualities of service",
        "a job that is suspended gives its memory and all of its cores away, and goes on where there is room; in "
        "Slurm it keeps its memory, and the cores that the other job leaves, until that has ended: there jobs wait "
        "longer");
  for (const SitePartition& p : site.machine.partitions)
    if (const Setting* s = p.find("oversubscribe"); s != nullptr && same_word(s->value, "EXCLUSIVE"))
      page.costs(
          fmt::format("`OverSubscribe=EXCLUSIVE` of partition {}", p.spec.name),
          "its jobs have whole nodes where a dump says what they got; of a dump that has only what jobs asked for, "
          "OverSubscribe must say NO");
  page.costs(
      "when slurmctld came up is not on record",
      "its cycles, counted from there, may be some seconds off: try other values of policy.params.slurmctld_start");
  page.costs("the time that daemons take to start and to end a job",
             "nodes are free some tenths of a second too early");
}

/// How many nodes a job has asked for counts in its size. A dump says it that has only what jobs asked for, or both,
/// where all have got as many.
void choose_size(const SacctSurvey& jobs, const ImportFiles& files, Site& site, ImportPage& page) {
  const bool as_asked = site.spreads_tasks ? jobs.fewest_as_asked : jobs.nodes_as_asked;
  const bool known = is_record(files.jobs) && (!jobs.says_allocated || as_asked);
  if (known) site.settings.params.emplace_back("nodes_asked_for", Value(true));
  if (const Setting* weight = site.settings.find("PriorityWeightJobSize"); weight != nullptr && !known)
    page.costs("how many nodes jobs asked for (`sbatch -N`) is not on record",
               "their size counts them as one node, which Slurm does where jobs say tasks only: else set "
               "policy.params.nodes_asked_for");
}

/// Slurm counts neither ages nor fair shares without slurmdbd, whose thread calculates them (priority_multifactor.c). A
/// file that says nothing of it beside associations, which only slurmdbd has, is a part of one.
void leave_out_what_needs_slurmdbd(SiteSettings& settings, bool has_associations, ImportPage& page) {
  const Setting* storage = settings.find("AccountingStorageType");
  if (storage != nullptr ? same_word(storage->value, "accounting_storage/slurmdbd") : has_associations) return;
  for (auto& [name, value] : settings.params) {
    if ((name != "PriorityWeightAge" && name != "PriorityWeightFairshare") || value == Value(std::int64_t{0})) continue;
    page.contradiction(*settings.find(name), "means nothing without AccountingStorageType=accounting_storage/slurmdbd: "
                                             "Slurm counts neither ages nor fair shares then");
    value = Value(std::int64_t{0});
  }
}

bool backfills(const SiteSettings& settings) {
  return std::ranges::none_of(settings.params, [](const auto& param) {
    const std::string* const value = param.second.text();
    return param.first == "SchedulerType" && value != nullptr && *value == "sched/builtin";
  });
}

/// Without an Epilog a node answers at once that a job is over, and from 21.08 on slurmctld takes that for a submission
/// (agent.c, queue_job_scheduler). No file says the release; select/cons_res is of old ones.
void choose_looks_after_ends(SiteSettings& settings, ImportPage& page) {
  const Setting *epilog = settings.find("Epilog"), *select = settings.find("SelectType");
  const bool old = select != nullptr && same_word(select->value, "select/cons_res");
  if (!old) settings.params.emplace_back("ends_aligned", Value(true));
  if (epilog == nullptr && !old) settings.params.emplace_back("ends_as_submissions", Value(true));
  if (epilog == nullptr)
    page.costs("no file says which release of Slurm it is",
               old ? "with select/cons_res it is taken to be one before 21.08, which looks at the queue as soon as a "
                     "job ends; else set "
                     "policy.params.ends_as_submissions"
                   : "it is taken to be 21.08 or later, which without an Epilog looks at the queue after a job's end "
                     "as after a submission; "
                     "else set policy.params.ends_as_submissions to false");
}

/// Exceptions from powering down as nodes and partitions that there are: Slurm passes over others.
void settle_exceptions(Site& site, ImportPage& page) {
  SiteSettings& settings = site.settings;
  const auto known = [&](const std::string& node) { return site.machine.has_node(node); };
  const auto absent = [&](const std::string& node) {
    return std::ranges::find(site.machine.aside.absent, node) != site.machine.aside.absent.end();
  };
  std::vector<std::string> stays_on;
  for (const std::string& item : settings.stays_on) {
    const Setting list{"SuspendExcNodes", item, settings.find("SuspendExcNodes")->place};
    std::vector<std::string> nodes = site.machine.node_sets.nodes_of(list, page);
    for (const std::string& node : nodes)
      if (!known(node) && !absent(node)) page.warning(list, fmt::format("there is no node '{}'", node));
    std::erase_if(nodes, [&](const std::string& node) { return !known(node); });
    if (!nodes.empty()) stays_on.push_back(compress_node_names(nodes));
  }
  settings.stays_on = std::move(stays_on);
  const std::vector<std::string>& empty = site.machine.empty_partitions;
  for (const std::string& name : settings.partitions_stay_on)
    if (site.machine.find_partition(name) == nullptr && std::ranges::find(empty, name) == empty.end())
      page.warning({"SuspendExcParts", name, settings.find("SuspendExcParts")->place},
                   fmt::format("there is no partition '{}'", name));
}

void note_power(const Site& site, ImportPage& page) {
  const SiteSettings& settings = site.settings;
  const std::vector<std::string>& cloud = site.machine.aside.cloud;
  if (settings.suspend_time < 0) {
    if (!cloud.empty())
      page.costs("nodes of State=CLOUD, and no SuspendTime",
                 "nothing powers them up or down, and here they are always there");
    return;
  }
  page.costs(fmt::format("each node takes ResumeTimeout ({} s) to come up and SuspendTimeout ({} s) to go down",
                         settings.resume_timeout, settings.suspend_timeout),
             "these are the longest times that Slurm waits for: jobs on such nodes start too late if your nodes are "
             "faster; set "
             "power.boot and power.shutdown");
  if (!cloud.empty())
    page.costs(fmt::format("nodes of State=CLOUD ({}) are powered down when the run begins", cloud.size()),
               "as when Slurm starts (power.off_at_first), but for those of SuspendExcNodes and SuspendExcParts, which "
               "are on; which ones were up when the records begin is not known");
}

/// Jobs of the dump that did not simply run and end, and what became of them.
void note_losses(const SacctLosses& n, ImportPage& page) {
  if (n.withdrawn > 0)
    page.costs(fmt::format("{} cancelled while waiting", counted(n.withdrawn, "job")),
               "they hold their places in the queue until then (withdrawn_at). One that starts before is gone after 1 "
               "s: how long "
               "it would have run is not on record. They are in no figure of jobs but withdrawals.*");
  if (n.never_started > 0)
    page.costs(fmt::format("{} never started, and the dump does not say until when they waited (End)",
                           counted(n.never_started, "job")),
               "they are left out: those behind them stand further ahead in the queue");
  if (n.not_ended > 0)
    page.costs(fmt::format("{} still running or waiting when the dump was made", counted(n.not_ended, "job")),
               "they are left out: near its end the machine is emptier than it was");
  if (n.preempted > 0)
    page.costs(fmt::format("{} ended by preemption", counted(n.preempted, "run")),
               "with the run that followed, where one did, they are one job from its first submission on, as long as "
               "its last run; "
               "whether it is preempted is simulated");
  if (n.requeued > 0)
    page.costs(fmt::format("{} ended because a node failed, or by requeueing", counted(n.requeued, "run")),
               "each run is a job of its own: no node fails in the simulation unless the scenario says so ([outages])");
}

/// What becomes of the components of heterogeneous jobs.
void note_components(const SacctSurvey& jobs, ImportPage& page) {
  for (const std::string& text : {jobs.het_jobs.text_before_joining(), jobs.lone_components.text()})
    if (!text.empty()) page.costs(text.substr(0, text.find(": ")), text.substr(text.find(": ") + 2));
}

void note_repeated_rows(const SacctSurvey& jobs, ImportPage& page) {
  if (jobs.repeated > 0)
    page.costs(fmt::format("{} in the dump, the same job again", counted(jobs.repeated, "repeated row")),
               "as where dumps of two months overlap: they are left out, each job is there once");
}

void note_cut_lists(const SacctSurvey& jobs, ImportPage& page) {
  const CutLists& cut = jobs.cut_lists;
  if (cut.lists > 0)
    page.costs(fmt::format("{} of elements of arrays that sacct has cut off ({})", counted(cut.lists, "list"),
                           printable(shortened(cut.first, 60))),
               fmt::format("{} {} read, those behind are left out: make the dump with SLURM_BITSTR_LEN=0",
                           counted(cut.elements, "element"), cut.elements == 1 ? "is" : "are"));
}

/// Columns that a dump could have: what it costs that it has not, said where the import ends.
void note_missing_columns(const SacctSurvey& jobs, const ImportFiles& files, ImportPage& page) {
  if (!is_record(files.jobs)) return;
  struct Column {
    const char *names, *cost;
  };
  constexpr Column kWanted[] = {
      {"SubmitLine",
       "how jobs asked for tasks and nodes (`-n`, `-N`), in which partitions they might have run (`-p a,b`), what they "
       "waited for (`--dependency`) and limits of arrays are not known: starts on shared nodes can be minutes from "
       "those on record"},
      {"Eligible", "jobs with --begin, and held ones, wait from their submission on: their waits are too long"},
      {"Start", "how long jobs waited is not known: no run can be held against the record, or begin with it"},
      {"Timelimit TimelimitRaw", "the run time stands in for the limit: backfilling knows the future"},
      {"Partition", "all jobs go to the default partition"},
      {"Account", "jobs have the default account of their user: shares and limits are those of others"},
      {"User Group", "shares and limits of users are not known"},
      {"QOS", "priorities and limits of qualities of service do not act"},
      {"State", "jobs that failed, were cancelled or preempted are taken for ones that ended by themselves"},
      {"AllocTRES ReqTRES", "GPUs, licences and memory that jobs had are not known"},
      {"Constraints", "jobs that asked for features of nodes may have any"},
  };
  std::string asked;
  for (const Column& c : kWanted) {
    const std::string_view names = c.names;
    // What no job asked for is not there in any: of other columns that means that they are not known.
    const auto& there = names == "Constraints" || names == "AllocTRES ReqTRES" ? jobs.all_columns : jobs.columns;
    const bool has = std::ranges::any_of(split(std::string(names), ' '),
                                         [&](const std::string& name) { return there.contains(name); });
    if (has) continue;
    const std::string name(names.substr(0, names.find(' ')));
    page.costs(fmt::format("the dump lacks {}", name), c.cost);
    asked += (asked.empty() ? "" : ",") + name;
  }
  if (!asked.empty())
    page.costs(fmt::format("to have it, add {} to --format of sacct and import again", asked),
               "docs/site.md has the whole command");
}

/// What the clock of the dump says.
void note_clocks(const SacctSurvey& jobs, ImportPage& page) {
  const bool known = jobs.says_zone;
  if (jobs.early_starts > 0)
    page.costs(fmt::format("{} started before their submission", counted(jobs.early_starts, "job")),
               known
                   ? "the clocks of the machines differ, as the times say their zone: how long they waited is not known"
                   : "the clocks were changed, or differ: how long they waited is not known. Make the dump with "
                     "TZ=UTC");
  if (jobs.other_spans > 0)
    page.costs(
        fmt::format("{} took another time than from Start to End", counted(jobs.other_spans, "job")),
        known
            ? "they were suspended: how long they ran counts"
            : "they were suspended, or the clocks were changed, which moves an hour's jobs: make the dump with TZ=UTC");
}

/// What ran before the dump begins is not in it. A run may begin later, with what is known of the machine by then.
void choose_beginning(const SacctSurvey& jobs, const ImportFiles& files, Site& site, ImportPage& page) {
  const Duration span{jobs.last_submit - jobs.first_submit};
  if (files.recorded_until) {
    if (!jobs.has_starts)
      throw InputError({files.jobs, 0, "says of no job when it started, which --recorded-until needs",
                        "a dump of sacct with Start", "", ""});
    if (*files.recorded_until >= span)
      throw InputError(
          {"--recorded-until", 0, "leaves nothing to simulate",
           fmt::format("less than the time from the first submission to the last, {} s", span / whole_seconds(1)), "",
           ""});
    site.recorded_until = files.recorded_until;
    return page.understood("--recorded-until", "the command",
                           "workload.recorded_until: jobs start as on record until then");
  }
  const char* const empty = "the machine is empty when the first job comes";
  if (!jobs.has_starts)
    return page.costs(fmt::format("{}, and no starts are on record", empty), "first waits are too short");
  site.could_begin = whole_seconds(std::min(whole_seconds(86'400), span / 10) / whole_seconds(1));
  page.costs(empty, "first waits are too short: with --recorded-until 1d, or workload.recorded_until in scenario.toml, "
                    "a run begins with "
                    "what ran and waited on record by then");
}

void note_skipped(const SkippedLines& skipped, const std::string& file, ImportPage& page) {
  if (skipped.count == 0) return;
  for (const std::string& complaint : skipped.first) page.ignored(complaint, "--skip-bad", "cannot be read");
  page.costs(fmt::format("{} of {} left unread", counted(skipped.count, "line"),
                         std::filesystem::path(file).filename().string()),
             "their jobs are left out");
}

std::string title_of(const ImportFiles& files, const SiteSettings& settings) {
  return fmt::format("Import of {}", settings.cluster.empty() ? std::filesystem::path(files.conf).filename().string()
                                                              : settings.cluster);
}

}  // namespace

Import import_slurm(const ImportFiles& files, const TraceSink& trace, SkippedLines* skipped) {
  Import out;
  Site site;
  const std::vector<ConfLine> conf = latest_settings(read_conf(files.conf), out.page);
  site.settings = read_settings(conf, out.page);
  leave_out_what_needs_slurmdbd(site.settings, !files.associations.empty(), out.page);
  choose_looks_after_ends(site.settings, out.page);
  for (const auto& [name, value] : site.settings.params) out.params.set(name, value);
  const Setting* const plugin = site.settings.find("TopologyPlugin");
  const TopologyFile topology = topology_of_site(files.topology, plugin, out.page);
  site.machine = read_machine(conf, conf_or_nothing(files.gres), out.page, topology.units_if_given());
  for (NodeGroup& g : site.machine.groups)
    if (!site.settings.memory_counts) g.spec.memory_mib = 0;
  SiteNetwork network = network_of_site(topology, plugin, site.machine, out.page);
  site.switches = std::move(network.switches);
  site.block_sizes = std::move(network.block_sizes);
  if (!files.associations.empty()) {
    const Setting* types = site.settings.find("GresTypes");
    site.associations =
        read_associations(files.associations, out.page, gres_names(types != nullptr ? types->value : ""));
    note_unknown_preempted(site.associations, out.page);
  }
  note_contradictions(conf, site, !files.associations.empty(), out.page);
  settle_exceptions(site, out.page);
  std::vector<SiteReservation> reservations;
  if (!files.reservations.empty()) reservations = read_reservations(files.reservations);
  note_power(site, out.page);
  const SacctSurvey jobs = survey_jobs(files, site, trace, skipped, out.page);
  if (skipped != nullptr) note_skipped(*skipped, files.jobs, out.page);
  Completion(jobs, site.associations).note(!files.associations.empty(), out.page);
  note_unknown_partitions(jobs, site.machine, out.page);
  site.associations.sort();
  for (SiteAccount& a : site.associations.accounts) a.limits.try_emplace("Fairshare", std::int64_t{1});
  for (SiteUser& u : site.associations.users) u.limits.try_emplace("Fairshare", std::int64_t{1});
  site.users = NumbersOfNames(jobs.names, "user", true);
  site.accounts = NumbersOfNames(jobs.names, "group", true);
  site.partitions = NumbersOfNames(jobs.names, "partition", false);
  note_what_never_is(site, out.page);
  note_repeated_rows(jobs, out.page);
  note_losses(jobs.losses, out.page);
  note_components(jobs, out.page);
  note_cut_lists(jobs, out.page);
  note_clocks(jobs, out.page);
  note_missing_columns(jobs, files, out.page);
  choose_beginning(jobs, files, site, out.page);
  site.cut_off = is_record(files.jobs) && backfills(site.settings);
  if (site.cut_off)
    out.page.understood("run times on record are in whole seconds", "workload.time_added",
                        "0.3 s more each: launch and end of a job take some tenths of a second, which decide whether a "
                        "cycle of the backfill scheduler sees its end");
  site.node_ranges = jobs.node_ranges > 0;
  site.spreads_tasks = (jobs.spreads_tasks && !site.settings.whole_nodes) || site.node_ranges;
  if (site.node_ranges)
    out.page.understood(fmt::format("{} with a range of nodes (-N 2-4)", counted(jobs.node_ranges, "job")), "the jobs",
                        "as many nodes as can start, and run as long on each number; policies other than the site's "
                        "give them those on record (engine.molding)");
  const auto has_threads = [](const NodeGroup& g) { return g.threads > 1; };
  site.whole_processors =
      site.settings.whole_sockets && is_record(files.jobs) && std::ranges::none_of(site.machine.groups, has_threads);
  choose_size(jobs, files, site, out.page);
  out.jobs = jobs.jobs;
  out.partitions = static_cast<std::int64_t>(site.machine.partitions.size());
  for (const NodeKind& kind : site.machine.layout->kinds) {
    out.nodes += kind.count;
    out.cores += std::int64_t{kind.count} * kind.processors * kind.cores;
  }
  std::string scenario = scenario_text(site, kTraceFile);
  std::string policy = policy_text(site);  // which gives numbers to users and accounts without jobs
  scenario +=
      reservations_text(reservations, site, {jobs.first_submit / 1'000'000'000, jobs.names_reservations}, out.page);
  out.files.emplace_back("scenario.toml", std::move(scenario));
  out.files.emplace_back("policy.lua", std::move(policy));
  out.files.emplace_back("import.md", out.page.markdown(title_of(files, site.settings)));
  return out;
}

}  // namespace coslice::slurm
