-- The policy of a site that runs Slurm: multifactor priorities, the main and the backfill scheduler, nodes by weight
-- and switch. Parameters have the names that they have in slurm.conf.
--
--   return require("slurm_site").policy { accounts = ..., users = ..., qos = ..., partitions = ..., nodes = ...,
--                                         switches = ... }
local Shares = require "slurm_fairshare"
local cycles = require "slurm_cycles"
local Completing = require "slurm_completing"
local gang = require "slurm_gang"
local Limits = require "slurm_limits"
local NodeRules = require "slurm_node_rules"
local Partitions = require "slurm_partitions"
local Priorities = require "slurm_priority"
local preemption = require "slurm_preemption"
local requeue = require "slurm_requeue"
local resets = require "slurm_resets"
local select_nodes = require "slurm_select"
local Stopped = require "slurm_stopped"
local tres = require "slurm_tres"
local words = require "slurm_words"

local slurm = {}

local priority_flags = "ACCRUE_ALWAYS,CALCULATE_RUNNING,DEPTH_OBLIVIOUS,NO_FAIR_TREE,FAIR_TREE,TICKET_BASED,INCR_ONLY,"
  .. "MAX_TRES,MAX_TRES_GRES,NO_NORMAL_ALL,NO_NORMAL_ASSOC,NO_NORMAL_PART,NO_NORMAL_QOS,NO_NORMAL_TRES,"
  .. "SMALL_RELATIVE_TO_TIME"

local function weight(of)
  return { default = 0, min = 0, max = 4294967295, integer = true, doc = "Of " .. of .. " in a job's priority." }
end

local int32 = 2147483647 -- the largest number of SchedulerParameters

local function whole(default, doc)
  return { default = default, min = 0, max = int32, integer = true, doc = doc }
end

