-- Elastic jobs, for policies that change their nodes: what sizes they have, and how nodes are divided.
local M = {}

--- The sizes in order.
local function ascending(said)
  local own, ascends = said[1], true
  for i, s in ipairs(said) do
    s.time = s.limit
    ascends = ascends and (i < 3 or s.nodes > said[i - 1].nodes)
  end
  if not ascends then
    table.sort(said, function(a, b) return a.nodes < b.nodes end)
    return said
  end
  local place = 1 -- its own size stands first, the others behind it in order
  while said[place + 1] and said[place + 1].nodes < own.nodes do
    said[place] = said[place + 1]
    place = place + 1
  end
  said[place] = own
  return said
end

--- The numbers of nodes that a job may have, ascending, how long its work takes with each, by its limit, and how
--- efficient it is there: 1 with its least. A job that is rigid has one. The list is made once for each job.
---@param view coslice.View
---@param job coslice.Job
---@return { nodes: integer, time: number, efficiency: number }[]
function M.sizes(view, job)
  if job.size_list then return job.size_list end
  local said = view:sizes(job)
  local sizes = said and ascending(said) or { { nodes = job.nodes, time = job.estimate } }
  local least = sizes[1].nodes * sizes[1].time
  for _, s in ipairs(sizes) do s.efficiency = least / (s.nodes * s.time) end
  job.size_list = sizes
  return sizes
end

--- The largest size of a job with at most so many nodes; nil: it has none.
---@param sizes { nodes: integer, time: number }[]
---@param most integer
function M.at_most(sizes, most)
  local low, high = 0, #sizes
  local top = sizes[high].nodes
  if top <= most then return sizes[high] end
  if top - sizes[1].nodes == high - 1 then return sizes[most - sizes[1].nodes + 1] end -- every number in between
  while low < high do
    local middle = (low + high + 1) // 2
    if sizes[middle].nodes <= most then low = middle else high = middle - 1 end
  end
  return sizes[low]
end

-- How running and waiting jobs share nodes: all at one level, which is as high as the nodes allow.

--- The nodes of each job at the level, and their sum.
local function division(jobs, at_level, level)
  local nodes, sum = {}, 0
  for i, job in ipairs(jobs) do
    local n = at_level(job.sizes, level)
    nodes[i], sum = n, sum + n
  end
  return nodes, sum
end

--- The division at the level, between one at which the nodes suffice and one at which they do not, where they do just
--- so: `between` halves the way until it returns nil.
local function just_enough(jobs, pool, at_level, enough, too_much, between)
  local nodes, sum = division(jobs, at_level, too_much)
  if sum <= pool then return nodes end
  nodes = nil
  local level = between(enough, too_much)
  while level do
    local tried
    tried, sum = division(jobs, at_level, level)
    if sum == pool then return tried end
    if sum < pool then nodes, enough = tried, level else too_much = level end
    level = between(enough, too_much)
  end
  return nodes or (division(jobs, at_level, enough))
end

local function equal_nodes(sizes, level) return (M.at_most(sizes, level) or sizes[1]).nodes end

local function between_whole(low, high) return high - low > 1 and (low + high) // 2 or nil end

--- How many nodes of each job a division of `pool` nodes gives: each has the largest size of at most so many nodes, the
--- same number for all, but no fewer than its least (McCann, Vaswani & Zahorjan 1993, equipartition).
---@param jobs { sizes: { nodes: integer }[] }[]
---@param pool integer
---@return integer[]
function M.equal(jobs, pool)
  return just_enough(jobs, pool, equal_nodes, 1, math.max(pool, 1), between_whole)
end

--- What so many more nodes than its least bring the job, of what they could.
local function efficient_nodes(sizes, part)
  local low, high = 1, #sizes
  while low < high do
    local middle = (low + high + 1) // 2
    if sizes[middle].efficiency >= part then low = middle else high = middle - 1 end
  end
  return sizes[low].nodes
end

local function between_parts(enough, too_much)
  return enough - too_much > 2 ^ -30 and (enough + too_much) / 2 or nil
end

--- The same, where each has the largest size at which its speedup over its least nodes is at least `part` of what so
--- many more nodes could bring: jobs that make good use of nodes have more of them (Nguyen, Vaswani & Zahorjan 1996,
--- equal efficiency). The smallest such part is taken with which the nodes suffice.
---@param jobs { sizes: { nodes: integer, efficiency: number }[] }[]
---@param pool integer
---@return integer[]
function M.equally_efficient(jobs, pool)
  return just_enough(jobs, pool, efficient_nodes, 1, 0, between_parts)
end

return M
