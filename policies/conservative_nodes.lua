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

  schedule = function(view, params)
    for job in view:waiting() do
      if view.ended or not job.plan then
        job.plan = place(view, job, job.estimate + params.delay)
        if job.plan.from <= view.now then view:start(job, { nodes = job.plan.nodes }) end
      end
    end
  end,
}