slurm.params = {
  PriorityWeightAge = weight "the time in the queue",
  PriorityWeightFairshare = weight "its association's low usage in the past",
  PriorityWeightJobSize = weight "its part of the cluster",
  PriorityWeightPartition = weight "its partition's PriorityJobFactor",
  PriorityWeightQOS = weight "its quality of service",
  PriorityWeightAssoc = weight "its association's own Priority",
  PriorityWeightTRES = { default = "", check = words.weights,
    doc = "Of what it asks for: `CPU=10,Mem=1,GRES/gpu=100`." },
  PriorityType = { default = "priority/multifactor", choices = { "priority/multifactor", "priority/basic" },
    doc = "With `priority/basic`, jobs come in order of submission." },
  PriorityMaxAge = { default = 604800.0, min = 1, max = 1e9, doc = "Age counts fully from here on, s." },
  PriorityDecayHalfLife = { default = 604800.0, min = 0, max = 1e9,
    doc = "Usage counts half after this time, s; 0: it never fades." },
  PriorityUsageResetPeriod = { default = "NONE", check = words.one_of(resets.known),
    doc = "All usage is forgotten at midnight (DAILY), before each Sunday "
    .. "(WEEKLY), month (MONTHLY), quarter (QUARTERLY) or year (YEARLY), by the calendar of the trace." },
  PriorityCalcPeriod = { default = 300.0, min = 1, max = 86400, doc = "Priorities are calculated this often, s." },
  ends_aligned = { default = false, doc = "The backfill scheduler counts the spans in which jobs end together from a "
    .. "multiple of 30 s of the clock, and looks for places in plans as 22.05 does. The former is so from 20.02.4 on; "
    .. "the import sets it by the release, as Slurm has no such setting." },
  nodes_asked_for = { default = false, doc = "Jobs have asked for as many nodes as they have (`sbatch -N`), which "
    .. "counts in their size; else Slurm counts one. No setting of Slurm's: the import sets it." },
  PriorityFavorSmall = { default = false, doc = "Small jobs have the higher factor of size." },
  PriorityFlags = { default = "", check = words.of(priority_flags),
    doc = "SMALL_RELATIVE_TO_TIME, NO_FAIR_TREE, MAX_TRES and the like, with commas." },
  FairShareDampeningFactor = { default = 1, min = 1, max = 1000,
    doc = "Of the classic formula only: Fair Tree has none." },
  AccountingStorageEnforce = { default = "",
    check = words.of "associations,limits,nojobs,nosteps,qos,safe,wckeys,all,none",
    doc = "With `limits`, `safe` or `all` in it, limits of associations and qualities of service are kept." },
  PreemptType = { default = "preempt/none", choices = { "preempt/none", "preempt/partition_prio", "preempt/qos" },
    doc = "With preempt/partition_prio jobs of a partition with a higher tier may stop others, with preempt/qos "
    .. "those whose quality of service names the others'." },
  PreemptMode = { default = "OFF", check = words.of "OFF,CANCEL,GANG,REQUEUE,SUSPEND,WITHIN,PRIORITY",
    doc = "What becomes of those: REQUEUE, CANCEL or SUSPEND, where partition or "
    .. "quality of service say nothing else; with GANG, jobs that have the same cores take turns." },
  SchedulerTimeSlice = { default = 30.0, min = 5, max = 65533,
    doc = "With GANG in PreemptMode, jobs that have the same cores take turns, each for so long, s." },
  PreemptExemptTime = { default = 0.0, min = 0, max = 1e9, doc = "So long a job runs before others may stop it, s." },
  preempt_youngest_first = { default = false, doc = "Of those, the ones that started last are stopped first." },
  JobRequeue = { default = true, doc = "False: what is to be requeued is cancelled." },
  SchedulerType = { default = "sched/backfill", choices = { "sched/backfill", "sched/builtin" },
    doc = "Builtin: no backfilling." },
  default_queue_depth = whole(100, "The main scheduler looks at so many jobs,"),
  partition_job_depth = whole(0, "and of one partition at so many (0: all)."),
  sched_interval = { default = 60.0, min = 1, max = int32, doc = "It runs this often, s, if nothing else calls it." },
  batch_sched_delay = { default = 3.0, min = 0, max = int32, doc = "Between two runs after submissions, s." },
  bf_interval = { default = 30.0, min = 1, max = 86400, doc = "From one backfill cycle to the next, s." },
  bf_window = { default = 1440, min = 0, max = 2592000, integer = true, doc = "Backfilling plans so far ahead, min." },
  bf_max_job_test = whole(500, "It looks at so many jobs,"),
  bf_node_space_size = whole(0, "and ends where plans have so many steps: begins and ends of places (0: "
    .. "bf_max_job_test),"),
  bf_max_job_user = whole(0, "of one user at so many (0: all),"),
  bf_max_job_part = whole(0, "and of one partition (0: all),"),
  bf_max_job_user_part = whole(0, "and of one user in one partition (0: all),"),
  bf_max_job_assoc = whole(0, "and of one user in one account (0: all)."),
  bf_max_job_start = whole(0, "A cycle starts so many jobs (0: all)."),
  bf_resolution = { default = 60.0, min = 0, max = 86400,
    doc = "Plans begin and end at multiples of it on the clock, s; 0: at any instant." },
  bf_window_linear = { default = 0.0, min = 0, max = int32, doc = "Plans for later look at ends of running jobs by "
    .. "groups, of 30 s and each so much longer, s; 0: twice as long." },
  bf_max_time = { default = 0.0, min = 0, max = int32,
    doc = "A cycle takes so long at most, s (0: bf_interval): it looks at no more jobs than it has time for." },
  bf_job_time = { default = 0.001, min = 0, max = 60, doc = "A cycle takes so long for each job that it looks at, s: "
    .. "the next one comes later by it. No setting of Slurm's; 0: no time." },
  bf_busy_nodes = { default = false, doc = "Places of jobs that have to wait are first on nodes where jobs run." },
  bf_licenses = { default = false, doc = "Jobs that lack licences hold places, and end a run of the main scheduler; "
    .. "else they are passed over." },
  bf_min_age_reserve = { default = 0.0, min = 0, max = 1e9,
    doc = "Younger jobs hold no place and keep none behind them waiting, s." },
  bf_min_prio_reserve = { default = 0, min = 0, max = 4294967295, integer = true,
    doc = "Jobs of a lower priority hold no place." },
  bf_job_part_count_reserve = whole(0, "So many jobs of a partition hold places (0: all)."),
  ends_as_submissions = { default = false, doc = "After a job's end, too, the main scheduler looks `batch_sched_delay` "
    .. "after its last look; else at once. Slurm does so from 21.08 on where there is no Epilog. No setting of "
    .. "Slurm's: the import sets it." },
  sched_min_interval = { default = 0, min = 0, max = int32, integer = true,
    doc = "From one run of the main scheduler to the next at least, microseconds." },
  sched_max_job_start = whole(0, "A run of it starts so many jobs (0: all)."),
  assoc_limit_stop = { default = false,
    doc = "A job that a limit holds keeps those of its partition behind it waiting." },
  CompleteWait = { default = 0.0, min = 0, max = 65533,
    doc = "For so long at most nothing starts while a job is COMPLETING, s." },
  reduce_completing_frag = { default = false,
    doc = "The main scheduler leaves out only partitions with nodes of that job's partition." },
  completing = { default = 1.0, min = 0, max = 1e6, doc = "With CompleteWait, a job is COMPLETING for so long after "
    .. "its end (KillWait, Epilog), s: no setting says it." },
  requeue_delay = { default = 120.0, min = 0, max = int32,
    doc = "So long a requeued job waits before it may start, s: Slurm's cred_expire (AuthInfo), which is 120." },
  slurmctld_start = { default = 0.0, min = -86400, max = 0,
    doc = "When the daemon came up, s on the trace's clock: its cycles are counted from there." },
}

