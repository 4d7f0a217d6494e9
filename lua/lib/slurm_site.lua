-- The policy of a site that runs Slurm: multifactor priorities, the main and the backfill scheduler, nodes by weight and
-- switch. Parameters have the names that they have in slurm.conf.
--
--   return require("slurm_site").policy { accounts = ..., users = ..., qos = ..., partitions = ..., nodes = ..., switches = ... }
local Shares = require "slurm_fairshare"
local cycles = require "slurm_cycles"
local Limits = require "slurm_limits"
local Priorities = require "slurm_priority"

local slurm = {}

local function weight(of)
  return { default = 0, min = 0, max = 4294967295, integer = true, doc = "Of " .. of .. " in a job's priority." }
end

local function whole(default, doc) return { default = default, min = 0, max = 1000000000, integer = true, doc = doc } end

slurm.params = {
  PriorityWeightAge = weight "the time in the queue",
  PriorityWeightFairshare = weight "its association's low usage in the past",
  PriorityWeightJobSize = weight "its part of the cluster",
  PriorityWeightPartition = weight "its partition's PriorityJobFactor",
  PriorityWeightQOS = weight "its quality of service",
  PriorityMaxAge = { default = 604800.0, min = 1, max = 1e9, doc = "Age counts fully from here on, s." },
  PriorityDecayHalfLife = { default = 604800.0, min = 0, max = 1e9, doc = "Usage counts half after this time, s; 0: it never fades." },
  PriorityCalcPeriod = { default = 300.0, min = 1, max = 86400, doc = "Priorities are calculated this often, s." },
  PriorityFavorSmall = { default = false, doc = "Small jobs have the higher factor of size." },
  PriorityFlags = { default = "", doc = "SMALL_RELATIVE_TO_TIME, NO_FAIR_TREE, MAX_TRES and the like, with commas." },
  FairShareDampeningFactor = { default = 1, min = 1, max = 1000, doc = "Of the classic formula only: Fair Tree has none." },
  AccountingStorageEnforce = { default = "", doc = "With `limits`, `safe` or `all` in it, limits of associations and qualities of service are kept." },
  PreemptType = { default = "preempt/none", doc = "With preempt/partition_prio jobs of a partition with a higher tier may stop others; with others none are stopped." },
  PreemptMode = { default = "OFF", doc = "What becomes of those: REQUEUE or CANCEL." },
  JobRequeue = { default = true, doc = "False: what is to be requeued is cancelled." },
  SchedulerType = { default = "sched/backfill", choices = { "sched/backfill", "sched/builtin" }, doc = "Builtin: no backfilling." },
  default_queue_depth = whole(100, "The main scheduler looks at so many jobs,"),
  partition_job_depth = whole(0, "and of one partition at so many (0: all)."),
  sched_interval = { default = 60.0, min = 1, max = 86400, doc = "It runs this often, s, if nothing else calls it." },
  batch_sched_delay = { default = 3.0, min = 0, max = 3600, doc = "Between two runs after submissions, s." },
  bf_interval = { default = 30.0, min = 1, max = 86400, doc = "From one backfill cycle to the next, s." },
  bf_window = whole(1440, "Backfilling plans so far ahead, min."),
  bf_max_job_test = whole(500, "It looks at so many jobs,"),
  bf_max_job_user = whole(0, "of one user at so many (0: all),"),
  bf_max_job_part = whole(0, "and of one partition (0: all)."),
  slurmctld_start = { default = 0.0, min = -86400, max = 0, doc = "When the daemon came up, s on the trace's clock: its cycles are counted from there." },
}

local function in_list(list, word) return string.find("," .. string.lower(list) .. ",", "," .. word .. ",", 1, true) ~= nil end

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

local function qos_factors(list)
  local factors, most = {}, 0
  for _, qos in ipairs(list or {}) do most = math.max(most, qos.Priority or 0) end
  for _, qos in ipairs(list or {}) do factors[qos.name] = most > 0 and (qos.Priority or 0) / most or 0 end
  return factors
end

--- The part of the cluster that the job asks for: the mean of its part of the nodes and of the CPUs.
local function size_factor(job, state, params)
  local nodes, cpus = 1 / state.nodes, job.processes / state.cpus
  if params.PriorityFavorSmall then nodes, cpus = 1 - nodes, 1 - cpus end
  return math.max(math.min((nodes + cpus) / 2, 1), 0)
