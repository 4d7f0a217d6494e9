local instant = require "instant_words"

-- When the job can have enough nodes for as long as it is believed to run, and which, beside what all others have or
-- are to have: the first instant, and then the lowest numbers.
local function place(view, job, length)
  local others, times = {}, { view.now }
  for _, all in ipairs { view:running(), view:waiting() } do
    for other in all do
      if other.plan and other ~= job then
        others[#others + 1] = other.plan
        if other.plan.to > view.now then times[#times + 1] = other.plan.to end
      end
    end
  end
  table.sort(times)
  for i, from in ipairs(times) do
    if from ~= times[i - 1] then
      local taken, nodes = {}, {}
      for _, plan in ipairs(others) do
        if plan.from < from + length and plan.to > from then
          for _, n in ipairs(plan.nodes) do taken[n] = true end
        end
      end
      for n = 0, view.capacity - 1 do
        if not taken[n] then nodes[#nodes + 1] = n end
        if #nodes == job.nodes then return { from = from, to = from + length, nodes = nodes } end
      end
    end
  end
  error("job " .. job.id .. " needs more nodes than there are")
end

-- The first of the others that are to have nodes which are free now, before this one would end; how many of these nodes
-- are for such jobs, and how many are free.
local function in_the_way(view, job, length)
  local taken, idle, kept, first = {}, view.capacity, 0, nil
  for other in view:running() do
    for _, n in ipairs(other.plan.nodes) do taken[n], idle = true, idle - 1 end
  end
  for other in view:waiting() do
    if other ~= job and other.plan and other.plan.from < view.now + length then
      for _, n in ipairs(other.plan.nodes) do
        if taken[n] ~= true then
          if not first or other.plan.from < first.plan.from then first = other end
          if not taken[n] then taken[n], kept = "later", kept + 1 end
        end
      end
    end
  end
  return first, kept, idle
end

-- Why a job waits that there seems to be room for.
local function reason(view, job, params)
  local own = ("its place in the plan is at %s"):format(instant(view, job.plan.from))
  local first, kept, idle = in_the_way(view, job, job.estimate + params.delay)
  if idle < job.nodes then
    return nil, ("it takes %d nodes without other jobs, and there were %d"):format(job.nodes, idle)
  end
  if idle - kept >= job.nodes then return nil, own .. ", and it is planned anew only when a job ends" end
  return nil, ("%d of the %d free nodes were for jobs that are to start before it would end, first job %d at %s; %s")
    :format(kept, idle, first.id, instant(view, first.plan.from), own)
end

---@type coslice.Policy
return {
  api = 1,
  name = "conservative_nodes",
  version = "1",
  description = "Conservative backfilling as the scheduler batsched does it: each job holds particular nodes from when "
    .. "it is submitted, the lowest numbers of those that will be free, and is planned anew, in order of the queue, "
    .. "when another one ends. Where nodes are counted (`conservative`), a job gets its nodes when it starts. Not for "
    .. "machines whose nodes fail, and for some hundred nodes and waiting jobs.",
  params = {
    delay = { default = 0, min = 0, max = 86400,
      doc = "So much longer a job is believed to have its nodes than its limit says, s; batsched takes 5." },
  },
  placement = function() return 0 end, -- so that nodes can be named

  reason = reason,

  schedule = function(view, params)
    for job in view:waiting() do
      if view.ended or not job.plan then
        job.plan = place(view, job, job.estimate + params.delay)
        if job.plan.from <= view.now then view:start(job, { nodes = job.plan.nodes }) end
      end
    end
  end,
}