local function in_list(list, word)
  return string.find("," .. string.lower(list) .. ",", "," .. word .. ",", 1, true) ~= nil
end

local function keeps_limits(params)
  local enforced = params.AccountingStorageEnforce
  return in_list(enforced, "limits") or in_list(enforced, "safe") or in_list(enforced, "all")
end

local function by_number(list)
  local found, most = {}, 1
  for _, entry in ipairs(list or {}) do
    if entry.number then found[entry.number] = entry end
    most = math.max(most, entry.PriorityJobFactor or 1)
  end
  return found, most
end

--- By name; parts of the highest priority, unless they are to stay as they are.
local function qos_factors(list, as_they_are)
  local factors, most = {}, 0
  for _, qos in ipairs(list or {}) do most = math.max(most, qos.Priority or 0) end
  if as_they_are then most = 1 end
  for _, qos in ipairs(list or {}) do factors[qos.name] = most > 0 and (qos.Priority or 0) / most or 0 end
  return factors
end

--- A function of a job: the priority of its association, or of the nearest account above it that has one.
local function association_factor(site, limits, as_they_are)
  local most = 0
  for _, list in ipairs { site.accounts or {}, site.users or {} } do
    for _, entry in ipairs(list) do most = math.max(most, entry.Priority or 0) end
  end
  if most == 0 then return function() return 0 end end
  return function(job) return (limits:of_association(job, "Priority") or 0) / (as_they_are and 1 or most) end
end

--- The fewest nodes that the job asks for and the CPUs that it has on them: of one of a range of nodes not those that
--- it may have now.
local function fewest(job)
  local least = cycles.range_of(job)
  if not least then return job.nodes, job.processes end
  local alike = job.processes % job.nodes == 0
  return least, alike and job.processes // job.nodes * least or job.processes
end

