#include "metrics/figures.h"

#include <limits>
#include <set>

#include "core/time.h"

namespace coslice {
namespace {

using enum FigureUnit;
using enum Better;

template <auto Optional>
bool has(const Summary& s) {
  return (s.*Optional).has_value();
}

/// A part of a summary, at the end of a path of members, of which some are optional, and how figures are read off it.
template <auto... Path>
struct Part {
  template <auto Member>
  static FigureValue of(const Summary& s) {
    return in(s, Path...).*Member;
  }

 private:
  static const auto& in(const auto& part) { return part; }
  static const auto& in(const auto& part, auto member, auto... deeper) {
    if constexpr (requires { *(part.*member); }) return in(*(part.*member), deeper...);
    else return in(part.*member, deeper...);
  }
};

using InRun = Part<>;
using InWait = Part<&Summary::all, &GroupSummary::wait>;
using InResponse = Part<&Summary::all, &GroupSummary::response>;
using InLoaded = Part<&Summary::high_load, &HighLoad::in>;
using InUnloaded = Part<&Summary::high_load, &HighLoad::outside>;
using InSteady = Part<&Summary::steady>;
using InSlices = Part<&Summary::slices>;
using InSliceCounted = Part<&Summary::slices, &SliceSummary::counts>;
using InSharing = Part<&Summary::sharing>;
using InProcesses = Part<&Summary::processes>;
using InProcessors = Part<&Summary::processes, &ProcessSummary::shares>;
using InDemand = Part<&Summary::demand>;
using InResources = Part<&Summary::resources>;
using InSwitches = Part<&Summary::switches>;
using InOutages = Part<&Summary::outages>;
using InPower = Part<&Summary::power>;
using InEnergy = Part<&Summary::energy>;
using InCost = Part<&Summary::cost>;
using InReservations = Part<&Summary::reservations>;
using InPreemptions = Part<&Summary::preemptions>;
using InElastic = Part<&Summary::elastic>;

template <auto Member>
FigureValue of_kind(const KindUse& k) {
  return k.*Member;
}
template <auto Member>
FigureValue of_class(const SharingClass& c) {
  return c.*Member;
}

/// Seconds as a whole number where they are one, as in the CSV files.
FigureValue seconds(Duration d) {
  if (d.count() % 1'000'000'000 == 0) return d.count() / 1'000'000'000;
  return to_seconds(d);
}

std::int64_t succeeded(const Summary& s) { return s.finished - s.killed; }

std::vector<double> list_of(const Deciles& d) { return {d.begin(), d.end()}; }

bool always(const Summary&) { return true; }

template <Rejection Why>
FigureValue rejected_for(const Summary& s) {
  return s.rejected_for[static_cast<std::size_t>(Why)];
}

class Visitor {
 public:
  Visitor(const Summary& summary, FigureSink& sink) : summary_(summary), sink_(sink) {}

  void visit() {
    for (const FigureSection& section : figure_sections()) {
      if (!section.there(summary_)) continue;
      if (!section.path.empty()) sink_.enter(section.path);
      for (const RunFigure& f : section.figures) sink_.figure(f.path, f.of(summary_));
      if (section.path == "trimmed") groups(summary_.trimmed, summary_.trimmed_by_class);
      if (section.path == "sharing") tables("by_class", summary_.sharing->by_class, sharing_class_figures());
      if (section.path == "resources") tables("by_kind", summary_.resources->by_kind, kind_figures());
      if (!section.path.empty()) sink_.leave();
      if (section.path == "high_load") all_groups();  // before the trimmed ones
    }
  }

 private:
  void all_groups() {
    groups(summary_.all, summary_.by_class);
    if (!summary_.by_user.empty()) groups("by_user", summary_.by_user);
    if (!summary_.by_group.empty()) groups("by_group", summary_.by_group);
    if (!summary_.by_queue.empty()) groups("by_queue", summary_.by_queue);
    if (!summary_.by_partition.empty()) groups("by_partition", summary_.by_partition);
  }

  /// A table of tables, one for each of the list, by its name.
  template <class T>
  void tables(const char* name, const std::vector<T>& list, const std::vector<FigureSpec<T>>& figures) {
    sink_.enter(name);
    for (const T& of : list) {
      sink_.enter(of.name);
      for (const FigureSpec<T>& f : figures) sink_.figure(f.path, f.of(of));
      sink_.leave();
    }
    sink_.leave();
  }

  void groups(const GroupSummary& all, const std::vector<GroupSummary>& by_class) {
    group("all", all);
    groups("by_class", by_class);
  }

  void groups(const char* name, const std::vector<GroupSummary>& list) {
    sink_.enter(name);
    for (const GroupSummary& g : list) group(g.name, g);
    sink_.leave();
  }

  void group(const std::string& name, const GroupSummary& g) {
    sink_.enter(name);
    sink_.figure("jobs", g.jobs);
    for (const JobQuantity& q : job_quantities()) {
      sink_.enter(q.path);
      for (const Statistic& s : kStatistics) sink_.figure(s.name, g.*q.of.*s.of);
      sink_.leave();
    }
    for (const auto& f : group_figures()) sink_.figure(f.path, f.of(g));
    sink_.leave();
  }

  const Summary& summary_;
  FigureSink& sink_;
};

/// The figure of that path in the section; null if there is none.
const RunFigure* find_in(const FigureSection& section, std::string_view path) {
  const std::string start = section.path.empty() ? "" : section.path + ".";
  if (path.substr(0, start.size()) != start) return nullptr;
  for (const RunFigure& f : section.figures)
    if (f.path == path.substr(start.size())) return &f;
  return nullptr;
}

}  // namespace

const std::vector<JobQuantity>& job_quantities() {
  static const std::vector<JobQuantity> all = {
      {"wait", "wait", "wait", kSeconds,
       "Time in the queue: start - submission, less earlier runs of a job that was interrupted and waited again.",
       &GroupSummary::wait},
      {"response", "response", "response", kSeconds, "End - submission.", &GroupSummary::response},
      {"bounded_slowdown", "bounded slowdown", "slowdown", kNone,
       "max(1, R / max(T, b)): R is the response time, T the time that the job ran, at most its run time, b "
       "`metrics.bound`.",
       &GroupSummary::bounded_slowdown}};
  return all;
}

const std::vector<FigureSpec<GroupSummary>>& group_figures() {
  static const std::vector<FigureSpec<GroupSummary>> all = {
      {"relative_response_time.mean", "relative response", "mean", kNone, kLower,
       "R / max(T, b), with `metrics.relative_response_bound` for b and without the lower bound of 1; the papers on "
       "time slices and coscheduling measure it.",
       [](const GroupSummary& g) -> FigureValue { return g.mean_relative_response; }, 2}};
  return all;
}

const std::vector<FigureSpec<KindUse>>& kind_figures() {
  static const std::vector<FigureSpec<KindUse>> all = {
      {"nodes", "nodes", "", kCount, kNeither, "Nodes of the kind.", of_kind<&KindUse::nodes>},
      {"jobs", "jobs", "", kCount, kNeither, "Jobs that ran on one of them.", of_kind<&KindUse::jobs>},
      {"core_utilization", "utilization", "cores", kShare, kHigher,
       "Cores that jobs asked for; all of a node's where a job has the node for itself.", of_kind<&KindUse::cores>},
      {"memory_utilization", "utilization", "memory", kShare, kHigher, "The same of memory.",
       of_kind<&KindUse::memory>},
      {"gpu_utilization", "utilization", "GPUs", kShare, kHigher, "GPUs and parts of GPUs in use.",
       of_kind<&KindUse::gpus>}};
  return all;
}

const std::vector<FigureSpec<SharingClass>>& sharing_class_figures() {
  static const std::vector<FigureSpec<SharingClass>> all = {
      {"jobs", "jobs", "", kCount, kNeither, "Jobs that ran to an end.", of_class<&SharingClass::jobs>},
      {"grouped", "jobs", "in groups", kCount, kNeither, "Of them, those in a group at least once.",
       of_class<&SharingClass::grouped>},
      {"late", "jobs too late", "", kCount, kLower,
       "Of them, those that did not keep the response time that they were to keep.", of_class<&SharingClass::late>}};
  return all;
}

const std::vector<FigureSection>& figure_sections() {
  static const std::vector<FigureSection> all = {
      // Batsim's keys come first, so that scripts written for its summary read ours.
      {"",
       "Of the run as a whole.",
       always,
       {{"nb_jobs", "jobs", "in all", kCount, kNeither, "Jobs in the workload.", InRun::of<&Summary::jobs>},
        {"nb_jobs_finished", "jobs", "ran", kCount, kNeither, "Those that ran, killed or not.",
         InRun::of<&Summary::finished>},
        {"nb_jobs_success", "jobs", "ended by themselves", kCount, kNeither, "Those that ended by themselves.",
         [](const Summary& s) -> FigureValue { return succeeded(s); }},
        {"nb_jobs_killed", "jobs", "killed", kCount, kLower, "Those that were killed at their limits.",
         InRun::of<&Summary::killed>},
        {"nb_jobs_rejected", "jobs", "rejected", kCount, kLower, "Those that never ran: `rejections` says why.",
         InRun::of<&Summary::rejected>},
        {"success_rate", "success rate", "", kShare, kHigher, "Of all jobs, those that ended by themselves.",
         [](const Summary& s) -> FigureValue {
           return s.jobs > 0 ? static_cast<double>(succeeded(s)) / static_cast<double>(s.jobs) : 0.0;
         }},
        {"nb_computing_machines", "nodes", "", kCount, kNeither, "Nodes of the machine.", InRun::of<&Summary::nodes>},
        {"makespan", "makespan", "", kSeconds, kLower, "Last end - first submission.", InRun::of<&Summary::makespan>},
        {"mean_waiting_time", "waiting time", "mean", kSeconds, kLower, "`all.wait.mean`, under Batsim's name.",
         InWait::of<&Stats::mean>},
        {"max_waiting_time", "waiting time", "max", kSeconds, kLower, "`all.wait.max`.", InWait::of<&Stats::max>},
        {"mean_turnaround_time", "turnaround time", "mean", kSeconds, kLower, "`all.response.mean`.",
         InResponse::of<&Stats::mean>},
        {"max_turnaround_time", "turnaround time", "max", kSeconds, kLower, "`all.response.max`.",
         InResponse::of<&Stats::max>},
        {"mean_slowdown", "slowdown, unbounded", "mean", kNone, kLower,
         "Turnaround time / execution time, not bounded.", InRun::of<&Summary::mean_slowdown>, 2},
        {"max_slowdown", "slowdown, unbounded", "max", kNone, kLower, "The largest of them.",
         InRun::of<&Summary::max_slowdown>, 2},
        {"utilization", "utilization", "", kShare, kHigher,
         "Node-seconds in use / those of the makespan, without those of nodes that were down. Nodes are unused in the "
         "time that is lost at the end of a slice.",
         InRun::of<&Summary::utilization>},
        {"core_utilization", "utilization", "cores", kShare, kHigher,
         "Core-seconds in use / those of the makespan, without those of nodes that were down; a core that "
         "several jobs have counts once.",
         InRun::of<&Summary::core_utilization>},
        {"mean_queue_length", "queue", "mean", kNone, kLower, "Waiting jobs, mean over the makespan.",
         InRun::of<&Summary::mean_queue>, 1},
        {"max_queue_length", "queue", "max", kCount, kLower, "Waiting jobs, at most.",
         InRun::of<&Summary::max_queue>}}},
      {"high_load",
       "Longest intervals in which at least `metrics.high_load` jobs wait that never ran, and the rest of the makespan "
       "(Zeng 2009, Equations 1 to 3).",
       always,
       {{"phases", "high load", "phases", kCount, kNeither, "Such intervals.",
         Part<&Summary::high_load>::of<&HighLoad::phases>},
        {"in.time", "high load", "time", kSeconds, kNeither, "Their length, together.", InLoaded::of<&Fullness::time>},
        {"in.utilization", "nodes used", "", kShare, kHigher, "Node-seconds in use in them.",
         InLoaded::of<&Fullness::utilization>},
        {"in.core_utilization", "cores used", "", kShare, kHigher, "Core-seconds in use in them.",
         InLoaded::of<&Fullness::core_utilization>},
        {"outside.time", "low load", "time", kSeconds, kNeither, "The rest of the makespan.",
         InUnloaded::of<&Fullness::time>},
        {"outside.utilization", "low load", "nodes used", kShare, kHigher, "Node-seconds in use in the rest.",
         InUnloaded::of<&Fullness::utilization>},
        {"outside.core_utilization", "low load", "cores used", kShare, kHigher, "Core-seconds in use in the rest.",
         InUnloaded::of<&Fullness::core_utilization>}}},
      {"trimmed",
       "Without the first and last jobs, and of the time in which the jobs between were submitted.",
       always,
       {{"share", "trimmed", "share", kShare, kNeither, "Cut off at each end, of the ended jobs.",
         InRun::of<&Summary::trim>},
        {"from", "trimmed", "from", kSeconds, kNeither, "First submission of the jobs between.",
         [](const Summary& s) -> FigureValue { return seconds(s.steady.from.time_since_epoch()); }},
        {"to", "trimmed", "to", kSeconds, kNeither, "Last submission of the jobs between.",
         [](const Summary& s) -> FigureValue { return seconds(s.steady.to.time_since_epoch()); }},
        {"utilization", "utilization", "", kShare, kHigher, "Node-seconds in use in that time.",
         InSteady::of<&Steadiness::utilization>},
        {"mean_queue_length", "queue", "mean", kNone, kLower, "Waiting jobs, mean over that time.",
         InSteady::of<&Steadiness::mean_queue>, 1},
        {"backlog_growth", "backlog growth", "", kShare, kLower,
         "Growth of the backlog, as a fraction of what the machine can do in that time.",
         InSteady::of<&Steadiness::growth>},
        {"backlog_evidence", "backlog evidence", "", kNone, kNeither,
         "Student's t of its changes over 16 equal parts of the time.", InSteady::of<&Steadiness::evidence>, 2},
        {"saturated", "saturated", "", kNone, kNeither,
         "Growth above 0.01 and evidence above 1.345, with at least 100 jobs: the run was no steady state, and means "
         "of waits say how long it was, not how good the policy is.",
         InSteady::of<&Steadiness::saturated>}}},
      {"slices",
       "Under time slices only.",
       has<&Summary::slices>,
       {{"slices", "slices", "", kCount, kNeither, "Slices.", InSliceCounted::of<&SliceCounts::slices>},
        {"preemptions", "preemptions", "slices", kCount, kLower, "Jobs stopped, at slices' ends and within slices.",
         InSliceCounted::of<&SliceCounts::preemptions>},
        {"evictions", "evictions", "", kCount, kLower, "Preemptions within a slice, for a job of the slice's class.",
         InSliceCounted::of<&SliceCounts::evictions>},
        {"foreign_resumed", "in other slices", "resumed", kCount, kNeither,
         "Preempted jobs that ran on in a slice of another class.", InSliceCounted::of<&SliceCounts::foreign_resumed>},
        {"foreign_finishing", "in other slices", "finished", kCount, kNeither,
         "Waiting jobs that started in a slice of another class, to finish in it.",
         InSliceCounted::of<&SliceCounts::foreign_finishing>},
        {"foreign_pinned", "in other slices", "begun", kCount, kNeither,
         "Waiting jobs that started in a slice of another class, not to finish in it.",
         InSliceCounted::of<&SliceCounts::foreign_pinned>},
        {"loads", "loads", "", kCount, kLower, "Loads of a job's memory that took time.",
         InSliceCounted::of<&SliceCounts::loads>},
        {"swaps", "swaps", "", kCount, kLower, "Displacements from memory that were charged to a job.",
         InSliceCounted::of<&SliceCounts::swaps>},
        {"overhead", "overhead", "", kSeconds, kLower,
         "Of all jobs: loading, writing out (each as long as on the slowest of the job's nodes), and the time that is "
         "lost at the end of each slice, once for every job that it interrupts.",
         InSlices::of<&SliceSummary::overhead>},
        {"overhead_without_first_loads", "overhead", "without first loads", kSeconds, kLower,
         "The same without each job's first load.", InSlices::of<&SliceSummary::overhead_without_first_loads>},
        {"overhead_share", "overhead", "share", kShare, kLower, "Overhead / sum of the run times.",
         InSlices::of<&SliceSummary::share>},
        {"overhead_share_by_nodes", "overhead", "share by nodes", kShare, kLower,
         "Both weighted by the nodes of each job.", InSlices::of<&SliceSummary::share_by_nodes>},
        {"overhead_share_without_first_loads", "overhead", "share without first loads", kShare, kLower,
         "Without each job's first load.", InSlices::of<&SliceSummary::share_without_first_loads>},
        {"utilization_without_loading", "utilization", "without loading", kShare, kHigher,
         "`utilization`, if nodes whose job is being loaded count as unused.",
         InSlices::of<&SliceSummary::utilization_without_loading>}}},
      {"sharing",
       "Only where jobs may share nodes.",
       has<&Summary::sharing>,
       {{"groups", "groups", "", kCount, kNeither, "Groups formed.", InSharing::of<&SharingSummary::groups>},
        {"jobs_per_group", "groups", "jobs", kNone, kNeither, "Jobs of a group, mean.",
         InSharing::of<&SharingSummary::jobs_per_group>, 2},
        {"gain_promised", "groups", "promised gain", kShare, kHigher,
         "Mean over the groups: how much more work they do than jobs with one process on each node would on their "
         "nodes, when they were formed (Zeng 2009, Equation 6).",
         InSharing::of<&SharingSummary::gain_promised>},
        {"gain_had", "groups", "gain", kShare, kHigher, "The same, from what was really done while they lasted.",
         InSharing::of<&SharingSummary::gain_had>},
        {"efficiency", "efficiency", "", kShare, kHigher,
         "Utilization efficiency: run times alone x nodes with one process on each, over makespan x nodes. Above "
         "`utilization` where sharing gains more than it slows down, and above 1 where nodes have cores for it (Sodan "
         "& Lan 2005, Section 6.1). The same jobs with another policy: efficiency x makespan stays the same.",
         InSharing::of<&SharingSummary::efficiency>},
        {"grouped_share", "groups", "share of jobs", kShare, kNeither,
         "Of the jobs of all classes but the first: those that were in a group at least once.",
         InSharing::of<&SharingSummary::grouped_share>},
        {"bounded", "jobs with a bound", "", kCount, kNeither,
         "Jobs that were to keep a response time: what was expected when they came, times the policy's slack "
         "(`view:expect`).",
         InSharing::of<&SharingSummary::bounded>},
        {"late", "jobs too late", "", kCount, kLower,
         "Of these, those that did not, because of groups or of jobs that came later.",
         InSharing::of<&SharingSummary::late>},
        {"late_grouped", "jobs too late", "in groups", kCount, kLower, "Of the late ones, those that were in a group.",
         InSharing::of<&SharingSummary::late_grouped>},
        {"attempts", "searches", "", kCount, kNeither,
         "Searches for jobs to match with a primary one (`Candidates:tolerating`).",
         InSharing::of<&SharingSummary::attempts>},
        {"few_candidates_share", "searches", "with few candidates", kShare, kNeither,
         "Of the searches: those that found fewer than four candidates, or none.",
         InSharing::of<&SharingSummary::few_share>},
        {"no_candidates_share", "searches", "in vain", kShare, kNeither, "Of the searches: those that found none.",
         InSharing::of<&SharingSummary::vain_share>}}},
      {"resources",
       "Only on machines with kinds of nodes, partitions or licences. What jobs hold, of what there is over the "
       "makespan.",
       has<&Summary::resources>,
       {{"memory_utilization", "utilization", "memory", kShare, kHigher,
         "Memory that jobs asked for; all of a node's where a job has the node for itself.",
         InResources::of<&ResourceSummary::memory>},
        {"gpu_utilization", "utilization", "GPUs", kShare, kHigher,
         "GPUs and parts of GPUs that jobs hold: under a policy that divides GPUs into slices the slices that it gave "
         "them, under others what they asked for. So the two do not compare: `gpus_with_jobs` does.",
         InResources::of<&ResourceSummary::gpus>},
        {"gpus_with_jobs", "utilization", "GPUs with jobs", kShare, kNeither,
         "GPUs on which at least one job is, however little of them it holds.",
         InResources::of<&ResourceSummary::gpus_with_jobs>}}},
      {"switches",
       "Only where the machine has switches (`machine.switches`). Of the jobs that ran, by the nodes of their last "
       "runs.",
       has<&Summary::switches>,
       {{"per_job", "switches", "of a job", kNone, kLower, "Switches that a job's nodes are at: mean over all jobs.",
         InSwitches::of<&SwitchSummary::per_job>, 2},
        {"one_share", "switches", "one", kShare, kHigher,
         "Of the jobs of several nodes, those whose nodes are at one switch.",
         InSwitches::of<&SwitchSummary::one_share>}}},
      {"outages",
       "Only where nodes fail, are drained or have maintenance.",
       has<&Summary::outages>,
       {{"availability", "availability", "", kShare, kHigher,
         "Node-seconds in which nodes were not down / (makespan x nodes).",
         InOutages::of<&OutageSummary::availability>},
        {"failures", "failures", "", kCount, kLower, "Failures, each of a node or of several at once.",
         InOutages::of<&OutageSummary::failures>},
        {"interruptions", "interruptions", "", kCount, kLower, "Runs of jobs that failures ended.",
         InOutages::of<&OutageSummary::interruptions>},
        {"lost_jobs", "jobs", "lost", kCount, kLower, "Interrupted jobs that were not requeued.",
         InOutages::of<&OutageSummary::lost_jobs>},
        {"lost", "work lost", "node-seconds", kNone, kLower,
         "Nodes x seconds of work that had to be done again, or never was.", InOutages::of<&OutageSummary::lost>},
        {"checkpointing", "checkpoints", "node-seconds", kNone, kLower,
         "Nodes x seconds for writing checkpoints and going on from them.",
         InOutages::of<&OutageSummary::checkpointing>},
        {"waste", "waste", "failures", kShare, kLower, "Both, in parts of the node-seconds that jobs ran.",
         InOutages::of<&OutageSummary::waste>}}},
      {"power",
       "Only where nodes are powered down.",
       has<&Summary::power>,
       {{"boots", "boots", "nodes", kCount, kLower, "Nodes that came up for a job, each time.",
         InPower::of<&PowerSummary::boots>},
        {"delayed", "boots", "jobs delayed", kCount, kLower, "Starts of jobs on nodes that were not all up.",
         InPower::of<&PowerSummary::delayed>},
        {"boot_wait", "boots", "mean wait, s", kSeconds, kLower,
         "Seconds for which a job had its nodes before all of them were up: mean over all jobs that ran. They count as "
         "running, not as waiting.",
         InPower::of<&PowerSummary::boot_wait>},
        {"lost", "boots", "node-seconds", kNone, kLower,
         "Nodes x seconds that jobs had nodes before all of them were up.", InPower::of<&PowerSummary::lost>},
        {"off_share", "powered down", "", kShare, kNeither,
         "Node-seconds in which nodes were powered down / those in which they were there.",
         InPower::of<&PowerSummary::off_share>}}},
      {"energy",
       "Only where it is known what nodes draw (`power.watts`, or `busy_watts` and `idle_watts` of each kind).",
       has<&Summary::energy>,
       {{"used", "energy", "kWh", kNone, kLower, "What the nodes drew over the makespan while they were there, kWh.",
         InEnergy::of<&EnergySummary::used>, 1},
        {"idle", "energy", "kWh, idle", kNone, kLower, "Of it, what nodes drew that were up and had no job, kWh.",
         InEnergy::of<&EnergySummary::idle>, 1},
        {"jobs", "energy", "kWh, jobs", kNone, kNeither,
         "Of it, the jobs' parts, kWh: each its part of what its nodes drew "
         "([power.md](power.md#the-energy-of-a-job)).",
         InEnergy::of<&EnergySummary::jobs>, 1},
        {"per_job", "energy", "kWh, mean of jobs", kNone, kLower, "Of that, the mean of a job that started, kWh.",
         InEnergy::of<&EnergySummary::per_job>, 3},
        {"always_on", "energy", "kWh, always on", kNone, kNeither,
         "What they would have drawn if nodes that are powered down or come up drew what idle ones do, kWh.",
         InEnergy::of<&EnergySummary::always_on>, 1}}},
      {"cost",
       "Only where an hour of a node (`price`) or a kWh (`power.kwh_price`) has a price; in its currency.",
       has<&Summary::cost>,
       {{"total", "cost", "", kNone, kLower, "Of nodes and of what they drew, over the makespan.",
         InCost::of<&CostSummary::total>, 2},
        {"nodes", "cost", "nodes", kNone, kLower,
         "Hours in which nodes were not down and not powered down, each at the price of its kind.",
         InCost::of<&CostSummary::nodes>, 2},
        {"idle", "cost", "idle nodes", kNone, kLower, "Of it, hours of nodes that were up and had no job.",
         InCost::of<&CostSummary::idle>, 2},
        {"energy", "cost", "energy", kNone, kLower, "kWh that the nodes drew, at the price of one.",
         InCost::of<&CostSummary::energy>, 2}}},
      {"preemptions",
       "Only where the policy stopped or suspended running jobs (`view:preempt`, `view:requeue`, `view:kill`).",
       has<&Summary::preemptions>,
       {{"stopped", "preemptions", "policy", kCount, kLower, "Runs of jobs that the policy ended.",
         InPreemptions::of<&PreemptionSummary::stopped>},
        {"requeued", "preemptions", "requeued", kCount, kNeither, "Of them, of jobs that waited again.",
         InPreemptions::of<&PreemptionSummary::requeued>},
        {"cancelled", "jobs", "cancelled", kCount, kLower, "Of them, of jobs that did not.",
         InPreemptions::of<&PreemptionSummary::cancelled>},
        {"lost", "work lost", "node-seconds", kNone, kLower,
         "Nodes x seconds of work that had to be done again, or never was.",
         InPreemptions::of<&PreemptionSummary::lost>},
        {"checkpointing", "checkpoints", "node-seconds", kNone, kLower,
         "Nodes x seconds for writing checkpoints and going on from them.",
         InPreemptions::of<&PreemptionSummary::checkpointing>},
        {"waste", "waste", "preemptions", kShare, kLower, "Both, in parts of the node-seconds that jobs ran.",
         InPreemptions::of<&PreemptionSummary::waste>},
        {"suspended", "suspensions", "", kCount, kLower, "Times that a job was suspended on its nodes.",
         InPreemptions::of<&PreemptionSummary::suspended>},
        {"suspended_time", "suspensions", "seconds", kNone, kLower,
         "Seconds for which jobs were suspended, of all of them together.",
         InPreemptions::of<&PreemptionSummary::suspended_time>}},
       true},
      {"elastic",
       "Only where running jobs changed their nodes (`view:resize`, [elastic.md](elastic.md)).",
       has<&Summary::elastic>,
       {{"jobs", "resized", "jobs", kCount, kNeither, "Jobs that changed their nodes.",
         InElastic::of<&ElasticSummary::jobs>},
        {"grown", "resized", "to more nodes", kCount, kNeither, "Times that a job had more nodes than before.",
         InElastic::of<&ElasticSummary::grown>},
        {"shrunk", "resized", "to fewer nodes", kCount, kNeither, "Times that a job had fewer nodes than before.",
         InElastic::of<&ElasticSummary::shrunk>},
        {"standstill", "standstill", "node-seconds", kNone, kLower,
         "Nodes x seconds in which jobs made no progress because they had just changed.",
         InElastic::of<&ElasticSummary::standstill>},
        {"efficiency", "efficiency", "", kNone, kHigher,
         "Nodes x seconds that those of them that completed would have used with the nodes with which they started, in "
         "parts of those that they used, in runs that were interrupted, too.",
         InElastic::of<&ElasticSummary::efficiency>}},
       true},
      {"reservations",
       "Only where nodes are reserved.",
       has<&Summary::reservations>,
       {{"windows", "windows", "", kCount, kNeither, "Times of reservations that began.",
         InReservations::of<&ReservationSummary::windows>},
        {"late", "windows", "late", kCount, kLower,
         "Of them, those in which jobs of others stayed on some nodes: they had started before the reservation was "
         "known, or ran longer than the policy believed.",
         InReservations::of<&ReservationSummary::late>},
        {"reserved", "reserved", "node-seconds", kNone, kNeither, "Nodes x seconds of these times.",
         InReservations::of<&ReservationSummary::reserved>},
        {"used", "used", "node-seconds", kNone, kHigher,
         "Of them, those that jobs had for which the nodes were reserved.",
         InReservations::of<&ReservationSummary::used>},
        {"backfilled", "backfilled", "node-seconds", kNone, kHigher,
         "Of them, those that short jobs of others had (`backfill`).",
         InReservations::of<&ReservationSummary::backfilled>},
        {"withheld", "withheld", "node-seconds", kNone, kLower, "Of them, those that jobs of others had that stayed.",
         InReservations::of<&ReservationSummary::withheld>}}},
      {"demand",
       "Only with `metrics.demand_curves`. Lists are indexed by demand, from 0 in steps of 1 % of the machine's GPUs; "
       "a value is the mean over the instants with that demand, in per cent.",
       has<&Summary::demand>,
       {{"final_allocation", "allocation", "at the end", kNone, kHigher,
         "GPUs in use, in per cent of all, after the last arrival.", InDemand::of<&DemandCurves::final_allocation>, 2},
        {"arrived", "jobs", "arrived", kCount, kNeither, "Jobs that came.", InDemand::of<&DemandCurves::arrived>},
        {"placed", "jobs", "placed", kCount, kHigher, "Of them, those that got nodes.",
         InDemand::of<&DemandCurves::placed>},
        {"allocation", "allocation", "curve", kNone, kNeither, "GPUs in use, of all.",
         InDemand::of<&DemandCurves::allocation>},
        {"fragmentation", "fragmentation", "curve", kNone, kNeither,
         "GPUs that are left and that typical jobs of the workload cannot use where they are, of all (Weng et al. "
         "2023).",
         InDemand::of<&DemandCurves::fragmentation>},
        {"fragmentation_ratio", "fragmentation", "of what is left", kNone, kNeither,
         "The same, of the GPUs that are left.", InDemand::of<&DemandCurves::fragmentation_ratio>}}},
      {"processes",
       "Only where processes were simulated. Shares are parts of processors x makespan.",
       has<&Summary::processes>,
       {{"processors", "processors", "", kCount, kNeither, "Processors of the machine.",
         InProcesses::of<&ProcessSummary::processors>},
        {"computing", "processors", "computing", kShare, kHigher, "Bursts.",
         InProcessors::of<&ProcessorShares::computing>},
        {"polling", "processors", "polling", kShare, kLower, "Waiting for messages with the processor.",
         InProcessors::of<&ProcessorShares::polling>},
        {"blocked", "processors", "blocked", kShare, kLower, "Idle while all runnable processes waited for messages.",
         InProcessors::of<&ProcessorShares::blocked>},
        {"switching", "processors", "switching", kShare, kLower, "Switches between processes.",
         InProcessors::of<&ProcessorShares::switching>},
        {"idle", "processors", "idle", kShare, kLower, "No process was runnable (fragmentation).",
         InProcessors::of<&ProcessorShares::idle>},
        {"strobes", "strobes", "", kCount, kNeither, "Switches of slots that the machine manager ordered.",
         InProcesses::of<&ProcessSummary::strobes>},
        {"empty_slots", "empty slots", "", kShare, kLower,
         "Assigned slots of processors whose row held no process there, in parts of all.",
         InProcesses::of<&ProcessSummary::empty_slots>},
        {"path", "path", "", kNone, kNeither,
         "How the run went: `exact` event by event, `closed` in closed form where that gives the same, `fast` by "
         "measured rates too.",
         InProcesses::of<&ProcessSummary::path>},
        {"extrapolated", "extrapolated", "", kSeconds, kNeither, "Time gone through by measured rates.",
         [](const Summary& s) -> FigureValue { return seconds(s.processes->extrapolated); }},
        {"error_bound", "error bound", "", kSeconds, kLower, "By how much the end of the run may be off for it.",
         [](const Summary& s) -> FigureValue { return seconds(s.processes->error_bound); }},
        {"offered_load", "offered load", "", kNone, kNeither,
         "Run times x sizes / (processors x time from the first arrival to the last).",
         InProcesses::of<&ProcessSummary::offered_load>, 2},
        {"accepted_load", "accepted load", "", kNone, kHigher,
         "The same of what was done up to the last arrival; a job counts evenly over the time in which it ran.",
         InProcesses::of<&ProcessSummary::accepted_load>, 2},
        {"backlog_growth", "backlog growth", "", kShare, kLower,
         "How fast the work of waiting jobs grew in the second half of the arrivals, in parts of what the processors "
         "can do.",
         InProcesses::of<&ProcessSummary::backlog_growth>},
        {"response_deciles.shorter_half", "response deciles", "shorter half", kSeconds, kNeither,
         "Of the shorter half of the jobs by run time: deciles of the response time from 0.1 to 1.",
         [](const Summary& s) -> FigureValue { return list_of(s.processes->shorter); }},
        {"response_deciles.longer_half", "response deciles", "longer half", kSeconds, kNeither,
         "The same of the longer half.",
         [](const Summary& s) -> FigureValue { return list_of(s.processes->longer); }}}},
      {"dependencies",
       "Only where some job's dependency can never be fulfilled.",
       [](const Summary& s) { return s.unfulfilled > 0; },
       {{"unfulfilled", "jobs", "dependency can never be fulfilled", kCount, kLower,
         "Jobs that never came, because what they depend on could not happen any more.",
         InRun::of<&Summary::unfulfilled>}}},
      {"rejections",
       "Only where jobs were rejected.",
       [](const Summary& s) { return s.rejected > 0; },
       {{"never_fit", "jobs", "never fit", kCount, kNeither,
         "Jobs that need more than the machine has, or than partitions and reservations leave them.",
         rejected_for<Rejection::kNeverFits>},
        {"over", "jobs", "reservation over", kCount, kNeither, "Jobs whose reservation of nodes was over for good.",
         rejected_for<Rejection::kOver>},
        {"refused", "jobs", "refused", kCount, kLower,
         "Jobs that the policy refused, as a site's limits say (`view:refuse`).", rejected_for<Rejection::kPolicy>},
        {"not_at_once", "jobs", "not at once", kCount, kLower,
         "Jobs that did not start when they came, with `engine.unstarted = \"drop\"`.",
         rejected_for<Rejection::kNotAtOnce>},
        {"ran_before", "jobs", "ran before", kCount, kNeither,
         "Jobs that ended on record before `workload.recorded_until`, and did not fit here when they started on "
         "record.",
         rejected_for<Rejection::kRanBefore>}}},
      {"withdrawals",
       "Only where some job is withdrawn.",
       [](const Summary& s) { return s.withdrawn > 0; },
       {{"withdrawn", "jobs", "withdrawn", kCount, kNeither,
         "Jobs that had not started when their users cancelled them (`withdrawn_at`), here or in their record "
         "(`status` 5). They are in no figure of jobs that ran: the same jobs under each policy where a record says "
         "it.",
         InRun::of<&Summary::withdrawn>},
        {"started", "jobs", "withdrawn in their record", kCount, kNeither,
         "Of them, those that never ran in their record and started here before. How long they would have run is not "
         "known: they end after their `runtime`, 1 s from a dump of sacct.",
         InRun::of<&Summary::withdrawn_started>}}}};
  return all;
}

double number_of(const FigureValue& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) return static_cast<double>(*n);
  const auto* x = std::get_if<double>(&value);
  return x != nullptr ? *x : std::numeric_limits<double>::quiet_NaN();
}

const RunFigure* find_run_figure(std::string_view path) {
  const FigureSection* const section = section_of(path);
  return section != nullptr ? find_in(*section, path) : nullptr;
}

const FigureSection* section_of(std::string_view path) {
  for (const FigureSection& section : figure_sections())
    if (find_in(section, path) != nullptr) return &section;
  return nullptr;
}

std::string statistic_endings() {
  std::string endings;
  for (const Statistic& s : kStatistics)
    if (s.of != &Stats::mean) endings += std::string(endings.empty() ? "." : ", .") + s.name;
  return endings;
}

bool is_part_of_machine(std::string_view path) {
  static const std::set<std::string_view> paths = {"utilization",
                                                   "core_utilization",
                                                   "high_load.in.utilization",
                                                   "high_load.in.core_utilization",
                                                   "high_load.outside.utilization",
                                                   "high_load.outside.core_utilization",
                                                   "trimmed.utilization",
                                                   "trimmed.backlog_growth",
                                                   "slices.utilization_without_loading",
                                                   "sharing.efficiency",
                                                   "resources.memory_utilization",
                                                   "resources.gpu_utilization",
                                                   "resources.gpus_with_jobs",
                                                   "power.off_share",
                                                   "demand.final_allocation",
                                                   "processes.computing",
                                                   "processes.polling",
                                                   "processes.blocked",
                                                   "processes.switching",
                                                   "processes.idle",
                                                   "processes.empty_slots"};
  return paths.count(path) != 0 || (path.starts_with("resources.by_kind.") && path.ends_with("_utilization"));
}

const char* unit_ending(FigureUnit unit) {
  switch (unit) {
    case kSeconds: return ", s";
    case kShare: return ", %";
    default: return "";
  }
}

void visit_figures(const Summary& summary, FigureSink& sink) { Visitor(summary, sink).visit(); }

}  // namespace coslice
