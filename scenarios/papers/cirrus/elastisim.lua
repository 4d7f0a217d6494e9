-- The scheduling algorithm of the published simulations, asked as ElastiSim asks it: once after each end, once after
-- each submission. Where several jobs end at one instant, the first of the queue takes what the first of these ends
-- leaves it, and does not wait for the others: a moldable job can become smaller by that.
local freed = {}

--- Nodes that the job can have at least and at most.
local function range(view, job)
  if not job.most then
    job.least, job.most = job.nodes, job.nodes
    for _, size in ipairs(view:sizes(job) or {}) do
      job.least, job.most = math.min(job.least, size.nodes), math.max(job.most, size.nodes)
    end
  end
  return job.least, job.most
end

--- Starts jobs in order until one has to wait, of those that came before that time. Returns how many nodes are free
--- then.
local function start(view, free, before)
  for job in view:waiting() do
    local least, most = range(view, job)
    local nodes = math.min(free, most)
    if job.submit >= before or nodes < least then break end
    if least < most then view:set_nodes(job, nodes) end
    view:start(job)
    job.taken, free = nodes, free - nodes
  end
  return free
end

---@type coslice.Policy
return {
  api = 1,
  name = "elastisim",
  version = "1",
  description = "First come, first served; a moldable job that is the first of the queue takes what is free, up to its "
    .. "most.",
  params = {
    ends = {
      default = "by-number", choices = { "by-number", "against-number", "at-once" },
      doc = "Jobs that end at one instant: one after the other, by their numbers, or by these from the last; or all at "
        .. "once.",
    },
  },
  ended = function(_, job) freed[#freed + 1] = job end,
  schedule = function(view, params)
    local free = view.free
    if params.ends ~= "at-once" then
      local turned = params.ends == "against-number"
      table.sort(freed, function(a, b) return (a.id < b.id) ~= turned end)
      for _, job in ipairs(freed) do free = free - job.taken end
      for _, job in ipairs(freed) do free = start(view, free + job.taken, view.now) end
    end
    freed = {}
    start(view, free, math.huge)
  end,
}
