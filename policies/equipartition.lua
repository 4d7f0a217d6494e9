local elastic = require("elastic")

--- The jobs that share nodes: those that run, and in order of the queue those that can start beside them if all elastic
--- ones have their least nodes. How many nodes all of them together may have, and whether all that wait are among them.
local function sharers(view)
  local jobs, pool, least = {}, view.free, 0
  for job, nodes, fewest in view:elastic() do
    jobs[#jobs + 1] = { job = job, sizes = elastic.sizes(view, job), ordered = nodes }
    pool, least = pool + math.max(job.nodes, nodes), least + fewest
  end
  for job in view:waiting() do
    local sizes = elastic.sizes(view, job)
    least = least + sizes[1].nodes
    if least > pool then return jobs, pool, false end
    jobs[#jobs + 1] = { job = job, sizes = sizes }
  end
  return jobs, pool, true
end

--- Starts those that wait, with the nodes of their shares or as many as there are now. Returns whether all have
--- started: else others give up nodes for them at their next points.
local function start(view, jobs, nodes)
  for i, job in ipairs(jobs) do
    if not job.ordered then
      local size = elastic.at_most(job.sizes, math.min(nodes[i], view.free))
      if not size then return false end
      if #job.sizes > 1 then view:set_nodes(job.job, size.nodes) end
      if not view:fits(job.job) then return false end -- maintenance is near
      view:start(job.job)
    end
  end
  return true
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
    local jobs, pool, all = sharers(view)
    local nodes = (params.rule == "equal" and elastic.equal or elastic.equally_efficient)(jobs, pool)
    for i, job in ipairs(jobs) do
      if job.ordered and nodes[i] < job.ordered then
        view:resize(job.job, nodes[i])
        job.ordered = nodes[i]
      end
    end
    if not start(view, jobs, nodes) or not all then return end
    for i, job in ipairs(jobs) do
      local size = job.ordered and elastic.at_most(job.sizes, math.min(nodes[i], job.ordered + view.free))
      if size and size.nodes > job.ordered and view:can_resize(job.job, size.nodes) then
        view:resize(job.job, size.nodes)
      end
    end
  end,
}
