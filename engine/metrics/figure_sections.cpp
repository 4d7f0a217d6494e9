// The declarations of all figures.
#include "metrics/event_sections.h"
#include "metrics/figures.h"

#include "core/time.h"

namespace coslice {
namespace {

using Unit = FigureUnit;

// How a figure is read off: a member of the summary, or of one of its parts.
template <auto Member>
FigureValue plain(const Summary& s) {
  return s.*Member;
}
template <auto Member>
FigureValue loaded(const Summary& s) {
  return s.high_load.in.*Member;
}
template <auto Member>
FigureValue unloaded(const Summary& s) {
  return s.high_load.outside.*Member;
}
template <auto Member>
FigureValue steady(const Summary& s) {
  return s.steady.*Member;
}
template <auto Member>
FigureValue sliced(const Summary& s) {
  return (*s.slices).*Member;
}
template <auto Member>
FigureValue slice_count(const Summary& s) {
  return s.slices->counts.*Member;
}
template <auto Member>
FigureValue shared(const Summary& s) {
  return (*s.sharing).*Member;
}
template <auto Member>
FigureValue process(const Summary& s) {
  return (*s.processes).*Member;
}
template <auto Member>
FigureValue processor(const Summary& s) {
  return s.processes->shares.*Member;
}
template <auto Member>
FigureValue demand(const Summary& s) {
  return (*s.demand).*Member;
}
template <auto Member>
FigureValue resource(const Summary& s) {
  return (*s.resources).*Member;
}
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

// Batsim's keys come first, so that scripts written for its summary read ours.
FigureSection machine_section() {
  return {
      "",
      "Of the run as a whole.",
      always,
      {{"nb_jobs", "jobs", "in all", Unit::kCount, Better::kNeither, "Jobs in the workload.", plain<&Summary::jobs>},
       {"nb_jobs_finished", "jobs", "ran", Unit::kCount, Better::kNeither, "Those that ran, killed or not.",
        plain<&Summary::finished>},
       {"nb_jobs_success", "jobs", "ended by themselves", Unit::kCount, Better::kNeither,
        "Those that ended by themselves.", [](const Summary& s) -> FigureValue { return succeeded(s); }},
       {"nb_jobs_killed", "jobs", "killed", Unit::kCount, Better::kLower, "Those that were killed at their limits.",
        plain<&Summary::killed>},
       {"nb_jobs_rejected", "jobs", "rejected", Unit::kCount, Better::kLower, "Those that never ran: `rejections` says why.",
        plain<&Summary::rejected>},
       {"success_rate", "success rate", "", Unit::kShare, Better::kHigher,
        "Of all jobs, those that ended by themselves.",
        [](const Summary& s) -> FigureValue {
          return s.jobs > 0 ? static_cast<double>(succeeded(s)) / static_cast<double>(s.jobs) : 0.0;
        }},
       {"nb_computing_machines", "nodes", "", Unit::kCount, Better::kNeither, "Nodes of the machine.",
        plain<&Summary::nodes>},
       {"makespan", "makespan", "", Unit::kSeconds, Better::kLower, "Last end - first submission.",
        plain<&Summary::makespan>},
       {"mean_waiting_time", "waiting time", "mean", Unit::kSeconds, Better::kLower,
        "`all.wait.mean`, under Batsim's name.", [](const Summary& s) -> FigureValue { return s.all.wait.mean; }},
       {"max_waiting_time", "waiting time", "max", Unit::kSeconds, Better::kLower, "`all.wait.max`.",
        [](const Summary& s) -> FigureValue { return s.all.wait.max; }},
       {"mean_turnaround_time", "turnaround time", "mean", Unit::kSeconds, Better::kLower, "`all.response.mean`.",
        [](const Summary& s) -> FigureValue { return s.all.response.mean; }},
       {"max_turnaround_time", "turnaround time", "max", Unit::kSeconds, Better::kLower, "`all.response.max`.",
        [](const Summary& s) -> FigureValue { return s.all.response.max; }},
       {"mean_slowdown", "slowdown, unbounded", "mean", Unit::kNone, Better::kLower,
        "Turnaround time / execution time, not bounded.", plain<&Summary::mean_slowdown>, 2},
       {"max_slowdown", "slowdown, unbounded", "max", Unit::kNone, Better::kLower, "The largest of them.",
        plain<&Summary::max_slowdown>, 2},
       {"utilization", "utilization", "", Unit::kShare, Better::kHigher,
        "Node-seconds in use / those of the makespan, without those of nodes that were down. Nodes are unused in the time that is lost at the end of a slice.",
        plain<&Summary::utilization>},
       {"core_utilization", "utilization", "cores", Unit::kShare, Better::kHigher,
        "Core-seconds in use / those of the makespan, without those of nodes that were down.", plain<&Summary::core_utilization>},
       {"mean_queue_length", "queue", "mean", Unit::kNone, Better::kLower, "Waiting jobs, mean over the makespan.",
        plain<&Summary::mean_queue>, 1},
       {"max_queue_length", "queue", "max", Unit::kCount, Better::kLower, "Waiting jobs, at most.",
        plain<&Summary::max_queue>}}};
}

FigureSection high_load_section() {
  return {
      "high_load",
      "Longest intervals in which at least `metrics.high_load` jobs wait that never ran, and the rest of the makespan "
      "(Zeng 2009, Equations 1 to 3).",
      always,
      {{"phases", "high load", "phases", Unit::kCount, Better::kNeither, "Such intervals.",
        [](const Summary& s) -> FigureValue { return s.high_load.phases; }},
       {"in.time", "high load", "time", Unit::kSeconds, Better::kNeither, "Their length, together.",
        loaded<&Fullness::time>},
       {"in.utilization", "nodes used", "", Unit::kShare, Better::kHigher, "Node-seconds in use in them.",
        loaded<&Fullness::utilization>},
       {"in.core_utilization", "cores used", "", Unit::kShare, Better::kHigher, "Core-seconds in use in them.",
        loaded<&Fullness::core_utilization>},
       {"outside.time", "low load", "time", Unit::kSeconds, Better::kNeither, "The rest of the makespan.",
        unloaded<&Fullness::time>},
       {"outside.utilization", "low load", "nodes used", Unit::kShare, Better::kHigher,
        "Node-seconds in use in the rest.", unloaded<&Fullness::utilization>},
       {"outside.core_utilization", "low load", "cores used", Unit::kShare, Better::kHigher,
        "Core-seconds in use in the rest.", unloaded<&Fullness::core_utilization>}}};
}

FigureSection trimmed_section() {
  return {
      "trimmed",
      "Without the first and last jobs, and of the time in which the jobs between were submitted.",
      always,
      {{"share", "trimmed", "share", Unit::kShare, Better::kNeither, "Cut off at each end, of the ended jobs.",
        plain<&Summary::trim>},
       {"from", "trimmed", "from", Unit::kSeconds, Better::kNeither, "First submission of the jobs between.",
        [](const Summary& s) -> FigureValue { return seconds(s.steady.from.time_since_epoch()); }},
       {"to", "trimmed", "to", Unit::kSeconds, Better::kNeither, "Last submission of the jobs between.",
        [](const Summary& s) -> FigureValue { return seconds(s.steady.to.time_since_epoch()); }},
       {"utilization", "utilization", "", Unit::kShare, Better::kHigher, "Node-seconds in use in that time.",
        steady<&Steadiness::utilization>},
       {"mean_queue_length", "queue", "mean", Unit::kNone, Better::kLower, "Waiting jobs, mean over that time.",
        steady<&Steadiness::mean_queue>, 1},
       {"backlog_growth", "backlog growth", "", Unit::kShare, Better::kLower,
        "How much the work grew that was in the system and not done yet, in parts of what the machine can do in that "
        "time.",
        steady<&Steadiness::growth>},
       {"backlog_evidence", "backlog evidence", "", Unit::kNone, Better::kNeither,
        "Student's t of its changes over 16 equal parts of the time.", steady<&Steadiness::evidence>, 2},
       {"saturated", "saturated", "", Unit::kNone, Better::kNeither,
        "Growth above 0.01 and evidence above 1.345, with at least 100 jobs: the run was no steady state, and means of "
        "waits say how long it was, not how good the policy is.",
        steady<&Steadiness::saturated>}}};
}

FigureSection slices_section() {
  return {"slices",
          "Under time slices only.",
          [](const Summary& s) { return s.slices.has_value(); },
          {{"slices", "slices", "", Unit::kCount, Better::kNeither, "Slices.", slice_count<&SliceCounts::slices>},
           {"preemptions", "preemptions", "slices", Unit::kCount, Better::kLower,
            "Jobs stopped, at slices' ends and within slices.", slice_count<&SliceCounts::preemptions>},
           {"evictions", "evictions", "", Unit::kCount, Better::kLower,
            "Preemptions within a slice, for a job of the slice's class.", slice_count<&SliceCounts::evictions>},
           {"foreign_resumed", "in other slices", "resumed", Unit::kCount, Better::kNeither,
            "Preempted jobs that ran on in a slice of another class.", slice_count<&SliceCounts::foreign_resumed>},
           {"foreign_finishing", "in other slices", "finished", Unit::kCount, Better::kNeither,
            "Waiting jobs that started in a slice of another class, to finish in it.",
            slice_count<&SliceCounts::foreign_finishing>},
           {"foreign_pinned", "in other slices", "begun", Unit::kCount, Better::kNeither,
            "Waiting jobs that started in a slice of another class, not to finish in it.",
            slice_count<&SliceCounts::foreign_pinned>},
           {"loads", "loads", "", Unit::kCount, Better::kLower, "Loads of a job's memory that took time.",
            slice_count<&SliceCounts::loads>},
           {"swaps", "swaps", "", Unit::kCount, Better::kLower, "Displacements from memory that were charged to a job.",
            slice_count<&SliceCounts::swaps>},
           {"overhead", "overhead", "", Unit::kSeconds, Better::kLower,
            "Of all jobs: loading, writing out (each as long as on the slowest of the job's nodes), and the time that "
            "is lost at the end of each slice, once for every job that it interrupts.",
            sliced<&SliceSummary::overhead>},
           {"overhead_without_first_loads", "overhead", "without first loads", Unit::kSeconds, Better::kLower,
            "The same without each job's first load.", sliced<&SliceSummary::overhead_without_first_loads>},
           {"overhead_share", "overhead", "share", Unit::kShare, Better::kLower, "Overhead / sum of the run times.",
            sliced<&SliceSummary::share>},
           {"overhead_share_by_nodes", "overhead", "share by nodes", Unit::kShare, Better::kLower,
            "Both weighted by the nodes of each job.", sliced<&SliceSummary::share_by_nodes>},
           {"overhead_share_without_first_loads", "overhead", "share without first loads", Unit::kShare, Better::kLower,
            "Without each job's first load.", sliced<&SliceSummary::share_without_first_loads>},
           {"utilization_without_loading", "utilization", "without loading", Unit::kShare, Better::kHigher,
            "`utilization`, if nodes whose job is being loaded count as unused.",
            sliced<&SliceSummary::utilization_without_loading>}}};
}

FigureSection sharing_section() {
  return {
      "sharing",
      "Only where jobs may share nodes.",
      [](const Summary& s) { return s.sharing.has_value(); },
      {{"groups", "groups", "", Unit::kCount, Better::kNeither, "Groups formed.", shared<&SharingSummary::groups>},
       {"jobs_per_group", "groups", "jobs", Unit::kNone, Better::kNeither, "Jobs of a group, mean.",
        shared<&SharingSummary::jobs_per_group>, 2},
       {"gain_promised", "groups", "promised gain", Unit::kShare, Better::kHigher,
        "Mean over the groups: how much more work they do than jobs with one process on each node would on their "
        "nodes, when they were formed (Zeng 2009, Equation 6).",
        shared<&SharingSummary::gain_promised>},
       {"gain_had", "groups", "gain", Unit::kShare, Better::kHigher,
        "The same, from what was really done while they lasted.", shared<&SharingSummary::gain_had>},
       {"efficiency", "efficiency", "", Unit::kShare, Better::kHigher,
        "Utilization efficiency: run times alone x nodes with one process on each, over makespan x nodes. Above "
        "`utilization` where sharing gains more than it slows down, and above 1 where nodes have cores for it (Sodan & "
        "Lan 2005, Section 6.1). The same jobs with another policy: efficiency x makespan stays the same.",
        shared<&SharingSummary::efficiency>},
       {"grouped_share", "groups", "share of jobs", Unit::kShare, Better::kNeither,
        "Of the jobs of all classes but the first: those that were in a group at least once.",
        shared<&SharingSummary::grouped_share>},
       {"bounded", "jobs with a bound", "", Unit::kCount, Better::kNeither,
        "Jobs that were to keep a response time: what was expected when they came, times the policy's slack "
        "(`view:expect`).",
        shared<&SharingSummary::bounded>},
       {"late", "jobs too late", "", Unit::kCount, Better::kLower,
        "Of these, those that did not, because of groups or of jobs that came later.", shared<&SharingSummary::late>},
       {"late_grouped", "jobs too late", "in groups", Unit::kCount, Better::kLower,
        "Of the late ones, those that were in a group.", shared<&SharingSummary::late_grouped>},
       {"attempts", "searches", "", Unit::kCount, Better::kNeither,
        "Searches for jobs to match with a primary one (`Candidates:tolerating`).", shared<&SharingSummary::attempts>},
       {"few_candidates_share", "searches", "with few candidates", Unit::kShare, Better::kNeither,
        "Of the searches: those that found fewer than four candidates, or none.", shared<&SharingSummary::few_share>},
       {"no_candidates_share", "searches", "in vain", Unit::kShare, Better::kNeither,
        "Of the searches: those that found none.", shared<&SharingSummary::vain_share>}}};
}

FigureSection resources_section() {
  return {"resources",
          "Only on machines with kinds of nodes, partitions or licences. What jobs hold, of what there is over the "
          "makespan.",
          [](const Summary& s) { return s.resources.has_value(); },
          {{"memory_utilization", "utilization", "memory", Unit::kShare, Better::kHigher,
            "Memory that jobs asked for; all of a node's where a job has the node for itself.",
            resource<&ResourceSummary::memory>},
           {"gpu_utilization", "utilization", "GPUs", Unit::kShare, Better::kHigher,
            "GPUs and parts of GPUs that jobs hold: under a policy that divides GPUs into slices the slices that it gave them, "
            "under others what they asked for. So the two do not compare: `gpus_with_jobs` does.",
            resource<&ResourceSummary::gpus>},
           {"gpus_with_jobs", "utilization", "GPUs with jobs", Unit::kShare, Better::kNeither,
            "GPUs on which at least one job is, however little of them it holds.",
            resource<&ResourceSummary::gpus_with_jobs>}}};
}

template <Rejection Why>
FigureValue rejected_for(const Summary& s) {
  return s.rejected_for[static_cast<std::size_t>(Why)];
}

FigureSection rejections_section() {
  return {"rejections",
          "Only where jobs were rejected.",
          [](const Summary& s) { return s.rejected > 0; },
          {{"never_fit", "jobs", "never fit", Unit::kCount, Better::kNeither,
            "Jobs that need more than the machine has, or than partitions and reservations leave them.",
            rejected_for<Rejection::kNeverFits>},
           {"over", "jobs", "reservation over", Unit::kCount, Better::kNeither,
            "Jobs whose reservation of nodes was over for good.", rejected_for<Rejection::kOver>},
           {"refused", "jobs", "refused", Unit::kCount, Better::kLower,
            "Jobs that the policy refused, as a site's limits say (`view:refuse`).", rejected_for<Rejection::kPolicy>},
           {"not_at_once", "jobs", "not at once", Unit::kCount, Better::kLower,
            "Jobs that did not start when they came, with `engine.unstarted = \"drop\"`.",
            rejected_for<Rejection::kNotAtOnce>},
           {"ran_before", "jobs", "ran before", Unit::kCount, Better::kNeither,
            "Jobs that ended on record before `workload.recorded_until`, and had no room here when they started on record.",
            rejected_for<Rejection::kRanBefore>}}};
}

FigureSection dependencies_section() {
  return {"dependencies",
          "Only where some job's dependency can never be fulfilled.",
          [](const Summary& s) { return s.unfulfilled > 0; },
          {{"unfulfilled", "jobs", "dependency can never be fulfilled", Unit::kCount, Better::kLower,
            "Jobs that never came, because what they depend on could not happen any more.",
            plain<&Summary::unfulfilled>}}};
}

FigureSection withdrawals_section() {
  return {"withdrawals",
          "Only where some job is withdrawn.",
          [](const Summary& s) { return s.withdrawn > 0; },
          {{"withdrawn", "jobs", "withdrawn", Unit::kCount, Better::kNeither,
            "Jobs that had not started when their users cancelled them (`withdrawn_at`), here or in their record (`status` 5). "
            "They are in no figure of jobs that ran: the same jobs under each policy where a record says it.",
            plain<&Summary::withdrawn>},
           {"started", "jobs", "withdrawn in their record", Unit::kCount, Better::kNeither,
            "Of them, those that never ran in their record and started here before. How long they would have run is not known: "
            "they are gone after their `runtime`, 1 s from a dump of sacct.",
            plain<&Summary::withdrawn_started>}}};
}

FigureSection demand_section() {
  return {"demand",
          "Only with `metrics.demand_curves`. Lists begin with a demand of 0 and go on by per cents of the machine's "
          "GPUs; a "
          "value is the mean over the instants at which so much had arrived, in per cent.",
          [](const Summary& s) { return s.demand.has_value(); },
          {{"final_allocation", "allocation", "at the end", Unit::kNone, Better::kHigher,
            "GPUs in use, in per cent of all, after the last arrival.", demand<&DemandCurves::final_allocation>, 2},
           {"arrived", "jobs", "arrived", Unit::kCount, Better::kNeither, "Jobs that came.",
            demand<&DemandCurves::arrived>},
           {"placed", "jobs", "placed", Unit::kCount, Better::kHigher, "Of them, those that got nodes.",
            demand<&DemandCurves::placed>},
           {"allocation", "allocation", "curve", Unit::kNone, Better::kNeither, "GPUs in use, of all.",
            demand<&DemandCurves::allocation>},
           {"fragmentation", "fragmentation", "curve", Unit::kNone, Better::kNeither,
            "GPUs that are left and that typical jobs of the workload cannot use where they are, of all (Weng et al. "
            "2023).",
            demand<&DemandCurves::fragmentation>},
           {"fragmentation_ratio", "fragmentation", "of what is left", Unit::kNone, Better::kNeither,
            "The same, of the GPUs that are left.", demand<&DemandCurves::fragmentation_ratio>}}};
}

FigureSection processes_section() {
  return {
      "processes",
      "Only where processes were simulated. Shares are parts of processors x makespan.",
      [](const Summary& s) { return s.processes.has_value(); },
      {{"processors", "processors", "", Unit::kCount, Better::kNeither, "Processors of the machine.",
        process<&ProcessSummary::processors>},
       {"computing", "processors", "computing", Unit::kShare, Better::kHigher, "Bursts.",
        processor<&ProcessorShares::computing>},
       {"polling", "processors", "polling", Unit::kShare, Better::kLower, "Waiting for messages with the processor.",
        processor<&ProcessorShares::polling>},
       {"blocked", "processors", "blocked", Unit::kShare, Better::kLower,
        "Idle while the processes that might run waited for messages.", processor<&ProcessorShares::blocked>},
       {"switching", "processors", "switching", Unit::kShare, Better::kLower, "Switches between processes.",
        processor<&ProcessorShares::switching>},
       {"idle", "processors", "idle", Unit::kShare, Better::kLower,
        "No process was there that might run (fragmentation).", processor<&ProcessorShares::idle>},
       {"strobes", "strobes", "", Unit::kCount, Better::kNeither, "Switches of slots that the machine manager ordered.",
        process<&ProcessSummary::strobes>},
       {"empty_slots", "empty slots", "", Unit::kShare, Better::kLower,
        "Assigned slots of processors whose row held no process there, in parts of all.",
        process<&ProcessSummary::empty_slots>},
       {"path", "path", "", Unit::kNone, Better::kNeither,
        "How the run went: `exact` event by event, `closed` in closed form where that gives the same, `fast` by "
        "measured rates too.",
        process<&ProcessSummary::path>},
       {"extrapolated", "extrapolated", "", Unit::kSeconds, Better::kNeither, "Time gone through by measured rates.",
        [](const Summary& s) -> FigureValue { return seconds(s.processes->extrapolated); }},
       {"error_bound", "error bound", "", Unit::kSeconds, Better::kLower,
        "By how much the end of the run may be off for it.",
        [](const Summary& s) -> FigureValue { return seconds(s.processes->error_bound); }},
       {"offered_load", "offered load", "", Unit::kNone, Better::kNeither,
        "Run times x sizes / (processors x time from the first arrival to the last).",
        process<&ProcessSummary::offered_load>, 2},
       {"accepted_load", "accepted load", "", Unit::kNone, Better::kHigher,
        "The same of what was done up to the last arrival; a job counts evenly over the time in which it ran.",
        process<&ProcessSummary::accepted_load>, 2},
       {"backlog_growth", "backlog growth", "", Unit::kShare, Better::kLower,
        "How fast the work of waiting jobs grew in the second half of the arrivals, in parts of what the processors "
        "can do.",
        process<&ProcessSummary::backlog_growth>},
       {"response_deciles.shorter_half", "response deciles", "shorter half", Unit::kSeconds, Better::kNeither,
        "Of the shorter half of the jobs by run time: deciles of the response time from 0.1 to 1.",
        [](const Summary& s) -> FigureValue { return list_of(s.processes->shorter); }},
       {"response_deciles.longer_half", "response deciles", "longer half", Unit::kSeconds, Better::kNeither,
        "The same of the longer half.", [](const Summary& s) -> FigureValue { return list_of(s.processes->longer); }}}};
}

}  // namespace

const std::vector<JobQuantity>& job_quantities() {
  static const std::vector<JobQuantity> all = {
      {"wait", "wait", "wait", Unit::kSeconds, "Time in the queue: start - submission, less earlier runs of a job that was interrupted and waited again.", &GroupSummary::wait},
      {"response", "response", "response", Unit::kSeconds, "End - submission.", &GroupSummary::response},
      {"bounded_slowdown", "bounded slowdown", "slowdown", Unit::kNone,
       "max(1, R / max(T, b)): R is the response time, T the time that the job ran, at most its run time, b `metrics.bound`.",
       &GroupSummary::bounded_slowdown}};
  return all;
}

const std::vector<FigureSpec<GroupSummary>>& group_figures() {
  static const std::vector<FigureSpec<GroupSummary>> all = {
      {"relative_response_time.mean", "relative response", "mean", Unit::kNone, Better::kLower,
       "R / max(T, b), with `metrics.relative_response_bound` for b and without the lower bound of 1; the papers on "
       "time slices and coscheduling measure it.",
       [](const GroupSummary& g) -> FigureValue { return g.mean_relative_response; }, 2}};
  return all;
}

const std::vector<FigureSpec<KindUse>>& kind_figures() {
  static const std::vector<FigureSpec<KindUse>> all = {
      {"nodes", "nodes", "", Unit::kCount, Better::kNeither, "Nodes of the kind.", of_kind<&KindUse::nodes>},
      {"jobs", "jobs", "", Unit::kCount, Better::kNeither, "Jobs that ran on one of them.", of_kind<&KindUse::jobs>},
      {"core_utilization", "utilization", "cores", Unit::kShare, Better::kHigher,
       "Cores that jobs asked for; all of a node's where a job has the node for itself.", of_kind<&KindUse::cores>},
      {"memory_utilization", "utilization", "memory", Unit::kShare, Better::kHigher, "The same of memory.",
       of_kind<&KindUse::memory>},
      {"gpu_utilization", "utilization", "GPUs", Unit::kShare, Better::kHigher, "GPUs and parts of GPUs in use.",
       of_kind<&KindUse::gpus>}};
  return all;
}

const std::vector<FigureSpec<SharingClass>>& sharing_class_figures() {
  static const std::vector<FigureSpec<SharingClass>> all = {
      {"jobs", "jobs", "", Unit::kCount, Better::kNeither, "Jobs that ran to an end.", of_class<&SharingClass::jobs>},
      {"grouped", "jobs", "in groups", Unit::kCount, Better::kNeither, "Of them, those in a group at least once.",
       of_class<&SharingClass::grouped>},
      {"late", "jobs too late", "", Unit::kCount, Better::kLower,
       "Of them, those that did not keep the response time that they were to keep.", of_class<&SharingClass::late>}};
  return all;
}

const std::vector<FigureSection>& figure_sections() {
  static const std::vector<FigureSection> all = {
      machine_section(),   high_load_section(), trimmed_section(),     slices_section(),       sharing_section(),
      resources_section(), outages_section(),   power_section(),       energy_section(),       cost_section(),
      preemptions_section(), reservations_section(), demand_section(), processes_section(),    dependencies_section(),
      rejections_section(),   withdrawals_section()};
  return all;
}

}  // namespace coslice
