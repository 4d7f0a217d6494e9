local elastic = require("elastic")

--- The jobs that share nodes: those that run, and in order of the queue those that can start beside them if all elastic
--- ones have their least nodes. And how many nodes all of them together may have.
local function sharers(view)
  local jobs = elastic.running(view)
  local pool, least = view.free, 0
  for _, job in ipairs(jobs) do
    pool, least = pool + math.max(job.has, job.ordered), least + job.sizes[1].nodes
  end
  for job in view:waiting() do
    local sizes = elastic.waiting_sizes(view, job)
    least = least + sizes[1].nodes
    if least > pool then break end
    jobs[#jobs + 1] = { job = job, sizes = sizes, has = 0, waits = true }
  end
  return jobs, pool
end

---@type coslice.Policy
return {
  api = 1,
  name = "equipartition",
  version = "1",
  description = "Elastic jobs share the nodes that rigid ones leave: alike, or by how well they use them. All jobs "
    .. "start in order of the queue as soon as there is room for the least nodes of each (McCann, Vaswani & Zahorjan "
    .. "1993; Nguyen, Vaswani & Zahorjan 1996).",
  params = {
    rule = {
      default = "equal",
      choices = { "equal", "efficient" },
      doc = "Each job has as many nodes as the others, or as many as make it as efficient as the others.",
    },
  },

  schedule = function(view, params)
    local jobs, pool = sharers(view)
    local divide = params.rule == "equal" and elastic.equal or elastic.equally_efficient
    local nodes = divide(jobs, pool)
    for i, job in ipairs(jobs) do
      if not job.waits and nodes[i] < job.ordered then view:resize(job.job, nodes[i]) end
    end
    for i, job in ipairs(jobs) do
      if job.waits then
        local size = elastic.at_most(job.sizes, math.min(nodes[i], view.free))
        if not size then break end -- others give up nodes for it at their next points
        if #job.sizes > 1 then view:set_nodes(job.job, size.nodes) end
        if not view:fits(job.job) then break end -- maintenance is near
        view:start(job.job)
      end
    end
    if view:head() and view:head().nodes <= view.capacity and #jobs > 0 and jobs[#jobs].waits then return end
    for i, job in ipairs(jobs) do
      local size = not job.waits and elastic.at_most(job.sizes, math.min(nodes[i], job.has + view.free))
      if size and size.nodes > job.ordered then view:resize(job.job, size.nodes) end
    end
  end,
}
