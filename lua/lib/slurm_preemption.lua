-- Which jobs have to leave for others, and what becomes of them: PreemptType and PreemptMode of the cluster, of
-- partitions and of qualities of service.
local gang = require "slurm_gang"
local Partitions = require "slurm_partitions"

local preemption = {}

local tolerance = require("slurm_instants").tolerance

--- What a PreemptMode does to jobs; nil: they stay.
local function way(mode, params)
  mode = string.upper(mode or "")
  if string.find(mode, "SUSPEND", 1, true) then return "suspend" end
  if string.find(mode, "CANCEL", 1, true) then return "kill" end
  if string.find(mode, "REQUEUE", 1, true) then return params.JobRequeue and "requeue" or "kill" end
  return nil
end

--- Slurm looks this often for jobs whose grace is over, as for those whose limit is, s, counted from when the daemon
--- came up.
local end_check = 30

--- A job that is stopped is gone from its nodes so much later, s (on a real Slurm 0.03 to 0.07): only then does the
--- main scheduler look at the queue again, in order of priority, and at once.
local clearing = 0.05

--- How long a job runs on that is given so much time at this instant: until Slurm looks.
local function until_check(now, grace, params)
  if grace == 0 then return clearing end
  local since = now - params.slurmctld_start
  return math.ceil((since + grace - tolerance(now)) / end_check) * end_check - since
end

local function names_in(list)
  local found = {}
  for name in string.gmatch(list or "", "[^,%s]+") do found[string.lower(name)] = true end
  return found
end

local function has_flag(qos, flag) return names_in(qos.Flags)[flag] == true end

--- Who may stop whom, as a function of a waiting and a running job; nil: no job may.
local function by_type(params, qos)
  if params.PreemptType == "preempt/partition_prio" then
    return function(job, other) return Partitions.tier(other) < Partitions.tier(job) end
  end
  if params.PreemptType ~= "preempt/qos" then return nil end
  local may = {}
  for name, entry in pairs(qos) do may[name] = names_in(entry.Preempt) end
  return function(job, other) return may[job.qos] ~= nil and may[job.qos][other.qos] == true end
end

--- Whether some job may have to leave for another, as far as the whole cluster's settings say.
---@param params coslice.Params
function preemption.enabled(params)
  return params.PreemptType ~= "preempt/none" and not names_in(params.PreemptMode).off
end