--- The part of the cluster that the job asks for: the mean of its part of the nodes and of the CPUs; or, relative to
--- time, its CPUs for each minute of its limit.
local function size_factor(job, state, params)
  local asked_nodes, asked_cpus = fewest(job)
  if state.flags.small_relative_to_time then
    local nodes = params.nodes_asked_for and asked_nodes or 1
    local cpus = math.max(nodes * state.cpus / state.nodes, asked_cpus)
    local part = cpus / math.max(job.limit // 60, 1) / state.cpus
    return math.max(math.min(params.PriorityFavorSmall and 1 - part or part, 1), 0)
  end
  local nodes, cpus = (params.nodes_asked_for and asked_nodes or 1) / state.nodes, asked_cpus / state.cpus
  if params.PriorityFavorSmall then nodes, cpus = 1 - nodes, 1 - cpus end
  return math.max(math.min((nodes + cpus) / 2, 1), 0)
end

--- What a job gets for what it asks for: amounts, or parts of what its partition has.
local function tres_term(job, state)
  local sum, partition = 0, state.partitions[Partitions.of(job)] or {}
  local has = { cpu = partition.cpus, node = partition.nodes, mem = partition.memory, ["gres/gpu"] = partition.gpus }
  for name, factor in pairs(state.tres_weights) do
    local amount = name == "billing" and state.billing(job) or tres.of(job)[name] or 0
    if not state.flags.no_normal_tres then amount = (has[name] or 0) > 0 and amount / has[name] or 0 end
    sum = sum + factor * amount
  end
  return sum
end

--- Jobs that are ahead of others whatever their priorities are, which are below this.
local AHEAD <const> = 2 ^ 40

--- By name of a quality of service, how many times ahead its jobs are: those that may preempt others stand before
--- these. Where they do not all stand before or behind those of each other one, Slurm's order hangs on how it sorts;
--- then priorities alone count.
local function qos_ranks(list, params)
  local ranks, preempts = {}, {}
  if params.PreemptType ~= "preempt/qos" then return ranks end
  for _, qos in ipairs(list or {}) do
    preempts[qos.name] = {}
    for name in string.gmatch(string.lower(qos.Preempt or ""), "[^,%s]+") do preempts[qos.name][name] = true end
  end
  local function rank(name)
    if not ranks[name] then
      ranks[name] = 0 -- where it preempts itself
      local most = 0
      for other in pairs(preempts[name]) do
        if preempts[other] then most = math.max(most, 1 + rank(other)) end
      end
      ranks[name] = most
    end
    return ranks[name]
  end
  for name in pairs(preempts) do rank(name) end
  for name in pairs(preempts) do
    for other in pairs(preempts) do
      if ranks[name] > ranks[other] and not preempts[name][other] then return {} end
    end
  end
  return ranks
end

--- Of a job of a reservation, one that was suspended, or one that may preempt others, what puts it ahead.
local function ahead(job, state)
  local goes_on = state.preemption and state.preemption.goes_on(job)
  return AHEAD * ((job.reservation ~= "" and 1 or 0) + (goes_on and 2 or 0) + 4 * (state.qos_ranks[job.qos] or 0))
end

--- What of a job's priority does not change while it waits, beside what puts it ahead: by name, in Slurm's order.
local function fixed_factors(job, state, params)
  local partition = state.partitions[Partitions.of(job)]
  local partition_factor = partition and (partition.PriorityJobFactor or 1) / state.most_factor or 0
  local factors = { { "jobsize", params.PriorityWeightJobSize * size_factor(job, state, params) },
                    { "partition", params.PriorityWeightPartition * partition_factor },
                    { "qos", params.PriorityWeightQOS * (state.qos_factors[job.qos] or 0) } }
  if params.PriorityWeightAssoc > 0 then
    table.insert(factors, { "assoc", params.PriorityWeightAssoc * state.association_factor(job) })
  end
  if tres.any(state.tres_weights) then table.insert(factors, { "tres", tres_term(job, state) }) end
  return factors
end

--- The same as the three terms of a priority, with what puts the job ahead.
local function fixed_terms(job, state, params)
  local factors = fixed_factors(job, state, params)
  local last = factors[3][2]
  for i = 4, #factors do last = last + factors[i][2] end
  return { factors[1][2], factors[2][2], last + ahead(job, state) }
end

--- All that a waiting job's priority is made of, as sprio lists it.
local function priority_factors(job, state, params)
  if params.PriorityType == "priority/basic" then return {} end
  local age, share = state.priorities:changing(job)
  local factors = { { "age", age }, { "fairshare", share } }
  for _, factor in ipairs(fixed_factors(job, state, params)) do table.insert(factors, factor) end
  if ahead(job, state) > 0 then table.insert(factors, { "ahead", ahead(job, state) }) end
  return factors
end

local function total_cpus(site, view)
  if site.cpus then return site.cpus end
  return view.capacity
end

local function flags_of(params)
  local flags = {}
  for name in string.gmatch(string.lower(params.PriorityFlags), "[^,%s]+") do flags[name] = true end
  for _, name in ipairs { "assoc", "part", "qos", "tres" } do
    flags["no_normal_" .. name] = flags["no_normal_" .. name] or flags.no_normal_all
  end
  return flags
end

--- A function of a job: what it is billed for a second, by the weights of its partition and its quality of service's
--- factor.
local function billing_function(state)
  local weights = {}
  for number, partition in pairs(state.partitions) do
    if partition.TRESBillingWeights then weights[number] = tres.weights(partition.TRESBillingWeights) end
  end
  local largest = state.flags.max_tres or state.flags.max_tres_gres
  return function(job) return tres.billing(job, weights[Partitions.of(job)], largest) end
end

--- The types of the GPUs of the machine, by kind of node.
local function gpu_types_of(view)
  local types = {}
  for _, kind in ipairs(view:kinds()) do types[kind.name] = kind.gpu_type end
  return types
end

--- What limits and rules of nodes are told of a job that has started: its nodes, and the type of its GPUs, as far as
--- that matters.
local function count_start(state, view, job)
  local typed = state.gpu_types and job.gpus > 0
  local parts = (state.tells_nodes or typed or state.node_rules) and view:parts(job) or nil
  if state.node_rules then state.node_rules:start(job, parts) end
  if not state.limits then return end
  state.limits:start(job, view.now, state.tells_nodes and parts or nil, typed and state.gpu_types[parts[1].kind] or nil)
end

--- What a run of the policy keeps.
local function new_state(site, view, params)
  local partitions, most = by_number(site.partitions)
  local flags = flags_of(params)
  local state = { running = 0, nodes = view.capacity, cpus = total_cpus(site, view), partitions = partitions,
    flags = flags,
                  most_factor = flags.no_normal_part and 1 or most, qos = {}, refused = {},
                  qos_factors = qos_factors(site.qos, flags.no_normal_qos),
                  tres_weights = tres.weights(params.PriorityWeightTRES) }
  for _, qos in ipairs(site.qos or {}) do state.qos[qos.name] = qos end
  state.lists = Partitions.lists(partitions, params.PriorityWeightPartition / state.most_factor)
  state.qos_ranks = qos_ranks(site.qos, params)
  state.billing = billing_function(state)
  local since = resets.new(params.PriorityUsageResetPeriod, function(time) return view:clock(time) end)
  state.shares = Shares.new(site.accounts or {}, site.users or {}, {
    half_life = params.PriorityDecayHalfLife, period = params.PriorityCalcPeriod, first = params.slurmctld_start,
    classic = flags.no_fair_tree or flags.depth_oblivious, oblivious = flags.depth_oblivious,
    damping = params.FairShareDampeningFactor, since = since })
  local function calculated(now)
    state.shares:advance(now)
    return state.shares.at
  end
  local limits = Limits.new(site, { fading = state.shares.fading, since = since,
    safe = in_list(params.AccountingStorageEnforce, "safe"),
    calculated = params.PriorityType ~= "priority/basic" and calculated or nil,
    period = params.PriorityCalcPeriod, billing = state.billing })
  state.association_factor = association_factor(site, limits, flags.no_normal_assoc)
  state.limits = keeps_limits(params) and limits or nil
  state.tells_nodes = state.limits and Limits.tell_nodes(site)
  state.node_rules = NodeRules.new(site)
  state.gpu_types = state.limits and Limits.tell_types(site) and gpu_types_of(view) or nil
  state.priorities = Priorities.new(params, state.shares, flags.incr_only)
  state.preemption = preemption.new(params, partitions, state.qos)
  state.gang = gang.new(params, function(job) return state.preemption and state.preemption.mode(job) end)
  return state
end

--- A function of a waiting job: whether its quality of service lets it hold places (flag NoReserve); nil where all do.
local function reserving_qos(state)
  local without = {}
  for name, qos in pairs(state.qos) do
    if in_list((string.gsub(qos.Flags or "", "%s", "")), "noreserve") then without[name] = true end
  end
  if not tres.any(without) then return nil end
  return function(job) return not without[job.qos] end
end

--- Whether jobs are exempt from preemption for a time.
local function exempts_some(state, params)
  for _, qos in pairs(state.qos) do
    if (qos.PreemptExemptTime or 0) > 0 then return true end
  end
  return params.PreemptExemptTime > 0
end

--- By their numbers: how many elements of the arrays wait, and how many are still to come into the queue.
local function waiting_arrays(site)
  if not site.arrays then return nil end
  local found = {}
  for _, array in ipairs(site.arrays) do found[array.number] = { waiting = 0, to_come = array.elements } end
  return found
end

local function new_cycles(site, state, params)
  local limits = state.limits
  local made = cycles.new(params, params.slurmctld_start,
                          limits and limits:hold_jobs() and limits or nil)
  made.preemption = state.preemption
  made.reserves, made.tells_nodes, made.node_rules = reserving_qos(state), state.tells_nodes, state.node_rules
  made.thresholds = limits and limits:has_thresholds() and limits or nil
  made.single_ends, made.licences = site.select_linear, site.licences
  made.fewest_nodes = site.block_sizes ~= nil -- of a range, under topology/block
  made.overlaps = Stopped.overlaps(state.partitions)
  made.arrays = waiting_arrays(site)
  made.completing = Completing.new(params, made.overlaps)
  made.timed = made.preemption and exempts_some(state, params)
  made.lists, made.job_limits = state.lists, limits
  made.rank = function(job)
    return params.PriorityType == "priority/basic" and ahead(job, state) or state.priorities:of(job)
  end
  made.priority = function(job) return state.priorities:of(job) % AHEAD end
  return made
end

--- What counts of a job for shares: what it is billed, times its quality of service's UsageFactor.
local function usage_rate(job, state)
  local qos = state.qos[job.qos]
  local rate = state.billing(job)
  return qos and qos.UsageFactor and rate * qos.UsageFactor or rate
end

--- Whether the job is one of those that are to be refused; it is one no longer.
local function take_refused(state, job)
  for i, refused in ipairs(state.refused) do
    if refused[1].id == job.id then return table.remove(state.refused, i) end
  end
end

--- Whether nothing runs and nothing will ever let start what waits, so that no time is worth waiting for. It says so
--- of the jobs.
local function all_blocked(state, view)
  if not state.limits or state.running > 0 or view.waiting_count == 0 then return false end
  local all = true
  for job in view:waiting() do
    local why = state.limits:never(job, view.now)
    if why then view:blocked(job, why) else all = false end
  end
  return all
end

--- The next calculation of priorities after which a job may start. Where nothing runs, and limits keep all that waits
--- until usage has faded, those before that change nothing.
local function next_calculation(state, view, params)
  local period = params.PriorityCalcPeriod
  local next_one = state.shares.at + period
  if not state.limits or state.running > 0 or state.lists.any or state.flags.incr_only then return next_one end
  local first = math.huge
  for job in view:waiting() do
    first = math.min(first, state.limits:held_until(job, view.now))
    if first <= next_one then return next_one end
  end
  if first == math.huge then return next_one end
  return state.shares.at + math.max(math.floor((first - state.shares.at) / period) - 1, 1) * period
end

--- The job's place in the queue, from now on.
local function own_key(job, state, params)
  if params.PriorityType == "priority/basic" then return -ahead(job, state) end
  job.association = state.shares:association(job.user, job.group)
  return state.priorities:add(job, job.association, fixed_terms(job, state, params),
                              requeue.delays(job, params) and not (state.preemption and state.preemption.goes_on(job))
                              and requeue.eligible(job, state.now, params) or job.submit, not state.cycles.ran)
end

--- The policy table of a site.
---@param site table See the page on Slurm.
---@return coslice.Policy
function slurm.policy(site)
  local state
  return {
    api = 1, name = site.name or "slurm", version = "1",
    description = "Slurm as a site has configured it: multifactor priorities with Fair Tree, the main scheduler and "
      .. "the backfill scheduler at their intervals, nodes by weight and switch.",
    params = slurm.params,
    placement = select_nodes.placement(site, Limits.tell_nodes(site) and function(job, node)
      return not state.tells_nodes or state.limits:prefers(job, node)
    end or nil, NodeRules.new(site) and function(job, node) return state.node_rules:allows(job, node) end or nil),
    begin = function(view, params)
      state = new_state(site, view, params)
      state.cycles = new_cycles(site, state, params)
    end,
    key = function(job, params)
      state.lists:enter(job)
      return own_key(job, state, params)
    end,
    submitted = function(view, job, params)
      if state.lists:comes(job, view) then -- its key, which was asked for before, is right from the next calculation on
        state.priorities:remove(job)
        own_key(job, state, params)
      end
      state.cycles:comes(job, view.now)
      local reason = state.node_rules and state.node_rules:never(job) or state.limits and state.limits:submit(job)
      if reason then table.insert(state.refused, { job, reason }) end
    end,
    started = function(view, job)
      if not state.cycles.ran then -- a start on record
        state.cycles.has_history = true
        if take_refused(state, job) and state.limits then state.limits:accept(job) end -- Slurm has thought otherwise
      end
      state.running = state.running + 1
      if state.lists.any then state.lists:enter(job, view:partition(job)) end
      state.cycles:goes(job)
      state.priorities:remove(job)
      if state.preemption then state.preemption.starts(job) end
      if state.gang then state.gang:starts(view, job) end
      count_start(state, view, job)
      state.shares:start(job.id, state.shares:association(job.user, job.group), usage_rate(job, state), view.now)
    end,
    ended = function(view, job)
      state.now, state.running = view.now, state.running - 1
      if state.preemption then state.preemption.ends(job) end
      if state.gang then state.gang:ends(view, job) end
      if state.node_rules then state.node_rules:stop(job) end
      if state.limits then state.limits:stop(job, view.now) end
      if state.cycles.completing then state.cycles.completing:ends(job, view.now) end
      state.cycles:ends(job, view.now)
      state.shares:stop(job.id, view.now)
    end,
    withdrawn = function(view, job) -- which has no scheduler run
      state.cycles:goes(job)
      state.cycles.job_withdrawn = true
      state.priorities:remove(job)
      if not take_refused(state, job) and state.limits then state.limits:withdraw(job) end
    end,
    factors = function(_, job, params) return priority_factors(job, state, params) end,
    reason = function(view, job) return state.cycles:reason(job, view) end,
    schedule = function(view, params)
      for _, refused in ipairs(state.refused) do
        state.cycles:goes(refused[1])
        state.priorities:remove(refused[1])
        view:refuse(refused[1], refused[2])
      end
      state.refused = {}
      if state.gang then state.gang:run(view) end
      state.shares:advance(view.now)
      if state.calculated ~= state.shares.at then -- priorities change at these instants only
        state.calculated = state.shares.at
        state.cycles:note_change()
        if params.PriorityType ~= "priority/basic" then view:rekey(state.priorities:keys()) end
      end
      state.cycles:run(view)
      if state.gang then state.gang:settle(view) end
      if all_blocked(state, view) then state.cycles:wake_asked(view)
      else state.cycles:wake(view, next_calculation(state, view, params)) end
    end,
  }
end

return slurm
