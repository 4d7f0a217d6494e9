local elastic = require("elastic")

--- The jobs that share nodes: those that run, and in order of the queue those that can start beside them if all elastic
--- ones have their least nodes. How many nodes all of them together may have, and whether all that wait are among them.
local function sharers(view)
  local jobs, pool, least = {}, view.free, 0
  for job, nodes, fewest, most in view:elastic() do
    local sharer = elastic.sharer(view, job, fewest, most)
    sharer.ordered = nodes
    jobs[#jobs + 1] = sharer
    pool, least = pool + math.max(job.nodes, nodes), least + fewest
  end
  for job in view:waiting() do
    local sharer = elastic.sharer(view, job)
    least = least + sharer.least
    if least > pool then return jobs, pool, false end
    jobs[#jobs + 1] = sharer
  end
  return jobs, pool, true
end

--- Starts those that wait, with the nodes of their shares or as many as there are now. Returns whether all have
--- started: else others give up nodes for them at their next points.
local function start(view, jobs, nodes)
  for i, sharer in ipairs(jobs) do
    if not sharer.ordered then
      local size = elastic.at_most(sharer, math.min(nodes[i], view.free))
      if not size then return false end
      if sharer.least < sharer.most then view:set_nodes(sharer.job, size) end
      if not view:fits(sharer.job) then return false end -- maintenance is near
      view:start(sharer.job)
    end
  end
  return true
end

--- Why a job waits that there seems to be room for.
local function reason(view, job)
  local head = view:head()
  local needs, left = view:size(head, 0) or head.nodes, view.free
  for other, nodes, least in view:elastic() do left = left + math.max(other.nodes, nodes) - least end
  local who = head == job and "it" or ("job %d, before it,"):format(head.id)
  local function because(why, ...)
    return nil, ("jobs start in order of the queue, on whole nodes, and %s %s"):format(who, why:format(...))
  end
  if needs > left then return because("needs %d: running jobs can leave %d", needs, math.max(left, 0)) end
  if needs > view.free then return because "waits for some that running jobs give up at their next points" end
  return because "has no room yet with its share of them"
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

  reason = reason,

  schedule = function(view, params)
    local jobs, pool, all = sharers(view)
    local nodes = (params.rule == "equal" and elastic.equal or elastic.equally_efficient)(jobs, pool)
    for i, sharer in ipairs(jobs) do
      if sharer.ordered and nodes[i] < sharer.ordered then
        view:resize(sharer.job, nodes[i])
        sharer.ordered = nodes[i]
      end
    end
    if not start(view, jobs, nodes) or not all then return end
    for i, sharer in ipairs(jobs) do
      local size = sharer.ordered and elastic.at_most(sharer, math.min(nodes[i], sharer.ordered + view.free))
      if size and size > sharer.ordered and view:can_resize(sharer.job, size) then view:resize(sharer.job, size) end
    end
  end,
}
