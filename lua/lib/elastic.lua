-- Elastic jobs, for policies that change their nodes: which run, what sizes they have, and how nodes are divided.
local M = {}

--- The numbers of nodes that a job may have, ascending, and how long its work takes with each, by its limit; a job that
--- is rigid has one.
---@param view coslice.View
---@param job coslice.Job
---@return { nodes: integer, time: number }[]
function M.sizes(view, job)
  local said = view:sizes(job)
  if not said then return { { nodes = job.nodes, time = job.estimate } } end
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
  local count = #sizes
  if sizes[count].nodes <= most then return sizes[count] end
  return last(sizes, function(s) return s.nodes <= most end)
end

--- The elastic jobs that run, kept up to date by the hooks of a policy. A member has the fields `job`, `sizes`, `least`
--- and `most` (nodes), `has` and `ordered`, which is what it has where no order waits for a point.
---@class coslice.Crew
---@field members table[] In order of their starts.
---@field spare integer Nodes that all members together could give up, of those that they were ordered to have.
---@field room integer Nodes that they could have beyond those.
---@field promised integer Nodes that they give up at their next points.
local Crew = {}
Crew.__index = Crew

function M.crew() return setmetatable({ members = {}, of = {}, spare = 0, room = 0, promised = 0 }, Crew) end

function Crew:count(member, sign)
  self.spare = self.spare + sign * (member.ordered - member.least)
  self.room = self.room + sign * (member.most - member.ordered)
  self.promised = self.promised + sign * math.max(member.has - member.ordered, 0)
end

--- For the hook `started`.
function Crew:started(view, job)
  if job.elastic == "" or not view:nodes(job) then return end
  local sizes = M.sizes(view, job)
  local member = { job = job, sizes = sizes, least = sizes[1].nodes, most = sizes[#sizes].nodes, has = job.nodes,
    ordered = job.nodes }
  self.of[job] = member
  self.members[#self.members + 1] = member
  self:count(member, 1)
end

--- For the hook `ended`; also of a job that is interrupted.
function Crew:ended(job)
  local member = self.of[job]
  if not member then return end
  self.of[job] = nil
  self:count(member, -1)
  for i, other in ipairs(self.members) do
    if other == member then return table.remove(self.members, i) end
  end
end

--- For the hook `resized`.
function Crew:resized(job)
  local member = self.of[job]
  self:count(member, -1)
  member.has, member.ordered = job.nodes, job.nodes
  self:count(member, 1)
end

--- Orders another number of nodes for a member, if it can have them. Returns whether it has them now.
function Crew:resize(view, member, nodes)
  local _, ordered = view:nodes(member.job)
  if not ordered then return false end
  local can = nodes <= ordered or view:can_resize(member.job, nodes)
  self:count(member, -1)
  member.ordered = can and nodes or ordered -- its order is void if a node failed that was kept for it
  self:count(member, 1)
  return can and view:resize(member.job, nodes)
end

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
  local low, high = 1, math.max(pool, 1)
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
