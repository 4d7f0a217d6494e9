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
---@return { nodes: integer, time: number, efficiency: number }[]
local function sizes_of(view, job)
  if job.size_list then return job.size_list end
  local said = view:sizes(job)
  local sizes = said and ascending(said) or { { nodes = job.nodes, time = job.estimate } }
  local least = sizes[1].nodes * sizes[1].time
  for _, s in ipairs(sizes) do s.efficiency = least / (s.nodes * s.time) end
  job.size_list = sizes
  return sizes
end

-- How running and waiting jobs share nodes: all at one level, which is as high as the nodes allow.

--- A job that shares nodes with others, and the fewest and the most that it may have.
---@class coslice.Sharer
---@field view coslice.View
---@field job coslice.Job
---@field least integer
---@field most integer

--- A job as one that shares nodes. Without `least` and `most`, which view:elastic() says, they are asked for.
---@param view coslice.View
---@param job coslice.Job
---@param least? integer
---@param most? integer
---@return coslice.Sharer
function M.sharer(view, job, least, most)
  return { view = view, job = job, least = least or view:size(job, 0) or job.nodes,
    most = most or view:size(job) or job.nodes }
end

--- The nodes of the largest size with at most so many; nil: it has none.
---@param sharer coslice.Sharer
---@param nodes integer
---@return integer?
function M.at_most(sharer, nodes)
  if nodes >= sharer.most then return sharer.most end
  if nodes < sharer.least then return nil end
  return (sharer.view:size(sharer.job, nodes))
end

--- The sum of the nodes of all at the level, or more than `enough` if it is that.
local function sum_at(sharers, at_level, level, enough)
  local sum = 0
  for i = 1, #sharers do
    sum = sum + at_level(sharers[i], level)
    if sum > enough then break end
  end
  return sum
end

--- The nodes of each at the level, between one at which `pool` nodes suffice and one at which they do not, where they
--- do just so: `between` halves the way until it returns nil.
local function just_enough(sharers, pool, at_level, enough, too_much, between)
  local level = sum_at(sharers, at_level, too_much, pool) <= pool and too_much or nil
  if level then enough = level else level = between(enough, too_much) end
  while level ~= enough and level do
    local sum = sum_at(sharers, at_level, level, pool)
    if sum <= pool then enough = level else too_much = level end
    level = sum == pool and enough or between(enough, too_much)
  end
  local nodes = {}
  for i, sharer in ipairs(sharers) do nodes[i] = at_level(sharer, enough) end
  return nodes
end

local function equal_nodes(sharer, level) return M.at_most(sharer, level) or sharer.least end

local function between_whole(low, high) return high - low > 1 and (low + high) // 2 or nil end

--- How many nodes of each job a division of `pool` nodes gives: each has the largest size of at most so many nodes, the
--- same number for all, but no fewer than its least (McCann, Vaswani & Zahorjan 1993, equipartition).
---@param sharers coslice.Sharer[]
---@param pool integer
---@return integer[]
function M.equal(sharers, pool)
  return just_enough(sharers, pool, equal_nodes, 1, math.max(pool, 1), between_whole)
end

--- What so many more nodes than its least bring the job, of what they could.
local function efficient_nodes(sharer, part)
  local sizes = sizes_of(sharer.view, sharer.job)
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
---@param sharers coslice.Sharer[]
---@param pool integer
---@return integer[]
function M.equally_efficient(sharers, pool)
  return just_enough(sharers, pool, efficient_nodes, 1, 0, between_parts)
end

return M