end

--- What of a job's priority does not change while it waits.
local function fixed_terms(job, state, params)
  local partition = state.partitions[job.partition]
  local partition_factor = partition and (partition.PriorityJobFactor or 1) / state.most_factor or 0
  return { params.PriorityWeightJobSize * size_factor(job, state, params), params.PriorityWeightPartition * partition_factor,
           params.PriorityWeightQOS * (state.qos[job.qos] or 0) }
end

--- Nodes by weight, lowest first; of equal ones those of the switch with the fewest that are enough.
local function placement(site)
  local weights, groups = {}, {}
  for _, nodes in ipairs(site.nodes or {}) do weights[nodes.kind] = nodes.Weight or 1 end
  for _, switch in ipairs(site.switches or {}) do
    if switch.nodes then table.insert(groups, switch.nodes) end
  end
  return { rank = function(node) return -(weights[node.kind] or 1) end, groups = #groups > 0 and groups or nil }
end

local function total_cpus(site, view)
  if site.cpus then return site.cpus end
  return view.capacity
end

--- What becomes of jobs that others stop; nil where none are.
local function preemption(params)
  local modes = string.upper(params.PreemptMode)
  if params.PreemptType ~= "preempt/partition_prio" then return nil end
  if string.find(modes, "CANCEL", 1, true) then return "kill" end
  if string.find(modes, "REQUEUE", 1, true) then return params.JobRequeue and "requeue" or "kill" end
  return nil
end

--- The policy table of a site.
---@param site table See the page on Slurm.
---@return coslice.Policy
function slurm.policy(site)
  local state
  return {
    api = 1, name = site.name or "slurm", version = "1",
    description = "Slurm as a site has configured it: multifactor priorities with Fair Tree, the main scheduler and the "
      .. "backfill scheduler at their intervals, nodes by weight and switch.",
    params = slurm.params,
    placement = placement(site),
    begin = function(view, params)
      local partitions, most = by_number(site.partitions)
      state = { nodes = view.capacity, cpus = total_cpus(site, view), partitions = partitions, most_factor = most,
                qos = qos_factors(site.qos) }
      state.shares = Shares.new(site.accounts or {}, site.users or {}, {
        half_life = params.PriorityDecayHalfLife, period = params.PriorityCalcPeriod, first = params.slurmctld_start,
        classic = in_list(params.PriorityFlags, "no_fair_tree"), damping = params.FairShareDampeningFactor })
      state.priorities = Priorities.new(params, state.shares)
      state.limits = keeps_limits(params) and Limits.new(site) or nil
      local limits = state.limits
      state.cycles = cycles.new(params, params.slurmctld_start,
                                limits and limits:hold_jobs() and function(job) return limits:allows(job) end or nil)
      state.cycles.preempts = preemption(params)
      state.refused = {}
    end,
    key = function(job, params)
      job.association = state.shares:association(job.user, job.group)
      return state.priorities:add(job, job.association, fixed_terms(job, state, params))
    end,
    submitted = function(_, job)
      state.cycles:comes(job)
      local reason = state.limits and state.limits:submit(job)
      if reason then table.insert(state.refused, { job, reason }) end
    end,
    started = function(view, job)
      state.cycles:goes(job)
      state.cycles:starts(job)
      state.priorities:remove(job)
      if state.limits then state.limits:start(job) end
      state.shares:start(job.id, job.association, job.processes, view.now)
    end,
    ended = function(view, job)
      state.cycles:ends(job)
      if state.limits then state.limits:stop(job) end
      state.shares:stop(job.id, view.now)
    end,
    schedule = function(view, params)
      for _, refused in ipairs(state.refused) do
        state.cycles:goes(refused[1])
        state.priorities:remove(refused[1])
        view:refuse(refused[1], refused[2])
      end
      state.refused = {}
      state.shares:advance(view.now)
      if state.calculated ~= state.shares.at then -- priorities change at these instants only
        state.calculated, state.cycles.changed = state.shares.at, true
        view:rekey(state.priorities:keys())
      end
      state.cycles:run(view)
      state.cycles:wake(view, state.shares.at + params.PriorityCalcPeriod)
    end,
  }
end

return slurm
