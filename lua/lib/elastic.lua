-- Elastic jobs, for policies that change their nodes: which run, what sizes they have, and how nodes are divided.
local M = {}

--- The numbers of nodes that a job may have, ascending, and how long its work takes with each, by its limit. Kept with
--- the job; nil: it keeps the nodes that it has.
local function sizes_of(view, job)
  if job.node_numbers ~= nil then return job.node_numbers end
  local said = view:sizes(job)
  if not said then return nil end
  local sizes = {}
  for _, s in ipairs(said) do sizes[#sizes + 1] = { nodes = s.nodes, time = s.limit } end
  table.sort(sizes, function(a, b) return a.nodes < b.nodes end)
  job.node_numbers = sizes
  return sizes
end

--- The largest of ascending sizes for which `holds`, which is true up to some size; nil: for none.
local function last(sizes, holds)
  local low, high = 0, #sizes
  while low < high do
    local middle = (low + high + 1) // 2
    if holds(sizes[middle]) then low = middle else high = middle - 1 end
  end
  return sizes[low]
end

--- The largest size of a job with at most so many nodes; nil: it has none.
---@param sizes { nodes: integer, time: number }[]
---@param most integer
function M.at_most(sizes, most)
  return last(sizes, function(s) return s.nodes <= most end)
end

--- The elastic jobs that run and may change their nodes, in order of their starts: `sizes`, ascending, and the nodes
--- that each `has` and was `ordered` to have.
---@param view coslice.View
---@return { job: coslice.Job, sizes: { nodes: integer, time: number }[], has: integer, ordered: integer }[]
function M.running(view)
  local jobs = {}
  for job in view:running() do
    local sizes = job.elastic ~= "" and sizes_of(view, job)
    if sizes then
      local has, ordered = view:nodes(job)
      if has then jobs[#jobs + 1] = { job = job, sizes = sizes, has = has, ordered = ordered } end
    end
  end
  return jobs
end

--- The sizes of a job that waits; one that is rigid has one.
---@param view coslice.View
---@param job coslice.Job
---@return { nodes: integer, time: number }[]
function M.waiting_sizes(view, job) return sizes_of(view, job) or { { nodes = job.nodes, time = job.estimate } } end

--- How many nodes of each job a division of `pool` nodes gives: each has the largest size of at most so many nodes, the
--- same number for all, but no fewer than its least (McCann, Vaswani & Zahorjan 1993, equipartition).
---@param jobs { sizes: { nodes: integer }[] }[]
---@param pool integer
---@return integer[]
function M.equal(jobs, pool)
  local function division(level)
    local nodes, sum = {}, 0
    for i, job in ipairs(jobs) do
      nodes[i] = (M.at_most(job.sizes, level) or job.sizes[1]).nodes
      sum = sum + nodes[i]
    end
    return nodes, sum
  end
  local low, high = 1, pool
  while low < high do
    local middle = (low + high + 1) // 2
    local _, sum = division(middle)
    if sum <= pool then low = middle else high = middle - 1 end
  end
  return (division(low))
end

--- The same, where each has the largest size at which its speedup over its least nodes is at least `part` of what so
--- many more nodes could bring: jobs that make good use of nodes have more of them (Nguyen, Vaswani & Zahorjan 1996,
--- equal efficiency). The smallest such part is taken with which the nodes suffice.
---@param jobs { sizes: { nodes: integer, time: number }[] }[]
---@param pool integer
---@return integer[]
function M.equally_efficient(jobs, pool)
  local function division(part)
    local nodes, sum = {}, 0
    for i, job in ipairs(jobs) do
      local least = job.sizes[1]
      nodes[i] = last(job.sizes, function(s) return least.time * least.nodes >= part * s.time * s.nodes end).nodes
      sum = sum + nodes[i]
    end
    return nodes, sum
  end
  local low, high = 0, 1 -- at 1 each has its least
  for _ = 1, 30 do
    local middle = (low + high) / 2
    local _, sum = division(middle)
    if sum <= pool then high = middle else low = middle end
  end
  return (division(high))
end

return M
