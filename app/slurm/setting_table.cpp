#include "slurm/setting_table.h"

#include <algorithm>
#include <iterator>

#include "slurm/values.h"

namespace coslice::slurm {
namespace {

using K = SettingKind;

constexpr SettingRow kSettings[] = {
    {"PriorityWeightAge", K::kNumber},
    {"PriorityWeightFairshare", K::kNumber},
    {"PriorityWeightJobSize", K::kNumber},
    {"PriorityWeightPartition", K::kNumber},
    {"PriorityWeightQOS", K::kNumber},
    {"PriorityWeightAssoc", K::kNumber},
    {"PriorityWeightTRES", K::kText},
    {"PriorityType", K::kText, {}, "priority/basic,priority/multifactor", true},
    {"PriorityMaxAge", K::kSpan},
    {"PriorityDecayHalfLife", K::kSpan},
    {"PriorityCalcPeriod", K::kSpan},
    {"PriorityUsageResetPeriod", K::kText, {}, "NONE,NOW,DAILY,WEEKLY,MONTHLY,QUARTERLY,YEARLY", true},
    {"PriorityFavorSmall", K::kFlag},
    {"PriorityFlags",
     K::kText,
     {},
     "ACCRUE_ALWAYS,CALCULATE_RUNNING,DEPTH_OBLIVIOUS,NO_FAIR_TREE,FAIR_TREE,TICKET_BASED,INCR_ONLY,MAX_TRES,MAX_TRES_"
     "GRES,"
     "NO_NORMAL_ALL,NO_NORMAL_ASSOC,NO_NORMAL_PART,NO_NORMAL_QOS,NO_NORMAL_TRES,SMALL_RELATIVE_TO_TIME"},
    {"FairShareDampeningFactor", K::kShort},
    {"SchedulerType", K::kText, {}, "sched/backfill,sched/builtin,sched/hold", true},
    {"PreemptType", K::kText, {}, "preempt/none,preempt/partition_prio,preempt/qos", true},
    {"PreemptMode", K::kText, {}, kPreemptModes, true},
    {"PreemptExemptTime", K::kSpan},
    {.name = "SchedulerTimeSlice", .kind = K::kShort, .least = 5},
    {"JobRequeue", K::kFlag},
    {"AccountingStorageEnforce", K::kText, {}, "associations,limits,nojobs,nosteps,qos,safe,wckeys,all", true},
    {"CompleteWait", K::kShort},

    {"AuthInfo", K::kImporter},
    {"KillWait", K::kImporter},
    {"SelectTypeParameters", K::kImporter},
    {"ClusterName", K::kImporter},
    {"SchedulerParameters", K::kImporter},
    {"SelectType",
     K::kImporter,
     {},
     "select/linear,select/cons_res,select/cons_tres,select/cray_aries,select/cray,select/alps,select/bluegene,select/"
     "serial",
     true},
    {"DefMemPerCPU", K::kImporter},
    {"DefMemPerNode", K::kImporter},
    {"OverTimeLimit", K::kImporter},
    {"Licenses", K::kImporter},
    {"GresTypes", K::kImporter},
    {"SuspendTime", K::kImporter},
    {"ResumeTimeout", K::kImporter},
    {"SuspendTimeout", K::kImporter},
    {"SuspendExcNodes", K::kImporter},
    {"SuspendExcParts", K::kImporter},
    {"TopologyPlugin",
     K::kImporter,
     {},
     "topology/tree,topology/block,topology/flat,topology/default,topology/none,topology/ring,topology/torus3d,"
     "topology/3d_torus,topology/hypercube,topology/node_rank,none,default",
     true},
    {"PreemptParameters", K::kImporter},
    {"JobDefaults", K::kImporter},

    {"PrioritySiteFactorPlugin", K::kCosts, "priorities lack the site's own factor"},
    {"EnforcePartLimits", K::kCosts,
     "jobs that exceed a limit of their partition are left out before the run, whatever the setting"},
    {"JobSubmitPlugins", K::kCosts, "jobs are as the records have them; what the plugin does to new ones is not known"},
    {"MaxJobCount", K::kCosts, "no job is refused because there are too many"},
    {"MaxMemPerCPU", K::kCosts, "no job is refused or enlarged for its memory"},
    {"MaxMemPerNode", K::kCosts, "no job is refused for its memory"},
    {"Prolog", K::kCosts, "jobs start without the time that the prolog takes"},
    {"Epilog", K::kCosts, "nodes are free without the time that the epilog takes"},
    {"PrologSlurmctld", K::kCosts, "jobs start without the time that the prolog takes"},
    {"EpilogSlurmctld", K::kCosts, "nodes are free without the time that the epilog takes"},
    {"FederationParameters", K::kCosts, "one cluster is simulated"},
    {"FairShareType", K::kCosts, "usage counts as the policy counts it"},
    {"PrioritySiteFactorParameters", K::kCosts, "priorities lack the site's own factor"},
    {"SuspendExcStates", K::kCosts, "nodes in such states are powered down, too"},
    {"DefMemPerGPU", K::kCosts, "jobs that say no memory have that of their CPUs"},
    {"DefCpuPerGPU", K::kCosts, "jobs that say no CPUs have one for each task"},
    {"MaxNodeCount", K::kCosts, "only nodes of NodeName lines; no dynamic nodes"},
    {"RequeueExit", K::kCosts, "jobs that end with such a status are not requeued"},
    {"RequeueExitHold", K::kCosts, "jobs that end with such a status are not requeued"},
    {"ResvOverRun", K::kCosts, "jobs in a reservation end with it"},
    {"FastSchedule", K::kHarmless},
    {"SchedulerPort", K::kHarmless},
    {"SchedulerRootFilter", K::kHarmless},
    {"SchedulerAuth", K::kHarmless},
    {"Version", K::kHarmless},
    {"InactiveLimit", K::kHarmless},
    {"Waittime", K::kHarmless},
    {"AccountingStorageTRES", K::kHarmless},
};

/// What begins so is about daemons, their files, logs, ports, keys and plugins.
constexpr std::string_view kHarmlessBeginnings[] = {"Auth",
                                                    "Slurmctld",
                                                    "Slurmd",
                                                    "SlurmSched",
                                                    "SlurmUser",
                                                    "Control",
                                                    "BackupController",
                                                    "BackupAddr",
                                                    "StateSave",
                                                    "JobComp",
                                                    "JobAcct",
                                                    "AcctGather",
                                                    "AccountingStorage",
                                                    "AccountingStore",
                                                    "Mpi",
                                                    "Proctrack",
                                                    "Task",
                                                    "Switch",
                                                    "Debug",
                                                    "MailProg",
                                                    "MailDomain",
                                                    "Crypto",
                                                    "Cred",
                                                    "JobCredential",
                                                    "Plugin",
                                                    "PlugStack",
                                                    "ReturnToService",
                                                    "MessageTimeout",
                                                    "HealthCheck",
                                                    "Srun",
                                                    "Log",
                                                    "DefaultStorage",
                                                    "UsePAM",
                                                    "Propagate",
                                                    "UnkillableStep",
                                                    "KillOnBadExit",
                                                    "FirstJobId",
                                                    "MaxJobId",
                                                    "MaxStepCount",
                                                    "MinJobAge",
                                                    "CacheGroups",
                                                    "CheckpointType",
                                                    "VSizeFactor",
                                                    "TmpFS",
                                                    "FrontendName",
                                                    "Frontend",
                                                    "RebootProgram",
                                                    "EpilogMsgTime",
                                                    "LaunchParameters",
                                                    "CommunicationParameters",
                                                    "TCPTimeout",
                                                    "BatchStartTimeout",
                                                    "CompleteTimeout",
                                                    "GroupUpdate",
                                                    "EnableConfig",
                                                    "PrologFlags",
                                                    "PrologEpilogTimeout",
                                                    "GetEnvTimeout",
                                                    "OverloadDaemon",
                                                    "CoreSpecPlugin",
                                                    "DisableRootJobs",
                                                    "TrackWCKey",
                                                    "TreeWidth",
                                                    "SallocDefaultCommand",
                                                    "X11",
                                                    "ExtSensors",
                                                    "JobContainer",
                                                    "RoutePlugin",
                                                    "Resv",
                                                    "SuspendProgram",
                                                    "SuspendRate",
                                                    "ResumeProgram",
                                                    "ResumeFailProgram",
                                                    "ResumeRate",
                                                    "PowerParameters",
                                                    "PowerPlugin",
                                                    "NodeFeatures",
                                                    "PriorityParameters",
                                                    "MaxTasksPerNode",
                                                    "MaxArraySize",
                                                    "MCS",
                                                    "HashPlugin",
                                                    "DependencyParameters",
                                                    "InteractiveStepOptions",
                                                    "SbcastParameters",
                                                    "JobFileAppend",
                                                    "UnkillableStepProgram",
                                                    "TopologyParam",
                                                    "BurstBufferType",
                                                    "CliFilterPlugins",
                                                    "AllowSpecResourcesUsage",
                                                    "Bcast",
                                                    "Cert",
                                                    "CpuFreq",
                                                    "DataParser",
                                                    "EioTimeout",
                                                    "GpuFreq",
                                                    "Hash",
                                                    "HttpParser",
                                                    "KeepAliveTime",
                                                    "LaunchType",
                                                    "Lua",
                                                    "MaxBatchRequeue",
                                                    "MaxDBDMsgs",
                                                    "MemLimitEnforce",
                                                    "Metrics",
                                                    "Namespace",
                                                    "PrEp",
                                                    "PrivateData",
                                                    "ReconfigFlags",
                                                    "Scron",
                                                    "TLS"};

/// What backfill.c, job_scheduler.c and their kin take, the same in 22.05 and 26.05.
constexpr SettingRow count(std::string_view name, std::int64_t least, std::int64_t most = INT32_MAX) {
  return {.name = name, .kind = K::kCount, .least = least, .most = most};
}

constexpr SettingRow kSchedulerParameters[] = {
    count("bf_interval", 1, 10800),
    count("bf_window", 1, 43200),
    count("bf_max_job_test", 1, 1000000),
    count("bf_max_job_user", 0),
    count("bf_max_job_part", 0),
    count("default_queue_depth", 0),
    count("sched_interval", 0),
    count("batch_sched_delay", 0),
    count("partition_job_depth", 0),
    count("sched_min_interval", 0),
    count("sched_max_job_start", 0),
    {"assoc_limit_stop", K::kFlag},
    {"preempt_youngest_first", K::kFlag},
    count("bf_resolution", 1, 3600),
    count("bf_window_linear", 1),
    count("bf_max_time", 1, 3600),
    count("bf_max_job_assoc", 0),
    count("bf_max_job_user_part", 0),
    count("bf_max_job_start", 0, 10000),
    count("bf_min_age_reserve", 0, 2592000),
    count("bf_min_prio_reserve", 1, kMostLong),
    count("bf_job_part_count_reserve", 0, 100000),
    {"bf_busy_nodes", K::kFlag},
    {"reduce_completing_frag", K::kFlag},
    count("requeue_delay", 0),

    {"bf_continue", K::kHarmless},
    {"max_script_size", K::kHarmless},
    {"max_rpc_cnt", K::kCosts, "the scheduler never waits for other messages"},
    {"defer", K::kImporter},
    {"bf_yield_interval", K::kHarmless},
    {"bf_yield_sleep", K::kHarmless},
    {"bf_yield_rpc_cnt", K::kHarmless},
    {"bf_max_job_array_resv", K::kCosts, "arrays may hold more reservations"},
    count("bf_node_space_size", 2, 2000000),
    {"bf_one_resv_per_job", K::kCosts, "a job of several partitions holds a place in each, as without it"},
    {"bf_ignore_newly_avail_nodes", K::kCosts, "nodes that become free during a cycle may be used"},
    {"bf_hetjob_prio", K::kHarmless},
    {"bf_hetjob_immediate", K::kHarmless},
    {"max_sched_time", K::kCosts, "the main scheduler is never cut short"},
    {"preempt_strict_order", K::kCosts, "other jobs may be preempted"},
    {"preempt_reorder_count", K::kCosts, "other jobs may be preempted"},
    {"pack_serial_at_end", K::kImporter},
    {"nohold_on_prolog_fail", K::kHarmless},
    {"requeue_setup_env_fail", K::kHarmless},
    {"kill_invalid_depend", K::kCosts, "engine.unfulfilled says what becomes of such jobs"},
    {"build_queue_timeout", K::kHarmless},
    {"ignore_prefer_validation", K::kHarmless},
    {"enable_user_top", K::kHarmless},
    {"defer_batch", K::kImporter},
    {"batch_sched_delay_max", K::kHarmless},
    {"bb_array_stage_cnt", K::kHarmless},
    {"bf_allow_magnetic_slot", K::kHarmless},
    {"bf_licenses", K::kFlag},
    {"bf_running_job_reserve", K::kCosts, "whole-node plans around running jobs are not kept apart"},
    {"bf_topopt_enable", K::kCosts, "jobs do not wait for nodes that are nearer to one another"},
    {"bf_topopt_iterations", K::kHarmless},

    {"delay_boot", K::kHarmless},
    {"disable_job_shrink", K::kHarmless},
    {"disable_hetjob_steps", K::kHarmless},
    {"enable_hetjob_steps", K::kHarmless},
    {"enable_job_state_cache", K::kHarmless},
    {"extra_node_info", K::kHarmless},
    {"Ignore_NUMA", K::kHarmless},
    {"ignore_constraint_validation", K::kHarmless},
    {"inventory_interval", K::kHarmless},
    {"max_array_tasks", K::kHarmless},
    {"max_depend_depth", K::kHarmless},
    {"max_switch_wait", K::kCosts, "jobs do not wait for fewer switches"},
    {"no_backup_scheduling", K::kHarmless},
    {"no_env_cache", K::kHarmless},
    {"preempt_send_user_signal", K::kHarmless},
    {"rl_enable", K::kHarmless},
    {"salloc_wait_nodes", K::kHarmless},
    {"sbatch_wait_nodes", K::kHarmless},
    {"spec_cores_first", K::kHarmless},
    {"step_retry_count", K::kHarmless},
    {"step_retry_time", K::kHarmless},
    {"time_min_as_soft_limit", K::kCosts, "limits are not lengthened"},
    {"whole_hetjob", K::kHarmless},
    {"allow_zero_lic", K::kHarmless},
    {"correspond_after_task_cnt", K::kHarmless},
    {"default_gbytes", K::kHarmless},
    {"jobs_per_user_per_hour", K::kCosts, "no job is refused because its user submits too many"},
    {"max_submit_line_size", K::kHarmless},
    {"permit_job_expansion", K::kHarmless},
    {"user_file_bcast", K::kHarmless},
    {"hetjob_prio", K::kHarmless},
};

const SettingRow* row_in(const SettingRow* begin, const SettingRow* end, std::string_view name) {
  const SettingRow* found = std::find_if(begin, end, [&](const SettingRow& r) { return same_word(r.name, name); });
  return found == end ? nullptr : found;
}

template <class Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> all;
  for (const SettingRow& row : rows) all.emplace_back(row.name);
  return all;
}

}  // namespace

const std::vector<std::string>& setting_names() {
  static const std::vector<std::string> names = names_in(kSettings);
  return names;
}

const std::vector<std::string>& scheduler_parameter_names() {
  static const std::vector<std::string> names = names_in(kSchedulerParameters);
  return names;
}

const SettingRow* find_setting(std::string_view name) {
  if (const SettingRow* row = row_in(std::begin(kSettings), std::end(kSettings), name)) return row;
  static constexpr SettingRow kHarmless{"", K::kHarmless};
  const bool harmless = std::any_of(std::begin(kHarmlessBeginnings), std::end(kHarmlessBeginnings),
                                    [&](std::string_view b) { return same_word(b, name.substr(0, b.size())); });
  return harmless ? &kHarmless : nullptr;
}

const SettingRow* find_scheduler_parameter(std::string_view name) {
  return row_in(std::begin(kSchedulerParameters), std::end(kSchedulerParameters), name);
}

bool is_policy_parameter(SettingKind kind) { return kind < K::kImporter; }

}  // namespace coslice::slurm
