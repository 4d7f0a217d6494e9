local instant = require "instant_words"
local named = require "named_nodes"

--- So often a job's place may be put off because nodes are closed to it.
local most_closed = 100

local restless = false -- whether nodes have been closed or down, so that plans change without an end of a job

--- Until when nodes are believed to be taken, by their numbers.
local function taken(view, delay)
  local till, of_jobs = view:taken(), {}
  for job in view:running() do
    for _, part in ipairs(view:parts(job)) do of_jobs[part.node] = job end
  end
  for n, time in pairs(till) do
    local job = of_jobs[n]
    if job then -- without the time that its nodes might have booted, as the plans of those that wait
      local own = job.start + job.estimate
      till[n] = (own > view.now and math.min(own, time) or time) + delay
    else
      restless = true
    end
  end
  return till
end

--- Puts a time where it belongs, unless it is there.
local function enter(times, time)
  local i = #times
  while i > 0 and times[i] > time do i = i - 1 end
  if times[i] ~= time then table.insert(times, i + 1, time) end
end

--- The plans of other jobs that wait, and the times, not before `from`, at which more nodes may be free.
local function plans_of_others(view, job, from, till)
  local plans, times = {}, { from }
  for other in view:waiting() do
    if other.plan and other ~= job then
      plans[#plans + 1] = other.plan
      if other.plan.to > from then times[#times + 1] = other.plan.to end
    end
  end
  for _, time in pairs(till) do
    if time > from and time < math.huge then times[#times + 1] = time end
  end
  table.sort(times)
  return plans, times
end

-- When the job can have enough nodes for as long as it is believed to run, and which, beside what all others have or
-- are to have: the first instant, and then the lowest numbers. One of several components holds all that are free.
local function place(view, job, delay)
  local count, length = named.size(view, job)
  length = length + delay
  local earliest = named.earliest(view, job).time
  if earliest == math.huge then return nil end
  -- It counts on nodes that boot: so it is asked only where more than nodes of running jobs may lack.
  local first = (restless or not view:licensed(job)) and math.max(earliest, view.now) or view.now
  local till = taken(view, delay)
  local plans, times = plans_of_others(view, job, first, till)
  local i, closed = 1, 0
  while times[i] do
    local from, kept = times[i], {}
    for _, plan in ipairs(plans) do
      if plan.from < from + length and plan.to > from then
        for _, n in ipairs(plan.nodes) do kept[n] = true end
      end
    end
    local open, opens = named.open(view, job, from, length)
    local free = {}
    for _, n in ipairs(open) do
      if not kept[n] and named.free_from(till[n], from) then free[#free + 1] = n end
    end
    if #free >= count then
      local nodes = job.component_count > 1 and free or table.move(free, 1, count, 1, {})
      return { from = from, to = from + length, nodes = nodes, free = free }
    end
    if opens then
      restless, closed = true, closed + 1
      if closed == most_closed then return nil end
      if opens > from and opens < math.huge then enter(times, opens) end
    end
    repeat i = i + 1 until times[i] ~= times[i - 1]
  end
end

-- The first of the others that are to have nodes which are free now, before this one would end; how many of these nodes
-- are for such jobs, and how many are free.
local function in_the_way(view, job, length)
  local is_idle, idle, kept, first = {}, named.idle(view), 0, nil
  for _, n in ipairs(idle) do is_idle[n] = "now" end
  for other in view:waiting() do
    if other ~= job and other.plan and other.plan.from < view.now + length then
      for _, n in ipairs(other.plan.nodes) do
        if is_idle[n] then
          if not first or other.plan.from < first.plan.from then first = other end
          if is_idle[n] == "now" then is_idle[n], kept = "later", kept + 1 end
        end
      end
    end
  end
  return first, kept, #idle
end

-- Why a job waits that there seems to be room for.
local function reason(view, job, params)
  local count, length = named.size(view, job)
  local own = job.plan and ("its place in the plan is at %s"):format(instant(view, job.plan.from))
    or "it has no place in the plan"
  local first, kept, idle = in_the_way(view, job, length + params.delay)
  if idle < count then
    return nil, ("it takes %d nodes without other jobs, and there were %d"):format(count, idle)
  end
  if idle - kept >= count then return nil, own .. ", and it is planned anew only when a job ends" end
  return nil, ("%d of the %d free nodes were for jobs that are to start before it would end, first job %d at %s; %s")
    :format(kept, idle, first.id, instant(view, first.plan.from), own)
end

---@type coslice.Policy
return {
  api = 1,
  name = "conservative_nodes",
  version = "2",
  description = "Conservative backfilling as the scheduler batsched does it: each job holds particular nodes from when "
    .. "it is submitted, the lowest numbers of those that will be free, and is planned anew, in order of the queue, "
    .. "when another one ends, and where nodes are closed or down, in each pass. Where nodes are counted "
    .. "(`conservative`), a job gets its nodes when it starts. Each job has its nodes for itself; for some hundred "
    .. "nodes and waiting jobs.",
  params = {
    delay = { default = 0, min = 0, max = 86400,
      doc = "So much longer a job is believed to have its nodes than its limit says, s; batsched takes 5." },
  },
  placement = function() return 0 end, -- so that nodes can be named

  reason = reason,

  schedule = function(view, params)
    local anew = view.ended or restless
    for job in view:waiting() do
      if anew or not job.plan then
        local plan = place(view, job, params.delay)
        job.plan = plan
        if plan and plan.from <= view.now and not named.start(view, job, plan.free) then job.plan = nil end
      end
    end
  end,
}