--- A function that starts a waiting job on nodes that others leave, and says whether it started; nil where none leave.
--- The modes of partitions, or of qualities of service, come before that of the cluster. Jobs that leave in the same
--- way have the longest grace time of any of them.
---@param params coslice.Params
---@param partitions table<integer, table> By number.
---@param qos table<string, table> By name.
function preemption.new(params, partitions, qos)
  local may = by_type(params, qos)
  if not may then return nil end
  local of_qos = params.PreemptType == "preempt/qos"
  local in_place = gang.enabled(params) and not of_qos -- who makes way so, and when, the gang scheduler says
  local function holder(other)
    return (of_qos and qos[other.qos] or not of_qos and partitions[Partitions.of(other)]) or {}
  end
  local function mode(other)
    local own = holder(other).PreemptMode
    if own and string.upper(own) ~= "CLUSTER" then return way(own, params) end
    return way(params.PreemptMode, params)
  end
  --- So long it runs before others may stop it: what its quality of service, or that of its partition, says, else the
  --- cluster.
  local function exempt(other)
    local own, of_partition = qos[other.qos] or {}, qos[(partitions[Partitions.of(other)] or {}).QOS or ""] or {}
    if has_flag(own, "overpartqos") then own, of_partition = of_partition, own end
    return of_partition.PreemptExemptTime or own.PreemptExemptTime or params.PreemptExemptTime
  end
  local ways, grace = {}, {} -- of those that leave so, the longest time that any is given
  for _, list in ipairs { partitions, qos, { { PreemptMode = params.PreemptMode } } } do
    for _, entry in pairs(list) do
      local how = way(entry.PreemptMode, params)
      if how and not (how == "suspend" and in_place) then ways[how] = true end
      how = how or way(params.PreemptMode, params)
      if how then grace[how] = math.max(grace[how] or 0, entry.GraceTime or 0) end
    end
  end
  local waiting = {} -- how many jobs of a kind wait
  local running = {} -- how many jobs run that could have to leave for those of a kind: most often none
  --- Jobs of low tiers, or of qualities of service of low priority, go first; of these the ones with few nodes, then
  --- the first.
  local function rank(other)
    local class = of_qos and (holder(other).Priority or 0) or Partitions.tier(other)
    return class * 65536 + math.min(other.nodes, 65535) + other.id / 1099511627776
  end
  local self = { mode = mode, stop_at = {} }
  local function kind(job) return of_qos and job.qos or Partitions.tier(job) end
  local example = {} -- a job of each kind

  function self.starts(job)
    running[kind(job)] = (running[kind(job)] or 0) + 1
    example[kind(job)] = example[kind(job)] or { tier = Partitions.tier(job), qos = job.qos }
  end
  function self.ends(job) running[kind(job)] = running[kind(job)] - 1 end

  local function any_leaves(job)
    for key, count in pairs(running) do
      if count > 0 and may(job, example[key]) then return true end
    end
    return false
  end

  --- Whether the job goes on where it was stopped: it was suspended.
  function self.goes_on(job) return not in_place and job.interruptions > 0 and mode(job) == "suspend" end

  --- How a running job is stopped for the waiting one where this is the way. Those that are given time count for
  --- others meanwhile; those that are not do not.
  local function options(view, job, how)
    local function among(other)
      return may(job, other) and mode(other) == how and view.now - other.start >= exempt(other)
    end
    local stops = how ~= "suspend" and until_check(view.now, grace[how], params) or nil
    if stops then self.stop_at[view.now + stops] = true end
    return { among = among, how = how == "suspend" and "checkpoint" or how,
             leaving = stops ~= nil and grace[how] > 0, grace = stops,
             rank = params.preempt_youngest_first and "newest" or rank }
  end

  --- Whether the job that ends now was stopped for another, as far as the instant says.
  function self.was_stopped(job, now)
    local found = false
    for time in pairs(self.stop_at) do
      if time < now - tolerance(now) then self.stop_at[time] = nil
      elseif time <= now + tolerance(now) then found = true end
    end
    return found and job.finish - job.start < job.limit
  end

  --- Tries one way after the other: jobs that are suspended, requeued, killed. Of those that are suspended no work is
  --- lost: each waits, in front, until it can go on, but on what nodes are free then; and its memory is for others,
  --- which in Slurm it keeps. Returns whether the job has started, and whether it has to wait for nobody: then Slurm
  --- starts it in this run.
  function self.preempt(view, job)
    if not any_leaves(job) then return false end
    for _, how in ipairs { "suspend", "requeue", "kill" } do
      if ways[how] then
        local started, coming = view:preempt(job, options(view, job, how))
        if started or coming then return started, how == "suspend" end
      end
    end
    return false
  end

  --- How others make way in a cycle of the backfill scheduler, as `preempts` of view:plan has it: there for jobs, too,
  --- that the main scheduler does not reach behind the one that stops their partition.
  function self.ways(view, job)
    if not any_leaves(job) then return nil end
    local found = {}
    for _, how in ipairs { "suspend", "requeue", "kill" } do
      if ways[how] then table.insert(found, options(view, job, how)) end
    end
    return found
  end
  --- The job waits from now on, or no longer.
  function self.comes(job)
    job.waits_as = kind(job) -- one of several partitions may start in another than the first
    waiting[kind(job)] = (waiting[kind(job)] or 0) + 1
    example[kind(job)] = example[kind(job)] or { tier = Partitions.tier(job), qos = job.qos }
  end
  function self.goes(job)
    local as = job.waits_as or kind(job)
    waiting[as] = (waiting[as] or 0) - 1
  end
  --- Whether some waiting job may stop a running one.
  function self.some_may()
    for key, count in pairs(waiting) do
      if count > 0 and any_leaves(example[key]) then return true end
    end
    return false
  end
  return self
end

return preemption
