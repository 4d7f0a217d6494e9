-- Jobs that name several partitions (`sbatch -p a,b`): Slurm's queue has such a job once for each of them, with the
-- priority that it has there, and it starts in the first in which it can.
--
--   local Partitions = require "slurm_partitions"
--   Partitions.of(job)                    -- the number of the partition in which a job is looked at, or runs
--   local lists = Partitions.lists(partitions, weight)
--   lists:comes(job, view)                -- it comes into the queue
--   lists:enter(job, name)                -- it is looked at in that one; without a name: where it stands in the queue
--   lists.any                             -- whether some job has named several so far
--   lists.by_number[job.partition]        -- the partitions of its list, in the order of its entries; not of others
local Partitions = {}

--- The number of the partition in which the job is looked at now, or runs.
---@return integer
function Partitions.of(job) return job.slurm_part or job.partition end

--- Its tier there.
---@return integer
function Partitions.tier(job) return job.slurm_tier or job.tier end

local Lists = {}
Lists.__index = Lists

--- The partitions of these names that there are, in the order of a job's entries: those of high tiers come first, then
--- those in which priorities are higher, then as the list has them.
local function members_of(self, names)
  local members, seen = {}, {}
  for _, name in ipairs(names) do
    local number = self.numbers[name]
    local own = number and self.partitions[number]
    if own and not seen[name] then
      seen[name] = true
      table.insert(members, { number = number, name = name, tier = own.PriorityTier or 1,
        factor = own.PriorityJobFactor or 1, place = #members + 1 })
    end
  end
  table.sort(members, function(a, b)
    if a.tier ~= b.tier then return a.tier > b.tier end
    if self.weight > 0 and a.factor ~= b.factor then return a.factor > b.factor end
    return a.place < b.place
  end)
  for _, member in ipairs(members) do member.behind = self.weight * (members[1].factor - member.factor) end
  return #members > 0 and members or nil
end

--- A list has a number of its own, as if it was a partition of the name `a,b`; one that no dump of the site has had has
--- one that is not known. `weight` is what a PriorityJobFactor of 1 adds to a priority.
---@param partitions table<integer, table> By number, with `name`, `PriorityTier` and `PriorityJobFactor`.
---@param weight number
function Partitions.lists(partitions, weight)
  local self = setmetatable({ partitions = partitions, weight = weight, by_number = {}, numbers = {}, any = false },
                            Lists)
  for number, entry in pairs(partitions) do
    if entry.name and not string.find(entry.name, ",", 1, true) then self.numbers[entry.name] = number end
  end
  for number, entry in pairs(partitions) do
    local names = {}
    for name in string.gmatch(entry.name or "", "[^,%s]+") do table.insert(names, name) end
    if #names > 1 then self:add(number, names) end
  end
  return self
end

function Lists:add(number, names)
  self.by_number[number] = members_of(self, names)
  self.any = self.any or self.by_number[number] ~= nil
end

--- The job comes into the queue of the view. Returns whether it is the first one of a list that was not known.
function Lists:comes(job, view)
  local number = job.partition
  local known = number < 0 or self.partitions[number] or self.by_number[number] ~= nil
  if not known then
    local names = view:partitions(job)
    if #names > 1 then self:add(number, names) end
    self.by_number[number] = self.by_number[number] or false
  end
  self:enter(job)
  return not known and self.by_number[number] ~= false
end

--- The job is looked at in that partition, by name; nil: in the one where it stands in the queue.
---@param name? string
function Lists:enter(job, name)
  local number = job.partition
  local members = self.by_number[number]
  if not members then
    job.slurm_part = number
    return
  end
  local chosen = members[1]
  for _, member in ipairs(members) do
    if member.name == name then chosen = member end
  end
  if job.slurm_part ~= chosen.number then job.limit_rules, job.limit_asks, job.kept_by = nil, nil, nil end
  job.slurm_part, job.slurm_tier = chosen.number, chosen.tier
end

return Partitions
